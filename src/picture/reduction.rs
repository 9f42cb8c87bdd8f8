//! How values are combined into one: a reduction, pass by pass.

use super::scene::{Align, Scene, Tone};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The facts of a reduction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reduction {
    /// The array whose elements are combined; `None` for the lanes of a warp.
    pub array: Option<String>,
    /// The element, or the lane, that holds the result in the end.
    pub into: u64,
    pub passes: Vec<ReductionPass>,
}

/// One pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReductionPass {
    /// 0 where it has no line in this file.
    pub line: u32,
    /// Pairs of destination and source, limited to those that the result depends on.
    pub moves: Vec<(u64, u64)>,
    /// Number of elements, or lanes, that combine anything in this pass.
    pub takers: u64,
}

/// Width of the label before the cells.
const NAME: f64 = 10.0;
/// Maximum number of elements with a cell of their own, and with a line to their destination.
const MAX_CELLS: u64 = 64;
const MAX_LINES: u64 = 32;
/// Maximum number of passes that the words list individually.
const MAX_SENTENCES: usize = 10;

impl Reduction {
    /// Creates the reduction; lines in other files than `file` become 0.
    pub fn new(seen: &sim::Reduction, file: &str) -> Reduction {
        let line = |at: &sim::SourceLocation| if *at.file == *file { at.line } else { 0 };
        let pass = |pass: &sim::ReductionPass| ReductionPass {
            line: pass.location.as_ref().map_or(0, line),
            moves: pass.moves.clone(),
            takers: pass.takers,
        };
        Reduction {
            array: seen.array.as_deref().map(str::to_owned),
            into: seen.into,
            passes: seen.passes.iter().map(pass).collect(),
        }
    }

    /// Returns the elements that are still needed before each pass, and after the last one.
    fn needed(&self) -> Vec<BTreeSet<u64>> {
        let mut rows = vec![BTreeSet::from([self.into])];
        for pass in self.passes.iter().rev() {
            let mut row = rows[rows.len() - 1].clone();
            row.extend(pass.moves.iter().map(|(_, from)| *from));
            rows.push(row);
        }
        rows.reverse();
        rows
    }

    fn name(&self, element: impl std::fmt::Display) -> String {
        match &self.array {
            Some(array) => format!("{array}[{element}]"),
            None => format!("lane {element}"),
        }
    }

    /// Describes a pass in a few words.
    fn says(&self, pass: &ReductionPass) -> String {
        let step = |(to, from): &(u64, u64)| i128::from(*from) - i128::from(*to);
        let first = pass.moves.first().map(step);
        let place = match first.filter(|first| pass.moves.iter().all(|its| step(its) == *first)) {
            Some(step) if step > 0 => self.name(format!("i + {step}")),
            Some(step) => self.name(format!("i - {}", -step)),
            None => "another".into(),
        };
        let count = pass.moves.len();
        match (&self.array, count) {
            // The result does not depend on what the others combine.
            (Some(_), _) if pass.takers > count as u64 => format!("{count} of {} take {place}", pass.takers),
            (Some(_), 1) => format!("1 takes {place}"),
            (None, 1) => format!("1 lane takes {place}"),
            (Some(_), _) => format!("{count} take {place}"),
            (None, _) => format!("{count} lanes take {place}"),
        }
    }

