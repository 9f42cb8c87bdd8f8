//! Annotations for GitHub: lines that a workflow's job prints.

use super::issues::Issue;
use compiler::Severity;
use report::escape;

/// Formats one line per issue, following "Workflow commands for GitHub Actions": values have `%`, line breaks and,
/// in properties, `:` and `,` escaped.
pub fn annotations(issues: &[Issue]) -> String {
    // A student's text that contains a command in the other syntax must remain text.
    issues.iter().map(|issue| annotation(issue).replace("##[", "\\x23#[")).collect()
}

fn annotation(issue: &Issue) -> String {
    let command = match issue.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let column = if issue.column > 0 { format!(",col={}", issue.column) } else { String::new() };
    let title = property(&format!("{}: {}", issue.lesson, issue.title));
    format!(
        "::{command} file={},line={}{column},title={title}::{}\n",
        property(&escape(&issue.path)),
        issue.line,
        data(&issue.message)
    )
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
