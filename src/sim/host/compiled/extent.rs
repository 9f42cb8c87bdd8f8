//! Which operations are compiled together: a function, or if that is too large a loop in it.

use crate::host::op::{Function, HostProgram, Kind, Op};
use std::ops::Range;

/// The most operations of a region; in a larger loop, only inner loops are compiled.
const MAX_OPS: u32 = 1500;

/// Returns the number of the operation that an operation may jump to.
fn target(op: &Op) -> Option<u32> {
    match op.kind {
        Kind::Branch
        | Kind::BranchIf
        | Kind::BranchUnless
        | Kind::RowBranchIf
        | Kind::RowBranchUnless
        | Kind::SweepIf
        | Kind::SweepUnless => Some(op.target),
        _ => None,
    }
}

/// Returns the target of an operation, with the given number, that jumps backwards.
pub fn backward_target(op: &Op, number: u32) -> Option<u32> {
    target(op).filter(|&to| to <= number)
}

/// Where the program's functions start and end.
#[derive(Debug)]
pub struct Functions {
    /// Each function's first operation and number, in the order of the operations.
    starts: Vec<(u32, u32)>,
    end: u32,
}

impl Functions {
    pub fn of(program: &HostProgram) -> Functions {
        let numbered = (0..).zip(&program.functions);
        let mut starts: Vec<(u32, u32)> =
            numbered.filter_map(|(n, f): (u32, &Function)| Some((f.start?, n))).collect();
        starts.sort_unstable();
        Functions { starts, end: program.ops.len() as u32 }
    }

    /// Returns the function that contains an operation: its number and its operations.
    pub fn around(&self, operation: u32) -> Option<(u32, Range<u32>)> {
        let behind = self.starts.partition_point(|&(start, _)| start <= operation);
        let &(start, number) = self.starts.get(behind.checked_sub(1)?)?;
        let end = self.starts.get(behind).map_or(self.end, |&(next, _)| next);
        Some((number, start..end))
    }

    /// Returns the numbers of the functions' first operations.
    pub fn starts(&self) -> impl Iterator<Item = u32> + '_ {
        self.starts.iter().map(|&(start, _)| start)
    }
}

/// Returns what to compile when a thread is often at an operation: its whole function, or the largest loop
/// around it that is not too large.
pub fn extent(program: &HostProgram, function: &Range<u32>, at: u32) -> Option<Range<u32>> {
    let fits = |range: &Range<u32>| range.end - range.start <= MAX_OPS;
    if fits(function) {
        return Some(function.clone());
    }
    let around = loops(program, function).filter(|range| range.contains(&at) && fits(range));
    around.max_by_key(|range| range.end - range.start)
}

/// Returns the loops among operations: for each backward jump, the range from its target up to and including
/// the jump.
pub fn loops<'p>(program: &'p HostProgram, range: &Range<u32>) -> impl Iterator<Item = Range<u32>> + 'p {
    let operations = range.clone().zip(&program.ops[range.start as usize..range.end as usize]);
    operations.filter_map(|(at, op)| Some(backward_target(op, at)?..at + 1))
}

/// Returns the operations of a range that the interpreter reaches from time to time: the first one, loop heads,
/// and those after calls.
pub fn entries(program: &HostProgram, range: &Range<u32>) -> Vec<u32> {
    let heads = loops(program, range).map(|its| its.start);
    let is_call = |at: &u32| program.ops[*at as usize].kind == Kind::Call;
    let behind_calls = range.clone().filter(is_call).map(|at| at + 1);
    let all = std::iter::once(range.start).chain(heads).chain(behind_calls);
    let mut entries: Vec<u32> = all.filter(|at| range.contains(at)).collect();
    entries.sort_unstable();
    entries.dedup();
    entries
}
