//! The parent's side of a worker: starts it, sends it its input, and kills it at the deadline.

use super::escape::escape_bytes;
use super::protocol::{Job, READY, Reply, Source};
use super::{wire, worker};
use anyhow::{Context, Result, anyhow, bail};
use std::env;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The outcome of a worker process.
#[derive(Debug)]
pub enum WorkerOutcome {
    Replied(Reply),
    /// It exceeded the deadline after the source was handed over.
    Deadline(WorkerDeath),
    /// It died while compiling.
    Died(WorkerDeath),
}

/// Information about a worker that died.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerDeath {
    /// Signal that ended it; 0 if none.
    pub signal: i32,
    /// Peak memory use in bytes; 0 if unknown.
    pub peak_bytes: u64,
    /// CPU time used; zero if unknown.
    pub cpu_time: Duration,
}

impl WorkerDeath {
    /// Converts the system's report on a process that ended.
    #[cfg(unix)]
    pub(super) fn of(status: i32, usage: &libc::rusage) -> WorkerDeath {
        let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
        WorkerDeath {
            signal: if libc::WIFSIGNALED(status) { libc::WTERMSIG(status) } else { 0 },
            peak_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) * unit,
            cpu_time: time(usage.ru_utime) + time(usage.ru_stime),
        }
    }

    /// Returns whether the sandbox killed it because of a system call that is not allowed.
    pub fn forbidden_call(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.signal == libc::SIGSYS;
        #[cfg(not(target_os = "linux"))]
        return false;
    }

    /// Returns whether the system killed it because it exceeded its CPU time.
    pub fn out_of_time(&self) -> bool {
        #[cfg(unix)]
        return self.signal == libc::SIGXCPU;
        #[cfg(not(unix))]
        return false;
    }
}

/// Time that a killed worker is given to disappear.
const DYING: Duration = Duration::from_secs(1);

/// Runs a worker from `binary`. `link_folder` contains the library under the name that cudarc asks the loader
/// for.
///
/// # Errors
///
/// Fails if the worker cannot be started, does not become ready, or reports that the compiler does not work.
pub fn run(
    binary: &Path,
    link_folder: Option<&Path>,
    job: &Job,
    source: &Source,
    deadline: Duration,
) -> Result<WorkerOutcome> {
    if std::env::var_os(worker::MARK).is_some() {
        bail!(
            "this program starts itself as a compile worker: call gpulearn::compiler::worker::entry first in main"
        );
    }
    let start = Instant::now();
    let mut child = command(binary, link_folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start the compile worker {}", binary.display()))?;
    let mut stdin = child.stdin.take().context("the worker has no input")?;
    let mut stdout = child.stdout.take().context("the worker has no output")?;
    let mut stderr = child.stderr.take().context("the worker has no error output")?;
    let mut worker = Worker::new(child);

    let (first, second) = (wire::encode(job)?, wire::encode(source)?);
    thread::spawn(move || {
        keep_broken_pipe_quiet();
        // If the worker has died, the missing reply shows it.
        let _ = stdin.write_all(&first).and_then(|()| stdin.write_all(&second));
    });
    let complaints = thread::spawn(move || {
        let mut text = Vec::new();
        let _ = (&mut stderr).take(4096).read_to_end(&mut text);
        // The rest is discarded, so that the worker never blocks on a full pipe.
        let _ = std::io::copy(&mut stderr, &mut std::io::sink());
        text
    });
    let most = most_bytes(job);
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut ready = [0];
        let began = stdout.read_exact(&mut ready).is_ok() && ready[0] == READY;
        let reply = if began {
            let _ = send.send(WorkerMessage::Ready);
            wire::decode(stdout.take(most)).ok()
        } else {
            // Before it is ready, a worker sends only the reason why it cannot be.
            wire::decode(ready.as_slice().chain(stdout).take(most)).ok()
        };
        let _ = send.send(WorkerMessage::End(reply));
    });

    let mut ready = false;
    loop {
        match receive.recv_timeout(deadline.saturating_sub(start.elapsed())) {
            Ok(WorkerMessage::Ready) => ready = true,
            Ok(WorkerMessage::End(Some(Reply::Failed(why)))) => {
                worker.kill();
                bail!("the CUDA compiler does not work: {}", super::escape::escape(&why));
            }
            Ok(WorkerMessage::End(Some(reply))) => {
                worker.kill();
                return Ok(WorkerOutcome::Replied(reply));
            }
            Ok(WorkerMessage::End(None)) => {
                let death = worker.reap(deadline.saturating_sub(start.elapsed()).max(DYING));
                if ready {
                    return Ok(WorkerOutcome::Died(death));
                }
                let said = complaints.join().unwrap_or_default();
                return Err(never_ready(binary, death, &said));
            }
            Err(RecvTimeoutError::Timeout) if ready => {
                worker.signal();
                return Ok(WorkerOutcome::Deadline(worker.reap(DYING)));
            }
            Err(_) => {
                worker.kill();
                bail!(
                    "the CUDA compiler did not start within {} s: is this machine very busy?",
                    deadline.as_secs()
                );
            }
        }
    }
}

