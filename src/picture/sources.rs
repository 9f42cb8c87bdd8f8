//! The input elements that an output element depends on, drawn over the shapes of the inputs.

use super::scene::{Align, Scene, Tone};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The input elements that change one output element, compared with those that change its right value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// The output element, such as `out[1, 0]`.
    pub element: String,
    pub inputs: Vec<InputUse>,
}

/// Elements of one input, by their linear indices in the buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputUse {
    pub buffer: String,
    /// Extents, the slowest-varying first.
    pub shape: Vec<u64>,
    pub yours: Vec<u64>,
    pub wanted: Vec<u64>,
}

/// Maximum number of inputs that are drawn, those with differences first, and of rows of each.
const MAX_INPUTS: usize = 2;
const MAX_ROWS: usize = 6;
/// Minimum number of columns of a cropped row, and number on each side of the differences.
const MIN_COLUMNS: u64 = 16;
const ASIDE: u64 = 4;
/// Columns between two inputs drawn side by side.
const BETWEEN: f64 = 4.0;

/// Marks of an element that changes: your value and the right one, yours alone, the right one alone, neither.
const MARKS: [(Tone, &str, &str); 4] = [
    (Tone::Used, "", "yours and the right value"),
    (Tone::Clash, "×", "yours alone"),
    (Tone::Write, "o", "the right value alone"),
    (Tone::Wasted, "", "neither"),
];

impl InputUse {
    /// Returns the number of elements in a row; a one-dimensional buffer is one row.
    fn row(&self) -> u64 {
        self.shape.last().copied().unwrap_or(1).max(1)
    }

    fn mark(&self, element: u64) -> usize {
        match (self.yours.contains(&element), self.wanted.contains(&element)) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        }
    }

    /// Returns the rows with marks, those with differences first.
    fn marked_rows(&self) -> Vec<u64> {
        let mut rows: Vec<u64> = self.yours.iter().chain(&self.wanted).map(|at| at / self.row()).collect();
        let differs =
            |row: u64| (row * self.row()..(row + 1) * self.row()).any(|at| matches!(self.mark(at), 1 | 2));
        rows.sort_unstable();
        rows.dedup();
        rows.sort_by_key(|row| (!differs(*row), *row));
        rows
    }

    /// Returns the rows that are drawn: all of a small matrix, otherwise as many rows with marks as there is room
    /// for.
    fn rows(&self) -> Vec<u64> {
        let all = self.shape.iter().product::<u64>() / self.row();
        if all <= MAX_ROWS as u64 {
            return (0..all).collect();
        }
        let mut rows = self.marked_rows();
        rows.truncate(MAX_ROWS);
        rows.sort_unstable();
        rows
    }

    /// Returns the columns that are drawn: all if there is room, otherwise some around the differences.
    fn columns(&self, room: u64) -> Range<u64> {
        if self.row() <= room {
            return 0..self.row();
        }
        let marked = || self.yours.iter().chain(&self.wanted).copied();
        let differing = marked().filter(|at| matches!(self.mark(*at), 1 | 2)).map(|at| at % self.row());
        let (first, last) = (differing.clone().min().unwrap_or(0), differing.max().unwrap_or(0));
        let wide = (last - first + 2 * ASIDE).max(MIN_COLUMNS).min(room);
        let start = first.saturating_sub(ASIDE).min(self.row() - wide);
        start..start + wide
    }

    fn name(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        format!("{}, {}", self.buffer, shape.join(" × "))
    }

    /// Returns the width of a row's label.
    fn label(&self) -> f64 {
        let last = self.rows().last().copied().unwrap_or(0);
        if self.shape.len() < 2 { 0.0 } else { format!("row {last}").len() as f64 + 2.0 }
    }

    /// Returns the width of the whole input, if an element is `each` cells wide.
    fn width(&self, each: f64) -> f64 {
        (self.label() + self.row() as f64 * each).max(self.name().chars().count() as f64)
    }

    /// Draws the input at a position, as wide as there is room.
    fn draw(&self, scene: &mut Scene, (x, y): (f64, f64), columns: f64) {
        let label = self.label();
        let each = if self.width(2.0) <= columns { 2.0 } else { 1.0 };
        // On both sides there may be a mark for columns that are left out.
        let room = ((columns - label - 4.0) / each).max(4.0) as u64;
        let room = if self.width(each) <= columns { self.row() } else { room.min(self.row()) };
        let shown = self.columns(room);
        let cut = shown.end - shown.start < self.row();
        let left = if cut { label + 2.0 } else { label };
        scene.text((x, y), Align::Start, Tone::Strong, self.name());
        if cut {
            let what = if label > 0.0 { "columns" } else { "elements" };
            let from = format!("{what} {} to {}", shown.start, shown.end - 1);
            let at = x + left.max(self.name().chars().count() as f64 + 2.0);
            scene.label((at, y), from);
        }
        let rows = self.rows();
        let more = self.marked_rows().iter().filter(|row| !rows.contains(row)).count();
        if more > 0 {
            let text = format!("… and {more} rows like these");
            scene.label((x, y + 1.0 + rows.len() as f64), text);
        }
        for (n, row) in rows.into_iter().enumerate() {
            let y = y + 1.0 + n as f64;
            if label > 0.0 {
                scene.label((x, y), format!("row {row}"));
            }
            if shown.start > 0 {
                scene.label((x + label, y), "…");
            }
            for (n, column) in shown.clone().enumerate() {
                let (tone, text, _) = MARKS[self.mark(row * self.row() + column)];
                scene.cell((x + left + n as f64 * each, y), each, tone, text);
            }
            if shown.end < self.row() {
                let end = x + left + (shown.end - shown.start) as f64 * each;
                scene.label((end, y), "…");
            }
        }
    }
}

