//! Checks the JSON formats against the schemas or the documented fields of the tools that read them.

use super::shape::Key::{May, Must};
use super::shape::Shape::{self, Flag, List, Map, Number, Object, OneOf, Scalar, Text, TextThat, Whole};
use super::shape::assert_fits;
use super::{class, harmless};
use crate::emit::*;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const SOME_TEXT: Shape = TextThat("not empty", |text| !text.is_empty());

fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap()
}

/// Returns whether a text is a relative reference (RFC 3986), with all characters escaped that must be.
fn is_uri_reference(text: &str) -> bool {
    let escaped = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
    text.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"{}|\\^`".contains(&byte))
        && text.split('%').skip(1).all(escaped)
}

/// <https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json>: for each object
/// that is written, the keys used, with the constraints of `required`, `anyOf`, `enum`, `minimum` and `format`.
static SARIF: Shape = Object(&[
    May("$schema", TextThat("a URI", |text| text.starts_with("https://"))),
    Must("version", OneOf(&["2.1.0"])),
    Must("runs", List(&SARIF_RUN)),
]);
static SARIF_RUN: Shape = Object(&[
    Must("tool", Object(&[Must("driver", SARIF_DRIVER)])),
    May("columnKind", OneOf(&["utf16CodeUnits", "unicodeCodePoints"])),
    May("results", List(&SARIF_RESULT)),
]);
const SARIF_DRIVER: Shape =
    Object(&[Must("name", Text), May("version", Text), May("rules", List(&SARIF_RULE))]);
static SARIF_RULE: Shape = Object(&[Must("id", Text), May("shortDescription", SARIF_MESSAGE)]);
const SARIF_MESSAGE: Shape = Object(&[Must("text", SOME_TEXT)]);
static SARIF_RESULT: Shape = Object(&[
    May("ruleId", Text),
    May("ruleIndex", Whole(-1)),
    May("level", OneOf(&["none", "note", "warning", "error"])),
    Must("message", SARIF_MESSAGE),
    May("locations", List(&SARIF_LOCATION)),
    May("partialFingerprints", Map(&Text)),
]);
static SARIF_LOCATION: Shape = Object(&[May(
    "physicalLocation",
    Object(&[
        Must("artifactLocation", Object(&[May("uri", TextThat("a URI reference", is_uri_reference))])),
        May("region", Object(&[Must("startLine", Whole(1)), May("startColumn", Whole(1))])),
    ]),
)]);

#[test]
fn sarif_is_as_its_schema_asks() {
    let sarif = value(&sarif(&issues(&class())));
    assert_fits(&SARIF, &sarif);
    // In addition to the schema: there is one run; rules have different ids (3.49.3), and a result's index is that
    // of its rule (3.27.6).
    let [run] = &sarif["runs"].as_array().unwrap()[..] else { panic!("{sarif}") };
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: BTreeSet<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), rules.len());
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64());
    }
    harmless(&sarif.to_string());
}

/// <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>; GitLab's own schema,
/// `app/validators/json_schemas/codeclimate.json`, requires no more.
static CODE_QUALITY: Shape = List(&CODE_QUALITY_ENTRY);
static CODE_QUALITY_ENTRY: Shape = Object(&[
    Must("description", SOME_TEXT),
    Must("check_name", SOME_TEXT),
    Must("fingerprint", SOME_TEXT),
    Must("severity", OneOf(&["info", "minor", "major", "critical", "blocker"])),
    Must(
        "location",
        Object(&[
            Must("path", TextThat("a relative path", |path| !path.starts_with(['/', '.']))),
            Must("lines", Object(&[Must("begin", Whole(1))])),
        ]),
    ),
]);

