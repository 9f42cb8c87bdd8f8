//! The compiler as the rest of the tool sees it.

use super::cache::{Key, Results};
use super::headers::Ours;
use super::locate::{self, Found, Origin};
use super::protocol::{Job, Reply, Source};
use super::spawn::{self, Death, Ended};
use super::{CompileError, Compiled, Diagnostic, Guarantees, Request, Severity};
use super::{cubin, diagnostics, escape, include, paths, sandbox};
use anyhow::{Context, Result, anyhow};
use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// What one compile may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Source with the headers that came with it.
    pub source_bytes: u64,
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
    found: Found,
    limits: Limits,
    worker: PathBuf,
    /// `None`: every request is compiled.
    results: Option<Results>,
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

    /// Major and minor number of the CUDA release.
    pub fn version(&self) -> (u32, u32) {
        self.found.library.version
    }

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

    /// What keeps a source that is compiled from the rest of this machine.
    pub fn guarantees() -> Guarantees {
        sandbox::guarantees()
    }

    /// Compiles in a worker process, or answers with what is kept from an equal request.
    pub fn compile(&self, request: &Request) -> Result<Compiled, CompileError> {
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

    /// Everything that decides a result.
    fn key(&self, request: &Request, job: &Job) -> Key {
        let (major, minor) = self.found.library.version;
        let mut parts: Vec<Vec<u8>> = vec![
            env!("CARGO_PKG_VERSION").into(),
            format!("{major}.{minor}").into(),
            identity(&self.found.library.path).into(),
            request.file_name.into(),
            request.source.into(),
            job.ptx_bytes.to_le_bytes().into(),
            job.log_bytes.to_le_bytes().into(),
        ];
        parts.extend(self.found.include_dirs.iter().map(|folder| identity(folder).into()));
        let lists = [
            job.options.iter().map(|option| option.clone().into_bytes()).collect::<Vec<_>>(),
            request
                .headers
                .iter()
                .flat_map(|(name, text)| [name, text])
                .map(|text| text.as_bytes().to_vec())
                .collect(),
            Ours::of(request.program)
                .all()
                .flat_map(|(name, text)| [name, text])
                .map(|text| text.as_bytes().to_vec())
                .collect(),
        ];
        for list in lists {
            // Its length, so that lists do not run into each other.
            parts.push(list.len().to_le_bytes().into());
            parts.extend(list);
        }
        Key::of(parts.iter().map(Vec::as_slice))
    }

    fn compile_now(&self, request: &Request, job: &Job, source: &Source) -> Result<Compiled, CompileError> {
        let link_folder = self.link_folder();
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
            let (major, minor) = request.compute_capability;
            ended = run(&Job { warm_up: format!("compute_{major}{minor}"), ..job.clone() })?;
        }
        match ended {
            Ended::Replied(reply) => self.interpret(reply, request, &source.name),
            Ended::Deadline(death) if death.cpu_time >= self.limits.cpu_time => Err(self.endless()),
            Ended::Deadline(death) => Err(CompileError::Environment(anyhow!(
                "the CUDA compiler computed for {:.1} s in {} and was not done: this machine is very busy. Try \
                 again when it has less to do",
                death.cpu_time.as_secs_f64(),
                seconds(self.limits.wall_time)
            ))),
            Ended::Died(death) => Err(self.died(death)),
        }
    }

    /// Refuses what need not reach the compiler.
    fn check(&self, request: &Request) -> Result<(), CompileError> {
        let ((release, minor), capability) = (self.version(), request.compute_capability);
        if release >= 13 && capability < (7, 5) {
            return Err(CompileError::Environment(anyhow!(
                "the compiler of CUDA {release}.{minor} cannot compile for compute capability {}.{}: 7.5 is its \
                 oldest. Set GPULEARN_NVRTC to the libnvrtc of CUDA 12",
                capability.0,
                capability.1
            )));
        }
        let bytes = request.source.len() + request.headers.iter().map(|(_, text)| text.len()).sum::<usize>();
        if bytes as u64 > self.limits.source_bytes {
            return Err(CompileError::Limit(format!(
                "the source is {}, more than the limit of {}",
                size(bytes as u64),
                size(self.limits.source_bytes)
            )));
        }
        for (name, text) in [(request.file_name, request.source)].iter().chain(request.headers) {
            if let Some(at) = text.find('\0') {
                let before = &text[..at];
                let start = before.rfind('\n').map_or(0, |newline| newline + 1);
                return Err(CompileError::Rejected(vec![Diagnostic {
                    severity: Severity::Error,
                    file: escape::escape(name),
                    line: u32::try_from(before.matches('\n').count() + 1).unwrap_or(0),
                    column: u32::try_from(before[start..].chars().count() + 1).unwrap_or(0),
                    message: "a NUL byte in the source: save the file as plain text (UTF-8)".into(),
                }]));
            }
        }
        Ok(())
    }

    fn job(&self, request: &Request) -> Result<(Job, Source)> {
        let (major, minor) = request.compute_capability;
        // The compiler makes PTX on its way to machine code, the same as without.
        let target = if request.resources { "sm" } else { "compute" };
        let mut options = vec![
            format!("--gpu-architecture={target}_{major}{minor}"),
            "-std=c++17".to_owned(),
            "-lineinfo".to_owned(),
            // Unannotated functions are device functions.
            "-default-device".to_owned(),
            // Without it cooperative_groups.h takes 650 ms instead of 36.
            "-D_CG_LIMIT_INCLUDED_DEPENDENCIES".to_owned(),
            format!("--pre-include={}", Ours::of(request.program).prelude()),
        ];
        if request.program {
            // The host part comes out as device functions that call functions defined elsewhere. Where
            // machine code is wanted, it must not: as a whole program that may launch kernels, the
            // file is its kernels and what they reach.
            options.push(if request.resources { "-ewp" } else { "-rdc=true" }.to_owned());
            // Leaves out the device's own idea of the runtime API (launches from kernels): its
            // functions stand in the way of the host's, and the prelude declares what launches need.
            options.push("-D__CUDA_DEVICE_RUNTIME_API_H__".to_owned());
        }
        options.extend(request.options.iter().map(|&option| option.to_owned()));
        let mut wanted = include::names(request.source);
        for (_, text) in request.headers {
            wanted.extend(include::names(text));
        }
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).with_context(|| format!("{} is not UTF-8", path.display()))
        };
        let job = Job {
            library: text(&self.found.library.path)?,
            builtins: text(&self.found.library.builtins)?,
            roots: self.found.include_dirs.iter().map(|folder| text(folder)).collect::<Result<_>>()?,
            headers: wanted,
            program: request.program,
            options,
            warm_up: String::new(),
            cubin: request.resources,
            memory_bytes: self.limits.memory_bytes,
            cpu_seconds: self.limits.cpu_time.as_millis().div_ceil(1000) as u64,
            log_bytes: self.limits.log_bytes,
            ptx_bytes: self.limits.ptx_bytes,
        };
        let source = Source {
            name: plain_name(request.file_name),
            text: request.source.as_bytes().to_vec(),
            headers: request
                .headers
                .iter()
                .map(|&(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
                .collect(),
        };
        Ok((job, source))
    }

    fn interpret(&self, reply: Reply, request: &Request, name: &str) -> Result<Compiled, CompileError> {
        let read = |log: &[u8]| {
            let mut found = diagnostics::parse(
                &String::from_utf8_lossy(log),
                name,
                request.source,
                Ours::of(request.program),
            );
            for diagnostic in &mut found {
                if diagnostic.file == escape::escape(name) {
                    diagnostic.file = escape::escape(request.file_name);
                }
            }
            found
        };
        match reply {
            Reply::Compiled { ptx, cubin, log } => {
                let ptx = String::from_utf8(ptx).map_err(|_| {
                    CompileError::Environment(anyhow!("the compiler made PTX that is no text"))
                })?;
                let resources = if request.resources {
                    cubin::resources(&cubin).map_err(|why| {
                        CompileError::Environment(anyhow!(
                            "the machine code that the compiler made cannot be read: {why}"
                        ))
                    })?
                } else {
                    Vec::new()
                };
                Ok(Compiled { ptx: with_plain_files(&ptx, name), cubin, resources, diagnostics: read(&log) })
            }
            Reply::Rejected { log } => {
                let mut found = read(&log);
                if found.iter().any(|diagnostic| diagnostic.message == "out of memory") {
                    return Err(self.out_of_memory());
                }
                if !found.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
                    let log = String::from_utf8_lossy(&log);
                    let lines = log.split(['\n', '\0']).map(str::trim).filter(|line| !line.is_empty());
                    let said = lines.map(escape::escape).collect::<Vec<_>>().join("; ");
                    found.push(Diagnostic {
                        severity: Severity::Error,
                        file: escape::escape(request.file_name),
                        line: 0,
                        column: 0,
                        message: if said.is_empty() { "the compiler gave no reason".into() } else { said },
                    });
                }
                Err(CompileError::Rejected(found))
            }
            Reply::TooLarge { what, bytes } => Err(CompileError::Limit(format!(
                "the compiler made {} of {}, more than the limit of {}",
                size(bytes),
                escape::escape(&what),
                size(self.limits.ptx_bytes)
            ))),
            Reply::OutOfMemory => Err(self.out_of_memory()),
            Reply::Failed(why) => {
                Err(CompileError::Environment(anyhow!("the CUDA compiler failed: {}", escape::escape(&why))))
            }
        }
    }

    fn died(&self, death: Death) -> CompileError {
        if death.out_of_time() {
            return self.endless();
        }
        // It cannot say so itself: an allocation fails and it stops.
        if death.peak_bytes > self.limits.memory_bytes / 2 {
            return self.out_of_memory();
        }
        if death.forbidden_call() {
            return CompileError::Limit(
                "this file made the CUDA compiler ask the system for something that its sandbox forbids"
                    .into(),
            );
        }
        CompileError::Limit(format!(
            "this file crashed the CUDA compiler{}: look for very deep nesting of parentheses, templates or macros",
            if death.signal == 0 { String::new() } else { format!(" (signal {})", death.signal) }
        ))
    }

    fn endless(&self) -> CompileError {
        CompileError::Limit(format!(
            "compiling took longer than {}: is there a loop or recursion in templates or macros without end?",
            seconds(self.limits.cpu_time)
        ))
    }

    fn out_of_memory(&self) -> CompileError {
        CompileError::Limit(format!(
            "compiling took more than the limit of {} of memory: is there recursion in templates or macros without \
             end, or a very large array?",
            size(self.limits.memory_bytes)
        ))
    }

    /// A folder that has the library under the name that cudarc asks the loader for first. Without
    /// one, another release that the system has would be loaded besides ours.
    fn link_folder(&self) -> Option<PathBuf> {
        if !cfg!(unix) {
            return None;
        }
        let library = &self.found.library.path;
        let real = library.canonicalize().ok()?;
        let folder = library.parent()?;
        if folder.join("libnvrtc.so").canonicalize().is_ok_and(|linked| linked == real) {
            return Some(folder.to_owned());
        }
        let mut hash = DefaultHasher::new();
        real.hash(&mut hash);
        let folder = paths::compilers_dir().ok()?.join("links").join(format!("{:016x}", hash.finish()));
        let link = folder.join("libnvrtc.so");
        if !link.canonicalize().is_ok_and(|linked| linked == real) {
            fs::create_dir_all(&folder).ok()?;
            // Others may make it now, or start a worker that looks for it: it is whole at any time.
            static MADE: AtomicU64 = AtomicU64::new(0);
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let made = folder.join(format!("made-{}-{number}", std::process::id()));
            #[cfg(unix)]
            std::os::unix::fs::symlink(&real, &made).ok()?;
            fs::rename(&made, &link).ok()?;
        }
        Some(folder)
    }
}

