//! Compiles the program, and shows what the compiler says.

use super::Args;
use super::ended::{line_of, over_time};
use crate::cli::own_headers::OwnHeaders;
use crate::cli::{Exit, Result};
use compiler::{CompileError, Compiler, Diagnostic, Limits, Subject};
use host::device::model::Model;
use host::program::{self, CompileFailure, Program};
use report::{DiagnosticView, Ended, Files, ProgramView};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// CPU time limit for compiling a program.
const COMPILE_TIME: Duration = Duration::from_secs(60);

/// The program to run, and how.
pub struct RunJob<'a> {
    pub own: &'a OwnHeaders,
    pub files: Files<'a>,
    pub args: &'a Args,
    /// The GPU that is modelled.
    pub model: &'a Arc<Model>,
    /// When compiling and running must have ended.
    pub deadline: Option<Instant>,
}

impl RunJob<'_> {
    /// Compiles the program for a compute capability. The limit on CPU time is generous, since only the program's
    /// owner waits.
    ///
    /// # Errors
    ///
    /// As for [`program::compile`].
    pub fn program(
        &self,
        compiler: &Compiler,
        capability: (u32, u32),
        deadline: Option<Instant>,
    ) -> Result<Program, CompileFailure> {
        let limits = Limits { cpu_time: COMPILE_TIME, deadline, ..Limits::default() };
        let compiler = compiler.clone().with_limits(limits);
        self.own.request(&self.files, capability, |request| program::compile(&compiler, request))
    }
}

/// Compiles the program. If that fails, fills the view with the reason and returns how to exit.
///
/// # Errors
///
/// The environment is at fault.
pub fn compiled(
    compiler: &Compiler,
    capability: (u32, u32),
    job: &RunJob,
    view: &mut ProgramView,
) -> Result<Result<Program, Exit>> {
    let shown = |d: &Diagnostic| DiagnosticView::of_files(d, &job.files, &job.own.source.refused, true);
    match job.program(compiler, capability, job.deadline) {
        Ok(program) => {
            view.diagnostics = warnings(&program).map(shown).collect();
            return Ok(Ok(program));
        }
        Err(CompileFailure::Compile(CompileError::Environment(error))) => return Err(error.into()),
        Err(CompileFailure::Compile(CompileError::Rejected(messages))) => {
            view.diagnostics = messages.iter().map(shown).collect();
        }
        Err(CompileFailure::Compile(CompileError::Limit(limit))) => {
            let is_late = job.deadline.is_some_and(|deadline| deadline <= Instant::now());
            let late = || format!("{} (it was still being compiled)", over_time(job.args));
            view.end.because(Ended::Limit, if is_late { late() } else { limit });
            return Ok(Err(Exit::Unavailable));
        }
        Err(CompileFailure::Unsupported { what, line }) => {
            view.end.line = line_of(view, line.clone());
            let elsewhere = line.filter(|at| view.end.line == 0 && at.line > 0);
            let place = elsewhere.map_or(String::new(), |at| format!(" ({}:{})", at.file, at.line));
            view.end.because(Ended::Unsupported, what + &place);
            return Ok(Err(Exit::Unavailable));
        }
    }
    Ok(Err(Exit::Fails))
}

/// Returns warnings about code whose behaviour a run does not explain, because the compiler drops the code, or
/// because it may do anything, or something else than it says.
fn warnings(program: &Program) -> impl Iterator<Item = &Diagnostic> {
    const FORMAT_MISMATCH: u32 = 181;
    const USED_BEFORE_SET: u32 = 549;
    const REFERENCE_TO_LOCAL: u32 = 836;
    const MISSING_RETURN: u32 = 940;
    const POINTER_TO_LOCAL: u32 = 1056;
    const REPORTED: [u32; 5] =
        [FORMAT_MISMATCH, USED_BEFORE_SET, REFERENCE_TO_LOCAL, MISSING_RETURN, POINTER_TO_LOCAL];
    let is_reported = |d: &&Diagnostic| {
        d.number.is_some_and(|number| REPORTED.contains(&number))
            || d.subject == Some(Subject::SameSharedMemory)
    };
    program.diagnostics.iter().filter(is_reported)
}
