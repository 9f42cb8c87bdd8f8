//! What a kernel made, as `check`, `watch` and `view` show it.

use super::watch::Terminal;
use super::{check_json, run, solve, workspace};
use std::path::Path;

/// What a command prints on a terminal that says that of itself.
fn on_terminal(folder: &Path, args: &[&str], environment: &[(&str, &str)]) -> String {
    // What the terminal of the test itself is does not count.
    let nothing = [
        "COLORTERM",
        "NO_COLOR",
        "KITTY_WINDOW_ID",
        "TERM_PROGRAM",
        "TMUX",
        "STY",
        "LC_ALL",
        "LC_CTYPE",
        "LANG",
    ];
    let environment: Vec<_> =
        nothing.map(|name| (name, "")).into_iter().chain(environment.iter().copied()).collect();
    let (code, printed) = Terminal::with(60, folder, args, &environment).all();
    assert_eq!(code, Some(0), "{printed}");
    printed
}

#[test]
fn a_check_shows_what_the_kernel_made_as_the_terminal_can() {
    let folder = workspace();
    let folder = folder.path();
    solve(folder, "mandelbrot");
    solve(folder, "game-of-life");
    let check = |slug| ["check", slug, "--offline", "--backend", "sim"];
    let first = on_terminal(folder, &check("mandelbrot"), &[("TERM", "xterm"), ("COLORTERM", "truecolor")]);
    let (_, image) =
        first.split_once("What your kernel made: out, 48 × 96").unwrap_or_else(|| panic!("{first}"));
    assert!(image.contains("\x1b[38;2;") && image.contains('▀'), "{image}");
    // What is stored has it, too.
    let kept = on_terminal(folder, &check("mandelbrot"), &[("TERM", "xterm-256color")]);
    assert!(kept.contains("unchanged") && kept.contains("\x1b[38;5;"), "{kept}");
    let ascii = on_terminal(folder, &check("mandelbrot"), &[("TERM", "xterm"), ("LC_ALL", "C")]);
    let (_, image) = ascii.split_once("out, 48 x 96").unwrap_or_else(|| panic!("{ascii}"));
    assert!(image.contains("@@@@@@@@") && image.is_ascii(), "{image}");
    let life = on_terminal(folder, &check("game-of-life"), &[("TERM", "xterm")]);
    let (_, image) = life
        .split_once("out, 60 × 128, run 80 times on what it had made")
        .unwrap_or_else(|| panic!("{life}"));
    assert!(image.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)), "{image}");
    let kitty = on_terminal(folder, &check("game-of-life"), &[("TERM", "xterm-kitty")]);
    assert!(kitty.contains("\x1b_Ga=T,f=24,q=2,"), "{kitty}");
    let args = [&check("mandelbrot")[..], &["--graphics", "sixel"]].concat();
    let sixel = on_terminal(folder, &args, &[("TERM", "xterm")]);
    assert!(sixel.contains("\x1bP0;1q\"1;1;"), "{sixel}");
    let (exit, piped, _) = run(folder, &args);
    assert_eq!(exit, 0);
    assert!(piped.contains("What your kernel made") && !piped.contains('\x1b'), "{piped}");
}

#[test]
fn a_check_in_json_has_the_levels() {
    let folder = workspace();
    solve(folder.path(), "game-of-life");
    let args = ["game-of-life", "--offline", "--backend", "sim"];
    let (exit, result) = check_json(folder.path(), &args);
    let image = &result["image"];
    assert_eq!((exit, image["buffer"].as_str()), (0, Some("out")));
    assert_eq!((&image["rows"], &image["cols"], &image["rounds"]), (&60.into(), &128.into(), &80.into()));
    let levels = image["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 60 * 128);
    assert!(levels.iter().all(|level| *level == 0 || *level == 255));
}

#[test]
fn a_starter_that_is_slow_shows_its_image_and_one_that_does_nothing_has_none() {
    let folder = workspace();
    let (_, out, _) = run(folder.path(), &["check", "mandelbrot-tiles", "--offline", "--backend", "sim"]);
    assert!(
        out.contains("✗ mandelbrot-tiles") && out.contains("What your kernel made: out, 48 × 96\n"),
        "{out}"
    );
    let (_, out, _) = run(folder.path(), &["check", "mandelbrot", "--offline", "--backend", "sim"]);
    assert!(out.contains("✗ mandelbrot") && !out.contains("What your kernel made"), "{out}");
}

#[test]
fn the_watch_draws_in_characters() {
    let folder = workspace();
    let mut terminal =
        Terminal::with(120, folder.path(), &["watch", "mandelbrot", "--offline"], &[("TERM", "xterm-kitty")]);
    terminal.expect("? keys");
    solve(folder.path(), "mandelbrot");
    terminal.expect("What your kernel made: out, 48 × 96");
    let page = terminal.expect("q quit");
    assert!(page.contains('▀') && !page.contains("\x1b_G"), "{page}");
    terminal.press("q");
    assert_eq!(terminal.end(), (Some(0), true));
}
