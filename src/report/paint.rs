//! The few colours there are. Whether any is used is `colored`'s global switch, set once at the
//! start. Paint after padding: a painted string has no width.

use colored::Colorize;

pub fn good(text: &str) -> String {
    text.green().to_string()
}

pub fn bad(text: &str) -> String {
    text.red().to_string()
}

/// Names, commands, places.
pub fn accent(text: &str) -> String {
    text.cyan().to_string()
}

pub fn dim(text: &str) -> String {
    text.dimmed().to_string()
}

pub fn bold(text: &str) -> String {
    text.bold().to_string()
}

/// Whether there are colours at all.
pub fn is_on() -> bool {
    colored::control::SHOULD_COLORIZE.should_colorize()
}
