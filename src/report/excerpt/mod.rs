//! Lines of the learner's file with marks on the relevant expressions.

mod expression;
pub(super) mod snippet;

use cpp::Source;
use expression::span;
use serde::{Deserialize, Serialize};

/// Some lines of a file, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Excerpt {
    pub lines: Vec<ExcerptLine>,
}

/// A line with its marks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExcerptLine {
    /// 1-based.
    pub line: u32,
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

/// A part of a line and what happens there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// 0-based, in characters.
    pub start: u32,
    /// In characters, at least one.
    pub length: u32,
    pub label: String,
    /// Whether this is what the message is about; other marks are context.
    #[serde(default)]
    pub primary: bool,
}

/// Where to put a mark.
#[derive(Clone, Debug, Default)]
pub struct Spot<'a> {
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters; 0 where it is not known.
    pub column: u32,
    pub label: String,
    /// The array whose element is meant. The compiler's columns are those of statements: on
    /// `out[i] = in[i]` both accesses come with the column of `out`.
    pub element: Option<&'a str>,
    /// Whether the element is read instead of written.
    pub read: bool,
    /// Whether this is what the message is about.
    pub primary: bool,
    /// The function that is called there.
    pub call: Option<&'a str>,
    /// Whether the column is that of a statement, as in the compiler's line table, instead of an expression.
    pub statement: bool,
}

/// Characters kept of a line after its last mark: more than any page shows.
const BEHIND: usize = 400;
/// Largest distance of two marked lines whose lines in between are shown as well.
const GAP: u32 = 3;

impl Excerpt {
    /// Returns the spots' lines with the short gaps between them. Lines that the source does not have are left
    /// out.
    pub fn of(source: &Source, spots: &[Spot]) -> Excerpt {
        let mut wanted: Vec<u32> = spots.iter().map(|s| s.line).filter(|&l| l > 0).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut numbers = Vec::new();
        for line in wanted {
            if let Some(&last) = numbers.last()
                && line - last <= GAP
            {
                numbers.extend(last + 1..line);
            }
            numbers.push(line);
        }
        let shown =
            |line| source.line(line).map(|text| ExcerptLine { line, text: text.into(), marks: Vec::new() });
        let mut lines: Vec<ExcerptLine> = numbers.into_iter().map_while(shown).collect();
        for spot in spots {
            if let Some(found) = lines.iter_mut().find(|l| l.line == spot.line) {
                let (start, length) = span_of(source, spot);
                found.marks.push(Mark { start, length, label: spot.label.clone(), primary: spot.primary });
            }
        }
        for line in &mut lines {
            line.marks.sort_by_key(|m| m.start);
            let end = line.marks.iter().map(|m| m.start.saturating_add(m.length) as usize).max().unwrap_or(0);
            if let Some((at, _)) = line.text.char_indices().nth(end + BEHIND) {
                line.text.truncate(at);
            }
        }
        Excerpt { lines }
    }
}

/// Returns the characters that a spot covers in its line: 0-based start, and length.
pub(super) fn span_of(source: &Source, spot: &Spot) -> (u32, u32) {
    let code = source.code_line(spot.line);
    span(if code.trim().is_empty() { source.line(spot.line).unwrap_or_default() } else { code }, spot)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn spot(line: u32, column: u32, label: &str) -> Spot<'static> {
        Spot { line, column, label: label.into(), ..Spot::default() }
    }

    #[test]
    fn short_gaps_are_shown_and_long_ones_are_not() {
        let source = Source::new("one\ntwo\nthree\nfour\nfive\nsix\nseven");
        let lines =
            |spots: &[Spot]| Excerpt::of(&source, spots).lines.iter().map(|l| l.line).collect::<Vec<_>>();
        assert_eq!(lines(&[spot(7, 1, "later"), spot(1, 1, "earlier")]), [1, 7]);
        assert_eq!(lines(&[spot(1, 1, ""), spot(3, 1, "")]), [1, 2, 3]);
    }

    #[test]
    fn a_very_long_line_is_kept_up_to_where_it_matters() {
        let source = format!("é = nothing;  // {}", "é".repeat(1 << 20));
        let excerpt = Excerpt::of(&Source::new(&source), &[spot(1, 5, "here")]);
        assert_eq!((excerpt.lines[0].marks[0].start, excerpt.lines[0].marks[0].length), (4, 7));
        assert_eq!(excerpt.lines[0].text.chars().count(), 11 + BEHIND);
    }

    #[test]
    fn a_line_the_source_lacks_is_left_out() {
        assert_eq!(Excerpt::of(&Source::new("a\n"), &[spot(9, 1, "x"), spot(0, 0, "y")]), Excerpt::default());
    }
}
