//! The parent's side of a worker: starts it, sends it its input, and kills it at the deadline.

use super::escape::escape_bytes;
use super::process::{Exit, Group, Process, read_to_end};
use super::protocol::{Job, READY, Reply, Source};
use super::{environment, wire, worker};
use anyhow::{Context, Result, anyhow, bail};
use std::env;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The outcome of a worker process.
#[derive(Debug)]
pub enum WorkerOutcome {
    Replied(Reply),
    /// It exceeded the deadline after the source was handed over.
    Deadline(Exit),
    /// It died while compiling.
    Died(Exit),
}

/// Time that a worker that has closed its output is given to end.
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
    let (first, second) = (wire::encode(job)?, wire::encode(source)?);
    let mut command = command(binary, link_folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut worker = Process::start(&mut command, Group::Own)
        .with_context(|| format!("cannot start the compile worker {}", binary.display()))?;
    let mut stdout = worker.stdout.take().context("the worker has no output")?;
    worker.feed(move |mut input| input.write_all(&first).and_then(|()| input.write_all(&second)));
    let complaints = read_to_end(worker.stderr.take(), 4096);
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
                bail!("the CUDA compiler does not work: {}", super::escape::escape(&why));
            }
            Ok(WorkerMessage::End(Some(reply))) => return Ok(WorkerOutcome::Replied(reply)),
            Ok(WorkerMessage::End(None)) => {
                let death = worker.end(deadline.saturating_sub(start.elapsed()).max(DYING))?;
                if ready {
                    return Ok(WorkerOutcome::Died(death));
                }
                let said = complaints.join().unwrap_or_default();
                return Err(never_ready(binary, death, &said));
            }
            Err(RecvTimeoutError::Timeout) if ready => {
                return Ok(WorkerOutcome::Deadline(worker.end(Duration::ZERO)?));
            }
            Err(_) => bail!(
                "the CUDA compiler did not start within {} s: is this machine very busy?",
                deadline.as_secs()
            ),
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
    command
}

/// Returns the worker's current folder. The compiler loads libraries from there, so it is never one a learner
/// can write to.
fn safe_folder() -> PathBuf {
    if cfg!(windows) { std::env::var_os("SystemRoot").unwrap_or("C:\\".into()).into() } else { "/".into() }
}

fn never_ready(binary: &Path, death: Exit, said: &[u8]) -> anyhow::Error {
    let said = escape_bytes(said.trim_ascii());
    let said = if said.is_empty() { String::new() } else { format!(": {said}") };
    match death.signal() {
        Some(signal) => anyhow!(
            "{} was killed by signal {signal} while it loaded the CUDA compiler{said}",
            binary.display()
        ),
        None => anyhow!(
            "{} is not a gpulearn of this version and cannot work as its compile worker{said}: build it again",
            binary.display()
        ),
    }
}

/// Returns the binary that workers are started from: [`environment::WORKER`], the `gpulearn` that cargo built next
/// to a test binary, otherwise this program.
///
/// # Errors
///
/// Fails if the path of this program can't be found.
pub fn worker_binary() -> Result<PathBuf> {
    if let Some(named) = environment::value(environment::WORKER) {
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
