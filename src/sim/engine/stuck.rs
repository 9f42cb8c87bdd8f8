//! Detects and reports blocks in which no thread can continue.

use super::external_wait;
use super::findings::Side;
use super::observer::Observer;
use super::step::side;
use super::warp::{Group, State, Warp};
use super::worker::{Cta, WorkerState};
use crate::checks::origin::{WaitLoop, WaitLoops};
use crate::evidence::{Evidence, WaitsFor};
use crate::finding::FindingKind;
use crate::launch::Outcome;
use crate::mbarrier::{self, PhaseProgress};

/// Rounds of polling without any effect after which every group has polled: the groups of a warp take turns, each
/// at least once in this many rounds.
const POLL_ROUNDS: u32 = 4;

/// Returns the loop that a group executes, if it only waits for other threads of its block.
fn wait_loop<'a>(worker: &WorkerState<'a>, group: &Group) -> Option<&'a WaitLoop> {
    let (code, kernel) = (worker.launch.code, worker.launch.kernel);
    let waits = kernel.waits.get_or_init(|| WaitLoops::of(code, kernel));
    waits.around(*code.block_of.get(group.pc as usize)?)
}

/// Returns whether all threads of the block wait for each other, some of them in loops that poll an mbarrier
/// object or with others at a barrier, after a round in which nobody made progress.
pub fn is_stuck<O>(worker: &WorkerState, cta: &mut Cta<O>, warps: &mut [Warp]) -> bool {
    // Another block of the cluster may provide what they wait for.
    if worker.takes_turns() || worker.launch.extents.cluster.count() > 1 {
        return false;
    }
    cta.quiet.rounds += 1;
    if cta.quiet.rounds < POLL_ROUNDS {
        return false;
    }
    let mut meant_to_meet = false;
    for warp in warps.iter_mut().filter(|warp| !warp.done()) {
        for group in warp.waiting().iter() {
            if group.state != State::Ready {
                meant_to_meet = true;
                continue;
            }
            let Some(its) = wait_loop(worker, group) else { return false };
            meant_to_meet |= !its.objects.is_empty();
        }
    }
    meant_to_meet
}

/// Returns whether some of a block's threads execute a loop that polls an mbarrier object.
pub fn polls_mbarrier<O>(worker: &WorkerState, cta: &mut Cta<O>) -> bool {
    let looks = |group: &Group| {
        group.state == State::Ready && wait_loop(worker, group).is_some_and(|its| !its.objects.is_empty())
    };
    cta.warps.iter_mut().filter(|warp| !warp.done()).any(|warp| warp.waiting().iter().any(looks))
}

/// What a thread waits for, as far as it is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AwaitedPlace {
    /// Other threads, at an instruction.
    Meeting { pc: u32 },
    /// A phase of the mbarrier object at this offset of shared memory, polled by an instruction.
    Phase { pc: u32, at: u64 },
    /// The other blocks, at the barrier of the grid, polled by an instruction.
    Grid { pc: u32 },
    /// A change seen by a loop. The place is the loop, whichever of its instructions the thread is at.
    Loop,
}

/// Returns the mbarrier object that a group polls.
fn object(worker: &WorkerState, warp: &Warp, group: &Group) -> Option<AwaitedPlace> {
    let its = (group.state == State::Ready).then(|| wait_loop(worker, group)).flatten()?;
    let pc = *its.objects.first()?;
    let op = worker.launch.code.access_at(pc)?;
    let lane = (group.mask.trailing_zeros() % 32) as usize;
    let at = warp.read64(op.base, group.activation.base, lane).wrapping_add(op.offset as u64);
    Some(AwaitedPlace::Phase { pc, at })
}

/// Returns the progress of the phase of the object that is waited for.
fn phase_progress<O>(cta: &Cta<O>, at: u64) -> Option<PhaseProgress> {
    let word = |n: u64| cta.shared.get((at / 4 + n) as usize).copied().map(u64::from);
    mbarrier::phase_progress(word(0)? | word(1)? << 32).ok()
}

/// Returns what the threads at one place wait for, as evidence.
fn waits<O>(worker: &WorkerState, cta: &Cta<O>, what: AwaitedPlace, threads: u64) -> Evidence {
    let (pc, awaited) = match what {
        AwaitedPlace::Loop => (None, WaitsFor::Loop),
        AwaitedPlace::Grid { pc } => (Some(pc), WaitsFor::Grid),
        AwaitedPlace::Meeting { pc } => (Some(pc), WaitsFor::Barrier),
        AwaitedPlace::Phase { pc, at } => match phase_progress(cta, at) {
            None => (Some(pc), WaitsFor::Object),
            Some(PhaseProgress { arrived, expected, bytes }) => {
                (Some(pc), WaitsFor::Phase { arrived, expected, bytes })
            }
        },
    };
    let line = pc.and_then(|pc| worker.launch.code.location(pc)).map(|at| at.line);
    Evidence::Waits { threads, line, awaited }
}

/// Reports a deadlock: which threads wait where, those at barriers first, and how many have ended, followed by the
/// evidence in `more`. Stops the launch.
pub fn deadlock<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, more: Option<Evidence>) {
    let mut places: Vec<(AwaitedPlace, u64, Side)> = Vec::new();
    let index = cta.index;
    let mut for_the_grid = external_wait::is_for_the_grid(worker, cta);
    let mut warps = std::mem::take(&mut cta.warps);
    for warp in &mut warps {
        warp.waiting();
        let running =
            (warp.running && !warp.done()).then(|| warp.group.split(warp.registers.mask(), warp.group.pc));
        for group in warp.others.iter().chain(&running) {
            let what = match group.state {
                State::Ready => {
                    object(worker, warp, group).unwrap_or_else(|| match std::mem::take(&mut for_the_grid) {
                        true => AwaitedPlace::Grid { pc: group.pc },
                        false => AwaitedPlace::Loop,
                    })
                }
                _ => AwaitedPlace::Meeting { pc: group.pc },
            };
            let pc = if let AwaitedPlace::Phase { pc, .. } = what { pc } else { group.pc };
            let here = side(index, warp, pc, group.mask);
            match places.iter_mut().find(|(known, ..)| *known == what) {
                Some((_, threads, _)) => *threads += u64::from(group.mask.count_ones()),
                None => places.push((what, u64::from(group.mask.count_ones()), here)),
            }
        }
    }
    cta.warps = warps;
    places.sort_by_key(|(what, ..)| matches!(what, AwaitedPlace::Grid { .. } | AwaitedPlace::Loop));
    let evidence = places.iter().map(|&(what, threads, _)| waits(worker, cta, what, threads));
    let left: u64 = places.iter().map(|(_, threads, _)| threads).sum();
    let ended = worker.launch.extents.block_threads().saturating_sub(left);
    let ended = (ended > 0).then_some(Evidence::ThreadsEnded(ended));
    let evidence: Vec<Evidence> = evidence.chain(ended).chain(more).collect();
    if let Some(&(.., at)) = places.first() {
        worker.findings.add(FindingKind::Deadlock, at, places.get(1).map(|place| place.2), || evidence);
    }
    worker.stopped = Some(Outcome::Stopped);
}
