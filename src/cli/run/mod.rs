//! `run`: compiles and runs a whole CUDA program, and tells what was found.

mod forecast;
mod on_gpu;
mod streams;

use super::debug::{Choice, ModelledRun, OwnProgram, Subject, record};
use super::own::{OwnArgs, OwnHeaders};
use super::source_text::{name_of, read_source};
use super::view::{MOST_STEPS, write};
use super::watchdog::{self, Late};
use super::{Answer, CommandError, Context, Exit, Format, book, model};
use compiler::{CompileError, Compiler, Diagnostic, Limits};
use cpp::{Source, source_name};
use host::device::model::Model;
use host::device::simulated::{Launched, Schedule, Simulated};
use host::program::undefined::{Fault, fault, lacking};
use host::program::{self, Control, GpuLimits, Input, MemoryUse, NoProgram, Program, Ran, Range, Settings};
use report::{
    self, DiagnosticView, Files, FindingView, LaunchView, MemoryView, ProgramView, Traced,
    UNDEFINED_FUNCTION, escape, json,
};
use sim::compiled::CompileWhen;
use sim::{FindingKind, HostLimits, LimitReached, Options, Progress, RunLimit, SourceLocation};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use streams::Streams;

/// The GPU that is modelled where nothing is said.
pub const MODEL: &str = "a100";
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
    file: Option<OsString>,
    #[command(flatten)]
    own: OwnArgs,
    /// What the program is given, after --
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
    /// The GPU that is modelled: t4, a100 (where nothing is said) or h100
    #[arg(long = "as", value_name = "GPU")]
    gpu: Option<String>,
    /// How many GPUs the program sees: one modelled one, or all of this machine, where nothing is said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_DEVICES as i64))]
    devices: Option<u32>,
    /// When modelled work is done that nothing orders: eager (where nothing is said), lazy or
    /// random:SEED
    #[arg(long, value_name = "ORDER")]
    schedule: Option<Schedule>,
    /// Write what happened when: JSON for Perfetto or chrome://tracing; named .pftrace, Perfetto's own format, with
    /// counters and with arrows from work to what waits for it
    #[arg(long, value_name = "OUT.json|OUT.pftrace")]
    trace: Option<PathBuf>,
    /// Show what happened when
    #[arg(long)]
    gantt: bool,
    /// Show the memory that the program takes from CUDA, over time
    #[arg(long)]
    memory: bool,
    /// Draw the run: its findings, the work of each line and what happened when, as one HTML page, or what that is
    /// made of as JSON; slower
    #[arg(long, value_name = "OUT.html|OUT.json")]
    view: Option<PathBuf>,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit_seconds: u64,
    /// Most memory of the host program, and of what its modelled GPUs hold, in MiB each; with what it
    /// takes to look for races, all together may come to four times as much. Where nothing is said, what
    /// this machine has left is the limit of each and of all
    #[arg(long, value_name = "MIB")]
    limit_memory: Option<u64>,
    /// Most warp instructions of one block of a kernel, in millions
    #[arg(long, value_name = "MILLIONS", default_value_t = 1000)]
    limit_instructions: u64,
    /// Most output, in KiB
    #[arg(long, value_name = "KIB", default_value_t = 16384)]
    limit_output: u64,
    /// End with 1 where memory, streams or events were never given back, too
    #[arg(long)]
    strict: bool,
    /// Do not look for races and values never written: faster
    #[arg(long)]
    no_checks: bool,
    /// Run so many percent of the blocks of each kernel, and show the work of all, extrapolated from theirs: for sizes
    /// that would take too long. Results are then not those of the program, and nothing is looked for
    #[arg(long, value_name = "PERCENT", value_parser = percent, conflicts_with_all = ["trace", "gantt", "memory", "view", "advice", "schedule"])]
    sample_blocks: Option<f64>,
    /// Tell what could be better in kernels: slower
    #[arg(long)]
    advice: bool,
    /// Tell of differences of nearly equal floats too; with --advice
    #[arg(long, requires = "advice")]
    strict_floats: bool,
}

impl Args {
    /// As the command line has it that draws a program.
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

    /// What is asked for that only modelled GPUs give.
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

    /// Memory that the program may have.
    fn memory_bytes(&self) -> u64 {
        let left = || watchdog::available_bytes().unwrap_or(USUAL_BYTES).max(LEAST_BYTES);
        self.limit_memory.map_or_else(left, |mib| mib.saturating_mul(1 << 20))
    }

