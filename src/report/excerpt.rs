//! Lines of the learner's file, with what matters on them marked.

use super::escape::is_hidden;
use super::layout::{char_width, text_width, truncate, wrap};
use super::{escape, paint};
use serde::{Deserialize, Serialize};

/// Some lines of a file, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Excerpt {
    pub lines: Vec<ExcerptLine>,
}

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
    /// It is read, not written.
    pub read: bool,
}

/// Lines between two marked ones that are still shown.
const GAP: u32 = 3;

impl Excerpt {
    /// The lines of the spots with the short gaps between them. Lines that the source lacks are
    /// left out.
    pub fn of(source: &str, spots: &[Spot]) -> Excerpt {
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
        let mut lines: Vec<ExcerptLine> = Vec::new();
        let mut numbers = numbers.into_iter().peekable();
        for (i, text) in source.lines().enumerate() {
            let Some(&next) = numbers.peek() else { break };
            if i as u64 + 1 == next as u64 {
                lines.push(ExcerptLine { line: next, text: text.to_string(), marks: Vec::new() });
                numbers.next();
            }
        }
        for spot in spots {
            if let Some(found) = lines.iter_mut().find(|l| l.line == spot.line) {
                let (start, length) = span(&found.text, spot);
                found.marks.push(Mark { start, length, label: spot.label.clone() });
            }
        }
        for line in &mut lines {
            line.marks.sort_by_key(|m| m.start);
        }
        Excerpt { lines }
    }

    /// The lines numbered, each mark underlined with its label beside or below it.
    pub(super) fn render(&self, width: usize) -> String {
        let Some(last) = self.lines.last() else { return String::new() };
        let gutter = last.line.to_string().len().max(3);
        let margin = self.lines.iter().filter(|l| !l.text.trim().is_empty()).map(|l| leading(&l.text)).min();
        let margin = margin.unwrap_or(0);
        let room = width.saturating_sub(gutter + 5).max(16);
        let empty = format!("{:gutter$} │", "");
        let mut out = String::new();
        let mut previous = None;
        for line in &self.lines {
            if previous.is_some_and(|p| p + 1 != line.line) {
                out += &paint::dim(&format!("{:gutter$} ⋮\n", ""));
            }
            previous = Some(line.line);
            let shown = Shown::new(line, margin, room);
            let number = paint::dim(&format!("{:>gutter$} │", line.line));
            out += format!("{number} {}", shown.text).trim_end();
            out.push('\n');
            let mut before = None;
            for (start, columns, label) in shown.marks {
                let again = before.replace((start, columns)) == Some((start, columns));
                let under = format!("{:start$}{}", "", if again { " " } else { "─" }.repeat(columns));
                let label = escape(&label);
                let beside = text_width(&under) + 1 + text_width(&label) <= room;
                if label.is_empty() || beside {
                    let label = paint::code(vec![label]).concat();
                    out += &format!("{} {} {label}", paint::dim(&empty), paint::bad(&under));
                    out.truncate(out.trim_end().len());
                    out.push('\n');
                    continue;
                }
                if !again {
                    out += &format!("{} {}\n", paint::dim(&empty), paint::bad(&under));
                }
                let indent = start.min(room.saturating_sub(text_width(&label)));
                for part in paint::code(wrap(&label, room, indent)) {
                    out += &format!("{} {part}\n", paint::dim(&empty));
                }
            }
        }
        out
    }
}

/// A line cut to the room, with where its marks came to lie.
struct Shown {
    text: String,
    /// Column, columns, label.
    marks: Vec<(usize, usize, String)>,
}

impl Shown {
    fn new(line: &ExcerptLine, margin: usize, room: usize) -> Shown {
        // Escaping widens characters: columns of each one's start.
        let mut columns = Vec::new();
        let mut at = 0;
        let mut text = String::new();
        for c in line.text.chars() {
            columns.push(at);
            let piece = match c {
                '\t' => "    ".to_string(),
                c if is_hidden(c) => escape(c.encode_utf8(&mut [0; 4])),
                c => c.to_string(),
            };
            at += text_width(&piece);
            text += &piece;
        }
        columns.push(at);
        let column = |i: u32| columns.get(i as usize).copied().unwrap_or(at);
        // A line too long to show whole is cut around its first mark.
        let first = line.marks.first().map_or(0, |m| column(m.start));
        let skip = if at.saturating_sub(margin) <= room || first < margin + room * 2 / 3 {
            margin
        } else {
            first.saturating_sub(room / 3)
        };
        let mut skipped = 0;
        let mut rest = text.as_str();
        while skipped < skip {
            let Some(c) = rest.chars().next() else { break };
            skipped += char_width(c);
            rest = &rest[c.len_utf8()..];
        }
        let marks = line.marks.iter().map(|m| {
            let start = column(m.start).saturating_sub(skipped).min(room.saturating_sub(1));
            let end =
                column(m.start + m.length).saturating_sub(skipped).clamp(start + 1, room.max(start + 1));
            (start, end - start, m.label.clone())
        });
        Shown { text: truncate(rest, room), marks: marks.collect() }
    }
}

