//! Speed of the simulator: `cargo bench --bench simulator [-- KERNEL…]`.
//!
//! Four kernels with every check and count on, then with none; one host thread, then two. The
//! figure is millions of elements (vadd, reduce) or fused multiply-adds (matrix products) a
//! second, the median of five runs.

use gpulearn::nvrtc::{Compiler, Request};
use gpulearn::sim::{Arg, Device, Dim3, LaunchConfig, Module, Options};
use std::time::Instant;

struct Bench {
    name: &'static str,
    source: &'static str,
    /// Elements of each buffer; the last one is the output.
    buffers: Vec<usize>,
    size: i32,
    grid: Dim3,
    block: Dim3,
    work: f64,
}

fn benches() -> Vec<Bench> {
    let line = |n: u32| Dim3::new(n, 1, 1);
    let square = |n: u32| Dim3::new(n, n, 1);
    let matrix = |name, source, n: u32| Bench {
        name,
        source,
        buffers: vec![(n * n) as usize; 3],
        size: n as i32,
        grid: square(n / 16),
        block: square(16),
        work: (n as f64).powi(3),
    };
    vec![
        Bench {
            name: "vadd",
            source: include_str!("kernels/vadd.cu"),
            buffers: vec![1 << 24; 3],
            size: 1 << 24,
            grid: line((1 << 24) / 256),
            block: line(256),
            work: (1 << 24) as f64,
        },
        Bench {
            name: "reduce",
            source: include_str!("kernels/reduce.cu"),
            buffers: vec![1 << 22, (1 << 22) / 256],
            size: 1 << 22,
            grid: line((1 << 22) / 256),
            block: line(256),
            work: (1 << 22) as f64,
        },
        matrix("mm_naive", include_str!("kernels/mm_naive.cu"), 512),
        matrix("mm_tiled", include_str!("kernels/mm_tiled.cu"), 512),
        matrix("mm_tiled", include_str!("kernels/mm_tiled.cu"), 64),
    ]
}

fn ptx(bench: &Bench, compiler: &Compiler) -> String {
    let request = Request {
        source: bench.source,
        file_name: "bench.cu",
        compute_capability: (8, 0),
        headers: &[],
        options: &[],
        resources: false,
    };
    compiler.compile(&request).expect("a kernel that compiles").ptx
}

/// Seconds of one launch on fresh buffers.
fn run(bench: &Bench, module: &Module, options: &Options) -> f64 {
    let mut device = Device::new(8, 0);
    let mut args: Vec<Arg> = Vec::new();
    for (n, &elements) in bench.buffers.iter().enumerate() {
        let buffer = device.allocate(["a", "b", "c"][n], elements as u64 * 4).expect("memory");
        if n + 1 < bench.buffers.len() {
            let bytes: Vec<u8> = (0..elements).flat_map(|i| ((i % 7) as f32).to_le_bytes()).collect();
            device.write(buffer, &bytes);
            device.set_read_only(buffer);
        }
        args.push(buffer.into());
    }
    args.push(bench.size.into());
    let config = LaunchConfig { grid: bench.grid, block: bench.block, dynamic_shared_bytes: 0 };
    let start = Instant::now();
    let report = device.launch(module, bench.name, config, &args, options).expect("a launch");
    let seconds = start.elapsed().as_secs_f64();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    seconds
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let compiler = Compiler::locate(false).expect("a compiler").with_worker(env!("CARGO_BIN_EXE_gpulearn"));
    println!(
        "{:<10} {:>9} {:>16} {:>16} {:>16}",
        "kernel", "size", "all checks", "2 host threads", "no checks"
    );
    for bench in benches() {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == bench.name) {
            continue;
        }
        let module = Module::load(&ptx(&bench, &compiler)).expect("PTX that loads");
        let speed = |options: Options| {
            let mut times: Vec<f64> = (0..5).map(|_| run(&bench, &module, &options)).collect();
            times.sort_by(f64::total_cmp);
            (bench.work / times[2] / 1e6, times[2] * 1e3)
        };
        let one = Options { host_threads: 1, ..Options::default() };
        let (all, ms) = speed(one.clone());
        let (two, _) = speed(Options { host_threads: 2, ..one.clone() });
        let (none, _) = speed(Options { checks: false, meters: false, ..one });
        println!(
            "{:<10} {:>9} {all:>9.1} M/s {:>3} {two:>9.1} ×{:.2} {none:>12.1} M/s   {ms:.2} ms",
            bench.name,
            bench.size,
            "",
            two / all
        );
    }
}