#[test]
fn gitlab_s_report_is_as_documented_and_no_fingerprint_stands_twice() {
    let documented = json!([{
        "description": "'n' is never read.", "check_name": "unused", "fingerprint": "7815696ecbf1c96e", "severity": "minor",
        "location": {"path": "src/a.cu", "lines": {"begin": 42}},
    }]);
    assert_fits(&CODE_QUALITY, &documented);
    let list = value(&code_quality(&issues(&class())));
    assert_fits(&CODE_QUALITY, &list);
    let entries = list.as_array().unwrap();
    assert_eq!(entries.len(), 4);
    let fingerprints: BTreeSet<&str> =
        entries.iter().map(|entry| entry["fingerprint"].as_str().unwrap()).collect();
    assert_eq!(fingerprints.len(), entries.len());
    harmless(&list.to_string());
}

const VISIBILITY: Shape = OneOf(&["hidden", "after_due_date", "after_published", "visible"]);
const FORMAT: Shape = OneOf(&["text", "html", "simple_format", "md", "ansi"]);
const ANY_NUMBER: Shape = Number(f64::MIN, f64::MAX);

/// <https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format>: all fields. A score is optional
/// there if each test has one; here both are required.
static GRADESCOPE: Shape = Object(&[
    Must("score", ANY_NUMBER),
    May("execution_time", ANY_NUMBER),
    May("output", Text),
    May("output_format", FORMAT),
    May("test_output_format", FORMAT),
    May("test_name_format", FORMAT),
    May("visibility", VISIBILITY),
    May("stdout_visibility", VISIBILITY),
    May("extra_data", Map(&Scalar)),
    Must("tests", List(&GRADESCOPE_TEST)),
    May(
        "leaderboard",
        List(&Object(&[Must("name", Text), Must("value", Scalar), May("order", OneOf(&["asc", "desc"]))])),
    ),
]);
static GRADESCOPE_TEST: Shape = Object(&[
    Must("score", ANY_NUMBER),
    May("max_score", ANY_NUMBER),
    May("status", OneOf(&["passed", "failed"])),
    May("name", Text),
    May("name_format", FORMAT),
    May("number", Text),
    May("output", Text),
    May("output_format", FORMAT),
    May("tags", List(&Text)),
    May("visibility", VISIBILITY),
    May("extra_data", Map(&Scalar)),
]);

#[test]
fn gradescope_s_results_have_the_documented_fields_and_add_up() {
    let documented = json!({
        "score": 44.0, "execution_time": 136, "output": "all", "output_format": "simple_format",
        "test_output_format": "text", "test_name_format": "text", "visibility": "after_due_date",
        "stdout_visibility": "visible", "extra_data": {},
        "tests": [{
            "score": 2.0, "max_score": 2.0, "status": "passed", "name": "one", "name_format": "text", "number": "1.1",
            "output": "text", "output_format": "text", "tags": ["a", "b"], "visibility": "visible", "extra_data": {},
        }],
        "leaderboard": [{"name": "Accuracy", "value": 0.926}, {"name": "Stars", "value": "**", "order": "desc"}],
    });
    assert_fits(&GRADESCOPE, &documented);
    let (class, style) = (class(), Style::default());
    for student in &class.students {
        let result = value(&Gradescope::of(student, &class, &style));
        assert_fits(&GRADESCOPE, &result);
        assert_eq!(result["score"].as_f64(), Some(student.total().to_f64()));
        let tests = result["tests"].as_array().unwrap();
        let sum: f64 = tests.iter().map(|test| test["score"].as_f64().unwrap()).sum();
        assert!((sum - student.total().to_f64()).abs() < 1e-9);
        assert!(tests.iter().all(|test| test["score"].as_f64() <= test["max_score"].as_f64()), "{result}");
        harmless(&result.to_string());
    }
}

/// <https://coderunner.org.nz/docs/#combinator-template-grading>: all attributes. CodeRunner reports any other
/// attribute as an error (`allowedfields`).
static CODERUNNER: Shape = Object(&[
    Must("fraction", Number(0.0, 1.0)),
    May("prologuehtml", Text),
    May("testresults", List(&List(&Scalar))),
    May("epiloguehtml", Text),
    May("instructorhtml", Text),
    May("columnformats", List(&OneOf(&["%s", "%h"]))),
    May("showoutputonly", Flag),
    May("showdifferences", Flag),
    May("graderstate", Text),
    May("files", Map(&Text)),
]);

