//! Synchronisation through memory: what strong writes release at their places, and what strong reads acquire there.

use super::super::clock::{Clock, Progress};
use super::super::stamp::MANY_IN_WARP;
use super::Order;
use crate::engine::observer::{Event, GridBarrier, MemorySpace};
use crate::finding::AccessKind;
use crate::lanes::{LANES, lanes_of};
use crate::memory::by_address::ByAddress;
use crate::memory::shape::Shape;

/// What strong writes have released at a place.
#[derive(Clone, Debug, Default)]
struct Object {
    /// Released to all threads of the device.
    device: Clock,
    /// Released only to threads of this block.
    block: u64,
    within: Clock,
    /// What any block released there with block scope.
    narrow: Clock,
    /// The block and the time of the last read that acquired it.
    acquired: Option<(u64, u32)>,
    /// Of a grid barrier: how often blocks have arrived, and what had been released when the last of a phase did.
    arrivals: u64,
    passed: Clock,
}

impl Object {
    fn add(&mut self, released: ReleasedClocks) {
        if released.is_empty() {
            return;
        }
        self.device.join(&released.device);
        if released.is_narrow {
            self.narrow.join(&released.within);
        }
        if self.block != released.block {
            (self.block, self.within) = (released.block, Clock::default());
        }
        self.within.join(&released.within);
    }
}

/// What a strong write releases at its place.
struct ReleasedClocks {
    block: u64,
    device: Clock,
    /// For threads of the block only.
    within: Clock,
    /// Whether `within` may have more than `device`, because of a fence or an atomic of block scope.
    is_narrow: bool,
}

impl ReleasedClocks {
    fn is_empty(&self) -> bool {
        self.device.is_empty() && self.within.is_empty()
    }
}

/// Places at which clocks were released, by word.
#[derive(Debug, Default)]
pub struct Objects {
    places: ByAddress<Object>,
    /// The block and the thread of the last atomic at a place, for places at which atomics return a value.
    last_atomics: ByAddress<(u64, u32)>,
    /// What a place's strong writes signal: what their threads and blocks had done before them.
    signals: ByAddress<Clock>,
    /// The grid's barrier, if it has one.
    pub grid_barrier: Option<GridBarrier>,
    /// Whether there were too many places: everything that could have been released then counts as known.
    pub(super) lost: bool,
}

impl Objects {
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.last_atomics.is_empty() && self.signals.is_empty()
    }

    #[inline(never)]
    fn note_last_atomic(&mut self, event: &Event, shape: &Shape, block: u64) {
        for lane in lanes_of(event.mask) {
            let place = event.first.wrapping_add(shape.offsets[lane]) / 4;
            let by = (block, event.warp * LANES as u32 + lane as u32);
            match event.kind {
                AccessKind::Read => {}
                AccessKind::Atomic if event.role.returns && self.last_atomics.len() < MAX_OBJECTS => {
                    self.last_atomics.insert(place, by);
                }
                AccessKind::Write | AccessKind::Atomic => drop(self.last_atomics.remove(&place)),
            }
        }
    }

    /// Removes the places in `bytes` bytes at an address.
    pub fn forget(&mut self, address: u64, bytes: u64) {
        let is_outside = |place: u64| place.wrapping_mul(4).wrapping_sub(address) >= bytes;
        self.places.retain(|&place, _| is_outside(place));
        self.signals.retain(|&place, _| is_outside(place));
        self.last_atomics.retain(|&place, _| is_outside(place));
    }
}

/// Limit of places that are tracked.
const MAX_OBJECTS: usize = 1 << 18;

impl Order {
    /// Called for an atomic, strong or volatile access: acquires what was released at its place, and releases there
    /// what its threads may release. `outside`: the places in global memory.
    #[inline(always)]
    pub fn strong(&mut self, event: &Event, shape: &Shape, outside: Option<&mut Objects>, now: u32) {
        let orders = event.role.release || event.role.acquire;
        let mut outside = outside;
        let objects = outside.as_deref_mut().unwrap_or(&mut self.objects);
        if event.role.returns || !objects.last_atomics.is_empty() {
            objects.note_last_atomic(event, shape, self.block);
        }
        let none = objects.places.is_empty();
        if none && !orders && !self.has_clocks && !self.signals {
            return;
        }
        if self.signals {
            let mut inside = std::mem::take(&mut self.objects);
            self.signal(event, shape, outside.as_deref_mut().unwrap_or(&mut inside), now);
            self.objects = inside;
        }
        self.synchronise(event, shape, outside, now);
    }

