//! Detects loops that are certain never to end: a warp reaches the same place with the same values in all its
//! registers, and meanwhile nobody has stored anything. From then on it repeats the same steps for ever.
//!
//! This is checked while blocks are in patient mode, where a warp reads what it has read before. A loop that
//! counts or reads a clock does not return to the same values, and gets the time that it may need.
//!
//! A loop that does only arithmetic repeats whatever others do: it is looked for wherever a block has executed
//! many instructions.

use super::warp::{Activation, Frame, State, Warp};
use super::work::Runs;
use super::worker::WorkerState;
use crate::code::{DecodedModule, System, What};
use crate::lanes::Registers;
use crate::memory::access::Action;

/// Comparisons with one snapshot after which the warp is taken not to be in such a loop.
const MAX_MISSES: u32 = 256;

/// Counts of what all blocks of the host thread have done so far, by which a change is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    stores: u64,
    clocks: u64,
    progress: u64,
}

/// The state of a warp at a read.
#[derive(Debug)]
pub struct WarpSnapshot {
    pc: u32,
    done: Done,
    registers: Registers,
    activation: Activation,
    frames: Vec<Frame>,
    misses: u32,
    /// Whether the warp has returned to this state.
    again: bool,
}

/// Warp instructions of a block after which it is first inspected.
pub const FIRST_INSPECTION_STEPS: u64 = 1 << 20;

/// Basic blocks after which an inspection remembers where the warp is, and for which it then looks whether the warp returns
/// there. Machine code does not keep registers that are of no use any more: whatever the loop writes has been written by the
/// interpreter when it is remembered.
const INSPECTED_BLOCKS: u32 = 256;

/// An inspection of a warp: does it execute a loop of arithmetic alone that changes nothing?
#[derive(Debug, Default)]
pub struct LoopInspection {
    remembered: Option<Remembered>,
    blocks: u32,
    pub ended: Option<Ended>,
}

/// Where a warp was, at the start of a basic block.
#[derive(Debug)]
struct Remembered {
    pc: u32,
    registers: Registers,
    /// The number of executions so far of basic blocks that do more than arithmetic.
    others: u64,
}

/// The result of an inspection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Inconclusive,
    /// The warp repeats the same steps for ever.
    Endless,
}

impl LoopInspection {
    /// Follows the warp, at the start of a basic block.
    pub fn follow(&mut self, worker: &mut WorkerState, warp: &Warp) {
        self.blocks += 1;
        match &self.remembered {
            None if self.blocks == INSPECTED_BLOCKS => {
                let (pc, registers) = (warp.group.pc, warp.registers.clone());
                self.remembered = Some(Remembered { pc, registers, others: others(worker) });
            }
            Some(then) if then.pc == warp.group.pc && then.registers == warp.registers => {
                let same = others(worker) == then.others;
                self.ended = Some(if same { Ended::Endless } else { Ended::Inconclusive });
            }
            Some(_) if self.blocks >= 2 * INSPECTED_BLOCKS => self.ended = Some(Ended::Inconclusive),
            _ => {}
        }
    }
}

/// The basic blocks that store, those that read a clock, and those that do more than arithmetic.
#[derive(Debug, Default)]
pub struct BlockClasses {
    stores: Vec<u32>,
    clocks: Vec<u32>,
    others: Vec<u32>,
}

impl BlockClasses {
    fn of(code: &DecodedModule, blocks: usize) -> BlockClasses {
        let mut block_classes = BlockClasses::default();
        for (n, block) in (0..).zip(code.blocks.iter().take(blocks)) {
            let insts = code.insts.get(block.start as usize..block.end as usize).unwrap_or_default();
            let stores = insts.iter().any(|inst| {
                matches!(inst.what, What::Collective | What::Call)
                    || code.access(inst).is_some_and(|op| matches!(op.action, Action::Store))
            });
            let clock = |what: &What| {
                matches!(what, What::System(System::Clock32 | System::Clock64 | System::GlobalTimer))
            };
            if stores {
                block_classes.stores.push(n);
            }
            let is_arithmetic =
                |what: &What| matches!(what, What::Lanes(_) | What::Branch | What::System(System::Nothing));
            if !insts.iter().all(|inst| is_arithmetic(&inst.what)) {
                block_classes.others.push(n);
            }
            if insts.iter().any(|inst| clock(&inst.what)) {
                block_classes.clocks.push(n);
            }
        }
        block_classes
    }
}

