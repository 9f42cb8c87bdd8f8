//! `run`: compiles and runs a whole CUDA program, and tells what was found.

use super::{Answer, Backend, Context, Exit, Format, Trouble, judging};
use crate::device::model::Model;
use crate::device::simulated::{Schedule, Simulated};
use crate::nvrtc::{CompileError, Compiler, Diagnostic, Severity};
use crate::program::library::{Channel, Sink};
use crate::program::{self, Control, NoProgram, Program, Ran, Settings};
use crate::report::{self, About, DiagnosticView, FindingView, ProgramView, escape, json};
use crate::sim::{HostLimits, Options};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Most GPUs of a machine.
const MOST_DEVICES: u32 = 16;
/// What a shell says of a program that was interrupted, and of one that memory ended: 128 and the
/// signal's number.
const INTERRUPTED: u8 = 128 + 2;
const STOPPED: u8 = 128 + 11;

#[derive(clap::Args)]
pub struct Args {
    /// The program: one .cu file with main()
    #[arg(value_name = "FILE.cu")]
    file: Option<String>,
    /// What the program is given, after --
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
    /// The GPU that is modelled: t4, a100 or h100
    #[arg(long = "as", value_name = "GPU", default_value = "a100")]
    gpu: String,
    /// How many such GPUs the machine has
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MOST_DEVICES as i64))]
    devices: u32,
    /// When work is done that nothing orders: eager, lazy or random:SEED
    #[arg(long, value_name = "ORDER", default_value = "eager")]
    schedule: Schedule,
    /// Write what happened when, for Perfetto or chrome://tracing
    #[arg(long, value_name = "OUT.json")]
    trace: Option<PathBuf>,
    /// Show what happened when
    #[arg(long)]
    gantt: bool,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit_seconds: u64,
    /// Most memory of the host program, and of what its modelled GPUs hold, in MiB each
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    limit_memory: u64,
    /// Most output, in KiB
    #[arg(long, value_name = "KIB", default_value_t = 16384)]
    limit_output: u64,
    /// Do not look for races and values never written: faster
    #[arg(long)]
    no_checks: bool,
    /// Tell what could be better in kernels: slower
    #[arg(long)]
    advice: bool,
    /// Tell of differences of nearly equal floats too; with --advice
    #[arg(long, requires = "advice")]
    strict_floats: bool,
}

/// Set by Ctrl-C.
static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// The first Ctrl-C stops the program, a second one this process.
fn watch_for_interrupt() {
    #[cfg(unix)]
    {
        extern "C" fn interrupted(_signal: libc::c_int) {
            INTERRUPT.store(true, Relaxed);
            // SAFETY: `signal` may be called in a handler (POSIX, async-signal-safe functions).
            unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        }
        let handler: extern "C" fn(libc::c_int) = interrupted;
        // SAFETY: the handler only stores to an atomic and calls what handlers may call.
        unsafe { libc::signal(libc::SIGINT, handler as libc::sighandler_t) };
    }
}

/// The program's output, passed on as it comes; kept for JSON.
struct Streams {
    keep: bool,
    /// Control characters are shown, not obeyed, where a person looks and in the log of a CI job.
    escape: [bool; 2],
    /// A CI job's log: lines that begin with `::` are commands to some, and are indented.
    in_ci: bool,
    kept: [Vec<u8>; 2],
    /// The end of the output has a line of its own.
    at_line_start: bool,
}

