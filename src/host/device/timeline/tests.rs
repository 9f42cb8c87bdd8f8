//! Checks that the timeline produces valid schedules.

use super::*;
use crate::device::StreamId;
use proptest::prelude::*;
use sim::time::BlockCost;

fn model(name: &str) -> Arc<Model> {
    Arc::new(Model::named(name).unwrap())
}

fn timeline(name: &str) -> (Timeline, Arc<Model>) {
    let model = model(name);
    (Timeline::new([model.clone()]), model)
}

/// A kernel of `blocks` blocks, each of which keeps a multiprocessor's pipe busy for half of its `ns`.
fn busy(model: &Model, blocks: u64, ns: f64) -> Arc<BlockCost> {
    let mut cost = BlockCost::streaming(&model.gpu, 0);
    cost.blocks = blocks;
    cost.alone_ns = ns;
    cost.demand.set(sim::time::Bound::Pipe, ns / 2.0);
    Arc::new(cost)
}

fn kernel(cost: &Arc<BlockCost>, after: &[OpId]) -> Op {
    Op { after: after.to_vec(), ..Op::new(0, "kernel", 0, Cost::Kernel(cost.clone())) }
}

fn copy(route: Route, bytes: u64, after: &[OpId]) -> Op {
    Op { after: after.to_vec(), ..Op::new(0, "copy", 0, Cost::Copy { route, bytes }) }
}

/// Returns when everything submitted so far is done.
fn idle_at(timeline: &mut Timeline) -> u64 {
    (0..timeline.submitted).map(|op| timeline.finish(OpId(op))).max().unwrap_or(0)
}

const TO: Route = Route::ToDevice(HostMemory::Pinned);
const FROM: Route = Route::ToHost(HostMemory::Pinned);

#[test]
fn a_kernel_alone_takes_what_the_duration_model_says() {
    for blocks in [1, 7, 100, 10_000, 3_000_000] {
        let (mut timeline, model) = timeline("h100");
        let cost = busy(&model, blocks, 1234.5);
        let op = timeline.submit(kernel(&cost, &[]));
        let end = timeline.finish(op);
        let span = &timeline.spans()[0];
        let alone = cost.ns_alone(model.gpu.sms);
        let took = (span.end_ns - span.start_ns) as f64;
        assert!((took - alone).abs() <= 2.0, "{blocks} blocks: {took} against {alone}");
        assert_eq!(end, span.end_ns);
        assert_eq!(idle_at(&mut timeline), end);
    }
}

#[test]
fn markers_pass_on_what_they_come_behind() {
    let (mut timeline, model) = timeline("a100");
    let cost = busy(&model, 4, 1000.0);
    let stream = |number, op: Op| Op { stream: Some(StreamId(number)), ..op };
    let marker = |after: &[OpId]| Op { after: after.to_vec(), ..Op::new(0, "marker", 0, Cost::Marker) };
    let first = timeline.submit(stream(1, copy(TO, 1 << 20, &[])));
    let produce = timeline.submit(stream(1, kernel(&cost, &[first])));
    let record = timeline.submit(stream(1, marker(&[produce])));
    let own = timeline.submit(stream(2, kernel(&cost, &[])));
    let wait = timeline.submit(stream(2, Op { across: OrderedBy::Event, ..marker(&[own, record]) }));
    let consume = timeline.submit(stream(2, kernel(&cost, &[wait])));
    let default = timeline.submit(stream(0, kernel(&cost, &[record, consume])));
    let in_graph = |after: &[OpId]| Op { in_graph: true, across: OrderedBy::Graph, ..kernel(&cost, after) };
    let node = timeline.submit(stream(0, in_graph(&[default])));
    let next = timeline.submit(stream(0, in_graph(&[node])));
    let end = timeline.submit(stream(0, marker(&[next])));
    timeline.mark(produce, FindingKind::StreamRace);
    idle_at(&mut timeline);
    timeline.record_host("cudaDeviceSynchronize", 0, 1, &[end, own]);
    timeline.mark(consume, FindingKind::HostReadsEarly);
    let after = |op: Option<OpId>| {
        let span = timeline.spans().iter().find(|span| span.op == op).unwrap();
        span.after.iter().map(|after| (after.op, after.by)).collect::<Vec<_>>()
    };
    assert_eq!(after(Some(produce)), [(first, OrderedBy::Stream)]);
    assert_eq!(after(Some(consume)), [(own, OrderedBy::Stream), (produce, OrderedBy::Event)]);
    assert_eq!(after(Some(default)), [(produce, OrderedBy::Implicit), (consume, OrderedBy::Implicit)]);
    assert_eq!(after(Some(node)), [(default, OrderedBy::Stream)]);
    assert_eq!(after(Some(next)), [(node, OrderedBy::Graph)]);
    assert_eq!(after(None), [(next, OrderedBy::Host), (own, OrderedBy::Host)]);
    let found: Vec<_> = timeline.spans().iter().filter_map(|span| Some((span.op?, span.finding?))).collect();
    assert_eq!(found, [(produce, FindingKind::StreamRace), (consume, FindingKind::HostReadsEarly)]);
}

