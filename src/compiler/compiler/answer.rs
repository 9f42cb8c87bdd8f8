//! Interprets a worker's outcome: a result, a rejection, or the cause of its death.

use super::Compiler;
use crate::escape::escape;
use crate::headers::HeaderSet;
use crate::process::Exit;
use crate::protocol::Reply;
use crate::{CompileError, Compiled, Diagnostic, MessageKind, Request, Severity, cubin, diagnostics};
use anyhow::anyhow;
use std::time::Duration;

/// The macro by which a source tests its target architecture, and a name that is never defined.
pub(super) const ARCHITECTURE: (&str, &str) = ("__CUDA_ARCH__", "__HOST_ARCH__");

impl Compiler {
    pub(super) fn interpret(
        &self,
        reply: &Reply,
        request: &Request,
        name: &str,
    ) -> Result<Compiled, CompileError> {
        let read = |log: &[u8]| {
            let texts = diagnostics::Texts {
                file_name: name,
                source: request.source,
                own: request.headers,
                ours: HeaderSet::of(request.program),
            };
            let mut found = diagnostics::parse(&String::from_utf8_lossy(log), &texts);
            for diagnostic in &mut found {
                if diagnostic.file == escape(name) {
                    diagnostic.file = escape(request.file_name);
                }
                if request.host {
                    let (asked, never) = ARCHITECTURE;
                    diagnostic.message = diagnostic.message.replace(never, asked);
                }
            }
            found
        };
        match reply {
            Reply::Compiled { ptx, cubin, log } => {
                let ptx = std::str::from_utf8(ptx).map_err(|_| {
                    CompileError::Environment(anyhow!("the compiler made PTX that is not text"))
                })?;
                let resources = if request.resources {
                    cubin::resources(cubin).map_err(|why| {
                        CompileError::Environment(anyhow!(
                            "the machine code that the compiler made cannot be read: {why}"
                        ))
                    })?
                } else {
                    Vec::new()
                };
                let whole: Vec<&str> =
                    std::iter::once(name).chain(request.headers.iter().map(|(name, _)| *name)).collect();
                Ok(Compiled {
                    ptx: with_plain_files(ptx, &whole),
                    cubin: cubin.clone(),
                    resources,
                    diagnostics: read(log),
                })
            }
            Reply::Rejected { log } => {
                let mut found = read(log);
                if found.iter().any(|diagnostic| diagnostic.kind() == MessageKind::OutOfMemory) {
                    return Err(self.out_of_memory());
                }
                if !found.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
                    let log = String::from_utf8_lossy(log);
                    let lines = log.split(['\n', '\0']).map(str::trim).filter(|line| !line.is_empty());
                    let said = lines.map(escape).collect::<Vec<_>>().join("; ");
                    let message = if said.is_empty() { "the compiler gave no reason".into() } else { said };
                    found.push(Diagnostic::error(escape(request.file_name), (0, 0), message));
                }
                Err(CompileError::Rejected(found))
            }
            Reply::TooLarge { what, bytes } => Err(CompileError::Limit(format!(
                "the compiler made {} of {}, more than the limit of {}",
                size(*bytes),
                escape(what),
                size(self.limits.ptx_bytes)
            ))),
            Reply::OutOfMemory => Err(self.out_of_memory()),
            Reply::Failed(why) => {
                Err(CompileError::Environment(anyhow!("the CUDA compiler failed: {}", escape(why))))
            }
        }
    }

    pub(super) fn died(&self, death: Exit) -> CompileError {
        if death.out_of_time() {
            return self.endless();
        }
        // The compiler cannot report it: an allocation fails and it stops.
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
            death.signal().map_or(String::new(), |signal| format!(" (signal {signal})"))
        ))
    }

    pub(super) fn endless(&self) -> CompileError {
        CompileError::Limit(format!(
            "compiling took longer than {}: the source is very long to compile, or a loop or recursion in templates or \
             macros has no end",
            seconds(self.limits.cpu_time)
        ))
    }

    fn out_of_memory(&self) -> CompileError {
        CompileError::Limit(format!(
            "compiling took more than the limit of {} of memory: is there endless recursion in templates or macros, \
             or a very large array?",
            size(self.limits.memory_bytes)
        ))
    }
}

/// Removes the worker's current folder, `/`, which the compiler puts before relative names in `.file` lines.
/// `names` are those of the file and its own headers.
fn with_plain_files(ptx: &str, names: &[&str]) -> String {
    let Some(first) = ptx.find("\n\t.file\t") else { return ptx.to_owned() };
    let (head, tail) = ptx.split_at(first);
    let mut out = String::with_capacity(ptx.len());
    out.push_str(head);
    for line in tail.split_inclusive('\n') {
        match line.strip_prefix("\t.file\t").and_then(|rest| rest.split_once(" \"/")) {
            Some((number, path))
                if !names
                    .iter()
                    .any(|name| name.strip_prefix('/') == Some(path.trim_end().trim_end_matches('"'))) =>
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

pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

pub(super) fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}
