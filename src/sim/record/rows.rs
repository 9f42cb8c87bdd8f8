//! The memories of a block as rows of 32 words: a register of all lanes, a word of local memory of all lanes, or 32
//! words of shared or global memory that follow each other.

use crate::lanes::LANES;

/// 32 words, and which of their bytes were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub words: [u32; LANES],
    /// For each byte of a word, the words in which it was written. Registers use the first alone, by lanes; a
    /// predicate is one word, its first, of a bit a lane.
    pub written: [u32; 4],
}

impl Row {
    pub const EMPTY: Row = Row { words: [0; LANES], written: [0; 4] };
}

/// Which rows are what.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// By warp.
    pub registers: Vec<Files>,
    /// By warp: for each word of local memory, its row.
    pub local: Vec<Vec<u32>>,
    /// The first row of shared memory.
    pub shared: u32,
}

/// For each register of a file, its row; a 64-bit one has a second behind it, with its high halves.
#[derive(Clone, Debug, Default)]
pub struct Files {
    pub r32: Vec<u32>,
    pub r64: Vec<u32>,
    pub preds: Vec<u32>,
}
