//! Interleaved execution: blocks alternate after a few basic blocks each. A turn may also end after an access that
//! other blocks can see, or after a read of memory that kernels write: another block may then write between that
//! read and its use. So a communication between blocks is observed half-way, as on a GPU, whereas a block that
//! runs to its end has completed all its writes before the next one reads.
//!
//! Which block runs, and for how long, is drawn from a seed: the same seed gives the same turns.

use crate::random::SplitMix64;

/// The longest turn of a warp in basic blocks, as a power of two.
const LONGEST_POWER: usize = 6;

/// Draws the turns of a launch.
#[derive(Debug)]
pub struct Interleaving(SplitMix64);

impl Interleaving {
    pub fn new(seed: u64) -> Interleaving {
        Interleaving(SplitMix64(seed))
    }

    /// Draws the number of basic blocks that a warp may run: short turns are as likely as long ones.
    pub fn basic_blocks(&mut self) -> u32 {
        1 << self.0.below(LONGEST_POWER + 1)
    }

    /// Draws whether a turn ends after an access that other blocks can see.
    pub fn ends(&mut self) -> bool {
        self.0.below(2) == 0
    }

    /// Draws which of `count` blocks runs next.
    pub fn next_of(&mut self, count: usize) -> usize {
        self.0.below(count)
    }
}
