//! GitLab's code quality report: a list of entries, following "Code Quality report format".

use super::issues::Issue;
use compiler::Severity;
use report::escape;
use serde::Serialize;

/// An entry of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CodeQuality {
    description: String,
    check_name: String,
    fingerprint: String,
    /// One of `info`, `minor`, `major`, `critical` and `blocker`.
    severity: &'static str,
    location: Location,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Lines {
    begin: u32,
}

pub fn code_quality(issues: &[Issue]) -> Vec<CodeQuality> {
    let entry = |issue: &Issue| CodeQuality {
        description: format!("{}: {}", issue.lesson, issue.message),
        check_name: issue.rule.clone(),
        fingerprint: issue.fingerprint.clone(),
        severity: match issue.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        location: Location { path: escape(&issue.path), lines: Lines { begin: issue.line } },
    };
    issues.iter().map(entry).collect()
}
