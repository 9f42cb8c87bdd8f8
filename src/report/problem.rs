//! One thing that is wrong with a file.

use super::escape;
use compiler::Severity;
use sim::FindingKind;

/// One thing that is wrong, and where. Text from the learner's file is not escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// Stable name, such as `shared-race` or `compiler-error`.
    pub rule: String,
    /// `None` if it is not a finding.
    pub kind: Option<FindingKind>,
    /// The kind, in a few words.
    pub title: String,
    pub severity: Severity,
    pub message: String,
    /// The judged file, or one that it includes.
    pub file: String,
    /// 1-based; 1 where the whole file is meant.
    pub line: u32,
    /// 1-based, in characters; 0 where it is not known.
    pub column: u32,
    /// One past the end; 0 where it is not known.
    pub column_end: u32,
}

impl Problem {
    /// Returns the finding's code, such as `R001`, which `explain` accepts, or else the rule.
    pub fn code(&self) -> &str {
        self.kind.map_or(self.rule.as_str(), |kind| kind.code())
    }

    /// Formats a problem as a compiler would, in the form that editors and CI jobs parse (GNU Coding Standards,
    /// "Formatting Error Messages"): `file:line:column: error: what [R001]`.
    pub fn compiler_line(&self) -> String {
        let words: Vec<&str> = self.message.split_whitespace().collect();
        format!(
            "{}:{}:{}: {}: {} [{}]\n",
            escape(&self.file),
            self.line,
            self.column.max(1),
            self.severity,
            escape(words.join(" ").trim_end_matches('.')),
            escape(self.code()),
        )
    }
}
