//! Memory spaces of the simulated device.
//!
//! Every space has its window of the 64-bit generic address space. Global buffers lie far apart,
//! so that an index that runs out of one meets nothing, not its neighbour.

pub mod access;
pub mod global;
pub mod local;
pub mod shape;

/// A device address (64-bit, generic).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(pub u64);

/// First address of global buffers.
pub const GLOBAL_WINDOW: u64 = 0x7f00_0000_0000;
/// Generic address of the block's shared memory.
pub const SHARED_WINDOW: u64 = 0x7100_0000_0000;
/// Generic address of the thread's local memory.
pub const LOCAL_WINDOW: u64 = 0x7200_0000_0000;
/// Generic address of the kernel's parameters.
pub const PARAM_WINDOW: u64 = 0x7300_0000_0000;
/// Addresses of functions; each function is one byte.
pub const FUNCTION_WINDOW: u64 = 0x7400_0000_0000;
/// Bytes of each window but the global one.
pub const WINDOW_BYTES: u64 = 1 << 32;
/// Below this an address counts as null plus an index.
pub const NULL_PAGE_BYTES: u64 = 1 << 20;
