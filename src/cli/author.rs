//! `author`: tools for people who write lessons.

use super::{Answer, Backend, CommandError, Context, Exit, shown_path};
use crate::author;
use anyhow::Context as _;
use judge::course::{Course, Problem};
use judge::{Measurement, Prepared};
use report::{self, escape};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Verify lessons: starters fail as declared, solutions pass, wrong kernels are rejected
    Check {
        /// A lesson or a part; all lessons if omitted
        lesson: Option<String>,
        /// For unfinished lessons: verify what is there, and list what is missing
        #[arg(long)]
        draft: bool,
    },
    /// Print what is measured of a lesson's solution or of another file: every name that formulas can use
    Measure {
        lesson: String,
        /// Measure this file instead of the solution
        #[arg(long, value_name = "FILE.cu")]
        file: Option<PathBuf>,
        /// GPU to model: t4, a100 or h100
        #[arg(long = "as", value_name = "GPU", default_value = "t4", hide_default_value = true)]
        gpu: String,
    },
    /// Draft a lesson from a problem of another collection: statement, starter with `solve()` or a kernel, and
    /// reference.cu or reference.py
    Import {
        folder: PathBuf,
        /// Folder of the part to put it in
        #[arg(long, value_name = "PART", default_value = "9-imported")]
        part: String,
        /// The lesson's permanent name; the folder's name if omitted
        #[arg(long, value_name = "SLUG")]
        slug: Option<String>,
        /// Python with numpy, which runs reference.py once
        #[arg(long, value_name = "PROGRAM", default_value = "python3")]
        python: PathBuf,
    },
    /// Create the files of a new lesson
    New {
        /// Folder of the part to put it in, such as 1-puzzles
        part: String,
        /// The lesson's permanent name, such as warp-shuffle
        slug: String,
        /// Make the lesson about a whole program instead of a kernel
        #[arg(long)]
        program: bool,
    },
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let folder = context.global.lessons.as_deref().unwrap_or(Path::new("."));
    let root = std::path::absolute(folder).context("can't find the course's folder")?;
    match args.command {
        Command::Check { lesson, draft } => {
            let stage = if draft { author::Stage::Draft } else { author::Stage::Whole };
            check(&root, lesson.as_deref(), stage, context)
        }
        Command::Measure { lesson, file, gpu } => measure(&root, &lesson, file.as_deref(), &gpu, context),
        Command::Import { folder, part, slug, python } => {
            let what =
                author::Import { folder: &folder, part: &part, slug: slug.as_deref(), python: &python };
            import(&root, &what, context)
        }
        Command::New { part, slug, program } => {
            let about = if program { author::About::Program } else { author::About::Kernel };
            new(&root, &part, &slug, about, context)
        }
    }
}

fn check(root: &Path, filter: Option<&str>, stage: author::Stage, context: &mut Context) -> Answer {
    let compiler = context.compiler()?.clone();
    // A GPU is used only if `--backend gpu` asks for one: by default, proofs are the same on every machine.
    let gpu = if context.global.backend == Backend::Gpu { context.gpu()?.cloned() } else { None };
    let begun = Instant::now();
    // Lessons are proved in parallel; each is reported as soon as it is done.
    let out = Mutex::new(&mut context.out);
    let report = author::check_with(root, filter, &compiler, gpu.as_ref(), stage, &|lesson| {
        let mut text = match lesson.problems.len() {
            0 => {
                let accepted = match lesson.accepted {
                    0 => String::new(),
                    some => format!(", {some} other correct ones accepted"),
                };
                format!(
                    "✓ {}  {} wrong kernels rejected{accepted}\n",
                    escape(&lesson.slug),
                    lesson.wrong_kernels
                )
            }
            _ => format!("✗ {}\n", escape(&lesson.slug)),
        };
        text += &(rows("  ", &lesson.problems) + &rows("  · ", &lesson.remarks));
        out.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).print(&text);
    })?;
    let mut text = rows("✗ ", &report.problems) + &rows("· ", &report.remarks);
    let sound = report.lessons.iter().filter(|l| l.problems.is_empty()).count();
    let seconds = report::seconds(begun.elapsed().as_secs_f64());
    let missing = report.remarks.len() + report.lessons.iter().map(|l| l.remarks.len()).sum::<usize>();
    let far = match (stage, missing) {
        (author::Stage::Whole, _) => String::new(),
        (author::Stage::Draft, 0) => ", and nothing is missing".to_owned(),
        (author::Stage::Draft, some) => {
            format!(
                " as far as they are written; {} missing or too long",
                report::plural(some as u64, "thing", "things")
            )
        }
    };
    let others = match report.problems.len() {
        0 => String::new(),
        some => format!("; {}", report::plural(some as u64, "other problem", "other problems")),
    };
    text += &format!("\n{sound} of {} lessons verified in {seconds}{far}{others}\n", report.lessons.len());
    context.out.print(&text);
    Ok(if report.is_sound() { Exit::Pass } else { Exit::Fails })
}

