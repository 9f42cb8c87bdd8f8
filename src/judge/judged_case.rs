//! The case that a result is about.

use crate::course::Case;
use std::fmt;

/// A case of a lesson, and how it was run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedCase {
    /// Index in the lesson.
    pub index: usize,
    pub case: Case,
    /// How the run differs from the usual one, in which blocks run one after the other by number.
    pub rerun: Option<Rerun>,
}

/// Another run of a case whose first one was right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rerun {
    /// The blocks run in this order.
    Reordered(BlockOrder),
    /// The same again, on a GPU.
    Repeated,
}

/// The order in which blocks run, where that is not one after the other by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockOrder {
    /// One after the other, in a different order.
    Other,
    /// In turns, a few instructions of each at a time.
    Turns,
}

impl JudgedCase {
    /// Creates the usual run of a case.
    pub fn new(index: usize, case: &Case) -> JudgedCase {
        JudgedCase { index, case: case.clone(), rerun: None }
    }

    pub fn reordered(self, order: BlockOrder) -> JudgedCase {
        JudgedCase { rerun: Some(Rerun::Reordered(order)), ..self }
    }

    pub fn repeated(self) -> JudgedCase {
        JudgedCase { rerun: Some(Rerun::Repeated), ..self }
    }

    /// Returns the order of the blocks, where it is not the usual one.
    pub fn order(&self) -> Option<BlockOrder> {
        match self.rerun? {
            Rerun::Reordered(order) => Some(order),
            Rerun::Repeated => None,
        }
    }
}

impl fmt::Display for JudgedCase {
    /// Formats the case's numbers, and how it was run: `n = 8, with the blocks taking turns`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.case.fmt(f)?;
        f.write_str(match self.rerun {
            None => "",
            Some(Rerun::Reordered(BlockOrder::Other)) => ", with the blocks in another order",
            Some(Rerun::Reordered(BlockOrder::Turns)) => ", with the blocks taking turns",
            Some(Rerun::Repeated) => ", run again",
        })
    }
}
