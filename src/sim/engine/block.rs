//! Schedules the warps of a block and releases its barriers.

use super::clock;
use super::cluster;
use super::collective;
use super::compiled;
use super::observer::{Lanes, Observer, Synchronisation};
use super::step::{self, WarpStatus, side};
use super::stuck::{self, deadlock};
use super::warp::{Group, State, Warp};
use super::worker::{Cta, QuietSince, WorkerState};
use crate::code::{BarrierKind, BarrierOp, DecodedModule, Inst};
use crate::evidence::{BarrierPosition, Evidence};
use crate::finding::FindingKind;
use crate::lanes::{FIXED, LANES};
use std::collections::BTreeMap;

/// Why a block stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockStatus {
    Done,
    /// The block seems to wait for another block.
    Yielded,
    /// The launch has ended: see [`WorkerState::stopped`].
    Stopped,
    /// The block has executed all the instructions it may; the index of the warp that ran last.
    BudgetSpent(usize),
}

/// Rounds over the warps of a block whose warps wait for each other, before another block runs.
const ROUNDS: u32 = 16;

/// Runs the block until it ends or seems to wait for another block.
#[inline(always)]
pub fn run<O: Observer, const WIDE: bool>(worker: &mut WorkerState, cta: &mut Cta<O>) -> BlockStatus {
    let mut warps = std::mem::take(&mut cta.warps);
    let mut rounds = 0;
    let status = loop {
        let (mut live, mut yielded) = (false, false);
        let before = worker.progress;
        if cta.quiet.progress != worker.progress {
            cta.quiet = QuietSince { progress: worker.progress, steps: cta.steps.done, rounds: 0 };
        }
        let mut stopped = None;
        let mut n = 0;
        while n < warps.len() {
            let mut resumed = None;
            if O::COMPILES && worker.compiled.is_some() {
                let ran = compiled::run_warps(worker, cta, &mut warps, n);
                live |= ran.waits;
                worker.progress += ran.ended;
                resumed = ran.resumed;
                n += ran.warps;
                if n == warps.len() {
                    break;
                }
            }
            let chosen = worker.launch.order.scheduled(n as u64, warps.len() as u64, cta.index) as usize;
            let warp = &mut warps[chosen];
            n += 1;
            if warp.done() {
                continue;
            }
            match step::run::<O, WIDE>(worker, cta, warp, resumed) {
                WarpStatus::Done => worker.progress += 1,
                WarpStatus::Waiting => live = true,
                WarpStatus::Yielded => (live, yielded) = (true, true),
                WarpStatus::Stopped => {
                    stopped = Some(BlockStatus::Stopped);
                    break;
                }
                WarpStatus::BudgetSpent => {
                    stopped = Some(BlockStatus::BudgetSpent(chosen));
                    break;
                }
            }
        }
        if let Some(stopped) = stopped {
            break stopped;
        }
        if !live {
            super::warpgroup::emit_mismatches(worker, cta);
            break BlockStatus::Done;
        }
        let released = release_whole(worker, cta, &mut warps)
            || release(worker, cta, &mut warps)
            || cluster::release(worker, cta, &mut warps);
        if worker.stopped.is_some() {
            break BlockStatus::Stopped;
        }
        if released {
            worker.progress += 1;
            continue;
        }
        if yielded {
            rounds += 1;
            if worker.progress == before && stuck::is_stuck(worker, cta, &mut warps) {
                cta.warps = warps;
                deadlock(worker, cta, None);
                return BlockStatus::Stopped;
            }
            if rounds == ROUNDS || (worker.progress == before && !worker.patient) || worker.takes_turns() {
                break BlockStatus::Yielded;
            }
            continue;
        }
        if worker.launch.extents.clustered && cluster::waits(&mut warps) {
            break BlockStatus::Yielded;
        }
        let mut freed = false;
        for warp in &mut warps {
            freed |= !warp.done() && collective::proceed_without_missing(worker, cta, warp);
        }
        if !freed {
            cta.warps = warps;
            deadlock(worker, cta, None);
            return BlockStatus::Stopped;
        }
    };
    cta.warps = warps;
    status
}

