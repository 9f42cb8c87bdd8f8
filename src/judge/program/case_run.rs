//! Runs one case in one process on fresh GPUs.

use super::{ExpectedResult, Task, compare};
use crate::case_run::Output;
use crate::course::{Buffer, Lesson, Role, SizedArgument, SizedCallArguments, Tolerance};
use crate::fill::Stream;
use crate::tool_limit::ToolLimit;
use crate::value::Values;
use crate::verdict::Failure;
use anyhow::{Result, bail};
use host::device::model::Model;
use host::device::simulated::{Schedule, Simulated};
use host::device::timeline::Span;
use host::device::{CountingGpus, Tally};
use host::program::{
    self, BufferAfter, CallArg, CallBuffer, Channel, Control, Exit, GpuLimits, Invocation, Program, Settings,
    Sink,
};
use sim::{Arg, Counts, Finding, HostLimits, Options};
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Limits on the bytes of output that a program may print and on the host memory that it may use.
const OUTPUT_BYTES: u64 = 64 << 10;
const HOST_BYTES: u64 = 1 << 30;
/// Limits on the threads of a launch, on memory allocated through CUDA and on enqueued work: many times what lessons
/// need, and far below what would overload a machine.
const GPUS: GpuLimits = GpuLimits { launch_threads: 1 << 26, allocated_bytes: 1 << 30, enqueued: 20_000 };
/// PTX instructions of host code after which it is considered endless: some twenty seconds.
const HOST_INSTRUCTIONS: u64 = 2_000_000_000;
/// Warp instructions of all kernels, plus the equivalent cost of copies and memsets, after which a program is
/// considered endless: a few minutes. Work is counted, not timed, so that no verdict depends on how busy the
/// machine is.
const WARP_INSTRUCTIONS: u64 = 4_000_000_000;
/// Wall-clock limit, far beyond what the limits above allow for: a machine that needs longer cannot judge.
const PATIENCE: Duration = Duration::from_secs(3600);

/// What a case runs on: the lesson and the models of the GPUs.
pub struct Machine<'a> {
    pub lesson: &'a Lesson,
    pub models: Vec<Arc<Model>>,
    pub options: super::Options,
}

/// What a case left behind.
pub struct CaseRun {
    /// Why the run came to no conclusive end.
    pub broken: Option<Box<Failure>>,
    /// The process's exit code; `None` where a finding stopped it.
    pub code: Option<i32>,
    /// Whether every function that was called returned.
    pub returned: bool,
    pub findings: Vec<Finding>,
    /// Every output buffer, in the order of lesson.toml.
    pub outputs: Vec<Output>,
    /// The contents of every buffer after the last call, where they can be read.
    pub inputs: Vec<Option<Vec<u8>>>,
    pub counts: Counts,
    pub tally: Tally,
    /// Threads that the program created on the host.
    pub host_threads: u64,
    /// The timeline of host and GPUs.
    pub spans: Vec<Span>,
    /// What was printed: `text` to both channels, `stdout` to standard output only.
    pub text: Vec<u8>,
    pub stdout: String,
}

#[derive(Default)]
pub struct Printed {
    pub both: Vec<u8>,
    pub stdout: Vec<u8>,
}

impl Sink for Printed {
    fn write(&mut self, channel: Channel, bytes: &[u8]) {
        self.both.extend_from_slice(bytes);
        if channel == Channel::Stdout {
            self.stdout.extend_from_slice(bytes);
        }
    }
}

