//! Measures whole programs on the simulator, from the first call to the verdict: `cargo bench --bench programs`.
//!
//! Each runs as usual (kernels and loops that take long as machine code, as many host threads as there are cores), and on
//! one core. Printed: the median and the slowest of three runs, in seconds. The program's compiled form is a kept one.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

const RUNS: usize = 3;

/// What runs, and its program and arguments.
const PROGRAMS: [(&str, &str, &[&str]); 5] = [
    ("matrix product, 1024, one launch", "matrix_product.cu", &["1024", "1"]),
    ("matrix product, 400, one launch", "matrix_product.cu", &["400", "1"]),
    ("matrix product, 400, 300 launches", "matrix_product.cu", &["400", "300"]),
    ("bitonic sort, 2^18 numbers, 171 launches", "bitonic_sort.cu", &["262144"]),
    ("bitonic sort, 2^20 numbers, 210 launches", "bitonic_sort.cu", &["1048576"]),
];

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    println!("{:<44}{:>10}{:>10}{:>14}{:>10}", "seconds", "median", "slowest", "on one core", "slowest");
    for (what, file, arguments) in PROGRAMS {
        let run = |one_core: bool| {
            let mut seconds: Vec<f64> =
                (0..RUNS).map(|_| seconds(folder.path(), file, arguments, one_core)).collect();
            seconds.sort_by(f64::total_cmp);
            (seconds[RUNS / 2], seconds[RUNS - 1])
        };
        // The first run compiles it.
        seconds(folder.path(), file, arguments, false);
        let ((median, slowest), (one, slowest_of_one)) = (run(false), run(true));
        println!("{what:<44}{median:>10.2}{slowest:>10.2}{one:>14.2}{slowest_of_one:>10.2}");
    }
}

fn seconds(folder: &Path, file: &str, arguments: &[&str], one_core: bool) -> f64 {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs").join(file);
    let gpulearn = env!("CARGO_BIN_EXE_gpulearn");
    let mut command = match one_core {
        true => Command::new("taskset"),
        false => Command::new(gpulearn),
    };
    if one_core {
        command.args(["-c", "0", gpulearn]);
    }
    command.args(["run", "--backend", "sim"]).arg(source).arg("--").args(arguments).current_dir(folder);
    let start = Instant::now();
    let output = command.output().expect("a command that starts");
    let seconds = start.elapsed().as_secs_f64();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && stdout.contains("right"),
        "{stdout}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    seconds
}
