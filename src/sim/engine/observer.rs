//! The seam between running and judging: the engine raises events, observers look at them.
//!
//! An observer belongs to one block at a time and is used again for the next one. Observers are
//! composed statically as pairs; `()` sees nothing and costs nothing.

use super::findings::FindingLog;
use crate::sim::code::Code;
use crate::sim::counts::Counts;
use crate::sim::finding::AccessKind;
use crate::sim::memory::shape::Shape;

/// Where an access went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Global,
    Shared,
    Local,
    Constant,
}

/// One warp-level access, all of it inside one place.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub pc: u32,
    /// Warp within the block.
    pub warp: u32,
    /// Lanes that access.
    pub mask: u32,
    pub kind: AccessKind,
    pub place: Place,
    /// Address of the first active lane: device address (global), or byte offset in the space.
    pub first: u64,
    /// Bytes a lane.
    pub width: u32,
    /// Stores: two lanes wrote different values to the same bytes.
    pub clash: bool,
    /// Atomics, and `.relaxed`, `.acquire`, `.release` loads and stores: they do not race with each
    /// other.
    pub strong: bool,
    /// Volatile or strong: it may read what another thread means it to see.
    pub watching: bool,
    /// Part of an access that was raised before in other pieces: not a request of its own.
    pub continued: bool,
}

pub trait Observer: Default + Send {
    /// A block begins: its warps, bytes of shared memory, and the smallest shared access in bytes.
    fn begin(&mut self, warps: usize, shared_bytes: u64, granule: u32);
    fn access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog);
    /// All threads of the block passed a barrier.
    fn barrier(&mut self);
    /// Lanes of a warp passed `__syncwarp()`.
    fn warp_sync(&mut self, warp: u32);
    /// A thread of the warp executed a memory fence.
    fn fence(&mut self, warp: u32, mask: u32);
    /// The block ended.
    fn end(&mut self);
    /// Adds what was counted since the beginning.
    fn report(&self, code: &Code, counts: &mut Counts);
}

impl Observer for () {
    fn begin(&mut self, _: usize, _: u64, _: u32) {}
    #[inline(always)]
    fn access(&mut self, _: &Event, _: &mut Shape, _: &mut FindingLog) {}
    fn barrier(&mut self) {}
    fn warp_sync(&mut self, _: u32) {}
    fn fence(&mut self, _: u32, _: u32) {}
    fn end(&mut self) {}
    fn report(&self, _: &Code, _: &mut Counts) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn begin(&mut self, warps: usize, shared_bytes: u64, granule: u32) {
        self.0.begin(warps, shared_bytes, granule);
        self.1.begin(warps, shared_bytes, granule);
    }
    #[inline(always)]
    fn access(&mut self, event: &Event, shape: &mut Shape, findings: &mut FindingLog) {
        self.0.access(event, shape, findings);
        self.1.access(event, shape, findings);
    }
    fn barrier(&mut self) {
        self.0.barrier();
        self.1.barrier();
    }
    fn warp_sync(&mut self, warp: u32) {
        self.0.warp_sync(warp);
        self.1.warp_sync(warp);
    }
    fn fence(&mut self, warp: u32, mask: u32) {
        self.0.fence(warp, mask);
        self.1.fence(warp, mask);
    }
    fn end(&mut self) {
        self.0.end();
        self.1.end();
    }
    fn report(&self, code: &Code, counts: &mut Counts) {
        self.0.report(code, counts);
        self.1.report(code, counts);
    }
}
