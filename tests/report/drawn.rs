//! What is drawn of wrong files of lessons: a picture that shows what is wrong to who reads nothing else.

use super::judged::view_of;
use super::text;
use gpulearn::report::{self, Style, VerdictView};
use std::path::Path;

/// Wrong files, with the kind of picture that each has.
const DRAWN: [(&str, &str, &str); 9] = [
    ("conv-1d", "missing-guard", "outside"),
    ("barrier-in-branch", "barriers-in-guard", "at-barrier"),
    ("uninitialised", "one-short", "written"),
    ("stream-race", "one-way-only", "unordered"),
    ("reuse-by-stream", "released-too-early", "unordered"),
    ("matmul", "wrong-index-order", "sources"),
    ("coalescing", "transposed-index", "sources"),
    ("bank-conflicts", "columns", "sources"),
    ("divergence", "two-loops", "ways"),
];

fn view(slug: &str, mistake: &str) -> VerdictView {
    let course = gpulearn::lessons::course();
    let name = format!("{mistake}.cu");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong").join(slug).join(&name);
    let mut view = view_of(course.lesson(slug).unwrap(), &std::fs::read_to_string(path).unwrap(), &name);
    if slug == "divergence" {
        // Its page and its `check` have the advice, too.
        view.evidence.advice = advice(slug, mistake);
    }
    view
}

/// What `check` says could be better.
fn advice(slug: &str, mistake: &str) -> Vec<report::FindingView> {
    let file = format!("tests/wrong/{slug}/{mistake}.cu");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gpulearn"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    let output =
        command.args(["check", &file, "--lesson", slug, "--seed", "1", "--format", "json"]).output().unwrap();
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    serde_json::from_value(line["results"][0]["advice"].clone()).unwrap()
}

#[test]
fn what_is_wrong_is_drawn_as_wide_as_there_is_room() {
    let mut all = String::new();
    for (slug, mistake, kind) in DRAWN {
        let view = view(slug, mistake);
        let json: serde_json::Value = serde_json::from_str(&report::json::to_line(&view)).unwrap();
        let of_finding = json["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .chain(json["advice"].as_array().into_iter().flatten());
        let drawings = of_finding.map(|finding| &finding["drawing"]).chain([&json["mismatch"]["drawing"]]);
        let kinds: Vec<&str> = drawings.filter_map(|drawing| drawing["kind"].as_str()).collect();
        assert!(kinds.contains(&kind), "{slug}/{mistake}: {kinds:?}");
        for width in [40, 80] {
            // `text` holds every line to the width.
            let text = text(&view, &Style { width, ..Style::default() });
            all += &format!("== {slug}/{mistake}, {width} columns\n{text}\n");
        }
    }
    insta::assert_snapshot!(all);
}
