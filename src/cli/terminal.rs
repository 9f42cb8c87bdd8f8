//! What the terminal can show.

use super::Global;
use report::{Style, escape};
use std::env;
use std::io::{IsTerminal, stdout};

/// Narrower than this nothing can be laid out; wider than 80 lines are hard to read.
const WIDTHS: std::ops::RangeInclusive<usize> = 20..=80;

/// Decides on colours (once, for the whole program), width and the program's own name.
pub fn style(global: &Global) -> Style {
    let terminal = stdout().is_terminal();
    let unwanted = global.no_color
        || env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
        || env::var_os("TERM").is_some_and(|v| v == "dumb");
    colored::control::set_override(terminal && !unwanted && global.format == super::Format::Human);
    let columns = size().map(|(columns, _)| columns).filter(|&columns| columns > 0);
    let columns = columns.or_else(|| env::var("COLUMNS").ok()?.parse().ok()).unwrap_or(80);
    Style {
        width: columns.clamp(*WIDTHS.start(), *WIDTHS.end()),
        command: command_name(),
        verbose: global.verbose,
        watching: false,
    }
}

/// Whether this is a CI job, as they all say.
pub fn in_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// Columns for pictures, which use all of a wide terminal; text stays within the style's.
pub fn columns(style: &Style) -> usize {
    size().map_or(style.width, |(columns, _)| columns.max(style.width))
}

/// Columns and rows of the terminal that is written to, if it is one.
pub fn size() -> Option<(usize, usize)> {
    let size = stdout().is_terminal().then(crossterm::terminal::size)?.ok();
    size.map(|(columns, rows)| (columns as usize, rows as usize))
}

/// What to type to get here again, so that the commands we show can be copied.
fn command_name() -> String {
    let name = env::args_os().next().and_then(|name| name.into_string().ok()).unwrap_or_default();
    let by_cargo = env::var_os("CARGO_PKG_NAME").is_some_and(|package| package == env!("CARGO_PKG_NAME"));
    command_for(&name, by_cargo, cfg!(debug_assertions))
}

/// `cargo run`, which names its binary by a path from here; else a path as it was typed; else the
/// plain name, found on PATH.
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
    use super::command_for;

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
