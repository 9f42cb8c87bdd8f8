//! Times a lesson's kernels on a GPU.

use super::sampling::{Method, Settings, Timer, sample};
use super::statistics::Summary;
use crate::course::{Begins, Compare, Lesson, Role};
use crate::on_gpu::{Gpu, OnGpu, run_case};
use crate::{Failure, NoResult, Options, PreparedKernel, judge};
use gpu::{Clocks, ExclusiveTurn, GpuError, KernelError, LaunchRequest, NotRun, Product, Session, Timing};
use sim::CudaError;
use std::sync::Arc;

/// The measured time of a run.
#[derive(Clone, Debug)]
pub struct Measured {
    pub method: Method,
    pub summary: Summary,
    /// The card's clocks under load, where NVML is available.
    pub clocks: Option<Clocks>,
}

/// Why there is no measurement.
#[derive(Debug)]
pub enum NotMeasured {
    /// The kernel is wrong: wrong kernels are not timed.
    Wrong(Box<Failure>),
    /// After the timed launches, output number `buffer` differs from what was right before.
    Changed { buffer: usize },
    /// A launch failed while it was timed.
    Launch { error: CudaError, meaning: String },
    /// The environment's fault.
    Environment(anyhow::Error),
}

impl From<NoResult> for NotMeasured {
    fn from(why: NoResult) -> NotMeasured {
        why.failure().map_or_else(NotMeasured::Environment, NotMeasured::Wrong)
    }
}

impl From<anyhow::Error> for NotMeasured {
    fn from(error: anyhow::Error) -> NotMeasured {
        NotMeasured::Environment(error)
    }
}

impl From<GpuError> for NotMeasured {
    fn from(gpu_error: GpuError) -> NotMeasured {
        NotMeasured::Environment(gpu_error.into())
    }
}

impl From<NotRun> for NotMeasured {
    fn from(not_run: NotRun) -> NotMeasured {
        match not_run {
            NotRun::Kernel(KernelError { code, meaning }) => {
                let error = CudaError::numbered(code as i32).unwrap_or(CudaError::Unknown);
                NotMeasured::Launch { error, meaning: meaning.into() }
            }
            NotRun::GpuError(gpu_error) => gpu_error.into(),
        }
    }
}

/// Launches that are timed in a session.
pub struct Samples<'a> {
    session: &'a mut Session,
    launches: Vec<LaunchRequest>,
    flush_bytes: u64,
    product: Option<Product>,
    turn: &'a ExclusiveTurn<'a>,
    clocks: Option<Clocks>,
}

impl<'a> Samples<'a> {
    /// Times launches. `flush_bytes` are written before each sample that is not replayed in a graph.
    pub fn new(
        session: &'a mut Session,
        launches: Vec<LaunchRequest>,
        flush_bytes: u64,
        turn: &'a ExclusiveTurn<'a>,
    ) -> Samples<'a> {
        Samples { session, launches, flush_bytes, product: None, turn, clocks: None }
    }

    /// Times a product of cuBLAS instead of launches.
    pub fn of_product(
        session: &'a mut Session,
        product: Product,
        flush_bytes: u64,
        turn: &'a ExclusiveTurn<'a>,
    ) -> Samples<'a> {
        Samples { product: Some(product), ..Samples::new(session, Vec::new(), flush_bytes, turn) }
    }
}

impl Timer for Samples<'_> {
    type Error = NotRun;

    fn batch(&mut self, method: Method, samples: u32) -> Result<Vec<f64>, NotRun> {
        let in_graph = match method {
            Method::Events => 0,
            Method::Graph { repetitions } => repetitions,
        };
        let timing = Timing {
            launches: self.launches.clone(),
            samples,
            flush_bytes: self.flush_bytes,
            in_graph,
            product: self.product,
        };
        let timed = self.session.time(timing, self.turn)?;
        self.clocks = timed.clocks.or(self.clocks);
        Ok(timed.samples_ns)
    }
}

