//! A warp whose lanes part and meet computes what its threads would compute alone.

use super::program;
use gpulearn::sim::{Device, Dim3, LaunchConfig, Module, Options, Outcome};
use proptest::prelude::*;

/// What `blocks` blocks of `threads` threads store, and the instructions their threads took.
fn run(module: &Module, blocks: u32, threads: u32) -> (Vec<u8>, u64) {
    let bytes = (blocks * threads * program::REGISTERS * 4) as usize;
    let mut device = Device::new(8, 0);
    let out = device.allocate("out", bytes as u64).unwrap();
    let config = LaunchConfig {
        grid: Dim3::new(blocks, 1, 1),
        block: Dim3::new(threads, 1, 1),
        dynamic_shared_bytes: 0,
    };
    let options = Options { host_threads: 1, ..Options::default() };
    let report = device.launch(module, "program", config, &[out.into()], &options).unwrap();
    assert_eq!(report.outcome, Outcome::Completed, "{:?}", report.findings);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let mut stored = vec![0; bytes];
    device.read(out, &mut stored);
    (stored, report.counts.thread_instructions)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn threads_together_compute_what_they_compute_alone(
        statements in program::programs(),
        threads in 1..80u32,
    ) {
        let module = Module::parse(&program::ptx(&statements)).unwrap();
        prop_assert!(module.unsupported().is_empty());
        let (together, steps_together) = run(&module, 1, threads);
        let (alone, steps_alone) = run(&module, threads, 1);
        prop_assert_eq!(together, alone);
        prop_assert_eq!(steps_together, steps_alone);
    }
}
