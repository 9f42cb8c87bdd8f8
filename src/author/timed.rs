//! Times a lesson's own kernels on a GPU, and checks them against the lesson's bars on GPU time.

use super::expect::Expected;
use super::files::{as_committed, wrong_files};
use anyhow::{Context, Result};
use judge::bench::{self, GpuBench, NotMeasured, Settings};
use judge::course::{Lesson, Problem};
use judge::on_gpu::Gpu;
use judge::{Options, Prepared, Speed};
use std::path::Path;

/// The speed of a lesson's own kernels.
#[derive(Clone, Debug)]
pub struct LessonTiming {
    /// Bytes that must be moved, and below, the rate of a copy on this card in bytes per nanosecond.
    pub bytes: u64,
    pub copy_gbps: f64,
    /// Time of cuBLAS in nanoseconds, or why it is not known; `None` if the lesson names no cuBLAS routine.
    pub library: Option<Result<f64, String>>,
    /// The solution's times and bars.
    pub solution: Speed,
    /// The starter's times and bars, if its result is right.
    pub starter: Option<Speed>,
}

/// The result of timing a lesson.
#[derive(Clone, Debug, Default)]
pub struct TimingReport {
    /// `None` if the lesson has nothing to time, or could not be timed.
    pub timing: Option<LessonTiming>,
    /// Empty when the bars distinguish slow from fast.
    pub problems: Vec<Problem>,
}

impl TimingReport {
    fn problem(&mut self, file: &str, line: Option<u32>, message: String) {
        self.problems.push(Problem::new(file, line, message));
    }
}

/// Returns whether a lesson has something to time.
pub(super) fn is_timed(lesson: &Lesson) -> bool {
    lesson.spec.bench.is_some()
}

/// Times the solution and the starter of a lesson: the solution must meet its bars. For a course in the folder
/// `root`, wrong kernels that are merely slow must be refused; if a lesson has none of those, its starter must
/// miss a bar. `Err` is the environment's fault.
pub(super) fn time(root: Option<&Path>, lesson: &Lesson, gpu: &Gpu) -> Result<TimingReport> {
    let lesson = root.map_or(std::borrow::Cow::Borrowed(lesson), |root| as_committed(root, lesson));
    let mut timed = TimingReport::default();
    let Some(gpu_bench) = GpuBench::new(&lesson, Options::default().seed, gpu, &Settings::default()) else {
        return Ok(timed);
    };
    let mut slow = Vec::new();
    for file in root.map_or(Vec::new(), |root| wrong_files(root, &lesson)) {
        let source = root.map(|root| std::fs::read_to_string(root.join(&file)).with_context(|| file.clone()));
        let Some(source) = source.transpose()? else { continue };
        if let Some(expected) = Expected::of_source(&source).ok().filter(Expected::is_of_speed) {
            slow.push((file, source, expected));
        }
    }
    match timing(&gpu_bench, &lesson) {
        Ok(timing) => {
            let own = [
                (lesson.solution_path(), Some(&timing.solution), true),
                (lesson.kernel_path(), timing.starter.as_ref(), false),
            ];
            for (file, speed, is_solution) in own {
                let Some(speed) = speed.filter(|speed| !speed.bars.is_empty()) else { continue };
                let bars: Vec<String> = speed.bars.iter().map(ToString::to_string).collect();
                let (bars, odd) =
                    (bars.join(", "), speed.suspicious.as_ref().map(report::too_fast).unwrap_or_default());
                match (speed.passes(), is_solution) {
                    (false, true) => {
                        timed.problem(&file, None, format!("it misses its bars on the GPU: {bars}{odd}"))
                    }
                    (true, false) if root.is_some() && slow.is_empty() => {
                        timed.problem(&file, None, format!("it must be too slow on the GPU: {bars}"))
                    }
                    _ => {}
                }
            }
            timed.timing = Some(timing);
        }
        Err(NotMeasured::Environment(error)) => return Err(error),
        Err(why) => timed.problem(&lesson.folder(), None, format!("it was not timed on the GPU: {why:?}")),
    }
    for (file, source, expected) in slow {
        let prepared = Prepared::new(&lesson, &source, &file, &gpu.compiler)?;
        let options = Options::default();
        let (verdict, _) = bench::verdict(Some(&gpu_bench), &prepared, (&source, &file), &options, gpu)?;
        if let Err(message) = expected.is_met(&verdict) {
            timed.problem(&file, expected.line(), message);
        }
    }
    Ok(timed)
}

fn timing(gpu_bench: &GpuBench, lesson: &Lesson) -> Result<LessonTiming, NotMeasured> {
    let times = gpu_bench.times(&lesson.solution, &lesson.solution_path())?;
    let starter = gpu_bench.starter_times()?;
    let library =
        gpu_bench.library()?.map(|library| library.as_ref().map(|s| s.median_ns).map_err(Clone::clone));
    Ok(LessonTiming {
        bytes: times.bytes,
        copy_gbps: times.copy_gbps,
        library,
        solution: gpu_bench.check_bars(&times),
        starter: starter.map(|times| gpu_bench.check_bars(&times)),
    })
}
