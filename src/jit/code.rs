//! Memory for code: first writable, then executable.

use std::ffi::c_void;
use std::ptr::NonNull;

/// Code in its own memory mapping, which is no longer writable.
#[derive(Debug)]
pub struct CodeMemory {
    start: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: nothing writes to the memory after `new`.
unsafe impl Send for CodeMemory {}
// SAFETY: as above.
unsafe impl Sync for CodeMemory {}

impl CodeMemory {
    /// Copies code to new memory. Returns `None` if the system refuses the memory, or to make it executable.
    pub fn new(code: &[u8]) -> Option<CodeMemory> {
        let bytes = code.len().max(1);
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: a new mapping at an address of the system's choice affects no existing memory.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let memory = CodeMemory { start: NonNull::new(start)?, bytes };
        // SAFETY: that many bytes were mapped writable, and nobody else refers to them.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), start.cast(), code.len()) }
        // SAFETY: the mapping belongs to `memory`.
        let done = unsafe { libc::mprotect(start, bytes, libc::PROT_READ | libc::PROT_EXEC) };
        (done == 0).then_some(memory)
    }

    /// Returns the address of the first byte.
    pub fn start(&self) -> *const c_void {
        self.start.as_ptr()
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        // SAFETY: mapped in `new` with this size, and unmapped only here.
        unsafe { libc::munmap(self.start.as_ptr(), self.bytes) };
    }
}
