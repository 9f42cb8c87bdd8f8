//! Thread block clusters: blocks that run together, meet at a barrier of their own (`barrier.cluster`), and access
//! each other's shared memory (CUDA programming guide, "Thread Block Clusters", "Distributed Shared Memory").
//!
//! An address in the shared window names its block in the bits above the lowest [`OFFSET_BITS`]: 0 is the block
//! that uses the address, `n + 1` is the block of rank `n` in its cluster.
//!
//! The shared memory of a block that is not running is kept here, so that the running block can access it.

use super::clock;
use super::fault::{Fault, kind_of};
use super::issue::Issue;
use super::launch::LaunchContext;
use super::observer::{Event, MemorySpace, NO_BUFFER, Observer, Synchronisation};
use super::transfer::transfer;
use super::unwritten;
use super::warp::{State, Warp};
use super::worker::{Cta, WorkerState};
use crate::code::BarrierKind;
use crate::evidence::{ClusterMisuse, Evidence};
use crate::finding::FindingKind;
use crate::memory::SHARED_WINDOW;
use crate::memory::access::{Order, Space};

/// Bits of an address that hold the offset in a block's shared memory: enough for any block.
const OFFSET_BITS: u32 = 24;
const OFFSET: u64 = (1 << OFFSET_BITS) - 1;
/// Ranks that an address can name; larger ones are mapped to a rank that no cluster has.
const MAX_RANKS: u32 = 254;

/// Returns the address in the shared window of the same offset as `address` in block `rank` (`mapa`).
pub fn mapped(address: u64, rank: u32) -> u64 {
    (u64::from(rank.min(MAX_RANKS)) + 1) << OFFSET_BITS | address & OFFSET
}

/// Returns the rank of the block named by an address in the shared window; `own` is that of the block that uses
/// the address.
pub fn rank_of(address: u64, own: u32) -> u32 {
    ((address >> OFFSET_BITS) as u32).checked_sub(1).unwrap_or(own)
}

/// Returns whether an address in the shared window refers to the block that uses it.
pub fn is_own<O>(cta: &Cta<O>, address: u64) -> bool {
    rank_of(address, cta.rank) == cta.rank
}

/// Returns the offset of an address in the shared memory of the block that it names.
pub fn offset_of(address: u64) -> u64 {
    address & OFFSET
}

/// Returns the offset of an address in the shared window in the memory of the block that it names; an address that
/// names no block of the cluster is returned unchanged.
pub fn within(launch: &LaunchContext, address: u64) -> u64 {
    let named = (OFFSET + 1..(launch.extents.cluster.count() + 1) << OFFSET_BITS).contains(&address);
    if named { offset_of(address) } else { address }
}

/// Returns evidence that an address names a block which no cluster of the launch has, if it does.
pub fn no_such_block(launch: &LaunchContext, address: u64) -> Option<Evidence> {
    let (rank, blocks) = (rank_of(address, 0), launch.extents.cluster.count());
    let named = address > OFFSET && rank <= MAX_RANKS && u64::from(rank) >= blocks;
    named.then_some(Evidence::NoSuchRank { rank, blocks })
}

/// One block of a cluster.
#[derive(Debug, Default)]
struct Member {
    /// Its shared memory, while it is not running.
    shared: Vec<u32>,
    ended: bool,
    /// For each warp: lanes that have not left the kernel (`live`), that have arrived at the barrier in its
    /// current phase (`arrived`), and that have arrived but not yet waited (`arrived_not_waited`).
    live: Vec<u32>,
    arrived: Vec<u32>,
    arrived_not_waited: Vec<u32>,
}

/// The clusters whose blocks run on one host thread, by index; `None` marks a free entry.
#[derive(Debug, Default)]
pub struct Clusters(Vec<Option<Vec<Member>>>);

impl Clusters {
    /// Begins a cluster of `blocks` blocks, whose warps have the lanes in `lanes`. Returns its index.
    pub fn begin(&mut self, blocks: u64, lanes: &[u32]) -> usize {
        let member = || Member {
            live: lanes.to_vec(),
            arrived: vec![0; lanes.len()],
            arrived_not_waited: vec![0; lanes.len()],
            ..Member::default()
        };
        let members = (0..blocks).map(|_| member()).collect();
        match self.0.iter().position(Option::is_none) {
            Some(place) => {
                self.0[place] = Some(members);
                place
            }
            None => {
                self.0.push(Some(members));
                self.0.len() - 1
            }
        }
    }

    fn of<O>(&mut self, cta: &Cta<O>) -> Option<&mut Vec<Member>> {
        self.0.get_mut(cta.cluster)?.as_mut()
    }

    fn member<O>(&mut self, cta: &Cta<O>) -> Option<&mut Member> {
        self.of(cta)?.get_mut(cta.rank as usize)
    }
}

