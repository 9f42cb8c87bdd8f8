//! The memory that a program obtained from CUDA, over time.

use super::Document;
use picture::escape;

pub fn section(of: &Document) -> Option<String> {
    let scene = of.memory.as_ref()?;
    let (svg, words) = (scene.svg("memory-picture"), escape(&scene.words));
    Some(format!("<figure>\n{svg}<p class=\"note\">{words}</p>\n</figure>\n"))
}
