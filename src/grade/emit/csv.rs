//! Tables (RFC 4180). No cell begins as a formula does to a spreadsheet.

use super::words;
use crate::class::Graded;
use crate::marks::Mark;
use crate::plan::Plan;
use report::escape;

/// A row a student: what was reached of what, whether that is final, and each lesson's points with what became of it.
pub fn gradebook(graded: &Graded) -> String {
    let mut header: Vec<String> = ["student", "total", "out of", "final"].map(str::to_owned).into();
    for lesson in graded.students.first().map(|student| student.lessons.as_slice()).unwrap_or_default() {
        let slug = &lesson.lesson;
        header.extend([
            format!("{slug} (of {})", lesson.full),
            format!("{slug}: state"),
            format!("{slug}: days late"),
        ]);
    }
    let mut out = row(&header);
    for student in &graded.students {
        let last = if student.is_final() { "yes" } else { "no" };
        let mut cells = vec![
            student.student.clone(),
            student.total().to_string(),
            student.full().to_string(),
            last.to_owned(),
        ];
        for lesson in &student.lessons {
            let (points, days) = match lesson.mark {
                Mark::Points { points, days_late } => (points.to_string(), days_late.to_string()),
                Mark::Missing => ("0.00".to_owned(), String::new()),
                _ => (String::new(), String::new()),
            };
            let state = match (lesson.mark, graded.text(lesson)) {
                (Mark::Points { .. }, Some(text)) => {
                    text.judged.view.reason.clone().unwrap_or_else(|| "passed".to_owned())
                }
                (Mark::Review(review), _) => format!("needs review: {}", review.slug()),
                (mark, _) => words(mark).to_owned(),
            };
            cells.extend([points, state, days]);
        }
        out += &row(&cells);
    }
    out
}

/// As nbgrader's exporter writes it: a row a student and lesson.
pub fn nbgrader(graded: &Graded, plan: &Plan) -> String {
    let columns = [
        "assignment",
        "duedate",
        "timestamp",
        "student_id",
        "last_name",
        "first_name",
        "email",
        "raw_score",
        "late_submission_penalty",
        "score",
        "max_score",
    ];
    let mut out = row(&columns.map(str::to_owned));
    for student in &graded.students {
        for (lesson, assignment) in student.lessons.iter().zip(&plan.assignments) {
            let (points, days) = match lesson.mark {
                Mark::Points { points, days_late } => (points, days_late),
                other => (other.points(), 0),
            };
            let left = 100u64.saturating_sub(u64::from(days) * u64::from(assignment.late.percent_a_day));
            // What was reached before the penalty, as far as it can be told from what is left.
            let raw = (points.0 * 100).checked_div(left).unwrap_or(points.0);
            let hundredths = |n: u64| crate::marks::Hundredths(n).to_string();
            let none = String::new;
            let cells = [
                lesson.lesson.clone(),
                none(),
                none(),
                student.student.clone(),
                none(),
                none(),
                none(),
                hundredths(raw),
                hundredths(raw.saturating_sub(points.0)),
                points.to_string(),
                lesson.full.to_string(),
            ];
            out += &row(&cells);
        }
    }
    out
}

/// Cells of a line.
pub fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
    cells.join(",") + "\r\n"
}

fn cell(text: &str) -> String {
    let mut text = escape(text);
    // OWASP, "CSV Injection": these begin a formula, be they behind blanks.
    if text.trim_start().starts_with(['=', '+', '-', '@']) {
        text.insert(0, '\'');
    }
    match text.contains([',', '"', ' ', ';']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}
