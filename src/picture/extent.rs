//! A call that accesses memory past its end.

use super::scene::{Align, Scene, Tone};
use serde::{Deserialize, Serialize};

/// The bytes that a call reads or writes, compared with the bytes that are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Name of the memory.
    pub memory: String,
    /// Such as `cudaMemcpy`.
    pub call: String,
    /// Bytes that the call accesses, and bytes of the memory from the access's start to its end.
    pub asked_bytes: u64,
    pub room_bytes: u64,
}

/// Maximum length of a name, and columns between names and bars.
const NAME: usize = 18;
const GAP: f64 = 2.0;

impl Extent {
    /// Draws two bars with a common start: the memory that is there, and the bytes accessed.
    pub(crate) fn scene(&self, columns: usize) -> Scene {
        let name = |text: &str| text.chars().take(NAME).collect::<String>();
        let names = [name(&self.memory), name(&self.call)];
        let left = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64 + GAP;
        let (asked, room) = (self.asked_bytes.max(1), self.room_bytes.min(self.asked_bytes));
        let beyond = format!("{} bytes past the end", asked - room);
        let wide = (columns as f64 - left - 1.0).max(GAP + 2.0);
        let inside = (wide * room as f64 / asked as f64).floor().clamp(0.0, wide - 1.0);
        // A copy that starts at the end has nothing inside.
        let inside = if room == 0 { 0.0 } else { inside.max(1.0) };
        let end = left + inside;
        let mut scene = Scene::new(format!("The end of {}, and what {} asks for", self.memory, self.call));
        scene.words = format!(
            "{} asks for {} bytes. From where it begins {} has {}: {beyond}.",
            self.call, self.asked_bytes, self.memory, self.room_bytes
        );
        let outside = (wide - inside).max(1.0);
        for (y, (name, tone)) in names.into_iter().zip([Tone::Used, Tone::Copy]).enumerate() {
            let y = y as f64;
            scene.label((0.0, y), name);
            (0..inside as usize).for_each(|n| scene.cell((left + n as f64, y), 1.0, tone, ""));
            if y > 0.0 {
                (0..outside as usize)
                    .for_each(|n| scene.cell((end + 1.0 + n as f64, y), 1.0, Tone::Clash, ""));
            }
        }
        scene.line((end, 0.0), (end, 2.0), Tone::Strong);
        let there = format!("{} bytes", self.room_bytes);
        if left + there.len() as f64 + 1.0 <= end {
            scene.text((end - 1.0, 2.0), Align::End, Tone::Dim, there);
        }
        match end + 1.0 + beyond.len() as f64 <= columns as f64 {
            true => scene.text((end + 1.0, 2.0), Align::Start, Tone::Clash, beyond),
            false if beyond.len() <= columns => {
                scene.text((columns as f64, 3.0), Align::End, Tone::Clash, beyond);
            }
            false => scene.text((columns as f64, 3.0), Align::End, Tone::Clash, "past the end"),
        }
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(asked_bytes: u64, room_bytes: u64, columns: usize) -> String {
        let extent =
            Extent { memory: "host memory".into(), call: "cudaMemcpy".into(), asked_bytes, room_bytes };
        let lines = extent.scene(columns).plain_lines();
        for line in &lines {
            assert!(line.chars().count() <= columns, "{asked_bytes} of {room_bytes} in {columns}: {line:?}");
        }
        lines.join("\n")
    }

    #[test]
    fn bars_stay_within_their_columns_whatever_is_asked_for() {
        for columns in [30, 40, 76, 120] {
            for (asked, room) in [(20_000, 19_996), (8, 0), (u64::MAX, 1), (100, 50), (2, 1)] {
                let text = drawn(asked, room, columns);
                assert!(text.contains('▲') && text.contains("past the end"), "{text}");
            }
        }
    }

    #[test]
    fn half_of_it_is_past_the_end() {
        assert_eq!(
            drawn(40, 20, 44),
            "host memory  ■■■■■■■■■■■■■■■│\n\
             cudaMemcpy   ===============│▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲\n                   \
             20 bytes\n                       20 bytes past the end"
        );
    }
}
