//! `run`: compiles and runs a whole CUDA program, and reports the findings.

mod files;
mod forecast;
mod on_gpu;
mod streams;

use super::debug::{ModelledRun, OwnProgram, RecordChoice, RecordedBlock, record};
use super::own::{OwnArgs, OwnHeaders};
use super::source_text::{is_cuda, name_of, read_source};
use super::view::{MAX_STEPS, write};
use super::watchdog::{self, StopReason};
use super::{Answer, CommandError, Context, Exit, Format, Result, model, written};
use compiler::{CompileError, Compiler, Diagnostic, Limits};
use cpp::{Source, source_name};
use host::device::model::Model;
use host::device::simulated::{Launched, Schedule, Simulated};
use host::program::undefined::{Fault, fault, lacking};
use host::program::{
    self, CompileFailure, Control, GpuLimits, Input, MemoryUse, Program, Ran, Range, ReadableFiles, Settings,
};
use report::{
    self, DiagnosticView, Ended, Files, FindingView, LaunchView, MemoryView, ProgramRunView, ProgramView,
    RanOn, TraceInput, escape, json,
};
use sim::compiled::CompileWhen;
use sim::{
    FindingKind, HostLimits, LimitReached, Module, Options, Progress, RunLimit, SourceLocation, Stage,
};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use streams::Streams;

/// The default of the modelled GPU.
pub const MODEL: &str = "a100";
/// Maximum number of modelled GPUs.
const MAX_DEVICES: u32 = 16;
/// Exit codes of an interrupted program and of one stopped for a memory defect, as in a shell: 128 plus the
/// number of the signal.
const INTERRUPTED: u8 = 128 + 2;
const STOPPED: u8 = 128 + 11;

#[derive(clap::Args)]
pub struct Args {
    /// The program: one .cu file with main()
    #[arg(value_name = "FILE.cu")]
    file: Option<OsString>,
    #[command(flatten)]
    own: OwnArgs,
    /// What was meant as the program's arguments, or as more of its files.
    #[arg(hide = true)]
    others: Vec<OsString>,
    /// The program's arguments, after --
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
    /// GPU to model: t4, a100 (the default) or h100
    #[arg(long = "as", value_name = "GPU")]
    gpu: Option<String>,
    /// How many GPUs the program sees; if omitted, one modelled GPU, or all of this machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_DEVICES as i64))]
    devices: Option<u32>,
    /// When to do modelled work that nothing orders: eager (the default), lazy or random:SEED
    #[arg(long, value_name = "ORDER")]
    schedule: Option<Schedule>,
    /// Write what happened when: JSON for Perfetto or chrome://tracing or, if named .pftrace, Perfetto's own format,
    /// with counters and with arrows from work to what waits for it
    #[arg(long, value_name = "OUT.json|OUT.pftrace")]
    trace: Option<PathBuf>,
    /// Show what happened when
    #[arg(long)]
    gantt: bool,
    /// Show the memory that the program allocates from CUDA, over time
    #[arg(long)]
    memory: bool,
    /// Draw the run as one HTML page, or write its data as JSON: its findings, the work of each line and what
    /// happened when; slower
    #[arg(long, value_name = "OUT.html|OUT.json")]
    view: Option<PathBuf>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit_seconds: u64,
    /// Memory limit of the host program, and of its modelled GPUs' memory, in MiB each; with what is needed
    /// to find races, the total may reach four times as much. If omitted, the memory left on this machine
    /// is the limit of each and of the total
    #[arg(long, value_name = "MIB")]
    limit_memory: Option<u64>,
    /// Maximum warp instructions of one block of a kernel, in millions
    #[arg(long, value_name = "MILLIONS", default_value_t = 1000)]
    limit_instructions: u64,
    /// Maximum output, in KiB
    #[arg(long, value_name = "KIB", default_value_t = 16384)]
    limit_output: u64,
    /// Also exit with 1 if memory, streams or events were never freed
    #[arg(long)]
    strict: bool,
    /// Do not look for races and values never written; faster
    #[arg(long)]
    no_checks: bool,
    /// Run only this percentage of the blocks of each kernel, and extrapolate the work of all from theirs, for sizes
    /// that would take too long. Results are then not those of the program, and no defects are looked for
    #[arg(long, value_name = "PERCENT", value_parser = percent, conflicts_with_all = ["trace", "gantt", "memory", "view", "advice", "schedule"])]
    sample_blocks: Option<f64>,
    /// Report what could be better in kernels; slower
    #[arg(long)]
    advice: bool,
    /// Also report differences of nearly equal floats; with --advice
    #[arg(long, requires = "advice")]
    strict_floats: bool,
}

