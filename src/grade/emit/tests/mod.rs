//! Tests every format with a small class that has every kind of outcome, against the requirements of the tool that
//! reads it.

mod json;
mod shape;
mod text;

use super::*;
use crate::class::{LessonReport, Text};
use crate::judging::{Earned, Judged, Outcome, Review};
use crate::marks::Hundredths;
use crate::results::Key;
use report::{DiagnosticView, Excerpt, FindingView};
use std::collections::BTreeMap;

const EVIL: &str = "</pre><script>alert(1)</script>\n::error::x ##[error]y \u{1b}[31m\u{202e},\"%0A";

fn key(name: &str) -> Key {
    serde_json::from_value(name.into()).unwrap()
}

fn view(reason: Option<&str>) -> VerdictView {
    VerdictView {
        subject: SubjectView::new("map", "map.cu"),
        passed: reason.is_none(),
        reason: reason.and_then(Reason::named),
        headline: reason.map_or("passed".into(), |reason| reason.replace('-', " ")),
        ..VerdictView::default()
    }
}

fn finding() -> FindingView {
    serde_json::from_value(serde_json::json!({
        "code": "R001", "slug": "shared-race", "severity": "defect", "title": "a race in shared memory",
        "message": format!("thread 0 writes s[0], {EVIL}."), "help": "Put a barrier between the two.",
        "at": {"line": 2, "column": 5, "text": "thread 0 writes", "kind": "write", "block": [0, 0, 0], "thread": [0, 0, 0]},
        "hits": 1, "notes": [], "excerpt": {"lines": []},
    }))
    .unwrap()
}

fn text(outcome: Outcome, view: VerdictView) -> Text {
    let source = format!("__global__ void map() {{\n    s[0] = 1; // {EVIL}\n}}\n");
    Text { source, judged: Judged { outcome, view } }
}

/// Four students: one is right, one has a race and a malicious name, one needs review, one submitted nothing.
fn class() -> Graded {
    let points = |points, days_late| Mark::Points { points: Hundredths(points), days_late };
    let all = Earned { right: true, clean: true, bars: true, answers: None };
    let mut racy = view(Some("shared-race"));
    racy.evidence.findings = vec![finding()];
    let error: DiagnosticView = serde_json::from_value(serde_json::json!({
        "severity": "error", "file": "map.cu", "line": 3, "column": 1, "message": "expected a \"}\"",
        "excerpt": Excerpt::default(),
    }))
    .unwrap();
    let mut broken = view(Some("compile-error"));
    broken.evidence.diagnostics = vec![error];
    let unsupported = VerdictView { detail: Some("vadd4, line 2".into()), ..view(Some("unsupported")) };
    let texts = BTreeMap::from([
        (key("a"), text(Outcome::Judged(all), view(None))),
        (key("b"), text(Outcome::Judged(Earned { right: true, ..Earned::default() }), racy)),
        (key("c"), text(Outcome::Judged(Earned::default()), broken)),
        (key("d"), text(Outcome::Review(Review::Unsupported), unsupported)),
    ]);
    let student = |name: &str, lessons: [(Mark, Option<&str>); 2]| StudentReport {
        student: name.into(),
        lessons: ["map", "zip"]
            .into_iter()
            .zip(lessons)
            .map(|(lesson, (mark, text))| LessonReport {
                lesson: lesson.into(),
                full: Hundredths(1000),
                mark,
                path: text.map(|_| format!("{name}/{lesson}.cu")),
                text: text.map(key),
                why: None,
            })
            .collect(),
        notes: Vec::new(),
    };
    let students = vec![
        student("ada", [(points(1000, 0), Some("a")), (points(540, 1), Some("b"))]),
        student(&format!("=cmd|{EVIL}"), [(points(600, 0), Some("b")), (points(0, 0), Some("c"))]),
        student("cy", [(Mark::Review(Review::Unsupported), Some("d")), (Mark::Missing, None)]),
        student("dora", [(Mark::Missing, None), (Mark::Unreadable, None)]),
    ];
    let header = Header {
        course: "CUDA".into(),
        plan: "p".into(),
        lessons: "l".into(),
        program: "x".into(),
        version: "0".into(),
        seed: "s".into(),
        students: students.iter().map(|student| student.student.clone()).collect(),
    };
    Graded { header, students, texts, notes: Vec::new() }
}

/// The plan of that class, with lessons of the course.
fn plan() -> Plan {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let course = judge::course::Course::from_dir(&root).unwrap();
    let text = "name = \"CUDA\"\nseed = 1\n[late]\npercent_a_day = 10\n\
                [[lessons]]\nlesson = \"map\"\npoints = 10\n[[lessons]]\nlesson = \"zip\"\npoints = 10\n";
    Plan::parse(text, &course, None).unwrap()
}

/// Asserts that a text contains no characters that control a terminal or reorder text.
fn harmless(text: &str) {
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
}

#[test]
fn no_two_students_have_one_file_name() {
    let names = ["ada", "Ada", "a/da", "a-da", "", ".", "..", "ada lovelace", "CON", &"x".repeat(300), "å"];
    let files: std::collections::BTreeSet<String> =
        names.iter().map(|name| file_name(name).to_lowercase()).collect();
    assert_eq!(files.len(), names.len());
    assert!(
        files.iter().all(|file| !file.starts_with('.') && !file.contains('/') && file.len() < 120),
        "{files:?}"
    );
}
