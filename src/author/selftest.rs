//! Tests this machine: that lessons are judged correctly on it, and that its GPU and the simulator agree.

use super::check::{self, workers};
use super::expect::{Expected, describe};
use super::timed::{LessonTiming, TimingReport, is_timed, time};
use super::workers;
use anyhow::Result;
use compiler::Compiler;
use gpu::{GpuError, LaunchRequest};
use judge::course::{Kind, Lesson};
use judge::on_gpu::{Agreement, Gpu, OnGpu, agreement};
use judge::{NoResult, Options, Prepared, Verdict};
use sim::{BlockNeeds, Multiprocessor};
use std::path::Path;

/// Maximum difference of floats between simulator and GPU, in units in the last place, which library functions
/// and matrix units leave open. `ex2.approx`, `rsqrt.approx` and `rcp.approx` (under `expf`, `rsqrtf` and
/// quotients) are accurate to about two units each by the PTX ISA, and a kernel uses several in a row.
pub const ULP_BOUND: u64 = 8;

/// The result of testing a lesson.
#[derive(Clone, Debug, Default)]
pub struct LessonTest {
    pub slug: String,
    /// How the solution's values agree, if both ran.
    pub agreement: Option<Agreement>,
    /// Number of the solution's kernels whose occupancy was compared with the driver's.
    pub occupancies: u32,
    /// Number of wrong kernels tested.
    pub wrong_kernels: usize,
    /// Times on the GPU, if the lesson has something to time.
    pub timing: Option<LessonTiming>,
    /// Empty when all is well.
    pub problems: Vec<String>,
}

/// Tests lessons on this machine: the solution passes, the starter fails as declared, simulator and GPU agree on
/// the solution's values, and bars on the GPU distinguish the solution from the starter. For a course in the
/// folder `root`, also everything that [`check`](super::check()) proves. `done` is called with each lesson as
/// soon as it is tested, in no particular order.
///
/// # Errors
///
/// Fails if the environment is at fault.
pub fn selftest(
    lessons: &[&Lesson],
    root: Option<&Path>,
    compiler: &Compiler,
    gpu: Option<&Gpu>,
    done: &(dyn Fn(&LessonTest) + Sync),
) -> Result<Vec<LessonTest>> {
    let gpu = gpu.map(|gpu| gpu.clone().keeping_workers());
    let gpu = gpu.as_ref();
    let tests = workers::run(
        lessons,
        workers(gpu),
        is_timed,
        &|| {
            let compiler = check::of_thread(compiler);
            Box::new(move |lesson| judge(lesson, root, &compiler, gpu))
        },
        &|lesson| gpu.map_or(Ok(TimingReport::default()), |gpu| time(root, lesson, gpu)),
        &|_, judged, timed| done(&merge_timing(judged.clone(), timed.cloned())),
    )?;
    Ok(tests.into_iter().map(|(judged, timed)| merge_timing(judged, timed)).collect())
}

fn merge_timing(mut test: LessonTest, timed: Option<TimingReport>) -> LessonTest {
    let TimingReport { timing, problems } = timed.unwrap_or_default();
    test.problems.extend(problems.iter().map(ToString::to_string));
    LessonTest { timing, ..test }
}

/// Tests everything except speed.
fn judge(lesson: &Lesson, root: Option<&Path>, compiler: &Compiler, gpu: Option<&Gpu>) -> Result<LessonTest> {
    let mut test = LessonTest { slug: lesson.slug.clone(), ..LessonTest::default() };
    match root {
        Some(root) => {
            let proved = check::judge(root, lesson, compiler, gpu)?;
            test.wrong_kernels = proved.wrong_kernels;
            test.problems.extend(proved.problems.iter().map(ToString::to_string));
        }
        None => own_files(lesson, compiler, gpu, &mut test.problems)?,
    }
    if let Some(gpu) = gpu.filter(|_| lesson.spec.is_of_kernels()) {
        compare_with_simulator(lesson, compiler, gpu, &mut test)?;
    }
    Ok(test)
}