#[test]
fn busy_multiprocessors_are_those_that_have_blocks() {
    let (mut timeline, model) = timeline("t4");
    let few = timeline.submit(kernel(&busy(&model, 3, 1000.0), &[]));
    timeline.submit(kernel(&busy(&model, 1 << 20, 1000.0), &[few]));
    let end = idle_at(&mut timeline);
    let busy = timeline.busy(0);
    assert_eq!(busy.iter().map(|(_, sms)| *sms).collect::<Vec<_>>(), [3, 0, model.gpu.sms, 0]);
    assert!(busy.is_sorted() && busy.last().unwrap().0 <= end, "{busy:?}");
}

#[test]
fn two_small_kernels_overlap_and_two_large_ones_do_not() {
    let total = |name: &str, blocks: u64, chained: bool| {
        let (mut timeline, model) = timeline(name);
        let cost = busy(&model, blocks, 200_000.0);
        let first = timeline.submit(kernel(&cost, &[]));
        let after: &[OpId] = if chained { &[first] } else { &[] };
        let second = timeline.submit(kernel(&cost, after));
        timeline.finish(first).max(timeline.finish(second)) as f64
    };
    for name in ["t4", "a100", "h100"] {
        let small = total(name, 8, true) / total(name, 8, false);
        let large = total(name, 20_000, true) / total(name, 20_000, false);
        println!("{name}: small {small:.2}x, large {large:.2}x");
        assert!(small > 1.9, "{name}: {small}");
        assert!((0.99..1.1).contains(&large), "{name}: {large}");
    }
}

#[test]
fn copies_of_chunks_overlap_with_kernels_as_the_notebooks_show() {
    // Each chunk is copied to the device and then processed for as long as the copy takes, in one stream or
    // two.
    let total = |name: &str, streams: usize| {
        let (mut timeline, model) = timeline(name);
        let bytes = 64 << 20;
        let copied = bytes as f64 / model.transfer.pinned_to_device_gbps;
        // Enough blocks to keep the multiprocessors busy for as long as the copy takes.
        let blocks = (copied / 500.0) as u64 * u64::from(model.gpu.sms);
        let cost = busy(&model, blocks, 1000.0);
        let mut last = vec![Vec::new(); streams];
        for chunk in 0..16 {
            let stream = &mut last[chunk % streams];
            *stream = vec![timeline.submit(copy(TO, bytes, stream))];
            *stream = vec![timeline.submit(kernel(&cost, stream))];
        }
        idle_at(&mut timeline) as f64
    };
    for name in ["t4", "a100", "h100"] {
        let speedup = total(name, 1) / total(name, 2);
        println!("{name}: overlap {speedup:.2}x");
        assert!(speedup > 1.8 && speedup <= 2.0, "{name}: {speedup}");
    }
}

#[test]
fn each_direction_has_its_engine() {
    let ends = |routes: [Route; 2]| {
        let (mut timeline, _) = timeline("t4");
        for route in routes {
            timeline.submit(copy(route, 1 << 28, &[]));
        }
        idle_at(&mut timeline) as f64
    };
    assert!(ends([TO, TO]) / ends([TO, FROM]) > 1.9);
}

#[test]
fn peer_copies_take_the_way_to_the_host_where_there_is_no_link() {
    for (name, shared) in [("t4", true), ("h100", false)] {
        let model = model(name);
        let mut timeline = Timeline::new([model.clone(), model.clone()]);
        let a = timeline.submit(copy(Route::ToPeer(1), 1 << 28, &[]));
        let b = timeline.submit(copy(FROM, 1 << 28, &[]));
        let (a, b) = (timeline.finish(a), timeline.finish(b));
        let alone = (1u64 << 28) as f64 / model.transfer.pinned_to_host_gbps;
        assert_eq!(b as f64 > a as f64 + alone, shared, "{name}: {a} {b}");
    }
}

