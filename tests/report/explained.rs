//! The examples of `explain`, made whole, one file a code in the folder `explained`: run as they are they
//! give that very code, and with FIXED defined nothing. Each line of code on a page stands in its file.

use crate::{compiler, one, program, sim};
use gpulearn::compiler::Compiler;
use gpulearn::report::{self, Style};
use gpulearn::sim::FindingKind;
use libtest_mimic::Trial;
use std::path::Path;

/// What a program that goes on after its mistake is told besides.
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

fn fixed(source: &str) -> String {
    let head = source.lines().take_while(|line| line.starts_with("//")).count();
    let mut lines: Vec<&str> = source.lines().collect();
    lines.insert(head, "#define FIXED 1");
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
    match found(&fixed(&source)) {
        Ok(codes) if codes.is_empty() => {}
        other => failures.push(format!("{name}, fixed: {other:?}")),
    }
    failures
}

pub fn trials() -> Vec<Trial> {
    colored::control::set_override(false);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/explained");
    let mut trials = Vec::new();
    for &code in FindingKind::ALL {
        let (examples, folder) = (examples(code), folder.clone());
        if examples.is_empty() {
            continue;
        }
        trials.push(one(format!("explained::{}", code.code()), move || {
            let wrong = failures(code, &examples, &folder, compiler());
            if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
        }));
    }
    trials
}
