//! Some of a grid's blocks run: one of each stretch, the same on any number of host threads.

use gpulearn::sim::{Device, Dim3, ExecutionOrder, LaunchConfig, Module, Options, Progress};
use std::sync::Arc;

/// Each block adds one to its word.
const MARK: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {\n\
    .reg .b32 %b, %n, %x, %y, %v; .reg .b64 %o, %w;\n\
    mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; mov.u32 %n, %nctaid.x; mad.lo.u32 %b, %y, %n, %x;\n\
    ld.param.u64 %o, [out]; mul.wide.u32 %w, %b, 4; add.u64 %o, %o, %w;\n\
    ld.global.u32 %v, [%o]; add.u32 %v, %v, 1; st.global.u32 [%o], %v;\nret;\n}\n";

/// How often each block of a grid ran.
fn blocks_run(grid: Dim3, options: &Options) -> Vec<u32> {
    let module = Module::parse(MARK).unwrap();
    let mut device = Device::new(8, 0);
    let mut stored = vec![0; grid.count() as usize * 4];
    let out = device.allocate("out", stored.len() as u64).unwrap();
    device.write(out, &stored);
    let config = LaunchConfig { grid, block: Dim3::new(1, 1, 1), dynamic_shared_bytes: 0 };
    let report = device.launch(&module, "k", config, &[out.into()], options).unwrap();
    device.read(out, &mut stored);
    let times: Vec<u32> = stored.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
    assert_eq!(u64::from(times.iter().sum::<u32>()), report.counts.blocks);
    times
}

#[test]
fn one_block_of_each_stretch_runs() {
    for (width, height, sample_every) in [(64, 64, 64), (10, 1, 3), (7, 5, 100), (33, 1, 1), (3, 2, 0)] {
        for (host_threads, order) in
            [(1, ExecutionOrder::ByNumber), (3, ExecutionOrder::ByNumber), (2, ExecutionOrder::Drawn(5))]
        {
            let options = Options {
                host_threads,
                threads_per_host_thread: 1,
                order,
                sample_every,
                ..Options::default()
            };
            let times = blocks_run(Dim3::new(width, height, 1), &options);
            for stretch in times.chunks(sample_every.max(1) as usize) {
                assert_eq!(stretch.iter().sum::<u32>(), 1, "{width} x {height}, one of {sample_every}");
            }
        }
    }
}

#[test]
fn no_column_of_the_grid_is_preferred() {
    let options = Options { sample_every: 64, ..Options::default() };
    let times = blocks_run(Dim3::new(64, 64, 1), &options);
    let columns: std::collections::HashSet<usize> =
        (0..times.len()).filter(|&n| times[n] > 0).map(|n| n % 64).collect();
    assert!(columns.len() > 32, "{columns:?}");
}

#[test]
fn how_far_a_launch_came_is_seen_from_outside() {
    let progress = Arc::new(Progress::default());
    let options = Options { progress: Some(Arc::clone(&progress)), ..Options::default() };
    blocks_run(Dim3::new(40, 1, 1), &options);
    let stage = progress.look();
    assert_eq!((stage.launch, stage.kernel, stage.blocks, stage.done), (1, 0, 40, 40));
}
