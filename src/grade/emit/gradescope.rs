//! Gradescope's `results.json`, following "Autograder Specifications".

use super::{line, shown, state, views};
use crate::class::{Graded, StudentReport};
use crate::marks::Mark;
use report::Style;
use serde::Serialize;

/// The results that one student is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gradescope {
    score: f64,
    output: String,
    output_format: &'static str,
    visibility: &'static str,
    stdout_visibility: &'static str,
    tests: Vec<Test>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Test {
    score: f64,
    max_score: f64,
    /// `passed` or `failed`.
    status: &'static str,
    name: String,
    number: String,
    output: String,
    output_format: &'static str,
    tags: Vec<String>,
    visibility: &'static str,
}

impl Gradescope {
    pub fn of(student: &StudentReport, graded: &Graded, style: &Style) -> Gradescope {
        let views = views(student, graded);
        let tests = student.lessons.iter().zip(&views).enumerate().map(|(n, (lesson, view))| {
            let late = match lesson.mark {
                Mark::Points { days_late: 1.., .. } => "\nHanded in after the deadline: see the points.",
                _ => "",
            };
            let output = match graded.text(lesson) {
                Some(_) => shown(view, style) + late,
                None => line(&state(lesson)),
            };
            Test {
                score: lesson.mark.points().to_f64(),
                max_score: lesson.full.to_f64(),
                status: if view.passed { "passed" } else { "failed" },
                name: line(&lesson.lesson),
                number: (n + 1).to_string(),
                output,
                output_format: "text",
                tags: vec![lesson.mark.slug().to_owned()],
                visibility: "visible",
            }
        });
        let waits = if student.is_final() {
            ""
        } else {
            "Some of it needs review by a person: the score is not final.\n"
        };
        let notes: String =
            student.notes.iter().map(|note| format!("Not judged: {}\n", line(note))).collect();
        Gradescope {
            score: student.total().to_f64(),
            output: format!("{waits}{notes}"),
            output_format: "text",
            visibility: "visible",
            stdout_visibility: "hidden",
            tests: tests.collect(),
        }
    }
}
