//! The page of a lesson: the text that `gpulearn read` shows, the starter, the hints and the closing text.

use crate::page::Page;
use crate::prose::{Writer, code, folded, link, with_gaps};
use crate::words::Words;
use crate::{RunResults, accesses};
use judge::course::{Course, Kind, Lesson};
use picture::escape;

pub fn page(lesson: &Lesson, course: &Course, words: &Words, made: &RunResults) -> Page {
    let path = format!("{}/{}.html", lesson.part, lesson.slug);
    let spec = &lesson.spec;
    let mut writer = Writer::new(&path, course, words);
    let kind = match spec.kind {
        Kind::Kernel => "write a kernel",
        Kind::Program => "write a program",
        Kind::Fix => "find the bug",
        Kind::Optimise => "make it faster",
        Kind::Predict => "predict, then look",
    };
    let needs = spec.needs.iter().filter_map(|slug| course.lesson(slug));
    let needs: Vec<String> = needs.map(|lesson| link("../", lesson, &escape(&lesson.slug))).collect();
    let builds = if needs.is_empty() { String::new() } else { format!(" · builds on {}", needs.join(", ")) };
    writer.html += &format!(
        "<p class=\"note\">Lesson {} of {}, <code>{}</code> · about {} minutes · {kind}{builds}</p>\n",
        lesson.number,
        course.lessons().len(),
        escape(&lesson.slug),
        spec.minutes
    );
    writer.text(&lesson.text.idea, 2);
    writer.html += "<h2 id=\"task\">Your turn</h2>\n";
    writer.text(&lesson.text.task, 3);
    writer.html += &format!(
        "<p class=\"note\"><code>{}</code>, then <code>gpulearn check {}</code></p>\n",
        escape(&lesson.kernel_path()),
        escape(&lesson.slug)
    );
    writer.html += &code(lesson.starter.trim_end());
    writer.html += "<h2 id=\"checked\">Checked</h2>\n";
    writer.text(&lesson.text.checked, 3);
    if let Some(image) = made.images.get(&lesson.slug) {
        writer.html += &format!(
            "<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n",
            escape(&image.words),
            image.image.svg("image-made", &image.words)
        );
    }
    if let Some(touched) = made.accesses.get(&lesson.slug) {
        writer.html += &accesses::section(&lesson.slug, touched);
    }
    writer.html += "<h2 id=\"hints\">Hints</h2>\n";
    for (n, hint) in spec.hints.iter().enumerate() {
        let inside = capture(&mut writer, |writer| writer.text(&with_gaps(hint), 3));
        writer.html += &folded(&format!("Hint {} of {}", n + 1, spec.hints.len()), &inside);
    }
    writer.html += "<h2 id=\"afterwards\">Afterwards</h2>\n";
    let inside = capture(&mut writer, |writer| writer.text(&lesson.text.afterwards, 3));
    writer.html += &folded("Read this once it passes", &inside);
    let claims = claims_of(lesson, course);
    if !claims.is_empty() {
        writer.html += &format!("<p class=\"note\">Claims of the notebooks that it answers: {claims}</p>\n");
    }
    Page {
        path,
        title: spec.title.clone(),
        part: Some(lesson.part.clone()),
        body: writer.html,
        keywords: format!("{} {}", lesson.slug, lesson.text.idea),
    }
}

/// Returns what `write` appends to a page, removed from the page again.
fn capture(writer: &mut Writer, write: impl FnOnce(&mut Writer)) -> String {
    let before = writer.html.len();
    write(writer);
    writer.html.split_off(before)
}

/// Returns links to the ledger's rows that name a lesson.
fn claims_of(lesson: &Lesson, course: &Course) -> String {
    let rows = course.claims().rows.iter().filter(|row| row.lessons.contains(&lesson.slug));
    let link = |row: &judge::course::ClaimRow| {
        let (notebook, id) = (escape(&row.notebook), escape(&row.id));
        format!("<a href=\"../claims/{notebook}.html#{id}\">{id}</a>")
    };
    rows.map(link).collect::<Vec<_>>().join(", ")
}
