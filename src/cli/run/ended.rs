//! How a program ended, or why it was stopped.

use super::{Args, INTERRUPT, RunJob, elsewhere, streams, tagged};
use crate::cli::watchdog::StopReason;
use crate::cli::{CommandError, Context, Exit, Format, Result};
use cpp::{Library, Source, Space, source_name};
use host::program;
use host::program::undefined::{Fault, fault, lacking};
use report::{Ended, ProgramView, escape};
use sim::{LimitReached, Module, RunLimit, SourceLocation, Stage};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// Exit codes of an interrupted program and of one stopped for a memory defect, as in a shell: 128 plus the
/// number of the signal.
const INTERRUPTED: u8 = 128 + 2;
const STOPPED: u8 = 128 + 11;

/// Fills the view with how the program ended, and returns how to exit. `doing`: what it was doing, if its last
/// kernel did not end.
///
/// # Errors
///
/// The program has no `main`, or the environment is at fault.
pub fn ended(
    exit: program::Exit,
    job: &RunJob,
    doing: Option<String>,
    view: &mut ProgramView,
) -> Result<Exit> {
    Ok(match exit {
        program::Exit::Code(code) => {
            view.end.ended = Ended::Exit;
            view.end.exit_code = Some(code);
            Exit::Program(code as u8)
        }
        program::Exit::Stopped => {
            view.end.ended = Ended::Stopped;
            Exit::Program(STOPPED)
        }
        program::Exit::UndefinedFunction { name, line } => {
            view.end.line = line_of(view, line);
            let (ended, detail, exit) = match undefined(&name, job) {
                Some(detail) => (Ended::UndefinedFunction, detail, Exit::Fails),
                None => (Ended::Unsupported, lacking(&name), Exit::Unavailable),
            };
            view.end.because(ended, detail);
            exit
        }
        program::Exit::Unsupported { what, line } => {
            view.end.line = line_of(view, line);
            view.end.because(Ended::Unsupported, what);
            Exit::Unavailable
        }
        program::Exit::Limit(reached) => {
            view.end.because(Ended::Limit, with_its_option(&reached));
            Exit::Unavailable
        }
        program::Exit::Cancelled => {
            let (ended, what, exit) = match INTERRUPT.load(Relaxed) {
                true => (Ended::Cancelled, "interrupted".into(), Exit::Program(INTERRUPTED)),
                false => (Ended::Limit, over_time(job.args), Exit::Unavailable),
            };
            view.end.because(ended, doing.map_or(what.clone(), |doing| format!("{what} ({doing})")));
            exit
        }
        program::Exit::NoMain => {
            return Err(CommandError::usage(format!(
                "{} has no main(): a program starts there",
                escape(&view.file)
            )));
        }
        program::Exit::Environment(error) => return Err(error.into()),
    })
}

/// Returns what is wrong with a program that uses a function, by its name in the PTX, which nothing defines; `None` where a
/// library of others may define it.
fn undefined(name: &str, job: &RunJob) -> Option<String> {
    let function = source_name(name);
    let fault = fault(name);
    if fault == Fault::HostOnly {
        return Some(report::host_function_in_kernel(name));
    }
    let (source, own) = (job.files.source, function.rsplit("::").next().unwrap_or(&function));
    let declared = declaration(source, own);
    // Fortran's names end with an underscore.
    let of_others = name.ends_with('_') || Library::of_name(name).is_some();
    if fault == Fault::Library && (declared.is_none() || of_others) {
        return None;
    }
    let path = job.args.file.as_deref().map(Path::new);
    if let Some(other) = path.and_then(|path| elsewhere::file_that_defines(own, path)) {
        return Some(report::defined_elsewhere(&function, job.files.file, &other));
    }
    Some(match (fault, declared) {
        (Fault::Library, _) => report::undefined_c_function(&function),
        (_, Some(Space::Kernel)) => report::undefined_kernel(&function),
        _ => report::undefined_function(&function),
    })
}

/// Returns where a function may run that a source declares and does not define.
fn declaration(source: &Source, name: &str) -> Option<Space> {
    let declared =
        source.functions()?.iter().find(|its| its.body.is_none() && source.name_of(its) == name)?;
    Some(declared.space)
}

/// Returns the line of a place if it is in the program's own file, else 0.
pub fn line_of(view: &ProgramView, at: Option<SourceLocation>) -> u32 {
    let own = |file: &str| Path::new(file).file_name() == Path::new(&view.file).file_name();
    at.filter(|at| own(&at.file)).map_or(0, |at| at.line)
}

/// Returns the description of a limit, with the option that changes it.
fn with_its_option(reached: &LimitReached) -> String {
    let said = report::limit_reached(reached);
    let option = match reached.limit {
        RunLimit::WarpInstructions { .. } | RunLimit::BlockInstructions { .. } => "--limit-instructions",
        RunLimit::HostVariables { .. }
        | RunLimit::HostMemory { .. }
        | RunLimit::RefusedMemory { .. }
        | RunLimit::MachineMemory { .. } => "--limit-memory",
        RunLimit::Output { .. } => "--limit-output",
        _ => return said,
    };
    format!("{said}; {option} raises the limit")
}

/// Returns what a program was doing that was stopped in a kernel.
pub fn in_kernel(module: &Module, stage: Stage, file: &str) -> String {
    let kernels = module.kernels();
    let Some(kernel) = kernels.get(stage.kernel as usize) else { return "a kernel was running".into() };
    let own = |at: &&SourceLocation| Path::new(&*at.file).file_name() == Path::new(file).file_name();
    let line = stage.pc.and_then(|pc| module.location_of(pc)).filter(own);
    let line = line.map_or(String::new(), |at| format!(" and got to line {} last", at.line));
    format!("kernel {} was running{line}", source_name(kernel))
}

/// Returns that the time limit of a run was reached.
pub fn over_time(args: &Args) -> String {
    format!("stopped after {} s; --limit-seconds gives it more time", args.limit_seconds)
}

/// Returns the function that reports and ends this process while a kernel is still running.
pub fn give_up(
    view: &ProgramView,
    args: &Args,
    most_bytes: u64,
    context: &Context,
    kept: streams::Kept,
    in_kernel: impl FnOnce() -> String + Send + 'static,
) -> impl FnOnce(StopReason) + Send + 'static {
    let (mut view, limit, style) = (view.clone(), over_time(args), context.style.clone());
    let memory = format!(
        "stopped: it took more than {} MiB of this machine's memory in total; --limit-memory raises the limit",
        most_bytes >> 20
    );
    let json = context.global.format == Format::Json;
    move |late| {
        let (ended, what, code) = match late {
            StopReason::Deadline => (Ended::Limit, limit, Exit::Unavailable.code()),
            StopReason::Interrupted => (Ended::Cancelled, "interrupted".into(), INTERRUPTED),
            StopReason::Memory => (Ended::Limit, memory, Exit::Unavailable.code()),
        };
        let doing =
            if program::waits_for_input() { "it waited for standard input".into() } else { in_kernel() };
        view.end.because(ended, format!("{what} ({doing})"));
        [view.run.stdout, view.run.stderr] = kept.texts();
        let _ = match json {
            true => io::stdout().write_all(tagged(&view).as_bytes()).and_then(|()| io::stdout().flush()),
            false => {
                let text = report::program(&view, &style);
                io::stderr().write_all(report::without_ci_commands(&text).as_bytes())
            }
        };
        std::process::exit(code.into());
    }
}
