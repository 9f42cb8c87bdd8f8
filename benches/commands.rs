//! Measures whole commands, from start to exit: `cargo bench --bench commands`.
//!
//! The commands are `check` of a file that changed (the compiler's results for other files are cached, but not for
//! this one), `check` of a file that did not change, and `list`. Printed: the median and the slowest of 21 runs
//! each.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

const RUNS: usize = 21;

fn run(workspace: &Path, arguments: &[&str]) -> (f64, Output) {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_gpulearn"))
        .args(arguments)
        .current_dir(workspace)
        .output()
        .expect("a command that starts");
    (start.elapsed().as_secs_f64() * 1e3, output)
}

fn report(what: &str, mut milliseconds: Vec<f64>) {
    milliseconds.sort_by(f64::total_cmp);
    let (median, slowest) = (milliseconds[milliseconds.len() / 2], milliseconds[milliseconds.len() - 1]);
    println!("{what:<36} {median:>8.1} ms median {slowest:>8.1} ms slowest");
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = folder.path().join("course");
    let made = run(folder.path(), &["init", "course"]).1;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let file = workspace.join("kernels/1-puzzles/map.cu");
    let kernel = |n: usize| {
        format!(
            "// {n} of {}\nextern \"C\" __global__ void map(const float *in, float *out) {{\n    \
             int i = threadIdx.x;\n    out[i] = in[i] + 10;\n}}\n",
            std::process::id()
        )
    };
    let pass = |(time, output): (f64, Output)| {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        time
    };
    let changed = (0..RUNS)
        .map(|n| {
            std::fs::write(&file, kernel(n)).expect("a file that can be written");
            pass(run(&workspace, &["check", "map"]))
        })
        .collect();
    report("check of a changed puzzle", changed);
    report(
        "check of an unchanged one",
        (0..RUNS).map(|_| pass(run(&workspace, &["check", "map"]))).collect(),
    );
    report("list", (0..RUNS).map(|_| pass(run(&workspace, &["list"]))).collect());
}