#[test]
fn peer_copies_are_staged_in_the_host_where_neither_may_use_the_others_memory() {
    for name in ["t4", "a100", "h100"] {
        let model = model(name);
        let took = |route| {
            let mut timeline = Timeline::new([model.clone(), model.clone()]);
            let first = timeline.submit(copy(route, 1 << 28, &[]));
            let to_the_host = timeline.submit(copy(FROM, 1 << 20, &[]));
            let (first, second) = (timeline.finish(first), timeline.finish(to_the_host));
            (first, second > first)
        };
        let (direct, shares_the_way) = took(Route::ToPeer(1));
        let (staged, waits) = took(Route::StagedToPeer(1));
        let slower = model.transfer.peer_gbps / model.transfer.peer_staged_gbps;
        let measured = staged as f64 / direct as f64;
        assert!((measured / slower - 1.0).abs() < 0.02, "{name}: {measured} for {slower}");
        assert_eq!((shares_the_way, waits), (!model.transfer.peer_link, true), "{name}");
    }
}

#[test]
fn a_higher_priority_gets_the_next_places() {
    let run = |priority: i32| {
        let (mut timeline, model) = timeline("t4");
        let long = busy(&model, 100_000, 10_000.0);
        let short = busy(&model, 40, 10_000.0);
        timeline.submit(kernel(&long, &[]));
        let op = Op { priority, submitted_ns: 50_000, ..kernel(&short, &[]) };
        let short = timeline.submit(op);
        (timeline.finish(short), idle_at(&mut timeline))
    };
    let (urgent, end) = run(-5);
    let (equal, same_end) = run(0);
    assert!(urgent < 500_000, "{urgent}");
    assert!(equal * 10 > same_end * 9, "{equal} of {same_end}");
    assert!((end as f64 / same_end as f64 - 1.0).abs() < 0.01, "no work is lost: {end}, {same_end}");
}

#[test]
fn what_happened_is_not_changed_by_later_submissions() {
    let (mut timeline, model) = timeline("a100");
    let cost = busy(&model, 500, 5_000.0);
    let first = timeline.submit(kernel(&cost, &[]));
    let end = timeline.finish(first);
    let late = timeline.submit(kernel(&cost, &[]));
    assert!(timeline.finish(late) >= end);
    assert_eq!(timeline.finish(first), end);
    assert!(timeline.done_by(first, end));
}

#[test]
fn what_is_long_done_and_not_asked_for_is_forgotten() {
    let (mut timeline, model) = timeline("a100");
    let cost = busy(&model, 1, 5_000.0);
    let ops: Vec<OpId> = (0..10).map(|_| timeline.submit(kernel(&cost, &[]))).collect();
    let ends: Vec<u64> = ops.iter().map(|op| timeline.finish(*op)).collect();
    let asked = HashSet::from([ops[3]]);
    timeline.forget(&asked);
    assert_eq!(timeline.done.len(), 10, "a gap behind them may still keep another");
    timeline.advance(ends[9] + 2_000_000);
    timeline.forget(&asked);
    assert_eq!(timeline.times_ns(ops[3]).map(|(_, end)| end), Some(ends[3]));
    assert_eq!(timeline.times_ns(ops[4]), None);
    assert!(timeline.done_by(ops[4], 0) && timeline.finish(ops[4]) >= ends[9]);
    let next = timeline.submit(kernel(&cost, &[ops[4]]));
    assert!(timeline.finish(next) > ends[9] + 2_000_000);
}

#[test]
fn host_functions_run_one_at_a_time() {
    let (mut timeline, model) = timeline("h100");
    for _ in 0..2 {
        timeline.submit(Op::new(0, "callback", 0, Cost::Host { ns: 1_000_000 }));
    }
    let end = idle_at(&mut timeline);
    assert!(end >= 2_000_000 + model.queue.host_function_ns, "{end}");
}

#[test]
fn absurd_costs_end() {
    let (mut timeline, model) = timeline("t4");
    let mut cost = (*busy(&model, u64::MAX, f64::MAX)).clone();
    cost.least_ns = f64::MAX;
    cost.room.warps = u64::MAX;
    let op = timeline.submit(kernel(&Arc::new(cost), &[]));
    timeline.submit(copy(Route::ToPeer(9), u64::MAX, &[op]));
    timeline.submit(Op::new(7, "nowhere", u64::MAX, Cost::Copy { route: Route::Within, bytes: u64::MAX }));
    idle_at(&mut timeline);
    assert_eq!(timeline.finish(OpId(999)), timeline.finish(OpId(1000)));
}

#[derive(Clone, Debug)]
struct Plan {
    stream: usize,
    kind: u8,
    size: u64,
    wait: Option<usize>,
    gap_ns: u64,
    ask: bool,
}

