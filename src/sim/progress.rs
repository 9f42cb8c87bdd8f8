//! How far a launch has come, for another thread to look at while it runs.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Blocks of the launch in progress: [`Options::progress`](crate::Options::progress).
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
}

/// What [`Progress`] shows at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// Counts the launches that began; 0 where none did. One that is run again, in order, counts again.
    pub launch: u64,
    /// Number of the kernel in its module.
    pub kernel: u32,
    /// Blocks that it runs, and those that ended.
    pub blocks: u64,
    pub done: u64,
}

impl Progress {
    pub(crate) fn begin(&self, kernel: u32, blocks: u64) {
        self.kernel.store(kernel, Relaxed);
        self.blocks.store(blocks, Relaxed);
        self.done.store(0, Relaxed);
        self.launch.fetch_add(1, Relaxed);
    }

    pub(crate) fn block_ended(&self) {
        self.done.fetch_add(1, Relaxed);
    }

    /// Where it is now. Between two launches the numbers may be of both.
    pub fn look(&self) -> Stage {
        Stage {
            launch: self.launch.load(Relaxed),
            kernel: self.kernel.load(Relaxed),
            blocks: self.blocks.load(Relaxed),
            done: self.done.load(Relaxed),
        }
    }
}
