//! What comes before what, for the threads of one block (PTX ISA, "Memory Consistency Model").
//!
//! Barriers of the whole block and `__syncwarp()` of a whole warp are times: what was before them
//! is before all that follows in the block, or warp. All else hands on clocks. A fence makes what
//! the thread knows fit to be handed on; a write by an atomic, a volatile or a `.release` store
//! leaves that at its place; who reads the place so, and then executes a fence, knows it too.
//!
//! Where the model is stricter than what hardware does and the programming guide's own examples
//! rely on, this follows the guide: what a thread met is known to its block after a barrier even
//! where no second fence stands (the guide's last-block sum), and a fence before a barrier serves
//! the thread that tells others after it.

use super::clock::{Clock, Progress};
use super::stamp::{MANY_BLOCKS, MANY_IN_WARP, Stamp, THREAD, time, warp_of};
use crate::engine::observer::{Event, Lanes};
use crate::finding::AccessKind;
use crate::lanes::{LANES, lanes_of};
use crate::memory::by_address::ByAddress;
use crate::memory::shape::Shape;

/// What a thread knows and hands on.
#[derive(Clone, Debug, Default)]
struct Clocks {
    /// Happened before whatever the thread does next.
    known: Clock,
    /// Handed on to every thread by its next strong write, or only to those of its block.
    fenced: Clock,
    fenced_block: Clock,
    /// Met at places it read, and known after its next fence; what only a fence for the block needs.
    met: Clock,
    met_block: Clock,
}

impl Clocks {
    fn is_same(&self, other: &Clocks) -> bool {
        self.known.is_same(&other.known)
            && self.fenced.is_same(&other.fenced)
            && self.fenced_block.is_same(&other.fenced_block)
            && self.met.is_same(&other.met)
            && self.met_block.is_same(&other.met_block)
    }

    fn join(&mut self, other: &Clocks) {
        self.known.join(&other.known);
        self.fenced.join(&other.fenced);
        self.fenced_block.join(&other.fenced_block);
    }
}

/// What threads did and know, on its way to others.
#[derive(Debug, Default)]
pub struct Handed(Clocks);

impl Handed {
    pub fn join(&mut self, other: &Handed) {
        self.0.join(&other.0);
    }
}

/// What was left at a place by strong writes.
#[derive(Clone, Debug, Default)]
struct Object {
    device: Clock,
    /// For threads of this block alone.
    block: u64,
    within: Clock,
    /// When it was last taken up, by a thread of which block.
    taken: Option<(u64, u32)>,
    /// The block and the thread whose atomic was the last here.
    last: Option<(u64, u32)>,
}

impl Object {
    fn add(&mut self, left: Left) {
        self.last = left.last;
        if left.is_empty() {
            return;
        }
        self.device.join(&left.device);
        if self.block != left.block {
            (self.block, self.within) = (left.block, Clock::default());
        }
        self.within.join(&left.within);
    }
}

/// What a strong write leaves at its place.
struct Left {
    block: u64,
    device: Clock,
    /// For threads of the block alone.
    within: Clock,
    /// The block and the thread of an atomic.
    last: Option<(u64, u32)>,
}

impl Left {
    fn is_empty(&self) -> bool {
        self.device.is_empty() && self.within.is_empty()
    }
}

/// Places that hand on clocks, by word.
#[derive(Debug, Default)]
pub struct Objects {
    places: ByAddress<Object>,
    /// There were too many: whatever could have been handed on counts as known.
    lost: bool,
}

impl Objects {
    /// Forgets the places of `bytes` bytes at an address.
    pub fn forget(&mut self, address: u64, bytes: u64) {
        self.places.retain(|&place, _| place.wrapping_mul(4).wrapping_sub(address) >= bytes);
    }
}

/// Places remembered.
const MOST_OBJECTS: usize = 1 << 18;

