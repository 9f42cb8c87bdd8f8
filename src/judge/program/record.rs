//! Records one block of a whole program's kernels for a debugger.

use super::{Compiled, PreparedProgram, Task, capability, compile_by, symbols};
use crate::NoResult;
use crate::options::Options;
use crate::record::{Launches, Recorded, RecordedPart, UNOPTIMISED_BUDGET_FACTOR};
use anyhow::{Context, anyhow};
use compiler::Request;
use host::device::simulated::{LaunchToRecord, Schedule, Simulated};
use host::program::compile_for_debugging;
use sim::Finding;

impl PreparedProgram<'_> {
    /// Runs a case and lists the launches that it makes.
    ///
    /// # Errors
    ///
    /// Fails if the program does not compile or comes to no conclusive end, if there is no such case, or if the
    /// environment is at fault.
    pub fn launches(&self, case: usize, options: &Options) -> Result<Launches, NoResult> {
        let compiled = self.compiled.as_ref().map_err(Box::clone)?;
        let mut gpus = self.machine(options, case).gpus(Schedule::Eager, true, 1);
        let findings = self.findings_of(&mut gpus, compiled, case, options)?;
        Ok(Launches::of(&gpus, findings))
    }

    /// Runs a case compiled for debugging and records one block of one launch.
    ///
    /// # Errors
    ///
    /// Fails if the program does not compile or comes to no conclusive end, if there is no such case or launch, or
    /// if the environment is at fault.
    pub fn record(&self, part: RecordedPart, options: &Options) -> Result<Recorded, NoResult> {
        let source = &self.compiled.as_ref().map_err(Box::clone)?.source;
        let request = Request::new(source, &self.file_name, capability(&self.machines));
        let compiled = compile_by(compile_for_debugging, &request, &self.compiler)?;
        let wanted = LaunchToRecord { launch: part.launch, request: part.request };
        let gpus = self.machine(options, part.case).gpus(Schedule::Eager, true, UNOPTIMISED_BUDGET_FACTOR);
        let mut gpus = gpus.recording(wanted);
        self.findings_of(&mut gpus, &compiled, part.case, options)?;
        let launch = gpus.take_recorded().ok_or_else(|| anyhow!("there is no launch {}", part.launch))?;
        let case = self.lesson.spec.cases[part.case].clone();
        Ok(Recorded::of(&compiled.program, launch, case))
    }

    /// Runs a case and returns its findings.
    fn findings_of(
        &self,
        gpus: &mut Simulated,
        compiled: &Compiled,
        case: usize,
        options: &Options,
    ) -> Result<Vec<Finding>, NoResult> {
        let symbols = symbols(self.lesson, compiled)?;
        let sizes = self.lesson.spec.cases.get(case).with_context(|| format!("there is no case {case}"))?;
        let task = Task::new(self.lesson, sizes, case, options.seed)?;
        let ran = self.machine(options, case).run_simulated(gpus, &compiled.program, &symbols, &task)?;
        ran.broken.map_or(Ok(ran.findings), |failure| Err(failure.into()))
    }
}
