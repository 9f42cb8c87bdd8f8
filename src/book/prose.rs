//! Texts of the course as HTML: figures are preformatted, code is highlighted, glossary terms and lesson names
//! are linked.

use crate::page::root_of;
use crate::words::Words;
use cpp::{Highlight, highlight};
use judge::course::{Block, Course, Lesson, Span, blocks, spans};
use picture::escape;
use std::collections::BTreeSet;

/// Writes the texts of one page. A glossary term is linked at its first occurrence on the page.
pub struct Writer<'a> {
    /// Path of the page.
    path: String,
    course: &'a Course,
    words: &'a Words<'a>,
    linked: BTreeSet<usize>,
    pub html: String,
}

impl<'a> Writer<'a> {
    pub fn new(path: &str, course: &'a Course, words: &'a Words<'a>) -> Writer<'a> {
        Writer { path: path.into(), course, words, linked: BTreeSet::new(), html: String::new() }
    }

    /// Suppresses links to a term, on the page or in the entry that explains it.
    pub fn without(mut self, term: usize) -> Self {
        self.linked.insert(term);
        self
    }

    /// Appends a text, block by block. `heading` is the level of its headings.
    pub fn text(&mut self, text: &str, heading: u8) {
        let mut list = false;
        for block in blocks(text) {
            let item = matches!(block, Block::Item(_));
            if list && !item && block != Block::Gap {
                self.html += "</ul>\n";
                list = false;
            }
            match block {
                Block::Heading(text) => {
                    self.html += &format!("<h{heading}>{}</h{heading}>\n", escape(&text));
                }
                Block::Paragraph(text) => {
                    let line = self.line(&text);
                    self.html += &format!("<p>{line}</p>\n");
                }
                Block::Item(text) => {
                    if !list {
                        self.html += "<ul>\n";
                        list = true;
                    }
                    let line = self.line(&text);
                    self.html += &format!("<li>{line}</li>\n");
                }
                Block::Figure(lines) => self.html += &figure(&unindented(&lines)),
                Block::Code(lines) => self.html += &code(&unindented(&lines)),
                Block::Gap => {}
            }
        }
        if list {
            self.html += "</ul>\n";
        }
    }

    /// Renders a line of text.
    pub fn line(&mut self, text: &str) -> String {
        let mut out = String::new();
        for span in spans(text) {
            out += &match span {
                Span::Plain(text) => self.plain(text),
                Span::Stress(text) => format!("<em>{}</em>", escape(text)),
                Span::Code(text) => self.code(text),
            };
        }
        out
    }

    /// Renders inline code; the name of a lesson becomes a link to it.
    fn code(&self, text: &str) -> String {
        let code = format!("<code>{}</code>", escape(text));
        match self.course.lesson(text) {
            Some(lesson) => link(root_of(&self.path), lesson, &code),
            None => code,
        }
    }

    fn plain(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut at = 0;
        for found in self.words.find(text) {
            if self.linked.insert(found.term) {
                let anchor = self.words.anchor(found.term);
                out += &escape(&text[at..found.place.start]);
                out += &format!(
                    "<a class=\"term\" href=\"{}glossary.html#{anchor}\">{}</a>",
                    root_of(&self.path),
                    escape(&text[found.place.clone()])
                );
                at = found.place.end;
            }
        }
        out + &escape(&text[at..])
    }
}

/// Renders a link to a lesson's page around `html`; `root` leads from the page to the root of the site.
pub fn link(root: &str, lesson: &Lesson, html: &str) -> String {
    format!("<a href=\"{root}{}/{}.html\">{html}</a>", lesson.part, lesson.slug)
}

/// Joins the lines of a drawing, a table or code, without their common indent.
fn unindented(lines: &[String]) -> String {
    let indent = |line: &&String| line.len() - line.trim_start_matches(' ').len();
    let space = lines.iter().filter(|line| !line.is_empty()).map(|line| indent(&line)).min().unwrap_or(0);
    lines.iter().map(|line| line.get(space..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn figure(text: &str) -> String {
    format!("<pre class=\"figure\" tabindex=\"0\">{}</pre>\n", escape(text))
}

/// Renders highlighted C++.
pub fn code(text: &str) -> String {
    let mut out = String::from("<pre class=\"code\" tabindex=\"0\"><code>");
    for (piece, kind) in highlight(text) {
        let class = match kind {
            Highlight::Plain => {
                out += &escape(piece);
                continue;
            }
            Highlight::Comment => "c",
            Highlight::Literal => "s",
            Highlight::Number => "n",
            Highlight::Keyword => "k",
            Highlight::Cuda => "g",
            Highlight::Directive => "d",
        };
        out += &format!("<span class=\"{class}\">{}</span>", escape(piece));
    }
    out + "</code></pre>\n"
}

/// Renders a fold with its summary and contents.
pub fn folded(summary: &str, inside: &str) -> String {
    format!("<details><summary>{}</summary>\n{inside}</details>\n", escape(summary))
}

/// Inserts empty lines between prose and code, which hints may have on adjacent lines.
pub fn with_gaps(text: &str) -> String {
    let mut out = String::new();
    let mut drawn = None;
    for line in text.trim_end().trim_start_matches(['\r', '\n']).lines() {
        let is_drawn = line.starts_with("    ");
        if drawn.is_some_and(|before| before != is_drawn) {
            out.push('\n');
        }
        drawn = Some(is_drawn);
        out += line;
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_learners_see_as_text_is_no_html() {
        assert_eq!(code("a<b>"), "<pre class=\"code\" tabindex=\"0\"><code>a&lt;b&gt;</code></pre>\n");
        assert_eq!(with_gaps("Do:\n    x;\nthen"), "Do:\n\n    x;\n\nthen\n");
    }
}
