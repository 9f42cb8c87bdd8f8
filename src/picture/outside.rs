//! An end of a buffer, and the lanes of a warp that reach over it.

use super::scene::{Align, Scene, Tone};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the lanes of a warp access with one instruction, of which one lies outside the buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    pub buffer: String,
    /// Elements that it has.
    pub elements: u64,
    /// Whether lanes are told by the numbers of their threads in the block, not by those in the warp.
    pub by_thread: bool,
    /// The lane of the finding first.
    pub lanes: Vec<LaneElement>,
    /// Elements that each lane accesses, one behind the other.
    pub each: u32,
}

/// What one lane accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneElement {
    /// Of the thread in its block, or of the lane in its warp.
    pub number: u32,
    /// The first element; outside where it is below zero, or not below the number of elements.
    pub element: i64,
}

/// Elements inside the buffer that are drawn whoever accesses them.
const BORDER: i64 = 2;
/// Columns of what stands for elements that are left out, and of the border.
const GAP: f64 = 3.0;
const BAR: f64 = 2.0;
/// Most letters of a row's name.
const NAME: usize = 14;

impl Outside {
    /// Every element that lanes access, with their numbers.
    fn accessed(&self) -> BTreeMap<i64, Vec<u32>> {
        let mut all: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        for lane in &self.lanes {
            for n in 0..i64::from(self.each.max(1)) {
                all.entry(lane.element.saturating_add(n)).or_default().push(lane.number);
            }
        }
        all.values_mut().for_each(|numbers| numbers.sort_unstable());
        all
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
        match self.lanes.len() {
            1 => format!("{ends} One lane of the warp makes this access, outside it."),
            all => {
                let are = if out == 1 { "is" } else { "are" };
                format!(
                    "{ends} Of {all} lanes of the warp that make this access together, {out} {are} outside it."
                )
            }
        }
    }

    /// The elements at that end of the buffer over which the finding's lane reaches, each below the numbers of those
    /// who access it.
    pub(crate) fn scene(&self, columns: usize) -> Scene {
        let accessed = self.accessed();
        let before = self.lanes.first().is_some_and(|lane| lane.element < 0);
        let size = i64::try_from(self.elements).unwrap_or(i64::MAX);
        // The first element on the far side of the border, seen from the buffer.
        let border = if before { -1 } else { size };
        let side = if before { -1 } else { 1 };
        let outside: Vec<i64> = accessed.keys().copied().filter(|e| (e - border) * side >= 0).collect();
        let inside = accessed.keys().copied().filter(|element| self.is_inside(*element));
        let at_border = (1..=BORDER).map(|n| border - n * side).filter(|element| self.is_inside(*element));
        let mut inside: Vec<i64> = inside.chain(at_border).collect();
        let nearest = |list: &mut Vec<i64>| list.sort_by_key(|element| (element - border).abs());
        nearest(&mut inside);
        inside.dedup();
        let mut outside = outside;
        nearest(&mut outside);
        let digits = |n: i64| n.to_string().len();
        let widest = inside.iter().chain(&outside).map(|n| digits(*n)).max().unwrap_or(1);
        let numbers = accessed.values().map(|its| label(its).len()).max().unwrap_or(1);
        let wide = (widest.max(numbers) + 2) as f64;
        let who = if self.by_thread { "thread" } else { "lane" };
        let named: String = self.buffer.chars().take(NAME - 2).collect();
        let named = format!("{named}[]");
        let name = (named.chars().count().max(who.len()) + 2) as f64;
        let room = ((columns as f64 - name - BAR) / wide).max(4.0) as usize;
        let most_outside = outside.len().min((room / 2).max(room.saturating_sub(inside.len() + 1)));
        let outside = in_room(&outside, border - side, most_outside + 1);
        let inside = in_room(&inside, border, room.saturating_sub(outside.len()));
        let mut scene = Scene::new(format!("An end of {}, and who reaches over it", self.buffer));
        scene.words = self.words(before);
        scene.text((0.0, 0.0), Align::Start, Tone::Dim, who);
        scene.text((0.0, 1.0), Align::Start, Tone::Dim, named);
        let mut x = name;
        let (left, right) = if before { (&outside, &inside) } else { (&inside, &outside) };
        for element in left.iter().rev() {
            x = self.column(&mut scene, x, wide, *element, &accessed);
        }
        let bar = x;
        scene.line((bar, 0.0), (bar, 2.0), Tone::Strong);
        x += BAR;
        for element in right {
            x = self.column(&mut scene, x, wide, *element, &accessed);
        }
        let [left, right] = if before { ["outside", "the first"] } else { ["the last", "outside"] };
        scene.text((bar - 1.0, 2.0), Align::End, if before { Tone::Clash } else { Tone::Dim }, left);
        scene.text((bar + BAR, 2.0), Align::Start, if before { Tone::Dim } else { Tone::Clash }, right);
        scene
    }