impl Args {
    /// Returns the arguments of the command line that draws a program.
    pub fn drawing(file: &Path, page: &Path, gpu: &str) -> Args {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: Args,
        }
        let words =
            [OsStr::new("run"), file.as_os_str(), OsStr::new("--as"), OsStr::new(gpu), OsStr::new("--view")];
        <Line as clap::Parser>::parse_from(words.into_iter().chain([page.as_os_str()])).args
    }

    /// Returns the first option given that requires modelled GPUs.
    fn modelled(&self) -> Option<&'static str> {
        let options = [
            ("--as", self.gpu.is_some()),
            ("--schedule", self.schedule.is_some()),
            ("--trace", self.trace.is_some()),
            ("--gantt", self.gantt),
            ("--memory", self.memory),
            ("--view", self.view.is_some()),
            ("--no-checks", self.no_checks),
            ("--sample-blocks", self.sample_blocks.is_some()),
            ("--advice", self.advice),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    fn modelled_devices(&self) -> u32 {
        self.devices.unwrap_or(1)
    }

    /// Returns the memory that the program may use, in bytes.
    fn memory_bytes(&self) -> u64 {
        let left =
            || crate::machine_memory::available_to_process_bytes().unwrap_or(USUAL_BYTES).max(MIN_BYTES);
        self.limit_memory.map_or_else(left, |mib| mib.saturating_mul(1 << 20))
    }

    /// Returns the memory that this whole process may use, of which the program may use `memory_bytes`.
    fn all_bytes(&self, memory_bytes: u64) -> u64 {
        match self.limit_memory {
            Some(_) => memory_bytes.saturating_mul(ALL_MEMORY).saturating_add(OWN_BYTES),
            None => memory_bytes,
        }
    }

    /// Returns the time limit of a run.
    fn limit(&self) -> Duration {
        Duration::from_secs(self.limit_seconds)
    }

    /// Returns the settings of a run; its time limit starts now.
    fn settings<'a>(&self, arguments: &'a [String], compile: Option<CompileWhen>) -> Settings<'a> {
        let memory_bytes = self.memory_bytes();
        Settings {
            arguments,
            input: Input::Own,
            readable: ReadableFiles::CurrentFolder,
            host: HostLimits { memory_bytes, ..HostLimits::default() },
            compile,
            output_bytes: self.limit_output.saturating_mul(1 << 10),
            gpus: GpuLimits::default(),
            launch_blocking: launch_blocking(std::env::var("CUDA_LAUNCH_BLOCKING").ok().as_deref()),
            control: Control { cancelled: &INTERRUPT, deadline: Instant::now().checked_add(self.limit()) },
        }
    }

    /// Returns the program's `argv`.
    fn words(&self, file: &str) -> Vec<String> {
        let name = file.trim_end_matches(".cu").to_owned();
        std::iter::once(name).chain(self.arguments.iter().cloned()).collect()
    }
}

/// Parses a percentage above 0 and up to 100, with or without a percent sign.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    number
        .parse()
        .ok()
        .filter(|percent: &f64| *percent > 0.0 && *percent <= 100.0)
        .ok_or_else(|| "use a number above 0 and up to 100".to_owned())
}

/// Environment variable for when kernels, and loops and functions of host code, are compiled to machine code:
/// `hot` (the default), once much time is spent in them; `always`, before they run; or `never`.
const MACHINE_CODE: &str = "GPULEARN_MACHINE_CODE";

