//! The two sides of a race between the barriers around them.

use super::scene::{Align, Scene, Tone};

/// Two accesses to the same element that nothing orders.
#[derive(Clone, Debug)]
pub struct Race {
    /// What both touch, such as `s[5]`.
    pub what: String,
    /// By line.
    pub sides: [Side; 2],
    /// Lines of the barriers before the first side and behind the last; `None`: where the kernel begins or ends.
    pub barriers: [Option<u32>; 2],
}

#[derive(Clone, Debug)]
pub struct Side {
    pub line: u32,
    /// Such as `thread 5`.
    pub who: String,
    /// Such as `writes s[5]`.
    pub does: String,
    pub writes: bool,
}

const NAME: f64 = 10.0;
const COLUMN: f64 = 32.0;

/// Two columns, a thread each, from barrier to barrier; what they do has no order in between.
pub fn race(race: &Race) -> Scene {
    let [one, two] = &race.sides;
    let [before, after] = race.barriers;
    let mut scene = Scene::new(format!("A race for {}", race.what));
    let place = |line: Option<u32>, otherwise: &str| {
        line.map_or(otherwise.to_owned(), |line| format!("the barrier in line {line}"))
    };
    scene.words = format!(
        "{} {} in line {}, {} {} in line {}. Both stand between {} and {}, and no barrier orders the one before the other.",
        one.who,
        one.does,
        one.line,
        two.who,
        two.does,
        two.line,
        place(before, "the kernel's beginning"),
        place(after, "its end")
    );
    for (n, side) in race.sides.iter().enumerate() {
        let middle = NAME + COLUMN * (n as f64 + 0.5);
        scene.text((middle, 0.0), Align::Middle, Tone::Strong, side.who.clone());
        scene.line((middle, 1.5), (middle, 5.5), Tone::Dim);
    }
    let wide = NAME + 2.0 * COLUMN;
    let bar = |scene: &mut Scene, y: f64, line: Option<u32>, otherwise: &str| {
        let name = line.map_or(otherwise.to_owned(), |line| format!("line {line}"));
        scene.text((0.0, y), Align::Start, Tone::Dim, name);
        scene.line((NAME, y + 0.5), (wide, y + 0.5), Tone::Plain);
        if line.is_some() {
            scene.text((wide + 1.0, y), Align::Start, Tone::Dim, "__syncthreads()");
        }
    };
    bar(&mut scene, 1.0, before, "start");
    let same = one.line == two.line;
    for (n, side) in race.sides.iter().enumerate() {
        let y = if n == 1 && !same { 4.0 } else { 2.5 };
        let tone = if side.writes { Tone::Clash } else { Tone::Read };
        scene.text((0.0, y), Align::Start, Tone::Dim, format!("line {}", side.line));
        scene.cell((NAME + COLUMN * n as f64 + 1.0, y), COLUMN - 2.0, tone, side.does.clone());
    }
    bar(&mut scene, 5.5, after, "end");
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_stand_between_the_barriers() {
        let side =
            |line, who: &str, does: &str, writes| Side { line, who: who.into(), does: does.into(), writes };
        let scene = race(&Race {
            what: "s[5]".into(),
            sides: [side(12, "thread 5", "writes s[5]", true), side(14, "thread 0", "reads s[5]", false)],
            barriers: [None, Some(16)],
        });
        assert!(scene.words.contains("thread 0 reads s[5] in line 14"), "{}", scene.words);
        let text = scene.lines(&|_, text| text.to_owned()).join("\n");
        assert!(text.contains("writes s[5]") && text.contains("line 16") && text.contains("start"), "{text}");
    }
}
