//! Generates random kernels and compares machine code with the interpreter: values, findings and counts must be
//! the same. `PROPTEST_CASES` sets how many kernels.

mod draw;
mod path;

use draw::{BUFFER_BYTES, kernel, statement};
use proptest::prelude::*;
use sim::{Arg, Device, Dim3, ExecutionOrder, LaunchConfig, Module, Options};

/// Runs a launch and returns everything it did as text, since a NaN equals nothing.
fn run(module: &Module, (grid, block): (Dim3, Dim3), n: i32, options: &Options) -> String {
    let mut device = Device::new(8, 0);
    let input = device.allocate("in", u64::from(BUFFER_BYTES)).unwrap();
    let output = device.allocate("out", u64::from(BUFFER_BYTES)).unwrap();
    let words = 0..BUFFER_BYTES / 4;
    let bytes: Vec<u8> = words.flat_map(|i| (i as f32 * 0.37 - 99.0).to_le_bytes()).collect();
    device.write(input, &bytes);
    if n % 2 == 0 {
        device.set_read_only(input);
    }
    if n % 3 != 0 {
        device.write(output, &bytes);
    }
    let config = LaunchConfig { grid, block, dynamic_shared_bytes: 0 };
    let args: [Arg; 3] = [input.into(), output.into(), n.into()];
    let report = device.launch(module, "k", config, &args, options).unwrap();
    let mut left = vec![0; BUFFER_BYTES as usize];
    device.read(output, &mut left);
    format!(
        "{:?}\n{:?}\n{:?}\n{:?}\n{left:?}",
        report.outcome, report.findings, report.touched, report.counts
    )
}

/// Compares two launches, each interpreted and as machine code. The second one finds the code that the first one compiled, and
/// has a different parameter.
fn compare(
    text: &str,
    (grid, block): ((u32, u32), (u32, u32)),
    n: i32,
    interpreted: &Options,
    compiled: &Options,
) -> Result<(), TestCaseError> {
    let module = Module::parse(text).unwrap();
    prop_assert!(module.unsupported().is_empty(), "{:?}", module.unsupported());
    let shape = (Dim3::new(grid.0, grid.1, 1), Dim3::new(block.0, block.1, 1));
    for n in [n, n + 1] {
        let (wanted, got) = (run(&module, shape, n, interpreted), run(&module, shape, n, compiled));
        prop_assert!(wanted == got, "{text}\ninterpreted {}\ncompiled {}", cut(&wanted), cut(&got));
    }
    Ok(())
}

proptest! {
    #[test]
    fn blocks_that_follow_a_path_do_what_the_interpreter_does(
        statements in prop::collection::vec(path::statement(), 1..10),
        whole in any::<bool>(),
        grid in prop::sample::select(vec![(14, 1), (14, 1), (40, 1), (9, 3)]),
        block in prop::sample::select(vec![(32, 1), (64, 1), (256, 1), (512, 1), (16, 16), (32, 4), (48, 2)]),
        n in 0i32..3600,
        touched in any::<bool>(),
        host_threads in prop_oneof![2 => Just(1), 1 => Just(2)],
        order in prop_oneof![3 => Just(ExecutionOrder::ByNumber), 1 => (1u64..4).prop_map(ExecutionOrder::Drawn)],
    ) {
        let Some(emitter) = gpulearn_jit::kernel_emitter() else { return Ok(()) };
        let interpreted = Options { host_threads: 1, step_budget: 100_000, touched, order, ..Options::default() };
        let compiled = Options {
            emitter: Some(emitter),
            compile_after: 0,
            host_threads,
            threads_per_host_thread: 1,
            ..interpreted.clone()
        };
        compare(&path::kernel(&statements, whole), (grid, block), n, &interpreted, &compiled)?;
    }

    #[test]
    fn compiled_kernels_do_what_the_interpreter_does(
        statements in prop::collection::vec(statement(2), 1..16),
        block in prop_oneof![Just((64, 1)), Just((256, 1)), Just((16, 16)), Just((32, 4)), Just((48, 2)), Just((8, 8))],
        n in -5i32..900,
        touched in any::<bool>(),
        // Machine code from the first instruction on, or only later.
        compile_after in prop_oneof![2 => Just(0), 1 => 1u64..3000],
        order in prop_oneof![2 => Just(ExecutionOrder::ByNumber), 1 => (1u64..4).prop_map(ExecutionOrder::Drawn)],
    ) {
        let Some(emitter) = gpulearn_jit::kernel_emitter() else { return Ok(()) };
        let interpreted = Options { host_threads: 1, step_budget: 100_000, touched, order, ..Options::default() };
        let compiled = Options { emitter: Some(emitter), compile_after, ..interpreted.clone() };
        compare(&kernel(&statements), ((14, 1), block), n, &interpreted, &compiled)?;
    }
}

fn cut(text: &str) -> String {
    text.chars().take(4000).collect()
}
