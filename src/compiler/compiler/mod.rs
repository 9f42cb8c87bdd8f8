//! The compiler's interface to the rest of the tool.

mod answer;
mod job;
mod needs;

use super::cache::ResultCache;
use super::headers::HeaderSet;
use super::locate::{self, Installation, Origin};
use super::own_headers::{self, OwnSource};
use super::protocol::{Job, Reply, Source};
use super::remote::Remote;
#[cfg(target_os = "linux")]
use super::reused_worker::ReusedWorker;
use super::spawn::{self, WorkerOutcome, worker_binary};
use super::{CompileError, Compiled, Guarantees, Request, paths, sandbox};
use anyhow::{Context, Result, anyhow};
#[cfg(target_os = "linux")]
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The first release whose compiler can precompile headers.
#[cfg(target_os = "linux")]
const FIRST_WITH_PRECOMPILED: (u32, u32) = (12, 8);

/// The limits of one compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub source_bytes: u64,
    /// Size of all headers that came with the source.
    pub header_bytes: u64,
    /// Size of the compiler's log, beyond which it is truncated.
    pub log_bytes: u64,
    /// Size of the PTX, and likewise of the machine code.
    pub ptx_bytes: u64,
    /// Address space of the worker.
    pub memory_bytes: u64,
    /// CPU time of the worker, rounded up to whole seconds. It depends on the source alone, so exceeding it
    /// is the source's fault.
    pub cpu_time: Duration,
    /// Wall-clock time from the start of the worker to its reply. It depends on what else the machine is
    /// doing, so exceeding it is the machine's fault.
    pub wall_time: Duration,
    /// When compiling must have ended; the caller's own limit, which may cover several compilations.
    pub deadline: Option<Instant>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            source_bytes: 1 << 20,
            header_bytes: own_headers::ALL_BYTES,
            log_bytes: 64 << 10,
            ptx_bytes: 32 << 20,
            memory_bytes: 2 << 30,
            cpu_time: Duration::from_secs(10),
            wall_time: Duration::from_secs(120),
            deadline: None,
        }
    }
}

/// A compiler that was found, with its headers.
#[derive(Clone, Debug)]
pub struct Compiler {
    found: Installation,
    limits: Limits,
    worker: PathBuf,
    /// The cache of results; `None`: every request is compiled.
    results: Option<ResultCache>,
    workers: Workers,
}

/// The processes that compile.
#[derive(Clone, Debug)]
enum Workers {
    /// A new worker for each source.
    Each,
    #[cfg(target_os = "linux")]
    Reused(Arc<ReusedWorker>),
    /// Another process compiles.
    Remote(Remote),
}

impl Compiler {
    /// Locates this machine's compiler: from `GPULEARN_NVRTC`, the Python environment that this program is
    /// installed in, our cache, a CUDA toolkit or the library path; fetches one unless `offline`.
    ///
    /// # Errors
    ///
    /// Fails if there is no compiler and none may or can be fetched.
    pub fn locate(offline: bool) -> Result<Compiler> {
        Ok(Compiler {
            found: locate::locate(offline)?,
            limits: Limits::default(),
            worker: worker_binary()?,
            results: Some(ResultCache::in_folder(paths::results_dir()?)),
            workers: Workers::Each,
        })
    }

    /// Returns a compiler whose code is accepted by a driver that supports CUDA up to major release `newest`:
    /// this compiler, otherwise our own of CUDA 12, which is fetched unless `offline`. Older drivers reject
    /// code of a newer major release.
    ///
    /// # Errors
    ///
    /// Fails if our own is needed but may not or can't be fetched.
    pub fn for_driver(self, newest: u32, offline: bool) -> Result<Compiler> {
        let (major, minor) = self.version();
        if major <= newest {
            return Ok(self);
        }
        let found = locate::fetched(offline).with_context(|| {
            format!(
                "the compiler here is for CUDA {major}.{minor}, but the driver supports only CUDA {newest}"
            )
        })?;
        Ok(Compiler { found, ..self })
    }

    /// Returns the same compiler with other limits.
    pub fn with_limits(self, limits: Limits) -> Compiler {
        Compiler { limits, ..self }
    }

    /// Returns the same compiler with its workers started from another binary of this tool.
    pub fn with_worker(self, worker: impl Into<PathBuf>) -> Compiler {
        Compiler { worker: worker.into(), ..self }
    }

    /// Returns the same compiler with its results cached in `folder`; not cached if `None`.
    pub fn with_results(self, folder: Option<PathBuf>) -> Compiler {
        Compiler { results: folder.map(ResultCache::in_folder), ..self }
    }

