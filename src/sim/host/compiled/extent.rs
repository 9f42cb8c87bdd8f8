//! Which operations to make code of together: a function, or a loop of one that is too large.

use crate::host::op::{Function, HostProgram, Kind, Op};
use std::ops::Range;

/// Operations of a region, at most: a larger loop is left to its inner ones.
const MOST_OPS: u32 = 1500;

/// Where an operation may jump to, with its number.
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

/// Where the operation jumps back to.
pub fn jumps_back(op: &Op, number: u32) -> Option<u32> {
    target(op).filter(|&to| to <= number)
}

/// Where the program's functions begin and end.
#[derive(Debug)]
pub struct Functions {
    /// First operations, in order, with the functions' numbers.
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

    /// The function that an operation is of: its number and its operations.
    pub fn around(&self, operation: u32) -> Option<(u32, Range<u32>)> {
        let behind = self.starts.partition_point(|&(start, _)| start <= operation);
        let &(start, number) = self.starts.get(behind.checked_sub(1)?)?;
        let end = self.starts.get(behind).map_or(self.end, |&(next, _)| next);
        Some((number, start..end))
    }

    /// Numbers of all.
    pub fn starts(&self) -> impl Iterator<Item = u32> + '_ {
        self.starts.iter().map(|&(start, _)| start)
    }
}

/// What to make code of where a thread is often at an operation: all of its function, or the outermost loop around it
/// that is not too large.
pub fn extent(program: &HostProgram, function: &Range<u32>, at: u32) -> Option<Range<u32>> {
    let fits = |range: &Range<u32>| range.end - range.start <= MOST_OPS;
    if fits(function) {
        return Some(function.clone());
    }
    let around = loops(program, function).filter(|range| range.contains(&at) && fits(range));
    around.max_by_key(|range| range.end - range.start)
}

/// The loops among operations: for each jump back, from where it goes to behind itself.
pub fn loops<'p>(program: &'p HostProgram, range: &Range<u32>) -> impl Iterator<Item = Range<u32>> + 'p {
    let operations = range.clone().zip(&program.ops[range.start as usize..range.end as usize]);
    operations.filter_map(|(at, op)| Some(jumps_back(op, at)?..at + 1))
}

/// Where the interpreter comes to the operations of a range from time to time: to the first one, to the heads of loops,
/// and behind calls.
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