/// Returns when to compile to machine code according to [`MACHINE_CODE`], and whether the variable asks for it
/// explicitly; `None` if never.
fn machine_code() -> Option<(CompileWhen, bool)> {
    let asked = std::env::var(MACHINE_CODE).ok();
    let when = match asked.as_deref() {
        Some("never") => return None,
        Some("hot") => (CompileWhen::Hot, true),
        Some("always") => (CompileWhen::Always, true),
        _ => (CompileWhen::Hot, false),
    };
    jit::is_available().then_some(when)
}

/// Returns when this process compiles to machine code; `None` if never. By default it does only if it can be kept
/// from starting processes, a restriction that then remains in place.
fn machine_code_here(args: &Args) -> Option<CompileWhen> {
    // The page is drawn from a second run, for which another process compiles the program again.
    let (when, is_asked_for) = machine_code().filter(|_| args.view.is_none())?;
    let is_kept = compiler::no_processes().is_ok();
    Some(when).filter(|_| is_kept || is_asked_for)
}

/// Parses `CUDA_LAUNCH_BLOCKING`: any number but 0 turns it on.
fn launch_blocking(value: Option<&str>) -> bool {
    value.is_some_and(|value| value.trim().parse::<i64>().is_ok_and(|number| number != 0))
}

/// Memory limit of the whole process, as a multiple of the program's: device memory is committed as kernels write
/// to it, and the record of each access takes further memory.
const ALL_MEMORY: u64 = 4;
/// Memory that this tool needs without a program.
const OWN_BYTES: u64 = 512 << 20;
/// Memory for a program where the machine does not report how much is available, and the minimum on any machine.
const USUAL_BYTES: u64 = 4 << 30;
const MIN_BYTES: u64 = 1 << 30;

/// Set by Ctrl-C.
static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// Installs a handler with which the first Ctrl-C stops the program, and a second one this process.
fn watch_for_interrupt() {
    #[cfg(unix)]
    {
        extern "C" fn interrupted(_signal: libc::c_int) {
            INTERRUPT.store(true, Relaxed);
            // SAFETY: `signal` may be called in a handler (POSIX, async-signal-safe functions).
            unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        }
        let handler: extern "C" fn(libc::c_int) = interrupted;
        // SAFETY: the handler only stores to an atomic and calls async-signal-safe functions.
        unsafe { libc::signal(libc::SIGINT, handler as libc::sighandler_t) };
    }
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let command = &context.style.command;
    let Some(path) = &args.file else {
        return Err(CommandError::usage(format!(
            "give the program to run, a .cu file with main(): {command} run FILE.cu"
        )));
    };
    let file = &name_of(path);
    if let Some(other) = args.others.first() {
        return Err(CommandError::usage(match is_cuda(other) {
            true => "a program is one .cu file, which includes the others: name that one".to_owned(),
            false => format!(
                "a program's own arguments are given after --: {command} run {} -- {}",
                escape(file),
                escape(&name_of(other))
            ),
        }));
    }
    let model = model::named(args.gpu.as_deref().unwrap_or(MODEL))?;
    let gpu = on_gpu::choose(&args, context)?;
    let model = Arc::new(model);
    context.warn_of_files("Run");
    let mut view = empty(file, &model, &args);
    let source = match read_source(Path::new(path), file)? {
        Ok(source) => source,
        Err(failure) => {
            let message = match *failure {
                judge::Failure::Limit(limit) => Diagnostic::error("", (0, 0), limit),
                judge::Failure::Compile(mut messages) if !messages.is_empty() => messages.remove(0),
                other => return Err(CommandError::usage(other.slug())),
            };
            view.diagnostics = vec![DiagnosticView::new(&message, &Source::new(""), true)];
            return answer(&view, Exit::Fails, &args, None, context);
        }
    };
    let compiler = match &gpu {
        Some(gpu) => &gpu.compiler,
        None => context.compiler()?,
    };
    let own = args.own.of(compiler, &source, Path::new(path));
    let (source, headers) = (Source::new(&source), own.headers());
    let given = RunSource { own: &own, files: Files { file, source: &source, headers: &headers } };
    if let Some(gpu) = &gpu {
        let program = match compiled(&gpu.compiler, gpu.capability(), &given, &mut view)? {
            Ok(program) => program,
            Err(exit) => return answer(&view, exit, &args, None, context),
        };
        if let Some(exit) = on_gpu::run(&program, &given, gpu, &model, &args, &mut view, context)? {
            return answer(&view, exit, &args, None, context);
        }
        view = empty(file, &model, &args);
    }
    let capability = model.capability();
    let program = match compiled(context.compiler()?, capability, &given, &mut view)? {
        Ok(program) => program,
        Err(exit) => return answer(&view, exit, &args, None, context),
    };
    let (exit, done) = run_simulated(&program, &given.files, &model, &args, &mut view, context)?;
    if let Some(path) = &args.view {
        let subject = record_block_for_page(&args, &view, &done, &model, context)?;
        let kernel = subject.as_ref().map(RecordedBlock::program);
        let recorded =
            subject.as_ref().zip(kernel.as_ref()).and_then(|(subject, program)| subject.on_page(program));
        write(path, &build_page(&view, given.files.source.text(), &done, &model, recorded))?;
    }
    answer(&view, exit, &args, Some(&done), context)
}

