//! Widths, wrapping, padding and numbers.
//!
//! Wrapping is implemented here instead of with textwrap, whose separators can say where words end but not which
//! words may be cut: here an index or a number in groups stays whole, a path is never cut, and other long words
//! are.

use super::{Style, paint};
use unicode_width::UnicodeWidthChar;

/// Returns the number of columns that a character occupies (Unicode UAX 11): 0 for combining marks and controls,
/// 2 for wide East Asian characters and emoji, else 1.
pub fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Returns the number of columns that a text occupies. The text must not be painted.
pub fn text_width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Breaks a text at spaces so that no line is wider than `width` columns. A longer word is cut, a path is not.
/// Runs of spaces collapse into one; each line begins with `indent` spaces.
pub fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let room = width.saturating_sub(indent).max(8);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in words(text) {
        let mut word = word.as_str();
        loop {
            let columns = text_width(word);
            let space = usize::from(used > 0);
            if used + space + columns <= room {
                if space == 1 {
                    line.push(' ');
                }
                line.push_str(word);
                used += space + columns;
                break;
            }
            if used > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
                continue;
            }
            // A path stays whole, so that it can be copied; the terminal breaks it.
            let (head, tail) = if word.starts_with('/') { (word, "") } else { split_at_width(word, room) };
            lines.push(head.to_string());
            word = tail;
        }
    }
    if used > 0 {
        lines.push(line);
    }
    lines.into_iter().map(|line| format!("{:indent$}{line}", "")).collect()
}

/// Wraps a text behind a head, which its first line begins with; the other lines are indented as far.
pub fn hanging(head: &str, text: &str, width: usize) -> Vec<String> {
    let indent = text_width(head);
    let mut lines = wrap(text, width, indent);
    if let Some(first) = lines.first_mut() {
        first.replace_range(..indent, head);
    }
    lines
}

/// Splits a text into words. An index such as `[0, 2]` or `(0, 2)` is one word, and so is a number such as
/// `2 097 k`.
fn words(text: &str) -> Vec<String> {
    let open = |word: &str| {
        let index = word.strip_suffix(',').and_then(|word| Some(&word[word.rfind(['[', '('])? + 1..]));
        index.is_some_and(|index| index.chars().all(|c| c.is_ascii_digit() || c == ',' || c == ' '))
    };
    let digits = |word: &str| word.chars().next_back().is_some_and(|c| c.is_ascii_digit());
    let group = |word: &str| {
        let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
        end == 3
            && !word[end..]
                .starts_with(|c: char| c.is_alphabetic() || matches!(c, '.' | '-') && word.len() > 4)
            || word.trim_end_matches(['.', ',', ')', ':', ';']) == "k"
    };
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last) if open(last) || digits(last) && group(word) => *last += &format!(" {word}"),
            _ => words.push(word.to_string()),
        }
    }
    words
}

/// Like [`wrap`], but returns one string with every line ended and `code` in it painted.
pub fn paragraph(text: &str, width: usize, indent: usize) -> String {
    paint::code(wrap(text, width, indent)).into_iter().map(|line| line + "\n").collect()
}

/// Splits a text after as many characters as fit `width` columns, but at least one.
fn split_at_width(text: &str, width: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += char_width(c);
        if used > width && at > 0 {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// Cuts a text to `width` columns; the last one is an ellipsis if anything was cut.
pub fn truncate(text: &str, width: usize) -> String {
    if text_width(text) <= width {
        return text.to_string();
    }
    let (head, _) = split_at_width(text, width.saturating_sub(1).max(1));
    format!("{head}…")
}

/// Pads on the right to `width` columns.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{:1$}", "", width.saturating_sub(text_width(text)))
}

/// Pads on the left to `width` columns.
pub fn pad_left(text: &str, width: usize) -> String {
    format!("{:1$}{text}", "", width.saturating_sub(text_width(text)))
}

/// Lays out `left`, wrapped if needed, with `right` right-aligned on its last line if there is room, and omitted
/// otherwise. `paint_left` colours the left part.
pub fn spread(left: &str, right: &str, width: usize, paint_left: fn(&str) -> String) -> String {
    if right.is_empty() {
        return wrap(left, width, 0).into_iter().map(|line| paint_left(&line) + "\n").collect();
    }
    let (l, r) = (text_width(left), text_width(right));
    if l + 2 + r <= width {
        return format!("{}{:3$}{}\n", paint_left(left), "", paint::dim(right), width - l - r);
    }
    let lines = wrap(left, width, 0);
    let last = lines.len().saturating_sub(1);
    let ended = lines.into_iter().enumerate().map(|(i, line)| {
        let l = text_width(&line);
        if i == last && l + 2 + r <= width {
            return format!("{}{:3$}{}\n", paint_left(&line), "", paint::dim(right), width - l - r);
        }
        paint_left(&line) + "\n"
    });
    ended.collect()
}

/// Renders a rule across the page.
pub fn rule(width: usize) -> String {
    paint::dim(&"─".repeat(width)) + "\n"
}

/// Formats `16777216` as `16 777 216`.
pub fn grouped(n: u64) -> String {
    grouped_by(n.into(), ' ')
}

/// Formats a number with its digits in groups of three: `1,000,000` where the separator is a comma.
pub fn grouped_by(n: u128, separator: char) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}

