//! Races and uninitialised reads in shared memory.
//!
//! For every granule (the smallest access that the kernel makes, 1 to 4 bytes) the shadow memory holds the last write
//! and the last read: when, by which thread, and by which instruction. Two accesses by different threads, at least
//! one of them a write and not both atomic (or volatile, in different warps), race unless `order` orders them. A volatile
//! read of data ([`Role::data`](crate::memory::access::Role)) races with volatile writes that nothing orders or signals:
//! it can't notice that its value is stale. A plain read that only guesses what a compare-and-swap is to expect may be
//! concurrent with atomics. Plain writes of the value that is already there don't race with each other, as in
//! [`super::global`].
//!
//! Limitation: if several threads read a granule in one interval between barriers, the shadow only holds that they
//! were several, so the other side of a race with them is named by one of them.

mod asynchronous;

use super::checked::{CheckedAccess, pair, whole};
use super::global::{side, thread};
use super::stamp::{
    LAST_TIME, MANY, MANY_BLOCKS, Site, Stamp, THREAD, TIME_SHIFT, in_flight_stamp, is_in_warp, joined, time,
    warp_of, who,
};
use crate::engine::findings::{FindingLog, Side, SideAddress, ThreadId};
use crate::evidence::Evidence;
use crate::finding::{AccessKind, FindingKind};
use crate::kernel_code::SharedView;
use crate::memory::access::MbarrierEffect;
use crate::memory::by_address::ByAddress;
use crate::memory::shape::{ONE_LANE, Shape, Span};
use std::collections::BTreeSet;

/// Returns whether a stamp was left by another block of the cluster; the order of those accesses is checked
/// elsewhere.
fn is_outside(stamp: Stamp) -> bool {
    stamp & THREAD == MANY_BLOCKS
}

#[derive(Debug, Default)]
pub struct SharedShadow {
    /// For each granule: the last write, the last read, and their instructions.
    writes: Vec<Stamp>,
    reads: Vec<Stamp>,
    write_sites: Vec<u16>,
    read_sites: Vec<u16>,
    granule_bytes: u32,
    /// When the block began: older stamps are of other blocks.
    block_begin: u32,
    /// Granules that held values of this block when a copy to them was last issued.
    overwritten: BTreeSet<usize>,
    /// For each granule with atomics in this interval: the plain write that preceded them, and its instruction.
    before_atomics: ByAddress<(Stamp, u16), usize>,
}

impl SharedShadow {
    pub fn begin(&mut self, shared_bytes: u64, granule: u32, now: u32) {
        self.granule_bytes = granule.max(1);
        let count = shared_bytes.div_ceil(self.granule_bytes as u64) as usize;
        self.writes.resize(count, 0);
        self.reads.resize(count, 0);
        self.write_sites.resize(count, 0);
        self.read_sites.resize(count, 0);
        self.block_begin = now;
        self.overwritten.clear();
        self.before_atomics.clear();
    }

    /// Called when a block begins, like the one before it, which has not used shared memory.
    pub fn begin_unused(&mut self, now: u32) {
        self.block_begin = now;
    }

    /// Returns whether the granules are words.
    pub fn has_words(&self) -> bool {
        self.granule_bytes == 4
    }

    /// Returns the view for compiled code of a warp; one without memory if the granules are not words. `last_barrier` is the
    /// time of the last barrier.
    pub fn view(&mut self, last_barrier: u32, now: u32, of_warp: SharedView) -> SharedView {
        if !self.has_words() {
            return SharedView { words: std::ptr::null_mut(), ..of_warp };
        }
        SharedView {
            writes: self.writes.as_mut_ptr(),
            reads: self.reads.as_mut_ptr(),
            write_sites: self.write_sites.as_mut_ptr(),
            read_sites: self.read_sites.as_mut_ptr(),
            block_begin: self.block_begin << TIME_SHIFT,
            last_barrier: last_barrier << TIME_SHIFT,
            now: now << TIME_SHIFT,
            ..of_warp
        }
    }

