//! Times of submission: RFC 3339 timestamps in a CSV.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toml::value::Datetime;

/// A time in seconds since 1970, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Converts a date and time with its offset from UTC.
    ///
    /// # Errors
    ///
    /// Fails if date, time or offset is missing.
    pub fn of(datetime: &Datetime) -> Result<Timestamp> {
        Timestamp::written(datetime, &datetime.to_string())
    }

    /// The same; `text` is the date and time as it was written, which is what is quoted.
    fn written(datetime: &Datetime, text: &str) -> Result<Timestamp> {
        let (Some(date), Some(time), Some(offset)) = (datetime.date, datetime.time, datetime.offset) else {
            bail!("{text}: a date, a time and its offset from UTC are needed, as in 2026-11-30T23:59:00Z");
        };
        let minutes = match offset {
            toml::value::Offset::Z => 0,
            toml::value::Offset::Custom { minutes } => i64::from(minutes),
        };
        let days = days_from_civil(i64::from(date.year), i64::from(date.month), i64::from(date.day));
        let of_day = i64::from(time.hour) * 3600 + i64::from(time.minute) * 60 + i64::from(time.second);
        Ok(Timestamp(days * 86_400 + of_day - minutes * 60))
    }

    fn parse(text: &str) -> Result<Timestamp> {
        let datetime: Datetime = text.trim().parse().with_context(|| {
            format!("\"{}\" is not a time: write it as 2026-11-30T23:59:00Z", text.trim().escape_debug())
        })?;
        Timestamp::written(&datetime, text.trim())
    }
}

/// Returns the number of days from 1970-01-01 to a date (Howard Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms").
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Times of submission by student, or by student and lesson where the CSV has lessons.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Times(BTreeMap<(String, Option<String>), Timestamp>);

impl Times {
    /// Parses a CSV with the columns `student` and `time`, and optionally `lesson`, in any order. An empty lesson
    /// means all lessons.
    ///
    /// # Errors
    ///
    /// Fails if a column is missing or a time is invalid; the message names the line.
    pub fn parse(csv: &str) -> Result<Times> {
        let mut rows = records(csv).into_iter();
        let header = rows.next().unwrap_or_default();
        let column = |name: &str| header.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
        let (Some(student), Some(time)) = (column("student"), column("time")) else {
            bail!("the first line must name the columns: student, time and, if lessons differ, lesson");
        };
        let lesson = column("lesson");
        let mut times = BTreeMap::new();
        for (n, row) in rows.enumerate().filter(|(_, row)| row.iter().any(|cell| !cell.trim().is_empty())) {
            let cell = |at: usize| row.get(at).map_or("", |cell| cell.trim());
            let at = Timestamp::parse(cell(time)).with_context(|| format!("line {}", n + 2))?;
            let of = lesson.map(cell).filter(|lesson| !lesson.is_empty()).map(str::to_owned);
            times.insert((cell(student).to_owned(), of), at);
        }
        Ok(Times(times))
    }

    /// Returns whether no time is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the students who have a time, and the lessons that times are given for.
    pub fn names(&self) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let students = self.0.keys().map(|(student, _)| student.as_str());
        (students.collect(), self.0.keys().filter_map(|(_, lesson)| lesson.as_deref()).collect())
    }

    /// Returns when a student submitted a lesson, if that is known.
    pub fn of(&self, student: &str, lesson: &str) -> Option<Timestamp> {
        let of = |lesson: Option<String>| self.0.get(&(student.to_owned(), lesson)).copied();
        of(Some(lesson.to_owned())).or_else(|| of(None))
    }
}

/// Returns the cells of a CSV (RFC 4180), row by row.
pub fn records(csv: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = csv.trim_start_matches('\u{feff}').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if !quoted => {}
            c => cell.push(c),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_a_student_or_of_one_of_the_lessons() {
        let times = Times::parse(
            "time,Student,lesson\n1970-01-02T00:00:00Z,ada,\n1970-01-02 01:00:00+01:00,ada,map\n\n",
        )
        .unwrap();
        assert_eq!(times.of("ada", "zip"), Some(Timestamp(86_400)));
        assert_eq!(times.of("ada", "map"), Some(Timestamp(86_400)));
        assert_eq!(times.of("bob", "map"), None);
        assert_eq!(Timestamp::parse("2026-11-30T23:59:00Z").unwrap(), Timestamp(1_796_083_140));
        assert_eq!(Timestamp::parse("2000-02-29T00:00:00-02:00").unwrap(), Timestamp(951_789_600));
        for (text, says) in [
            ("a,b\n", "columns"),
            ("student,time\nada,soon\n", "line 2"),
            ("student,time\nada,2026-11-30\n", "line 2"),
            ("student,time\nada,2026-11-30 23:59:00\n", "line 2: 2026-11-30 23:59:00: a date"),
        ] {
            assert!(format!("{:#}", Times::parse(text).unwrap_err()).contains(says), "{text}");
        }
    }

    #[test]
    fn cells_may_hold_anything() {
        assert_eq!(records("a,\"b,\"\"c\"\n\"d\ne\",f"), [vec!["a", "b,\"c"], vec!["d\ne", "f"]]);
    }
}
