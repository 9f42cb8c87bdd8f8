//! The site of the course itself: every link leads somewhere, and no page is too much for a phone.

use crate::html::{assert_well_formed, values, without_tags};
use gpulearn::book::{DrawnAccess, Figures, File, LessonAccesses, LessonImage, RunResults, one_page, pages};
use gpulearn::host::device::model::Model;
use gpulearn::judge::course::{Course, Lesson};
use gpulearn::picture::{Image, escape};
use gpulearn::sim::{Picture, PictureKind};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

const MAX_BYTES: usize = 300_000;

static COURSE: LazyLock<Course> =
    LazyLock::new(|| Course::from_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("the course is sound"));
/// With pictures on the page of every lesson, as large as they can be.
static SITE: LazyLock<Vec<File>> =
    LazyLock::new(|| pages(&COURSE, &with_accesses()).expect("the models are sound"));

/// Without those, but with figures of a row of the ledger and the image that a solution makes.
static OTHER: LazyLock<Vec<File>> = LazyLock::new(|| {
    let row = COURSE.claims().rows.iter().find(|row| row.id == "L1").unwrap();
    let value = &row.values[0];
    let json = serde_json::json!({
        "schema": "gpulearn.claims/1", "modelled": "Tesla T4", "measured": "NVIDIA H100",
        "rows": [{ "id": "L1", "values": [
            { "lesson": value.lesson, "says": value.says, "unit": "×", "modelled": 1.25, "measured": 97.04 }] }]
    });
    let image = Image::new(2, 2, vec![0, 255, 255, 0]).unwrap();
    let images = BTreeMap::from([("mandelbrot".to_owned(), LessonImage { image, words: MADE.to_owned() })]);
    let figures = Some(Figures::from_json(&json.to_string()).unwrap());
    pages(&COURSE, &RunResults { figures, images, ..RunResults::default() }).unwrap()
});

const MADE: &str = "What the solution made: out, 2 × 2";

/// Warps whose lanes touch a sector each, and 32 words of one bank.
fn with_accesses() -> RunResults {
    let drawn = |kind, words: &str, bytes: i64| DrawnAccess {
        words: words.into(),
        picture: Picture { kind, width: 16, lanes: (0..32).map(|lane| Some(lane * bytes)).collect() },
    };
    let sectors = drawn(PictureKind::Sectors, "loads of a<b>: 1 request of warps, 32 sectors", 4096);
    let banks = drawn(PictureKind::Banks, "stores to tile: 1 request of warps, 32 passes", 128);
    let accesses = LessonAccesses { case: "n = 7".into(), drawn: vec![sectors, banks] };
    let of_lesson = |lesson: &Lesson| (lesson.slug.clone(), accesses.clone());
    RunResults { accesses: COURSE.lessons().iter().map(of_lesson).collect(), ..RunResults::default() }
}

fn html() -> impl Iterator<Item = &'static File> {
    SITE.iter().filter(|file| file.path.ends_with(".html"))
}

#[test]
fn every_link_and_anchor_leads_somewhere() {
    let ids: BTreeMap<&str, BTreeSet<&str>> =
        html().map(|file| (file.path.as_str(), values(&file.text, "id").into_iter().collect())).collect();
    let files: BTreeSet<&str> = SITE.iter().map(|file| file.path.as_str()).collect();
    let mut links = 0;
    for file in html() {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in values(&file.text, "href").into_iter().chain(values(&file.text, "src")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = match path.strip_prefix("../") {
                _ if path.is_empty() => file.path.clone(),
                Some(above) => above.to_owned(),
                None if folder.is_empty() => path.to_owned(),
                None => format!("{folder}/{path}"),
            };
            assert!(files.contains(path.as_str()), "{}: {link}", file.path);
            assert!(anchor.is_empty() || ids[path.as_str()].contains(anchor), "{}: {link}", file.path);
            links += 1;
        }
        for name in values(&file.text, "aria-labelledby").into_iter().flat_map(str::split_whitespace) {
            assert!(ids[file.path.as_str()].contains(name), "{}: {name}", file.path);
        }
    }
    assert!(links > 5000, "{links} links");
}

#[test]
fn every_page_is_small_and_its_tags_close() {
    for file in SITE.iter() {
        assert!(file.text.len() < MAX_BYTES, "{} has {} bytes", file.path, file.text.len());
    }
    html().for_each(|file| assert_well_formed(&file.path, &file.text));
}

#[test]
fn every_lesson_has_a_page_without_its_solution() {
    for lesson in COURSE.lessons() {
        let path = format!("{}/{}.html", lesson.part, lesson.slug);
        let page = html().find(|file| file.path == path).unwrap_or_else(|| panic!("no page {path}"));
        let text = without_tags(&page.text);
        assert!(text.contains(&escape(lesson.starter.trim_end())), "{path}");
        assert!(
            lesson.starter == lesson.solution || !text.contains(&escape(lesson.solution.trim_end())),
            "{path}"
        );
        assert_eq!(page.text.matches("<summary>Hint ").count(), lesson.spec.hints.len(), "{path}");
        assert!(page.text.contains("name=\"viewport\""), "{path}");
    }
}