    /// Called when another block of the cluster wrote these bytes.
    pub fn written_from_outside(&mut self, offset: u64, bytes: u64) {
        let granule = u64::from(self.granule_bytes.max(1));
        for n in offset / granule..(offset + bytes).div_ceil(granule) {
            if let Some(write) = self.writes.get_mut(n as usize)
                && *write < self.block_begin << TIME_SHIFT
            {
                *write = self.block_begin << TIME_SHIFT | MANY_BLOCKS;
            }
        }
    }

    /// Called when the timeline restarts: clears who did what, but keeps which bytes were written.
    pub fn forget(&mut self, now: u32) {
        let block_begin = self.block_begin << TIME_SHIFT;
        for write in &mut self.writes {
            *write = if *write >= block_begin { 1 << TIME_SHIFT } else { 0 };
        }
        self.reads.fill(0);
        self.before_atomics.clear();
        self.block_begin = now.min(1);
    }

    #[inline(always)]
    pub fn access(&mut self, here: &CheckedAccess, shape: &mut Shape, findings: &mut FindingLog) {
        let event = here.event;
        let first = (event.first / self.granule_bytes as u64) as i64;
        for span in shape.spans(self.granule_bytes) {
            let n = (first + span.index as i64) as usize;
            let done = match event.kind {
                AccessKind::Read if !event.watching => self.read_span(here, span, n),
                AccessKind::Write if !event.watching => !event.clash && self.write_span(here, span, n),
                _ => false,
            };
            if !done {
                self.one_by_one(here, span, n, findings);
            }
        }
    }

    /// Returns the stamp of a span's first thread, and the shift: granule `n` gets the thread `n >> shift` further
    /// on.
    #[inline(always)]
    fn stamps(&self, here: &CheckedAccess, span: &Span) -> (Stamp, u8) {
        let stamp = here.now << TIME_SHIFT | who(here.event.warp, span.lane, span.many);
        (stamp, if span.many { ONE_LANE } else { span.shift })
    }

    /// Records a read that need not be reported. Returns false if its granules must be checked one by one.
    #[inline(always)]
    fn read_span(&mut self, here: &CheckedAccess, span: &Span, n: usize) -> bool {
        // Loops of constant length are much faster.
        match span.granules {
            1 => self.read_some(here, span, n, 1),
            16 => self.read_some(here, span, n, 16),
            32 => self.read_some(here, span, n, 32),
            other => self.read_some(here, span, n, other as usize),
        }
    }

    #[inline(always)]
    fn read_some(&mut self, here: &CheckedAccess, span: &Span, n: usize, granules: usize) -> bool {
        let (block_begin, last_barrier) =
            (self.block_begin << TIME_SHIFT, here.order.block_start << TIME_SHIFT);
        let range = n..n + granules;
        let (Some(writes), Some(reads)) = (self.writes.get(range.clone()), self.reads.get(range.clone()))
        else {
            return true;
        };
        let many = here.now << TIME_SHIFT | MANY;
        let (mut suspect, mut known, mut stale) = (false, true, true);
        for (&write, &read) in writes.iter().zip(reads) {
            suspect |= write.wrapping_sub(block_begin) >= last_barrier.wrapping_sub(block_begin);
            known &= read == many;
            stale &= read < last_barrier;
        }
        if suspect {
            return false;
        }
        if known {
            return true;
        }
        let (stamp, shift) = self.stamps(here, span);
        if stale {
            for (i, read) in self.reads[range.clone()].iter_mut().enumerate() {
                *read = stamp + (i as u32 >> shift);
            }
            self.read_sites[range].fill(here.site);
            return true;
        }
        here.plain() && self.join_readers(here, (stamp, shift, span.many), range)
    }

