//! Wrong values: how many, which is the first, and what their pattern suggests.

mod clues;
mod slips;

use crate::about::About;
use crate::finding::place::{index, who, xyz};
use crate::layout::{grouped, pad, pad_left, paragraph, text_width};
use crate::pictures::indented;
use crate::{escape, paint};
use clues::clues;
use judge::{Element, Mismatch, Pattern, PatternKind, decimal};
use picture::{Drawing, InputUse, Sources};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::ParseFloatError;

/// Wrong values of one buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MismatchView {
    pub buffer: String,
    /// Extents, the slowest-varying dimension first.
    pub shape: Vec<usize>,
    pub differing: u64,
    pub total: u64,
    /// The first wrong elements and their neighbours.
    pub window: Vec<Element>,
    /// Who should have written the first wrong element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<PlaceView>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<PatternKind>,
    /// For floats: the element with the largest error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstView>,
    /// Drawing of the input elements that the first wrong element is computed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawing: Option<Drawing>,
    /// What the pattern suggests and where to look, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clues: Vec<String>,
}

/// The value with the largest error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstView {
    #[serde(flatten)]
    pub element: Element,
    /// The error, and below, the largest error that is allowed for this element.
    pub error: Rounded,
    pub allowed: Rounded,
}

/// A number with three significant digits; text in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Rounded(f64);

impl Rounded {
    fn new(number: f64) -> Rounded {
        // As it is read from JSON.
        Rounded(decimal(number, 3).parse().unwrap_or(number))
    }
}

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&decimal(self.0, 3))
    }
}

impl From<Rounded> for String {
    fn from(number: Rounded) -> String {
        number.to_string()
    }
}

impl TryFrom<String> for Rounded {
    type Error = ParseFloatError;

    fn try_from(text: String) -> Result<Rounded, ParseFloatError> {
        text.parse().map(Rounded)
    }
}

/// A thread, or a block, of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceView {
    /// x, y, z.
    pub block: [u32; 3],
    /// `None` stands for any thread of the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<[u32; 3]>,
    /// Such as `thread 1 of block 2`.
    pub text: String,
}

impl MismatchView {
    pub fn new(m: &Mismatch, about: &About) -> Self {
        MismatchView {
            buffer: m.buffer.clone(),
            shape: m.shape.clone(),
            differing: m.differing as u64,
            total: m.total as u64,
            window: m.window.clone(),
            writer: m.writer.map(|p| PlaceView {
                block: xyz(p.block),
                thread: p.thread.map(xyz),
                text: match p.thread {
                    Some(thread) => who(thread, p.block, about),
                    None => format!("block {}", index(p.block, about.block_dims)),
                },
            }),
            pattern: m.pattern.as_ref().map(Pattern::kind),
            worst: m.worst.as_ref().map(|worst| WorstView {
                element: worst.element.clone(),
                error: Rounded::new(worst.error),
                allowed: Rounded::new(worst.allowed),
            }),
            drawing: m.sources.as_ref().map(|sources| Drawing::Sources(drawn(&m.buffer, sources))),
            clues: clues(m, about),
        }
    }
}

fn drawn(buffer: &str, sources: &judge::Sources) -> Sources {
    let numbers = |places: &[usize]| -> Vec<u64> { places.iter().map(|&n| n as u64).collect() };
    let input = |input: &judge::InputUse| InputUse {
        buffer: input.buffer.clone(),
        shape: numbers(&input.shape),
        yours: numbers(&input.yours),
        wanted: numbers(&input.wanted),
    };
    let element = place(buffer, &sources.element);
    Sources { element, inputs: sources.inputs.iter().map(input).collect() }
}

