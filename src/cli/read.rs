//! `read`: shows a lesson's text.

use super::watch::pager;
use super::{Answer, Context, Exit, Result, find_lesson, terminal};
use judge::course::Lesson;
use report::{LessonPage, lesson_page, part_page, welcome_page, wrap};

/// The name of the course's introduction for `read`.
const WELCOME: &str = "welcome";

#[derive(clap::Args)]
pub struct Args {
    /// Slug, start of the slug, number or path; the next lesson to do if omitted. Also a part, such as 1-puzzles,
    /// or welcome
    lesson: Option<String>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    if let Some(page) =
        args.lesson.as_deref().map(|name| page_without_lesson(name, context)).transpose()?.flatten()
    {
        return context.answer(&page);
    }
    let page = page(find_lesson::named_or_current(args.lesson.as_deref(), context)?, context)?;
    print(&page, context)
}

/// Returns the page of a name that is no lesson: the introduction, or a part's page.
fn page_without_lesson(name: &str, context: &Context) -> Result<Option<String>> {
    let course = context.course()?;
    if name == WELCOME
        && let Some(text) = course.welcome()
    {
        return Ok(Some(welcome_page(text, &context.style)));
    }
    let part = course.parts().iter().find(|part| part.folder == name);
    Ok(part.map(|part| part_page(part, &context.style)))
}

/// Returns the pages to read before a lesson: the introduction if nothing was tried yet, and the part's page if
/// nothing in the part was tried yet.
///
/// # Errors
///
/// The lessons or the progress can't be read.
pub fn before(lesson: &Lesson, context: &Context) -> Result<String> {
    let (course, progress) = (context.course()?, context.progress()?);
    let mut out = String::new();
    if progress.is_empty() {
        out += &course.welcome().map_or(String::new(), |text| welcome_page(text, &context.style));
    }
    let tried = |other: &Lesson| other.part == lesson.part && progress.entry(&other.slug).is_some();
    if !course.lessons().iter().any(tried)
        && let Some(part) = course.parts().iter().find(|part| part.folder == lesson.part)
        && part.text.is_some()
    {
        out += &part_page(part, &context.style);
    }
    Ok(out)
}

/// Prints a page, and adds a note if its beginning has scrolled off the screen.
pub fn print(page: &str, context: &mut Context) -> Answer {
    context.out.print(page);
    if let Some((columns, rows)) = terminal::size()
        && let lines @ 1.. = rows_above(page, columns, rows)
    {
        let command = &context.style.command;
        let lines = report::plural(lines as u64, "more line is", "more lines are");
        let text = format!("{lines} above: scroll up, or turn pages with `{command} watch`");
        context.out.print(&format!("{}\n", wrap(&text, context.style.width, 0).join("\n")));
    }
    Ok(Exit::Pass)
}

/// Returns how many rows of a page have scrolled off the screen after printing it with the note and a prompt.
fn rows_above(page: &str, columns: usize, rows: usize) -> usize {
    const BELOW: usize = 2;
    pager::rows_of(page, columns).saturating_sub(rows.saturating_sub(BELOW))
}

/// Returns the page of a lesson.
///
/// # Errors
///
/// The lessons or the progress can't be read.
pub fn page(lesson: &Lesson, context: &Context) -> Result<String> {
    let file = context.workspace().map(|w| context.shown(&w.kernel(lesson)));
    let page = LessonPage {
        lesson,
        of: context.course()?.lessons().len(),
        passed: context.progress()?.passed(&lesson.slug),
        file: file.as_deref(),
    };
    Ok(lesson_page(&page, &context.style))
}

#[cfg(test)]
mod tests {
    use super::rows_above;

    #[test]
    fn what_has_left_the_screen_is_counted_in_rows() {
        let page = "a line\n".repeat(30);
        assert_eq!(
            (rows_above(&page, 80, 24), rows_above(&page, 3, 24), rows_above(&page, 80, 40)),
            (8, 38, 0)
        );
    }
}
