//! The course that a program carries. Its tests have proved it ([`Course::embedded`]), so it is taken as it is: of
//! a lesson only the head is read, the rest where it is asked for. A command knows most lessons by name alone.

use super::{PartFile, WELCOME, part_number};
use crate::course::{
    Claims, Course, Embedded, Glossary, Lazy, Lesson, Part, Spec, Text, Topics, claims, glossary, topics,
};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// What only a program whose tests fail can say.
const PROVED: &str = "a test reads every file of the course";

/// Texts by their paths.
type Texts = BTreeMap<&'static str, &'static str>;

pub fn course(embedded: Embedded) -> Course {
    let texts: Texts = embedded.iter().copied().collect();
    let mut course = Course {
        parts: texts.keys().filter_map(|path| part(&texts, path)).collect(),
        claims: texts.get(claims::FILE).map_or_else(Lazy::default, |text| toml::<Claims>(text)),
        topics: texts.get(topics::FILE).map_or_else(Lazy::default, |text| toml::<Topics>(text)),
        glossary: texts.get(glossary::FILE).map_or_else(Lazy::default, |text| toml::<Glossary>(text)),
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

/// What decides the place of a part.
fn place(folder: &str) -> (u32, &str) {
    (part_number(folder), folder)
}

fn toml<T: DeserializeOwned + Send + 'static>(text: &'static str) -> Lazy<T> {
    Lazy::new(|| toml::from_str(text).expect(PROVED))
}

/// The part whose part.toml lies at a path.
fn part(texts: &Texts, path: &'static str) -> Option<Part> {
    let folder = path.strip_prefix("lessons/")?.strip_suffix("/part.toml")?;
    let PartFile { title, about } = toml::from_str(texts[path]).expect(PROVED);
    let text = texts.get(format!("lessons/{folder}/part.md").as_str()).map(|text| text.to_string());
    Some(Part { folder: folder.to_owned(), title, about, text })
}

/// The lesson whose lesson.toml lies at a path, and its order in its part.
fn lesson(texts: &Texts, path: &'static str) -> Option<(u32, Lesson)> {
    let folder = path.strip_suffix("/lesson.toml")?;
    let (part, slug) = folder.strip_prefix("lessons/")?.split_once('/')?;
    let text = |path: String| texts.get(path.as_str()).copied();
    let (toml, markdown) = (texts[path], text(format!("{folder}/lesson.md")).expect(PROVED));
    let head = Head::of(toml).expect(PROVED);
    let data: Vec<(&str, &str)> = texts
        .range(folder..)
        .take_while(|(path, _)| path.starts_with(folder))
        .filter_map(|(path, text)| Some((path.strip_prefix(folder)?.strip_prefix('/')?, *text)))
        .collect();
    let spec = Lazy::new(move || {
        let mut spec: Spec = toml::from_str(toml).expect(PROVED);
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
        text: Lazy::new(|| Text::parse(markdown).expect(PROVED)),
        starter: text(format!("kernels/{part}/{slug}.cu")).expect(PROVED).into(),
        solution: text(format!("solutions/{part}/{slug}.cu")).expect(PROVED).into(),
        reference_source: text(format!("{folder}/reference.cu")).map(Into::into),
        kernels_source: text(format!("{folder}/kernels.cu")).map(Into::into),
    };
    Some((head.order, lesson))
}

/// The first keys of a lesson.toml, each in a line of its own.
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
