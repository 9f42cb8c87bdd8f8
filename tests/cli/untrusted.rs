//! Files, folders and kernels made by somebody who wants more than a verdict.

use super::{gpulearn, run, workspace};
use std::fs;
use std::path::Path;

const RIGHT: &str = "extern \"C\" __global__ void map(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x] + 10; }\n";

/// What is read of `in` twice: right values, and more reads than the lesson allows.
const WASTEFUL: &str = "extern \"C\" __global__ void map(const volatile float *in, float *out) {
    out[threadIdx.x] = in[threadIdx.x] * 0.5f + in[threadIdx.x] * 0.5f + 10;
}
";

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn reason(folder: &Path, args: &[&str]) -> String {
    let (_, out, err) = run(folder, &[&["check", "--format", "json", "--offline"], args].concat());
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"));
    answer["results"][0]["reason"].as_str().unwrap_or("passed").to_owned()
}

/// A kernel of `map` with these lines before the right one.
fn map_with(lines: &str) -> String {
    RIGHT.replace("{ out[", &format!("{{\n{lines}\nout["))
}

#[test]
fn a_folder_that_looks_like_a_clone_does_not_bring_its_own_bars() {
    let (root, here) = (tempfile::tempdir().unwrap(), Path::new(env!("CARGO_MANIFEST_DIR")));
    let root = root.path();
    for folder in ["kernels", "solutions"] {
        for file in fs::read_dir(here.join(folder).join("1-puzzles")).unwrap().flatten() {
            let name = file.file_name().into_string().unwrap();
            put(root, &format!("{folder}/1-puzzles/{name}"), &fs::read_to_string(file.path()).unwrap());
        }
    }
    put(root, "lessons/1-puzzles/part.toml", "title = \"t\"\nabout = \"a\"\n");
    for lesson in fs::read_dir(here.join("lessons/1-puzzles")).unwrap().flatten() {
        let slug = lesson.file_name().into_string().unwrap();
        for file in fs::read_dir(lesson.path()).into_iter().flatten().flatten() {
            let name = file.file_name().into_string().unwrap();
            let text = fs::read_to_string(file.path()).unwrap();
            let text = if slug == "map" { text.split("[[require").next().unwrap().to_owned() } else { text };
            put(root, &format!("lessons/1-puzzles/{slug}/{name}"), &text);
        }
    }
    put(root, "Cargo.toml", "[package]\nname = \"gpulearn\"\n");
    put(root, "kernels/1-puzzles/map.cu", WASTEFUL);
    assert_eq!(reason(root, &["map"]), "too-much-work");
    assert_eq!(reason(root, &["kernels/1-puzzles/map.cu"]), "too-much-work");
    // Whoever asks for them has them.
    assert_eq!(reason(root, &["--lessons", ".", "map"]), "passed");
}

#[test]
fn a_kernel_that_does_thousands_of_times_the_work_is_stopped_and_the_work_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let spin = map_with("volatile float *o = out; for (int k = 0; k < 100000; k++) o[threadIdx.x] = k;");
    put(folder.path(), "map.cu", &spin);
    let begun = std::time::Instant::now();
    let (exit, out, err) = run(folder.path(), &["check", "map.cu", "--lesson", "map", "--offline"]);
    assert_eq!((exit, out.contains("map: too much work")), (1, true), "{out}{err}");
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("With n = 1024 it was stopped after"), "{out}");
    assert!(words.contains("warp instructions, most of them at line 2. Our solution executes"), "{out}");
    assert!(begun.elapsed().as_secs() < 240, "{:?}", begun.elapsed());
    // A hundred times the work is slow, and no more.
    let slow = map_with("volatile float *o = out; for (int k = 0; k < 100; k++) o[threadIdx.x] = k;");
    put(folder.path(), "map.cu", &slow);
    let (_, out, err) = run(folder.path(), &["check", "map.cu", "--lesson", "map", "--offline"]);
    assert!(out.contains("correct, too much") && !out.contains("Our solution executes"), "{out}{err}");
}

