//! Parses the formats with lines, tables and XML as the tools that read them do.

use super::{class, harmless, plan};
use crate::emit::*;
use roxmltree::{Document, Node};

/// Parses a CSV table (RFC 4180) whose rows all have the same number of cells.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader =
        ::csv::ReaderBuilder::new().has_headers(false).flexible(false).from_reader(text.as_bytes());
    let rows = reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect());
    rows.collect()
}

#[test]
fn the_gradebook_is_a_table_without_formulas() {
    let text = gradebook(&class());
    harmless(&text);
    let rows = rows(&text);
    assert_eq!(
        rows[0],
        [
            "student",
            "total",
            "out of",
            "final",
            "map (of 10.00)",
            "map: state",
            "map: days late",
            "zip (of 10.00)",
            "zip: state",
            "zip: days late"
        ]
    );
    assert_eq!(rows[1][..6], ["ada", "15.40", "20.00", "yes", "10.00", "passed"]);
    assert_eq!(rows[1][7..], ["5.40", "shared-race", "1"]);
    assert!(rows[2][0].starts_with("'=cmd"), "{:?}", rows[2]);
    assert_eq!(rows[3][3..7], ["no", "", "needs review: unsupported", ""]);
    assert_eq!(rows[4][1..5], ["0.00", "20.00", "no", "0.00"]);
    let formula = |cell: &&String| cell.trim_start().starts_with(['=', '+', '-', '@']);
    assert_eq!(rows.iter().flatten().find(formula), None);
}

/// The columns of nbgrader's `CsvExportPlugin`:
/// <https://nbgrader.readthedocs.io/en/stable/plugins/export-plugin.html>.
const NBGRADER: [&str; 11] = [
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
];

#[test]
fn nbgrader_s_table_has_its_columns_and_its_arithmetic() {
    let class = class();
    let text = nbgrader(&class, &plan());
    harmless(&text);
    let rows = rows(&text);
    assert_eq!(rows[0], NBGRADER);
    let lessons = class.students.iter().flat_map(|student| &student.lessons);
    let (last, open): (Vec<_>, Vec<_>) = lessons.partition(|lesson| lesson.mark.is_final());
    assert!(rows.len() == 1 + last.len() && !open.is_empty(), "no row without a grade: {rows:?}");
    for row in &rows[1..] {
        let number = |column: &str| -> f64 {
            let at = NBGRADER.iter().position(|its| *its == column).unwrap();
            row[at].parse().unwrap_or_else(|_| panic!("{column}: {row:?}"))
        };
        assert!(!row[0].is_empty() && !row[3].is_empty(), "{row:?}");
        let left = (number("raw_score") - number("late_submission_penalty")).max(0.0);
        assert!((number("score") - left).abs() < 1e-9, "{row:?}");
        assert!(number("raw_score") <= number("max_score"), "{row:?}");
    }
    assert_eq!(rows[2][7..], ["6.00", "0.60", "5.40", "10.00"], "a day late, at 10 per cent");
}

#[test]
fn alike_texts_stand_side_by_side_with_their_lines() {
    let sum = "    float sum = 0;\n    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += in[k] * in[k + 1];\n    \
               __syncthreads();\n    if (threadIdx.x == 0) out[blockIdx.x] = sqrtf(sum) / (n + 1);\n";
    let other = "    if (threadIdx.x < 32 && in[0] > 0) { out[n - 1] = fmaxf(in[2], in[3]); return; }\n    \
                 out[threadIdx.x] = __expf(in[threadIdx.x]) - 1;\n    atomicAdd(&out[7], 0.5f);\n";
    let kernel =
        |body: &str| format!("__global__ void map(const float *in, float *out, int n) {{\n{body}}}\n");
    let mut class = class();
    let sources = [kernel(sum), kernel(&sum.replace("sum", "total").replace(" k", " i")), kernel(other)];
    for ((_, text), source) in class.texts.iter_mut().zip(sources) {
        text.source = source;
    }
    let text = similarity(&class, &plan());
    harmless(&text);
    let rows = rows(&text);
    assert_eq!(
        rows[0],
        ["lesson", "per cent", "shared pieces", "one", "its lines", "the other", "its lines"]
    );
    // For `map`, the first student has text a, and the second, who has an odd name, text b.
    let pair = rows[1..].iter().find(|row| row[0] == "map" && row[5] != "the same text").unwrap();
    assert_eq!((pair[1].as_str(), pair[3].as_str()), ("100", "ada"), "{pair:?}");
    assert!(pair[5].starts_with("'=cmd") || pair[5].contains("=cmd"), "{pair:?}");
    assert!(pair[4].contains('–') && pair[6].contains('–'), "{pair:?}");
}

