//! Limits on the work of a kernel: a large multiple of what the lesson's own solution does in the same case, and at
//! least [`MIN_WORK_BUDGET`]. Work is counted in warp instructions, not timed, so that no verdict depends on how fast or
//! busy the machine is.

use super::PreparedKernel;
use crate::backend::{Program, Simulated};
use crate::case_run::run_case;
use crate::compile::compile_own;
use crate::fill::inputs;
use crate::judged_case::JudgedCase;
use crate::options::{Options, simulation};
use crate::own_failure::OwnFailure;
use crate::signature::symbols;
use crate::verdict::{Failure, Overwork, Passed};
use crate::wrong_output::wrong_output;
use anyhow::{Context, Result};

/// Warp instructions per case for which no kernel is ever stopped: a few seconds at most.
pub const MIN_WORK_BUDGET: u64 = 1 << 23;

/// The limit on a kernel's work beyond [`MIN_WORK_BUDGET`], as a multiple of the solution's work.
const SOLUTION_WORK_FACTOR: u64 = 200;

/// The outcome of judging with a limited work budget.
pub enum BudgetedVerdict {
    Done(Box<Result<Passed, Failure>>, String),
    /// The solution itself does so much work that the budget must grow to this many warp instructions per case.
    Again(u64),
}

/// Where a submission that has a defect computes the right values all the same.
#[derive(Clone, Debug, PartialEq)]
pub enum RightValues {
    InEveryCase,
    /// The first case that was not seen to end with them.
    NotIn(JudgedCase),
    Unknown,
}

impl PreparedKernel<'_> {
    /// Decides whether a result obtained with `budget` warp instructions per case is final.
    pub(super) fn within(
        &self,
        budget: u64,
        result: Result<Passed, Failure>,
        output: String,
        options: &Options,
    ) -> Result<BudgetedVerdict> {
        let Err(Failure::Overwork(overwork)) = result else {
            return Ok(BudgetedVerdict::Done(Box::new(result), output));
        };
        let solution = self.solution_work(overwork.case.index, options)?;
        let allowed = solution.saturating_mul(SOLUTION_WORK_FACTOR);
        Ok(match allowed > budget {
            true => BudgetedVerdict::Again(allowed),
            false => BudgetedVerdict::Done(
                Box::new(Err(Failure::Overwork(Overwork { solution, ..overwork }))),
                output,
            ),
        })
    }

    /// Finds out whether every case runs to its end with the right values, whatever findings there are.
    pub(crate) fn right_values(&self, options: &Options) -> Result<RightValues> {
        let lesson = self.lesson;
        let unknown = Ok(RightValues::Unknown);
        let Ok(program) = self.simulated(simulation(lesson, options)) else { return unknown };
        let program = program.with_budget(MIN_WORK_BUDGET);
        let Ok(symbols) = symbols(&lesson.spec, program.signatures()) else { return unknown };
        let answer = self.answer(options)?;
        for (index, case) in lesson.spec.cases.iter().enumerate() {
            let sized = lesson.sized(case)?;
            let initial = inputs(lesson, &sized, index, options.seed);
            let expected = self
                .cache
                .expected
                .get((index, options.seed), || answer.expected(lesson, case, &sized, &initial))?;
            let its_case = JudgedCase::new(index, case);
            let Ok(case_run) = run_case(&program, &lesson.spec, &sized, &symbols, &initial) else {
                return Ok(RightValues::NotIn(its_case));
            };
            let wrong = wrong_output(&lesson.spec, &its_case, &sized, &initial, &expected, &case_run.outputs);
            if case_run.stopped || wrong.is_some() {
                return Ok(RightValues::NotIn(its_case));
            }
        }
        Ok(RightValues::InEveryCase)
    }

    /// Returns the number of warp instructions that the lesson's solution executes in a case.
    fn solution_work(&self, case: usize, options: &Options) -> Result<u64> {
        let lesson = self.lesson;
        let file = lesson.solution_path();
        let work = self.cache.solution_work.get((case, options.seed), || {
            let kernels = self
                .cache
                .kernels
                .get(file.clone(), || compile_own(lesson, &lesson.solution, &file, &self.compiler))?;
            let unchecked = sim::Options { checks: false, ..simulation(lesson, options) };
            let program = Simulated::new(kernels, lesson.spec.compute_capability, unchecked);
            let symbols = symbols(&lesson.spec, program.signatures())
                .map_err(OwnFailure::of)
                .with_context(|| file.clone())?;
            let sizes = lesson.spec.cases.get(case).context("no such case")?;
            let sized = lesson.sized(sizes)?;
            let initial = inputs(lesson, &sized, case, options.seed);
            let case_run = run_case(&program, &lesson.spec, &sized, &symbols, &initial)
                .map_err(|broken| broken.why.into_error(file.clone()))?;
            Ok(case_run.counts.warp_instructions())
        })?;
        Ok(*work)
    }
}