/// Executes a barrier instruction: the running group waits, or only registers its arrival.
pub fn arrive<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    pc: u32,
    inst: &Inst,
) {
    let op = &worker.launch.code.details.barriers[inst.detail as usize];
    if matches!(
        op.kind,
        BarrierKind::ClusterArrive | BarrierKind::ClusterArriveRelaxed | BarrierKind::ClusterWait
    ) {
        return cluster::meet(worker, cta, warp, pc, op.kind);
    }
    if op.kind == BarrierKind::Arrive {
        let mask = warp.registers.mask();
        let id = warp.registers.r32(op.id)[(mask.trailing_zeros() % 32) as usize] % 16;
        cta.arrived[id as usize] += mask.count_ones() as u64;
        cta.observer.synchronised(Synchronisation::BarrierReached(id, warp.lanes_of(mask)));
        warp.group.pc = pc + 1;
    } else {
        warp.group.pc = pc;
        warp.park(State::Barrier);
    }
}

/// Returns the barrier a waiting group is at, its number, and the number of threads it needs (`None`: all threads
/// of the block).
fn wanted<'a>(program: &'a DecodedModule, warp: &Warp, group: &Group) -> (&'a BarrierOp, u32, Option<u64>) {
    let op = &program.details.barriers[program.insts[group.pc as usize].detail as usize];
    let lane = (group.mask.trailing_zeros() % 32) as usize;
    // Barrier numbers and counts come from fixed registers or the group's own frame.
    let read = |register: u32| warp.read32(register, group.activation.base, lane);
    (op, read(op.id) % 16, op.threads.map(|r| read(r) as u64))
}

/// Releases the block when all its threads wait at the same plain `__syncthreads()`. Returns whether it did.
#[inline(always)]
fn release_whole<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, warps: &mut [Warp]) -> bool {
    let Some(pc) = warps.first_mut().and_then(|w| w.whole_at_barrier()).map(|g| g.pc) else { return false };
    let program = worker.launch.code;
    let op = &program.details.barriers[program.insts[pc as usize].detail as usize];
    if op.kind != BarrierKind::Sync || op.threads.is_some() || op.id & FIXED == 0 {
        return false;
    }
    if !warps.iter_mut().all(|w| w.whole_at_barrier().is_some_and(|g| g.pc == pc)) {
        return false;
    }
    if cta.timed {
        clock::meet(warps);
    }
    for warp in warps {
        warp.group.pc = pc + 1;
        warp.group.state = State::Ready;
    }
    if O::EVERY_INSTRUCTION {
        cta.observer.block_barrier(pc, true);
    }
    cta.observer.synchronised(Synchronisation::BarrierPassed);
    worker.executed.control.barriers += 1;
    true
}

