//! Runs a program from `main` to its end.

use super::compiled_program::{HostFunction, Program};
use super::device_variables::{instead_of_trap, unseen_uses};
use super::gpu_limits::GpuLimits;
use super::host::{Control, HostState, World};
use super::initialisers;
use super::libc::{Input, Library, Output, ReadableFiles, Sink, WrittenFile};
use super::runtime::findings::fold_launches;
use super::runtime::{Ended, MemoryUse, Range, Runtime};
use crate::device::{Failure, Gpus};
use serde::{Deserialize, Serialize};
use sim::compiled::CompileWhen;
use sim::{
    Access, Actor, Evidence, Finding, FindingKind, HostLimits, HostThread, LimitReached, POISON_WORD,
    RunLimit, SourceLocation, Stop,
};

/// The arguments, input and limits of a run.
#[derive(Clone, Debug)]
pub struct Settings<'a> {
    /// `argv`: the program's name, then its arguments.
    pub arguments: &'a [String],
    pub input: Input,
    pub readable: ReadableFiles,
    pub host: HostLimits,
    /// When loops and functions of the host code are compiled to machine code, where an emitter for this
    /// machine exists; `None` means never.
    pub compile: Option<CompileWhen>,
    /// Most bytes of output, standard output and standard error together.
    pub output_bytes: u64,
    /// Limits on what the program may request from modelled GPUs.
    pub gpus: GpuLimits,
    /// Whether every launch blocks until it completes, as under `CUDA_LAUNCH_BLOCKING=1`.
    pub launch_blocking: bool,
    pub control: Control<'a>,
}

impl<'a> Settings<'a> {
    /// Returns the settings of a program that reads neither input nor files, with the usual limits and with any
    /// output.
    pub fn new(arguments: &'a [String], control: Control<'a>) -> Settings<'a> {
        Settings {
            arguments,
            input: Input::Nothing,
            readable: ReadableFiles::None,
            host: HostLimits::default(),
            compile: None,
            output_bytes: u64::MAX,
            gpus: GpuLimits::default(),
            launch_blocking: false,
            control,
        }
    }
}

/// How a program ended.
#[derive(Debug, Serialize, Deserialize)]
pub enum Exit {
    /// The exit code that `main` returned or that was passed to `exit`. Where the system would have sent a
    /// signal, the code that a shell reports for it.
    Code(i32),
    /// A finding stopped the program, as the defect would have stopped a real one.
    Stopped,
    /// The program called a function that is declared but not defined; `name` is its name in the PTX.
    UndefinedFunction { name: String, line: Option<SourceLocation> },
    /// The program uses something that this tool does not support.
    Unsupported { what: String, line: Option<SourceLocation> },
    /// The program exceeded a limit.
    Limit(LimitReached),
    /// The program was cancelled, or it reached its deadline.
    Cancelled,
    /// The program has no `main`.
    NoMain,
    /// The machine or its environment failed, not the program.
    Environment(#[serde(with = "error_text")] anyhow::Error),
}

/// Serialises an error as its message, for another process.
mod error_text {
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes the message.
    ///
    /// # Errors
    ///
    /// The serialiser's own.
    pub fn serialize<S: Serializer>(error: &anyhow::Error, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{error:#}"))
    }

    /// Reads a message as an error.
    ///
    /// # Errors
    ///
    /// The deserialiser's own.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<anyhow::Error, D::Error> {
        String::deserialize(from).map(anyhow::Error::msg)
    }
}

/// The result of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ran {
    pub exit: Exit,
    /// Findings in the order in which they occurred.
    pub findings: Vec<Finding>,
    /// Run time in nanoseconds on the clock that the program reads: a virtual clock on modelled GPUs, real
    /// time otherwise.
    pub nanoseconds: u64,
    /// PTX instructions of host code that were executed.
    pub host_instructions: u64,
    /// Calls to CUDA; a `<<<>>>` counts as one.
    pub host_calls: u64,
    /// Threads that the program created on the host. They run one after the other, so `nanoseconds` may be too many.
    pub host_threads: u64,
    /// Named ranges (NVTX) of the program.
    pub ranges: Vec<Range>,
    /// Memory allocated from CUDA; `memory_dropped` is the number of allocations beyond those listed.
    pub memory: Vec<MemoryUse>,
    pub memory_dropped: u64,
    /// The files that the program has written and left.
    pub files: Vec<WrittenFile>,
}

