//! `list`: the lessons and which are done.

use super::{Answer, Context, Result};
use report::{self, LessonState, ListDetail, ListRow, ListView};

#[derive(clap::Args)]
pub struct Args {
    /// List the lessons of every part, not only of the current one
    #[arg(long, short)]
    all: bool,
    /// List what the notebooks that the course follows teach, and the lessons that teach it here
    #[arg(long, value_name = "WHAT", conflicts_with = "all")]
    by: Option<By>,
}

/// What lessons are listed by, apart from the parts.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum By {
    Notebook,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let unfolded = if args.all || context.global.verbose { ListDetail::All } else { ListDetail::CurrentPart };
    let view = view(context)?;
    context.show("gpulearn.list/1", &view, |context| {
        Ok(match args.by {
            Some(By::Notebook) => report::topics(context.course()?.topics(), &view, &context.style),
            None => report::list(&view, unfolded, &context.style),
        })
    })
}

/// Returns all lessons with what the learner has done.
///
/// # Errors
///
/// The lessons or the progress can't be read.
pub fn view(context: &Context) -> Result<ListView> {
    let course = context.course()?;
    let progress = context.progress()?;
    let current = course.lessons().iter().find(|l| !progress.passed(&l.slug)).map(|l| l.number);
    let title = |folder: &str| {
        let part = course.parts().iter().find(|p| p.folder == folder);
        part.map_or_else(|| folder.to_string(), |p| p.title.clone())
    };
    let rows = course.lessons().iter().map(|lesson| {
        let entry = progress.entry(&lesson.slug);
        let last = entry.and_then(|e| e.last.as_ref());
        let passed_at = entry.and_then(|e| e.passed_at);
        ListRow {
            number: lesson.number,
            slug: lesson.slug.clone(),
            part: lesson.part.clone(),
            part_title: title(&lesson.part),
            title: lesson.title.clone(),
            minutes: lesson.minutes,
            state: match (passed_at, last) {
                (Some(_), _) => LessonState::Done,
                (None, Some(_)) => LessonState::Tried,
                (None, None) => LessonState::New,
            },
            reason: last.and_then(|l| l.reason.clone()),
            current: current == Some(lesson.number),
            passed_at,
            hints: entry.map_or(0, |e| e.hints),
            file: lesson.kernel_path(),
        }
    });
    let lessons: Vec<ListRow> = rows.collect();
    let done = lessons.iter().filter(|r| r.state == LessonState::Done).count();
    Ok(ListView { done, lessons })
}
