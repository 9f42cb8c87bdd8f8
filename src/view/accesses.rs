//! Pictures of the access of each line that wastes most.

use super::Run;
use picture::{accesses, escape};
use sim::{LineAccess, PictureKind};

/// Columns for the sectors of a buffer.
const COLUMNS: usize = 84;
/// Pictures of a page: a source that has more would not be looked through.
const MOST: usize = 60;

pub fn section(run: &Run) -> Option<String> {
    let mut out = String::new();
    let mut last = 0;
    for (n, access) in run.profile.accesses.iter().enumerate().take(MOST) {
        let Some(line) = access.at.location.as_ref().map(|at| at.line) else { continue };
        let id = if line == last { String::new() } else { format!(" id=\"touch-{line}\"") };
        last = line;
        let scene = accesses(&access.picture, COLUMNS);
        out += &format!(
            "<figure{id}>\n<figcaption><a href=\"#line-{line}\">Line {line}</a>: {}</figcaption>\n{}<p class=\"note\">{}</p>\n</figure>\n",
            escape(&report::access_line(access)),
            scene.svg(&format!("access-{n}")),
            escape(&scene.words)
        );
    }
    // A line's number leads to its picture, so each that has one must have a place.
    for access in run.profile.accesses.iter().skip(MOST) {
        let Some(line) = access.at.location.as_ref().map(|at| at.line).filter(|line| *line != last) else {
            continue;
        };
        last = line;
        out += &format!("<p id=\"touch-{line}\">Line {line}: {}</p>\n", escape(&report::access_line(access)));
    }
    let kinds = [PictureKind::Sectors, PictureKind::Banks];
    let has = |kind: &PictureKind| {
        run.profile.accesses.iter().any(|access: &LineAccess| access.picture.kind == *kind)
    };
    let legends = kinds.iter().filter(|kind| has(kind)).map(|kind| match kind {
        PictureKind::Sectors => "A row is a sector of 32 bytes, a box one of its eight words, with the number of the lane that \
                                 wants it (+: others want it too). Dashed boxes are moved and not used.",
        PictureKind::Banks => "A column is a bank of shared memory. Each row is a pass: a bank that has more than one different \
                               word to give needs more passes.",
    });
    let legend: String = legends.map(|text| format!("<p>{text}</p>\n")).collect();
    (!out.is_empty()).then(|| legend + &out)
}
