//! Processes that this one starts: they are fed, waited for until a deadline, and killed at the latest when their
//! [`Process`] is dropped.

use super::wire;
use serde::de::DeserializeOwned;
use std::io::{self, BufReader, Read};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The shortest and the longest pause between two looks at whether a process has ended.
const PAUSES: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(10)];

/// Which processes are killed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The process leads a group of its own: what it starts is killed with it.
    Own,
    /// It is in this process's group: what ends this one from a terminal ends it, too.
    Ours,
}

/// How a process ended, and what it used.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    pub status: ExitStatus,
    /// Peak memory use in bytes; 0 if unknown.
    pub peak_bytes: u64,
    /// CPU time used; zero if unknown.
    pub cpu_time: Duration,
}

impl Exit {
    /// Returns the signal that ended it, if one did.
    pub fn signal(&self) -> Option<i32> {
        #[cfg(unix)]
        return std::os::unix::process::ExitStatusExt::signal(&self.status);
        #[cfg(not(unix))]
        return None;
    }

    /// Returns whether the sandbox killed it because of a system call that is not allowed.
    pub fn forbidden_call(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.signal() == Some(libc::SIGSYS);
        #[cfg(not(target_os = "linux"))]
        return false;
    }

    /// Returns whether the system killed it because it exceeded its CPU time.
    pub fn out_of_time(&self) -> bool {
        #[cfg(unix)]
        return self.signal() == Some(libc::SIGXCPU);
        #[cfg(not(unix))]
        return false;
    }
}

/// A process that this one started. It is killed when this is dropped.
#[derive(Debug)]
pub struct Process {
    handle: system::Handle,
    group: Group,
    exit: Option<Exit>,
    /// The ends of its pipes, as far as the command asked for some.
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
}

impl Process {
    /// Starts a process.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot start it.
    pub fn start(command: &mut Command, group: Group) -> io::Result<Process> {
        #[cfg(unix)]
        if group == Group::Own {
            std::os::unix::process::CommandExt::process_group(command, 0);
        }
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Ok(Process { handle: system::handle(child), group, exit: None, stdin, stdout, stderr })
    }

    /// Takes charge of a child process that was forked and has not been waited for.
    #[cfg(unix)]
    pub(super) fn forked(pid: libc::pid_t) -> Process {
        Process { handle: pid, group: Group::Ours, exit: None, stdin: None, stdout: None, stderr: None }
    }

    /// Waits until the process ends, at most for `patience`. Returns `None` if it still runs.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot tell.
    pub fn wait(&mut self, patience: Duration) -> io::Result<Option<Exit>> {
        let start = Instant::now();
        while self.exit.is_none() {
            self.exit = system::poll(&mut self.handle)?;
            let waited = start.elapsed();
            if waited >= patience {
                break;
            }
            if self.exit.is_none() {
                thread::sleep((waited / 8).clamp(PAUSES[0], PAUSES[1]));
            }
        }
        Ok(self.exit)
    }

    /// Waits until the process ends, and kills it after `patience`.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot tell how it ended.
    pub fn end(&mut self, patience: Duration) -> io::Result<Exit> {
        if self.wait(patience)?.is_none() {
            self.kill();
        }
        loop {
            if let Some(exit) = self.wait(Duration::MAX)? {
                return Ok(exit);
            }
        }
    }

    /// Kills the process, and what it started if its group is its own; [`Process::end`] returns how it ended.
    pub fn kill(&mut self) {
        if self.exit.is_none() {
            system::kill(&mut self.handle, self.group);
        }
    }

    /// Decodes the messages of its output as they come, on a thread of its own. The end of the output, or
    /// something else in it, disconnects the receiver.
    pub fn messages<T: DeserializeOwned + Send + 'static>(&mut self) -> Receiver<T> {
        let (send, receive) = mpsc::channel();
        if let Some(output) = self.stdout.take() {
            thread::spawn(move || {
                let mut output = BufReader::new(output);
                while let Ok(message) = wire::decode(&mut output) {
                    if send.send(message).is_err() {
                        return;
                    }
                }
            });
        }
        receive
    }

    /// Writes its input on a thread of its own. Whether that fails is not told: a process that has died sends no
    /// answer.
    pub fn feed(&mut self, write: impl FnOnce(ChildStdin) -> io::Result<()> + Send + 'static) {
        if let Some(input) = self.stdin.take() {
            thread::spawn(move || {
                system::keep_broken_pipe_quiet();
                write(input)
            });
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.end(Duration::ZERO);
    }
}

