//! Proves this machine: that lessons judge rightly on it, and that its GPU and the simulator agree.

use super::expect::{Expected, describe};
use crate::bench::{NotMeasured, Settings, Track};
use crate::course::{Kind, Lesson};
use crate::gpu::{Launch, Trouble};
use crate::judge::on_gpu::{Agreement, Gpu, NotLoaded, OnGpu, agreement};
use crate::judge::{Options, Prepared, Speed, Verdict};
use crate::nvrtc::Compiler;
use crate::sim::{BlockNeeds, Multiprocessor};
use anyhow::Result;

/// Floats of simulator and GPU may differ by so many units of the last place: what library functions
/// and matrix units leave open. `ex2.approx`, `rsqrt.approx` and `rcp.approx` (under `expf`, `rsqrtf` and
/// quotients) are good to about two units each by the PTX ISA, and a kernel uses several in a row.
pub const ULP_BOUND: u64 = 8;

/// What became of a lesson.
#[derive(Clone, Debug)]
pub struct LessonTest {
    pub slug: String,
    /// Of the solution, where both ran.
    pub agreement: Option<Agreement>,
    /// Kernels of the solution whose occupancy by the driver was compared with ours.
    pub occupancies: u32,
    /// What was timed on the GPU, where the lesson has something to time.
    pub pace: Option<Pace>,
    /// Empty when all is well.
    pub problems: Vec<String>,
}

/// How fast a lesson's own kernels are.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Bytes that must be moved, and the rate of a copy on this card, in bytes a nanosecond.
    pub bytes: u64,
    pub copy_gbps: f64,
    /// What cuBLAS takes, in nanoseconds, or why that is not known; `None` where it is not named.
    pub library: Option<Result<f64, String>>,
    /// Of the solution, against the lesson's bars.
    pub solution: Speed,
    /// Of the starter, where it is right.
    pub starter: Option<Speed>,
}

/// Whether a lesson is one of kernels, which the tool launches and times.
pub fn has_kernels(lesson: &Lesson) -> bool {
    !lesson.spec.is_program() && lesson.spec.kind != Kind::Predict
}

/// The solution passes, the starter fails as declared, and the solution's values agree. `Err` is the
/// environment's fault.
pub fn selftest(lesson: &Lesson, compiler: &Compiler, gpu: Option<&Gpu>) -> Result<LessonTest> {
    let options = Options::default();
    let mut test = LessonTest {
        slug: lesson.slug.clone(),
        agreement: None,
        occupancies: 0,
        pace: None,
        problems: Vec::new(),
    };
    let verdict = |source: &str, file: &str| -> Result<Verdict> {
        let prepared = Prepared::new(lesson, source, file, compiler)?;
        // What a lesson asks is measured by the simulator, wherever it runs.
        match gpu.filter(|_| lesson.spec.kind != Kind::Predict) {
            Some(gpu) => Ok(prepared.verdict_on(&options, gpu)?.0),
            None => prepared.verdict(&options),
        }
    };
    let file = lesson.solution_path();
    if let Err(failure) = &verdict(&lesson.solution, &file)?.result {
        test.problems.push(format!("the solution does not pass: {}", describe(failure)));
    }
    let starter = verdict(&lesson.starter, &lesson.kernel_path())?;
    if let Err(problem) = Expected::of_text(&lesson.spec.starter).is_met(&starter) {
        test.problems.push(format!("the starter: {problem}"));
    }
    let Some(gpu) = gpu.filter(|_| has_kernels(lesson)) else { return Ok(test) };
    match agreement(lesson, &lesson.solution, &file, compiler, gpu, &options) {
        Ok(found) => {
            if found.differing > 0 || found.largest_ulp > ULP_BOUND {
                test.problems.push(format!(
                    "simulator and GPU differ in {} of {} values, and by up to {} units of the last place",
                    found.differing, found.elements, found.largest_ulp
                ));
            }
            test.agreement = Some(found);
        }
        Err(error) if error.is::<Trouble>() => return Err(error),
        Err(error) => test.problems.push(format!("values were not compared: {error:#}")),
    }
    match occupancies(lesson, gpu) {
        Ok((compared, differing)) => {
            test.occupancies = compared;
            test.problems.extend(differing);
        }
        Err(NotLoaded::Environment(error)) => return Err(error),
        Err(NotLoaded::Source(failure)) => {
            test.problems.push(format!("occupancy was not compared: {}", failure.slug()));
        }
    }
    match pace(lesson, gpu) {
        Ok(pace) => {
            let solution = pace.iter().map(|pace| (&pace.solution, true));
            let starter = pace.iter().filter_map(|pace| Some((pace.starter.as_ref()?, false)));
            for (speed, is_solution) in solution.chain(starter).filter(|(speed, _)| !speed.bars.is_empty()) {
                if speed.is_fine() != is_solution {
                    let what = if is_solution { "the solution misses" } else { "the starter meets" };
                    let bars: Vec<String> = speed.bars.iter().map(ToString::to_string).collect();
                    test.problems.push(format!("{what} its bars on the GPU: {}", bars.join(", ")));
                }
            }
            test.pace = pace;
        }
        Err(NotMeasured::Environment(error)) => return Err(error),
        Err(why) => test.problems.push(format!("it was not timed: {why:?}")),
    }
    Ok(test)
}

