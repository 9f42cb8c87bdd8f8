//! `read`: a lesson's text.

use super::watch::pager;
use super::{Answer, Context, Exit, Trouble, find_lesson, terminal};
use report::{LessonPage, lesson_page, wrap};

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
    if let Some((columns, rows)) = terminal::size()
        && let lines @ 1.. = rows_above(&page, columns, rows)
    {
        let command = &context.style.command;
        let text = format!("{lines} more lines are above: scroll up, or `{command} watch` turns pages");
        context.out.print(&format!("{}\n", wrap(&text, context.style.width, 0).join("\n")));
    }
    Ok(Exit::Pass)
}

/// Rows of a page that have left the screen when all of it is printed, with a prompt and what says so
/// below it.
fn rows_above(page: &str, columns: usize, rows: usize) -> usize {
    const BELOW: usize = 2;
    pager::rows_of(page, columns).saturating_sub(rows.saturating_sub(BELOW))
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
