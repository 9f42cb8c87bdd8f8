//! An end of a buffer, and the lanes of a warp that access memory past it.

use super::scene::{Align, Scene, Tone};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The accesses of a warp's lanes by one instruction, at least one of which is outside the buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    pub buffer: String,
    /// Number of elements in the buffer.
    pub elements: u64,
    /// Number of dimensions in which threads are named.
    pub dims: usize,
    /// The lanes, beginning with that of the finding.
    pub lanes: Vec<LaneElement>,
    /// Number of consecutive elements that each lane accesses.
    pub each: u32,
    /// Line of the access; 0 where it is not known.
    #[serde(default)]
    pub line: u32,
}

/// The access of one lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneElement {
    /// The thread's index in its block: x, y, z.
    pub thread: [u32; 3],
    /// The first element; outside the buffer if it is negative or not below the number of elements.
    pub element: i64,
}

/// Number of elements at the buffer's end that are always drawn.
const BORDER: i64 = 2;
/// Width of the sign for elements that are left out, and of the border.
const GAP: f64 = 3.0;
const BAR: f64 = 2.0;
/// Maximum length of a row's label.
const NAME: usize = 14;
const WHO: &str = "thread";

impl Outside {
    /// Returns every element that lanes access, with the first of their threads, and `+` if there are others.
    fn accessed(&self) -> BTreeMap<i64, String> {
        let mut all: BTreeMap<i64, Vec<[u32; 3]>> = BTreeMap::new();
        for lane in &self.lanes {
            for n in 0..i64::from(self.each.max(1)) {
                all.entry(lane.element.saturating_add(n)).or_default().push(lane.thread);
            }
        }
        let label = |threads: Vec<[u32; 3]>| {
            let first = threads.iter().min_by_key(|[x, y, z]| (z, y, x)).copied().unwrap_or_default();
            let numbers: Vec<String> = first.iter().take(self.dims.max(1)).map(u32::to_string).collect();
            numbers.join(",") + if threads.len() > 1 { "+" } else { "" }
        };
        all.into_iter().map(|(element, threads)| (element, label(threads))).collect()
    }

    fn is_inside(&self, element: i64) -> bool {
        u64::try_from(element).is_ok_and(|element| element < self.elements)
    }

    fn words(&self, before: bool) -> String {
        let last = |lane: &LaneElement| lane.element.saturating_add(i64::from(self.each.max(1)) - 1);
        let outside = |lane: &&LaneElement| !self.is_inside(lane.element) || !self.is_inside(last(lane));
        let (buffer, out) = (&self.buffer, self.lanes.iter().filter(outside).count());
        let ends = match (self.elements, before) {
            (0, _) => format!("{buffer} has no element."),
            (_, true) => format!("{buffer} begins with {buffer}[0]."),
            (n, false) => format!("{buffer} ends with {buffer}[{}].", n - 1),
        };
        let place = if self.line > 0 { format!(" in line {}", self.line) } else { String::new() };
        match self.lanes.len() {
            1 => format!("{ends} One lane of the warp makes the access{place}, outside it."),
            all => {
                let are = if out == 1 { "is" } else { "are" };
                format!(
                    "{ends} Of {all} lanes of the warp that make the access{place} together, {out} {are} outside it."
                )
            }
        }
    }

    /// Draws the elements at the end of the buffer that the finding's lane is past, each below the threads that
    /// access it.
    pub(crate) fn scene(&self, columns: usize) -> Scene {
        let accessed = self.accessed();
        let its = self.lanes.first().map_or(0, |lane| lane.element);
        let before = its < 0;
        let size = i64::try_from(self.elements).unwrap_or(i64::MAX);
        // The first element beyond the border.
        let (border, side) = if before { (-1, -1) } else { (size, 1) };
        let nearest_first = |mut elements: Vec<i64>| {
            elements.sort_by_key(|element| element.abs_diff(border));
            elements.dedup();
            elements
        };
        let is_outside = |element: &i64| if before { *element <= border } else { *element >= border };
        let outside = nearest_first(accessed.keys().copied().filter(is_outside).collect());
        let at_border = (1..=BORDER).map(|n| border - n * side);
        let inside = accessed.keys().copied().chain(at_border);
        let inside = nearest_first(inside.filter(|element| self.is_inside(*element)).collect());
        let letters = inside.iter().chain(&outside).map(|element| element.to_string().len());
        let letters = letters.chain(accessed.values().map(String::len)).max().unwrap_or(1);
        let named: String = self.buffer.chars().take(NAME - 2).chain("[]".chars()).collect();
        let name = named.chars().count().max(WHO.len()) as f64 + 2.0;
        let column = Column { wide: letters as f64 + 2.0, accessed: &accessed };
        let room = columns as f64 - name - BAR;
        let most_outside = (room / 2.0).max(room - column.of(&inside, border));
        let outside = column.in_room(&outside, border - side, most_outside, its);
        let used = outside.iter().map(|element| column.of_one(*element)).sum::<f64>();
        let inside = column.in_room(&inside, border, room - used, border - side);
        let mut scene = Scene::new(format!("An end of {}, and who reaches over it", self.buffer));
        scene.words = self.words(before);
        scene.label((0.0, 0.0), WHO);
        scene.label((0.0, 1.0), named);
        let (left, right) = if before { (outside, inside) } else { (inside, outside) };
        let mut x = name;
        for element in left.iter().rev() {
            x = column.draw(&mut scene, x, *element, self);
        }
        let bar = x;
        scene.line((bar, 0.0), (bar, 3.0), Tone::Strong);
        x += BAR;
        for element in right {
            x = column.draw(&mut scene, x, element, self);
        }
        let last = if self.elements == 0 { "empty" } else { "the last" };
        let mut sides = [(last, Tone::Dim), ("outside", Tone::Clash)];
        if before {
            sides = [("outside", Tone::Clash), ("the first", Tone::Dim)];
        }
        scene.text((bar - 1.0, 2.0), Align::End, sides[0].1, sides[0].0);
        scene.text((bar + BAR, 2.0), Align::Start, sides[1].1, sides[1].0);
        scene
    }
}

