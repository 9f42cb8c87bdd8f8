//! Memory shared by a worker and its parent. The contents of buffers pass through it, a piece at a time; the
//! pipes carry only messages.
//!
//! The parent creates it and passes it to the worker as standard error. Access is exclusive by the protocol: the
//! parent accesses it before a request and after the reply, the worker in between. Both are this program.

use std::fs::File;
use std::io;

/// Size of the memory: few pieces for a large buffer, and small enough to stay in a processor's cache.
pub const BYTES: usize = 8 << 20;

#[derive(Debug)]
pub struct Shared {
    at: *mut u8,
}

// SAFETY: the mapping belongs to the value.
unsafe impl Send for Shared {}

impl Shared {
    /// Creates the memory, and returns it with the file that a worker maps.
    ///
    /// # Errors
    ///
    /// Fails if the system has no memory for it.
    #[cfg(target_os = "linux")]
    pub fn new() -> io::Result<(Shared, File)> {
        let file = super::output::file_in_memory(c"buffers")?;
        file.set_len(BYTES as u64)?;
        Ok((Shared::map(&file)?, file))
    }

    /// Workers start on Linux only.
    ///
    /// # Errors
    ///
    /// Always: workers start on Linux only.
    #[cfg(not(target_os = "linux"))]
    pub fn new() -> io::Result<(Shared, File)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Maps the file.
    ///
    /// # Errors
    ///
    /// Fails if the file has another size, or can't be mapped.
    #[cfg(target_os = "linux")]
    pub fn map(file: &File) -> io::Result<Shared> {
        use std::os::fd::AsRawFd;
        if file.metadata()?.len() != BYTES as u64 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        // SAFETY: maps as many bytes as the file has, at an address chosen by the system.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, access, flags, file.as_raw_fd(), 0) };
        if at == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(Shared { at: at.cast() }) }
    }

    /// Returns the memory, which the other process does not access now.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: this many bytes are mapped and initialised, and the borrow of the mapping is exclusive; so is access,
        // by the protocol.
        unsafe { std::slice::from_raw_parts_mut(self.at, BYTES) }
    }

    /// Copies bytes to the beginning of the memory. Bytes that do not fit are left out.
    pub fn put(&mut self, bytes: &[u8]) {
        let len = bytes.len().min(BYTES);
        self.bytes()[..len].copy_from_slice(&bytes[..len]);
    }

    /// Copies bytes from the beginning of the memory. Bytes of `into` beyond its end are unchanged.
    pub fn take(&mut self, into: &mut [u8]) {
        let len = into.len().min(BYTES);
        into[..len].copy_from_slice(&self.bytes()[..len]);
    }
}

#[cfg(target_os = "linux")]
impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: mapped once, unmapped once.
        unsafe { libc::munmap(self.at.cast(), BYTES) };
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn both_see_the_same() {
        let (mut ours, file) = Shared::new().unwrap();
        let mut theirs = Shared::map(&file).unwrap();
        ours.put(&[1, 2, 3]);
        let mut got = [9; 4];
        theirs.take(&mut got);
        assert_eq!(got, [1, 2, 3, 0]);
        theirs.put(&vec![7; BYTES + 1]);
        let mut all = vec![0; BYTES + 1];
        ours.take(&mut all);
        assert!(all[..BYTES].iter().all(|byte| *byte == 7) && all[BYTES] == 0);
        file.set_len(1).unwrap();
        assert!(Shared::map(&file).is_err());
    }
}