/// Returns how many bytes to write so that a card's caches hold no useful data: several times its L2 cache, and at
/// least what Triton's `do_bench` writes.
pub fn flush_bytes(gpu: &Gpu) -> u64 {
    gpu.info().map_or(0, |device| 4 * device.cache_bytes).max(256 << 20)
}

/// Times launches in a session, while nothing else runs on the GPU.
///
/// # Errors
///
/// Fails if a launch does, or if the GPU cannot be used.
pub fn sampled(
    session: &mut Session,
    launches: Vec<LaunchRequest>,
    gpu: &Gpu,
    settings: &Settings,
) -> Result<Measured, NotRun> {
    let turn = gpu.turns().alone();
    let mut samples = Samples::new(session, launches, flush_bytes(gpu), &turn);
    let (method, summary) = sample(&mut samples, settings)?;
    Ok(Measured { method, summary, clocks: samples.clocks })
}

/// Times the launches of a lesson with one case, after checking that they are right.
///
/// # Errors
///
/// Fails if the kernels are wrong, if a launch fails, if the timed launches change an output, or if the environment or
/// the lesson is at fault.
pub fn measure(
    lesson: &Lesson,
    source: &str,
    file_name: &str,
    seed: u64,
    gpu: &Gpu,
    settings: &Settings,
) -> Result<Measured, NotMeasured> {
    let options = Options { seed, ..Options::default() };
    let kernel = PreparedKernel::new(lesson, source, file_name, &gpu.compiler, &Arc::default())?;
    let answer = kernel.answer(&options)?;
    let program = OnGpu::load(source, file_name, gpu)?;
    let (judged, _) = judge(lesson, &program, &answer, seed)?;
    judged.map_err(NoResult::from)?;
    let launches = program.launched();
    let outputs = || -> Result<Vec<(usize, Vec<u8>)>, GpuError> {
        lesson.spec.outputs().map(|(buffer, _)| Ok((buffer, program.contents(buffer)?))).collect()
    };
    let right = outputs()?;
    let measured = sampled(&mut program.session(), launches, gpu, settings)?;
    // Kernels that modify their own inputs compute something else each time.
    let changes = lesson.spec.buffers.iter().any(|buffer| {
        buffer.role == Role::InOut || buffer.begins == Begins::Zero || buffer.compare != Compare::default()
    });
    let exact = lesson.spec.tolerance == crate::course::Tolerance::default();
    if exact && !changes {
        let after = outputs()?;
        if let Some(((buffer, _), _)) = right.iter().zip(&after).find(|(right, after)| right != after) {
            return Err(NotMeasured::Changed { buffer: *buffer });
        }
    }
    Ok(measured)
}

/// Times the launches called `launch` (all launches for `all`) of a lesson's own code in case number `case` (from
/// 0). The code is not judged: that was done when the lesson was tested.
///
/// # Errors
///
/// Fails if there is no such case or launch, if the code does not run to its end, or if the GPU cannot be used.
pub fn time_launches(
    lesson: &Lesson,
    source: &str,
    case: usize,
    launch: &str,
    seed: u64,
    gpu: &Gpu,
) -> anyhow::Result<Summary> {
    let what = format!("{}, {launch} on the GPU", lesson.slug);
    let program = run_case(lesson, source, case, seed, gpu).map_err(|why| why.into_error(what.clone()))?;
    let named =
        lesson.spec.launches.iter().map(|its| launch == crate::measure::ALL || its.called() == launch);
    let launches = program.launched().into_iter().zip(named).filter(|(_, named)| *named);
    let launches: Vec<LaunchRequest> = launches.map(|(launch, _)| launch).collect();
    if launches.is_empty() {
        anyhow::bail!("{what}: there is no such launch");
    }
    match sampled(&mut program.session(), launches, gpu, &Settings::default()) {
        Ok(measured) => Ok(measured.summary),
        Err(NotRun::Kernel(error)) => Err(anyhow::anyhow!("{what}: {}", error.meaning)),
        Err(NotRun::GpuError(gpu_error)) => Err(gpu_error.into()),
    }
}
