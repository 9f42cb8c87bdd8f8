//! Findings inside a function, reported at the kernel's call of it.

use super::place::{own_line, same_file};
use crate::about::About;
use sim::{Access, Evidence, Finding, FindingKind};
use std::ops::Range;

/// Moves a divergent barrier inside a function to the kernel's call of the function, because the call is what is
/// wrong. Other findings are returned unchanged.
pub fn at_its_call(finding: &Finding, about: &About) -> Finding {
    let mut moved = finding.clone();
    let call = in_the_kernel(&finding.at, about);
    let Some(at) = moved.at.location.as_mut().filter(|at| same_file(&at.file, about.file)) else {
        return moved;
    };
    let (Some(line), FindingKind::DivergentBarrier) = (call, finding.kind) else { return moved };
    let inside = at.line;
    if about.source.kernel_lines(inside).is_some() {
        return moved;
    }
    (at.line, at.column) = (line, 0);
    moved.at.calls.clear();
    let name = about.source.function_around(inside);
    let inside = name.map(|name| Evidence::BarrierInFunction { line: inside, function: name.into() });
    moved.evidence.extend(inside);
    moved
}

/// Returns the kernel's line that calls the function containing an access.
pub fn in_the_kernel(access: &Access, about: &About) -> Option<u32> {
    access.calls.iter().rev().copied().find(|line| about.source.kernel_lines(*line).is_some())
}

/// Returns the lines of the kernel of a finding, and of the functions that it may call; all lines where the kernel is
/// not known.
pub fn lines_of_kernel(finding: &Finding, about: &About) -> Vec<Range<u32>> {
    let source = about.source;
    let in_kernel = |access: &Access| {
        let own = own_line(access, about);
        in_the_kernel(access, about).or_else(|| source.line_in_kernel(own?)).or(own)
    };
    let known = in_kernel(&finding.at).and_then(|line| source.lines_reached(line));
    let all = 1..source.text().lines().count() as u32 + 1;
    known.unwrap_or_else(|| Vec::from_iter([all]))
}

/// Returns whether that code arrives at barrier objects, which order threads without a barrier of the block.
pub fn has_barrier_objects(finding: &Finding, about: &About) -> bool {
    const ARRIVALS: [&str; 3] = ["arrive", "arrive_and_wait", "arrive_and_drop"];
    lines_of_kernel(finding, about).into_iter().flatten().any(|line| about.source.names_on(line, ARRIVALS))
}

/// Returns a sentence with the call chain of the functions that a finding is in, from the innermost call to the
/// kernel's lines.
pub fn called_from(finding: &Finding) -> Option<String> {
    let chain = |access: &Access| {
        let lines: Vec<String> = access.calls.iter().map(|line| format!("line {line}")).collect();
        (!lines.is_empty()).then(|| lines.join(", itself called from "))
    };
    let (here, there) = (&finding.at, finding.other.as_ref());
    let (inner, outer) = (chain(here), there.and_then(chain));
    Some(match (inner, there.zip(outer)) {
        (None, None) => return None,
        (Some(inner), None) => match there.is_some_and(|there| there.line() != here.line()) {
            true => format!("Line {} is called from {inner}.", here.line()),
            false => format!("Called from {inner}."),
        },
        (None, Some((there, outer))) => format!("Line {} is called from {outer}.", there.line()),
        (Some(inner), Some((_, outer))) if inner == outer => format!("Called from {inner}."),
        (Some(inner), Some((there, outer))) if here.line() == there.line() => {
            format!("Called from {outer}, and the other time from {inner}.")
        }
        (Some(inner), Some((there, outer))) => {
            format!("Line {} is called from {outer}; line {} from {inner}.", there.line(), here.line())
        }
    })
}

/// Returns what to do about a call, inside a branch, of a function that contains a barrier.
pub fn call_in_branch(finding: &Finding, about: &About) -> Option<String> {
    let line = finding.at.location.as_ref()?.line;
    let function = finding.evidence.iter().find_map(|evidence| match evidence {
        Evidence::BarrierInFunction { function, .. } => Some(function),
        _ => None,
    })?;
    let branch = about.source.branch_of_threads(line)?;
    Some(format!(
        "All threads of the block must call {function}(), since it has a barrier: move the call out of the `if` of \
         line {}.",
        branch.head
    ))
}

#[cfg(test)]
mod tests {
    use super::super::remedy::tests::{access, finding};
    use super::*;
    use sim::{AccessKind, Target};

    #[test]
    fn both_sides_are_told_with_all_their_calls() {
        let side = |line, calls: &[u32]| Access {
            calls: calls.into(),
            ..access(AccessKind::Read, 0, line, Target::None)
        };
        let describe = |at: (u32, &[u32]), other: Option<(u32, &[u32])>| {
            let other = other.map(|(line, calls)| side(line, calls));
            called_from(&finding(FindingKind::SharedRace, side(at.0, at.1), other)).unwrap_or_default()
        };
        for (at, other, text) in [
            ((5, &[][..]), None, ""),
            ((5, &[9]), None, "Called from line 9."),
            ((5, &[9, 12]), None, "Called from line 9, itself called from line 12."),
            ((5, &[9]), Some((5, &[9][..])), "Called from line 9."),
            ((5, &[9]), Some((5, &[8])), "Called from line 8, and the other time from line 9."),
            ((5, &[9]), Some((20, &[])), "Line 5 is called from line 9."),
            ((20, &[]), Some((5, &[9])), "Line 5 is called from line 9."),
            (
                (2, &[9]),
                Some((5, &[7, 8])),
                "Line 5 is called from line 7, itself called from line 8; line 2 from line 9.",
            ),
        ] {
            assert_eq!(describe(at, other), text);
        }
    }
}
