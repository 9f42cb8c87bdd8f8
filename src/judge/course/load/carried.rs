//! Loads the course that is embedded in the program. The program's tests have verified it ([`Course::embedded`]),
//! so it is not validated again, and only the head of each lesson is parsed eagerly: most commands need little more
//! than the lessons' names.

use super::{PartFile, WELCOME, place};
use crate::course::{
    Claims, Course, Embedded, Glossary, Lazy, Lesson, Part, Spec, Text, Topics, claims, glossary, topics,
};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Unwraps what was parsed from an embedded file.
///
/// # Panics
///
/// Panics if parsing failed. A test of the program rules that out, so it can only happen in a build that was not
/// tested.
fn proved<T, E: std::fmt::Display>(path: &str, read: Result<T, E>) -> T {
    read.unwrap_or_else(|error| panic!("{path}, which this program was built with: {error}"))
}

/// Texts by path.
type Texts = BTreeMap<&'static str, &'static str>;

pub fn course(embedded: Embedded) -> Course {
    let texts: Texts = embedded.iter().copied().collect();
    let mut course = Course {
        parts: texts.keys().filter_map(|path| part(&texts, path)).collect(),
        claims: toml::<Claims>(&texts, claims::FILE),
        topics: toml::<Topics>(&texts, topics::FILE),
        glossary: toml::<Glossary>(&texts, glossary::FILE),
        welcome: texts.get(WELCOME).map(|text| text.to_string()),
        lessons: Vec::new(),
    };
    course.parts.sort_by(|a, b| place(&a.folder).cmp(&place(&b.folder)));
    let mut lessons: Vec<(u32, Lesson)> = texts.keys().filter_map(|path| lesson(&texts, path)).collect();
    lessons.sort_by(|(a, one), (b, other)| {
        (place(&one.part), a, &one.slug).cmp(&(place(&other.part), b, &other.slug))
    });
    course.lessons = (1..).zip(lessons).map(|(number, (_, lesson))| Lesson { number, ..lesson }).collect();
    course
}

fn toml<T: DeserializeOwned + Default + Send + 'static>(texts: &Texts, path: &'static str) -> Lazy<T> {
    match texts.get(path).copied() {
        Some(text) => Lazy::new(move || proved(path, toml::from_str(text))),
        None => Lazy::default(),
    }
}

/// Returns the part whose part.toml has this path; `None` if it is another file.
fn part(texts: &Texts, path: &'static str) -> Option<Part> {
    let folder = path.strip_prefix("lessons/")?.strip_suffix("/part.toml")?;
    let PartFile { title, about } = proved(path, toml::from_str(texts[path]));
    let text = |name| texts.get(format!("lessons/{folder}/{name}").as_str()).map(|text| text.to_string());
    let (text, learned) = (text("part.md"), text("learned.md"));
    Some(Part { folder: folder.to_owned(), title, about, text, learned })
}

/// Returns the lesson whose lesson.toml has this path, and its order within the part; `None` if it is another file.
fn lesson(texts: &Texts, path: &'static str) -> Option<(u32, Lesson)> {
    let folder = path.strip_suffix("/lesson.toml")?;
    let (part, slug) = folder.strip_prefix("lessons/")?.split_once('/')?;
    let text = |path: &str| texts.get(path).copied();
    let needed = |path: String| proved(&path, text(&path).ok_or("this file is missing"));
    let (toml, markdown) = (texts[path], needed(format!("{folder}/lesson.md")));
    let head = proved(path, Head::of(toml).ok_or("order, title and minutes come first, a line each"));
    let data: Vec<(&str, &str)> = texts
        .range(folder..)
        .take_while(|(path, _)| path.starts_with(folder))
        .filter_map(|(path, text)| Some((path.strip_prefix(folder)?.strip_prefix('/')?, *text)))
        .collect();
    let spec = Lazy::new(move || {
        let mut spec: Spec = proved(path, toml::from_str(toml));
        let file = |name: &str| data.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).into());
        for case in &mut spec.cases {
            case.data.read_files(&file);
        }
        spec
    });
    let lesson = Lesson {
        slug: slug.to_owned(),
        part: part.to_owned(),
        of: None,
        number: 0,
        title: head.title,
        minutes: head.minutes,
        spec,
        text: Lazy::new(move || {
            proved(path, Text::parse(markdown).map_err(|(line, why)| format!("text, line {line}: {why}")))
        }),
        starter: needed(format!("kernels/{part}/{slug}.cu")).into(),
        solution: needed(format!("solutions/{part}/{slug}.cu")).into(),
        reference_source: text(&format!("{folder}/reference.cu")).map(Into::into),
        kernels_source: text(&format!("{folder}/kernels.cu")).map(Into::into),
    };
    Some((head.order, lesson))
}

/// The first keys of a lesson.toml, each on a line of its own.
struct Head {
    order: u32,
    title: String,
    minutes: u32,
}

impl Head {
    fn of(toml: &str) -> Option<Head> {
        let value = |key: &str| {
            toml.lines()
                .take_while(|line| !line.is_empty())
                .find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))
        };
        Some(Head {
            order: value("order")?.parse().ok()?,
            title: value("title")?.strip_prefix('"')?.strip_suffix('"')?.to_owned(),
            minutes: value("minutes")?.parse().ok()?,
        })
    }
}
