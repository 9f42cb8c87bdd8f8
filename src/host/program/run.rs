//! Running a program from `main` to its end.

use super::compile::{HostFunction, Program};
use super::host::{Control, Surroundings, World};
use super::initialisers;
use super::libc::{Input, Output, Sink};
use super::runtime::findings::fold_launches;
use super::runtime::{Ended, MemoryUse, Range, Runtime};
use crate::device::model::Properties;
use crate::device::{Failure, Gpus};
use serde::{Deserialize, Serialize};
use sim::compiled::CompileWhen;
use sim::{Finding, HostLimits, HostThread, LimitReached, RunLimit, SourceLocation, Stop};

/// What a run may use, and what it is given.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// What the program is called by, and its arguments: `argv`.
    pub arguments: &'a [String],
    pub input: Input,
    pub host: HostLimits,
    /// When loops and functions of the host code become machine code, where this machine has an emitter; `None`: never.
    pub compile: Option<CompileWhen>,
    /// Bytes of output, of both channels together.
    pub output_bytes: u64,
    /// What may be asked of modelled GPUs.
    pub gpus: GpuLimits,
    /// Every launch is waited for, as `CUDA_LAUNCH_BLOCKING=1` has it.
    pub launch_blocking: bool,
    pub control: Control<'a>,
}

/// What a program may ask of modelled GPUs: a real one does as much in a moment as keeps this
/// machine busy for hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuLimits {
    /// Threads of one launch.
    pub launch_threads: u64,
    /// Memory that CUDA gave and did not get back, in bytes.
    pub allocated_bytes: u64,
}

impl Default for GpuLimits {
    /// As many threads as a GB has bytes, and memory as far as the GPUs have it.
    fn default() -> GpuLimits {
        GpuLimits { launch_threads: 1 << 30, allocated_bytes: u64::MAX }
    }
}

