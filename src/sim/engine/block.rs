//! The warps of a block take turns; barriers let them go together.

use super::clock;
use super::cluster;
use super::collective;
use super::observer::{Lanes, Observer};
use super::step::{self, WarpStatus, side};
use super::stuck::{self, deadlock};
use super::unit::{Cta, Quiet, Unit};
use super::warp::{Group, State, Warp};
use crate::code::{BarrierKind, BarrierOp, DecodedModule, Inst};
use crate::evidence::{Evidence, Stand};
use crate::finding::FindingKind;
use crate::lanes::{FIXED, LANES};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockStatus {
    Done,
    /// Seems to wait for another block.
    Yielded,
    /// The launch is over: see [`Unit::stopped`].
    Stopped,
    /// It has taken all the instructions that it may; the warp, by number, that went on last.
    Spent(usize),
}

/// Rounds over the warps of a block that waits for itself, before another block has a turn.
const ROUNDS: u32 = 16;

/// Runs the block until it ends or seems to wait for another.
#[inline(always)]
pub fn run<O: Observer, const WIDE: bool>(unit: &mut Unit, cta: &mut Cta<O>) -> BlockStatus {
    let mut warps = std::mem::take(&mut cta.warps);
    let mut rounds = 0;
    let status = loop {
        let (mut live, mut yielded) = (false, false);
        let before = unit.progress;
        if cta.quiet.progress != unit.progress {
            cta.quiet = Quiet { progress: unit.progress, steps: cta.steps, rounds: 0 };
        }
        let mut stopped = None;
        for n in 0..warps.len() {
            let chosen = unit.launch.order.scheduled(n as u64, warps.len() as u64, cta.index) as usize;
            let warp = &mut warps[chosen];
            if warp.done() {
                continue;
            }
            match step::run::<O, WIDE>(unit, cta, warp) {
                WarpStatus::Done => unit.progress += 1,
                WarpStatus::Waiting => live = true,
                WarpStatus::Yielded => (live, yielded) = (true, true),
                WarpStatus::Stopped => {
                    stopped = Some(BlockStatus::Stopped);
                    break;
                }
                WarpStatus::Spent => {
                    stopped = Some(BlockStatus::Spent(chosen));
                    break;
                }
            }
        }
        if let Some(stopped) = stopped {
            break stopped;
        }
        if !live {
            super::warpgroup::emit_mismatches(unit, cta);
            break BlockStatus::Done;
        }
        let released = release_whole(unit, cta, &mut warps)
            || release(unit, cta, &mut warps)
            || cluster::release(unit, cta, &mut warps);
        if unit.stopped.is_some() {
            break BlockStatus::Stopped;
        }
        if released {
            unit.progress += 1;
            continue;
        }
        if yielded {
            rounds += 1;
            if unit.progress == before && stuck::is_stuck(unit, cta, &mut warps) {
                cta.warps = warps;
                deadlock(unit, cta, None);
                return BlockStatus::Stopped;
            }
            if rounds == ROUNDS || (unit.progress == before && !unit.patient) || unit.takes_turns() {
                break BlockStatus::Yielded;
            }
            continue;
        }
        if unit.launch.extents.clustered && cluster::waits(&mut warps) {
            break BlockStatus::Yielded;
        }
        let mut freed = false;
        for warp in &mut warps {
            freed |= !warp.done() && collective::give_up(unit, cta, warp);
        }
        if !freed {
            cta.warps = warps;
            deadlock(unit, cta, None);
            return BlockStatus::Stopped;
        }
    };
    cta.warps = warps;
    status
}