/// What a run on modelled GPUs leaves behind for pictures.
struct RunArtifacts {
    gpus: Simulated,
    ranges: Vec<Range>,
    memory: Vec<MemoryUse>,
    /// Whether the program's output ended without a line break.
    line_is_open: bool,
}

/// Maximum number of host and warp instructions for which a program is run again to record a block.
const MAX_RERUN: u64 = 50_000_000;

/// Records a block of the program to step through on its page; `None` if that would take long.
fn record_block_for_page(
    args: &Args,
    view: &ProgramView,
    done: &RunArtifacts,
    model: &Arc<Model>,
    context: &mut Context,
) -> Result<Option<RecordedBlock>> {
    let work = view.run.host_instructions + done.gpus.ledger().totals.instructions.iter().sum::<u64>();
    let path = args.file.as_ref().filter(|_| work <= MAX_RERUN && args.modelled_devices() == 1);
    let Some(path) = path.filter(|_| !done.gpus.ledger().launches.is_empty()) else { return Ok(None) };
    let on = ModelledRun { model: Arc::clone(model), limit: args.limit() };
    let program = OwnProgram::open(Path::new(path), &args.own, &args.arguments, &on, context)?;
    let choice = RecordChoice { case: None, launch: None, block: None, most_steps: MAX_STEPS };
    // A block that can't be recorded is left out: the page has other contents.
    Ok(program.ok().map(|program| record(&program, &choice)).transpose()?.and_then(Result::ok))
}

/// Builds the page of a run.
fn build_page(
    view: &ProgramView,
    source: &str,
    done: &RunArtifacts,
    model: &Model,
    recorded: Option<view::Recorded>,
) -> view::Document {
    let gpus = &done.gpus;
    let findings = [view.findings.as_slice(), &view.advice].concat();
    let launch = |its: &Launched| view::Launch {
        kernel: its.what.to_string(),
        config: its.config,
        work: its.work.clone(),
    };
    let launches: Vec<view::Launch> = gpus.ledger().launches.iter().map(launch).collect();
    view::Document::new(&view::Run {
        title: &view.file,
        file: &view.file,
        source,
        case: "",
        wrong: None,
        elements: None,
        image: None,
        findings: &findings,
        recorded,
        profile: &gpus.advice().profile,
        buffers: &[],
        launches: &launches,
        spans: gpus.spans(),
        memory: (&done.memory, view.run.modelled_ns.unwrap_or(0)),
        model,
    })
}

/// CPU time limit for compiling a program.
const COMPILE_TIME: Duration = Duration::from_secs(60);

/// The source of the program to run.
struct RunSource<'a> {
    own: &'a OwnHeaders,
    files: Files<'a>,
}