    /// Returns the same compiler for other people's files: it uses the cached results, but adds none.
    pub fn for_submissions(self) -> Compiler {
        Compiler { results: self.results.map(ResultCache::read_only), ..self }
    }

    /// Returns the same compiler with a worker that is kept, where that is supported: until
    /// [`Compiler::renew`] it compiles the sources of one author. The worker ends with the thread that first
    /// uses it.
    pub fn kept(self) -> Compiler {
        #[cfg(target_os = "linux")]
        return Compiler { workers: Workers::Reused(Arc::default()), ..self };
        #[cfg(not(target_os = "linux"))]
        self
    }

    /// Like [`Compiler::kept`], for the sources of a course: where there is Landlock, the compiler also
    /// precompiles headers, in a folder that the worker can write to, which is the only thing it can open.
    pub fn kept_with_headers(self) -> Compiler {
        #[cfg(target_os = "linux")]
        return Compiler {
            workers: Workers::Reused(Arc::new(match self.version() >= FIRST_WITH_PRECOMPILED {
                true => ReusedWorker::precompiling(),
                false => ReusedWorker::default(),
            })),
            ..self
        };
        #[cfg(not(target_os = "linux"))]
        self
    }

    /// Returns whether it can compile several sources concurrently: a worker that is kept compiles them one
    /// at a time.
    pub fn is_parallel(&self) -> bool {
        match &self.workers {
            Workers::Each | Workers::Remote(_) => true,
            #[cfg(target_os = "linux")]
            Workers::Reused(_) => false,
        }
    }

    /// Compiles a program's kernels and what they call to machine code. `kernels` extracts their PTX from
    /// that of the host's part, if it is known: sources with the same PTX differ in their host code only, so
    /// a worker that is kept compiles the kernels of an author's sources only once.
    ///
    /// # Errors
    ///
    /// Fails as [`Compiler::compile`] does.
    pub fn machine_code(
        &self,
        request: &Request,
        kernels: impl FnOnce() -> Option<String>,
    ) -> Result<Compiled, CompileError> {
        let make = || self.compile(&Request { resources: true, ..*request });
        #[cfg(not(target_os = "linux"))]
        let _ = kernels;
        #[cfg(target_os = "linux")]
        if let Workers::Reused(kept) = &self.workers
            && needs::host_part_shows_kernels(request)
            && let Some(kernels) = kernels()
        {
            // Sections are for debuggers, and come after all code.
            let code = kernels.split("\n.section").next().unwrap_or_default();
            let code = with_file(code, request.file_name, "");
            let (major, minor) = request.compute_capability;
            let key = format!("{major}.{minor}\0{}\0{code}", request.options.join("\0"));
            let renamed = |its: Compiled, from, to| Compiled { ptx: with_file(&its.ptx, from, to), ..its };
            let made = kept.machine_code(key, || Ok(renamed(make()?, request.file_name, "")))?;
            return Ok(renamed(made, "", request.file_name));
        }
        make()
    }

    /// Returns whether the assembler has accepted all of these `asm` statements in sources of the same
    /// author.
    pub(super) fn has_assembled(&self, statements: &BTreeSet<String>) -> bool {
        match &self.workers {
            Workers::Each | Workers::Remote(_) => false,
            #[cfg(target_os = "linux")]
            Workers::Reused(kept) => kept.has_assembled(statements),
        }
    }

    /// Records that the assembler accepted these statements.
    pub(super) fn assembled(&self, statements: BTreeSet<String>) {
        match &self.workers {
            Workers::Each | Workers::Remote(_) => drop(statements),
            #[cfg(target_os = "linux")]
            Workers::Reused(kept) => kept.assembled(statements),
        }
    }

    /// Ends the worker that was kept: the next source is another author's, and must see nothing of earlier
    /// ones.
    pub fn renew(&self) {
        #[cfg(target_os = "linux")]
        if let Workers::Reused(kept) = &self.workers {
            kept.renew();
        }
    }

    /// Returns the same compiler for a process that can't start workers: another process
    /// [answers](Compiler::answer) its requests.
    pub fn asking(self, ask: impl Fn(&[u8]) -> Result<Vec<u8>> + Send + Sync + 'static) -> Compiler {
        Compiler { workers: Workers::Remote(Remote(Arc::new(ask))), ..self }
    }

    /// Returns the CUDA release, as major and minor number.
    pub fn version(&self) -> (u32, u32) {
        self.found.library.version
    }

    /// Returns where the compiler was found.
    pub fn origin(&self) -> &Origin {
        &self.found.origin
    }

    /// Returns the path of the libnvrtc in use.
    pub fn library(&self) -> &Path {
        &self.found.library.path
    }