/// Reads a pipe to its end on a thread of its own, and returns the first `most` bytes. The rest is discarded, so that
/// the process never blocks on a full pipe. If there is no pipe, or reading fails, returns what there was.
pub fn read_to_end(pipe: Option<impl Read + Send + 'static>, most: u64) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = (&mut pipe).take(most).read_to_end(&mut bytes);
            let _ = io::copy(&mut pipe, &mut io::sink());
        }
        bytes
    })
}

/// Has the process that `command` starts killed when the thread that starts it ends, and limits its CPU time; on Linux
/// only.
pub fn bind(command: &mut Command, cpu_seconds: Option<u64>) {
    #[cfg(target_os = "linux")]
    // SAFETY: plain system calls on numbers, which may be made between fork and exec.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, move || {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if let Some(most) = cpu_seconds {
                let most = libc::rlimit { rlim_cur: most, rlim_max: most + 5 };
                libc::setrlimit(libc::RLIMIT_CPU, &raw const most);
            }
            Ok(())
        });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (command, cpu_seconds);
}

#[cfg(unix)]
mod system {
    use super::{Exit, Group};
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ExitStatus};
    use std::time::Duration;

    pub type Handle = libc::pid_t;

    pub fn handle(child: Child) -> Handle {
        child.id().cast_signed()
    }

    /// Returns how the process ended, and what it used, without waiting; `None` while it runs.
    ///
    /// # Errors
    ///
    /// Fails if it is not a child of this process, or was asked after its end already.
    pub fn poll(pid: &mut Handle) -> io::Result<Option<Exit>> {
        let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
        // SAFETY: both pointers are to live variables.
        match unsafe { libc::wait4(*pid, &raw mut status, libc::WNOHANG, usage.as_mut_ptr()) } {
            0 => return Ok(None),
            -1 => {
                let error = io::Error::last_os_error();
                return if error.kind() == io::ErrorKind::Interrupted { Ok(None) } else { Err(error) };
            }
            _ => {}
        }
        // SAFETY: all-zero is a valid `rusage`, and the call wrote the process's own.
        let usage = unsafe { usage.assume_init() };
        let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
        Ok(Some(Exit {
            status: ExitStatus::from_raw(status),
            peak_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) * unit,
            cpu_time: time(usage.ru_utime) + time(usage.ru_stime),
        }))
    }

    fn time(value: libc::timeval) -> Duration {
        let seconds = Duration::from_secs(u64::try_from(value.tv_sec).unwrap_or(0));
        seconds + Duration::from_micros(u64::try_from(value.tv_usec).unwrap_or(0))
    }

    pub fn kill(pid: &mut Handle, group: Group) {
        let whom = if group == Group::Own { -*pid } else { *pid };
        // SAFETY: a plain system call. The process was not waited for, so its number and its group are still its own.
        unsafe { libc::kill(whom, libc::SIGKILL) };
    }

    /// Blocks SIGPIPE in this thread, which writes to one pipe and ends. A program may have made a broken pipe
    /// fatal; here it only means that a process died.
    pub fn keep_broken_pipe_quiet() {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the first call initialises the set; the mask is that of this thread only.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            libc::sigaddset(set.as_mut_ptr(), libc::SIGPIPE);
            libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Exit, Group};
    use std::io;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    pub type Handle = Child;

    pub fn handle(child: Child) -> Handle {
        child
    }

    /// Returns how the process ended, without waiting; `None` while it runs. What it used is not known here.
    ///
    /// # Errors
    ///
    /// Fails if the system can't tell.
    pub fn poll(child: &mut Handle) -> io::Result<Option<Exit>> {
        let status = child.try_wait()?;
        Ok(status.map(|status| Exit { status, peak_bytes: 0, cpu_time: Duration::ZERO }))
    }

    pub fn kill(child: &mut Handle, group: Group) {
        if group == Group::Own {
            // It also ends what the process started.
            let mut end = Command::new("taskkill");
            end.args(["/T", "/F", "/PID", &child.id().to_string()]);
            let _ = end.stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
        let _ = child.kill();
    }

    pub fn keep_broken_pipe_quiet() {}
}