impl RunSource<'_> {
    /// Compiles the program for a compute capability. The time limit is generous, since only the program's owner
    /// waits.
    fn program(&self, compiler: &Compiler, capability: (u32, u32)) -> Result<Program, CompileFailure> {
        let compiler = compiler.clone().with_limits(Limits { cpu_time: COMPILE_TIME, ..Limits::default() });
        self.own.request(&self.files, capability, |request| program::compile(&compiler, request))
    }
}

/// Compiles the program. If that fails, fills the view with the reason and returns how to exit.
fn compiled(
    compiler: &Compiler,
    capability: (u32, u32),
    given: &RunSource,
    view: &mut ProgramView,
) -> Result<Result<Program, Exit>> {
    let shown = |d: &Diagnostic| DiagnosticView::of_files(d, &given.files, &given.own.source.refused, true);
    match given.program(compiler, capability) {
        Ok(program) => {
            view.diagnostics = warnings(&program).map(shown).collect();
            return Ok(Ok(program));
        }
        Err(CompileFailure::Compile(CompileError::Environment(error))) => return Err(error.into()),
        Err(CompileFailure::Compile(CompileError::Rejected(messages))) => {
            view.diagnostics = messages.iter().map(shown).collect();
        }
        Err(CompileFailure::Compile(CompileError::Limit(limit))) => {
            view.end.because(Ended::Limit, limit);
        }
        Err(CompileFailure::Unsupported { what, line }) => {
            view.end.because(Ended::Unsupported, what);
            view.end.line = line.map_or(0, |l| l.line);
            return Ok(Err(Exit::Lacking));
        }
    }
    Ok(Err(Exit::Fails))
}

/// Returns compiler warnings about code whose behaviour a run does not explain, because the compiler drops the
/// code, or because it may do anything.
fn warnings(program: &Program) -> impl Iterator<Item = &Diagnostic> {
    const FORMAT_MISMATCH: u32 = 181;
    const USED_BEFORE_SET: u32 = 549;
    const REFERENCE_TO_LOCAL: u32 = 836;
    const MISSING_RETURN: u32 = 940;
    const POINTER_TO_LOCAL: u32 = 1056;
    const REPORTED: [u32; 5] =
        [FORMAT_MISMATCH, USED_BEFORE_SET, REFERENCE_TO_LOCAL, MISSING_RETURN, POINTER_TO_LOCAL];
    program.diagnostics.iter().filter(|d| d.number.is_some_and(|number| REPORTED.contains(&number)))
}

/// Runs the program and fills the view.
fn run_simulated(
    program: &Program,
    files: &Files,
    model: &Arc<Model>,
    args: &Args,
    view: &mut ProgramView,
    context: &Context,
) -> Result<(Exit, RunArtifacts)> {
    let (progress, stop) = (Arc::new(Progress::default()), Arc::new(AtomicBool::new(false)));
    let options = Options {
        checks: !args.no_checks && args.sample_blocks.is_none(),
        sample_every: args.sample_blocks.map_or(1, |percent| (100.0 / percent).round() as u64),
        progress: Some(Arc::clone(&progress)),
        stop: Some(Arc::clone(&stop)),
        advice: args.advice || args.view.is_some(),
        strict_floats: args.strict_floats,
        most_steps: args.limit_instructions.saturating_mul(1_000_000),
        ..Options::default()
    };
    let compile = machine_code_here(args);
    let mut gpus = simulated(model, args.modelled_devices(), args, compiling(options, compile));
    let arguments = args.words(&view.file);
    watch_for_interrupt();
    let settings = args.settings(&arguments, compile);
    let mut streams = Streams::new(context.global.format == Format::Json);
    let most_bytes = args.all_bytes(settings.host.memory_bytes);
    let in_kernel = {
        let (module, progress, file) =
            (Arc::clone(&program.module), Arc::clone(&progress), view.file.clone());
        move || in_kernel(&module, progress.look(), &file)
    };
    let late = give_up(view, args, most_bytes, context, streams.kept(), in_kernel.clone());
    let dog = watchdog::watch(settings.control.deadline, stop, most_bytes, &INTERRUPT, late);
    let forecast =
        forecast::watch(Arc::clone(&progress), program.module.kernels(), settings.control.deadline);
    let ran = program::run(program, &mut gpus, &model.properties, &settings, &mut streams);
    let Ran { exit, findings, nanoseconds, host_instructions, ranges, memory, memory_dropped, .. } = ran;
    drop((dog, forecast));
    let line_is_open = streams.finish();
    view.run.modelled_ns = Some(nanoseconds).filter(|_| args.sample_blocks.is_none());
    view.run.host_instructions = host_instructions;
    [view.run.stdout, view.run.stderr] = streams.kept().texts();
    let launches = gpus.ledger().launches.iter();
    let times = |l| gpus.times_ns(l).filter(|_| args.sample_blocks.is_none());
    view.launches = launches.map(|l| LaunchView::new(l, times(l))).collect();
    view.launches_dropped = gpus.ledger().dropped;
    if args.sample_blocks.is_none() {
        view.memory = MemoryView::new(&memory, memory_dropped);
        view.run.files = files::keep(&ran.files);
    }
    // In a sampled run, nothing can be said about what the other blocks would have written.
    let reported = findings.iter().filter(|_| args.sample_blocks.is_none());
    view.findings = reported.map(|f| FindingView::of_program(f, files)).collect();
    view.advice = report::advice_views(gpus.advice(), |at| files.about(at));
    let stage = progress.look();
    let doing = (stage.done < stage.blocks).then(in_kernel);
    Ok((ended(exit, args, doing, view)?, RunArtifacts { gpus, ranges, memory, line_is_open }))
}

