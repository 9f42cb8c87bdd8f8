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

    /// The items of what was learned in a part: what each says, and the lessons that it names behind it.
    fn items(learned: &str) -> Vec<(String, Vec<&str>)> {
        let items = learned.split("\n- ").skip(1).map(|item| item.split("\n\n").next().unwrap_or_default());
        items
            .map(|item| {
                let (said, named) =
                    item.trim_end().strip_suffix(')').and_then(|it| it.rsplit_once('(')).unwrap();
                (said.replace('\n', " "), named.split(", ").collect())
            })
            .collect()
    }

    #[test]
    fn what_a_part_says_was_learned_stands_in_its_lessons() {
        for part in course().parts() {
            let learned =
                part.learned.as_deref().unwrap_or_else(|| panic!("{}/learned.md is missing", part.folder));
            let items = items(learned);
            assert!(items.len() > 2, "{}: {items:?}", part.folder);
            for (said, named) in items {
                let folders: Vec<String> =
                    named.iter().map(|slug| format!("lessons/{}/{slug}/", part.folder)).collect();
                let texts =
                    |folder: &String| FILES.iter().filter(|(path, _)| path.starts_with(folder)).count();
                assert!(folders.iter().all(|folder| texts(folder) > 0), "{}: {named:?}", part.folder);
                let number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
                for number in said.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').filter(number) {
                    let number = number.trim_end_matches('.');
                    let holds = |(path, text): &(&str, &str)| {
                        folders.iter().any(|folder| path.starts_with(folder)) && text.contains(number)
                    };
                    assert!(FILES.iter().any(holds), "{}: {number} in {said}", part.folder);
                }
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
