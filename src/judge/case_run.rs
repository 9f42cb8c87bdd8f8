//! Runs one case on one device: fresh inputs, the launches, and what they left behind.

use super::backend::{Device, Program};
use super::finding_order::causes_first;
use super::launch_failure::LaunchFailure;
use super::value::Values;
use super::verdict::{Failure, Overwork};
use crate::course::{ElementType, Role, SizedArgument, SizedCase, Spec};
use sim::{Address, AdviceReport, Arg, Counts, Finding, Outcome, Recording};
use std::borrow::Cow;

/// What a case left behind.
#[derive(Default)]
pub struct CaseRun {
    /// Every output buffer, in the order of lesson.toml.
    pub outputs: Vec<Output>,
    /// Findings, the most likely cause first.
    pub findings: Vec<Finding>,
    /// Counters of all launches together.
    pub counts: Counts,
    /// Counters of each launch that was started.
    pub launches: Vec<Counts>,
    /// Advice for all launches; empty unless it was requested.
    pub advice: AdviceReport,
    /// What the kernels printed.
    pub text: Vec<u8>,
    /// The recording of the block that was to be recorded.
    pub recording: Option<Box<Recording>>,
    /// A launch did not run to its end, so there is no result.
    pub stopped: bool,
}

/// The contents of an output buffer after the launches.
pub struct Output {
    /// Index of the buffer in lesson.toml.
    pub buffer: usize,
    pub got: Values,
    /// For each element, whether all of its bytes were written.
    pub written: Vec<bool>,
}

/// Why a case came to no conclusive end, and what was printed until then.
pub struct Inconclusive {
    pub failure: Failure,
    pub text: Vec<u8>,
}

impl Inconclusive {
    fn boxed(failure: Failure, text: Vec<u8>) -> Box<Inconclusive> {
        Box::new(Inconclusive { failure, text })
    }

    fn refused(why: LaunchFailure, text: Vec<u8>) -> Box<Inconclusive> {
        Inconclusive::boxed(Failure::Launch { why, clean: false }, text)
    }
}

/// Runs a case. `initial` holds the initial values of every buffer, `None` where it is not filled; `symbols` holds
/// the kernel of every launch.
pub fn run_case(
    program: &dyn Program,
    spec: &Spec,
    sized: &SizedCase,
    symbols: &[String],
    initial: &[Option<Values>],
) -> Result<CaseRun, Box<Inconclusive>> {
    let mut device = program.device();
    let bytes = |index: usize, ty| {
        let values = initial.get(index)?.as_ref()?;
        Some(Cow::Owned(values.encode(ty)))
    };
    let addresses = place(device.as_mut(), spec, sized, &bytes)?;
    let mut case_run = run(program, device.as_mut(), sized, symbols, &addresses)?;
    for (index, (buffer, (address, bytes))) in spec.buffers.iter().zip(addresses).enumerate() {
        if buffer.role.is_output() {
            let mut raw = vec![0; bytes];
            device.read(address, &mut raw);
            let written = device.written(address, bytes);
            let written = written.chunks(buffer.ty.bytes()).map(|bytes| !bytes.contains(&false)).collect();
            case_run.outputs.push(Output { buffer: index, got: Values::decode(buffer.ty, &raw), written });
        }
    }
    Ok(case_run)
}

/// Address of a buffer and its size in bytes.
type Placed = (Address, usize);

/// Allocates the buffers of a case. `initial` returns the initial bytes of a buffer, given its index and type;
/// `None` where it is not filled.
pub fn place<'a>(
    device: &mut (dyn Device + '_),
    spec: &Spec,
    sized: &SizedCase,
    initial: &dyn Fn(usize, ElementType) -> Option<Cow<'a, [u8]>>,
) -> Result<Vec<Placed>, Box<Inconclusive>> {
    let mut addresses = Vec::with_capacity(spec.buffers.len());
    for (index, (buffer, shape)) in spec.buffers.iter().zip(&sized.shapes).enumerate() {
        let bytes = shape.iter().product::<usize>() * buffer.ty.bytes();
        let address = device.allocate(&buffer.name, bytes as u64);
        let address = address.map_err(|error| Inconclusive::refused(error, Vec::new()))?;
        if let Some(bytes) = initial(index, buffer.ty) {
            device.write(address, &bytes);
        }
        if buffer.role == Role::In {
            device.set_read_only(address);
        }
        addresses.push((address, bytes));
    }
    Ok(addresses)
}

/// Runs the launches of a case. The results stay on the device: no output is read.
pub fn run(
    program: &dyn Program,
    device: &mut (dyn Device + '_),
    sized: &SizedCase,
    symbols: &[String],
    addresses: &[Placed],
) -> Result<CaseRun, Box<Inconclusive>> {
    let mut case_run = CaseRun::default();
    for (launch, symbol) in sized.launches.iter().zip(symbols) {
        let args = launch.args.iter().filter_map(|argument| match argument {
            SizedArgument::Buffer(index) => addresses.get(*index).map(|(address, _)| Arg::from(*address)),
            SizedArgument::Value(arg) => Some(arg.clone()),
        });
        let args: Vec<Arg> = args.collect();
        let report = match device.launch(symbol, launch.config, &args) {
            Ok(report) => report,
            Err(error) => return Err(Inconclusive::refused(error, case_run.text)),
        };
        program.launched(symbol, &launch.config, &report.counts);
        case_run.text.extend(report.output);
        if report.output_cut {
            case_run.text.extend(b"\n(more was printed but not kept)\n");
        }
        case_run.recording = case_run.recording.or(report.recording);
        case_run.counts.add(&report.counts);
        case_run.launches.push(report.counts);
        case_run.advice.join(report.advice);
        case_run.findings.extend(report.findings);
        match report.outcome {
            Outcome::Completed => {}
            Outcome::Stopped if case_run.findings.is_empty() => {
                let what = "the run was stopped and no reason was given".to_owned();
                return Err(Inconclusive::boxed(Failure::unsupported(what, None), case_run.text));
            }
            Outcome::Stopped => {
                case_run.stopped = true;
                break;
            }
            Outcome::BlockBudgetSpent { line } | Outcome::LaunchBudgetSpent { line } => {
                let done = case_run.counts.warp_instructions();
                let overwork = Overwork { done, line: line.map(|at| at.line), ..Overwork::default() };
                return Err(Inconclusive::boxed(Failure::Overwork(overwork), case_run.text));
            }
            Outcome::UndefinedFunction { name, line } => {
                return Err(Inconclusive::boxed(Failure::undefined(&name, line), case_run.text));
            }
            Outcome::Unsupported { what, line } => {
                return Err(Inconclusive::boxed(Failure::unsupported(what, line), case_run.text));
            }
        }
    }
    case_run.findings = causes_first(case_run.findings);
    Ok(case_run)
}
