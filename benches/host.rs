//! Speed of host code: `cargo bench --bench host [-- PROGRAM…]`.
//!
//! Each program in `benches/host` runs as one thread, with every check of memory on. The figure is
//! millions of PTX instructions a second, the median of five runs; compiling is not counted.

use gpulearn::compiler::{Compiler, Request};
use gpulearn::sim::{Call, Environment, HostLimits, HostThread, Module, Stop};
use std::time::Instant;

const RUNS: usize = 5;

/// Memory, and nothing else.
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
    println!("            instructions         time    millions a second");
    for (name, source) in programs {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == name) {
            continue;
        }
        let request = Request { program: true, ..Request::new(source, "bench.cu", (8, 0)) };
        let ptx = compiler.compile(&request).expect("a program that compiles").ptx;
        let module = Module::parse(&ptx).expect("PTX that loads");
        let mut seconds = Vec::new();
        let mut instructions = 0;
        for _ in 0..RUNS {
            let mut thread = HostThread::new(&module, HostLimits::default()).expect("a small program");
            let start = Instant::now();
            thread.run(&mut Heap, "main", &[1, 0]).expect("a program that ends");
            seconds.push(start.elapsed().as_secs_f64());
            instructions = thread.instructions();
        }
        seconds.sort_by(f64::total_cmp);
        let median = seconds[RUNS / 2];
        println!(
            "{name:<10} {instructions:>13} {:>9.1} ms {:>20.1}",
            median * 1e3,
            instructions as f64 / median / 1e6
        );
    }
}
