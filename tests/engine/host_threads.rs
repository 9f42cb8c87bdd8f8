//! The same launch gives the same result, findings and counts on any number of host threads.

use gpulearn::sim::{Class, Device, Dim3, Evidence, LaunchConfig, Module, Options, Outcome, Report};

const BLOCKS: u32 = 500;
const THREADS: u32 = 64;

/// A kernel over `out`, which has one word for each thread; `%i` is the thread's number in the
/// grid, `%b` its block, `%o` the address of its word, `%base` that of the first.
fn kernel(body: &str) -> Module {
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 out) {{\n\
         .reg .b32 %i, %b, %t, %n, %v, %x; .reg .b64 %o, %w, %base; .reg .pred %p; .shared .b32 s[64];\n\
         mov.u32 %b, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %i, %b, %n, %t;\n\
         ld.param.u64 %base, [out]; mul.wide.u32 %w, %i, 4; add.u64 %o, %base, %w;\n{body}\nret;\n}}\n"
    );
    let module = Module::parse(&ptx).unwrap();
    assert_eq!(module.unsupported(), []);
    module
}

fn run(module: &Module, host_threads: usize, initial: bool) -> (Report, Vec<u8>) {
    run_within(module, host_threads, initial, u64::MAX)
}

fn run_within(module: &Module, host_threads: usize, initial: bool, launch_budget: u64) -> (Report, Vec<u8>) {
    let mut device = Device::new(8, 0);
    let bytes = (BLOCKS * THREADS * 4) as usize;
    let out = device.allocate("out", bytes as u64).unwrap();
    if initial {
        let words: Vec<u8> = (0..BLOCKS * THREADS).flat_map(|i| (i % 97).to_le_bytes()).collect();
        device.write(out, &words);
    }
    let config = LaunchConfig {
        grid: Dim3::new(BLOCKS, 1, 1),
        block: Dim3::new(THREADS, 1, 1),
        dynamic_shared_bytes: 0,
    };
    let options = Options {
        host_threads,
        threads_per_host_thread: 64,
        step_budget: 100_000,
        launch_budget,
        ..Options::default()
    };
    let report = device.launch(module, "k", config, &[out.into()], &options).unwrap();
    let mut stored = vec![0; bytes];
    device.read(out, &mut stored);
    (report, stored)
}

fn same_on_any_number(body: &str) -> Report {
    let module = kernel(body);
    let (one, stored) = run(&module, 1, true);
    for host_threads in [2, 3, 4, 7] {
        let (report, other) = run(&module, host_threads, true);
        assert!(stored == other, "what is stored differs on {host_threads} host threads");
        assert_eq!(one.counts, report.counts, "{host_threads} host threads");
        assert_eq!(one.findings, report.findings, "{host_threads} host threads");
        assert_eq!(one.outcome, report.outcome, "{host_threads} host threads");
        assert_eq!(one.output, report.output, "{host_threads} host threads");
    }
    one
}

#[test]
fn blocks_that_keep_apart() {
    let report = same_on_any_number("ld.global.u32 %v, [%o]; add.u32 %v, %v, %i; st.global.u32 [%o], %v;");
    assert_eq!(report.findings, []);
    assert_eq!(report.counts.blocks, BLOCKS as u64);
}

/// The last block in order wins, as on one host thread.
#[test]
fn blocks_that_write_the_same_word() {
    same_on_any_number("st.global.u32 [%base], %b;");
}

/// Each block reads what the one before wrote, if it came before.
#[test]
fn blocks_that_read_what_others_write() {
    same_on_any_number(
        "setp.eq.u32 %p, %b, 0; @%p bra END;\n\
         ld.global.u32 %v, [%o+-256]; add.u32 %v, %v, 1; st.global.u32 [%o], %v; END:",
    );
}

#[test]
fn atomics_that_give_out_numbers() {
    same_on_any_number("atom.global.add.u32 %v, [%base], 1; st.global.u32 [%o+4], %v;");
}

