//! Compares a recording with what is known about the kernel, and with itself: forwards, backwards, and replayed from
//! the start.

use super::{RecordRequest, Recording, State};
use crate::random::SplitMix64;
use crate::{Arg, Device, Dim3, Flow, LaunchConfig, Module, Options};

/// Threads of two warps write their index to shared memory, after half of each warp has added one to it on a
/// divergent path; all meet at a barrier, then read a neighbour's value and pass it through a function.
const KERNEL: &str = "
    .version 8.0
    .target sm_80
    .address_size 64
    .func (.param .b32 out) plus(.param .b32 a)
    {
        .reg .b32 %r<3>;
        ld.param.u32 %r1, [a];
        add.s32 %r2, %r1, 100;
        st.param.b32 [out+0], %r2;
        ret;
    }
    .visible .entry turn(.param .u64 out)
    {
        .reg .pred %p<2>;
        .reg .b32 %r<10>;
        .reg .b64 %rd<5>;
        .shared .align 4 .b8 tile[256];
        ld.param.u64 %rd1, [out];
        mov.u32 %r1, %tid.x;
        shl.b32 %r2, %r1, 2;
        mov.u32 %r3, tile;
        add.s32 %r4, %r3, %r2;
        and.b32 %r5, %r1, 16;
        setp.eq.s32 %p1, %r5, 0;
        @%p1 bra $meet;
        add.s32 %r1, %r1, 1;
    $meet:
        st.shared.u32 [%r4], %r1;
        bar.sync 0;
        xor.b32 %r6, %r2, 4;
        add.s32 %r6, %r3, %r6;
        ld.shared.u32 %r7, [%r6];
        {
        .param .b32 given;
        st.param.b32 [given+0], %r7;
        .param .b32 got;
        call.uni (got), plus, (given);
        ld.param.b32 %r8, [got+0];
        }
        mul.wide.u32 %rd2, %r2, 1;
        add.s64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r8;
        ret;
    }";

fn record(request: RecordRequest) -> (Module, Recording) {
    let module = Module::parse_for_debugging(KERNEL).unwrap();
    let mut device = Device::new(8, 0);
    let out = device.allocate("out", 512).unwrap();
    let config =
        LaunchConfig { grid: Dim3::new(2, 1, 1), block: Dim3::new(64, 1, 1), dynamic_shared_bytes: 0 };
    let options = Options { record: Some(request), ..Options::default() };
    let report = device.launch(&module, "turn", config, &[Arg::from(out)], &options).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let recording = *report.recording.unwrap();
    (module, recording)
}

fn state(recording: &Recording, step: usize) -> State<'_> {
    let mut state = recording.state();
    state.go(step);
    state
}

#[test]
fn what_registers_and_memory_hold_is_known_at_the_end() {
    let (module, recording) = record(RecordRequest::of_block(1));
    let symbols = module.symbols();
    assert!(!recording.is_cut());
    assert_eq!((recording.block(), recording.warps()), (1, &[u32::MAX, u32::MAX][..]));
    let end = state(&recording, usize::MAX);
    let last = *recording.steps().last().unwrap();
    assert_eq!(symbols.flow(last.pc), Flow::Return);
    let function = symbols.function_at(last.pc).unwrap();
    assert_eq!(symbols.function_name(function), Some("turn"));
    let stored = |thread: u32| thread + u32::from(thread & 16 != 0);
    let (_, base, bytes) = recording.buffers().next().unwrap();
    assert_eq!(bytes, 512);
    for thread in 0..64 {
        let sum = symbols.register(function, "%r8").unwrap();
        let want = u64::from(stored(thread ^ 1) + 100);
        assert_eq!(end.register(thread / 32, last.frame, sum, thread % 32), Some(want));
        let shared = end.shared(u64::from(thread) * 4, 4).unwrap();
        assert_eq!((shared.bits, shared.written), (u64::from(stored(thread)), true));
        let global = end.global(crate::Address(base.0 + u64::from(thread) * 4), 4).unwrap();
        assert_eq!((global.bits, global.written), (want, true));
    }
    assert!(!end.global(crate::Address(base.0 + 256), 4).unwrap().written, "nobody writes the rest");
    assert_eq!(end.shared(256, 4), None);
    assert_eq!(end.global(crate::Address(base.0 + 512), 1), None);
}

