//! The compiler as the rest of the tool sees it.

mod answer;
mod job;
mod needs;

use super::cache::Results;
use super::headers::Ours;
#[cfg(target_os = "linux")]
use super::kept::Kept;
use super::locate::{self, Installation, Origin};
use super::own::{self, OwnSource};
use super::protocol::{Job, Source};
use super::remote::Remote;
use super::spawn::{self, Ended, worker_binary};
use super::{CompileError, Compiled, Guarantees, Request, paths, sandbox};
use anyhow::{Context, Result, anyhow};
#[cfg(target_os = "linux")]
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The first release whose compiler can keep the headers that it has read.
#[cfg(target_os = "linux")]
const FIRST_WITH_PRECOMPILED: (u32, u32) = (12, 8);

/// What one compile may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub source_bytes: u64,
    /// Headers that came with the source, together.
    pub header_bytes: u64,
    /// Kept of the compiler's log.
    pub log_bytes: u64,
    /// PTX, and as much again of machine code.
    pub ptx_bytes: u64,
    /// Address space of the worker.
    pub memory_bytes: u64,
    /// Time that the worker may compute; started seconds count whole. It depends on the source alone, so
    /// it is what judges the source.
    pub cpu_time: Duration,
    /// By the clock, from the start of the worker to its answer. How far one gets in it depends on what
    /// else the machine does, so to run into it is the machine's fault.
    pub wall_time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            source_bytes: 1 << 20,
            header_bytes: own::ALL_BYTES,
            log_bytes: 64 << 10,
            ptx_bytes: 32 << 20,
            memory_bytes: 2 << 30,
            cpu_time: Duration::from_secs(10),
            wall_time: Duration::from_secs(120),
        }
    }
}

/// A compiler that was found, with its headers.
#[derive(Clone, Debug)]
pub struct Compiler {
    found: Installation,
    limits: Limits,
    worker: PathBuf,
    /// `None`: every request is compiled.
    results: Option<Results>,
    workers: Workers,
}

/// Who compiles.
#[derive(Clone, Debug)]
enum Workers {
    /// A worker for each source.
    Each,
    #[cfg(target_os = "linux")]
    Kept(Arc<Kept>),
    /// Another process.
    Elsewhere(Remote),
}

impl Compiler {
    /// The compiler of this machine: from `GPULEARN_NVRTC`, our cache, a CUDA toolkit or the
    /// library path; fetched with pip unless `offline`.
    pub fn locate(offline: bool) -> Result<Compiler> {
        Ok(Compiler {
            found: locate::locate(offline)?,
            limits: Limits::default(),
            worker: worker_binary()?,
            results: Some(Results::in_folder(paths::results_dir()?)),
            workers: Workers::Each,
        })
    }

    /// A compiler whose code a driver takes that knows CUDA up to the major number `newest`: this one,
    /// else our own of CUDA 12, fetched unless `offline`. Code of a newer major release is refused by
    /// older drivers.
    pub fn for_driver(self, newest: u32, offline: bool) -> Result<Compiler> {
        let (major, minor) = self.version();
        if major <= newest {
            return Ok(self);
        }
        let found = locate::fetched(offline).with_context(|| {
            format!("the compiler here is of CUDA {major}.{minor} and the driver knows CUDA {newest} alone")
        })?;
        Ok(Compiler { found, ..self })
    }

    /// The same compiler under other limits.
    pub fn with_limits(self, limits: Limits) -> Compiler {
        Compiler { limits, ..self }
    }

    /// The same compiler, its workers started from another binary of this tool.
    pub fn with_worker(self, worker: impl Into<PathBuf>) -> Compiler {
        Compiler { worker: worker.into(), ..self }
    }

    /// The same compiler, its results kept in `folder`; kept nowhere for `None`.
    pub fn with_results(self, folder: Option<PathBuf>) -> Compiler {
        Compiler { results: folder.map(Results::in_folder), ..self }
    }

    /// The same compiler for files of others: it answers from the results that are kept, and keeps none of theirs.
    pub fn for_submissions(self) -> Compiler {
        Compiler { results: self.results.map(Results::read_only), ..self }
    }