/// What tells one compiler or folder of headers from another without reading it: its path, and the
/// size and time of what is there.
fn identity(path: &Path) -> String {
    let Ok(found) = fs::metadata(path) else { return path.to_string_lossy().into_owned() };
    let modified = found.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    format!("{}\0{}\0{:?}", path.to_string_lossy(), found.len(), modified)
}

/// The binary that workers are started from: `GPULEARN_WORKER`, the `gpulearn` that cargo built
/// beside a test binary, else this program.
pub(crate) fn worker_binary() -> Result<PathBuf> {
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

/// The file's name as the compiler is given it: nothing in it can break a line of the log or of the
/// PTX.
fn plain_name(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_control() || matches!(c, '"' | '\\') { '_' } else { c }).collect();
    if plain.is_empty() { "source.cu".into() } else { plain }
}

/// The compiler puts the worker's current directory, `/`, before relative names in `.file` lines.
fn with_plain_files(ptx: &str, name: &str) -> String {
    let Some(first) = ptx.find("\n\t.file\t") else { return ptx.to_owned() };
    let (head, tail) = ptx.split_at(first);
    let mut out = String::with_capacity(ptx.len());
    out.push_str(head);
    for line in tail.split_inclusive('\n') {
        match line.strip_prefix("\t.file\t").and_then(|rest| rest.split_once(" \"/")) {
            Some((number, path))
                if path.trim_end().trim_end_matches('"') != name.trim_start_matches('/')
                    || !name.starts_with('/') =>
            {
                out.push_str("\t.file\t");
                out.push_str(number);
                out.push_str(" \"");
                out.push_str(path);
            }
            _ => out.push_str(line),
        }
    }
    out
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}
