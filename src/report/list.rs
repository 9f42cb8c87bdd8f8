//! The course as a list: what is done, and what comes next.

use super::layout::{pad, pad_left, spread, text_width, truncate};
use super::{Style, escape, paint};
use serde::Serialize;

/// Every lesson and its state.
#[derive(Clone, Debug, Serialize)]
pub struct ListView {
    /// Number of lessons passed.
    pub done: usize,
    pub lessons: Vec<ListRow>,
}

/// One lesson.
#[derive(Clone, Debug, Serialize)]
pub struct ListRow {
    /// Position in the course, from 1.
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
    /// Whether this is the lesson that `next` shows.
    pub current: bool,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed_at: Option<u64>,
    /// Number of hints shown.
    pub hints: u8,
    pub file: String,
}

/// The learner's state in a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LessonState {
    Done,
    Tried,
    New,
}

/// Which parts show their lessons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListDetail {
    /// Only the part of the current lesson; every other part is one line with a bar.
    CurrentPart,
    All,
}

/// Renders the course, part by part.
pub fn list(view: &ListView, unfolded: ListDetail, style: &Style) -> String {
    let columns = Columns::of(view, unfolded);
    let mut out = String::new();
    for rows in view.lessons.chunk_by(|a, b| a.part == b.part) {
        let open = unfolded == ListDetail::All || rows.iter().any(|row| row.current);
        if open {
            let gap = if out.is_empty() { "" } else { "\n" };
            out += &format!("{gap}{}\n", paint::bold(&escape(&rows[0].part_title)));
            out.extend(rows.iter().map(|row| columns.lesson(row, style)));
            if unfolded == ListDetail::CurrentPart {
                out.push('\n');
            }
        } else {
            out += &columns.part(rows, style);
        }
    }
    let left = format!("{} of {} done", view.done, view.lessons.len());
    let right = match view.lessons.iter().find(|r| r.current) {
        Some(row) => format!("next: {}", escape(&row.slug)),
        None => "all done".into(),
    };
    let gap = if out.ends_with("\n\n") { "" } else { "\n" };
    out + gap + &spread(&left, &right, style.width, str::to_string)
}

/// Column widths that the lines share.
struct Columns {
    number: usize,
    slug: usize,
    /// Width of the parts' titles.
    title: usize,
}

impl Columns {
    fn of(view: &ListView, unfolded: ListDetail) -> Columns {
        let part = view.lessons.iter().find(|row| row.current).map(|row| &row.part);
        let shown = |row: &&ListRow| unfolded == ListDetail::All || Some(&row.part) == part;
        let widest = |f: fn(&ListRow) -> usize| view.lessons.iter().filter(shown).map(f).max().unwrap_or(0);
        Columns {
            number: widest(|row| row.number.to_string().len()),
            slug: widest(|row| text_width(&escape(&row.slug))),
            title: view.lessons.iter().map(|row| text_width(&escape(&row.part_title))).max().unwrap_or(0),
        }
    }

    /// Renders one lesson: its state, number, name, title and minutes.
    fn lesson(&self, row: &ListRow, style: &Style) -> String {
        let (mark, colour): (&str, fn(&str) -> String) = match row.state {
            LessonState::Done => ("✓", paint::good),
            LessonState::Tried => ("✗", paint::bad),
            LessonState::New => ("·", paint::dim),
        };
        let name = pad(&escape(&row.slug), self.slug);
        let name = if row.current { paint::accent(&name) } else { name };
        let arrow = if row.current { paint::accent("→") } else { " ".into() };
        let used = 2 + 2 + self.number + 2 + self.slug + 2;
        let minutes = format!("{:>3} min", row.minutes);
        let number = pad_left(&row.number.to_string(), self.number);
        let line = format!("{arrow} {} {number}  {name}", colour(mark));
        let room = style.width.saturating_sub(used + 2 + minutes.len());
        if room < 12 {
            return line + "\n";
        }
        format!("{line}  {}  {}\n", pad(&about(row, room), room), paint::dim(&minutes))
    }

    /// Renders a part in one line: its title, how much of it is done, and how long the remaining lessons take.
    fn part(&self, rows: &[ListRow], style: &Style) -> String {
        const BAR: usize = 20;
        let done = rows.iter().filter(|row| row.state == LessonState::Done).count();
        let (mark, colour): (&str, fn(&str) -> String) =
            if done == rows.len() { ("✓", paint::good) } else { ("·", paint::dim) };
        let count = format!("{done:>2} of {:>2}", rows.len());
        let title = self.title.min(style.width.saturating_sub(4 + 2 + count.len()));
        let title = pad(&truncate(&escape(&rows[0].part_title), title), title);
        let line = format!("  {} {title}  {count}", colour(mark));
        let left: u32 = rows.iter().filter(|r| r.state != LessonState::Done).map(|r| r.minutes).sum();
        let hours = if left == 0 { String::new() } else { format!("  {:>4.1} h", f64::from(left) / 60.0) };
        if style.width < 4 + self.title + 2 + count.len() + 2 + BAR + hours.len() {
            return line + "\n";
        }
        // Anything begun shows as at least one cell, and only a finished part has a full bar.
        let full = if done == 0 { 0 } else { (BAR * done / rows.len()).max(1) };
        let bar = format!("{}{}", colour(&"█".repeat(full)), paint::dim(&"░".repeat(BAR - full)));
        format!("{line}  {bar}{}\n", paint::dim(&hours))
    }
}

/// Returns the title, cut after a word if need be, with the reason why the last check failed where that fits.
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