    /// One element, or what stands for those that are left out. Gives where the next begins.
    fn column(
        &self,
        scene: &mut Scene,
        x: f64,
        wide: f64,
        element: Option<i64>,
        accessed: &BTreeMap<i64, Vec<u32>>,
    ) -> f64 {
        let Some(element) = element else {
            scene.text((x, 1.0), Align::Start, Tone::Dim, "…");
            return x + GAP;
        };
        let numbers = accessed.get(&element);
        if let Some(numbers) = numbers {
            scene.text((x + (wide - 1.0) / 2.0, 0.0), Align::Middle, Tone::Plain, label(numbers));
        }
        let tone = match numbers {
            _ if !self.is_inside(element) => Tone::Clash,
            Some(_) => Tone::Used,
            None => Tone::Wasted,
        };
        scene.cell((x, 1.0), wide, tone, element.to_string());
        x + wide
    }
}

/// `7`, and `7+` where others access the element too.
fn label(numbers: &[u32]) -> String {
    match numbers {
        [] => String::new(),
        [one] => one.to_string(),
        [lowest, ..] => format!("{lowest}+"),
    }
}

/// As many of some elements as there is room for, the nearest first; `None` where some are left out. `before`: what lies
/// before the first.
fn in_room(elements: &[i64], before: i64, room: usize) -> Vec<Option<i64>> {
    let mut columns = Vec::new();
    let mut last = before;
    for element in elements {
        if (element - last).abs() > 1 {
            columns.push(None);
        }
        columns.push(Some(*element));
        last = *element;
    }
    if columns.len() > room.max(1) {
        columns.truncate(room.max(1));
        if columns.last().is_some_and(Option::is_some) {
            columns.pop();
            columns.push(None);
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(elements: u64, columns: usize, touched: impl IntoIterator<Item = (u32, i64)>) -> Vec<String> {
        let lanes = touched.into_iter().map(|(number, element)| LaneElement { number, element }).collect();
        let outside = Outside { buffer: "in".into(), elements, by_thread: true, lanes, each: 1 };
        let scene = outside.scene(columns);
        let lines = scene.lines(&|_, text| text.to_owned());
        assert!(lines.iter().all(|line| line.chars().count() <= columns), "{lines:#?}");
        lines
    }

    #[test]
    fn lanes_past_the_end_stand_behind_it() {
        let lines = drawn(15, 76, [(5, 15), (3, 13), (4, 14), (6, 16)]);
        assert_eq!(
            lines,
            ["thread    3   4  │  5   6", "in[]     13  14  │ 15  16", "      the last   │ outside"]
        );
    }

    #[test]
    fn what_has_no_room_is_left_out() {
        for columns in [36, 76, 116] {
            let lines = drawn(1_000_000, columns, (0..32).map(|lane| (lane, 999_990 + i64::from(lane))));
            assert!(lines[1].contains("999999") && lines[1].contains('…'), "{lines:#?}");
        }
        let strided = drawn(100, 76, (0..32).map(|lane| (lane, 96 + i64::from(lane) * 32)));
        assert!(strided[1].contains("96  …"), "{strided:#?}");
    }

    #[test]
    fn a_buffer_has_two_ends() {
        let lines = drawn(8, 76, [(0, -1), (1, 0), (2, 1)]);
        assert!(lines[1].contains("-1  │"), "{lines:#?}");
        assert!(lines[2].contains("outside  │ the first"), "{lines:#?}");
    }
}
