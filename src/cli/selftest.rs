//! `selftest`: tests that lessons are judged correctly on this machine, and on its GPU if there is one.

use super::{Answer, CommandError, Context, Exit, Result};
use crate::author::{self, LessonTest, LessonTiming, Outcome, ULP_BOUND};
use compiler::Compiler;
use judge::course::{Course, Lesson};
use judge::on_gpu::Gpu;
use judge::{Speed, SpeedState};
use report::{escape, grouped};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Args {
    /// Also verify that the wrong kernels of a checkout are rejected: its folder
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Verify only lessons of whole programs, and the programs of a checkout, on the GPU: its folder
    #[arg(long, value_name = "DIR", conflicts_with = "root")]
    programs: Option<PathBuf>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let compiler = context.compiler()?.clone();
    let gpu = context.gpu()?.cloned();
    let (major, minor) = compiler.version();
    let place = match &gpu {
        Some(gpu) => {
            let device = gpu.info().map(|device| device.describe());
            let (cuda, release) = gpu.machine.driver;
            format!("{}, driver for CUDA {cuda}.{release}", device.unwrap_or_default())
        }
        None => "the simulator only".to_owned(),
    };
    context.out.print(&format!("On {}, NVRTC {major}.{minor}\n\n", escape(&place)));
    if let Some(root) = &args.programs {
        let gpu = gpu.as_ref().ok_or_else(|| {
            CommandError::environment(
                "whole programs are verified on a GPU, and none is used here: --backend gpu says why",
            )
        })?;
        return programs(root, gpu, &compiler, context);
    }
    let root = args.root.map(std::path::absolute).transpose().map_err(anyhow::Error::from)?;
    let (course, problems) = match &root {
        Some(root) => {
            let (course, problems) = Course::from_dir_with_problems(root).map_err(anyhow::Error::from)?;
            (course, problems.iter().map(ToString::to_string).collect::<Vec<_>>())
        }
        None => (context.base_course()?.clone(), Vec::new()),
    };
    let lessons: Vec<&Lesson> = course.lessons().iter().collect();
    let tests = prove(&lessons, root.as_deref(), &compiler, gpu.as_ref(), context)?;
    let sound = tests.iter().filter(|test| test.problems.is_empty()).count();
    let mut text = format!("\n{sound} of {} lessons judge correctly\n", tests.len());
    let timings = tests.iter().filter_map(|test| Some((test.slug.as_str(), test.timing.as_ref()?)));
    let timings: Vec<(&str, &LessonTiming)> = timings.collect();
    if !timings.is_empty() {
        text += &format!("\n{}\n", timing_table(&timings));
    }
    if gpu.is_some() {
        let agreements = tests.iter().filter_map(|test| test.agreement.as_ref());
        let elements = agreements.clone().map(|agreement| agreement.elements).sum();
        let largest = agreements.map(|agreement| agreement.largest_ulp).max().unwrap_or(0);
        text += &format!(
            "occupancy of {} launches compared with the driver's\nsimulator and GPU: {} values, whole numbers equal bit for bit, floats within {largest} of {ULP_BOUND} ULP\n",
            tests.iter().map(|test| test.occupancies).sum::<u32>(),
            grouped(elements)
        );
    }
    if root.is_some() {
        let wrong: usize = tests.iter().map(|test| test.wrong_kernels).sum();
        text += &format!("{wrong} wrong kernels tried\n");
    }
    problems.iter().for_each(|problem| text += &format!("✗ {}\n", escape(problem)));
    context.out.print(&text);
    Ok(if sound == tests.len() && problems.is_empty() { Exit::Pass } else { Exit::Fails })
}

/// Proves lessons in parallel, and reports each as soon as it is done.
fn prove(
    lessons: &[&Lesson],
    root: Option<&Path>,
    compiler: &Compiler,
    gpu: Option<&Gpu>,
    context: &mut Context,
) -> Result<Vec<LessonTest>> {
    let begun = Instant::now();
    let out = Mutex::new((&mut context.out, 0));
    let tests = author::selftest(lessons, root, compiler, gpu, &|test| {
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        out.1 += 1;
        let text = describe(test, (out.1, lessons.len()), begun.elapsed());
        out.0.print(&text);
    })?;
    Ok(tests)
}

/// Describes the result of a lesson, the `number`th of `of`, `after` this time; problems on lines of their own.
fn describe(test: &LessonTest, (number, of): (usize, usize), after: Duration) -> String {
    let mark = if test.problems.is_empty() { "✓" } else { "✗" };
    let mut what = Vec::new();
    if test.wrong_kernels > 0 {
        what.push(format!("{} wrong kernels", test.wrong_kernels));
    }
    if let Some(agreement) = test.agreement {
        what.push(format!("{} values, {} ULP", grouped(agreement.elements), agreement.largest_ulp));
    }
    if test.timing.is_some() {
        what.push("timed".into());
    }
    let seconds = after.as_secs_f64();
    let mut text =
        format!("{seconds:>6.1} s {number:>3}/{of} {mark} {:<24}{}", escape(&test.slug), what.join(", "));
    text.truncate(text.trim_end().len());
    text.push('\n');
    for problem in &test.problems {
        text += &format!("  {}\n", escape(problem));
    }
    text
}

