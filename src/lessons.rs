//! The lessons inside the program.

use judge::course::{Course, Embedded};
use std::path::{Path, PathBuf};

// Made by the build script: `FILES`, every file of the course.
include!(concat!(env!("OUT_DIR"), "/course_files.rs"));

/// The course that this program carries.
pub fn course() -> Course {
    Course::carried(FILES)
}

/// The clone that this program was built from, where it still lies in it: the one whose lessons it reads from the
/// disk. A folder that only looks like a clone, be it at the same path on another machine, is not.
pub fn source() -> Option<PathBuf> {
    let clone = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().ok()?;
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    program.starts_with(&clone).then_some(clone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_course_is_sound() {
        let lessons = FILES.iter().filter(|(path, _)| path.ends_with("/lesson.toml")).count();
        let proved = Course::embedded(FILES).unwrap();
        assert_eq!(proved.lessons().len(), lessons);
        // What is read where it is asked for is the same, to the last word.
        assert_eq!(format!("{:?}", course()), format!("{proved:?}"));
    }

    #[test]
    fn what_a_part_says_was_learned_names_lessons() {
        let course = course();
        for part in course.parts() {
            let learned =
                part.learned.as_deref().unwrap_or_else(|| panic!("{}/learned.md is missing", part.folder));
            let lines = learned.lines();
            let named = lines
                .filter_map(|line| line.strip_suffix(')')?.rsplit_once('('))
                .flat_map(|(_, slugs)| slugs.split(", "));
            let named: Vec<&str> = named
                .filter(|slug| slug.contains(char::is_alphabetic) && !slug.contains([' ', '`']))
                .collect();
            assert!(named.len() > 2, "{}: {named:?}", part.folder);
            for slug in named {
                assert!(course.lesson(slug).is_some(), "{}: there is no lesson {slug}", part.folder);
            }
        }
    }

    #[test]
    fn a_clone_as_it_was_built_with_differs_in_nothing() {
        let clone = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (here, differs) = Course::from_checkout(clone, FILES).unwrap();
        assert!(!differs);
        assert_eq!(here.lessons().len(), course().lessons().len());
    }

    #[test]
    fn what_a_learner_leaves_in_kernels_says_nothing_of_the_course() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in FILES {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let (path, _) = FILES.iter().find(|(path, _)| path.starts_with("kernels/")).unwrap();
        std::fs::write(root.path().join(path), b"\xe9").unwrap();
        std::fs::write(root.path().join("kernels/map_old.cu"), "").unwrap();
        let (_, differs) = Course::from_checkout(root.path(), FILES).unwrap();
        assert!(!differs);
    }
}
