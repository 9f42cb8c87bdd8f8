//! A finding or a piece of advice as plain values, and as text.

mod access_words;
pub(super) mod advice;
mod advice_text;
pub(super) mod defect;
mod drawing;
mod element;
pub mod evidence;
pub mod extents;
mod gather;
pub(super) mod help;
pub(super) mod hoisted_reads;
pub(super) mod in_function;
mod in_place;
mod operation;
mod order;
pub(super) mod parameter_names;
pub(super) mod parameters;
mod picture;
pub(super) mod place;
pub(super) mod remedy;
mod scope;
mod sides;
pub(super) mod split_shared;
mod unit;

pub use advice::advice_views;
pub use sides::{AccessView, BufferView};

use super::excerpt::Excerpt;
use super::excerpt::snippet;
use super::layout::{grouped, paragraph, truncate};
use super::{Files, Style, escape, paint};
use ::picture::Drawing;
use judge::ExcessThreads;
use place::same_file;
use remedy::remedy;
use serde::{Deserialize, Serialize};
use sim::{Cost, Finding, FindingKind};
use std::borrow::Cow;

/// One finding. Text that comes from the learner's file is not escaped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingView {
    #[serde(flatten)]
    pub class: FindingClass,
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
    pub cost: Option<Cost>,
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

/// What was found. In the JSON: `code`, `slug`, `severity` and `title`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "ClassFields", try_from = "ClassFields")]
pub struct FindingClass {
    pub kind: FindingKind,
    /// The title of the kind, or one for what certainly happened instead.
    pub title: Cow<'static, str>,
    /// A kind of advice can be a defect: an integer divided by zero before an access outside a buffer.
    pub severity: FindingSeverity,
}

/// Whether something is wrong, or could only be better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    #[default]
    Defect,
    Advice,
}

#[derive(Serialize, Deserialize)]
struct ClassFields {
    code: Cow<'static, str>,
    slug: Cow<'static, str>,
    #[serde(default)]
    severity: FindingSeverity,
    title: Cow<'static, str>,
}

impl From<FindingClass> for ClassFields {
    fn from(FindingClass { kind, title, severity }: FindingClass) -> ClassFields {
        ClassFields { code: kind.code().into(), slug: kind.slug().into(), severity, title }
    }
}

impl TryFrom<ClassFields> for FindingClass {
    type Error = String;

    fn try_from(fields: ClassFields) -> Result<FindingClass, String> {
        let known = FindingKind::ALL.iter().find(|kind| kind.code() == fields.code);
        let kind = *known.ok_or_else(|| format!("no finding has the code {:?}", fields.code))?;
        Ok(FindingClass { kind, title: fields.title, severity: fields.severity })
    }
}

impl FindingView {
    pub fn is_advice(&self) -> bool {
        self.class.severity == FindingSeverity::Advice
    }

    /// Creates the view of a finding in a program that belongs to no lesson.
    pub fn of_program(finding: &Finding, files: &Files) -> FindingView {
        let (at, other) = (&finding.at.location, finding.other.as_ref().and_then(|o| o.location.as_ref()));
        let about = files.about(at.as_ref().or(other));
        let finding = &*split_shared::joined(finding, about.source);
        let finding = &*hoisted_reads::at_its_line(finding, &about);
        let (renamed, about) = parameter_names::in_kernel_names(finding, &about);
        let mut view = defect::view(&renamed, &about);
        // A side in another file can't be marked in the excerpt.
        if let (Some(at), Some(there), Some(side)) = (at, other, &view.other)
            && files.of(&at.file).0 != files.of(&there.file).0
        {
            view.notes.insert(0, format!("{} ({}:{})", side.text, there.file, there.line));
        }
        view.help = remedy(&renamed, &view, ExcessThreads::default(), &about);
        view
    }
}

/// Renders one finding: its name, place, lines and facts.
pub(super) fn render(finding: &FindingView, file: &str, style: &Style) -> String {
    let width = style.width;
    let advice = if finding.is_advice() { "advice: " } else { "" };
    let head = format!("{advice}{} [{}]", finding.class.kind.slug(), finding.class.kind.code());
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
    use FindingKind::*;
    let memory = !matches!(
        finding.class.kind,
        DivergentBarrier
            | Deadlock
            | WarpMask
            | WarpGroup
            | GridBarrier
            | EndlessLoop
            | Trap
            | AssertFailed
            | StackOverflow
    );
    match finding.threads {
        // The two threads that are shown.
        Some(2) if memory && finding.other.is_some() && finding.hits < 3 => None,
        Some(threads @ 2..) if memory => {
            // These findings are not races: each thread does this on its own.
            let product = matches!(
                finding.class.kind,
                Uninitialised
                    | UseAfterFree
                    | ProductInFlight
                    | ProxyFence
                    | RegisterFence
                    | StaleTexture
                    | ReadOnlyLoad
            );
            let threads = grouped(threads);
            // Of the threads that accessed an element before, only the last is known.
            Some(match finding.other.is_some() && !product {
                true => format!("At least {threads} threads are involved in this race."),
                false => format!("{threads} threads do this."),
            })
        }
        // One thread that reads and writes on one line: the sides say enough.
        Some(_) if memory && finding.hits < 3 => None,
        _ if finding.hits > 1 => Some(format!("It happens {} times.", grouped(finding.hits))),
        _ => None,
    }
}