#[derive(Debug, Default)]
pub struct Order {
    pub block: u64,
    /// Accesses before this time are before all later ones of the block.
    pub block_start: u32,
    /// The same for the accesses of one warp among themselves.
    warp_start: Vec<u32>,
    /// What all threads have had since the last barrier.
    common: Clocks,
    /// What single threads have beyond that.
    own: Vec<Option<Box<[Clocks; LANES]>>>,
    /// What came to barriers with a thread count.
    named: Vec<(u32, Clocks)>,
    objects: Objects,
    /// For mbarrier objects, by address: the threads of copies that they told of, until when.
    brought: Vec<(u64, Clock)>,
    /// When a thread of the block last learned of another's accesses.
    learned: u32,
    /// Whether there are clocks at all.
    pub stirred: bool,
}

impl Order {
    pub fn begin(&mut self, block: u64, warps: usize, now: u32) {
        self.block = block;
        self.block_start = now;
        self.warp_start.clear();
        self.warp_start.resize(warps, 0);
        self.learned = 0;
        self.brought.clear();
        if self.stirred || !self.objects.places.is_empty() {
            self.common = Clocks::default();
            self.objects = Objects::default();
            self.named.clear();
            self.stirred = false;
        }
        self.own.clear();
        self.own.resize_with(warps, || None);
    }

    /// Forgets all: times begin anew.
    pub fn forget(&mut self, now: u32) {
        let (block, warps) = (self.block, self.warp_start.len());
        self.stirred = true;
        self.begin(block, warps, now);
    }

    /// Accesses of a warp's lanes before this time are before all later ones of that warp.
    #[inline(always)]
    pub fn warp_start(&self, warp: u32) -> u32 {
        self.warp_start[warp as usize]
    }

