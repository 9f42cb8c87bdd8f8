//! A worker that is kept for several sources: it loads the compiler once, and compiles one after the other.
//!
//! What a source makes of the compiler, the next of the same worker may see: the sources of one worker are one
//! author's. Whatever does not end in PTX or in messages is compiled again, in a worker of its own: what is said of a
//! source depends on it alone.
//!
//! Of the sources of a course, most of a lesson include the same headers: where the worker has a folder for them, the
//! compiler reads them once (its `--pch`), which takes half as long as to compile a small program.

use super::include::{self, Header};
use super::precompiled::Folder;
use super::protocol::{Job, READY, Reply, Source};
use super::spawn::{self, Worker};
use super::{CompileError, Compiled, headers::Ours, wire};
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeSet, HashMap};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Sources that one worker compiles. What it may compute and hold is for all of them together.
const SOURCES: u32 = 64;
/// Lists of headers that are remembered with all that they include.
const LISTS: usize = 64;

/// `asm` statements that are remembered, at most with those of one more source.
const STATEMENTS: usize = 4096;

/// Kernels whose machine code is remembered.
const KERNELS: usize = 64;

/// A worker, if one is there, the headers that were read for its sources, what their kernels became, and what of
/// `asm` the assembler took.
#[derive(Debug, Default)]
pub struct Kept {
    /// Whether the compiler keeps headers that it has read, as long as its worker can.
    precompiles: AtomicBool,
    running: Mutex<Option<Running>>,
    headers: Mutex<Included>,
    machine_code: Mutex<HashMap<String, Compiled>>,
    assembled: Mutex<BTreeSet<String>>,
}

/// For a list of headers, all that they include.
type Included = HashMap<(Ours, Vec<String>), Arc<Vec<Header>>>;

#[derive(Debug)]
struct Running {
    // Killed when this is dropped, before its folder goes.
    _worker: Worker,
    precompiled: Option<Folder>,
    stream: UnixStream,
    sources: u32,
}

impl Kept {
    /// The worker of an author whose sources may share a folder that they can write to.
    pub fn precompiling() -> Kept {
        Kept { precompiles: AtomicBool::new(true), ..Kept::default() }
    }

    /// Ends the worker: the next source gets another.
    pub fn renew(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.machine_code.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.assembled.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether the assembler took all of these statements before.
    pub fn has_assembled(&self, statements: &BTreeSet<String>) -> bool {
        self.assembled.lock().unwrap_or_else(PoisonError::into_inner).is_superset(statements)
    }

    /// The assembler took these.
    pub fn assembled(&self, statements: BTreeSet<String>) {
        let mut known = self.assembled.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= STATEMENTS {
            known.clear();
        }
        known.extend(statements);
    }

    /// What `make` made for the first source with these kernels: see [`Compiler::machine_code`].
    ///
    /// [`Compiler::machine_code`]: super::Compiler::machine_code
    pub fn machine_code(
        &self,
        kernels: String,
        make: impl FnOnce() -> Result<Compiled, CompileError>,
    ) -> Result<Compiled, CompileError> {
        let known = || self.machine_code.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = known().get(&kernels).cloned() {
            return Ok(made);
        }
        let made = make()?;
        let mut known = known();
        if known.len() >= KERNELS {
            known.clear();
        }
        known.insert(kernels, made.clone());
        Ok(made)
    }

    /// What the compiler answers. `None` where that is no PTX and no messages, or no answer came: a worker that has
    /// compiled nothing else says what there is to say.
    pub fn compile(
        &self,
        binary: &Path,
        link_folder: Option<&Path>,
        (job, source): (&Job, &Source),
        deadline: Duration,
    ) -> Option<Reply> {
        let mut kept = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let mut running = match kept.take() {
            Some(running) => running,
            None => {
                let folder = self.precompiles.load(Relaxed).then(Folder::new).flatten();
                Running::start(binary, link_folder, deadline, folder).ok()?
            }
        };
        let task = self.task(job, source, running.precompiled.as_ref()).ok()?;
        let reply = running.compile(&task, spawn::most_bytes(job));
        // So it says, with a capital and without a line, where it can't write to its folder; or it does what the sandbox
        // kills it for.
        let cannot_write = match &reply {
            Ok(Reply::Rejected { log }) => String::from_utf8_lossy(log).contains("Catastrophic error"),
            Ok(_) => false,
            Err(_) => running.sources == 0,
        };
        let has_folder = running.precompiled.is_some();
        if cannot_write && has_folder {
            self.precompiles.store(false, Relaxed);
            return None;
        }
        let reply = reply.ok()?;
        running.sources += 1;
        if running.sources < SOURCES {
            *kept = Some(running);
        }
        let full = |log: &[u8]| log.windows(13).any(|word| word == b"out of memory");
        match &reply {
            Reply::Compiled { .. } => Some(reply),
            // A worker with a folder refuses files elsewhere, where one of its own finds none.
            Reply::Rejected { log } if !full(log) && !has_folder => Some(reply),
            Reply::Rejected { .. } | Reply::TooLarge { .. } | Reply::OutOfMemory | Reply::Failed(_) => None,
        }
    }

    /// What is sent to a worker that can't open files any more: with every header that the source may include.
    fn task(&self, job: &Job, source: &Source, precompiled: Option<&Folder>) -> Result<Vec<u8>> {
        let ours = Ours::of(job.program);
        let mut wanted = job.headers.clone();
        wanted.push(ours.prelude().to_owned());
        let mut known = self.headers.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(&(ours, wanted.clone())).cloned();
        let toolkit = found.unwrap_or_else(|| {
            let roots: Vec<PathBuf> = job.roots.iter().map(PathBuf::from).collect();
            let toolkit = Arc::new(include::closure(&wanted, ours, &roots));
            if known.len() >= LISTS {
                known.clear();
            }
            known.insert((ours, wanted), toolkit.clone());
            toolkit
        });
        drop(known);
        let mut job = Job { kept: true, ..job.clone() };
        if let Some(folder) = precompiled {
            folder.use_for(&mut job, source);
        }
        let mut source = source.clone();
        for header in toolkit.iter() {
            if source.headers.iter().all(|its| its.name != header.name) {
                source.headers.push(header.clone());
            }
        }
        Ok([wire::encode(&job)?, wire::encode(&source)?].concat())
    }
}

impl Running {
    fn start(
        binary: &Path,
        link_folder: Option<&Path>,
        deadline: Duration,
        precompiled: Option<Folder>,
    ) -> Result<Running> {
        let (ours, its) = UnixStream::pair().context("no connection to a worker")?;
        ours.set_read_timeout(Some(deadline))?;
        ours.set_write_timeout(Some(deadline))?;
        let its_output = its.try_clone()?;
        let mut command = spawn::command(binary, link_folder);
        if let Some(folder) = &precompiled {
            // For the compiler's temporary files.
            command.env("TMPDIR", folder.path());
        }
        command.stdin(OwnedFd::from(its)).stdout(OwnedFd::from(its_output)).stderr(Stdio::null());
        let worker = Worker::new(command.spawn().context("cannot start the compile worker")?);
        Ok(Running { _worker: worker, precompiled, stream: ours, sources: 0 })
    }

    fn compile(&mut self, task: &[u8], most_bytes: u64) -> Result<Reply> {
        self.stream.write_all(task)?;
        if self.sources == 0 {
            let mut ready = [0];
            self.stream.read_exact(&mut ready)?;
            ensure!(ready[0] == READY, "the compiler can't be used");
        }
        Ok(wire::decode((&mut self.stream).take(most_bytes))?)
    }
}
