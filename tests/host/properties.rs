//! Things that hold of any program.

use super::{compile, run};
use crate::{compiler, files, plain};
use gpulearn::sim::{Call, Environment, HostLimits, HostThread, Module, RunLimit, Stop};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    vec![
        plain("host::a_program_runs_the_same_every_time", a_program_runs_the_same_every_time),
        plain("host::instructions_are_counted_as_written", instructions_are_counted_as_written),
        plain("host::limits_are_named", limits_are_named),
        plain("host::a_thread_can_be_asked_again_after_a_stop", a_thread_can_be_asked_again_after_a_stop),
    ]
}

struct Nothing;

impl Environment for Nothing {
    fn call(&mut self, _: &mut HostThread<'_>, call: &Call<'_>) -> Result<(), Stop> {
        Err(Stop::Unsupported { what: call.name.to_string(), line: None })
    }
    fn load(&mut self, _: &mut HostThread<'_>, _: u64, _: &mut [u8]) -> Result<(), Stop> {
        Err(Stop::Cancelled)
    }
    fn store(&mut self, _: &mut HostThread<'_>, _: u64, _: &[u8]) -> Result<(), Stop> {
        Err(Stop::Cancelled)
    }
}

fn ptx(body: &str) -> Module {
    Module::parse(&format!(".version 8.0\n.target sm_80\n.address_size 64\n{body}")).unwrap()
}

fn a_program_runs_the_same_every_time() {
    for path in files("host/cases").iter().take(3) {
        let module = compile(compiler(), path, &[]).unwrap();
        assert_eq!(run(&module), run(&module), "{}", path.display());
    }
}

/// Every instruction written is counted once each time it runs, jumps and calls and guards too.
fn instructions_are_counted_as_written() {
    let module = ptx(".func (.param .b32 r) f(.param .b32 n) {\n.reg .b32 %n, %i; .reg .pred %p;\n\
         ld.param.u32 %n, [n];\nmov.u32 %i, 0;\n\
         L: setp.ge.u32 %p, %i, %n;\n@%p bra E;\nadd.u32 %i, %i, 1;\nbra L;\n\
         E: st.param.b32 [r], %i;\nret;\n}\n\
         .func (.param .b64 r) main(.param .b32 n) {\n.reg .b32 %n, %m; .reg .b64 %w; .reg .pred %p;\n\
         ld.param.u32 %n, [n];\n\
         { .param .b32 a; .param .b32 b; st.param.b32 [a], %n; call (b), f, (a); ld.param.b32 %m, [b]; }\n\
         setp.eq.u32 %p, %m, 1234;\n@%p add.u32 %m, %m, 1;\n\
         cvt.u64.u32 %w, %m;\nst.param.b64 [r], %w;\nret;\n}\n");
    for n in [0u64, 1, 7, 1000] {
        let mut thread = HostThread::new(&module, HostLimits::default()).unwrap();
        assert_eq!(thread.run(&mut Nothing, "main", &[n]), Ok(n));
        // `f`: two before the loop, four each time round, two of the last test, two after it. `main`: nine.
        assert_eq!(thread.instructions(), 2 + 4 * n + 2 + 2 + 9, "for {n}");
    }
}

fn limits_are_named() {
    let module = ptx(".func main() { L: bra L; }\n\
         .func deep(.param .b64 n) { .reg .b64 %n; .local .b8 room[400]; .reg .b64 %l; mov.u64 %l, room;\n\
         ld.param.u64 %n, [n]; st.local.u64 [%l], %n;\n\
         { .param .b64 a; st.param.b64 [a], %n; call deep, (a); } ret; }\n\
         .func never() { .reg .b32 %r; mov.u32 %r, %tid.x; ret; }\n\
         .func stop() { trap; }\n.func leave() { exit; }\n");
    let limits = HostLimits { instructions: 10_000_000, ..HostLimits::default() };
    let ends = |function: &str| HostThread::new(&module, limits).unwrap().run(&mut Nothing, function, &[]);
    let most = RunLimit::HostInstructions { most: 10_000_000, calls: false };
    assert!(matches!(ends("main"), Err(Stop::Limit(reached)) if reached.limit == most));
    let code = |function: &str| match ends(function) {
        Err(Stop::Finding(finding)) => finding.kind.code(),
        other => panic!("{other:?}"),
    };
    assert_eq!(code("deep"), "H011");
    assert_eq!(code("never"), "H008");
    assert_eq!(code("stop"), "H010");
    assert_eq!(ends("leave"), Err(Stop::Exit(0)));
    assert!(matches!(ends("absent"), Err(Stop::Unsupported { .. })));
}

fn a_thread_can_be_asked_again_after_a_stop() {
    let module =
        ptx(".func stop() { .local .b8 a[40]; .reg .b64 %l; mov.u64 %l, a; st.local.u64 [%l], 1; trap; }\n\
         .func (.param .b32 r) main() { .reg .b32 %r; mov.u32 %r, 5; st.param.b32 [r], %r; ret; }\n");
    let mut thread = HostThread::new(&module, HostLimits::default()).unwrap();
    for _ in 0..3 {
        assert!(thread.run(&mut Nothing, "stop", &[]).is_err());
        assert_eq!(thread.run(&mut Nothing, "main", &[]), Ok(5));
    }
}
