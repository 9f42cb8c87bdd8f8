//! Cases that are files, each a test by its own name: `sim::defects::race_in_a_warp` is
//! `tests/sim/defects/race_in_a_warp.cu`. `cargo test --test cases sim::defects` runs those of a folder, with
//! `-- --exact` and its whole name one alone. What needs a GPU is ignored where there is none.

#[path = "report/explained.rs"]
mod explained;
mod gpu;
mod host;
mod program;
mod program_cpp;
mod program_headers;
mod sim;

use gpulearn::compiler::{Compiler, Request};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

fn main() -> ExitCode {
    let modules = [
        explained::trials(),
        gpu::trials(),
        host::trials(),
        program::trials(),
        program_cpp::trials(),
        program_headers::trials(),
        sim::trials(),
    ];
    libtest_mimic::run(&Arguments::from_args(), modules.into_iter().flatten().collect()).exit_code()
}

/// The compiler of this machine, fetched if need be, with the binary under test for its workers. What it
/// compiled before from the same text is not compiled again.
pub fn compiler() -> &'static Compiler {
    static COMPILER: OnceLock<Compiler> = OnceLock::new();
    COMPILER.get_or_init(|| {
        let found = Compiler::locate(false).expect("a CUDA compiler");
        let results = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compiled");
        found.with_worker(env!("CARGO_BIN_EXE_gpulearn")).with_results(Some(results))
    })
}

/// A request with nothing special in it.
pub fn request<'a>(source: &'a str, file_name: &'a str) -> Request<'a> {
    Request::new(source, file_name, (8, 0))
}

/// Whether one case was asked for by its name: it may show more of itself.
pub fn is_alone() -> bool {
    Arguments::from_args().exact
}

/// All files in a folder of `tests` and its folders, in order.
pub fn files(folder: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder), &mut found);
    found.sort();
    found
}

/// A test for each `.cu` in a folder of `tests` and its folders.
pub fn each(folder: &str, check: fn(&Path) -> Result<(), String>) -> Vec<Trial> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let cases = files(folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "cu"));
    let trials: Vec<Trial> = cases
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().with_extension("");
            let name: Vec<String> = name.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            one(name.join("::"), move || check(&path))
        })
        .collect();
    assert!(!trials.is_empty(), "no cases in {folder}");
    trials
}

/// A test that says what is wrong.
pub fn one(name: impl Into<String>, check: impl FnOnce() -> Result<(), String> + Send + 'static) -> Trial {
    Trial::test(name, || check().map_err(Failed::from))
}

/// A test that panics where something is wrong.
pub fn plain(name: &str, check: fn()) -> Trial {
    Trial::test(name, move || {
        check();
        Ok(())
    })
}
