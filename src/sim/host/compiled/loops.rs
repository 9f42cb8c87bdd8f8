//! Which operations to make code of together.

use crate::host::op::{HostProgram, Kind, Op};
use std::ops::Range;

/// Operations of a region, at most: a larger loop is left to its inner ones.
const MOST_OPS: u32 = 1500;

/// A function's loops: for each jump back, from where it goes to behind itself.
pub struct Loops(Vec<Range<u32>>);

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

impl Loops {
    /// Those of the function whose operations are in the range.
    pub fn of(program: &HostProgram, function: Range<u32>) -> Loops {
        let operations = function.clone().zip(&program.ops[function.start as usize..function.end as usize]);
        Loops(operations.filter_map(|(at, op)| Some(jumps_back(op, at)?..at + 1)).collect())
    }

    /// The heads of loops in the range.
    pub fn heads(&self, range: &Range<u32>) -> Vec<u32> {
        let mut heads: Vec<u32> =
            self.0.iter().map(|l| l.start).filter(|head| range.contains(head)).collect();
        heads.sort_unstable();
        heads.dedup();
        heads
    }

    /// The outermost loop around the one with this head that is not too large.
    pub fn around(&self, head: u32) -> Option<Range<u32>> {
        let fits = |range: &&Range<u32>| range.contains(&head) && range.end - range.start <= MOST_OPS;
        self.0.iter().filter(fits).max_by_key(|range| range.end - range.start).cloned()
    }
}
