//! `solution`: shows the reference solution, once the learner's own passes.

use super::{Answer, Context, Exit, find_lesson};
use report::{self, escape};

#[derive(clap::Args)]
pub struct Args {
    /// Slug, start of the slug, number or path
    lesson: String,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let lesson = find_lesson::find(&args.lesson, context.course()?, &context.style.command)?;
    if !context.progress()?.passed(&lesson.slug) {
        let slug = escape(&lesson.slug);
        let command = &context.style.command;
        context.say(&format!(
            "The solution of {slug} is shown once yours passes: {command} check {slug}\nStuck? {command} hint {slug}"
        ));
        return Ok(Exit::Fails);
    }
    let text = report::solution_page(lesson, &context.style);
    context.answer(&text)
}
