//! Performance effects that programs measure, each checked by its ratio.

use super::*;
use crate::device::{HostCost, WorkNode};

const MIB: u64 = 1 << 20;

fn run() -> Run {
    Run::with(Schedule::Eager, 1, "t4", 2)
}

/// Returns the time on the program's clock while `what` is executed, including the GPU's work, in
/// microseconds.
fn took(run: &mut Run, what: impl FnOnce(&mut Run)) -> f64 {
    run.sync();
    let start = run.gpus.now_ns();
    what(run);
    run.sync();
    (run.gpus.now_ns() - start) as f64 / 1e3
}

fn ratio(name: &str, slow: f64, fast: f64) -> f64 {
    println!("{name}: {slow:.1} us against {fast:.1} us: {:.2}", slow / fast);
    slow / fast
}

#[test]
fn pinned_memory_is_copied_faster_than_pageable() {
    let mut run = run();
    let bytes = 32 * MIB;
    let (d, h) = (run.device(bytes), run.pinned(bytes));
    let pageable = run.pageable(0);
    for (name, least) in [("to the device", 1.5), ("to the host", 1.5)] {
        let out = name == "to the host";
        let slow = took(&mut run, |run| {
            if out { run.copy_now(pageable, d, bytes) } else { run.copy_now(d, pageable, bytes) }
        });
        let fast =
            took(&mut run, |run| if out { run.copy_now(h, d, bytes) } else { run.copy_now(d, h, bytes) });
        assert!(ratio(&format!("pageable against pinned, {name}"), slow, fast) > least);
    }
}

#[test]
fn copies_and_kernels_overlap_over_chunks() {
    let mut run = run();
    let (bytes, chunks) = (2 * MIB, 8u64);
    let (d, h) = (run.device(bytes), run.pinned(bytes));
    let (words, rounds) = (bytes / 4, 120);
    let streams: Vec<StreamId> = (0..4).map(|_| run.free_stream()).collect();
    let mut pass = |chunks: u64, streams: &[StreamId]| {
        let chunk = bytes / chunks;
        took(&mut run, |run| {
            for c in 0..chunks {
                let s = streams[c as usize % streams.len()];
                let (dc, hc) = (Address(d.0 + c * chunk), Address(h.0 + c * chunk));
                run.copy(s, dc, hc, chunk);
                run.work(s, dc, (words / chunks / 256) as u32, rounds);
                run.copy(s, hc, dc, chunk);
            }
        })
    };
    // The first launch is slow.
    pass(64, &[LEGACY]);
    let in_turn = pass(1, &[LEGACY]);
    let overlapped = pass(chunks, &streams);
    let gain = ratio("in turn against overlapped", in_turn, overlapped);
    assert!((1.7..2.1).contains(&gain));
}

#[test]
fn a_graph_replays_tiny_kernels_faster_than_launches() {
    let mut run = run();
    let a = run.device(64);
    run.set(LEGACY, a, 0, 64);
    let s = run.stream();
    run.add(s, a, a, 5, 1);
    let launches = 2000;
    let slow = took(&mut run, |run| (0..launches).for_each(|_| run.add(s, a, a, 5, 1)));
    let params = [Param::Address(a), Param::Address(a), Param::Word(5), Param::Word(1)];
    let launch = run.launch("add", 1, 256, &params);
    let nodes: Vec<WorkNode> = (0..launches)
        .map(|n: usize| WorkNode {
            work: Work::Launch(launch.clone()),
            device: 0,
            after: n.checked_sub(1).into_iter().collect(),
            site: Site::default(),
        })
        .collect();
    let graph = run.gpus.instantiate(&nodes).unwrap();
    let fast = took(&mut run, |run| {
        run.gpus.enqueue(s, Work::Graph(graph), &Site::default(), &mut run.host).unwrap();
    });
    let gain = ratio("2,000 launches against one graph", slow, fast);
    assert!(gain > 3.0);
}

