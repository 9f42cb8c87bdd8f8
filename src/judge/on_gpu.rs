//! Verdicts with a GPU: values come from the GPU, findings and counts from the simulator.
//!
//! A submission passes if its values are right and it has no defect. A GPU does not reveal defects, so the
//! simulator judges first, on the same inputs, and a kernel with a defect does not run on the GPU. What the GPU
//! then computes is compared again, with poisoned outputs and with guard zones around the buffers.

mod agree;
mod device;
mod large;

pub use agree::{Agreement, agreement};
pub use device::OnGpu;
pub use large::{GpuCase, run_case};

use super::cases::judge;
use super::kernel::PreparedKernel;
use super::lack::{Lack, NotOnGpu};
use super::no_result::NoResult;
use super::options::Options;
use super::verdict::{Failure, Passed, Verdict};
use crate::course::Lesson;
use anyhow::Result;
use compiler::Compiler;
use gpu::{DeviceInfo, Machine, Pooled, Session, Turns, Workers, checks};
use std::sync::{Arc, OnceLock};

/// A GPU, and a compiler whose code its driver accepts.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub machine: Machine,
    /// Index of the GPU among the machine's devices.
    pub device: u32,
    pub compiler: Compiler,
    /// The worker processes in which kernels run.
    pub workers: Workers,
    /// Machine code of [`checks`], compiled on first use.
    checks: Arc<OnceLock<Vec<u8>>>,
}

impl Gpu {
    /// Selects the first GPU that is visible to programs.
    pub fn first(machine: Machine, compiler: Compiler) -> Gpu {
        Gpu { machine, device: 0, compiler, workers: Workers::default(), checks: Arc::default() }
    }

    /// Returns the same GPU for running many kernels that are trusted: a worker process is reused after its kernel
    /// is done.
    pub fn keeping_workers(self) -> Gpu {
        Gpu { workers: self.workers.keeping(), ..self }
    }

    /// Returns a worker process with this machine code loaded.
    ///
    /// # Errors
    ///
    /// Fails with a [`gpu::GpuError`] inside if the GPU could not be used.
    pub fn open(&self, cubin: &[u8]) -> Result<Pooled<Session>> {
        let checks = self.checks()?;
        let mut session = self.workers.take()?;
        session.open(self.device, cubin, checks)?;
        Ok(session)
    }

    /// Tests that the GPU works by loading this crate's own code, as every check does.
    ///
    /// # Errors
    ///
    /// Fails like [`Gpu::open`].
    pub fn probe(&self) -> Result<()> {
        self.open(self.checks()?).map(drop)
    }

    fn checks(&self) -> Result<&[u8]> {
        if let Some(known) = self.checks.get() {
            return Ok(known);
        }
        let made = checks::compile(&self.compiler, self.capability())?;
        Ok(self.checks.get_or_init(|| made))
    }

    pub fn turns(&self) -> &Turns {
        self.workers.turns()
    }

    /// Returns what the driver says about the GPU.
    pub fn info(&self) -> Option<&DeviceInfo> {
        self.machine.devices.get(self.device as usize)
    }

    pub fn name(&self) -> &str {
        self.info().map_or("a GPU", |device| &device.name)
    }

    /// Returns the GPU's compute capability, major and minor.
    pub fn capability(&self) -> (u32, u32) {
        self.info().map_or((0, 0), |device| device.capability)
    }

    /// Returns that this GPU is too old for a lesson; `None` if it can run there.
    pub(super) fn too_old_for(&self, lesson: &Lesson) -> Option<NotOnGpu> {
        let (needed, capability) = (lesson.spec.compute_capability, self.capability());
        let too_old = || NotOnGpu::TooOld { needed, gpu: self.name().into(), capability };
        (!needed.runs_on(capability)).then(too_old)
    }
}

/// Where the values of a verdict come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueOrigin {
    Gpu,
    /// From the simulator, with the reason for not using the requested GPU where that needs to be reported.
    Simulator(Option<NotOnGpu>),
}

