//! Ends blocks that have used up their instruction budget.
//!
//! A defect costs far more time than an instruction, and an endless loop may produce one in each iteration.
//! Accesses that are checked lane by lane for a defect are therefore charged as instructions, once something was
//! found; a block that exceeds its budget only because of these charges is stopped without a further finding.

use super::block;
use super::endless_loop::{Ended, FIRST_INSPECTION_STEPS};
use super::external_wait;
use super::launch::StepBudget;
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

/// How many warp instructions a block has executed, and how many it may.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockSteps {
    /// Those executed so far, including those charged.
    pub done: u64,
    /// Those not executed but charged for the time that defects cost.
    charged: u64,
    /// The part of `done` that has already been added to the launch's total.
    charged_to_launch: u64,
    /// Those after which the block is next inspected.
    pub limit: u64,
    /// Those that it may execute in all.
    allowed: u64,
}

impl BlockSteps {
    /// Returns those of a block that begins.
    pub fn new(budget: &StepBudget) -> BlockSteps {
        let allowed = budget.step_budget;
        BlockSteps { limit: allowed.min(FIRST_INSPECTION_STEPS), allowed, ..BlockSteps::default() }
    }

    fn charge(&mut self, steps: u64) {
        self.charged = self.charged.saturating_add(steps);
        self.done = self.done.saturating_add(steps);
    }

    fn drop_charges(&mut self) {
        self.done -= std::mem::take(&mut self.charged);
    }

    fn executed(&self) -> u64 {
        self.done - self.charged
    }

    /// Returns those done since the last call, for the launch's total.
    pub fn charge_to_launch(&mut self) -> u64 {
        let more = self.done.saturating_sub(self.charged_to_launch);
        self.charged_to_launch += more;
        more
    }
}

/// Charges the cost of checking accesses lane by lane, after values that nobody wrote or accesses out of bounds
/// were met.
pub fn charge<O>(worker: &mut WorkerState, cta: &mut Cta<O>, mut steps: u64) {
    // Blocks that wait for each other each reach this limit, and all of them together take far longer than one.
    worker.charged = worker.charged.saturating_add(steps);
    if worker.launch.kernel.interaction.communicates && worker.charged > MAX_CHARGED {
        steps = cta.steps.allowed;
    }
    cta.steps.charge(steps);
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
    if cta.steps.charged > 0 && worker.findings.is_empty() {
        worker.charged = 0;
        cta.steps.drop_charges();
        cta.quiet.steps = cta.quiet.steps.min(cta.steps.done);
    }
    if cta.steps.done > cta.steps.allowed || worker.launch.is_stopped() {
        return true;
    }
    let Some(look) = &mut cta.look else {
        if cta.steps.done > cta.steps.limit {
            cta.look = Some(Box::default());
            cta.steps.limit = 0;
        }
        return false;
    };
    look.follow(worker, warp);
    match look.ended {
        Some(Ended::Endless) => true,
        Some(Ended::Inconclusive) => {
            let more = cta.steps.done.min(MOST_BETWEEN_INSPECTIONS);
            (cta.steps.limit, cta.look) = (cta.steps.allowed.min(cta.steps.done + more), None);
            false
        }
        None => false,
    }
}

/// Decides whether a block past its budget may continue: it may if more steps are allowed and nothing indicates
/// that it runs for ever. Its warp numbered `warp` is before a basic block that was already counted; the count is
/// undone.
pub fn may_continue<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, warp: usize) -> bool {
    let by_itself = cta.steps.executed() > cta.steps.allowed;
    if !by_itself || cta.steps.allowed >= worker.launch.budget.most_steps || block::only_polls(worker, cta) {
        return false;
    }
    cta.steps.allowed = cta.steps.allowed.saturating_mul(2).min(worker.launch.budget.most_steps);
    let Some(warp) = cta.warps.get_mut(warp) else { return false };
    let code = worker.launch.code;
    let number = code.block_of[warp.group.pc as usize] as usize;
    let (block, run) = (&code.blocks[number], &mut worker.executed.runs[number]);
    run[0] -= 1;
    run[1] -= u64::from(warp.registers.mask().count_ones());
    cta.steps.done -= u64::from(block.end - block.start);
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
        && cta.steps.executed() <= cta.steps.allowed
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
    let (index, steps) = (cta.index, cta.steps.executed());
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
