//! Scenes as lines of characters.

use super::scene::{Align, Mark, Scene, Tone};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A grid of characters with their tones.
struct Canvas {
    rows: Vec<Vec<(char, Tone)>>,
}

impl Canvas {
    fn put(&mut self, x: usize, y: usize, c: char, tone: Tone) {
        let Some(row) = self.rows.get_mut(y) else { return };
        if row.len() <= x {
            row.resize(x + 1, (' ', Tone::Plain));
        }
        row[x] = (c, tone);
    }

    /// Writes text. Characters that are not one column wide are replaced, because they would shift what follows.
    fn write(&mut self, x: usize, y: usize, text: &str, tone: Tone) {
        for (n, c) in text.chars().enumerate() {
            self.put(x + n, y, if c.width() == Some(1) { c } else { '?' }, tone);
        }
    }
}

impl Scene {
    /// Renders the scene's lines without colours.
    pub fn plain_lines(&self) -> Vec<String> {
        self.lines(&|_, text| text.to_owned())
    }

    /// Renders the scene's lines; `paint` colours a text by its tone.
    pub fn lines(&self, paint: &dyn Fn(Tone, &str) -> String) -> Vec<String> {
        let mut canvas = Canvas { rows: vec![Vec::new(); self.height.ceil() as usize] };
        self.marks.iter().for_each(|mark| draw(&mut canvas, mark));
        let line = |row: Vec<(char, Tone)>| {
            let end = row.iter().rposition(|(c, _)| *c != ' ').map_or(0, |last| last + 1);
            let runs = row[..end].chunk_by(|a, b| a.1 == b.1);
            runs.map(|run| paint(run[0].1, &run.iter().map(|(c, _)| *c).collect::<String>())).collect()
        };
        canvas.rows.into_iter().map(line).collect()
    }
}

fn draw(canvas: &mut Canvas, mark: &Mark) {
    let at = |n: f64| n.max(0.0).round() as usize;
    match mark {
        Mark::Cell { x, y, width, tone, text } => {
            let (x, y, width) = (at(*x), at(*y), at(*width).max(1));
            // Leaves a gap between two cells, if there is room for one.
            let inner = if width > 1 { width - 1 } else { 1 };
            if text.is_empty() {
                (0..inner).for_each(|n| canvas.put(x + n, y, tone.glyph(), *tone));
            } else {
                let text: String = text.chars().take(inner).collect();
                canvas.write(x + (inner - text.width().min(inner)) / 2, y, &text, *tone);
            }
        }
        Mark::Frame { x, y, width, height, tone, text } => {
            let (left, top) = (at(*x), at(*y));
            let (right, bottom) = (left + at(*width).max(2) - 1, top + at(*height).max(2) - 1);
            for x in left..=right {
                canvas.put(x, top, '─', *tone);
                canvas.put(x, bottom, '─', *tone);
            }
            for y in top..=bottom {
                canvas.put(left, y, '│', *tone);
                canvas.put(right, y, '│', *tone);
            }
            for (x, y, c) in [(left, top, '┌'), (right, top, '┐'), (left, bottom, '└'), (right, bottom, '┘')]
            {
                canvas.put(x, y, c, *tone);
            }
            if !text.is_empty() {
                canvas.write(left + 2, top, &format!(" {text} "), Tone::Strong);
            }
        }
        Mark::Text { x, y, align, tone, text } => {
            let start = match align {
                Align::Start => *x,
                Align::Middle => x - text.width() as f64 / 2.0,
                Align::End => x - text.width() as f64,
            };
            canvas.write(at(start), at(*y), text, *tone);
        }
        // The arrow runs vertically first, then horizontally.
        Mark::Arrow { from, to, tone } => {
            let ((x0, y0), (x1, y1)) = ((at(from.0), at(from.1)), (at(to.0), at(to.1)));
            (y0.min(y1)..y0.max(y1)).for_each(|y| canvas.put(x0, y, '│', *tone));
            (x0.min(x1)..x0.max(x1)).for_each(|x| canvas.put(x, y1, '─', *tone));
            let head = match x0.cmp(&x1) {
                std::cmp::Ordering::Less => '▶',
                std::cmp::Ordering::Greater => '◀',
                std::cmp::Ordering::Equal if y1 >= y0 => '▼',
                std::cmp::Ordering::Equal => '▲',
            };
            canvas.put(x1, y1, head, *tone);
        }
        Mark::Bar { x, y, width, share, tone } => {
            const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
            // Any share above 0 is visible.
            let eighths = (share.clamp(0.0, 1.0) * 8.0).ceil() as usize;
            (0..at(*width).max(1)).for_each(|n| canvas.put(at(*x) + n, at(*y), EIGHTHS[eighths], *tone));
        }
        // Only vertical and horizontal lines can be drawn with characters.
        Mark::Line { from, to, tone } => {
            let ((x0, y0), (x1, y1)) = ((at(from.0), at(from.1)), (at(to.0), at(to.1)));
            if y0 == y1 {
                (x0.min(x1)..x0.max(x1)).for_each(|x| canvas.put(x, y0, '─', *tone));
            } else if x0 == x1 {
                (y0.min(y1)..y0.max(y1)).for_each(|y| canvas.put(x0, y, '│', *tone));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_characters() {
        let mut scene = Scene::new("t");
        scene.frame((0.0, 0.0), (12.0, 3.0), Tone::Dim, "L2");
        scene.cell((2.0, 1.0), 4.0, Tone::Used, "7");
        scene.cell((6.0, 1.0), 4.0, Tone::Wasted, "");
        assert_eq!(scene.plain_lines(), ["┌─ L2 ─────┐", "│  7  ···  │", "└──────────┘"]);
    }

    #[test]
    fn arrows_and_bars_become_characters() {
        let mut scene = Scene::new("t");
        scene.arrow((1.0, 0.0), (4.0, 1.0), Tone::Plain);
        scene.bar((6.0, 1.0), 1.0, 0.01, Tone::Used);
        scene.bar((7.0, 1.0), 2.0, 1.0, Tone::Used);
        assert_eq!(scene.plain_lines(), [" │", " ───▶ ▁██"]);
        let svg = scene.svg("p");
        assert!(svg.contains("<polygon class=\"plain\" points=\"36.0,24.0 "), "{svg}");
    }
}