/// Columns of the white space at the start, a tab being four.
fn leading(text: &str) -> usize {
    text.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// The characters to underline: the element that is meant; else what begins at the column, an
/// element or a call with its brackets, a word, or one character; else the whole statement.
fn span(line: &str, spot: &Spot) -> (u32, u32) {
    let chars: Vec<char> = line.chars().collect();
    let code = code_end(&chars);
    let start = (spot.column as usize).wrapping_sub(1);
    let (start, end) = match spot.element.and_then(|name| element(&chars[..code], name, spot.read)) {
        Some(found) => found,
        None if start < chars.len() => {
            let end = expression_end(&chars, start);
            let rest: String = chars[end..code.max(end)].iter().collect();
            match spot.read && spot.element.is_some() && assigns(&rest) {
                // What is read stands on the other side, under a name we don't know.
                true => (start, statement_end(&chars, start, code)),
                false => (start, end),
            }
        }
        None => {
            let start = chars.iter().take_while(|c| c.is_whitespace()).count();
            (start, statement_end(&chars, start, code))
        }
    };
    (start as u32, end.saturating_sub(start).max(1) as u32)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where a comment begins, or the line ends.
fn code_end(chars: &[char]) -> usize {
    chars.windows(2).position(|w| w == ['/', '/'] || w == ['/', '*']).unwrap_or(chars.len())
}

/// The end of the code of a statement, without white space.
fn statement_end(chars: &[char], start: usize, code: usize) -> usize {
    let code = if code > start { code } else { chars.len() };
    (start..code).rev().find(|&i| !chars[i].is_whitespace()).map_or(code, |i| i + 1)
}

/// `= …`, `+= …`, but not `== …`.
fn assigns(rest: &str) -> bool {
    let rest = rest.trim_start();
    let operator = rest.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
    operator.starts_with('=') && !operator.starts_with("==")
}

/// From the first to the last `name[…]` on the side of the assignment that is read or written.
fn element(chars: &[char], name: &str, read: bool) -> Option<(usize, usize)> {
    let name: Vec<char> = name.chars().collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for start in 0..chars.len() {
        let here = chars[start..].starts_with(&name)
            && chars.get(start + name.len()) == Some(&'[')
            && !start.checked_sub(1).is_some_and(|before| is_word(chars[before]) || chars[before] == '.');
        if here && found.last().is_none_or(|&(_, end)| start >= end) {
            let end = closing(chars, start + name.len())? + 1;
            found.push((start, end));
        }
    }
    let written = |&(_, end): &(usize, usize)| {
        let rest: String = chars[end..].iter().collect();
        assigns(&rest)
    };
    let (left, right): (Vec<(usize, usize)>, Vec<_>) = found.into_iter().partition(written);
    let side = match (read, left.is_empty(), right.is_empty()) {
        (true, _, false) | (false, true, _) => right,
        _ => left,
    };
    Some((side.first()?.0, side.last()?.1))
}

/// The end of what begins at `start`: a word with the brackets and members that follow it, or one
/// character.
fn expression_end(chars: &[char], start: usize) -> usize {
    if !is_word(chars[start]) {
        return start + 1;
    }
    let mut end = start;
    loop {
        while end < chars.len() && is_word(chars[end]) {
            end += 1;
        }
        match chars.get(end) {
            Some('[' | '(') => match closing(chars, end) {
                Some(close) => end = close + 1,
                None => return end,
            },
            Some('.') if chars.get(end + 1).is_some_and(|&c| is_word(c)) => end += 1,
            _ => return end,
        }
    }
}

/// The bracket that closes the one at `open`.
fn closing(chars: &[char], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (i, c) in chars.iter().enumerate().skip(open) {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(i);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(excerpt: &Excerpt, width: usize) -> String {
        colored::control::set_override(false);
        excerpt.render(width)
    }

    fn spot(line: u32, column: u32, label: &str) -> Spot<'static> {
        Spot { line, column, label: label.into(), ..Spot::default() }
    }

    #[test]
    fn what_begins_at_the_column_is_underlined() {
        let at = |line, column| span(line, &spot(1, column, ""));
        assert_eq!(at("  s[threadIdx.x] = in[i];", 3), (2, 14));
        assert_eq!(at("  __syncthreads();", 3), (2, 15));
        assert_eq!(at("a + b", 3), (2, 1));
        assert_eq!(at("  x = 1;  // why", 0), (2, 6));
        assert_eq!(at("  x = 1;  ", 99), (2, 6));
        assert_eq!(at("f(a[", 1), (0, 1));
        assert_eq!(at("", 7), (0, 1));
        assert_eq!(at("é = s[0];", 5), (4, 4));
        assert_eq!(at("// only a comment", 0), (0, 17));
    }

    #[test]
    fn the_element_that_is_meant_is_underlined() {
        let of = |line: &str, name: &str, read| {
            let spot = Spot { line: 1, column: 1, element: Some(name), read, ..Spot::default() };
            let (start, length) = span(line, &spot);
            line.chars().skip(start as usize).take(length as usize).collect::<String>()
        };
        let line = "out[i] = in[i] + in[i + 1]; // in[i]";
        assert_eq!(of(line, "out", false), "out[i]");
        assert_eq!(of(line, "in", true), "in[i] + in[i + 1]");
        let line = "s[t] += s[t + half];";
        assert_eq!(of(line, "s", true), "s[t + half]");
        assert_eq!(of(line, "s", false), "s[t]");
        assert_eq!(of("atomicAdd(&s[k], 1);", "s", false), "s[k]");
        assert_eq!(of("if (s[k] == 0) x = 1;", "s", true), "s[k]");
        assert_eq!(of("ss[0] = s[index[k]];", "s", true), "s[index[k]]");
        assert_eq!(of("s[0]++;", "s", false), "s[0]");
        // Under another name: an element that is written is the one at the column; what is read is
        // somewhere in the statement.
        assert_eq!(of("p[i] = q[i];", "out", false), "p[i]");
        assert_eq!(of("p[i] = q[i]; // in", "in", true), "p[i] = q[i];");
    }

    #[test]
    fn far_lines_are_parted() {
        let source = "one\ntwo\nthree\nfour\nfive\nsix\nseven";
        let excerpt = Excerpt::of(source, &[spot(7, 1, "later"), spot(1, 1, "earlier")]);
        assert_eq!(
            plain(&excerpt, 80),
            "  1 │ one\n    │ ─── earlier\n    ⋮\n  7 │ seven\n    │ ───── later\n"
        );
        let near = Excerpt::of(source, &[spot(1, 1, ""), spot(3, 1, "")]);
        assert_eq!(near.lines.len(), 3);
    }

    #[test]
    fn a_line_the_source_lacks_is_left_out() {
        assert_eq!(Excerpt::of("a\n", &[spot(9, 1, "x"), spot(0, 0, "y")]), Excerpt::default());
        assert_eq!(plain(&Excerpt::default(), 80), "");
    }

    #[test]
    fn marks_at_one_place_are_underlined_once() {
        let excerpt = Excerpt::of("s[0]++;", &[spot(1, 1, "reads"), spot(1, 1, "writes")]);
        assert_eq!(plain(&excerpt, 80), "  1 │ s[0]++;\n    │ ──── reads\n    │      writes\n");
    }

    #[test]
    fn hidden_characters_are_spelt_out_and_marks_still_fit() {
        let excerpt = Excerpt::of("\t\u{202e}x[0] = 1;\x1b[31m", &[spot(1, 3, "here")]);
        let text = plain(&excerpt, 80);
        assert!(!text.chars().any(|c| c != '\n' && is_hidden(c)), "{text:?}");
        assert_eq!(text, "  1 │ \\u{202e}x[0] = 1;\\x1b[31m\n    │         ──── here\n");
    }

    #[test]
    fn a_long_line_is_cut_around_its_mark() {
        let line = format!("{}out[i] = 1;{}", "a + ".repeat(50), " // tail".repeat(20));
        let excerpt = Excerpt::of(&line, &[spot(1, 201, "thread 0 writes out[0]")]);
        for width in [40, 80] {
            let text = plain(&excerpt, width);
            assert!(text.lines().all(|l| text_width(l) <= width), "{text}");
            assert!(text.contains("out[i]") && text.contains("──────"), "{text}");
        }
    }
}
