//! Resolves a lesson from its slug, a unique prefix, its number or a path.

use super::{CommandError, Context, Result};
use judge::course::{Course, Lesson};
use report::escape;
use std::path::{Component, Path};
use strsim::osa_distance;

/// Returns the lesson named, or the first one not passed.
///
/// # Errors
///
/// As for [`find`]. Without a name: every lesson is passed. The lessons or the progress can't be read.
pub fn named_or_current<'a>(name: Option<&str>, context: &'a Context) -> Result<&'a Lesson> {
    let course = context.course()?;
    match name {
        Some(name) => find(name, course, &context.style.command),
        None => match context.current()? {
            Some(lesson) => Ok(lesson),
            None => Err(CommandError::usage(format!(
                "every lesson is passed: name one, such as {}",
                course.lessons().first().map_or("map", |l| l.slug.as_str())
            ))),
        },
    }
}

/// Returns the lesson that a name or its beginning, a number or a path means.
///
/// # Errors
///
/// There is none, or there are several.
pub fn find<'a>(name: &str, course: &'a Course, command: &str) -> Result<&'a Lesson> {
    let lessons = course.lessons();
    if let Some(lesson) = course.lesson(name) {
        return Ok(lesson);
    }
    if let Ok(number) = name.parse::<usize>() {
        return lessons.iter().find(|l| l.number == number).ok_or_else(|| {
            CommandError::usage(format!("there is no lesson {number}: they run from 1 to {}", lessons.len()))
        });
    }
    if let Some(lesson) = of_path(Path::new(name), course) {
        return Ok(lesson);
    }
    let wanted = name.to_lowercase().replace('_', "-");
    if let Some(lesson) = course.lesson(&wanted) {
        return Ok(lesson);
    }
    // Within an added course, a lesson's own name without the course suffices if it is unique.
    let is_own_name = |l: &Lesson| l.of.is_some() && l.own_name() == wanted;
    let begins = |l: &Lesson| !wanted.is_empty() && l.slug.starts_with(&wanted);
    for is_meant in [&is_own_name as &dyn Fn(&Lesson) -> bool, &begins] {
        let meant: Vec<&Lesson> = lessons.iter().filter(|l| is_meant(l)).collect();
        match meant.as_slice() {
            [] => {}
            [lesson] => return Ok(lesson),
            several => {
                let all = several.iter().map(|l| l.slug.as_str()).collect::<Vec<_>>().join(", ");
                return Err(CommandError::usage(format!("\"{}\" could be {all}: name one", shown(name))));
            }
        }
    }
    let near =
        lessons.iter().map(|l| (osa_distance(&wanted, &l.slug), l)).min_by_key(|(d, l)| (*d, l.number));
    let list = format!("`{command} list` shows all");
    Err(CommandError::usage(match near {
        Some((d, lesson)) if d <= wanted.chars().count().max(lesson.slug.len()) / 3 => {
            format!("no lesson \"{}\": did you mean {}? {list}", shown(name), lesson.slug)
        }
        _ => format!("no lesson \"{}\": {list}", shown(name)),
    }))
}

/// Returns the lesson that a file belongs to, by its name (`zip.cu`) or by a folder's (`zip/off-by-one.cu`).
pub fn of_path<'a>(path: &Path, course: &'a Course) -> Option<&'a Lesson> {
    let stem = path.file_stem()?.to_str();
    let is_cuda = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("cu"));
    let folders = path.components().rev().skip(1).filter_map(|c| match c {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    // Added courses have folders of their own, and their files may have the same names as built-in ones.
    let added = course.lessons().iter().filter(|lesson| lesson.of.is_some());
    let mut added = added.filter(|lesson| {
        let files = [lesson.kernel_path(), lesson.solution_path(), format!("{}.md", lesson.folder())];
        files.iter().any(|file| path.ends_with(file))
    });
    if let Some(lesson) = added.next() {
        return Some(lesson);
    }
    if is_cuda {
        let named = stem.into_iter().chain(folders).find_map(|name| course.lesson(name));
        return named;
    }
    // `lessons/1-puzzles/zip` or `lessons/1-puzzles/zip/lesson.md`.
    let mut names = path.components().filter_map(|c| c.as_os_str().to_str());
    names.find(|name| *name == "lessons")?;
    names.find_map(|name| course.lesson(name.strip_suffix(".md").unwrap_or(name)))
}

/// Escapes a name from the command line, cut if it is absurdly long.
fn shown(name: &str) -> String {
    const LONGEST: usize = 60;
    let cut = if name.chars().nth(LONGEST).is_some() { "…" } else { "" };
    escape(&name.chars().take(LONGEST).collect::<String>()) + cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slug(name: &str) -> Result<String, String> {
        let course = crate::lessons::course();
        find(name, &course, "gpulearn").map(|l| l.slug.clone()).map_err(|t| {
            assert_eq!(t.exit, 2);
            t.message
        })
    }

    #[test]
    fn a_lesson_has_many_names() {
        for name in [
            "map",
            "1",
            "01",
            "kernels/1-puzzles/map.cu",
            "map.cu",
            "solutions/1-puzzles/map.cu",
            "tests/wrong/map/off-by-one.cu",
            "lessons/1-puzzles/map",
            "lessons/1-puzzles/map/lesson.md",
            "lessons/1-puzzles/map.md",
        ] {
            assert_eq!(slug(name).as_deref(), Ok("map"), "{name}");
        }
        assert_eq!(slug("dot").as_deref(), Ok("dot-product"));
        assert_eq!(slug("Map").as_deref(), Ok("map"), "not map-2d");
        assert_eq!(slug("DOT_PROD").as_deref(), Ok("dot-product"));
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        assert!(slug("zpi").unwrap_err().contains("did you mean zip?"));
        assert!(slug("dot-prodcut").unwrap_err().contains("did you mean dot-product?"));
        assert!(slug("b").unwrap_err().contains("could be broadcast, blocks, blocks-2d, block-sum"));
        assert!(slug("0").unwrap_err().contains("from 1 to"));
        assert!(!slug("bogus").unwrap_err().contains("did you mean"));
        assert!(!slug("quantum-chromodynamics").unwrap_err().contains("did you mean"));
        assert!(slug("").is_err());
        let evil = slug("\x1b[2J\u{202e}").unwrap_err();
        assert!(evil.contains("\\x1b[2J\\u{202e}"), "{evil:?}");
        assert!(slug(&"x".repeat(10_000)).unwrap_err().len() < 200);
    }
}
