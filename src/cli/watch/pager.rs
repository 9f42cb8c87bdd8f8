//! Shows a page that is longer than the screen, one screenful at a time.
//!
//! This is not a library's pager, because those take over the screen and its keys, and here verdicts arrive while
//! a text is being read.

use report::char_width;

/// Returns the lines from `top` on that fit `rows` rows of `columns` columns, but at least one, and the index of
/// the next line if there is one.
pub fn screenful(text: &str, top: usize, rows: usize, columns: usize) -> (String, Option<usize>) {
    let mut shown = String::new();
    let mut left = rows;
    for (n, line) in text.lines().enumerate().skip(top) {
        let needs = rows_of_line(line, columns);
        if needs > left && n > top {
            return (shown, Some(n));
        }
        left = left.saturating_sub(needs);
        shown += line;
        shown.push('\n');
    }
    (shown, None)
}

/// Returns the first line of the screenful that ends before line `top`.
pub fn screenful_before(text: &str, top: usize, rows: usize, columns: usize) -> usize {
    let lines: Vec<&str> = text.lines().take(top).collect();
    let mut left = rows;
    let fits = lines.iter().rev().take_while(|line| {
        let needs = rows_of_line(line, columns);
        let fits = needs <= left;
        left = left.saturating_sub(needs);
        fits
    });
    // At least one line, however long it is.
    lines.len() - fits.count().max(1).min(lines.len())
}

/// Returns the number of rows that a text occupies when the terminal breaks its lines.
pub fn rows_of(text: &str, columns: usize) -> usize {
    text.lines().map(|line| rows_of_line(line, columns)).sum()
}

/// Returns the number of rows of a line; an empty one occupies a row as well.
fn rows_of_line(line: &str, columns: usize) -> usize {
    width(line).div_ceil(columns.max(1)).max(1)
}

/// Returns the width of a line without its colours (`ESC [ … m`).
fn width(line: &str) -> usize {
    let mut columns = 0;
    let mut colour = false;
    for c in line.chars() {
        match c {
            '\x1b' => colour = true,
            'm' if colour => colour = false,
            _ if colour => {}
            c => columns += char_width(c),
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screenfuls_follow_each_other_and_lose_nothing() {
        let text = "one\n\x1b[1mtwo two two\x1b[0m\n\nfour\nfive\n";
        let (mut top, mut all, mut pages) = (Some(0), String::new(), 0);
        while let Some(at) = top {
            let (shown, next) = screenful(text, at, 3, 6);
            assert!(rows_of(&shown, 6) <= 3, "{shown:?}");
            all += &shown;
            pages += 1;
            top = next;
        }
        assert_eq!((all.as_str(), pages), (text, 2));
        assert_eq!([0, 1, 2, 4].map(|top| screenful_before(text, top, 3, 6)), [0, 0, 0, 2]);
        assert_eq!(screenful_before("long line\nb\n", 1, 1, 2), 0, "a line too long is a screenful");
        assert_eq!(screenful("long line", 0, 1, 2).1, None, "a line too long is shown all the same");
        assert_eq!(screenful("a\n", 7, 3, 80), (String::new(), None));
    }
}
