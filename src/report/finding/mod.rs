//! A finding or a piece of advice as plain values, and as text.

pub(super) mod advice;
mod advice_text;
pub(super) mod defect;
mod drawing;
mod element;
pub mod evidence;
pub mod extents;
mod gather;
pub(super) mod help;
mod in_place;
pub(super) mod inside;
mod operation;
mod order;
pub(super) mod parameters;
mod picture;
pub(super) mod remedy;
mod sides;
mod unit;

pub use advice::advice_views;
pub use sides::{AccessView, BufferView};

use super::excerpt::Excerpt;
use super::excerpt::snippet;
use super::layout::{grouped, paragraph, truncate};
use super::{Files, Style, escape, paint};
use ::picture::Drawing;
use defect::same_file;
use judge::ExcessThreads;
use remedy::remedy;
use serde::{Deserialize, Serialize};
use sim::{Finding, FindingKind};

/// One finding. Text that comes from the learner's file is not escaped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FindingView {
    /// Such as `R001`.
    pub code: String,
    /// Such as `shared-race`.
    pub slug: String,
    #[serde(default)]
    pub severity: FindingSeverity,
    pub title: String,
    /// What happened, in one sentence.
    #[serde(default)]
    pub message: String,
    pub help: String,
    pub at: AccessView,
    /// The earlier side of a race, or the barrier at which others wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<AccessView>,
    /// The kernel whose body contains the line of `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Sizes of the case in which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Number of occurrences folded into this finding.
    pub hits: u64,
    /// Number of threads it happens to, where they can be told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// Operands and result, for advice about values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostView>,
    pub notes: Vec<String>,
    /// The relevant lines, with marks.
    pub excerpt: Excerpt,
    /// The picture as plain text, at most a dozen lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub picture: Vec<String>,
    /// The facts that the picture is drawn from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawing: Option<Drawing>,
}

/// Whether something is wrong, or could only be better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    #[default]
    Defect,
    Advice,
}

/// What is spent, and what would suffice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostView {
    /// The unit: `sectors`, `wavefronts`, `idle lane steps`, `barriers`, `passes` or `warps`.
    pub what: String,
    pub yours: u64,
    pub least: u64,
}

impl FindingView {
    /// Creates the view of a finding of a kind, with the general help for it.
    fn of_kind(kind: FindingKind, severity: FindingSeverity) -> FindingView {
        FindingView {
            code: kind.code().into(),
            slug: kind.slug().into(),
            severity,
            title: kind.title().into(),
            help: help::help(kind).into(),
            ..FindingView::default()
        }
    }

    pub fn is_advice(&self) -> bool {
        self.severity == FindingSeverity::Advice
    }

    /// Creates the view of a finding in a program that belongs to no lesson.
    pub fn of_program(finding: &Finding, files: &Files) -> FindingView {
        let (at, other) = (&finding.at.location, finding.other.as_ref().and_then(|o| o.location.as_ref()));
        let about = files.about(at.as_ref().or(other));
        let mut view = defect::view(finding, &about);
        // A side in another file can't be marked in the excerpt.
        if let (Some(at), Some(there), Some(side)) = (at, other, &view.other)
            && files.of(&at.file).0 != files.of(&there.file).0
        {
            view.notes.insert(0, format!("{} ({}:{})", side.text, there.file, there.line));
        }
        view.help = remedy(finding, &view, ExcessThreads::default(), &about);
        view
    }
}

/// Renders one finding: its name, place, lines and facts.
pub(super) fn render(finding: &FindingView, file: &str, style: &Style) -> String {
    let width = style.width;
    let kind = if finding.is_advice() { "advice: " } else { "" };
    let head = format!("{kind}{} [{}]", escape(&finding.slug), escape(&finding.code));
    let mut out = format!("  {}\n", paint::bold(&head));
    let at = &finding.at;
    let file = at.file.as_deref().filter(|f| !same_file(f, file)).unwrap_or(file);
    if at.line > 0 {
        let column = if at.column > 0 { format!(":{}", at.column) } else { String::new() };
        out += &format!("    {}\n", paint::accent(&format!("{}:{}{column}", escape(file), at.line)));
    }
    if finding.excerpt.lines.is_empty() {
        for access in finding.other.iter().chain([at]) {
            let line = if access.line > 0 { format!(", line {}", access.line) } else { String::new() };
            out += &paragraph(&format!("{}{line}.", escape(&access.text)), width, 2);
        }
    } else {
        out += &snippet::draw(&finding.excerpt, style.columns());
    }
    for note in &finding.notes {
        let stop = if note.ends_with(['.', '?', '!', ':']) { "" } else { "." };
        out += &paragraph(&(escape(note) + stop), width, 2);
    }
    if let Some(often) = how_often(finding).filter(|_| !finding.is_advice()) {
        out += &paragraph(&often, width, 2);
    }
    // Drawings, which show the defect itself, do not need `verbose`.
    if let Some(drawing) = &finding.drawing {
        out += &crate::pictures::indented(&drawing.scene(style.columns().saturating_sub(4)), 4);
    } else if style.verbose {
        for line in &finding.picture {
            out +=
                &paint::dim(format!("    {}", truncate(&escape(line), width.saturating_sub(4))).trim_end());
            out.push('\n');
        }
    }
    out
}

/// Returns how many threads it happens to, or how often, if that is more than what is shown.
fn how_often(finding: &FindingView) -> Option<String> {
    let memory = !matches!(finding.code.chars().next(), Some('B' | 'S' | 'T'));
    match finding.threads {
        // The two threads that are shown.
        Some(2) if memory && finding.other.is_some() && finding.hits < 3 => None,
        Some(threads @ 2..) if memory => {
            // These findings are not races: each thread does this on its own.
            let product = matches!(finding.code.as_str(), "I001" | "M007" | "R004" | "R005" | "R006");
            let what =
                if finding.other.is_some() && !product { "are involved in this race" } else { "do this" };
            Some(format!("{} threads {what}.", grouped(threads)))
        }
        // One thread that reads and writes on one line: the sides say enough.
        Some(_) if memory && finding.hits < 3 => None,
        _ if finding.hits > 1 => Some(format!("It happens {} times.", grouped(finding.hits))),
        _ => None,
    }
}
