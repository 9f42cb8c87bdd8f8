//! Records what the warps of one block execute, while the interpreter runs it.

use crate::engine::warp::Warp;
use crate::engine::worker::{ControlFlow, WorkerState};

/// Most basic blocks of a path, over all warps of a block.
const MAX_STEPS: usize = 1 << 16;

/// A basic block that some lanes of a warp executed: its number in the module, and the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    pub block: u32,
    pub mask: u32,
}

/// What the warps of a block have executed so far.
#[derive(Debug)]
pub struct Recorder {
    /// For each warp.
    steps: Vec<Vec<RecordedStep>>,
    recorded: usize,
    /// Whether something happened that no path has.
    failed: bool,
    /// What the worker had counted before.
    before: ControlFlow,
}

impl Recorder {
    /// Begins to record a block of this many warps.
    pub fn new(worker: &WorkerState, warps: usize) -> Recorder {
        Recorder {
            steps: vec![Vec::new(); warps],
            recorded: 0,
            failed: false,
            before: worker.executed.control,
        }
    }

    /// Records that a warp begins a basic block, or continues in it. `begins`: whether it is at the block's start.
    #[inline(never)]
    pub fn record(&mut self, warp: &Warp, number: usize, begins: bool) {
        self.failed |= !begins
            || warp.undefined.any
            || warp.products.any
            || warp.spun
            || !warp.group.frames.is_empty()
            || self.recorded == MAX_STEPS;
        if !self.failed {
            let step = RecordedStep { block: number as u32, mask: warp.registers.mask() };
            self.steps[warp.index as usize].push(step);
            self.recorded += 1;
        }
    }

    /// Ends the recording, after the block has ended. Returns the steps of each warp, and what the block counted; `None` if
    /// there can't be a path like that.
    pub fn end(self, worker: &WorkerState) -> Option<(Vec<Vec<RecordedStep>>, ControlFlow)> {
        let found = !worker.findings.is_empty() || worker.findings.unwritten || worker.stopped.is_some();
        (!self.failed && !found).then(|| (self.steps, worker.executed.control.since(self.before)))
    }
}
