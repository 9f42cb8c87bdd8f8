//! `next`: shows the lesson to do. Asks nothing, and writes nothing but the lesson's file if that is missing.

use super::{Answer, CommandError, Context, Result, read, target};
use judge::course::Lesson;
use report::{escape, wrap};

#[derive(clap::Args, Default)]
pub struct Args {
    /// An added course, or a part such as 1-puzzles, to choose from; all lessons if omitted
    #[arg(value_name = "COURSE|PART")]
    of: Option<String>,
}

/// Returns the lessons of a part, of an added course, or all of them.
fn asked<'c>(of: Option<&str>, context: &'c Context) -> Result<Vec<&'c Lesson>> {
    let all = context.course()?.lessons().iter();
    let is_meant = |lesson: &&Lesson| {
        of.is_none_or(|name| lesson.part == name || lesson.of.as_ref().is_some_and(|of| of.name == name))
    };
    match (all.filter(is_meant).collect::<Vec<_>>(), of) {
        (none, Some(name)) if none.is_empty() && context.course()?.lesson(name).is_some() => {
            Err(CommandError::usage(format!(
                "{name} is a lesson: `{0} read {name}` shows it; next takes a part or a course",
                context.style.command
            )))
        }
        (none, Some(name)) if none.is_empty() => Err(CommandError::usage(format!(
            "no part or course is called \"{}\": `{1} list` shows the parts, `{1} course list` the courses",
            escape(name),
            context.style.command
        ))),
        (lessons, _) => Ok(lessons),
    }
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    context.need_workspace()?;
    let (lessons, progress) = (asked(args.of.as_deref(), context)?, context.progress()?);
    let Some(lesson) = lessons.iter().copied().find(|lesson| !progress.passed(&lesson.slug)) else {
        let count = lessons.len();
        let again = format!("Again: {0} list, {0} read LESSON, {0} reset LESSON", context.style.command);
        let again = wrap(&again, context.style.width, 0).join("\n");
        return context.answer(&format!("All {count} lessons are passed.\n\n{again}\n"));
    };
    target::provide(lesson, context)?;
    let page = read::before(lesson, context)? + &read::page(lesson, context)?;
    prepare(context)?;
    read::print(&page, context)
}

/// Fetches the compiler before it is needed, and reports, before the first lesson, what kernels run on. Failures
/// are reported, so that the lesson can still be read.
fn prepare(context: &Context) -> Result<()> {
    if let Err(command_error) = context.compiler() {
        context.say(&format!("Checking will not work yet: {}", command_error.message));
    }
    if context.progress()?.is_empty() {
        match context.gpu() {
            Ok(Some(gpu)) => {
                context.say(&format!(
                    "Kernels run on {}, and on the simulator to find defects.",
                    escape(gpu.name())
                ));
            }
            Ok(None) => context.say("Kernels run on the simulator: no GPU is needed."),
            Err(command_error) => context.say(&command_error.message),
        }
        context.warn_of_files("Check");
    }
    Ok(())
}