/// A GitHub Actions command with its escapes decoded.
struct Command<'a> {
    name: &'a str,
    properties: Vec<(&'a str, String)>,
    message: String,
}

impl Command<'_> {
    fn property(&self, key: &str) -> &str {
        self.properties.iter().find(|(its, _)| *its == key).map_or("", |(_, value)| value)
    }
}

/// Parses a line as the GitHub Actions runner does; `None` if it is no annotation.
/// <https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands>
fn command(line: &str) -> Option<Command<'_>> {
    let unescaped = |text: &str, escapes: &[(&str, &str)]| {
        escapes.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    };
    const DATA: [(&str, &str); 3] = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")];
    const PROPERTY: [(&str, &str); 5] =
        [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")];
    let (head, message) = line.strip_prefix("::")?.split_once("::")?;
    let (name, properties) = head.split_once(' ')?;
    let mut read = Vec::new();
    for property in properties.split(',') {
        let (key, value) = property.split_once('=')?;
        let known = ["title", "file", "col", "endColumn", "line", "endLine"].contains(&key);
        read.push((known.then_some(key)?, unescaped(value, &PROPERTY)));
    }
    let message = unescaped(message, &DATA);
    ["error", "warning", "notice"].contains(&name).then_some(Command { name, properties: read, message })
}

#[test]
fn an_annotation_is_one_command_that_says_what_was_found() {
    assert!(command("::error file=app.js,line=1,col=5,endColumn=7,title=T::Missing semicolon").is_some());
    let issues = issues(&class());
    let text = annotations(&issues);
    harmless(&text);
    assert!(!text.contains("##["), "{text}");
    assert_eq!(text.lines().count(), issues.len());
    for (line, issue) in text.lines().zip(&issues) {
        let read = command(line).unwrap_or_else(|| panic!("{line}"));
        let plain = |text: &str| text.replace("##[", "\\x23#[");
        let level = match issue.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        assert_eq!((read.name, read.message.as_str()), (level, plain(&issue.message).as_str()));
        assert_eq!(read.property("file"), plain(&escape(&issue.path)));
        assert_eq!(read.property("line"), issue.line.to_string());
        assert_eq!(read.property("title"), format!("{}: {}", issue.lesson, issue.title));
        for key in ["error ", "warning ", "file=", "line=", "title="] {
            let wrong = line.replacen(key, &format!("s{key}"), 1);
            assert!(wrong == line || command(&wrong).is_none(), "{wrong}");
        }
    }
}

/// An element: its required and optional attributes, its child elements, and whether it has text.
struct Element {
    name: &'static str,
    must: &'static [&'static str],
    may: &'static [&'static str],
    holds: &'static [&'static str],
    text: bool,
}

