//! `next`: the lesson to do. Asks nothing, and changes nothing but a missing file.

use super::{Answer, Context, Exit, Trouble, read};
use crate::nvrtc::Compiler;

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
    prepare(context)?;
    read::show(&slug, context)
}

/// Has the compiler fetched before it is needed; says, at the very first, what kernels run on. What
/// is missing keeps nobody from reading.
fn prepare(context: &Context) -> Result<(), Trouble> {
    if let Err(trouble) = context.compiler() {
        context.say(&format!("Checking will not work yet: {}", trouble.message));
    }
    if context.progress()?.is_empty() {
        context.say("Kernels run on the simulator: no GPU is needed.");
        for missing in Compiler::guarantees().missing() {
            context.say(&format!("Check only files you trust: {missing}."));
        }
    }
    Ok(())
}
