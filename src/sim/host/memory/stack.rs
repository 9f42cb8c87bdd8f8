//! The stack of local variables. It grows downwards; the variables of two functions are separated by
//! inaccessible bytes, and those of a function that has returned are inaccessible, too.

use super::pages::{InitialContents, Pages};
use super::unwritten::UNWRITTEN;
use crate::memory::HOST_STACK_WINDOW;

/// Alignment of frames: what a `CUtensorMap` requires; nothing requires more.
const ALIGN_BYTES: u64 = 64;

/// Inaccessible bytes between frames.
const GUARD_BYTES: u64 = 32;

#[derive(Debug, Default)]
pub struct Stack {
    /// Address of the running function's variables.
    pub pointer: u64,
    top: u64,
    /// Address of the variables of the outermost function that has any.
    outermost: u64,
}

/// Returns the bytes of the stack that a function's variables take.
pub fn frame_bytes(local_bytes: u64) -> u64 {
    if local_bytes == 0 { 0 } else { (local_bytes + GUARD_BYTES).next_multiple_of(ALIGN_BYTES) }
}

impl Stack {
    /// Creates the stack; `None` if this machine has no more memory.
    pub fn new(pages: &mut Pages, bytes: u64) -> Option<Stack> {
        let bytes = bytes.clamp(1 << 16, 1 << 32).next_multiple_of(ALIGN_BYTES);
        pages.map(HOST_STACK_WINDOW, bytes, InitialContents::Uninitialised, None)?;
        // Above the first frame there is only its guard.
        let top = HOST_STACK_WINDOW + bytes - ALIGN_BYTES;
        Some(Stack { pointer: top, top, outermost: top })
    }

    /// Returns the bytes in use.
    pub fn used(&self) -> u64 {
        self.top - self.pointer
    }

    /// Allocates a function's variables, marked as unwritten; returns false if the stack is full.
    #[inline]
    pub fn enter(&mut self, pages: &mut Pages, local_bytes: u64) -> bool {
        if local_bytes == 0 {
            return true;
        }
        let need = frame_bytes(local_bytes);
        if need > self.pointer - HOST_STACK_WINDOW {
            return false;
        }
        self.move_down(need);
        pages.open(self.pointer, local_bytes, UNWRITTEN);
        true
    }

    #[inline]
    pub fn leave(&mut self, pages: &mut Pages, local_bytes: u64) {
        if local_bytes != 0 {
            pages.close(self.pointer, local_bytes);
            self.pointer += frame_bytes(local_bytes);
        }
    }

    /// Returns the bytes that functions' variables may still take.
    pub fn room(&self) -> u64 {
        self.pointer - HOST_STACK_WINDOW
    }

    /// Records that machine code has allocated a function's variables.
    pub fn record_enter(&mut self, local_bytes: u64) {
        self.move_down(frame_bytes(local_bytes));
    }

    #[inline]
    fn move_down(&mut self, bytes: u64) {
        if self.pointer == self.top {
            self.outermost = self.pointer - bytes;
        }
        self.pointer -= bytes;
    }

    /// Records that machine code has freed a function's variables.
    pub fn record_leave(&mut self, local_bytes: u64) {
        self.pointer += frame_bytes(local_bytes);
    }

    /// Returns whether an address is that of a variable of a function which others wait for: not of the outermost one.
    pub fn is_inner(&self, address: u64) -> bool {
        (self.pointer..self.outermost).contains(&address)
    }

    /// Returns whether an address is below all variables of functions that run, and the guard bytes below those.
    pub fn is_below_all(&self, address: u64) -> bool {
        address < self.pointer - GUARD_BYTES
    }

    pub fn holds(&self, address: u64) -> bool {
        (self.pointer..self.top).contains(&address)
    }
}
