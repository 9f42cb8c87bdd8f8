//! Blocks that take turns: a few basic blocks of code each, and a turn may end behind an access that others
//! can see, or behind a read of what kernels write: another may write between that and what is made of it.
//! What one block tells the others is then met halfway, as on a GPU, where a block that runs to its end has
//! told all before the next one looks.
//!
//! Who goes on, and for how long, is drawn from a seed: the same seed, the same turns.

use crate::random::SplitMix64;

/// The longest turn of a warp, as a power of two: basic blocks of code.
const LONGEST_POWER: usize = 6;

/// Draws the turns of a launch.
#[derive(Debug)]
pub struct Interleaving(SplitMix64);

impl Interleaving {
    pub fn new(seed: u64) -> Interleaving {
        Interleaving(SplitMix64(seed))
    }

    /// Basic blocks of code that a warp may run: short turns are as likely as long ones.
    pub fn basic_blocks(&mut self) -> u32 {
        1 << self.0.below(LONGEST_POWER + 1)
    }

    /// Whether a turn ends behind an access that others can see.
    pub fn ends(&mut self) -> bool {
        self.0.below(2) == 0
    }

    /// Which of `count` blocks has the next turn.
    pub fn next_of(&mut self, count: usize) -> usize {
        self.0.below(count)
    }
}
