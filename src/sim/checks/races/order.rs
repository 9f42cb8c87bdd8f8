//! Happens-before, for the threads of one block (PTX ISA, "Memory Consistency Model").
//!
//! Barriers of the whole block and `__syncwarp()` of a whole warp are represented by times: whatever was before them
//! happens before everything that follows in the block, or warp. All other synchronisation passes on vector clocks. A
//! fence makes everything that the thread knows available for release; a write by an atomic, a volatile or a
//! `.release` store then releases that at its place; a thread that reads the place and then executes a fence acquires
//! it.
//!
//! Where the memory model is stricter than the hardware and than the programming guide's own examples require, this
//! follows the guide: what a thread has observed is known to its block after a barrier even without a second fence
//! (the guide's last-block sum), and a fence before a barrier serves a thread that releases after the barrier.

mod objects;

pub use objects::Objects;

use super::clock::{Clock, Progress};
use super::stamp::{MANY_BLOCKS, MANY_IN_WARP, Stamp, THREAD, time, warp_of};
use crate::engine::observer::Lanes;
use crate::lanes::{LANES, lanes_of};

/// A thread's vector clocks: what it knows, and what it may release.
#[derive(Clone, Debug, Default)]
struct Clocks {
    /// What happened before whatever the thread does next.
    known: Clock,
    /// What the thread's next strong write releases to every thread, or only to those of its block.
    fenced: Clock,
    fenced_block: Clock,
    /// What was observed at places the thread read, and will be known after its next fence of device scope; and the
    /// part for which a fence of block scope is enough.
    observed: Clock,
    observed_block: Clock,
    /// What other threads had done before strong writes that the thread has waited for, or read by atomics, whether or
    /// not a fence released it. Kept for kernels that read data by volatile or relaxed loads.
    signalled: Clock,
    /// What would have been observed, and what would be known, if every fence and every atomic had had device scope.
    observed_narrowly: Clock,
    known_narrowly: Clock,
}

impl Clocks {
    fn is_same(&self, other: &Clocks) -> bool {
        self.known.is_same(&other.known)
            && self.fenced.is_same(&other.fenced)
            && self.fenced_block.is_same(&other.fenced_block)
            && self.observed.is_same(&other.observed)
            && self.observed_block.is_same(&other.observed_block)
            && self.signalled.is_same(&other.signalled)
            && self.observed_narrowly.is_same(&other.observed_narrowly)
            && self.known_narrowly.is_same(&other.known_narrowly)
    }

    fn join(&mut self, other: &Clocks) {
        self.known.join(&other.known);
        self.fenced.join(&other.fenced);
        self.fenced_block.join(&other.fenced_block);
        self.observed.join(&other.observed);
        self.observed_block.join(&other.observed_block);
        self.signalled.join(&other.signalled);
        self.observed_narrowly.join(&other.observed_narrowly);
        self.known_narrowly.join(&other.known_narrowly);
    }
}

/// What threads did and know, to be passed on to others.
#[derive(Debug, Default)]
pub struct PassedClocks(Clocks);

impl PassedClocks {
    pub fn join(&mut self, other: &PassedClocks) {
        self.0.join(&other.0);
    }
}

#[derive(Debug, Default)]
pub struct Order {
    pub block: u64,
    /// Accesses of the block before this time happen before all its later ones.
    pub block_start: u32,
    /// The same for each warp: accesses of its lanes before this time happen before its later ones.
    warp_start: Vec<u32>,
    /// The clocks that all threads have had since the last barrier.
    common: Clocks,
    /// The clocks that single threads have in addition, by warp and lane.
    own: Vec<Option<Box<[Clocks; LANES]>>>,
    /// The clocks that threads contributed to barriers with a thread count, by barrier number.
    named: Vec<(u32, Clocks)>,
    objects: Objects,
    /// For mbarrier objects, by address: a clock of the threads whose copies signalled the object.
    copy_arrivals: Vec<(u64, Clock)>,
    /// When a thread of the block last acquired anything of other threads.
    last_acquired: u32,
    /// Whether what strong writes signal is followed.
    signals: bool,
    /// Whether the block has had a fence or a strong write of block scope.
    is_narrow: bool,
    /// Whether any clocks exist, so that times alone no longer describe the order.
    pub has_clocks: bool,
}

