//! Shared memory that warpgroup matrix multiplications (wgmma) read: who wrote it, whether the tensor cores may see
//! that, and who writes there before the multiplication has been waited for.
//!
//! The tensor cores read through the asynchronous proxy. They see what was written through the generic proxy (by a
//! store, or a `cp.async`) only after a `fence.proxy.async`, which is executed either by the writer before it signals
//! the others, or by the reader after it was signalled (PTX ISA, "Async proxy", "Memory consistency model: proxies").

use super::checked::CheckedAccess;
use super::global::{side, thread};
use super::order::Order;
use super::shared::SharedShadow;
use super::stamp::{MANY, MANY_IN_WARP, Stamp, THREAD, time, warp_of};
use crate::engine::findings::{FindingLog, Side, SideAddress, ThreadId};
use crate::engine::observer::{CopyStep, Event, Lanes, MemorySpace, NO_BUFFER, Product};
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{FULL, LANES, lanes_of};
use crate::matrix::CHUNK_BYTES;
use crate::memory::access::Role;
use crate::memory::shape::Shape;

/// A multiplication in flight, by a warp.
#[derive(Clone, Debug)]
struct Flight {
    warp: u32,
    pc: u32,
    site: u16,
    /// The number of groups that the warp had committed before.
    group: u32,
    /// Addresses of the 16-byte chunks it reads.
    reads: Vec<u64>,
}

/// When a warp's lanes last executed a proxy fence.
#[derive(Clone, Debug)]
struct Fenced {
    at: [u32; LANES],
    /// Everything before this time is covered by the fence: it was before the block's last barrier at that moment.
    known: u32,
}

/// Limit of a block's multiplications in flight; those beyond it count as done.
const MAX_FLIGHTS: usize = 1 << 14;

#[derive(Debug, Default)]
pub struct WgmmaReads {
    flights: Vec<Flight>,
    /// For each 16-byte chunk of shared memory, the number of multiplications in flight that read it.
    readers: Vec<u16>,
    /// For each warp, the number of groups committed.
    closed: Vec<u32>,
    fenced: Vec<Fenced>,
    /// When a bulk copy was last waited for.
    awaited: u32,
    /// Whether anything has changed since the block began.
    is_used: bool,
}

impl WgmmaReads {
    pub fn begin(&mut self, warps: usize) {
        self.awaited = 0;
        if !std::mem::take(&mut self.is_used) && self.fenced.len() == warps {
            return;
        }
        self.flights.clear();
        self.readers.clear();
        self.closed.clear();
        self.closed.resize(warps, 0);
        self.fenced.clear();
        self.fenced.resize(warps, Fenced { at: [0; LANES], known: 0 });
    }

    /// Called when the timeline restarts: everything that happened counts as fenced.
    pub fn forget(&mut self, now: u32) {
        self.is_used = true;
        self.fenced.fill(Fenced { at: [now; LANES], known: now });
        self.awaited = now;
    }

    /// Called when threads have waited for bulk copies.
    pub fn copies_awaited(&mut self, now: u32) {
        self.awaited = now;
    }

    pub fn is_empty(&self) -> bool {
        self.flights.is_empty()
    }

    /// Called when threads execute `fence.proxy.async`.
    pub fn fence(&mut self, at: Lanes, order: &Order, now: u32) {
        self.is_used = true;
        let fenced = &mut self.fenced[at.warp as usize];
        for lane in lanes_of(at.mask) {
            fenced.at[lane] = now;
        }
        // If more than barriers orders the block, everything earlier counts.
        fenced.known = if order.has_clocks { now } else { order.block_start };
    }

    /// Returns whether the tensor cores see a write with this stamp, in a multiplication by `warp`.
    pub fn sees(&self, warp: u32, write: Stamp) -> bool {
        let then = time(write);
        let own = |warp: u32| self.fenced.get(warp as usize);
        if own(warp).is_some_and(|fenced| fenced.known > then) {
            return true;
        }
        let who = write & THREAD;
        match (who, warp_of(who)) {
            (MANY, _) | (_, None) => self.fenced.iter().any(|f| f.at.iter().any(|&at| at > then)),
            (_, Some(writer)) if who & MANY_IN_WARP != 0 => {
                own(writer).is_some_and(|f| f.at.iter().any(|&at| at > then))
            }
            (_, Some(writer)) => own(writer).is_some_and(|f| f.at[who as usize % LANES] > then),
        }
    }

