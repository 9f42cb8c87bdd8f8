//! `next`: the lesson to do. Asks nothing, and changes nothing but a missing file.

use super::{Answer, CommandError, Context, Exit, read, target};
use compiler::Compiler;
use report::{escape, wrap};

pub fn run(context: &mut Context) -> Answer {
    context.need_workspace()?;
    let Some(lesson) = context.current()? else {
        let count = context.course()?.lessons().len();
        let again = format!("Again: {0} list, {0} read LESSON, {0} reset LESSON", context.style.command);
        let again = wrap(&again, context.style.width, 0).join("\n");
        context.out.print(&format!("All {count} lessons are passed.\n\n{again}\n"));
        return Ok(Exit::Pass);
    };
    target::provide(lesson, context)?;
    let page = read::before(lesson, context)? + &read::page(&lesson.slug, context)?;
    prepare(context)?;
    read::print(&page, context)
}

/// Has the compiler fetched before it is needed; says, at the very first, what kernels run on. What
/// is missing keeps nobody from reading.
fn prepare(context: &Context) -> Result<(), CommandError> {
    if let Err(trouble) = context.compiler() {
        context.say(&format!("Checking will not work yet: {}", trouble.message));
    }
    if context.progress()?.is_empty() {
        match context.gpu() {
            Ok(Some(gpu)) => {
                context.say(&format!(
                    "Kernels run on {}, and on the simulator for defects.",
                    escape(gpu.name())
                ));
            }
            Ok(None) => context.say("Kernels run on the simulator: no GPU is needed."),
            Err(trouble) => context.say(&trouble.message),
        }
        for missing in Compiler::guarantees().missing() {
            context.say(&format!("Check only files you trust: {missing}."));
        }
    }
    Ok(())
}