/// Returns what all blocks of the host thread have done so far.
fn done(worker: &mut WorkerState) -> Done {
    let progress = worker.progress;
    let (block_classes, runs) = block_classes(worker);
    Done { stores: begun(runs, &block_classes.stores), clocks: begun(runs, &block_classes.clocks), progress }
}

/// Returns how often basic blocks that do more than arithmetic were executed.
fn others(worker: &mut WorkerState) -> u64 {
    let (block_classes, runs) = block_classes(worker);
    begun(runs, &block_classes.others)
}

fn block_classes<'u>(worker: &'u mut WorkerState) -> (&'u BlockClasses, &'u Runs) {
    let WorkerState { launch, executed, block_classes, .. } = worker;
    let runs = &executed.runs;
    (block_classes.get_or_insert_with(|| BlockClasses::of(launch.code, runs.len())), runs)
}

/// Returns how often the given basic blocks were executed, in total.
fn begun(runs: &Runs, blocks: &[u32]) -> u64 {
    blocks.iter().filter_map(|&n| runs.get(n as usize)).fold(0u64, |sum, run| sum.wrapping_add(run[0]))
}

/// Compares a warp with its snapshot, after it has read at `pc` what it read before.
#[inline(never)]
pub fn compare(worker: &mut WorkerState, warp: &mut Warp, pc: u32) {
    if warp.others.iter().any(|group| group.state == State::Ready) {
        warp.snapshot = None;
        return;
    }
    let done = done(worker);
    let same_time = warp.snapshot.as_ref().filter(|snapshot| snapshot.done == done);
    let Some(snapshot) = same_time else {
        warp.snapshot = Some(Box::new(taken(warp, pc, done, 0)));
        return;
    };
    if snapshot.again || snapshot.pc != pc || snapshot.misses >= MAX_MISSES {
        return;
    }
    let is_same = snapshot.activation == warp.group.activation
        && snapshot.frames == warp.group.frames
        && snapshot.registers == warp.registers;
    let misses = snapshot.misses + u32::from(!is_same);
    // It may take some rounds until a loop reaches its steady state: take a new snapshot, at growing intervals.
    if !is_same && misses.is_power_of_two() {
        warp.snapshot = Some(Box::new(taken(warp, pc, done, misses)));
    } else if let Some(snapshot) = &mut warp.snapshot {
        (snapshot.again, snapshot.misses) = (is_same, misses);
    }
}

fn taken(warp: &Warp, pc: u32, done: Done, misses: u32) -> WarpSnapshot {
    let (activation, frames) = (warp.group.activation, warp.group.frames.clone());
    WarpSnapshot { pc, done, registers: warp.registers.clone(), activation, frames, misses, again: false }
}

/// Returns whether none of these warps will ever do anything new: each is in such a loop or waits for the others.
pub fn all_loop_for_ever<'w>(worker: &mut WorkerState, warps: impl Iterator<Item = &'w mut Warp>) -> bool {
    let now = done(worker);
    let mut any = false;
    for warp in warps.filter(|warp| !warp.done()) {
        let runs = warp.waiting().iter().any(|group| group.state == State::Ready);
        let known = warp.snapshot.as_ref().is_some_and(|snapshot| snapshot.again && snapshot.done == now);
        if runs && !known {
            return false;
        }
        any |= runs;
    }
    any
}