    /// Records a read of granules that others have read since the last barrier, while times alone determine the
    /// order.
    #[inline(always)]
    fn join_readers(
        &mut self,
        here: &CheckedAccess,
        (stamp, shift, several): (Stamp, u8, bool),
        range: std::ops::Range<usize>,
    ) -> bool {
        let (now, warp) = (here.now << TIME_SHIFT, here.event.warp);
        let last_barrier = here.order.block_start << TIME_SHIFT;
        let in_warp = here.order.warp_start(warp) << TIME_SHIFT;
        let is_named = here.is_named(several);
        let (reads, sites) = (&mut self.reads[range.clone()], &mut self.read_sites[range]);
        for (i, (read, site)) in reads.iter_mut().zip(sites).enumerate() {
            let mine = stamp + (i as u32 >> shift);
            let same_warp = is_in_warp(*read, warp);
            let same = !several & ((*read ^ mine) & THREAD == 0);
            let over = (*read < last_barrier) | same | (same_warp & (*read < in_warp));
            let named = is_named(*read);
            let both = now | if same_warp { joined(if named { mine } else { *read }, warp) } else { MANY };
            *read = if over { mine } else { both };
            *site = if over | several | (same_warp & named) { here.site } else { *site };
        }
        true
    }

    /// Records a write that need not be reported: nobody else has touched its granules since the last barrier.
    #[inline(always)]
    fn write_span(&mut self, here: &CheckedAccess, span: &Span, n: usize) -> bool {
        match span.granules {
            16 => self.write_some(here, span, n, 16),
            32 => self.write_some(here, span, n, 32),
            other => self.write_some(here, span, n, other as usize),
        }
    }

    #[inline(always)]
    fn write_some(&mut self, here: &CheckedAccess, span: &Span, n: usize, granules: usize) -> bool {
        let last_barrier = here.order.block_start << TIME_SHIFT;
        let range = n..n + granules;
        let (Some(writes), Some(reads)) = (self.writes.get(range.clone()), self.reads.get(range.clone()))
        else {
            return true;
        };
        let (stamp, shift) = self.stamps(here, span);
        let mut suspect = false;
        for (i, (&write, &read)) in writes.iter().zip(reads).enumerate() {
            let mine = if span.many { u32::MAX } else { (stamp + (i as u32 >> shift)) & THREAD };
            suspect |= (write >= last_barrier) & (write & THREAD != mine);
            suspect |= (read >= last_barrier) & (read & THREAD != mine);
        }
        if suspect {
            return false;
        }
        let (stamp, shift) =
            if here.event.role.copy { (in_flight_stamp(here.event.warp), ONE_LANE) } else { (stamp, shift) };
        for (i, write) in self.writes[range.clone()].iter_mut().enumerate() {
            *write = stamp + (i as u32 >> shift);
        }
        self.write_sites[range].fill(here.site);
        true
    }

    #[inline(never)]
    fn one_by_one(&mut self, here: &CheckedAccess, span: &Span, start: usize, findings: &mut FindingLog) {
        for i in 0..span.granules {
            let n = start + i as usize;
            let lane = span.lane + (i >> span.shift) as u8;
            if n < self.writes.len() {
                self.granule(here, lane, span.many, n, findings);
            }
        }
    }

    /// Returns whether an access and an earlier one are of a kind that may be concurrent. Within a warp, volatile
    /// accesses don't qualify: code from before independent thread scheduling relied on them and on lockstep
    /// execution, which no longer orders anything.
    fn may_be_concurrent_in_block(here: &CheckedAccess, site: Site, stamp: Stamp, lane: u8) -> bool {
        let lockstep =
            here.event.watching && !here.event.strong && warp_of(stamp & THREAD) == Some(here.event.warp);
        !lockstep && here.may_be_concurrent(site) && !Self::is_volatile_data(here, site, stamp, lane)
    }

    /// Returns whether one of two volatile accesses reads data that the other writes, and no signal came between.
    fn is_volatile_data(here: &CheckedAccess, site: Site, stamp: Stamp, lane: u8) -> bool {
        let event = here.event;
        let data = match event.kind {
            AccessKind::Read => event.role.data,
            _ => site.role.data,
        };
        data && !event.strong && !site.strong && !here.order.was_signalled(stamp, event.warp, lane)
    }

