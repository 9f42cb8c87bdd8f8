//! How much work a kernel may do: many times what the lesson's own solution does in the same case, and no less
//! than what takes a moment. Counted, so that no verdict depends on how fast or busy the machine is.

use super::{Options, PreparedKernel, compile_own, inputs, simulation, symbols, wrong_output};
use crate::backend::{Program, Simulated};
use crate::course::case_text;
use crate::play::play;
use crate::verdict::{Failure, Overwork, Passed};
use anyhow::{Context, Result, anyhow};

/// Warp instructions of a case that no kernel is stopped for: some seconds at the most.
pub const ENOUGH: u64 = 1 << 23;

/// How many times the work of the solution a kernel may do beyond that.
const TIMES: u64 = 200;

/// What came of judging within a budget.
pub enum Judged {
    Done(Box<Result<Passed, Failure>>, String),
    /// The solution itself does so much that more is to be allowed: so many warp instructions a case.
    Again(u64),
}

impl PreparedKernel<'_> {
    /// What is to be made of a result that was had with `budget` warp instructions a case.
    pub(super) fn within(
        &self,
        budget: u64,
        result: Result<Passed, Failure>,
        output: String,
        options: &Options,
    ) -> Result<Judged> {
        let Err(Failure::Overwork(overwork)) = result else {
            return Ok(Judged::Done(Box::new(result), output));
        };
        let solution = self.solution_work(overwork.case_index, options)?;
        let allowed = solution.saturating_mul(TIMES);
        Ok(match allowed > budget {
            true => Judged::Again(allowed),
            false => {
                Judged::Done(Box::new(Err(Failure::Overwork(Overwork { solution, ..overwork }))), output)
            }
        })
    }

    /// Whether every case comes to its end with the right values, whatever else is found.
    pub(crate) fn right_everywhere(&self, options: &Options) -> Result<bool> {
        let lesson = self.lesson;
        let Ok(program) = self.simulated(simulation(lesson, options)) else { return Ok(false) };
        let program = program.with_budget(ENOUGH);
        let Ok(symbols) = symbols(&lesson.spec, program.signatures()) else { return Ok(false) };
        let answer = self.answer(options)?;
        for (index, case) in lesson.spec.cases.iter().enumerate() {
            let sized =
                lesson.spec.sized(case).with_context(|| format!("{}/lesson.toml", lesson.folder()))?;
            let initial = inputs(lesson, &sized, index, options.seed);
            let expected = self
                .own
                .expected((index, options.seed), || answer.expected(lesson, case, &sized, &initial))?;
            let Ok(played) = play(&program, &lesson.spec, &sized, &symbols, &initial) else {
                return Ok(false);
            };
            let wrong =
                wrong_output(&lesson.spec, &case_text(case), &sized, &initial, &expected, &played.outputs);
            if played.stopped || wrong.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Warp instructions that the lesson's solution takes in a case.
    fn solution_work(&self, case: usize, options: &Options) -> Result<u64> {
        let lesson = self.lesson;
        let file = lesson.solution_path();
        self.own.solution_work((case, options.seed), || {
            let kernels =
                self.own.kernels(&file, || compile_own(lesson, &lesson.solution, &file, &self.compiler))?;
            let unchecked = sim::Options { checks: false, ..simulation(lesson, options) };
            let program = Simulated::new(kernels, lesson.spec.compute_capability, unchecked);
            let symbols = symbols(&lesson.spec, program.signatures())
                .map_err(|failure| anyhow!("{file}: {}", failure.slug()))?;
            let sizes = lesson.spec.cases.get(case).context("no such case")?;
            let sized =
                lesson.spec.sized(sizes).with_context(|| format!("{}/lesson.toml", lesson.folder()))?;
            let initial = inputs(lesson, &sized, case, options.seed);
            let played = play(&program, &lesson.spec, &sized, &symbols, &initial)
                .map_err(|broken| anyhow!("{file}: {}", broken.failure.slug()))?;
            Ok(played.counts.warp_instructions())
        })
    }
}
