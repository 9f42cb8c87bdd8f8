//! The profiler's switches, and ranges that programs name for a trace (NVTX).

use crate::program::call::{Call, calls};

/// A range of host time that the program named.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// By the identifier that `nvtxRangeStartA` gave.
    started: Vec<Option<(String, u64)>>,
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
    /// Profiling begins: a trace is of the whole program here.
    fn cudaProfilerStart(_call) {
        Ok(())
    }

    /// Profiling ends.
    fn cudaProfilerStop(_call) {
        Ok(())
    }

    /// Begins a range; gives how many are around it.
    fn nvtxRangePushA(call, name: u64) -> i32 {
        let name = call.string(name)?;
        let now = call.gpus.now_ns();
        let open = &mut call.runtime.ranges.open;
        open.push((name, now));
        Ok(open.len() as i32 - 1)
    }

    /// Ends the innermost range; gives how many are around it, or a negative number.
    fn nvtxRangePop(call) -> i32 {
        let Some((name, start)) = call.runtime.ranges.open.pop() else { return Ok(-1) };
        let depth = call.runtime.ranges.open.len();
        call.range_done(name, start, depth);
        Ok(depth as i32)
    }

    /// Begins a range that any place can end; gives its identifier.
    fn nvtxRangeStartA(call, name: u64) -> u64 {
        let name = call.string(name)?;
        let now = call.gpus.now_ns();
        call.runtime.ranges.started.push(Some((name, now)));
        Ok(call.runtime.ranges.started.len() as u64)
    }

    /// Ends a range by its identifier.
    fn nvtxRangeEnd(call, identifier: u64) -> i32 {
        let number = usize::try_from(identifier.wrapping_sub(1)).unwrap_or(usize::MAX);
        let range = call.runtime.ranges.started.get_mut(number).and_then(Option::take);
        if let Some((name, start)) = range {
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
