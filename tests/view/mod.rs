//! Runs drawn: the page of `view` and `run --view`, and the pictures of `check`.

use crate::html::{assert_well_formed, values};
use std::path::Path;
use std::process::{Command, Stdio};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn gpulearn(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpulearn"));
    command.current_dir(ROOT).args(args).stdin(Stdio::null()).env_remove("COLUMNS");
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// The page of a wrong kernel, which is well-formed, needs nothing from elsewhere, and whose links lead somewhere.
fn page(lesson: &str, file: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let file = format!("tests/wrong/{lesson}/{file}");
    let (exit, out, err) =
        gpulearn(&["view", &file, "--lesson", lesson, "-o", path.to_str().unwrap(), "--seed", "1"]);
    assert_eq!(exit, 0, "{out}{err}");
    read(&path)
}

fn read(path: &Path) -> String {
    let html = std::fs::read_to_string(path).unwrap();
    assert_well_formed("page.html", &html);
    let ids = values(&html, "id");
    for link in values(&html, "href") {
        let id = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads out of the page"));
        assert!(ids.contains(&id), "{link}");
    }
    assert!(values(&html, "src").is_empty());
    html
}

#[test]
fn stores_down_a_column_are_seen() {
    let html = page("transpose-tiled", "tile-for-nothing.cu");
    let words =
        "32 lanes of a warp touch 32 sectors of 32 bytes; 4 would hold their bytes. 32 of the 256 words";
    assert!(html.contains(words), "{html}");
    assert!(
        html.contains("stores to out: 1 280 requests of warps, 40 960 sectors; 5 120 would do"),
        "{html}"
    );
    assert!(html.contains("Roofline of an NVIDIA H100") && html.contains("held there by"));
}

#[test]
fn a_page_is_made_of_what_is_written_as_data() {
    let folder = tempfile::tempdir().unwrap();
    for (lesson, file) in [
        ("coalescing", "tests/wrong/coalescing/transposed-index.cu"),
        ("block-sum", "tests/wrong/block-sum/missing-first-barrier.cu"),
        ("mandelbrot", "solutions/14-more-patterns/mandelbrot.cu"),
        ("stream-race", "tests/wrong/stream-race/one-way-only.cu"),
    ] {
        let written = |name: &str| {
            let path = folder.path().join(name);
            gpulearn(&["view", file, "--lesson", lesson, "--seed", "1", "-o", path.to_str().unwrap()]);
            std::fs::read_to_string(&path).unwrap()
        };
        let (page, data) = (written("page.html"), written("data.json"));
        let tagged: serde_json::Value = serde_json::from_str(&data).unwrap();
        assert_eq!(tagged["schema"], "gpulearn.view/1", "{lesson}");
        let document: gpulearn::view::Document = serde_json::from_str(&data).unwrap();
        assert!(gpulearn::view::page(&document) == page, "{lesson}");
    }
}

#[test]
fn a_sum_comes_together_on_the_page_and_in_the_terminal() {
    let file = "solutions/1-puzzles/block-sum.cu";
    let (_, out, err) = gpulearn(&["check", file, "--lesson", "block-sum", "--pictures", "--seed", "1"]);
    assert!(
        out.contains("  Block 0: how 8 elements of s come together in s[0]\n    before    ■■■■■■■■\n"),
        "{out}{err}"
    );
    assert!(out.contains("■■······  2 take s[i + 2]\n"), "{out}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let file = "solutions/2-parallel-patterns/reduce-ladder.cu";
    gpulearn(&["view", file, "--lesson", "reduce-ladder", "--seed", "1", "-o", path.to_str().unwrap()]);
    let html = read(&path);
    assert!(
        html.contains("<figcaption>Warp 0 of block 0: how 32 lanes come together in lane 0</figcaption>"),
        "{html}"
    );
}

#[test]
fn bank_conflicts_are_seen() {
    let html = page("transpose-tiled", "unpadded.cu");
    assert!(html.contains("the busiest bank has 32, so it takes 32 passes"), "{html}");
}

#[test]
fn a_race_stands_between_its_barriers() {
    let html = page("block-sum", "missing-first-barrier.cu");
    assert!(html.contains("<title id=\"finding-0-title\">A race for s["), "{html}");
    assert!(html.contains("no barrier orders the one before the other"), "{html}");
}

#[test]
fn the_terminal_draws_what_wastes_most_first() {
    let file = "tests/wrong/transpose-tiled/tile-for-nothing.cu";
    let (_, out, err) =
        gpulearn(&["check", file, "--lesson", "transpose-tiled", "--pictures", "--seed", "1"]);
    let (_, pictures) = out.split_once("What warps access").unwrap_or_else(|| panic!("{out}{err}"));
    let first = pictures.find("stores to out").unwrap_or_else(|| panic!("{pictures}"));
    assert!(pictures.find("loads of in").is_none_or(|loads| first < loads), "{pictures}");
    assert!(pictures.lines().all(|line| line.chars().count() <= 80), "{pictures}");
}

#[test]
fn lanes_beside_one_that_is_outside_are_drawn_too() {
    let file = "tests/wrong/map/off-by-one.cu";
    let (_, out, err) = gpulearn(&["check", file, "--lesson", "map", "--pictures", "--seed", "1"]);
    let (_, loads) = out.split_once("loads of in: ").unwrap_or_else(|| panic!("{out}{err}"));
    assert!(loads.starts_with("1 request of warps, 1 sector\n"), "{loads}");
    assert!(loads.contains("byte 0       ·· 0  1  2  ··"), "{loads}");
}

#[test]
fn what_is_wrong_is_drawn_with_the_sizes_that_it_was_found_with() {
    let html = page("coalescing", "transposed-index.cu");
    assert!(html.contains("with rows = 7, cols = 129, run on the simulator"), "{html}");
    assert!(html.contains("A box is 1 × 3 elements, and wrong where one of them is"), "{html}");
    assert!(html.contains("<title id=\"sources-title\">What out[0, 1] is made of"), "{html}");
    let (_, touched) = html.split_once("loads of bias: ").unwrap_or_else(|| panic!("{html}"));
    assert!(touched.starts_with("29 requests of warps"), "{touched}");
}

#[test]
fn what_a_kernel_made_is_on_its_page() {
    let html = page("mandelbrot", "by-columns.cu");
    let caption = "<figcaption>What your kernel made: out, 48 × 96</figcaption>";
    assert!(html.contains(caption) && html.contains("<a href=\"#image\">"), "{html}");
    assert!(html.contains("<svg class=\"image\"") && html.contains("shape-rendering=\"crispEdges\""));
    assert!(!page("map", "off-by-one.cu").contains("<svg class=\"image\""));
}

#[test]
fn work_that_nothing_orders_is_drawn_and_first_uses_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let file = "tests/wrong/stream-race/one-way-only.cu";
    gpulearn(&["run", file, "--view", path.to_str().unwrap()]);
    let html = read(&path);
    assert!(html.contains("<title id=\"finding-0-title\">What waits for what in two streams"), "{html}");
    assert!(
        html.contains("2 of stream 2 waits for 1 of stream 1. 4 of stream 2 waits for 3 of stream 1. 2 "),
        "{html}"
    );
    assert!(html.contains("left out (≈), while no GPU worked"), "{html}");
    // The time line has the arrows of the events, and marks what the finding is about.
    let words = html.split_once("<desc id=\"gantt-words\">").unwrap().1.split_once("</desc>").unwrap().0;
    assert!(words.contains("(GPU 0, stream 1), by an event."), "{words}");
    assert_eq!(words.matches("O003 is about ").count(), 2, "{words}");
    assert!(html.contains("<polygon class=\"strong\"") && html.contains(">▲"), "{html}");
    assert!(html.contains("<section id=\"steps\""), "{html}");
}

#[test]
fn memory_is_drawn_over_time_and_told_as_data() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("m.cu");
    let text = "int main() {\n    float *first, *second, *page;\n    cudaMalloc(&first, 4 << 20);\n    cudaMalloc(&second, 2 << 20);\n    \
                cudaFree(first);\n    cudaMallocHost(&page, 1000);\n    cudaFreeHost(page);\n}\n";
    std::fs::write(&program, text).unwrap();
    let (program, path) = (program.to_str().unwrap(), folder.path().join("page.html"));
    let (_, out, err) =
        gpulearn(&["run", program, "--memory", "--format", "json", "--view", path.to_str().unwrap()]);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    let memory = &answer["memory"];
    let areas = memory["areas"].as_array().unwrap();
    let told: Vec<_> = areas
        .iter()
        .map(|its| {
            (its["name"].as_str().unwrap(), its["bytes"].as_u64().unwrap(), its["line"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(told, [("first", 4 << 20, 3), ("second", 2 << 20, 4), ("page", 1000, 6)]);
    assert!(areas[0]["end_ns"].as_u64() > areas[1]["start_ns"].as_u64(), "{memory}");
    assert!(areas[1].get("end_ns").is_none() && areas[2]["end_ns"].is_u64(), "{memory}");
    assert_eq!(
        (&memory["peaks"][0]["bytes"], &memory["peaks"][0]["at_ns"]),
        (&(6 << 20).into(), &areas[1]["start_ns"])
    );
    assert_eq!(
        (&memory["peaks"][1]["space"], &memory["peaks"][1]["bytes"]),
        (&"pinned".into(), &1000.into())
    );
    assert!(read(&path).contains("GPU 0: at most 6.0 MiB at once, since"));
    let (_, _, err) = gpulearn(&["run", program, "--memory"]);
    assert!(err.contains("peak 6.0 MiB") && err.contains("second, line 4"), "{err}");
    assert!(err.lines().all(|line| line.chars().count() <= 80), "{err}");
}

#[test]
fn a_program_is_drawn_over_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let file = "solutions/11-concurrency/overlap-copy-compute.cu";
    let (exit, out, err) = gpulearn(&["run", file, "--view", path.to_str().unwrap()]);
    assert_eq!(exit, 0, "{out}{err}");
    assert!(read(&path).contains("What ran when, by stream"));
}

#[test]
fn a_trace_is_written_in_the_format_that_its_name_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = "solutions/11-concurrency/overlap-copy-compute.cu";
    let trace = |name: &str| {
        let path = folder.path().join(name);
        let (exit, out, err) = gpulearn(&["run", file, "--trace", path.to_str().unwrap()]);
        assert_eq!(exit, 0, "{out}{err}");
        std::fs::read(path).unwrap()
    };
    assert!(trace("x.json").starts_with(b"{\"traceEvents\""));
    let bytes = trace("x.pftrace");
    assert_eq!(bytes[0], 0x0a, "the first packet");
    for name in ["solve", "stream 1", "bytes under way", "multiprocessors busy"] {
        assert!(bytes.windows(name.len()).any(|window| window == name.as_bytes()), "no {name}");
    }
}

#[test]
fn what_is_done_is_counted_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.svg");
    let (exit, out, err) = gpulearn(&["stats", "--card", card.to_str().unwrap()]);
    assert!(exit == 0 && out.contains("lessons passed"), "{out}{err}");
    assert_well_formed("card.svg", &std::fs::read_to_string(card).unwrap());
}

#[test]
fn what_does_not_compile_is_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("map.cu");
    std::fs::write(&file, "nonsense").unwrap();
    let page = folder.path().join("page.html");
    let (exit, _, err) = gpulearn(&["view", file.to_str().unwrap(), "-o", page.to_str().unwrap()]);
    assert_eq!((exit, page.exists()), (1, false), "{err}");
    assert!(err.contains("There is no run to draw (compile-error)"), "{err}");
}

