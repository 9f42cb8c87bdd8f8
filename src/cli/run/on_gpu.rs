//! Runs a program on this machine's GPUs.

use super::machine_code::machine_code;
use super::streams::Streams;
use super::{Args, INTERRUPT, Result, RunJob, ended, files, simulated, watch_for_interrupt};
use crate::cli::{Backend, CommandError, Context, Exit, Format};
use host::device::Gpus;
use host::program::gpu_process::{self, Finished, GpuJob, Work};
use host::program::{self, Program, Ran, Settings};
use judge::on_gpu::Gpu;
use report::{FindingView, MemoryView, ProgramView, RanOn, escape};
use sim::Options;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Returns the GPUs to run on; `None` for modelled ones, which some options require.
///
/// # Errors
///
/// `--backend gpu` was given, and an option requires modelled GPUs, or there are too few usable ones.
pub fn choose(args: &Args, context: &Context) -> Result<Option<Gpu>> {
    if let Some(option) = args.modelled() {
        if context.global.backend == Backend::Gpu {
            let what = format!("{option} is for modelled GPUs: leave out either it or --backend gpu");
            return Err(CommandError::usage(what));
        }
        return Ok(None);
    }
    let Some(gpu) = context.gpu()?.cloned() else { return Ok(None) };
    let there = gpu.machine.devices.len();
    let wanted = args.devices.unwrap_or(1) as usize;
    if wanted > there {
        let what = format!("--devices {wanted}, but this machine has {there}");
        if context.global.backend == Backend::Gpu {
            return Err(CommandError::environment(format!(
                "{what}: ask for fewer, or leave out --backend gpu"
            )));
        }
        context.say(&format!("Running on modelled GPUs: {what}"));
        return Ok(None);
    }
    Ok(Some(gpu))
}

/// Runs the program and fills the view; `None` if the GPUs could not be used and modelled ones may be used
/// instead.
///
/// # Errors
///
/// The GPUs could not be used, and modelled ones may not be used instead.
pub fn run(
    program: &Program,
    job: &RunJob,
    gpu: &Gpu,
    view: &mut ProgramView,
    context: &Context,
) -> Result<Option<Exit>> {
    let args = job.args;
    let instead = |why: String| {
        if context.global.backend == Backend::Gpu {
            return Err(CommandError::environment(why));
        }
        context.say(&format!("Running on a modelled GPU: {why}"));
        Ok(None)
    };
    if program.cubin.is_empty() && !program.module.kernels().is_empty() {
        return instead(format!(
            "the compiler can't make machine code of its kernels alone for {}",
            escape(gpu.name())
        ));
    }
    let devices = args.devices.unwrap_or(gpu.machine.devices.len() as u32);
    (view.run.backend, view.run.device, view.run.devices) =
        (RanOn::Gpu, gpu.name().to_owned(), devices as usize);
    let arguments = args.words(&view.file);
    watch_for_interrupt();
    let mut streams = Streams::new(context.global.format == Format::Json);
    let asked = GpuJob { program, devices: Some(devices), work: Work::Main };
    let compile = machine_code().map(|(when, _)| when);
    let Finished { ran, lost, killed, input, .. } =
        match gpu_process::run(&asked, &args.settings(&arguments, compile, job.deadline), &mut streams) {
            Ok(apart) => apart,
            // What was printed can't be undone, so there is no fallback.
            Err(gpu_error) if streams.any => return Err(gpu_error.into()),
            Err(gpu_error) => return instead(escape(&gpu_error.to_string())),
        };
    streams.finish();
    view.run.files = files::keep(&ran.files, args.source());
    let Ran { exit, mut findings, nanoseconds, host_instructions, memory, memory_dropped, .. } = ran;
    view.memory = MemoryView::new(&memory, memory_dropped);
    view.run.elapsed_ns = Some(nanoseconds);
    view.run.host_instructions = host_instructions;
    [view.run.stdout, view.run.stderr] = streams.kept().texts();
    let hung = killed || matches!(exit, program::Exit::Cancelled);
    let failed = match lost {
        Some((error, said)) => Some(format!("{}: {} ({said})", error.name(), error.text())),
        None if hung && !INTERRUPT.load(Relaxed) => {
            Some(format!("it did not end within {} s", args.limit_seconds))
        }
        None => None,
    };
    if let Some(failed) = failed {
        // The simulator soon detects an endless kernel, and what takes long on a GPU would take far too long
        // there.
        let limit = if hung { SECOND_LOOK.min(args.limit()) } else { args.limit() };
        let deadline = Instant::now().checked_add(limit);
        let settings = Settings { input, ..args.settings(&arguments, None, deadline) };
        let mut gpus = simulated(job, view.run.devices as u32, Options::default());
        let again = rerun_on_simulator(job, &settings, &mut gpus, context)?;
        let finds = match &again {
            None => "It does not compile for the simulator, which could say more.",
            Some(ran) if !ran.findings.is_empty() => {
                "The simulator ran it on the same input, and says where and why."
            }
            Some(Ran { exit: program::Exit::Code(_), .. }) => {
                "The simulator runs it on the same input and finds no defect in it."
            }
            Some(_) => {
                "The simulator ran it on the same input, did not reach its end, and found no defect up to that point."
            }
        };
        view.run.on_gpu = Some(format!("on {} it failed: {failed}. {finds}", gpu.name()));
        findings = again.map_or(Vec::new(), |ran| ran.findings);
    }
    view.findings = findings.iter().map(|f| FindingView::of_program(f, &job.files)).collect();
    Ok(Some(ended(exit, job, None, view)?))
}

/// Maximum time on the simulator for a program that did not end on the GPU.
const SECOND_LOOK: Duration = Duration::from_secs(10);

/// Runs a program that failed on the GPU again on the simulator; `None` if it does not compile for it.
fn rerun_on_simulator(
    job: &RunJob,
    settings: &Settings,
    gpus: &mut dyn Gpus,
    context: &Context,
) -> Result<Option<Ran>> {
    let compiled = job.program(context.compiler()?, job.model.capability(), None);
    let ran = |program| program::run(&program, gpus, settings, &mut std::io::sink());
    Ok(compiled.ok().map(ran))
}