/// Runs a program.
pub fn run(program: &Program, gpus: &mut dyn Gpus, settings: &Settings, sink: &mut dyn Sink) -> Ran {
    process(program, gpus, settings, sink, |world, engine| {
        if program.module.function_address("main").is_none() {
            return Ok(None);
        }
        prepare(program, world, engine)?;
        initialise(program, world, engine)?;
        begin(world, engine, settings).map(Some)
    })
}

/// Runs a process from start to end. `act` does the work of the process and returns its exit code, or `None`
/// if there is nothing to run.
pub(super) fn process(
    program: &Program,
    gpus: &mut dyn Gpus,
    settings: &Settings,
    sink: &mut dyn Sink,
    act: impl FnOnce(&mut World, &mut HostThread) -> Result<Option<i32>, Stop>,
) -> Ran {
    let mut runtime = Runtime::new(program);
    runtime.launches.blocking = settings.launch_blocking;
    if let Some(simulated) = gpus.simulated() {
        simulated.limit_memory(settings.host.memory_bytes);
        runtime.limits = settings.gpus;
    }
    let output = Output::new(sink, settings.output_bytes);
    let library = Library::new(settings.input.clone(), settings.readable);
    let mut state = HostState::new(library, output, settings.control);
    let (exit, called_exit, host_instructions) = {
        let mut world = World { gpus, runtime: &mut runtime, state: &mut state };
        through(program, &mut world, settings, act)
    };
    runtime.add_findings(gpus.findings());
    let exit = match (exit, runtime.ended.take()) {
        (_, Some(Ended::Environment(error))) => Exit::Environment(error),
        (exit, _) => exit,
    };
    runtime.findings.last_mut().into_iter().for_each(|last| instead_of_trap(program, last));
    if let Exit::Code(code) = exit {
        let unseen = unseen_uses(program, &runtime.findings);
        runtime.findings.extend(unseen);
        runtime.find_unchecked_errors();
        runtime.find_refused_call();
        let gave_up = code != 0 && (runtime.find_failed_call(code) || called_exit);
        // A program that gave up after an error did not reach the end of its group.
        if !gave_up {
            runtime.find_open_group();
        }
        // A lost context takes its memory with it, and a program that gave up did not reach the lines that
        // free it.
        if runtime.errors.sticky().is_none() && !gave_up {
            runtime.find_leaks();
        }
    }
    let causes = runtime.unwritten.take_causes();
    let unwritten = runtime.unwritten.take(&runtime.findings);
    runtime.findings.extend(unwritten);
    runtime.findings.splice(..0, causes);
    if matches!(exit, Exit::Code(_)) {
        runtime.find_size_queries();
    }
    runtime.add_free_sites();
    runtime.add_empty_allocations();
    Ran {
        exit,
        nanoseconds: gpus.now_ns(),
        findings: fold_launches(runtime.findings),
        host_instructions,
        host_calls: runtime.calls.count,
        host_threads: runtime.streams.last_thread.into(),
        ranges: runtime.ranges.done,
        memory: runtime.allocations.log.uses,
        memory_dropped: runtime.allocations.log.dropped,
        files: state.library.take_files(),
    }
}

/// Runs the process from start to end. Returns how it ended, whether `exit` was called, and the number of
/// host instructions executed.
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
    engine.follow_undefined(world.gpus.simulated().is_some_and(|gpus| gpus.checks()));
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

