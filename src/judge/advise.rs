//! Finds possible improvements of right kernels by running the cases again with advice enabled.

use super::backend::Program;
use super::case_run::run_case;
use super::fill::inputs;
use super::kernel::PreparedKernel;
use super::options::{Options, simulation};
use super::signature::symbols;
use crate::Counter;
use anyhow::Result;
use sim::{self, AdviceReport};

impl PreparedKernel<'_> {
    /// Returns advice for all cases; empty if one cannot be run to its end.
    ///
    /// # Errors
    ///
    /// Fails if the lesson itself is at fault.
    pub fn advice(&self, options: &Options) -> Result<AdviceReport> {
        let mut advice_report = AdviceReport::default();
        let (lesson, spec) = (self.lesson, &self.lesson.spec);
        let options_of_run = sim::Options { advice: true, ..simulation(lesson, options) };
        // A lesson with questions has kernels of its own; there is nothing to advise the learner.
        if !spec.questions.is_empty() {
            return Ok(advice_report);
        }
        let Ok(program) = self.simulated(options_of_run) else { return Ok(advice_report) };
        let Ok(symbols) = symbols(spec, program.signatures()) else { return Ok(advice_report) };
        for (index, case) in spec.cases.iter().enumerate() {
            let sized = lesson.sized(case)?;
            let initial = inputs(lesson, &sized, index, options.seed);
            match run_case(&program, spec, &sized, &symbols, &initial) {
                Ok(case_run) => advice_report.join(case_run.advice.of_run(&case.to_string())),
                Err(_) => return Ok(AdviceReport::default()),
            }
        }
        // A lesson may require a barrier that its own cases could do without.
        let wanted = spec
            .requirements
            .iter()
            .any(|bar| bar.counter == Some(Counter::Barriers) && bar.at_least.is_some());
        let unfit = |code: &sim::FindingKind| {
            spec.no_advice.iter().any(|slug| slug == code.slug())
                || wanted && *code == sim::FindingKind::RedundantBarrier
        };
        let unfit = sim::FindingKind::ALL.iter().copied().filter(unfit);
        Ok(unfit.fold(advice_report, sim::AdviceReport::without))
    }
}
