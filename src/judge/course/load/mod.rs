//! Builds lessons from files.

mod carried;
mod files;
#[cfg(test)]
mod tests;

use super::keys::is_slug;
use super::place::{line_at, line_of};
use super::validate::validate;
use super::{
    Claims, Course, CourseError, Embedded, Glossary, Kind, Lesson, Part, Problem, ReferenceSource, Spec,
    Text, Topics,
};
use super::{claims, glossary, topics};
pub use files::Files;
use files::FoundFiles;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Path relative to the root of a course.
const WELCOME: &str = "lessons/welcome.md";

/// The lessons that could be loaded, and the problems with the others.
type Loaded = (Course, Vec<Problem>);

/// A course that is being written.
pub struct Draft {
    pub course: Course,
    pub problems: Vec<Problem>,
    /// What is still missing.
    pub remarks: Vec<Problem>,
}

/// Returns the course if it has no problems.
fn strict((course, problems): Loaded) -> Result<Course, CourseError> {
    if problems.is_empty() { Ok(course) } else { Err(CourseError { problems }) }
}

impl Course {
    /// Loads the course embedded in a program without validating it, because the program's tests have done so with
    /// [`Course::embedded`]. Each lesson is parsed on first access.
    ///
    /// # Panics
    ///
    /// Accessing a lesson panics if one of its files is invalid.
    pub fn carried(files: Embedded) -> Course {
        carried::course(files)
    }

    /// Loads the course embedded in a program and validates all of it.
    ///
    /// # Errors
    ///
    /// Fails if a file is invalid.
    pub fn embedded(files: Embedded) -> Result<Course, CourseError> {
        strict(from_files(files::of_program(files)))
    }

    /// Loads the course in a folder that is laid out like the repository.
    ///
    /// # Errors
    ///
    /// Fails if the folder is not a course or a file is invalid.
    pub fn from_dir(root: &Path) -> Result<Course, CourseError> {
        strict(Course::from_dir_with_problems(root)?)
    }

    /// Loads what can be loaded of a folder, with the problems of the rest.
    ///
    /// # Errors
    ///
    /// Fails if the folder is not a course.
    pub fn from_dir_with_problems(root: &Path) -> Result<(Course, Vec<Problem>), CourseError> {
        Ok(from_found(files::of_folder(root)?))
    }

    /// Loads lessons that are being written, which may still lack texts, hints, a starter or a solution.
    ///
    /// # Errors
    ///
    /// Fails if the folder is not a course.
    pub fn draft(root: &Path) -> Result<Draft, CourseError> {
        let found = files::of_folder(root)?;
        let mut draft = read(found.files, true);
        draft.problems.splice(0..0, found.problems);
        Ok(draft)
    }

    /// Loads the course of a clone in which somebody learns: the files are those on disk, except that starters are
    /// the embedded ones. Also returns whether anything differs from the embedded course; if nothing does, the
    /// embedded course is returned.
    ///
    /// # Errors
    ///
    /// Fails if the folder is not a course or a file is invalid.
    pub fn from_checkout(root: &Path, embedded: Embedded) -> Result<(Course, bool), CourseError> {
        let (found, differs) = files::of_checkout(root, embedded)?;
        let course = if differs { strict(from_found(found))? } else { carried::course(embedded) };
        Ok((course, differs))
    }

    /// Returns whether the course of a clone differs from the embedded one, without loading it; also if it can't be read.
    pub fn differs(root: &Path, embedded: Embedded) -> bool {
        files::of_checkout(root, embedded).map_or(true, |(_, differs)| differs)
    }
}

/// Loads a course from its files.
///
/// # Errors
///
/// Fails if the course has problems or no lessons.
pub fn of_files(files: Files) -> Result<Course, CourseError> {
    let course = strict(from_files(files))?;
    match course.lessons.is_empty() {
        true => Err(CourseError { problems: vec![Problem::new("lessons", None, "it contains no lesson")] }),
        false => Ok(course),
    }
}

