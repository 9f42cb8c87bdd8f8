//! The examples of `explain`, made whole, one file a code in the folder `explained`: run as they are they
//! give that very code, and with MENDED defined nothing. Each line of code on a page stands in its file.

use crate::{program, sim};
use gpulearn::compiler::Compiler;
use gpulearn::report::{self, Style};
use gpulearn::sim::FindingKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What a program that goes on behind its mistake is told besides.
const CONSEQUENCES: [&str; 3] = ["A009", "A010", "A012"];

/// The lines of code on the page of a code.
fn examples(code: FindingKind) -> Vec<String> {
    let text = report::explain(code, &Style::default());
    let code = text.lines().filter(|line| line.starts_with("    ")).map(bare);
    // A table has none of these.
    code.filter(|line| line.contains(['[', '(', '{', '}', ';', '='])).collect()
}

/// Without the comment, and with single blanks.
fn bare(line: &str) -> String {
    let code = line.split("//").next().unwrap_or_default();
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn mended(source: &str) -> String {
    let head = source.lines().take_while(|line| line.starts_with("//")).count();
    let mut lines: Vec<&str> = source.lines().collect();
    lines.insert(head, "#define MENDED 1");
    lines.join("\n") + "\n"
}

/// What is wrong with the example of a code.
fn failures(code: FindingKind, examples: &[String], folder: &Path, compiler: &Compiler) -> Vec<String> {
    let name = format!("{}.cu", code.code());
    let Ok(source) = std::fs::read_to_string(folder.join(&name)) else {
        return vec![format!("{name}: its page has examples, and nothing runs them")];
    };
    let whole = source.lines().map(bare).collect::<Vec<_>>().join(" ");
    let missing = examples.iter().filter(|line| !whole.contains(line.as_str()));
    let mut failures: Vec<String> = missing.map(|line| format!("{name}: lacks `{line}`")).collect();
    let found = |source: &str| match source.starts_with("// launch:") {
        true => sim::codes(source, &name, compiler),
        false => program::codes(source, &name, compiler),
    };
    match found(&source) {
        Ok(codes) if codes.iter().any(|found| found == code.code()) => {
            let others = codes.iter().filter(|found| *found != code.code());
            let others = others.filter(|found| !CONSEQUENCES.contains(&found.as_str()));
            failures.extend(others.map(|other| format!("{name}: {other} as well")));
        }
        other => failures.push(format!("{name}: {other:?}")),
    }
    match found(&mended(&source)) {
        Ok(codes) if codes.is_empty() => {}
        other => failures.push(format!("{name}, mended: {other:?}")),
    }
    failures
}

#[test]
fn every_example_is_what_its_page_says() {
    colored::control::set_override(false);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/report/explained");
    let pages = FindingKind::ALL.iter().map(|&code| (code, examples(code)));
    let pages: Vec<(FindingKind, Vec<String>)> = pages.filter(|(_, lines)| !lines.is_empty()).collect();
    let files = std::fs::read_dir(&folder).unwrap().count();
    assert!(files >= pages.len(), "{files} files for {} pages", pages.len());
    let compiler = Compiler::locate(false)
        .unwrap()
        .with_worker(env!("CARGO_BIN_EXE_gpulearn"))
        .with_results(Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compiled")));
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((code, lines)) = pages.get(next.fetch_add(1, Relaxed)) {
                    let found = failures(*code, lines, &folder, &compiler);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let mut wrong: Vec<String> = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