    /// Memory that this whole process may have, of which the program has `memory_bytes`.
    fn all_bytes(&self, memory_bytes: u64) -> u64 {
        match self.limit_memory {
            Some(_) => memory_bytes.saturating_mul(ALL_MEMORY).saturating_add(OWN_BYTES),
            None => memory_bytes,
        }
    }

    /// Time that a run may take.
    fn limit(&self) -> Duration {
        Duration::from_secs(self.limit_seconds)
    }

    /// How a run is limited, from now on.
    fn settings<'a>(&self, arguments: &'a [String], compile: Option<CompileWhen>) -> Settings<'a> {
        let memory_bytes = self.memory_bytes();
        Settings {
            arguments,
            input: Input::Own,
            host: HostLimits { memory_bytes, ..HostLimits::default() },
            compile,
            output_bytes: self.limit_output.saturating_mul(1 << 10),
            gpus: GpuLimits::default(),
            launch_blocking: launch_blocking(std::env::var("CUDA_LAUNCH_BLOCKING").ok().as_deref()),
            control: Control { cancelled: &INTERRUPT, deadline: Instant::now().checked_add(self.limit()) },
        }
    }

    /// `argv` of the program.
    fn words(&self, file: &str) -> Vec<String> {
        let name = file.trim_end_matches(".cu").to_owned();
        std::iter::once(name).chain(self.arguments.iter().cloned()).collect()
    }
}

/// Above 0, up to 100; with a percent sign or without.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim();
    number
        .parse()
        .ok()
        .filter(|percent: &f64| *percent > 0.0 && *percent <= 100.0)
        .ok_or_else(|| "a number above 0 and up to 100 is wanted".to_owned())
}

/// When kernels, and loops and functions of host code, become machine code: `hot`, where much time goes, which is usual;
/// `always`, before they run; `never`.
const MACHINE_CODE: &str = "GPULEARN_MACHINE_CODE";

/// When what is run becomes machine code, as [`MACHINE_CODE`] says, and whether it says so; `None`: never.
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

/// When what this process runs now becomes machine code; `None`: never. Unless it is asked for, it does where this
/// process can be kept from what no program of a user needs; and from then on it is.
fn machine_code_here(args: &Args) -> Option<CompileWhen> {
    // A page is drawn from a second run, for which the program is compiled again, by another process.
    let (when, is_asked_for) = machine_code().filter(|_| args.view.is_none())?;
    let is_kept = compiler::no_processes().is_ok();
    Some(when).filter(|_| is_kept || is_asked_for)
}

/// What `CUDA_LAUNCH_BLOCKING` says: any number but 0.
fn launch_blocking(value: Option<&str>) -> bool {
    value.is_some_and(|value| value.trim().parse::<i64>().is_ok_and(|number| number != 0))
}

/// Memory of the whole process, in times of what the program may have on its own: a kernel's memory
/// comes as it writes, and what is remembered of each access comes on top.
const ALL_MEMORY: u64 = 4;
/// What this tool takes without a program.
const OWN_BYTES: u64 = 512 << 20;
/// What a program may have where the machine does not say what it has left, and what it may have on any.
const USUAL_BYTES: u64 = 4 << 30;
const LEAST_BYTES: u64 = 1 << 30;

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

pub fn run(args: Args, context: &mut Context) -> Answer {
    let command = &context.style.command;
    let Some(path) = &args.file else {
        return Err(CommandError::usage(format!(
            "name the program to run, a .cu file with main(): {command} run FILE.cu"
        )));
    };
    let file = &name_of(path);
    let model = model::named(args.gpu.as_deref().unwrap_or(MODEL))?;
    let gpu = on_gpu::choose(&args, context)?;
    let model = Arc::new(model);
    for missing in Compiler::guarantees().missing() {
        context.say(&format!("Run only files you trust: {missing}."));
    }
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
    let (exit, done) = run_it(&program, &given.files, &model, &args, &mut view, context)?;
    if let Some(path) = &args.view {
        let subject = stepped(&args, &view, &done, &model, context)?;
        let kernel = subject.as_ref().map(Subject::program);
        let recorded =
            subject.as_ref().zip(kernel.as_ref()).and_then(|(subject, program)| subject.on_page(program));
        write(path, &drawn(&view, given.files.source.text(), &done, &model, recorded))?;
    }
    answer(&view, exit, &args, Some(&done), context)
}

