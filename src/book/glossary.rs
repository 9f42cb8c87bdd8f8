//! The glossary's page.

use crate::page::Page;
use crate::prose::{Writer, link};
use crate::words::Words;
use judge::course::Course;
use picture::escape;

pub const PATH: &str = "glossary.html";

/// Renders every term, with links to the lessons that teach it.
pub fn page(course: &Course, words: &Words) -> Page {
    let mut body = String::from("<dl>\n");
    for (n, term) in course.glossary().terms.iter().enumerate() {
        let also = match term.also.as_slice() {
            [] => String::new(),
            also => format!(" <small>{}</small>", escape(&also.join(", "))),
        };
        body += &format!("<dt id=\"{}\">{}{also}</dt>\n<dd>\n", words.anchor(n), escape(&term.name));
        let mut writer = Writer::new(PATH, course, words).without(n);
        writer.text(&term.text, 2);
        body += &writer.html;
        let lessons = term.lessons.iter().filter_map(|slug| course.lesson(slug));
        let links: Vec<String> = lessons.map(|lesson| link("", lesson, &escape(&lesson.slug))).collect();
        if !links.is_empty() {
            body += &format!("<p class=\"note\">Taught in {}.</p>\n", links.join(", "));
        }
        body += "</dd>\n";
    }
    body += "</dl>\n";
    let names = course.glossary().terms.iter().flat_map(|term| term.names());
    let keywords = names.collect::<Vec<_>>().join(" ");
    Page { path: PATH.into(), title: "Glossary".into(), part: None, body, keywords }
}
