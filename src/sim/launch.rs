//! What a launch is asked with and what it answers.

use super::advice::Advised;
use super::counts::Counts;
use super::finding::Finding;
use super::kernel_code::KernelEmitter;
use super::memory::Address;
use super::memory::bytes::ByteSet;
use super::progress::Progress;
use super::record::{RecordRequest, Recording};
use std::sync::Arc;

/// Extent or index in three dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl Dim3 {
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Dim3 { x, y, z }
    }

    /// Product of the three, as an extent.
    pub fn count(self) -> u64 {
        self.x as u64 * self.y as u64 * self.z as u64
    }

    /// Index of the `linear`-th element of an extent, x fastest.
    pub fn at(self, linear: u64) -> Dim3 {
        let (x, y) = (self.x.max(1) as u64, self.y.max(1) as u64);
        Dim3::new((linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32)
    }

    /// The number of an element of an extent, x fastest: what [`Dim3::at`] takes.
    pub fn linear(self, at: Dim3) -> u64 {
        let (x, y) = (u64::from(self.x), u64::from(self.y));
        u64::from(at.x) + x * (u64::from(at.y) + y * u64::from(at.z))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks.
    pub grid: Dim3,
    /// Threads a block.
    pub block: Dim3,
    pub dynamic_shared_bytes: u32,
}

/// A kernel argument: the bytes of the parameter, little-endian, in its own size.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// In which order the blocks of a grid and the warps of a block run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutionOrder {
    /// The lowest number first, each as far as it can.
    #[default]
    ByNumber,
    /// The highest number first.
    Reversed,
    /// One of many orders, drawn from a seed.
    Drawn(u64),
    /// As [`ExecutionOrder::Drawn`], and resident blocks take turns of a few instructions, so that what they write for
    /// each other is met halfway. What is counted then says nothing of the kernel.
    Interleaved(u64),
}

#[derive(Clone, Debug)]
pub struct Options {
    /// Host threads that run blocks; the result does not depend on it.
    pub host_threads: usize,
    /// Threads of the grid for each host thread: fewer are not worth one.
    pub threads_each: u64,
    /// Warp instructions of one block after which it is taken to run for ever, if not more are allowed it.
    pub step_budget: u64,
    /// Warp instructions of one block after which a launch is not gone on with, unless it is known before to run
    /// for ever: its outcome is then [`Outcome::BlockBudgetSpent`]. 0: `step_budget` alone counts.
    pub most_steps: u64,
    /// Warp instructions of all blocks together after which a launch is not gone on with: its outcome is
    /// then [`Outcome::LaunchBudgetSpent`].
    pub launch_budget: u64,
    /// Bytes of printf output kept; the rest is dropped.
    pub output_limit_bytes: usize,
    /// Look for defects (races, uninitialised reads); bounds are always checked.
    pub checks: bool,
    /// Look for what could be better; checks and counts come with it.
    pub advice: bool,
    /// Advice about differences of nearly equal floats too.
    pub strict_floats: bool,
    /// Record a block: checks and counts come with it.
    pub record: Option<RecordRequest>,
    /// Report every byte of global memory that was touched.
    pub touched: bool,
    /// In which order blocks and warps run. Findings are those of the order by numbers wherever that has any.
    pub order: ExecutionOrder,
    /// Blocks that are on the GPU at once, at most: others begin where one ends. Not of cooperative
    /// launches.
    pub most_resident: usize,
    /// One block of so many runs (of clusters, one of so many), drawn from each such stretch of the grid; 0 and 1:
    /// all. What is counted is the work of those, and what the others would have written is not there. All blocks
    /// run of cooperative launches, and of kernels that look at what others write meanwhile.
    pub sample_every: u64,
    /// Where it is said how far a launch has come.
    pub progress: Option<Arc<Progress>>,
    /// Makes machine code of what warps run often, where checks are on. The result does not depend on it.
    pub emitter: Option<Arc<dyn KernelEmitter>>,
    /// Warp instructions of a kernel, in all its launches, from which on it is worth being compiled.
    pub compile_after: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            host_threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
            threads_each: 4096,
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
            emitter: None,
            compile_after: 200_000,
        }
    }
}

/// How a launch that began ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every thread returned.
    Completed,
    /// A finding ended it (trap, assertion, deadlock, endless loop).
    Stopped,
    /// Stopped at its [`Options::most_steps`]; where the block was.
    BlockBudgetSpent { line: Option<super::finding::SourceLocation> },
    /// Stopped at its [`Options::launch_budget`]; where most of its warp instructions were.
    LaunchBudgetSpent { line: Option<super::finding::SourceLocation> },
    /// A function was called that is declared and that no code defines: its name in the PTX.
    UndefinedFunction { name: String, line: Option<super::finding::SourceLocation> },
    /// The simulator lacks something; never the learner's fault.
    Unsupported { what: String, line: Option<super::finding::SourceLocation> },
}

#[derive(Clone, Debug)]
pub struct Report {
    pub outcome: Outcome,
    /// Ordered by code, then place; the same on any number of host threads.
    pub findings: Vec<Finding>,
    /// Of the blocks that ran: all, but for [`Options::sample_every`].
    pub counts: Counts,
    /// What the kernel printed, in block order.
    pub output: Vec<u8>,
    /// There was more than [`Options::output_limit_bytes`].
    pub output_cut: bool,
    /// What was touched of each buffer, by address; empty unless [`Options::touched`] is on.
    pub touched: Vec<TouchedBuffer>,
    /// Empty unless [`Options::advice`] is on.
    pub advice: Advised,
    /// What a loop that did not end (S001) looked at: memory of a GPU that work of another stream may
    /// change meanwhile.
    pub polled: Vec<PolledMemory>,
    /// Of the block that [`Options::record`] names, if it ran.
    pub recording: Option<Box<Recording>>,
}

/// Memory that a thread looks at again and again, as far as it is one buffer's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolledMemory {
    pub first: Address,
    pub bytes: u64,
    /// Where it looks.
    pub line: Option<super::finding::SourceLocation>,
}

/// Bytes of a buffer that a launch touched, by their offset from its start.
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

/// A launch that never began, with the name CUDA gives the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    /// Such as `cudaErrorInvalidConfiguration`.
    pub name: &'static str,
    /// What was asked and which limit was passed.
    pub message: String,
}

impl LaunchError {
    /// The name of what is no error of CUDA's, nor of the program's: there is too little memory to
    /// simulate what it asks for.
    pub const MACHINE: &'static str = "this machine has too little memory";
}

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, self.message)
    }
}

impl std::error::Error for LaunchError {}