/// How elements are drawn below the threads that access them.
struct Column<'a> {
    wide: f64,
    accessed: &'a BTreeMap<i64, String>,
}

impl Column<'_> {
    fn of_one(&self, element: Option<i64>) -> f64 {
        if element.is_some() { self.wide } else { GAP }
    }

    /// Returns the width of the elements, including marks for gaps between them.
    fn of(&self, elements: &[i64], before: i64) -> f64 {
        with_gaps(elements, before).into_iter().map(|element| self.of_one(element)).sum()
    }

    /// Returns as many elements as there is room for, the nearest first, but at least one, and `keep` if it is
    /// among them; `None` marks a gap. `before` is the element before the first.
    fn in_room(&self, elements: &[i64], before: i64, room: f64, keep: i64) -> Vec<Option<i64>> {
        let all = with_gaps(elements, before);
        if self.of(elements, before) <= room {
            return all;
        }
        let kept = elements.iter().position(|element| *element == keep).is_some_and(|at| at > 0);
        let room = room - GAP - if kept { self.wide } else { 0.0 };
        let mut used = 0.0;
        let fits = |element: &&Option<i64>| {
            used += self.of_one(**element);
            used <= room
        };
        let count = all.iter().take_while(fits).count().max(1);
        let mut shown: Vec<Option<i64>> = all[..count].to_vec();
        let is_shown = shown.contains(&Some(keep));
        if shown.last() != Some(&None) {
            shown.push(None);
        }
        shown.extend((kept && !is_shown).then_some(Some(keep)));
        shown
    }

    /// Draws one element, or the mark of a gap. Returns the x position after it.
    fn draw(&self, scene: &mut Scene, x: f64, element: Option<i64>, of: &Outside) -> f64 {
        let Some(element) = element else {
            scene.label((x, 1.0), "…");
            return x + GAP;
        };
        let threads = self.accessed.get(&element);
        if let Some(threads) = threads {
            scene.cell((x, 0.0), self.wide, Tone::Plain, threads.clone());
        }
        let tone = match threads {
            _ if !of.is_inside(element) => Tone::Clash,
            Some(_) => Tone::Used,
            None => Tone::Wasted,
        };
        scene.cell((x, 1.0), self.wide, tone, element.to_string());
        x + self.wide
    }
}

/// Inserts `None` between elements that are not adjacent.
fn with_gaps(elements: &[i64], before: i64) -> Vec<Option<i64>> {
    let lasts = std::iter::once(&before).chain(elements);
    let gap = |element: &i64, last: &i64| (element.abs_diff(*last) > 1).then_some(None);
    let pairs = elements.iter().zip(lasts);
    pairs.flat_map(|(element, last)| gap(element, last).into_iter().chain([Some(*element)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(elements: u64, columns: usize, touched: impl IntoIterator<Item = (u32, i64)>) -> Vec<String> {
        let lane = |(x, element)| LaneElement { thread: [x, 0, 0], element };
        let lanes = touched.into_iter().map(lane).collect();
        let outside = Outside { buffer: "in".into(), elements, dims: 1, lanes, each: 1, line: 5 };
        let scene = outside.scene(columns);
        let lines = scene.plain_lines();
        assert!(lines.iter().all(|line| line.chars().count() <= columns), "{lines:#?}");
        lines
    }

    #[test]
    fn lanes_past_the_end_stand_behind_it() {
        let lines = drawn(15, 76, [(5, 15), (3, 13), (4, 14), (6, 16)]);
        assert_eq!(
            lines,
            ["thread   3   4  │  5   6", "in[]    13  14  │ 15  16", "       the last │ outside"]
        );
    }

    #[test]
    fn what_has_no_room_is_left_out() {
        for columns in [36, 76, 116] {
            let lines = drawn(1_000_000, columns, (0..32).map(|lane| (lane, 999_990 + i64::from(lane))));
            assert!(lines[1].contains("999999") && lines[1].contains('…'), "{lines:#?}");
        }
        let strided = drawn(100, 76, (0..32).map(|lane| (lane, 96 + i64::from(lane) * 32)));
        assert!(strided[1].contains("│ …   128"), "{strided:#?}");
    }

    #[test]
    fn a_buffer_has_two_ends() {
        let lines = drawn(8, 76, [(0, -1), (1, 0), (2, 1)]);
        assert!(lines[1].contains("-1  │"), "{lines:#?}");
        assert!(lines[2].contains("outside │ the first"), "{lines:#?}");
    }
}