/// Formats two counts for comparison: large ones in thousands (`16 777 k`), unless different counts would then
/// read the same.
pub fn counts_to_compare(a: u64, b: u64) -> (String, String) {
    let short = |n: u64| {
        if n < 1_000_000 { grouped(n) } else { grouped(n / 1000 + u64::from(n % 1000 >= 500)) + " k" }
    };
    let (x, y) = (short(a), short(b));
    if x == y && a != b { (grouped(a), grouped(b)) } else { (x, y) }
}

/// Returns the unit that suits a time, and the unit's nanoseconds; `None` below a microsecond.
pub fn unit_of_time(ns: u64) -> Option<(&'static str, f64)> {
    [("s", 1e9), ("ms", 1e6), ("µs", 1e3)].into_iter().find(|(_, scale)| ns as f64 >= *scale)
}

/// Formats two times for comparison, in the unit that suits the longer one (`541.79 ms`), unless different times
/// would then read the same.
pub fn times_to_compare(a_ns: u64, b_ns: u64) -> (String, String) {
    let whole = |ns: u64| format!("{} ns", grouped(ns));
    let Some((unit, scale)) = unit_of_time(a_ns.max(b_ns)) else { return (whole(a_ns), whole(b_ns)) };
    let short = |ns: u64| format!("{:.2} {unit}", ns as f64 / scale);
    let (x, y) = (short(a_ns), short(b_ns));
    if x == y && a_ns != b_ns { (whole(a_ns), whole(b_ns)) } else { (x, y) }
}

/// Formats seconds for people: `4 ms`, `0.06 s`, `12 s`.
pub fn seconds(s: f64) -> String {
    if s < 0.01 {
        format!("{:.0} ms", (s * 1000.0).max(1.0))
    } else if s < 10.0 {
        format!("{s:.2} s")
    } else {
        format!("{s:.0} s")
    }
}

/// Formats a count with its noun: `1 size`, `4 sizes`.
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// Returns a text with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Joins words as a sentence lists them: `a`, `a and b`, `a, b and c`.
pub fn listed(words: &[String]) -> String {
    match words {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => words.concat(),
    }
}

/// Renders how many items were left out and what shows them; empty for none.
pub fn and_more(left: usize, one: &str, many: &str, style: &Style) -> String {
    if left == 0 {
        return String::new();
    }
    let how = if style.watching { "v" } else { "--verbose" };
    let text = format!("And {}: {how} shows all.", plural(left as u64, one, many));
    paragraph(&text, style.width, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_holds_the_width_and_loses_nothing() {
        let text = "Each thread should write the element whose index is its own number.";
        for width in [10, 20, 40, 80] {
            let lines = wrap(text, width, 2);
            assert!(lines.iter().all(|l| text_width(l) <= width), "{lines:?}");
            let joined = lines.iter().map(|l| l.trim()).collect::<Vec<_>>().join(" ");
            assert_eq!(joined, text);
        }
        assert_eq!(wrap("abcdefghijklmnop", 8, 0), ["abcdefgh", "ijklmnop"]);
        assert_eq!(wrap("漢字漢字漢字", 8, 0), ["漢字漢字", "漢字"]);
        assert_eq!(
            wrap("first at out[0, 12]: thread (1, 2)", 16, 0),
            ["first at", "out[0, 12]:", "thread (1, 2)"]
        );
        assert_eq!(
            wrap("stored: 2 097 k (bar 2 097 k), 4 sizes", 26, 0),
            ["stored: 2 097 k (bar", "2 097 k), 4 sizes"]
        );
        assert!(wrap("   ", 20, 0).is_empty());
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(16_777_216), "16 777 216");
        assert_eq!(counts_to_compare(16_777_216, 2_097_152), ("16 777 k".into(), "2 097 k".into()));
        assert_eq!(counts_to_compare(2_097_153, 2_097_152), ("2 097 153".into(), "2 097 152".into()));
        assert_eq!(counts_to_compare(u64::MAX, 0).1, "0");
        assert_eq!(times_to_compare(541_791_449, 541_480_000), ("541.79 ms".into(), "541.48 ms".into()));
        assert_eq!(times_to_compare(541_791_449, 541_791_450).0, "541 791 449 ns");
        assert_eq!(times_to_compare(900, 20), ("900 ns".into(), "20 ns".into()));
    }

    #[test]
    fn the_right_part_gives_way_on_a_narrow_page() {
        colored::control::set_override(false);
        assert_eq!(spread("ab", "c", 10, str::to_string), "ab       c\n");
        assert_eq!(spread("abcdefgh", "0.06 s", 10, str::to_string), "abcdefgh\n");
    }

    #[test]
    fn truncation_marks_the_loss() {
        assert_eq!(truncate("abcdef", 4), "abc…");
        assert_eq!(truncate("abcd", 4), "abcd");
    }
}
