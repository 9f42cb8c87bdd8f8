//! Ends blocks that have used up their instruction budget.
//!
//! A defect costs far more time than an instruction, and an endless loop may produce one in each iteration.
//! Accesses that are checked lane by lane for a defect are therefore charged as instructions, once something was
//! found; a block that exceeds its budget only because of these charges is stopped without a further finding.

use super::block;
use super::endless_loop::Ended;
use super::external_wait;
use super::observer::Observer;
use super::side::Side;
use super::stuck;
use super::warp::Warp;
use super::worker::{Cta, WorkerState};
use crate::code::DecodedModule;
use crate::evidence::Evidence;
use crate::finding::FindingKind;
use crate::launch::Outcome;

/// Instructions that take about as long as checking one lane of such an access.
const LANE_STEPS: u64 = 16;

/// The same for an access by a whole warp while undefined values are being tracked.
pub const ALERT_STEPS: u64 = 8;

/// Most instructions that blocks which run together may be charged in total.
const MAX_CHARGED: u64 = 1 << 23;

/// Most instructions between two inspections of a block: a fraction of a second.
const MOST_BETWEEN_INSPECTIONS: u64 = 1 << 23;

/// Charges the cost of checking accesses lane by lane, after values that nobody wrote or accesses out of bounds
/// were met.
pub fn charge<O>(worker: &mut WorkerState, cta: &mut Cta<O>, mut steps: u64) {
    // Blocks that wait for each other each reach this limit, and all of them together take far longer than one.
    worker.charged = worker.charged.saturating_add(steps);
    if worker.launch.kernel.communicates && worker.charged > MAX_CHARGED {
        steps = cta.allowed;
    }
    cta.charged = cta.charged.saturating_add(steps);
    cta.steps = cta.steps.saturating_add(steps);
}

pub fn charge_lanes<O>(worker: &mut WorkerState, cta: &mut Cta<O>, lanes: u32) {
    charge(worker, cta, u64::from(lanes) * LANE_STEPS);
}

/// Inspects a block that has reached its step limit. Returns whether it must end here: past its budget, in an endless
/// loop, or because the launch is to end. Charges are dropped if nothing was found.
#[inline(never)]
pub fn must_end<O>(worker: &mut WorkerState, cta: &mut Cta<O>, warp: &Warp) -> bool {
    if let Some(progress) = &worker.launch.options.progress {
        progress.seen_at(warp.group.pc);
    }
    if cta.charged > 0 && worker.findings.is_empty() {
        worker.charged = 0;
        cta.steps -= cta.charged;
        cta.quiet.steps = cta.quiet.steps.min(cta.steps);
        cta.charged = 0;
    }
    if cta.steps > cta.allowed || worker.launch.is_stopped() {
        return true;
    }
    let Some(look) = &mut cta.look else {
        if cta.steps > cta.limit {
            cta.look = Some(Box::default());
            cta.limit = 0;
        }
        return false;
    };
    look.follow(worker, warp);
    match look.ended {
        Some(Ended::Endless) => true,
        Some(Ended::Inconclusive) => {
            let more = cta.steps.min(MOST_BETWEEN_INSPECTIONS);
            (cta.limit, cta.look) = (cta.allowed.min(cta.steps + more), None);
            false
        }
        None => false,
    }
}

/// Decides whether a block past its budget may continue: it may if more steps are allowed and nothing indicates
/// that it runs for ever. Its warp numbered `warp` is before a basic block that was already counted; the count is
/// undone.
pub fn may_continue<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, warp: usize) -> bool {
    let by_itself = cta.steps - cta.charged > cta.allowed;
    if !by_itself || cta.allowed >= worker.launch.budget.most_steps || block::only_polls(worker, cta) {
        return false;
    }
    cta.allowed = cta.allowed.saturating_mul(2).min(worker.launch.budget.most_steps);
    let Some(warp) = cta.warps.get_mut(warp) else { return false };
    let code = worker.launch.code;
    let number = code.block_of[warp.group.pc as usize] as usize;
    let (block, run) = (&code.blocks[number], &mut worker.executed.runs[number]);
    run[0] -= 1;
    run[1] -= u64::from(warp.registers.mask().count_ones());
    cta.steps -= u64::from(block.end - block.start);
    warp.cycles -= block.cycles;
    true
}

/// Reports that the first of the blocks has used up its budget, its warp numbered `warp` last. If that block only
/// polls memory, and one of the blocks has threads that wait for ever, a deadlock is reported; otherwise an
/// endless loop.
pub fn tell<O: Observer>(worker: &mut WorkerState, blocks: &mut [Box<Cta<O>>], warp: usize) {
    if worker.launch.is_stopped() {
        worker.stopped = Some(Outcome::Stopped);
        return;
    }
    if let Some(cta) = blocks.first()
        && cta.look.as_ref().is_some_and(|look| look.ended == Some(Ended::Endless))
        && let Some(warp) = cta.warps.get(warp)
    {
        let at = last_of_block(worker.launch.code, cta.index, warp);
        worker.findings.add(FindingKind::EndlessLoop, at, None, || [Evidence::ArithmeticAlone]);
        worker.stopped = Some(Outcome::Stopped);
        return;
    }
    if let Some(cta) = blocks.first()
        && cta.steps - cta.charged <= cta.allowed
    {
        worker.findings.add_to_most_frequent(Evidence::StoppedForFindings);
        worker.stopped = Some(Outcome::Stopped);
        return;
    }
    let looks = blocks.first().is_some_and(|cta| block::only_polls(worker, cta));
    let held = blocks.iter_mut().position(|cta| block::has_waiting_threads(cta));
    let held = held.or_else(|| blocks.iter_mut().position(|cta| stuck::polls_mbarrier(worker, cta)));
    if let Some(held) = held.filter(|_| looks) {
        return stuck::deadlock(worker, &mut blocks[held], None);
    }
    let Some(cta) = blocks.first_mut() else { return };
    if worker.launch.budget.most_steps > 0 && !looks {
        let line = cta.warps.get(warp).and_then(|warp| worker.launch.code.location(warp.group.pc));
        worker.stopped = Some(Outcome::BlockBudgetSpent { line: line.cloned() });
        return;
    }
    let looks = external_wait::of_block(worker, cta, external_wait::RECENT_STEPS);
    worker.stopped = external_wait::waits_for_host(worker, &looks);
    if worker.stopped.is_some() {
        return;
    }
    worker.polled = external_wait::in_device_memory(worker, &looks);
    let (index, steps) = (cta.index, cta.steps - cta.charged);
    if let Some(warp) = cta.warps.get(warp) {
        let at = last_of_block(worker.launch.code, index, warp);
        worker.findings.add(FindingKind::EndlessLoop, at, None, || [Evidence::StoppedAfter { steps }]);
    }
    worker.stopped = Some(Outcome::Stopped);
}

/// Returns where a warp is in a loop: at the last instruction of its basic block, since the compiler moves into a loop what
/// stands before it in the source, but no branches.
fn last_of_block(code: &DecodedModule, block: u64, warp: &Warp) -> Side {
    let its = &code.blocks[code.block_of[warp.group.pc as usize] as usize];
    super::step::side(block, warp, its.end - 1, warp.registers.mask())
}
