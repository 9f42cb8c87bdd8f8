//! Runs one warp, basic block by basic block, until it must wait, ends, or has used up its turn.

use super::compiled::{self, Resumed};
use super::findings::{Side, SideAddress, ThreadId};
use super::observer::{Observer, Step};
use super::warp::{State, Warp};
use super::worker::{Cta, WorkerState};
use super::{access, call, collective, step_budget, system, undefined, wgmma_in_flight};
use crate::code::What;
use crate::division::Division;
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::LANES;
use crate::launch::Outcome;

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpStatus {
    /// All lanes have left the kernel.
    Done,
    /// Every lane waits.
    Waiting,
    /// The warp could continue, but seems to wait for another warp.
    Yielded,
    /// The launch has ended: see [`WorkerState::stopped`].
    Stopped,
    /// The block has executed all the instructions it may.
    BudgetSpent,
}

/// Basic blocks that a warp runs without interruption from when it seems to wait for others.
const QUANTUM: u32 = 4096;

/// Most branches recorded by which threads of a block leave the kernel.
const MAX_EXIT_BRANCHES: usize = 64;

/// Returns the side of a finding about a thread's place in the code, without a memory access.
pub fn side(block: u64, warp: &Warp, pc: u32, mask: u32) -> Side {
    Side {
        pc,
        thread: ThreadId { block, thread: warp.index * LANES as u32 + mask.trailing_zeros() % 32 },
        kind: AccessKind::Read,
        bytes: 0,
        place: SideAddress::Nowhere,
    }
}

