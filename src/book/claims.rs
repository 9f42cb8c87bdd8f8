//! The ledger of claims: a page a notebook, with what it printed, what is wrong with that, and what our own code
//! works out.

use crate::glossary::Words;
use crate::page::Page;
use crate::prose::Writer;
use judge::course::{ClaimRow, Course};
use picture::escape;

pub fn pages(course: &Course, words: &Words) -> Vec<Page> {
    let notebooks = course.topics().notebooks.iter();
    let page = |notebook: &judge::course::Notebook| {
        let rows: Vec<&ClaimRow> =
            course.claims().rows.iter().filter(|row| row.notebook == notebook.id).collect();
        if rows.is_empty() {
            return None;
        }
        let path = format!("claims/{}.html", notebook.id);
        let mut writer = Writer::new(&path, course, words);
        writer.html += "<div class=\"table\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">The notebook claims</th>\
                        <th scope=\"col\">But</th><th scope=\"col\">Our code answers</th></tr></thead>\n<tbody>\n";
        rows.iter().for_each(|row| write_row(&mut writer, row, course));
        writer.html += "</tbody>\n</table></div>\n";
        writer.html += &format!(
            "<p class=\"note\">Printed on a Tesla T4. The figures of our own code are worked out on your machine, modelled \
             and, where there is a GPU, measured: <code>gpulearn claims {}</code></p>\n",
            escape(&notebook.id)
        );
        let keywords =
            rows.iter().map(|row| format!("{} {}", row.topic, row.claim)).collect::<Vec<_>>().join(" ");
        Some(Page {
            path,
            title: format!("Claims: {}", notebook.title),
            part: None,
            body: writer.html,
            keywords,
        })
    };
    notebooks.filter_map(page).collect()
}

fn write_row(writer: &mut Writer, row: &ClaimRow, course: &Course) {
    let (claim, figure, wrong) = (writer.line(&row.claim), writer.line(&row.figure), writer.line(&row.wrong));
    let answers: Vec<String> = row
        .values
        .iter()
        .map(|value| {
            let printed = value
                .figure
                .as_deref()
                .map_or(String::new(), |figure| format!(" (there: {})", escape(figure)));
            format!("<li>{}{printed}</li>", escape(&value.says))
        })
        .collect();
    let answers = if answers.is_empty() { String::new() } else { format!("<ul>{}</ul>", answers.concat()) };
    let lessons: Vec<String> = row
        .lessons
        .iter()
        .map(|slug| match course.lesson(slug) {
            Some(lesson) => {
                format!("<a href=\"../{}/{}.html\">{}</a>", lesson.part, lesson.slug, escape(slug))
            }
            None => format!("{} (not written yet)", escape(slug)),
        })
        .collect();
    let id = escape(&row.id);
    writer.html += &format!(
        "<tr id=\"{id}\"><td><b>{id} {}</b><br>{claim}<br><span class=\"printed\">{figure}</span></td><td>{wrong}</td>\
         <td>{answers}Lessons: {}</td></tr>\n",
        escape(&row.topic),
        lessons.join(", ")
    );
}
