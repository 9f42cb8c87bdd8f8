//! Host code that goes through the compiler and the host engine, one program a file in `cases` and
//! `defects`, each with what it prints (`//> text`) and gives back (`// result: 0`). A defect is
//! told by `//~ H001` on the line that it must name; the same file compiled with `-DFIXED` must run.

mod properties;
mod surroundings;

use gpulearn::compiler::{Compiler, Request};
use gpulearn::sim::{HostLimits, HostThread, Module, Stop};
use std::path::{Path, PathBuf};
use surroundings::Surroundings;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/host").join(folder);
    let chosen = std::env::var("GPULEARN_SAMPLE").ok();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| chosen.as_ref().is_none_or(|name| path.file_stem().unwrap() == name.as_str()))
        .collect();
    files.sort();
    files
}

fn compiler() -> Compiler {
    Compiler::locate(false).unwrap().with_worker(env!("CARGO_BIN_EXE_gpulearn"))
}

fn compile(compiler: &Compiler, path: &Path, options: &[&str]) -> Result<Module, String> {
    let source = std::fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    let request = Request {
        source: &source,
        file_name: &name,
        compute_capability: (8, 0),
        headers: &[],
        options,
        resources: false,
        program: true,
    };
    let ptx = compiler.compile(&request).map_err(|e| format!("{name}: {e:?}"))?.ptx;
    if std::env::var("GPULEARN_SAMPLE").is_ok() {
        println!("{ptx}");
    }
    Module::parse(&ptx).map_err(|e| format!("{name}: {e}"))
}

/// What a program prints, and how it ends.
fn run(module: &Module) -> (String, Result<u64, Stop>, u64) {
    run_observed(module, false)
}

/// As [`run`]; what is observed runs round by round.
fn run_observed(module: &Module, observed: bool) -> (String, Result<u64, Stop>, u64) {
    let limits = HostLimits { instructions: 200_000_000, ..HostLimits::default() };
    let mut thread = HostThread::new(module, limits).expect("a small program");
    let mut surroundings = Surroundings::new(module, &mut thread);
    thread.memory_mut().observe(observed);
    let end = thread.run(&mut surroundings, "main", &[1, 0]);
    surroundings.leaks = thread.memory().allocations().len();
    (surroundings.output, end, thread.instructions())
}

/// Lines of the source that begin with a mark, without it.
fn describe<'a>(source: &'a str, mark: &str) -> Vec<&'a str> {
    source
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(mark))
        .map(|l| l.strip_prefix(' ').unwrap_or(l))
        .collect()
}

/// The program must run to its end as its file says.
fn check_result(module: &Module, source: &str) -> Result<(), String> {
    let (output, end, _) = run(module);
    let result = match end {
        Ok(value) => value as i32,
        Err(Stop::Exit(code)) => code,
        Err(stop) => return Err(format!("{stop:?} after printing\n{output}")),
    };
    let expected: String = describe(source, "//>").iter().map(|line| format!("{line}\n")).collect();
    if output != expected {
        return Err(format!("prints\n{output}instead of\n{expected}"));
    }
    let wanted: i32 = describe(source, "// result:").first().map_or(0, |r| r.trim().parse().unwrap());
    if result != wanted {
        return Err(format!("gives {result}, not {wanted}"));
    }
    Ok(())
}

#[test]
fn every_program_does_what_it_says() {
    let compiler = compiler();
    let mut failures = Vec::new();
    let files = files("cases");
    for path in &files {
        let source = std::fs::read_to_string(path).unwrap();
        let done = compile(&compiler, path, &[]).and_then(|module| check_result(&module, &source));
        if let Err(what) = done {
            failures.push(format!("{}: {what}", path.file_name().unwrap().to_string_lossy()));
        }
    }
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), files.len(), failures.join("\n"));
}

/// The code and line that a defect's file tells.
fn guilty(source: &str) -> (&str, u32) {
    let marked = source
        .lines()
        .enumerate()
        .find_map(|(n, line)| Some((line.split_once("//~ ")?.1.trim(), n as u32 + 1)));
    marked.expect("a line with //~")
}

fn check_defect(compiler: &Compiler, path: &Path) -> Result<(), String> {
    let source = std::fs::read_to_string(path).unwrap();
    let (code, line) = guilty(&source);
    let module = compile(compiler, path, &[])?;
    match run(&module).1 {
        Err(Stop::Finding(finding)) => {
            let at = finding.at.location.as_ref().map_or(0, |l| l.line);
            if (finding.code.code(), at) != (code, line) {
                return Err(format!(
                    "{} at line {at}, not {code} at line {line}: {finding:?}",
                    finding.code.code()
                ));
            }
            for note in describe(&source, "// note:") {
                if !finding.notes.iter().any(|n| n == note) {
                    return Err(format!("no note {note:?} in {:?}", finding.notes));
                }
            }
        }
        other => return Err(format!("{other:?}, not {code}")),
    }
    check_result(&compile(compiler, path, &["-DFIXED"])?, &source).map_err(|e| format!("when fixed: {e}"))
}

#[test]
fn every_defect_is_found_at_its_line_and_gone_when_fixed() {
    let compiler = compiler();
    let files = files("defects");
    let failures: Vec<String> = (files.iter())
        .filter_map(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            check_defect(&compiler, path).err().map(|what| format!("{name}: {what}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), files.len(), failures.join("\n"));
}

#[test]
fn rounds_done_together_come_to_the_same_as_one_by_one() {
    let compiler = compiler();
    for path in [files("cases"), files("defects")].concat() {
        let name = path.file_name().unwrap().to_string_lossy();
        let module = compile(&compiler, &path, &[]).unwrap_or_else(|what| panic!("{what}"));
        let (together, one_by_one) = (run_observed(&module, false), run_observed(&module, true));
        assert_eq!(together, one_by_one, "{name}");
    }
}
