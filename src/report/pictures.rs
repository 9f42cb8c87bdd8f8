//! Terminal pictures of a run: the lanes of a warp on the memory that each line accesses.

use super::layout::{grouped, paragraph, plural};
use super::{Style, escape, paint};
use judge::Mismatch;
use picture::{BufferShape, ElementState, Reduction, Scene, Tone, accesses, elements};
use sim::{AccessKind, LineAccess, PictureKind, Profile, Target};

/// Legends of the pictures.
const SECTORS: &str = "For global memory, each group is a sector of 32 bytes, shown as words of 4: the number of the lane that accesses \
                       it, + where others access it too, ·· where it is moved but not used.";
const BANKS: &str = "For shared memory, a column is a bank and a row a pass: ■, or a lane's number, is a word that is accessed in \
                     the bank, ▲ a further one, which needs its own pass, · nothing.";

/// The memory accesses of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunAccesses<'a> {
    pub profile: &'a Profile,
    /// Buffers whose extents are known.
    pub buffers: &'a [BufferShape],
    /// The file whose lines are named.
    pub file: &'a str,
    /// Whether the run had no findings: reductions are only drawn of correct code.
    pub is_clean: bool,
}

/// Draws the most wasteful access of each line, beginning with the most wasteful line, then the reductions.
/// `columns` is the terminal's width, all of which pictures use; `most` is the maximum number of lines drawn.
pub fn pictures(touched: &RunAccesses, columns: usize, most: usize, style: &Style) -> String {
    let RunAccesses { profile, buffers, file, is_clean } = *touched;
    let mut order: Vec<&LineAccess> = profile.accesses.iter().collect();
    order.sort_by_key(|access| std::cmp::Reverse(access.units.saturating_sub(access.least)));
    let mut out = String::new();
    for access in order.iter().take(most) {
        let line = access.at.location.as_ref().map_or(String::new(), |at| format!("line {}: ", at.line));
        out +=
            &format!("\n{}", paragraph(&format!("{line}{}", escape(&access_line(access))), style.width, 2));
        out += &indented(&accesses(&access.picture, columns.saturating_sub(4)), 4);
    }
    // For a matrix, also draw where in it the most wasteful warp is.
    let worst = order.iter().take(most).find_map(|access| on_buffer(access, buffers));
    if let Some(scene) = worst {
        out += &format!("\n{}", paragraph(&escape(&scene.title), style.width, 2));
        out += &indented(&scene, 4);
        out += &paragraph(&escape(&scene.words), style.width, 4);
    }
    for (kind, meaning) in [(PictureKind::Sectors, SECTORS), (PictureKind::Banks, BANKS)] {
        if order.iter().take(most).any(|access| access.picture.kind == kind) {
            out += &paint::dim(&format!("\n{}", paragraph(meaning, style.width, 2)));
        }
    }
    if order.is_empty() {
        return paragraph("No warp accesses global or shared memory.", style.width, 2);
    }
    if order.len() > most {
        let rest = order.len() - most;
        out += &paint::dim(&format!("\n  and {} others, which do not waste more\n", grouped(rest as u64)));
    }
    for seen in profile.reductions.iter().filter(|_| is_clean) {
        let drawn = Reduction::new(seen, file).scene(columns.saturating_sub(4), false);
        out += &format!("\n{}", paragraph(&escape(&drawn.title), style.width, 2));
        out += &indented(&drawn, 4);
    }
    out
}

/// Draws where in its buffer the warp of an access is; `None` unless the buffer has several rows.
pub fn on_buffer(access: &LineAccess, buffers: &[BufferShape]) -> Option<Scene> {
    let Target::Buffer { name, .. } = &access.at.target else { return None };
    buffers.iter().find(|buffer| *buffer.name == **name)?.touched(&access.picture)
}

/// Describes the accesses of a line in one sentence, such as
/// `loads of in: 5 120 requests, 40 960 sectors; 5 120 would do`.
pub fn access_line(access: &LineAccess) -> String {
    let verb = match access.at.kind {
        AccessKind::Read => "loads of",
        AccessKind::Write => "stores to",
        AccessKind::Atomic => "atomics on",
    };
    let name = match (access.at.target.region(), access.picture.kind) {
        (Some(region), _) => region.name,
        (None, PictureKind::Banks) => "shared memory",
        (None, PictureKind::Sectors) => "memory",
    };
    let units = match (access.at.kind, access.picture.kind) {
        (AccessKind::Atomic, _) => ("turn", "turns"),
        (_, PictureKind::Sectors) => ("sector", "sectors"),
        (_, PictureKind::Banks) => ("pass", "passes"),
    };
    let least = if access.least < access.units {
        format!("; {} would do", grouped(access.least))
    } else {
        String::new()
    };
    format!(
        "{verb} {name}: {} of warps, {}{least}",
        plural(access.requests, "request", "requests"),
        plural(access.units, units.0, units.1)
    )
}

/// Draws the elements of a wrong output as right, wrong or never written; `None` where there are too many, or
/// where their order is free.
pub fn wrong_elements(mismatch: &Mismatch) -> Option<Scene> {
    if mismatch.any_order {
        return None;
    }
    let state = |(right, written): (&bool, &bool)| match (right, written) {
        (true, _) => ElementState::Right,
        (false, true) => ElementState::Wrong,
        (false, false) => ElementState::Unset,
    };
    let states: Vec<ElementState> = mismatch.right.iter().zip(&mismatch.written).map(state).collect();
    elements(&mismatch.buffer, &mismatch.shape, &states)
}

/// Renders a picture with its words for a terminal.
pub fn scene(scene: &Scene, style: &Style) -> String {
    paragraph(&escape(&scene.words), style.width, 0) + &indented(scene, 2)
}

/// Renders only the picture's lines, each after `spaces` spaces.
pub(crate) fn indented(scene: &Scene, spaces: usize) -> String {
    scene.lines(&painted).iter().map(|line| format!("{:spaces$}{line}\n", "")).collect()
}

fn painted(tone: Tone, text: &str) -> String {
    match tone {
        Tone::Used | Tone::Read | Tone::Copy => paint::accent(text),
        Tone::Clash | Tone::Write => paint::bad(text),
        Tone::Dim | Tone::Wasted => paint::dim(text),
        Tone::Plain | Tone::Strong => text.to_owned(),
    }
}
