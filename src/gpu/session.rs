//! The parent's side of a worker: starts it, sends it requests, and kills it at its deadline.

use super::error::{Cause, GpuError, KernelError, TIMED_OUT};
use super::machine::Machine;
use super::presence;
use super::protocol::{Failed, LaunchRequest, Piece, Ran, Reply, Request, Timed, Timing};
use super::shared::{self, Shared};
use super::turns::{ExclusiveTurn, Turns};
use super::worker;
use compiler::process::{Group, Process};
use compiler::{wire, worker_binary};
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Time limits of a worker.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To initialise the driver and create a context, which takes seconds where the driver is unloaded
    /// between uses.
    pub start: Duration,
    /// For a launch, until it ends.
    pub launch: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { start: Duration::from_secs(60), launch: Duration::from_secs(10) }
    }
}

/// Environment variables passed on to the worker: where to find the driver's library and others, and which
/// GPUs are visible. It gets nothing else of our environment, except the variables for NCCL ([`OF_NCCL`]).
const PASSED_ON: [&str; 10] = [
    "LD_LIBRARY_PATH",
    "GPULEARN_LIBRARIES",
    "CUDA_PATH",
    "CUDA_HOME",
    "VIRTUAL_ENV",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "NVIDIA_VISIBLE_DEVICES",
    "HOME",
];

/// Prefix of the variables by which a machine's owner configures communication between GPUs.
const OF_NCCL: &str = "NCCL_";

/// The reason why a launch has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRun {
    /// An error caused by the kernel.
    Kernel(KernelError),
    GpuError(GpuError),
}

impl From<GpuError> for NotRun {
    fn from(gpu_error: GpuError) -> NotRun {
        NotRun::GpuError(gpu_error)
    }
}

/// A worker, and the machine as it reported it.
#[derive(Debug)]
pub struct Session {
    process: Process,
    replies: Receiver<Reply>,
    /// Memory through which the contents of buffers travel to and from the worker.
    shared: Shared,
    machine: Machine,
    limits: Limits,
    /// Whether anything has failed, which leaves the context unusable.
    is_unusable: bool,
    /// Ensures that no requests are made while another session is being timed.
    turns: Turns,
}

impl Session {
    /// Starts a worker and requests the machine's GPUs. Returns quickly if there is no driver.
    ///
    /// # Errors
    ///
    /// Fails if there is no driver or no GPU, or if the worker can't be started or does not answer in time.
    pub fn start(limits: Limits) -> Result<Session, GpuError> {
        Session::start_with_turns(limits, Turns::default())
    }

    /// Like [`Session::start`], for a session that takes turns with others.
    pub(super) fn start_with_turns(limits: Limits, turns: Turns) -> Result<Session, GpuError> {
        let mut command = worker_command(worker::ARGUMENT)?;
        let not_started = |error| GpuError::new(Cause::Worker, format!("it cannot be started: {error}"));
        let (shared, file) = Shared::new().map_err(not_started)?;
        let mut process = Process::start(command.stderr(file), Group::Own).map_err(not_started)?;
        let replies = process.messages();
        let machine = Machine { driver: (0, 0), devices: Vec::new() };
        let mut session = Session { process, replies, shared, machine, limits, is_unusable: false, turns };
        match session.reply(&Request::Hello)? {
            Reply::Machine(machine) => Ok(Session { machine, ..session }),
            _ => Err(unexpected()),
        }
    }

    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns whether nothing has failed so far.
    pub fn is_sound(&self) -> bool {
        !self.is_unusable
    }

    /// Creates a context on a device and loads machine code for it, and that of [`checks`](super::checks).
    ///
    /// # Errors
    ///
    /// Fails if there is no such device, if the driver rejects the code, or if the worker dies or does not answer in
    /// time. After any failure the session is unusable.
    pub fn open(&mut self, device: u32, cubin: &[u8], checks: &[u8]) -> Result<(), GpuError> {
        self.done(&Request::Open { device, cubin: cubin.to_vec(), checks: checks.to_vec() })
    }

    /// Frees every buffer and reloads the code.
    ///
    /// # Errors
    ///
    /// Fails as [`Session::open`] does.
    pub fn fresh(&mut self) -> Result<(), GpuError> {
        self.done(&Request::Fresh)
    }