impl Machine<'_> {
    /// Runs a case; with `checks`, the simulator checks kernels for races and reads of uninitialised memory.
    ///
    /// # Errors
    ///
    /// Fails as [`Machine::run_simulated`] does.
    pub fn run(
        &self,
        program: &Program,
        symbols: &[String],
        task: &Task,
        schedule: Schedule,
        checks: bool,
    ) -> Result<CaseRun> {
        self.run_simulated(&mut self.gpus(schedule, checks, 1), program, symbols, task)
    }

    /// Creates fresh GPUs. `longer` multiplies the usual step budget of a block.
    pub fn gpus(&self, schedule: Schedule, checks: bool, longer: u64) -> Simulated {
        let spec = &self.lesson.spec;
        let options = Options {
            host_threads: self.options.host_threads,
            step_budget: spec.step_budget.saturating_mul(longer),
            launch_budget: WARP_INSTRUCTIONS,
            checks,
            ..Options::default()
        };
        let options = jit::compiling(options, self.options.machine_code);
        Simulated::new(self.models.clone(), schedule, options)
    }

    /// Like [`Machine::run`], on the given GPUs.
    ///
    /// # Errors
    ///
    /// Fails if the environment is at fault; how the program failed is part of the result.
    pub fn run_simulated(
        &self,
        gpus: &mut Simulated,
        program: &Program,
        symbols: &[String],
        task: &Task,
    ) -> Result<CaseRun> {
        let arguments = self.arguments(task);
        let cancelled = AtomicBool::new(false);
        let settings =
            Settings { compile: self.options.machine_code, ..settings(&arguments, &cancelled, PATIENCE) };
        let mut printed = Printed::default();
        let buffers = self.buffers_of(task);
        let (ran, returned, left, mut tally) = if words(task).is_some() {
            let mut counting_gpus = CountingGpus::new(gpus);
            let ran = program::run(program, &mut counting_gpus, &settings, &mut printed);
            let mut tally = counting_gpus.counter().get().clone();
            (tally.host_calls, tally.modelled_ns) = (ran.host_calls, ran.nanoseconds);
            (ran, true, Vec::new(), tally)
        } else {
            let calls: Vec<Invocation> = invocations(task, symbols);
            let invoked = program::invoke(program, gpus, &settings, &mut printed, &buffers, &calls);
            (invoked.ran, invoked.returned, invoked.left, invoked.tally)
        };
        let (code, broken) = ended(ran.exit)?;
        tally.shares = gpus.ledger().shares.clone();
        Ok(CaseRun {
            broken,
            code,
            returned,
            findings: ran.findings,
            outputs: self.outputs(task, &buffers, &left),
            inputs: left.into_iter().map(|left| left.map(|left| left.bytes)).collect(),
            counts: gpus.ledger().totals.clone(),
            tally,
            host_threads: ran.host_threads,
            spans: gpus.take_spans(),
            text: printed.both,
            stdout: String::from_utf8_lossy(&printed.stdout).into_owned(),
        })
    }

    /// Returns the program's `argv`.
    pub fn arguments(&self, task: &Task) -> Vec<String> {
        let name = [self.lesson.slug.clone()];
        name.into_iter().chain(words(task).into_iter().flatten().cloned()).collect()
    }

    /// Returns the buffers of a case before the first call, building them if that has not been done yet.
    pub fn buffers_of<'t>(&self, task: &'t Task) -> Cow<'t, [CallBuffer]> {
        match &task.buffers {
            Some(made) => Cow::Borrowed(made.as_slice()),
            None => Cow::Owned(self.buffers(task)),
        }
    }

    /// Builds the buffers as they are before the first call.
    pub fn buffers(&self, task: &Task) -> Vec<CallBuffer> {
        let all = self.lesson.spec.buffers.iter().zip(&task.sized.shapes).enumerate();
        all.map(|(index, (buffer, shape))| {
            let count = shape.iter().product::<usize>();
            let values = task.initial.get(index).and_then(Option::as_ref);
            let bytes = match values {
                Some(values) => values.encode(buffer.ty),
                None => self.poison(task, index, buffer, count),
            };
            CallBuffer {
                name: buffer.name.clone(),
                memory: buffer.memory,
                bytes,
                filled: values.is_some(),
                read_only: buffer.role == Role::In,
            }
        })
        .collect()
    }

    /// Returns the poison that an output holds before it is written: it differs from the right value in every
    /// element.
    fn poison(&self, task: &Task, index: usize, buffer: &Buffer, count: usize) -> Vec<u8> {
        let size = buffer.ty.bytes();
        let stream = Stream::new(!self.options.seed, &self.lesson.slug, task.index, index);
        let mut bytes = Vec::with_capacity(count * size + 8);
        for word in 0..(count * size).div_ceil(8) as u64 {
            bytes.extend((stream.bits(word) | 0x8080_8080_8080_8080).to_le_bytes());
        }
        bytes.truncate(count * size);
        if buffer.ty.is_float() {
            // Floats are poisoned with NaN, which any sum propagates: sign and exponent all ones, and the most
            // significant mantissa bit set, which for all these types lie within the top two bytes. The lower bits
            // make elements distinct.
            for element in bytes.chunks_exact_mut(size) {
                let [.., next, last] = element else { continue };
                (*next, *last) = (*next | 0xfc, 0xff);
            }
        }
        let before = self.lesson.spec.buffers[..index].iter().filter(|b| b.role.is_output()).count();
        if let (ExpectedResult::Values(wanted), true) = (&*task.wanted, buffer.role.is_output())
            && let Some(wanted) = wanted.get(before)
        {
            let (right, got) = (wanted.rounded(buffer.ty), Values::decode(buffer.ty, &bytes));
            let same = compare(&right, &got, &vec![true; count], Tolerance::default());
            let encoded = right.encode(buffer.ty);
            let differs = differs(&encoded, &bytes, size);
            for ((same, differs), element) in same.into_iter().zip(differs).zip(bytes.chunks_mut(size)) {
                if same || !differs {
                    element[0] ^= 1;
                }
            }
        }
        bytes
    }

    /// Returns what the outputs hold. In pageable memory, an element that still holds the poison counts as
    /// unwritten.
    pub fn outputs(&self, task: &Task, buffers: &[CallBuffer], left: &[Option<BufferAfter>]) -> Vec<Output> {
        let all = self.lesson.spec.buffers.iter().zip(&task.sized.shapes).zip(buffers).enumerate();
        all.filter(|(_, ((buffer, _), _))| buffer.role.is_output())
            .map(|(index, ((buffer, shape), passed))| {
                let size = buffer.ty.bytes();
                let count = shape.iter().product::<usize>();
                let left = left.get(index).and_then(Option::as_ref);
                let bytes = left.map_or(&passed.bytes, |left| &left.bytes);
                let written = match left {
                    None => vec![false; count],
                    Some(_) if passed.filled => vec![true; count],
                    Some(BufferAfter { written: Some(written), .. }) => {
                        written.chunks(size).map(|element| !element.contains(&false)).collect()
                    }
                    Some(BufferAfter { bytes, written: None }) => differs(bytes, &passed.bytes, size),
                };
                Output { buffer: index, got: Values::decode(buffer.ty, bytes), written }
            })
            .collect()
    }
}

