//! The parent's side: starts a worker for a program, forwards what it prints, and kills it at its deadline.

use super::message::{Frame, Job, Report, Work};
use super::worker;
use crate::device::CudaError;
use crate::program::{BufferAfter, Exit, Input, Program, Ran, Settings, Sink};
use compiler::process::{Group, Process};
use compiler::wire;
use gpu::{Cause, GpuError, worker_command};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time allowed for the driver to start: seconds if it unloads between uses, more with many GPUs.
const START: Duration = Duration::from_secs(120);
/// Time that a worker, which watches its own deadline, is given beyond it.
const GRACE: Duration = Duration::from_secs(3);
/// Interval between checks for cancellation and for the deadline.
const LOOK: Duration = Duration::from_millis(50);

/// A program, what to run of it, and on how many GPUs.
#[derive(Clone, Debug)]
pub struct GpuJob<'a> {
    /// The program, compiled for the GPUs of this machine and with their machine code.
    pub program: &'a Program,
    /// Number of GPUs that the program sees; `None` means all.
    pub devices: Option<u32>,
    pub work: Work,
}

/// The outcome of a job.
#[derive(Debug)]
pub struct Finished {
    pub ran: Ran,
    /// The error that destroyed a context, and the driver's message.
    pub lost: Option<(CudaError, String)>,
    /// Whether the worker was killed: it was cancelled, or it passed its deadline, perhaps within a call.
    pub killed: bool,
    /// Whether every call returned.
    pub returned: bool,
    /// One entry for each buffer if every call returned, else empty.
    pub left: Vec<Option<BufferAfter>>,
    /// The part of this process's own standard input that was forwarded to the program, so that it can be
    /// read again.
    pub input: Input,
}

/// Runs a program on the GPUs.
///
/// # Errors
///
/// The GPUs could not be used, or the worker failed.
pub fn run(asked: &GpuJob, settings: &Settings, sink: &mut dyn Sink) -> Result<Finished, GpuError> {
    let job = wire::encode(&job(asked, settings)).map_err(|error| broken(error.to_string()))?;
    let mut worker = Process::start(&mut worker_command(worker::ARGUMENT)?, Group::Own)
        .map_err(|error| broken(format!("it cannot be started: {error}")))?;
    let given = Arc::new(Mutex::new(Vec::new()));
    let (own, copy) = (matches!(settings.input, Input::Own), Arc::clone(&given));
    worker.feed(move |mut input| {
        input.write_all(&job).and_then(|()| if own { pass_on(input, &copy) } else { Ok(()) })
    });
    let frames = worker.messages();
    let begun = Instant::now();
    let mut end = begun.checked_add(START);
    let mut started = false;
    loop {
        match frames.recv_timeout(LOOK) {
            Ok(Frame::Begun) => {
                started = true;
                let left = |deadline: Instant| deadline.saturating_duration_since(begun) + GRACE;
                end = settings.control.deadline.and_then(|at| Instant::now().checked_add(left(at)));
            }
            Ok(Frame::Printed(channel, bytes)) => sink.write(channel, &bytes),
            Ok(Frame::Ended(report)) => {
                let Report { ran, lost, returned, left } = *report;
                return Ok(Finished { ran, lost, killed: false, returned, left, input: taken(&given) });
            }
            Ok(Frame::Failed(failed)) => return Err(failed.gpu_error()),
            Err(RecvTimeoutError::Disconnected) => return Err(broken("it ended without an answer".into())),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let late = end.is_some_and(|end| Instant::now() >= end);
        if late && !started {
            return Err(broken("the driver did not start in time".into()));
        }
        if late || settings.control.cancelled.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(Finished { input: taken(&given), ..killed(begun) });
        }
    }
}

/// Returns the outcome of a program that was killed, of which nothing but the elapsed time is known.
fn killed(begun: Instant) -> Finished {
    let ran = Ran {
        exit: Exit::Cancelled,
        findings: Vec::new(),
        nanoseconds: u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX),
        host_instructions: 0,
        host_calls: 0,
        host_threads: 0,
        ranges: Vec::new(),
        memory: Vec::new(),
        memory_dropped: 0,
        files: Vec::new(),
    };
    Finished { ran, lost: None, killed: true, returned: false, left: Vec::new(), input: Input::Nothing }
}

/// Forwards this process's own standard input as it arrives, and keeps a copy.
fn pass_on(mut to: impl Write, copy: &Mutex<Vec<u8>>) -> io::Result<()> {
    let mut stdin = io::stdin().lock();
    loop {
        let piece = stdin.fill_buf()?;
        let count = piece.len();
        if count == 0 {
            return Ok(());
        }
        copy.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(piece);
        to.write_all(piece)?;
        to.flush()?;
        stdin.consume(count);
    }
}

fn taken(given: &Mutex<Vec<u8>>) -> Input {
    Input::Bytes(given.lock().unwrap_or_else(PoisonError::into_inner).as_slice().into())
}

fn broken(what: String) -> GpuError {
    GpuError::new(Cause::Worker, what)
}

fn job(asked: &GpuJob, settings: &Settings) -> Job {
    let program = asked.program;
    Job {
        ptx: program.ptx.to_string(),
        cubin: program.cubin.to_vec(),
        file_name: program.source.file().to_owned(),
        source: program.source.text().to_owned(),
        headers: program
            .source
            .headers()
            .iter()
            .map(|h| (h.file().to_owned(), h.text().to_owned()))
            .collect(),
        registers: program.registers.clone(),
        devices: asked.devices,
        arguments: settings.arguments.to_vec(),
        input: match &settings.input {
            Input::Nothing => Some(Vec::new()),
            Input::Own => None,
            Input::Bytes(bytes) => Some(bytes.to_vec()),
        },
        readable: settings.readable,
        host: settings.host,
        compile: settings.compile,
        output_bytes: settings.output_bytes,
        limit: settings.control.deadline.map(|at| at.saturating_duration_since(Instant::now())),
        work: asked.work.clone(),
    }
}
