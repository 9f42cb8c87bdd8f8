//! What this tool lacks to judge code, or to judge it on a GPU.

use super::judged_case::JudgedCase;
use crate::course::ComputeCapability;

/// Why nothing is known of code that may well be right.
#[derive(Clone, Debug, PartialEq)]
pub enum Lack {
    /// What the simulator does not have, by its name.
    Of(String),
    /// A buffer is right on this GPU, but wrong on the simulator in this case.
    Agreement { gpu: String, buffer: String, case: JudgedCase },
    /// Whether a program that creates threads on the host is fast enough.
    TimeOfHostThreads,
}

/// Why the GPU that was asked for is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotOnGpu {
    /// The lesson needs a newer one.
    TooOld { needed: ComputeCapability, gpu: String, capability: (u32, u32) },
    /// The lesson needs more of them.
    TooFew { wanted: usize, there: usize },
    /// What the program prints is compared with a model's figures.
    PrintsModelled,
    /// The compiler made no code for it.
    NoMachineCode { gpu: String },
    /// It failed, as the driver says.
    Failed(String),
}
