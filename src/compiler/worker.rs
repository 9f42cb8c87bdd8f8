//! The worker process: this binary, started again by the parent to compile one source, or one author's
//! sources one after another.

use super::headers::HeaderSet;
use super::include::{self, Header};
use super::protocol::{Job, READY, Reply, Source};
use super::{program, sandbox, wire};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// First argument of a worker.
pub const ARGUMENT: &str = "__compile-worker";
/// Environment variable set for workers: a program that uses this library and does not call [`entry`] must
/// not start workers endlessly.
pub const MARK: &str = "GPULEARN_COMPILE_WORKER";

/// Maximum size of a file of precompiled headers; those of a program take 19 MB.
const PRECOMPILED_BYTES: u64 = 128 << 20;

/// Acts as a worker if this process was started as one, and returns the exit status. Call it first in `main`.
pub fn entry() -> Option<u8> {
    if std::env::args_os().nth(1)? != ARGUMENT {
        return None;
    }
    std::env::var_os(MARK)?;
    // Errors are part of the reply; the exit status only shows whether there is one.
    Some(if work().is_ok() { 0 } else { 1 })
}

fn work() -> io::Result<()> {
    // Not `io::stdin`, which reads ahead: the source must stay in the pipe until the process is sandboxed.
    let mut input = raw_stdin();
    let mut output = io::stdout().lock();
    let mut job: Job = wire::decode(&mut input)?;
    let toolkit = match prepare(&job) {
        Ok(toolkit) => toolkit,
        Err(why) => return send(&mut output, &Reply::Failed(why)),
    };
    output.write_all(&[READY])?;
    output.flush()?;
    loop {
        let source: Source = wire::decode(&mut input)?;
        let reply = program::compile(&job, &source, &toolkit).unwrap_or_else(Reply::Failed);
        send(&mut output, &reply)?;
        if !job.kept {
            return Ok(());
        }
        job = wire::decode(&mut input)?;
    }
}

fn send(output: &mut impl Write, reply: &Reply) -> io::Result<()> {
    output.write_all(&wire::encode(reply)?)?;
    output.flush()
}

/// Does everything that needs the file system, then enters the sandbox, in which no file, or only one folder,
/// is accessible.
fn prepare(job: &Job) -> Result<Vec<Header>, String> {
    let file_bytes = if job.precompiled.is_empty() { 0 } else { PRECOMPILED_BYTES };
    sandbox::limit(job.memory_bytes, job.cpu_seconds, file_bytes)?;
    // The parent opens its files with close-on-exec anyway.
    sandbox::close_files(3)?;
    program::load(&job.library, &job.builtins)?;
    let toolkit = if job.kept { Vec::new() } else { toolkit(job) };
    if !job.warm_up.is_empty() {
        program::warm_up(&job.warm_up)?;
    }
    match job.precompiled.as_str() {
        "" => sandbox::lock()?,
        folder => sandbox::lock_with_folder(Path::new(folder))?,
    }
    Ok(toolkit)
}

/// Returns every header of the tool and of NVIDIA that the source may include.
fn toolkit(job: &Job) -> Vec<Header> {
    let roots: Vec<PathBuf> = job.roots.iter().map(PathBuf::from).collect();
    let ours = HeaderSet::of(job.program);
    let mut wanted = job.headers.clone();
    wanted.push(ours.prelude().to_owned());
    include::closure(&wanted, ours, &roots)
}

#[cfg(unix)]
fn raw_stdin() -> impl io::Read {
    use std::os::fd::FromRawFd;
    // SAFETY: descriptor 0 is the parent's pipe, this is called once, and nothing else reads it.
    unsafe { std::fs::File::from_raw_fd(0) }
}

#[cfg(not(unix))]
fn raw_stdin() -> impl io::Read {
    io::stdin().lock()
}
