//! `author`: for people who write lessons.

use super::{Answer, Backend, Context, Exit, Trouble};
use crate::author;
use crate::report::escape;
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
    /// Folder with lessons/, kernels/ and solutions/
    #[arg(long, global = true, value_name = "DIR", default_value = ".", hide_default_value = true)]
    course: PathBuf,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Prove lessons: starters fail as declared, solutions pass, wrong kernels are refused
    Check {
        /// A lesson or a part; all if left out
        lesson: Option<String>,
    },
    /// Make the files of a new lesson
    New {
        /// Folder of its part, such as 1-puzzles
        part: String,
        /// Its name for ever, such as warp-shuffle
        slug: String,
    },
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let root = std::path::absolute(&args.course).context("can't tell where the course is")?;
    match args.command {
        Command::Check { lesson } => check(&root, lesson.as_deref(), context),
        Command::New { part, slug } => new(&root, &part, &slug, context),
    }
}

fn check(root: &Path, filter: Option<&str>, context: &mut Context) -> Answer {
    let compiler = context.compiler()?.clone();
    // A GPU is asked for by name here: proofs are the same on every machine.
    let gpu = if context.global.backend == Backend::Gpu { context.gpu()?.cloned() } else { None };
    // Lessons are proved side by side: each is told as it is through.
    let out = Mutex::new(&mut context.out);
    let report = author::check_with(root, filter, &compiler, gpu.as_ref(), &|lesson| {
        let mut text = match lesson.problems.len() {
            0 => format!("✓ {}  {} wrong kernels refused\n", escape(&lesson.slug), lesson.wrong_kernels),
            _ => format!("✗ {}\n", escape(&lesson.slug)),
        };
        for problem in &lesson.problems {
            text += &format!("  {}\n", escape(&problem.to_string()));
        }
        out.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).print(&text);
    })?;
    let mut text = String::new();
    for problem in &report.problems {
        text += &format!("✗ {}\n", escape(&problem.to_string()));
    }
    let sound = report.lessons.iter().filter(|l| l.problems.is_empty()).count();
    text += &format!("\n{sound} of {} lessons proved\n", report.lessons.len());
    context.out.print(&text);
    Ok(if report.is_sound() { Exit::Pass } else { Exit::Fails })
}

fn new(root: &Path, part: &str, slug: &str, context: &mut Context) -> Answer {
    let paths = author::scaffold(root, part, slug).map_err(|e| Trouble::usage(escape(&format!("{e:#}"))))?;
    let mut text = String::from("Made a lesson that works, to be edited:\n");
    for path in &paths {
        text += &format!("  {}\n", escape(&path.display().to_string()));
    }
    text += &format!("\nThen   {} author check {}\n", context.style.command, escape(slug));
    context.out.print(&text);
    Ok(Exit::Pass)
}
