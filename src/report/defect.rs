//! A defect the simulator found, in the learner's words: who touched what, and where.

use super::advice::{both_write, in_order, unordered};
use super::cpp::Cpp;
use super::excerpt::{Excerpt, Spot};
use super::extents::Shared;
use super::layout::{paragraph, plural};
use super::picture::{self, timeline};
use super::sides::{access_view, spot};
use super::view::{About, FindingView};
use super::{Style, escape, paint, snippet};
use crate::sim::{Access, AccessKind, Actor, Code, Dim3, Finding, Target};

pub(super) fn view(finding: &Finding, about: &About) -> FindingView {
    let about = &told_apart(finding, about);
    let race = finding.other.is_some() && !matches!(finding.at.target, Target::None);
    let here = |access, label, primary| spot(access, label, primary, about);
    let label = |access: &Access, again: bool| match &access.target {
        // What the host or its work did is told whole.
        Target::None if access.actor != Actor::Thread && !finding.code.code().starts_with('H') => {
            sentence(access, about, false)
        }
        Target::None => format!("{} {}", sentence(access, about, false), stands(finding)),
        _ if race => sentence(access, about, again) + " here",
        _ => sentence(access, about, again),
    };
    let mut places: Vec<Spot> = Vec::new();
    places.extend(finding.other.as_ref().and_then(|other| here(other, label(other, false), false)));
    // The second of two lines may say "it"; on one line the order is that of the columns.
    let again = finding.other.as_ref().is_some_and(|other| {
        let line = |a: &Access| a.location.as_ref().map(|l| l.line);
        element(other, about) == element(&finding.at, about) && line(other) < line(&finding.at)
    });
    places.extend(here(&finding.at, label(&finding.at, again), true));
    let name = |access: &Access| actor(access, about);
    let what = element(&finding.at, about).unwrap_or_else(|| "it".into());
    let mut notes: Vec<String> = unordered(finding, &what, &name, about).into_iter().collect();
    notes.extend(finding.notes.iter().cloned());
    FindingView {
        code: finding.code.code().into(),
        slug: finding.code.slug().into(),
        severity: "defect".into(),
        message: message(finding, about),
        title: finding.code.title().into(),
        help: finding.code.help().into(),
        at: access_view(&finding.at, about),
        other: finding.other.as_ref().map(|a| access_view(a, about)),
        hits: finding.hits,
        threads: finding.threads,
        kernel: Cpp::new(about.source).kernel_around(finding.at.location.as_ref().map_or(0, |l| l.line)),
        case: None,
        values: Vec::new(),
        cost: None,
        notes,
        excerpt: Excerpt::of(about.source, &places),
        picture: sides_of_a_race(finding, about),
    }
}

/// How a finding is to be told whose sides are threads of two blocks: each with its block.
pub(super) fn told_apart<'a>(finding: &Finding, about: &About<'a>) -> About<'a> {
    let of_thread = |access: &&Access| access.actor == Actor::Thread;
    let other = finding.other.as_ref().filter(of_thread);
    let apart = Some(&finding.at).filter(of_thread).zip(other).is_some_and(|(a, b)| a.block != b.block);
    About { every_block: about.every_block || apart, ..about.clone() }
}

/// What it is, in a few words. Two writes need no word for a race.
pub(super) fn title(finding: &Finding) -> &'static str {
    match finding.code {
        Code::GlobalRace if both_write(finding) => "two threads write one element",
        code => code.title(),
    }
}

/// The whole in one sentence.
fn message(finding: &Finding, about: &About) -> String {
    let at = sentence(&finding.at, about, false);
    match &finding.other {
        Some(other) => format!("{}: {}, {at}", finding.code.title(), sentence(other, about, false)),
        None => format!("{}: {at}", finding.code.title()),
    }
}

