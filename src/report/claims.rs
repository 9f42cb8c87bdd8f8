//! The ledger of claims: what a notebook printed, and what the lessons' own code measures.

use super::layout::{pad, pad_left, paragraph, rule, text_width, wrap};
use super::{Style, escape, paint};
use judge::course::ClaimRow;
use serde::Serialize;

/// The whole ledger, or some of its rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimsView {
    /// Titles of the notebooks whose claims these are.
    pub notebooks: Vec<String>,
    /// Name of the modelled GPU.
    pub modelled: String,
    /// Name of the GPU that was measured on; `None` where nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
    /// Whether this machine has a GPU, measured on or not.
    pub gpu_here: bool,
    pub rows: Vec<ClaimView>,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimView {
    pub id: String,
    pub topic: String,
    pub claim: String,
    /// The figure as the notebook printed it.
    pub figure: String,
    /// What is wrong with the claim.
    pub wrong: String,
    pub lessons: Vec<ClaimLesson>,
    pub values: Vec<ClaimFigure>,
}

/// A lesson that is about a claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimLesson {
    pub slug: String,
    /// Whether the lesson exists; `false` if it is only planned.
    pub written: bool,
}

/// One figure that the lessons' own code yields.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimFigure {
    pub lesson: String,
    /// What the figure is of.
    pub says: String,
    /// Sizes, as text; `None` where nothing was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// The notebook's figure for the same quantity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modelled: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// Why there is no figure: `no-lesson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lacks: Option<&'static str>,
}

impl ClaimView {
    /// Creates a row without figures, which the caller fills in. `written` returns whether a lesson of that slug
    /// exists.
    pub fn new(row: &ClaimRow, written: &dyn Fn(&str) -> bool) -> ClaimView {
        let lesson = |slug: &String| ClaimLesson { slug: slug.clone(), written: written(slug) };
        ClaimView {
            id: row.id.clone(),
            topic: row.topic.clone(),
            claim: row.claim.clone(),
            figure: row.figure.clone(),
            wrong: row.wrong.clone(),
            lessons: row.lessons.iter().map(lesson).collect(),
            values: Vec::new(),
        }
    }
}

/// Renders the pointer to a notebook's claim that is shown to those who have passed a lesson about it.
pub fn claim_of(id: &str, style: &Style) -> String {
    let command = paint::accent(&format!("{} claims {}", style.command, escape(id)));
    format!("\nThe notebook's claim, and what our code says about it:  {command}\n")
}

/// Renders the heading above the rows.
pub fn claims_head(view: &ClaimsView, style: &Style) -> String {
    let gpu = match &view.measured {
        Some(gpu) => escape(gpu),
        None if view.gpu_here => "nothing, though there is a GPU: this version does not time kernels".into(),
        None => "nothing, since there is no GPU here".into(),
    };
    let titles: Vec<String> = view.notebooks.iter().map(|title| format!("\"{}\"", escape(title))).collect();
    let text = format!(
        "What {} printed on a Tesla T4, and what the lessons' own code says about it. Modelled: {}. \
         Measured: {gpu}. Our sizes are smaller: compare ratios, not times.",
        titles.join(", "),
        escape(&view.modelled)
    );
    paragraph(&text, style.width, 0)
}

/// Renders one row of the ledger.
pub fn claim(row: &ClaimView, has_gpu: bool, style: &Style) -> String {
    let width = style.width;
    let mut out = String::from("\n");
    for line in wrap(&format!("{}  {}", escape(&row.id), escape(&row.topic)), width, 0) {
        out += &format!("{}\n", paint::bold(&line));
    }
    out += &rule(width);
    for (what, text) in [("Claim", &row.claim), ("Printed", &row.figure), ("But", &row.wrong)] {
        out += &labelled(what, &escape(text), width);
    }
    let lessons: Vec<String> = (row.lessons.iter())
        .map(|l| if l.written { escape(&l.slug) } else { format!("{} (not written yet)", escape(&l.slug)) })
        .collect();
    out += &labelled("Lessons", &lessons.join(", "), width);
    out + &figures(&row.values, has_gpu, width)
}

const LABEL: usize = 11;

fn labelled(label: &str, text: &str, width: usize) -> String {
    let lines = wrap(text, width, LABEL);
    let shown = lines.iter().enumerate().map(|(i, line)| {
        let label = if i == 0 { label } else { "" };
        format!("  {}{}\n", paint::dim(&pad(label, LABEL - 2)), line.trim_start())
    });
    shown.collect()
}

/// Renders notebook, modelled and measured figures: a table with one line per figure where the page is wide
/// enough, and otherwise a paragraph each.
fn figures(values: &[ClaimFigure], has_gpu: bool, width: usize) -> String {
    if values.is_empty() {
        return String::new();
    }
    let heads = ["notebook", "modelled", "measured"];
    let rows: Vec<(String, [String; 3])> = values
        .iter()
        .map(|v| {
            let unit = v.unit.as_deref().unwrap_or("");
            let number = |n: Option<f64>| n.map(|n| format!("{}{}", digits(n), spaced(unit)));
            let modelled = match v.lacks {
                Some(_) => "no lesson".into(),
                None => number(v.modelled).unwrap_or_default(),
            };
            let measured = number(v.measured);
            let none = if has_gpu || v.lacks.is_some() { "–" } else { "no GPU" };
            let case = v.case.as_deref().map(|case| format!(" ({})", escape(case))).unwrap_or_default();
            let text = format!("{}{case}", escape(&v.says));
            let notebook = v.figure.as_deref().map_or("–".into(), escape);
            (text, [notebook, escape(&modelled), measured.map_or(none.into(), |m| escape(&m))])
        })
        .collect();
    let columns: Vec<usize> = (0..3)
        .map(|i| rows.iter().map(|(_, c)| text_width(&c[i])).chain([heads[i].len()]).max().unwrap_or(0))
        .collect();
    let numbers: usize = columns.iter().map(|c| c + 3).sum();
    let room = width.saturating_sub(2 + numbers);
    let mut out = String::new();
    if room < 20 {
        for (text, [notebook, modelled, measured]) in &rows {
            let line = format!("{text}: notebook {notebook}, modelled {modelled}, measured {measured}");
            out += &paragraph(&line, width, 2);
        }
        return out;
    }
    let line = |text: &str, cells: [&str; 3]| {
        let cells =
            cells.iter().zip(&columns).map(|(cell, column)| format!("   {}", pad_left(cell, *column)));
        format!("  {}{}", pad(text, room), cells.collect::<String>())
    };
    out += &paint::dim(&line("", heads));
    out.push('\n');
    for (text, [notebook, modelled, measured]) in &rows {
        let lines = wrap(text, room, 0);
        for (i, part) in lines.iter().enumerate() {
            let last = i + 1 == lines.len();
            let cells = if last { [notebook.as_str(), modelled, measured] } else { ["", "", ""] };
            out += line(part, cells).trim_end();
            out.push('\n');
        }
    }
    out
}

/// Formats a number with three significant digits, and without a fraction from 100 on.
fn digits(n: f64) -> String {
    let before_point = if n == 0.0 { 1 } else { n.abs().log10().floor() as i32 + 1 };
    format!("{n:.*}", (3 - before_point).clamp(0, 6) as usize)
}

/// Returns the unit as it follows a number: `×` directly, words after a space.
fn spaced(unit: &str) -> String {
    if unit.is_empty() || unit.starts_with(['×']) { unit.to_owned() } else { format!(" {unit}") }
}
