//! The few colours in use. Whether any is applied is `colored`'s global switch, set once at startup. Paint after
//! padding: the width of a painted string can't be measured.

use colored::Colorize;

pub fn good(text: &str) -> String {
    text.green().to_string()
}

pub fn bad(text: &str) -> String {
    text.red().to_string()
}

/// Paints names, commands and places.
pub fn accent(text: &str) -> String {
    text.cyan().to_string()
}

pub fn dim(text: &str) -> String {
    text.dimmed().to_string()
}

pub fn bold(text: &str) -> String {
    text.bold().to_string()
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
    colored::control::SHOULD_COLORIZE.should_colorize()
}
