//! Lessons: their files, order, embedding in the binary, the learner's workspace and progress.
//!
//! # Files of a course
//!
//! ```text
//! lessons/<part>/part.toml             title and about: one line each
//! lessons/<part>/<slug>/lesson.toml    what is run and checked: see [`Spec`]
//! lessons/<part>/<slug>/lesson.md      what is read: see [`Text`]
//! lessons/<part>/<slug>/reference.cu   only where lesson.toml names it as its reference
//! lessons/<part>/<slug>/<name>.txt     only where a case names it: numbers, see [`CaseData`]
//! lessons/<part>/<slug>/kernels.cu     only of a `predict` lesson: what its questions are about
//! kernels/<part>/<slug>.cu             what the learner edits
//! solutions/<part>/<slug>.cu           shown once it passes
//! lessons/<part>/part.md               optional: read before the part's first lesson
//! lessons/<part>/learned.md            optional: read when its last lesson has passed
//! lessons/claims.toml                  the ledger of claims: see [`Claims`]
//! lessons/topics.toml                  what must be taught, by notebook: see [`Topics`]
//! lessons/glossary.toml                the words of the field: see [`Glossary`]
//! lessons/welcome.md                   optional: read before everything else
//! tests/wrong/<slug>/*.cu              must be refused; not part of the binary
//! ```
//!
//! A part is named by its folder, a number and a word (`1-puzzles`); parts run by that number and
//! the lessons inside by `order`. A lesson is named for ever by its slug, which is unique in the
//! course. Nothing is registered: a lesson is there because its folder is.
//!
//! The same layout is embedded in a program ([`Course::embedded`]) and read from a folder
//! ([`Course::from_dir`]) for people who write their own.

mod answers;
mod bench;
mod beneath;
mod call;
mod case;
mod claims;
mod data;
mod fill;
mod formula;
mod glossary;
mod image;
mod installed;
mod lazy;
mod lesson;
mod load;
mod made_from;
mod manifest;
mod place;
mod problem;
mod progress;
mod prose;
mod question;
mod replace;
mod sized;
mod text;
mod topics;
mod validate;
mod workspace;

pub use answers::{AnswerLine, answers, with_answer};
pub use bench::{Bench, GpuBar, Ratio};
pub use beneath::{EntryKind, Folder, open_file, read_beneath};
pub use call::{Call, CallArguments, MAIN, Memory, SEED, Word};
pub use case::{Case, CaseNumber, case_text, is_named};
pub use claims::{ClaimRow, ClaimValue, Claims, Whose};
pub use data::{CaseData, Given, Numbers};
pub use fill::{Fill, SizedFill};
pub use formula::{Formula, FormulaError};
pub use glossary::{Glossary, Term};
pub use image::{ImageSpec, Pixels, Scale};
pub use installed::{Installed, Record, Source};
pub use lazy::Lazy;
pub use lesson::*;
pub use load::Draft;
pub use manifest::{CourseFiles, Manifest};
pub use place::line_of;
pub use problem::{CourseError, Problem};
pub use progress::{Entry, LastCheck, Loaded, Progress, ProgressStore, now};
pub use prose::{Block, Span, blocks, spans};
pub use question::{Choice, Measure, Question, QuestionKind, Typical};
pub use replace::replace_file;
pub use sized::{
    Content, First, KeyError, SizedArgument, SizedBar, SizedCall, SizedCallArguments, SizedCase, SizedLaunch,
};
pub use text::Text;
pub use topics::{Notebook, Topic, Topics};
pub use validate::{SPEEDUP, is_identifier, is_slug};
pub use workspace::{Made, Workspace};

use std::borrow::Cow;

/// Every lesson, in order.
#[derive(Clone, Debug, Default)]
pub struct Course {
    parts: Vec<Part>,
    lessons: Vec<Lesson>,
    claims: Lazy<Claims>,
    glossary: Lazy<Glossary>,
    topics: Lazy<Topics>,
    welcome: Option<String>,
}

/// A group of lessons: a folder below `lessons/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name of the folder, such as `1-puzzles`.
    pub folder: String,
    /// A few words.
    pub title: String,
    /// One line.
    pub about: String,
    /// Half a screen on why it is there, read before its first lesson.
    pub text: Option<String>,
    /// What was learned, read behind its last lesson.
    pub learned: Option<String>,
}

/// One lesson with all its files.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its name for ever; of a course that was added, behind the course's: `spmv/gather`.
    pub slug: String,
    /// Folder of its part; of a course that was added, below the course's name: `spmv/1-sparse`.
    pub part: String,
    /// The course that it is of, where that is not ours.
    pub of: Option<CourseName>,
    /// Place in the course, from 1. It moves when lessons come or go.
    pub number: usize,
    /// A few words.
    pub title: String,
    /// That it takes a newcomer.
    pub minutes: u32,
    pub spec: Lazy<Spec>,
    pub text: Lazy<Text>,
    /// What the learner starts from.
    pub starter: Cow<'static, str>,
    pub solution: Cow<'static, str>,
    /// `reference.cu`, where the reference is CUDA C++.
    pub reference_source: Option<Cow<'static, str>>,
    /// `kernels.cu` of a `predict` lesson.
    pub kernels_source: Option<Cow<'static, str>>,
}

