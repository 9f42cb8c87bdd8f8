//! The headers of whole programs: what compiles with them, and under which names calls arrive.
//!
//! A case is one .cu file here. Comments in it say what is expected:
//!
//! - `//~ calls: NAME NAME …`: functions that are defined elsewhere and that the PTX calls.
//! - `//~ calls no others`: and no function else, other than those every program may call.
//! - `//~ refused: TEXT`: it does not compile, and a message holds this.

/// The list of the functions that the headers declare.
#[path = "../../src/host/program/tests/declared.rs"]
mod declared;
mod run;

use crate::{compiler, each, one, plain, request};
use gpulearn::compiler::{CompileError, Compiled, Request, program_headers};
use libtest_mimic::Trial;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    let mut trials = each("program_headers", check);
    trials.extend(program_headers().map(|(name, text)| {
        one(format!("program_headers::header::{name}"), move || compiles_alone_and_twice(name, text))
    }));
    trials.push(plain("program_headers::all_headers_compile_together", all_headers_compile_together));
    trials.push(plain("program_headers::calls_that_are_missing_are_known", calls_that_are_missing_are_known));
    trials.extend(run::trials());
    trials
}

pub fn compile(source: &str) -> Result<Compiled, String> {
    let request = Request { program: true, ..request(source, "kernels/lesson.cu") };
    compiler().compile(&request).map_err(|error| match error {
        CompileError::Rejected(said) => {
            said.iter().map(|one| format!("{}:{}: {}\n", one.file, one.line, one.message)).collect()
        }
        other => format!("{other:?}"),
    })
}

/// Whether a header is there only to say why it is not.
fn is_refusal(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("#error"))
}

fn compiles_alone_and_twice(name: &str, text: &str) -> Result<(), String> {
    let source = format!("#include <{name}>\n#include <{name}>\nint main() {{ return 0; }}\n");
    match (compile(&source), is_refusal(text)) {
        (Ok(_), false) => Ok(()),
        (Ok(_), true) => Err("it compiles".into()),
        (Err(said), true) if said.contains(&format!("{name}:")) => Ok(()),
        (Err(said), _) => Err(said),
    }
}

fn all_headers_compile_together() {
    let mut all: Vec<&str> =
        program_headers().filter(|(_, text)| !is_refusal(text)).map(|(name, _)| name).collect();
    for _ in 0..2 {
        let source: String = all.iter().map(|name| format!("#include <{name}>\n")).collect();
        let compiled =
            compile(&(source + "int main() { return 0; }\n")).unwrap_or_else(|said| panic!("{said}"));
        assert!(compiled.ptx.contains("main"));
        all.reverse();
    }
}

/// Functions of the PTX that are declared and defined elsewhere.
fn externs(ptx: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut rest = ptx;
    while let Some((_, after)) = rest.split_once(".extern .func") {
        rest = after;
        let result = if after.trim_start().starts_with("(.param") {
            after.find(')').map_or(0, |at| at + 1)
        } else {
            0
        };
        let name = after[result..].trim_start();
        let end = name.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$')).unwrap_or(name.len());
        found.insert(&name[..end]);
    }
    found
}

fn check(file: &Path) -> Result<(), String> {
    let source = fs::read_to_string(file).unwrap();
    let said = |key: &str| {
        let lines = source.lines().filter_map(|line| line.trim().strip_prefix("//~ ")?.strip_prefix(key));
        lines.collect::<Vec<_>>()
    };
    let compiled = match (compile(&source), said("refused: ").first()) {
        (Ok(_), Some(text)) => return Err(format!("compiles, not refused with {text:?}")),
        (Err(error), Some(text)) if error.contains(text) => return Ok(()),
        (Err(error), _) => return Err(error),
        (Ok(compiled), None) => compiled,
    };
    let expected: BTreeSet<&str> = said("calls: ").iter().flat_map(|line| line.split_whitespace()).collect();
    let mut called = externs(&compiled.ptx);
    if said("calls no others").is_empty() {
        called.retain(|name| expected.contains(name));
    }
    if called != expected {
        return Err(format!(
            "not called {:?}, called besides {:?}",
            expected.difference(&called),
            called.difference(&expected)
        ));
    }
    match said("exits: ").first() {
        Some(code) => run::ends_as_elsewhere(&source, &compiled.ptx, code.parse().unwrap()),
        None => Ok(()),
    }
}

/// What the headers of CUDA declare and nobody answers: a program that calls it is told so by name.
fn calls_that_are_missing_are_known() {
    use gpulearn::host::program::{libc, runtime};
    let missing: Vec<String> = declared::declared_functions()
        .into_iter()
        .filter(|(name, _)| runtime::row(name).is_none() && libc::row(name).is_none())
        .map(|(name, header)| format!("{name} ({header})"))
        .collect();
    insta::assert_snapshot!(missing.join("\n"));
}