impl PreparedKernel<'_> {
    /// Returns the verdict, with values from the GPU where the kernel can run there, otherwise from the simulator.
    /// Both use inputs from the same seed.
    ///
    /// # Errors
    ///
    /// Fails with a [`gpu::GpuError`] inside if the GPU could not be used.
    pub(super) fn verdict_on(
        &self,
        simulated: Verdict,
        options: &Options,
        gpu: &Gpu,
    ) -> Result<(Verdict, ValueOrigin)> {
        let fit = match &simulated.result {
            Ok(_) => true,
            Err(failure) => {
                matches!(failure, Failure::Wrong(_) | Failure::Work { .. } | Failure::Unsupported { .. })
            }
        };
        // The questions ask for counted and modelled values, which a GPU does not report.
        if !fit || self.asks() {
            return Ok((simulated, ValueOrigin::Simulator(None)));
        }
        if let Some(why) = gpu.too_old_for(self.lesson) {
            return Ok((simulated, ValueOrigin::Simulator(Some(why))));
        }
        let program = match NoResult::separate(OnGpu::load(&self.source, &self.file_name, gpu))? {
            Ok(program) => program,
            Err(failure) => return Ok((Verdict { result: Err(*failure), ..simulated }, ValueOrigin::Gpu)),
        };
        let (result, output) = judge(self.lesson, &program, &self.answer(options)?, options.seed)?;
        let has = VerdictContext {
            bars: !self.lesson.spec.requirements.is_empty(),
            listens: self.kernels.as_ref().is_ok_and(|kernels| kernels.listen()),
        };
        let (result, from) = combine_verdicts(simulated.result, result, gpu.name(), has);
        let output = if from == ValueOrigin::Gpu { output } else { simulated.output };
        Ok((Verdict { result, output, ..simulated }, from))
    }
}

type Judged = Result<Passed, Failure>;

/// Properties that decide between the two verdicts.
#[derive(Clone, Copy, Debug, Default)]
struct VerdictContext {
    /// The lesson has requirements.
    bars: bool,
    /// A kernel reads what other blocks write while it runs, through atomics or volatile accesses, so its result
    /// may depend on the order of blocks.
    listens: bool,
}

