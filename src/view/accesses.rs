//! Pictures of the access of each line that wastes most.

use super::Run;
use picture::{accesses, accesses_legend, escape};
use sim::PictureKind;

/// Columns for a picture: as wide as the page.
const COLUMNS: usize = 112;
/// Pictures of a page: a source that has more would not be looked through.
const MOST: usize = 60;

/// Where the page's script shows them together with a line of the source, and says them.
const SHOWN_WITH_LINE: &str = "<aside id=\"touched\" tabindex=\"-1\" aria-label=\"What the warps of a line touch\" hidden></aside>\n\
                               <p id=\"touched-words\" class=\"unseen\" role=\"status\"></p>\n";

pub fn section(run: &Run) -> Option<String> {
    let mut out = String::new();
    let mut last = 0;
    for (n, (line, access)) in run.accesses().enumerate() {
        // A line's number leads to its first picture.
        let id = if line == last { String::new() } else { format!(" id=\"touch-{line}\"") };
        last = line;
        let code = run.source.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
        let caption = format!(
            "<a href=\"#line-{line}\">Line {line}</a>, {} <code>{}</code>",
            escape(&report::access_line(access)),
            escape(code.trim())
        );
        if n >= MOST {
            out += &format!("<p{id} data-line=\"{line}\">{caption}</p>\n");
            continue;
        }
        let scene = accesses(&access.picture, COLUMNS);
        out += &format!(
            "<figure{id} data-line=\"{line}\">\n<figcaption>{caption}</figcaption>\n{}<p class=\"note\">{}</p>\n</figure>\n",
            scene.svg(&format!("access-{n}")),
            escape(&scene.words)
        );
    }
    let has = |kind| run.accesses().any(|(_, access)| access.picture.kind == kind);
    let kinds = [(PictureKind::Sectors, "Global memory"), (PictureKind::Banks, "Shared memory")];
    let legend = kinds.into_iter().filter(|(kind, _)| has(*kind));
    let legend: String =
        legend.map(|(kind, of)| format!("<p>{of}. {}</p>\n", accesses_legend(kind))).collect();
    (!out.is_empty()).then(|| legend + &out + SHOWN_WITH_LINE)
}
