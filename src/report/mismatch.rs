//! Wrong values: how many, which first, and what the pattern of them gives away.

use super::defect::{index, who, xyz};
use super::layout::{grouped, pad, pad_left, paragraph, plural, text_width};
use super::view::About;
use super::{escape, paint};
use crate::cpp::names;
use crate::judge::{Element, Mismatch, Others, Pattern, TailStart, decimal};
use crate::sim::Dim3;
use serde::{Deserialize, Serialize};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MismatchView {
    pub buffer: String,
    /// Extents, slowest first.
    pub shape: Vec<u64>,
    pub differing: u64,
    pub total: u64,
    /// The first wrong elements and their neighbours.
    pub window: Vec<ElementView>,
    /// Who should have written the first wrong element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<PlaceView>,
    /// Stable name of the pattern, such as `shifted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Of floats: the element that is farthest off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstView>,
    /// What the pattern says and what to look at, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clues: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElementView {
    /// One number for each extent.
    pub index: Vec<u64>,
    pub want: String,
    /// Absent: never written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    pub right: bool,
}

/// The value that is farthest off, and by how much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstView {
    #[serde(flatten)]
    pub element: ElementView,
    /// The difference, and the largest that would have done there: numbers as text.
    pub error: String,
    pub allowed: String,
}

impl From<&Element> for ElementView {
    fn from(element: &Element) -> ElementView {
        ElementView {
            index: element.index.iter().map(|&n| n as u64).collect(),
            want: element.want.clone(),
            got: element.got.clone(),
            right: element.right,
        }
    }
}

/// A thread of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceView {
    /// x, y, z.
    pub block: [u32; 3],
    /// Absent: any thread of the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<[u32; 3]>,
    /// `thread 1 of block 2`
    pub text: String,
}

impl MismatchView {
    pub fn new(m: &Mismatch, about: &About) -> Self {
        let numbers = |v: &[usize]| v.iter().map(|&n| n as u64).collect::<Vec<_>>();
        MismatchView {
            buffer: m.buffer.clone(),
            shape: numbers(&m.shape),
            differing: m.differing as u64,
            total: m.total as u64,
            window: m.window.iter().map(ElementView::from).collect(),
            writer: m.writer.map(|p| PlaceView {
                block: xyz(p.block),
                thread: p.thread.map(xyz),
                text: match p.thread {
                    Some(thread) => who(thread, p.block, about),
                    None => format!("block {}", index(p.block, about.block_dims)),
                },
            }),
            pattern: m.pattern.as_ref().map(|p| p.slug().into()),
            worst: m.worst.as_ref().map(|worst| WorstView {
                element: ElementView::from(&worst.element),
                error: decimal(worst.error, 3),
                allowed: decimal(worst.allowed, 3),
            }),
            clues: clues(m, about),
        }
    }
}