/// Findings name the lowest thread, and count all.
#[test]
fn findings_in_every_block() {
    let report = same_on_any_number(
        "cvt.u64.u32 %w, %t; shl.b64 %w, %w, 2; mov.u64 %o, s; add.u64 %o, %o, %w; xor.b32 %x, %t, 33;\n\
         st.shared.u32 [%o], %x; mul.wide.u32 %w, %x, 4; mov.u64 %o, s; add.u64 %o, %o, %w;\n\
         ld.shared.u32 %v, [%o]; mul.wide.u32 %w, %i, 4; add.u64 %o, %base, %w; st.global.u32 [%o], %v;",
    );
    assert!(!report.findings.is_empty());
    assert_eq!(report.findings[0].at.block, Dim3::new(0, 0, 0));
}

/// Where blocks depend on each other, one host thread runs them again: what the first run stored must not be there then, or
/// the second one would only store what is there already, which is no race.
#[test]
fn a_race_in_memory_never_written_when_the_launch_is_repeated() {
    let module = kernel(
        "st.global.u32 [%o], %i; st.global.u32 [%base], %b;\n\
         setp.ne.u32 %p, %t, 1; @%p bra END; st.global.u32 [%o+4], %b; END:",
    );
    let (one, stored) = run(&module, 1, false);
    assert!(one.findings.iter().any(|found| found.hits >= u64::from(BLOCKS)), "{:?}", one.findings);
    for host_threads in [2, 5] {
        let (report, other) = run(&module, host_threads, false);
        assert!(stored == other, "what is stored differs on {host_threads} host threads");
        assert_eq!(one.findings, report.findings, "{host_threads} host threads");
    }
}

/// Reads of memory never written are followed until it is clear that more would say nothing new.
#[test]
fn many_reads_of_memory_never_written() {
    let module = kernel(
        "mov.u32 %x, 0; mov.u32 %n, 0; AGAIN: ld.global.u32 %v, [%o]; add.u32 %x, %x, %v; add.u32 %n, %n, 1;\n\
         setp.lt.u32 %p, %n, 16; @%p bra AGAIN; st.global.u32 [%o], %x;",
    );
    let (one, _) = run(&module, 1, false);
    let found = &one.findings[0];
    assert_eq!((one.findings.len(), found.kind.code(), one.outcome.clone()), (1, "I001", Outcome::Completed));
    assert!(found.evidence.contains(&Evidence::LaterReadsIgnored), "{:?}", found.evidence);
    assert!((1000..u64::from(BLOCKS * THREADS)).contains(&found.hits), "{found:?}");
    for host_threads in [2, 5] {
        let (report, _) = run(&module, host_threads, false);
        assert_eq!(one.findings, report.findings, "{host_threads} host threads");
        assert_eq!(one.counts, report.counts, "{host_threads} host threads");
    }
}

/// Some block in the middle stops the launch, and nothing is written after it.
#[test]
fn a_trap_in_the_middle() {
    same_on_any_number("setp.eq.u32 %p, %b, 41; @%p trap; st.global.u32 [%base], %b;");
    same_on_any_number("LOOP: setp.eq.u32 %p, %b, 77; @%p bra LOOP;");
    same_on_any_number("setp.eq.u32 %p, %b, 41; @%p trap; st.global.u32 [%o], %i;");
}

/// What a launch may take is counted, so it ends at the same block however many run at once.
#[test]
fn a_launch_that_is_given_too_little() {
    let module = kernel("st.global.u32 [%o], %i;");
    let (whole, _) = run(&module, 1, false);
    let taken: u64 = whole.counts.instructions.iter().sum();
    let (cut, stored) = run_within(&module, 1, false, taken / 2);
    assert_eq!(cut.outcome, Outcome::LaunchBudgetSpent { line: None });
    assert!(cut.counts.blocks > 1 && cut.counts.blocks < u64::from(BLOCKS), "{}", cut.counts.blocks);
    for host_threads in [2, 3, 7] {
        let (other, its) = run_within(&module, host_threads, false, taken / 2);
        assert_eq!((&cut.outcome, &cut.counts, &stored), (&other.outcome, &other.counts, &its));
        let (enough, _) = run_within(&module, host_threads, false, taken * 2);
        assert_eq!((enough.outcome, enough.counts), (whole.outcome.clone(), whole.counts.clone()));
    }
}

