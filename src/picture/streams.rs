//! The work of two streams in issue order, and which work waits for which.

use super::scene::{Align, Scene, Tone};
use serde::{Deserialize, Serialize};

/// Two pieces of work that nothing orders, among the work of their streams.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unordered {
    /// In issue order.
    pub works: Vec<GivenWork>,
    /// Indices of the two in `works`, and what each does, such as `reads y[0]`.
    pub sides: [(usize, String); 2],
    /// The first byte of the memory that both access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte: Option<i64>,
}

/// Work that was issued to a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenWork {
    /// The API call or the launch.
    pub name: String,
    /// The kernel, if it is a launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    pub stream: String,
    /// 0 where it is not known.
    pub line: u32,
    /// Index of the work of another stream that it waits for.
    pub after: Option<usize>,
    /// Number of pieces of work issued before it that are left out here.
    pub left_out: u64,
}

const NUMBER: f64 = 4.0;
/// Middle of a row, for text and SVG alike.
const MIDDLE: f64 = 0.49;
const LEAST: usize = 10;

/// Cuts a line to `columns` characters, with an ellipsis if it was longer.
fn cut(line: String, columns: usize) -> String {
    if line.chars().count() <= columns {
        return line;
    }
    line.chars().take(columns.saturating_sub(1)).chain(['…']).collect()
}

impl Unordered {
    /// Returns the streams in order of their first work.
    fn streams(&self) -> Vec<&str> {
        let mut streams: Vec<&str> = Vec::new();
        for work in &self.works {
            if !streams.contains(&work.stream.as_str()) {
                streams.push(&work.stream);
            }
        }
        streams
    }

    fn label(&self, n: usize, wide: usize) -> String {
        let GivenWork { name, kernel, line, .. } = &self.works[n];
        let name = kernel.as_ref().unwrap_or(name);
        let line = if *line > 0 { format!(", line {line}") } else { String::new() };
        let whole = format!("{name}{line}");
        let marked = if self.sides.iter().any(|(side, _)| *side == n) { "▲ " } else { "" };
        let text = if whole.chars().count() + 2 <= wide { whole } else { name.to_owned() };
        format!("{marked}{text}").chars().take(wide).collect()
    }

    /// Returns whether an arrow between two pieces of work would cross no other.
    fn has_room(&self, from: usize, to: usize) -> bool {
        let stream = &self.works[from].stream;
        self.works[from + 1..to].iter().all(|between| between.stream != *stream)
    }

