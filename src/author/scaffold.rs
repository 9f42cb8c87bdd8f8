//! Creates a new lesson: a small working one, to be edited.

use anyhow::{Context, Result, bail, ensure};
use judge::course::{Course, is_slug};
use std::fs;
use std::path::{Path, PathBuf};

/// What a new lesson is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About {
    /// A kernel that the tool launches.
    #[default]
    Kernel,
    /// A host function that the tool calls.
    Program,
}

type Files = [(&'static str, &'static str); 8];

/// Files of a new lesson; placeholders such as `{part}` and `{slug}` are replaced in their names too.
const FILES: Files = [
    ("lessons/{part}/{slug}/lesson.toml", include_str!("template/lesson.toml")),
    ("lessons/{part}/{slug}/lesson.md", include_str!("template/lesson.md")),
    ("lessons/{part}/{slug}/reference.cu", include_str!("template/reference.cu")),
    ("kernels/{part}/{slug}.cu", include_str!("template/starter.cu")),
    ("solutions/{part}/{slug}.cu", include_str!("template/solution.cu")),
    ("tests/wrong/{slug}/missing-guard.cu", include_str!("template/missing-guard.cu")),
    ("tests/wrong/{slug}/block-ignored.cu", include_str!("template/block-ignored.cu")),
    ("tests/wrong/{slug}/read-twice.cu", include_str!("template/read-twice.cu")),
];

/// Files of a lesson about a whole program.
const PROGRAM_FILES: Files = [
    ("lessons/{part}/{slug}/lesson.toml", include_str!("template/program/lesson.toml")),
    ("lessons/{part}/{slug}/lesson.md", include_str!("template/program/lesson.md")),
    ("lessons/{part}/{slug}/reference.cu", include_str!("template/program/reference.cu")),
    ("kernels/{part}/{slug}.cu", include_str!("template/program/starter.cu")),
    ("solutions/{part}/{slug}.cu", include_str!("template/program/solution.cu")),
    ("tests/wrong/{slug}/never-freed.cu", include_str!("template/program/never-freed.cu")),
    ("tests/wrong/{slug}/copied-in-part.cu", include_str!("template/program/copied-in-part.cu")),
    ("tests/wrong/{slug}/copied-twice.cu", include_str!("template/program/copied-twice.cu")),
];

/// Writes a new lesson, the last of its part, into the course in the folder `root`, and the part if it is new.
/// The lesson passes `author check` as it is. Nothing is overwritten. Returns the paths that were written,
/// relative to `root`.
///
/// # Errors
///
/// Fails if the slug or the name of the part is invalid, if the lesson or one of its files exists, or if a file can't
/// be written.
pub fn scaffold(root: &Path, part: &str, slug: &str, about: About) -> Result<Vec<PathBuf>> {
    if !is_slug(slug) || !slug.starts_with(|c: char| c.is_ascii_lowercase()) {
        bail!("\"{}\" is not a slug: use lower-case words joined by \"-\"", slug.escape_debug());
    }
    check_part(part)?;
    let order = next_order(Course::from_dir_with_problems(root).map(|(course, _)| course), part, slug)?;
    let title = sentence(slug);
    let kernel = slug.replace('-', "_");
    let fill = |text: &str| {
        text.replace("{part}", part)
            .replace("{slug}", slug)
            .replace("{kernel}", &kernel)
            .replace("{title}", &title)
            .replace("{order}", &order.to_string())
    };
    let templates = match about {
        About::Kernel => FILES,
        About::Program => PROGRAM_FILES,
    };
    let files = templates.iter().map(|(path, text)| (fill(path), fill(text)));
    write_lesson(root, part, files.collect())
}

/// Refuses the name of a part that is none.
pub(super) fn check_part(part: &str) -> Result<()> {
    let number = part.split_once('-').map(|(number, _)| number.parse::<u32>());
    let part_is_named = is_slug(part) && matches!(number, Some(Ok(_)));
    ensure!(
        part_is_named,
        "\"{}\" is not a part: use a number and a word, such as 1-puzzles",
        part.escape_debug()
    );
    Ok(())
}

