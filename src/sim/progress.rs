//! The progress of a launch, to be read by another thread while it runs.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The progress of the running launch, in blocks: see [`Options::progress`](crate::Options::progress).
///
/// ```
/// use gpulearn_sim::Progress;
///
/// let progress = Progress::default();
/// assert_eq!(progress.look().launch, 0);
/// ```
#[derive(Debug, Default)]
pub struct Progress {
    launch: AtomicU64,
    kernel: AtomicU32,
    blocks: AtomicU64,
    done: AtomicU64,
    host_threads: AtomicU32,
    pc: AtomicU32,
}

/// The state of [`Progress`] at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// Number of launches begun so far. A launch that is run again, in order, counts again.
    pub launch: u64,
    /// Number of the kernel in its module.
    pub kernel: u32,
    /// The number of blocks of the launch, and of those that have ended.
    pub blocks: u64,
    pub done: u64,
    /// How many host threads run them.
    pub host_threads: u32,
    /// The instruction that a block which has run for long was last seen at; `None` if there is no such block yet.
    pub pc: Option<u32>,
}

/// A pc that no instruction has.
const NOWHERE: u32 = u32::MAX;

impl Progress {
    pub(crate) fn begin(&self, kernel: u32, blocks: u64, host_threads: u32) {
        self.kernel.store(kernel, Relaxed);
        self.blocks.store(blocks, Relaxed);
        self.done.store(0, Relaxed);
        self.host_threads.store(host_threads, Relaxed);
        self.pc.store(NOWHERE, Relaxed);
        self.launch.fetch_add(1, Relaxed);
    }

    pub(crate) fn blocks_ended(&self, blocks: u64) {
        self.done.fetch_add(blocks, Relaxed);
    }

    pub(crate) fn seen_at(&self, pc: u32) {
        self.pc.store(pc, Relaxed);
    }

    /// Returns the present state. Between two launches the values may be a mixture of both.
    pub fn look(&self) -> Stage {
        Stage {
            launch: self.launch.load(Relaxed),
            kernel: self.kernel.load(Relaxed),
            blocks: self.blocks.load(Relaxed),
            done: self.done.load(Relaxed),
            host_threads: self.host_threads.load(Relaxed),
            pc: Some(self.pc.load(Relaxed)).filter(|&pc| pc != NOWHERE),
        }
    }
}
