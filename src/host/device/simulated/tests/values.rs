//! The values that correct and incorrect programs compute.

use super::*;
use sim::{Act, Operation, StreamName};

const N: u32 = 256;
const BYTES: u64 = 1024;

#[test]
fn a_forgotten_wait_gives_an_old_value_when_work_is_done_late() {
    for (schedule, seen) in [(Schedule::Eager, 0x0707_0707), (Schedule::Lazy, 1)] {
        let mut run = Run::with(schedule, 1, "t4", 1);
        let (d, h, s) = (run.device(BYTES), run.pinned(BYTES), run.stream());
        run.store(h, 1);
        run.set(s, d, 7, BYTES);
        run.copy(s, h, d, BYTES);
        assert_eq!(run.load(h), seen, "{schedule:?}");
        run.wait(WaitTarget::Stream(s));
        assert_eq!(run.load(h), 0x0707_0707);
    }
}

#[test]
fn only_what_is_waited_for_is_done() {
    let mut run = Run::with(Schedule::Lazy, 1, "t4", 1);
    let (a, b, h) = (run.device(BYTES), run.device(BYTES), run.pinned(BYTES));
    let (s, t) = (run.free_stream(), run.free_stream());
    run.set(LEGACY, a, 0, BYTES);
    run.sync();
    run.add(s, a, a, N, 5);
    run.add(t, b, a, N, 1);
    run.copy(t, h, b, BYTES);
    run.wait(WaitTarget::Stream(t));
    assert_eq!(run.load(h), 1, "the kernel of the other stream has not run");
    assert_eq!(short(&run.end()), ["O003 6 -> 7"]);
}

#[test]
fn frees_and_events_that_come_last_are_no_missing_results() {
    for schedule in schedules() {
        let mut run = Run::with(schedule, 1, "t4", 1);
        let (s, t, event) = (run.stream(), run.free_stream(), run.event());
        let d = run.device(BYTES);
        run.set(s, d, 7, BYTES);
        run.record(s, event);
        assert!(!run.gpus.results_are_known());
        run.wait(WaitTarget::Stream(s));
        assert!(run.gpus.results_are_known());
        run.give(s, Work::PoolFree { address: d }, "cudaFreeAsync").unwrap();
        run.record(s, event);
        run.wait_event(t, event);
        assert!(run.gpus.results_are_known(), "{schedule:?}");
    }
}

#[test]
fn streams_over_chunks_compute_the_same_under_every_schedule() {
    let (chunks, chunk) = (8u64, 512u64);
    for schedule in schedules() {
        let mut run = Run::with(schedule, 1, "t4", 2);
        let (h, d) = (run.pinned(chunks * chunk), run.device(chunks * chunk));
        for i in 0..chunks * chunk / 4 {
            run.store(Address(h.0 + i * 4), i as u32);
        }
        let streams = [run.stream(), run.stream(), run.stream()];
        for c in 0..chunks {
            let (s, at) = (streams[c as usize % 3], c * chunk);
            let (dc, hc) = (Address(d.0 + at), Address(h.0 + at));
            run.copy(s, dc, hc, chunk);
            run.add(s, dc, dc, chunk as u32 / 4, 1000);
            run.copy(s, hc, dc, chunk);
        }
        run.sync();
        for i in 0..chunks * chunk / 4 {
            assert_eq!(run.load(Address(h.0 + i * 4)), i as u32 + 1000, "{schedule:?}");
        }
        assert_eq!(short(&run.end()), [""; 0]);
    }
}

#[test]
fn a_stray_kernel_comes_out_at_the_next_wait_and_stays() {
    for schedule in schedules() {
        let mut run = Run::with(schedule, 1, "t4", 1);
        let a = run.device(BYTES);
        run.set(LEGACY, a, 0, BYTES);
        run.add(LEGACY, a, a, N + 32, 1);
        for _ in 0..2 {
            let error = run.try_wait(WaitTarget::Stream(LEGACY)).unwrap_err();
            assert!(matches!(error, Failure::Cuda(crate::device::CudaError::IllegalAddress)), "{error:?}");
        }
        let findings = run.end();
        assert_eq!(findings[0].kind.code(), "M001");
        let act = Act::Work { stream: StreamName { made: None, device: None }, in_graph: false };
        let work = Operation { request: Request::Launch(Some("add".into())), act };
        assert!(findings[0].evidence.contains(&sim::Evidence::FoundIn { work, line: Some(3), file: None }));
    }
}

