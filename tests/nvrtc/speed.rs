//! How long a compile takes from call to answer, process and all. `--ignored --nocapture` prints
//! the figures; in a release build they are those that users meet.

use super::{compiler, request};
use gpulearn::compiler::{Compiler, Request};
use std::time::{Duration, Instant};

/// The median of some runs.
fn median(runs: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[runs / 2]
}

#[test]
#[ignore = "a measurement"]
fn how_long_a_compile_takes() {
    let compiler = compiler();
    let body = "extern \"C\" __global__ void k(float *p) { p[threadIdx.x] += 10; }\n";
    for header in ["", "cuda_fp16.h", "mma.h", "cooperative_groups.h", "cuda/std/array"] {
        let source = if header.is_empty() { body.to_owned() } else { format!("#include <{header}>\n{body}") };
        let time = median(15, || drop(compiler.compile(&request(&source)).unwrap()));
        let name = if header.is_empty() { "no headers" } else { header };
        println!("{name:<22} {:6.1} ms", time.as_secs_f64() * 1e3);
    }
    let with = Request { resources: true, ..request(body) };
    let time = median(15, || drop(compiler.compile(&with).unwrap()));
    println!("{:<22} {:6.1} ms", "with its cubin", time.as_secs_f64() * 1e3);

    let folder = tempfile::tempdir().unwrap();
    let kept = compiler.with_results(Some(folder.path().to_owned()));
    kept.compile(&request(body)).unwrap();
    let time = median(101, || drop(kept.compile(&request(body)).unwrap()));
    println!("{:<22} {:6.3} ms", "kept", time.as_secs_f64() * 1e3);
    let time = median(101, || drop(Compiler::locate(true).unwrap()));
    println!("{:<22} {:6.3} ms", "finding the compiler", time.as_secs_f64() * 1e3);
}
