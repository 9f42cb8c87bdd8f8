//! Code for a path: what the warps of nearly all blocks execute, from the kernel's first instruction to its end.
//!
//! Where threads differ in their data only, as in most kernels that compute one element per thread or that exchange values
//! through shared memory, all blocks execute the same basic blocks for the same lanes. Entering code for each warp between
//! two barriers, and checking each of its accesses, takes longer than the accesses themselves. The code of a path therefore
//! runs a whole block, and an access to global memory is checked once for the block. Which elements of shared memory the
//! threads access is the same in every block, so that these accesses are checked once for all blocks.

use super::{InlineAccess, KernelRegion};
use crate::lanes::{Lanes32, Lanes64};
use std::any::Any;
use std::collections::BTreeSet;
use std::ops::Range;

/// A path through a kernel that all threads of a block may follow.
#[derive(Debug)]
pub struct KernelPath {
    /// The basic blocks that are executed, each once; and what may be assumed about registers that never change during a
    /// launch. There are no divergences.
    pub region: KernelRegion,
    /// What is executed before the first barrier, between two, and after the last.
    pub phases: Vec<PathPhase>,
    /// The numbers of comparisons whose results may differ among the lanes of a warp.
    pub diverging: BTreeSet<u32>,
}

/// What the warps of a block execute up to a barrier or to their end, in any order.
pub type PathPhase = Vec<PathPart>;

/// What consecutive warps of a block execute in a phase.
#[derive(Clone, Debug)]
pub struct PathPart {
    pub warps: Range<usize>,
    pub steps: Vec<PathStep>,
}

/// A basic block that is executed by some lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// Index in [`KernelRegion::blocks`].
    pub block: usize,
    pub mask: u32,
    /// What the lanes' branch at the end of the block depends on.
    pub branch: PathBranch,
}

/// The branch at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathBranch {
    /// There is none, or it is the same in every block.
    Known,
    /// All lanes must take it, or none of them; otherwise the block does not follow the path.
    Taken,
    NotTaken,
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
    /// The register files of the block's warps. The code writes no registers but those of the kernel's frame.
    pub files: *const WarpFiles,
    /// The words of the block's shared memory.
    pub shared: *mut u32,
    /// For each of the accesses to global memory, in the order of [`PathCode::accesses`], one address for each of the part's
    /// warps.
    pub addresses: *mut u64,
    /// For each of these accesses, the distance from an address to where that memory is on the host.
    pub distances: *const u64,
}

/// A function of a path.
pub type RunPath = unsafe extern "C" fn(context: *const PathContext) -> u32;

/// The code of a path.
#[derive(Debug)]
pub struct PathCode {
    pub(crate) probe: RunPath,
    pub(crate) perform: RunPath,
    /// The path's accesses, in the order of its phases, parts, steps and instructions: each of words.
    pub(crate) accesses: Vec<InlineAccess>,
    /// The numbers of the instructions at which `probe` may find that a block does not follow the path.
    pub(crate) checks: BTreeSet<u32>,
    /// Owns the memory that holds the code.
    _memory: Box<dyn Any + Send + Sync>,
}

impl PathCode {
    /// Creates code that lives as long as `memory` does.
    ///
    /// # Safety
    /// Until `memory` is dropped, both functions may be called with a context for warps whose registers match the path's
    /// assumptions ([`KernelRegion::assumptions`]) and that has room for the addresses, and for every access to shared memory
    /// that the path leads to.
    ///
    /// `probe` returns 1 if the block follows the path, and stores the addresses that the first active lanes access; otherwise
    /// it returns 0. It writes no other memory but registers. `perform` may be called if the block follows the path and the
    /// addresses are those that `probe` stores for it; it then executes the block. It touches what the lanes' offsets
    /// ([`InlineAccess::offsets`]) lead to from these addresses, and shared memory.
    ///
    /// What `probe` finds follows from the values with which the instructions in `checks` compute: if no lane's wraps around or
    /// compares in another way than in a block that follows the path, the block follows it, too.
    pub unsafe fn new(
        (probe, perform): (RunPath, RunPath),
        accesses: Vec<InlineAccess>,
        checks: BTreeSet<u32>,
        memory: Box<dyn Any + Send + Sync>,
    ) -> PathCode {
        PathCode { probe, perform, accesses, checks, _memory: memory }
    }
}