/// Loads the module on the GPUs and places its variables for the host thread.
pub(super) fn prepare(program: &Program, world: &mut World, engine: &mut HostThread) -> Result<(), Stop> {
    let module = &program.module;
    let loaded = world.gpus.load(module);
    loaded.map_err(|failure| world.stop(failure, None))?;
    for (index, (variable, usage)) in (0..).zip(module.variables().iter().zip(module.usage())) {
        if variable.symbol.starts_with("_ZSt") || variable.symbol.starts_with("_ZNSt") {
            world.state.header_variables.insert(index);
        }
        if variable.managed {
            let placed = world.gpus.variable(0, index);
            let (address, bytes) = placed.map_err(|failure| world.stop(failure, None))?;
            engine.place_variable(index, address.0);
            world.runtime.place_variable(index, None, address.0, bytes);
        } else if usage.is_for_kernels() || variable.constant && usage.used_by_kernels {
            // The host's copy may differ from the GPU's. Data that neither side changes is the same on both
            // and needs no guard.
            engine.guard_variable(index);
        }
    }
    Ok(())
}

/// Runs the initialisers of variables whose values are computed at run time, in their order.
pub(super) fn initialise(program: &Program, world: &mut World, engine: &mut HostThread) -> Result<(), Stop> {
    let number = |f: &HostFunction| f.symbol.strip_prefix(initialisers::FUNCTION)?.parse::<u32>().ok();
    let mut numbers: Vec<u32> = program.functions.iter().filter_map(number).collect();
    numbers.sort_unstable();
    for number in numbers {
        engine.run(world, &format!("{}{number}", initialisers::FUNCTION), &[])?;
    }
    Ok(())
}

/// Places `argv` in the program's memory, runs `main`, and returns the low eight bits of its result.
fn begin(world: &mut World, engine: &mut HostThread, settings: &Settings) -> Result<i32, Stop> {
    let mut pointers = Vec::new();
    for argument in settings.arguments {
        let mut text = argument.clone().into_bytes();
        text.push(0);
        pointers.extend(place(engine, &text)?.to_le_bytes());
    }
    pointers.extend(0u64.to_le_bytes());
    let argv = place(engine, &pointers)?;
    engine.memory_mut().name_block(argv, "argv");
    let returned = engine.run(world, "main", &[settings.arguments.len() as u64, argv])?;
    if returned as u32 == POISON_WORD && world.gpus.simulated().is_some_and(|gpus| gpus.checks()) {
        let (at, evidence) = (Access::by(Actor::Host, None), vec![Evidence::MainHasNoValue]);
        world.runtime.find(FindingKind::Undefined, at, None, evidence);
    }
    Ok((returned as i32) & 0xff)
}

/// Copies bytes into newly allocated memory of the program, before it starts, and returns their address.
fn place(engine: &mut HostThread, bytes: &[u8]) -> Result<u64, Stop> {
    let refused = |_| Stop::Limit(RunLimit::Arguments.into());
    let address = engine.memory_mut().allocate(bytes.len() as u64, 16).map_err(refused)?;
    engine.memory_mut().write(address, bytes).map_err(refused)?;
    Ok(address)
}

/// Ends the process: runs the `atexit` functions, then completes work that nobody waited for. Returns the
/// exit code.
fn finish(world: &mut World, engine: &mut HostThread, mut code: i32) -> Result<i32, Stop> {
    for function in world.state.library.take_exit_functions() {
        match engine.call(world, function, &[]) {
            Ok(_) => {}
            Err(Stop::Exit(other)) if world.runtime.ended.is_none() => code = other,
            Err(stop) => return Err(stop),
        }
    }
    world.charge(engine);
    let ended = world.with_gpus(engine, |gpus, host| gpus.end(host));
    match ended {
        // No call is left that could report a CUDA error.
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
            world.runtime.add_findings(world.gpus.findings());
            world.runtime.findings.push(*finding);
            Exit::Stopped
        }
        Stop::UndefinedFunction { name, line } => Exit::UndefinedFunction { name, line },
        Stop::Unsupported { what, line } => Exit::Unsupported { what, line },
        Stop::Limit(LimitReached { limit: RunLimit::HostInstructions { .. }, .. })
            if !world.runtime.waiting_threads.is_empty() =>
        {
            let what = "host threads that wait for each other: here each runs where it is created, to its end, and this \
                        one does not end; it may wait for what another one is to do";
            Exit::Unsupported { what: what.into(), line: None }
        }
        Stop::Limit(limit) => Exit::Limit(limit),
        Stop::Cancelled => Exit::Cancelled,
    }
}
