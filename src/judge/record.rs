//! Records one block of a lesson's kernels for a debugger. For whole programs, see `program/record.rs`.

use super::backend::{self, Kernels};
use super::case_run::run_case;
use super::fill::inputs;
use super::kernel::PreparedKernel;
use super::no_result::NoResult;
use super::options::{Options, simulation};
use super::signature::symbols;
use crate::course::Case;
use anyhow::{Context, Result};
use compiler::Request;
use host::device::simulated::{RecordedLaunch, Simulated};
use host::program::Program;
use sim::{Finding, LaunchConfig, Module, RecordRequest, Recording};
use std::sync::Arc;

/// Factor by which a step budget grows for code compiled without optimisation.
pub(super) const UNOPTIMISED_BUDGET_FACTOR: u64 = 8;

/// Which part of a run to record.
#[derive(Clone, Copy, Debug)]
pub struct RecordedPart {
    /// Index of the case.
    pub case: usize,
    /// Index of the launch in the case.
    pub launch: usize,
    pub request: RecordRequest,
}

/// A recorded block with its code and launch.
#[derive(Debug)]
pub struct Recorded {
    /// The recording; `None` where the launch ended before the block started.
    pub recording: Option<Box<Recording>>,
    /// The module, compiled for debugging without optimisation.
    pub module: Arc<Module>,
    pub ptx: Arc<str>,
    /// The kernel's name in the PTX.
    pub symbol: String,
    pub config: LaunchConfig,
    /// The lesson's case; empty for a program of the learner's own.
    pub case: Case,
    /// All findings of the run, up to where it ended, the most likely cause first.
    pub findings: Vec<Finding>,
}

/// The launches of a run.
#[derive(Clone, Debug, Default)]
pub struct Launches {
    /// In order: the launch, and its configuration.
    pub all: Vec<(sim::Request, LaunchConfig)>,
    /// Index of the first launch with a finding; unknown for lessons whose launches the tool makes.
    pub found: Option<usize>,
    /// Findings of the run that determined the launches; empty where no run was needed for that.
    pub findings: Vec<Finding>,
}

impl Launches {
    /// Returns the launches of a program that ran on these GPUs.
    pub fn of(gpus: &Simulated, findings: Vec<Finding>) -> Launches {
        let launches = gpus.ledger().launches.iter();
        let all = launches.map(|its| (its.what.clone(), its.config)).collect();
        Launches { all, found: gpus.first_found(), findings }
    }
}

impl Recorded {
    /// Creates the recording of a program's launch.
    pub fn of(program: &Program, launch: RecordedLaunch, case: Case) -> Recorded {
        Recorded {
            recording: launch.recording,
            module: program.module.clone(),
            ptx: program.ptx.clone(),
            symbol: program.module.kernel(launch.kernel).map_or_else(String::new, |kernel| kernel.name),
            config: launch.config,
            case,
            findings: launch.findings,
        }
    }
}

impl PreparedKernel<'_> {
    /// Runs a case with its kernels compiled for debugging and records one block.
    ///
    /// # Errors
    ///
    /// Fails if the kernels do not compile or come to no conclusive end, if there is no such case or launch, or if
    /// the lesson is at fault.
    pub fn record(&self, part: RecordedPart, options: &Options) -> Result<Recorded, NoResult> {
        let (lesson, spec) = (self.lesson, &self.lesson.spec);
        self.kernels.as_ref().map_err(Box::clone)?;
        // A lesson that asks questions has kernels of its own.
        let source = lesson.kernels_source.as_deref().unwrap_or(&self.source);
        let request = Request { options: &["--device-debug"], ..lesson.request(source, &self.file_name) };
        let ptx = self.compiler.compile(&request)?.ptx;
        let kernels = Arc::new(Kernels::parse_for_debugging(&ptx, source)?);
        let usual = simulation(lesson, options);
        let step_budget = usual.step_budget.saturating_mul(UNOPTIMISED_BUDGET_FACTOR);
        // One host thread runs the blocks in order, so that memory is recorded as the block sees it.
        let options_of_run = sim::Options { step_budget, host_threads: 1, ..usual };
        let program = backend::Simulated::new(kernels.clone(), spec.compute_capability, options_of_run);
        let program = program.recording(part.launch, part.request);
        let symbols = symbols(spec, backend::Program::signatures(&program))?;
        let sizes = spec.cases.get(part.case).with_context(|| format!("there is no case {}", part.case))?;
        let sized = lesson.sized(sizes)?;
        let launch = sized.launches.get(part.launch).zip(symbols.get(part.launch));
        let (launch, symbol) = launch.with_context(|| format!("there is no launch {}", part.launch))?;
        let (config, symbol) = (launch.config, symbol.clone());
        let initial = inputs(lesson, &sized, part.case, options.seed);
        let case_run = run_case(&program, spec, &sized, &symbols, &initial).map_err(|broken| broken.why)?;
        drop(program);
        Ok(Recorded {
            recording: case_run.recording,
            module: kernels.module().clone(),
            ptx: ptx.into(),
            symbol,
            config,
            case: sizes.clone(),
            findings: case_run.findings,
        })
    }

    /// Returns the launches of a case.
    ///
    /// # Errors
    ///
    /// Fails if there is no such case, or if its sizes do not fit.
    pub fn launches(&self, case: usize) -> Result<Launches> {
        let spec = &self.lesson.spec;
        let sizes = spec.cases.get(case).with_context(|| format!("there is no case {case}"))?;
        let sized = spec.sized(sizes)?;
        let launches = spec.launches.iter().zip(&sized.launches);
        let all = launches
            .map(|(its, sized)| (sim::Request::Launch(Some(its.kernel.as_str().into())), sized.config))
            .collect();
        Ok(Launches { all, ..Launches::default() })
    }
}
