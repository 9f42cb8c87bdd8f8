//! Every format against a small class with all that can become of a file, and against what its reader asks of it.

use super::*;
use crate::class::{LessonReport, Text};
use crate::judging::{Earned, Judged, Outcome, Review};
use crate::marks::Hundredths;
use crate::results::Key;
use report::{DiagnosticView, Excerpt, FindingView};
use serde_json::Value;
use std::collections::BTreeMap;

const EVIL: &str = "</pre><script>alert(1)</script>\n::error::x ##[error]y \u{1b}[31m\u{202e},\"%0A";

fn key(name: &str) -> Key {
    serde_json::from_value(name.into()).unwrap()
}

fn view(reason: Option<&str>) -> VerdictView {
    VerdictView {
        lesson: "map".into(),
        file: "map.cu".into(),
        passed: reason.is_none(),
        reason: reason.map(str::to_owned),
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

/// Four students: right, racy with an evil name, one for a person, one without anything.
fn class() -> Graded {
    let points = |points, days_late| Mark::Points { points: Hundredths(points), days_late };
    let all = Earned { right: true, clean: true, bars: true, answers: None };
    let racy = VerdictView { findings: vec![finding()], ..view(Some("shared-race")) };
    let error: DiagnosticView = serde_json::from_value(serde_json::json!({
        "severity": "error", "file": "map.cu", "line": 3, "column": 1, "message": "expected a \"}\"",
        "excerpt": Excerpt::default(),
    }))
    .unwrap();
    let broken = VerdictView { diagnostics: vec![error], ..view(Some("compile-error")) };
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

fn plan() -> Plan {
    // The lessons do not matter here, but for their late days.
    Plan {
        name: "CUDA".into(),
        seed: 1,
        prefix: String::new(),
        cpu_seconds: 60,
        credit: crate::plan::Credit::default(),
        assignments: Vec::new(),
        digest: String::new(),
    }
}

fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap()
}

/// Nothing that steers a terminal or reorders text.
fn harmless(text: &str) {
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
}

#[test]
fn the_gradebook_is_a_table_without_formulas() {
    let text = gradebook(&class());
    harmless(&text);
    let rows = crate::times::records(&text);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
    assert_eq!(rows[1][..6], ["ada", "15.40", "20.00", "yes", "10.00", "passed"]);
    assert_eq!(rows[1][7..], ["5.40", "shared-race", "1"]);
    assert!(rows[2][0].starts_with("'=cmd"), "{:?}", rows[2]);
    assert_eq!(rows[3][3..7], ["no", "", "needs review: unsupported", ""]);
    assert_eq!(rows[4][1..5], ["0.00", "20.00", "no", "0.00"]);
    assert_eq!(crate::times::records(&nbgrader(&class(), &plan()))[0].len(), 11);
}

#[test]
fn sarif_has_what_its_schema_requires() {
    let sarif = value(&sarif(&issues(&class())));
    // SARIF 2.1.0: 3.13.2 version, 3.14.6 tool, 3.18.2 driver, 3.19.8 name, 3.27.11 message; 3.27.10 levels;
    // 3.30.5 lines and columns from 1; 3.27.6 a rule's index points at a rule of its id.
    assert_eq!((&sarif["version"], sarif["runs"].as_array().unwrap().len()), (&"2.1.0".into(), 1));
    let run = &sarif["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "gpulearn");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: std::collections::BTreeSet<&str> =
        rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), rules.len(), "ids are unique");
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    for result in results {
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(place["region"].get("startColumn").is_none_or(|column| column.as_u64().unwrap() >= 1));
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"{}|\\^`".contains(&byte)), "{uri}");
    }
    harmless(&sarif.to_string());
}

#[test]
fn gitlab_has_its_required_keys_and_a_fingerprint_of_its_own_for_each() {
    let list = value(&code_quality(&issues(&class())));
    let list = list.as_array().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for entry in list {
        for key in ["description", "check_name", "fingerprint", "severity"] {
            assert!(entry[key].is_string(), "{entry}");
        }
        assert!(
            ["info", "minor", "major", "critical", "blocker"].contains(&entry["severity"].as_str().unwrap())
        );
        assert!(entry["location"]["path"].is_string() && entry["location"]["lines"]["begin"].is_u64());
        assert!(seen.insert(entry["fingerprint"].to_string()), "{entry}");
    }
}

