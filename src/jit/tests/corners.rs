//! Kernels for which machine code once differed from the interpreter, or could have.

use sim::{Arg, Device, Dim3, LaunchConfig, Module, Options};

const WORDS: u64 = 4096;

/// Asserts that the kernel `k(out)` with this body has the same results, findings and counts when interpreted and
/// when compiled. Returns them as text.
fn is_the_same(block: u32, dynamic_shared_bytes: u32, declarations: &str, body: &str) -> String {
    is_the_same_in(Dim3::new(4, 1, 1), (block, dynamic_shared_bytes), declarations, body)
}

/// The same in a grid of this size.
fn is_the_same_in(
    grid: Dim3,
    (block, dynamic_shared_bytes): (u32, u32),
    declarations: &str,
    body: &str,
) -> String {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{declarations}\n\
         .visible .entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %a<8>; .reg .f32 %f<4>;\n\
         ld.param.u64 %a0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0;\n{body}\nret;\n}}\n"
    );
    let module = Module::parse(&text).unwrap();
    assert!(module.unsupported().is_empty(), "{:?}", module.unsupported());
    let run = |options: &Options| {
        let mut device = Device::new(8, 0);
        let out = device.allocate("out", WORDS * 4).unwrap();
        device.write(out, &vec![1; WORDS as usize * 4]);
        let config = LaunchConfig { grid, block: Dim3::new(block, 1, 1), dynamic_shared_bytes };
        let args: [Arg; 1] = [out.into()];
        let report = device.launch(&module, "k", config, &args, options).unwrap();
        let mut left = vec![0; WORDS as usize * 4];
        device.read(out, &mut left);
        format!("{:?}\n{:?}\n{:?}\n{left:?}", report.outcome, report.findings, report.counts)
    };
    let interpreted = Options { host_threads: 1, ..Options::default() };
    let wanted = run(&interpreted);
    if let Some(emitter) = gpulearn_jit::kernel_emitter() {
        let compiled = Options { emitter: Some(emitter), compile_after: 0, ..interpreted };
        for _ in 0..2 {
            assert!(wanted == run(&compiled), "{text}\n{}\n{}", cut(&wanted), cut(&run(&compiled)));
        }
    }
    wanted
}

fn cut(text: &str) -> &str {
    &text[..text.len().min(3000)]
}

/// Wraps `body` in a loop of four iterations that counts them in `%r1`.
fn four_times(body: &str) -> String {
    format!("LOOP:\n{body}\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 4;\n@%p0 bra LOOP;\n")
}

#[test]
fn global_memory_below_address_zero() {
    let body = four_times("mov.u64 %a1, -4096;\nld.global.u32 %r2, [%a1];\nst.global.u32 [%a0], %r2;");
    assert!(is_the_same(32, 0, "", &body).contains("OutOfBounds"));
}

#[test]
fn shared_memory_below_address_zero() {
    let body = four_times("shl.b32 %r3, %r0, 2;\nst.shared.u32 [%r3+-4096], %r0;");
    assert!(is_the_same(32, 0, ".shared .align 4 .b8 s[256];", &body).contains("OutOfBounds"));
}

#[test]
fn bytes_next_to_words_of_shared_memory() {
    let body = four_times(
        "mov.u32 %r3, c;\nadd.u32 %r3, %r3, %r0;\nst.shared.u8 [%r3], %r0;\n\
         mov.u32 %r4, s;\nmad.lo.u32 %r4, %r0, 4, %r4;\nst.shared.u32 [%r4], %r0;\nld.shared.u32 %r5, [%r4];\n\
         mul.wide.u32 %a1, %r0, 4;\nadd.u64 %a1, %a1, %a0;\nst.global.u32 [%a1], %r5;",
    );
    is_the_same(64, 0, ".shared .align 4 .b8 c[64];\n.shared .align 4 .b8 s[256];", &body);
}

#[test]
fn dynamic_arrays_of_different_alignment() {
    let body = "mov.u32 %r3, A;\nmov.u32 %r4, B;\nmad.lo.u32 %r4, %r0, 4, %r4;\nst.shared.u32 [%r4], %r0;\n\
         mad.lo.u32 %r3, %r0, 4, %r3;\n\
         LOOP:\nst.shared.u32 [%r3], %r1;\nadd.u32 %r3, %r3, 128;\nadd.u32 %r1, %r1, 1;\n\
         setp.lt.u32 %p0, %r1, 32;\n@%p0 bra LOOP;\n";
    let arrays = ".shared .align 4 .b8 fixed[4];\n.extern .shared .align 1024 .b8 A[];\n\
                  .extern .shared .align 16 .b8 B[];";
    is_the_same(32, 2048, arrays, &format!("st.shared.u32 [fixed], %r0;\n{body}"));
}