/// Creates the modelled GPUs.
fn simulated(model: &Arc<Model>, devices: u32, args: &Args, options: Options) -> Simulated {
    let models = (0..devices).map(|_| Arc::clone(model)).collect();
    Simulated::new(models, args.schedule.unwrap_or(Schedule::Eager), options)
}

/// Adds the compilation of kernels to machine code to the options.
fn compiling(options: Options, when: Option<CompileWhen>) -> Options {
    let compile_after = if when == Some(CompileWhen::Always) { 0 } else { options.compile_after };
    Options { emitter: when.and_then(|_| jit::kernel_emitter()), compile_after, ..options }
}

/// Fills the view with how the program ended, and returns how to exit. `doing`: what it was doing, if its last
/// kernel did not end.
fn ended(exit: program::Exit, args: &Args, doing: Option<String>, view: &mut ProgramView) -> Result<Exit> {
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
            let (ended, detail, exit) = match fault(&name) {
                Fault::Program => {
                    (Ended::UndefinedFunction, report::undefined_function(&source_name(&name)), Exit::Fails)
                }
                Fault::HostOnly => {
                    (Ended::UndefinedFunction, report::host_function_in_kernel(&name), Exit::Fails)
                }
                Fault::Library => (Ended::Unsupported, lacking(&name), Exit::Lacking),
            };
            view.end.because(ended, detail);
            exit
        }
        program::Exit::Unsupported { what, line } => {
            view.end.line = line_of(view, line);
            view.end.because(Ended::Unsupported, what);
            Exit::Lacking
        }
        program::Exit::Limit(reached) => {
            view.end.because(Ended::Limit, with_its_option(&reached));
            Exit::Fails
        }
        program::Exit::Cancelled => {
            let (ended, what, exit) = match INTERRUPT.load(Relaxed) {
                true => (Ended::Cancelled, "interrupted".into(), Exit::Program(INTERRUPTED)),
                false => (Ended::Limit, over_time(args), Exit::Fails),
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

/// Returns the line of a place if it is in the program's own file, else 0.
fn line_of(view: &ProgramView, at: Option<SourceLocation>) -> u32 {
    let own = |file: &str| Path::new(file).file_name() == Path::new(&view.file).file_name();
    at.filter(|at| own(&at.file)).map_or(0, |at| at.line)
}

/// Returns the description of a limit, with the option that changes it.
fn with_its_option(reached: &LimitReached) -> String {
    let option = match reached.limit {
        RunLimit::WarpInstructions { .. } | RunLimit::BlockInstructions { .. } => "--limit-instructions",
        RunLimit::HostVariables { .. }
        | RunLimit::HostMemory { .. }
        | RunLimit::RefusedMemory { .. }
        | RunLimit::MachineMemory { .. } => "--limit-memory",
        RunLimit::Output { .. } => "--limit-output",
        _ => return reached.to_string(),
    };
    format!("{reached}; {option} raises the limit")
}

/// Returns what a program was doing that was stopped in a kernel.
fn in_kernel(module: &Module, stage: Stage, file: &str) -> String {
    let kernels = module.kernels();
    let Some(kernel) = kernels.get(stage.kernel as usize) else { return "a kernel was running".into() };
    let own = |at: &&SourceLocation| Path::new(&*at.file).file_name() == Path::new(file).file_name();
    let line = stage.pc.and_then(|pc| module.location_of(pc)).filter(own);
    let line = line.map_or(String::new(), |at| format!(" and got to line {} last", at.line));
    format!("kernel {} was running{line}", source_name(kernel))
}

fn over_time(args: &Args) -> String {
    format!("stopped after {} s; --limit-seconds gives it more time", args.limit_seconds)
}

/// Returns the function that reports and ends this process while a kernel is still running.
fn give_up(
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
            StopReason::Deadline => (Ended::Limit, limit, Exit::Fails.code()),
            StopReason::Interrupted => (Ended::Cancelled, "interrupted".into(), INTERRUPTED),
            StopReason::Memory => (Ended::Limit, memory, Exit::Fails.code()),
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

fn tagged(view: &ProgramView) -> String {
    json::to_line(&json::Tagged::new("gpulearn.run/1", view))
}

fn empty(file: &str, model: &Model, args: &Args) -> ProgramView {
    let run = ProgramRunView {
        device: model.properties.name.clone(),
        devices: args.modelled_devices() as usize,
        backend: RanOn::Simulator,
        sampled_percent: args.sample_blocks,
        ..ProgramRunView::default()
    };
    ProgramView { file: file.into(), run, ..ProgramView::default() }
}

/// Prints the findings and the timeline. A program that exits with 0 is still a failure if there are findings;
/// memory that only its end frees counts just with `--strict`.
fn answer(
    view: &ProgramView,
    exit: Exit,
    args: &Args,
    done: Option<&RunArtifacts>,
    context: &mut Context,
) -> Answer {
    let counts = |finding: &FindingView| args.strict || finding.class.kind != FindingKind::Leak;
    let exit = if exit.code() == 0 && view.findings.iter().any(counts) { Exit::Fails } else { exit };
    if let (Some(path), Some(RunArtifacts { gpus, ranges, .. })) = (&args.trace, done) {
        let names = vec![view.run.device.as_str(); view.run.devices];
        let busy: Vec<_> = (0..view.run.devices as u32).map(|device| gpus.busy(device)).collect();
        let spans = gpus.spans();
        let trace = report::trace(&TraceInput { spans, ranges, devices: &names, busy: &busy });
        let bytes = match path.extension() {
            Some(end) if end == "pftrace" || end == "perfetto-trace" => trace.perfetto(),
            _ => json::to_line(&trace).into_bytes(),
        };
        written::write(path, &bytes)?;
    }
    if context.global.format == Format::Json {
        context.out.print(&tagged(view));
        return Ok(exit);
    }
    let mut text = report::program(view, &context.style);
    let columns = context.style.columns();
    if let (true, Some(RunArtifacts { gpus, .. })) = (args.gantt, done) {
        text += &report::gantt(gpus.spans(), view.run.devices, columns, &context.style);
    }
    if let (true, Some(RunArtifacts { memory, .. })) = (args.memory, done) {
        text += &report::memory(memory, view.run.modelled_ns.unwrap_or(0), columns, &context.style);
    }
    // To standard error, so that the program's own output can be piped.
    if !text.is_empty() {
        // Both may go to the same place.
        if done.is_some_and(|done| done.line_is_open) {
            text.insert(0, '\n');
        }
        let _ = io::stderr().lock().write_all(report::without_ci_commands(&text).as_bytes());
    }
    Ok(exit)
}