/// `out[1]`, `out[0, 2]`.
fn place(buffer: &str, index: &[u64]) -> String {
    format!("{buffer}[{}]", index.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
}

/// The same where it is first named: `out[0, 2] (row 0, column 2)`.
fn place_in_words(buffer: &str, index: &[u64]) -> String {
    match index {
        [row, column] => format!("{} (row {row}, column {column})", place(buffer, index)),
        _ => place(buffer, index),
    }
}

/// How far off the worst value is, in a sentence, unless the pattern says all.
fn farthest(m: &MismatchView) -> Option<String> {
    const TELLING: [&str; 2] = ["nearly-right", "tail-wrong"];
    let worst = m.worst.as_ref().filter(|_| m.pattern.as_deref().is_none_or(|p| TELLING.contains(&p)))?;
    let (WorstView { element, error, allowed }, got) = (worst, worst.element.got.as_deref()?);
    // Where every value must be exact, the table says enough.
    (allowed != "0").then(|| match m.total {
        1 => format!("It is off by {error}, where {allowed} is allowed."),
        _ => format!(
            "The largest error is {error}, where {allowed} is allowed: {} should be {} and is {got}.",
            place_in_words(&m.buffer, &element.index),
            element.want
        ),
    })
}

/// The same of an element by its place in memory.
fn place_of(m: &Mismatch, linear: usize) -> String {
    let mut rest = linear as u64;
    let mut index: Vec<u64> = Vec::new();
    for extent in m.shape.iter().rev() {
        let extent = (*extent as u64).max(1);
        index.push(rest % extent);
        rest /= extent;
    }
    index.reverse();
    place(&m.buffer, &index)
}

/// The pattern in words, and where to look: one or two sentences.
fn clues(m: &Mismatch, about: &About) -> Vec<String> {
    let buffer = &m.buffer;
    let Some(pattern) = &m.pattern else { return never_written(m) };
    let clue: [String; 2] = match pattern {
        Pattern::Untouched if never_copied_back(about) => [
            format!("Nothing was ever written to `{buffer}`, which is memory of the host."),
            format!(
                "What kernels write is in the GPU's memory, and has to be copied: cudaMemcpy({buffer}, …, \
                 cudaMemcpyDeviceToHost)."
            ),
        ],
        Pattern::Untouched => [
            format!("Nothing was ever written to `{buffer}`."),
            "Does any thread reach the line that writes? Is a condition always false?".into(),
        ],
        Pattern::PartlyWritten { written, gap } => partly_written(m, *written, gap.as_ref()),
        Pattern::Unchanged => [
            format!("`{buffer}` holds what it held before: nothing was written there, or nothing new."),
            "Does any thread reach the line that writes? Is a condition always false?".into(),
        ],
        Pattern::PartlyUnchanged { unchanged, gap } => partly_unchanged(m, *unchanged, gap.as_ref()),
        Pattern::AllZero => [
            if m.total == 1 {
                "The result is zero.".into()
            } else {
                format!("Every element of `{buffer}` is zero.")
            },
            "Is the result computed from the inputs, or from a variable that was never added to?".into(),
        ],
        Pattern::CopyOfInput { buffer: input } if about.program => [
            format!("`{buffer}` is `{input}`, unchanged."),
            "Which memory is copied back? The result is where the kernel writes it.".into(),
        ],
        Pattern::CopyOfInput { buffer: input } => [
            format!("`{buffer}` is `{input}`, unchanged."),
            "The indexing works; the computation is missing.".into(),
        ],
        Pattern::Shifted { by } => [
            format!(
                "The values are right, but {} too {}.",
                plural(by.unsigned_abs(), "place", "places"),
                if *by > 0 { "early" } else { "late" }
            ),
            "Look at the index: where does it gain or lose that offset?".into(),
        ],
        Pattern::Transposed => [
            "The values are right, but rows and columns are exchanged.".into(),
            "Which of x and y should be the row? A row-major element is at row * columns + column.".into(),
        ],
        Pattern::ExchangedIndex { read, written } => {
            let output = written.then_some(buffer);
            let names: Vec<String> = read.iter().chain(output).map(|name| format!("`{name}`")).collect();
            let names = match names.split_last() {
                Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
                _ => names.concat(),
            };
            [
                format!("That is what comes of rows and columns exchanged in the index of {names}."),
                "A row-major element is at row * columns + column.".into(),
            ]
        }
        Pattern::ExchangedThreads => [
            "Only elements of threads whose x and y are exchanged were written.".into(),
            "x goes along a row: take the column from x, and the row from y.".into(),
        ],
        Pattern::Reversed => [
            "The values are right, but in reverse order.".into(),
            "Look at the index on each side of the assignment.".into(),
        ],
        Pattern::FirstBlockOnly { right, others } => first_block_only(m, *right, *others, about),
        Pattern::Constant => [
            format!("Every element of `{buffer}` has the same value."),
            "Each thread must compute from its own index.".into(),
        ],
        Pattern::NotANumber => [
            "There are NaNs: what 0 / 0, inf - inf, 0 * inf, inf / inf and the root or logarithm of a negative \
             number give, or what was read where nothing was written."
                .into(),
            "Look for a division, a root or a logarithm, for values so large that they become infinite, and \
             for a sum that starts from an unset variable."
                .into(),
        ],
        Pattern::Infinite => [
            "There are infinities where numbers are wanted: a float ends at 3.4e38, and what is larger becomes infinite."
                .into(),
            "Which value grows so large? exp() of more than 88 does: subtract the greatest value from all before.".into(),
        ],
        Pattern::TailWrong { from, starts } => [
            format!("Right up to {}, wrong from there to the end.", place_of(m, from.saturating_sub(1))),
            match starts {
                TailStart::InLastBlock => {
                    "Look at the last, partly filled block: how do its threads know where the data ends?"
                        .into()
                }
                TailStart::WithBlock(block) => format!(
                    "That is where block {} begins: what does it need that the blocks before it do not?",
                    index(*block, about.block_dims)
                ),
                TailStart::Elsewhere => "What is different for the elements from there on?".into(),
            },
        ],
        Pattern::NearlyRight { relative } => [
            format!("The values are close: at most {relative:.1e} off, relatively. That is rounding."),
            "Look at the type you add in, and at the order of the additions.".into(),
        ],
    };
    clue.into()
}

/// Whether a program launches kernels and copies nothing back.
fn never_copied_back(about: &About) -> bool {
    let code = about.source.code();
    let back = ["cudaMemcpyDeviceToHost", "cudaMemcpyDefault", "cudaMallocManaged", "FromSymbol"];
    about.program && code.contains("<<<") && !back.iter().any(|word| code.contains(word))
}

/// `Row 2`, `Rows 1 to 3`, `out[4] to out[7]`, and whether that is more than one; `None` where a run
/// has no short name.
fn named_run(m: &Mismatch, gap: Option<&Range<usize>>) -> Option<(String, bool)> {
    // Rows of a matrix are worth more than the places where they begin and end.
    let row = m.shape.last().copied().filter(|row| m.shape.len() == 2 && *row > 0).unwrap_or(usize::MAX);
    let gap = gap.filter(|gap| !gap.is_empty())?;
    let (first, last) = (gap.start / row, (gap.end - 1) / row);
    Some(match gap.len() {
        _ if gap.start % row == 0 && gap.end % row == 0 => match first == last {
            true => (format!("Row {first}"), false),
            false => (format!("Rows {first} to {last}"), true),
        },
        1 => (place_of(m, gap.start), false),
        _ if first != last => return None,
        n => {
            let to = if n == 2 { "and" } else { "to" };
            (format!("{} {to} {}", place_of(m, gap.start), place_of(m, gap.end - 1)), true)
        }
    })
}

const WHO_WRITES: &str = "Who should write there? Look at the index, and at conditions before the write.";

fn partly_written(m: &Mismatch, written: usize, gap: Option<&Range<usize>>) -> [String; 2] {
    let what = match named_run(m, gap) {
        Some((run, many)) => format!("{run} {} never written.", if many { "were" } else { "was" }),
        None => format!(
            "Only {} of {} elements {} ever written.",
            grouped(written as u64),
            grouped(m.total as u64),
            if written == 1 { "was" } else { "were" }
        ),
    };
    [what, WHO_WRITES.into()]
}

fn partly_unchanged(m: &Mismatch, unchanged: usize, gap: Option<&Range<usize>>) -> [String; 2] {
    let what = match named_run(m, gap) {
        Some((run, true)) => format!("{run} hold what they held before, as if nothing was written there."),
        Some((run, false)) => format!("{run} holds what it held before, as if nothing was written there."),
        None => format!(
            "The {} wrong elements hold what they held before, as if nothing was written there.",
            grouped(unchanged as u64)
        ),
    };
    [what, WHO_WRITES.into()]
}

fn first_block_only(m: &Mismatch, right: usize, others: Others, about: &About) -> [String; 2] {
    let flat = about.block_dims < 2;
    let block = index(Dim3::new(0, 0, 0), about.block_dims);
    let first = match right {
        1 => format!("Only the first element is right: that of block {block}."),
        n if flat && m.shape.len() == 1 => {
            format!("Only the first {} elements are right: those of block {block}.", grouped(n as u64))
        }
        n => format!(
            "Only {} of {} elements are right: those of block {block}.",
            grouped(n as u64),
            grouped(m.total as u64)
        ),
    };
    let (thread, its_block) = if flat { ("threadIdx.x", "blockIdx.x") } else { ("threadIdx", "blockIdx") };
    // What is there need not be asked for.
    let has_block = names(about.source.code()).any(|word| word == "blockIdx");
    let clue = match others {
        Others::Unset | Others::Repeated if has_block && about.program => {
            "Are there as many blocks as the elements need, and does every index count the blocks before its own?".into()
        }
        Others::Unset | Others::Repeated if has_block && !flat => {
            "x goes along a row: is the column made of threadIdx.x and blockIdx.x, and the row of threadIdx.y and \
             blockIdx.y?"
                .into()
        }
        Others::Unset | Others::Repeated if has_block => {
            "Work out by hand which index the first thread of block 1 has, on both sides of the assignment.".into()
        }
        Others::Unset => {
            format!("{thread} starts again from 0 in every block: does your index use {its_block}?")
        }
        Others::Repeated => format!(
            "The other blocks repeat its values: {thread} starts again from 0 in each. Does every index use \
             {its_block}?"
        ),
        Others::Wrong => {
            "The other blocks wrote other values: what do they need that the first does not?".into()
        }
    };
    [first, clue]
}

/// Without a pattern: which elements were never written, if any.
fn never_written(m: &Mismatch) -> Vec<String> {
    let unset = |e: &&Element| e.got.is_none();
    let Some(first) = m.window.iter().find(unset) else { return Vec::new() };
    let index: Vec<u64> = first.index.iter().map(|&i| i as u64).collect();
    vec![
        format!("{} was never written.", place(&m.buffer, &index)),
        "Which thread should write it, and does that thread get there?".into(),
    ]
}

/// The count, a table, the clues.
pub(super) fn render(m: &MismatchView, case: &str, width: usize) -> String {
    let buffer = escape(&m.buffer);
    let writer = m.writer.as_ref().map(|w| format!(", the work of {}", w.text)).unwrap_or_default();
    let first = m
        .window
        .iter()
        .find(|e| !e.right)
        .map(|e| format!(", first at {}{writer}", place_in_words(&buffer, &e.index)));
    let count = if m.total == 1 {
        format!("the one element of `{buffer}` is wrong:")
    } else {
        let first = first.unwrap_or_default();
        let total = grouped(m.total);
        match m.differing {
            1 => format!("1 of {total} elements differs{}:", first.replacen(", first at", ":", 1)),
            2 if m.total == 2 => format!("both elements differ{first}:"),
            all if all == m.total => format!("all {total} elements differ{first}:"),
            some => format!("{} of {total} elements differ{first}:", grouped(some)),
        }
    };
    let mut out = paragraph(&format!("{case}{count}"), width, 2);
    out += &matrix(m, width).unwrap_or_else(|| table(m, width));
    for clue in farthest(m).iter().chain(&m.clues) {
        out += &paragraph(&escape(clue), width, 2);
    }
    out
}

fn row_of(element: &ElementView) -> u64 {
    element.index.first().copied().unwrap_or(0)
}

fn got(element: &ElementView) -> String {
    element.got.as_deref().map_or("unset".to_string(), escape)
}

/// Rows of a matrix, wanted and got side by side; `None` where that is not the shape of it or does
/// not fit.
fn matrix(m: &MismatchView, width: usize) -> Option<String> {
    if m.shape.len() != 2 {
        return None;
    }
    let rows: Vec<&[ElementView]> = m.window.chunk_by(|a, b| row_of(a) == row_of(b)).collect();
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

/// Index, want and got as three rows, as many elements as fit.
fn table(m: &MismatchView, width: usize) -> String {
    let label = if m.shape.len() > 1 { escape(&m.buffer) } else { "i".into() };
    let left = text_width(&label).max(4);
    let mut room = width.saturating_sub(6 + left);
    let mut rows = [label.as_str(), "want", "got"].map(|head| format!("      {}", pad(head, left)));
    // Of a matrix, the row with the first wrong element.
    let wrong_row = m.window.iter().find(|e| !e.right).map(row_of);
    let window: Vec<&ElementView> =
        m.window.iter().filter(|e| m.shape.len() != 2 || Some(row_of(e)) == wrong_row).collect();
    let wrong = window.iter().position(|e| !e.right).unwrap_or(0);
    // Right neighbours are worth seeing, as long as the wrong one stays in sight.
    let start = if wrong < 4 { 0 } else { wrong - 2 };
    for element in &window[start..] {
        let index = element.index.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
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
