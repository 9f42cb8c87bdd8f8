//! Asynchronous copies (`cp.async`) in flight: from the instruction until its thread waits for the copy's group (PTX
//! ISA, `cp.async`), or any thread for the phase of an mbarrier object that the copy's thread lets signal its completion.
//! The simulator moves the bytes at once; what is checked is who accesses them before the wait.

use super::global::{side, thread};
use super::shared::SharedShadow;
use super::stamp::Sites;
use crate::engine::findings::{FindingLog, Side, SideAddress, ThreadId};
use crate::engine::observer::{BulkCompletion, CopyStep, Event, Lanes, MemorySpace};
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{LANES, Lanes64, lanes_of};
use crate::memory::shape::Shape;

/// The bytes that one instruction of a warp reads or writes.
#[derive(Clone, Debug)]
struct Part {
    pc: u32,
    place: MemorySpace,
    mask: u32,
    addresses: Lanes64,
    width: u64,
}

impl Part {
    fn of(event: &Event, shape: &Shape) -> Part {
        let addresses = shape.offsets.map(|offset| event.first.wrapping_add(offset));
        Part { pc: event.pc, place: event.place, mask: event.mask, addresses, width: event.width as u64 }
    }

    /// Returns the first lane of `mask` whose bytes overlap the `bytes` bytes at `address`.
    fn touches(&self, mask: u32, address: u64, bytes: u64) -> Option<usize> {
        let meets = |at: u64| at < address.saturating_add(bytes) && address < at.saturating_add(self.width);
        lanes_of(self.mask & mask).find(|&lane| meets(self.addresses[lane]))
    }
}

/// A copy in flight, by some lanes of a warp.
#[derive(Clone, Debug)]
struct Flight {
    warp: u32,
    /// Lanes whose copy is still in flight.
    mask: u32,
    site: u16,
    to: Part,
    from: Vec<Part>,
    /// For each lane, the number of groups it had committed before.
    group: [u32; LANES],
    /// For a bulk copy, the mechanism that its completion is waited for with.
    bulk: Option<BulkCompletion>,
    /// For another copy, the mbarrier objects that signal its completion by a phase, odd or even.
    signals: Vec<(u64, bool)>,
}

/// Limit of a block's copies in flight; copies beyond it count as done.
const MAX_FLIGHTS: usize = 1 << 14;

#[derive(Debug, Default)]
pub struct Copies {
    flights: Vec<Flight>,
    /// For each warp, up to the last that has copied, the source bytes of the current copy, until its write follows.
    reading: Vec<Vec<Part>>,
    /// For each warp, up to the last that has committed one, and each lane, the number of groups committed.
    closed: Vec<[u32; LANES]>,
    /// The same for bulk groups.
    bulk_closed: Vec<[u32; LANES]>,
    /// While a thread issues a bulk copy: the mechanism that its completion is waited for with.
    pub bulk: Option<BulkCompletion>,
}

/// Returns what belongs to a warp, which is created if nothing does yet.
fn of_warp<T: Default>(all: &mut Vec<T>, warp: usize) -> &mut T {
    if all.len() <= warp {
        all.resize_with(warp + 1, T::default);
    }
    &mut all[warp]
}

impl Copies {
    /// Called when a block begins. Returns whether the previous block left copies in flight.
    pub fn begin(&mut self) -> bool {
        let left = !self.flights.is_empty();
        self.flights.clear();
        self.closed.clear();
        self.bulk_closed.clear();
        self.reading.clear();
        left
    }

    pub fn is_empty(&self) -> bool {
        self.flights.is_empty()
    }

