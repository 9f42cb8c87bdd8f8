//! Runs a lesson's kernels on the simulator and models what they would take on a GPU.

use crate::backend::{Kernels, Simulated};
use crate::course::Lesson;
use crate::{Answer, NoResult, Options, judge, simulation};
use compiler::{Compiler, Request};
use host::device::model::Model;
use sim::time::{KernelWork, duration};

/// What all launches do together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Modelled time in nanoseconds.
    pub ns: u64,
    /// Floating-point operations of all types.
    pub flops: u64,
    /// Operations that matrix units execute or could execute: f16, bf16 and tf32.
    pub matrix_flops: u64,
    /// Modelled bytes to and from device memory.
    pub dram_bytes: u64,
}

/// Runs a lesson with one case on the simulator, and models its time.
///
/// # Errors
///
/// Fails with [`NoResult::Failure`] if the kernel is wrong, otherwise if the environment or the lesson is at fault.
pub fn model(
    lesson: &Lesson,
    source: &str,
    file_name: &str,
    seed: u64,
    compiler: &Compiler,
    model: &Model,
) -> Result<Estimate, NoResult> {
    let options = Options { seed, ..Options::default() };
    let request = Request { resources: true, ..lesson.request(source, file_name) };
    let compiled = compiler.compile(&request)?;
    // Only the counters matter here: defects and too much work are found by `check`.
    let settings = sim::Options { checks: false, ..simulation(lesson, &options) };
    let mut lesson = lesson.clone();
    lesson.spec.change(|spec| spec.requirements.clear());
    let kernels = Kernels::parse(&compiled.ptx, None)?;
    let program = Simulated::new(kernels.into(), lesson.spec.compute_capability, settings);
    let (judged, _) = judge(&lesson, &program, &Answer::of_lesson(&lesson, compiler, &options)?, seed)?;
    let mut estimate = Estimate::default();
    for ran in judged?.launches {
        let resources = compiled.resources.iter().find(|kernel| kernel.name == ran.symbol);
        let shared_bytes = resources.map_or(0, |kernel| kernel.shared_bytes.into());
        let registers = resources.map(|kernel| kernel.registers);
        let work = KernelWork::new(ran.counts, &ran.config, shared_bytes, registers);
        let modelled = duration(&model.gpu, &work);
        let flops = &work.counts.flops;
        let matrix = flops.f16 + flops.bf16 + flops.tf32;
        estimate.ns += modelled.ns;
        estimate.dram_bytes += modelled.dram_bytes;
        estimate.flops += matrix + flops.f32 + flops.f64;
        estimate.matrix_flops += matrix;
    }
    Ok(estimate)
}
