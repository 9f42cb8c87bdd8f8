//! Pictures of the memory accesses of a lesson's solution, which show its work without its code.

use crate::LessonAccesses;
use picture::{accesses, accesses_legend, escape};
use sim::PictureKind;

/// Columns of a picture: as wide as the page, so that a lane's number fits on its bank.
const COLUMNS: usize = 112;

/// Renders the section of a lesson's page. The ids of its pictures begin with `slug`, since pages may be merged
/// into one.
pub fn section(slug: &str, touched: &LessonAccesses) -> String {
    let kinds: Vec<&str> = touched.drawn.iter().map(|drawn| memory(drawn.picture.kind)).collect();
    let mut out = format!(
        "<h2 id=\"touched\">What the solution's warps access</h2>\n<p>In a run of our solution with {}: for {} memory, the line \
         that moves most, and its most wasteful access, lane by lane.</p>\n",
        escape(&touched.case),
        kinds.join(" and for "),
    );
    for drawn in &touched.drawn {
        let (scene, kind) = (accesses(&drawn.picture, COLUMNS), drawn.picture.kind);
        out += &format!(
            "<figure tabindex=\"0\">\n<figcaption>In {} memory, {}</figcaption>\n{}<p class=\"note\">{} {}</p>\n</figure>\n",
            memory(kind),
            escape(&drawn.words),
            scene.svg(&format!("{}-{}", escape(slug), memory(kind))),
            escape(&scene.words),
            accesses_legend(kind)
        );
    }
    out
}

fn memory(kind: PictureKind) -> &'static str {
    match kind {
        PictureKind::Sectors => "global",
        PictureKind::Banks => "shared",
    }
}
