//! A worker that is kept for several sources: it loads the compiler once, and compiles one source after
//! another.
//!
//! A source may leave effects in the compiler that the next one sees, so all sources of a worker belong to
//! one author. If a source leads to neither PTX nor messages, it is compiled again in a worker of its own, so
//! that what is reported about a source depends on it alone.
//!
//! Most sources of a lesson include the same headers. If the worker has a folder for precompiled headers, the
//! compiler parses those headers once (its option `--pch`), which takes half as long as compiling a small
//! program.

use super::include::{self, Header};
use super::precompiled::Folder;
use super::process::{Group, Process};
use super::protocol::{Job, READY, Reply, Source};
use super::spawn;
use super::{CompileError, Compiled, diagnostics, headers::HeaderSet, wire};
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

/// Maximum number of sources per worker; the worker's limits on CPU time and memory cover all of them
/// together.
const SOURCES: u32 = 64;
/// Maximum number of header lists whose closures are remembered.
const LISTS: usize = 64;

/// Maximum number of `asm` statements remembered, not counting those of the source that exceeds it.
const STATEMENTS: usize = 4096;

/// Maximum number of kernels whose machine code is remembered.
const KERNELS: usize = 64;

/// A worker, if one is running, the closures of header lists, the machine code of kernels, and the `asm`
/// statements that the assembler accepted.
#[derive(Debug, Default)]
pub struct ReusedWorker {
    /// Whether headers are precompiled, as long as the worker supports it.
    precompiles: AtomicBool,
    running: Mutex<Option<Running>>,
    headers: Mutex<Included>,
    machine_code: Mutex<HashMap<String, Compiled>>,
    assembled: Mutex<BTreeSet<String>>,
}

/// For a list of headers: all headers that they include.
type Included = HashMap<(HeaderSet, Vec<String>), Arc<Vec<Header>>>;

#[derive(Debug)]
struct Running {
    // Killed when this is dropped, before its folder is removed.
    _worker: Process,
    precompiled: Option<Folder>,
    stream: UnixStream,
    sources: u32,
}

impl ReusedWorker {
    /// Creates a worker for an author whose sources may share a folder that they can write to.
    pub fn precompiling() -> ReusedWorker {
        ReusedWorker { precompiles: AtomicBool::new(true), ..ReusedWorker::default() }
    }

    /// Ends the worker; the next source gets another.
    pub fn renew(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.machine_code.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.assembled.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns whether the assembler has accepted all of these statements before.
    pub fn has_assembled(&self, statements: &BTreeSet<String>) -> bool {
        self.assembled.lock().unwrap_or_else(PoisonError::into_inner).is_superset(statements)
    }

    /// Records that the assembler accepted these statements.
    pub fn assembled(&self, statements: BTreeSet<String>) {
        let mut known = self.assembled.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= STATEMENTS {
            known.clear();
        }
        known.extend(statements);
    }

    /// Returns the result of `make` for the first source with these kernels: see [`Compiler::machine_code`].
    ///
    /// # Errors
    ///
    /// Fails as `make` does.
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

    /// Returns the compiler's reply. `None` if it is neither PTX nor messages, or if there was none: then a
    /// worker that has compiled nothing else determines the result.
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
                Running::start(binary, link_folder, folder).ok()?
            }
        };
        let task = self.task(job, source, running.precompiled.as_ref()).ok()?;
        let reply = running.compile(&task, spawn::most_bytes(job), deadline);
        // If it can't write to its folder, the compiler reports that, or it makes a system call for which the
        // sandbox kills it.
        let cannot_write = match &reply {
            Ok(Reply::Rejected { log }) => diagnostics::says_compiler_failed(log),
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
        match &reply {
            Reply::Compiled { .. } => Some(reply),
            // A worker with a folder reports access to files elsewhere as refused, whereas a worker without
            // one finds no files.
            Reply::Rejected { log } if !diagnostics::says_out_of_memory(log) && !has_folder => Some(reply),
            Reply::Rejected { .. } | Reply::TooLarge { .. } | Reply::OutOfMemory | Reply::Failed(_) => None,
        }
    }

    /// Returns the input for a worker that can't open files any more, including every header that the source
    /// may include.
    fn task(&self, job: &Job, source: &Source, precompiled: Option<&Folder>) -> Result<Vec<u8>> {
        let ours = HeaderSet::of(job.program);
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
    fn start(binary: &Path, link_folder: Option<&Path>, precompiled: Option<Folder>) -> Result<Running> {
        let (ours, its) = UnixStream::pair().context("can't connect to a worker")?;
        let its_output = its.try_clone()?;
        let mut command = spawn::command(binary, link_folder);
        if let Some(folder) = &precompiled {
            // For the compiler's temporary files.
            command.env("TMPDIR", folder.path());
        }
        command.stdin(OwnedFd::from(its)).stdout(OwnedFd::from(its_output)).stderr(Stdio::null());
        let worker = Process::start(&mut command, Group::Own).context("cannot start the compile worker")?;
        Ok(Running { _worker: worker, precompiled, stream: ours, sources: 0 })
    }

    fn compile(&mut self, task: &[u8], most_bytes: u64, deadline: Duration) -> Result<Reply> {
        self.stream.set_read_timeout(Some(deadline))?;
        self.stream.set_write_timeout(Some(deadline))?;
        self.stream.write_all(task)?;
        if self.sources == 0 {
            let mut ready = [0];
            self.stream.read_exact(&mut ready)?;
            ensure!(ready[0] == READY, "the compiler can't be used");
        }
        Ok(wire::decode((&mut self.stream).take(most_bytes))?)
    }
}