/// The running group waits at a barrier, or only tells that it came.
pub fn arrive<O: Observer>(unit: &mut Unit, cta: &mut Cta<O>, warp: &mut Warp, pc: u32, inst: &Inst) {
    let op = &unit.launch.code.barriers[inst.detail as usize];
    if matches!(
        op.kind,
        BarrierKind::ClusterArrive | BarrierKind::ClusterArriveRelaxed | BarrierKind::ClusterWait
    ) {
        return cluster::meet(unit, cta, warp, pc, op.kind);
    }
    if op.kind == BarrierKind::Arrive {
        let mask = warp.registers.mask();
        let id = warp.registers.r32(op.id)[(mask.trailing_zeros() % 32) as usize] % 16;
        cta.arrived[id as usize] += mask.count_ones() as u64;
        cta.observer.barrier_reached(id, warp.lanes_of(mask));
        warp.group.pc = pc + 1;
    } else {
        warp.group.pc = pc;
        warp.park(State::Barrier);
    }
}

/// The barrier a waiting group is at, its number, and the threads it wants.
fn wanted<'a>(program: &'a DecodedModule, warp: &Warp, group: &Group) -> (&'a BarrierOp, u32, Option<u64>) {
    let op = &program.barriers[program.insts[group.pc as usize].detail as usize];
    let lane = (group.mask.trailing_zeros() % 32) as usize;
    // Barrier numbers and counts come from fixed registers or the group's own frame.
    let read = |register: u32| warp.read32(register, group.activation.base, lane);
    (op, read(op.id) % 16, op.threads.map(|r| read(r) as u64))
}

/// Lets the block go on when all its threads wait at one plain `__syncthreads()`.
#[inline(always)]
fn release_whole<O: Observer>(unit: &mut Unit, cta: &mut Cta<O>, warps: &mut [Warp]) -> bool {
    let Some(pc) = warps.first_mut().and_then(|w| w.whole_at_barrier()).map(|g| g.pc) else { return false };
    let program = unit.launch.code;
    let op = &program.barriers[program.insts[pc as usize].detail as usize];
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
    cta.observer.barrier_passed();
    unit.barriers += 1;
    true
}

