//! Memory for code: written, then executed.

use std::ffi::c_void;
use std::ptr::NonNull;

/// Code in memory of its own, which can't be written any more.
#[derive(Debug)]
pub struct CodeMemory {
    start: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: nothing writes it.
unsafe impl Send for CodeMemory {}
// SAFETY: as above.
unsafe impl Sync for CodeMemory {}

impl CodeMemory {
    /// `None` where the system refuses memory, or to execute it.
    pub fn new(code: &[u8]) -> Option<CodeMemory> {
        let bytes = code.len().max(1);
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: new memory, wherever the system likes.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let memory = CodeMemory { start: NonNull::new(start)?, bytes };
        // SAFETY: as many bytes were mapped to be written, and nobody else knows of them.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), start.cast(), code.len()) }
        // SAFETY: they are its own.
        let done = unsafe { libc::mprotect(start, bytes, libc::PROT_READ | libc::PROT_EXEC) };
        (done == 0).then_some(memory)
    }

    /// Its first byte.
    pub fn start(&self) -> *const c_void {
        self.start.as_ptr()
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        // SAFETY: mapped in `new` with this size, and given back once.
        unsafe { libc::munmap(self.start.as_ptr(), self.bytes) };
    }
}
