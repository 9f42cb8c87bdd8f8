//! Records launches of a program that belongs to no lesson.

use super::super::own_headers::{OwnArgs, OwnHeaders};
use super::super::source_text::{name_of, read_source};
use super::super::{Context, Result};
use super::recorded::{Recordable, Wrong};
use anyhow::anyhow;
use compiler::{Compiler, Request};
use cpp::Source;
use host::device::model::Model;
use host::device::simulated::{LaunchToRecord, Schedule, Simulated};
use host::program::{self, CompileFailure, Control, Exit, Program, Ran, ReadableFiles, Settings};
use judge::course::Case;
use judge::{Failure, Launches, Missing, NoResult, Recorded, RecordedPart, ToolLimit};
use report::Files;
use sim::{Finding, Options};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The modelled GPU and the time limit of a run.
#[derive(Clone)]
pub struct ModelledRun {
    pub model: Arc<Model>,
    pub limit: Duration,
}

/// A program with its own `main()`.
pub struct OwnProgram {
    text: String,
    file: String,
    own: OwnHeaders,
    compiler: Compiler,
    on: ModelledRun,
    /// The program as compiled for a normal run, not for debugging.
    program: Program,
    arguments: Vec<String>,
}

/// A function that compiles a program.
type Compile = fn(&Compiler, &Request) -> Result<Program, CompileFailure>;

impl OwnProgram {
    /// Reads and compiles a program. `Ok(Err)` if it is not text or does not compile.
    ///
    /// # Errors
    ///
    /// The file can't be read, there is no compiler, or the environment is at fault.
    pub fn open(
        path: &Path,
        own: &OwnArgs,
        arguments: &[String],
        on: &ModelledRun,
        context: &mut Context,
    ) -> Result<Result<OwnProgram, Box<Failure>>> {
        let file = name_of(path.as_os_str());
        let text = match read_source(path, &file)? {
            Ok(text) => text,
            Err(failure) => return Ok(Err(failure)),
        };
        let compiler = context.compiler()?.clone();
        let own = own.of(&compiler, &text, path);
        let program = compiled(program::compile, &compiler, &own, (&text, &file), &on.model);
        let program = match NoResult::separate(program)? {
            Ok(program) => program,
            Err(failure) => return Ok(Err(failure)),
        };
        let name = file.trim_end_matches(".cu").to_owned();
        let arguments = std::iter::once(name).chain(arguments.iter().cloned()).collect();
        Ok(Ok(OwnProgram { text, file, own, compiler, on: on.clone(), program, arguments }))
    }

    fn gpus(&self) -> Simulated {
        Simulated::new(vec![self.on.model.clone()], Schedule::Eager, Options::default())
    }

    /// Runs the program to its end and returns the findings.
    fn run(&self, program: &Program, gpus: &mut Simulated) -> Result<Vec<Finding>, NoResult> {
        let cancelled = AtomicBool::new(false);
        let control = Control { cancelled: &cancelled, deadline: Instant::now().checked_add(self.on.limit) };
        let settings =
            Settings { readable: ReadableFiles::CurrentFolder, ..Settings::new(&self.arguments, control) };
        // The debugger's commands use the same terminal, so the output is discarded.
        let Ran { exit, findings, .. } = program::run(program, gpus, &settings, &mut std::io::sink());
        let failure = match exit {
            Exit::Code(_) | Exit::Stopped => return Ok(findings),
            Exit::Cancelled => Failure::Limit(ToolLimit::Seconds(self.on.limit.as_secs())),
            Exit::UndefinedFunction { name, line } => Failure::undefined(&name, line),
            Exit::Unsupported { what, line } => Failure::unsupported(what, line),
            Exit::Limit(reached) => Failure::Limit(ToolLimit::Run(reached)),
            Exit::NoMain => Failure::MissingFunction(Missing::main()),
            Exit::Environment(error) => return Err(error.into()),
        };
        Err(failure.into())
    }
}

impl Recordable for OwnProgram {
    fn source(&self) -> (&str, &str) {
        (&self.text, &self.file)
    }

    fn cases(&self) -> usize {
        1
    }

    fn wrong(&self) -> Wrong {
        Wrong::default()
    }

    fn launches(&self, _: usize) -> Result<Launches, NoResult> {
        let mut gpus = self.gpus();
        let findings = self.run(&self.program, &mut gpus)?;
        Ok(Launches::of(&gpus, findings))
    }

    fn record(&self, part: RecordedPart) -> Result<Recorded, NoResult> {
        let own = (self.text.as_str(), self.file.as_str());
        let compile: Compile = program::compile_for_debugging;
        let program = compiled(compile, &self.compiler, &self.own, own, &self.on.model)?;
        let wanted = LaunchToRecord { launch: part.launch, request: part.request };
        let mut gpus = self.gpus().recording(wanted);
        self.run(&program, &mut gpus)?;
        let missing = || anyhow!("the program did not repeat its launch {}", part.launch + 1);
        let launch = gpus.take_recorded().ok_or_else(missing)?;
        Ok(Recorded::of(&program, launch, Case::new()))
    }
}

fn compiled(
    compile: Compile,
    compiler: &Compiler,
    own: &OwnHeaders,
    (text, file): (&str, &str),
    model: &Model,
) -> Result<Program, NoResult> {
    let (source, headers) = (Source::new(text), own.headers());
    let files = Files { file, source: &source, headers: &headers };
    Ok(own.request(&files, model.capability(), |request| compile(compiler, request))?)
}