#[test]
fn coderunner_s_answer_has_the_documented_attributes_and_a_table() {
    let documented = json!({
        "fraction": 0.8, "prologuehtml": "<h2>P</h2>", "epiloguehtml": "E", "instructorhtml": "", "graderstate": "{}",
        "testresults": [["n", "Expected", "Got", "iscorrect", "ishidden"], [3, 9, 9, true, 0]],
        "columnformats": ["%s", "%s", "%h"], "showdifferences": true, "showoutputonly": false, "files": {"a.png": "aGk="},
    });
    assert_fits(&CODERUNNER, &documented);
    let (class, style) = (class(), Style::default());
    for student in &class.students {
        let answer = value(&CodeRunner::of(student, &class, &style));
        assert_fits(&CODERUNNER, &answer);
        // A header, and rows as wide as the header, each with a tick or a cross.
        let table = answer["testresults"].as_array().unwrap();
        let header: Vec<&str> =
            table[0].as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect();
        assert_eq!(table.len(), 1 + student.lessons.len());
        let ticks = header.iter().position(|name| *name == "iscorrect").unwrap();
        for row in &table[1..] {
            assert_eq!(row.as_array().unwrap().len(), header.len(), "{row}");
            assert!(row[ticks].is_boolean(), "{row}");
        }
        assert!(!answer["epiloguehtml"].as_str().unwrap().contains("<script"));
        harmless(&answer.to_string());
    }
}

/// Returns whether a text has the form `2026-06-01T14:32:05Z`.
fn is_instant(text: &str) -> bool {
    let like = "0000-00-00T00:00:00Z";
    let same = |(its, wanted): (char, char)| if wanted == '0' { its.is_ascii_digit() } else { its == wanted };
    text.len() == like.len()
        && text.chars().zip(like.chars()).all(same)
        && (&text[11..13] < "24" && &text[14..16] < "60" && &text[17..19] < "60")
}

const INSTANT: Shape = TextThat("a time in UTC", is_instant);

/// <https://github.com/foundation50/classroom50/blob/main/schemas/result-v1.schema.json>: all keys.
static CLASSROOM50: Shape = Object(&[
    Must("schema", OneOf(&["classroom50/result/v1"])),
    Must("classroom", SOME_TEXT),
    Must("assignment", SOME_TEXT),
    Must("assignment_type", OneOf(&["individual", "group"])),
    Must("owner", SOME_TEXT),
    Must("submission", TextThat("of a tag", |tag| tag.starts_with("submit/"))),
    Must("commit", SOME_TEXT),
    Must("release", SOME_TEXT),
    Must("review", SOME_TEXT),
    Must("datetime", INSTANT),
    May("graded_at", INSTANT),
    Must("score", Whole(0)),
    Must("max-score", Whole(0)),
    Must("tests", List(&CLASSROOM50_TEST)),
    May("submitted_by", Object(&[Must("username", SOME_TEXT), May("id", Whole(0))])),
]);
static CLASSROOM50_TEST: Shape = Object(&[
    Must("test-name", SOME_TEXT),
    Must("passed", Flag),
    Must("score", Whole(0)),
    Must("max-score", Whole(0)),
    // Our own key: the schema allows additional ones here.
    Must("message", Text),
]);

#[test]
fn classroom50_s_result_is_as_its_schema_asks() {
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
        assert_fits(&CLASSROOM50, &result);
        assert_eq!(result["datetime"], "2026-06-01T14:32:05Z");
        assert_eq!(
            (&result["review"], &result["assignment_type"]),
            (&result["commit"], &"individual".into())
        );
        // Rules that the schema states in prose because it cannot express them.
        assert!(result["score"].as_u64() <= result["max-score"].as_u64());
        let tests = result["tests"].as_array().unwrap();
        assert!(tests.iter().all(|test| test["score"].as_u64() <= test["max-score"].as_u64()), "{result}");
        harmless(&result.to_string());
    }
}
