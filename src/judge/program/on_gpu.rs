//! Runs lessons of whole programs on this machine's GPUs: what the simulator found right runs there too, and the
//! values it computes are compared again.

use super::case_run::{CaseRun, Machine, Printed, ended, invocations, settings, words};
use super::{Compiled, PreparedProgram, Task, compile_by, symbols};
use crate::cases::printed;
use crate::on_gpu::{Gpu, ValueOrigin};
use crate::options::Options;
use crate::verdict::{Failure, Verdict};
use crate::{LaunchFailure, NoResult, NotOnGpu};
use anyhow::Result;
use compiler::Request;
use gpu::GpuError;
use host::device::simulated::Schedule;
use host::program::gpu_process::{self, Finished, GpuJob, Work};
use host::program::{self, Exit, Invocation};
use sim::Counts;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A program that runs longer than this on a GPU is considered hung: cases take milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

impl PreparedProgram<'_> {
    /// Returns the verdict, based on the GPUs' values where the program can run there, otherwise on the
    /// simulator's. Both use inputs from the same seed.
    ///
    /// # Errors
    ///
    /// Fails with a [`GpuError`] inside if the GPUs could not be used.
    pub(crate) fn verdict_on(
        &self,
        simulated: Verdict,
        options: &Options,
        gpu: &Gpu,
    ) -> Result<(Verdict, ValueOrigin)> {
        let fit = matches!(simulated.result, Ok(_) | Err(Failure::Work { .. }));
        let Ok(compiled) = &self.compiled else { return Ok((simulated, ValueOrigin::Simulator(None))) };
        if !fit {
            return Ok((simulated, ValueOrigin::Simulator(None)));
        }
        if let Some(why) = self.unfit_for(gpu) {
            return Ok((simulated, ValueOrigin::Simulator(Some(why))));
        }
        let file = compiled.program.source.file();
        let request = Request::new(&compiled.source, file, gpu.capability());
        let here = match NoResult::separate(compile_by(program::compile, &request, &gpu.compiler))? {
            Ok(here) => here,
            Err(failure) => return Ok((Verdict { result: Err(*failure), ..simulated }, ValueOrigin::Gpu)),
        };
        if here.program.cubin.is_empty() && !here.program.module.kernels().is_empty() {
            let why = NotOnGpu::NoMachineCode { gpu: gpu.name().into() };
            return Ok((simulated, ValueOrigin::Simulator(Some(why))));
        }
        let (failure, output) = self.cases_on(&here, options, gpu)?;
        let result = match failure {
            None => simulated.result,
            Some(failure) => Err(*failure),
        };
        Ok((Verdict { result, output, ..simulated }, ValueOrigin::Gpu))
    }

    /// Returns why the lesson does not run on this machine's GPUs; `None` if it does.
    fn unfit_for(&self, gpu: &Gpu) -> Option<NotOnGpu> {
        let spec = &self.lesson.spec;
        let wanted = self.machines.iter().map(Vec::len).max().unwrap_or_default();
        let there = gpu.machine.devices.len();
        // Programs with `main` print times, and the right times are the model's.
        if spec.calls_main() {
            return Some(NotOnGpu::PrintsModelled);
        }
        if wanted > there {
            return Some(NotOnGpu::TooFew { wanted, there });
        }
        gpu.too_old_for(self.lesson)
    }

    /// Runs every case on the GPU. Returns the first failure, if any, and what was printed.
    fn cases_on(
        &self,
        compiled: &Compiled,
        options: &Options,
        gpu: &Gpu,
    ) -> Result<(Option<Box<Failure>>, String)> {
        let (lesson, spec) = (self.lesson, &self.lesson.spec);
        let symbols = match symbols(lesson, compiled) {
            Ok(symbols) => symbols,
            Err(failure) => return Ok((Some(failure), String::new())),
        };
        let mut first_output = None;
        for (index, case) in spec.cases.iter().enumerate() {
            let machine = self.machine(options, index);
            let task = self.task(&machine, case, index)?;
            let case_run = machine.run_on(compiled, &symbols, &task, gpu)?;
            let output = printed(&case_run.text);
            if let Err(failure) = self.failure_of(&case_run, &task, Schedule::Eager) {
                return Ok((Some(failure), output));
            }
            first_output.get_or_insert(output);
        }
        Ok((None, first_output.unwrap_or_default()))
    }
}

impl Machine<'_> {
    /// Runs a case on this machine's GPUs.
    fn run_on(&self, compiled: &Compiled, symbols: &[String], task: &Task, gpu: &Gpu) -> Result<CaseRun> {
        let arguments = self.arguments(task);
        let cancelled = AtomicBool::new(false);
        let settings = settings(&arguments, &cancelled, PATIENCE);
        let buffers = self.buffers_of(task);
        let work = match words(task) {
            Some(_) => Work::Main,
            None => {
                let calls: Vec<Invocation> = invocations(task, symbols);
                Work::Calls(buffers.to_vec(), calls)
            }
        };
        let asked = GpuJob { program: &compiled.program, devices: Some(self.models.len() as u32), work };
        let mut printed = Printed::default();
        let _shared = gpu.turns().shared();
        let Finished { ran, lost, returned, left, .. } = gpu_process::run(&asked, &settings, &mut printed)?;
        if let Exit::Cancelled = ran.exit {
            let message = format!(
                "the program did not end on it within {} s, as it does on the simulator: it waits for something \
                 that does not happen there, or other processes keep the GPU busy",
                PATIENCE.as_secs()
            );
            return Err(GpuError::new(gpu::Cause::Other, message).into());
        }
        let (code, mut broken) =
            ended(ran.exit).map_err(|error| GpuError::new(gpu::Cause::Other, format!("{error:#}")))?;
        if let Some((error, said)) = lost {
            let why = LaunchFailure::Lost { gpu: gpu.name().into(), error, said };
            broken = Some(Box::new(Failure::Launch { why, clean: true }));
        }
        Ok(CaseRun {
            broken,
            code,
            returned,
            // The simulator has already reported all findings.
            findings: Vec::new(),
            outputs: self.outputs(task, &buffers, &left),
            inputs: left.into_iter().map(|left| left.map(|left| left.bytes)).collect(),
            counts: Counts::default(),
            tally: Default::default(),
            host_threads: ran.host_threads,
            spans: Vec::new(),
            text: printed.both,
            stdout: String::from_utf8_lossy(&printed.stdout).into_owned(),
        })
    }
}
