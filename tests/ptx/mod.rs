//! The PTX parser on whole texts: each file of `pass` must be read and survive printing, each
//! file of `fail` must be refused with the message of its first line.

pub mod mutation;

use std::fs;
use std::path::{Path, PathBuf};

use gpulearn::ptx;

/// Files of `tests/ptx/<folder>`, by name.
pub fn files(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptx").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// The tree as text, without the places where things stood.
fn shape(module: &ptx::Module<'_>) -> String {
    let debug = format!("{module:?}");
    let mut pieces = debug.split("Span { ");
    let mut shape = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        shape.push_str(piece.split_once('}').unwrap().1);
    }
    shape
}

#[test]
fn what_passes_survives_printing() {
    for (name, text) in files("pass") {
        let module = ptx::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let printed = module.to_string();
        let again =
            ptx::parse(&printed).unwrap_or_else(|error| panic!("{name}, printed: {error}\n{printed}"));
        assert_eq!(shape(&module), shape(&again), "{name}");
    }
}

#[test]
fn what_fails_says_why() {
    for (name, text) in files("fail") {
        let expected = text.lines().next().and_then(|line| line.strip_prefix("// error: "));
        let expected = expected.unwrap_or_else(|| panic!("{name}: the first line is not `// error: …`"));
        match ptx::parse(&text) {
            Ok(_) => panic!("{name} is read"),
            Err(error) => assert_eq!(error.to_string(), expected, "{name}"),
        }
    }
}

#[test]
fn trees() {
    for (name, text) in files("pass") {
        if ["declarations", "operands", "syntax", "calls", "scopes_and_switch"].contains(&name.as_str()) {
            insta::assert_snapshot!(name, ptx::parse(&text).unwrap().to_string());
        }
    }
}

/// Instructions point back at their text, and spans nest in their function's.
#[test]
fn spans_hold_what_they_name() {
    for (name, text) in files("pass") {
        let module = ptx::parse(&text).unwrap();
        for function in &module.functions {
            let whole = &text[function.span.start as usize..function.span.end as usize];
            assert!(whole.contains(function.name), "{name}: {}", function.name);
            spans_in(&text, function.span, function.body.as_deref().unwrap_or_default());
        }
        for variable in &module.variables {
            let whole = &text[variable.span.start as usize..variable.span.end as usize];
            assert!(whole.starts_with(variable.name), "{name}: {}", variable.name);
        }
    }
}

fn spans_in(text: &str, outer: ptx::Span, body: &[ptx::Statement<'_>]) {
    for statement in body {
        match statement {
            ptx::Statement::Block(inner) => spans_in(text, outer, inner),
            ptx::Statement::Instruction(instruction) => {
                let span = instruction.span;
                assert!(outer.start < span.start && span.end < outer.end);
                let own = &text[span.start as usize..span.end as usize];
                assert!(own.contains(instruction.opcode) && !own.ends_with(';'), "{own}");
                assert!(own.starts_with('@') == instruction.guard.is_some(), "{own}");
            }
            ptx::Statement::Label { name, span } => {
                assert_eq!(text[span.start as usize..span.end as usize].trim_end(), *name);
            }
            _ => {}
        }
    }
}