fn from_found(found: FoundFiles) -> Loaded {
    let (course, problems) = from_files(found.files);
    (course, [found.problems, problems].concat())
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PartFile {
    title: String,
    about: String,
}

fn from_files(files: Files) -> Loaded {
    let Draft { course, problems, .. } = read(files, false);
    (course, problems)
}

fn read(files: Files, drafts: bool) -> Draft {
    let remarks = drafts.then(Vec::new);
    let mut loader = Loader { files: &files, course: Course::default(), problems: Vec::new(), remarks };
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
    parts.sort_by_key(|folder| place(folder));
    for part in parts {
        loader.part(part);
        let mut lessons: Vec<_> = folders[part].iter().filter_map(|slug| loader.lesson(part, slug)).collect();
        lessons.sort_by(|a, b| (a.spec.order, &a.slug).cmp(&(b.spec.order, &b.slug)));
        loader.course.lessons.extend(lessons);
    }
    loader.relations();
    loader.topics();
    loader.claims();
    loader.glossary();
    loader.course.welcome = files.get(WELCOME).map(|text| text.to_string());
    loader.strays();
    Draft { course: loader.course, problems: loader.problems, remarks: loader.remarks.unwrap_or_default() }
}

/// Returns the number of a part's folder: 1 for `1-puzzles`; folders without a number come last.
fn part_number(folder: &str) -> u32 {
    folder.split('-').next().and_then(|number| number.parse().ok()).unwrap_or(u32::MAX)
}

/// Returns the sort key of a part.
fn place(folder: &str) -> (u32, &str) {
    (part_number(folder), folder)
}

struct Loader<'a> {
    files: &'a Files,
    course: Course,
    problems: Vec<Problem>,
    /// What drafts lack; `None` where lessons must be complete.
    remarks: Option<Vec<Problem>>,
}

