//! The profiler's switches, and ranges that programs name for a trace (NVTX).

use crate::program::call::{Call, calls};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A range of host time that the program named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub name: String,
    pub start_ns: u64,
    /// End of the range; equal to `start_ns` for a mark.
    pub end_ns: u64,
    /// Number of enclosing ranges.
    pub depth: usize,
}

/// The ranges of a program.
#[derive(Debug, Default)]
pub struct Ranges {
    open: Vec<(String, u64)>,
    /// Number of open ranges nested in those of `open` that are not kept.
    deeper: usize,
    /// Ranges in progress, by the identifier that `nvtxRangeStartA` returned.
    started: BTreeMap<u64, (String, u64)>,
    identifiers: u64,
    pub done: Vec<Range>,
}

/// Most ranges that are kept; a loop may create any number.
const MAX_RANGES: usize = 100_000;

impl Call<'_> {
    fn range_done(&mut self, name: String, start_ns: u64, depth: usize) {
        let end_ns = self.gpus.now_ns();
        let done = &mut self.runtime.ranges.done;
        if done.len() < MAX_RANGES {
            done.push(Range { name, start_ns, end_ns, depth });
        }
    }
}

calls! {
    /// Starts or stops profiling, which changes nothing: a trace covers the whole program here.
    [WithoutContext]
    fn cudaProfilerStart, cudaProfilerStop(_call) {
        Ok(())
    }

    /// Begins a range and returns the number of enclosing ranges.
    fn nvtxRangePushA(call, name: u64) -> i32 {
        let name = call.string(name)?;
        let now = call.gpus.now_ns();
        let ranges = &mut call.runtime.ranges;
        let around = ranges.open.len() + ranges.deeper;
        if ranges.open.len() < MAX_RANGES {
            ranges.open.push((name, now));
        } else {
            ranges.deeper += 1;
        }
        Ok(around as i32)
    }

    /// Ends the innermost range and returns the number of enclosing ranges, or a negative number if no range
    /// is open.
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

    /// Begins a range that can be ended anywhere, and returns its identifier.
    fn nvtxRangeStartA(call, name: u64) -> u64 {
        let name = call.string(name)?;
        let now = call.gpus.now_ns();
        let ranges = &mut call.runtime.ranges;
        ranges.identifiers += 1;
        if ranges.started.len() < MAX_RANGES {
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
