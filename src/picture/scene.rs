//! The data structures of a drawing.

use serde::{Deserialize, Serialize};
use unicode_width::UnicodeWidthStr;

/// A drawing on a grid of cells, each the size of a character: x to the right, y downwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// The title, in a few words.
    pub title: String,
    /// What there is to see, in sentences.
    pub words: String,
    /// Size in cells.
    pub width: f64,
    pub height: f64,
    pub marks: Vec<Mark>,
}

/// One thing that is drawn. Positions and sizes are in cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mark", rename_all = "kebab-case")]
pub enum Mark {
    /// A filled box, one cell high, with centred text.
    Cell { x: f64, y: f64, width: f64, tone: Tone, text: String },
    /// The outline of a box, with text in its top edge.
    Frame { x: f64, y: f64, width: f64, height: f64, tone: Tone, text: String },
    /// A line of text; `x` is its start, middle or end.
    Text { x: f64, y: f64, align: Align, tone: Tone, text: String },
    /// A straight line.
    Line { from: (f64, f64), to: (f64, f64), tone: Tone },
    /// A line with an arrow head at its end.
    Arrow { from: (f64, f64), to: (f64, f64), tone: Tone },
    /// A vertical bar in a cell: `share` of the cell's height is filled from the bottom.
    Bar { x: f64, y: f64, width: f64, share: f64, tone: Tone },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    Start,
    Middle,
    End,
}

/// The meaning of a mark. Colours are those of Okabe and Ito ("Color Universal Design", 2008), which are
/// distinguishable for colour-blind readers too; no meaning is conveyed by colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    Plain,
    /// In the background.
    Dim,
    Strong,
    /// Bytes that are used, or work that is done.
    Used,
    /// Bytes that are moved and not used.
    Wasted,
    /// Something that waits for something else, or goes wrong.
    Clash,
    Read,
    Write,
    /// Copies.
    Copy,
}

impl Tone {
    /// Returns the tone's CSS class in SVG.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Tone::Plain => "plain",
            Tone::Dim => "dim",
            Tone::Strong => "strong",
            Tone::Used => "used",
            Tone::Wasted => "wasted",
            Tone::Clash => "clash",
            Tone::Read => "read",
            Tone::Write => "write",
            Tone::Copy => "copy",
        }
    }

    /// Returns the character that fills a cell without text in a terminal.
    pub(crate) fn glyph(self) -> char {
        match self {
            Tone::Plain | Tone::Dim | Tone::Wasted => '·',
            Tone::Strong | Tone::Used | Tone::Read => '■',
            Tone::Clash => '▲',
            Tone::Write => '▪',
            Tone::Copy => '=',
        }
    }
}

impl Scene {
    pub fn new(title: impl Into<String>) -> Scene {
        Scene { title: title.into(), words: String::new(), width: 0.0, height: 0.0, marks: Vec::new() }
    }

    fn grow(&mut self, x: f64, y: f64) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    pub fn cell(&mut self, (x, y): (f64, f64), width: f64, tone: Tone, text: impl Into<String>) {
        self.grow(x + width, y + 1.0);
        self.marks.push(Mark::Cell { x, y, width, tone, text: text.into() });
    }

    pub fn frame(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        tone: Tone,
        text: impl Into<String>,
    ) {
        self.grow(x + width, y + height);
        self.marks.push(Mark::Frame { x, y, width, height, tone, text: text.into() });
    }

    pub fn text(&mut self, (x, y): (f64, f64), align: Align, tone: Tone, text: impl Into<String>) {
        let text = text.into();
        let width = text.width() as f64;
        let end = match align {
            Align::Start => x + width,
            Align::Middle => x + width / 2.0,
            Align::End => x,
        };
        self.grow(end, y + 1.0);
        self.marks.push(Mark::Text { x, y, align, tone, text });
    }

    /// Adds text that begins at a position, in the background.
    pub fn label(&mut self, at: (f64, f64), text: impl Into<String>) {
        self.text(at, Align::Start, Tone::Dim, text);
    }

    /// Appends a legend below everything else, with as many entries per row as `columns` has room for.
    pub fn legend<'a>(&mut self, columns: usize, marks: impl IntoIterator<Item = (Tone, &'a str, &'a str)>) {
        let (mut x, mut y) = (0.0, self.height);
        for (tone, mark, meaning) in marks {
            let wide = 2.0 + meaning.chars().count() as f64;
            if x > 0.0 && x + wide > columns as f64 {
                (x, y) = (0.0, y + 1.0);
            }
            self.cell((x, y), 1.0, tone, mark);
            self.text((x + 2.0, y), Align::Start, Tone::Plain, meaning);
            x += wide + 2.0;
        }
    }

    pub fn arrow(&mut self, from: (f64, f64), to: (f64, f64), tone: Tone) {
        self.grow(from.0.max(to.0), from.1.max(to.1));
        self.marks.push(Mark::Arrow { from, to, tone });
    }

    /// Adds a bar; `share` is from 0 to 1.
    pub fn bar(&mut self, (x, y): (f64, f64), width: f64, share: f64, tone: Tone) {
        self.grow(x + width, y + 1.0);
        self.marks.push(Mark::Bar { x, y, width, share, tone });
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), tone: Tone) {
        self.grow(from.0.max(to.0), from.1.max(to.1));
        self.marks.push(Mark::Line { from, to, tone });
    }
}

/// Formats a count with its noun: `1 lane`, `4 lanes`.
pub(crate) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