/// Returns the largest size of a reply to a job, in bytes: twice the PTX (a cubin may come with it), the log,
/// and some overhead.
pub fn most_bytes(job: &Job) -> u64 {
    2 * job.ptx_bytes + job.log_bytes + (1 << 16)
}

enum WorkerMessage {
    Ready,
    End(Option<Reply>),
}

/// Returns the command for a worker that is not started yet; the caller sets its input and output.
pub fn command(binary: &Path, link_folder: Option<&Path>) -> Command {
    let mut command = Command::new(binary);
    command.arg(worker::ARGUMENT).env_clear().env(worker::MARK, "1").current_dir(safe_folder());
    if let Some(folder) = link_folder {
        command.env("LD_LIBRARY_PATH", folder);
    }
    #[cfg(windows)]
    if let Some(root) = std::env::var_os("SystemRoot") {
        command.env("SystemRoot", root);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// Returns the worker's current folder. The compiler loads libraries from there, so it is never one a learner
/// can write to.
fn safe_folder() -> PathBuf {
    if cfg!(windows) { std::env::var_os("SystemRoot").unwrap_or("C:\\".into()).into() } else { "/".into() }
}

fn never_ready(binary: &Path, death: WorkerDeath, said: &[u8]) -> anyhow::Error {
    let said = escape_bytes(said.trim_ascii());
    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
    if death.signal != 0 {
        anyhow!(
            "{} was killed by signal {} while it loaded the CUDA compiler{said}",
            binary.display(),
            death.signal
        )
    } else {
        anyhow!(
            "{} is not a gpulearn of this version and cannot work as its compile worker{said}: build it again",
            binary.display()
        )
    }
}

/// A worker's process, which is killed when this is dropped.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    reaped: bool,
}

impl Worker {
    pub fn new(child: Child) -> Worker {
        Worker { child, reaped: false }
    }

    /// Sends the kill signal to the worker and whatever it started.
    fn signal(&mut self) {
        if self.reaped {
            return;
        }
        #[cfg(unix)]
        {
            let group = -self.child.id().cast_signed();
            // SAFETY: a plain system call. The child is not reaped, so its group is still its own.
            unsafe { libc::kill(group, libc::SIGKILL) };
        }
        let _ = self.child.kill();
    }

    /// Kills the worker and whatever it started, and reaps it.
    fn kill(&mut self) {
        if self.reaped {
            return;
        }
        self.signal();
        let _ = self.child.wait();
        self.reaped = true;
    }

    /// Waits for a worker that is about to end; kills it after `patience`.
    #[cfg(unix)]
    fn reap(&mut self, patience: Duration) -> WorkerDeath {
        let start = Instant::now();
        loop {
            let mut status = 0;
            // SAFETY: all-zero is a valid `rusage`, and both pointers are to live variables.
            let (pid, usage) = unsafe {
                let mut usage: libc::rusage = std::mem::zeroed();
                let pid = libc::wait4(self.child.id().cast_signed(), &mut status, libc::WNOHANG, &mut usage);
                (pid, usage)
            };
            let interrupted = pid < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
            if (pid == 0 || interrupted) && start.elapsed() < patience {
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            if pid <= 0 {
                self.kill();
                return WorkerDeath::default();
            }
            self.reaped = true;
            return WorkerDeath::of(status, &usage);
        }
    }

    #[cfg(not(unix))]
    fn reap(&mut self, patience: Duration) -> WorkerDeath {
        let start = Instant::now();
        while start.elapsed() < patience {
            if let Ok(Some(_)) = self.child.try_wait() {
                self.reaped = true;
                return WorkerDeath::default();
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.kill();
        WorkerDeath::default()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(unix)]
fn time(value: libc::timeval) -> Duration {
    let seconds = Duration::from_secs(u64::try_from(value.tv_sec).unwrap_or(0));
    seconds + Duration::from_micros(u64::try_from(value.tv_usec).unwrap_or(0))
}

/// Blocks SIGPIPE in this thread. A program may have made a broken pipe fatal; here it only means that a
/// worker died.
fn keep_broken_pipe_quiet() {
    #[cfg(unix)]
    // SAFETY: changes the mask of this thread only, which writes to one pipe and ends.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGPIPE);
        libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
    }
}

/// Returns the binary that workers are started from: `GPULEARN_WORKER`, the `gpulearn` that cargo built next
/// to a test binary, otherwise this program.
pub fn worker_binary() -> Result<PathBuf> {
    if let Some(named) = env::var_os("GPULEARN_WORKER") {
        return Ok(named.into());
    }
    let this = env::current_exe().context("cannot find the path of this program")?;
    if let Some(folder) = this.parent()
        && folder.ends_with("deps")
        && let Some(built) =
            folder.parent().map(|folder| folder.join(format!("gpulearn{}", env::consts::EXE_SUFFIX)))
        && built.is_file()
    {
        return Ok(built);
    }
    Ok(this)
}
