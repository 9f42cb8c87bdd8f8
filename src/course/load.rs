//! From files to lessons: embedded ones or those of a folder.

use super::claims;
use super::place::{line_at, line_of};
use super::validate::{is_slug, validate};
use super::{Claims, Course, Kind, Lesson, Part, Spec, Text};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

include!(concat!(env!("OUT_DIR"), "/course_files.rs"));

/// Largest file of a course, in bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// What is wrong with a file of a course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path from the root of the course.
    pub file: String,
    /// 1-based, where known.
    pub line: Option<u32>,
    /// Key and what is allowed, in one or two sentences.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// Why there is no course: everything that is wrong, not only the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CourseError {
    pub problems: Vec<Problem>,
}

impl fmt::Display for CourseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            write!(f, "{}{problem}", if i > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for CourseError {}

type Loaded = (Course, Vec<Problem>);
/// By path from the root, with `/`.
type Files = BTreeMap<Cow<'static, str>, Cow<'static, str>>;

pub fn strict((course, problems): Loaded) -> Result<Course, CourseError> {
    if problems.is_empty() { Ok(course) } else { Err(CourseError { problems }) }
}

pub fn embedded() -> Loaded {
    let files = FILES.iter().map(|(path, text)| (Cow::Borrowed(*path), Cow::Borrowed(*text)));
    from_files(files.collect())
}

/// `Err` when there is nothing that could be a course.
pub fn from_dir(root: &Path) -> Result<Loaded, CourseError> {
    let (files, mut problems) = files_of(root, &FOLDERS)?;
    let (course, more) = from_files(files);
    problems.extend(more);
    Ok((course, problems))
}

/// The course of a clone in which somebody learns: all as it is on the disk but the starters, since what
/// is in kernels/ is their work. Besides, whether anything differs from what the binary carries.
pub fn from_checkout(root: &Path) -> Result<(Course, bool), CourseError> {
    // Nothing else that lies in kernels/ says anything of the course.
    let [(_, _), course @ ..] = FOLDERS;
    let (mut files, mut problems) = files_of(root, &course)?;
    let kernel =
        |path: &str| Some(path.strip_suffix("/lesson.toml")?.replacen("lessons/", "kernels/", 1) + ".cu");
    let kernels: Vec<String> = files.keys().filter_map(|path| kernel(path)).collect();
    for path in kernels {
        match FILES.iter().find(|(built_in, _)| *built_in == path) {
            Some((path, text)) => drop(files.insert(Cow::Borrowed(path), Cow::Borrowed(text))),
            // Of a lesson that is being written.
            None => read_file(root, path, &mut files, &mut problems),
        }
    }
    let same = |(path, text): &(&str, &str)| files.get(*path).is_some_and(|here| here == text);
    let differs = files.len() != FILES.len() || !FILES.iter().all(same);
    let (course, more) = from_files(files);
    problems.extend(more);
    Ok((strict((course, problems))?, differs))
}

/// Folders of a course, and how deep their folders go: `kernels/<part>/<slug>.cu`,
/// `lessons/<part>/<slug>/<file>`.
const FOLDERS: [(&str, u32); 3] = [("kernels", 1), ("lessons", 2), ("solutions", 1)];

fn files_of(root: &Path, folders: &[(&str, u32)]) -> Result<(Files, Vec<Problem>), CourseError> {
    let mut files = Files::new();
    let mut problems = Vec::new();
    if !root.join("lessons").is_dir() {
        let message = "no folder `lessons` here: a course has lessons/, kernels/ and solutions/".to_owned();
        let file = root.display().to_string().escape_debug().to_string();
        return Err(CourseError { problems: vec![Problem { file, line: None, message }] });
    }
    for (folder, depth) in folders {
        read_folder(root, folder, *depth, &mut files, &mut problems);
    }
    Ok((files, problems))
}

fn trouble(file: &str, message: String) -> Problem {
    Problem { file: file.escape_debug().to_string(), line: None, message }
}

/// Takes in a file of the course, where there is one.
fn read_file(root: &Path, path: String, files: &mut Files, problems: &mut Vec<Problem>) {
    let here = root.join(&path);
    let Ok(meta) = std::fs::metadata(&here) else { return };
    if meta.len() > LARGEST_FILE {
        return problems.push(trouble(&path, format!("larger than {LARGEST_FILE} bytes")));
    }
    match std::fs::read_to_string(here) {
        Ok(text) => drop(files.insert(path.into(), text.into())),
        Err(error) => problems.push(trouble(&path, format!("can't be read as text: {error}"))),
    }
}

fn read_folder(root: &Path, folder: &str, depth: u32, files: &mut Files, problems: &mut Vec<Problem>) {
    let entries = match std::fs::read_dir(root.join(folder)) {
        Ok(entries) => entries.filter_map(Result::ok),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => return problems.push(trouble(folder, format!("can't be read: {error}"))),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        let path = format!("{folder}/{name}");
        let Ok(meta) = std::fs::metadata(entry.path()) else { continue };
        if meta.is_dir() {
            folders.push(path);
        } else if meta.is_file() && [".toml", ".md", ".cu"].iter().any(|ending| name.ends_with(ending)) {
            read_file(root, path, files, problems);
        }
    }
    if depth > 0 {
        folders.iter().for_each(|path| read_folder(root, path, depth - 1, files, problems));
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PartFile {
    title: String,
    about: String,
}

fn from_files(files: Files) -> Loaded {
    let mut loader = Loader { files: &files, course: Course::default(), problems: Vec::new() };
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in files.keys() {
        let mut steps = path.split('/');
        if let (Some("lessons"), Some(part), Some(slug), Some(_)) =
            (steps.next(), steps.next(), steps.next(), steps.next())
        {
            folders.entry(part).or_default().insert(slug);
        }
    }
    let mut parts: Vec<&str> = folders.keys().copied().collect();
    parts.sort_by_key(|folder| (part_number(folder), *folder));
    for part in parts {
        loader.part(part);
        let mut lessons: Vec<_> = folders[part].iter().filter_map(|slug| loader.lesson(part, slug)).collect();
        lessons.sort_by(|a, b| (a.spec.order, &a.slug).cmp(&(b.spec.order, &b.slug)));
        loader.course.lessons.extend(lessons);
    }
    loader.relations();
    loader.claims();
    loader.strays();
    (loader.course, loader.problems)
}

/// `1` of `1-puzzles`; folders without a number come last.
fn part_number(folder: &str) -> u32 {
    folder.split('-').next().and_then(|number| number.parse().ok()).unwrap_or(u32::MAX)
}

struct Loader<'a> {
    files: &'a Files,
    course: Course,
    problems: Vec<Problem>,
}

impl Loader<'_> {
    fn problem(&mut self, file: &str, line: Option<u32>, message: impl Into<String>) {
        self.problems.push(Problem { file: file.escape_debug().to_string(), line, message: message.into() });
    }

    fn file(&mut self, path: &str) -> Option<Cow<'static, str>> {
        let text = self.files.get(path).cloned();
        if text.is_none() {
            self.problem(path, None, "this file is missing");
        }
        text
    }

    fn toml<T: serde::de::DeserializeOwned>(&mut self, path: &str) -> Option<(T, Cow<'static, str>)> {
        let text = self.file(path)?;
        match toml::from_str(&text) {
            Ok(value) => Some((value, text)),
            Err(error) => {
                let line = error.span().map(|span| line_at(&text, span.start));
                self.problem(path, line, error.message().to_owned());
                None
            }
        }
    }

    fn part(&mut self, folder: &str) {
        let path = format!("lessons/{folder}/part.toml");
        let (title, about) = match self.toml::<PartFile>(&path) {
            Some((part, _)) => (part.title, part.about),
            None => (folder.to_owned(), String::new()),
        };
        if !is_slug(folder) || part_number(folder) == u32::MAX {
            self.problem(&path, None, "a part's folder is named by a number and a word, such as 1-puzzles");
        }
        self.course.parts.push(Part { folder: folder.to_owned(), title, about });
    }

    fn lesson(&mut self, part: &str, slug: &str) -> Option<Lesson> {
        let folder = format!("lessons/{part}/{slug}");
        let before = self.problems.len();
        if !is_slug(slug) {
            self.problem(&folder, None, "a slug is lower-case words and numbers joined by \"-\"");
        }
        let toml_path = format!("{folder}/lesson.toml");
        let spec = self.toml::<Spec>(&toml_path);
        if let Some((spec, text)) = &spec {
            for error in validate(spec) {
                self.problem(&toml_path, line_of(text, &error.key), error.to_string());
            }
        }
        let text_path = format!("{folder}/lesson.md");
        let text = self.file(&text_path).map(|markdown| Text::parse(&markdown));
        if let Some(Err((line, message))) = &text {
            self.problem(&text_path, Some(*line), message.clone());
        }
        let starter = self.file(&format!("kernels/{part}/{slug}.cu"));
        let solution = self.file(&format!("solutions/{part}/{slug}.cu"));
        let wants_source = spec.as_ref().is_some_and(|(spec, _)| spec.reference == "reference.cu");
        let reference_source = if wants_source { self.file(&format!("{folder}/reference.cu")) } else { None };
        let predicts = spec.as_ref().is_some_and(|(spec, _)| spec.kind == Kind::Predict);
        let kernels_source = if predicts { self.file(&format!("{folder}/kernels.cu")) } else { None };
        if self.problems.len() > before {
            return None;
        }
        Some(Lesson {
            slug: slug.to_owned(),
            part: part.to_owned(),
            number: 0,
            spec: spec?.0,
            text: text?.ok()?,
            starter: starter?,
            solution: solution?,
            reference_source,
            kernels_source,
        })
    }

    /// What holds between lessons: numbers, unique slugs and orders, needs that come before.
    fn relations(&mut self) {
        let mut seen = BTreeSet::new();
        let mut problems = Vec::new();
        let mut previous: Option<(String, u32, String)> = None;
        for (i, lesson) in self.course.lessons.iter_mut().enumerate() {
            lesson.number = i + 1;
            let file = format!("{}/lesson.toml", lesson.folder());
            let mut problem = |key: &str, message: String| {
                let line = self.files.get(file.as_str()).and_then(|text| line_of(text, key));
                problems.push(Problem { file: file.clone(), line, message: format!("{key}: {message}") });
            };
            if let Some((part, order, slug)) = &previous
                && (part, *order) == (&lesson.part, lesson.spec.order)
            {
                problem("order", format!("{order} is also the place of \"{slug}\""));
            }
            for (n, needed) in lesson.spec.needs.iter().enumerate() {
                if !seen.contains(needed) {
                    let message = format!("no lesson \"{}\" comes before this one", needed.escape_debug());
                    problem(&format!("needs[{n}]"), message);
                }
            }
            if !seen.insert(lesson.slug.clone()) {
                problem("order", format!("another part also has a lesson \"{}\"", lesson.slug));
            }
            previous = Some((lesson.part.clone(), lesson.spec.order, lesson.slug.clone()));
        }
        self.problems.extend(problems);
    }

    fn claims(&mut self) {
        let Some(text) = self.files.get(claims::FILE) else { return };
        match Claims::parse(text) {
            Ok(claims) => self.course.claims = claims,
            Err(message) => self.problem(claims::FILE, None, message),
        }
    }

    /// Kernels and solutions that belong to no lesson: a folder was renamed, or a name misspelt.
    fn strays(&mut self) {
        let mut strays = Vec::new();
        for path in self.files.keys() {
            let mut steps = path.splitn(3, '/');
            let (Some("kernels" | "solutions"), Some(part), Some(file)) =
                (steps.next(), steps.next(), steps.next())
            else {
                continue;
            };
            let slug = file.trim_end_matches(".cu");
            let toml = format!("lessons/{part}/{slug}/lesson.toml");
            if file.ends_with(".cu") && !self.files.contains_key(toml.as_str()) {
                strays.push((path.to_string(), format!("belongs to no lesson: there is no {toml}")));
            }
        }
        for (path, message) in strays {
            self.problem(&path, None, message.escape_debug().to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LESSON: &str = r#"order = 10
title = "Map"
kind = "kernel"
minutes = 10
starter = "wrong-result: untouched"
hints = ["a", "b", "c"]
reference = "map"
cases = [{ n = 4 }, { n = 33 }]

[[buffers]]
name = "out"
type = "i32"
shape = ["n"]
role = "out"

[[buffers]]
name = "in"
type = "i32"
shape = ["n"]
role = "in"
fill = { kind = "integers", low = -9, high = 9 }

[[launches]]
kernel = "map"
grid = ["ceil_div(n, 32)"]
block = [32]
args = ["out", "in", "n: i32"]

[[requirements]]
counter = "global_reads_per_thread"
at_most = 1
why = "once is enough"
"#;
    const TEXT: &str = "Idea.\n\n## Task\n\nDo.\n\n## Checked\n\n- it\n\n## Afterwards\n\nSo.\n";

    fn sample() -> Vec<(&'static str, String)> {
        vec![
            ("lessons/1-a/part.toml", "title = \"A\"\nabout = \"First.\"".into()),
            ("lessons/1-a/map/lesson.toml", LESSON.into()),
            ("lessons/1-a/map/lesson.md", TEXT.into()),
            ("kernels/1-a/map.cu", "starter".into()),
            ("solutions/1-a/map.cu", "solution".into()),
        ]
    }

    fn problems(files: Vec<(&'static str, String)>) -> Vec<String> {
        let files = files.into_iter().map(|(path, text)| (Cow::Borrowed(path), Cow::Owned(text)));
        from_files(files.collect()).1.iter().map(Problem::to_string).collect()
    }

    /// The sample with one replacement in lesson.toml.
    fn changed(old: &str, new: &str) -> Vec<String> {
        assert!(LESSON.contains(old), "{old}");
        let mut files = sample();
        files[1].1 = LESSON.replacen(old, new, 1);
        problems(files)
    }

    #[test]
    fn a_lesson_is_loaded() {
        let files = sample().into_iter().map(|(path, text)| (Cow::Borrowed(path), Cow::Owned(text)));
        let course = strict(from_files(files.collect())).unwrap();
        let lesson = course.lesson("map").unwrap();
        assert_eq!((lesson.number, lesson.part.as_str(), lesson.starter.as_ref()), (1, "1-a", "starter"));
        assert_eq!(course.parts()[0].title, "A");
        let sized = lesson.spec.sized(&lesson.spec.cases[1]).unwrap();
        assert_eq!(sized.shapes, [[33], [33]]);
        assert_eq!(sized.launches[0].config.grid.x, 2);
        assert_eq!(sized.launches[0].args.iter().map(|arg| arg.bytes()).collect::<Vec<_>>(), [8, 8, 4]);
        assert_eq!(sized.bars, [crate::course::SizedBar { at_most: Some(1), at_least: None }]);
    }

    #[test]
    fn what_is_timed_has_sizes_and_constants_of_its_own() {
        let bench = "\n[constants]\nmost = 2\n\n[bench]\nsizes = { n = 65536 }\nconstants = { most = 700 }\n\n\
             [[gpu_bars]]\nratio = \"share_of_copy_bandwidth\"\nat_least = 85\nwhy = \"it can\"\n";
        let grid = LESSON.replacen("ceil_div(n, 32)", "min(ceil_div(n, 32), most)", 1);
        let load = |toml: &str| {
            let mut files = sample();
            files[1].1 = toml.to_owned();
            let files = files.into_iter().map(|(path, text)| (Cow::Borrowed(path), Cow::Owned(text)));
            from_files(files.collect())
        };
        let course = strict(load(&(grid.clone() + bench))).unwrap();
        let lesson = course.lesson("map").unwrap();
        assert_eq!(lesson.spec.sized(&lesson.spec.cases[1]).unwrap().launches[0].config.grid.x, 2);
        let large = lesson.at_bench().unwrap();
        let sized = large.spec.sized(&large.spec.cases[0]).unwrap();
        assert_eq!((sized.shapes[0][0], sized.launches[0].config.grid.x), (65536, 700));
        for (old, new, message) in [
            (
                "{ n = 65536 }",
                "{ m = 65536 }",
                "bench.sizes: the names of the cases are needed, in that order: n",
            ),
            ("{ n = 65536 }", "{ n = 0 }", "buffers[0].shape[0]: \"n\" is 0, less than 1 (case n = 0)"),
            ("{ most = 700 }", "{ least = 7 }", "bench.constants: the lesson has no constant least"),
            (
                "at_least = 85",
                "at_least = 101",
                "gpu_bars[0].at_least: more than 0 to 100 per cent is allowed",
            ),
            (
                "share_of_copy_bandwidth",
                "speedup_over_starter",
                "gpu_bars[0].ratio: the starter is not right",
            ),
            ("\"it can\"", "\" \"", "gpu_bars[0].why: empty"),
            ("most = 2", "n = 2", "constants.n: the cases have a size of the same name"),
            ("[bench]\nsizes = { n = 65536 }\nconstants = { most = 700 }", "", "gpu_bars: `bench` is needed"),
        ] {
            assert!(bench.contains(old), "{old}");
            let problems = load(&(grid.clone() + &bench.replacen(old, new, 1))).1;
            let problems: Vec<String> = problems.iter().map(Problem::to_string).collect();
            assert!(problems.iter().any(|problem| problem.contains(message)), "{old}: {problems:?}");
        }
    }

    #[test]
    fn a_folder_gives_the_same_as_the_table() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in sample() {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::fs::write(root.path().join("kernels/1-a/map.cu~"), "left by an editor").unwrap();
        let course = strict(from_dir(root.path()).unwrap()).unwrap();
        assert_eq!(course.lessons()[0].solution, "solution");
        assert!(from_dir(&root.path().join("lessons")).is_err());
    }

    #[test]
    fn the_embedded_course_is_sound() {
        let (course, problems) = embedded();
        assert_eq!(problems, []);
        assert_eq!(
            course.lessons().len(),
            FILES.iter().filter(|(path, _)| path.ends_with("/lesson.toml")).count()
        );
    }

    #[test]
    fn problems_name_file_line_key_and_what_is_allowed() {
        let toml = "lessons/1-a/map/lesson.toml";
        for (old, new, wanted) in [
            ("minutes = 10", "minutes = 0", "4: minutes: 1 to 600 are allowed"),
            (
                ", \"c\"]",
                "]",
                "6: hints: exactly three are needed (a nudge, the concept, nearly the code), found 2",
            ),
            (
                "{ n = 33 }",
                "{ m = 33 }",
                "8: cases[1]: every case needs the names of the first, in that order: n",
            ),
            ("{ n = 33 }", "{ n = 4 }", "8: cases[1]: the same sizes again"),
            ("\"out\"\ntype", "\"o-t\"\ntype", "11: buffers[0].name: a C identifier is needed"),
            (
                "[\"n\"]",
                "[\"m\"]",
                "13: buffers[0].shape[0]: formula \"m\": unknown name \"m\"; the case has: n (case n = 4)",
            ),
            ("[\"n\"]", "[\"n - 4\"]", "13: buffers[0].shape[0]: \"n - 4\" is 0, less than 1 (case n = 4)"),
            (
                "low = -9",
                "low = 9",
                "21: buffers[1].fill: `low` must be less than `high`: inputs are never constant",
            ),
            (
                "[32]",
                "[2048]",
                "26: launches[0].block: 2048 threads in a block; at most 1024 fit (case n = 4)",
            ),
            (
                "\"in\",",
                "\"inn\",",
                "27: launches[0].args[1]: no buffer is called \"inn\"; there are: out, in. \
                 A number needs its type, such as \"n: i32\"",
            ),
            (
                "\"n: i32\"",
                "\"n: int\"",
                "27: \"int\" is no type of an argument: use i8, u8, i32, u32, i64, u64, f32 or f64",
            ),
            ("at_most = 1\n", "", "29: requirements[0]: `at_most` or `at_least` is needed"),
            (
                "[\"ceil_div(n, 32)\"]",
                "[\"n +\"]",
                "25: formula \"n +\": ends where a number, a name or \"(\" should be",
            ),
        ] {
            assert_eq!(changed(old, new), [format!("{toml}:{wanted}")], "{new}");
        }
        let unknown = changed("kind = \"kernel\"", "kind = \"kernal\"");
        assert!(unknown[0].contains(":3: unknown variant `kernal`, expected one of `kernel`"), "{unknown:?}");
        let unknown = changed("minutes", "minuets");
        assert!(unknown[0].contains(":4: unknown field `minuets`, expected one of `order`"), "{unknown:?}");
        let unknown = changed("global_reads_per", "reads_per");
        assert!(
            unknown[0].contains(":30: requirements[0].counter: no such counter; there are: launches"),
            "{unknown:?}"
        );
    }

    #[test]
    fn missing_stray_and_clashing_files_are_problems() {
        let mut files = sample();
        files[3].0 = "kernels/1-a/mop.cu";
        assert_eq!(
            problems(files),
            [
                "kernels/1-a/map.cu: this file is missing",
                "kernels/1-a/mop.cu: belongs to no lesson: there is no lessons/1-a/mop/lesson.toml",
            ]
        );
        let mut files = sample();
        let second = [
            ("lessons/1-a/zip/lesson.toml", LESSON.replace("\nkind =", "\nneeds = [\"gone\"]\nkind =")),
            ("lessons/1-a/zip/lesson.md", TEXT.into()),
            ("kernels/1-a/zip.cu", "".into()),
            ("solutions/1-a/zip.cu", "".into()),
        ];
        files.extend(second);
        assert_eq!(
            problems(files),
            [
                "lessons/1-a/zip/lesson.toml:1: order: 10 is also the place of \"map\"",
                "lessons/1-a/zip/lesson.toml:3: needs[0]: no lesson \"gone\" comes before this one",
            ]
        );
    }

    proptest::proptest! {
        /// Whatever is written in a lesson.toml, it is loaded or refused with a message.
        #[test]
        fn no_text_panics(
            start in 0..LESSON.len(),
            len in 0..40usize,
            new in "(-?[0-9]{1,20}|[\\[\\]{}=\",.n]{0,8}|n \\* n|\"9999999 \\* n \\* n\"|1e999|nan)",
        ) {
            let end = (start + len).min(LESSON.len());
            let mut files = sample();
            files[1].1 = format!("{}{new}{}", &LESSON[..start], &LESSON[end..]);
            let _ = problems(files);
        }
    }

    #[test]
    fn a_clone_as_it_was_built_with_differs_in_nothing() {
        let (course, differs) = from_checkout(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(!differs);
        assert_eq!(course.lessons().len(), embedded().0.lessons().len());
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
        let (_, differs) = from_checkout(root.path()).unwrap();
        assert!(!differs);
    }
}
