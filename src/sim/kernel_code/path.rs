//! Code for a path: what every warp of a block executes if no lane leaves it, from the kernel's first instruction to its end.
//!
//! Where a kernel has neither loops nor barriers and its threads differ in their data only, as in most that compute one
//! element per thread, all warps of nearly all blocks follow one path. Entering code for each of them, and checking each
//! of their accesses, takes longer than the accesses themselves. The code of a path therefore runs all warps of a block, and
//! an access is checked once for the block.

use super::{InlineAccess, KernelRegion};
use crate::lanes::{Lanes32, Lanes64};
use std::any::Any;

/// Most warps of a block.
pub const MAX_WARPS: usize = 32;

/// A path through a kernel that all lanes of all warps of a block may follow.
#[derive(Debug)]
pub struct KernelPath {
    /// The path's basic blocks, in the order in which they are executed; none occurs twice. There are no divergences.
    pub region: KernelRegion,
    /// Number of the instruction that ends the path, at which the lanes leave the kernel; it is not part of the path.
    pub end: u32,
}

/// The register files of a warp: see [`KernelContext`](super::KernelContext).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WarpFiles {
    pub r32: *mut Lanes32,
    pub r64: *mut Lanes64,
    pub predicates: *mut u32,
}

/// What the functions of a path work on.
#[derive(Debug)]
#[repr(C)]
pub struct PathContext {
    /// The block's index in the grid, `%ctaid`.
    pub block_index: [u32; 3],
    /// The number of the block's warps, and their register files, which the code only reads.
    pub warps: u32,
    pub files: *const WarpFiles,
    /// For each access of the path and each of [`MAX_WARPS`] warps, an address.
    pub addresses: *mut u64,
}

/// A function of a path.
pub type RunPath = unsafe extern "C" fn(context: *const PathContext) -> u32;

/// The code of a path.
#[derive(Debug)]
pub struct PathCode {
    pub(crate) probe: RunPath,
    pub(crate) perform: RunPath,
    /// The path's accesses to global memory, in order: each by all lanes, of words.
    pub(crate) accesses: Vec<InlineAccess>,
    /// Owns the memory that holds the code.
    _memory: Box<dyn Any + Send + Sync>,
}

impl PathCode {
    /// Creates code that lives as long as `memory` does.
    ///
    /// # Safety
    /// Until `memory` is dropped, both functions may be called with a context for warps whose registers match the path's
    /// assumptions ([`KernelRegion::assumptions`]) and that has room for an address of each access and warp.
    ///
    /// `probe` returns the number of warps, counted from the first one, that follow the path, and stores the address that
    /// the first lane of each of these accesses. It touches no other memory. `perform` may be called if all warps follow
    /// the path, and then executes it for one warp after the other. It takes host addresses from where `probe` stored
    /// those of the device, and touches what the lanes' offsets ([`InlineAccess::offsets`]) lead to from there.
    pub unsafe fn new(
        probe: RunPath,
        perform: RunPath,
        accesses: Vec<InlineAccess>,
        memory: Box<dyn Any + Send + Sync>,
    ) -> PathCode {
        PathCode { probe, perform, accesses, _memory: memory }
    }
}