    /// Returns the folders of NVIDIA's headers, for editors; empty if there are none.
    pub fn include_dirs(&self) -> &[PathBuf] {
        &self.found.include_dirs
    }

    /// Finds a program's own headers: next to `file`, which its text comes from, and in `folders`, those of
    /// `-I`.
    pub fn own_headers(&self, text: &str, file: &Path, folders: &[PathBuf]) -> OwnSource {
        let below =
            |folder: &PathBuf, name: &str| Path::new(name).is_relative() && folder.join(name).is_file();
        let of_compiler = |name: &str| self.include_dirs().iter().any(|folder| below(folder, name));
        let taken = |name: &str| HeaderSet::Programs.text(name).is_some() || of_compiler(name);
        own_headers::own_headers(text, file, folders, &taken)
    }

    /// Returns what isolates a source that is compiled from the rest of this machine.
    pub fn guarantees() -> Guarantees {
        sandbox::guarantees()
    }

    /// Compiles in a worker process, or returns the cached result of an equal request.
    ///
    /// # Errors
    ///
    /// Fails if the source is rejected or exceeds a limit, or if the compiler cannot be run.
    pub fn compile(&self, request: &Request) -> Result<Compiled, CompileError> {
        if let Workers::Remote(remote) = &self.workers {
            return remote.compile(request);
        }
        self.check(request)?;
        let (job, source) = self.job(request).map_err(CompileError::Environment)?;
        let Some(results) = &self.results else {
            return self.interpret(&self.reply(request, &job, &source)?, request, &source.name);
        };
        let key = self.key(&job, &source);
        if let Some(reply) = results.get(&key) {
            return self.interpret(&reply, request, &source.name);
        }
        let reply = self.reply(request, &job, &source)?;
        let outcome = self.interpret(&reply, request, &source.name);
        // Nothing else is cached: there may be enough time and memory another day.
        if matches!(outcome, Ok(_) | Err(CompileError::Rejected(_))) {
            results.put(&key, &reply);
        }
        outcome
    }

    /// Compiles in a worker process.
    fn reply(&self, request: &Request, job: &Job, source: &Source) -> Result<Reply, CompileError> {
        let link_folder = self.link_folder();
        #[cfg(target_os = "linux")]
        if let Workers::Reused(kept) = &self.workers
            && let Some(reply) =
                kept.compile(&self.worker, link_folder.as_deref(), (job, source), self.patience())
        {
            return Ok(reply);
        }
        let run = |job: &Job| {
            let outcome = spawn::run(&self.worker, link_folder.as_deref(), job, source, self.patience());
            outcome.map_err(|error| match self.patience().is_zero() {
                true => late(),
                false => CompileError::Environment(error),
            })
        };
        let mut ended = run(job)?;
        if let WorkerOutcome::Died(death) = &ended
            && death.forbidden_call()
        {
            // A release of the compiler that makes further system calls on first use: let it make them before
            // the sandbox is entered. That takes 20 ms, which the known releases do not need.
            let number = job::architecture(request.compute_capability);
            ended = run(&Job { warm_up: format!("compute_{number}"), ..job.clone() })?;
        }
        match ended {
            WorkerOutcome::Replied(reply) => Ok(reply),
            WorkerOutcome::Deadline(death) if death.cpu_time >= self.limits.cpu_time => Err(self.endless()),
            WorkerOutcome::Deadline(_) if self.patience().is_zero() => Err(late()),
            WorkerOutcome::Deadline(death) => Err(CompileError::Environment(anyhow!(
                "the CUDA compiler ran for {:.1} s of {} and did not finish: this machine is very busy. Try \
                 again when it has less to do",
                death.cpu_time.as_secs_f64(),
                answer::seconds(self.limits.wall_time)
            ))),
            WorkerOutcome::Died(death) => Err(self.died(death)),
        }
    }

    /// Returns the wall-clock time that a worker may take from now on.
    fn patience(&self) -> Duration {
        let left = self.limits.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(self.limits.wall_time, |left| left.min(self.limits.wall_time))
    }
}

fn late() -> CompileError {
    CompileError::Limit("compiling had not ended when the time was over".into())
}

/// Returns PTX with a file's name replaced by another.
#[cfg(target_os = "linux")]
fn with_file(ptx: &str, name: &str, other: &str) -> String {
    let (name, other) = (format!("\"{name}\""), format!("\"{other}\""));
    let named = ptx.split_inclusive('\n').map(|line| match line.trim_start().starts_with(".file") {
        true => line.replace(&name, &other).into(),
        false => Cow::Borrowed(line),
    });
    named.collect()
}
