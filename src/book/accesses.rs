//! What the warps of a lesson's solution touch, drawn: its work, without its code.

use crate::LessonAccesses;
use picture::{accesses, accesses_legend, escape};
use sim::PictureKind;

/// Columns for a picture: as wide as the page, where a lane's number has room on its bank.
const COLUMNS: usize = 112;

/// The section of a lesson's page. `slug`: the ids of its pictures begin with it, since pages may be put on one.
pub fn section(slug: &str, touched: &LessonAccesses) -> String {
    let kinds: Vec<&str> = touched.drawn.iter().map(|drawn| memory(drawn.picture.kind)).collect();
    let mut out = format!(
        "<h2 id=\"touched\">What the solution's warps touch</h2>\n<p>In a run of ours with {}: of {} memory, the line \
         that moves most, and its access that wastes most, lane by lane.</p>\n",
        escape(&touched.case),
        kinds.join(" and of "),
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
