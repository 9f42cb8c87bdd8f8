//! The ledger of claims: a page per notebook, with what it printed, what is wrong with that, and the figures of
//! the lessons' own code.

use crate::page::Page;
use crate::prose::{Writer, link};
use crate::words::Words;
use anyhow::{Context, Result, ensure};
use judge::course::{ClaimRow, ClaimValue, Course};
use picture::escape;
use serde_json::Value;

/// The figures of the lessons' own code, as computed by `gpulearn claims --format json`.
#[derive(Clone, Debug)]
pub struct Figures(Value);

impl Figures {
    /// Parses the command's output.
    ///
    /// # Errors
    ///
    /// The text is something else.
    pub fn from_json(text: &str) -> Result<Figures> {
        let value: Value = serde_json::from_str(text).context("it is not JSON")?;
        let ours = value["schema"] == "gpulearn.claims/1" && value["rows"].is_array();
        ensure!(ours, "it is not what `gpulearn claims --format json` prints (gpulearn.claims/1)");
        Ok(Figures(value))
    }

    /// Returns a figure of a row, `modelled` or `measured`, with its unit.
    fn of(&self, row: &ClaimRow, value: &ClaimValue, kind: &str) -> Option<String> {
        let rows = self.0["rows"].as_array()?;
        let its = rows.iter().find(|its| its["id"] == row.id.as_str())?["values"].as_array()?;
        let its = its
            .iter()
            .find(|its| its["says"] == value.says.as_str() && its["lesson"] == value.lesson.as_str())?;
        let unit = its["unit"].as_str().unwrap_or_default();
        let space = if unit.is_empty() || unit == "×" { "" } else { " " };
        Some(format!("{}{space}{unit}", digits(its[kind].as_f64()?)))
    }

    /// Returns the GPU of the modelled or measured figures, if there are any.
    fn gpu(&self, kind: &str) -> Option<&str> {
        self.0[kind].as_str()
    }
}

/// Formats a number with three significant digits, and without a fraction from 100 on.
fn digits(number: f64) -> String {
    let before_point = if number == 0.0 { 1 } else { number.abs().log10().floor() as i32 + 1 };
    format!("{number:.*}", (3 - before_point).clamp(0, 6) as usize)
}

pub fn pages(course: &Course, words: &Words, figures: Option<&Figures>) -> Vec<Page> {
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
        rows.iter().for_each(|row| write_row(&mut writer, row, course, figures));
        writer.html += "</tbody>\n</table></div>\n";
        writer.html += &format!(
            "<p class=\"note\">The notebook printed its figures on a Tesla T4. {} On your machine, modelled and, where there is \
             a GPU, measured: <code>gpulearn claims {}</code></p>\n",
            figures_note(figures),
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

/// Returns a sentence that names the GPUs of the figures.
fn figures_note(figures: Option<&Figures>) -> String {
    let Some(figures) = figures else {
        return "Those of our own code were not computed for this site.".into();
    };
    let measured = figures
        .gpu("measured")
        .map_or("none was measured".into(), |gpu| format!("measured ones for an {}", escape(gpu)));
    format!("Modelled figures are for a {}, {measured}.", escape(figures.gpu("modelled").unwrap_or_default()))
}

/// Renders the printed, modelled and measured figures in columns.
fn answers(row: &ClaimRow, figures: Option<&Figures>) -> String {
    if row.values.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<table class=\"figures\">\n<thead><tr><th scope=\"col\">figure</th><th scope=\"col\">notebook</th>\
         <th scope=\"col\">modelled</th><th scope=\"col\">measured</th></tr></thead>\n<tbody>\n",
    );
    for value in &row.values {
        let of = |kind| figures.and_then(|figures| figures.of(row, value, kind));
        let cell =
            |text: Option<String>| format!("<td>{}</td>", text.map_or("–".into(), |text| escape(&text)));
        out += &format!(
            "<tr><th scope=\"row\">{}</th>{}{}{}</tr>\n",
            escape(&value.says),
            cell(value.figure.clone()),
            cell(of("modelled")),
            cell(of("measured"))
        );
    }
    out + "</tbody>\n</table>\n"
}

fn write_row(writer: &mut Writer, row: &ClaimRow, course: &Course, figures: Option<&Figures>) {
    let (claim, figure, wrong) = (writer.line(&row.claim), writer.line(&row.figure), writer.line(&row.wrong));
    let answers = answers(row, figures);
    let lessons: Vec<String> = row
        .lessons
        .iter()
        .map(|slug| match course.lesson(slug) {
            Some(lesson) => link("../", lesson, &escape(slug)),
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
