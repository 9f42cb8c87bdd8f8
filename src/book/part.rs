//! The page of a part, with its lessons; and the start page, which lists everything.

use crate::page::Page;
use crate::prose::Writer;
use crate::words::Words;
use judge::course::{Course, Part};
use picture::escape;

/// Renders the start page: an introduction, and every part with its lessons.
pub fn contents(course: &Course) -> Page {
    let minutes: u32 = course.lessons().iter().map(|lesson| lesson.minutes).sum();
    let mut body = format!(
        "<p>A course of {} lessons in CUDA C++, about {} hours. Each asks for a kernel, a program or an answer; the \
         program <code>gpulearn</code> compiles what you write, runs it on a GPU or on a simulator, and says what is \
         wrong. These pages are the texts of the lessons. <a href=\"machine.html\">Begin with the machine</a>, or look up a \
         word in the <a href=\"glossary.html\">glossary</a>.</p>\n",
        course.lessons().len(),
        minutes.div_ceil(60)
    );
    for part in course.parts() {
        body += &format!(
            "<h2><a href=\"{}/index.html\">{}</a></h2>\n<p>{}</p>\n{}",
            part.folder,
            escape(&part.title),
            escape(&part.about),
            list(part, course, &format!("{}/", part.folder))
        );
    }
    let title = "gpulearn: CUDA by solving it".to_owned();
    Page { path: "index.html".into(), title, part: None, body, keywords: "contents lessons".into() }
}

/// Renders the page of one part.
pub fn page(part: &Part, course: &Course, words: &Words) -> Page {
    let path = format!("{}/index.html", part.folder);
    let mut writer = Writer::new(&path, course, words);
    writer.text(part.text.as_deref().unwrap_or(&part.about), 2);
    let mut body = format!("{}<h2>Lessons</h2>\n{}", writer.html, list(part, course, ""));
    if let Some(learned) = &part.learned {
        let mut writer = Writer::new(&path, course, words);
        writer.text(learned, 2);
        body += &format!("<h2>What you will have learned</h2>\n{}", writer.html);
    }
    Page { path, title: part.title.clone(), part: None, body, keywords: part.about.clone() }
}

/// Renders the list of a part's lessons; `folder` is the prefix of the links to their pages.
fn list(part: &Part, course: &Course, folder: &str) -> String {
    let lessons = course.lessons().iter().filter(|lesson| lesson.part == part.folder);
    let item = |lesson: &judge::course::Lesson| {
        format!(
            "<li value=\"{}\"><a href=\"{folder}{}.html\">{}</a> <small>{} min</small></li>\n",
            lesson.number,
            lesson.slug,
            escape(&lesson.title),
            lesson.minutes
        )
    };
    format!("<ol>\n{}</ol>\n", lessons.map(item).collect::<String>())
}