#[test]
fn a_word_that_is_loaded_for_nothing() {
    let body = four_times(
        "ld.global.v2.u32 {%r2, _}, [%a0];\nadd.u32 %r3, %r2, 1;\nsetp.gt.u32 %p1, %r2, 5;\n\
         @%p0 bra NEXT;\nadd.u32 %r3, %r3, 7;\nNEXT:\nselp.u32 %r4, %r3, 9, %p1;\n\
         mul.wide.u32 %a1, %r0, 4;\nadd.u64 %a1, %a1, %a0;\nst.global.u32 [%a1+64], %r4;",
    );
    is_the_same(32, 0, "", &format!("setp.eq.u32 %p0, %r1, 9;\n{body}"));
}

#[test]
fn a_basic_block_that_is_too_long_for_a_region() {
    let long = "add.u32 %r2, %r0, 3;\n".repeat(5000);
    is_the_same(32, 0, "", &four_times(&long));
}

#[test]
fn a_warp_gives_up_its_turn_where_the_interpreter_does() {
    // The first loop runs so many basic blocks without a branch at their end that only a few of the warp's turn
    // remain.
    let body = "mul.wide.u32 %a1, %r0, 256;\nadd.u64 %a1, %a1, %a0;\nmov.u32 %r2, 0;\n\
         setp.eq.u32 %p1, %r1, 1;\n\
         LONG:\n@%p1 bra NEXT;\nadd.u32 %r2, %r2, 3;\nNEXT:\nadd.u32 %r1, %r1, 1;\n\
         setp.lt.u32 %p0, %r1, 4085;\n@%p0 bra LONG;\n\
         mov.u32 %r1, 0;\n\
         TICKETS:\natom.shared.add.u32 %r3, [s], 1;\nst.global.u32 [%a1], %r3;\nadd.u64 %a1, %a1, 4;\n\
         add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 64;\n@%p0 bra TICKETS;";
    let begin = "mov.u32 %r6, 0;\nst.shared.u32 [s], %r6;\nbar.sync 0;\n";
    is_the_same(64, 0, ".shared .align 4 .b8 s[4];", &format!("{begin}{body}"));
}

#[test]
fn lanes_that_meet_again_within_a_basic_block() {
    // Lanes wait at two different shuffles that name all lanes; those at the first continue and join the others at
    // the second.
    let body = "setp.lt.u32 %p1, %r0, 7;\n@%p1 bra APART;\nshfl.sync.idx.b32 %r2, %r0, 0, 31, -1;\nAPART:\nmov.u32 %r1, 0;\n\
                LOOP:\nmad.wide.u32 %a1, %r0, 4, %a0;\nld.global.u32 %r3, [%a1];\nshfl.sync.idx.b32 %r2, %r3, 0, 31, -1;\n\
                add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 2;\n@%p2 bra LOOP;\n";
    assert!(is_the_same(64, 0, "", body).contains("WarpMask"));
}

#[test]
fn two_lanes_load_words_while_the_others_wait() {
    // The interpreter makes the first load; the other lanes' registers do not hold what it has loaded.
    let body = four_times(
        "mov.u32 %r3, 5;\n@!%p1 bra NEXT;\nld.global.u32 %r4, [%a1];\nadd.u32 %r3, %r4, %r1;\nNEXT:\n\
         mad.wide.u32 %a2, %r1, 256, %a1;\nst.global.u32 [%a2+4096], %r3;",
    );
    let begin = "setp.eq.u32 %p1, %r0, 9;\nsetp.eq.u32 %p2, %r0, 23;\nor.pred %p1, %p1, %p2;\n\
                 mad.wide.u32 %a1, %r0, 4, %a0;\nmad.lo.u32 %r2, %r0, 3, 7;\nst.global.u32 [%a1], %r2;\n";
    is_the_same(64, 0, "", &format!("{begin}{body}"));
}

#[test]
fn warps_store_the_same_but_not_in_every_block() {
    // Only in the last block do the two warps store different values, to the same words of shared memory.
    let body = "mov.u32 %r2, %ctaid.x;\nsetp.lt.u32 %p0, %r2, 3;\nmov.u32 %r3, 7;\nadd.u32 %r4, %r0, 1;\n\
         selp.u32 %r3, %r3, %r4, %p0;\nmov.u32 %r7, %laneid;\nmov.u32 %r8, s;\nmad.lo.u32 %r7, %r7, 4, %r8;\nst.shared.u32 [%r7], %r3;\n\
         bar.sync 0;\nld.shared.u32 %r5, [%r7];\n\
         mad.lo.u32 %r6, %r2, 64, %r0;\nmad.wide.u32 %a1, %r6, 4, %a0;\nst.global.u32 [%a1], %r5;";
    assert!(is_the_same(64, 0, ".shared .align 4 .b8 s[128];", body).contains("Race"));
}

