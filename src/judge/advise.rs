//! What could be better in a kernel that is right: its cases run once more, looked at closely.

use super::backend::Program;
use super::play::play;
use super::run::{Options, PreparedKernel, inputs, simulation, symbols};
use crate::course::case_text;
use anyhow::{Context, Result};
use sim::{self, Advised};

impl PreparedKernel<'_> {
    /// Advice over all cases; empty where one can't be run to its end. `Err` is the lesson's own fault.
    pub fn advice(&self, options: &Options) -> Result<Advised> {
        let mut advised = Advised::default();
        let (lesson, spec) = (self.lesson, &self.lesson.spec);
        let options_of_run = sim::Options { advice: true, ..simulation(lesson, options) };
        // Its kernels are the lesson's own.
        if !spec.questions.is_empty() {
            return Ok(advised);
        }
        let Ok(program) = self.simulated(options_of_run) else { return Ok(advised) };
        let Ok(symbols) = symbols(spec, program.signatures()) else { return Ok(advised) };
        for (index, case) in spec.cases.iter().enumerate() {
            let sized = spec.sized(case).with_context(|| format!("{}/lesson.toml", lesson.folder()))?;
            let initial = inputs(lesson, &sized, index, options.seed);
            match play(&program, spec, &sized, &symbols, &initial) {
                Ok(played) => advised.join(played.advice.of_run(&case_text(case))),
                Err(_) => return Ok(Advised::default()),
            }
        }
        // A lesson may want a barrier that its own cases could do without.
        let wanted = spec.requirements.iter().any(|bar| bar.counter == "barriers" && bar.at_least.is_some());
        let unfit = |code: &sim::FindingKind| {
            spec.no_advice.iter().any(|slug| slug == code.slug())
                || wanted && *code == sim::FindingKind::RedundantBarrier
        };
        let unfit = sim::FindingKind::ALL.iter().copied().filter(unfit);
        Ok(unfit.fold(advised, sim::Advised::without))
    }
}
