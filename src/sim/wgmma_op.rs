//! Decoded instructions of a warpgroup.

use super::matrix::{A_REGISTERS, GroupMultiply};

/// What the warps of a warpgroup do together (`wgmma`), each for itself.
#[derive(Clone, Debug)]
pub enum WgmmaOp {
    /// Orders what was done to registers before what multiplications do with them.
    Fence,
    /// Closes the group of the multiplications since the last one.
    Commit,
    /// Waits for all groups but the last so many.
    Wait(u32),
    /// Adds A·B to the sums, or where `add` is false puts it there.
    Multiply {
        op: Box<GroupMultiply>,
        sums: Vec<u32>,
        a: WgmmaOperand,
        /// 64-bit register with B's descriptor.
        b: u32,
        /// A predicate.
        add: u32,
        unfenced: Unfenced,
    },
}

/// Whether a multiplication may find registers that no `wgmma.fence` has ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unfenced {
    No,
    /// They were changed since the last one, on some way.
    Changed,
    /// There was none, on some way.
    First,
}

/// Where A is.
#[derive(Clone, Copy, Debug)]
pub enum WgmmaOperand {
    Registers([u32; A_REGISTERS]),
    /// 64-bit register with its descriptor.
    Shared(u32),
}
