//! `submit`: packs a student's files into the archive to hand in.

use super::source_text::MAX_SOURCE_BYTES;
use super::{Answer, CommandError, Context, Result, check, find_lesson, output_files, shown_path, target};
use anyhow::Context as _;
use grade::{Plan, digest_of_course, students};
use judge::course::{Lesson, read_confined};
use report::{escape, plural};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Lessons to hand in
    #[arg(value_name = "LESSON", required_unless_present = "plan")]
    names: Vec<String>,
    /// Hand in the lessons that an instructor's plan grades
    #[arg(long, alias = "course", value_name = "plan.toml", conflicts_with = "names")]
    plan: Option<PathBuf>,
    /// The archive to write
    #[arg(long, short, value_name = "FILE.zip", default_value = "submission.zip")]
    output: PathBuf,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    output_files::refuse_source(&args.output)?;
    let lessons = lessons(&args, context)?;
    let mut files = Vec::new();
    let mut passed = 0;
    for lesson in lessons {
        let target = target::own(&lesson, context)?;
        let root = context.need_workspace()?.root().to_owned();
        let (view, _) = check::judge(target, false, context)?;
        passed += usize::from(view.passed);
        context.out.print(&report::headline(&view, &context.style));
        let path = lesson.kernel_path();
        let bytes = read_confined(&root, Path::new(&path), MAX_SOURCE_BYTES)
            .with_context(|| format!("can't read {}", escape(&path)))?;
        files.push(students::SubmittedFile { lesson: lesson.slug, passed: view.passed, bytes });
    }
    let archive = students::pack(&files, &digest_of_course(context.base_course()?))?;
    let shown = shown_path(&args.output);
    output_files::write(&args.output, &archive)?;
    let all = plural(files.len() as u64, "lesson", "lessons");
    let passes = if passed == 1 { "passes" } else { "pass" };
    let then =
        if passed == files.len() { "Hand it in." } else { "Fix the others first, or hand it in as it is." };
    context.answer(&format!("\n{shown}: {all}, {passed} of them {passes}. {then}\n"))
}

fn lessons(args: &Args, context: &Context) -> Result<Vec<Lesson>> {
    let course = context.base_course()?;
    let Some(path) = &args.plan else {
        let find = |name: &String| find_lesson::find(name, course, &context.style.command).cloned();
        return args.names.iter().map(find).collect();
    };
    let shown = shown_path(path);
    let text = std::fs::read_to_string(path)
        .map_err(|error| CommandError::usage(format!("can't read {shown}: {error}")))?;
    // Only the list of lessons is needed, so any seed will do in place of the instructor's.
    let plan = Plan::parse(&text, course, Some(0))
        .map_err(|error| CommandError::usage(format!("{shown}: {}", escape(&format!("{error:#}")))))?;
    Ok(plan.assignments.into_iter().map(|assignment| assignment.lesson).collect())
}
