//! The profiler's switches, and ranges that programs name for a trace (NVTX).

use crate::program::call::{Call, calls};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A range of host time that the program named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub name: String,
    pub start_ns: u64,
    /// Equal to the start for a mark.
    pub end_ns: u64,
    /// Ranges around it.
    pub depth: usize,
}

/// Ranges of a program.
#[derive(Debug, Default)]
pub struct Ranges {
    open: Vec<(String, u64)>,
    /// Ranges inside those in `open` that are not kept.
    deeper: usize,
    /// Not ended, by the identifier that `nvtxRangeStartA` gave.
    started: BTreeMap<u64, (String, u64)>,
    identifiers: u64,
    pub done: Vec<Range>,
}

/// Ranges that are kept; a loop may make any number.
const MOST_RANGES: usize = 100_000;

impl Call<'_> {
    fn range_done(&mut self, name: String, start_ns: u64, depth: usize) {
        let end_ns = self.gpus.now_ns();
        let done = &mut self.runtime.ranges.done;
        if done.len() < MOST_RANGES {
            done.push(Range { name, start_ns, end_ns, depth });
        }
    }
}

calls! {
    /// Profiling begins, or ends: a trace is of the whole program here.
    fn cudaProfilerStart, cudaProfilerStop(_call) {
        Ok(())
    }

    /// Begins a range; gives how many are around it.
    fn nvtxRangePushA(call, name: u64) -> i32 {
        let name = call.string(name)?;
        let now = call.gpus.now_ns();
        let ranges = &mut call.runtime.ranges;
        let around = ranges.open.len() + ranges.deeper;
        if ranges.open.len() < MOST_RANGES {
            ranges.open.push((name, now));
        } else {
            ranges.deeper += 1;
        }
        Ok(around as i32)
    }

    /// Ends the innermost range; gives how many are around it, or a negative number.
    fn nvtxRangePop(call) -> i32 {
        let ranges = &mut call.runtime.ranges;
        if let Some(deeper) = ranges.deeper.checked_sub(1) {
            ranges.deeper = deeper;
            return Ok((ranges.open.len() + deeper) as i32);
        }
        let Some((name, start)) = ranges.open.pop() else { return Ok(-1) };
        let depth = call.runtime.ranges.open.len();
        call.range_done(name, start, depth);
        Ok(depth as i32)
    }

    /// Begins a range that any place can end; gives its identifier.
    fn nvtxRangeStartA(call, name: u64) -> u64 {
        let name = call.string(name)?;
        let now = call.gpus.now_ns();
        let ranges = &mut call.runtime.ranges;
        ranges.identifiers += 1;
        if ranges.started.len() < MOST_RANGES {
            ranges.started.insert(ranges.identifiers, (name, now));
        }
        Ok(ranges.identifiers)
    }

    /// Ends a range by its identifier.
    fn nvtxRangeEnd(call, identifier: u64) -> i32 {
        if let Some((name, start)) = call.runtime.ranges.started.remove(&identifier) {
            call.range_done(name, start, 0);
        }
        Ok(0)
    }

    /// Marks an instant.
    fn nvtxMarkA(call, name: u64) -> i32 {
        let name = call.string(name)?;
        let now = call.gpus.now_ns();
        let depth = call.runtime.ranges.open.len();
        call.range_done(name, now, depth);
        Ok(0)
    }
}
