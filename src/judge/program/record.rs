//! Records one block of a whole program's kernels for a debugger.

use super::{Compiled, PreparedProgram, Task, compile_by, symbols};
use crate::record::{Launches, Recorded, RecordedPart, UNOPTIMISED_BUDGET_FACTOR};
use crate::run::Options;
use crate::verdict::Failure;
use anyhow::{Context, Result, anyhow};
use compiler::Request;
use host::device::simulated::{LaunchToRecord, Schedule, Simulated};
use host::program::compile_for_debugging;
use sim::Finding;

impl PreparedProgram<'_> {
    /// Runs a case and lists the launches that it makes. Returns `Ok(Err)` if it comes to no conclusive end.
    ///
    /// # Errors
    ///
    /// Fails if there is no such case, or if the environment is at fault.
    pub fn launches(&self, case: usize, options: &Options) -> Result<Result<Launches, Failure>> {
        let compiled = match &self.compiled {
            Ok(compiled) => compiled,
            Err(failure) => return Ok(Err((**failure).clone())),
        };
        let mut gpus = self.machine(options, case).gpus(Schedule::Eager, true, 1);
        let played = self.played(&mut gpus, compiled, case, options)?;
        Ok(played.map(|findings| Launches::of(&gpus, findings)))
    }

    /// Runs a case compiled for debugging and records one block of one launch. Returns `Ok(Err)` if the program
    /// does not compile or comes to no conclusive end.
    ///
    /// # Errors
    ///
    /// Fails if there is no such case or launch, or if the environment is at fault.
    pub fn record(&self, part: RecordedPart, options: &Options) -> Result<Result<Recorded, Failure>> {
        let source = match &self.compiled {
            Ok(compiled) => &compiled.source,
            Err(failure) => return Ok(Err((**failure).clone())),
        };
        let request = Request::new(source, &self.file_name, self.model.capability());
        let compiled = match compile_by(compile_for_debugging, &request, &self.compiler)? {
            Ok(compiled) => compiled,
            Err(failure) => return Ok(Err(*failure)),
        };
        let wanted = LaunchToRecord { launch: part.launch, request: part.request };
        let gpus = self.machine(options, part.case).gpus(Schedule::Eager, true, UNOPTIMISED_BUDGET_FACTOR);
        let mut gpus = gpus.recording(wanted);
        if let Err(failure) = self.played(&mut gpus, &compiled, part.case, options)? {
            return Ok(Err(failure));
        }
        let launch = gpus.take_recorded().ok_or_else(|| anyhow!("there is no launch {}", part.launch))?;
        let case = self.lesson.spec.cases[part.case].clone();
        Ok(Ok(Recorded::of(&compiled.program, launch, case)))
    }

    /// Runs a case and returns its findings.
    fn played(
        &self,
        gpus: &mut Simulated,
        compiled: &Compiled,
        case: usize,
        options: &Options,
    ) -> Result<Result<Vec<Finding>, Failure>> {
        let symbols = match symbols(self.lesson, compiled) {
            Ok(symbols) => symbols,
            Err(failure) => return Ok(Err(*failure)),
        };
        let sizes = self.lesson.spec.cases.get(case).with_context(|| format!("there is no case {case}"))?;
        let task = Task::new(self.lesson, sizes, case, options.seed)?;
        let played = self.machine(options, case).play_simulated(gpus, &compiled.program, &symbols, &task)?;
        Ok(match played.broken {
            Some(failure) => Err(*failure),
            None => Ok(played.findings),
        })
    }
}