impl Order {
    /// Begins a block. `reads_data`: the kernel has volatile or relaxed loads of data.
    pub fn begin(&mut self, block: u64, warps: usize, now: u32, reads_data: bool) {
        self.block = block;
        self.signals = reads_data;
        self.block_start = now;
        self.warp_start.clear();
        self.warp_start.resize(warps, 0);
        self.last_acquired = 0;
        self.is_narrow = false;
        self.copy_arrivals.clear();
        if self.has_clocks || !self.objects.is_empty() {
            self.common = Clocks::default();
            self.objects = Objects::default();
            self.named.clear();
            self.has_clocks = false;
        }
        self.own.clear();
        self.own.resize_with(warps, || None);
    }

    /// Called when a block begins, like the one before it, in which nothing but barriers of all threads has ordered accesses.
    pub fn begin_unused(&mut self, block: u64, now: u32) {
        (self.block, self.block_start) = (block, now);
    }

    /// Clears everything because the timeline restarts.
    pub fn forget(&mut self, now: u32) {
        let (block, warps) = (self.block, self.warp_start.len());
        self.has_clocks = true;
        self.begin(block, warps, now, self.signals);
    }

    /// Returns the time before which accesses of a warp's lanes happen before all later ones of that warp.
    #[inline(always)]
    pub fn warp_start(&self, warp: u32) -> u32 {
        self.warp_start[warp as usize]
    }

    /// Returns whether an access by another thread, in `block`, happened before what this thread does now.
    #[inline(always)]
    pub fn before(&self, stamp: Stamp, block: Option<u64>, warp: u32, lane: u8) -> bool {
        let (then, who) = (time(stamp), stamp & THREAD);
        if block == Some(self.block) && who != MANY_BLOCKS {
            if then < self.block_start {
                return true;
            }
            if warp_of(who) == Some(warp) && then < self.warp_start[warp as usize] {
                return true;
            }
        }
        self.has_clocks && self.handed_over(then, who, block, warp, lane)
    }

    #[inline(never)]
    fn handed_over(&self, then: u32, who: u32, block: Option<u64>, warp: u32, lane: u8) -> bool {
        let Some(block) = block.filter(|_| who != MANY_BLOCKS) else { return self.last_acquired > then };
        self.objects.lost || self.clocks(warp, lane).any(|clocks| clocks.known.covers(block, who, then))
    }

    /// Returns the clocks of a thread: those that all threads have, and its own.
    fn clocks(&self, warp: u32, lane: u8) -> impl Iterator<Item = &Clocks> {
        let own = self.own[warp as usize].as_ref().map(|own| &own[lane as usize % LANES]);
        std::iter::once(&self.common).chain(own)
    }

    /// Returns whether a thread of the block has acquired anything of other threads.
    pub fn has_acquired(&self) -> bool {
        self.last_acquired != 0
    }

    /// Returns what `part` (all lanes of a warp, or one thread) did before `now`, and what it knows.
    fn past(&self, warp: u32, part: u32, now: u32, clocks: Option<&Clocks>) -> Clock {
        let parts = [(MANY_IN_WARP | warp, self.warp_start[warp as usize]), (part, now)];
        let mut past = Clock::of(self.block, Progress::of(self.block_start, &parts));
        past.join(&self.common.known);
        if let Some(clocks) = clocks {
            past.join(&clocks.known);
        }
        past
    }

    fn part(at: &Lanes, lane: usize) -> u32 {
        if at.mask == at.live { MANY_IN_WARP | at.warp } else { at.warp * 32 + lane as u32 }
    }

    fn of_warp(&mut self, warp: u32) -> &mut [Clocks; LANES] {
        self.has_clocks = true;
        self.own[warp as usize].get_or_insert_with(Box::default)
    }

    /// Called when threads execute a fence, of device scope or of block scope.
    pub fn fence(&mut self, at: &Lanes, block_only: bool, now: u32) {
        let mut like: Option<(Clocks, Clocks)> = None;
        self.is_narrow |= block_only;
        self.of_warp(at.warp);
        for lane in lanes_of(at.mask) {
            let old = std::mem::take(&mut self.of_warp(at.warp)[lane]);
            let mut new = match &like {
                Some((before, after)) if before.is_same(&old) && at.mask == at.live => after.clone(),
                _ => {
                    let mut new = old.clone();
                    self.acquire_observed(&mut new, block_only, now);
                    let past = self.past(at.warp, Self::part(at, lane), now, Some(&new));
                    if !block_only {
                        new.fenced = past.clone();
                    }
                    new.fenced_block = past;
                    new
                }
            };
            like.get_or_insert_with(|| (old, new.clone()));
            std::mem::swap(&mut self.of_warp(at.warp)[lane], &mut new);
        }
    }

