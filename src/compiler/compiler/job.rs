//! Creates the worker's job, and rejects requests that need not reach the worker.

use super::Compiler;
use super::answer::{ARCHITECTURE, size};
use super::needs;
use crate::cache::Key;
use crate::escape::escape;
use crate::headers::HeaderSet;
use crate::include::Header;
use crate::protocol::{Job, Source};
use crate::{CompileError, Diagnostic, Request, include, paths};
use anyhow::{Context, Result, anyhow};
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Options for host code: without them, two local variables that are alive at the same time, such as a
/// `std::vector` and a stream in a later loop, may share one stack slot.
const OPTIMISER: [&str; 2] = ["-Xnvvm=-Xllc", "-Xnvvm=-no-stack-coloring"];

/// Options for the host's part only.
const HOST: [&str; 2] = ["-fmad=false", "-D__GPULEARN_HOST"];

/// At level 2, loops of host code are unrolled less: it compiles faster and runs no slower.
const HOST_OPTIMISER: [&str; 3] = [OPTIMISER[0], OPTIMISER[1], "-Xnvvm=-opt=2"];

/// The macro by which a source recognises nvcc, and its equivalent here. It is not defined itself, because
/// NVIDIA's headers distinguish their own compilers and must not mistake this one for nvcc.
const NVCC: (&str, &str) = ("__NVCC__", "__CUDACC__");

/// For PTX and for machine code.
const UNOPTIMISED: [&str; 2] = ["-Xnvvm=-opt=0", "-Xptxas=-O0"];

/// Returns what stands in host code for a word by which a source tells host and devices apart: the architecture's
/// macro, or a condition of `<nv/target>`.
fn of_host(word: &str) -> Option<&'static str> {
    const ONLY_DEVICES: [&str; 3] = ["NV_PROVIDES_SM_", "NV_IS_EXACTLY_SM_", "NV_HAS_FEATURE_SM_"];
    match word {
        _ if word == ARCHITECTURE.0 => Some(ARCHITECTURE.1),
        "NV_IS_HOST" => Some("NV_ANY_TARGET"),
        "NV_IS_DEVICE" => Some("NV_NO_TARGET"),
        _ => ONLY_DEVICES.iter().any(|of| word.starts_with(of)).then_some("NV_NO_TARGET"),
    }
}

impl Compiler {
    /// Rejects requests that need not reach the compiler.
    pub(super) fn check(&self, request: &Request) -> Result<(), CompileError> {
        let ((release, minor), capability) = (self.version(), request.compute_capability);
        if release >= 13 && capability < (7, 5) {
            return Err(CompileError::Environment(anyhow!(
                "the compiler of CUDA {release}.{minor} cannot compile for compute capability {}.{}: 7.5 is the \
                 lowest that it supports. Set GPULEARN_NVRTC to the libnvrtc of CUDA 12",
                capability.0,
                capability.1
            )));
        }
        let own = request.headers.iter().map(|(_, text)| text.len() as u64).sum::<u64>();
        let sizes = [
            ("the source is", request.source.len() as u64, self.limits.source_bytes),
            ("its own headers are", own, self.limits.header_bytes),
        ];
        if let Some((what, bytes, most)) = sizes.into_iter().find(|(_, bytes, most)| bytes > most) {
            let (bytes, most) = (size(bytes), size(most));
            return Err(CompileError::Limit(format!("{what} {bytes}, more than the limit of {most}")));
        }
        for (name, text) in [(request.file_name, request.source)].iter().chain(request.headers) {
            if let Some(at) = text.find('\0') {
                let before = &text[..at];
                let start = before.rfind('\n').map_or(0, |newline| newline + 1);
                let number = |counted: usize| u32::try_from(counted + 1).unwrap_or(0);
                let place = (number(before.matches('\n').count()), number(before[start..].chars().count()));
                let message = "a NUL byte in the source: save the file as plain text (UTF-8)";
                return Err(CompileError::Rejected(vec![Diagnostic::error(escape(name), place, message)]));
            }
        }
        Ok(())
    }