/// What a run on modelled GPUs leaves for pictures of it.
struct Done {
    gpus: Simulated,
    ranges: Vec<Range>,
    memory: Vec<MemoryUse>,
}

/// Instructions of the host and of warps above which a program is not run again to record a block of it.
const MOST_RERUN: u64 = 50_000_000;

/// A block of the program to step through on its page; `None` where that would take long.
fn stepped(
    args: &Args,
    view: &ProgramView,
    done: &Done,
    model: &Arc<Model>,
    context: &mut Context,
) -> Result<Option<Subject>, CommandError> {
    let work = view.host_instructions + done.gpus.ledger().totals.instructions.iter().sum::<u64>();
    let path = args.file.as_ref().filter(|_| work <= MOST_RERUN && args.modelled_devices() == 1);
    let Some(path) = path.filter(|_| !done.gpus.ledger().launches.is_empty()) else { return Ok(None) };
    let on = ModelledRun { model: Arc::clone(model), limit: args.limit() };
    let program = OwnProgram::open(Path::new(path), &args.own, &args.arguments, &on, context)?;
    let choice = Choice { case: None, launch: None, block: None, most_steps: MOST_STEPS };
    // What can't be recorded is left out: the page has more.
    Ok(program.ok().map(|program| record(&program, &choice)).transpose()?.and_then(Result::ok))
}

/// What the page of a run shows.
fn drawn(
    view: &ProgramView,
    source: &str,
    done: &Done,
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
        memory: (&done.memory, view.modelled_ns.unwrap_or(0)),
        model,
    })
}

/// Compiling a program may take so much of a processor's time.
const COMPILE_TIME: Duration = Duration::from_secs(60);

/// The program that is to be run.
struct RunSource<'a> {
    own: &'a OwnHeaders,
    files: Files<'a>,
}

impl RunSource<'_> {
    /// The program for a compute capability. Nobody but its owner waits for it.
    fn program(&self, compiler: &Compiler, capability: (u32, u32)) -> Result<Program, NoProgram> {
        let compiler = compiler.clone().with_limits(Limits { cpu_time: COMPILE_TIME, ..Limits::default() });
        self.own.request(&self.files, capability, |request| program::compile(&compiler, request))
    }
}

/// The program, or what to end with where there is none: then the view says why.
fn compiled(
    compiler: &Compiler,
    capability: (u32, u32),
    given: &RunSource,
    view: &mut ProgramView,
) -> Result<Result<Program, Exit>, CommandError> {
    let shown = |d: &Diagnostic| DiagnosticView::of_files(d, &given.files, &given.own.source.refused, true);
    match given.program(compiler, capability) {
        Ok(program) => {
            view.diagnostics = warnings(&program).map(shown).collect();
            return Ok(Ok(program));
        }
        Err(NoProgram::Compile(CompileError::Environment(error))) => return Err(error.into()),
        Err(NoProgram::Compile(CompileError::Rejected(messages))) => {
            view.diagnostics = messages.iter().map(shown).collect();
        }
        Err(NoProgram::Compile(CompileError::Limit(limit))) => {
            (view.ended, view.detail) = ("limit", Some(limit));
        }
        Err(NoProgram::Unsupported { what, line }) => {
            (view.ended, view.detail) = ("unsupported", Some(what));
            view.line = line.map_or(0, |l| l.line);
            return Ok(Err(Exit::Lacking));
        }
    }
    Ok(Err(Exit::Fails))
}

/// Warnings of the compiler about what a run does not explain: it leaves such code out, does anything there, or takes
/// an argument for what it is not.
fn warnings(program: &Program) -> impl Iterator<Item = &Diagnostic> {
    const REPORTED: [&str; 4] = [
        "argument is incompatible with corresponding format string conversion",
        "missing return statement",
        "returning pointer to local",
        "returning reference to local",
    ];
    let is_reported = |d: &&Diagnostic| REPORTED.iter().any(|text| d.message.starts_with(text));
    program.diagnostics.iter().filter(is_reported)
}

