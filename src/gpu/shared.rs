//! Memory shared by a worker and its parent. The contents of buffers pass through it, a piece at a time; the
//! pipes carry only messages.
//!
//! The parent creates it and passes it to the worker as standard error. Exclusive access follows from the
//! protocol: the parent accesses it before a request and after the reply, the worker in between.

use std::fs::File;
use std::io;

/// Size of the memory: few pieces for a large buffer, and small enough to stay in a processor's cache.
pub const BYTES: usize = 8 << 20;

#[derive(Debug)]
pub struct Shared {
    at: *mut u8,
}

// SAFETY: the mapping belongs to the value and is accessed only by copying.
unsafe impl Send for Shared {}

impl Shared {
    /// Creates the memory, and returns it with the file that a worker maps.
    #[cfg(target_os = "linux")]
    pub fn new() -> io::Result<(Shared, File)> {
        use std::os::fd::FromRawFd;
        // SAFETY: a plain system call; the descriptor that it creates is owned by one file.
        let file = unsafe {
            let file = libc::memfd_create(c"buffers".as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 {
                return Err(io::Error::last_os_error());
            }
            File::from_raw_fd(file)
        };
        file.set_len(BYTES as u64)?;
        Ok((Shared::map(&file)?, file))
    }

    /// Fails: workers start on Linux only.
    #[cfg(not(target_os = "linux"))]
    pub fn new() -> io::Result<(Shared, File)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Maps the file; fails if it is another file.
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

    #[cfg(target_os = "linux")]
    pub fn as_mut_ptr(&self) -> *mut u8 {
        self.at
    }

    /// Copies bytes to the beginning of the memory. Bytes that do not fit are left out.
    pub fn put(&self, bytes: &[u8]) {
        let len = bytes.len().min(BYTES);
        // SAFETY: this many bytes are mapped; nobody else accesses them now.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.at, len) };
    }

    /// Copies bytes from the beginning of the memory. Bytes of `into` beyond its end are unchanged.
    pub fn take(&self, into: &mut [u8]) {
        let len = into.len().min(BYTES);
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(self.at, into.as_mut_ptr(), len) };
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
        let (ours, file) = Shared::new().unwrap();
        let theirs = Shared::map(&file).unwrap();
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