/// Formats an element: `out[1]`, `out[0, 2]`.
fn place(buffer: &str, index: &[usize]) -> String {
    format!("{buffer}[{}]", index.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}

/// Formats an element at its first mention: `out[0, 2] (row 0, column 2)`.
fn place_in_words(buffer: &str, index: &[usize]) -> String {
    match index {
        [row, column] => format!("{} (row {row}, column {column})", place(buffer, index)),
        _ => place(buffer, index),
    }
}

/// Returns a sentence on the largest error, unless the pattern makes it redundant.
fn largest_error(m: &MismatchView) -> Option<String> {
    const TELLING: [PatternKind; 2] = [PatternKind::NearlyRight, PatternKind::TailWrong];
    let worst = m.worst.as_ref().filter(|_| m.pattern.is_none_or(|pattern| TELLING.contains(&pattern)))?;
    let (WorstView { element, error, allowed }, got) = (worst, worst.element.got.as_deref()?);
    // Where every value must be exact, the table says enough.
    (allowed.0 != 0.0).then(|| match m.total {
        1 => format!("It is off by {error}, where {allowed} is allowed."),
        _ => format!(
            "The largest error is {error}, where {allowed} is allowed: {} should be {} and is {got}.",
            place_in_words(&m.buffer, &element.index),
            element.want
        ),
    })
}

impl MismatchView {
    /// Returns how many elements are wrong and which is the first: `2 of 4 elements differ, first at out[1]`.
    pub fn count(&self) -> String {
        let buffer = escape(&self.buffer);
        let writer = self.writer.as_ref().map(|w| format!(", {}'s element", w.text)).unwrap_or_default();
        let first = self.window.iter().find(|e| !e.right);
        let which = if self.differing == 1 { ":" } else { ", first at" };
        let first = first.map(|e| format!("{which} {}{writer}", place_in_words(&buffer, &e.index)));
        let (first, total) = (first.unwrap_or_default(), grouped(self.total));
        match self.differing {
            _ if self.total == 1 => format!("the one element of `{buffer}` is wrong"),
            1 => format!("1 of {total} elements differs{first}"),
            2 if self.total == 2 => format!("both elements differ{first}"),
            all if all == self.total => format!("all {total} elements differ{first}"),
            some => format!("{} of {total} elements differ{first}", grouped(some)),
        }
    }
}

/// Renders the count, a table, and the clues.
pub fn render(m: &MismatchView, case: &str, width: usize) -> String {
    let mut out = paragraph(&format!("{case}{}:", m.count()), width, 2);
    out += &matrix(m, width).unwrap_or_else(|| table(m, width));
    if let Some(drawing) = &m.drawing {
        out += &indented(&drawing.scene(width.saturating_sub(4)), 4);
    }
    for clue in largest_error(m).iter().chain(&m.clues) {
        out += &paragraph(&escape(clue), width, 2);
    }
    out
}

fn row_of(element: &Element) -> usize {
    element.index.first().copied().unwrap_or(0)
}

fn got(element: &Element) -> String {
    element.got.as_deref().map_or("unset".to_string(), escape)
}

/// Renders the rows of a matrix, wanted and obtained values side by side; `None` where the buffer is not
/// two-dimensional or its rows do not fit.
fn matrix(m: &MismatchView, width: usize) -> Option<String> {
    if m.shape.len() != 2 {
        return None;
    }
    let rows: Vec<&[Element]> = m.window.chunk_by(|a, b| row_of(a) == row_of(b)).collect();
    let columns = rows.first()?.len();
    if rows.len() < 2 || rows.iter().any(|r| r.len() != columns) {
        return None;
    }
    let cell = m.window.iter().flat_map(|e| [text_width(&escape(&e.want)), text_width(&got(e))]).max()? + 2;
    let label = rows.iter().map(|r| row_of(&r[0]).to_string().len()).max()?;
    if 6 + 4 + label + 2 * columns * cell + 4 > width {
        return None;
    }
    let half = columns * cell;
    let head =
        format!("      {:w$}{}    {}", "", pad_left("want", half), pad_left("got", half), w = 4 + label);
    let mut out = paint::dim(&head) + "\n";
    for row in rows {
        let head = format!("      row {}", pad_left(&row_of(&row[0]).to_string(), label));
        out += &paint::dim(&head);
        row.iter().for_each(|e| out += &pad_left(&escape(&e.want), cell));
        out += "    ";
        for e in row {
            let got = pad_left(&got(e), cell);
            out += &if e.right { got } else { paint::bad(&got) };
        }
        out += "\n";
    }
    Some(out)
}

/// Renders index, wanted and obtained value as three rows, with as many elements as fit.
fn table(m: &MismatchView, width: usize) -> String {
    let label = if m.shape.len() > 1 { escape(&m.buffer) } else { "i".into() };
    let left = text_width(&label).max(4);
    let mut room = width.saturating_sub(6 + left);
    let mut rows = [label.as_str(), "want", "got"].map(|head| format!("      {}", pad(head, left)));
    // For a matrix: only the row with the first wrong element.
    let wrong_row = m.window.iter().find(|e| !e.right).map(row_of);
    let window: Vec<&Element> =
        m.window.iter().filter(|e| m.shape.len() != 2 || Some(row_of(e)) == wrong_row).collect();
    let wrong = window.iter().position(|e| !e.right).unwrap_or(0);
    // Neighbours on the left are worth showing as long as the wrong element stays visible.
    let start = if wrong < 4 { 0 } else { wrong - 2 };
    for element in &window[start..] {
        let index = element.index.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let (want, got) = (escape(&element.want), got(element));
        let columns = [&index, &want, &got].map(|t| text_width(t)).into_iter().max().unwrap_or(1).max(4) + 2;
        if columns > room {
            break;
        }
        room -= columns;
        rows[0] += &paint::dim(&pad_left(&index, columns));
        rows[1] += &pad_left(&want, columns);
        let got = pad_left(&got, columns);
        rows[2] += &if element.right { got } else { paint::bad(&got) };
    }
    rows.into_iter().map(|row| row + "\n").collect()
}