/// Runs the program and fills the view.
fn run_it(
    program: &Program,
    files: &Files,
    model: &Arc<Model>,
    args: &Args,
    view: &mut ProgramView,
    context: &Context,
) -> Result<(Exit, Done), CommandError> {
    let progress = Arc::new(Progress::default());
    let options = Options {
        checks: !args.no_checks && args.sample_blocks.is_none(),
        sample_every: args.sample_blocks.map_or(1, |percent| (100.0 / percent).round() as u64),
        progress: Some(Arc::clone(&progress)),
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
    let late = give_up(view, args, most_bytes, context, streams.kept());
    let dog = watchdog::watch(settings.control.deadline, most_bytes, &INTERRUPT, late);
    let forecast = forecast::watch(progress, program.module.kernels(), settings.control.deadline);
    let Ran { exit, findings, nanoseconds, host_instructions, ranges, memory, memory_dropped, .. } =
        program::run(program, &mut gpus, &model.properties, &settings, &mut streams);
    drop((dog, forecast));
    streams.finish();
    view.modelled_ns = Some(nanoseconds).filter(|_| args.sample_blocks.is_none());
    view.host_instructions = host_instructions;
    [view.stdout, view.stderr] = streams.kept().texts();
    let launches = gpus.ledger().launches.iter();
    let times = |l| gpus.times_ns(l).filter(|_| args.sample_blocks.is_none());
    view.launches = launches.map(|l| LaunchView::new(l, times(l))).collect();
    view.launches_dropped = gpus.ledger().dropped;
    if args.sample_blocks.is_none() {
        view.memory = MemoryView::new(&memory, memory_dropped);
    }
    // Of what blocks that did not run would have written, nothing can be said.
    let reported = findings.iter().filter(|_| args.sample_blocks.is_none());
    view.findings = reported.map(|f| FindingView::of_program(f, files)).collect();
    view.advice = report::advice_views(gpus.advice(), |at| files.about(at));
    Ok((ended(exit, args, view)?, Done { gpus, ranges, memory }))
}

/// Modelled GPUs.
fn simulated(model: &Arc<Model>, devices: u32, args: &Args, options: Options) -> Simulated {
    let models = (0..devices).map(|_| Arc::clone(model)).collect();
    Simulated::new(models, args.schedule.unwrap_or(Schedule::Eager), options)
}

/// As the options say, with kernels as machine code.
fn compiling(options: Options, when: Option<CompileWhen>) -> Options {
    let compile_after = if when == Some(CompileWhen::Always) { 0 } else { options.compile_after };
    Options { emitter: when.and_then(|_| jit::kernel_emitter()), compile_after, ..options }
}

/// How the program ended, in the view and as what to end with.
fn ended(exit: program::Exit, args: &Args, view: &mut ProgramView) -> Result<Exit, CommandError> {
    Ok(match exit {
        program::Exit::Code(code) => {
            view.ended = "exit";
            view.exit_code = Some(code);
            Exit::Program(code as u8)
        }
        program::Exit::Stopped => {
            view.ended = "stopped";
            Exit::Program(STOPPED)
        }
        program::Exit::UndefinedFunction { name, line } => {
            view.line = line_of(view, line);
            let (ended, detail, exit) = match fault(&name) {
                Fault::Program => {
                    (UNDEFINED_FUNCTION, report::undefined_function(&source_name(&name)), Exit::Fails)
                }
                Fault::HostOnly => (UNDEFINED_FUNCTION, report::host_function_in_kernel(&name), Exit::Fails),
                Fault::Library => ("unsupported", lacking(&name), Exit::Lacking),
            };
            (view.ended, view.detail) = (ended, Some(detail));
            exit
        }
        program::Exit::Unsupported { what, line } => {
            view.line = line_of(view, line);
            (view.ended, view.detail) = ("unsupported", Some(what));
            Exit::Lacking
        }
        program::Exit::Limit(reached) => {
            (view.ended, view.detail) = ("limit", Some(with_its_option(&reached)));
            Exit::Fails
        }
        program::Exit::Cancelled if INTERRUPT.load(Relaxed) => {
            (view.ended, view.detail) = ("cancelled", Some("interrupted".into()));
            Exit::Program(INTERRUPTED)
        }
        program::Exit::Cancelled => {
            (view.ended, view.detail) = ("limit", Some(over_time(args)));
            Exit::Fails
        }
        program::Exit::NoMain => {
            return Err(CommandError::usage(format!(
                "{} has no main(): a program begins there",
                escape(&view.file)
            )));
        }
        program::Exit::Environment(error) => return Err(error.into()),
    })
}

/// The line of a place, where that is in the program's own file; else 0.
fn line_of(view: &ProgramView, at: Option<SourceLocation>) -> u32 {
    let own = |file: &str| Path::new(file).file_name() == Path::new(&view.file).file_name();
    at.filter(|at| own(&at.file)).map_or(0, |at| at.line)
}

/// What is told of a limit, with the option that moves it.
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
    format!("{reached}; {option} gives it more")
}