/// How a program ended.
#[derive(Debug, Serialize, Deserialize)]
pub enum Exit {
    /// `main` returned it, or `exit` was given it. A shell's number for a signal where the system
    /// would have sent one.
    Code(i32),
    /// A finding ended it, as it would have ended a real one.
    Stopped,
    /// It called a function that is declared and that no code defines: its name in the PTX.
    UndefinedFunction { name: String, line: Option<SourceLocation> },
    /// We lack something that it uses.
    Unsupported { what: String, line: Option<SourceLocation> },
    /// It went over a limit, which the text names.
    Limit(LimitReached),
    /// It was stopped from outside, or its time was over.
    Cancelled,
    /// It has no `main`.
    NoMain,
    /// The machine's fault.
    Environment(#[serde(with = "error_text")] anyhow::Error),
}

/// An error is sent to another process as what it says.
mod error_text {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(error: &anyhow::Error, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{error:#}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<anyhow::Error, D::Error> {
        String::deserialize(from).map(anyhow::Error::msg)
    }
}

/// What a run came to.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ran {
    pub exit: Exit,
    /// In the order in which they happened.
    pub findings: Vec<Finding>,
    /// On the program's own clock.
    pub nanoseconds: u64,
    /// PTX instructions of host code.
    pub host_instructions: u64,
    /// Calls of CUDA; a `<<<>>>` is one.
    pub host_calls: u64,
    /// Ranges that the program named.
    pub ranges: Vec<Range>,
    /// Memory that it had from CUDA, and how many more pieces there were than these.
    pub memory: Vec<MemoryUse>,
    pub memory_dropped: u64,
}

/// Runs a program on GPUs that are all like `properties`.
pub fn run(
    program: &Program,
    gpus: &mut dyn Gpus,
    properties: &Properties,
    settings: &Settings,
    sink: &mut dyn Sink,
) -> Ran {
    process(program, gpus, properties, settings, sink, |world, engine| {
        if program.module.function_address("main").is_none() {
            return Ok(None);
        }
        prepare(program, world, engine)?;
        initialise(program, world, engine)?;
        begin(world, engine, settings).map(Some)
    })
}

/// A process from its start to its end: `act` is what it does, and gives its exit code; `None`
/// where it has nothing to begin with.
pub(super) fn process(
    program: &Program,
    gpus: &mut dyn Gpus,
    properties: &Properties,
    settings: &Settings,
    sink: &mut dyn Sink,
    act: impl FnOnce(&mut World, &mut HostThread) -> Result<Option<i32>, Stop>,
) -> Ran {
    gpus.limit_memory(settings.host.memory_bytes);
    let mut runtime = Runtime::new(program, properties.clone());
    runtime.launches.blocking = settings.launch_blocking;
    if gpus.modelled() {
        runtime.limits = settings.gpus;
    }
    let output = Output::new(sink, settings.output_bytes);
    let mut rest = Surroundings::new(settings.input.clone(), output, settings.control);
    let (exit, called_exit, host_instructions) = {
        let mut world = World { gpus, runtime: &mut runtime, rest: &mut rest };
        through(program, &mut world, settings, act)
    };
    runtime.findings.extend(gpus.findings());
    let exit = match (exit, runtime.ended.take()) {
        (_, Some(Ended::Environment(error))) => Exit::Environment(error),
        (exit, _) => exit,
    };
    if let Exit::Code(code) = exit {
        runtime.find_unseen_errors();
        let gave_up = code != 0 && (runtime.find_failed_call(code) || called_exit);
        // Who gave up never came to the end of a group.
        if !gave_up {
            runtime.find_open_group();
        }
        // A lost context takes its memory with it, and who gave up never came to the lines that free it.
        if runtime.errors.sticky().is_none() && !gave_up {
            runtime.find_leaks();
        }
    }
    let unwritten = runtime.unwritten.take(&runtime.findings);
    runtime.findings.extend(unwritten);
    runtime.name_frees();
    Ran {
        exit,
        nanoseconds: gpus.now_ns(),
        findings: fold_launches(runtime.findings),
        host_instructions,
        host_calls: runtime.calls.count,
        ranges: runtime.ranges.done,
        memory: runtime.allocations.log.uses,
        memory_dropped: runtime.allocations.log.dropped,
    }
}

/// From the start of the process to its end: how it ended, whether by `exit()`, and how many instructions of
/// the host it ran.
fn through(
    program: &Program,
    world: &mut World,
    settings: &Settings,
    act: impl FnOnce(&mut World, &mut HostThread) -> Result<Option<i32>, Stop>,
) -> (Exit, bool, u64) {
    let mut engine = match HostThread::new(&program.module, settings.host) {
        Ok(engine) => engine,
        Err(stop) => return (ended(stop, world), false, 0),
    };
    engine.follow_undefined(world.gpus.checks());
    if let (Some(when), Some(emitter)) = (settings.compile, settings.compile.and_then(|_| jit::emitter())) {
        engine.compile_with(emitter, when);
    }
    let end = act(world, &mut engine);
    let called_exit = matches!(end, Err(Stop::Exit(_)));
    let exit = match end {
        Err(Stop::Exit(_)) if world.runtime.ended.is_some() => {
            return (Exit::Stopped, called_exit, engine.instructions());
        }
        Ok(None) => return (Exit::NoMain, called_exit, 0),
        Ok(Some(code)) | Err(Stop::Exit(code)) => finish(world, &mut engine, code),
        Err(stop) => Err(stop),
    };
    let exit = match exit {
        Ok(code) => Exit::Code(code),
        Err(stop) => ended(stop, world),
    };
    (exit, called_exit, engine.instructions())
}

/// Places the module's variables.
pub(super) fn prepare(program: &Program, world: &mut World, engine: &mut HostThread) -> Result<(), Stop> {
    let module = &program.module;
    let loaded = world.gpus.load(module);
    loaded.map_err(|failure| world.stop(failure, None))?;
    for (index, variable) in (0..).zip(module.variables()) {
        if variable.symbol.starts_with("_ZSt") || variable.symbol.starts_with("_ZNSt") {
            world.rest.of_headers.insert(index);
        }
        if variable.managed {
            let placed = world.gpus.variable(0, index);
            let (address, bytes) = placed.map_err(|failure| world.stop(failure, None))?;
            engine.place_variable(index, address.0);
            world.runtime.place_managed_variable(index, address.0, bytes);
        } else if variable.usage.is_for_kernels() || variable.constant && variable.usage.used_by_kernels {
            // Data that nobody changes is the same on both sides.
            engine.guard_variable(index);
        }
    }
    Ok(())
}

/// Makes the values of variables outside functions, in their order.
pub(super) fn initialise(program: &Program, world: &mut World, engine: &mut HostThread) -> Result<(), Stop> {
    let number = |f: &HostFunction| f.symbol.strip_prefix(initialisers::FUNCTION)?.parse::<u32>().ok();
    let mut numbers: Vec<u32> = program.functions.iter().filter_map(number).collect();
    numbers.sort_unstable();
    for number in numbers {
        engine.run(world, &format!("{}{number}", initialisers::FUNCTION), &[])?;
    }
    Ok(())
}

/// Places arguments, and runs `main`.
fn begin(world: &mut World, engine: &mut HostThread, settings: &Settings) -> Result<i32, Stop> {
    let mut pointers = Vec::new();
    for argument in settings.arguments {
        let mut text = argument.clone().into_bytes();
        text.push(0);
        pointers.extend(place(engine, &text)?.to_le_bytes());
    }
    pointers.extend(0u64.to_le_bytes());
    let argv = place(engine, &pointers)?;
    let returned = engine.run(world, "main", &[settings.arguments.len() as u64, argv])?;
    Ok((returned as i32) & 0xff)
}

/// Bytes in the program's memory, before it begins.
fn place(engine: &mut HostThread, bytes: &[u8]) -> Result<u64, Stop> {
    let refused = |_| Stop::Limit(RunLimit::Arguments.into());
    let address = engine.memory_mut().allocate(bytes.len() as u64, 16).map_err(refused)?;
    engine.memory_mut().write(address, bytes).map_err(refused)?;
    Ok(address)
}

/// The end of the process: the functions of `atexit`, then work that nobody waited for.
fn finish(world: &mut World, engine: &mut HostThread, mut code: i32) -> Result<i32, Stop> {
    for function in world.rest.library.take_exit_functions() {
        match engine.call(world, function, &[]) {
            Ok(_) => {}
            Err(Stop::Exit(other)) if world.runtime.ended.is_none() => code = other,
            Err(stop) => return Err(stop),
        }
    }
    world.charge(engine);
    let ended = world.with_gpus(engine, |gpus, host| gpus.end(host));
    match ended {
        // Nobody is there to see CUDA's errors any more.
        Ok(()) | Err(Failure::Cuda(_)) => {}
        Err(failure) => return Err(world.stop(failure, None)),
    }
    world.collect()?;
    Ok(code)
}

fn ended(stop: Stop, world: &mut World) -> Exit {
    match stop {
        Stop::Exit(_) if world.runtime.ended.is_some() => Exit::Stopped,
        Stop::Exit(code) => Exit::Code(code),
        Stop::Finding(finding) => {
            world.runtime.findings.extend(world.gpus.findings());
            world.runtime.findings.push(*finding);
            Exit::Stopped
        }
        Stop::UndefinedFunction { name, line } => Exit::UndefinedFunction { name, line },
        Stop::Unsupported { what, line } => Exit::Unsupported { what, line },
        Stop::Limit(limit) => Exit::Limit(limit),
        Stop::Cancelled => Exit::Cancelled,
    }
}
