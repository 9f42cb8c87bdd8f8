//! The frame of a function: its registers and its local memory.

use crate::lanes::{File, Slots};
use std::collections::BTreeMap;

/// Limit of registers per file in one function. Code from NVRTC has a few thousand at most; a warp needs 128 or 256
/// bytes for each.
pub const MAX_SLOTS: u32 = 1 << 16;

/// What has been allocated in the frame of a function.
#[derive(Debug, Default)]
pub struct Frame {
    pub slots: Slots,
    pub local_bytes: u64,
    /// Where values for a callee's `...` lie in local memory, by their bytes.
    pub packed: BTreeMap<u32, u64>,
    /// Registers that the function declares: file, first, end (exclusive).
    declared: Vec<(File, u32, u32)>,
    /// Whether the function needs more registers than [`MAX_SLOTS`].
    pub oversized: bool,
}

impl Frame {
    /// Allocates registers. If the frame is full, returns 0 and marks the function as oversized.
    pub fn allocate(&mut self, file: File, slots: u32) -> u32 {
        let Slots { r32, r64, preds } = self.slots;
        if [r32, r64, preds].iter().any(|&used| used as u64 + slots as u64 > MAX_SLOTS as u64) {
            self.oversized = true;
            return 0;
        }
        let next = self.slots.of_mut(file);
        let register = *next;
        *next += slots;
        register
    }

    /// Allocates registers that the function declares.
    pub fn declare(&mut self, file: File, slots: u32) -> u32 {
        let first = self.allocate(file, slots);
        self.declared.push((file, first, first.saturating_add(slots)));
        first
    }

    /// Returns whether the function itself declares a register, as opposed to one that lowering allocated.
    pub fn is_declared(&self, (file, register): (File, u32)) -> bool {
        self.declared.iter().any(|&(f, first, end)| f == file && (first..end).contains(&register))
    }

    /// Allocates local memory; returns its offset.
    pub fn allocate_local(&mut self, bytes: u64, align: u64) -> u64 {
        let offset = self.local_bytes.next_multiple_of(align);
        self.local_bytes = offset.saturating_add(bytes);
        offset
    }
}