/// Returns the order number after the last lesson of a part; `course` is an error where there is none yet.
pub(super) fn next_order<E>(course: Result<Course, E>, part: &str, slug: &str) -> Result<u32> {
    let Ok(course) = course else { return Ok(10) };
    if let Some(lesson) = course.lesson(slug) {
        bail!("there is already a lesson \"{slug}\", in {}", lesson.folder());
    }
    let orders = course.lessons().iter().filter(|lesson| lesson.part == part);
    Ok(orders.map(|lesson| lesson.spec.order).max().unwrap_or(0).saturating_add(10))
}

/// Writes the files of a new lesson, given by their paths below `root` and their texts, and that of its part, if it is
/// new. Returns the paths. Nothing is overwritten.
pub(super) fn write_lesson(
    root: &Path,
    part: &str,
    mut files: Vec<(String, String)>,
) -> Result<Vec<PathBuf>> {
    let part_file = format!("lessons/{part}/part.toml");
    if !root.join(&part_file).exists() {
        let title = sentence(part.split_once('-').map_or(part, |(_, name)| name));
        let text = format!("title = \"{title}\"\nabout = \"What its lessons have in common.\"\n");
        files.push((part_file, text));
    }
    if let Some((path, _)) = files.iter().find(|(path, _)| root.join(path).exists()) {
        bail!("{path} already exists; nothing was written");
    }
    for (path, text) in &files {
        let path = root.join(path);
        let folder = path.parent().unwrap_or(root);
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(files.into_iter().map(|(path, _)| path.into()).collect())
}

/// Turns `warp-shuffle` into `Warp shuffle`.
pub(super) fn sentence(slug: &str) -> String {
    let words = slug.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_lesson_loads_and_comes_last() {
        let root = tempfile::tempdir().unwrap();
        let files = scaffold(root.path(), "1-first", "twice", About::Kernel).unwrap();
        assert_eq!(files.len(), FILES.len() + 1);
        assert_eq!(
            scaffold(root.path(), "1-first", "warp-shuffle", About::Kernel).unwrap().len(),
            FILES.len()
        );
        let course = Course::from_dir(root.path()).unwrap();
        let orders: Vec<_> =
            course.lessons().iter().map(|lesson| (lesson.slug.as_str(), lesson.spec.order)).collect();
        assert_eq!(orders, [("twice", 10), ("warp-shuffle", 20)]);
        assert_eq!(course.lessons()[1].title, "Warp shuffle");
        assert_eq!(course.parts()[0].title, "First");
        for (path, _) in walk(root.path()) {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains("{kernel}") && !text.contains("{slug}"), "{}", path.display());
        }
    }

    #[test]
    fn nothing_is_overwritten_and_names_stay_inside() {
        let root = tempfile::tempdir().unwrap();
        scaffold(root.path(), "1-first", "twice", About::Kernel).unwrap();
        let before = walk(root.path());
        assert!(
            scaffold(root.path(), "2-second", "twice", About::Kernel)
                .unwrap_err()
                .to_string()
                .contains("already")
        );
        for (part, slug) in
            [("1-first", "../up"), ("1-first", "Twice"), ("1-first", "2d"), ("..", "a"), ("first", "a")]
        {
            assert!(scaffold(root.path(), part, slug, About::Kernel).is_err(), "{part} {slug}");
        }
        assert_eq!(walk(root.path()), before);
    }

    fn walk(folder: &Path) -> Vec<(PathBuf, u64)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.metadata().unwrap() {
                meta if meta.is_dir() => found.extend(walk(&entry.path())),
                meta => found.push((entry.path(), meta.len())),
            }
        }
        found.sort();
        found
    }
}
