//! Profiles one case of a lesson's kernels, for pictures of a run.

use super::backend::Program;
use super::case_run::run_case;
use super::fill::inputs;
use super::kernel::PreparedKernel;
use super::measure::kernel_work;
use super::no_result::NoResult;
use super::options::{Options, simulation};
use super::signature::symbols;
use super::verdict::Failure;
use crate::course::Case;
use anyhow::Context;
use sim::time::KernelWork;
use sim::{AdviceReport, Finding, LaunchConfig};

/// What a case did, whether its result is right or wrong.
#[derive(Clone, Debug)]
pub struct CaseProfile {
    pub case: Case,
    /// The launches that ran, in order.
    pub launches: Vec<LaunchProfile>,
    /// Source-line statistics and advice, for all launches together.
    pub advice_report: AdviceReport,
    /// Findings, the most likely cause first.
    pub findings: Vec<Finding>,
    /// The lesson's buffers with their extents in this case.
    pub buffers: Vec<BufferExtents>,
}

/// The extents of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferExtents {
    pub name: String,
    /// Extents in elements, slowest dimension first.
    pub extents: Vec<usize>,
    /// Size of one element in bytes.
    pub bytes: usize,
}

/// One launch of a case.
#[derive(Clone, Debug)]
pub struct LaunchProfile {
    /// The name used in formulas.
    pub name: String,
    /// The kernel's name in the PTX.
    pub symbol: String,
    pub config: LaunchConfig,
    pub work: KernelWork,
}

impl PreparedKernel<'_> {
    /// Runs case number `case` (from 0).
    ///
    /// # Errors
    ///
    /// Fails if the kernels do not compile or come to no conclusive end, or if the lesson itself is at fault.
    pub fn profile(&self, case: usize, options: &Options) -> Result<CaseProfile, NoResult> {
        let (lesson, spec) = (self.lesson, &self.lesson.spec);
        let options_of_run = sim::Options { advice: true, ..simulation(lesson, options) };
        let program = self.simulated(options_of_run).map_err(Failure::clone)?;
        let symbols = symbols(spec, program.signatures())?;
        let sizes =
            spec.cases.get(case).with_context(|| format!("{}: there is no case {case}", lesson.slug))?;
        let sized = lesson.sized(sizes)?;
        let initial = inputs(lesson, &sized, case, options.seed);
        let case_run = run_case(&program, spec, &sized, &symbols, &initial).map_err(|broken| broken.why)?;
        let launches = case_run.launches.into_iter().zip(&spec.launches).map(|(ran, its)| LaunchProfile {
            name: its.called().to_owned(),
            work: kernel_work(&program, &ran),
            symbol: ran.symbol,
            config: ran.config,
        });
        let buffers = spec.buffers.iter().zip(&sized.shapes).map(|(buffer, shape)| BufferExtents {
            name: buffer.name.clone(),
            extents: shape.clone(),
            bytes: buffer.ty.bytes(),
        });
        Ok(CaseProfile {
            case: sizes.clone(),
            launches: launches.collect(),
            advice_report: case_run.advice,
            findings: case_run.findings,
            buffers: buffers.collect(),
        })
    }
}
