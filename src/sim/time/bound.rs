//! What limits a kernel's speed.

/// The resource or delay that keeps a kernel from being faster. Each multiprocessor has its own of the resources before
/// `L2`; the others belong to the whole GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bound {
    /// Issue slots of the warp schedulers.
    Issue,
    /// The busiest arithmetic pipe.
    Pipe,
    /// The matrix units (tensor cores).
    Matrix,
    /// Bandwidth of shared memory, in wavefronts.
    Shared,
    /// Bandwidth of the first-level caches.
    L1,
    /// Bandwidth of the second-level cache.
    L2,
    /// Bandwidth of device memory.
    Memory,
    /// Serialised atomic operations.
    Atomic,
    /// The rate at which blocks can start.
    Blocks,
    /// Latency: too few warps to hide it.
    Latency,
    /// The fixed time to start and end a kernel.
    Launch,
}

impl Bound {
    /// The resources that blocks compete for, in the order of their numbers.
    pub const RESOURCES: [Bound; 9] = [
        Bound::Issue,
        Bound::Pipe,
        Bound::Matrix,
        Bound::Shared,
        Bound::L1,
        Bound::L2,
        Bound::Memory,
        Bound::Atomic,
        Bound::Blocks,
    ];

    /// Returns whether every multiprocessor has its own.
    pub fn of_multiprocessor(self) -> bool {
        self < Bound::L2
    }

    /// Returns the name as it reads after "bound by".
    pub fn name(self) -> &'static str {
        match self {
            Bound::Issue => "instruction issue",
            Bound::Pipe => "an arithmetic pipe",
            Bound::Matrix => "the matrix units",
            Bound::Shared => "shared memory",
            Bound::L1 => "the L1 cache",
            Bound::L2 => "the L2 cache",
            Bound::Memory => "memory bandwidth",
            Bound::Atomic => "atomics",
            Bound::Latency => "latency",
            Bound::Blocks => "the start of blocks",
            Bound::Launch => "launch overhead",
        }
    }
}