/// Releases the threads that wait at complete barriers. Returns whether there were any.
#[inline(never)]
fn release<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, warps: &mut [Warp]) -> bool {
    let program = worker.launch.code;
    for warp in warps.iter_mut() {
        warp.waiting();
    }
    let total: u64 = warps.iter().map(|w| w.lanes.count_ones() as u64).sum();
    let live: u64 = warps.iter().map(|w| w.live.count_ones() as u64).sum();
    // For each barrier: the number of waiting threads, the count they need, the place of the first one, and the
    // first place that differs from it.
    let mut waiting = [0u64; 16];
    let mut count: [Option<u64>; 16] = [None; 16];
    let mut first: [Option<super::findings::Side>; 16] = [None; 16];
    let mut elsewhere: [Option<super::findings::Side>; 16] = [None; 16];
    let mut other_count: [Option<(super::findings::Side, u64)>; 16] = [None; 16];
    for warp in warps.iter() {
        for group in warp.others.iter().filter(|g| g.state == State::Barrier) {
            let (_, id, threads) = wanted(program, warp, group);
            let id = id as usize;
            waiting[id] += group.mask.count_ones() as u64;
            let here = side(cta.index, warp, group.pc, group.mask);
            if first[id].is_some() && threads != count[id] {
                other_count[id] = other_count[id].or(threads.map(|threads| (here, threads)));
            }
            match first[id] {
                None => (first[id], count[id]) = (Some(here), threads),
                Some(known) if known.pc != here.pc => {
                    // Of the barrier of one line the compiler may make several: one of another line says more.
                    let line = |side: super::findings::Side| program.location(side.pc).map(|at| at.line);
                    let is_better =
                        elsewhere[id].is_none_or(|its| line(its) == line(known) && line(here) != line(known));
                    elsewhere[id] = if is_better { Some(here) } else { elsewhere[id] };
                }
                Some(_) => {}
            }
        }
    }
    let mut released = false;
    for id in 0..16 {
        if waiting[id] == 0 {
            continue;
        }
        let complete = match count[id] {
            Some(threads) => waiting[id] + cta.arrived[id] >= threads,
            None => waiting[id] == live,
        };
        if !complete {
            continue;
        }
        if count[id].is_none()
            && let Some(at) = first[id]
        {
            let left = total - live;
            if left > 0 && left_early(worker, cta) {
                // Threads that have exited don't count (CUDA programming guide, compute capability 7.0 and later).
            } else if left > 0 {
                let waits = waiting[id];
                worker.findings.add(FindingKind::DivergentBarrier, at, None, || {
                    let ended = Evidence::EndedBeforeBarrier { waiting: waits, total, ended: left };
                    std::iter::once(ended).chain(barrier_positions(program, warps, id as u32))
                });
            } else if let Some(other) = elsewhere[id] {
                worker.findings.add(FindingKind::DivergentBarrier, at, Some(other), || {
                    std::iter::once(Evidence::DifferentBarriers)
                        .chain(barrier_positions(program, warps, id as u32))
                });
            }
        }
        if let (Some(at), Some(threads)) = (first[id], count[id]) {
            let here = waiting[id] + cta.arrived[id];
            if let Some((other, theirs)) = other_count[id] {
                let counts = Evidence::BarrierCounts([threads, theirs]);
                worker.findings.add(FindingKind::DivergentBarrier, at, Some(other), || [counts]);
            } else if here > threads {
                let crowd = Evidence::BarrierCrowd { here, threads };
                worker.findings.add(FindingKind::DivergentBarrier, at, None, || [crowd]);
            }
        }
        let everybody = cta.arrived[id] == 0 && (count[id].is_none() || waiting[id] == total);
        cta.arrived[id] = 0;
        if everybody {
            if cta.timed {
                clock::meet(warps);
            }
            if O::EVERY_INSTRUCTION {
                let pc = first[id].map_or(0, |side| side.pc);
                cta.observer.block_barrier(pc, elsewhere[id].is_none());
            }
            cta.observer.synchronised(Synchronisation::BarrierPassed);
        } else {
            order(program, cta, warps, id as u32);
        }
        pass_barrier(program, warps, id as u32);
        worker.executed.control.barriers += 1;
        released = true;
    }
    released
}

/// Returns where the block's threads are when barrier `id` releases: the waiting ones by source line, and those
/// that have left the kernel.
fn barrier_positions(program: &DecodedModule, warps: &[Warp], id: u32) -> Vec<Evidence> {
    let mut places: BTreeMap<Option<u32>, Vec<u32>> = BTreeMap::new();
    for (n, warp) in warps.iter().enumerate() {
        for group in warp.others.iter().filter(|group| waits_at(program, warp, group, id)) {
            let line = program.location(group.pc).map(|at| at.line);
            places.entry(line).or_insert_with(|| vec![0; warps.len()])[n] |= group.mask;
        }
    }
    let at = |(line, warps)| Evidence::Stands { place: BarrierPosition::Barrier { line }, warps };
    let ended: Vec<u32> = warps.iter().map(|warp| warp.lanes & !warp.live).collect();
    let ended = Some(ended).filter(|ended| ended.iter().any(|mask| *mask != 0));
    let ended = ended.map(|warps| Evidence::Stands { place: BarrierPosition::Ended, warps });
    places.into_iter().map(at).chain(ended).collect()
}

fn waits_at(program: &DecodedModule, warp: &Warp, group: &Group, id: u32) -> bool {
    group.state == State::Barrier && wanted(program, warp, group).1 == id
}

/// Returns whether all threads that have left the kernel did so by an early return (see
/// [`LaunchContext::early_returns`](super::launch::LaunchContext::early_returns)).
fn left_early<O>(worker: &WorkerState, cta: &Cta<O>) -> bool {
    let is_early = |pc: &u32| {
        let line = worker.launch.code.location(*pc).map(|at| at.line);
        line.is_some_and(|line| worker.launch.early_returns.contains(&line))
    };
    cta.exit_branches.iter().all(is_early)
}