impl Sink for Streams {
    fn write(&mut self, channel: Channel, bytes: &[u8]) {
        let n = usize::from(channel == Channel::Stderr);
        if self.keep {
            return self.kept[n].extend_from_slice(bytes);
        }
        let safe;
        let bytes = if self.escape[n] {
            let text = report::escape_lines(&String::from_utf8_lossy(bytes));
            let begins = self.in_ci && self.at_line_start && text.starts_with("::");
            let text = if self.in_ci { text.replace("\n::", "\n ::") } else { text };
            safe = if begins { format!(" {text}") } else { text };
            safe.as_bytes()
        } else {
            bytes
        };
        self.at_line_start = bytes.last().is_none_or(|last| *last == b'\n');
        // Nobody may be listening; there is nowhere else to say so.
        let _ = match channel {
            Channel::Stdout => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
            Channel::Stderr => io::stderr().write_all(bytes),
        };
    }
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let command = &context.style.command;
    if context.global.backend == Backend::Gpu {
        return Err(Trouble::environment(
            "--backend gpu is not built yet: this version runs programs on modelled GPUs. Leave the option out.",
        ));
    }
    let Some(file) = &args.file else {
        return Err(Trouble::usage(format!(
            "name the program to run, a .cu file with main(): {command} run FILE.cu"
        )));
    };
    let model = Model::named(&args.gpu.to_lowercase()).map_err(|_| {
        let names: Vec<&str> = Model::names().collect();
        Trouble::usage(format!("no data of a GPU {}: there are {}", escape(&args.gpu), names.join(", ")))
    })?;
    let model = Arc::new(model);
    for missing in Compiler::guarantees().missing() {
        context.say(&format!("Run only files you trust: {missing}."));
    }
    let mut view = empty(file, &model, &args);
    let source = match judging::read_source(&PathBuf::from(file), file)? {
        Ok(source) => source,
        Err(failure) => {
            let message = match *failure {
                crate::judge::Failure::Limit(limit) => Diagnostic {
                    severity: Severity::Error,
                    file: String::new(),
                    line: 0,
                    column: 0,
                    message: limit,
                },
                crate::judge::Failure::Compile(mut messages) if !messages.is_empty() => messages.remove(0),
                other => return Err(Trouble::usage(other.slug())),
            };
            view.diagnostics = vec![DiagnosticView::new(&message, "")];
            return answer(&view, Exit::Fails, &args, None, context);
        }
    };
    let capability = (model.properties.major, model.properties.minor);
    let compiled = program::compile(context.compiler()?, &source, file, capability, &[]);
    let program = match compiled {
        Ok(program) => program,
        Err(NoProgram::Compile(CompileError::Environment(error))) => return Err(error.into()),
        Err(NoProgram::Compile(CompileError::Rejected(messages))) => {
            view.diagnostics = messages.iter().map(|d| DiagnosticView::new(d, &source)).collect();
            return answer(&view, Exit::Fails, &args, None, context);
        }
        Err(NoProgram::Compile(CompileError::Limit(limit))) => {
            (view.ended, view.detail) = ("limit", Some(limit));
            return answer(&view, Exit::Fails, &args, None, context);
        }
        Err(NoProgram::Unsupported { what, line }) => {
            (view.ended, view.detail) = ("unsupported", Some(what));
            view.line = line.map_or(0, |l| l.line);
            return answer(&view, Exit::Lacking, &args, None, context);
        }
    };
    view.diagnostics = warnings(&program, &source);
    let (exit, gpus) = run_it(&program, &source, &model, &args, &mut view, context)?;
    answer(&view, exit, &args, Some(&gpus), context)
}

/// Warnings of the compiler about what no run shows: it leaves such code out or does anything there.
fn warnings(program: &Program, source: &str) -> Vec<DiagnosticView> {
    const TOLD: [&str; 3] =
        ["missing return statement", "returning pointer to local", "returning reference to local"];
    let told = |d: &&Diagnostic| TOLD.iter().any(|text| d.message.starts_with(text));
    program.diagnostics.iter().filter(told).map(|d| DiagnosticView::new(d, source)).collect()
}

