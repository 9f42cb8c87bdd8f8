//! Memory that is used after it was freed.

use super::scene::{Align, Scene, Tone};
use serde::{Deserialize, Serialize};

/// The end of an allocation, and a later use of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifetime {
    /// Name of the memory.
    pub memory: String,
    /// Line of the free; 0 where it is not in this file.
    pub freed_line: u32,
    /// Who uses it, such as `thread 0 reads a[0]`, and the line of the use.
    pub used_by: String,
    pub used_line: u32,
}

/// Maximum length of a name; width of the memory's lifetime, and of the time from there to the use.
const NAME: usize = 18;
const LIFE: f64 = 12.0;
const AFTER: f64 = 8.0;

impl Lifetime {
    /// Draws a bar for the memory's lifetime, and after it the use.
    pub(crate) fn scene(&self, columns: usize) -> Scene {
        let name: String = self.memory.chars().take(NAME).collect();
        let left = name.chars().count() as f64 + 2.0;
        let place = |line: u32| if line > 0 { format!(", line {line}") } else { String::new() };
        let mut scene = Scene::new(format!("{} is freed, then used", self.memory));
        scene.words = format!(
            "{} is freed{}; after that {}{}.",
            self.memory,
            place(self.freed_line),
            self.used_by,
            place(self.used_line)
        );
        scene.label((0.0, 0.0), name);
        (0..LIFE as usize).for_each(|n| scene.cell((left + n as f64, 0.0), 1.0, Tone::Used, ""));
        let end = left + LIFE;
        scene.line((end, 0.0), (end, 2.0), Tone::Strong);
        (1..AFTER as usize).for_each(|n| scene.cell((end + n as f64, 0.0), 1.0, Tone::Wasted, ""));
        let used = end + AFTER;
        scene.cell((used, 0.0), 1.0, Tone::Clash, "");
        scene.text((end + 1.0, 1.0), Align::Start, Tone::Plain, format!("freed{}", place(self.freed_line)));
        let says = format!("{}{}", self.used_by, place(self.used_line));
        match used + 2.0 + says.chars().count() as f64 <= columns as f64 {
            true => scene.text((used + 2.0, 0.0), Align::Start, Tone::Clash, says),
            false => scene.text((0.0, 2.0), Align::Start, Tone::Clash, format!("▲ {says}")),
        }
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_use_stands_behind_the_end() {
        let life = Lifetime {
            memory: "a".into(),
            freed_line: 8,
            used_by: "thread 0 writes a[0]".into(),
            used_line: 2,
        };
        let text = |columns| life.scene(columns).plain_lines().join("\n");
        assert_eq!(
            text(76),
            "a  ■■■■■■■■■■■■│·······▲ thread 0 writes a[0], line 2\n               │freed, line 8"
        );
        assert_eq!(
            text(40),
            "a  ■■■■■■■■■■■■│·······▲\n               │freed, line 8\n▲ thread 0 writes a[0], line 2"
        );
    }
}