/// A race within a block along the barriers around it.
fn sides_of_a_race(finding: &Finding, about: &About) -> Vec<String> {
    let within = finding.other.as_ref().is_some_and(|other| other.block == finding.at.block);
    let race = matches!(finding.code, Code::SharedRace | Code::GlobalRace);
    let Some(sides) = in_order(finding, about).filter(|_| race && within) else { return Vec::new() };
    let side = |(access, line): (&Access, u32)| {
        let (who, all) = (actor(access, about), sentence(access, about, false));
        let does = all.strip_prefix(&who).unwrap_or(&all).trim_start().to_string();
        picture::Side { line, who, does }
    };
    let [one, two] = sides.map(side);
    timeline([&one, &two], about.source)
}

/// What a thread does where no memory is involved.
fn stands(finding: &Finding) -> &'static str {
    match finding.code {
        Code::DivergentBarrier | Code::Deadlock => "waits here",
        Code::WarpMask => "is here",
        Code::EndlessLoop => "was still here",
        Code::Undefined => "uses it here",
        _ => "stopped here",
    }
}

/// Locations name the file as it was given to the compiler: compare the last part.
pub(super) fn same_file(a: &str, b: &str) -> bool {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_string();
    name(a) == name(b)
}

pub(super) fn xyz(at: Dim3) -> [u32; 3] {
    [at.x, at.y, at.z]
}

/// Who made an access, as a reader knows them.
fn actor(access: &Access, about: &About) -> String {
    match &access.actor {
        Actor::Thread => who(access.thread, access.block, about),
        Actor::Host => "the host".into(),
        Actor::Operation(words) => words.to_string(),
    }
}

/// `thread 5 of block 2`; block 0 goes without saying, unless another takes part.
pub(super) fn who(thread: Dim3, block: Dim3, about: &About) -> String {
    let thread = index(thread, about.thread_dims);
    match block {
        Dim3 { x: 0, y: 0, z: 0 } if !about.every_block => format!("thread {thread}"),
        block => format!("thread {thread} of block {}", index(block, about.block_dims)),
    }
}

pub(super) fn index(at: Dim3, dims: usize) -> String {
    match (dims, at) {
        (_, Dim3 { z: 1.., .. }) | (3.., _) => format!("({}, {}, {})", at.x, at.y, at.z),
        (_, Dim3 { y: 1.., .. }) | (2, _) => format!("({}, {})", at.x, at.y),
        _ => at.x.to_string(),
    }
}

/// `thread 5 of block 2 writes s[5]`; the element is `it` where it was named before.
pub(super) fn sentence(access: &Access, about: &About, again: bool) -> String {
    let text = actor(access, about);
    let verb = match access.kind {
        AccessKind::Read => "reads",
        AccessKind::Write => "writes",
        AccessKind::Atomic => "updates",
    };
    match element(access, about) {
        None => text,
        Some(_) if again => format!("{text} {verb} it"),
        Some(what) => format!("{text} {verb} {what}"),
    }
}

/// What is touched: `s[5]`, `in[4] (in has 4 elements)`; none where no memory is involved.
fn element(access: &Access, about: &About) -> Option<String> {
    let (name, size, offset) = match &access.target {
        Target::None => return None,
        Target::Host { part } => return Some(format!("the host's {part}")),
        Target::Nowhere { address: 0 } => return Some("through a null pointer".into()),
        Target::Nowhere { address } if *address < 4096 => {
            return Some(format!("through a null pointer, {address} bytes on"));
        }
        Target::Nowhere { .. } => return Some("where nothing is allocated".into()),
        Target::Local { offset_bytes, size_bytes } => {
            return Some(format!(
                "byte {offset_bytes} of its own memory, which has {}",
                plural(*size_bytes, "byte", "bytes")
            ));
        }
        Target::Buffer { name, size_bytes, offset_bytes }
        | Target::Shared { name, size_bytes, offset_bytes }
        | Target::Constant { name, size_bytes, offset_bytes } => (name, *size_bytes, *offset_bytes),
    };
    let bytes = match &access.target {
        Target::Buffer { .. } => about.element_bytes.get(&**name).copied().unwrap_or(access.bytes),
        _ => access.bytes,
    };
    let size_of = i64::from(bytes.max(1));
    if bytes == 0 || offset % size_of != 0 {
        let place = format!("byte {offset} of `{name}`");
        return Some(if outside(offset, access.bytes, size) {
            format!("{place}, which has {}", plural(size, "byte", "bytes"))
        } else {
            place
        });
    }
    let rows = match &access.target {
        Target::Shared { .. } => rows(name, size, offset, about),
        _ => None,
    };
    let is_outside = outside(offset, access.bytes, size);
    Some(match rows {
        Some((place, extents)) if is_outside => format!("{place}; `{name}` is {extents}"),
        Some((place, _)) => place,
        None if is_outside => {
            let place = format!("{name}[{}]", offset / size_of);
            format!("{place}; `{name}` has {}", plural(size / size_of.unsigned_abs(), "element", "elements"))
        }
        None => format!("{name}[{}]", offset / size_of),
    })
}