/// Runs the warp. `resumed`: where it is, if code has just run for it. `WIDE`: the processor has the features that
/// [`Handler::wide`](crate::code::Handler) needs.
#[inline(always)]
pub fn run<O: Observer, const WIDE: bool>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    mut resumed: Option<Resumed>,
) -> WarpStatus {
    if resumed.is_none() && !warp.schedule() {
        return if warp.done() { WarpStatus::Done } else { WarpStatus::Waiting };
    }
    let code = worker.launch.code;
    let by_turns = worker.takes_turns();
    let mut fuel = QUANTUM;
    if let Some(turns) = worker.turns.as_mut().filter(|_| by_turns) {
        (fuel, warp.spun) = (turns.basic_blocks(), true);
    }
    'blocks: loop {
        let mut number = code.block_of[warp.group.pc as usize] as usize;
        let mut block_counted = false;
        if O::COMPILES && resumed.is_none() && compiled::may_enter(worker, warp, number, cta.steps.done) {
            resumed = compiled::enter(worker, cta, warp, number);
        }
        if let Some(resumed) = resumed.take() {
            if let Some(status) = resumed.stopped {
                return status;
            }
            (warp.group.pc, block_counted) = (resumed.pc, resumed.block_counted);
            number = code.block_of[warp.group.pc as usize] as usize;
        }
        worker.accesses.whole = !block_counted;
        let block = &code.blocks[number];
        let mask = warp.registers.mask();
        if !block_counted {
            let runs = &mut worker.executed.runs[number];
            runs[0] += 1;
            runs[1] += mask.count_ones() as u64;
            cta.steps.done += (block.end - block.start) as u64;
            warp.cycles += block.cycles;
            if cta.steps.done > cta.steps.limit && step_budget::must_end(worker, cta, warp) {
                return WarpStatus::BudgetSpent;
            }
        }
        if O::EVERY_INSTRUCTION {
            cta.observer.basic_block_begin(warp.index, warp.live, mask, block.end - warp.group.pc);
        }
        let mut pc = warp.group.pc;
        let mut follows = warp.undefined.any;
        // Lanes leave or diverge only at the end of a basic block, so the mask holds until then.
        while pc < block.end {
            let inst = &code.insts[pc as usize];
            if O::EVERY_INSTRUCTION {
                cta.observer.instruction_begin(&step_of(worker, cta.index, &cta.shared, warp, pc));
            }
            if follows {
                undefined::pass(worker, warp, pc, inst);
            }
            if warp.products.any && worker.checks {
                wgmma_in_flight::pass(worker, warp, cta.index, pc, inst);
            }
            match inst.what {
                What::Lanes(handler) => {
                    if inst.guard.is_some() {
                        warp.registers.set_mask(inst.guard.lanes(&warp.registers, mask));
                    }
                    if let Some(division) = Division::of_detail(inst.detail) {
                        undefined::divide(worker, warp, cta.index, (pc, inst), division);
                        follows = warp.undefined.any;
                    }
                    // SAFETY: `WIDE` is true only where the processor has the handler's features.
                    unsafe {
                        if WIDE {
                            (handler.wide)(&mut warp.registers, inst)
                        } else {
                            (handler.baseline)(&mut warp.registers, inst)
                        }
                    }
                    if inst.guard.is_some() {
                        warp.registers.set_mask(mask);
                    }
                    executed(worker, cta, warp, pc);
                }
                What::Memory => {
                    let ends = access::execute::<O, WIDE>(worker, cta, warp, pc, inst);
                    executed(worker, cta, warp, pc);
                    if ends && by_turns {
                        (warp.group.pc, warp.spun, fuel) = (pc + 1, true, 1);
                        pc = u32::MAX;
                        break;
                    }
                    follows = warp.undefined.any;
                }
                What::System(what) => {
                    if !system::execute(worker, cta, warp, pc, inst, what) {
                        return WarpStatus::Stopped;
                    }
                    executed(worker, cta, warp, pc);
                    follows = warp.undefined.any;
                }
                What::Branch => {
                    worker.executed.control.branches += 1;
                    let taken = inst.guard.lanes(&warp.registers, mask);
                    if inst.guard.is_some() {
                        warp.group.note_branch(pc);
                    }
                    if taken == mask {
                        warp.group.pc = inst.detail;
                    } else if taken == 0 {
                        warp.group.pc = pc + 1;
                    } else {
                        worker.executed.control.divergent_branches += 1;
                        if let Some(compiled) = &worker.compiled {
                            compiled.note_divergence(pc, taken, mask);
                        }
                        warp.split_off(taken, inst.detail);
                        warp.group.pc = pc + 1;
                    }
                    if warp.others.is_empty() && !warp.spun {
                        continue 'blocks;
                    }
                    pc = u32::MAX;
                }
                _ => {
                    let goes_on = control(worker, cta, warp, pc);
                    executed(worker, cta, warp, pc);
                    if !goes_on {
                        return WarpStatus::Stopped;
                    }
                    pc = u32::MAX;
                }
            }
            pc = pc.saturating_add(1);
        }
        if pc != u32::MAX {
            warp.group.pc = block.end;
        }
        if (!warp.running || !warp.others.is_empty()) && !warp.schedule() {
            return if warp.done() { WarpStatus::Done } else { WarpStatus::Waiting };
        }
        fuel -= u32::from(warp.spun | by_turns);
        if fuel == 0 || (warp.spun && !worker.patient && warp.only_waits()) {
            // A warp that does work makes progress; one that polls the same value may wait for others.
            worker.progress += (by_turns && !warp.watch.repeats()) as u64;
            if warp.others.is_empty() {
                warp.spun = false;
            }
            warp.park(State::Ready);
            return WarpStatus::Yielded;
        }
    }
}

/// Reports to an observer of every instruction that a warp has run one.
#[inline(always)]
fn executed<O: Observer>(worker: &WorkerState, cta: &mut Cta<O>, warp: &Warp, pc: u32) {
    if O::EVERY_INSTRUCTION {
        cta.observer.instruction_executed(&step_of(worker, cta.index, &cta.shared, warp, pc));
    }
}

