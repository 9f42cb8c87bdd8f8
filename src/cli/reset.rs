//! `reset`: restores a lesson's starter; the learner's file is kept as a backup.

use super::{Answer, Context, Result, find_lesson};
use judge::course::Lesson;
use report::escape;

#[derive(clap::Args)]
pub struct Args {
    /// Slug, start of the slug, number or path; the next lesson to do if omitted
    lesson: Option<String>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let text = reset(find_lesson::named_or_current(args.lesson.as_deref(), context)?, context)?;
    context.answer(&text)
}

/// Resets a lesson. Returns a message with the backup's path.
///
/// # Errors
///
/// There is no workspace, or a file can't be read or written.
pub fn reset(lesson: &Lesson, context: &Context) -> Result<String> {
    let workspace = context.need_workspace()?;
    let file = escape(&context.shown(&workspace.kernel(lesson)));
    Ok(match workspace.reset(lesson)? {
        Some(backup) => {
            let backup = escape(&context.shown(&backup));
            format!("{file} is the starter again.\nYour version is kept: {backup}\n")
        }
        None => format!("{file} is already the starter.\n"),
    })
}
