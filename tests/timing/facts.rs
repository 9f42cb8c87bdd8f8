//! Single kernels against what is known of GPUs.

use super::pair::Pair;
use gpulearn::host::device::model::Model;
use gpulearn::sim::time::{Bound, KernelWork, Modelled, duration};
use std::sync::OnceLock;

const SOURCE: &str = r#"
//! floats: 16777216 16777216 16777216
//! slow: grid 65536 1 block 256 1
//! fast: grid 1 1 block 1 1
//! n: 16777216

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) { c[0] = a[0] + 1; }
"#;

fn models() -> Vec<Model> {
    Model::names().map(|name| Model::named(name).unwrap()).collect()
}

/// A sum of vectors of 64 MiB, and a kernel that does next to nothing.
fn works() -> &'static (KernelWork, KernelWork) {
    static WORKS: OnceLock<(KernelWork, KernelWork)> = OnceLock::new();
    WORKS.get_or_init(|| {
        let source = SOURCE.trim_start();
        let ran = Pair::parse(source).unwrap().run("facts", source, &super::compiler());
        (ran.slow.work, ran.fast.work)
    })
}

#[test]
fn kernels_are_as_fast_as_memory_is_and_tiny_ones_take_microseconds() {
    let (vectors, tiny) = works();
    for model in models() {
        let m: Modelled = duration(&model.gpu, vectors);
        let bytes = 3.0 * 4.0 * 16_777_216.0;
        let gbps = bytes / m.ns as f64;
        let best = model.gpu.dram_rate();
        println!("{}: {gbps:.0} GB/s of {best:.0} that copies reach", model.key);
        assert_eq!(m.bound_by, Bound::Memory, "{}", model.key);
        // What the cache still holds at the end makes it a little faster than memory alone.
        assert!((0.85..1.2).contains(&(gbps / best)), "{}: {gbps} of {best}", model.key);

        let t = duration(&model.gpu, tiny);
        println!("{}: a thread takes {} ns", model.key, t.ns);
        assert!((800..4_000).contains(&t.ns), "{}: {} ns", model.key, t.ns);

        // The same over data that the cache holds.
        let mut small = vectors.clone();
        small.cached_bytes = u64::MAX;
        assert!(duration(&model.gpu, &small).ns < m.ns, "{}", model.key);

        // Occupancy hides latency: few resident warps can't keep memory busy.
        let mut few = vectors.clone();
        (few.threads, few.blocks) = (64, few.blocks * 4);
        few.shared_bytes = model.gpu.sm.shared_bytes_per_block;
        let slower = duration(&model.gpu, &few);
        assert_eq!(slower.resident_blocks, 1);
        println!("{}: one block at a time {:.1} times as long", model.key, slower.ns as f64 / m.ns as f64);
        assert!(slower.ns as f64 > 1.3 * m.ns as f64, "{}: {} {}", model.key, slower.ns, m.ns);
        assert_eq!(slower.bound_by, Bound::Latency);
    }
}

#[test]
fn a_graph_of_tiny_kernels_goes_as_measured() {
    use gpulearn::host::device::timeline::{Cost, Op, Timeline};
    use std::sync::Arc;
    let (_, tiny) = works();
    // Microseconds a kernel when 2,000 tiny ones are replayed: a T4's by a notebook, an H100's measured.
    for (name, expected) in [("t4", 1.37), ("h100", 1.29)] {
        let model = Arc::new(Model::named(name).unwrap());
        let cost = Arc::new(duration(&model.gpu, tiny).cost);
        let total = |in_graph: bool, launch_ns: u64| {
            let mut timeline = Timeline::new([model.clone()]);
            let mut last = Vec::new();
            for n in 0..2000u64 {
                let op = Op::new(0, "tiny", n * launch_ns, Cost::Kernel(cost.clone()));
                last = vec![timeline.submit(Op { after: last, in_graph, ..op })];
            }
            timeline.finish(last[0]) as f64 / 1e3
        };
        let graph = total(true, 0) / 2000.0;
        let launches = total(false, model.host.launch_ns) / 2000.0;
        println!(
            "{name}: {graph:.2} us a kernel in a graph, {launches:.2} us launched: {:.1}x",
            launches / graph
        );
        assert!((graph / expected - 1.0).abs() < 0.25, "{name}: {graph} us, known {expected}");
        assert!(launches / graph > 1.4, "{name}");
    }
}