    /// Called for each half of a copy, the read and the write. Returns false if there are too many copies in flight
    /// to track this one.
    #[inline(never)]
    pub fn copy(&mut self, event: &Event, site: u16, shape: &Shape) -> bool {
        let warp = event.warp as usize;
        let to =
            if self.bulk == Some(BulkCompletion::Group) { MemorySpace::Global } else { MemorySpace::Shared };
        if event.place != to || event.kind == AccessKind::Read {
            of_warp(&mut self.reading, warp).push(Part::of(event, shape));
            return true;
        }
        let from = std::mem::take(of_warp(&mut self.reading, warp));
        if self.flights.len() >= MAX_FLIGHTS {
            return false;
        }
        let to = Part::of(event, shape);
        let closed = if self.bulk.is_some() { &self.bulk_closed } else { &self.closed };
        let (group, bulk) = (closed.get(warp).copied().unwrap_or_default(), self.bulk);
        let signals = Vec::new();
        self.flights.push(Flight {
            warp: event.warp,
            mask: event.mask,
            site,
            to,
            from,
            group,
            bulk,
            signals,
        });
        true
    }

    /// Called when a phase of an mbarrier object is to signal that the earlier copies of these threads are done.
    pub fn signal(&mut self, at: Lanes, phase: (u64, bool)) {
        let mut others = Vec::new();
        for flight in self.flights.iter_mut().filter(|f| f.warp == at.warp && f.bulk.is_none()) {
            let left = flight.mask & !at.mask;
            if left == flight.mask || flight.signals.contains(&phase) {
                continue;
            }
            if left != 0 {
                others.push(Flight { mask: left, ..flight.clone() });
                flight.mask &= at.mask;
            }
            flight.signals.push(phase);
        }
        self.flights.append(&mut others);
    }

    /// Called after a thread has issued a bulk copy.
    pub fn end_bulk(&mut self) {
        self.bulk = None;
        self.reading.iter_mut().for_each(Vec::clear);
    }

    /// Called when threads commit a group of bulk copies, or wait for groups: after the wait, the source bytes may be
    /// overwritten.
    pub fn bulk_step(&mut self, at: Lanes, step: CopyStep) {
        // Only what was committed is waited for.
        let step = if let CopyStep::WaitAll = step { CopyStep::Wait(0) } else { step };
        self.advance(at, step, Some(BulkCompletion::Group), |_, _| {});
    }

    /// Closes a group of copies of one kind, or ends those that are waited for; `ended` is called for each of these, with
    /// the lanes that issued it and have waited.
    fn advance(
        &mut self,
        at: Lanes,
        step: CopyStep,
        bulk: Option<BulkCompletion>,
        mut ended: impl FnMut(&Flight, u32),
    ) {
        let closed = if bulk.is_some() { &mut self.bulk_closed } else { &mut self.closed };
        let closed = of_warp(closed, at.warp as usize);
        let pending = match step {
            CopyStep::Commit => {
                lanes_of(at.mask).for_each(|lane| closed[lane] = closed[lane].saturating_add(1));
                return;
            }
            CopyStep::Wait(pending) => Some(pending),
            CopyStep::WaitAll => None,
        };
        for flight in self.flights.iter_mut().filter(|its| its.warp == at.warp && its.bulk == bulk) {
            let done = |&lane: &usize| {
                pending.is_none_or(|pending| flight.group[lane] < closed[lane].saturating_sub(pending))
            };
            let done = lanes_of(flight.mask & at.mask).filter(done).fold(0, |mask, lane| mask | 1 << lane);
            flight.mask &= !done;
            ended(flight, done);
        }
        self.flights.retain(|flight| flight.mask != 0);
    }

    /// Called when a phase of an mbarrier object was found complete: the copies that signal it have arrived.
    /// Returns the threads that issued them.
    pub fn land(
        &mut self,
        object: u64,
        odd: bool,
        now: u32,
        shadow: &mut SharedShadow,
        sites: &mut Sites,
    ) -> Vec<u32> {
        let its = Some(BulkCompletion::Phase { object, odd });
        let mut by = Vec::new();
        let signalled = |flight: &Flight| flight.bulk == its || flight.signals.contains(&(object, odd));
        for flight in self.flights.iter_mut().filter(|flight| signalled(flight)) {
            let landed = sites.landed(flight.site);
            for lane in lanes_of(std::mem::take(&mut flight.mask)) {
                let thread = (flight.warp, lane as u8);
                shadow.land(flight.to.addresses[lane], flight.to.width, thread, (flight.site, landed), now);
                let thread = flight.warp * LANES as u32 + lane as u32;
                if !by.contains(&thread) {
                    by.push(thread);
                }
            }
        }
        self.flights.retain(|flight| flight.mask != 0);
        by
    }

