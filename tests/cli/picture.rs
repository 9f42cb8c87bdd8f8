//! The session that the README begins with, drawn from what the program prints.

use super::watch::Terminal;
use super::workspace;
use std::path::Path;

/// What a command prints on a terminal, below the prompt at which it was typed. It took as long as on any machine.
fn session(folder: &Path, args: &[&str]) -> String {
    let (code, printed) = Terminal::with(60, folder, args, &[("TERM", "xterm")]).all();
    assert_eq!(code, Some(1), "{printed}");
    let lines = printed.replace('\r', "");
    let lines = lines.lines().map(|line| match line.contains('✗') {
        true => with_usual_time(line) + "\n",
        false => format!("{line}\n"),
    });
    let typed = args.iter().filter(|word| !word.starts_with("--") && word.parse::<u32>().is_err());
    let typed: Vec<&str> = typed.copied().collect();
    format!("\x1b[2m$\x1b[0m gpulearn {}\n{}", typed.join(" "), lines.collect::<String>())
}

/// A verdict's first line with a time that is the same on every machine, and as wide as the time it had.
fn with_usual_time(line: &str) -> String {
    let unit = line.rfind(" ms").max(line.rfind(" s")).unwrap_or_else(|| panic!("no time in {line:?}"));
    let digits = |c: char| c == '.' || c.is_ascii_digit();
    let (before, after) =
        (line[..unit].trim_end_matches(digits), line[unit..].trim_start_matches([' ', 'm', 's']));
    let escape = before.rfind('\x1b').unwrap_or(before.len());
    let (spaces, colour) = before.split_at(escape);
    let width = line.len() - before.len() - after.len();
    format!(
        "{}{:width$}{colour}30 ms{after}",
        spaces.trim_end(),
        "",
        width = spaces.len() - spaces.trim_end().len() + width - 5
    )
}

#[test]
fn the_readme_shows_a_real_session() {
    let folder = workspace();
    let folder = folder.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let racy = std::fs::read_to_string(root.join("tests/wrong/block-sum/missing-barrier.cu")).unwrap();
    std::fs::write(folder.join("kernels/1-puzzles/block-sum.cu"), racy.replace(" //~ shared-race", ""))
        .unwrap();
    let text = session(folder, &["check", "block-sum", "--seed", "7", "--offline"]);
    let drawn = anstyle_svg::Term::new().render_svg(&text);
    let file = root.join(".github/session.svg");
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&file, &drawn).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(there, drawn, "INSTA_UPDATE=always draws it anew");
    assert!(std::fs::read_to_string(root.join("README.md")).unwrap().contains("(.github/session.svg)"));
}
