//! Finds possible improvements of right kernels by running the cases again with advice enabled.

use super::backend::Program;
use super::play::play;
use super::played_case::PlayedCase;
use super::run::{Options, PreparedKernel, inputs, simulation, symbols};
use super::verdict::Failure;
use crate::Counter;
use anyhow::Result;
use cpp::Source;
use sim::{self, AdviceReport, Evidence, Finding, FindingKind};

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
            match play(&program, spec, &sized, &symbols, &initial) {
                Ok(played) => advice_report.join(played.advice.of_run(&case.to_string())),
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

    /// For an out-of-bounds access, adds the integer divisions by zero of the same run before it: the index may
    /// have been computed from their results.
    pub(super) fn with_divisions_by_zero(&self, failure: Failure, options: &Options) -> Result<Failure> {
        let Failure::Defect { findings, values_right, case, excess } = failure else { return Ok(failure) };
        let divided = match findings.first().map(|first| first.kind) {
            Some(
                FindingKind::OutOfBounds | FindingKind::SharedOutOfBounds | FindingKind::LocalOutOfBounds,
            ) if Source::new(&self.source).code().contains(['/', '%']) => {
                self.divisions_by_zero(&case, options)?
            }
            _ => Vec::new(),
        };
        let findings = divided.into_iter().chain(findings).collect();
        Ok(Failure::Defect { findings, values_right, case, excess })
    }

    /// Returns the integer divisions by zero in a case, where it is run as usual.
    fn divisions_by_zero(&self, played: &PlayedCase, options: &Options) -> Result<Vec<Finding>> {
        let (lesson, spec) = (self.lesson, &self.lesson.spec);
        let options_of_run = sim::Options { advice: true, ..simulation(lesson, options) };
        let Ok(program) = self.simulated(options_of_run) else { return Ok(Vec::new()) };
        let Ok(symbols) = symbols(spec, program.signatures()) else { return Ok(Vec::new()) };
        let PlayedCase { index, case, rerun: None } = played else { return Ok(Vec::new()) };
        let sized = lesson.sized(case)?;
        let initial = inputs(lesson, &sized, *index, options.seed);
        let Ok(played) = play(&program, spec, &sized, &symbols, &initial) else { return Ok(Vec::new()) };
        let divided = played.advice.list.into_iter().filter(|a| a.kind == FindingKind::DivisionByZero);
        let finding = |advice: sim::Advice| Finding {
            hits: advice.hits,
            threads: None,
            evidence: vec![Evidence::QuotientUndefined],
            ..Finding::new(advice.kind, advice.at)
        };
        Ok(divided.map(finding).collect())
    }
}