/// The schema of Jenkins' xUnit plugin, `junit-10.xsd`, without what is about tests that ran again:
/// <https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd>.
const JUNIT: [Element; 5] = [
    Element {
        name: "testsuites",
        must: &[],
        may: &["name", "time", "tests", "failures", "errors"],
        holds: &["testsuite"],
        text: false,
    },
    Element {
        name: "testsuite",
        must: &["name", "tests", "failures", "errors"],
        may: &[
            "group",
            "time",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
            "file",
            "log",
            "url",
            "version",
        ],
        holds: &["testsuite", "testcase"],
        text: false,
    },
    Element {
        name: "testcase",
        must: &["name"],
        may: &["time", "classname", "group"],
        holds: &["skipped", "error", "failure"],
        text: false,
    },
    Element { name: "failure", must: &[], may: &["type", "message"], holds: &[], text: true },
    Element { name: "error", must: &[], may: &["type", "message"], holds: &[], text: true },
];

/// Collects the violations of the schema by an element.
fn wrong_in(node: Node, found: &mut Vec<String>) {
    let name = node.tag_name().name();
    let Some(element) = JUNIT.iter().find(|element| element.name == name) else {
        return found.push(format!("there is no element {name}"));
    };
    for missing in element.must.iter().filter(|must| node.attribute(**must).is_none()) {
        found.push(format!("{name} lacks {missing}"));
    }
    for attribute in node.attributes().map(|attribute| attribute.name()) {
        if !element.must.contains(&attribute) && !element.may.contains(&attribute) {
            found.push(format!("{name} has no {attribute}"));
        }
    }
    for child in node.children() {
        if child.is_element() {
            if !element.holds.contains(&child.tag_name().name()) {
                found.push(format!("no {} in {name}", child.tag_name().name()));
            }
            wrong_in(child, found);
        } else if !element.text && child.text().is_some_and(|text| !text.trim().is_empty()) {
            found.push(format!("text in {name}"));
        }
    }
}

fn wrong_in_junit(text: &str) -> Vec<String> {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => return vec![error.to_string()],
    };
    let mut found = Vec::new();
    if document.root_element().tag_name().name() != "testsuites" {
        found.push("it does not begin with testsuites".into());
    }
    wrong_in(document.root_element(), &mut found);
    found
}

#[test]
fn junit_is_as_its_schema_asks_and_counts_rightly() {
    let class = class();
    let text = junit(&class, &Style::default());
    harmless(&text);
    assert_eq!(wrong_in_junit(&text), [""; 0]);
    for key in
        ["name=", "tests=", "failures=", "classname=", "time=", "message=", "type=", "testcase", "failure>"]
    {
        let wrong = text.replace(key, &format!("s{key}"));
        assert!(wrong != text && !wrong_in_junit(&wrong).is_empty(), "{key}");
    }
    let document = Document::parse(&text).unwrap();
    let root = document.root_element();
    let of = |node: &Node, name: &str| node.descendants().filter(|its| its.has_tag_name(name)).count();
    for node in root.descendants().filter(|node| node.attribute("tests").is_some()) {
        for (count, name) in [("tests", "testcase"), ("failures", "failure"), ("errors", "error")] {
            assert_eq!(node.attribute(count), Some(of(&node, name).to_string().as_str()), "{text}");
        }
    }
    assert_eq!(of(&root, "testcase"), class.students.len() * 2);
    assert_eq!(of(&root, "error"), 0, "all was judged");
    for case in root.descendants().filter(|node| node.has_tag_name("testcase")) {
        assert!(case.attribute("time").unwrap().parse::<f64>().is_ok(), "{text}");
    }
    let types: Vec<&str> = root
        .descendants()
        .filter(|node| node.has_tag_name("failure"))
        .filter_map(|node| node.attribute("type"))
        .collect();
    assert!(types.contains(&"needs-review/unsupported") && types.contains(&"missing"), "{types:?}");
}

#[test]
fn a_page_has_no_script_and_asks_nobody() {
    let class = class();
    for student in &class.students {
        let text = page(student, &class, &Style::default());
        harmless(&text);
        for no in ["<script", "src=", "http:", "https:"] {
            assert!(!text.contains(no), "{text}");
        }
        assert!(text.contains("default-src 'none'"));
    }
}
