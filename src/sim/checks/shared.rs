//! Races and never-written reads in shared memory.
//!
//! For every granule (the smallest access the kernel makes, 1 to 4 bytes) the shadow keeps the last
//! write and the last read: when, and by which thread. Time is a counter that rises at every
//! barrier, warp-level synchronisation and fence. Two accesses by different threads, at least one
//! of them a write and not both atomic, race unless a barrier lies between them, or, in one warp,
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
use crate::sim::memory::shape::Shape;

/// When and who: the time in the upper 20 bits, the thread in the lower 12. Zero: never.
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

/// One granule's history. `pc`s are kept for the report.
#[derive(Clone, Copy, Debug, Default)]
struct Granule {
    write: Stamp,
    read: Stamp,
    write_pc: u32,
    read_pc: u32,
}

#[derive(Debug, Default)]
pub struct SharedShadow {
    granules: Vec<Granule>,
    /// Whether the last write was an atomic: one bit a granule.
    atomic: Vec<u32>,
    granule_bytes: u32,
    now: u32,
    /// Accesses before this time are ordered before all later ones of the block.
    block_start: u32,
    /// The same for the accesses of one warp among themselves.
    warp_start: Vec<u32>,
    /// For each warp: when one of its threads last executed a fence.
    released: Vec<u32>,
    /// For each warp: when one of its threads last did an atomic or a volatile read.
    acquired: Vec<u32>,
    bytes: u64,
}

impl SharedShadow {
    fn tick(&mut self) -> u32 {
        if self.now == LAST_TIME {
            // Out of stamps: what happened so far counts as ordered.
            for granule in &mut self.granules {
                granule.write = if granule.write != 0 { 1 << TIME_SHIFT } else { 0 };
                granule.read = 0;
            }
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
        self.atomic[n / 32] >> (n % 32) & 1 != 0
    }

    #[inline(always)]
    fn set_atomic(&mut self, n: usize, atomic: bool) {
        let bit = 1 << (n % 32);
        if atomic {
            self.atomic[n / 32] |= bit;
        } else {
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
        self.bytes = shared_bytes;
        let count = shared_bytes.div_ceil(self.granule_bytes as u64) as usize;
        self.granules.clear();
        self.granules.resize(count, Granule::default());
        self.atomic.clear();
        self.atomic.resize(count.div_ceil(32), 0);
        self.now = 1;
        self.block_start = 1;
        for times in [&mut self.warp_start, &mut self.released, &mut self.acquired] {
            times.clear();
            times.resize(warps, 0);
        }
    }

    #[inline(always)]
    fn access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        if event.place != Place::Shared {
            if event.kind == AccessKind::Atomic && event.place == Place::Global {
                self.acquired[event.warp as usize] = self.now;
            }
            return;
        }
        self.shared(event, shape, findings);
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
        let warp = event.warp;
        let stamp = self.now << TIME_SHIFT;
        if event.kind == AccessKind::Atomic {
            self.acquired[warp as usize] = self.now;
        }
        for granule in shape.granules(self.granule_bytes) {
            let n = (first + granule.index as i64) as usize;
            let mine = who(warp, granule.lane, granule.many);
            let Some(entry) = self.granules.get(n).copied() else { continue };
            if event.kind == AccessKind::Read {
                // Many read it already in this interval, and nobody wrote.
                if entry.read == stamp | MANY && time(entry.write) < self.block_start && entry.write != 0 {
                    continue;
                }
                if entry.write == 0 {
                    self.unwritten(event, granule.lane, n, findings);
                } else if entry.write & THREAD != mine && !self.ordered(entry.write, warp) {
                    self.race(event, granule.lane, n, entry.write, entry.write_pc, true, findings);
                }
                let merged =
                    if entry.read == 0 || self.ordered(entry.read, warp) || entry.read & THREAD == mine {
                        mine
                    } else if warp_of(entry.read & THREAD) == Some(warp) {
                        MANY_IN_WARP | warp
                    } else {
                        MANY
                    };
                let slot = &mut self.granules[n];
                if slot.read != stamp | merged {
                    slot.read = stamp | merged;
                    slot.read_pc = event.pc;
                }
                continue;
            }
            let atomic = event.kind == AccessKind::Atomic;
            if atomic && entry.write == 0 {
                self.unwritten(event, granule.lane, n, findings);
            }
            if entry.write != 0
                && entry.write & THREAD != mine
                && !(atomic && self.is_atomic(n))
                && !self.ordered(entry.write, warp)
            {
                self.race(event, granule.lane, n, entry.write, entry.write_pc, true, findings);
            } else if entry.read != 0 && entry.read & THREAD != mine && !self.ordered(entry.read, warp) {
                self.race(event, granule.lane, n, entry.read, entry.read_pc, false, findings);
            } else if granule.many && event.clash && !atomic {
                self.race(event, granule.lane, n, stamp | mine, event.pc, true, findings);
            }
            let by = if atomic && self.is_atomic(n) && entry.write >= stamp && entry.write & THREAD != mine {
                MANY
            } else {
                mine
            };
            let slot = &mut self.granules[n];
            slot.write = stamp | by;
            slot.write_pc = event.pc;
            self.set_atomic(n, atomic);
        }
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
