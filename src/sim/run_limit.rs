//! Limits of a run: they end a program that would take too long or need too much memory.

/// A limit that was reached, and the place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LimitReached {
    /// The line being executed, where it is known.
    pub line: Option<u32>,
    pub limit: RunLimit,
}

/// The limited resource, what was requested, and the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RunLimit {
    /// Global variables and the stack do not fit the host memory.
    HostVariables { most_bytes: u64 },
    /// The program requested more host memory than the limit.
    HostMemory { asked_bytes: u64, most_bytes: u64 },
    /// A null pointer was dereferenced, after host memory was requested (in `asked_line`) and refused.
    RefusedMemory { asked_bytes: u64, asked_line: Option<u32>, most_bytes: u64 },
    /// The program's arguments do not fit the host memory.
    Arguments,
    /// A buffer of the caller, given by name, does not fit the host memory.
    Buffer { name: String },
    /// Nested calls back into the program.
    Callbacks { most: usize },
    /// Instructions of host code; `calls`: includes calls that take as long.
    HostInstructions { most: u64, calls: bool },
    /// Bytes printed and written to files; `to_file`: the last of them went to a file.
    Output { most_bytes: u64, to_file: bool },
    /// Memory allocated from CUDA; `bytes` includes what `call` requests.
    CudaMemory { call: String, bytes: u64, most_bytes: u64 },
    /// Work enqueued in all streams: kernels, copies, graphs and the like.
    EnqueuedWork { most: u64 },
    /// Memory of this machine that backs the memory of the program's GPUs.
    MachineMemory { most_bytes: u64 },
    /// Threads of a launch; `largest`: name and size in bytes of the largest allocation.
    LaunchThreads {
        kernel: String,
        blocks: u128,
        threads_a_block: u64,
        most: u64,
        largest: Option<(String, u64)>,
    },
    /// Warp instructions of all kernels, including the equivalent of copies.
    WarpInstructions { most: u64 },
    /// Warp instructions of one block, and the line it was at.
    BlockInstructions { line: Option<u32>, most: u64 },
}

impl From<RunLimit> for LimitReached {
    fn from(limit: RunLimit) -> LimitReached {
        LimitReached { line: None, limit }
    }
}