    /// Whether an access by another thread, in `block`, comes before what a thread does now.
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
        self.stirred && self.handed_over(then, who, block, warp, lane)
    }

    #[inline(never)]
    fn handed_over(&self, then: u32, who: u32, block: Option<u64>, warp: u32, lane: u8) -> bool {
        let Some(block) = block.filter(|_| who != MANY_BLOCKS) else { return self.learned > then };
        let covers = |clock: &Clock| clock.covers(block, who, then);
        self.objects.lost
            || covers(&self.common.known)
            || self.own[warp as usize].as_ref().is_some_and(|own| covers(&own[lane as usize % LANES].known))
    }

    /// What `part` (a warp's all lanes, or one thread) did before `now`, and what it knows.
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
        self.stirred = true;
        self.own[warp as usize].get_or_insert_with(Box::default)
    }

    /// Threads execute a fence, which orders for the device or only for the block.
    pub fn fence(&mut self, at: &Lanes, block_only: bool, now: u32) {
        let mut like: Option<(Clocks, Clocks)> = None;
        self.of_warp(at.warp);
        for lane in lanes_of(at.mask) {
            let old = std::mem::take(&mut self.of_warp(at.warp)[lane]);
            let mut new = match &like {
                Some((before, after)) if before.is_same(&old) && at.mask == at.live => after.clone(),
                _ => {
                    let mut new = old.clone();
                    self.learn(&mut new, block_only, now);
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

    /// What was met becomes known.
    fn learn(&mut self, clocks: &mut Clocks, block_only: bool, now: u32) {
        if !clocks.met_block.is_empty() || !clocks.met.is_empty() {
            self.learned = now;
        }
        clocks.known.join(&std::mem::take(&mut clocks.met_block));
        if !block_only {
            clocks.known.join(&std::mem::take(&mut clocks.met));
        }
    }

    /// What some threads of the block did and know, for others to know after a barrier.
    pub fn of_lanes(&self, at: &Lanes, now: u32) -> Handed {
        Handed(self.gather(at, now))
    }

    /// Threads know what was handed on; all of the block, where none are named.
    pub fn take_over(&mut self, at: Option<&Lanes>, handed: &Handed, now: u32) {
        self.stirred = true;
        match at {
            Some(at) => self.spread(at, &handed.0, now),
            None => {
                self.barrier(now);
                self.learned = now;
                self.common.join(&handed.0);
            }
        }
    }

    /// Copies by these threads have come, as an mbarrier object tells.
    pub fn bring(&mut self, object: u64, by: &[u32], now: u32) {
        let parts: Vec<(u32, u32)> = by.iter().map(|&thread| (thread, now)).collect();
        let clock = Clock::of(self.block, Progress::of(0, &parts));
        match self.brought.iter_mut().find(|(its, _)| *its == object) {
            Some((_, known)) => known.join(&clock),
            None => self.brought.push((object, clock)),
        }
    }

    /// Threads know what copies brought that the object told of.
    pub fn know_brought(&mut self, at: &Lanes, object: u64, now: u32) {
        let Some((_, clock)) = self.brought.iter().find(|(its, _)| *its == object).cloned() else { return };
        self.learned = now;
        let own = self.of_warp(at.warp);
        lanes_of(at.mask).for_each(|lane| own[lane].known.join(&clock));
    }

    /// Whether some thread of the block knows of an access by others.
    pub fn knows(&self, stamp: Stamp, block: Option<u64>) -> bool {
        let Some(block) = block.filter(|_| stamp & THREAD != MANY_BLOCKS) else {
            return self.learned > time(stamp);
        };
        let covers = |clocks: &Clocks| clocks.known.covers(block, stamp & THREAD, time(stamp));
        self.objects.lost
            || covers(&self.common)
            || self.own.iter().flatten().any(|own| own.iter().any(covers))
    }

    /// All threads of the block passed a barrier.
    pub fn barrier(&mut self, now: u32) {
        self.block_start = now;
        if !self.stirred {
            return;
        }
        let mut common = std::mem::take(&mut self.common);
        for own in self.own.iter_mut().filter_map(Option::take) {
            for (lane, clocks) in own.iter().enumerate() {
                if lane > 0 && clocks.is_same(&own[lane - 1]) {
                    continue;
                }
                if !clocks.met.is_empty() || !clocks.known.is_empty() {
                    self.learned = now;
                }
                common.join(clocks);
                common.known.join(&clocks.met);
                common.known.join(&clocks.met_block);
            }
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

    /// Threads came to a barrier with a thread count.
    pub fn arrive(&mut self, id: u32, at: &Lanes, now: u32) {
        let gathered = self.gather(at, now);
        self.stirred = true;
        self.named(id).join(&gathered);
    }

    /// What the lanes did and know, together.
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
                all.known.join(&mine.met_block);
            }
        }
        all
    }

    fn spread(&mut self, at: &Lanes, clocks: &Clocks, now: u32) {
        self.learned = now;
        let own = self.of_warp(at.warp);
        for lane in lanes_of(at.mask) {
            own[lane].join(clocks);
        }
    }

    /// They go on, all that it wanted having come.
    pub fn depart(&mut self, id: u32, at: &Lanes, now: u32) {
        let clocks = self.named(id).clone();
        self.spread(at, &clocks, now);
    }

    /// All have gone on: the barrier is as new.
    pub fn reset(&mut self, id: u32) {
        *self.named(id) = Clocks::default();
    }

    /// Lanes of a warp passed `__syncwarp()` together.
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

    /// An atomic, or a strong or volatile access: takes up what its place hands on, and leaves
    /// there what the threads hand on. `outside`: the places in global memory.
    #[inline(always)]
    pub fn strong(&mut self, event: &Event, shape: &Shape, outside: Option<&mut Objects>, now: u32) {
        let orders = event.role.release || event.role.acquire;
        let none = outside.as_ref().map_or(&self.objects, |o| o).places.is_empty();
        if none && !orders && !self.stirred {
            return;
        }
        self.meet(event, shape, outside, now);
    }

    #[inline(never)]
    fn meet(&mut self, event: &Event, shape: &Shape, outside: Option<&mut Objects>, now: u32) {
        let mut inside = std::mem::take(&mut self.objects);
        let objects = outside.unwrap_or(&mut inside);
        for lane in lanes_of(event.mask) {
            let place = event.first.wrapping_add(shape.offsets[lane]) / 4;
            let full = objects.places.len() >= MOST_OBJECTS;
            let mut object = objects.places.get_mut(&place);
            if event.kind != AccessKind::Write
                && let Some(object) = &mut object
            {
                object.taken = Some((self.block, now));
                self.take_up(event, lane, object, now);
            }
            if event.kind == AccessKind::Read {
                continue;
            }
            let left = self.leave(event, lane, now);
            match object {
                Some(object) if event.kind == AccessKind::Atomic => object.add(left),
                // A store begins anew; an atomic adds to what others left.
                Some(_) if left.is_empty() => drop(objects.places.remove(&place)),
                Some(object) => {
                    *object = Object::default();
                    object.add(left);
                }
                None if left.is_empty() => {}
                None if full => objects.lost = true,
                None => objects.places.entry(place).or_default().add(left),
            }
        }
        let lost = objects.lost;
        self.objects = inside;
        self.objects.lost |= lost;
    }

    /// Whether a strong write at `then` to the place itself, of `bytes`, was taken up by this block,
    /// and what it handed on is known: then a plain access to the place comes after it, too.
    #[inline(never)]
    pub fn took(&self, outside: Option<&Objects>, place: u64, bytes: u32, then: u32) -> bool {
        let objects = outside.unwrap_or(&self.objects);
        (0..(bytes as u64).div_ceil(4)).any(|word| {
            let object = objects.places.get(&(place / 4).wrapping_sub(word));
            object
                .and_then(|object| object.taken)
                .is_some_and(|(block, when)| block == self.block && when >= then && self.learned > when)
        })
    }

    /// Whether the last atomic at a place was the thread's own: what it writes there now comes behind all
    /// the others' (a place has one order of writes, and an atomic has its place in it).
    #[inline(never)]
    pub fn was_last(&self, outside: Option<&Objects>, place: u64, bytes: u32, thread: u32) -> bool {
        let objects = outside.unwrap_or(&self.objects);
        (0..u64::from(bytes).div_ceil(4)).any(|word| {
            let object = objects.places.get(&(place / 4).wrapping_sub(word));
            object.and_then(|object| object.last) == Some((self.block, thread))
        })
    }

    fn take_up(&mut self, event: &Event, lane: usize, object: &Object, now: u32) {
        let same_block = object.block == self.block;
        let clocks = &mut self.of_warp(event.warp)[lane];
        clocks.met.join(&object.device);
        if same_block {
            clocks.met_block.join(&object.within);
        }
        if event.role.acquire {
            let mut taken = std::mem::take(clocks);
            self.learn(&mut taken, event.role.block_only, now);
            self.of_warp(event.warp)[lane] = taken;
        }
    }

    /// What a thread's strong write leaves.
    fn leave(&mut self, event: &Event, lane: usize, now: u32) -> Left {
        let thread = event.warp * 32 + lane as u32;
        if event.role.release {
            // As a fence before it would.
            let past = self.past(
                event.warp,
                thread,
                now,
                self.own[event.warp as usize].as_deref().map(|own| &own[lane]),
            );
            let clocks = &mut self.of_warp(event.warp)[lane];
            if !event.role.block_only {
                clocks.fenced = past.clone();
            }
            clocks.fenced_block = past;
        }
        let mut device = self.common.fenced.clone();
        let mut within = self.common.fenced_block.clone();
        if let Some(own) = &self.own[event.warp as usize] {
            device.join(&own[lane].fenced);
            within.join(&own[lane].fenced_block);
        }
        if event.role.block_only {
            device = Clock::default();
        }
        let last = (event.kind == AccessKind::Atomic).then_some((self.block, thread));
        Left { block: self.block, device, within, last }
    }
}