    /// Returns whether a bulk copy that `warp` issues may overwrite a write with this stamp. The end of a bulk copy is
    /// a proxy fence, too, for what it is ordered after; anything before it counts as that.
    pub fn may_overwrite(&self, warp: u32, write: Stamp) -> bool {
        self.awaited > time(write) || self.sees(warp, write)
    }

    /// Called when a multiplication begins.
    pub fn product(
        &mut self,
        product: &Product,
        here: &CheckedAccess,
        shadow: &mut SharedShadow,
        log: &mut FindingLog,
    ) {
        self.is_used = true;
        shadow.product(here, product.reads, self, log);
        if self.flights.len() >= MAX_FLIGHTS {
            return;
        }
        let warp = product.lanes.warp;
        for &address in product.reads {
            let chunk = (address / CHUNK_BYTES) as usize;
            if self.readers.len() <= chunk {
                self.readers.resize(chunk + 1, 0);
            }
            self.readers[chunk] = self.readers[chunk].saturating_add(1);
        }
        let group = self.closed[warp as usize];
        let reads = product.reads.to_vec();
        self.flights.push(Flight { warp, pc: product.pc, site: here.site, group, reads });
    }

    /// Called when a warp commits a group of multiplications, or waits for groups: what those read counts as read by
    /// it.
    pub fn step(&mut self, at: Lanes, step: CopyStep, now: u32, order: &Order, shadow: &mut SharedShadow) {
        self.is_used = true;
        let closed = &mut self.closed[at.warp as usize];
        let pending = match step {
            CopyStep::Commit => return *closed = closed.saturating_add(1),
            CopyStep::Wait(pending) => pending,
            CopyStep::WaitAll => 0,
        };
        let done = closed.saturating_sub(pending);
        let readers = &mut self.readers;
        self.flights.retain(|flight| {
            if flight.warp != at.warp || flight.group >= done {
                return true;
            }
            for &address in &flight.reads {
                if let Some(readers) = readers.get_mut((address / CHUNK_BYTES) as usize) {
                    *readers = readers.saturating_sub(1);
                }
                shadow.was_read(address, at.warp, flight.site, order, now);
            }
            false
        });
    }

    /// Reports lanes of a write to shared memory that a multiplication in flight still reads.
    #[inline(never)]
    pub fn check_write(&self, event: &Event, shape: &Shape, findings: &mut FindingLog) {
        for lane in lanes_of(event.mask) {
            let place = event.first.wrapping_add(shape.offsets[lane]);
            let last = place.saturating_add(event.width as u64).saturating_sub(1) / CHUNK_BYTES;
            let met = (place / CHUNK_BYTES..=last)
                .find(|&chunk| self.readers.get(chunk as usize).is_some_and(|&readers| readers > 0));
            let Some(chunk) = met else { continue };
            let reads = |flight: &&Flight| flight.reads.iter().any(|at| at / CHUNK_BYTES == chunk);
            // Prefers a multiplication of the writer's own warp.
            let own = self.flights.iter().filter(reads).find(|flight| flight.warp == event.warp);
            let Some(flight) = own.or_else(|| self.flights.iter().find(reads)) else { continue };
            let at = side(event, thread(event, lane, findings.block), SideAddress::Shared(place));
            let other = Side {
                pc: flight.pc,
                thread: ThreadId { block: findings.block, thread: flight.warp * LANES as u32 },
                kind: AccessKind::Read,
                bytes: CHUNK_BYTES as u32,
                ..at
            };
            findings.add(FindingKind::ProductInFlight, at, Some(other), || [Evidence::ProductSourceChanged]);
        }
    }
}

/// Returns the access event that represents a multiplication.
pub fn event(product: &Product) -> Event {
    Event {
        pc: product.pc,
        warp: product.lanes.warp,
        mask: FULL,
        place: MemorySpace::Shared,
        width: CHUNK_BYTES as u32,
        role: Role { product: true, ..Role::default() },
        buffer: NO_BUFFER,
        ..Event::default()
    }
}
