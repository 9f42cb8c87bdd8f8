//! `selftest`: whether lessons judge rightly on this machine, on its GPU where there is one.

use super::{Answer, Context, Exit, Trouble};
use crate::author::{self, ULP_BOUND};
use crate::report::{escape, grouped};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// Also refuse the wrong kernels of a checkout: its folder
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
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
    let (mut sound, mut tried, mut elements, mut largest) = (0u64, 0u64, 0u64, 0u64);
    let lessons = context.course()?.lessons().to_vec();
    for lesson in lessons.iter().filter(|lesson| author::has_kernels(lesson)) {
        let test = author::selftest(lesson, &compiler, gpu.as_ref())?;
        tried += 1;
        sound += u64::from(test.problems.is_empty());
        let values = test.agreement.map_or(String::new(), |agreement| {
            elements += agreement.elements;
            largest = largest.max(agreement.largest_ulp);
            format!("{:>10} values, {} ULP", grouped(agreement.elements), agreement.largest_ulp)
        });
        let mark = if test.problems.is_empty() { "✓" } else { "✗" };
        let mut text = format!("{mark} {:<24}{values}\n", escape(&test.slug));
        for problem in &test.problems {
            text += &format!("  {}\n", escape(problem));
        }
        context.out.print(&text);
    }
    let mut text = format!("\n{sound} of {tried} lessons judge rightly\n");
    if gpu.is_some() {
        text += &format!(
            "simulator and GPU: {} values, whole numbers equal bit for bit, floats within {largest} of {ULP_BOUND} ULP\n",
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

/// What `run` needs of errors from below.
impl From<crate::gpu::Trouble> for Trouble {
    fn from(trouble: crate::gpu::Trouble) -> Trouble {
        Trouble::environment(escape(&trouble.to_string()))
    }
}
