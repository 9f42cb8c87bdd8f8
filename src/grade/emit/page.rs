//! Writes a student's page: marks, verdicts as the tool displays them, and the code with findings at their lines.
//! It is a single HTML file without scripts or external resources.

use super::{line, shown, state, views, words};
use crate::class::{Graded, LessonReport, StudentReport};
use crate::marks::Mark;
use picture::escape as html;
use report::{Style, VerdictView, escape};
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #ddd}td.n{text-align:right}
pre{background:#f6f6f6;padding:.6rem;overflow-x:auto;font:13px/1.45 ui-monospace,monospace}
ol.code{background:#f6f6f6;margin:0;padding:.6rem 0 .6rem 4rem;font:13px/1.45 ui-monospace,monospace;overflow-x:auto}
ol.code li{white-space:pre;padding-left:.5rem}ol.code li.marked{background:#fff0d6}
ol.code p{white-space:normal;margin:.1rem 0 .3rem;padding:.2rem .5rem;border-left:3px solid #c60;background:#fff8ec;font-family:system-ui,sans-serif}
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}pre,ol.code{background:#222}ol.code li.marked{background:#443311}ol.code p{background:#332b1c}td,th{border-color:#444}}";

/// Returns a student's page as HTML.
pub fn page(student: &StudentReport, graded: &Graded, style: &Style) -> String {
    let (name, course) = (html(&line(&student.student)), html(&line(&graded.header.course)));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{name} – {course}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n<p>{course}: {} of {} points{}</p>\n",
        student.total(),
        student.full(),
        if student.is_final() { "." } else { " so far: some of it needs review by a person." },
    );
    out += "<table>\n<tr><th>Lesson</th><th>Points</th><th>Of</th><th>Verdict</th></tr>\n";
    let views = views(student, graded);
    for (n, (lesson, view)) in student.lessons.iter().zip(&views).enumerate() {
        let verdict = match lesson.mark {
            Mark::Points { .. } if view.passed => "passed".to_owned(),
            Mark::Points { .. } => line(&view.headline),
            other => words(other).to_owned(),
        };
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#lesson-{n}\">{}</a></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}{}</td></tr>",
            html(&line(&lesson.lesson)),
            lesson.mark.points(),
            lesson.full,
            html(&verdict),
            late(lesson.mark),
        );
    }
    out += "</table>\n";
    if !student.notes.is_empty() {
        out += "<p>Not judged:</p>\n<ul>\n";
        for note in &student.notes {
            let _ = writeln!(out, "<li>{}</li>", html(&line(note)));
        }
        out += "</ul>\n";
    }
    for (n, (lesson, view)) in student.lessons.iter().zip(&views).enumerate() {
        out += &section(n, lesson, view, graded, style);
    }
    out + "</body>\n</html>\n"
}

fn late(mark: Mark) -> String {
    match mark {
        Mark::Points { days_late: 1, .. } => ", 1 day late".into(),
        Mark::Points { days_late, .. } if days_late > 1 => format!(", {days_late} days late"),
        _ => String::new(),
    }
}

fn section(n: usize, lesson: &LessonReport, view: &VerdictView, graded: &Graded, style: &Style) -> String {
    let mut out = format!("<h2 id=\"lesson-{n}\">{}</h2>\n", html(&line(&lesson.lesson)));
    let Some(text) = graded.text(lesson) else {
        let _ = writeln!(out, "<p>{}.</p>", html(&line(&state(lesson))));
        return out;
    };
    // The stored verdict uses the file name common to all students; the student's own path is shown once above it.
    let path = html(&line(&view.subject.file));
    let _ = writeln!(
        out,
        "<p>{path}</p>\n<pre>{}</pre>",
        html(&shown(&without_stored_path(view, &text.judged.view), style))
    );
    let mut marks: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut mark = |line: u32, text: String| marks.entry(line).or_default().push(text);
    for finding in view.evidence.findings.iter().chain(&view.evidence.advice) {
        mark(
            finding.at.line,
            format!("[{}] {} {}", finding.class.kind.code(), finding.message, finding.help),
        );
        if let Some(other) = &finding.other {
            mark(other.line, format!("[{}] {}", finding.class.kind.code(), other.text));
        }
    }
    for diagnostic in &view.evidence.diagnostics {
        let hint = diagnostic.hint.as_ref().map_or(String::new(), |hint| format!(" {hint}"));
        mark(diagnostic.line, format!("{}: {}{hint}", diagnostic.severity, diagnostic.message));
    }
    for question in &view.evidence.questions {
        if let Some(line) = question.line {
            mark(line, question.state.to_string());
        }
    }
    out += "<ol class=\"code\">\n";
    for (number, code) in (1..).zip(text.source.lines()) {
        let its = marks.get(&number);
        let class = if its.is_some() { " class=\"marked\"" } else { "" };
        let _ = write!(out, "<li{class}>{}", html(&escape(&code.replace('\t', "    "))));
        for text in its.into_iter().flatten() {
            let _ = write!(out, "<p>{}</p>", html(&line(text.trim())));
        }
        out += "</li>\n";
    }
    out + "</ol>\n"
}

fn without_stored_path(view: &VerdictView, judged: &VerdictView) -> VerdictView {
    let mut view = view.clone();
    view.subject.file.clone_from(&judged.subject.file);
    view
}