impl Loader<'_> {
    fn problem(&mut self, file: &str, line: Option<u32>, message: impl Into<String>) {
        self.problems.push(Problem::new(file, line, message));
    }

    /// Returns a file that a draft may lack, as an empty text if it does.
    fn file_of_draft(&mut self, path: &str) -> Option<Cow<'static, str>> {
        if self.remarks.is_some() && !self.files.contains_key(path) {
            self.missing(path, None, "this file is missing");
            return Some(Cow::Borrowed(""));
        }
        self.file(path)
    }

    /// Records something that a lesson lacks: a remark for drafts, otherwise a problem.
    fn missing(&mut self, file: &str, line: Option<u32>, message: impl Into<String>) {
        let problem = Problem::new(file, line, message);
        self.remarks.as_mut().unwrap_or(&mut self.problems).push(problem);
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
            Some((part, text)) => {
                if part.title.chars().any(char::is_control) {
                    let message = "title: one line of text is needed, without control characters";
                    self.problem(&path, line_of(&text, "title"), message);
                }
                (part.title, part.about)
            }
            None => (folder.to_owned(), String::new()),
        };
        if !is_slug(folder) || part_number(folder) == u32::MAX {
            self.problem(&path, None, "a part's folder is named with a number and a word, such as 1-puzzles");
        }
        let text =
            |name| self.files.get(format!("lessons/{folder}/{name}").as_str()).map(|text| text.to_string());
        let (text, learned) = (text("part.md"), text("learned.md"));
        self.course.parts.push(Part { folder: folder.to_owned(), title, about, text, learned });
    }

    fn lesson(&mut self, part: &str, slug: &str) -> Option<Lesson> {
        let folder = format!("lessons/{part}/{slug}");
        let before = self.problems.len();
        if !is_slug(slug) {
            self.problem(&folder, None, "a slug is lower-case words and numbers joined by \"-\"");
        }
        let toml_path = format!("{folder}/lesson.toml");
        let mut spec = self.toml::<Spec>(&toml_path);
        if let Some((spec, _)) = &mut spec {
            let text = |name: &str| self.files.get(format!("{folder}/{name}").as_str()).cloned();
            let wrong: Vec<_> = spec.cases.iter_mut().flat_map(|case| case.data.read_files(&text)).collect();
            for (name, line, message) in wrong {
                self.problem(&format!("{folder}/{name}"), line, message);
            }
        }
        if let Some((spec, text)) = spec.as_ref().filter(|_| self.problems.len() == before || !is_slug(slug))
        {
            for error in validate(spec) {
                let line = line_of(text, &error.key);
                match error.may_be_missing_in_drafts() {
                    true => self.missing(&toml_path, line, error.to_string()),
                    false => self.problem(&toml_path, line, error.to_string()),
                }
            }
        }
        let text_path = format!("{folder}/lesson.md");
        let text = match self.remarks.is_some() && !self.files.contains_key(text_path.as_str()) {
            true => self.file_of_draft(&text_path).map(|_| Ok(Text::default())),
            false => self.file(&text_path).map(|markdown| Text::parse(&markdown)),
        };
        let text = text.and_then(|text| match text {
            Ok(text) => Some(text),
            Err((line, message)) => {
                self.missing(&text_path, Some(line), message);
                self.remarks.is_some().then(Text::default)
            }
        });
        let starter = self.file_of_draft(&format!("kernels/{part}/{slug}.cu"));
        let solution = self.file_of_draft(&format!("solutions/{part}/{slug}.cu"));
        let wants_source = spec.as_ref().is_some_and(|(spec, _)| spec.reference == ReferenceSource::File);
        let reference_source = if wants_source { self.file(&format!("{folder}/reference.cu")) } else { None };
        let predicts = spec.as_ref().is_some_and(|(spec, _)| spec.kind == Kind::Predict);
        let kernels_source = if predicts { self.file(&format!("{folder}/kernels.cu")) } else { None };
        if self.problems.len() > before {
            return None;
        }
        let (spec, _) = spec?;
        Some(Lesson {
            slug: slug.to_owned(),
            part: part.to_owned(),
            of: None,
            number: 0,
            title: spec.title.clone(),
            minutes: spec.minutes,
            spec: spec.into(),
            text: text?.into(),
            starter: starter?,
            solution: solution?,
            reference_source,
            kernels_source,
        })
    }

    /// Checks relations between lessons: assigns numbers, and checks that slugs and orders are unique and that
    /// `needs` come earlier.
    fn relations(&mut self) {
        let mut seen = BTreeSet::new();
        let mut problems = Vec::new();
        let mut previous: Option<(String, u32, String)> = None;
        for (i, lesson) in self.course.lessons.iter_mut().enumerate() {
            lesson.number = i + 1;
            let file = format!("{}/lesson.toml", lesson.folder());
            let mut problem = |key: &str, other: &str, message: String| {
                let line = self.files.get(file.as_str()).and_then(|text| line_of(text, key));
                problems.push(Problem::new(&file, line, format!("{key}: {message}")).about(other));
            };
            if let Some((part, order, slug)) = &previous
                && (part, *order) == (&lesson.part, lesson.spec.order)
            {
                problem("order", slug, format!("{order} is also the order of \"{slug}\""));
            }
            for (n, needed) in lesson.spec.needs.iter().enumerate() {
                if !seen.contains(needed) {
                    let message = format!("no lesson \"{}\" comes before this one", needed.escape_debug());
                    problem(&format!("needs[{n}]"), needed, message);
                }
            }
            if !seen.insert(lesson.slug.clone()) {
                problem("order", &lesson.slug, format!("another part also has a lesson \"{}\"", lesson.slug));
            }
            previous = Some((lesson.part.clone(), lesson.spec.order, lesson.slug.clone()));
        }
        self.problems.extend(problems);
    }

    fn claims(&mut self) {
        let Some(text) = self.files.get(claims::FILE) else { return };
        match Claims::parse(text) {
            Ok(claims) => {
                for row in
                    claims.rows.iter().filter(|row| self.course.topics.notebook(&row.notebook).is_none())
                {
                    let (id, notebook) = (row.id.escape_debug(), row.notebook.escape_debug());
                    let message =
                        format!("row {id}: there is no notebook \"{notebook}\" in {}", topics::FILE);
                    self.problems.push(Problem::new(claims::FILE, None, message));
                }
                self.course.claims = claims.into();
            }
            Err(message) => self.problem(claims::FILE, None, message),
        }
    }

    fn topics(&mut self) {
        if !self.files.contains_key(topics::FILE) {
            return;
        }
        let Some((topics, _)) = self.toml::<Topics>(topics::FILE) else { return };
        self.problems.extend(topics.problems(&|slug| self.course.lesson(slug).is_some()));
        self.course.topics = topics.into();
    }

    fn glossary(&mut self) {
        let Some(text) = self.files.get(glossary::FILE) else { return };
        match Glossary::parse(text) {
            Ok(glossary) => {
                let taught = glossary.terms.iter().flat_map(|term| &term.lessons);
                for slug in taught.filter(|slug| self.course.lesson(slug).is_none()) {
                    let message = format!("no lesson is called \"{}\"", slug.escape_debug());
                    self.problems.push(Problem::new(glossary::FILE, None, message).about(slug));
                }
                self.course.glossary = glossary.into();
            }
            Err(message) => self.problem(glossary::FILE, None, message),
        }
    }

    /// Reports kernels and solutions that belong to no lesson, for example after a folder was renamed or a name was
    /// misspelt.
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
