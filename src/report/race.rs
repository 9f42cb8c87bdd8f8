//! Two accesses that nothing orders: which comes first, what may go wrong, where the barrier belongs.

use super::defect::same_file;
use super::excerpt::Excerpt;
use super::view::About;
use crate::cpp::Source;
use crate::sim::{Access, AccessKind, Code, Finding};
use std::ops::Range;

const REACHED: &str = "where every thread of the block reaches it.";

/// Whether both sides of a finding store a value.
pub(super) fn both_write(finding: &Finding) -> bool {
    let other = finding.other.as_ref().map(|other| other.kind);
    other == Some(AccessKind::Write) && finding.at.kind == AccessKind::Write
}

/// The two sides of a race in the order in which a thread comes to them, with lines of one function, 0
/// where not known. The order in which they were found says nothing: one warp runs ahead of another.
/// Where a barrier stands between the lines, the way from the one down to the other is in order: then it
/// was a way back that was not.
pub(super) fn in_order<'a>(finding: &'a Finding, about: &About) -> Option<[(&'a Access, u32); 2]> {
    let code = about.source;
    let line = |access: &Access| {
        let at = access.location.as_ref().filter(|at| same_file(&at.file, about.file));
        at.map_or(0, |at| at.line)
    };
    let sides = [finding.other.as_ref()?, &finding.at];
    let sides = in_one_function(sides.map(|access| (access, line(access))), code);
    let [(one, first), (other, then)] = sides;
    // Lines of different functions say nothing of what comes first.
    if !code.in_one_function(first, then) {
        return Some(sides);
    }
    let turned = [sides[1], sides[0]];
    if code.in_one_statement(first, then) {
        // A statement reads before it writes, and what comes round again waits at a barrier first.
        let read_then_written = (one.kind, other.kind) == (AccessKind::Write, AccessKind::Read);
        let in_order = code.loop_around(then).is_none_or(|around| around.waits);
        return Some(if read_then_written && in_order { turned } else { sides });
    }
    let waits = |lines: Range<u32>| code.barriers().iter().any(|line| lines.contains(line));
    let next_round = || match code.loop_around_both(first, then) {
        // A barrier on the way round, and none on the way down.
        Some(around) => {
            !(waits(first + 1..around.end + 1) || waits(around.head..then)) || waits(then + 1..first)
        }
        None => waits(then..first),
    };
    // Where every round passes a barrier between the two lines, it was the next round that came too soon.
    let copied = || code.line(first).is_some_and(|line| line.contains("async"));
    let shared = finding.code == Code::SharedRace || finding.at.block == one.block;
    if first < then && shared && parted(code, first, then).is_some_and(|(_, in_loop)| in_loop) && !copied() {
        return Some(turned);
    }
    // A warp may run ahead of another: its accesses come first, though their lines come later.
    Some(if first > then && !next_round() { turned } else { sides })
}

/// The sides with lines of the kernel, where they stand in functions that it calls once.
fn in_one_function<'a>(sides: [(&'a Access, u32); 2], code: &Source) -> [(&'a Access, u32); 2] {
    let [(one, first), (other, then)] = sides;
    if code.in_one_function(first, then) {
        return sides;
    }
    match (code.line_in_kernel(first), code.line_in_kernel(then)) {
        (Some(first), Some(then)) if first != then => [(one, first), (other, then)],
        _ => sides,
    }
}

/// Whether a `__syncthreads()` stands between the lines of the two sides.
fn parted_in_order(finding: &Finding, about: &About) -> bool {
    let line = |access: &Access| access.location.as_ref().map_or(0, |at| at.line);
    let Some(other) = &finding.other else { return false };
    let lines = [line(other), line(&finding.at)];
    about.source.in_one_function(lines[0], lines[1]) && parted(about.source, lines[0], lines[1]).is_some()
}

/// A `__syncthreads()` between two lines, and whether the innermost loop around it has both.
fn parted(code: &Source, first: u32, then: u32) -> Option<(u32, bool)> {
    let line = code.barriers().into_iter().find(|line| (first + 1..then).contains(line))?;
    let around = code.loop_around(line);
    Some((line, around.is_some_and(|around| around.head <= first && then <= around.end)))
}

/// Where the barrier belongs.
pub(super) fn barrier(finding: &Finding, excerpt: &Excerpt, about: &About) -> Option<String> {
    let [(one, first), (other, then)] = in_order(finding, about)?;
    if first == 0 || then == 0 {
        return None;
    }
    let code = about.source;
    if !code.in_one_function(first, then) {
        return Some(format!("Put __syncthreads() between the two, {REACHED}"));
    }
    let around = code.loop_around(then);
    let one_statement = code.in_one_statement(first, then);
    let write = |access: &Access| access.kind != AccessKind::Read;
    Some(match around {
        _ if one_statement && write(one) && write(other) => {
            "Several threads write this element: give each its own, or let one thread write.".into()
        }
        _ if one_statement && same_expression(excerpt) => {
            "Several threads update this element: give each its own, or use atomicAdd().".into()
        }
        Some(l) if !one_statement && first > then || one_statement && !l.waits => {
            match code
                .barriers()
                .into_iter()
                .find(|line| !one_statement && (first + 1..=l.end).contains(line))
            {
                Some(barrier) => does_not_order(barrier, first),
                None => format!("Put __syncthreads() at the end of the loop's body, {REACHED}"),
            }
        }
        None if !one_statement && first > then => format!(
            "Line {then} comes round again after line {first}: put __syncthreads() after the one and before the \
             other, {REACHED}"
        ),
        _ if one_statement => "Read into a variable, then __syncthreads(), then write: so none overwrites \
                               what another has still to read."
            .into(),
        Some(l) if l.head > first && code.branch_apart(first, then).is_none() => {
            format!("Put __syncthreads() between line {first} and the loop, {REACHED}")
        }
        _ => match parted(code, first, then) {
            Some(_) if code.line(first).is_some_and(|line| line.contains("async")) => {
                "The barrier orders the threads, not the copy: wait for the copy first \
                 (__pipeline_wait_prior()), then __syncthreads()."
                    .into()
            }
            Some((barrier, _)) => does_not_order(barrier, first),
            None => between(code, first, then),
        },
    })
}

/// Of a barrier that is there.
fn does_not_order(barrier: u32, first: u32) -> String {
    format!(
        "The __syncthreads() of line {barrier} does not order the two. Does every thread pass it? And where line {first} \
         is reached again, another is needed before."
    )
}

/// A barrier between two lines of which none may stand in a branch: all threads of the block come to one.
fn between(code: &Source, first: u32, then: u32) -> String {
    let (left, entered) = (code.branch_apart(first, then), code.branch_apart(then, first));
    if let (None, None, Some(both)) = (left, entered, code.branch_of_threads(first))
        && both.end >= then
    {
        return format!(
            "Not all threads enter the `if` of line {}: end it behind line {first}, put __syncthreads() there, and \
             begin another for line {then}.",
            both.head
        );
    }
    let from = match left {
        Some(branch) if branch.end == branch.head => format!("line {}", branch.end),
        Some(branch) => format!("line {}, where the `if` of line {} ends,", branch.end, branch.head),
        None => format!("line {first}"),
    };
    let to = match entered {
        Some(branch) if branch.head < then => format!("the `if` of line {}", branch.head),
        _ => format!("line {then}"),
    };
    match (from.strip_prefix("line ").filter(|from| !from.contains(' ')), to.strip_prefix("line ")) {
        (Some(from), Some(to)) => format!("Put __syncthreads() between lines {from} and {to}, {REACHED}"),
        _ => format!("Put __syncthreads() between {from} and {to}, {REACHED}"),
    }
}

/// Both sides are one expression, such as `s[0]` in `s[0] += x`.
fn same_expression(excerpt: &Excerpt) -> bool {
    excerpt.lines.iter().any(|line| match line.marks.as_slice() {
        [a, b] => (a.start, a.length) == (b.start, b.length),
        _ => false,
    })
}

/// Why two accesses that nothing orders are a mistake although the values may be right today.
/// `element` is what both touch, `name` how a reader knows a thread.
pub(super) fn unordered(
    finding: &Finding,
    element: &str,
    name: &dyn Fn(&Access) -> String,
    about: &About,
) -> Option<String> {
    if finding.code == Code::CopyInFlight && !finding.notes.iter().any(|note| note.starts_with("The copy")) {
        let does = match finding.at.kind {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
            AccessKind::Atomic => "updates",
        };
        let who = name(&finding.at);
        return Some(format!(
            "The copy goes on behind the line that asks for it, and nothing makes sure that it is done when {who} \
             {does} {element}."
        ));
    }
    if !matches!(finding.code, Code::SharedRace | Code::GlobalRace) {
        return None;
    }
    let [(one, _), (other, _)] = in_order(finding, about)?;
    let verb = |kind: AccessKind| match kind {
        AccessKind::Read => ("read", "read"),
        AccessKind::Write => ("write", "written"),
        AccessKind::Atomic => ("update", "updated"),
    };
    let ((_, done), (may, _)) = (verb(one.kind), verb(other.kind));
    let (first, then) = (name(one), name(other));
    let outcome = match (one.kind, other.kind) {
        (AccessKind::Read, AccessKind::Read) => return None,
        (AccessKind::Read, _) => format!("{then} may {may} {element} before {first} has read it"),
        (_, AccessKind::Read) => format!("{then} may read {element} before it is {done}"),
        _ => format!("the value of {first} may be the one that stays"),
    };
    if finding.code == Code::GlobalRace && both_write(finding) {
        return Some(format!("Nothing says which comes last: on another GPU, or another day, {outcome}."));
    }
    let noted = finding.notes.iter().any(|note| note.starts_with("A barrier stands between"));
    let turned = std::ptr::eq(one, &finding.at) && parted_in_order(finding, about);
    let why = match one.block == other.block {
        true if turned => ": no barrier lies between one round of the loop and the next",
        // The note tells of it.
        true if noted => "",
        true => ": no barrier lies between them",
        false => ": no barrier reaches from block to block",
    };
    Some(format!("Nothing orders the two{why}, so on another GPU, or another day, {outcome}."))
}