/// Renders problems or remarks, each behind a mark.
fn rows(mark: &str, all: &[Problem]) -> String {
    all.iter().map(|problem| format!("{mark}{}\n", escape(&problem.to_string()))).collect()
}

fn measure(root: &Path, slug: &str, file: Option<&Path>, gpu: &str, context: &mut Context) -> Answer {
    let (course, _) = Course::from_dir_with_problems(root).map_err(anyhow::Error::from)?;
    let lesson = course.lesson(slug).ok_or_else(|| {
        CommandError::usage(format!("no lesson is called \"{}\", or it can't be loaded", escape(slug)))
    })?;
    let source = match file {
        Some(file) => {
            std::fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))?
        }
        None => lesson.solution.to_string(),
    };
    let options = context.judge_options();
    let prepared = Prepared::new(lesson, &source, slug, context.compiler()?)?;
    for (number, case) in lesson.spec.cases.iter().enumerate() {
        let mut text = format!("{}\n", escape(&case.to_string()));
        match &prepared {
            Prepared::Kernel(kernel) => {
                let measured = kernel.measure(number, &options)?;
                for launch in measured.launches() {
                    let all = measured.everything(launch, gpu);
                    let all = all.map_err(|why| CommandError::usage(escape(&why)))?;
                    text += &format!("  {}\n", escape(launch));
                    text += &report::measurements(&all, context.style.width);
                }
            }
            Prepared::Program(program) => {
                // Modelled figures refer to the lesson's own GPU.
                let counted = program.tally(number, &options)?.into_iter();
                let all: Vec<Measurement> = counted.map(Measurement::from).collect();
                text += &report::measurements(&all, context.style.width);
            }
        }
        context.out.print(&text);
    }
    Ok(Exit::Pass)
}

fn import(root: &Path, what: &author::Import, context: &mut Context) -> Answer {
    let imported = author::import(root, what).map_err(|e| CommandError::usage(escape(&format!("{e:#}"))))?;
    let mut text = String::from("Created a draft:\n");
    for path in &imported.paths {
        text += &format!("  {}\n", shown_path(path));
    }
    if !imported.guesses.is_empty() {
        text +=
            "\nGuessed; check them in lesson.toml (or specify them in shapes.toml next to the starter):\n";
    }
    for guess in &imported.guesses {
        text += &format!("  {}\n", escape(guess));
    }
    let (command, slug) = (&context.style.command, escape(&imported.slug));
    text += &format!("\nThen   {command} author check {slug} --draft\n");
    context.answer(&text)
}

fn new(root: &Path, part: &str, slug: &str, about: author::About, context: &mut Context) -> Answer {
    let paths = author::scaffold(root, part, slug, about)
        .map_err(|e| CommandError::usage(escape(&format!("{e:#}"))))?;
    let mut text = String::from("Created a working lesson for you to edit:\n");
    for path in &paths {
        text += &format!("  {}\n", shown_path(path));
    }
    text += &format!("\nThen   {} author check {}\n", context.style.command, escape(slug));
    context.answer(&text)
}