/// Returns, for each element of `size` bytes, whether it differs between the two.
fn differs(one: &[u8], other: &[u8], size: usize) -> Vec<bool> {
    fn of<const SIZE: usize>(one: &[u8], other: &[u8]) -> Vec<bool> {
        let ((one, _), (other, _)) = (one.as_chunks::<SIZE>(), other.as_chunks::<SIZE>());
        one.iter().zip(other).map(|(one, other)| one != other).collect()
    }
    match size {
        1 => of::<1>(one, other),
        2 => of::<2>(one, other),
        4 => of::<4>(one, other),
        8 => of::<8>(one, other),
        _ => one.chunks(size).zip(other.chunks(size)).map(|(one, other)| one != other).collect(),
    }
}

/// Returns the arguments for `main` after the program's name, where the case calls `main`.
pub fn words<'t>(task: &'t Task) -> Option<&'t Vec<String>> {
    task.sized.calls.iter().find_map(|call| match &call.args {
        SizedCallArguments::Words(words) => Some(words),
        SizedCallArguments::Values(_) => None,
    })
}

/// Returns the limits and inputs of a program that runs a case.
pub fn settings<'a>(arguments: &'a [String], cancelled: &'a AtomicBool, patience: Duration) -> Settings<'a> {
    let control = Control { cancelled, deadline: Instant::now().checked_add(patience) };
    let host =
        HostLimits { memory_bytes: HOST_BYTES, instructions: HOST_INSTRUCTIONS, ..HostLimits::default() };
    Settings { host, output_bytes: OUTPUT_BYTES, gpus: GPUS, ..Settings::new(arguments, control) }
}

pub fn invocations(task: &Task, symbols: &[String]) -> Vec<Invocation> {
    let calls = task.sized.calls.iter().zip(symbols);
    calls
        .map(|(call, symbol)| {
            let values: &[SizedArgument] = match &call.args {
                SizedCallArguments::Values(values) => values,
                SizedCallArguments::Words(_) => &[],
            };
            let arguments = values.iter().map(|argument| match argument {
                SizedArgument::Buffer(index) => CallArg::CallBuffer(*index),
                SizedArgument::Value(value) => CallArg::Bits(bits(value)),
            });
            Invocation { symbol: symbol.clone(), arguments: arguments.collect() }
        })
        .collect()
}

/// Returns the bits of a number as calls pass it: small types are extended to 4 bytes, with their sign.
fn bits(value: &Arg) -> u64 {
    let mut bytes = [0; 8];
    let count = value.0.len().min(8);
    bytes[..count].copy_from_slice(&value.0[..count]);
    u64::from_le_bytes(bytes)
}

/// Returns the exit code, or why there is none: nothing is said where a finding stopped the program.
///
/// # Errors
///
/// Fails if the end says nothing about the program.
pub fn ended(exit: Exit) -> Result<(Option<i32>, Option<Box<Failure>>)> {
    let failure = match exit {
        Exit::Code(code) => return Ok((Some(code), None)),
        Exit::Stopped => return Ok((None, None)),
        Exit::UndefinedFunction { name, line } => Failure::undefined(&name, line),
        Exit::Unsupported { what, line } => Failure::unsupported(what, line),
        Exit::Limit(reached) => Failure::Limit(ToolLimit::Run(reached)),
        Exit::NoMain => Failure::unsupported("a program without main()".into(), None),
        Exit::Cancelled => bail!(
            "the program was stopped after {} s: this machine is too slow or too busy to judge it. This says \
             nothing about the program",
            PATIENCE.as_secs()
        ),
        Exit::Environment(error) => return Err(error),
    };
    Ok((None, Some(Box::new(failure))))
}