    fn granule(&mut self, here: &CheckedAccess, lane: u8, many: bool, n: usize, findings: &mut FindingLog) {
        let (event, sites) = (here.event, here.sites);
        let warp = event.warp;
        let stamp = here.now << TIME_SHIFT;
        let block_begin = self.block_begin << TIME_SHIFT;
        let mine = who(warp, lane, many);
        let (write, read) = (self.writes[n], self.reads[n]);
        let unwritten = write < block_begin;
        if time(write) == LAST_TIME {
            return self.in_flight(here, lane, n, findings);
        }
        let same = |earlier: Stamp| !many && earlier & THREAD == mine;
        let before = |earlier: Stamp| {
            same(earlier)
                || is_outside(earlier)
                || here.order.before(earlier, Some(here.order.block), warp, lane)
        };
        let write_site = sites.get(self.write_sites[n]);
        let place = n as u64 * self.granule_bytes as u64;
        let was_acquired = |earlier: Stamp, site: Site| {
            site.watching && here.order.was_acquired(None, place, site.bytes, time(earlier))
        };
        // An access that follows an atomic need not follow the plain write that the atomic itself followed.
        let plain_write = (event.watching && write_site.watching)
            .then(|| self.before_atomics.get(&n).copied())
            .flatten()
            .filter(|&(write, _)| !before(write));
        if event.kind == AccessKind::Read && unwritten {
            (findings.unwritten, findings.tracks_undefined) = (true, true);
        }
        if event.kind == AccessKind::Read {
            if !unwritten
                && !before(write)
                && !Self::may_be_concurrent_in_block(here, write_site, write, lane)
                && !was_acquired(write, write_site)
            {
                self.race(here, (lane, many), n, (write, write_site), findings);
            } else if let Some((write, site)) = plain_write {
                self.race(here, (lane, many), n, (write, sites.get(site)), findings);
            }
            let (mut merged, mut site) = (mine, here.site);
            if read >= block_begin && !before(read) {
                let earlier = sites.get(self.read_sites[n]);
                let same_warp = warp_of(read & THREAD) == Some(warp);
                let named = here.is_named_after(many, (read, earlier), many || same_warp);
                if !named {
                    site = self.read_sites[n];
                }
                merged = if same_warp { joined(if named { mine } else { read }, warp) } else { MANY };
            }
            self.reads[n] = stamp | merged;
            self.read_sites[n] = site;
            return;
        }
        let read_site = sites.get(self.read_sites[n]);
        let waited_for = read_site.role.product && warp_of(read & THREAD) == Some(warp);
        let over = waited_for || before(read);
        let wrote_last_atomic = || {
            let plain = event.kind == AccessKind::Write && !many && write_site.watching;
            plain && here.order.wrote_last_atomic(None, place, write_site.bytes, mine)
        };
        let unordered =
            !unwritten && !before(write) && !was_acquired(write, write_site) && !wrote_last_atomic();
        let lost = event.role.updates && write_site.role.updates;
        let kept = event.kept >> lane & 1 != 0 && write_site.kind == AccessKind::Write;
        if unordered && (lost || !(kept || Self::may_be_concurrent_in_block(here, write_site, write, lane))) {
            self.race(here, (lane, many), n, (write, write_site), findings);
        } else if let Some((write, site)) = plain_write {
            self.race(here, (lane, many), n, (write, sites.get(site)), findings);
        } else if event.role.updates && many {
            self.race(here, (lane, many), n, (stamp | mine, here.its()), findings);
        } else if read >= block_begin
            && !over
            && (!here.may_be_concurrent(read_site)
                || event.kept >> lane & 1 == 0 && Self::is_volatile_data(here, read_site, read, lane))
            && !was_acquired(read, read_site)
        {
            self.race(here, (lane, many), n, (read, read_site), findings);
        } else if many && event.clash && !event.watching {
            self.race(here, (lane, many), n, (stamp | mine, here.its()), findings);
        }
        if event.role.copy {
            if unwritten {
                self.overwritten.remove(&n)
            } else {
                self.overwritten.insert(n)
            };
        }
        if event.watching && !write_site.watching {
            // A barrier since then orders that write before every thread of the block.
            if unwritten || write < here.order.block_start << TIME_SHIFT {
                self.before_atomics.remove(&n);
            } else {
                self.before_atomics.insert(n, (write, self.write_sites[n]));
            }
        }
        // Atomics of several threads that nothing orders.
        let others = event.watching && !unwritten && !before(write);
        self.writes[n] = match event.role.copy {
            true => in_flight_stamp(warp),
            false => stamp | if others { MANY } else { mine },
        };
        self.write_sites[n] = here.site;
    }

