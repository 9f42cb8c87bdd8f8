//! Pictures of each line's most wasteful access, and of reductions.

use super::Document;
use picture::{accesses, accesses_legend, escape};
use sim::PictureKind;

/// Columns of a picture: as wide as the page.
const COLUMNS: usize = 112;
/// Maximum number of pictures on a page; nobody would look through more.
const MOST: usize = 60;

/// Element in which the page's script shows pictures next to a line of the source, and announces them.
const SHOWN_WITH_LINE: &str = "<aside id=\"touched\" tabindex=\"-1\" aria-label=\"What the warps of a line access\" hidden></aside>\n\
                               <p id=\"touched-words\" class=\"unseen\" role=\"status\"></p>\n";

pub fn section(of: &Document) -> Option<String> {
    let mut out = String::new();
    let mut last = 0;
    for (n, access) in of.accesses.iter().enumerate() {
        let line = access.line;
        // A line's number links to its first picture.
        let id = if line == last { String::new() } else { format!(" id=\"touch-{line}\"") };
        last = line;
        let code = of.source.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let caption = format!(
            "<a href=\"#line-{line}\">Line {line}</a>, {} <code>{}</code>",
            escape(&access.text),
            escape(code.trim())
        );
        if n >= MOST {
            out += &format!("<p{id} data-line=\"{line}\">{caption}</p>\n");
            continue;
        }
        let scenes = [(accesses(&access.picture, COLUMNS), "access")].into_iter();
        let scenes = scenes.chain(access.on_buffer.clone().map(|scene| (scene, "buffer")));
        let drawn: String =
            scenes.map(|(scene, name)| scene.svg_with_words(&format!("{name}-{n}"))).collect();
        out += &format!(
            "<figure{id} data-line=\"{line}\">\n<figcaption>{caption}</figcaption>\n{drawn}</figure>\n"
        );
    }
    let has = |kind| of.accesses.iter().any(|access| access.picture.kind == kind);
    let kinds = [(PictureKind::Sectors, "Global memory"), (PictureKind::Banks, "Shared memory")];
    let legend = kinds.into_iter().filter(|(kind, _)| has(*kind));
    let legend: String =
        legend.map(|(kind, of)| format!("<p>{of}. {}</p>\n", accesses_legend(kind))).collect();
    if !out.is_empty() {
        out = legend + &out + SHOWN_WITH_LINE;
    }
    for (n, reduction) in of.reductions.iter().enumerate() {
        let scene = reduction.scene(COLUMNS, true);
        out += &format!(
            "<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n",
            escape(&scene.title),
            scene.svg_with_words(&format!("reduction-{n}"))
        );
    }
    Some(out).filter(|out| !out.is_empty())
}
