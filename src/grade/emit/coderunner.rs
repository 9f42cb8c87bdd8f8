//! The answer of a combinator template grader of CodeRunner (Moodle): JSON with the fraction of the marks and a
//! table.

use super::{line, shown, state, views};
use crate::class::{Graded, StudentReport};
use picture::escape as html;
use report::Style;
use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CodeRunner {
    /// Share of the marks, from 0 to 1.
    fraction: f64,
    prologuehtml: String,
    /// A header, and one row per lesson.
    testresults: Vec<Vec<Value>>,
    epiloguehtml: String,
    showdifferences: bool,
}

impl CodeRunner {
    pub fn of(student: &StudentReport, graded: &Graded, style: &Style) -> CodeRunner {
        let views = views(student, graded);
        let mut table: Vec<Vec<Value>> = vec![["iscorrect", "Lesson", "Got", "Mark"].map(Value::from).into()];
        let mut verdicts = String::new();
        for (lesson, view) in student.lessons.iter().zip(&views) {
            let mark = format!("{} of {}", lesson.mark.points(), lesson.full);
            let got = if view.passed { "passed" } else { view.headline.as_str() };
            table.push(vec![view.passed.into(), line(&lesson.lesson).into(), line(got).into(), mark.into()]);
            verdicts += &match graded.text(lesson) {
                Some(_) => format!("<pre>{}</pre>", html(&shown(view, style))),
                None => format!("<p>{}: {}</p>", html(&lesson.lesson), html(&line(&state(lesson)))),
            };
        }
        let full = student.full().0;
        CodeRunner {
            fraction: if full == 0 { 0.0 } else { student.total().0 as f64 / full as f64 },
            prologuehtml: String::new(),
            testresults: table,
            epiloguehtml: verdicts,
            showdifferences: false,
        }
    }
}
