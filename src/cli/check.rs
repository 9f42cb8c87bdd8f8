//! `check`: judges a lesson's file, any file, many files, or all lessons.

use super::graphics::Graphics;
use super::judging::{self, Job, VerdictLookup};
use super::target::{self, Submission, Target, Targets};
use super::{Answer, Context, Exit, Format, Result, ask, batch, list, output_files, terminal, view};
use report::{self, TestCase, VerdictView, json};
use std::ffi::OsString;
use std::io::{IsTerminal, Write, stderr};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How long judging may take before a progress message is shown.
const SILENCE: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
pub struct Args {
    /// A lesson (slug, start of its slug, or number), .cu files, or folders of them; the next lesson to do if omitted
    #[arg(value_name = "LESSON|FILE.cu|DIR")]
    targets: Vec<OsString>,
    /// The lesson that the files are for, if their names do not say
    #[arg(long, value_name = "LESSON", requires = "targets")]
    lesson: Option<String>,
    /// Check every lesson of the workspace
    #[arg(long, conflicts_with_all = ["targets", "lesson", "jobs"])]
    all: bool,
    /// How many files to judge at a time; if omitted, one per core, or one on a GPU
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZero<u16>>,
    /// Also write the verdicts as JUnit XML, for CI servers
    #[arg(long, value_name = "FILE.xml")]
    junit: Option<PathBuf>,
    /// Judge again, with fresh inputs, even if nothing changed; CI jobs always do
    #[arg(long)]
    again: bool,
    /// Draw what warps access, line by line
    #[arg(long, conflicts_with = "all")]
    pictures: bool,
    /// How to draw images that kernels computed: auto uses pixels if the terminal says that it supports them
    #[arg(long, value_name = "FORM", default_value = "auto", hide_default_value = true)]
    graphics: Graphics,
    /// Read the text of the one named file from standard input, for a file that another process opened
    #[arg(long, hide = true, requires = "lesson")]
    piped: bool,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    // Report a file that can't or must not be written before judging a whole class, not after.
    if let Some(path) = &args.junit {
        output_files::refuse_source(path)?;
        let opened = std::fs::File::options().create(true).append(true).open(path);
        opened.map_err(|error| output_files::failed(path, &error))?;
    }
    let targets = match (args.all, args.piped, args.targets.as_slice()) {
        (true, ..) => target::every_lesson(context)?,
        (_, true, [name]) => target::piped(name, args.lesson.as_deref(), context)?,
        _ => target::resolve(&args.targets, args.lesson.as_deref(), context)?,
    };
    let views = match targets {
        Targets::Nothing => nothing(context),
        Targets::One(target) => one(*target, &args, context)?,
        Targets::Lessons(targets) => lessons(targets, &args, context)?,
        Targets::Files(submissions) => files(&submissions, &args, context)?,
    };
    if context.global.format == Format::Json {
        context.out.print(&json::to_line(&json::CheckReport::new(&views)));
    }
    if let Some(path) = &args.junit {
        let cases: Vec<_> = views.iter().cloned().map(TestCase::from).collect();
        let text = report::junit(&cases, &context.style);
        std::fs::write(path, text).map_err(|error| output_files::failed(path, &error))?;
    }
    Ok(exit(&views))
}

fn is_human(context: &Context) -> bool {
    context.global.format == Format::Human
}

fn nothing(context: &mut Context) -> Vec<VerdictView> {
    if is_human(context) {
        let command = &context.style.command;
        context.out.print(&format!("All lessons are passed. Name one to check it: {command} check map\n"));
    }
    Vec::new()
}

fn one(target: Target, args: &Args, context: &mut Context) -> Result<Vec<VerdictView>> {
    if !target.is_own() {
        context.warn_of_files("Check");
    }
    ask::ask(&target, context)?;
    context.style.image = args.graphics.form(context.style.image);
    let drawn = target.clone();
    let (view, first) = judge(target, args.again, context)?;
    if is_human(context) {
        context.out.print(&rendered(&view, first, context)?);
        if args.pictures {
            let pictures = view::pictures(&drawn, context)?;
            context.out.print(&format!("\n{pictures}"));
        }
    }
    Ok(vec![view])
}

