//! Compares the speed of the simulator with other implementations: `cargo bench --bench simulator [-- KERNEL…]`.
//!
//! Four kernels run with all checks and counts on, interpreted and as machine code if this machine has an emitter, on one
//! host thread and on two (and how many times as fast that is); then interpreted without checks. The share is that of the
//! warp instructions that ran as machine code, in launches one after the other. For comparison, the same work runs in a
//! plain loop of this program (no checks), and in two of them at once, which shows what a second thread of this machine
//! adds; and if the Python packages for it are installed, on PoCL (OpenCL through LLVM, one thread, no checks) and on
//! Numba's CUDA simulator. The figures are millions of elements (vadd, reduce) or of fused multiply-adds (matrix products)
//! per second: medians of five launches on the same buffers, without compilation.

use gpulearn::compiler::{Compiler, Request};
use gpulearn::sim::{Arg, Device, Dim3, LaunchConfig, Module, Options};
use std::collections::HashMap;
use std::process::Command;
use std::time::Instant;

struct Bench {
    name: &'static str,
    source: &'static str,
    /// Number of elements of each buffer; the last one is the output.
    buffers: Vec<usize>,
    size: usize,
    grid: Dim3,
    block: Dim3,
    /// Number of elements or multiply-adds.
    work: f64,
    /// The same work as a plain loop over inputs, size and output.
    native: fn(&[Vec<f32>], usize, &mut [f32]),
}

const RUNS: usize = 5;
const BLOCK: usize = 256;

fn native_vadd(inputs: &[Vec<f32>], _: usize, out: &mut [f32]) {
    for ((o, a), b) in out.iter_mut().zip(&inputs[0]).zip(&inputs[1]) {
        *o = a + b;
    }
}

fn native_reduce(inputs: &[Vec<f32>], _: usize, out: &mut [f32]) {
    for (o, block) in out.iter_mut().zip(inputs[0].chunks(BLOCK)) {
        *o = block.iter().sum();
    }
}

/// Row by column, as each thread of the naive kernel does it.
fn native_matmul(inputs: &[Vec<f32>], n: usize, out: &mut [f32]) {
    for row in 0..n {
        for column in 0..n {
            out[row * n + column] = (0..n).map(|k| inputs[0][row * n + k] * inputs[1][k * n + column]).sum();
        }
    }
}

fn benches() -> Vec<Bench> {
    let line = |n: usize| Dim3::new(n as u32, 1, 1);
    let square = |n: usize| Dim3::new(n as u32, n as u32, 1);
    let matrix = |name, source, n: usize| Bench {
        name,
        source,
        buffers: vec![n * n; 3],
        size: n,
        grid: square(n / 16),
        block: square(16),
        work: (n as f64).powi(3),
        native: native_matmul,
    };
    let row = |name, source, buffers: Vec<usize>, native| Bench {
        name,
        source,
        size: buffers[0],
        grid: line(buffers[0] / BLOCK),
        block: line(BLOCK),
        work: buffers[0] as f64,
        buffers,
        native,
    };
    vec![
        row("vadd", include_str!("kernels/vadd.cu"), vec![1 << 24; 3], native_vadd),
        row("reduce", include_str!("kernels/reduce.cu"), vec![1 << 22, (1 << 22) / BLOCK], native_reduce),
        matrix("mm_naive", include_str!("kernels/mm_naive.cu"), 512),
        matrix("mm_tiled", include_str!("kernels/mm_tiled.cu"), 512),
        matrix("mm_tiled", include_str!("kernels/mm_tiled.cu"), 64),
    ]
}

fn module(bench: &Bench, compiler: &Compiler) -> Module {
    let request = Request::new(bench.source, "bench.cu", (8, 0));
    let ptx = compiler.compile(&request).expect("a kernel that compiles").ptx;
    Module::parse(&ptx).expect("PTX that loads")
}

