//! `run`: compiles and runs a whole CUDA program, and reports the findings.

mod args;
mod compiled;
mod elsewhere;
mod ended;
mod files;
mod forecast;
pub(super) mod machine_code;
mod on_gpu;
mod page;
mod streams;

use super::debug::RecordedBlock;
use super::source_text::{is_cuda, name_of, read_source};
use super::{Answer, CommandError, Context, Exit, Format, Result, model, output_files, watchdog};
pub use args::Args;
use compiled::{RunJob, compiled};
use compiler::Diagnostic;
use cpp::Source;
use ended::{ended, give_up, in_kernel};
use host::device::model::Model;
use host::device::simulated::{Schedule, Simulated};
use host::program::{self, MemoryUse, Program, Ran, Range};
use machine_code::machine_code_here;
use page::{build_page, record_block_for_page};
use report::{
    self, DiagnosticView, Ended, Files, FindingView, LaunchView, MemoryView, ProgramRunView, ProgramView,
    RanOn, TraceInput, escape, json,
};
use sim::{FindingKind, Options, Progress};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use streams::Streams;

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
    let model = model::named(args.gpu.as_deref().unwrap_or(model::DEFAULT))?;
    let gpu = on_gpu::choose(&args, context)?;
    let model = Arc::new(model);
    context.warn_of_files("Run");
    let mut view = empty(file, &model, &args);
    let source = match read_source(Path::new(path), file)? {
        Ok(source) => source,
        Err(failure) => {
            let message = match *failure {
                judge::Failure::Limit(limit) => Diagnostic::error("", (0, 0), report::tool_limit(&limit)),
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
    let files = Files { file, source: &source, headers: &headers };
    let mut job = RunJob { own: &own, files, args: &args, model: &model, deadline: args.deadline() };
    if let Some(gpu) = &gpu {
        let program = match compiled(&gpu.compiler, gpu.capability(), &job, &mut view)? {
            Ok(program) => program,
            Err(exit) => return answer(&view, exit, &args, None, context),
        };
        if let Some(exit) = on_gpu::run(&program, &job, gpu, &mut view, context)? {
            return answer(&view, exit, &args, None, context);
        }
        view = empty(file, &model, &args);
        job.deadline = args.deadline();
    }
    let capability = model.capability();
    let program = match compiled(context.compiler()?, capability, &job, &mut view)? {
        Ok(program) => program,
        Err(exit) => return answer(&view, exit, &args, None, context),
    };
    let (exit, done) = run_simulated(&program, &job, &mut view, context)?;
    if let Some(path) = &args.view {
        let subject = record_block_for_page(&job, &view, &done, context)?;
        let kernel = subject.as_ref().map(RecordedBlock::program);
        let recorded =
            subject.as_ref().zip(kernel.as_ref()).and_then(|(subject, program)| subject.on_page(program));
        super::page::write(path, &build_page(&job, &view, &done, recorded))?;
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

/// Runs the program and fills the view.
fn run_simulated(
    program: &Program,
    job: &RunJob,
    view: &mut ProgramView,
    context: &Context,
) -> Result<(Exit, RunArtifacts)> {
    let RunJob { files, args, .. } = job;
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
    let mut gpus = simulated(job, args.modelled_devices(), jit::compiling(options, compile));
    let arguments = args.words(&view.file);
    watch_for_interrupt();
    let settings = args.settings(&arguments, compile, job.deadline);
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
    let ran = program::run(program, &mut gpus, &settings, &mut streams);
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
        view.run.files = files::keep(&ran.files, args.source());
    }
    // In a sampled run, nothing can be said about what the other blocks would have written.
    let reported = findings.iter().filter(|_| args.sample_blocks.is_none());
    view.findings = reported.map(|f| FindingView::of_program(f, files)).collect();
    view.advice = report::advice_views(gpus.advice(), |at| files.about(at));
    let stage = progress.look();
    let doing = (stage.done < stage.blocks).then(in_kernel);
    Ok((ended(exit, job, doing, view)?, RunArtifacts { gpus, ranges, memory, line_is_open }))
}

/// Creates the modelled GPUs.
fn simulated(job: &RunJob, devices: u32, options: Options) -> Simulated {
    let models = (0..devices).map(|_| Arc::clone(job.model)).collect();
    Simulated::new(models, job.args.schedule.unwrap_or(Schedule::Eager), options)
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

/// Prints the findings and the timeline. A program that exits with 0, or that a limit ended, is still a failure if
/// there are findings; memory that only its end frees counts just with `--strict`.
fn answer(
    view: &ProgramView,
    exit: Exit,
    args: &Args,
    done: Option<&RunArtifacts>,
    context: &mut Context,
) -> Answer {
    let counts = |finding: &FindingView| args.strict || finding.class.kind != FindingKind::Leak;
    let no_failure = exit.code() == 0 || view.end.ended == Ended::Limit;
    let exit = if no_failure && view.findings.iter().any(counts) { Exit::Fails } else { exit };
    if let (Some(path), Some(RunArtifacts { gpus, ranges, .. })) = (&args.trace, done) {
        let names = vec![view.run.device.as_str(); view.run.devices];
        let busy: Vec<_> = (0..view.run.devices as u32).map(|device| gpus.busy(device)).collect();
        let spans = gpus.spans();
        let trace = report::trace(&TraceInput { spans, ranges, devices: &names, busy: &busy });
        let bytes = match path.extension() {
            Some(end) if end == "pftrace" || end == "perfetto-trace" => trace.perfetto(),
            _ => json::to_line(&trace).into_bytes(),
        };
        output_files::write(path, &bytes)?;
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
