//! Images that a lesson's kernels computed.

use super::layout::{paragraph, plural};
use super::{Style, escape};
use judge::Image as Made;
use picture::Image;
use serde::{Deserialize, Serialize};

/// Maximum height of an image in a terminal, in lines.
const LINES: usize = 30;

/// An output of a lesson's first case, as pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageView {
    /// Name of the output.
    pub buffer: String,
    #[serde(flatten)]
    pub image: Image,
    /// Number of pixels that were never written or are not a number.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unset: usize,
    /// How often the kernels ran, each time on their previous result; `None` if once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

impl ImageView {
    /// Creates the view; `None` where the image has no pixels.
    pub fn new(made: Made) -> Option<ImageView> {
        Some(ImageView {
            buffer: made.buffer,
            image: Image::new(made.rows, made.cols, made.levels)?,
            unset: made.unset,
            rounds: Some(made.rounds).filter(|rounds| *rounds != 1),
        })
    }

    /// Describes the image in words. `maker` names whose it is, such as `your kernel`.
    pub fn words_of(&self, maker: &str) -> String {
        let again = self.rounds.map_or(String::new(), |rounds| {
            format!(", run {} on what it had made", plural(u64::from(rounds), "time", "times"))
        });
        let unset = match self.unset {
            0 => String::new(),
            unset => format!("; {} without a value, drawn dark", plural(unset as u64, "pixel", "pixels")),
        };
        let (buffer, rows, cols) = (&self.buffer, self.image.rows(), self.image.cols());
        format!("What {maker} made: {buffer}, {rows} × {cols}{again}{unset}")
    }

    /// Renders the image for a terminal.
    pub(super) fn render(&self, style: &Style) -> String {
        const INDENT: usize = 2;
        let drawn = self.image.in_terminal(style.image, style.columns().saturating_sub(2 * INDENT), LINES);
        let lines = drawn.lines().map(|line| match line.is_empty() {
            true => "\n".to_owned(),
            false => format!("{:INDENT$}{line}\n", ""),
        });
        let head = paragraph(&escape(&self.words_of("your kernel")), style.width, INDENT);
        format!("\n{head}{}", lines.collect::<String>())
    }
}
