//! Runs a function in a sandboxed fork of this process, which contains the effects of untrusted input.
//!
//! On Linux the fork has no access to files, the network or other processes, and no descriptor of this
//! process except its connection to it. On all systems its CPU time and memory are limited, and so is the
//! time its output is read for.

use super::escape::escape_bytes;
use super::sandbox;
use super::spawn::WorkerDeath;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// First byte that the fork sends once it is sandboxed; otherwise it sends the reason why not.
const READY: u8 = b'R';

/// The limits of a forked function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub cpu_seconds: u64,
    /// Address space, including what this process already uses.
    pub memory_bytes: u64,
    /// Wall-clock time, until its last output.
    pub wall_time: Duration,
}

/// A fork of this process, which is killed when this is dropped.
#[derive(Debug)]
pub struct Forked {
    stream: UnixStream,
    pid: libc::pid_t,
    deadline: Instant,
    reaped: bool,
}

impl Forked {
    /// Starts `work` in a sandboxed fork of this process. `work` communicates with this process through the
    /// file it is given.
    ///
    /// The other threads of this process do not exist in the fork, so locks that they hold remain locked
    /// there.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot provide a process, a descriptor or the sandbox.
    pub fn start(bounds: Bounds, work: impl FnOnce(File)) -> Result<Forked> {
        let (ours, its) = UnixStream::pair().context("can't connect to a process")?;
        wait_for_threads();
        // SAFETY: no other thread runs, so the copy may do whatever this process may.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            bail!("can't start a process: {}", io::Error::last_os_error());
        }
        if pid == 0 {
            drop(ours);
            let done = catch_unwind(AssertUnwindSafe(|| {
                let (mut its, locked) = lock_in(its, bounds);
                let said = match &locked {
                    Ok(()) => its.write_all(&[READY]),
                    Err(why) => its.write_all(why.as_bytes()),
                };
                if said.is_ok() && locked.is_ok() {
                    work(its);
                }
                locked.is_ok()
            }));
            // SAFETY: ends this copy at once, without running destructors that belong to the parent.
            unsafe { libc::_exit(if done.unwrap_or(false) { 0 } else { 101 }) };
        }
        let deadline = Instant::now() + bounds.wall_time;
        let mut forked = Forked { stream: ours, pid, deadline, reaped: false };
        let mut ready = [0];
        match forked.read_exact(&mut ready) {
            Ok(()) if ready[0] == READY => Ok(forked),
            _ => {
                let mut why = Vec::from(ready);
                let _ = (&mut forked).take(4096).read_to_end(&mut why);
                bail!("can't isolate a process: {}", escape_bytes(&why))
            }
        }
    }

    /// Waits for the fork to end; kills it at the deadline. Returns `None` if it ended by itself with exit
    /// status 0.
    ///
    /// # Errors
    ///
    /// Fails if the process was already waited for elsewhere.
    pub fn end(mut self) -> Result<Option<WorkerDeath>> {
        loop {
            let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
            // SAFETY: both pointers are to live variables.
            let pid = unsafe { libc::wait4(self.pid, &raw mut status, libc::WNOHANG, usage.as_mut_ptr()) };
            if pid < 0 {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    bail!("can't wait for a process: {error}");
                }
            } else if pid > 0 {
                self.reaped = true;
                // SAFETY: all-zero is a valid `rusage`, and the call wrote the process's own.
                let usage = unsafe { usage.assume_init() };
                return Ok((status != 0).then(|| WorkerDeath::of(status, &usage)));
            } else if Instant::now() >= self.deadline {
                self.kill();
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Kills the fork at once; [`Forked::end`] reports how it ended.
    pub fn kill(&self) {
        // SAFETY: the child is not reaped, so its process id is still its own.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
    }

    /// Returns the wall-clock time that remains.
    ///
    /// # Errors
    ///
    /// Fails if none remains.
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

/// Reads the fork's output. Fails at the deadline.
impl Read for Forked {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(into)
    }
}

impl Write for Forked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Forked {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            // SAFETY: a plain system call; the exit status is ignored.
            unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), 0) };
        }
    }
}

/// The descriptor of the connection in the fork.
const CONNECTION: RawFd = 3;

/// Sandboxes the fork: closes all descriptors except the connection, and blocks access to anything else.
/// Returns the connection, and the reason if the sandbox cannot be set up.
fn lock_in(its: UnixStream, bounds: Bounds) -> (File, Result<(), String>) {
    // SAFETY: plain system calls on numbers. The owners of the descriptors that are replaced no longer use
    // them: this copy does its work and ends.
    let connection = unsafe {
        let connection = if its.as_raw_fd() == CONNECTION {
            its.into()
        } else {
            libc::dup2(its.as_raw_fd(), CONNECTION);
            std::mem::forget(its);
            OwnedFd::from_raw_fd(CONNECTION)
        };
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        for standard in 0..CONNECTION {
            libc::dup2(null, standard);
        }
        connection
    };
    let locked = sandbox::limit(bounds.memory_bytes, bounds.cpu_seconds, 0)
        .and_then(|()| sandbox::close_files(CONNECTION + 1))
        .and_then(|()| sandbox::lock_with_threads());
    (File::from(connection), locked)
}

