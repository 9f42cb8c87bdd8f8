//! Two unordered accesses: which comes first in the source, and what their order may change.

use super::access_words::verb;
use super::element::Element;
use super::in_function::{has_barrier_objects, in_the_kernel};
use super::in_place;
use super::place::own_line;
use crate::about::About;
use cpp::{Family, Loop, Source, is_name_char, names, uses};
use sim::{Access, AccessKind, Actor, Evidence, Finding, FindingKind};
use std::ops::Range;

/// Returns whether both sides of a finding store a value.
pub fn both_write(finding: &Finding) -> bool {
    let other = finding.other.as_ref().map(|other| other.kind);
    other == Some(AccessKind::Write) && finding.at.kind == AccessKind::Write
}

/// Returns the two sides of a race in the order in which a thread reaches them, with lines in one function; 0
/// where a line is not known. The order in which the accesses were recorded is no help, because one warp may run
/// ahead of another. If a barrier separates the two lines, the way down from the upper line to the lower one is
/// ordered, and the race is on the way back, between one pass of a loop and the next.
pub fn in_order<'a>(finding: &'a Finding, about: &About) -> Option<[(&'a Access, u32); 2]> {
    let code = about.source;
    let line = |access: &Access| own_line(access, about).unwrap_or(0);
    let sides = [finding.other.as_ref()?, &finding.at];
    let sides = in_one_function(sides.map(|access| (access, line(access))), about);
    let [(one, first), (other, then)] = sides;
    if let Some(way) = ordered_by_calls(sides, about) {
        let upper_is_first = first < then;
        return Some(if upper_is_first == (way == Way::Back) { sides } else { [sides[1], sides[0]] });
    }
    // The lines of different functions have no order.
    if !code.in_one_function(first, then) {
        return Some(sides);
    }
    let turned = [sides[1], sides[0]];
    if code.in_one_statement(first, then) {
        // A statement reads before it writes, and a thread waits at a barrier before the loop's next pass.
        let read_then_written = (one.kind, other.kind) == (AccessKind::Write, AccessKind::Read);
        let in_order = code.loop_around(then).is_none_or(|around| around.waits);
        return Some(if read_then_written && in_order { turned } else { sides });
    }
    let waits = |lines: Range<u32>| code.barriers().iter().any(|line| lines.contains(line));
    let next_round = || match code.loop_around_both(first, then) {
        // There is a barrier on the way back to the loop's start, and none on the way down.
        Some(around) => {
            !(waits(first + 1..around.end + 1) || waits(around.head..then)) || waits(then + 1..first)
        }
        // Without a loop, a kernel's lines are reached once.
        None => code.line_in_kernel(first) != Some(first) && waits(then..first),
    };
    // If every pass goes through a barrier between the two lines, the race is with the next pass.
    let copied = || code.names_in_ptx(first, Family::AsyncCopy);
    let shared = finding.kind == FindingKind::SharedRace || finding.at.block == one.block;
    if first < then
        && shared
        && barrier_between(code, first, then).is_some_and(|(_, in_loop)| in_loop)
        && !copied()
    {
        return Some(turned);
    }
    // A warp that runs ahead is recorded first even if its line is the later one.
    Some(if first > then && !next_round() { turned } else { sides })
}

/// A way between two lines of a loop: down to the lower one, or back to the upper one in the next pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Down,
    Back,
}

/// Returns the only way between two accesses of one loop that a barrier of the functions called there orders, for
/// accesses with their lines in the kernel: the race is then on the other way.
pub fn ordered_by_calls(sides: [(&Access, u32); 2], about: &About) -> Option<Way> {
    let code = about.source;
    let [upper, lower] = if sides[0].1 < sides[1].1 { sides } else { [sides[1], sides[0]] };
    let apart = [(upper.1, lower.1), (lower.1, upper.1)];
    let all_come = apart.iter().all(|(line, other)| code.branch_apart(*line, *other).is_none());
    let no_way = upper.1 == lower.1 || upper.0.block != lower.0.block;
    if no_way || !all_come || !in_loop_without_barrier(code, upper.1, lower.1) {
        return None;
    }
    let waits = |(access, line): (&Access, u32), behind| {
        // A barrier does not wait for an asynchronous copy.
        let waits = |own| !code.names_in_ptx(own, Family::AsyncCopy) && code.passes_barrier(own, behind);
        own_line(access, about).is_some_and(|own| own != line && waits(own))
    };
    let down = waits(upper, true) || waits(lower, false);
    let back = waits(lower, true) || waits(upper, false);
    match (down, back) {
        (true, false) => Some(Way::Down),
        (false, true) => Some(Way::Back),
        _ => None,
    }
}