    /// The same compiler with a worker that is kept, where there are such: until [`Compiler::renew`] it compiles the
    /// sources of one author. It ends with the thread that first uses it.
    pub fn kept(self) -> Compiler {
        #[cfg(target_os = "linux")]
        return Compiler { workers: Workers::Kept(Arc::default()), ..self };
        #[cfg(not(target_os = "linux"))]
        self
    }

    /// As [`Compiler::kept`], for the sources of a course: where there is Landlock, the compiler also keeps the headers
    /// that it has read, in a folder that the worker can write to, which is all that it can open.
    pub fn kept_with_headers(self) -> Compiler {
        #[cfg(target_os = "linux")]
        return Compiler {
            workers: Workers::Kept(Arc::new(match self.version() >= FIRST_WITH_PRECOMPILED {
                true => Kept::precompiling(),
                false => Kept::default(),
            })),
            ..self
        };
        #[cfg(not(target_os = "linux"))]
        self
    }

    /// Whether it can compile several sources at once: a worker that is kept compiles one after the other.
    pub fn is_parallel(&self) -> bool {
        match &self.workers {
            Workers::Each | Workers::Elsewhere(_) => true,
            #[cfg(target_os = "linux")]
            Workers::Kept(_) => false,
        }
    }

    /// A program's kernels and what they reach, with machine code. `kernels` gives their PTX out of that of the host's
    /// part, where it is known: sources with the same differ on the host alone, so a worker that is kept compiles the
    /// kernels of an author's sources once.
    ///
    /// # Errors
    ///
    /// As [`Compiler::compile`].
    pub fn machine_code(
        &self,
        request: &Request,
        kernels: impl FnOnce() -> Option<String>,
    ) -> Result<Compiled, CompileError> {
        let make = || self.compile(&Request { resources: true, ..*request });
        #[cfg(not(target_os = "linux"))]
        let _ = kernels;
        #[cfg(target_os = "linux")]
        if let Workers::Kept(kept) = &self.workers
            && needs::host_part_shows_kernels(request)
            && let Some(kernels) = kernels()
        {
            // Sections are for debuggers, and stand behind all code.
            let code = kernels.split("\n.section").next().unwrap_or_default();
            let code = with_file(code, request.file_name, "");
            let key = format!("{:?} {:?}\n{code}", request.compute_capability, request.options);
            let renamed = |its: Compiled, from, to| Compiled { ptx: with_file(&its.ptx, from, to), ..its };
            let made = kept.machine_code(key, || Ok(renamed(make()?, request.file_name, "")))?;
            return Ok(renamed(made, "", request.file_name));
        }
        make()
    }

    /// Whether the assembler took all of these `asm` statements in sources of the same author.
    pub(super) fn has_assembled(&self, statements: &BTreeSet<String>) -> bool {
        match &self.workers {
            Workers::Each | Workers::Elsewhere(_) => false,
            #[cfg(target_os = "linux")]
            Workers::Kept(kept) => kept.has_assembled(statements),
        }
    }

    /// The assembler took these.
    pub(super) fn assembled(&self, statements: BTreeSet<String>) {
        match &self.workers {
            Workers::Each | Workers::Elsewhere(_) => drop(statements),
            #[cfg(target_os = "linux")]
            Workers::Kept(kept) => kept.assembled(statements),
        }
    }

    /// What comes next is another author's, and has nothing of the worker that was kept.
    pub fn renew(&self) {
        #[cfg(target_os = "linux")]
        if let Workers::Kept(kept) = &self.workers {
            kept.renew();
        }
    }

    /// The same compiler in a process that can't start workers: another [answers](Compiler::answer) what it asks.
    pub fn asking(self, ask: impl Fn(&[u8]) -> Result<Vec<u8>> + Send + Sync + 'static) -> Compiler {
        Compiler { workers: Workers::Elsewhere(Remote(Arc::new(ask))), ..self }
    }

    /// Major and minor number of the CUDA release.
    pub fn version(&self) -> (u32, u32) {
        self.found.library.version
    }

    /// Where it was found.
    pub fn origin(&self) -> &Origin {
        &self.found.origin
    }