    pub(super) fn job(&self, request: &Request) -> Result<(Job, Source)> {
        let number = architecture(request.compute_capability);
        // The PTX is an intermediate result of machine code, and the same as without it.
        let target = if request.resources { "sm" } else { "compute" };
        let mut options = vec![
            format!("--gpu-architecture={target}_{number}"),
            "-lineinfo".to_owned(),
            // Unannotated functions are device functions.
            "-default-device".to_owned(),
            // Without this, cooperative_groups.h takes 650 ms instead of 36.
            "-D_CG_LIMIT_INCLUDED_DEPENDENCIES".to_owned(),
            format!("--pre-include={}", HeaderSet::of(request.program).prelude()),
        ];
        if !request.options.iter().any(|option| option.trim_start_matches('-').starts_with("std=")) {
            options.insert(1, "-std=c++17".to_owned());
        }
        // Where nvcc's host compiler has `__int128`, kernels have it too, without an option.
        if cfg!(target_os = "linux") {
            options.push("--device-int128".to_owned());
            if request.program {
                options.extend(["-D__linux__", "-D__unix__"].map(str::to_owned));
            }
        }
        if self.version() >= needs::FIRST_WITH_MINIMAL && needs::fits_minimal(request) {
            options.push("--minimal".to_owned());
        }
        if request.program {
            // The host part is compiled to device functions that call functions defined elsewhere. Where
            // machine code is requested, that must not happen: as a whole program that may launch kernels,
            // the file consists of its kernels and what they call.
            let is_whole = request.resources || request.kernels_only;
            options.push(if is_whole { "-ewp" } else { "-rdc=true" }.to_owned());
            // Omits the device's own version of the runtime API (for launches from kernels): its functions
            // conflict with the host's, and the prelude declares what launches need.
            options.push("-D__CUDA_DEVICE_RUNTIME_API_H__".to_owned());
            if request.host {
                options.extend(HOST.map(str::to_owned));
            }
            if needs::only_c(request) {
                options.push("-D__GPULEARN_ONLY_C".to_owned());
            }
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
            optimiser: match request {
                Request { unoptimised: true, .. } => UNOPTIMISED.map(str::to_owned).into(),
                Request { host: true, .. } => HOST_OPTIMISER.map(str::to_owned).into(),
                Request { program: true, resources: false, .. } => OPTIMISER.map(str::to_owned).into(),
                _ => Vec::new(),
            },
            warm_up: String::new(),
            cubin: request.resources,
            memory_bytes: self.limits.memory_bytes,
            cpu_seconds: self.limits.cpu_time.as_millis().div_ceil(1000) as u64,
            log_bytes: self.limits.log_bytes,
            ptx_bytes: self.limits.ptx_bytes,
            kept: false,
            precompiled: String::new(),
        };
        let text = |text: &str| {
            let text = cpp::with_word(text, NVCC.0, NVCC.1);
            let mut text = match request.host {
                true => cpp::with_words(&text, of_host),
                false => text.into_owned(),
            };
            // nvcc's host compiler ends a last line that a backslash continues.
            if continues_at_end(&text) {
                text.push_str("\n\n");
            }
            text.into_bytes()
        };
        let source = Source {
            name: plain_name(request.file_name),
            text: text(request.source),
            headers: request
                .headers
                .iter()
                .map(|&(name, its)| Header { name: name.to_owned(), text: text(its) })
                .collect(),
        };
        Ok((job, source))
    }

    /// Returns the cache key, which covers everything that determines a worker's reply.
    pub(super) fn key(&self, job: &Job, source: &Source) -> Key {
        let (major, minor) = self.found.library.version;
        let mut parts: Vec<Vec<u8>> = vec![
            env!("CARGO_PKG_VERSION").into(),
            format!("{major}.{minor}").into(),
            identity(&self.found.library.path).into(),
            source.name.clone().into(),
            source.text.clone(),
            job.ptx_bytes.to_le_bytes().into(),
            job.log_bytes.to_le_bytes().into(),
        ];
        parts.extend(self.found.include_dirs.iter().map(|folder| identity(folder).into()));
        let lists = [
            job.options
                .iter()
                .chain(&job.optimiser)
                .map(|option| option.clone().into_bytes())
                .collect::<Vec<_>>(),
            source.headers.iter().flat_map(|its| [its.name.clone().into_bytes(), its.text.clone()]).collect(),
            HeaderSet::of(job.program)
                .all()
                .flat_map(|(name, text)| [name, text])
                .map(|text| text.as_bytes().to_vec())
                .collect(),
        ];
        for list in lists {
            // Each list is preceded by its length, so that lists cannot be confused.
            parts.push(list.len().to_le_bytes().into());
            parts.extend(list);
        }
        Key::of(parts.iter().map(Vec::as_slice))
    }

    /// Returns a folder that contains the library under the name that cudarc first asks the loader for.
    /// Without one, another release that is installed in the system might be loaded in addition to ours.
    pub(super) fn link_folder(&self) -> Option<PathBuf> {
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
            // Others may create the link concurrently, or start a worker that looks for it, so it is renamed
            // into place atomically.
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

/// Returns the number in an architecture's name. For Hopper it is that of `sm_90a`, which has everything that
/// `sm_90` has and also what no other architecture has (`wgmma`). Such code runs on compute capability 9.0
/// only, which is where code compiled for 9.0 is run.
pub(super) fn architecture((major, minor): (u32, u32)) -> String {
    let specific = if (major, minor) == (9, 0) { "a" } else { "" };
    format!("{major}{minor}{specific}")
}

/// Returns what distinguishes one compiler or folder of headers from another without reading it: its path,
/// size and modification time.
fn identity(path: &Path) -> String {
    let Ok(found) = fs::metadata(path) else { return path.to_string_lossy().into_owned() };
    let modified = found.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let nanoseconds = modified.map_or(0, |since| since.as_nanos());
    format!("{}\0{}\0{nanoseconds}", path.to_string_lossy(), found.len())
}

/// Returns whether the last line of a text ends with a backslash.
fn continues_at_end(text: &str) -> bool {
    let line = text.strip_suffix('\n').unwrap_or(text);
    line.strip_suffix('\r').unwrap_or(line).ends_with('\\')
}

/// Returns the file's name as it is passed to the compiler: without characters that could break a line of the
/// log or of the PTX.
fn plain_name(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_control() || matches!(c, '"' | '\\') { '_' } else { c }).collect();
    if plain.is_empty() { "source.cu".into() } else { plain }
}
