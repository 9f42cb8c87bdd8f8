//! Compiler messages with the learner's line and a mark under the place.

pub(super) mod plain;

use super::excerpt::snippet;
use super::excerpt::{Excerpt, Spot};
use super::layout::paragraph;
use super::{escape, paint};
use crate::Files;
use compiler::{Diagnostic, Expected, MessageKind, NotRead, Refused, Severity, Subject, missing_header};
use cpp::{Include, Source, end_of_code};
use plain::plain;
use serde::{Deserialize, Serialize};

/// One compiler message, with the lines that it refers to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiagnosticView {
    pub severity: Severity,
    pub file: String,
    /// 1-based; 0 where the compiler gave none.
    pub line: u32,
    pub column: u32,
    pub message: String,
    /// What to do about it in plain words, for messages that newcomers often meet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    pub excerpt: Excerpt,
}

impl DiagnosticView {
    /// Creates the view for a program that belongs to no lesson and may have headers of its own. `refused` are
    /// the headers that were not read.
    pub fn of_files(diagnostic: &Diagnostic, files: &Files, refused: &[Refused], program: bool) -> Self {
        let source = files.of(&diagnostic.file).1;
        let line = source.line(diagnostic.line).unwrap_or_default();
        let message = missing(diagnostic, line, refused).unwrap_or_else(|| diagnostic.message.clone());
        Self::new(&Diagnostic { message, ..diagnostic.clone() }, source, program)
    }

    /// Creates the view. `program`: the source is a whole program instead of kernels alone.
    pub fn new(diagnostic: &Diagnostic, source: &Source, program: bool) -> Self {
        // The notes on why each of many overloads does not fit are not helpful.
        let is_helpful = |note: &&String| MessageKind::of(note) != MessageKind::WrongCount;
        let notes = match diagnostic.kind() {
            MessageKind::NoOverload => &[],
            _ => diagnostic.notes.as_slice(),
        };
        let mut message = diagnostic.with_notes(notes.iter().take_while(is_helpful));
        let hint = plain(&message, diagnostic, source, program);
        let mut spots = Vec::new();
        if MessageKind::of(&message) == MessageKind::Expected(Expected::Semicolon)
            && let Some((line, column)) = end_before(diagnostic, source)
        {
            message += &format!(", here or at the end of line {line}");
            spots.push(Spot { line, column, ..Spot::default() });
        }
        if diagnostic.line > 0 {
            let line = diagnostic.line;
            // A position past the end of the line is marked at the line's end.
            let text = source.line(line).unwrap_or_default();
            let length = text.chars().count();
            let column = match text.trim_start().starts_with('#') {
                // A wrong preprocessor directive is marked as a whole.
                true => 0,
                false => diagnostic.column.min(u32::try_from(length).unwrap_or(u32::MAX)),
            };
            spots.push(Spot { line, column, primary: true, ..Spot::default() });
        }
        let excerpt = Excerpt::of(source, &spots);
        DiagnosticView {
            severity: diagnostic.severity,
            file: diagnostic.file.clone(),
            line: diagnostic.line,
            column: diagnostic.column,
            message,
            hint,
            excerpt,
        }
    }
}

/// Explains why a header could not be opened, given the line that includes it; `None` for other messages.
fn missing(diagnostic: &Diagnostic, line: &str, refused: &[Refused]) -> Option<String> {
    let message = &diagnostic.message;
    let (name, head) = missing_header(message)?;
    let mib = |bytes: u64| bytes >> 20;
    let why = match refused.iter().find(|refused| refused.name == name).map(|refused| refused.why) {
        Some(NotRead::Outside) => {
            "it is outside the program's folder; -I DIR allows the headers of another folder".into()
        }
        Some(NotRead::NoPlainFile) => "it is not a regular file".into(),
        Some(NotRead::TooLarge(bytes)) => format!("it is larger than {} MiB", mib(bytes)),
        Some(NotRead::TooMany(bytes)) => {
            format!("the program's own headers are larger than {} MiB in all", mib(bytes))
        }
        None if diagnostic.subject == Some(Subject::HeaderMisspelt) => return None,
        None if Include::of(line).is_some_and(|its| its.is_quoted) => {
            "it is neither next to the file that includes it nor in a folder named by -I DIR".into()
        }
        None => return Some(format!("{message}. -I DIR names a folder with your own headers")),
    };
    Some(format!("{head}: {why}"))
}

/// Returns where a semicolon may be missing instead: the end of the code before the reported place, if that place
/// begins its line. Line and column are 1-based.
fn end_before(diagnostic: &Diagnostic, source: &Source) -> Option<(u32, u32)> {
    let column = (diagnostic.column as usize).checked_sub(1)?;
    let begins = source.line(diagnostic.line)?.chars().take(column).all(char::is_whitespace);
    let above = source.text().split_inclusive('\n').take(diagnostic.line as usize - 1);
    let (line, behind) = end_of_code(&above.collect::<String>());
    (begins && line > 0 && diagnostic.line - line <= 3).then(|| (line, behind - 1))
}

pub(super) fn render(d: &DiagnosticView, width: usize) -> String {
    let place = match (d.line, d.column) {
        (0, _) => String::new(),
        (line, 0) => format!("{}:{line}", escape(&d.file)),
        (line, column) => format!("{}:{line}:{column}", escape(&d.file)),
    };
    let paint_severity = if d.severity == Severity::Error { paint::bad } else { paint::bold };
    let severity = paint_severity(&d.severity.to_string());
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
