//! Measures the speed of host code: `cargo bench --bench host [-- PROGRAM…]`.
//!
//! Each program in `benches/host` runs as one thread with all memory checks on: interpreted, and with its hot
//! loops and functions compiled to machine code. For comparison, the same program compiled by `g++ -O2`, if there
//! is a `g++`. Times are medians of five runs; compiling the program to PTX is not included, compiling to machine
//! code is.

use gpulearn::compiler::{Compiler, Request};
use gpulearn::jit;
use gpulearn::sim::compiled::CompileWhen;
use gpulearn::sim::{Call, Environment, HostLimits, HostThread, Module, Stop};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const RUNS: usize = 5;

/// An environment with memory and nothing else.
struct Heap;

impl Environment for Heap {
    fn call(&mut self, thread: &mut HostThread<'_>, call: &Call<'_>) -> Result<(), Stop> {
        match call.name {
            "malloc" => {
                let address = thread.memory_mut().allocate(call.u64(0), 16).expect("memory");
                thread.set_result_u64(address);
            }
            "free" => thread.memory_mut().free(call.u64(0)).expect("a block"),
            name => return Err(Stop::Unsupported { what: name.into(), line: thread.location() }),
        }
        Ok(())
    }

    fn load(&mut self, _: &mut HostThread<'_>, address: u64, _: &mut [u8]) -> Result<(), Stop> {
        panic!("a load at {address:#x}")
    }

    fn store(&mut self, _: &mut HostThread<'_>, address: u64, _: &[u8]) -> Result<(), Stop> {
        panic!("a store at {address:#x}")
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let compiler = Compiler::locate(false).expect("a compiler").with_worker(env!("CARGO_BIN_EXE_gpulearn"));
    let programs = [
        ("loops", include_str!("host/loops.cu")),
        ("matrix", include_str!("host/matrix.cu")),
        ("vector", include_str!("host/vector.cu")),
        ("objects", include_str!("host/objects.cu")),
        ("calls", include_str!("host/calls.cu")),
    ];
    println!("              instructions   interpreted    compiled      g++ -O2   behind g++");
    for (name, source) in programs {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == name) {
            continue;
        }
        let request = Request { program: true, ..Request::new(source, "bench.cu", (8, 0)) };
        let ptx = compiler.compile(&request).expect("a program that compiles").ptx;
        let module = Module::parse(&ptx).expect("PTX that loads");
        let (instructions, interpreted) = time(&module, false);
        let (_, compiled) = time(&module, true);
        print!("{name:<10} {instructions:>15} {:>10.1} ms {:>8.1} ms", interpreted * 1e3, compiled * 1e3);
        match native(name) {
            Some(native) => println!(
                " {:>9.2} ms {:>6.1} to {:.1}",
                native * 1e3,
                interpreted / native,
                compiled / native
            ),
            None => println!(),
        }
    }
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Returns the number of PTX instructions of a run, and its time in seconds.
fn time(module: &Module, compiles: bool) -> (u64, f64) {
    let mut instructions = 0;
    let runs = (0..RUNS).map(|_| {
        let mut thread = HostThread::new(module, HostLimits::default()).expect("a small program");
        if let Some(emitter) = jit::emitter().filter(|_| compiles) {
            thread.compile_with(emitter, CompileWhen::Hot);
        }
        let start = Instant::now();
        thread.run(&mut Heap, "main", &[1, 0]).expect("a program that ends");
        instructions = thread.instructions();
        start.elapsed().as_secs_f64()
    });
    let seconds = median(runs.collect());
    (instructions, seconds)
}

/// Returns the time in seconds of a program compiled natively, with `main` called in a loop; `None` if that fails.
fn native(name: &str) -> Option<f64> {
    let folder = std::env::temp_dir().join(format!("gpulearn-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let (source, program) = (folder.join("main.cpp"), folder.join("main"));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("benches/host/{name}.cu"));
    let text = format!(
        "#include <chrono>\n#include <cstdio>\n#include <cstdlib>\n#define main bench\n#include \"{}\"\n#undef main\n\
         int main() {{ for (int n = 0; n < {RUNS}; n++) {{ auto t = std::chrono::steady_clock::now();\n\
         volatile int r = bench(1, 0); (void)r; std::chrono::duration<double> d = std::chrono::steady_clock::now() - t;\n\
         std::printf(\"%.9f\\n\", d.count()); }} }}\n",
        file.display()
    );
    std::fs::write(&source, text).ok()?;
    let made = Command::new("g++").args(["-O2", "-o"]).arg(&program).arg(&source).status();
    let output = made.is_ok_and(|made| made.success()).then(|| Command::new(&program).output());
    let _ = std::fs::remove_dir_all(&folder);
    let seconds = String::from_utf8(output?.ok()?.stdout).ok()?;
    Some(median(seconds.lines().filter_map(|line| line.parse().ok()).collect()))
}
