//! The input and the result of a launch.

use super::advice::AdviceReport;
use super::counts::Counts;
use super::finding::Finding;
use super::kernel_code::KernelEmitter;
use super::launch_limit::LaunchLimit;
use super::memory::Address;
use super::memory::bytes::ByteSet;
use super::memory::global::POISON_WORD;
use super::progress::Progress;
use super::record::{RecordRequest, Recording};
use crate::cuda_error::CudaError;
pub use crate::dim3::Dim3;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The execution configuration of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LaunchConfig {
    /// Extent of the grid in blocks.
    pub grid: Dim3,
    /// Extent of a block in threads.
    pub block: Dim3,
    pub dynamic_shared_bytes: u32,
}

impl LaunchConfig {
    /// Returns whether the program has computed nothing that some extent would be.
    pub fn has_no_value(&self) -> bool {
        [self.grid, self.block].iter().any(|extent| [extent.x, extent.y, extent.z].contains(&POISON_WORD))
    }
}

/// A kernel argument: the bytes of the parameter, little-endian, in its own size.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Arg(pub Vec<u8>);

macro_rules! arg_from {
    ($($t:ty),*) => { $(impl From<$t> for Arg {
        fn from(value: $t) -> Arg { Arg(value.to_le_bytes().to_vec()) }
    })* };
}
arg_from!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);

impl From<super::memory::Address> for Arg {
    fn from(address: super::memory::Address) -> Arg {
        address.0.into()
    }
}

/// The order in which the blocks of a grid and the warps of a block run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutionOrder {
    /// The lowest index first, each as far as it can run.
    #[default]
    ByNumber,
    /// The highest index first.
    Reversed,
    /// One of many orders, drawn from a seed.
    Drawn(u64),
    /// As [`ExecutionOrder::Drawn`], but resident blocks alternate after a few instructions, so that a
    /// communication between them is observed half-way. The counts of such a run say nothing about the kernel.
    Interleaved(u64),
}

/// How a launch is to be run and what is to be reported.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of host threads that run blocks; the result does not depend on it.
    pub host_threads: usize,
    /// Threads of the grid per host thread: for fewer, another host thread is not worth its cost.
    pub threads_per_host_thread: u64,
    /// Warp instructions of one block after which it is taken to run for ever, unless `most_steps` allows more.
    pub step_budget: u64,
    /// Warp instructions of one block after which a launch is ended, unless it is known before to run for ever:
    /// its outcome is then [`Outcome::BlockBudgetSpent`]. 0: `step_budget` is the only limit.
    pub most_steps: u64,
    /// Warp instructions of all blocks together after which a launch is ended: its outcome is then
    /// [`Outcome::LaunchBudgetSpent`].
    pub launch_budget: u64,
    /// Bytes of `printf` output that are kept; further output is dropped.
    pub output_limit_bytes: usize,
    /// Whether to look for defects (races, uninitialised reads); bounds are always checked.
    pub checks: bool,
    /// Whether to give advice on possible improvements; implies checks and counts.
    pub advice: bool,
    /// Whether to give advice on differences of nearly equal floats too.
    pub strict_floats: bool,
    /// The block to record, if any; implies checks and counts.
    pub record: Option<RecordRequest>,
    /// Whether to report every byte of global memory that was touched.
    pub touched: bool,
    /// The order in which blocks and warps run. If the order by number has findings, these are reported whatever
    /// the order.
    pub order: ExecutionOrder,
    /// Most blocks resident on the GPU at once: others begin when one ends. Ignored for cooperative launches.
    pub most_resident: usize,
    /// Only one block of so many runs (or one cluster of so many), drawn from each such stretch of the grid; 0 and
    /// 1: all. The counts are those of the blocks that ran, and the others' writes are missing. All blocks run in
    /// cooperative launches, and of kernels that read what other blocks write meanwhile.
    pub sample_every: u64,
    /// Receives the progress of the launch.
    pub progress: Option<Arc<Progress>>,
    /// Once it is true, the launch ends soon, with what it has found until then: its outcome is [`Outcome::Stopped`].
    pub stop: Option<Arc<AtomicBool>>,
    /// Compiles frequently executed code to machine code, where checks are on. The result does not depend on it.
    pub emitter: Option<Arc<dyn KernelEmitter>>,
    /// Warp instructions of a kernel, over all its launches, from which on it is compiled.
    pub compile_after: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            host_threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
            threads_per_host_thread: 4096,
            step_budget: 50_000_000,
            most_steps: 0,
            launch_budget: u64::MAX,
            output_limit_bytes: 1 << 20,
            checks: true,
            advice: false,
            strict_floats: false,
            record: None,
            touched: false,
            order: ExecutionOrder::ByNumber,
            most_resident: 1024,
            sample_every: 1,
            progress: None,
            stop: None,
            emitter: None,
            compile_after: 200_000,
        }
    }
}

