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
//! A part is identified by its folder's name, a number and a word (`1-puzzles`). Parts are in the order of their
//! numbers, and the lessons of a part in the order of `order`. A lesson is permanently identified by its slug,
//! which is unique in the course. There is no registry: a lesson exists if its folder does.
//!
//! The same layout is embedded in a program ([`Course::embedded`]) and read from a folder ([`Course::from_dir`])
//! for people who write their own courses.

mod answers;
mod author_error;
mod bench;
mod call;
mod capability;
mod case;
mod claims;
mod confined_path;
mod data;
mod fill;
mod formula;
mod glossary;
mod image;
mod installed;
mod keys;
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
pub use author_error::AuthorError;
pub use bench::{Bench, GpuBar, Ratio, RatioUnit};
pub use call::{Call, CallArguments, MAIN, SEED, Word};
pub use capability::ComputeCapability;
pub use case::{Case, CaseNumber};
pub use claims::{ClaimRow, ClaimValue, Claims, LessonCode};
pub use confined_path::{EntryKind, Folder, open_file, read_confined};
pub use data::{CaseData, InputContents, Numbers};
pub use fill::{Fill, SizedFill};
pub use formula::{Formula, FormulaError};
pub use glossary::{Glossary, Term};
pub use host::device::ElementType;
pub use image::{ImageSpec, Pixels, Scale};
pub use installed::{Installed, Record, Source};
pub use keys::{is_identifier, is_slug};
pub use lazy::Lazy;
pub use lesson::*;
pub use load::Draft;
pub use manifest::{CourseFiles, Manifest};
pub use place::line_of;
pub use problem::{CourseError, Problem};
pub use progress::{Entry, LastCheck, Loaded, Progress, ProgressStore, now};
pub use prose::{Block, Span, blocks, spans};
pub use question::{Choice, Measure, Question, QuestionKind, TypicalMistake};
pub use replace::replace_file;
pub use sized::{
    ComparedCount, Content, KeyError, SizedArgument, SizedBar, SizedCall, SizedCallArguments, SizedCase,
    SizedLaunch,
};
pub use text::Text;
pub use topics::{Notebook, Topic, Topics};
pub use workspace::{InitReport, Workspace};

use std::borrow::Cow;

/// A course: all lessons, in order.
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
    /// The title: a few words.
    pub title: String,
    /// A one-line summary.
    pub about: String,
    /// Half a screen on the part's purpose, read before its first lesson.
    pub text: Option<String>,
    /// A summary of what was learned, read after its last lesson.
    pub learned: Option<String>,
}

/// A lesson with all its files.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The lesson's permanent name; in an added course, prefixed with the course's name: `spmv/gather`.
    pub slug: String,
    /// Folder of the lesson's part; in an added course, prefixed with the course's name: `spmv/1-sparse`.
    pub part: String,
    /// The added course that the lesson belongs to; `None` for built-in lessons.
    pub of: Option<CourseName>,
    /// Position in the course, from 1. It changes when lessons are added or removed.
    pub number: usize,
    /// The title: a few words.
    pub title: String,
    /// Approximate number of minutes that a newcomer needs.
    pub minutes: u32,
    pub spec: Lazy<Spec>,
    pub text: Lazy<Text>,
    /// The file that the learner starts from.
    pub starter: Cow<'static, str>,
    pub solution: Cow<'static, str>,
    /// `reference.cu`, where the reference is CUDA C++.
    pub reference_source: Option<Cow<'static, str>>,
    /// `kernels.cu` of a `predict` lesson.
    pub kernels_source: Option<Cow<'static, str>>,
}

/// Name and version of an added course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CourseName {
    pub name: String,
    pub version: String,
}

/// Returns a lesson's slug in a form that can be used as a file name.
pub fn file_name(slug: &str) -> String {
    slug.replace('/', ".")
}

impl Lesson {
    /// Returns the lesson's slug within its own course, without the course's name.
    pub fn own_name(&self) -> &str {
        self.slug.rsplit('/').next().unwrap_or(&self.slug)
    }

    /// Returns the path of the learner's file in a workspace: `kernels/<part>/<slug>.cu`.
    pub fn kernel_path(&self) -> String {
        format!("kernels/{}/{}.cu", self.part, self.own_name())
    }

    /// Returns the path of the solution: `solutions/<part>/<slug>.cu`.
    pub fn solution_path(&self) -> String {
        format!("solutions/{}/{}.cu", self.part, self.own_name())
    }

    /// Returns the path of the lesson's folder: `lessons/<part>/<slug>`.
    pub fn folder(&self) -> String {
        format!("lessons/{}/{}", self.part, self.own_name())
    }

    /// Returns the path of the lesson's `reference.cu`.
    pub fn reference_path(&self) -> String {
        self.folder() + "/reference.cu"
    }

    /// Returns the path of the kernels that the lesson's questions are about.
    pub fn kernels_path(&self) -> String {
        self.folder() + "/kernels.cu"
    }
}

/// The files of a course embedded in a program: path from the root of the course, separated by `/`, and text.
pub type Embedded = &'static [(&'static str, &'static str)];

impl Course {
    /// Prefixes parts and lessons with the name of their course, so that they can be combined with the built-in
    /// ones without conflicts.
    fn prefix_names(&mut self, name: &str, version: &str) {
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

    /// Adds the lessons, glossary and topics of another course after the existing ones.
    pub fn append(&mut self, other: Course) {
        let before = self.lessons.len();
        self.parts.extend(other.parts);
        self.lessons.extend(other.lessons);
        self.glossary.change(|glossary| glossary.terms.extend(other.glossary.terms.iter().cloned()));
        self.topics.change(|topics| topics.notebooks.extend(other.topics.notebooks.iter().cloned()));
        for (number, lesson) in (before + 1..).zip(&mut self.lessons[before..]) {
            lesson.number = number;
        }
    }

    /// Returns all parts, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the ledger of claims; empty if the course has none.
    pub fn claims(&self) -> &Claims {
        &self.claims
    }

    /// Returns the glossary; empty if the course has none.
    pub fn glossary(&self) -> &Glossary {
        &self.glossary
    }

    /// Returns the topics that must be taught, by notebook; empty if the course does not list any.
    pub fn topics(&self) -> &Topics {
        &self.topics
    }

    /// Returns the text to read before the first lesson.
    pub fn welcome(&self) -> Option<&str> {
        self.welcome.as_deref()
    }

    /// Returns all lessons in the order in which they are taught.
    pub fn lessons(&self) -> &[Lesson] {
        &self.lessons
    }

    /// Returns the lesson with this slug.
    pub fn lesson(&self, slug: &str) -> Option<&Lesson> {
        self.lessons.iter().find(|lesson| lesson.slug == slug)
    }
}