fn over_time(args: &Args) -> String {
    format!("stopped after {} s; --limit-seconds gives it longer", args.limit_seconds)
}

/// What ends this process while a kernel runs on.
fn give_up(
    view: &ProgramView,
    args: &Args,
    most_bytes: u64,
    context: &Context,
    kept: streams::Kept,
) -> impl FnOnce(Late) + Send + 'static {
    let (mut view, limit, style) = (view.clone(), over_time(args), context.style.clone());
    let memory = format!(
        "stopped: all together it took more than {} MiB of this machine's memory; --limit-memory gives it more",
        most_bytes >> 20
    );
    let json = context.global.format == Format::Json;
    move |late| {
        let (ended, what, code) = match late {
            Late::Deadline => ("limit", limit, Exit::Fails.code()),
            Late::Interrupted => ("cancelled", "interrupted".into(), INTERRUPTED),
            Late::Memory => ("limit", memory, Exit::Fails.code()),
        };
        let doing =
            if program::waits_for_input() { "it waited for standard input" } else { "a kernel was running" };
        (view.ended, view.detail) = (ended, Some(format!("{what} ({doing})")));
        [view.stdout, view.stderr] = kept.texts();
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
    ProgramView {
        file: file.into(),
        ended: "compile-error",
        exit_code: None,
        detail: None,
        line: 0,
        device: model.properties.name.clone(),
        devices: args.modelled_devices() as usize,
        backend: "sim",
        modelled_ns: None,
        elapsed_ns: None,
        on_gpu: None,
        host_instructions: 0,
        sampled_percent: args.sample_blocks,
        stdout: String::new(),
        stderr: String::new(),
        launches: Vec::new(),
        launches_dropped: 0,
        memory: MemoryView::default(),
        findings: Vec::new(),
        advice: Vec::new(),
        diagnostics: Vec::new(),
    }
}

/// Shows what was found, and what happened when. A program that ends well is no success where something
/// was found; what its end gives back by itself is no more than a remark, unless asked otherwise.
fn answer(view: &ProgramView, exit: Exit, args: &Args, done: Option<&Done>, context: &mut Context) -> Answer {
    let counts = |finding: &FindingView| args.strict || finding.code != FindingKind::Leak.code();
    let exit = if exit.code() == 0 && view.findings.iter().any(counts) { Exit::Fails } else { exit };
    if let (Some(path), Some(Done { gpus, ranges, .. })) = (&args.trace, done) {
        let names = vec![view.device.as_str(); view.devices];
        let busy: Vec<_> = (0..view.devices as u32).map(|device| gpus.busy(device)).collect();
        let spans = gpus.spans();
        let trace = report::trace(&Traced { spans, ranges, devices: &names, busy: &busy, modelled: true });
        let bytes = match path.extension() {
            Some(end) if end == "pftrace" || end == "perfetto-trace" => trace.perfetto(),
            _ => json::to_line(&trace).into_bytes(),
        };
        book::write(path, &bytes)?;
    }
    if context.global.format == Format::Json {
        context.out.print(&tagged(view));
        return Ok(exit);
    }
    let mut text = report::program(view, &context.style);
    let columns = context.style.columns();
    if let (true, Some(Done { gpus, .. })) = (args.gantt, done) {
        text += &report::gantt(gpus.spans(), view.devices, true, columns, &context.style);
    }
    if let (true, Some(Done { memory, .. })) = (args.memory, done) {
        text += &report::memory(memory, view.modelled_ns.unwrap_or(0), columns, &context.style);
    }
    // Beside the program's own output, so that what it prints can be piped on.
    if !text.is_empty() {
        let _ = io::stderr().lock().write_all(report::without_ci_commands(&text).as_bytes());
    }
    Ok(exit)
}