    /// Draws a row for each piece of work, in the column of its stream, with arrows to the work that waits.
    pub(crate) fn scene(&self, columns: usize) -> Scene {
        let streams = self.streams();
        let room = (columns as f64 - NUMBER) as usize / streams.len().max(1);
        let longest = (0..self.works.len()).map(|n| self.label(n, columns).chars().count() + 4);
        let names = streams.iter().map(|name| name.chars().count() + 2);
        let wide = longest.chain(names).max().unwrap_or(LEAST).min(room).max(LEAST);
        let column = |n: usize| {
            let place = streams.iter().position(|stream| *stream == self.works[n].stream).unwrap_or(0);
            NUMBER + (place * wide) as f64
        };
        let mut scene = Scene::new("What waits for what in two streams");
        scene.words = self.words();
        for (n, stream) in streams.iter().enumerate() {
            let name: String = stream.chars().take(wide - 1).collect();
            scene.label((NUMBER + (n * wide) as f64, 0.0), name);
        }
        let mut y = 1.0;
        let mut rows = Vec::new();
        for (n, work) in self.works.iter().enumerate() {
            if work.left_out > 0 {
                let text = format!("… {} more", work.left_out);
                scene.label((NUMBER, y), text);
                y += 1.0;
            }
            let x = column(n);
            scene.label((0.0, y), (n + 1).to_string());
            let its = self.sides.iter().any(|(side, _)| *side == n);
            let mut start = x;
            if let Some(from) = work.after.filter(|from| *from < n) {
                let from_x = column(from);
                if from_x < x && self.has_room(from, n) {
                    scene.line((from_x + 1.0, rows[from] + 1.0), (from_x + 1.0, y), Tone::Plain);
                    scene.line((from_x + 1.0, y + MIDDLE), (x, y + MIDDLE), Tone::Plain);
                    scene.text((x, y), Align::Start, Tone::Plain, "▶");
                    start = x + 2.0;
                } else if from_x > x && self.has_room(from, n) {
                    let label = self.label(n, wide - 2).chars().count() as f64;
                    scene.line((from_x + 1.0, rows[from] + 1.0), (from_x + 1.0, y + MIDDLE), Tone::Plain);
                    scene.line((x + label + 2.0, y + MIDDLE), (from_x + 2.0, y + MIDDLE), Tone::Plain);
                    scene.text((x + label + 1.0, y), Align::Start, Tone::Plain, "◀");
                }
            }
            let tone = if its { Tone::Clash } else { Tone::Plain };
            let left = wide.saturating_sub((start - x) as usize + 1);
            scene.text((start, y), Align::Start, tone, self.label(n, left));
            rows.push(y);
            y += 1.0;
        }
        let [(one, does), (other, too)] = &self.sides;
        let sides = [format!("▲ {} {does},", one + 1), format!("{} {too}", other + 1)];
        let mut last = vec![sides.join(" ")];
        if last[0].chars().count() > columns {
            let [first, second] = sides;
            last = vec![first, format!("  {second}")];
        }
        if let Some(byte) = self.byte {
            let both = format!("(both byte {byte})");
            let end = last.last_mut().expect("there is a line");
            let room = end.chars().count() + 1 + both.chars().count() <= columns;
            if room { *end += &format!(" {both}") } else { last.push(format!("  {both}")) }
        }
        last.push(format!("  and nothing makes {} wait for {}", other + 1, one + 1));
        for line in last {
            scene.text((0.0, y), Align::Start, Tone::Plain, cut(line, columns));
            y += 1.0;
        }
        scene
    }

    fn words(&self) -> String {
        let waits = self.works.iter().enumerate().filter_map(|(n, work)| {
            let after = work.after?;
            Some(format!(
                "{} of {} waits for {} of {}.",
                n + 1,
                work.stream,
                after + 1,
                self.works[after].stream
            ))
        });
        let waits: String = waits.map(|text| text + " ").collect();
        let side = |(n, does): &(usize, String)| {
            let GivenWork { name, stream, .. } = &self.works[*n];
            format!("{} ({name} on {stream}) {does}", n + 1)
        };
        let [one, other] = &self.sides;
        format!(
            "In the order in which it was given: {waits}{}, and {}: nothing makes the second wait for the first.",
            side(one),
            side(other)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(name: &str, stream: u32, after: Option<usize>) -> GivenWork {
        GivenWork {
            name: format!("kernel {name}"),
            kernel: Some(name.to_owned()),
            stream: format!("stream {stream}"),
            line: 40 + stream,
            after,
            left_out: 0,
        }
    }

    #[test]
    fn what_waits_is_led_to_by_an_arrow() {
        let works = vec![
            work("produce", 1, None),
            work("consume", 2, Some(0)),
            work("produce", 1, None),
            work("consume", 2, Some(2)),
            work("produce", 1, Some(3)),
        ];
        let sides = [(1, "reads slots[0]".to_owned()), (4, "writes it".to_owned())];
        let mut unordered = Unordered { works, sides, byte: None };
        for columns in [36, 76] {
            let lines = unordered.scene(columns).plain_lines();
            assert!(lines.iter().all(|line| line.chars().count() <= columns), "{lines:#?}");
            assert!(lines.len() <= 12, "{lines:#?}");
        }
        unordered.works[4].after = None;
        let lines = unordered.scene(76).plain_lines();
        assert_eq!(
            lines,
            [
                "    stream 1              stream 2",
                "1   produce, line 41",
                "2    ─────────────────────▶ ▲ consume, line 42",
                "3   produce, line 41",
                "4    ─────────────────────▶ consume, line 42",
                "5   ▲ produce, line 41",
                "▲ 2 reads slots[0], 5 writes it",
                "  and nothing makes 5 wait for 2",
            ]
        );
    }
}
