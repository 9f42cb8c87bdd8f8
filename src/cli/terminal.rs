//! What the terminal can show.

use super::Global;
use crate::report::{Style, escape};
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
    let columns =
        if terminal { crossterm::terminal::size().ok().map(|(columns, _)| columns as usize) } else { None };
    let columns = columns.filter(|&c| c > 0).or_else(|| env::var("COLUMNS").ok()?.parse().ok()).unwrap_or(80);
    Style {
        width: columns.clamp(*WIDTHS.start(), *WIDTHS.end()),
        command: command_name(),
        verbose: global.verbose,
    }
}

/// What was typed to get here, when it was a path (as `cargo run` does), so that the commands we
/// show can be typed; else the plain name.
fn command_name() -> String {
    match env::args_os().next().and_then(|name| name.into_string().ok()) {
        Some(name) if name.contains('/') && name.len() <= 40 && !name.contains(' ') => escape(&name),
        _ => "gpulearn".into(),
    }
}
