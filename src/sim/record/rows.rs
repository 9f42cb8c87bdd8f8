//! The memories of a block as rows of 32 words: one register of all lanes, one word of local memory of all lanes, or
//! 32 consecutive words of shared or global memory.

use crate::lanes::LANES;

/// 32 words, and which of their bytes have been written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub words: [u32; LANES],
    /// For each of the four bytes of a word, a mask of the words in which that byte was written. Registers use only
    /// the first mask, with a bit per lane; a predicate is stored in the row's first word, with a bit per lane.
    pub written: [u32; 4],
}

/// The row numbers of each register and memory.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Indexed by warp and [`File`](crate::lanes::File): the row of each register. A 64-bit register also has the next
    /// row, which holds its high halves.
    pub registers: Vec<[Vec<u32>; 3]>,
    /// Indexed by warp: the row of each word of local memory.
    pub local: Vec<Vec<u32>>,
    /// The first row of shared memory.
    pub shared: u32,
}