    /// Moves what was observed to what is known.
    fn acquire_observed(&mut self, clocks: &mut Clocks, block_only: bool, now: u32) {
        if !clocks.observed_block.is_empty() || !clocks.observed.is_empty() {
            self.last_acquired = now;
        }
        clocks.known.join(&std::mem::take(&mut clocks.observed_block));
        clocks.known_narrowly.join(&std::mem::take(&mut clocks.observed_narrowly));
        if block_only {
            clocks.known_narrowly.join(&clocks.observed);
        } else {
            clocks.known.join(&std::mem::take(&mut clocks.observed));
        }
    }

    /// Returns what some threads of the block did and know, for others to acquire after a barrier.
    pub fn of_lanes(&self, at: &Lanes, now: u32) -> PassedClocks {
        PassedClocks(self.gather(at, now))
    }

    /// Lets threads acquire what was passed on; all of the block if `at` is `None`.
    pub fn acquire_passed(&mut self, at: Option<&Lanes>, passed: &PassedClocks, now: u32) {
        self.has_clocks = true;
        match at {
            Some(at) => self.spread(at, &passed.0, now),
            None => {
                self.barrier(now);
                self.common.join(&passed.0);
            }
        }
        self.last_acquired = now;
    }

    /// Called when copies by these threads have arrived, as signalled by an mbarrier object.
    pub fn note_copy_arrival(&mut self, object: u64, by: &[u32], now: u32) {
        let parts: Vec<(u32, u32)> = by.iter().map(|&thread| (thread, now)).collect();
        let clock = Clock::of(self.block, Progress::of(0, &parts));
        match self.copy_arrivals.iter_mut().find(|(its, _)| *its == object) {
            Some((_, known)) => known.join(&clock),
            None => self.copy_arrivals.push((object, clock)),
        }
    }

    /// Lets threads acquire the arrival of the copies that the object signalled.
    pub fn acquire_copy_arrival(&mut self, at: &Lanes, object: u64, now: u32) {
        let Some((_, clock)) = self.copy_arrivals.iter().find(|(its, _)| *its == object).cloned() else {
            return;
        };
        self.last_acquired = now;
        let own = self.of_warp(at.warp);
        lanes_of(at.mask).for_each(|lane| own[lane].known.join(&clock));
    }

    /// Returns whether some thread of the block knows that an access by another block has happened.
    pub fn knows(&self, stamp: Stamp, block: Option<u64>) -> bool {
        let Some(block) = block.filter(|_| stamp & THREAD != MANY_BLOCKS) else {
            return self.last_acquired > time(stamp);
        };
        let covers = |clocks: &Clocks| clocks.known.covers(block, stamp & THREAD, time(stamp));
        self.objects.lost
            || covers(&self.common)
            || self.own.iter().flatten().any(|own| own.iter().any(covers))
    }

    /// Called when all threads of the block have passed a barrier.
    pub fn barrier(&mut self, now: u32) {
        self.block_start = now;
        if !self.has_clocks {
            return;
        }
        let mut common = std::mem::take(&mut self.common);
        for own in self.own.iter_mut().filter_map(Option::take) {
            for (lane, clocks) in own.iter().enumerate() {
                if lane > 0 && clocks.is_same(&own[lane - 1]) {
                    continue;
                }
                // What is known was acquired before, at a time that was noted.
                if !clocks.observed.is_empty() || !clocks.observed_block.is_empty() {
                    self.last_acquired = now;
                }
                common.join(clocks);
                common.known.join(&clocks.observed);
                common.known.join(&clocks.observed_block);
                common.known_narrowly.join(&clocks.observed_narrowly);
            }
        }
        (common.observed, common.observed_block) = (Clock::default(), Clock::default());
        common.observed_narrowly = Clock::default();
        // Everything of this block is known now: one time says so, in place of one for each thread.
        if !common.known.is_empty() {
            common.known.join(&Clock::of(self.block, Progress::of(now, &[])));
        }
        self.common = common;
    }

