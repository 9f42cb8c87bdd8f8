//! Each kind of finding, and the corresponding corrected program.

use super::*;
use crate::device::ElementType;
use crate::device::Library;
use crate::device::library::{Collective, CollectiveKind, Reduce};
use sim::{Evidence, FindingKind};

const N: u32 = 1024;
const BYTES: u64 = 4096;

#[test]
fn the_host_reads_a_result_before_its_copy_is_done() {
    for wait in [false, true] {
        expect(if wait { &[] } else { &["O001 4 -> 5"] }, |run| {
            let (d, h, s) = (run.device(BYTES), run.pinned(BYTES), run.stream());
            run.set(s, d, 7, BYTES);
            run.copy(s, h, d, BYTES);
            if wait {
                run.wait(WaitTarget::Stream(s));
            }
            run.load(Address(h.0 + 16));
        });
    }
}

#[test]
fn waiting_for_an_event_is_enough_and_waiting_for_an_earlier_one_is_not() {
    for late in [false, true] {
        expect(if late { &[] } else { &["O001 4 -> 7"] }, |run| {
            let (d, h, s, e) = (run.device(BYTES), run.pinned(BYTES), run.stream(), run.event());
            run.set(s, d, 7, BYTES);
            if late {
                run.copy(s, h, d, BYTES);
                run.record(s, e);
            } else {
                run.copy(s, h, d, BYTES);
                run.gpus.enqueue(s, Work::Empty, &Site::default(), &mut run.host).unwrap();
                let other = run.stream();
                run.record(other, e);
            }
            run.wait(WaitTarget::Event(e));
            run.load(h);
        });
    }
}

#[test]
fn a_pinned_buffer_is_filled_again_while_in_flight() {
    for wait in [false, true] {
        expect(if wait { &[] } else { &["O002 4 -> 5", "O002 4 -> 6"] }, |run| {
            let (d, h, s) = (run.device(BYTES), run.pinned(BYTES), run.stream());
            run.store(h, 1);
            run.copy(s, d, h, BYTES);
            if wait {
                run.wait(WaitTarget::Stream(s));
            }
            run.store(h, 2);
            run.store(Address(h.0 + 4), 2);
        });
    }
}

#[test]
fn pageable_memory_may_be_filled_again_at_once() {
    expect(&[], |run| {
        let (d, s) = (run.device(BYTES), run.free_stream());
        let h = run.pageable(0);
        for k in 0..3u8 {
            run.host.memory[..BYTES as usize].fill(k);
            run.copy(s, d, h, BYTES);
        }
        run.host.memory[..BYTES as usize].fill(9);
        run.copy(s, run.pageable(BYTES), d, BYTES);
        assert!(run.host.memory[BYTES as usize..2 * BYTES as usize].iter().all(|&b| b == 2));
    });
}

#[test]
fn one_stream_reads_what_another_still_writes() {
    for event in [false, true] {
        expect(if event { &[] } else { &["O003 4 -> 5"] }, |run| {
            let (a, b, e) = (run.device(BYTES), run.device(BYTES), run.event());
            let (s, t) = (run.free_stream(), run.free_stream());
            run.set(s, a, 1, BYTES);
            run.add(s, a, a, N, 1);
            if event {
                run.record(s, e);
                run.wait_event(t, e);
            }
            run.add(t, b, a, N, 1);
        });
    }
}

#[test]
fn an_event_that_was_never_recorded_orders_nothing() {
    expect(&["O003 2 -> 4"], |run| {
        let (a, e) = (run.device(BYTES), run.event());
        let (s, t) = (run.free_stream(), run.free_stream());
        run.set(s, a, 1, BYTES);
        run.wait_event(t, e);
        run.set(t, a, 2, BYTES);
    });
}

#[test]
fn an_event_recorded_again_stands_for_its_last_record() {
    expect(&["O003 4 -> 6"], |run| {
        let (a, e) = (run.device(BYTES), run.event());
        let (s, t) = (run.free_stream(), run.free_stream());
        run.record(s, e);
        run.wait_event(t, e);
        run.set(s, a, 1, BYTES);
        run.record(s, e);
        run.set(t, a, 2, BYTES);
    });
}

