//! Races and never-written reads in shared memory.
//!
//! For every granule (the smallest access the kernel makes, 1 to 4 bytes) the shadow keeps the last
//! write and the last read: when, and by which thread. Time is a counter that rises at every
//! barrier, warp-level synchronisation and fence. Two accesses by different threads, at least one
//! of them a write and not both atomic (or volatile, in different warps), race unless a barrier lies between them, or, in one warp,
//! a `__syncwarp()`.
//!
//! What it does not see: a read that several threads did is remembered as "many", so that the
//! other side of a race with it is named by one of them only. Any `__syncwarp()` of a warp and any
//! barrier with a thread count is taken to order all the warp's, or block's, accesses. Accesses
//! that a fence and an atomic may order (locks, flags) are taken to be ordered.

use crate::sim::code::Code as Program;
use crate::sim::counts::Counts;
use crate::sim::engine::findings::{FindingLog, Side, ThreadId, Whereabouts};
use crate::sim::engine::observer::{Event, Observer, Place};
use crate::sim::finding::{AccessKind, Code};
use crate::sim::memory::shape::{Shape, Span};

/// When and who: the time in the upper 20 bits, the thread in the lower 12.
type Stamp = u32;

const TIME_SHIFT: u32 = 12;
const THREAD: u32 = (1 << TIME_SHIFT) - 1;
const LAST_TIME: u32 = (1 << (32 - TIME_SHIFT)) - 1;

/// In place of a thread: several threads of one warp (its number in the low bits), or of many.
const MANY_IN_WARP: u32 = 0x800;
const MANY: u32 = 0xfff;

#[inline(always)]
fn time(stamp: Stamp) -> u32 {
    stamp >> TIME_SHIFT
}

/// The warp of a stamp's thread or threads; `None` for threads of several.
#[inline(always)]
fn warp_of(thread: u32) -> Option<u32> {
    match thread {
        MANY => None,
        t if t & MANY_IN_WARP != 0 => Some(t & 0x1f),
        t => Some(t / 32),
    }
}

#[derive(Debug, Default)]
pub struct SharedShadow {
    /// For each granule: the last write, and the last read.
    writes: Vec<Stamp>,
    reads: Vec<Stamp>,
    /// The instructions that did them.
    write_pcs: Vec<u32>,
    read_pcs: Vec<u32>,
    /// Whether the last write was an atomic or volatile: one bit a granule, where there were any in the block.
    atomic: Vec<u32>,
    any_atomic: bool,
    granule_bytes: u32,
    now: u32,
    /// When the block began: older stamps are of other blocks.
    born: u32,
    /// Accesses before this time are ordered before all later ones of the block.
    block_start: u32,
    /// The same for the accesses of one warp among themselves.
    warp_start: Vec<u32>,
    /// For each warp: when one of its threads last executed a fence.
    released: Vec<u32>,
    /// For each warp: when one of its threads last did an atomic or a volatile read.
    acquired: Vec<u32>,
}

impl SharedShadow {
    fn tick(&mut self) -> u32 {
        if self.now == LAST_TIME {
            // Out of stamps: what happened so far counts as ordered.
            let born = self.born << TIME_SHIFT;
            for write in &mut self.writes {
                *write = if *write >= born { 1 << TIME_SHIFT } else { 0 };
            }
            self.reads.fill(0);
            self.born = 1;
            self.now = 2;
            self.block_start = 2;
            self.warp_start.fill(2);
            self.released.fill(0);
            self.acquired.fill(0);
        }
        self.now += 1;
        self.now
    }

    /// Whether an earlier access is ordered before one by a thread of `warp`, or may be.
    #[inline(always)]
    fn ordered(&self, stamp: Stamp, warp: u32) -> bool {
        let then = time(stamp);
        if then < self.block_start {
            return true;
        }
        let theirs = warp_of(stamp & THREAD);
        if theirs == Some(warp) && then < self.warp_start[warp as usize] {
            return true;
        }
        self.maybe_handed_over(then, theirs, warp)
    }

    /// A fence by the earlier thread's warp after its access, then an atomic or volatile read by
    /// this warp: a lock or flag may order the two.
    #[inline(always)]
    fn maybe_handed_over(&self, then: u32, theirs: Option<u32>, warp: u32) -> bool {
        let acquired = self.acquired[warp as usize];
        if acquired <= then {
            return false;
        }
        match theirs {
            Some(theirs) => {
                let released = self.released[theirs as usize];
                released > then && acquired >= released
            }
            None => self.released.iter().any(|&released| released > then && acquired >= released),
        }
    }

    #[inline(always)]
    fn is_atomic(&self, n: usize) -> bool {
        self.any_atomic && self.atomic[n / 32] >> (n % 32) & 1 != 0
    }