/// Runs the program and fills the view.
fn run_it(
    program: &Program,
    source: &str,
    model: &Arc<Model>,
    args: &Args,
    view: &mut ProgramView,
    context: &Context,
) -> Result<(Exit, Simulated), Trouble> {
    let options = Options {
        checks: !args.no_checks,
        advice: args.advice,
        strict_floats: args.strict_floats,
        ..Options::default()
    };
    let models = (0..args.devices).map(|_| Arc::clone(model)).collect();
    let mut gpus = Simulated::new(models, args.schedule, options);
    let mut arguments = vec![view.file.trim_end_matches(".cu").to_owned()];
    arguments.extend(args.arguments.iter().cloned());
    watch_for_interrupt();
    let deadline = Instant::now().checked_add(Duration::from_secs(args.limit_seconds));
    let settings = Settings {
        arguments: &arguments,
        host: HostLimits { memory_bytes: args.limit_memory.saturating_mul(1 << 20), ..HostLimits::default() },
        output_bytes: args.limit_output.saturating_mul(1 << 10),
        control: Control { cancelled: &INTERRUPT, deadline },
    };
    let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    let mut streams = Streams {
        keep: context.global.format == Format::Json,
        escape: [in_ci || io::stdout().is_terminal(), in_ci || io::stderr().is_terminal()],
        in_ci,
        kept: Default::default(),
        at_line_start: true,
    };
    let Ran { exit, findings, nanoseconds, host_instructions, .. } =
        program::run(program, &mut gpus, &model.properties, &settings, &mut streams);
    // Where a person looks; what is piped on stays as the program wrote it.
    if !streams.at_line_start && streams.escape[0] {
        streams.write(Channel::Stdout, b"\n");
    }
    view.modelled_ns = nanoseconds;
    view.host_instructions = host_instructions;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (view.stdout, view.stderr) = (text(&streams.kept[0]), text(&streams.kept[1]));
    view.findings = findings.iter().map(|f| FindingView::of_program(f, &view.file, source)).collect();
    view.advice = report::advice_views(gpus.advice(), &About::program(&view.file, source));
    let exit = match exit {
        program::Exit::Code(code) => {
            view.ended = "exit";
            view.exit_code = Some(code);
            Exit::Program(code as u8)
        }
        program::Exit::Stopped => {
            view.ended = "stopped";
            Exit::Program(STOPPED)
        }
        program::Exit::Unsupported { what, line } => {
            (view.ended, view.detail) = ("unsupported", Some(what));
            view.line = line.map_or(0, |l| l.line);
            Exit::Lacking
        }
        program::Exit::Limit(limit) => {
            (view.ended, view.detail) = ("limit", Some(limit));
            Exit::Fails
        }
        program::Exit::Cancelled if INTERRUPT.load(Relaxed) => {
            (view.ended, view.detail) = ("cancelled", Some("interrupted".into()));
            Exit::Program(INTERRUPTED)
        }
        program::Exit::Cancelled => {
            let limit = format!("stopped after {} s; --limit-seconds gives it longer", args.limit_seconds);
            (view.ended, view.detail) = ("limit", Some(limit));
            Exit::Fails
        }
        program::Exit::NoMain => {
            return Err(Trouble::usage(format!(
                "{} has no main(): a program begins there",
                escape(&view.file)
            )));
        }
        program::Exit::Environment(error) => return Err(error.into()),
    };
    Ok((exit, gpus))
}

fn empty(file: &str, model: &Model, args: &Args) -> ProgramView {
    ProgramView {
        file: file.into(),
        ended: "compile-error",
        exit_code: None,
        detail: None,
        line: 0,
        device: model.properties.name.clone(),
        devices: args.devices as usize,
        modelled_ns: 0,
        host_instructions: 0,
        stdout: String::new(),
        stderr: String::new(),
        findings: Vec::new(),
        advice: Vec::new(),
        diagnostics: Vec::new(),
    }
}

/// Shows what was found, and what happened when.
fn answer(
    view: &ProgramView,
    exit: Exit,
    args: &Args,
    gpus: Option<&Simulated>,
    context: &mut Context,
) -> Answer {
    if let (Some(path), Some(gpus)) = (&args.trace, gpus) {
        let names = vec![view.device.as_str(); view.devices];
        let text = json::to_line(&report::trace(gpus.spans(), &names, true));
        std::fs::write(path, text).map_err(|e| {
            Trouble::environment(format!("can't write {}: {e}", escape(&path.display().to_string())))
        })?;
    }
    if context.global.format == Format::Json {
        context.out.print(&json::to_line(&json::Tagged::new("gpulearn.run/1", view)));
        return Ok(exit);
    }
    let mut text = report::program(view, &context.style);
    if let (true, Some(gpus)) = (args.gantt, gpus) {
        text += &report::gantt(gpus.spans(), view.devices, true, &context.style);
    }
    // Beside the program's own output, so that what it prints can be piped on.
    if !text.is_empty() {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
    Ok(exit)
}