    /// Reports an access to bytes that a copy in flight is going to write.
    #[inline(never)]
    fn in_flight(&mut self, here: &CheckedAccess, lane: u8, n: usize, findings: &mut FindingLog) {
        let at = self.side(here, lane, n, findings);
        let its = here.sites.get(self.write_sites[n]);
        let granule = self.granule_bytes as u64;
        let writer = here.copies.writer(n as u64 * granule, granule);
        let (thread, pc, signals) = writer.unwrap_or((at.thread.thread, its.pc, false));
        let thread = ThreadId { thread, ..at.thread };
        let other = Side { pc, thread, kind: AccessKind::Write, bytes: its.bytes, ..at };
        let stood = here.event.kind == AccessKind::Read && thread.thread != at.thread.thread;
        let stood = stood && self.overwritten.contains(&n);
        findings.add(FindingKind::CopyInFlight, at, Some(other), || {
            let known = [
                (its.role.bulk, Evidence::BulkCopy),
                (signals, Evidence::CopySignalsBarrier),
                (stood && !its.role.bulk, Evidence::CopyOverValues),
            ];
            known.into_iter().filter_map(|(is, evidence)| is.then_some(evidence))
        });
        if here.event.kind != AccessKind::Read && !here.event.role.copy {
            self.writes[n] = here.now << TIME_SHIFT | who(here.event.warp, lane, false);
            self.write_sites[n] = here.site;
        }
    }

    /// Clears all writes, since copies of the previous block that were in flight no longer are.
    pub fn clear(&mut self) {
        self.writes.fill(0);
    }

    fn side(&self, here: &CheckedAccess, lane: u8, n: usize, findings: &FindingLog) -> Side {
        let place = SideAddress::Shared(n as u64 * self.granule_bytes as u64);
        side(here.event, thread(here.event, lane.into(), findings.block), place)
    }

    /// Returns whether the byte was written in this block.
    pub fn is_written(&self, byte: u64) -> bool {
        let write = self.writes.get((byte / u64::from(self.granule_bytes.max(1))) as usize);
        write.is_none_or(|&write| write >= self.block_begin << TIME_SHIFT)
    }

    #[inline(never)]
    fn race(
        &self,
        here: &CheckedAccess,
        (lane, many): (u8, bool),
        n: usize,
        (stamp, site): (Stamp, Site),
        findings: &mut FindingLog,
    ) {
        if here.is_of_unread(site, n as u64 * u64::from(self.granule_bytes), self.granule_bytes) {
            return;
        }
        let (now, then) = pair(here, lane, many, stamp, Some(here.order.block));
        let mut at = self.side(here, lane, n, findings);
        at.thread.thread = now;
        let thread = ThreadId { thread: then, ..at.thread };
        let place = whole(at.place, site.bytes);
        at.place = whole(at.place, at.bytes);
        let other = Side { pc: site.pc, thread, kind: site.kind, bytes: site.bytes, place };
        let lost = here.event.role.updates && site.role.updates;
        let set_up = [here.event.role.object, site.role.object].contains(&MbarrierEffect::SetUp);
        findings.add(FindingKind::SharedRace, at, Some(other), || match (lost, set_up) {
            (true, _) => Some(Evidence::LostUpdate),
            (_, true) => Some(Evidence::BarrierObjectMade),
            _ => None,
        });
    }
}
