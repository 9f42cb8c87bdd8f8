//! The files of a lesson in the folder of a course.

use judge::course::{Lesson, Workspace};
use std::borrow::Cow;
use std::path::Path;

/// Returns the wrong kernels of a lesson in the course at `root`, as paths relative to it.
pub fn wrong_files(root: &Path, lesson: &Lesson) -> Vec<String> {
    kernels_in(root, &wrong_folder(lesson))
}

/// Returns the `.cu` files of a folder in the course at `root`, as paths relative to it.
pub fn kernels_in(root: &Path, folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    if let Ok(entries) = std::fs::read_dir(root.join(folder)) {
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        files.extend(names.filter(|name| name.ends_with(".cu")).map(|name| format!("{folder}/{name}")));
    }
    files.sort();
    files
}

/// Returns the folder of the wrong kernels of a lesson.
pub fn wrong_folder(lesson: &Lesson) -> String {
    format!("tests/wrong/{}", lesson.slug)
}

/// Returns the lesson with its committed starter: in a clone that somebody learns in, the file in kernels/ is the
/// learner's work.
pub fn as_committed<'a>(root: &Path, lesson: &'a Lesson) -> Cow<'a, Lesson> {
    let here = Workspace::find(root, Some(root)).filter(|workspace| workspace.root() == root);
    let tried = here.filter(|workspace| {
        let progress = workspace.progress().read().unwrap_or_default().progress;
        progress.entry(&lesson.slug).is_some_and(|entry| entry.last.is_some())
    });
    match tried {
        Some(workspace) => Cow::Owned(Lesson { starter: workspace.starter(lesson).into(), ..lesson.clone() }),
        None => Cow::Borrowed(lesson),
    }
}