    fn named(&mut self, id: u32) -> &mut Clocks {
        let known = self.named.iter().position(|(its, _)| *its == id);
        let at = known.unwrap_or_else(|| {
            self.named.push((id, Clocks::default()));
            self.named.len() - 1
        });
        &mut self.named[at].1
    }

    /// Called when threads arrive at a barrier with a thread count.
    pub fn arrive(&mut self, id: u32, at: &Lanes, now: u32) {
        let gathered = self.gather(at, now);
        self.has_clocks = true;
        self.named(id).join(&gathered);
    }

    /// Returns what the lanes did and know, joined.
    fn gather(&self, at: &Lanes, now: u32) -> Clocks {
        let mut all = Clocks::default();
        let own = self.own[at.warp as usize].as_deref();
        for lane in lanes_of(at.mask) {
            let mine = own.map(|own| &own[lane]);
            if at.mask != at.live || all.known.is_empty() {
                all.known.join(&self.past(at.warp, Self::part(at, lane), now, mine));
            }
            if let Some(mine) = mine {
                all.join(mine);
                all.known.join(&mine.observed_block);
            }
        }
        all
    }

    fn spread(&mut self, at: &Lanes, clocks: &Clocks, now: u32) {
        if !clocks.observed_block.is_empty() {
            self.last_acquired = now;
        }
        let own = self.of_warp(at.warp);
        for lane in lanes_of(at.mask) {
            own[lane].join(clocks);
        }
    }

    /// Called when threads continue after such a barrier, since all that it waits for have arrived.
    pub fn depart(&mut self, id: u32, at: &Lanes, now: u32) {
        let clocks = self.named(id).clone();
        self.spread(at, &clocks, now);
    }

    /// Called when all threads have continued: resets the barrier.
    pub fn reset(&mut self, id: u32) {
        *self.named(id) = Clocks::default();
    }

    /// Called when lanes of a warp have passed `__syncwarp()` together.
    pub fn warp_sync(&mut self, at: &Lanes, now: u32) {
        if at.mask == at.live {
            self.warp_start[at.warp as usize] = now;
            if self.own[at.warp as usize].is_none() {
                return;
            }
        }
        let gathered = self.gather(at, now);
        self.spread(at, &gathered, now);
    }

    /// Returns whether the thread has waited for a strong write, or read it by an atomic, that followed the access of the
    /// stamp, by another block, and that no fence made a release of that access.
    #[inline(never)]
    pub fn was_signalled_unfenced(&self, stamp: Stamp, block: Option<u64>, warp: u32, lane: u8) -> bool {
        let (then, who) = (time(stamp), stamp & THREAD);
        let Some(block) = block.filter(|&block| block != self.block && who != MANY_BLOCKS) else {
            return false;
        };
        let covers = |of: fn(&Clocks) -> &Clock| {
            self.clocks(warp, lane).any(|clocks| of(clocks).covers(block, who, then))
        };
        covers(|its| &its.signalled)
            && !covers(|its| &its.known)
            && !covers(|its| &its.observed)
            && !self.objects.lost
    }

    /// Returns whether the thread has waited for a strong write, or read it by an atomic, that followed the access of the
    /// stamp, by its own block.
    #[inline(never)]
    pub fn was_signalled(&self, stamp: Stamp, warp: u32, lane: u8) -> bool {
        let (then, who) = (time(stamp), stamp & THREAD);
        self.clocks(warp, lane).any(|clocks| clocks.signalled.covers(self.block, who, then))
    }

    /// Returns whether only the block scope of a fence or an atomic keeps the thread from knowing that the access of the
    /// stamp, by another block, has happened.
    #[inline(never)]
    pub fn is_known_narrowly(&self, stamp: Stamp, block: Option<u64>, warp: u32, lane: u8) -> bool {
        let (then, who) = (time(stamp), stamp & THREAD);
        let Some(block) = block.filter(|&block| block != self.block && who != MANY_BLOCKS) else {
            return false;
        };
        self.clocks(warp, lane).any(|clocks| clocks.known_narrowly.covers(block, who, then))
    }
}