fn plan() -> impl Strategy<Value = Vec<Plan>> {
    let one = (0usize..4, 0u8..6, 1u64..2000, proptest::option::of(0usize..40), 0u64..20_000, any::<bool>())
        .prop_map(|(stream, kind, size, wait, gap_ns, ask)| Plan { stream, kind, size, wait, gap_ns, ask });
    proptest::collection::vec(one, 1..40)
}

/// Runs a plan; `ask`: whether completion is queried in between. Returns the ends of all ops, their
/// dependencies, the times of submission, and the timeline.
fn run(plan: &[Plan], ask: bool, model: &Arc<Model>) -> (Vec<u64>, Vec<Vec<OpId>>, Vec<u64>, Timeline) {
    let mut timeline = Timeline::new([model.clone()]);
    let mut host = 0;
    let mut last: Vec<Option<OpId>> = vec![None; 4];
    let (mut all, mut befores, mut given) = (Vec::new(), Vec::new(), Vec::new());
    for step in plan {
        host += step.gap_ns;
        let mut after: Vec<OpId> = last[step.stream].into_iter().collect();
        after.extend(step.wait.and_then(|w| all.get(w).copied()));
        let cost = match step.kind {
            0 | 1 => Cost::Kernel(busy(model, step.size, 3_000.0)),
            2 => Cost::Copy { route: TO, bytes: step.size * 1000 },
            3 => Cost::Copy { route: FROM, bytes: step.size * 1000 },
            4 => Cost::Marker,
            _ => Cost::Host { ns: step.size },
        };
        let op = Op { after: after.clone(), ..Op::new(0, "op", host, cost) };
        let id = timeline.submit(op);
        if ask && step.ask {
            timeline.done_by(id, host);
        }
        last[step.stream] = Some(id);
        all.push(id);
        befores.push(after);
        given.push(host);
    }
    let ends = all.iter().map(|id| timeline.finish(*id)).collect();
    (ends, befores, given, timeline)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn order_is_kept_and_asking_changes_nothing(plan in plan(), name in prop_oneof!["t4", "h100"]) {
        let model = model(match name.as_str() { "t4" => "t4", _ => "h100" });
        let (ends, befores, given, timeline) = run(&plan, false, &model);
        for (n, before) in befores.iter().enumerate() {
            prop_assert!(ends[n] > given[n]);
            for earlier in before {
                prop_assert!(ends[n] >= ends[earlier.0 as usize]);
            }
        }
        let (asked, _, _, again) = run(&plan, true, &model);
        // Queries may split a kernel's waves at other points, which changes times by picoseconds.
        for (a, b) in ends.iter().zip(&asked) {
            prop_assert!(a.abs_diff(*b) <= 2, "{ends:?} {asked:?}");
        }
        prop_assert_eq!(timeline.spans().len(), again.spans().len());
        let (same, _, _, repeated) = run(&plan, false, &model);
        prop_assert_eq!(&ends, &same);
        prop_assert_eq!(timeline.spans(), repeated.spans());
    }

    #[test]
    fn an_engine_does_one_copy_at_a_time_and_loses_no_work(plan in plan()) {
        let model = model("a100");
        let (_, _, _, timeline) = run(&plan, false, &model);
        for engine in [Resource::CopyToDevice(0), Resource::CopyToHost(0), Resource::HostFunction] {
            let mut spans: Vec<&Span> = timeline.spans().iter().filter(|s| s.resource == engine).collect();
            spans.sort_by_key(|s| s.start_ns);
            for pair in spans.windows(2) {
                // Spans are rounded outwards.
                prop_assert!(pair[1].start_ns + 1 >= pair[0].end_ns);
            }
        }
        // The pipes cannot do more work than their number allows: at most one unit of work per pipe and unit
        // of time.
        let kernels: Vec<&Span> =
            timeline.spans().iter().filter(|s| s.resource == Resource::Compute(0)).collect();
        let work: u64 = plan.iter().filter(|p| p.kind < 2).map(|p| p.size * 1_500).sum();
        let mut edges: Vec<(u64, i32)> =
            kernels.iter().flat_map(|s| [(s.start_ns, 1), (s.end_ns, -1)]).collect();
        edges.sort();
        let (mut busy_ns, mut running, mut at) = (0, 0, 0);
        for (time, change) in edges {
            if running > 0 {
                busy_ns += time - at;
            }
            (running, at) = (running + change, time);
        }
        prop_assert!(busy_ns * u64::from(model.gpu.sms) + 1 >= work);
    }
}
