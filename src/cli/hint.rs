//! `hint`: one step more of three each time, remembered.

use super::{Answer, Context, Exit, Trouble, find_lesson};
use crate::report;

#[derive(clap::Args)]
pub struct Args {
    /// Slug, beginning of it, number or path; the one to do if left out
    lesson: Option<String>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let slug = find_lesson::named_or_current(args.lesson.as_deref(), context)?.slug.clone();
    let text = another(&slug, context)?;
    context.out.print(&text);
    Ok(Exit::Pass)
}

/// The hints shown so far and one more, which is then remembered.
pub fn another(slug: &str, context: &Context) -> Result<String, Trouble> {
    let Some(lesson) = context.course()?.lesson(slug) else { return Ok(String::new()) };
    let all = lesson.spec.hints.len();
    let shown = (usize::from(context.progress()?.hints(slug)) + 1).min(all);
    context.remember(|p| p.hints_shown(slug, shown as u8));
    Ok(report::hints(lesson, shown, &context.style))
}