/// Returns the buffer number and base address by which events name a block's shared memory: a number after all
/// buffers of global memory. [`NO_BUFFER`] without clusters.
pub fn name(launch: &LaunchContext, place: usize, rank: u32) -> (u32, u64) {
    let blocks = launch.extents.cluster.count();
    if blocks < 2 {
        return (NO_BUFFER, 0);
    }
    let number = place as u64 * blocks + u64::from(rank);
    let buffer = launch.memory.buffers.len() as u64 + number;
    (buffer as u32, SHARED_WINDOW + (number << OFFSET_BITS))
}

/// Gives a block its shared memory at the start of its turn.
#[inline(always)]
pub fn enter<O>(worker: &mut WorkerState, cta: &mut Cta<O>) {
    if worker.launch.extents.clustered
        && let Some(member) = worker.clusters.member(cta)
    {
        std::mem::swap(&mut member.shared, &mut cta.shared);
    }
}

/// Takes over a block's shared memory when its turn ends, or before its first turn.
#[inline(always)]
pub fn leave<O>(worker: &mut WorkerState, cta: &mut Cta<O>) {
    enter(worker, cta);
    look(worker, cta);
}

/// Marks a block as ended; frees the cluster when all its blocks have ended.
pub fn end<O>(worker: &mut WorkerState, cta: &Cta<O>) {
    let Some(members) = worker.clusters.of(cta) else { return };
    if let Some(member) = members.get_mut(cta.rank as usize) {
        member.ended = true;
        member.live.fill(0);
    }
    if members.iter().all(|member| member.ended) {
        worker.clusters.0[cta.cluster] = None;
    }
}

/// Copies which of the block's lanes are still live.
fn look<O>(worker: &mut WorkerState, cta: &Cta<O>) {
    if !worker.launch.extents.clustered {
        return;
    }
    if let Some(member) = worker.clusters.member(cta) {
        for (live, warp) in member.live.iter_mut().zip(&cta.warps) {
            *live = warp.live;
        }
    }
}

/// Makes the running group arrive at the cluster's barrier, or wait there until all threads have arrived.
pub fn meet<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    pc: u32,
    kind: BarrierKind,
) {
    if kind == BarrierKind::ClusterWait {
        warp.group.pc = pc;
        warp.park(State::Cluster);
        return;
    }
    let (mask, n) = (warp.registers.mask(), warp.index as usize);
    warp.group.pc = pc + 1;
    let Some(member) = worker.clusters.member(cta) else { return };
    let twice = member.arrived_not_waited[n] & mask;
    member.arrived[n] |= mask;
    member.arrived_not_waited[n] |= mask;
    worker.progress += 1;
    if twice != 0 {
        misused(Issue { worker, cta, warp, pc }, twice, ClusterMisuse::ArrivesTwice);
    }
    if kind == BarrierKind::ClusterArrive {
        cta.observer.synchronised(Synchronisation::ClusterReached(warp.lanes_of(mask)));
    }
}

fn misused<O>(mut issue: Issue<O>, lanes: u32, how: ClusterMisuse) {
    let at = issue.side(lanes);
    issue.end(FindingKind::Trap, at, || [Evidence::ClusterBarrier(how)]);
}

/// Releases the threads of a block that wait at the cluster's barrier, once all threads of the cluster that have
/// not left the kernel have arrived. Returns whether a phase was completed or threads were released.
pub fn release<O: Observer>(worker: &mut WorkerState, cta: &mut Cta<O>, warps: &mut [Warp]) -> bool {
    if !worker.launch.extents.clustered {
        return false;
    }
    let Some(members) = worker.clusters.of(cta) else { return false };
    if let Some(own) = members.get_mut(cta.rank as usize) {
        for (live, warp) in own.live.iter_mut().zip(warps.iter()) {
            *live = warp.live;
        }
    }
    let complete =
        |member: &Member| member.arrived.iter().zip(&member.live).all(|(arrived, live)| live & !arrived == 0);
    let begun = members.iter().any(|member| member.arrived.iter().any(|&arrived| arrived != 0));
    let complete = begun && members.iter().all(complete);
    if complete {
        members.iter_mut().for_each(|member| member.arrived.fill(0));
        worker.executed.control.barriers += members.len() as u64;
        worker.progress += 1;
        cta.observer.synchronised(Synchronisation::ClusterMet);
    }
    let Some(own) = members.get_mut(cta.rank as usize) else { return complete };
    let (mut passed, mut early) = (vec![0; warps.len()], None);
    for (n, warp) in warps.iter_mut().enumerate() {
        let arrived = own.arrived[n];
        for group in warp.waiting().iter_mut().filter(|g| g.state == State::Cluster && g.mask & arrived == 0)
        {
            early = early
                .or(Some((n, group.pc, group.mask & !own.arrived_not_waited[n])).filter(|its| its.2 != 0));
            (group.state, group.pc) = (State::Ready, group.pc + 1);
            own.arrived_not_waited[n] &= !group.mask;
            passed[n] |= group.mask;
        }
    }
    if let Some((n, pc, lanes)) = early {
        misused(Issue { worker, cta, warp: &mut warps[n], pc }, lanes, ClusterMisuse::WaitsWithoutArrival);
    }
    if passed.iter().zip(warps.iter()).all(|(passed, warp)| *passed == warp.live) {
        if cta.timed {
            clock::meet(warps);
        }
        cta.observer.synchronised(Synchronisation::ClusterLeft(None));
    } else {
        for (mask, warp) in passed.iter().zip(warps.iter()).filter(|(mask, _)| **mask != 0) {
            cta.observer.synchronised(Synchronisation::ClusterLeft(Some(warp.lanes_of(*mask))));
        }
    }
    complete || passed.iter().any(|&mask| mask != 0)
}

