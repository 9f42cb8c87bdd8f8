//! Decoded warpgroup instructions (`wgmma`).

use super::matrix::{A_REGISTERS, GroupMultiply};

/// An instruction that the warps of a warpgroup execute together, each for its own part.
#[derive(Clone, Debug)]
pub enum WgmmaOp {
    /// Orders earlier accesses to registers before their use by products.
    Fence,
    /// Closes the group of the products since the last commit.
    Commit,
    /// Waits for all groups but the given number of the most recent ones.
    Wait(u32),
    /// Adds A·B to the accumulators `sums`, or overwrites them where `add` is false.
    Multiply {
        op: Box<GroupMultiply>,
        sums: Vec<u32>,
        a: WgmmaOperand,
        /// 64-bit register with B's descriptor.
        b: u32,
        /// Predicate register: whether to add to the accumulators.
        add: u32,
        unfenced: Unfenced,
    },
}

/// Whether a product may use registers without the `wgmma.fence` that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unfenced {
    No,
    /// On some path, the registers were changed since the last fence.
    Changed,
    /// On some path, there was no fence.
    First,
}

/// The location of operand A.
#[derive(Clone, Copy, Debug)]
pub enum WgmmaOperand {
    Registers([u32; A_REGISTERS]),
    /// 64-bit register with its descriptor.
    Shared(u32),
}
