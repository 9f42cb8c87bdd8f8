//! Blocks that take turns: a few basic blocks of code each, and a turn may end behind an access that others
//! can see, or behind a read of what kernels write: another may write between that and what is made of it.
//! What one block tells the others is then met halfway, as on a GPU, where a block that runs to its end has
//! told all before the next one looks.
//!
//! Who goes on, and for how long, is drawn from the launch's schedule: the same schedule, the same turns.

/// The longest turn of a warp, as a power of two: basic blocks of code.
const LONGEST_POWER: u64 = 6;

/// Draws the turns of a launch.
#[derive(Debug)]
pub struct Interleaving(u64);

impl Interleaving {
    pub fn new(schedule: u64) -> Interleaving {
        Interleaving(schedule)
    }

    /// A number in 0..`below`, which is not 0. SplitMix64 (Steele, Lea and Flood, 2014).
    fn draw(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ x >> 31) % below.max(1)
    }

    /// Basic blocks of code that a warp may run: short turns are as likely as long ones.
    pub fn basic_blocks(&mut self) -> u32 {
        1 << self.draw(LONGEST_POWER + 1)
    }

    /// Whether a turn ends behind an access that others can see.
    pub fn ends(&mut self) -> bool {
        self.draw(2) == 0
    }

    /// Which of `count` blocks has the next turn.
    pub fn next_of(&mut self, count: usize) -> usize {
        self.draw(count as u64) as usize
    }
}