#[test]
fn streams_on_the_halves_of_a_buffer_are_clean() {
    for overlap in [0, 4] {
        expect(if overlap > 0 { &["O003 2 -> 3"] } else { &[] }, |run| {
            let a = run.device(BYTES);
            let (s, t) = (run.free_stream(), run.free_stream());
            run.set(s, a, 1, BYTES / 2 + overlap);
            run.set(t, Address(a.0 + BYTES / 2), 2, BYTES / 2);
        });
    }
}

#[test]
fn streams_on_odd_and_even_elements_are_clean() {
    for shift in [4, 8] {
        expect(if shift == 8 { &["O003 4 -> 5"] } else { &[] }, |run| {
            // More ranges than are kept individually.
            let n = 6000u32;
            let a = run.device(u64::from(n) * 8 + 16);
            run.set(LEGACY, a, 0, u64::from(n) * 8 + 16);
            run.sync();
            let (s, t) = (run.free_stream(), run.free_stream());
            for (stream, offset) in [(s, 0), (t, shift)] {
                let at = Param::Address(Address(a.0 + offset));
                let params = [at, Param::Word(n), Param::Word(2), Param::Word(1)];
                let launch = run.launch("strided", n.div_ceil(256), 256, &params);
                run.give(stream, Work::Launch(launch), "strided").unwrap();
            }
        });
    }
}

#[test]
fn atomics_of_two_streams_are_no_race() {
    expect(&[], |run| {
        let a = run.device(4);
        run.set(LEGACY, a, 0, 4);
        run.sync();
        for _ in 0..2 {
            let s = run.free_stream();
            let launch = run.launch("count", 2, 64, &[Param::Address(a), Param::Word(1)]);
            run.give(s, Work::Launch(launch), "count").unwrap();
        }
        run.sync();
        run.copy_now(run.pageable(0), a, 4);
        assert_eq!(run.host.memory[0], 0);
        assert_eq!(run.host.memory[1], 1);
    });
}

#[test]
fn the_default_stream_waits_for_blocking_streams_and_they_for_it() {
    for blocking in [true, false] {
        expect(if blocking { &[] } else { &["O003 2 -> 3", "O003 3 -> 4"] }, |run| {
            let a = run.device(BYTES);
            let s = if blocking { run.stream() } else { run.free_stream() };
            run.set(s, a, 1, BYTES);
            run.set(LEGACY, a, 2, BYTES);
            run.set(s, a, 3, BYTES);
        });
    }
}

#[test]
fn a_copy_by_the_host_waits_for_blocking_streams_only() {
    for blocking in [true, false] {
        expect(if blocking { &[] } else { &["O003 2 -> 3"] }, |run| {
            let a = run.device(BYTES);
            let s = if blocking { run.stream() } else { run.free_stream() };
            run.set(s, a, 1, BYTES);
            run.copy_now(run.pageable(0), a, BYTES);
        });
    }
}

#[test]
fn managed_memory_is_touched_while_a_kernel_may_run() {
    for wait in [false, true] {
        expect(if wait { &[] } else { &["O004 3 -> 4"] }, |run| {
            let m = run.managed(BYTES);
            run.store(m, 1);
            run.add(LEGACY, m, m, 1, 1);
            if wait {
                run.sync();
            }
            let got = run.load(m);
            assert!(!wait || got == 2);
            run.load(Address(m.0 + 4));
        });
    }
}

#[test]
fn memory_is_freed_while_work_uses_it() {
    for wait in [false, true] {
        expect(if wait { &[] } else { &["O005 2 -> 3"] }, |run| {
            let h = run.pinned(BYTES);
            let d = {
                run.line = 0;
                run.device(BYTES)
            };
            let s = run.free_stream();
            run.copy(s, d, h, BYTES);
            if wait {
                run.wait(WaitTarget::Stream(s));
            }
            let site = run.site("cudaFreeHost");
            run.gpus.free(h, &site).unwrap();
        });
    }
}

