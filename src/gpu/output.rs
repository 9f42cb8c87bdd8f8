//! Captures what a worker prints through C's standard output, including kernels' output, which the driver
//! prints there.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{AsRawFd, FromRawFd};

/// Returns the file of [`shared`](super::shared) memory, which a worker receives as its standard error, and
/// redirects standard error to `/dev/null`.
pub fn take_shared() -> io::Result<File> {
    // SAFETY: plain system calls; each descriptor that is created is owned by one file.
    unsafe {
        let file = libc::fcntl(2, libc::F_DUPFD_CLOEXEC, 3);
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        let file = File::from_raw_fd(file);
        let nowhere = File::options().write(true).open("/dev/null")?;
        if libc::dup2(nowhere.as_raw_fd(), 2) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(file)
    }
}

/// The output of one of a worker's standard descriptors, redirected to a file in memory.
pub struct Printed(File);

impl Printed {
    /// Redirects standard output. The pipe that it was moves to another descriptor, on which replies are
    /// sent.
    pub fn redirect_stdout() -> io::Result<(File, Printed)> {
        // SAFETY: a plain system call; the descriptor that it creates is owned by one file.
        let answers = unsafe {
            let answers = libc::fcntl(1, libc::F_DUPFD_CLOEXEC, 3);
            if answers < 0 {
                return Err(io::Error::last_os_error());
            }
            File::from_raw_fd(answers)
        };
        Ok((answers, Printed::redirect(1, c"printed")?))
    }

    /// Redirects standard error, where the driver writes failed assertions.
    pub fn complaints() -> io::Result<Printed> {
        Printed::redirect(2, c"complaints")
    }

    fn redirect(descriptor: i32, name: &CStr) -> io::Result<Printed> {
        // SAFETY: plain system calls; the descriptor that is created is owned by one file.
        unsafe {
            let file = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC);
            if file < 0 {
                return Err(io::Error::last_os_error());
            }
            let file = File::from_raw_fd(file);
            if libc::dup2(file.as_raw_fd(), descriptor) < 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(Printed(file))
        }
    }

    /// Returns what was printed since the last call. Output that cannot be read is dropped without an error.
    pub fn take(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        // SAFETY: flushes C's streams, through which the driver prints.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        let file = &mut self.0;
        if file.metadata().is_ok_and(|data| data.len() == 0) {
            return text;
        }
        let _ = file.rewind().and_then(|()| file.read_to_end(&mut text));
        let _ = file.set_len(0).and_then(|()| file.rewind());
        text
    }
}
