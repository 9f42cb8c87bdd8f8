//! `hint`: shows one more of a lesson's three hints each time, and remembers how many were shown.

use super::{Answer, Context, Result, find_lesson};
use judge::course::Lesson;

#[derive(clap::Args)]
pub struct Args {
    /// Slug, start of the slug, number or path; the next lesson to do if omitted
    lesson: Option<String>,
    /// How many of the three hints to show; one more than last time if omitted
    #[arg(value_parser = clap::value_parser!(u8).range(1..=3))]
    step: Option<u8>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let lesson = find_lesson::named_or_current(args.lesson.as_deref(), context)?;
    let text = match args.step {
        Some(step) => up_to(step, lesson, context),
        None => another(lesson, context)?,
    };
    context.answer(&text)
}

/// Returns the hints shown so far and one more, which is then remembered.
///
/// # Errors
///
/// The progress can't be read.
pub fn another(lesson: &Lesson, context: &Context) -> Result<String> {
    Ok(up_to(context.progress()?.hints(&lesson.slug).saturating_add(1), lesson, context))
}

/// Returns the hints shown so far; the first one if there were none.
///
/// # Errors
///
/// The progress can't be read.
pub fn so_far(lesson: &Lesson, context: &Context) -> Result<String> {
    let shown = usize::from(context.progress()?.hints(&lesson.slug).max(1)).min(lesson.spec.hints.len());
    Ok(report::hints(lesson, shown, None, &context.style))
}

/// Returns the first `step` hints, and remembers that they were shown.
fn up_to(step: u8, lesson: &Lesson, context: &Context) -> String {
    let shown = usize::from(step).min(lesson.spec.hints.len());
    context.remember(|p| p.hints_shown(&lesson.slug, shown as u8));
    // Without a workspace nothing is remembered, so the command for the next hint needs its number.
    let next = context.workspace().is_none().then_some(shown + 1);
    report::hints(lesson, shown, next, &context.style)
}