#[test]
fn a_stream_is_named_with_its_gpu_where_there_are_several() {
    let names = |devices| {
        let mut run = Run::with(Schedule::Lazy, devices, "t4", 1);
        let last = devices as u32 - 1;
        let made = run.gpus.create_stream(last, StreamOptions::default()).unwrap();
        [StreamId::legacy(0), made].map(|stream| run.gpus.stream_name(stream).to_string())
    };
    assert_eq!(names(1), ["the default stream", "stream 1"]);
    assert_eq!(names(2), ["the default stream of device 0", "stream 1 of device 1"]);
}

#[test]
fn a_launch_that_can_not_begin_is_refused_at_once() {
    let mut run = Run::with(Schedule::Lazy, 1, "t4", 1);
    let a = run.device(BYTES);
    let launch = run.launch("count", 1, 2048, &[Param::Address(a), Param::Word(1)]);
    let refused = run.give(LEGACY, Work::Launch(launch), "count");
    assert!(matches!(refused, Err(Failure::Cuda(crate::device::CudaError::InvalidConfiguration))));
    run.sync();
}

#[test]
fn rows_are_copied_and_set() {
    for schedule in schedules() {
        let mut run = Run::with(schedule, 1, "t4", 1);
        let d = run.device(64 * 4);
        run.host.memory[..32].copy_from_slice(&(0..32).collect::<Vec<u8>>());
        let mut shape = CopyShape { width: 8, height: 4, depth: 1, ..CopyShape::linear(0) };
        (shape.dst_pitch, shape.src_pitch) = (64, 8);
        let copy = Copy { dst: d, src: run.pageable(0), shape, blocking: false };
        run.give(LEGACY, Work::Copy(copy), "cudaMemcpy2DAsync").unwrap();
        let dst = Address(d.0 + 4);
        let set = Set { dst, value: 0xaabb, element_bytes: 2, width: 2, height: 3, pitch: 64 };
        run.give(LEGACY, Work::Set(set), "cudaMemset2DAsync").unwrap();
        (shape.dst_pitch, shape.src_pitch) = (8, 64);
        let copy = Copy { dst: run.pageable(100), src: d, shape, blocking: true };
        run.give(LEGACY, Work::Copy(copy), "cudaMemcpy2D").unwrap();
        let row = |y: u8| [y * 8, y * 8 + 1, y * 8 + 2, y * 8 + 3, 0xbb, 0xaa, 0xbb, 0xaa];
        for y in 0..3u8 {
            assert_eq!(run.host.memory[100 + 8 * y as usize..][..8], row(y));
        }
        assert_eq!(run.host.memory[124..132], [24, 25, 26, 27, 28, 29, 30, 31]);
    }
}

#[test]
fn what_moves_between_gpus_is_counted_by_pair() {
    let mut run = Run::with(Schedule::Eager, 2, "t4", 1);
    let data = [run.on_device(0, 256), run.on_device(1, 256)];
    run.set(StreamId::legacy(0), data[0], 1, 256);
    run.sync();
    run.copy(StreamId::legacy(0), data[1], data[0], 100);
    run.sync();
    let shares = &run.gpus.ledger().shares;
    assert_eq!(
        (shares.bytes_moved(), shares.most_bytes_sent(), shares.most_bytes_received()),
        (100, 100, 100)
    );
    // A kernel of GPU 1 reads 64 words of GPU 0.
    run.gpus.enable_peer(1, 0, true).unwrap();
    run.add(StreamId::legacy(1), data[1], data[0], 64, 1);
    run.wait(WaitTarget::Device(1));
    let shares = &run.gpus.ledger().shares;
    assert_eq!((shares.bytes_moved(), shares.busiest_percent()), (356, 100));
}