/// Returns an instruction of a warp as observers see it.
#[inline(always)]
fn step_of<'a>(worker: &'a WorkerState, block: u64, shared: &'a [u32], warp: &'a Warp, pc: u32) -> Step<'a> {
    let code = worker.launch.code;
    Step {
        code,
        pc,
        inst: &code.insts[pc as usize],
        block,
        warp: warp.index,
        registers: &warp.registers,
        local: &warp.local,
        local_base: warp.group.activation.local_base,
        shared,
        memory: worker.launch.memory,
        log: &worker.log,
    }
}

/// Executes the instructions that end a basic block, except direct branches. Returns false when the launch has
/// ended.
#[inline(never)]
fn control<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, warp: &mut Warp, pc: u32) -> bool {
    let inst = &worker.launch.code.insts[pc as usize];
    let mask = warp.registers.mask();
    let lanes = inst.guard.lanes(&warp.registers, mask);
    if lanes == 0 {
        warp.group.pc = pc + 1;
        return true;
    }
    if lanes != mask && !matches!(inst.what, What::Exit | What::Return) {
        // The other lanes continue after it, where they reconverge.
        warp.split_off(mask & !lanes, pc + 1);
    }
    match inst.what {
        What::Exit => leave(cta, warp, pc, lanes),
        What::Return if warp.group.frames.is_empty() => leave(cta, warp, pc, lanes),
        What::Return => {
            if lanes != mask {
                warp.split_off(mask & !lanes, pc + 1);
            }
            call::return_to_caller(worker, warp);
        }
        What::Call => return call::enter(worker, cta, warp, pc, inst),
        What::Barrier => {
            super::block::arrive(worker, cta, warp, pc, inst);
            return worker.stopped.is_none();
        }
        What::Collective => {
            collective::execute(worker, cta, warp, pc, inst);
            return worker.stopped.is_none();
        }
        What::BranchIndexed => {
            worker.executed.control.branches += 1;
            let table = &worker.launch.code.details.tables[inst.detail as usize];
            let index = *warp.registers.r32(inst.s[0]);
            let mut rest = lanes;
            let mut parts = 0;
            while rest != 0 {
                let chosen = index[(rest.trailing_zeros() % 32) as usize];
                let same = (0..LANES)
                    .filter(|&l| rest >> l & 1 != 0 && index[l] == chosen)
                    .fold(0u32, |m, l| m | 1 << l);
                rest &= !same;
                parts += 1;
                // PTX leaves an index past the table undefined; here it selects the last entry.
                let target = table.get(chosen as usize).or(table.last()).copied().unwrap_or(pc + 1);
                if rest == 0 {
                    warp.group.pc = target;
                } else {
                    warp.split_off(same, target);
                }
            }
            worker.executed.control.divergent_branches += (parts > 1) as u64;
        }
        What::Trap => {
            let grid = inst.detail != 0 && worker.launch.gpu.workspace == 0;
            let code = if grid { FindingKind::GridBarrier } else { FindingKind::Trap };
            worker.findings.add(code, side(cta.index, warp, pc, lanes), None, Vec::new);
            worker.stopped = Some(Outcome::Stopped);
            return false;
        }
        What::Lanes(_) | What::Memory | What::System(_) | What::Branch => {}
    }
    true
}

/// Makes lanes leave the kernel, and records the branches that led them there, or the instruction itself.
pub fn leave<O: Observer>(cta: &mut Cta<O>, warp: &mut Warp, pc: u32, lanes: u32) {
    let (last_branch, merged_branches) = (warp.group.last_branch, &warp.group.merged_branches[..]);
    let (by, also) =
        if lanes == warp.registers.mask() { (last_branch, merged_branches) } else { (pc, &[][..]) };
    for by in std::iter::once(by).chain(also.iter().copied()) {
        if !cta.exit_branches.contains(&by) && cta.exit_branches.len() < MAX_EXIT_BRANCHES {
            cta.exit_branches.push(by);
        }
    }
    warp.group.pc = pc + 1;
    warp.leave(lanes);
}