    /// Called when the block ends: reports bulk copies that have not finished reading its shared memory.
    pub fn check_unfinished_bulk_copies(&self, findings: &mut FindingLog) {
        for flight in self.flights.iter().filter(|flight| flight.bulk == Some(BulkCompletion::Group)) {
            let Some(lane) = lanes_of(flight.mask).next() else { continue };
            let Some(part) = flight.from.first() else { continue };
            let thread = flight.warp * LANES as u32 + lane as u32;
            let at = Side {
                pc: part.pc,
                thread: ThreadId { block: findings.block, thread },
                kind: AccessKind::Read,
                bytes: part.width as u32,
                place: SideAddress::Shared(part.addresses[lane]),
            };
            findings.add(FindingKind::CopyInFlight, at, None, || [Evidence::BulkCopyOutlivesBlock]);
        }
    }

    /// Called when threads commit a group of copies, or wait for groups.
    pub fn step(
        &mut self,
        at: Lanes,
        step: CopyStep,
        now: u32,
        shadow: &mut SharedShadow,
        sites: &mut Sites,
    ) {
        self.advance(at, step, None, |flight, done| {
            let landed = sites.landed(flight.site);
            for lane in lanes_of(done) {
                let thread = (at.warp, lane as u8);
                shadow.land(flight.to.addresses[lane], flight.to.width, thread, (flight.site, landed), now);
            }
        });
    }

    /// Returns the thread and the instruction whose copy in flight writes these bytes of shared memory, and whether
    /// mbarrier objects signal its completion.
    pub fn writer(&self, offset: u64, bytes: u64) -> Option<(u32, u32, bool)> {
        let inwards = |flight: &&Flight| flight.to.place == MemorySpace::Shared;
        self.flights.iter().filter(inwards).find_map(|flight| {
            let lane = flight.to.touches(flight.mask, offset, bytes)?;
            Some((flight.warp * LANES as u32 + lane as u32, flight.to.pc, !flight.signals.is_empty()))
        })
    }

    /// Reports lanes of a write that overwrite the source bytes of a copy in flight.
    #[inline(never)]
    pub fn check_source(&self, event: &Event, shape: &Shape, findings: &mut FindingLog) {
        let low = event.first.wrapping_add(shape.low as u64);
        let high = event.first.wrapping_add(shape.high as u64).saturating_add(event.width as u64);
        for flight in &self.flights {
            for part in flight.from.iter().filter(|part| part.place == event.place) {
                if part.touches(flight.mask, low, high.saturating_sub(low)).is_none() {
                    continue;
                }
                for lane in lanes_of(event.mask) {
                    let place = event.first.wrapping_add(shape.offsets[lane]);
                    let Some(reader) = part.touches(flight.mask, place, event.width as u64) else { continue };
                    let place = match event.place {
                        MemorySpace::Shared => SideAddress::Shared(place),
                        _ => SideAddress::Device(place),
                    };
                    let at = side(event, thread(event, lane, findings.block), place);
                    let reader = flight.warp * LANES as u32 + reader as u32;
                    let other = Side {
                        pc: part.pc,
                        thread: ThreadId { block: findings.block, thread: reader },
                        kind: AccessKind::Read,
                        bytes: part.width as u32,
                        ..at
                    };
                    findings
                        .add(FindingKind::CopyInFlight, at, Some(other), || [Evidence::CopySourceChanged]);
                }
            }
        }
    }
}