/// Lessons are judged in parallel, each on one host thread; verdicts do not depend on their number.
fn options() -> Options {
    Options { host_threads: 1, ..Options::default() }
}

/// Checks that the solution passes and that the starter fails as declared.
fn own_files(
    lesson: &Lesson,
    compiler: &Compiler,
    gpu: Option<&Gpu>,
    problems: &mut Vec<String>,
) -> Result<()> {
    let verdict = |source: &str, file: &str| -> Result<Verdict> {
        let prepared = Prepared::new(lesson, source, file, compiler)?;
        // Questions are always about values measured by the simulator.
        match gpu.filter(|_| lesson.spec.kind != Kind::Predict) {
            Some(gpu) => Ok(prepared.verdict_on(&options(), gpu)?.0),
            None => prepared.verdict(&options()),
        }
    };
    if let Err(failure) = &verdict(&lesson.solution, &lesson.solution_path())?.result {
        problems.push(format!("the solution does not pass: {}", describe(failure)));
    }
    let starter = verdict(&lesson.starter, &lesson.kernel_path())?;
    if let Err(problem) = Expected::of_text(&lesson.spec.starter).is_met(&starter) {
        problems.push(format!("the starter: {problem}"));
    }
    Ok(())
}

/// Compares the solution's values and occupancy with the GPU's.
fn compare_with_simulator(
    lesson: &Lesson,
    compiler: &Compiler,
    gpu: &Gpu,
    test: &mut LessonTest,
) -> Result<()> {
    match agreement(lesson, &lesson.solution, &lesson.solution_path(), compiler, gpu, &options()) {
        Ok(found) => {
            if found.differing > 0 || found.largest_ulp > ULP_BOUND {
                test.problems.push(format!(
                    "simulator and GPU differ in {} of {} values, and by up to {} units in the last place",
                    found.differing, found.elements, found.largest_ulp
                ));
            }
            test.agreement = Some(found);
        }
        Err(error) if error.is::<GpuError>() => return Err(error),
        Err(error) => {
            test.problems.push(format!("values were not compared: {}", report::error(error.chain())))
        }
    }
    match occupancies(lesson, gpu) {
        Ok((compared, differing)) => {
            test.occupancies = compared;
            test.problems.extend(differing);
        }
        Err(why) => {
            test.problems.push(format!("occupancy was not compared: {}", why.failure()?.slug()));
        }
    }
    Ok(())
}

/// Compares the blocks resident on a multiprocessor with the driver's figure, for each launch of the first case.
/// Returns how many were compared, and the differences.
fn occupancies(lesson: &Lesson, gpu: &Gpu) -> Result<(u32, Vec<String>), NoResult> {
    let Some(sm) = Multiprocessor::of(gpu.capability().0, gpu.capability().1) else {
        return Ok((0, Vec::new()));
    };
    let program = OnGpu::load(&lesson.solution, &lesson.solution_path(), gpu)?;
    let sized = lesson.spec.cases.first().map(|case| lesson.spec.sized(case));
    let sized = sized.transpose()?;
    let (mut compared, mut differing) = (0, Vec::new());
    for (launch, symbol) in sized.iter().flat_map(|sized| &sized.launches).zip(program.symbols(&lesson.spec))
    {
        let Some(kernel) = program.resources().iter().find(|kernel| kernel.name == symbol) else { continue };
        let needs = BlockNeeds {
            threads: launch.config.block.count() as u32,
            registers: kernel.registers,
            shared_bytes: kernel.shared_bytes.saturating_add(launch.config.dynamic_shared_bytes),
        };
        let ours = sm.occupancy(needs).blocks;
        let asked = LaunchRequest { symbol, config: launch.config, args: Vec::new() };
        let theirs = program.session().occupancy(asked)?;
        compared += 1;
        if ours != theirs {
            differing.push(format!(
                "{}: {ours} blocks on a multiprocessor at once, but {theirs} according to the driver",
                kernel.name
            ));
        }
    }
    Ok((compared, differing))
}
