//! The few colours in use. Whether any is applied is `colored`'s global switch, set once at startup. Paint after
//! padding: the width of a painted string can't be measured.

use colored::{ColoredString, Colorize};
use std::cell::Cell;

thread_local! {
    static FOR_FILE: Cell<bool> = const { Cell::new(false) };
}

/// Renders text for a file: without colours, even where the terminal shows them.
pub fn for_file<T>(render: impl FnOnce() -> T) -> T {
    let before = FOR_FILE.replace(true);
    let rendered = render();
    FOR_FILE.set(before);
    rendered
}

fn painted(text: ColoredString) -> String {
    if is_on() { text.to_string() } else { text.input }
}

pub fn good(text: &str) -> String {
    painted(text.green())
}

pub fn bad(text: &str) -> String {
    painted(text.red())
}

/// Paints names, commands and places.
pub fn accent(text: &str) -> String {
    painted(text.cyan())
}

pub fn dim(text: &str) -> String {
    painted(text.dimmed())
}

pub fn bold(text: &str) -> String {
    painted(text.bold())
}

/// Paints the text in backquotes, across the lines of one paragraph. Without colours the backquotes stay, so that
/// a variable called `in` does not read as a word.
pub fn code(lines: Vec<String>) -> Vec<String> {
    let marks: usize = lines.iter().map(|line| line.matches('`').count()).sum();
    if !is_on() || !marks.is_multiple_of(2) {
        return lines;
    }
    let mut inside = false;
    let paint_line = |line: String| {
        let mut out = String::with_capacity(line.len() + 16);
        for (i, piece) in line.split('`').enumerate() {
            inside ^= i > 0;
            out += &if inside { accent(piece) } else { piece.to_string() };
        }
        out
    };
    lines.into_iter().map(paint_line).collect()
}

/// Returns whether colours are on.
pub fn is_on() -> bool {
    !FOR_FILE.get() && colored::control::SHOULD_COLORIZE.should_colorize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_for_a_file_has_no_colours() {
        let painted = || {
            [good("a"), bad("b"), accent("c"), dim("d"), bold("e")].concat() + &code(vec!["`f`".into()])[0]
        };
        assert_eq!(for_file(|| for_file(painted) + &painted()), "abcde`f`abcde`f`");
    }
}
