//! Accesses to a page granule by granule.

use super::super::last_accesses::{Marks, Slots};
use super::super::stamp::{MANY, Stamp, THREAD, TIME_SHIFT, is_in_warp, joined};
use super::{LastAccesses, PAGE, Page, PageSpan};
use crate::finding::AccessKind;
use crate::lanes::LANES;
use std::ops::Range;

impl Page {
    /// Records a read or write of granules that need not be reported, but for those of the first 32 whose bits are set in
    /// `gaps`. Returns false if they must be checked one by one; so it does for atomics.
    pub(super) fn plain_granules(&mut self, span: &PageSpan, range: Range<usize>, gaps: u32) -> bool {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[target_feature(enable = "avx2")]
            fn wide(page: &mut Page, span: &PageSpan, range: Range<usize>, gaps: u32) -> bool {
                page.plain_granules_inline(span, range, gaps)
            }
            // SAFETY: the processor has AVX2.
            return unsafe { wide(self, span, range, gaps) };
        }
        self.plain_granules_inline(span, range, gaps)
    }

    #[inline(always)]
    fn plain_granules_inline(&mut self, span: &PageSpan, range: Range<usize>, gaps: u32) -> bool {
        match whole_warp(&range, gaps) {
            Some((start, 0)) => self.plain_each(span, start..start + LANES, NoGaps),
            Some((start, gaps)) => self.plain_each(span, start..start + LANES, Gaps(gaps)),
            None => self.plain_each(span, range, Gaps(gaps)),
        }
    }

    #[inline(always)]
    fn plain_each(&mut self, span: &PageSpan, range: Range<usize>, accessed: impl Accessed) -> bool {
        match span.around.here.event.kind {
            AccessKind::Read => self.read_each(span, range, accessed),
            AccessKind::Write => self.write_each(span, range, accessed),
            AccessKind::Atomic => false,
        }
    }

    #[inline(always)]
    fn read_each(&mut self, page_span: &PageSpan, range: Range<usize>, accessed: impl Accessed) -> bool {
        self.writes.split();
        let mine = |i: usize| page_span.mine.wrapping_add(i as u32 >> page_span.shift);
        if let LastAccesses::Each(writes) = &self.writes {
            let mut follows = true;
            for (i, &write) in writes.stamps[range.clone()].iter().enumerate() {
                follows &= !accessed.is(i) | page_span.follows(write, write & THREAD == mine(i));
            }
            if !follows {
                return false;
            }
        }
        let here = &page_span.around.here;
        let (blocks_isolated, plain) = (page_span.around.blocks_isolated, here.plain());
        let (turn, last_barrier) = (page_span.turn, page_span.last_barrier);
        let warp = here.event.warp;
        let in_warp = here.order.warp_start(warp) << TIME_SHIFT;
        let (now, many) = (here.now << TIME_SHIFT, here.now << TIME_SHIFT | MANY);
        let reads = self.reads.each_mut();
        let (mut leave, mut simple) = (true, true);
        for (i, &read) in reads.stamps[range.clone()].iter().enumerate() {
            let foreign = (read != 0) & (read < turn);
            let over = (read < last_barrier) | (read & THREAD == mine(i));
            let keep = foreign | (read == many) | !accessed.is(i);
            leave &= keep;
            simple &= (!(foreign & accessed.is(i)) | blocks_isolated) & (over | keep | plain);
        }
        if !simple {
            return false;
        }
        if leave {
            return true;
        }
        let is_named = here.is_named(page_span.mine == u32::MAX);
        // Returns a granule's new stamp, and whether its instruction becomes the current one.
        let next = |i: usize, old: Stamp| {
            let keep = ((old != 0) & (old < turn)) | (old == many) | !accessed.is(i);
            let same_warp = is_in_warp(old, warp);
            let over = (old < last_barrier) | (old & THREAD == mine(i)) | (same_warp & (old < in_warp));
            let this = page_span.stamp + (i as u32 >> page_span.shift);
            let named = same_warp & is_named(old);
            let several = if same_warp { now | joined(if named { this } else { old }, warp) } else { many };
            let new = if over { this } else { several };
            (if keep { old } else { new }, (over | named) & !keep)
        };
        match reads.slots(range, here.site) {
            (stamps, Slots::Few(numbers, number)) => leave_marks(stamps, numbers, number, next),
            (stamps, Slots::Many(sites, site)) => leave_marks(stamps, sites, site, next),
        }
        true
    }

    #[inline(always)]
    fn write_each(&mut self, page_span: &PageSpan, range: Range<usize>, accessed: impl Accessed) -> bool {
        let mine = |i: usize| page_span.mine.wrapping_add(i as u32 >> page_span.shift);
        let follows = |span: &PageSpan, marks: &Marks| {
            let mut follows = true;
            for (i, &old) in marks.stamps[range.clone()].iter().enumerate() {
                follows &= !accessed.is(i) | span.follows(old, old & THREAD == mine(i));
            }
            follows
        };
        self.reads.split();
        let after_reads = page_span.after_reads(self.read_only);
        if self.reads.each().is_some_and(|reads| !follows(&after_reads, reads)) {
            return false;
        }
        let writes = self.writes.each_mut();
        if !follows(page_span, writes) {
            return false;
        }
        let next = |i: usize, old: Stamp| {
            let new = page_span.stamp + (i as u32 >> page_span.shift);
            (if accessed.is(i) { new } else { old }, accessed.is(i))
        };
        match writes.slots(range, page_span.around.here.site) {
            (stamps, Slots::Few(numbers, number)) => leave_marks(stamps, numbers, number, next),
            (stamps, Slots::Many(sites, site)) => leave_marks(stamps, sites, site, next),
        }
        true
    }
}

/// Returns the first granule and the gaps of an access by some lanes, each to a granule, as one by all of them, which is
/// quicker: what other lanes would access are gaps.
#[inline(always)]
fn whole_warp(range: &Range<usize>, gaps: u32) -> Option<(usize, u32)> {
    let is_warp = range.len() == LANES || range.len() < LANES && range.start + LANES <= PAGE;
    let beyond = u32::MAX.checked_shl(range.len() as u32).unwrap_or(0);
    is_warp.then_some((range.start, gaps | beyond))
}

/// Which granules of a span are accessed.
trait Accessed: Copy {
    fn is(self, granule: usize) -> bool;
}

#[derive(Clone, Copy)]
struct NoGaps;

/// All but those of the first 32 whose bits are set.
#[derive(Clone, Copy)]
struct Gaps(u32);

impl Accessed for NoGaps {
    #[inline(always)]
    fn is(self, _: usize) -> bool {
        true
    }
}

impl Accessed for Gaps {
    #[inline(always)]
    fn is(self, granule: usize) -> bool {
        self.0 >> (granule & 31) & 1 == 0
    }
}

/// Replaces stamps by what `next` returns, and the instruction where `next` says so.
#[inline(always)]
fn leave_marks<T: Copy>(
    stamps: &mut [Stamp],
    sites: &mut [T],
    site: T,
    next: impl Fn(usize, Stamp) -> (Stamp, bool),
) {
    for (i, (stamp, its)) in stamps.iter_mut().zip(sites).enumerate() {
        let (new, mine) = next(i, *stamp);
        *stamp = new;
        *its = if mine { site } else { *its };
    }
}