#[test]
fn pool_memory_is_used_where_nothing_orders_it() {
    let program = |run: &mut Run, used: usize, freed: usize, ordered: bool| {
        let streams = [run.free_stream(), run.free_stream()];
        let (d, e) = (run.device(BYTES), run.event());
        run.give(streams[0], Work::PoolAllocate { address: d, bytes: BYTES }, "cudaMallocAsync").unwrap();
        if ordered {
            run.gpus.enqueue(streams[0], Work::Record(e), &Site::default(), &mut run.host).unwrap();
            run.gpus.enqueue(streams[1], Work::Wait(e), &Site::default(), &mut run.host).unwrap();
        }
        run.set(streams[used], d, 1, BYTES);
        run.give(streams[freed], Work::PoolFree { address: d }, "cudaFreeAsync").unwrap();
    };
    expect(&[], |run| program(run, 0, 0, false));
    expect(&[], |run| program(run, 1, 1, true));
    expect(&["O006 2 -> 3", "O005 3 -> 4"], |run| program(run, 1, 0, false));
    expect(&["O005 3 -> 4"], |run| program(run, 0, 1, true));
}

#[test]
fn pool_memory_is_used_after_its_end() {
    expect(&["M007 2 -> 3"], |run| {
        let (s, d) = (run.free_stream(), run.device(BYTES));
        run.give(s, Work::PoolFree { address: d }, "cudaFreeAsync").unwrap();
        run.set(s, d, 1, BYTES);
    });
}

fn all_reduce(run: &mut Run, rank: u32, count: u64, at: Address) -> Work {
    let _ = run;
    Work::Library(Library::Collective(Collective {
        kind: CollectiveKind::AllReduce(Reduce::Sum),
        communicator: 1,
        round: 0,
        rank,
        ranks: 2,
        device: rank,
        send: at,
        receive: at,
        count,
        element: ElementType::I32,
    }))
}

#[test]
fn a_collective_runs_when_all_its_parts_have_come() {
    for parts in [1u32, 2] {
        expect(if parts == 1 { &["O008 7 -> 5"] } else { &[] }, |run| {
            let data = [run.on_device(0, 8), run.on_device(1, 8)];
            let streams = [0, 1].map(|d| run.gpus.create_stream(d, StreamOptions::default()).unwrap());
            for rank in 0..2 {
                run.set(streams[rank], data[rank], rank as u32 + 1, 8);
            }
            for rank in 0..parts {
                let work = all_reduce(run, rank, 2, data[rank as usize]);
                run.give(streams[rank as usize], work, "ncclAllReduce").unwrap();
                // Ordered after its own part, and so after the other part too.
                let pinned = run.gpus.allocate(Space::Pinned, 8, "h", &Site::default()).unwrap();
                if rank == 0 && parts == 2 {
                    run.line -= 1;
                    run.copy(streams[0], pinned, data[0], 8);
                }
            }
            if parts == 1 {
                let _ = run.site("");
            }
            let waited = run.try_wait(WaitTarget::Stream(streams[0]));
            if parts == 1 {
                assert!(matches!(waited, Err(Failure::Ended)));
                return;
            }
            waited.unwrap();
            run.copy_now(run.pageable(0), data[0], 8);
            assert_eq!(run.host.memory[..8], [3; 8]);
        });
    }
}

#[test]
fn ranks_must_agree_on_a_collective() {
    expect(&["O009 3"], |run| {
        let data = [run.on_device(0, 8), run.on_device(1, 8)];
        for rank in 0..2 {
            let work = all_reduce(run, rank, 1 + u64::from(rank), data[rank as usize]);
            run.give(StreamId::legacy(rank), work, "ncclAllReduce").unwrap();
        }
    });
}

#[test]
fn a_host_function_belongs_to_its_stream() {
    for wait in [false, true] {
        expect(if wait { &[] } else { &["O001 4 -> 6", "O001 5 -> 6"] }, |run| {
            let (d, h, s) = (run.device(BYTES), run.pinned(BYTES), run.stream());
            run.set(s, d, 1, BYTES);
            run.copy(s, h, d, BYTES);
            run.host.functions.push(|gpus, argument| {
                gpus.host_store(Address(argument), &7u32.to_le_bytes(), &Site::default()).unwrap();
                assert!(gpus.create_event(0, true).is_ok());
            });
            let call = Work::HostFunction { function: 0, argument: h.0, may_dangle: false };
            run.give(s, call, "cudaLaunchHostFunc").unwrap();
            if wait {
                run.wait(WaitTarget::Stream(s));
                assert_eq!(run.load(h), 7);
            } else {
                run.load(Address(h.0 + 4));
                run.line -= 1;
                run.load(h);
            }
        });
    }
}

