//! Tables in CSV (RFC 4180). No cell starts like a spreadsheet formula.

use super::state;
use crate::class::Graded;
use crate::marks::Mark;
use crate::plan::Plan;
use judge::Reason;
use report::escape;

/// Writes one row per student: points reached and possible, whether they are final, and points and state of each
/// lesson.
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
                    text.judged.view.reason.map_or("passed", Reason::slug).to_owned()
                }
                (Mark::Review(review), _) => format!("needs review: {}", review.reason()),
                _ => state(lesson),
            };
            cells.extend([points, state, days]);
        }
        out += &row(&cells);
    }
    out
}

/// Writes one row per student and lesson, as nbgrader's exporter does, but none where the points are not final: each
/// row has a number in that format, and whatever reads it would take a 0 for a grade.
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
        let lessons = student.lessons.iter().zip(&plan.assignments);
        for (lesson, assignment) in lessons.filter(|(lesson, _)| lesson.mark.is_final()) {
            let (points, days) = match lesson.mark {
                Mark::Points { points, days_late } => (points, days_late),
                other => (other.points(), 0),
            };
            let left = 100u64.saturating_sub(u64::from(days) * u64::from(assignment.late.percent_a_day));
            // The points before the penalty, as far as they can be computed from what is left.
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

/// Formats one line of cells.
pub fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
    cells.join(",") + "\r\n"
}

fn cell(text: &str) -> String {
    let mut text = escape(text);
    // OWASP, "CSV Injection": these characters start a formula, even after white space.
    if text.trim_start().starts_with(['=', '+', '-', '@']) {
        text.insert(0, '\'');
    }
    match text.contains([',', '"', ' ', ';']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}
