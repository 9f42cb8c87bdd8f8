//! The memory that a program had from CUDA, over time.

use super::Run;
use picture::{escape, memory};

/// Columns for a picture: as wide as the page.
const COLUMNS: usize = 112;

pub fn section(run: &Run) -> Option<String> {
    let (uses, end_ns) = run.memory;
    let scene = memory(uses, end_ns, COLUMNS)?;
    let (svg, words) = (scene.svg("memory-picture"), escape(&scene.words));
    Some(format!("<figure>\n{svg}<p class=\"note\">{words}</p>\n</figure>\n"))
}
