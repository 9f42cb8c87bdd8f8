//! Captures what a worker prints through C's standard output, including kernels' output, which the driver
//! prints there.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{AsFd, AsRawFd, FromRawFd};

/// Returns the file of [`shared`](super::shared) memory, which a worker receives as its standard error, and
/// redirects standard error to `/dev/null`.
///
/// # Errors
///
/// Fails if the descriptors can't be duplicated or replaced.
pub fn take_shared() -> io::Result<File> {
    let file = io::stderr().as_fd().try_clone_to_owned()?.into();
    replace(2, &File::options().write(true).open("/dev/null")?)?;
    Ok(file)
}

/// Makes a standard descriptor refer to a file.
fn replace(descriptor: i32, by: &File) -> io::Result<()> {
    // SAFETY: a plain system call on open descriptors. Nobody owns the standard ones, so that whoever uses them expects
    // no particular file.
    match unsafe { libc::dup2(by.as_raw_fd(), descriptor) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Creates an empty file that exists in memory only.
///
/// # Errors
///
/// Fails if the system can't create one.
pub fn file_in_memory(name: &CStr) -> io::Result<File> {
    // SAFETY: the name ends in NUL; the descriptor that is created is owned by one file.
    unsafe {
        match libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) {
            -1 => Err(io::Error::last_os_error()),
            file => Ok(File::from_raw_fd(file)),
        }
    }
}

/// The output of one of a worker's standard descriptors, redirected to a file in memory.
pub struct Printed(File);

impl Printed {
    /// Redirects standard output. The pipe that it was moves to another descriptor, on which replies are
    /// sent.
    ///
    /// # Errors
    ///
    /// Fails if the descriptors can't be duplicated or replaced, or no file can be created in memory.
    pub fn redirect_stdout() -> io::Result<(File, Printed)> {
        let answers = io::stdout().as_fd().try_clone_to_owned()?.into();
        Ok((answers, Printed::redirect(1, c"printed")?))
    }

    /// Redirects standard error, where the driver writes failed assertions.
    ///
    /// # Errors
    ///
    /// Fails as [`redirect_stdout`](Printed::redirect_stdout) does.
    pub fn complaints() -> io::Result<Printed> {
        Printed::redirect(2, c"complaints")
    }

    fn redirect(descriptor: i32, name: &CStr) -> io::Result<Printed> {
        let file = file_in_memory(name)?;
        replace(descriptor, &file)?;
        Ok(Printed(file))
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