#[test]
fn elements_of_shared_memory_that_depend_on_the_block() {
    // Only the last block reads words that nobody has written.
    let body = "mov.u32 %r2, %ctaid.x;\nshr.u32 %r3, %r2, 1;\nand.b32 %r3, %r3, %r2;\nshl.b32 %r3, %r3, 8;\n\
         mov.u32 %r8, s;\nmad.lo.u32 %r4, %r0, 4, %r8;\nst.shared.u32 [%r4], %r0;\nbar.sync 0;\nadd.u32 %r4, %r4, %r3;\n\
         ld.shared.u32 %r5, [%r4];\n\
         mad.lo.u32 %r6, %r2, 64, %r0;\nmad.wide.u32 %a1, %r6, 4, %a0;\nst.global.u32 [%a1], %r5;";
    assert!(is_the_same(64, 0, ".shared .align 4 .b8 s[512];", body).contains("Uninitialised"));
}

#[test]
fn lanes_that_wait_behind_a_loop_keep_what_they_have() {
    // The others write the same register again and again meanwhile, before they read it.
    let body = "mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 32, %r0;\nmad.wide.u32 %a1, %r3, 4, %a0;\n\
         mad.lo.u32 %r4, %r2, 1000, %r0;\nand.b32 %r5, %r0, 3;\nsetp.eq.u32 %p0, %r5, 1;\n@!%p0 bra NEXT;\n\
         LOOP:\nld.global.u32 %r4, [%a1+4096];\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra LOOP;\n\
         NEXT:\nst.global.u32 [%a1+8192], %r4;";
    is_the_same(32, 0, "", body);
}

/// The number of a thread in a grid of rows of four blocks of 32 threads.
const NUMBER: &str = "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ctaid.y;\nmad.lo.u32 %r4, %r3, 4, %r2;\n\
                      mad.lo.u32 %r4, %r4, 32, %r0;\n";

#[test]
fn lanes_of_which_some_take_another_value_in_later_rows() {
    let body = format!(
        "{NUMBER}mad.lo.u32 %r5, %r3, 16, %r0;\nsetp.lt.s32 %p0, %r5, 40;\nselp.u32 %r6, 1, 2, %p0;\n\
         mad.wide.u32 %a1, %r4, 4, %a0;\nst.global.u32 [%a1], %r6;"
    );
    is_the_same_in(Dim3::new(4, 3, 1), (32, 0), "", &body);
}

#[test]
fn lanes_of_which_some_wrap_around_in_later_rows() {
    let body = format!(
        "{NUMBER}mad.lo.u32 %r5, %r3, 16, %r0;\nadd.s32 %r5, %r5, 0x7fffffd0;\ncvt.s64.s32 %a2, %r5;\n\
         mad.wide.u32 %a1, %r4, 8, %a0;\nst.global.u64 [%a1], %a2;"
    );
    is_the_same_in(Dim3::new(4, 3, 1), (32, 0), "", &body);
}

#[test]
fn a_comparison_of_what_does_not_move_evenly_from_block_to_block() {
    let body = format!(
        "{NUMBER}shr.u32 %r5, %r2, 1;\nmad.lo.u32 %r5, %r5, 32, %r0;\nsetp.lt.s32 %p0, %r5, 48;\n\
         selp.u32 %r6, 1, 2, %p0;\nmad.wide.u32 %a1, %r4, 4, %a0;\nst.global.u32 [%a1], %r6;"
    );
    is_the_same(32, 0, "", &body);
}

/// Lanes that diverged meet in a block that the branch before may also lead to, and so before the place where code lets
/// them meet.
#[test]
fn all_lanes_in_a_block_for_some() {
    let body = "mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 96, %r0;\nmul.wide.u32 %a1, %r3, 4;\n\
        add.u64 %a1, %a1, %a0;\nsetp.gt.u32 %p1, %r0, 31;\n@%p1 bra SOME;\nbra.uni NONE;\n\
        SOME:\nand.b32 %r5, %r0, 16;\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra BYTE;\nbra.uni NO_BYTE;\n\
        BYTE:\nld.global.u8 %r4, [%a1];\nbra.uni MET;\nNONE:\nmov.u32 %r6, 1;\nbra.uni DONE;\n\
        NO_BYTE:\nmov.u32 %r4, 1;\nMET:\nld.global.u32 %r7, [%a1];\nadd.u32 %r6, %r4, %r7;\n\
        DONE:\nst.global.u32 [%a1], %r6;";
    is_the_same_in(Dim3::new(38, 1, 1), (96, 0), "", body);
}
