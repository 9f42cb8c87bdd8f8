//! `check`: judges a lesson's file, any file, or all of them.

use super::judging::{self, Job, Prepared, Target};
use super::{Answer, Context, Exit, Format, Trouble, ask};
use crate::nvrtc::Compiler;
use crate::report::{self, VerdictView, json};
use std::io::{IsTerminal, Write, stderr};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Longer than this, we show that we are at work.
const SILENCE: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
pub struct Args {
    /// Lesson (slug, beginning of it, number) or a .cu file; the lesson to do if left out
    #[arg(value_name = "LESSON|FILE.cu")]
    target: Option<String>,
    /// The lesson that FILE.cu is for, where its name does not say
    #[arg(long, value_name = "LESSON", requires = "target")]
    lesson: Option<String>,
    /// Every lesson of the workspace
    #[arg(long, conflicts_with_all = ["target", "lesson"])]
    all: bool,
    /// Judge again, with fresh inputs, even if nothing changed
    #[arg(long)]
    again: bool,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    if args.all {
        return all(args.again, context);
    }
    if args.target.is_none() && context.current()?.is_none() {
        let command = &context.style.command;
        let text = format!("All lessons are passed. Name one to check it: {command} check map\n");
        match context.global.format {
            Format::Human => context.out.print(&text),
            Format::Json => context.out.print(&json::to_line(&json::CheckReport::new(&[]))),
        }
        return Ok(Exit::Pass);
    }
    let target = judging::target(args.target.as_deref(), args.lesson.as_deref(), context)?;
    if !target.own {
        // Somebody else's file, perhaps.
        for missing in Compiler::guarantees().missing() {
            context.say(&format!("Check only files you trust: {missing}."));
        }
    }
    ask::ask(&target, context)?;
    let (view, first) = judge(target, args.again, context)?;
    let text = match context.global.format {
        Format::Json => json::to_line(&json::CheckReport::new(std::slice::from_ref(&view))),
        Format::Human => rendered(&view, first, context)?,
    };
    context.out.print(&text);
    exit(&[view])
}

/// The verdict; after a first pass also what the lesson says to those who have passed.
pub fn rendered(view: &VerdictView, first: bool, context: &Context) -> Result<String, Trouble> {
    let mut text = report::verdict(view, &context.style);
    if first && let Some(lesson) = context.course()?.lesson(&view.lesson) {
        text += "\n";
        text += &report::afterwards(lesson, &context.style);
        let claims = &context.course()?.claims().rows;
        if let Some(row) = claims.iter().find(|row| row.lessons.contains(&lesson.slug)) {
            text += &report::claim_of(&row.id, &context.style);
        }
    }
    Ok(text)
}

/// What the process ends with: a lesson that fails weighs more than what we lack.
fn exit(views: &[VerdictView]) -> Answer {
    let unsupported = |v: &&VerdictView| v.reason.as_deref() == Some("unsupported");
    if views.iter().any(|v| !v.passed && !unsupported(&v)) {
        return Ok(Exit::Fails);
    }
    Ok(if views.iter().any(|v| unsupported(&v)) { Exit::Lacking } else { Exit::Pass })
}

/// Judges with a sign of life on the terminal. True when it passed for the first time.
fn judge(target: Target, anew: bool, context: &Context) -> Result<(VerdictView, bool), Trouble> {
    match judging::prepare(target, anew, context)? {
        Prepared::Known(view) => Ok((*view, false)),
        Prepared::Job(job) => {
            let view = with_sign_of_life(&job, context)?;
            let first = job.store(&view, context);
            Ok((view, first))
        }
    }
}

fn with_sign_of_life(job: &Job, context: &Context) -> anyhow::Result<VerdictView> {
    if context.global.format == Format::Json || !stderr().is_terminal() {
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

fn all(anew: bool, context: &mut Context) -> Answer {
    let lessons = context.course()?.lessons().to_vec();
    let mut views = Vec::new();
    for lesson in &lessons {
        let target = judging::own(lesson, context)?;
        let (view, _) = judge(target, anew, context)?;
        if context.global.format == Format::Human {
            let verbose = context.style.verbose;
            let text = if verbose {
                report::verdict(&view, &context.style)
            } else {
                report::headline(&view, &context.style)
            };
            context.out.print(&text);
        }
        views.push(view);
    }
    let text = match context.global.format {
        Format::Json => json::to_line(&json::CheckReport::new(&views)),
        Format::Human => {
            let passed = views.iter().filter(|v| v.passed).count();
            format!("\n{passed} of {} pass\n", views.len())
        }
    };
    context.out.print(&text);
    exit(&views)
}