#[test]
fn an_annotation_is_one_line_and_one_command() {
    let text = annotations(&issues(&class()));
    assert_eq!(text.lines().count(), 4);
    for line in text.lines() {
        let rest =
            ["::error ", "::warning ", "::notice "].iter().find_map(|command| line.strip_prefix(command));
        let (properties, message) = rest.unwrap_or_else(|| panic!("{line}")).split_once("::").unwrap();
        assert!(!message.is_empty());
        for property in properties.split(',') {
            let (name, value) = property.split_once('=').unwrap_or_else(|| panic!("{properties}"));
            assert!(
                ["file", "line", "col", "title"].contains(&name) && !value.contains([':', ',']),
                "{property}"
            );
        }
    }
    harmless(&text);
    assert!(!text.contains("##["), "{text}");
}

#[test]
fn gradescope_and_coderunner_have_their_keys() {
    let (class, style) = (class(), Style::default());
    for student in &class.students {
        let result = value(&Gradescope::of(student, &class, &style));
        assert_eq!(result["score"].as_f64(), Some(student.total().to_f64()));
        let tests = result["tests"].as_array().unwrap();
        let sum: f64 = tests.iter().map(|test| test["score"].as_f64().unwrap()).sum();
        assert!((sum - student.total().to_f64()).abs() < 1e-9);
        for test in tests {
            assert!(test["score"].as_f64() <= test["max_score"].as_f64());
            assert!(["passed", "failed"].contains(&test["status"].as_str().unwrap()));
            assert!(
                ["text", "html", "simple_format", "md", "ansi"]
                    .contains(&test["output_format"].as_str().unwrap())
            );
            assert!(
                ["visible", "hidden", "after_due_date", "after_published"]
                    .contains(&test["visibility"].as_str().unwrap())
            );
        }
        harmless(&result.to_string());
        let runner = value(&CodeRunner::of(student, &class, &style));
        let fraction = runner["fraction"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&fraction));
        let table = runner["testresults"].as_array().unwrap();
        assert!(table.iter().all(|row| row.as_array().unwrap().len() == 4) && table[0][0] == "iscorrect");
        assert!(!runner["epiloguehtml"].as_str().unwrap().contains("<script"));
    }
}

#[test]
fn classroom50_has_the_keys_of_its_schema_and_whole_numbers() {
    let variables = BTreeMap::from([
        ("CLASSROOM", "cs"),
        ("ASSIGNMENT", "hw1"),
        ("OWNER", "ada"),
        ("SUBMISSION_TAG", "submit/2026-06-01T14-32-05Z-a1b2c3d"),
        ("COMMIT_URL", "https://x/commit/a"),
        ("RELEASE_URL", "https://x/releases/tag/a"),
    ]);
    let of = |missing: &str| {
        Submission::of_variables(|name| {
            variables.get(name).filter(|_| name != missing).map(|value| (*value).to_owned())
        })
    };
    assert!(of("RELEASE_URL").is_none() && of("CLASSROOM").is_none());
    let class = class();
    for student in &class.students {
        let result = value(&Classroom50::of(student, &class, of("").unwrap()));
        let keys: Vec<&str> = result.as_object().unwrap().keys().map(String::as_str).collect();
        // "required" of schemas/result-v1.schema.json, which allows no other but two optional ones.
        let mut required = [
            "schema",
            "classroom",
            "assignment",
            "assignment_type",
            "owner",
            "submission",
            "commit",
            "release",
            "review",
            "datetime",
            "score",
            "max-score",
            "tests",
        ];
        required.sort_unstable();
        assert_eq!(keys, required);
        assert_eq!(result["datetime"], "2026-06-01T14:32:05Z");
        assert_eq!(
            (&result["review"], &result["assignment_type"]),
            (&result["commit"], &"individual".into())
        );
        assert!(result["score"].as_u64() <= result["max-score"].as_u64());
        for test in result["tests"].as_array().unwrap() {
            assert!(
                test["test-name"].as_str().is_some_and(|name| !name.is_empty())
                    && test["passed"].is_boolean()
            );
            assert!(test["score"].as_u64().unwrap() <= test["max-score"].as_u64().unwrap());
        }
        harmless(&result.to_string());
    }
}

#[test]
fn junit_tells_who_fails_from_what_waits() {
    let text = junit(&class(), &Style::default());
    harmless(&text);
    assert!(
        text.contains("type=\"needs-review/unsupported\"") && text.contains("type=\"missing\""),
        "{text}"
    );
    assert!(text.contains("errors=\"0\"") && !text.contains("errors=\"1\""), "{text}");
}

#[test]
fn a_page_has_no_script_and_asks_nobody() {
    let class = class();
    for student in &class.students {
        let text = page(student, &class, &Style::default());
        harmless(&text);
        assert!(
            !text.contains("<script")
                && !text.contains("src=")
                && !text.contains("http:")
                && !text.contains("https:"),
            "{text}"
        );
        assert!(text.contains("default-src 'none'"));
    }
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