    #[inline(always)]
    fn set_atomic(&mut self, n: usize, atomic: bool) {
        let bit = 1 << (n % 32);
        if atomic {
            if !self.any_atomic {
                self.any_atomic = true;
                self.atomic.clear();
                self.atomic.resize(self.writes.len().div_ceil(32), 0);
            }
            self.atomic[n / 32] |= bit;
        } else if self.any_atomic {
            self.atomic[n / 32] &= !bit;
        }
    }
}

/// A thread, or several threads, as a stamp's lower part.
#[inline(always)]
fn who(warp: u32, lane: u8, many: bool) -> u32 {
    if many { MANY_IN_WARP | warp } else { warp * 32 + lane as u32 }
}

/// One thread that stands for a stamp's.
fn somebody(stamp: Stamp) -> u32 {
    match stamp & THREAD {
        MANY => 0,
        t if t & MANY_IN_WARP != 0 => (t & 0x1f) * 32,
        t => t,
    }
}

impl Observer for SharedShadow {
    fn begin(&mut self, warps: usize, shared_bytes: u64, granule: u32) {
        self.granule_bytes = granule.max(1);
        let count = shared_bytes.div_ceil(self.granule_bytes as u64) as usize;
        for shadow in [&mut self.writes, &mut self.reads, &mut self.write_pcs, &mut self.read_pcs] {
            shadow.resize(count, 0);
        }
        self.any_atomic = false;
        self.block_start = self.tick();
        self.born = self.block_start;
        for times in [&mut self.warp_start, &mut self.released, &mut self.acquired] {
            times.clear();
            times.resize(warps, 0);
        }
    }

    #[inline(always)]
    fn access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        if event.watching && event.kind != AccessKind::Write {
            self.acquired[event.warp as usize] = self.now;
        }
        if event.place == Place::Shared {
            self.shared(event, shape, findings);
        }
    }

    fn barrier(&mut self) {
        self.block_start = self.tick();
    }

    fn warp_sync(&mut self, warp: u32) {
        let now = self.tick();
        self.warp_start[warp as usize] = now;
    }

    fn fence(&mut self, warp: u32, _mask: u32) {
        let now = self.tick();
        self.released[warp as usize] = now;
    }

    fn end(&mut self) {}

    fn report(&self, _: &Program, _: &mut Counts) {}
}

impl SharedShadow {
    #[inline(always)]
    fn shared(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        let first = (event.first / self.granule_bytes as u64) as i64;
        for span in shape.spans(self.granule_bytes) {
            let n = (first + span.index as i64) as usize;
            let done = match event.kind {
                AccessKind::Read if !event.watching => self.read_span(event, span, n),
                AccessKind::Write if !event.watching => !event.clash && self.write_span(event, span, n),
                _ => false,
            };
            if !done {
                self.one_by_one(event, span, n, findings);
            }
        }
    }

    /// The stamp that thread `i` of the span leaves.
    #[inline(always)]
    fn stamps(&self, event: &Event, span: &Span) -> (Stamp, Stamp) {
        let stamp = self.now << TIME_SHIFT | who(event.warp, span.lane, span.many);
        (stamp, (span.rising && !span.many) as u32)
    }

    /// A read with nothing to report, all of its granules alike. False: look at them one by one.
    #[inline(always)]
    fn read_span(&mut self, event: &Event, span: &Span, n: usize) -> bool {
        let (born, fresh) = (self.born << TIME_SHIFT, self.block_start << TIME_SHIFT);
        let range = n..n + span.granules as usize;
        let (Some(writes), Some(reads)) = (self.writes.get(range.clone()), self.reads.get(range.clone()))
        else {
            return true;
        };
        let many = self.now << TIME_SHIFT | MANY;
        let (mut suspect, mut known, mut stale) = (false, true, true);
        for (&write, &read) in writes.iter().zip(reads) {
            suspect |= write.wrapping_sub(born) >= fresh.wrapping_sub(born);
            known &= read == many;
            stale &= read < fresh;
        }
        if suspect {
            return false;
        }
        if known {
            return true;
        }
        if stale {
            let (stamp, step) = self.stamps(event, span);
            for (i, read) in self.reads[range.clone()].iter_mut().enumerate() {
                *read = stamp + i as u32 * step;
            }
            self.read_pcs[range].fill(event.pc);
        }
        stale
    }

    /// A write with nothing to report: nobody else touched its granules in this interval.
    #[inline(always)]
    fn write_span(&mut self, event: &Event, span: &Span, n: usize) -> bool {
        let fresh = self.block_start << TIME_SHIFT;
        let range = n..n + span.granules as usize;
        let (Some(writes), Some(reads)) = (self.writes.get(range.clone()), self.reads.get(range.clone()))
        else {
            return true;
        };
        let (stamp, step) = self.stamps(event, span);
        let mut suspect = self.any_atomic;
        for (i, (&write, &read)) in writes.iter().zip(reads).enumerate() {
            let mine = (stamp + i as u32 * step) & THREAD;
            suspect |= (write >= fresh) & (write & THREAD != mine);
            suspect |= (read >= fresh) & (read & THREAD != mine);
        }
        if suspect {
            return false;
        }
        for (i, write) in self.writes[range.clone()].iter_mut().enumerate() {
            *write = stamp + i as u32 * step;
        }
        self.write_pcs[range].fill(event.pc);
        true
    }

