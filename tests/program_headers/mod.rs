//! The headers of whole programs: what compiles with them, and under which names calls arrive.
//!
//! A case is one .cu file here. Comments in it say what is expected:
//!
//! - `//~ calls: NAME NAME …`: functions that are defined elsewhere and that the PTX calls.
//! - `//~ calls no others`: and no function else, other than those every program may call.
//! - `//~ refused: TEXT`: it does not compile, and a message holds this.

mod run;

use crate::nvrtc::{compiler, request};
use gpulearn::compiler::{CompileError, Compiled, Request};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/compiler/headers/programs");

pub fn compile(source: &str) -> Result<Compiled, String> {
    compiler().compile(&Request { program: true, ..request(source) }).map_err(|error| match error {
        CompileError::Rejected(said) => {
            said.iter().map(|one| format!("{}:{}: {}\n", one.file, one.line, one.message)).collect()
        }
        other => format!("{other:?}"),
    })
}

/// Runs `check` on every item, on as many threads as there are processors; the failures.
pub fn failures<T: Sync>(items: &[T], check: impl Fn(&T) -> Result<(), String> + Sync) -> String {
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = check(item) {
                        wrong.lock().unwrap().push(why);
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    wrong.join("\n")
}

pub fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}

/// Every header by the name it is included with, and its text.
fn headers() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for kind in ["c", "cpp", "cuda"] {
        let folder = Path::new(HEADERS).join(kind);
        let mut files = Vec::new();
        if folder.is_dir() {
            walk(&folder, &mut files);
        }
        for file in files {
            let name = file.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
            all.push((name, fs::read_to_string(&file).unwrap()));
        }
    }
    all.sort();
    assert!(all.len() > 50, "{}", all.len());
    all
}

/// Whether a header is there only to say why it is not.
fn is_refusal(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("#error"))
}

#[test]
fn each_header_compiles_alone_and_twice() {
    let wrong = failures(&headers(), |(name, text)| {
        let source = format!("#include <{name}>\n#include <{name}>\nint main() {{ return 0; }}\n");
        match (compile(&source), is_refusal(text)) {
            (Ok(_), false) => Ok(()),
            (Ok(_), true) => Err(format!("{name} compiles")),
            (Err(said), true) if said.contains(&format!("{name}:")) => Ok(()),
            (Err(said), _) => Err(format!("{name}: {said}")),
        }
    });
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn all_headers_compile_together() {
    let mut all: Vec<String> =
        headers().into_iter().filter(|(_, text)| !is_refusal(text)).map(|(name, _)| name).collect();
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

#[test]
fn each_case() {
    let mut files = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program_headers"), &mut files);
    files.retain(|file| file.extension().is_some_and(|ending| ending == "cu"));
    assert!(!files.is_empty());
    let wrong = failures(&files, |file| {
        let source = fs::read_to_string(file).unwrap();
        let said = |key: &str| {
            source
                .lines()
                .filter_map(|line| line.trim().strip_prefix("//~ ")?.strip_prefix(key))
                .collect::<Vec<_>>()
        };
        let name = file.file_name().unwrap().to_string_lossy();
        match (compile(&source), said("refused: ").first()) {
            (Ok(_), Some(text)) => Err(format!("{name} compiles, not refused with {text:?}")),
            (Err(error), Some(text)) if error.contains(text) => Ok(()),
            (Err(error), _) => Err(format!("{name}: {error}")),
            (Ok(compiled), None) => {
                let expected: BTreeSet<&str> =
                    said("calls: ").iter().flat_map(|line| line.split_whitespace()).collect();
                let mut called = externs(&compiled.ptx);
                if said("calls no others").is_empty() {
                    called.retain(|name| expected.contains(name));
                }
                if called == expected {
                    Ok(())
                } else {
                    Err(format!(
                        "{name}: not called {:?}, called besides {:?}",
                        expected.difference(&called),
                        called.difference(&expected)
                    ))
                }
            }
        }
    });
    assert!(wrong.is_empty(), "{wrong}");
}

/// What the headers of CUDA declare and nobody answers: a program that calls it is told so by name.
#[test]
fn calls_that_are_missing_are_known() {
    use gpulearn::host::program::{headers, libc, runtime};
    let missing: Vec<String> = headers::declared_functions()
        .into_iter()
        .filter(|(name, _)| runtime::row(name).is_none() && libc::row(name).is_none())
        .map(|(name, header)| format!("{name} ({header})"))
        .collect();
    insta::assert_snapshot!(missing.join("\n"));
}