/// Returns whether threads of a block wait at the cluster's barrier.
pub fn waits(warps: &mut [Warp]) -> bool {
    warps.iter_mut().any(|warp| warp.waiting().iter().any(|group| group.state == State::Cluster))
}

/// Returns whether an address in the shared window explicitly names the block that uses it.
pub fn names_own<O>(cta: &Cta<O>, space: Space, address: u64) -> bool {
    space != Space::Shared && address > OFFSET && rank_of(address, cta.rank) == cta.rank
}

/// Returns the first lane's address, the lowest address and the end of the highest, each minus the bits that name
/// the lowest one's block.
pub fn strip_block(first: u64, lowest: u64, highest: u64) -> (u64, u64, u64) {
    let block = lowest & !OFFSET;
    (first.wrapping_sub(block), lowest - block, highest.wrapping_sub(block))
}

/// Performs an access of all active lanes by addresses that name a block: `lowest` is the least of them, `highest`
/// one past the last byte, and `first` the address of the first lane.
///
/// # Errors
///
/// The fault of one of the lanes; nothing is done then.
#[inline(never)]
pub fn access<O: Observer>(
    worker: &mut WorkerState,
    cta: &mut Cta<O>,
    warp: &mut Warp,
    (index, first, lowest, highest): (usize, u64, u64, u64),
    mut event: Event,
) -> Result<(), Fault> {
    let op = &worker.launch.code.details.memory[index];
    let width = op.width();
    let rank = rank_of(lowest, cta.rank);
    let (_, low, high) = strip_block(first, lowest, highest);
    let blocks = worker.launch.extents.cluster.count();
    // The `.shared::cta` window does not contain the cluster's other blocks.
    let outside = op.space == Space::Shared || lowest > highest || high > cta.shared_bytes;
    if lowest <= OFFSET || outside || u64::from(rank) >= blocks {
        return Err(Fault(FindingKind::SharedOutOfBounds));
    }
    let shape = worker.accesses.shapes[worker.accesses.shape_of[index].0 as usize].taken();
    if low & (u64::from(width) - 1) != 0 || first & (u64::from(width) - 1) != 0 || shape.alignment < width {
        return Err(Fault(FindingKind::Misaligned));
    }
    event.kind = kind_of(&op.action);
    event.first = offset_of(first);
    event.place = MemorySpace::Shared;
    event.strong |= op.order == Order::Strong;
    event.overwriting = unwritten::overwriting(op, warp, event.mask);
    let shared = match worker.clusters.of(cta).and_then(|members| members.get_mut(rank as usize)) {
        Some(member) if !member.ended => &mut member.shared,
        _ => return Err(Fault(FindingKind::ClusterLifetime)),
    };
    let shape = worker.accesses.shapes[worker.accesses.shape_of[index].0 as usize].taken();
    event.clash = transfer(shared.as_mut_slice(), op, shape, event.first, event.mask, warp);
    (event.buffer, event.base) = name(worker.launch, cta.cluster, rank);
    let shape = worker.accesses.shapes[worker.accesses.shape_of[index].0 as usize].taken();
    cta.observer.memory_access(&event, shape, &mut worker.findings);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_block_and_the_place_there() {
        for (address, rank) in [(0, 0), (228 << 10, 7), (16, 15), (4, 200)] {
            let there = mapped(address, rank);
            assert_eq!((rank_of(there, 3), offset_of(there)), (rank, address));
            assert_eq!(mapped(there, 1), mapped(address, 1), "a mapped address can be mapped again");
        }
        assert_eq!((rank_of(40, 3), offset_of(40)), (3, 40), "a plain address is the block's own");
        assert!(rank_of(mapped(0, u32::MAX), 0) >= MAX_RANKS);
    }
}