#[test]
fn many_operations_on_one_buffer_stay_small() {
    let mut run = Run::with(Schedule::Eager, 1, "t4", 1);
    let (a, e) = (run.device(1 << 20), run.event());
    let (s, t) = (run.free_stream(), run.free_stream());
    let site = run.site("cudaMemsetAsync");
    for k in 0..30_000u64 {
        let set = Set {
            dst: Address(a.0 + k % 64 * 16),
            value: 0,
            element_bytes: 1,
            width: 16,
            height: 1,
            pitch: 16,
        };
        let stream = if k % 2 == 0 { s } else { t };
        for work in [Work::Set(set), Work::Record(e)] {
            run.gpus.enqueue(stream, work, &site, &mut run.host).unwrap();
        }
        let other = if k % 2 == 0 { t } else { s };
        run.gpus.enqueue(other, Work::Wait(e), &site, &mut run.host).unwrap();
    }
    assert!(run.gpus.order.size() <= 200, "{}", run.gpus.order.size());
    assert!(run.gpus.queue.len() < 10_000, "{}", run.gpus.queue.len());
    assert_eq!(short(&run.end()), [""; 0]);
}

#[test]
fn a_ring_of_transfers_in_one_group_ends() {
    expect(&[], |run| {
        let data = [run.on_device(0, 16), run.on_device(1, 16)];
        for rank in 0..2u32 {
            run.set(StreamId::legacy(rank), data[rank as usize], rank + 1, 8);
        }
        for rank in 0..2u32 {
            let other = 1 - rank;
            for kind in [CollectiveKind::Send { to: other }, CollectiveKind::Receive { from: other }] {
                let at = data[rank as usize];
                let part = Collective {
                    kind,
                    communicator: 1,
                    round: 0,
                    rank,
                    ranks: 2,
                    device: rank,
                    send: at,
                    receive: Address(at.0 + 8),
                    count: 2,
                    element: ElementType::I32,
                };
                let work = Work::Library(Library::Collective(part));
                run.give(StreamId::legacy(rank), work, "ncclSend").unwrap();
            }
        }
        run.wait(WaitTarget::Device(0));
        run.wait(WaitTarget::Device(1));
        let copy = Copy {
            dst: run.pageable(0),
            src: Address(data[0].0 + 8),
            shape: CopyShape::linear(8),
            blocking: true,
        };
        run.give(LEGACY, Work::Copy(copy), "cudaMemcpy").unwrap();
        assert_eq!(run.host.memory[..8], [2; 8]);
    });
}

#[test]
fn a_copy_that_ends_within_an_element_is_named() {
    for bytes in [4, 5, 7] {
        let mut run = Run::with(Schedule::Eager, 1, "t4", 1);
        let (d, out) = (run.device(8), run.device(8));
        run.copy_now(d, run.pageable(0), bytes);
        run.add(LEGACY, out, d, 2, 1);
        run.sync();
        let found = run.gpus.findings();
        let ends = |its: &Evidence| match its {
            Evidence::CopyEnds { written_bytes, memory_bytes, .. } => Some((*written_bytes, *memory_bytes)),
            _ => None,
        };
        assert_eq!(found[0].evidence.iter().find_map(ends), Some((bytes, 8)), "{found:?}");
    }
}

#[test]
fn a_copy_to_other_memory_of_the_same_name_is_not_named() {
    let mut run = Run::with(Schedule::Eager, 1, "t4", 1);
    let (d, other, out) = (run.device(8), run.device(8), run.device(8));
    run.copy_now(other, run.pageable(0), 4);
    run.add(LEGACY, out, d, 2, 1);
    run.sync();
    let found = run.gpus.findings();
    assert_eq!(found[0].kind, FindingKind::Uninitialised);
    let is_copy = |its: &Evidence| matches!(its, Evidence::CopyEnds { .. });
    assert!(found[0].other.is_none() && !found[0].evidence.iter().any(is_copy), "{found:?}");
}
