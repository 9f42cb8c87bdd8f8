//! Host code that goes through the compiler and the host engine, one program a file in `cases` and
//! `defects`, each with what it prints (`//> text`) and gives back (`// result: 0`). A defect is
//! told by `//~ H001` on the line that it must name; the same file compiled with `-DFIXED` must run.

mod properties;
mod surroundings;

use crate::{compiler, each, is_alone, request};
use gpulearn::compiler::{Compiler, Request};
use gpulearn::report::sentences;
use gpulearn::sim::{HostLimits, HostThread, Module, Stop};
use libtest_mimic::Trial;
use std::path::Path;
use surroundings::Surroundings;

pub fn trials() -> Vec<Trial> {
    let check_case = |path: &Path| {
        let source = std::fs::read_to_string(path).unwrap();
        compile(compiler(), path, &[]).and_then(|module| check_result(&module, &source))?;
        together_as_one_by_one(path)
    };
    let mut trials = each("host/cases", check_case);
    trials.extend(each("host/defects", |path| {
        check_defect(compiler(), path)?;
        together_as_one_by_one(path)
    }));
    trials.extend(properties::trials());
    trials
}

fn compile(compiler: &Compiler, path: &Path, options: &[&str]) -> Result<Module, String> {
    let source = std::fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy();
    let request = Request { options, program: true, ..request(&source, &name) };
    let ptx = compiler.compile(&request).map_err(|e| format!("{name}: {e:?}"))?.ptx;
    if is_alone() {
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
            if (finding.kind.code(), at) != (code, line) {
                return Err(format!(
                    "{} at line {at}, not {code} at line {line}: {finding:?}",
                    finding.kind.code()
                ));
            }
            for note in describe(&source, "// note:") {
                let notes = sentences(&finding);
                if !notes.iter().any(|n| n == note) {
                    return Err(format!("no note {note:?} in {notes:?}"));
                }
            }
        }
        other => return Err(format!("{other:?}, not {code}")),
    }
    check_result(&compile(compiler, path, &["-DFIXED"])?, &source).map_err(|e| format!("when fixed: {e}"))
}

/// What is observed runs round by round, and must come to the same.
fn together_as_one_by_one(path: &Path) -> Result<(), String> {
    let module = compile(compiler(), path, &[])?;
    let (together, one_by_one) = (run_observed(&module, false), run_observed(&module, true));
    if together == one_by_one { Ok(()) } else { Err(format!("{together:?}, round by round {one_by_one:?}")) }
}
