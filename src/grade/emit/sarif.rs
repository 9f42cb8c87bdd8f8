//! SARIF 2.1.0 (OASIS Standard, 27 March 2020), which GitHub's code scanning and editors read.

use super::issues::Issue;
use compiler::Severity;
use serde::Serialize;
use std::collections::BTreeMap;

/// A SARIF log with one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sarif {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<Found>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Message,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    partial_fingerprints: BTreeMap<&'static str, String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Message {
    text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
}

pub fn sarif(issues: &[Issue]) -> Sarif {
    let mut rules: BTreeMap<&str, &str> = BTreeMap::new();
    for issue in issues {
        rules.entry(&issue.rule).or_insert(&issue.title);
    }
    let index = |rule: &str| rules.keys().position(|its| *its == rule).unwrap_or_default();
    let found = |issue: &Issue| Found {
        rule_id: issue.rule.clone(),
        rule_index: index(&issue.rule),
        level: match issue.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        message: Message { text: format!("{}: {}", issue.lesson, issue.message) },
        locations: [Location {
            physical_location: Physical {
                artifact_location: Artifact { uri: uri(&issue.path) },
                region: Region {
                    start_line: issue.line,
                    start_column: (issue.column > 0).then_some(issue.column),
                },
            },
        }],
        partial_fingerprints: BTreeMap::from([("gpulearn/1", issue.fingerprint.clone())]),
    };
    let results = issues.iter().map(found).collect();
    let rule = |(id, title): (&&str, &&str)| Rule {
        id: (*id).to_owned(),
        short_description: Message { text: (*title).to_owned() },
    };
    let driver =
        Driver { name: "gpulearn", version: report::json::TOOL, rules: rules.iter().map(rule).collect() };
    Sarif {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results }],
    }
}

/// Converts a path to a relative reference (RFC 3986): all characters other than unreserved ones and `/` are
/// percent-encoded.
fn uri(path: &str) -> String {
    let escaped = path.bytes().map(|byte| match byte {
        b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    escaped.collect()
}
