//! Images on a page.

use super::{Image, colour};
use crate::escape;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Maximum width in CSS pixels; an image is enlarged by an integer factor up to this width.
const WIDE: usize = 768;
/// Maximum image pixels in each direction; larger images are averaged.
const MOST: usize = 256;
/// Number of distinct colours, limited so that runs of one colour are long.
const COLOURS: u8 = 64;

impl Image {
    /// Renders an `svg` element. `name` is its id on the page, `words` describes the image.
    pub fn svg(&self, name: &str, words: &str) -> String {
        let (rows, cols) = self.shrunk_extents(MOST, MOST);
        let image = self.averaged(rows, cols);
        let mut runs: BTreeMap<u8, (usize, String)> = BTreeMap::new();
        for row in 0..rows {
            let mut col = 0;
            for run in image.row(row).chunk_by(|a, b| step(*a) == step(*b)) {
                let (pixels, path) = runs.entry(step(run[0])).or_default();
                *pixels += run.len();
                write!(path, "M{col} {row}h{}v1h-{}z", run.len(), run.len()).expect("a String takes all");
                col += run.len();
            }
        }
        // The most frequent colour is drawn as the background.
        let ground = runs.iter().max_by_key(|(_, (pixels, _))| *pixels).map_or(0, |(step, _)| *step);
        let paths = runs.iter().filter(|(step, _)| **step != ground);
        let paths: String = paths
            .map(|(step, (_, path))| format!("<path fill=\"{}\" d=\"{path}\"/>\n", hex(*step)))
            .collect();
        let times = (WIDE / cols).max(1);
        format!(
            "<svg class=\"image\" role=\"img\" aria-labelledby=\"{name}-title\" \
             xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {cols} {rows}\" width=\"{}\" \
             shape-rendering=\"crispEdges\"><title id=\"{name}-title\">{}</title>\n\
             <rect fill=\"{}\" width=\"{cols}\" height=\"{rows}\"/>\n{paths}</svg>\n",
            cols * times,
            escape(words),
            hex(ground)
        )
    }
}

/// Returns the index of a level's colour.
fn step(level: u8) -> u8 {
    (u16::from(level) * u16::from(COLOURS - 1) / 255) as u8
}

fn hex(step: u8) -> String {
    let level = u16::from(step) * 255 / u16::from(COLOURS - 1);
    let [red, green, blue] = colour::colour(level as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}