#[test]
fn a_stored_verdict_decides_nothing_in_a_ci_job() {
    let folder = workspace();
    let folder = folder.path();
    put(folder, "kernels/1-puzzles/map.cu", WASTEFUL);
    assert_eq!(reason(folder, &["map"]), "too-much-work");
    let stored = folder.join(".gpulearn/results/map.json");
    let mut forged: serde_json::Value = serde_json::from_slice(&fs::read(&stored).unwrap()).unwrap();
    let view = forged["view"].as_object_mut().unwrap();
    view.remove("reason");
    view.insert("passed".into(), true.into());
    fs::write(&stored, forged.to_string()).unwrap();
    assert_eq!(reason(folder, &["map"]), "passed", "a learner's own word, to the learner");
    let output = gpulearn(folder, &["check", "map", "--offline"]).env("CI", "true").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[cfg(unix)]
mod files {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    fn pipe(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn links_and_pipes_are_not_read() {
        let (folder, secret) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, secret) = (folder.path(), secret.path());
        put(secret, "map.cu", "#error the secret\n");
        put(root, "in/ada/map.cu", RIGHT);
        symlink(secret.join("map.cu"), root.join("in/ada/zip.cu")).unwrap();
        symlink(secret, root.join("in/bob")).unwrap();
        pipe(&root.join("in/cy.cu"));
        let (exit, out, err) = run(root, &["check", "in", "--lesson", "map", "--offline"]);
        assert_eq!((exit, out.contains("1 of 3 pass, 2 could not be judged")), (3, true), "{out}{err}");
        assert!(err.contains("Left out: in/bob, a link"), "{err}");
        assert!(!(out + &err).contains("the secret"));
        for name in ["in/ada/zip.cu", "in/cy.cu"] {
            let (exit, out, err) = run(root, &["check", name, "--lesson", "map", "--offline"]);
            assert_eq!((exit, (out + &err).contains("the secret")), (2, false), "{name}: {err}");
        }
    }

    #[test]
    fn a_file_swapped_for_a_link_while_the_class_is_judged_gives_nothing_away() {
        let (folder, secret) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, secret) = (folder.path(), secret.path());
        put(secret, "map.cu", "#error the secret\n");
        for student in ["a", "b", "c", "d", "e", "f"] {
            put(root, &format!("in/{student}/map.cu"), RIGHT);
        }
        let child = gpulearn(root, &["check", "in", "--lesson", "map", "-j", "1", "--offline", "--verbose"])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // The folder was read by now, or will be: either way nothing may come of it.
        std::thread::sleep(std::time::Duration::from_millis(120));
        for student in ["d", "e", "f"] {
            fs::remove_dir_all(root.join("in").join(student)).unwrap();
            symlink(secret, root.join("in").join(student)).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let all = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(!all.contains("secret"), "{all}");
    }

    #[test]
    fn what_lies_in_the_tool_s_own_folder_neither_holds_it_up_nor_leads_it_elsewhere() {
        for name in ["progress.json", "lock", "results/map.json"] {
            let folder = workspace();
            let own = folder.path().join(".gpulearn");
            fs::create_dir_all(own.join("results")).unwrap();
            let _ = fs::remove_file(own.join(name));
            pipe(&own.join(name));
            put(folder.path(), "kernels/1-puzzles/map.cu", RIGHT);
            assert!(["passed", "passed\n"].contains(&reason_or_error(folder.path()).as_str()), "{name}");
        }
        let (folder, elsewhere) = (workspace(), tempfile::tempdir().unwrap());
        symlink(elsewhere.path(), folder.path().join(".gpulearn/results")).unwrap();
        put(folder.path(), "kernels/1-puzzles/map.cu", RIGHT);
        assert_eq!(reason(folder.path(), &["map"]), "passed");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    /// A pipe in the place of progress is an error that says so; anything but waiting will do.
    fn reason_or_error(folder: &Path) -> String {
        let (exit, out, _) = run(folder, &["check", "map", "--offline"]);
        if exit == 3 || out.starts_with('✓') { "passed".into() } else { out }
    }
}

#[test]
fn one_odd_name_does_not_end_a_class() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "class/ada/map.cu", RIGHT);
    put(root, "class/bob/BLOCK-SUM.CU", RIGHT);
    put(root, "class/cy/map.cu.txt", RIGHT);
    fs::create_dir(root.join("class/dora")).unwrap();
    let (exit, out, err) = run(root, &["check", "class", "--offline"]);
    assert_eq!(exit, 3, "{out}{err}");
    for says in [
        "✓ class/ada/map.cu (map)",
        "class/bob/BLOCK-SUM.CU",
        "class/cy/map.cu.txt",
        "1 of 3 pass, 2 could not be judged",
    ] {
        assert!(out.contains(says), "{says}: {out}{err}");
    }
    assert!(err.contains("Left out: class/dora, an empty folder"), "{err}");
}

#[test]
fn no_line_is_a_command_to_a_ci_job() {
    let folder = tempfile::tempdir().unwrap();
    let evil = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ::error file=a::owned ##[error]owned";
    put(folder.path(), "map.cu", &format!("#error {evil}\n#pragma message(\"::warning::x\")\n"));
    let print = map_with(r#"if (threadIdx.x == 0) printf("::error::one\n  ::error::two ##[group]three\n");"#);
    put(folder.path(), "print.cu", &format!("#include <stdio.h>\n{}", print.replace("+ 10", "+ 11")));
    put(
        folder.path(),
        "program.cu",
        "#include <stdio.h>\nint main() { printf(\":\"); printf(\":error::x\\n #\"); printf(\"#[error]y\\n\"); fprintf(stderr, \"::debug::z\"); return 1; }\n",
    );
    for columns in ["30", "40", "53", "60", "61", "62", "66", "80"] {
        for args in [
            &["check", "map.cu", "--lesson", "map", "--offline"][..],
            &["check", "map.cu", "--lesson", "map", "--offline", "--verbose"],
            &["check", "print.cu", "--lesson", "map", "--offline"],
            &["check", "map.cu", "--lesson", "map", "--offline", "--format", "json"],
            &["check", "map.cu", "print.cu", "--lesson", "map", "--offline"],
            &["check", "::error::.cu", "--lesson", "map", "--offline"],
            &["run", "program.cu", "--offline"],
            &["inspect", "map.cu", "--offline"],
        ] {
            if columns != "30" && args[0] == "run" {
                continue;
            }
            let output =
                gpulearn(folder.path(), args).env("COLUMNS", columns).env("CI", "true").output().unwrap();
            for text in [&output.stdout, &output.stderr] {
                let text = String::from_utf8_lossy(text);
                assert!(!text.contains("##["), "{args:?}: {text}");
                assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{args:?}: {text}");
            }
        }
    }
}

#[test]
fn a_constant_index_outside_is_the_learner_s_own() {
    let folder = tempfile::tempdir().unwrap();
    let shared = map_with("__shared__ volatile float s[32]; s[threadIdx.x % 32] = 1; s[2147483647] = 2;");
    put(folder.path(), "map.cu", &shared);
    assert_eq!(reason(folder.path(), &["map.cu"]), "shared-out-of-bounds");
    put(folder.path(), "map.cu", &format!("__device__ float g[8];\n{}", map_with("g[2147483647] = 1;")));
    assert_eq!(reason(folder.path(), &["map.cu"]), "out-of-bounds");
}