/// Renders the timings as a Markdown table, which is kept in the repository.
fn timing_table(timings: &[(&str, &LessonTiming)]) -> String {
    let mut text = String::from(
        "| lesson | sizes | solution, µs | of copy | starter, µs | of copy | speed-up | of cuBLAS | bars |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for (slug, timing) in timings {
        let ns = |speed: &Speed| speed.ns.unwrap_or(f64::NAN);
        let time = |speed: &Speed| {
            let unsure = speed.bars.iter().any(|bar| bar.state == SpeedState::Unstable);
            let share = 100.0 * timing.bytes as f64 / timing.copy_gbps / ns(speed);
            format!("{:.1}{} | {share:.0} %", ns(speed) / 1000.0, if unsure { " (unstable)" } else { "" })
        };
        let starter = timing.starter.as_ref();
        let bars = timing.solution.bars.iter();
        let bars = bars.map(|bar| {
            format!("≥ {}{} {}", bar.needed, bar.ratio.unit(), bar.ratio.to_string().replace('_', " "))
        });
        let mut bars = bars.collect::<Vec<_>>().join(", ");
        bars += &timing.solution.suspicious.as_ref().map(report::too_fast).unwrap_or_default();
        let (slow, speedup) = match starter {
            Some(starter) => (time(starter), format!("{:.2}×", ns(starter) / ns(&timing.solution))),
            None => (" | ".into(), String::new()),
        };
        let library = match &timing.library {
            Some(Ok(theirs)) => format!("{:.1} %", 100.0 * theirs / ns(&timing.solution)),
            Some(Err(why)) => escape(why),
            None => String::new(),
        };
        let (slug, case) = (escape(slug), escape(&timing.solution.case.to_string()));
        text += &format!(
            "| {slug} | {case} | {} | {slow} | {speedup} | {library} | {bars} |\n",
            time(&timing.solution)
        );
    }
    text
}

/// Runs the programs of a checkout, and reports those whose output differs from the recorded one.
fn programs(root: &Path, gpu: &Gpu, compiler: &Compiler, context: &mut Context) -> Answer {
    let root = std::path::absolute(root).map_err(anyhow::Error::from)?;
    let lessons = context.base_course()?.lessons().to_vec();
    let lessons: Vec<&Lesson> = lessons.iter().filter(|lesson| lesson.spec.is_program()).collect();
    let tests = prove(&lessons, None, compiler, Some(gpu), context)?;
    let (sound, tried) = (tests.iter().filter(|test| test.problems.is_empty()).count(), tests.len());
    context.out.print(&format!("\n{sound} of {tried} lessons of whole programs judge correctly\n\n"));
    let (mut equal, mut ran) = (0u64, 0u64);
    for path in author::programs(&root)? {
        let test = author::test_program(&root, &path, gpu)?;
        let name = escape(&test.name);
        let text = match &test.outcome {
            Outcome::Equal => {
                (equal, ran) = (equal + 1, ran + 1);
                format!("✓ {name}\n")
            }
            Outcome::Differs(what) => {
                ran += 1;
                format!("✗ {name}\n  {}\n", escape(what))
            }
            Outcome::Defective => continue,
            Outcome::Skipped(why) => format!("· {name}: {}\n", escape(why)),
        };
        context.out.print(&text);
    }
    context.out.print(&format!("\n{equal} of {ran} programs print what was recorded\n"));
    Ok(if equal == ran && sound == tried { Exit::Pass } else { Exit::Fails })
}

/// GPU errors are the environment's fault.
impl From<gpu::GpuError> for CommandError {
    fn from(gpu_error: gpu::GpuError) -> CommandError {
        CommandError::environment(escape(&gpu_error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::on_gpu::Agreement;

    #[test]
    fn a_lesson_that_is_through_has_a_line() {
        let test = LessonTest {
            slug: "map".into(),
            agreement: None,
            occupancies: 1,
            wrong_kernels: 0,
            timing: None,
            problems: Vec::new(),
        };
        let after = Duration::from_millis(2540);
        assert_eq!(describe(&test, (3, 56), after), "   2.5 s   3/56 ✓ map\n");
        let agreement = Agreement { elements: 1200, differing: 0, largest_ulp: 2 };
        let agreement = Some(agreement);
        let problems = vec!["the starter: \u{1b}[31m".into()];
        let test = LessonTest { agreement, wrong_kernels: 6, problems, ..test };
        let text = describe(&test, (56, 56), after);
        let head =
            format!("   2.5 s  56/56 ✗ {:<24}6 wrong kernels, {} values, 2 ULP\n", "map", grouped(1200));
        assert!(text.starts_with(&head) && text.lines().count() == 2 && !text.contains('\u{1b}'), "{text:?}");
    }
}
