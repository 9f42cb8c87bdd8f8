//! One block of a whole program's kernels, recorded for a debugger.

use super::{Broken, Compiled, PreparedProgram, Task, compile_by, symbols};
use crate::course::case_text;
use crate::record::{LONGER, Launches, Recorded, RecordedPart};
use crate::run::Options;
use crate::verdict::Failure;
use anyhow::{Context, Result, anyhow};
use compiler::Request;
use host::device::simulated::{LaunchToRecord, Schedule, Simulated};
use host::program::compile_for_debugging;
use sim::Finding;

impl PreparedProgram<'_> {
    /// The launches that a case makes. `Ok(Err)` where it comes to no end that says anything.
    ///
    /// # Errors
    /// There is no such case, or the machine is at fault.
    pub fn launches(&self, case: usize, options: &Options) -> Result<Result<Launches, Failure>> {
        let compiled = match &self.compiled {
            Ok(compiled) => compiled,
            Err(failure) => return Ok(Err((**failure).clone())),
        };
        let mut gpus = self.machine(options, case).gpus(Schedule::Eager, true, 1);
        let played = self.played(&mut gpus, compiled, case, options)?;
        Ok(played.map(|findings| Launches::of(&gpus, findings)))
    }

    /// Runs a case with all of it compiled as for a debugger, and records a block of one launch. `Ok(Err)` where it does
    /// not compile, or comes to no end that says anything.
    ///
    /// # Errors
    /// There is no such case or launch, or the machine is at fault.
    pub fn record(&self, part: RecordedPart, options: &Options) -> Result<Result<Recorded, Failure>> {
        let source = match &self.compiled {
            Ok(compiled) => &compiled.source,
            Err(failure) => return Ok(Err((**failure).clone())),
        };
        let request = Request::new(source, &self.file_name, self.model.capability());
        let compiled = match compile_by(compile_for_debugging, &request, &self.compiler) {
            Ok(compiled) => compiled,
            Err(Broken::Failure(failure)) => return Ok(Err(*failure)),
            Err(Broken::Environment(error)) => return Err(error),
        };
        let wanted = LaunchToRecord { launch: part.launch, request: part.request };
        let gpus = self.machine(options, part.case).gpus(Schedule::Eager, true, LONGER);
        let mut gpus = gpus.recording(wanted);
        if let Err(failure) = self.played(&mut gpus, &compiled, part.case, options)? {
            return Ok(Err(failure));
        }
        let launch = gpus.take_recorded().ok_or_else(|| anyhow!("there is no launch {}", part.launch))?;
        let case = case_text(&self.lesson.spec.cases[part.case]);
        Ok(Ok(Recorded::of(&compiled.program, launch, case)))
    }

    /// Runs a case; what was found in it.
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