/// A course that was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CourseName {
    pub name: String,
    pub version: String,
}

/// A lesson's name as a file's: without folders.
pub fn file_name(slug: &str) -> String {
    slug.replace('/', ".")
}

impl Lesson {
    /// Its name in its own course.
    pub fn own_name(&self) -> &str {
        self.slug.rsplit('/').next().unwrap_or(&self.slug)
    }

    /// Where the learner's file lies in a workspace: `kernels/<part>/<slug>.cu`.
    pub fn kernel_path(&self) -> String {
        format!("kernels/{}/{}.cu", self.part, self.own_name())
    }

    /// `solutions/<part>/<slug>.cu`
    pub fn solution_path(&self) -> String {
        format!("solutions/{}/{}.cu", self.part, self.own_name())
    }

    /// `lessons/<part>/<slug>`
    pub fn folder(&self) -> String {
        format!("lessons/{}/{}", self.part, self.own_name())
    }
}

/// The files of a course in a program: path from the root of the course, with `/`, and text.
pub type Embedded = &'static [(&'static str, &'static str)];

impl Course {
    /// The lessons that a program carries and whose tests have proved them with [`Course::embedded`]: each is read
    /// where it is asked for.
    pub fn carried(files: Embedded) -> Course {
        load::carried(files)
    }

    /// The lessons that a program carries, all read and proved.
    ///
    /// # Errors
    ///
    /// When a file of theirs is not as it should be.
    pub fn embedded(files: Embedded) -> Result<Course, CourseError> {
        load::strict(load::embedded(files))
    }

    /// The lessons of a folder laid out like the repository.
    pub fn from_dir(root: &std::path::Path) -> Result<Course, CourseError> {
        load::strict(load::from_dir(root)?)
    }

    /// The lessons of a clone in which somebody learns: as they are on the disk, but with the starters
    /// that the binary carries. Besides, whether anything differs from what the binary carries; where nothing does,
    /// they are those that it carries.
    pub fn from_checkout(root: &std::path::Path, embedded: Embedded) -> Result<(Course, bool), CourseError> {
        load::from_checkout(root, embedded)
    }

    /// What of a folder can be loaded, and what is wrong with the rest.
    pub fn from_dir_with_problems(root: &std::path::Path) -> Result<(Course, Vec<Problem>), CourseError> {
        load::from_dir(root)
    }

    /// Names parts and lessons by their course, so that they stand beside ours and are never taken for ours.
    fn name_by(&mut self, name: &str, version: &str) {
        let named = |own: &str| format!("{name}/{own}");
        for part in &mut self.parts {
            part.folder = named(&part.folder);
            part.title = format!("{} ({name})", part.title);
        }
        for lesson in &mut self.lessons {
            (lesson.slug, lesson.part) = (named(&lesson.slug), named(&lesson.part));
            lesson.spec.change(|spec| spec.needs.iter_mut().for_each(|needed| *needed = named(needed)));
            lesson.of = Some(CourseName { name: name.to_owned(), version: version.to_owned() });
        }
        self.glossary.change(|glossary| {
            for term in &mut glossary.terms {
                term.lessons.iter_mut().for_each(|slug| *slug = named(slug));
                term.of = Some(name.to_owned());
            }
        });
        self.topics.change(|topics| {
            for notebook in &mut topics.notebooks {
                notebook.id = named(&notebook.id);
                notebook.title = format!("{} ({name})", notebook.title);
                for topic in &mut notebook.topics {
                    topic.lessons.iter_mut().chain(&mut topic.planned).for_each(|slug| *slug = named(slug));
                }
            }
        });
    }

    /// Takes in the lessons, words and topics of another course, behind those that are there.
    pub fn take_in(&mut self, other: Course) {
        let before = self.lessons.len();
        self.parts.extend(other.parts);
        self.lessons.extend(other.lessons);
        self.glossary.change(|glossary| glossary.terms.extend(other.glossary.terms.iter().cloned()));
        self.topics.change(|topics| topics.notebooks.extend(other.topics.notebooks.iter().cloned()));
        for (number, lesson) in (before + 1..).zip(&mut self.lessons[before..]) {
            lesson.number = number;
        }
    }

    /// Lessons that are being written: see [`Draft`].
    pub fn draft(root: &std::path::Path) -> Result<Draft, CourseError> {
        load::draft(root)
    }

    /// Every part, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The ledger of claims; empty where the course has none.
    pub fn claims(&self) -> &Claims {
        &self.claims
    }

    /// The words of the field; empty where the course has none.
    pub fn glossary(&self) -> &Glossary {
        &self.glossary
    }

    /// What must be taught, by notebook; empty where the course does not say.
    pub fn topics(&self) -> &Topics {
        &self.topics
    }

    /// What is read before the first lesson.
    pub fn welcome(&self) -> Option<&str> {
        self.welcome.as_deref()
    }

    /// In the order they are taught.
    pub fn lessons(&self) -> &[Lesson] {
        &self.lessons
    }

    /// The lesson of that slug.
    pub fn lesson(&self, slug: &str) -> Option<&Lesson> {
        self.lessons.iter().find(|lesson| lesson.slug == slug)
    }
}