    /// Frees every buffer and unloads the code; the context remains for the next [`Session::open`].
    ///
    /// # Errors
    ///
    /// Fails if the worker dies or does not answer in time.
    pub fn close(&mut self) -> Result<(), GpuError> {
        self.done(&Request::Close)
    }

    /// Allocates poisoned memory between guard zones; returns its address on the GPU.
    ///
    /// # Errors
    ///
    /// Fails if there is no memory for it, and as [`Session::open`] does.
    pub fn allocate(&mut self, bytes: u64) -> Result<u64, GpuError> {
        match self.reply(&Request::Allocate { bytes })? {
            Reply::Address(address) => Ok(address),
            _ => Err(unexpected()),
        }
    }

    /// Fills a buffer from its beginning.
    ///
    /// # Errors
    ///
    /// Fails if the bytes do not fit, and as [`Session::open`] does.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), GpuError> {
        let mut offset = 0;
        for bytes in bytes.chunks(shared::BYTES) {
            self.shared.put(bytes);
            self.done(&Request::Write(piece(address, &mut offset, bytes)))?;
        }
        Ok(())
    }

    /// Reads a buffer from its beginning.
    ///
    /// # Errors
    ///
    /// Fails if the buffer is shorter, and as [`Session::open`] does.
    pub fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), GpuError> {
        self.take(address, into, Request::Read)
    }

    /// Returns which bytes of a buffer have ever been written, by a copy or by a kernel; `None` if all have.
    ///
    /// # Errors
    ///
    /// Fails if the buffer is shorter, and as [`Session::open`] does.
    pub fn written(&mut self, address: u64, bytes: usize) -> Result<Option<Vec<bool>>, GpuError> {
        match self.reply(&Request::IsAllWritten { address })? {
            Reply::Whether(true) => return Ok(None),
            Reply::Whether(false) => {}
            _ => return Err(unexpected()),
        }
        let mut written = vec![0; bytes];
        self.take(address, &mut written, Request::Written)?;
        Ok(Some(written.into_iter().map(|written| written != 0).collect()))
    }

    /// Reads a buffer piece by piece through shared memory; `ask` creates the request for a piece.
    fn take(&mut self, address: u64, into: &mut [u8], ask: fn(Piece) -> Request) -> Result<(), GpuError> {
        let mut offset = 0;
        for into in into.chunks_mut(shared::BYTES) {
            self.done(&ask(piece(address, &mut offset, into)))?;
            self.shared.take(into);
        }
        Ok(())
    }

    /// Makes kernel writes to that buffer errors from now on.
    ///
    /// # Errors
    ///
    /// Fails if there is no such buffer, and as [`Session::open`] does.
    pub fn set_read_only(&mut self, address: u64) -> Result<(), GpuError> {
        self.done(&Request::SetReadOnly { address })
    }

    /// Runs a kernel until it ends.
    ///
    /// # Errors
    ///
    /// Fails with [`NotRun::Kernel`] if the kernel causes an error or does not end in time, otherwise with
    /// [`NotRun::GpuError`].
    pub fn launch(&mut self, launch: LaunchRequest) -> Result<Ran, NotRun> {
        match self.ask(&Request::Launch(launch), self.limits.launch) {
            Ok(Reply::Ran(ran)) => Ok(ran),
            Ok(_) => Err(unexpected().into()),
            Err(asked) => Err(self.not_run(asked)),
        }
    }

    /// Returns why a launch has no result.
    fn not_run(&self, asked: NoAnswer) -> NotRun {
        let kernel = match &asked {
            NoAnswer::Failed(failed) => failed.by.code().and_then(KernelError::of),
            NoAnswer::Deadline => KernelError::of(TIMED_OUT),
            NoAnswer::Gone => None,
        };
        kernel.map_or_else(|| NotRun::GpuError(asked.gpu_error()), NotRun::Kernel)
    }

    /// Times launches while nobody else uses the GPU.
    ///
    /// # Errors
    ///
    /// Fails as [`Session::launch`] does.
    pub fn time(&mut self, timing: Timing, _turn: &ExclusiveTurn) -> Result<Timed, NotRun> {
        match self.ask_now(&Request::Time(timing), self.limits.start) {
            Ok(Reply::Timed(timed)) => Ok(timed),
            Ok(_) => Err(unexpected().into()),
            Err(asked) => Err(self.not_run(asked)),
        }
    }

    /// Returns how many blocks of a launch can reside on a multiprocessor at once, according to the driver.
    ///
    /// # Errors
    ///
    /// Fails if the driver lacks the function for it or refuses the launch, and as [`Session::open`] does.
    pub fn occupancy(&mut self, launch: LaunchRequest) -> Result<u32, GpuError> {
        match self.reply(&Request::Occupancy(launch))? {
            Reply::Blocks(blocks) => Ok(blocks),
            _ => Err(unexpected()),
        }
    }

    fn done(&mut self, request: &Request) -> Result<(), GpuError> {
        match self.reply(request)? {
            Reply::Done => Ok(()),
            _ => Err(unexpected()),
        }
    }

    /// Returns the reply to a request that runs no kernel of the learner's.
    fn reply(&mut self, request: &Request) -> Result<Reply, GpuError> {
        self.ask(request, self.limits.start).map_err(NoAnswer::gpu_error)
    }

    fn ask(&mut self, request: &Request, patience: Duration) -> Result<Reply, NoAnswer> {
        let turns = self.turns.clone();
        let _shared = turns.shared();
        self.ask_now(request, patience)
    }

    /// Sends a request without waiting for a turn. After any failure the session is unusable, because a
    /// kernel's error is returned by whichever call comes next.
    fn ask_now(&mut self, request: &Request, patience: Duration) -> Result<Reply, NoAnswer> {
        let answer = self.answer(request, patience);
        self.is_unusable |= answer.is_err();
        answer
    }

    fn answer(&mut self, request: &Request, patience: Duration) -> Result<Reply, NoAnswer> {
        let mut send = || -> io::Result<()> {
            let input = self.process.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            input.write_all(&wire::encode(request)?)?;
            input.flush()
        };
        if send().is_err() {
            return Err(NoAnswer::Gone);
        }
        match self.replies.recv_timeout(patience) {
            Ok(Reply::Failed(failed)) => Err(NoAnswer::Failed(failed)),
            Ok(reply) => Ok(reply),
            Err(RecvTimeoutError::Disconnected) => Err(NoAnswer::Gone),
            Err(RecvTimeoutError::Timeout) => {
                self.process.stdin = None;
                // Its end is waited for, because the next worker needs the GPU. If that fails, nothing can be done.
                let _ = self.process.end(Duration::ZERO);
                Err(NoAnswer::Deadline)
            }
        }
    }
}