/// Waits for threads that are about to end: they hold locks that would remain locked in a fork.
fn wait_for_threads() {
    #[cfg(target_os = "linux")]
    for _ in 0..100 {
        if std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count) <= 1 {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;

    const BOUNDS: Bounds =
        Bounds { cpu_seconds: 20, memory_bytes: 4 << 30, wall_time: Duration::from_secs(60) };

    /// Returns what a fork of this process writes, and how it ended.
    fn forked(bounds: Bounds, work: impl FnOnce() -> String) -> (String, Option<WorkerDeath>) {
        let mut forked = Forked::start(bounds, |mut to| {
            let _ = to.write_all(work().as_bytes());
        })
        .unwrap();
        let mut said = String::new();
        let _ = forked.read_to_string(&mut said);
        (said, forked.end().unwrap())
    }

    /// Checks that `work` succeeds in this process, and that the sandbox kills a fork for it.
    fn is_forbidden(work: impl Fn() -> bool) {
        assert!(work());
        let (said, death) = forked(BOUNDS, || work().to_string());
        assert_eq!((&*said, death.is_some_and(|death| death.forbidden_call())), ("", true), "{death:?}");
    }

    #[test]
    fn files_are_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let (here, new) = (folder.path().join("here"), folder.path().join("new"));
        std::fs::write(&here, "secret").unwrap();
        let read = || format!("{:?}", std::fs::read_to_string(&here).map_err(|error| error.kind()));
        assert_eq!(read(), "Ok(\"secret\")");
        assert_eq!(forked(BOUNDS, read), ("Err(NotFound)".into(), None));
        assert_eq!(forked(BOUNDS, || File::create(&new).is_ok().to_string()), ("false".into(), None));
        assert!(!new.exists());
        is_forbidden(|| std::fs::remove_file(&here).is_ok());
    }

    #[test]
    fn what_was_open_is_closed() {
        let file = tempfile::tempfile().unwrap();
        let length = || {
            // SAFETY: a plain system call on a number, which is open here and need not be elsewhere.
            unsafe { libc::lseek(file.as_raw_fd(), 0, libc::SEEK_END) }.to_string()
        };
        assert_eq!(length(), "0");
        assert_eq!(forked(BOUNDS, length), ("-1".into(), None));
    }

    #[test]
    fn nobody_is_reached() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        is_forbidden(|| TcpStream::connect(address).is_ok());
        is_forbidden(|| UnixStream::pair().is_ok());
        let us = std::process::id().cast_signed();
        // SAFETY: signal 0 only checks whether the process exists.
        is_forbidden(|| unsafe { libc::kill(us, 0) == 0 });
    }

    #[test]
    fn processes_are_not_started_and_threads_are() {
        is_forbidden(|| Command::new("/bin/true").status().is_ok_and(|status| status.success()));
        is_forbidden(|| {
            // SAFETY: the copy ends at once.
            let pid = unsafe { libc::fork() };
            if pid == 0 {
                // SAFETY: as above.
                unsafe { libc::_exit(0) };
            }
            // SAFETY: a plain system call.
            pid > 0 && unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) == pid }
        });
        let thread = || std::thread::spawn(|| 7).join().unwrap().to_string();
        assert_eq!(forked(BOUNDS, thread), ("7".into(), None));
    }

    #[test]
    fn time_is_bounded() {
        let spin = || {
            let start = Instant::now();
            while start.elapsed() < Duration::from_secs(40) {
                std::hint::spin_loop();
            }
            "done".to_owned()
        };
        let (said, death) = forked(Bounds { cpu_seconds: 1, ..BOUNDS }, spin);
        assert_eq!((&*said, death.is_some_and(|death| death.out_of_time())), ("", true), "{death:?}");
        let sleep = || {
            std::thread::sleep(Duration::from_secs(2));
            "done".to_owned()
        };
        assert_eq!(forked(BOUNDS, sleep), ("done".into(), None));
        let (said, death) = forked(Bounds { wall_time: Duration::from_secs(1), ..BOUNDS }, sleep);
        assert_eq!((&*said, death.map(|death| death.signal)), ("", Some(libc::SIGKILL)));
    }

    #[test]
    fn memory_is_bounded() {
        let reserve = || Vec::<u8>::new().try_reserve_exact(3 << 30).is_ok().to_string();
        assert_eq!(forked(BOUNDS, reserve), ("true".into(), None));
        let (said, _) = forked(Bounds { memory_bytes: 2 << 30, ..BOUNDS }, reserve);
        assert_eq!(said, "false");
    }

    #[test]
    fn what_panics_says_so_by_its_end() {
        let (said, death) = forked(BOUNDS, || panic!("as it must"));
        assert_eq!((&*said, death.map(|death| death.signal)), ("", Some(0)));
    }
}