#[test]
fn glossary_and_lessons_link_each_other() {
    let page =
        |path: &str| &html().find(|file| file.path == path).unwrap_or_else(|| panic!("no page {path}")).text;
    let coalescing = page("3-memory-and-speed/coalescing.html");
    assert!(coalescing.contains("<a class=\"term\" href=\"../glossary.html#term-"), "{coalescing}");
    let glossary = page("glossary.html");
    for slug in ["histogram", "first-program"] {
        let lesson = COURSE.lesson(slug).expect("there is such a lesson");
        assert!(glossary.contains(&format!("href=\"{}/{slug}.html\"", lesson.part)));
    }
    // A word is linked where it can mean nothing else.
    let halves = page("9-measuring/batch-size-sweep.html");
    assert!(halves.contains("two and a half times") && !halves.contains("#term-half"), "{halves}");
    assert!(page("8-numbers/mixed-precision.html").contains("glossary.html#term-half\""));
    // A word is not linked to itself.
    let (_, own) = glossary.split_once("id=\"term-bank\"").expect("there is such a term");
    let own = own.split("<dt").next().unwrap_or_default();
    assert!(!own.contains("#term-bank\""), "{own}");
}

#[test]
fn the_machine_is_drawn_and_told_in_words() {
    let machine = html().find(|file| file.path == "machine.html").expect("the first chapter");
    assert!(machine.text.contains("role=\"img\"") && machine.text.contains("132 multiprocessors"));
    // The picture and the text say whose figures theirs are, and have the same for what a copy reaches.
    assert!(machine.text.contains("latency, modelled") && machine.text.contains("m: measured on one"));
    let reached = Model::named("h100").expect("there is such a model").transfer.pinned_to_device_gbps;
    assert!(machine.text.contains(&format!("{reached:.0} GB/s  m")));
}

#[test]
fn the_page_to_print_has_every_lesson_unfolded() {
    let page = one_page(&COURSE, &RunResults::default()).expect("the models are sound");
    assert!(COURSE.lessons().iter().all(|lesson| page.contains(&escape(&lesson.title))));
    assert!(!page.contains("<details>"));
}

#[test]
fn claims_have_what_was_printed_modelled_and_measured_in_columns() {
    let row = COURSE.claims().rows.iter().find(|row| row.id == "L1").unwrap();
    let value = &row.values[0];
    let page = |site: &'static [File]| &site.iter().find(|file| file.path == "claims/N1.html").unwrap().text;
    let with = page(&OTHER);
    assert_well_formed("claims/N1.html", with);
    let cells = |printed: &str, modelled: &str, measured: &str| {
        format!(
            "<th scope=\"row\">{}</th><td>{printed}</td><td>{modelled}</td><td>{measured}</td>",
            escape(&value.says)
        )
    };
    assert!(with.contains(&cells("206×", "1.25×", "97.0×")), "{with}");
    assert!(
        with.contains("Modelled figures are for a Tesla T4, measured ones for an NVIDIA H100."),
        "{with}"
    );
    let without = page(&SITE);
    assert!(without.contains(&cells("206×", "–", "–")) && without.contains("were not computed"), "{without}");
    for text in ["", "{}", "{\"schema\":\"gpulearn.run/1\",\"rows\":[]}"] {
        assert!(Figures::from_json(text).is_err(), "{text}");
    }
}

#[test]
fn what_a_solutions_warps_touch_is_on_its_lessons_page_in_pictures_and_words() {
    let path = "1-puzzles/map.html";
    let page = html().find(|file| file.path == path).expect("the first lesson");
    let (_, section) = page.text.split_once("<h2 id=\"touched\">").expect("a section of its own");
    let (section, _) = section.split_once("<h2").expect("hints are behind it");
    let text = without_tags(section);
    for words in [
        "In a run of our solution with n = 7: for global and for shared memory, the line",
        "In global memory, loads of a&lt;b&gt;: 1 request of warps, 32 sectors",
        "32 lanes of a warp touch 32 sectors",
        "In shared memory, stores to tile",
        "A column is a bank and a row a pass",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(section.matches("<svg class=\"picture\"").count(), 2);
    assert!(!OTHER.iter().any(|file| file.text.contains("id=\"touched\"")));
}

#[test]
fn what_a_solution_makes_is_on_its_lessons_page() {
    let with: Vec<&File> = OTHER.iter().filter(|file| file.text.contains(MADE)).collect();
    assert_eq!(
        with.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        ["14-more-patterns/mandelbrot.html"]
    );
    assert_well_formed(&with[0].path, &with[0].text);
    assert!(with[0].text.contains("<svg class=\"image\""));
}