/// Returns the piece of a buffer that corresponds to `bytes`, and advances the offset past it.
fn piece(address: u64, offset: &mut u64, bytes: &[u8]) -> Piece {
    let piece = Piece { address, offset: *offset, bytes: bytes.len() as u32 };
    *offset += bytes.len() as u64;
    piece
}

/// The reason why there is no reply.
enum NoAnswer {
    Failed(Failed),
    Deadline,
    /// The worker died.
    Gone,
}

impl NoAnswer {
    fn gpu_error(self) -> GpuError {
        match self {
            NoAnswer::Failed(failed) => failed.gpu_error(),
            NoAnswer::Deadline => GpuError::new(Cause::Worker, "the driver did not answer in time"),
            NoAnswer::Gone => GpuError::new(Cause::Worker, "it ended without an answer"),
        }
    }
}

fn unexpected() -> GpuError {
    GpuError::new(Cause::Worker, "it did not answer what it was asked")
}

/// Returns the command that starts a worker with this first argument.
///
/// # Errors
///
/// Fails if no worker could work here: there is no driver, the program's path is unknown, or this process is a worker
/// itself.
pub fn worker_command(argument: &str) -> Result<Command, GpuError> {
    presence::check()?;
    let binary = worker_binary().map_err(|error| GpuError::new(Cause::Worker, format!("{error:#}")))?;
    if std::env::var_os(worker::MARK).is_some() {
        let what = "this program starts itself as a worker: call gpulearn::gpu::worker::entry first in main";
        return Err(GpuError::new(Cause::Worker, what));
    }
    let mut command = Command::new(binary);
    command
        .arg(argument)
        .env_clear()
        .env(worker::MARK, "1")
        // The code that is loaded is machine code, so there is nothing to cache.
        .env("CUDA_CACHE_DISABLE", "1")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    for name in PASSED_ON {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    for (name, value) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with(OF_NCCL)) {
            command.env(name, value);
        }
    }
    Ok(command)
}
