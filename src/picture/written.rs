//! Which part of a buffer was written, around an element that was read.

use super::scene::{Scene, Tone};
use serde::{Deserialize, Serialize};

/// The elements around one that was read before it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    pub buffer: String,
    /// The first element whose state is known.
    pub first: u64,
    /// Whether each element from there on was written: at the end of the launch, or (below) at the time of the
    /// read.
    pub written: Vec<bool>,
    #[serde(default)]
    pub at_read: bool,
    /// The element that was read.
    pub read: u64,
    /// Who read it, such as `thread 0`.
    pub by: String,
    /// Line of the read; 0 where it is not known.
    #[serde(default)]
    pub line: u32,
}

const MAX_ROWS: u64 = 4;
const ROW: u64 = 32;
const NARROW_ROW: u64 = 16;

impl Written {
    fn is_written(&self, element: u64) -> Option<bool> {
        let n = element.checked_sub(self.first)?;
        self.written.get(usize::try_from(n).ok()?).copied()
    }

    /// Draws rows of boxes: written, not written, and the element that was read.
    pub(crate) fn scene(&self, columns: usize) -> Scene {
        let name = format!("[{}]", self.first + self.written.len() as u64).len() as u64 + 2;
        let row = if columns as u64 >= name + ROW + 3 { ROW } else { NARROW_ROW };
        let mut scene = Scene::new(format!("What of {} was written", self.buffer));
        let unwritten = self.written.iter().filter(|written| !**written).count();
        let all = self.written.len();
        let written = match unwritten {
            0 => format!("All {all} elements from {}[{}] on were written", self.buffer, self.first),
            _ => format!(
                "Of the {all} elements from {}[{}] on, {} were written and {unwritten} were not",
                self.buffer,
                self.first,
                all - unwritten
            ),
        };
        let place = if self.line > 0 { format!(" in line {}", self.line) } else { String::new() };
        scene.words = format!(
            "{}{place} reads {}[{}] before anything was written there. {written} {}.",
            self.by,
            self.buffer,
            self.read,
            if self.at_read { "by then" } else { "when the launch ended" }
        );
        let its = self.read / row;
        let last = (self.first + self.written.len() as u64).saturating_sub(1) / row;
        let start =
            its.saturating_sub(MAX_ROWS / 2).max(self.first / row).min(last.saturating_sub(MAX_ROWS - 1));
        let start = start.max(self.first / row);
        for (y, number) in (start..=last).take(MAX_ROWS as usize).enumerate() {
            let y = y as f64;
            scene.label((0.0, y), format!("[{}]", number * row));
            for place in 0..row {
                let at = (name as f64 + place as f64 + (place / 8) as f64, y);
                let element = number * row + place;
                match self.is_written(element) {
                    None => {}
                    Some(_) if element == self.read => scene.cell(at, 1.0, Tone::Clash, "?"),
                    Some(true) => scene.cell(at, 1.0, Tone::Used, ""),
                    Some(false) => scene.cell(at, 1.0, Tone::Wasted, ""),
                }
            }
        }
        let later = if self.is_written(self.read) == Some(true) { ", written later" } else { "" };
        let read = format!("{}[{}], read by {}{later}", self.buffer, self.read, self.by);
        let marks = [
            (Tone::Used, "", "written"),
            (Tone::Wasted, "", "not written"),
            (Tone::Clash, "?", read.as_str()),
        ];
        scene.legend(columns, marks);
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_stands_among_what_is_written() {
        let written = (0..40).map(|n| n % 8 != 7).collect();
        let all = Written {
            buffer: "padded".into(),
            first: 0,
            written,
            read: 7,
            by: "thread 0".into(),
            line: 4,
            at_read: false,
        };
        for columns in [36, 76] {
            let scene = all.scene(columns);
            let lines = scene.plain_lines();
            assert!(lines.iter().all(|line| line.chars().count() <= columns), "{lines:#?}");
            assert!(lines[0].starts_with("[0]   ■■■■■■■? ■■■■■■■·"), "{lines:#?}");
        }
        let lines = all.scene(76).plain_lines();
        assert_eq!(lines[1], "[32]  ■■■■■■■·");
        assert_eq!(lines[2], "■ written  · not written  ? padded[7], read by thread 0");
    }
}