#[test]
fn before_an_instruction_its_result_is_not_there() {
    let (module, recording) = record(RecordRequest::of_block(0));
    let symbols = module.symbols();
    let text =
        |pc: u32| symbols.span(pc).map(|span| &KERNEL[span.start as usize..span.end as usize]).unwrap_or("");
    for (number, step) in recording.steps().iter().enumerate() {
        if text(step.pc).starts_with("st.shared") {
            let lane = step.lanes.trailing_zeros();
            let at = u64::from(step.warp * 32 + lane) * 4;
            assert!(!state(&recording, number).shared(at, 4).unwrap().written);
            assert!(state(&recording, number + 1).shared(at, 4).unwrap().written);
        }
        if text(step.pc).starts_with("add.s32 %r2, %r1, 100") {
            // In the called function, whose registers are fresh at every call.
            let function = symbols.function_at(step.pc).unwrap();
            let sum = symbols.register(function, "%r2").unwrap();
            assert_eq!(module.code.registers_written(step.pc), [(sum.file, sum.number)]);
            assert_eq!(state(&recording, number).register(step.warp, step.frame, sum, 3), None);
            assert!(state(&recording, number + 1).register(step.warp, step.frame, sum, 3).is_some());
        }
    }
}

#[test]
fn lanes_that_part_and_the_barrier_are_told() {
    let (module, recording) = record(RecordRequest::of_block(0));
    let symbols = module.symbols();
    let apart = recording.steps().iter().filter(|step| step.lanes == 0xffff_0000).count();
    assert_eq!(apart, 2, "one instruction of each warp");
    let barriers: Vec<usize> = (0..recording.steps().len())
        .filter(|n| symbols.flow(recording.steps()[*n].pc) == Flow::Barrier)
        .collect();
    assert_eq!(barriers.len(), 2);
    let [release] = recording.releases() else { panic!("{:?}", recording.releases()) };
    assert_eq!((release.step, release.lanes), (barriers[1] + 1, None));
}

#[test]
fn forward_and_back_are_the_same() {
    let (_, recording) = record(RecordRequest::of_block(0));
    let steps = recording.steps().len();
    let mut random = SplitMix64(7);
    let mut wanderer = recording.state();
    for _ in 0..200 {
        let step = random.below(steps + 1);
        wanderer.go(step);
        assert!(wanderer == state(&recording, step), "step {step}");
    }
}

#[test]
fn a_run_that_is_recorded_up_to_a_step_ends_in_the_state_before_it() {
    let (_, whole) = record(RecordRequest::of_block(0));
    for most_steps in [0, 1, 7, 20, 33, 40, whole.steps().len() - 1] {
        let (_, part) = record(RecordRequest { most_steps, ..RecordRequest::of_block(0) });
        assert!(part.is_cut());
        assert_eq!(part.steps().len(), most_steps);
        let (end, same) = (state(&part, most_steps), state(&whole, most_steps));
        // Rows for frames that only the rest of the run needs are missing in the part.
        let rows = end.rows.len();
        assert!(end.rows[..] == same.rows[..rows], "{most_steps} steps");
        assert!(same.rows[rows..].iter().all(|row| row.written == [0; 4]));
    }
}

#[test]
fn a_budget_of_bytes_is_kept() {
    let (_, part) = record(RecordRequest { most_bytes: 4096, ..RecordRequest::of_block(0) });
    assert!(part.is_cut() && !part.steps().is_empty());
    let (_, without) = record(RecordRequest { most_global_bytes: 511, ..RecordRequest::of_block(0) });
    assert_eq!(without.buffers().count(), 0);
}
