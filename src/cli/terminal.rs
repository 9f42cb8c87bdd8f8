//! The terminal's capabilities.

use super::Global;
use picture::ImageForm;
use report::{Style, escape};
use std::borrow::Cow;
use std::env;
use std::io::{IsTerminal, stdout};
use std::sync::LazyLock;

/// Widths of text: below the minimum nothing can be laid out, and lines of more than 80 columns are hard to read.
const WIDTHS: std::ops::RangeInclusive<usize> = 20..=80;

/// Maximum width of code and pictures; wider ones can't be taken in at a glance.
const MAX_COLUMNS: usize = 200;

/// Determines colours (once, for the whole program), the width and the program's own name.
pub fn style(global: &Global) -> Style {
    let terminal = stdout().is_terminal();
    let unwanted = global.no_color || env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()) || is_dumb();
    let colours = terminal && !unwanted && global.format == super::Format::Human;
    colored::control::set_override(colours);
    let columns = size().map(|(columns, _)| columns).filter(|&columns| columns > 0);
    let columns = columns.or_else(|| env::var("COLUMNS").ok()?.parse().ok()).unwrap_or(80);
    let width = columns.clamp(*WIDTHS.start(), *WIDTHS.end());
    Style {
        width,
        extra_columns: columns.min(MAX_COLUMNS).saturating_sub(width),
        command: command(global),
        verbose: global.verbose,
        watching: false,
        image: characters(colours),
        timed: true,
    }
}

/// Returns the form of images drawn with characters; `colours`: whether colours are on.
fn characters(colours: bool) -> ImageForm {
    match colours {
        _ if is_ascii() => ImageForm::Ascii,
        false => ImageForm::Shades,
        true => match env::var("COLORTERM").as_deref() {
            Ok("truecolor" | "24bit") => ImageForm::TrueColour,
            _ => ImageForm::Palette,
        },
    }
}

/// Returns whether the terminal does not support escape sequences.
pub fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Returns whether the locale says that text is UTF-8 (POSIX, "Internationalization Variables"); `None` where it says
/// nothing, as in most containers.
pub fn locale_is_utf8() -> Option<bool> {
    let set = |name: &&str| env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set)?;
    Some(locale.to_lowercase().replace('-', "").contains("utf8"))
}

/// Returns whether the terminal supports only ASCII. Where the locale says nothing, it usually supports UTF-8.
pub fn is_ascii() -> bool {
    locale_is_utf8() == Some(false)
}

/// Returns a text in characters that the terminal supports: where it lacks lines, marks and mathematical
/// characters, these are replaced by ASCII characters of the same width.
pub fn in_terminal_charset(text: &str) -> Cow<'_, str> {
    static ASCII: LazyLock<bool> = LazyLock::new(is_ascii);
    if *ASCII && !text.is_ascii() {
        Cow::Owned(text.chars().map(in_ascii).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the ASCII replacement of a character; others, such as letters, are unchanged.
fn in_ascii(c: char) -> char {
    match c {
        '─' | '━' | '═' | '–' | '—' | '−' | '‾' | '╌' | '┄' | '╴' => '-',
        '│' | '┃' | '║' | '╎' | '┆' => '|',
        '┌'..='╋' | '╒'..='╬' | '╭'..='╰' => '+',
        '╱' => '/',
        '╲' => '\\',
        '█' | '▌' | '▐' | '▓' | '▉' | '■' | '▇' | '▆' | '▅' => '#',
        '░' | '▒' | '·' | '•' | '∙' | '…' | '□' => '.',
        '▪' => '*',
        '○' => 'o',
        '●' => '@',
        '▁' | '▂' | '▃' | '▄' => '_',
        '✓' | '✔' | '√' => 'v',
        '✗' | '✘' | '×' => 'x',
        '→' | '▶' | '►' | '›' | '⇒' => '>',
        '←' | '◀' | '◄' | '‹' => '<',
        '↑' | '▲' => '^',
        '↓' | '▼' => 'v',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        '≤' => '<',
        '≥' => '>',
        '≈' | '±' => '~',
        '∞' => '8',
        'ᵀ' => 'T',
        'ᵗ' => 't',
        '₁' => '1',
        '²' | '₂' => '2',
        '³' => '3',
        'µ' | 'μ' => 'u',
        'Σ' => 'S',
        'π' => 'p',
        '\u{a0}' | '\u{202f}' => ' ',
        other => other,
    }
}

/// Returns whether this is a CI job, by the variable that all CI systems set.
pub fn in_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// Returns the columns and rows of the output terminal, if it is one.
pub fn size() -> Option<(usize, usize)> {
    let size = stdout().is_terminal().then(crossterm::terminal::size)?.ok();
    size.map(|(columns, rows)| (columns as usize, rows as usize))
}

/// Returns what to type to run this program again, with the folder of lessons if one was named.
fn command(global: &Global) -> String {
    let lessons = global.lessons.as_ref().and_then(|dir| report::shell_word(dir.to_str()?));
    lessons.map_or_else(command_name, |dir| format!("{} --lessons {dir}", command_name()))
}

/// Returns the program's own name, so that the commands shown can be copied.
fn command_name() -> String {
    let name = env::args_os().next().and_then(|name| name.into_string().ok()).unwrap_or_default();
    let by_cargo = env::var_os("CARGO_PKG_NAME").is_some_and(|package| package == env!("CARGO_PKG_NAME"));
    command_for(&name, by_cargo, cfg!(debug_assertions))
}

/// Returns `cargo run` if cargo started the program by a relative path; else the path as it was typed; else the
/// plain name, to be found on PATH.
fn command_for(name: &str, by_cargo: bool, debug: bool) -> String {
    const LONGEST: usize = 40;
    match name.contains('/') {
        true if by_cargo && !name.starts_with('/') => {
            if debug {
                "cargo run --".into()
            } else {
                "cargo run --release --".into()
            }
        }
        true if name.len() <= LONGEST && !name.contains(' ') => escape(name),
        _ => "gpulearn".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{command_for, in_ascii};

    #[test]
    fn every_character_of_a_lesson_has_one_of_ascii() {
        for lesson in crate::lessons::course().lessons() {
            let text = &lesson.text;
            for text in [&text.idea, &text.task, &text.checked, &text.afterwards] {
                let strange: Vec<char> = text.chars().filter(|&c| !in_ascii(c).is_ascii()).collect();
                assert!(strange.is_empty(), "{}: {strange:?}", lesson.slug);
            }
        }
        assert!("╭╴╰╴│┆━─".chars().all(|c| in_ascii(c).is_ascii()), "excerpts of code");
    }

    #[test]
    fn the_command_shown_is_the_one_to_type() {
        for (name, by_cargo, debug, shown) in [
            ("gpulearn", false, false, "gpulearn"),
            ("gpulearn", true, false, "gpulearn"),
            ("target/release/gpulearn", true, false, "cargo run --release --"),
            ("target/debug/gpulearn", true, true, "cargo run --"),
            ("target/debug/gpulearn", false, true, "target/debug/gpulearn"),
            ("/opt/gpulearn", true, false, "/opt/gpulearn"),
            ("/a path/gpulearn", false, false, "gpulearn"),
            ("", false, false, "gpulearn"),
        ] {
            assert_eq!(command_for(name, by_cargo, debug), shown, "{name}");
        }
    }
}