fn inputs(bench: &Bench) -> Vec<Vec<f32>> {
    let count = bench.buffers.len() - 1;
    (0..count).map(|n| (0..bench.buffers[n]).map(|i| ((i * 31 + n) % 7) as f32).collect()).collect()
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Returns the median time in seconds of launches on the same buffers, as the peers', and the contents of the output.
fn launches(bench: &Bench, module: &Module, inputs: &[Vec<f32>], options: &Options) -> (f64, Vec<f32>) {
    let mut device = Device::new(8, 0);
    let mut args: Vec<Arg> = Vec::new();
    let mut last = None;
    for (n, &elements) in bench.buffers.iter().enumerate() {
        let buffer = device.allocate(["a", "b", "c"][n], elements as u64 * 4).expect("memory");
        if let Some(input) = inputs.get(n) {
            let bytes: Vec<u8> = input.iter().flat_map(|v| v.to_le_bytes()).collect();
            device.write(buffer, &bytes);
            device.set_read_only(buffer);
        }
        args.push(buffer.into());
        last = Some(buffer);
    }
    args.push((bench.size as i32).into());
    let config = LaunchConfig { grid: bench.grid, block: bench.block, dynamic_shared_bytes: 0 };
    let mut launch = || {
        let start = Instant::now();
        let report = device.launch(module, bench.name, config, &args, options).expect("a launch");
        let seconds = start.elapsed().as_secs_f64();
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        seconds
    };
    let seconds = median((0..RUNS).map(|_| launch()).collect());
    let mut bytes = vec![0; bench.buffers[bench.buffers.len() - 1] * 4];
    device.read(last.expect("an output"), &mut bytes);
    let stored = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    (seconds, stored)
}

/// Returns the median time in seconds of some plain loops at once, each of which does all of the work; the output of one is
/// stored in `out`.
fn loops(bench: &Bench, inputs: &[Vec<f32>], count: usize, out: &mut [f32]) -> f64 {
    let mut outputs = vec![out.to_vec(); count];
    let mut run = || {
        let start = Instant::now();
        std::thread::scope(|threads| {
            for output in &mut outputs {
                threads.spawn(|| (bench.native)(std::hint::black_box(inputs), bench.size, output));
            }
        });
        start.elapsed().as_secs_f64()
    };
    let seconds = median((0..RUNS).map(|_| run()).collect());
    out.copy_from_slice(&outputs[0]);
    seconds
}

/// Another implementation that runs the same kernels.
struct Peer {
    /// Its version, if it reports one.
    version: Option<String>,
    /// Millions per second, by kernel and size, or by kernel alone if it chooses the sizes itself.
    speeds: HashMap<String, f64>,
}

impl Peer {
    /// Runs a script in `peers`. Returns `None` if Python lacks what the script needs.
    fn run(script: &str) -> Option<Peer> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers/");
        let output = Command::new("python3").arg(format!("{folder}{script}")).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let speed = |line: &str| -> Option<(String, f64)> {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name @ .., work, seconds] = &words[..] else { return None };
            Some((name.join(" "), work.parse::<f64>().ok()? / seconds.parse::<f64>().ok()? / 1e6))
        };
        let version = text.lines().find_map(|line| line.strip_prefix("version ")).map(str::to_owned);
        let speeds: HashMap<_, _> = text.lines().filter_map(speed).collect();
        (!speeds.is_empty()).then_some(Peer { version, speeds })
    }

    fn speed(peer: Option<&Peer>, name: &str) -> String {
        let speed = peer.and_then(|peer| peer.speeds.get(name));
        speed.map_or("-".to_owned(), |speed| format!("{speed:.*}", if *speed < 1.0 { 4 } else { 1 }))
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let compiler = Compiler::locate(false).expect("a compiler").with_worker(env!("CARGO_BIN_EXE_gpulearn"));
    let (pocl, numba) = (Peer::run("pocl.py"), Peer::run("numba_simulator.py"));
    match &pocl {
        None => println!("(PoCL is left out: pip install numpy pyopencl pocl-binary-distribution)"),
        Some(peer) => println!("(PoCL is {})", peer.version.as_deref().unwrap_or("of no known version")),
    }
    if numba.is_none() {
        println!("(Numba's simulator is left out: pip install numba)");
    }
    let columns = [
        "2 threads",
        "compiled",
        "2 threads",
        "share",
        "no checks",
        "plain loop",
        "two at once",
        "PoCL",
        "Numba's",
    ];
    let columns: String = columns.iter().map(|column| format!("{column:>14}")).collect();
    println!("{:<20}{:>10}{columns}", "millions a second", "all checks");
    for bench in benches() {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == bench.name) {
            continue;
        }
        let (module, inputs) = (module(&bench, &compiler), inputs(&bench));
        let mut expected = vec![0.0; bench.buffers[bench.buffers.len() - 1]];
        let [native, both] = [1, 2].map(|count| loops(&bench, &inputs, count, &mut expected));
        let seconds = |options: Options| {
            let (seconds, stored) = launches(&bench, &module, &inputs, &options);
            // The inputs are small integers, so every order of summation gives the same result.
            assert!(stored == expected, "{} stores something else than the plain loop", bench.name);
            seconds
        };
        let on = |host_threads, emitter| Options { host_threads, emitter, ..Options::default() };
        let emitter = gpulearn::jit::kernel_emitter();
        let [one, two] = [1, 2].map(|threads| seconds(on(threads, None)));
        let [compiled, compiled_by_two] = [1, 2].map(|threads| seconds(on(threads, emitter.clone())));
        let unchecked = seconds(Options { checks: false, ..on(1, None) });
        let rate = |seconds: f64| bench.work / seconds / 1e6;
        let by_two = |one: f64, two: f64| format!("{:.1} ×{:.2}", rate(two), one / two);
        let share = module.machine_code_share(bench.name).unwrap_or(0.0);
        println!(
            "{:<12}{:>8}{:>10.1}{:>14}{:>14.1}{:>14}{:>13.1}%{:>14.1}{:>14.1}{:>14}{:>14}{:>14}",
            bench.name,
            bench.size,
            rate(one),
            by_two(one, two),
            rate(compiled),
            by_two(compiled, compiled_by_two),
            share * 100.0,
            rate(unchecked),
            rate(native),
            by_two(native, both / 2.0),
            Peer::speed(pocl.as_ref(), &format!("{} {}", bench.name, bench.size)),
            Peer::speed(numba.as_ref(), bench.name),
        );
    }
}