/// Blocks on a multiprocessor at once, ours against the driver's, for each launch of the first case:
/// how many were compared, and what differs.
fn occupancies(lesson: &Lesson, gpu: &Gpu) -> Result<(u32, Vec<String>), NotLoaded> {
    let Some(sm) = Multiprocessor::of(gpu.capability().0, gpu.capability().1) else {
        return Ok((0, Vec::new()));
    };
    let program = OnGpu::load(&lesson.solution, &lesson.solution_path(), gpu)?;
    let sized = lesson.spec.cases.first().map(|case| lesson.spec.sized(case));
    let sized = sized.transpose().map_err(|error| NotLoaded::Environment(error.into()))?;
    let (mut compared, mut differing) = (0, Vec::new());
    for (launch, symbol) in sized.iter().flat_map(|sized| &sized.launches).zip(program.symbols(&lesson.spec))
    {
        let Some(kernel) = program.resources().iter().find(|kernel| kernel.name == symbol) else { continue };
        let dynamic_shared_bytes = launch.config.dynamic_shared_bytes;
        let needs = BlockNeeds {
            threads: launch.config.block.count() as u32,
            registers: kernel.registers,
            shared_bytes: kernel.shared_bytes.saturating_add(dynamic_shared_bytes),
        };
        let ours = sm.occupancy(needs).blocks;
        let (x, y, z) = (launch.config.block.x, launch.config.block.y, launch.config.block.z);
        let block = [x, y, z];
        let asked = Launch { symbol, grid: [1; 3], block, dynamic_shared_bytes, args: Vec::new() };
        let theirs = program.with_session(|session| session.occupancy(asked));
        let theirs = theirs.map_err(|trouble| NotLoaded::Environment(trouble.into()))?;
        compared += 1;
        if ours != theirs {
            differing.push(format!(
                "{}: {ours} blocks on a multiprocessor at once, {theirs} by the driver",
                kernel.name
            ));
        }
    }
    Ok((compared, differing))
}

/// Times the solution and the starter of a lesson that has something to time.
fn pace(lesson: &Lesson, gpu: &Gpu) -> Result<Option<Pace>, NotMeasured> {
    let Some(track) = Track::new(lesson, Options::default().seed, gpu, &Settings::default()) else {
        return Ok(None);
    };
    let times = track.times(&lesson.solution, &lesson.solution_path())?;
    let starter = track.starter_times()?;
    let library = track.library()?.map(|library| library.as_ref().map(|s| s.median_ns).map_err(Clone::clone));
    Ok(Some(Pace {
        bytes: times.bytes,
        copy_gbps: times.copy_gbps,
        library,
        solution: track.hold(&times),
        starter: starter.map(|times| track.hold(&times)),
    }))
}
