//! `next`: the lesson to do. Asks nothing, and changes nothing but a missing file.

use super::{Answer, Context, Exit, read};

pub fn run(context: &mut Context) -> Answer {
    let workspace = context.need_workspace()?;
    let Some(lesson) = context.current()? else {
        let count = context.course()?.lessons().len();
        let text = format!(
            "All {count} lessons are passed.\n\nAgain: {0} list, {0} read LESSON, {0} reset LESSON\n",
            context.style.command
        );
        context.out.print(&text);
        return Ok(Exit::Pass);
    };
    workspace.provide_kernel(lesson)?;
    let slug = lesson.slug.clone();
    read::show(&slug, context)
}