#[test]
fn a_timing_without_a_wait_tells_the_launch_only() {
    let mut run = run();
    let d = run.device(4 * MIB);
    run.set(LEGACY, d, 0, 4 * MIB);
    run.work(LEGACY, d, 4096, 1);
    run.sync();
    let start = run.gpus.now_ns();
    run.work(LEGACY, d, 4096, 200);
    let lie = (run.gpus.now_ns() - start) as f64 / 1e3;
    run.sync();
    let truth = (run.gpus.now_ns() - start) as f64 / 1e3;
    assert!(ratio("a timing with a wait against one without", truth, lie) > 10.0);
}

#[test]
fn events_tell_what_the_gpu_took() {
    let mut run = run();
    let d = run.device(4 * MIB);
    run.set(LEGACY, d, 0, 4 * MIB);
    run.work(LEGACY, d, 4096, 1);
    let (a, b) = (run.event(), run.event());
    let whole = took(&mut run, |run| {
        run.record(LEGACY, a);
        run.work(LEGACY, d, 4096, 100);
        run.record(LEGACY, b);
    });
    let by_events = f64::from(run.gpus.elapsed_ms(a, b).unwrap()) * 1e3;
    let share = ratio("the host's clock against events", whole, by_events);
    assert!((1.0..1.2).contains(&share));
}

#[test]
fn the_first_call_is_slow() {
    let mut run = run();
    let start = run.gpus.now_ns();
    run.gpus.spend(HostCost::Context(0));
    let d = run.device(64);
    run.set(LEGACY, d, 0, 64);
    run.add(LEGACY, d, d, 4, 1);
    run.sync();
    let first = (run.gpus.now_ns() - start) as f64 / 1e3;
    let second = took(&mut run, |run| {
        run.set(LEGACY, d, 0, 64);
        run.add(LEGACY, d, d, 4, 1);
    });
    assert!(ratio("the first call against the second", first, second) > 100.0);
}

#[test]
fn small_kernels_run_side_by_side_and_large_ones_do_not() {
    let gain = |blocks: u32, rounds: u32| {
        let mut run = run();
        let bytes = u64::from(blocks) * 1024;
        let d = run.device(8 * bytes);
        run.set(LEGACY, d, 0, 8 * bytes);
        run.work(LEGACY, d, 1, 1);
        let streams: Vec<StreamId> = (0..8).map(|_| run.free_stream()).collect();
        let pass = |run: &mut Run, streams: &[StreamId]| {
            took(run, |run| {
                for k in 0..8u64 {
                    run.work(streams[k as usize % streams.len()], Address(d.0 + k * bytes), blocks, rounds);
                }
            })
        };
        let in_turn = pass(&mut run, &streams[..1]);
        let side_by_side = pass(&mut run, &streams);
        ratio(&format!("8 kernels of {blocks} blocks in one stream against 8"), in_turn, side_by_side)
    };
    assert!(gain(4, 20_000) > 4.0);
    assert!(gain(640, 500) < 1.25);
}

#[test]
fn managed_memory_moves_and_a_prefetch_moves_it_faster() {
    let gain = |prefetch: bool| {
        let mut run = run();
        let m = run.managed(8 * MIB);
        for k in 0..8 * MIB / 4096 {
            run.store(Address(m.0 + k * 4096), 1);
        }
        run.add(LEGACY, m, m, 1, 1);
        run.load(m);
        took(&mut run, |run| {
            if prefetch {
                let work = Work::Prefetch { address: m, bytes: 8 * MIB, to: Some(0) };
                run.give(LEGACY, work, "cudaMemPrefetchAsync").unwrap();
            }
            run.work(LEGACY, m, (8 * MIB / 1024) as u32, 1);
        })
    };
    assert!(ratio("page faults against a prefetch", gain(false), gain(true)) > 1.3);
}

#[test]
fn times_do_not_depend_on_host_threads() {
    let times = [1, 2, 5].map(|host_threads| {
        let mut run = Run::with(Schedule::Eager, 1, "a100", host_threads);
        let d = run.device(MIB);
        run.set(LEGACY, d, 0, MIB);
        let (s, t) = (run.free_stream(), run.free_stream());
        run.sync();
        run.work(s, d, 100, 50);
        run.work(t, Address(d.0 + MIB / 2), 100, 70);
        run.sync();
        run.gpus.now_ns()
    });
    assert!(times.iter().all(|&t| t == times[0]), "{times:?}");
}
