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

/// Lines between two marked ones that are still shown.
const GAP: u32 = 3;

impl Excerpt {
    /// The lines of `places` (line and byte column, both 1-based, column 0 where it is not known;
    /// label) with the short gaps between them. Lines that the source lacks are left out.
    pub fn of(source: &str, places: &[(u32, u32, String)]) -> Excerpt {
        let mut wanted: Vec<u32> = places.iter().map(|p| p.0).filter(|&l| l > 0).collect();
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
        for (line, column, label) in places {
            if let Some(found) = lines.iter_mut().find(|l| l.line == *line) {
                let (start, length) = span(&found.text, *column);
                found.marks.push(Mark { start, length, label: label.clone() });
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
            for (start, columns, label) in shown.marks {
                let under = format!("{:start$}{}", "", "─".repeat(columns));
                let label = escape(&label);
                let beside = text_width(&under) + 1 + text_width(&label) <= room;
                if label.is_empty() || beside {
                    out += &format!("{} {} {}", paint::dim(&empty), paint::bad(&under), label);
                    out.truncate(out.trim_end().len());
                    out.push('\n');
                    continue;
                }
                out += &format!("{} {}\n", paint::dim(&empty), paint::bad(&under));
                let indent = start.min(room.saturating_sub(text_width(&label)));
                for part in wrap(&label, room, indent) {
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

/// The characters to underline from a 1-based byte column: an element or a call with its brackets,
/// a word, or one character; the whole line where the column is not known.
fn span(line: &str, column: u32) -> (u32, u32) {
    let chars: Vec<char> = line.chars().collect();
    let byte = (column as usize).wrapping_sub(1);
    let Some(start) =
        (column > 0).then(|| line.char_indices().position(|(at, c)| byte < at + c.len_utf8())).flatten()
    else {
        let start = chars.iter().take_while(|c| c.is_whitespace()).count();
        let end = line.trim_end().chars().count();
        return (start as u32, end.saturating_sub(start).max(1) as u32);
    };
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = start;
    if word(chars[start]) {
        loop {
            while end < chars.len() && word(chars[end]) {
                end += 1;
            }
            match chars.get(end) {
                Some('[' | '(') => match closing(&chars, end) {
                    Some(close) => end = close + 1,
                    None => break,
                },
                Some('.') if chars.get(end + 1).is_some_and(|&c| word(c)) => end += 1,
                _ => break,
            }
        }
    } else {
        end = start + 1;
    }
    (start as u32, (end - start) as u32)
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

    #[test]
    fn an_element_is_underlined_with_its_brackets() {
        assert_eq!(span("  s[threadIdx.x] = in[i];", 3), (2, 14));
        assert_eq!(span("  __syncthreads();", 3), (2, 15));
        assert_eq!(span("a + b", 3), (2, 1));
        assert_eq!(span("  x = 1;  ", 0), (2, 6));
        assert_eq!(span("f(a[", 1), (0, 1));
        assert_eq!(span("", 7), (0, 1));
        assert_eq!(span("é = s[0];", 6), (4, 4), "columns are bytes");
    }

    #[test]
    fn far_lines_are_parted() {
        let source = "one\ntwo\nthree\nfour\nfive\nsix\nseven";
        let excerpt = Excerpt::of(source, &[(7, 1, "later".into()), (1, 1, "earlier".into())]);
        assert_eq!(
            plain(&excerpt, 80),
            "  1 │ one\n    │ ─── earlier\n    ⋮\n  7 │ seven\n    │ ───── later\n"
        );
        let near = Excerpt::of(source, &[(1, 1, String::new()), (3, 1, String::new())]);
        assert_eq!(near.lines.len(), 3);
    }

    #[test]
    fn a_line_the_source_lacks_is_left_out() {
        assert_eq!(Excerpt::of("a\n", &[(9, 1, "x".into()), (0, 0, "y".into())]), Excerpt::default());
        assert_eq!(plain(&Excerpt::default(), 80), "");
    }

    #[test]
    fn hidden_characters_are_spelt_out_and_marks_still_fit() {
        let excerpt = Excerpt::of("\t\u{202e}x[0] = 1;\x1b[31m", &[(1, 5, "here".into())]);
        let text = plain(&excerpt, 80);
        assert!(!text.chars().any(|c| c != '\n' && is_hidden(c)), "{text:?}");
        assert_eq!(text, "  1 │ \\u{202e}x[0] = 1;\\x1b[31m\n    │         ──── here\n");
    }

    #[test]
    fn a_long_line_is_cut_around_its_mark() {
        let line = format!("{}out[i] = 1;{}", "a + ".repeat(50), " // tail".repeat(20));
        let excerpt = Excerpt::of(&line, &[(1, 201, "thread 0 writes out[0]".into())]);
        for width in [40, 80] {
            let text = plain(&excerpt, width);
            assert!(text.lines().all(|l| text_width(l) <= width), "{text}");
            assert!(text.contains("out[i]") && text.contains("──────"), "{text}");
        }
    }
}
