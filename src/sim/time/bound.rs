//! What a kernel's time goes to.

/// What keeps a kernel from being faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// Instructions a cycle.
    Issue,
    /// An arithmetic pipe.
    Pipe,
    Matrix,
    /// Passes over the banks of shared memory.
    Shared,
    L1,
    L2,
    /// Bytes of device memory.
    Memory,
    /// Atomics that go one after the other.
    Atomic,
    /// Waiting: too few warps to hide latency.
    Latency,
    /// Starting blocks.
    Blocks,
    /// Starting and ending the kernel.
    Launch,
}

impl Bound {
    /// In words, after "bound by".
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