/// Combines two verdicts into one: the simulator's and the GPU's.
fn combine_verdicts(
    simulated: Judged,
    on_gpu: Judged,
    gpu: &str,
    has: VerdictContext,
) -> (Judged, ValueOrigin) {
    match (simulated, on_gpu) {
        // The simulator lacks something: right values are enough, unless work is to be counted.
        (Err(unsupported @ Failure::Unsupported { .. }), Ok(_)) if has.bars => {
            (Err(unsupported), ValueOrigin::Simulator(None))
        }
        (Err(Failure::Unsupported { .. }), Ok(passed)) => (Ok(passed), ValueOrigin::Gpu),
        // A result that depends on the order of blocks or warps may be right on a GPU by luck.
        (Err(Failure::Wrong(mismatch)), Ok(_)) if has.listens || mismatch.case.order().is_some() => {
            (Err(Failure::Wrong(mismatch)), ValueOrigin::Simulator(None))
        }
        (Err(Failure::Wrong(mismatch)), Ok(_)) => {
            let what = Lack::Agreement { gpu: gpu.into(), buffer: mismatch.buffer, case: mismatch.case };
            (Err(Failure::Unsupported { what, line: None }), ValueOrigin::Simulator(None))
        }
        // Counts and findings are the simulator's.
        (simulated, Ok(_)) => (simulated, ValueOrigin::Gpu),
        (simulated, Err(Failure::Launch { why, .. })) => {
            let clean = !matches!(simulated, Err(Failure::Unsupported { .. }));
            (Err(Failure::Launch { why, clean }), ValueOrigin::Gpu)
        }
        (_, Err(failure)) => (Err(failure), ValueOrigin::Gpu),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlockOrder, JudgedCase, LaunchFailure, Mismatch};
    use sim::{Counts, CudaError};

    fn wrong() -> Failure {
        Failure::Wrong(Mismatch {
            case: JudgedCase::default(),
            buffer: "out".into(),
            shape: vec![4],
            differing: 1,
            total: 4,
            window: Vec::new(),
            right: Vec::new(),
            written: Vec::new(),
            writer: None,
            pattern: None,
            worst: None,
            any_order: false,
            sources: None,
        })
    }

    fn passed(cases: usize) -> Passed {
        Passed { cases, counts: Counts::default(), bars: Vec::new(), ..Passed::default() }
    }

    fn unsupported() -> Failure {
        Failure::unsupported("it".into(), None)
    }

    fn refused() -> Failure {
        let why = LaunchFailure::OnGpu { error: CudaError::IllegalAddress, meaning: "b".into() };
        Failure::Launch { why, clean: false }
    }

    /// Returns `pass` or the failure's slug, and whether the values are the GPU's.
    fn verdict(simulated: Judged, on_gpu: Judged, has_bars: bool) -> (&'static str, bool) {
        let (judged, values) = combine_verdicts(
            simulated,
            on_gpu,
            "GPU",
            VerdictContext { bars: has_bars, ..VerdictContext::default() },
        );
        (judged.as_ref().map_or_else(|failure| slug(failure), |_| "pass"), values == ValueOrigin::Gpu)
    }

    fn slug(failure: &Failure) -> &'static str {
        failure.slug()
    }

    #[test]
    fn a_pass_needs_both_and_a_disagreement_is_ours() {
        let work = || Failure::Work { bars: Vec::new(), case: JudgedCase::default() };
        for (simulated, on_gpu, expected) in [
            (Ok(passed(3)), Ok(passed(2)), ("pass", true)),
            (Ok(passed(3)), Err(wrong()), ("wrong-result", true)),
            (Ok(passed(3)), Err(refused()), ("launch-error", true)),
            (Err(work()), Ok(passed(3)), ("too-much-work", true)),
            (Err(work()), Err(wrong()), ("wrong-result", true)),
            (Err(wrong()), Err(wrong()), ("wrong-result", true)),
            (Err(wrong()), Ok(passed(3)), ("unsupported", false)),
            (Err(unsupported()), Err(wrong()), ("wrong-result", true)),
            (Err(unsupported()), Ok(passed(3)), ("pass", true)),
        ] {
            assert_eq!(verdict(simulated, on_gpu, false), expected);
        }
        assert_eq!(verdict(Err(unsupported()), Ok(passed(3)), true), ("unsupported", false));
        let (judged, values) = combine_verdicts(
            Err(wrong()),
            Ok(passed(3)),
            "GPU",
            VerdictContext { bars: false, listens: true },
        );
        assert!(
            matches!((judged, values), (Err(Failure::Wrong(_)), ValueOrigin::Simulator(None))),
            "right by luck"
        );
        let Failure::Wrong(mismatch) = wrong() else { panic!() };
        let by_luck = Mismatch { case: mismatch.case.reordered(BlockOrder::Other), ..mismatch };
        assert_eq!(verdict(Err(Failure::Wrong(by_luck)), Ok(passed(3)), false), ("wrong-result", false));
        let (judged, _) = combine_verdicts(
            Ok(passed(3)),
            Ok(passed(2)),
            "GPU",
            VerdictContext { bars: true, listens: false },
        );
        assert_eq!(judged.unwrap().cases, 3, "counts are the simulator's");
    }

    #[test]
    fn a_fault_that_the_simulator_does_not_see_is_told_with_that() {
        let is_clean =
            |simulated| match combine_verdicts(simulated, Err(refused()), "GPU", VerdictContext::default()).0
            {
                Err(Failure::Launch { clean, .. }) => clean,
                other => panic!("{other:?}"),
            };
        assert!(is_clean(Ok(passed(1))));
        assert!(!is_clean(Err(unsupported())));
    }
}
