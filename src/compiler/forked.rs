//! Runs a function in a sandboxed fork of this process, which contains the effects of untrusted input.
//!
//! On Linux the fork has no access to files, the network or other processes, and no descriptor of this
//! process except its connection to it. On all systems its CPU time and memory are limited, and so is the
//! time its output is read for.

use super::escape::escape_bytes;
use super::process::{Exit, Process};
use super::sandbox;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// First byte that the fork sends once it is sandboxed; otherwise it sends the reason why not.
const READY: u8 = b'R';

/// Time that other threads are given to end before a fork: far more than they need, on a busy machine.
const THREADS_END: Duration = Duration::from_secs(10);

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
    process: Process,
    deadline: Instant,
}

impl Forked {
    /// Starts `work` in a sandboxed fork of this process. `work` communicates with this process through the
    /// file it is given.
    ///
    /// # Errors
    ///
    /// Fails if other threads of this process do not end soon, because they would not exist in the fork, and the
    /// locks that they hold would remain locked there; or if the system cannot provide a process, a descriptor
    /// or the sandbox.
    pub fn start(bounds: Bounds, work: impl FnOnce(File)) -> Result<Forked> {
        wait_for_threads(THREADS_END)?;
        // SAFETY: this is the only thread, and only it can start another.
        unsafe { Forked::fork(bounds, work) }
    }

    /// As [`Forked::start`], whichever threads run.
    ///
    /// # Safety
    ///
    /// This is the only thread, or `work` uses nothing that another thread may be changing.
    unsafe fn fork(bounds: Bounds, work: impl FnOnce(File)) -> Result<Forked> {
        let (ours, its) = UnixStream::pair().context("can't connect to a process")?;
        // SAFETY: by contract, the copy finds everything that it uses in a consistent state.
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
        let mut forked = Forked { stream: ours, process: Process::forked(pid), deadline };
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
    pub fn end(mut self) -> Result<Option<Exit>> {
        let patience = self.deadline.saturating_duration_since(Instant::now());
        let exit = self.process.end(patience).context("can't wait for a process")?;
        Ok((!exit.status.success()).then_some(exit))
    }

    /// Kills the fork at once; [`Forked::end`] reports how it ended.
    pub fn kill(&mut self) {
        self.process.kill();
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

/// Waits until the calling thread is the only one: those that served a process which has ended are about to end.
fn wait_for_threads(patience: Duration) -> Result<()> {
    let start = Instant::now();
    loop {
        match threads()? {
            1 => return Ok(()),
            count if start.elapsed() >= patience => bail!("can't fork: this process has {count} threads"),
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Returns how many threads this process has.
#[cfg(not(target_os = "macos"))]
fn threads() -> Result<usize> {
    Ok(std::fs::read_dir("/proc/self/task").context("can't count this process's threads")?.count())
}

#[cfg(target_os = "macos")]
fn threads() -> Result<usize> {
    let bytes = size_of::<libc::proc_taskinfo>().try_into()?;
    let mut info = std::mem::MaybeUninit::<libc::proc_taskinfo>::zeroed();
    // SAFETY: a pointer to a live variable of that size, of which all-zero is a valid value.
    let info = unsafe {
        let written =
            libc::proc_pidinfo(libc::getpid(), libc::PROC_PIDTASKINFO, 0, info.as_mut_ptr().cast(), bytes);
        anyhow::ensure!(written == bytes, "can't count this process's threads");
        info.assume_init()
    };
    Ok(info.pti_threadnum.try_into()?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;

    const BOUNDS: Bounds =
        Bounds { cpu_seconds: 20, memory_bytes: 4 << 30, wall_time: Duration::from_secs(60) };

    /// Returns what a fork of this process writes, and how it ended.
    fn forked(bounds: Bounds, work: impl FnOnce() -> String) -> (String, Option<Exit>) {
        let work = |mut to: File| {
            let _ = to.write_all(work().as_bytes());
        };
        // SAFETY: the work of these tests makes system calls, and uses the allocator, which a fork finds in a
        // consistent state. If a lock of another test is in its way, it is killed at its deadline.
        let mut forked = unsafe { Forked::fork(bounds, work) }.unwrap();
        let mut said = String::new();
        let _ = forked.read_to_string(&mut said);
        (said, forked.end().unwrap())
    }

    /// Returns what a fork of this process writes, which ends by itself.
    fn written(work: impl FnOnce() -> String) -> String {
        let (said, death) = forked(BOUNDS, work);
        assert!(death.is_none(), "{death:?}");
        said
    }

    /// Checks that `work` succeeds in this process, and that the sandbox kills a fork for it.
    fn is_forbidden(work: impl Fn() -> bool) {
        assert!(work());
        let (said, death) = forked(BOUNDS, || work().to_string());
        assert_eq!((&*said, death.is_some_and(|death| death.forbidden_call())), ("", true), "{death:?}");
    }

    #[test]
    fn a_process_with_threads_is_not_forked() {
        let (end, wait) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || wait.recv());
        let error = wait_for_threads(Duration::from_millis(5)).unwrap_err();
        assert!(error.to_string().contains("threads"), "{error}");
        drop(end);
        let _ = thread.join();
    }

    #[test]
    fn files_are_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let (here, new) = (folder.path().join("here"), folder.path().join("new"));
        std::fs::write(&here, "secret").unwrap();
        let read = || format!("{:?}", std::fs::read_to_string(&here).map_err(|error| error.kind()));
        assert_eq!(read(), "Ok(\"secret\")");
        assert_eq!(written(read), "Err(NotFound)");
        assert_eq!(written(|| File::create(&new).is_ok().to_string()), "false");
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
        assert_eq!(written(length), "-1");
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
        assert_eq!(written(thread), "7");
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
        assert_eq!(written(sleep), "done");
        let (said, death) = forked(Bounds { wall_time: Duration::from_secs(1), ..BOUNDS }, sleep);
        assert_eq!((&*said, death.and_then(|death| death.signal())), ("", Some(libc::SIGKILL)));
    }

    #[test]
    fn memory_is_bounded() {
        let reserve = || Vec::<u8>::new().try_reserve_exact(3 << 30).is_ok().to_string();
        assert_eq!(written(reserve), "true");
        let (said, _) = forked(Bounds { memory_bytes: 2 << 30, ..BOUNDS }, reserve);
        assert_eq!(said, "false");
    }

    #[test]
    fn what_panics_says_so_by_its_end() {
        let (said, death) = forked(BOUNDS, || panic!("as it must"));
        assert_eq!((&*said, death.map(|death| death.signal())), ("", Some(None)));
    }
}