/// `tile[0][2]` and `[16][17]` for an element of an array of several extents, where its declaration
/// tells them.
fn rows(name: &str, size_bytes: u64, offset_bytes: i64, about: &About) -> Option<(String, String)> {
    let Some(Shared::Extents(extents)) = Cpp::new(about.source).shared_array(name, size_bytes) else {
        return None;
    };
    let bytes = size_bytes / extents.iter().product::<u64>().max(1);
    // Before its start there is no row to name.
    let mut rest = u64::try_from(offset_bytes).ok()?;
    if extents.len() < 2 || rest % bytes.max(1) != 0 {
        return None;
    }
    rest /= bytes.max(1);
    let mut place = String::new();
    for extent in extents[1..].iter().rev() {
        place = format!("[{}]{place}", rest % extent);
        rest /= extent;
    }
    let extents: String = extents.iter().map(|extent| format!("[{extent}]")).collect();
    Some((format!("{name}[{rest}]{place}"), extents))
}

fn outside(offset: i64, bytes: u32, size: u64) -> bool {
    offset < 0 || (offset as u64).saturating_add(u64::from(bytes)) > size
}

/// One finding: its name, place, lines and facts.
pub(super) fn render(finding: &FindingView, file: &str, style: &Style) -> String {
    let width = style.width;
    let kind = if finding.severity == "advice" { "advice: " } else { "" };
    let head = format!("{kind}{} [{}]", escape(&finding.slug), escape(&finding.code));
    let mut out = format!("  {}\n", paint::bold(&head));
    let at = &finding.at;
    let file = at.file.as_deref().filter(|f| !same_file(f, file)).unwrap_or(file);
    if at.line > 0 {
        let column = if at.column > 0 { format!(":{}", at.column) } else { String::new() };
        out += &format!("    {}\n", paint::accent(&format!("{}:{}{column}", escape(file), at.line)));
    }
    if finding.excerpt.lines.is_empty() {
        for access in finding.other.iter().chain([at]) {
            let line = if access.line > 0 { format!(", line {}", access.line) } else { String::new() };
            out += &paragraph(&format!("{}{line}.", escape(&access.text)), width, 2);
        }
    } else {
        out += &snippet::draw(&finding.excerpt, width);
    }
    for note in &finding.notes {
        let stop = if note.ends_with(['.', '?', '!', ':']) { "" } else { "." };
        out += &paragraph(&(escape(note) + stop), width, 2);
    }
    if let Some(often) = how_often(finding).filter(|_| finding.severity != "advice") {
        out += &paragraph(&often, width, 2);
    }
    if style.verbose {
        for line in &finding.picture {
            out += &paint::dim(
                format!("    {}", super::layout::truncate(&escape(line), width.saturating_sub(4))).trim_end(),
            );
            out.push('\n');
        }
    }
    out
}

