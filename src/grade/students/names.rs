//! Derives students and lessons from the names of folders, archives and files, as learning platforms export them.

/// Endings of archives, of which only the first is read.
const ARCHIVES: [&str; 10] =
    [".zip", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tar", ".tgz", ".rar", ".7z", ".gz"];

/// Returns the name of an archive without its ending; `None` if it is not one of an archive.
pub fn without_archive_ending(name: &str) -> Option<&str> {
    let lower = name.to_ascii_lowercase();
    ARCHIVES.iter().find_map(|ending| Some(&name[..lower.strip_suffix(ending)?.len()]))
}

/// A parsed name: the student, and the file's original name if the platform put the student in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub student: String,
    pub file: Option<String>,
}

/// Parses the name of an entry of a class. `prefix` is the plan's prefix of students' names.
pub fn read(name: &str, prefix: &str) -> Named {
    let whole = |student: &str| Named { student: student.to_owned(), file: None };
    if let Some(named) = moodle(name) {
        return named;
    }
    if let Some(named) = canvas(name) {
        return named;
    }
    let stem = without_archive_ending(name).unwrap_or(name);
    whole(stem.strip_prefix(prefix).filter(|rest| !rest.is_empty()).unwrap_or(stem))
}

/// Parses Moodle's names: `Ada Lovelace_12345_assignsubmission_file_`, followed by the file's name if there are no
/// folders.
fn moodle(name: &str) -> Option<Named> {
    let (student, rest) = ["_assignsubmission_file", "_assignsubmission_onlinetext"]
        .iter()
        .find_map(|mark| name.split_once(mark))?;
    let (_, id) = student.rsplit_once('_')?;
    let file = rest.trim_start_matches('_');
    is_number(id)
        .then(|| Named { student: student.to_owned(), file: (!file.is_empty()).then(|| file.to_owned()) })
}

/// Parses Canvas's names: `lovelaceada_LATE_12345_67890_map-1.cu`; a file that was submitted again has a number.
fn canvas(name: &str) -> Option<Named> {
    let (student, rest) = name.split_once('_')?;
    let rest = rest.strip_prefix("LATE_").or_else(|| rest.strip_prefix("late_")).unwrap_or(rest);
    let mut parts = rest.splitn(3, '_');
    let (id, submission, file) = (parts.next()?, parts.next()?, parts.next()?);
    (is_number(id) && is_number(submission) && file.contains('.'))
        .then(|| Named { student: format!("{student}_{id}"), file: Some(file.to_owned()) })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads Gradescope's `submission_metadata.yml`: for each `submission_…`, the student number of the first
/// submitter, or else the email address, or else the name.
pub fn gradescope(metadata: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, [Option<String>; 3])> = Vec::new();
    for line in metadata.lines() {
        let text = line.trim().trim_start_matches("- ").trim();
        if !line.starts_with([' ', '-']) && text.starts_with("submission_") && text.ends_with(':') {
            all.push((text.trim_end_matches(':').to_owned(), [None, None, None]));
            continue;
        }
        let Some((_, ids)) = all.last_mut() else { continue };
        for (n, key) in [":sid:", ":email:", ":name:"].iter().enumerate() {
            if let Some(value) = text.strip_prefix(key) {
                let value = value.trim().trim_matches(['"', '\'']);
                if !value.is_empty() && ids[n].is_none() {
                    ids[n] = Some(value.to_owned());
                }
            }
        }
    }
    let id = |ids: [Option<String>; 3]| ids.into_iter().flatten().next();
    all.into_iter().filter_map(|(folder, ids)| Some((folder, id(ids)?))).collect()
}

/// Returns the lesson among `slugs` that a file is for, derived from its own name or that of the nearest folder;
/// and the number of the resubmission, 0 for the first.
pub fn lesson_of<'a>(path: &[&str], slugs: &[&'a str]) -> Option<(&'a str, u32)> {
    let (file, folders) = path.split_last()?;
    let stem = file.rsplit_once('.').map_or(*file, |(stem, _)| stem);
    let known = |name: &str| {
        let name = name.to_lowercase().replace(['_', ' '], "-");
        slugs.iter().find(|slug| **slug == name).copied()
    };
    if let Some(slug) = known(stem) {
        return Some((slug, 0));
    }
    // `map-1.cu` of Canvas, `map (1).cu` of a browser that had saved `map.cu` before.
    let numbered = stem.strip_suffix(')').and_then(|stem| stem.rsplit_once('(')).or(stem.rsplit_once('-'));
    if let Some((before, number)) = numbered
        && let (Some(slug), Ok(number)) = (known(before.trim_end()), number.parse())
    {
        return Some((slug, number));
    }
    folders.iter().rev().find_map(|folder| known(folder)).map(|slug| (slug, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_name_students_in_their_own_ways() {
        for (name, student, file) in [
            ("ada", "ada", None),
            ("ada.zip", "ada", None),
            ("ada.ZIP", "ada", None),
            ("hw1-ada.tar.gz", "ada", None),
            ("hw1-ada-l", "ada-l", None),
            ("hw1-", "hw1-", None),
            ("Ada Lovelace_12345_assignsubmission_file_", "Ada Lovelace_12345", None),
            ("Ada Lovelace_12345_assignsubmission_file", "Ada Lovelace_12345", None),
            ("Ada Lovelace_12345_assignsubmission_file_map.cu", "Ada Lovelace_12345", Some("map.cu")),
            ("lovelaceada_12345_67890_map.cu", "lovelaceada_12345", Some("map.cu")),
            ("lovelaceada_LATE_12345_67890_block_sum-2.cu", "lovelaceada_12345", Some("block_sum-2.cu")),
            ("lovelaceada_12345_67890_hw1.zip", "lovelaceada_12345", Some("hw1.zip")),
            ("ada_1_2", "ada_1_2", None),
        ] {
            assert_eq!(read(name, "hw1-"), Named { student: student.into(), file: file.map(str::to_owned) });
        }
    }

    #[test]
    fn gradescope_names_submissions_by_number() {
        let text = "submission_1:\n  :submitters:\n  - :name: Ada\n    :email: ada@x.org\n    :sid: '77'\n  :created_at: 2026-11-01\nsubmission_2:\n  :submitters:\n  - :name: Bob\n    :sid:\n    :email: b@x.org\n";
        assert_eq!(
            gradescope(text),
            [("submission_1".into(), "77".into()), ("submission_2".into(), "b@x.org".into())]
        );
    }

    #[test]
    fn a_file_is_for_the_lesson_that_it_or_its_folder_names() {
        let slugs = ["map", "block-sum"];
        for (path, lesson) in [
            ("map.cu", Some(("map", 0))),
            ("a/Block_Sum.CU", Some(("block-sum", 0))),
            ("map-3.cu", Some(("map", 3))),
            ("map (1).cu", Some(("map", 1))),
            ("block_sum(2).cu", Some(("block-sum", 2))),
            ("map (x).cu", None),
            ("map_final.cu", None),
            ("block-sum/kernel.cu", Some(("block-sum", 0))),
            ("map/block-sum.cu", Some(("block-sum", 0))),
            ("other.cu", None),
        ] {
            let path: Vec<&str> = path.split('/').collect();
            assert_eq!(lesson_of(&path, &slugs), lesson, "{path:?}");
        }
    }
}
