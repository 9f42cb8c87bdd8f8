//! Counts and models what a lesson's whole program does in a case, independently of any verdict.

use super::case_run::Machine;
use super::{PreparedProgram, Task, symbols};
use crate::OwnFailure;
use crate::counter::Counted;
use crate::options::Options;
use anyhow::{Context, Result, bail};
use host::device::simulated::Schedule;

impl PreparedProgram<'_> {
    /// Returns every counter of the program in case number `case` (from 0), including its kernels' counters.
    ///
    /// # Errors
    ///
    /// Also fails if the program does not run to its end without a finding.
    pub fn tally(&self, case: usize, options: &Options) -> Result<Vec<Counted>> {
        let lesson = self.lesson;
        let what = format!("{}, case {case}", lesson.slug);
        let compiled = match &self.compiled {
            Ok(compiled) => compiled,
            Err(failure) => return Err(OwnFailure::of(failure.clone())).context(what),
        };
        let sizes = lesson.spec.cases.get(case).with_context(|| format!("{what}: there is no such case"))?;
        let symbols = symbols(lesson, compiled).map_err(OwnFailure::of).with_context(|| what.clone())?;
        let task = Task::new(lesson, sizes, case, options.seed)?;
        // Uses the lesson's own GPU models even if the lesson randomises them, because the counters describe those.
        let machine = Machine { models: self.models(case).to_vec(), ..self.machine(options, case) };
        let case_run = machine.run(&compiled.program, &symbols, &task, Schedule::Eager, false)?;
        if let Some(failure) = case_run.broken {
            return Err(OwnFailure::in_case(failure, sizes)).context(what);
        }
        if let Some(finding) = case_run.findings.first() {
            bail!("{what}: {} ({sizes})", finding.kind.slug());
        }
        Ok(Counted::of_kernels(&case_run.counts).chain(Counted::of_program(&case_run.tally)).collect())
    }
}