/// Judges the files and folders named, and prints one line each.
fn files(submissions: &[Submission], args: &Args, context: &mut Context) -> Result<Vec<VerdictView>> {
    if submissions.iter().any(Submission::is_foreign) {
        context.warn_of_files("Check");
    }
    let human = is_human(context);
    let settings = batch::Settings::new(args.jobs, args.again, context)?;
    let (style, out) = (&context.style, &mut context.out);
    let views = batch::judge(submissions, &settings, |view| {
        if human {
            out.print(&report::submission(view, style));
        }
    });
    if human {
        context.out.print(&report::sum(&views, &context.style));
    }
    Ok(views)
}

/// Judges the workspace's own files of all lessons, one after another.
fn lessons(targets: Vec<Target>, args: &Args, context: &mut Context) -> Result<Vec<VerdictView>> {
    let mut views = Vec::new();
    for target in targets {
        let (view, _) = judge(target, args.again, context)?;
        if is_human(context) {
            context.out.print(&report::submission(&view, &context.style));
        }
        views.push(view);
    }
    if is_human(context) {
        context.out.print(&report::sum(&views, &context.style));
    }
    Ok(views)
}

/// Renders the verdict; after a first pass also the lesson's closing text.
///
/// # Errors
///
/// The lessons or the progress can't be read.
pub fn rendered(view: &VerdictView, first: bool, context: &Context) -> Result<String> {
    let mut text = report::verdict(view, &context.style);
    if first && let Some(lesson) = context.course()?.lesson(&view.subject.lesson) {
        text += "\n";
        text += &report::afterwards(lesson, &context.style);
        let claims = &context.course()?.claims().rows;
        if let Some(row) = claims.iter().find(|row| row.lessons.contains(&lesson.slug)) {
            text += &report::claim_of(&row.id, &context.style);
        }
        let course = context.course()?;
        let lessons = list::view(context)?;
        let achievements =
            report::achievements(&lesson.slug, &lessons, course.topics(), course.parts(), &context.style);
        text += &if achievements.is_empty() { achievements } else { format!("\n{achievements}") };
    }
    Ok(text)
}

/// Returns the exit code: a failing lesson takes precedence over one that could not be judged.
fn exit(views: &[VerdictView]) -> Exit {
    match () {
        _ if views.iter().any(|v| !v.passed && !v.is_undecided()) => Exit::Fails,
        _ if views.iter().any(VerdictView::is_undecided) => Exit::Unavailable,
        _ => Exit::Pass,
    }
}

/// Judges a target, with a progress message on the terminal. Returns the verdict, and whether the lesson passed
/// for the first time.
///
/// # Errors
///
/// The file can't be read, or the environment or the lesson is at fault.
pub fn judge(target: Target, anew: bool, context: &Context) -> Result<(VerdictView, bool)> {
    match judging::look_up(target, anew, context)? {
        VerdictLookup::Stored(view) => Ok((*view, false)),
        VerdictLookup::Job(job) => {
            let view = run_with_progress_message(&job, context)?;
            let first = job.store(&view, context);
            Ok((view, first))
        }
    }
}

fn run_with_progress_message(job: &Job, context: &Context) -> anyhow::Result<VerdictView> {
    if context.global.format == Format::Json || !stderr().is_terminal() || terminal::is_dumb() {
        return job.run();
    }
    let slug = job.target.lesson.slug.clone();
    let (done, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
                let _ = write!(stderr(), "checking {slug} …");
                let _ = stderr().flush();
                let _ = wait.recv();
                let _ = write!(stderr(), "\r\x1b[K");
                let _ = stderr().flush();
            }
        });
        let view = job.run();
        drop(done);
        view
    })
}