    /// Passes on, by a strong access, what threads had done before earlier ones at its place, and before it.
    #[inline(never)]
    fn signal(&mut self, event: &Event, shape: &Shape, objects: &mut Objects, now: u32) {
        for lane in lanes_of(event.mask) {
            let place = event.first.wrapping_add(shape.offsets[lane]) / 4;
            // In shared memory, a thread also learns from a volatile value that it only tests.
            let tests =
                event.place == MemorySpace::Shared && event.kind == AccessKind::Read && !event.role.data;
            let waits = event.kind == AccessKind::Atomic || event.role.acquire || event.role.polls || tests;
            if waits && let Some(signalled) = objects.signals.get(&place) {
                self.of_warp(event.warp)[lane].signalled.join(signalled);
            }
            if event.kind == AccessKind::Read {
                continue;
            }
            let thread = event.warp * LANES as u32 + lane as u32;
            let parts = [(MANY_IN_WARP | event.warp, self.warp_start[event.warp as usize]), (thread, now)];
            let past = Clock::of(self.block, Progress::of(self.block_start, &parts));
            let full = objects.signals.len() >= MAX_OBJECTS;
            match objects.signals.get_mut(&place) {
                Some(signalled) if event.kind == AccessKind::Atomic => signalled.join(&past),
                Some(signalled) => *signalled = past,
                None if full => {}
                None => drop(objects.signals.insert(place, past)),
            }
        }
    }

    #[inline(never)]
    fn synchronise(&mut self, event: &Event, shape: &Shape, outside: Option<&mut Objects>, now: u32) {
        let mut inside = std::mem::take(&mut self.objects);
        let objects = outside.unwrap_or(&mut inside);
        let grid_barrier = objects.grid_barrier.filter(|its| event.base == its.base);
        for lane in lanes_of(event.mask) {
            let place = event.first.wrapping_add(shape.offsets[lane]) / 4;
            let full = objects.places.len() >= MAX_OBJECTS;
            let mut object = objects.places.get_mut(&place);
            if event.kind != AccessKind::Write
                && let Some(object) = &mut object
            {
                object.acquired = Some((self.block, now));
                // A block that is seen to arrive for the next phase has passed this one: what it does until then may as well
                // come later.
                let passed = (grid_barrier.is_some() && event.kind == AccessKind::Read)
                    .then(|| Object { device: object.passed.clone(), ..Object::default() });
                self.acquire_from(event, lane, passed.as_ref().unwrap_or(object), now);
            }
            if event.kind == AccessKind::Read {
                continue;
            }
            let released = self.release_from(event, lane, now);
            match object {
                Some(object) if event.kind == AccessKind::Atomic => object.add(released),
                // A store replaces what was released at the place; an atomic adds to it.
                Some(_) if released.is_empty() => drop(objects.places.remove(&place)),
                Some(object) => {
                    *object = Object::default();
                    object.add(released);
                }
                None if released.is_empty() => {}
                None if full => objects.lost = true,
                None => objects.places.entry(place).or_default().add(released),
            }
        }
        if let Some(barrier) = grid_barrier.filter(|_| event.kind == AccessKind::Atomic)
            && let Some(object) = objects.places.get_mut(&(event.first / 4))
        {
            object.arrivals += 1;
            if object.arrivals.is_multiple_of(barrier.blocks) {
                object.passed = object.device.clone();
            }
        }
        let lost = objects.lost;
        self.objects = inside;
        self.objects.lost |= lost;
    }

    /// Returns whether a strong write at `then` to this very place, of `bytes` bytes, was read by this block, and
    /// what it released has been acquired since: then a plain access to the place happens after it, too.
    #[inline(never)]
    pub fn was_acquired(&self, outside: Option<&Objects>, place: u64, bytes: u32, then: u32) -> bool {
        let objects = outside.unwrap_or(&self.objects);
        (0..(bytes as u64).div_ceil(4)).any(|word| {
            let object = objects.places.get(&(place / 4).wrapping_sub(word));
            object
                .and_then(|object| object.acquired)
                .is_some_and(|(block, when)| block == self.block && when >= then && self.last_acquired > when)
        })
    }

    /// Returns whether the last atomic at a place was the thread's own. What it writes there now comes after all
    /// other atomics: a place has a single modification order, in which every atomic has its position.
    #[inline(never)]
    pub fn wrote_last_atomic(&self, outside: Option<&Objects>, place: u64, bytes: u32, thread: u32) -> bool {
        let objects = outside.unwrap_or(&self.objects);
        (0..u64::from(bytes).div_ceil(4)).any(|word| {
            objects.last_atomics.get(&(place / 4).wrapping_sub(word)) == Some(&(self.block, thread))
        })
    }

    fn acquire_from(&mut self, event: &Event, lane: usize, object: &Object, now: u32) {
        let same_block = object.block == self.block;
        let clocks = &mut self.of_warp(event.warp)[lane];
        clocks.observed.join(&object.device);
        if same_block {
            clocks.observed_block.join(&object.within);
        }
        clocks.observed_narrowly.join(&object.narrow);
        if event.role.acquire {
            let mut acquired = std::mem::take(clocks);
            self.acquire_observed(&mut acquired, event.role.block_only, now);
            self.of_warp(event.warp)[lane] = acquired;
        }
    }

    /// Returns what a thread's strong write releases.
    fn release_from(&mut self, event: &Event, lane: usize, now: u32) -> ReleasedClocks {
        let thread = event.warp * 32 + lane as u32;
        if event.role.release {
            // Acts like a fence before the write.
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
            self.is_narrow = true;
        }
        ReleasedClocks { block: self.block, device, within, is_narrow: self.is_narrow }
    }
}
