//! Messages of the compiler, with the learner's line and a mark under the place.

use super::layout::paragraph;
use super::view::DiagnosticView;
use super::{escape, paint, snippet};

pub(super) fn render(d: &DiagnosticView, width: usize) -> String {
    let place = match (d.line, d.column) {
        (0, _) => String::new(),
        (line, 0) => format!("{}:{line}", escape(&d.file)),
        (line, column) => format!("{}:{line}:{column}", escape(&d.file)),
    };
    let severity = match d.severity.as_str() {
        "error" => paint::bad("error"),
        other => paint::bold(&escape(other)),
    };
    let mut out = String::new();
    if place.is_empty() {
        out += &format!("  {severity}\n");
    } else {
        out += &format!("  {severity}  {}\n", paint::accent(&place));
    }
    for line in d.message.lines() {
        out += &paragraph(&escape(line), width, 2);
    }
    out += &snippet::draw(&d.excerpt, width);
    if let Some(hint) = &d.hint {
        out += &paragraph(&escape(hint), width, 2);
    }
    out
}