/// To how many threads it happens, or how often, where it is more than the one that is shown.
fn how_often(finding: &FindingView) -> Option<String> {
    let memory = !matches!(finding.code.chars().next(), Some('B' | 'S' | 'T'));
    match finding.threads {
        Some(threads @ 2..) if memory => {
            let what = if finding.other.is_some() { "meet this race" } else { "do this" };
            Some(format!("{} threads {what}.", super::grouped(threads)))
        }
        // One thread that reads and writes on one line says enough by itself.
        Some(_) if memory && finding.hits < 3 => None,
        _ if finding.hits > 1 => Some(format!("It happens {} times.", super::grouped(finding.hits))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn about() -> About<'static> {
        About {
            file: "kernels/1-puzzles/map.cu",
            source: "",
            starter: "",
            seconds: 0.0,
            backend: "sim",
            seed: 1,
            thread_dims: 1,
            program: false,
            block_dims: 1,
            every_block: false,
            element_bytes: BTreeMap::from([("in".to_string(), 4)]),
        }
    }

    fn access(target: Target, bytes: u32) -> Access {
        let at = Dim3::new(4, 0, 0);
        Access {
            actor: Actor::Thread,
            kind: AccessKind::Read,
            block: Dim3::new(0, 0, 0),
            thread: at,
            location: None,
            bytes,
            target,
        }
    }

    #[test]
    fn an_access_is_told_in_elements() {
        let buffer = |offset, bytes| {
            access(Target::Buffer { name: "in".into(), size_bytes: 16, offset_bytes: offset }, bytes)
        };
        let tell = |a: &Access| sentence(a, &about(), false);
        assert_eq!(tell(&buffer(8, 4)), "thread 4 reads in[2]");
        assert_eq!(tell(&buffer(16, 4)), "thread 4 reads in[4]; `in` has 4 elements");
        assert_eq!(tell(&buffer(-4, 4)), "thread 4 reads in[-1]; `in` has 4 elements");
        assert_eq!(tell(&buffer(8, 16)), "thread 4 reads in[2]; `in` has 4 elements");
        assert_eq!(tell(&buffer(6, 4)), "thread 4 reads byte 6 of `in`");
        assert_eq!(
            tell(&buffer(i64::MAX, 4)),
            "thread 4 reads byte 9223372036854775807 of `in`, which has 16 bytes"
        );
        assert_eq!(tell(&access(Target::Nowhere { address: 0 }, 4)), "thread 4 reads through a null pointer");
        let shared = Target::Shared { name: "s".into(), size_bytes: 32, offset_bytes: 32 };
        assert_eq!(tell(&access(shared, 0)), "thread 4 reads byte 32 of `s`");
        assert_eq!(tell(&access(Target::None, 0)), "thread 4");
    }

    #[test]
    fn an_element_of_a_matrix_is_told_by_row_and_column() {
        let source = "#define TILE 16\n__shared__ float t[TILE][TILE + 1];\nextern __shared__ int s[];\n";
        let about = About { source, ..about() };
        let tell = |name: &str, size_bytes, offset_bytes| {
            let target = Target::Shared { name: name.into(), size_bytes, offset_bytes };
            sentence(&access(target, 4), &about, false)
        };
        assert_eq!(tell("t", 1088, 8), "thread 4 reads t[0][2]");
        assert_eq!(tell("t", 1088, 1084), "thread 4 reads t[15][16]");
        assert_eq!(tell("t", 1088, 1088), "thread 4 reads t[16][0]; `t` is [16][17]");
        assert_eq!(tell("t", 1088, -4), "thread 4 reads t[-1]; `t` has 272 elements");
        assert_eq!(tell("t", 64, 8), "thread 4 reads t[2]");
        assert_eq!(tell("s", 64, 8), "thread 4 reads s[2]");
    }

    #[test]
    fn threads_are_numbered_in_the_launch_dimensions() {
        assert_eq!(index(Dim3::new(5, 0, 0), 1), "5");
        assert_eq!(index(Dim3::new(5, 0, 0), 2), "(5, 0)");
        assert_eq!(index(Dim3::new(5, 1, 0), 1), "(5, 1)");
        assert_eq!(index(Dim3::new(5, 0, 2), 1), "(5, 0, 2)");
    }
}