/// Lets the threads go that wait at complete barriers. True when there were any.
#[inline(never)]
fn release<O: Observer>(unit: &mut Unit, cta: &mut Cta<O>, warps: &mut [Warp]) -> bool {
    let program = unit.launch.code;
    for warp in warps.iter_mut() {
        warp.waiting();
    }
    let total: u64 = warps.iter().map(|w| w.lanes.count_ones() as u64).sum();
    let live: u64 = warps.iter().map(|w| w.live.count_ones() as u64).sum();
    // For each barrier: threads that wait, the count they want, the first one's place, and whether
    // all are at the same place.
    let mut waiting = [0u64; 16];
    let mut count: [Option<u64>; 16] = [None; 16];
    let mut first: [Option<super::findings::Side>; 16] = [None; 16];
    let mut elsewhere: [Option<super::findings::Side>; 16] = [None; 16];
    for warp in warps.iter() {
        for group in warp.others.iter().filter(|g| g.state == State::Barrier) {
            let (_, id, threads) = wanted(program, warp, group);
            let id = id as usize;
            waiting[id] += group.mask.count_ones() as u64;
            count[id] = threads;
            let here = side(cta.index, warp, group.pc, group.mask);
            match first[id] {
                None => first[id] = Some(here),
                Some(known) if known.pc != here.pc => elsewhere[id] = elsewhere[id].or(Some(here)),
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
            if left > 0 && left_early(unit, cta) {
                // They don't count (CUDA programming guide, compute capability 7.0 and later).
            } else if left > 0 {
                let waits = waiting[id];
                unit.findings.add(FindingKind::DivergentBarrier, at, None, || {
                    let ended = Evidence::EndedBeforeBarrier { waiting: waits, total, ended: left };
                    std::iter::once(ended).chain(stands(program, warps, id as u32))
                });
            } else if let Some(other) = elsewhere[id] {
                unit.findings.add(FindingKind::DivergentBarrier, at, Some(other), || {
                    std::iter::once(Evidence::DifferentBarriers).chain(stands(program, warps, id as u32))
                });
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
            cta.observer.barrier_passed();
        } else {
            order(program, cta, warps, id as u32);
        }
        let_go(program, warps, id as u32);
        unit.barriers += 1;
        released = true;
    }
    released
}

/// Where all threads of a block are that come together at barrier `id`: at its places by line, and gone.
fn stands(program: &DecodedModule, warps: &[Warp], id: u32) -> Vec<Evidence> {
    let mut places: BTreeMap<Option<u32>, Vec<u32>> = BTreeMap::new();
    for (n, warp) in warps.iter().enumerate() {
        for group in warp.others.iter().filter(|group| waits_at(program, warp, group, id)) {
            let line = program.location(group.pc).map(|at| at.line);
            places.entry(line).or_insert_with(|| vec![0; warps.len()])[n] |= group.mask;
        }
    }
    let at = |(line, warps)| Evidence::Stands { place: Stand::Barrier { line }, warps };
    let ended: Vec<u32> = warps.iter().map(|warp| warp.lanes & !warp.live).collect();
    let ended = Some(ended).filter(|ended| ended.iter().any(|mask| *mask != 0));
    let ended = ended.map(|warps| Evidence::Stands { place: Stand::Ended, warps });
    places.into_iter().map(at).chain(ended).collect()
}

fn waits_at(program: &DecodedModule, warp: &Warp, group: &Group, id: u32) -> bool {
    group.state == State::Barrier && wanted(program, warp, group).1 == id
}

/// Whether all threads that have left did so by a return before anything else.
fn left_early<O>(unit: &Unit, cta: &Cta<O>) -> bool {
    let is_early = |pc: &u32| {
        let line = unit.launch.code.location(*pc).map(|at| at.line);
        line.is_some_and(|line| unit.launch.early_returns.contains(&line))
    };
    cta.left_by.iter().all(is_early)
}

/// Tells the observer who meets at barrier `id`.
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
    each(&mut |at| cta.observer.barrier_reached(id, at));
    each(&mut |at| cta.observer.barrier_left(id, at));
    cta.observer.barrier_cleared(id);
}

/// Groups that wait at barrier `id` step past it, with the results of its reduction.
fn let_go(program: &DecodedModule, warps: &mut [Warp], id: u32) {
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

/// Whether some of a block's threads wait for others of it, at a barrier or for lanes of their warp.
pub fn is_held_by_itself<O: Observer>(cta: &mut Cta<O>) -> bool {
    let held = |group: &Group| !matches!(group.state, State::Ready | State::Cluster);
    cta.warps.iter_mut().any(|warp| warp.waiting().iter().any(held))
}

/// Whether some of a block's threads wait for others, at a barrier or for lanes of their warp.
pub fn is_held<O: Observer>(cta: &mut Cta<O>) -> bool {
    cta.warps.iter_mut().any(|warp| warp.waiting().iter().any(|group| group.state != State::Ready))
}

/// Warp instructions of a block, none of which changed anything that others may wait for, after which
/// those that look at memory in a loop count as waiting for good; half of what it may take, if that is
/// less.
const QUIET_STEPS: u64 = 1 << 20;

/// Whether all that a block did lately was to look, again and again, for what does not come.
pub fn only_looks<O: Observer>(unit: &Unit, cta: &Cta<O>) -> bool {
    let least = QUIET_STEPS.min(unit.launch.budget.step_budget / 2);
    let quiet = cta.quiet.progress == unit.progress && cta.steps - cta.quiet.steps >= least;
    quiet && cta.warps.iter().any(|warp| !warp.done() && (warp.spun || warp.watch.repeats()))
}

/// A thread that goes round a loop: its warp, its place and its lanes.
pub fn spinner<O: Observer>(cta: &mut Cta<O>) -> Option<super::findings::Side> {
    let index = cta.index;
    cta.warps.iter_mut().filter(|warp| !warp.done()).find_map(|warp| {
        let ready = warp.waiting().iter().find(|group| group.state == State::Ready);
        ready.map(|group| (group.pc, group.mask)).map(|(pc, mask)| side(index, warp, pc, mask))
    })
}
