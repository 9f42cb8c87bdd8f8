//! What a run of a whole program came to: how it ended, and what was found.

use super::layout::{paragraph, plural};
use super::view::{DiagnosticView, FindingView};
use super::{Style, defect, diagnostic, escape, paint};
use serde::Serialize;

/// The JSON of `run`, and what its text is made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProgramView {
    pub file: String,
    /// How it ended: `exit`, `stopped` (by a finding), `compile-error`, `unsupported`, `limit`,
    /// `cancelled`.
    pub ended: &'static str,
    /// What the program ended with; left out where it did not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Why it did not end by itself; left out where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Where that was; 0 where not known.
    pub line: u32,
    /// Name of the GPUs, and how many there are.
    pub device: String,
    pub devices: usize,
    /// On the program's own clock, which is a model's.
    pub modelled_ns: u64,
    /// PTX instructions of host code.
    pub host_instructions: u64,
    pub stdout: String,
    pub stderr: String,
    pub findings: Vec<FindingView>,
    pub diagnostics: Vec<DiagnosticView>,
}

/// What is shown after the program's own output; empty where it ended by itself and nothing was
/// found.
pub fn program(view: &ProgramView, style: &Style) -> String {
    let mut out = String::new();
    let file = escape(&view.file);
    if view.ended == "compile-error" {
        out += &format!("{}\n", paint::bad(&format!("✗ {file}: does not compile")));
    }
    for message in &view.diagnostics {
        out += &diagnostic::render(message, style.width);
    }
    for finding in &view.findings {
        out += &format!("{}\n", paint::bad(&format!("✗ {file}: {}", escape(&finding.title))));
        out += &defect::render(finding, &view.file, style.width);
        out += &paragraph(&format!("Try: {}", escape(&finding.help)), style.width, 2);
    }
    if let Some(detail) = &view.detail {
        let line = if view.line > 0 { format!(" (line {})", view.line) } else { String::new() };
        let text = match view.ended {
            "unsupported" => {
                format!("! {file}: the simulator lacks {}{line}. That is not your mistake.", escape(detail))
            }
            _ => format!("! {file}: {}{line}", escape(detail)),
        };
        out += &paragraph(&text, style.width, 0);
    }
    if view.findings.len() > 1 {
        out += &paint::dim(&format!("{}\n", plural(view.findings.len() as u64, "finding", "findings")));
    }
    out
}