/// Everything that is counted, by kernels of which each does what another does not: what their blocks
/// share, how many warps go where, which loads are under way together.
#[test]
fn all_that_is_counted() {
    const TILE: &str = "and.b32 %x, %i, 1023; mul.wide.u32 %w, %x, 4; add.u64 %o, %base, %w;";
    let own = "mul.wide.u32 %w, %i, 4; add.u64 %o, %base, %w; st.global.u32 [%o], %v;";
    let kernels = [
        // One load behind a branch by one warp of each block, which the assembler makes conditional.
        ("a load under a condition", "setp.ge.u32 %p, %t, 32; @%p bra NONE; ld.global.u32 %x, [%o]; NONE:".into()),
        // A loop that the assembler unrolls by four, its loads under way together.
        (
            "loads of four rounds",
            "mov.u32 %x, 0;\n\
             ROUND: ld.global.u32 %v, [%base]; ld.global.u32 %n, [%base+4]; ld.global.u32 %n, [%base+8];\n\
             ld.global.u32 %n, [%base+12]; add.u32 %x, %x, 1; setp.lt.u32 %p, %x, 3; @%p bra ROUND;"
                .into(),
        ),
        ("a tile that many read", format!("{TILE} ld.global.u32 %v, [%o];")),
        ("a tile read and written", format!("{TILE} ld.global.u32 %v, [%o]; {own}")),
        (
            "far apart",
            "mul.lo.u32 %x, %i, 97; and.b32 %x, %x, 16383; mul.wide.u32 %w, %x, 4; add.u64 %o, %base, %w;\n\
             ld.global.u32 %v, [%o];"
                .into(),
        ),
        (
            "some blocks do more",
            "and.b32 %x, %b, 7; mov.u32 %v, 0;\n\
             AGAIN: add.u32 %v, %v, 1; setp.le.u32 %p, %v, %x; @%p bra AGAIN; st.global.u32 [%o], %v;"
                .into(),
        ),
        (
            "through shared memory",
            "mul.wide.u32 %w, %t, 4; mov.u64 %base, s; add.u64 %base, %base, %w; st.shared.u32 [%base], %i;\n\
             bar.sync 0; ld.shared.u32 %v, [%base]; st.global.u32 [%o], %v;"
                .into(),
        ),
        // As a convolution has it: a tile and its rim in shared memory, of which neighbours read the same rows.
        (
            "tiles with a rim",
            "mov.u32 %x, 0;\n\
             ROW: shr.u32 %n, %b, 2; mad.lo.u32 %n, %n, 8, %x; and.b32 %n, %n, 255; mad.lo.u32 %n, %n, 64, %t;\n\
             mul.wide.u32 %w, %n, 4; add.u64 %o, %base, %w; ld.global.u32 %v, [%o];\n\
             mul.wide.u32 %w, %t, 4; mov.u64 %o, s; add.u64 %o, %o, %w; bar.sync 0; st.shared.u32 [%o], %v;\n\
             bar.sync 0; xor.b32 %n, %t, 1; mul.wide.u32 %w, %n, 4; mov.u64 %o, s; add.u64 %o, %o, %w;\n\
             ld.shared.u32 %v, [%o]; add.u32 %x, %x, 1; setp.lt.u32 %p, %x, 10; @%p bra ROW;"
                .into(),
        ),
        ("divided", "add.u32 %x, %t, 1; div.u32 %v, %i, %x; st.global.u32 [%o], %v;".into()),
    ];
    for (name, body) in kernels {
        println!("{name}");
        let report = same_on_any_number(&body);
        assert_eq!(report.outcome, Outcome::Completed, "{name}");
        assert!(report.counts.instructions[Class::Move as usize] > 0, "{name}");
    }
}
