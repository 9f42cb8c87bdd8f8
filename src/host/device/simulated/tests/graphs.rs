//! Graphs: the values they compute, and the races between their branches.

use super::*;
use crate::device::WorkNode;

const N: u32 = 256;
const BYTES: u64 = 1024;

fn node(run: &mut Run, work: Work, name: &str, after: &[usize]) -> WorkNode {
    let site = run.site_of(requested(&work, name));
    WorkNode { work, device: 0, after: after.to_vec(), site }
}

fn add(run: &mut Run, out: Address, input: Address, v: u32, after: &[usize]) -> WorkNode {
    let params = [Param::Address(out), Param::Address(input), Param::Word(N), Param::Word(v)];
    let launch = run.launch("add", 1, 256, &params);
    node(run, Work::Launch(launch), "add", after)
}

#[test]
fn branches_join_and_launches_follow_each_other() {
    for schedule in schedules() {
        let mut run = Run::with(schedule, 1, "t4", 1);
        let (a, b, c) = (run.device(BYTES), run.device(BYTES), run.device(BYTES));
        run.set(LEGACY, a, 0, BYTES);
        run.sync();
        let nodes = [
            add(&mut run, a, a, 1, &[]),
            add(&mut run, b, a, 10, &[0]),
            add(&mut run, c, a, 100, &[0]),
            add(&mut run, b, b, 1000, &[1]),
            add(&mut run, a, c, 0, &[3, 2]),
        ];
        let graph = run.gpus.instantiate(&nodes).unwrap();
        let (s, t) = (run.free_stream(), run.free_stream());
        for stream in [s, t, s] {
            let site = run.site("cudaGraphLaunch");
            run.gpus.enqueue(stream, Work::Graph(graph), &site, &mut run.host).unwrap();
        }
        run.wait(WaitTarget::Stream(s));
        run.copy_now(run.pageable(0), a, 4);
        run.copy_now(run.pageable(4), b, 4);
        assert_eq!(run.host.memory[..8], [303u32.to_le_bytes(), 1213u32.to_le_bytes()].concat());
        run.gpus.destroy_graph(graph).unwrap();
        assert_eq!(short(&run.end()), [""; 0], "{schedule:?}");
    }
}

#[test]
fn branches_of_a_graph_may_meet_unordered() {
    expect(&["O003 3 -> 4"], |run| {
        let a = run.device(BYTES);
        run.set(LEGACY, a, 0, BYTES);
        let nodes = [add(run, a, a, 1, &[]), add(run, a, a, 2, &[])];
        let graph = run.gpus.instantiate(&nodes).unwrap();
        for _ in 0..2 {
            let site = run.site("cudaGraphLaunch");
            run.gpus.enqueue(LEGACY, Work::Graph(graph), &site, &mut run.host).unwrap();
        }
        run.sync();
    });
}

#[test]
fn a_graph_is_updated() {
    let mut run = Run::with(Schedule::Eager, 1, "t4", 1);
    let a = run.device(BYTES);
    run.set(LEGACY, a, 0, BYTES);
    let first = [add(&mut run, a, a, 1, &[])];
    let second = [add(&mut run, a, a, 5, &[])];
    let graph = run.gpus.instantiate(&first).unwrap();
    run.gpus.enqueue(LEGACY, Work::Graph(graph), &Site::default(), &mut run.host).unwrap();
    run.gpus.update_graph(graph, &second).unwrap();
    run.gpus.enqueue(LEGACY, Work::Graph(graph), &Site::default(), &mut run.host).unwrap();
    run.copy_now(run.pageable(0), a, 4);
    assert_eq!(run.host.memory[0], 6);
}
