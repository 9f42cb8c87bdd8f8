//! The two sides of a race between the barriers around them.

use super::scene::{Align, Scene, Tone};
use serde::{Deserialize, Serialize};

/// Two accesses to the same element that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Race {
    /// What both access, such as `s[5]`.
    pub what: String,
    /// In the order in which a thread reaches them.
    pub sides: [RaceSide; 2],
    /// Lines of the barriers before the first side and after the second; `None` for the kernel's start or end.
    pub barriers: [Option<u32>; 2],
    /// Line of the loop in whose next pass the second side is, if it is not in the same pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_pass_of: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceSide {
    pub line: u32,
    /// Such as `thread 5`.
    pub who: String,
    /// The same in two lines, where it names the thread's block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[String; 2]>,
    /// Such as `writes s[5]`.
    pub does: String,
    pub writes: bool,
}

/// Width of line numbers, and the name of a barrier.
const NAME: usize = 10;
const BARRIER: &str = "__syncthreads()";
/// Maximum and minimum width of a side.
const SIDE: (usize, usize) = (32, 16);

impl Race {
    fn words(&self) -> String {
        let [one, two] = &self.sides;
        let place = |line: Option<u32>, otherwise: &str| {
            line.map_or(otherwise.to_owned(), |line| format!("the barrier in line {line}"))
        };
        let [before, after] = self.barriers;
        let first = format!("{} {} in line {}", one.who, one.does, one.line);
        let second = format!("{} {} in line {}", two.who, two.does, two.line);
        let between = format!("{} and {}", place(before, "the kernel's beginning"), place(after, "its end"));
        match self.next_pass_of {
            Some(head) => format!(
                "In one pass of the loop of line {head} {first}, in the next {second}. Both stand between {between} of \
                 the next pass, and no barrier orders the one before the other."
            ),
            None => format!(
                "{first}, {second}. Both stand between {between}, and no barrier orders the one before the other."
            ),
        }
    }

    /// Draws two columns, one per thread, from barrier to barrier; the accesses in between are unordered.
    pub fn scene(&self, columns: usize) -> Scene {
        let [one, two] = &self.sides;
        let mut scene = Scene::new(format!("A race for {}", self.what));
        scene.words = self.words();
        let room = |named: usize| columns.saturating_sub(NAME + named) / 2;
        // If there is no room for the barrier's name, its line number has to suffice.
        let is_named = room(BARRIER.len() + 1) >= SIDE.1;
        let side = room(if is_named { BARRIER.len() + 1 } else { 0 }).clamp(8, SIDE.0);
        let wide = NAME + 2 * side;
        let middle = |n: usize| (NAME + n * side) as f64 + side as f64 / 2.0;
        let is_long = |its: &RaceSide| its.lines.is_some() && its.who.chars().count() >= side;
        let is_split = self.sides.iter().any(is_long);
        let top = if is_split { 1.0 } else { 0.0 };
        for (n, its) in self.sides.iter().enumerate() {
            let whole = std::slice::from_ref(&its.who);
            let lines = its.lines.as_ref().filter(|_| is_split).map_or(whole, |lines| &lines[..]);
            for (y, line) in lines.iter().enumerate() {
                scene.text((middle(n), y as f64), Align::Middle, Tone::Strong, line.clone());
            }
        }
        let bar = |scene: &mut Scene, y: f64, line: Option<u32>, otherwise: &str| {
            let name = line.map_or(otherwise.to_owned(), |line| format!("line {line}"));
            scene.label((0.0, y), name);
            scene.line((NAME as f64, y + 0.4), (wide as f64, y + 0.4), Tone::Plain);
            if line.is_some() && is_named {
                scene.label((wide as f64 + 1.0, y), BARRIER);
            }
        };
        let [before, after] = self.barriers;
        bar(&mut scene, top + 1.0, before, "start");
        let mut y = top + 2.0;
        for (n, its) in self.sides.iter().enumerate() {
            if n == 1 && one.line != two.line {
                y += 1.0;
            }
            if let (1, Some(head)) = (n, self.next_pass_of) {
                let again = format!("the loop of line {head} again");
                let again = if again.len() < 2 * side { again } else { "again".to_owned() };
                scene.text(((NAME + side) as f64, y), Align::Middle, Tone::Dim, again);
                y += 1.0;
            }
            let tone = if its.writes { Tone::Clash } else { Tone::Read };
            scene.label((0.0, y), format!("line {}", its.line));
            let verb = || its.does.split(' ').next().unwrap_or_default();
            let does = if its.does.chars().count() + 2 <= side { its.does.as_str() } else { verb() };
            scene.cell(((NAME + n * side + 1) as f64, y), (side - 1) as f64, tone, does);
        }
        bar(&mut scene, y + 1.0, after, "end");
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(next_pass_of: Option<u32>) -> Race {
        let side = |line, who: &str, does: &str, writes| RaceSide {
            line,
            who: who.into(),
            lines: None,
            does: does.into(),
            writes,
        };
        Race {
            what: "s[5]".into(),
            sides: [side(12, "thread 5", "writes s[5]", true), side(14, "thread 0", "reads s[5]", false)],
            barriers: [None, Some(16)],
            next_pass_of,
        }
    }

    #[test]
    fn both_sides_stand_between_the_barriers() {
        let scene = race(None).scene(76);
        assert!(scene.words.contains("thread 0 reads s[5] in line 14"), "{}", scene.words);
        let text = scene.plain_lines();
        insta::assert_snapshot!(text.join("\n"));
    }

    #[test]
    fn a_thread_and_its_block_take_two_lines_where_one_is_too_short() {
        let mut race = race(None);
        for (side, thread) in race.sides.iter_mut().zip([4, 3]) {
            let lines = [format!("thread (0, {thread})"), "of block (0, 0, 1)".to_owned()];
            (side.who, side.lines) = (lines.join(" "), Some(lines));
        }
        insta::assert_snapshot!(race.scene(76).plain_lines().join("\n"));
    }

    #[test]
    fn a_turn_of_a_loop_is_drawn_between_them() {
        let scene = race(Some(9)).scene(76);
        assert!(
            scene.words.starts_with("In one pass of the loop of line 9 thread 5 writes"),
            "{}",
            scene.words
        );
        let text = scene.plain_lines();
        insta::assert_snapshot!(text.join("\n"));
    }

    #[test]
    fn it_fits_narrow_columns() {
        for columns in [36, 50, 66, 100] {
            let lines = race(Some(9)).scene(columns).plain_lines();
            assert!(lines.iter().all(|line| line.chars().count() <= columns), "{columns} {lines:#?}");
        }
    }
}
