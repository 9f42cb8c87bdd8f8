//! The memory spaces of a simulated machine.
//!
//! Every space has its window of the 64-bit generic address space. Buffers of global memory are far apart, so that
//! an index out of bounds meets unused addresses rather than another buffer.

pub mod access;
pub mod by_address;
pub mod bytes;
pub mod global;
pub mod local;
mod resident_pages;
pub mod shape;
pub mod touch;
pub mod transfer;
pub mod zeroed;

/// An address in the machine's single 64-bit generic address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(pub u64);

/// First address of global buffers: device, pinned and managed memory.
pub const GLOBAL_WINDOW: u64 = 0x7f00_0000_0000;
/// One past the last address of global buffers: the end of a 57-bit address space.
pub const GLOBAL_WINDOW_END: u64 = 1 << 57;
/// Generic address of the block's shared memory. CUDA does not specify its low half: it is zero on an H100, so
/// that a pointer truncated to 32 bits is an address in shared memory there, but not on every GPU.
pub const SHARED_WINDOW: u64 = 0x7100_dc00_0000;
/// Generic address of the thread's local memory.
pub const LOCAL_WINDOW: u64 = 0x7200_0000_0000;
/// Generic address of the kernel's parameters.
pub const PARAM_WINDOW: u64 = 0x7300_0000_0000;
/// First address of functions; each function occupies one byte.
pub const FUNCTION_WINDOW: u64 = 0x7400_0000_0000;
/// Size of each window of a kernel's own spaces, in bytes.
pub const WINDOW_BYTES: u64 = 1 << 32;
/// Addresses below this count as a null pointer plus an index.
pub const NULL_PAGE_BYTES: u64 = 1 << 20;

/// First address of the host program's global variables.
pub const HOST_GLOBALS_WINDOW: u64 = 0x5500_0000_0000;
/// First address of the host program's heap.
pub const HOST_HEAP_WINDOW: u64 = 0x5600_0000_0000;
/// First address of the host program's stack.
pub const HOST_STACK_WINDOW: u64 = 0x5700_0000_0000;
/// Size of each window of pageable host memory, in bytes.
pub const HOST_WINDOW_BYTES: u64 = 1 << 40;

/// A part of the host's pageable memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum HostPart {
    Stack,
    Heap,
    Globals,
}

/// The windows of pageable host memory.
const HOST_WINDOWS: [(u64, HostPart); 3] = [
    (HOST_GLOBALS_WINDOW, HostPart::Globals),
    (HOST_HEAP_WINDOW, HostPart::Heap),
    (HOST_STACK_WINDOW, HostPart::Stack),
];

/// Returns the part of pageable host memory that an address is in.
pub fn host_part(address: u64) -> Option<HostPart> {
    let within = |&&(window, _): &&(u64, HostPart)| address.wrapping_sub(window) < HOST_WINDOW_BYTES;
    HOST_WINDOWS.iter().find(within).map(|(_, part)| *part)
}

/// Returns whether an address is in pageable host memory: the stack, heap and globals of the host program.
pub fn is_host_pageable(address: u64) -> bool {
    host_part(address).is_some()
}