/// How a launch ended that had begun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Every thread returned.
    #[default]
    Completed,
    /// A finding ended it (trap, assertion, deadlock, endless loop), or it was stopped because of its findings or by
    /// [`Options::stop`].
    Stopped,
    /// Stopped at [`Options::most_steps`]; the line that the block was at.
    BlockBudgetSpent { line: Option<super::finding::SourceLocation> },
    /// Stopped at [`Options::launch_budget`]; a line of the code that executed the most warp instructions.
    LaunchBudgetSpent { line: Option<super::finding::SourceLocation> },
    /// A function was called that is declared but not defined; its name in the PTX.
    UndefinedFunction { name: String, line: Option<super::finding::SourceLocation> },
    /// The kernel needs something that the simulator does not support; never the learner's fault.
    Unsupported { what: String, line: Option<super::finding::SourceLocation> },
}

/// The result of a launch.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub outcome: Outcome,
    /// Ordered by kind, then by place in the code; the same on any number of host threads.
    pub findings: Vec<Finding>,
    /// The counts of the blocks that ran: all blocks, unless [`Options::sample_every`] says otherwise.
    pub counts: Counts,
    /// The kernel's `printf` output, in block order.
    pub output: Vec<u8>,
    /// Whether there was more output than [`Options::output_limit_bytes`].
    pub output_cut: bool,
    /// The bytes touched in each buffer, by address; empty unless [`Options::touched`] is set.
    pub touched: Vec<TouchedBuffer>,
    /// Advice; empty unless [`Options::advice`] is set.
    pub advice: AdviceReport,
    /// The memory that an endless loop (S001) polled: memory of a GPU that work in another stream may change
    /// meanwhile.
    pub polled: Vec<PolledMemory>,
    /// The recording of the block that [`Options::record`] names, if it ran.
    pub recording: Option<Box<Recording>>,
}

/// A range of memory that a thread polls, within one buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolledMemory {
    pub first: Address,
    pub bytes: u64,
    /// The source line of the polling access.
    pub line: Option<super::finding::SourceLocation>,
}

/// The bytes of a buffer that a launch touched, as offsets from its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedBuffer {
    pub base: Address,
    /// Bytes loaded.
    pub reads: ByteSet,
    /// Bytes stored.
    pub writes: ByteSet,
    /// Bytes changed by atomics.
    pub atomics: ByteSet,
}

/// The reason why a launch could not begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    /// CUDA refuses what the program requests.
    Refused(LaunchRefusal),
    /// Neither CUDA nor the program is at fault: this machine has too little memory to simulate what the program requests.
    Machine { message: String },
}

/// Why CUDA refuses a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchRefusal {
    /// It exceeds a limit of CUDA.
    Limit(LaunchLimit),
    /// It requests what is not there, or its arguments do not fit: CUDA's error, and what was requested.
    Invalid { error: CudaError, message: String },
}

impl LaunchError {
    pub fn new(error: CudaError, message: String) -> LaunchError {
        LaunchError::Refused(LaunchRefusal::Invalid { error, message })
    }

    /// Returns CUDA's error; `None` if this machine lacks something.
    pub fn error(&self) -> Option<CudaError> {
        match self {
            LaunchError::Refused(refusal) => Some(refusal.error()),
            LaunchError::Machine { .. } => None,
        }
    }
}

impl LaunchRefusal {
    /// Returns CUDA's error.
    pub fn error(&self) -> CudaError {
        match self {
            LaunchRefusal::Limit(limit) => limit.error(),
            LaunchRefusal::Invalid { error, .. } => *error,
        }
    }
}

impl From<LaunchLimit> for LaunchError {
    fn from(limit: LaunchLimit) -> LaunchError {
        LaunchError::Refused(LaunchRefusal::Limit(limit))
    }
}

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LaunchError::Refused(refusal) => refusal.fmt(f),
            LaunchError::Machine { message } => write!(f, "this machine has too little memory: {message}"),
        }
    }
}

impl std::fmt::Display for LaunchRefusal {
    /// Begins with CUDA's name for the error, such as `cudaErrorInvalidConfiguration`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.error().name();
        match self {
            LaunchRefusal::Limit(limit) => write!(f, "{name}: {limit:?}"),
            LaunchRefusal::Invalid { message, .. } => write!(f, "{name}: {message}"),
        }
    }
}

impl std::error::Error for LaunchError {}