    #[inline(never)]
    fn one_by_one(&mut self, event: &Event, span: &Span, start: usize, findings: &mut FindingLog) {
        for i in 0..span.granules {
            let n = start + i as usize;
            let lane = span.lane + if span.rising { i as u8 } else { 0 };
            if n < self.writes.len() {
                self.granule(event, lane, span.many, n, findings);
            }
        }
    }

    /// Whether an access and the write before it are of a kind that may meet: atomics and
    /// `.relaxed` accesses; volatile ones of different warps. Within a warp, volatile is how code from before
    /// independent thread scheduling relied on lockstep, which orders nothing any more.
    fn meant(&self, event: &Event, n: usize, write: Stamp) -> bool {
        let lockstep = !event.strong && warp_of(write & THREAD) == Some(event.warp);
        event.watching && self.is_atomic(n) && !lockstep
    }

    fn granule(&mut self, event: &Event, lane: u8, many: bool, n: usize, findings: &mut FindingLog) {
        let warp = event.warp;
        let stamp = self.now << TIME_SHIFT;
        let born = self.born << TIME_SHIFT;
        let mine = who(warp, lane, many);
        let (write, read) = (self.writes[n], self.reads[n]);
        let unwritten = write < born;
        if event.kind == AccessKind::Read {
            if unwritten {
                self.unwritten(event, lane, n, findings);
            } else if write & THREAD != mine && !self.meant(event, n, write) && !self.ordered(write, warp) {
                self.race(event, lane, n, write, self.write_pcs[n], true, findings);
            }
            if event.watching {
                // It may meet writes of its kind that come later; what it met of others was found above.
                return;
            }
            let merged = if read < born || self.ordered(read, warp) || read & THREAD == mine {
                mine
            } else if warp_of(read & THREAD) == Some(warp) {
                MANY_IN_WARP | warp
            } else {
                MANY
            };
            if read != stamp | merged {
                self.reads[n] = stamp | merged;
                self.read_pcs[n] = event.pc;
            }
            return;
        }
        let atomic = event.watching;
        if event.kind == AccessKind::Atomic && unwritten {
            self.unwritten(event, lane, n, findings);
        }
        let meets_write = !unwritten && write & THREAD != mine && !self.meant(event, n, write);
        if meets_write && !self.ordered(write, warp) {
            self.race(event, lane, n, write, self.write_pcs[n], true, findings);
        } else if read >= born && read & THREAD != mine && !self.ordered(read, warp) {
            self.race(event, lane, n, read, self.read_pcs[n], false, findings);
        } else if many && event.clash && !atomic {
            self.race(event, lane, n, stamp | mine, event.pc, true, findings);
        }
        let others = atomic && self.is_atomic(n) && write >= stamp && write & THREAD != mine;
        self.writes[n] = stamp | if others { MANY } else { mine };
        self.write_pcs[n] = event.pc;
        self.set_atomic(n, atomic);
    }

    fn side(&self, event: &Event, lane: u8, n: usize, findings: &FindingLog) -> Side {
        Side {
            pc: event.pc,
            thread: ThreadId { block: findings.block, thread: event.warp * 32 + lane as u32 },
            kind: event.kind,
            bytes: event.width,
            place: Whereabouts::Shared(n as u64 * self.granule_bytes as u64),
        }
    }

    #[inline(never)]
    fn unwritten(&self, event: &Event, lane: u8, n: usize, findings: &mut FindingLog) {
        let at = self.side(event, lane, n, findings);
        findings.add(Code::Uninitialised, at, None, Vec::new);
    }

    #[expect(clippy::too_many_arguments, reason = "both sides of a race")]
    #[inline(never)]
    fn race(
        &self,
        event: &Event,
        lane: u8,
        n: usize,
        stamp: Stamp,
        pc: u32,
        wrote: bool,
        findings: &mut FindingLog,
    ) {
        let at = self.side(event, lane, n, findings);
        let kind = match (wrote, self.is_atomic(n)) {
            (true, true) => AccessKind::Atomic,
            (true, false) => AccessKind::Write,
            (false, _) => AccessKind::Read,
        };
        let mut thread = somebody(stamp);
        if thread == at.thread.thread {
            // Several threads: another one of them.
            thread += 1;
        }
        let other = Side { pc, thread: ThreadId { thread, ..at.thread }, kind, ..at };
        findings.add(Code::SharedRace, at, Some(other), Vec::new);
    }
}
