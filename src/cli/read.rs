//! `read`: a lesson's text.

use super::{Answer, Context, Exit, Trouble, find_lesson};
use crate::report::{LessonPage, lesson_page};

#[derive(clap::Args)]
pub struct Args {
    /// Slug, beginning of it, number or path; the one to do if left out
    lesson: Option<String>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let slug = find_lesson::named_or_current(args.lesson.as_deref(), context)?.slug.clone();
    show(&slug, context)
}

/// Prints the page of a lesson.
pub fn show(slug: &str, context: &mut Context) -> Answer {
    let page = page(slug, context)?;
    context.out.print(&page);
    Ok(Exit::Pass)
}

/// The page of a lesson; nothing for a slug that is none.
pub fn page(slug: &str, context: &Context) -> Result<String, Trouble> {
    let course = context.course()?;
    let Some(lesson) = course.lesson(slug) else { return Ok(String::new()) };
    let file = context.workspace().map(|w| context.shown(&w.kernel(lesson)));
    let page = LessonPage {
        lesson,
        of: course.lessons().len(),
        passed: context.progress()?.passed(&lesson.slug),
        file: file.as_deref(),
    };
    Ok(lesson_page(&page, &context.style))
}
