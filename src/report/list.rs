//! The course as a list: what is done, what comes next.

use super::layout::{pad, pad_left, spread, text_width, truncate};
use super::{Style, escape, paint};
use serde::Serialize;

/// Every lesson and how far it is.
#[derive(Clone, Debug, Serialize)]
pub struct ListView {
    /// Lessons passed.
    pub done: usize,
    pub lessons: Vec<ListRow>,
}

/// One lesson.
#[derive(Clone, Debug, Serialize)]
pub struct ListRow {
    /// Place in the course, from 1.
    pub number: usize,
    pub slug: String,
    /// Folder, such as `1-puzzles`.
    pub part: String,
    pub part_title: String,
    pub title: String,
    pub minutes: u32,
    pub state: LessonState,
    /// Why the last check failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The one `next` shows.
    pub current: bool,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed_at: Option<u64>,
    /// Hints shown.
    pub hints: u8,
    pub file: String,
}

/// How far a lesson is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LessonState {
    Done,
    Tried,
    New,
}

/// A line for each lesson, part by part.
pub fn list(view: &ListView, style: &Style) -> String {
    let mut out = String::new();
    let widest = |f: fn(&ListRow) -> usize| view.lessons.iter().map(f).max().unwrap_or(0);
    let slug = widest(|r| text_width(&escape(&r.slug)));
    let number = widest(|r| r.number.to_string().len());
    let mut part = "";
    for row in &view.lessons {
        if row.part != part {
            part = &row.part;
            out += &format!(
                "{}{}\n",
                if out.is_empty() { "" } else { "\n" },
                paint::bold(&escape(&row.part_title))
            );
        }
        let (mark, colour): (&str, fn(&str) -> String) = match row.state {
            LessonState::Done => ("✓", paint::good),
            LessonState::Tried => ("✗", paint::bad),
            LessonState::New => ("·", paint::dim),
        };
        let name = pad(&escape(&row.slug), slug);
        let name = if row.current { paint::accent(&name) } else { name };
        let arrow = if row.current { paint::accent("→") } else { " ".into() };
        let used = 2 + 2 + number + 2 + slug + 2;
        let minutes = format!("{:>3} min", row.minutes);
        let line = format!("{arrow} {} {}  {name}", colour(mark), pad_left(&row.number.to_string(), number));
        let room = style.width.saturating_sub(used + 2 + minutes.len());
        if room >= 12 {
            let about = pad(&about(row, room), room);
            out += &format!("{line}  {about}  {}\n", paint::dim(&minutes));
        } else {
            out += &format!("{line}\n");
        }
    }
    let left = format!("{} of {} done", view.done, view.lessons.len());
    let right = match view.lessons.iter().find(|r| r.current) {
        Some(row) => format!("next: {}", escape(&row.slug)),
        None => "all done".into(),
    };
    out + "\n" + &spread(&left, &right, style.width, str::to_string)
}

/// The title, cut after a word where it must be, and why the last check failed where that fits.
fn about(row: &ListRow, room: usize) -> String {
    let title = escape(&row.title);
    if let Some(reason) = row.reason.as_ref().filter(|_| row.state == LessonState::Tried) {
        let both = format!("{title} ({})", escape(reason));
        if text_width(&both) <= room {
            return both;
        }
    }
    if text_width(&title) <= room {
        return title;
    }
    match truncate(&title, room).rsplit_once(' ') {
        Some((words, _)) => format!("{words} …"),
        None => truncate(&title, room),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_whole_or_not_there() {
        let row = ListRow {
            number: 1,
            slug: "map".into(),
            part: String::new(),
            part_title: String::new(),
            title: "One thread, one element".into(),
            minutes: 5,
            state: LessonState::Tried,
            reason: Some("wrong-result".into()),
            current: false,
            passed_at: None,
            hints: 0,
            file: String::new(),
        };
        assert_eq!(about(&row, 40), "One thread, one element (wrong-result)");
        assert_eq!(about(&row, 30), "One thread, one element");
        assert_eq!(about(&row, 15), "One thread, …");
    }
}
