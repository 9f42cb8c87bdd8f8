//! `selftest`: whether lessons judge rightly on this machine, on its GPU where there is one.

use super::{Answer, Context, Exit, Trouble};
use crate::author::{self, Outcome, Pace, ULP_BOUND};
use crate::judge::on_gpu::Gpu;
use crate::judge::{Speed, SpeedState};
use crate::nvrtc::Compiler;
use crate::report::{escape, grouped};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Also refuse the wrong kernels of a checkout: its folder
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Prove lessons of whole programs alone, and the programs of a checkout, on the GPU: its folder
    #[arg(long, value_name = "DIR", conflicts_with = "root")]
    programs: Option<PathBuf>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let compiler = context.compiler()?.clone();
    let gpu = context.gpu()?.cloned();
    let (major, minor) = compiler.version();
    let place = match &gpu {
        Some(gpu) => {
            let device = gpu.machine.devices.get(gpu.device as usize).map(|device| device.describe());
            let (cuda, release) = gpu.machine.driver;
            format!("{}, driver of CUDA {cuda}.{release}", device.unwrap_or_default())
        }
        None => "the simulator alone".to_owned(),
    };
    context.out.print(&format!("On {}, NVRTC {major}.{minor}\n\n", escape(&place)));
    if let Some(root) = &args.programs {
        let gpu = gpu.as_ref().ok_or_else(|| {
            Trouble::environment(
                "whole programs are proved on a GPU, and none is used here: --backend gpu says why",
            )
        })?;
        return programs(root, gpu, &compiler, context);
    }
    let mut paces = Vec::new();
    let mut occupancies = 0;
    let (mut sound, mut tried, mut elements, mut largest) = (0u64, 0u64, 0u64, 0u64);
    let lessons = context.course()?.lessons().to_vec();
    for lesson in &lessons {
        let test = author::selftest(lesson, &compiler, gpu.as_ref())?;
        tried += 1;
        sound += u64::from(test.problems.is_empty());
        let values = test.agreement.map_or(String::new(), |agreement| {
            elements += agreement.elements;
            largest = largest.max(agreement.largest_ulp);
            format!("{:>10} values, {} ULP", grouped(agreement.elements), agreement.largest_ulp)
        });
        occupancies += test.occupancies;
        paces.extend(test.pace.map(|pace| (test.slug.clone(), pace)));
        let mark = if test.problems.is_empty() { "✓" } else { "✗" };
        let mut text = format!("{mark} {:<24}{values}\n", escape(&test.slug));
        for problem in &test.problems {
            text += &format!("  {}\n", escape(problem));
        }
        context.out.print(&text);
    }
    let mut text = format!("\n{sound} of {tried} lessons judge rightly\n");
    if !paces.is_empty() {
        text += &format!("\n{}\n", pace_table(&paces));
    }
    if gpu.is_some() {
        text += &format!(
            "occupancy of {occupancies} launches compared with the driver's\nsimulator and GPU: {} values, whole numbers equal bit for bit, floats within {largest} of {ULP_BOUND} ULP\n",
            grouped(elements)
        );
    }
    context.out.print(&text);
    let mut all = sound == tried;
    if let Some(root) = &args.root {
        let root = std::path::absolute(root).map_err(anyhow::Error::from)?;
        let report = author::check_with(&root, None, &compiler, gpu.as_ref(), &|_| {})?;
        let wrong: usize = report.lessons.iter().map(|lesson| lesson.wrong_kernels).sum();
        let mut text = format!("{wrong} wrong kernels tried\n");
        for problem in report.all_problems() {
            text += &format!("✗ {}\n", escape(&problem.to_string()));
        }
        context.out.print(&text);
        all &= report.is_sound();
    }
    Ok(if all { Exit::Pass } else { Exit::Fails })
}

/// What was timed, as a table in Markdown: it is kept with the repository.
fn pace_table(paces: &[(String, Pace)]) -> String {
    let mut text = String::from(
        "| lesson | sizes | solution, µs | of copy | starter, µs | of copy | speed-up | of cuBLAS | bars |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for (slug, pace) in paces {
        let ns = |speed: &Speed| speed.ns.unwrap_or(f64::NAN);
        let time = |speed: &Speed| {
            let unsure = speed.bars.iter().any(|bar| bar.state == SpeedState::Unstable);
            let share = 100.0 * pace.bytes as f64 / pace.copy_gbps / ns(speed);
            format!("{:.1}{} | {share:.0} %", ns(speed) / 1000.0, if unsure { " (unstable)" } else { "" })
        };
        let starter = pace.starter.as_ref();
        let bars = pace.solution.bars.iter();
        let bars = bars.map(|bar| {
            format!("≥ {}{} {}", bar.needed, bar.ratio.unit(), bar.ratio.name().replace('_', " "))
        });
        let mut bars = bars.collect::<Vec<_>>().join(", ");
        bars += pace.solution.suspicious.as_deref().unwrap_or_default();
        let (slow, speedup) = match starter {
            Some(starter) => (time(starter), format!("{:.2}×", ns(starter) / ns(&pace.solution))),
            None => (" | ".into(), String::new()),
        };
        let library = match &pace.library {
            Some(Ok(theirs)) => format!("{:.1} %", 100.0 * theirs / ns(&pace.solution)),
            Some(Err(why)) => escape(why),
            None => String::new(),
        };
        let (slug, case) = (escape(slug), escape(&pace.solution.case));
        text += &format!(
            "| {slug} | {case} | {} | {slow} | {speedup} | {library} | {bars} |\n",
            time(&pace.solution)
        );
    }
    text
}

/// Runs the programs of a checkout and tells which print something else than is recorded.
fn programs(root: &Path, gpu: &Gpu, compiler: &Compiler, context: &mut Context) -> Answer {
    let root = std::path::absolute(root).map_err(anyhow::Error::from)?;
    let lessons = context.course()?.lessons().to_vec();
    let (mut sound, mut tried) = (0u64, 0u64);
    for lesson in lessons.iter().filter(|lesson| lesson.spec.is_program()) {
        let test = author::selftest(lesson, compiler, Some(gpu))?;
        (sound, tried) = (sound + u64::from(test.problems.is_empty()), tried + 1);
        let mark = if test.problems.is_empty() { "✓" } else { "✗" };
        let problems: String = test.problems.iter().map(|it| format!("  {}\n", escape(it))).collect();
        context.out.print(&format!("{mark} {}\n{problems}", escape(&test.slug)));
    }
    context.out.print(&format!("\n{sound} of {tried} lessons of whole programs judge rightly\n\n"));
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
            Outcome::Skipped(why) if why.contains("defect") => continue,
            Outcome::Skipped(why) => format!("· {name}: {}\n", escape(why)),
        };
        context.out.print(&text);
    }
    context.out.print(&format!("\n{equal} of {ran} programs print what is recorded\n"));
    Ok(if equal == ran && sound == tried { Exit::Pass } else { Exit::Fails })
}

/// What `run` needs of errors from below.
impl From<crate::gpu::Trouble> for Trouble {
    fn from(trouble: crate::gpu::Trouble) -> Trouble {
        Trouble::environment(escape(&trouble.to_string()))
    }
}