    /// Draws a row of cells before the first pass and after each: filled where the element is still needed. With
    /// `lines`, which only a page can draw, the moves of each pass are shown. `columns`: of the terminal, or of
    /// the page.
    pub fn scene(&self, columns: usize, lines: bool) -> Scene {
        let rows = self.needed();
        let all = &rows[0];
        let count = all.last().map_or(0, |last| last + 1);
        let longest = self.passes.iter().map(|pass| self.says(pass).chars().count()).max().unwrap_or(0);
        let room = (columns as u64).saturating_sub(NAME as u64 + longest as u64 + 4).clamp(16, MAX_CELLS);
        let each = count.div_ceil(room).next_power_of_two();
        let cells = count.div_ceil(each.max(1));
        let lines = lines && each == 1 && cells <= MAX_LINES;
        // Wide enough for lines between the cells.
        let (wide, high) = if lines { (2.0, 2.0) } else { (1.0, 1.0) };
        let what = match &self.array {
            Some(array) => format!("{} elements of {array}", all.len()),
            None => format!("{} lanes", all.len()),
        };
        let of = if self.array.is_some() { "Block 0" } else { "Warp 0 of block 0" };
        let mut scene = Scene::new(format!("{of}: how {what} come together in {}", self.name(self.into)));
        let x = |element: u64| NAME + (element / each) as f64 * wide;
        for (n, row) in rows.iter().enumerate() {
            let y = n as f64 * high;
            let pass = n.checked_sub(1).map(|n| &self.passes[n]);
            let name = match pass {
                None => "before".into(),
                Some(ReductionPass { line: 0, .. }) => String::new(),
                Some(pass) => format!("line {}", pass.line),
            };
            scene.label((0.0, y), name);
            let held: BTreeSet<u64> = row.iter().map(|element| element / each).collect();
            for cell in 0..cells {
                let tone = if held.contains(&cell) { Tone::Used } else { Tone::Dim };
                scene.cell((x(cell * each), y), wide, tone, "");
            }
            let says = pass.map_or_else(String::new, |pass| self.says(pass));
            scene.text((NAME + cells as f64 * wide + 2.0, y), Align::Start, Tone::Plain, says);
            for (to, from) in pass.filter(|_| lines).iter().flat_map(|pass| &pass.moves) {
                let middle = |element: u64| x(element) + wide / 2.0;
                scene.line((middle(*from), y - high + 1.0), (middle(*to), y), Tone::Read);
            }
        }
        if each > 1 {
            let y = rows.len() as f64 * high;
            scene.label((NAME, y), format!("■ stands for {each} elements"));
        }
        let sentence = |pass: &ReductionPass| match pass.line {
            0 => self.says(pass),
            line => format!("in line {line}, {}", self.says(pass)),
        };
        let mut told: Vec<String> = self.passes.iter().take(MAX_SENTENCES).map(sentence).collect();
        if self.passes.len() > MAX_SENTENCES {
            told.push("and so on".into());
        }
        let passes = self.passes.len();
        scene.words = format!(
            "{what} come together in {}, in {passes} passes: {}.",
            self.name(self.into),
            told.join("; ")
        );
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halving(array: Option<&str>, from: u64) -> Reduction {
        let halves = std::iter::successors(Some(from), |d| (*d > 1).then_some(d / 2));
        let pass = |d| ReductionPass { line: 14, moves: (0..d).map(|n| (n, n + d)).collect(), takers: d };
        Reduction { array: array.map(str::to_owned), into: 0, passes: halves.map(pass).collect() }
    }

    fn text(scene: &Scene) -> String {
        scene.plain_lines().join("\n")
    }

    #[test]
    fn halves_are_a_triangle() {
        let scene = halving(Some("s"), 8).scene(80, false);
        insta::assert_snapshot!(format!("{}\n{}\n{}", scene.title, text(&scene), scene.words));
    }

    #[test]
    fn neighbours_leave_gaps() {
        let pass = |d: u64| ReductionPass {
            line: 9,
            moves: (0..16 / d).map(|n| (n * d, n * d + d / 2)).collect(),
            takers: 16 / d,
        };
        let of = Reduction { array: Some("s".into()), into: 0, passes: [2, 4, 8, 16].map(pass).into() };
        insta::assert_snapshot!(text(&of.scene(80, false)));
    }

    #[test]
    fn many_elements_share_a_cell() {
        insta::assert_snapshot!(text(&halving(Some("partial"), 512).scene(80, false)));
    }

    #[test]
    fn lanes_of_a_warp_are_lanes() {
        let scene = halving(None, 16).scene(80, true);
        assert_eq!(scene.marks.iter().filter(|mark| matches!(mark, crate::Mark::Line { .. })).count(), 31);
        insta::assert_snapshot!(text(&halving(None, 16).scene(80, false)));
    }
}