/// Reports to the observer which lanes of each warp meet at barrier `id`.
fn order<O: Observer>(program: &DecodedModule, cta: &mut Cta<O>, warps: &[Warp], id: u32) {
    let waits = |warp: &Warp, group: &&Group| waits_at(program, warp, group, id);
    let each = |tell: &mut dyn FnMut(Lanes)| {
        for warp in warps {
            let mask = warp.others.iter().filter(|g| waits(warp, g)).fold(0, |mask, g| mask | g.mask);
            if mask != 0 {
                tell(warp.lanes_of(mask));
            }
        }
    };
    each(&mut |at| cta.observer.synchronised(Synchronisation::BarrierReached(id, at)));
    each(&mut |at| cta.observer.synchronised(Synchronisation::BarrierLeft(id, at)));
    cta.observer.synchronised(Synchronisation::BarrierCleared(id));
}

/// Moves the groups that wait at barrier `id` past it and writes the results of its reduction.
fn pass_barrier(program: &DecodedModule, warps: &mut [Warp], id: u32) {
    let (mut yes, mut all) = (0u32, 0u32);
    let mut reduces = false;
    for warp in warps.iter() {
        for group in warp.others.iter().filter(|g| g.state == State::Barrier) {
            let (op, its, _) = wanted(program, warp, group);
            if its == id
                && let Some((source, negated)) = op.source
            {
                reduces = true;
                let bits = warp.read_pred(source, group.activation.base);
                let bits = if negated { !bits } else { bits } & group.mask;
                yes += bits.count_ones();
                all += group.mask.count_ones();
            }
        }
    }
    for warp in warps {
        for n in 0..warp.others.len() {
            if warp.others[n].state != State::Barrier {
                continue;
            }
            let (op, its, _) = wanted(program, warp, &warp.others[n]);
            if its != id {
                continue;
            }
            let pc = warp.others[n].pc;
            warp.others[n].state = State::Ready;
            warp.others[n].pc = pc + 1;
            if reduces {
                let (mask, base) = (warp.others[n].mask, warp.others[n].activation.base);
                let d = program.insts[pc as usize].d;
                warp.registers.set_base(base);
                warp.registers.set_mask(mask);
                match op.kind {
                    BarrierKind::RedPopc => warp.registers.set32(d, &[yes; LANES]),
                    BarrierKind::RedAnd => warp.registers.set_pred(d, if yes == all { u32::MAX } else { 0 }),
                    BarrierKind::RedOr => warp.registers.set_pred(d, if yes > 0 { u32::MAX } else { 0 }),
                    _ => {}
                }
            }
        }
    }
}

/// Returns whether some threads of the block wait for other threads of the same block, at a barrier or at a warp
/// collective.
pub fn has_threads_waiting_within<O: Observer>(cta: &mut Cta<O>) -> bool {
    let held = |group: &Group| !matches!(group.state, State::Ready | State::Cluster);
    cta.warps.iter_mut().any(|warp| warp.waiting().iter().any(held))
}

/// Returns whether some threads of the block wait for others, at a barrier of the block or of the cluster, or at a
/// warp collective.
pub fn has_waiting_threads<O: Observer>(cta: &mut Cta<O>) -> bool {
    cta.warps.iter_mut().any(|warp| warp.waiting().iter().any(|group| group.state != State::Ready))
}

/// Warp instructions of a block without any effect that others may wait for, after which warps that poll memory in
/// a loop count as waiting for ever. Half of the block's step budget is used instead if that is less.
const QUIET_STEPS: u64 = 1 << 20;

/// Returns whether the block has recently done nothing but poll memory without seeing a change.
pub fn only_polls<O: Observer>(worker: &WorkerState, cta: &Cta<O>) -> bool {
    let least = QUIET_STEPS.min(worker.launch.budget.step_budget / 2);
    let quiet = cta.quiet.progress == worker.progress && cta.steps.done - cta.quiet.steps >= least;
    quiet && cta.warps.iter().any(|warp| !warp.done() && (warp.spun || warp.watch.repeats()))
}

/// Returns the place of the first group of threads that is ready to run, and so executes a loop: its warp, pc and
/// lanes.
pub fn looping_thread<O: Observer>(cta: &mut Cta<O>) -> Option<super::findings::Side> {
    let index = cta.index;
    cta.warps.iter_mut().filter(|warp| !warp.done()).find_map(|warp| {
        let ready = warp.waiting().iter().find(|group| group.state == State::Ready);
        ready.map(|group| (group.pc, group.mask)).map(|(pc, mask)| side(index, warp, pc, mask))
    })
}