    /// The libnvrtc in use.
    pub fn library(&self) -> &Path {
        &self.found.library.path
    }

    /// Folders with NVIDIA's headers, for editors; empty where there are none.
    pub fn include_dirs(&self) -> &[PathBuf] {
        &self.found.include_dirs
    }

    /// A program with its own headers: beside `file`, where its text is from, and in `folders`, those of `-I`.
    pub fn own_headers(&self, text: &str, file: &Path, folders: &[PathBuf]) -> OwnSource {
        let below =
            |folder: &PathBuf, name: &str| Path::new(name).is_relative() && folder.join(name).is_file();
        let of_compiler = |name: &str| self.include_dirs().iter().any(|folder| below(folder, name));
        let taken = |name: &str| Ours::Programs.text(name).is_some() || of_compiler(name);
        own::own_headers(text, file, folders, &taken)
    }

    /// What keeps a source that is compiled from the rest of this machine.
    pub fn guarantees() -> Guarantees {
        sandbox::guarantees()
    }

    /// Compiles in a worker process, or answers with what is kept from an equal request.
    pub fn compile(&self, request: &Request) -> Result<Compiled, CompileError> {
        if let Workers::Elsewhere(remote) = &self.workers {
            return remote.compile(request);
        }
        self.check(request)?;
        let (job, source) = self.job(request).map_err(CompileError::Environment)?;
        let Some(results) = &self.results else { return self.compile_now(request, &job, &source) };
        let key = self.key(request, &job);
        if let Some(kept) = results.get(&key) {
            return kept.map_err(CompileError::Rejected);
        }
        match self.compile_now(request, &job, &source) {
            Ok(compiled) => {
                let outcome = Ok(compiled);
                results.put(&key, &outcome);
                outcome.map_err(CompileError::Rejected)
            }
            Err(CompileError::Rejected(said)) => {
                let outcome = Err(said);
                results.put(&key, &outcome);
                outcome.map_err(CompileError::Rejected)
            }
            // Time and memory may be there another day.
            Err(other) => Err(other),
        }
    }

    fn compile_now(&self, request: &Request, job: &Job, source: &Source) -> Result<Compiled, CompileError> {
        let link_folder = self.link_folder();
        #[cfg(target_os = "linux")]
        if let Workers::Kept(kept) = &self.workers
            && let Some(reply) =
                kept.compile(&self.worker, link_folder.as_deref(), (job, source), self.limits.wall_time)
        {
            return self.interpret(reply, request, &source.name);
        }
        let run = |job: &Job| {
            spawn::run(&self.worker, link_folder.as_deref(), job, source, self.limits.wall_time)
                .map_err(CompileError::Environment)
        };
        let mut ended = run(job)?;
        if let Ended::Died(death) = &ended
            && death.forbidden_call()
        {
            // A release of the compiler that does something of its own on first use: let it, before
            // the sandbox closes. 20 ms that the releases we know do not need.
            let number = job::architecture(request.compute_capability);
            ended = run(&Job { warm_up: format!("compute_{number}"), ..job.clone() })?;
        }
        match ended {
            Ended::Replied(reply) => self.interpret(reply, request, &source.name),
            Ended::Deadline(death) if death.cpu_time >= self.limits.cpu_time => Err(self.endless()),
            Ended::Deadline(death) => Err(CompileError::Environment(anyhow!(
                "the CUDA compiler computed for {:.1} s in {} and was not done: this machine is very busy. Try \
                 again when it has less to do",
                death.cpu_time.as_secs_f64(),
                answer::seconds(self.limits.wall_time)
            ))),
            Ended::Died(death) => Err(self.died(death)),
        }
    }
}

/// PTX with another name in the place of a file's.
#[cfg(target_os = "linux")]
fn with_file(ptx: &str, name: &str, other: &str) -> String {
    let (name, other) = (format!("\"{name}\""), format!("\"{other}\""));
    let named = ptx.split_inclusive('\n').map(|line| match line.trim_start().starts_with(".file") {
        true => line.replace(&name, &other).into(),
        false => Cow::Borrowed(line),
    });
    named.collect()
}