#[test]
fn wrong_elements_are_drawn_beside_what_was_expected() {
    let html = page("map-2d", "row-from-x-too.cu");
    assert!(html.contains("The elements of out") && html.contains("never written"), "{html}");
    assert!(
        html.contains("<th scope=\"col\">expected</th>") && html.contains("<td>never written ×</td>"),
        "{html}"
    );
}

/// What the page's script knows of a block.
fn steps(html: &str) -> serde_json::Value {
    let (_, rest) = html.split_once("id=\"steps-data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_block_can_be_stepped_through() {
    let html = page("block-sum", "missing-barrier.cu");
    assert!(html.contains("<h2>Step through a block</h2>") && html.contains("needs JavaScript"));
    let data = steps(&html);
    let variables: Vec<&str> =
        data["variables"].as_array().unwrap().iter().map(|v| v[0].as_str().unwrap()).collect();
    assert_eq!(variables[..5], ["in", "out", "n", "t", "i"]);
    assert_eq!(data["warps"], serde_json::json!([255]));
    let array = &data["shared"][0];
    assert_eq!((array[0].as_str(), array[1].as_str()), (Some("s"), Some("float [256]")));
    let stops = data["stops"].as_array().unwrap();
    // By the end every thread has its number, and the sum of the block is in the first element.
    let last = |key: &str| {
        let of = |stop: &serde_json::Value| stop["v"].get(key).cloned();
        stops.iter().filter_map(of).rfind(|value| value.is_array()).unwrap()
    };
    let threads: Vec<String> = (0..8).map(|lane| lane.to_string()).collect();
    assert_eq!(last("3").as_array().unwrap()[..8], threads[..]);
    let elements = |n: usize| {
        let new = stops[..n].iter().filter_map(|stop| stop["s"].as_array()).flatten();
        new.filter(|element| element[1] == 0).filter_map(|element| element[2].as_str()?.parse::<f64>().ok())
    };
    assert!(elements(stops.len()).count() > 2, "the first element changes as it is summed up");
    // The last stop is the end, where all have left.
    let end = stops.last().unwrap();
    assert_eq!((&end["l"], &end["g"][0][1][0][1]), (&serde_json::json!(0), &serde_json::json!("left")));
}

#[test]
fn what_a_page_has_room_for_is_said() {
    let html = page("transpose-tiled", "unpadded.cu");
    let data = steps(&html);
    assert!(html.len() < 3 << 20, "{} bytes", html.len());
    let all = data["stops"].as_array().unwrap();
    assert!(all.len() > 100 && all.iter().any(|stop| stop["g"].to_string().contains("\"waits\"")));
}

#[test]
fn a_page_is_not_written_over_a_source() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("p.cu");
    let text = "int main() { return 0; }\n";
    std::fs::write(&program, text).unwrap();
    let path = program.to_str().unwrap();
    for args in [["run", path, "--view", path], ["run", path, "--trace", path], ["view", path, "-o", path]] {
        let (exit, _, err) = gpulearn(&args);
        assert_eq!((exit, err.replace('\n', " ").contains("not overwritten")), (2, true), "{args:?} {err}");
        assert_eq!(read(&program), text);
    }
}

#[test]
fn view_draws_a_program_as_run_does() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let (exit, out, err) = gpulearn(&["view", "tests/program/matmul_tiled.cu", "-o", page.to_str().unwrap()]);
    assert_eq!((exit, err.is_empty()), (0, true), "{err}");
    assert!(out.contains("Wrote "), "{out}");
    let html = read(&page);
    for part in ["<section id=\"steps\"", "<form id=\"sliders\"", "<section id=\"times\""] {
        assert!(html.contains(part), "{part}");
    }
}