impl Sources {
    /// Draws the inputs, side by side where there is room, with a legend.
    pub(crate) fn scene(&self, columns: usize) -> Scene {
        let room = columns as f64;
        let mut scene = Scene::new(format!("What {} is made of", self.element));
        scene.words = self.words();
        let mut inputs: Vec<&InputUse> = self.inputs.iter().collect();
        inputs.sort_by_key(|input| input.yours == input.wanted);
        let are_neighbours = |inputs: &[&InputUse]| {
            let widths = inputs.iter().map(|input| input.width(2.0));
            widths.sum::<f64>() + BETWEEN * (inputs.len() - 1) as f64 <= room
        };
        let pair = &inputs[..inputs.len().min(MAX_INPUTS)];
        let drawn = if pair.len() < 2 || are_neighbours(pair) { pair } else { &inputs[..1] };
        let more = inputs[drawn.len()..].iter().any(|input| !input.marked_rows().is_empty());
        let heading = if more { "These and others change" } else { "Changing these changes" };
        let heading = format!("{heading} {}:", self.element);
        scene.text((0.0, 0.0), Align::Start, Tone::Plain, heading);
        let mut x = 0.0;
        for input in drawn {
            input.draw(&mut scene, (x, 1.0), if drawn.len() > 1 { input.width(2.0) } else { room });
            x += input.width(2.0) + BETWEEN;
        }
        let used = |mark: usize| {
            let marked = |input: &&&InputUse| {
                input.yours.iter().chain(&input.wanted).any(|at| input.mark(*at) == mark)
            };
            mark < 3 && drawn.iter().any(|input| marked(&input))
        };
        let marks = MARKS.iter().enumerate().filter(|(mark, _)| used(*mark)).map(|(_, meaning)| *meaning);
        scene.legend(columns, marks);
        scene
    }

    fn words(&self) -> String {
        let count = |input: &InputUse, mark: usize| {
            let mut all: Vec<u64> = input.yours.iter().chain(&input.wanted).copied().collect();
            all.sort_unstable();
            all.dedup();
            all.into_iter().filter(|at| input.mark(*at) == mark).count()
        };
        let sentences = self.inputs.iter().map(|input| {
            format!(
                "of {}, {} both yours and the right value, {} yours alone, {} the right value alone",
                input.buffer,
                count(input, 0),
                count(input, 1),
                count(input, 2)
            )
        });
        let sentences = sentences.collect::<Vec<_>>().join("; ");
        format!("How many elements of the inputs change {} when they are changed: {sentences}.", self.element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(buffer: &str, shape: &[u64], yours: &[u64], wanted: &[u64]) -> InputUse {
        InputUse { buffer: buffer.into(), shape: shape.into(), yours: yours.into(), wanted: wanted.into() }
    }

    fn lines(sources: &Sources, columns: usize) -> Vec<String> {
        let lines = sources.scene(columns).plain_lines();
        assert!(lines.iter().all(|line| line.chars().count() <= columns), "{lines:#?}");
        assert!(lines.len() <= 12, "{lines:#?}");
        lines
    }

    #[test]
    fn what_is_taken_stands_over_the_matrix() {
        let a = input("a", &[2, 3], &[3, 4, 5], &[3, 4, 5]);
        let b = input("b", &[3, 2], &[0, 1], &[0, 2, 4]);
        let sources = Sources { element: "out[1, 0]".into(), inputs: vec![a, b] };
        assert_eq!(
            lines(&sources, 76),
            [
                "Changing these changes out[1, 0]:",
                "b, 3 × 2       a, 2 × 3",
                "row 0  ■ ×     row 0  · · ·",
                "row 1  o ·     row 1  ■ ■ ■",
                "row 2  o ·",
                "■ yours and the right value  × yours alone  o the right value alone",
            ]
        );
        lines(&sources, 36);
    }

    #[test]
    fn what_is_left_out_is_told() {
        let all = [&[0][..], &[0], &[0], &[]].map(|wanted| input("in", &[2], &[], wanted));
        let heading = |inputs: &[InputUse]| {
            lines(&Sources { element: "out[1]".into(), inputs: inputs.into() }, 76).swap_remove(0)
        };
        assert_eq!(heading(&all), "These and others change out[1]:");
        assert_eq!(heading(&all[1..]), "Changing these changes out[1]:");
    }

    #[test]
    fn long_rows_are_cut() {
        let wanted: Vec<u64> = (129..258).collect();
        let yours: Vec<u64> = (0..7).map(|row| row * 129 + 1).collect();
        let sources =
            Sources { element: "out[1]".into(), inputs: vec![input("in", &[7, 129], &yours, &wanted)] };
        for columns in [36, 76, 116] {
            let lines = lines(&sources, columns);
            assert!(lines[1].starts_with("in, 7 × 129"), "{lines:#?}");
            assert!(lines.iter().any(|line| line.contains('×') && !line.contains("alone")), "{lines:#?}");
        }
    }
}