/// Replaces the sides' lines by the kernel's lines that call the functions they are in, where those are known and
/// differ.
fn in_one_function<'a>(sides: [(&'a Access, u32); 2], about: &About) -> [(&'a Access, u32); 2] {
    let [(one, first), (other, then)] = sides;
    let code = about.source;
    if code.in_one_function(first, then) && one.calls == other.calls {
        return sides;
    }
    let in_kernel = |access, line| in_the_kernel(access, about).or_else(|| code.line_in_kernel(line));
    match (in_kernel(one, first), in_kernel(other, then)) {
        (Some(first), Some(then)) if first != then => [(one, first), (other, then)],
        _ => sides,
    }
}

/// Returns a `__syncthreads()` between two lines, and whether the innermost loop around it contains both lines.
pub fn barrier_between(code: &Source, first: u32, then: u32) -> Option<(u32, bool)> {
    let line = code.barriers().into_iter().find(|line| (first + 1..then).contains(line))?;
    let around = code.loop_around(line);
    Some((line, around.is_some_and(|around| around.head <= first && then <= around.end)))
}

/// Returns the first of some lines that waits for the whole grid.
pub fn grid_barrier(code: &Source, mut lines: Range<u32>) -> Option<u32> {
    let waits = |line: &str| {
        uses(line, "sync").any(|(before, _)| {
            let group = before.strip_suffix('.').unwrap_or_default();
            let name = &group[group.trim_end_matches(is_name_char).len()..];
            let of_grid = |line: &str| names(line).any(|word| matches!(word, "this_grid" | "grid_group"));
            let declares = |line: &str| of_grid(line) && names(line).any(|word| word == name);
            group.ends_with("this_grid()") || !name.is_empty() && code.code().lines().any(declares)
        })
    };
    lines.find(|line| waits(code.code_line(*line)))
}

/// Returns whether there may be a `__syncthreads()` on the way from the lower of two lines of a loop to the upper one
/// in the next pass.
fn barrier_on_the_way_back(code: &Source, upper: u32, lower: u32) -> bool {
    let around = code.loop_around_both(upper, lower);
    around.is_none_or(|its| {
        code.barriers()
            .iter()
            .any(|line| (lower..=its.end).contains(line) || (its.head..=upper).contains(line))
    })
}

/// Returns the lines with a `__syncwarp()` between two lines of one function.
pub fn warp_barriers(code: &Source, a: u32, b: u32) -> impl Iterator<Item = u32> {
    let between = if code.in_one_function(a, b) { a.min(b) + 1..a.max(b) } else { 0..0 };
    between.filter(|line| code.names_on(*line, "__syncwarp"))
}

/// Returns the warp of a thread that is known and in the first row of its block.
pub fn warp_of(access: &Access) -> Option<u32> {
    const LANES: u32 = 32;
    let in_first_row = access.actor == Actor::Thread && (access.thread.y, access.thread.z) == (0, 0);
    in_first_row.then_some(access.thread.x / LANES)
}

/// Returns whether both lines are in one loop that contains no `__syncthreads()`: the race may be within one
/// pass, or between a pass and the next.
pub fn in_loop_without_barrier(code: &Source, first: u32, then: u32) -> bool {
    let around = code.loop_around_both(first, then);
    around.is_some_and(|l| !code.barriers().iter().any(|line| (l.head..=l.end).contains(line)))
}

/// Returns the line of a loop's first `__syncthreads()` if every one in the loop is under a condition that `line`
/// is not under.
pub fn under_condition(code: &Source, line: u32, around: &Loop) -> Option<u32> {
    let barriers = code.barriers().into_iter().filter(|at| (around.head..=around.end).contains(at));
    let barriers: Vec<u32> = barriers.collect();
    let all = barriers.iter().all(|barrier| code.branch_apart(*barrier, line).is_some());
    barriers.first().copied().filter(|_| all)
}

/// Returns whether the source does not determine which of the two lines a thread reaches first.
pub fn order_is_unknown(code: &Source, first: u32, then: u32) -> bool {
    if code.in_one_statement(first, then) {
        // Without a barrier in every pass, the two may be in one pass or in two.
        return code
            .loop_around(then)
            .is_some_and(|l| !l.waits || under_condition(code, first, &l).is_some());
    }
    in_loop_without_barrier(code, first, then)
}

/// Returns whether both sides are one statement that changes what it reads, such as `+=`: one side reads and the
/// other writes the same expression.
fn read_and_written_back(finding: &Finding, first: u32, then: u32, about: &About) -> bool {
    let kinds = finding.other.as_ref().map(|other| (other.kind, finding.at.kind));
    let mixed =
        matches!(kinds, Some((AccessKind::Read, AccessKind::Write) | (AccessKind::Write, AccessKind::Read)));
    let changes = in_place::operator_in(about.source, first, &finding.at).is_some();
    mixed && first != 0 && first == then && changes && finding.evidence.contains(&Evidence::WrittenBack)
}

/// Returns why two unordered accesses are a mistake even if the values happen to be right. `element` is what both
/// access; `name` formats a thread for the reader.
pub fn unordered(
    finding: &Finding,
    element: &Element,
    name: &dyn Fn(&Access) -> String,
    about: &About,
) -> Option<String> {
    if finding.kind == FindingKind::CopyInFlight && !finding.evidence.contains(&Evidence::CopySourceChanged) {
        return Some(format!(
            "The copy continues after the line that requests it, and nothing makes sure that it is done when {} {} {}.",
            name(&finding.at),
            verb(&finding.at),
            element.text
        ));
    }
    if finding.kind == FindingKind::ReadOnlyLoad {
        let cache = "The load goes through the read-only cache";
        return Some(match finding.at.kind {
            AccessKind::Read => format!(
                "{cache}, which does not notice what the kernel writes: the value may be the old one, even after a barrier."
            ),
            _ => format!(
                "{cache}, and so says that the kernel does not write there: the compiler may move such a load across \
                 stores and barriers, or make it once where the program asks for it again and again."
            ),
        });
    }
    if !matches!(finding.kind, FindingKind::SharedRace | FindingKind::GlobalRace) {
        return None;
    }
    let [(one, first), (other, then)] = in_order(finding, about)?;
    if finding.kind == FindingKind::GlobalRace && read_and_written_back(finding, first, then, about) {
        let element = if element.bytes { BYTES } else { &element.text };
        return Some(format!(
            "Both read {element} in this line and write it back, and nothing orders the two: if both read before \
             either has written, one of the two changes is lost."
        ));
    }
    let way = ordered_by_calls([(one, first), (other, then)], about);
    let turned = std::ptr::eq(one, &finding.at)
        && about.source.in_one_function(first, then)
        && barrier_between(about.source, then, first).is_some();
    // Barriers on both ways, of which one was passed by.
    let both_ways = turned && barrier_on_the_way_back(about.source, then, first);
    let is_known = one.block == other.block
        && !both_ways
        && (way.is_some() || !order_is_unknown(about.source, first, then));
    let outcome = outcome([one, other], element, name, is_known)?;
    if finding.kind == FindingKind::GlobalRace && both_write(finding) {
        return Some(format!(
            "Nothing determines which comes last: on another GPU, or another day, {outcome}."
        ));
    }
    let noted = finding.evidence.contains(&Evidence::BarrierDoesNotOrder);
    let why = match one.block == other.block {
        true if both_ways => "",
        true if turned || way == Some(Way::Down) => {
            ": there is no barrier between one pass of the loop and the next"
        }
        // A note has said so already.
        true if noted || has_barrier_objects(finding, about) => "",
        true if grid_barrier(about.source, first.min(then)..first.max(then)).is_some() => "",
        true => &no_barrier(about.source, [(one, first), (other, then)]),
        false if finding.kind == FindingKind::SharedRace => ": there is no cluster barrier between them",
        false => ": no barrier spans the two blocks",
    };
    Some(format!("Nothing orders the two{why}, so on another GPU, or another day, {outcome}."))
}

/// Says which barrier is missing between two accesses of a block.
fn no_barrier(code: &Source, [(one, first), (other, then)]: [(&Access, u32); 2]) -> String {
    match (warp_barriers(code, first, then).next(), warp_of(one), warp_of(other)) {
        (Some(line), Some(its), Some(others)) if its != others => {
            format!(
                ": the __syncwarp() of line {line} orders the lanes of one warp only, and these threads are of two"
            )
        }
        (Some(_), ..) => ": there is no __syncthreads() between them".to_owned(),
        (None, ..) => ": there is no barrier between them".to_owned(),
    }
}

/// For a byte range, which has no name of its own.
const BYTES: &str = "these bytes";

/// Returns what may happen with two accesses that are given in the order in which a thread reaches them, if that
/// order `is_known`; `None` where both read.
fn outcome(
    [one, other]: [&Access; 2],
    element: &Element,
    name: &dyn Fn(&Access) -> String,
    is_known: bool,
) -> Option<String> {
    let forms = |kind: AccessKind| match kind {
        AccessKind::Read => ("read", "read"),
        AccessKind::Write => ("write", "written"),
        AccessKind::Atomic => ("update", "updated"),
    };
    let ((_, done), (may, other_done)) = (forms(one.kind), forms(other.kind));
    let (first, then) = (name(one), name(other));
    let (element, is, it) = match element.bytes {
        true => (BYTES, "they are", "them"),
        false => (element.text.as_str(), "it is", "it"),
    };
    Some(match (one.kind, other.kind) {
        (AccessKind::Read, AccessKind::Read) => return None,
        (AccessKind::Read, _) if !is_known => {
            format!("{first} may read {element} before {then} has {other_done} {it}, or after")
        }
        (_, AccessKind::Read) if !is_known => {
            format!("{then} may read {element} before {first} has {done} {it}, or after")
        }
        (AccessKind::Read, _) => format!("{then} may {may} {element} before {first} has read {it}"),
        (_, AccessKind::Read) => format!("{then} may read {element} before {is} {done}"),
        (AccessKind::Write, AccessKind::Atomic) => {
            format!("{first} may write {element} after {then} has updated it, and the update is lost")
        }
        (AccessKind::Atomic, AccessKind::Write) => {
            format!("{then} may write {element} after {first} has updated it, and the update is lost")
        }
        _ => format!("the value from {first} may be the one that remains"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::defect;
    use super::super::remedy::tests::{access, finding};
    use super::*;
    use sim::Target;

    #[test]
    fn a_barrier_of_a_warp_is_told_from_one_of_the_block() {
        let source = Source::new("__global__ void k() {\ns[t] = in[t];\n__syncwarp();\nout[t] = s[0];\n}\n");
        let about = About::program("a.cu", &source);
        let side = |thread, line, kind| {
            let target = Target::Shared { name: "s".into(), size_bytes: 256, offset_bytes: 0 };
            access(kind, thread, line, target)
        };
        let said = |reader| {
            let write = side(0, 2, AccessKind::Write);
            let found = finding(FindingKind::SharedRace, side(reader, 4, AccessKind::Read), Some(write));
            defect::view(&found, &about).notes.concat()
        };
        assert!(said(32).contains("the __syncwarp() of line 3 orders the lanes of one warp only"));
        assert!(said(1).contains("there is no __syncthreads() between them"));
    }

    #[test]
    fn a_barrier_between_passes_is_missing_only_where_there_is_none() {
        let said = |last: &str| {
            let source = format!(
                "__global__ void k(int n) {{\nfor (int p = 0; p < n; p++) {{\ns[t] = in[p];\nif (t < n) __syncthreads();\n\
                 sum += s[t + 1];\n{last}\n}}\n}}\n"
            );
            let source = Source::new(&source);
            let about = About::program("a.cu", &source);
            let side = |thread, line, kind| {
                let target = Target::Shared { name: "s".into(), size_bytes: 256, offset_bytes: 36 };
                access(kind, thread, line, target)
            };
            let write = side(9, 3, AccessKind::Write);
            let found = finding(FindingKind::SharedRace, side(8, 5, AccessKind::Read), Some(write));
            defect::view(&found, &about).notes.concat()
        };
        let missing = "there is no barrier between one pass of the loop and the next";
        assert!(said("").contains(missing), "{}", said(""));
        let both = said("__syncthreads();");
        assert!(!both.contains(missing) && both.contains("has written it, or after"), "{both}");
    }
}
