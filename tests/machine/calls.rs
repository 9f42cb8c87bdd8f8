//! Functions that kernels call: the module's, those that nothing defines, those behind pointers.

use super::{module, run, two};
use gpulearn::sim::{Evidence, FindingKind, Machine, Outcome, Owner};

#[test]
fn what_nothing_defines_is_named_when_it_is_reached() {
    let called = |name: &str| {
        let module = module(&format!(
            ".extern .func (.param .b32 r) {name} (.param .b64 a, .param .b64 b);\n\
             .visible .entry k() {{ .reg .b32 %r; .reg .b64 %a; mov.u64 %a, 0;\n\
             {{ .param .b64 a; st.param.b64 [a], %a; .param .b64 b; st.param.b64 [b], %a; .param .b32 r;\n\
             call.uni (r), {name}, (a, b); ld.param.b32 %r, [r]; }} ret; }}"
        ));
        run(&mut two(), 0, &module, 1, &[]).outcome
    };
    let lacks = |what: &str| Outcome::Unsupported { what: what.to_owned(), line: None };
    let name = "elsewhere".to_owned();
    assert_eq!(called(&name), Outcome::UndefinedFunction { name, line: None });
    assert_eq!(
        called("__cudaCDP2LaunchDeviceV2"),
        lacks("a kernel that launches kernels (dynamic parallelism)")
    );
    assert_eq!(called("__cudaCDP2Malloc"), lacks("a call to cudaMalloc in a kernel"));
    assert_eq!(called("cudaDeviceSynchronize"), lacks("a call to cudaDeviceSynchronize in a kernel"));
}

/// Host code may call hundreds of functions that only the host's side answers.
#[test]
fn what_only_host_code_calls_does_not_matter() {
    let externs: String = (0..300).map(|n| format!(".extern .func f{n} ();\n")).collect();
    let calls: String = (0..300).map(|n| format!("call.uni f{n}, ();\n")).collect();
    let module = module(&format!(
        "{externs}.visible .func main() {{ {calls} ret; }}\n\
         .visible .entry k() {{ ret; }}"
    ));
    assert_eq!(run(&mut two(), 0, &module, 32, &[]).outcome, Outcome::Completed);
}

/// A kernel that calls its parameter, and stores what it gives.
const BY_POINTER: &str = "
.func (.param .b32 r) device() { .reg .b32 %v; mov.u32 %v, 11; st.param.b32 [r], %v; ret; }
.func (.param .b32 r) host() { .reg .b32 %v; mov.u32 %v, 22; st.param.b32 [r], %v; ret; }
.visible .global .align 8 .u64 held = device;
.visible .func main() { .reg .b64 %f; mov.u64 %f, host; ret; }
.visible .entry k(.param .u64 out, .param .u64 f) { .reg .b32 %v; .reg .b64 %out, %f;
ld.param.u64 %out, [out]; ld.param.u64 %f, [f];
{ .param .b32 r; prototype : .callprototype (.param .b32 _) _ (); call (r), %f, (), prototype; ld.param.b32 %v, [r]; }
st.u32 [%out], %v; ret; }";

fn with_out() -> (Machine, gpulearn::sim::Address) {
    let mut machine = two();
    let out = machine.allocate(Owner::Managed, "out", 4).unwrap();
    (machine, out)
}

#[test]
fn a_pointer_that_a_variable_held_is_called() {
    let (mut machine, out) = with_out();
    let module = module(BY_POINTER);
    let mut pointer = [0; 8];
    let held = machine.variable_address(0, &module, 0).unwrap().unwrap();
    machine.read(held, &mut pointer);
    let report = run(&mut machine, 0, &module, 1, &[out.into(), u64::from_le_bytes(pointer).into()]);
    assert_eq!((report.outcome, report.findings), (Outcome::Completed, vec![]));
    let mut value = [0; 4];
    machine.read(out, &mut value);
    assert_eq!(value, [11, 0, 0, 0]);
}

#[test]
fn a_pointer_that_host_code_took_is_a_finding() {
    let (mut machine, out) = with_out();
    let module = module(BY_POINTER);
    let pointer = module.function_address("host").unwrap();
    let report = run(&mut machine, 0, &module, 1, &[out.into(), pointer.into()]);
    assert_eq!(report.findings[0].kind, FindingKind::HostPointer);
    let function = "host".into();
    assert_eq!(report.findings[0].evidence, [Evidence::HostAddressOf { function }]);
}

/// Fences and atomics of the whole system on memory that the host shares.
#[test]
fn system_scope_works_on_pinned_and_managed_memory() {
    let module = module(
        ".visible .entry k(.param .u64 p) { .reg .b32 %v; .reg .b64 %p; ld.param.u64 %p, [p];\n\
         atom.sys.add.u32 %v, [%p], 1; fence.acq_rel.sys; membar.sys;\n\
         red.relaxed.sys.add.u32 [%p], 1; st.release.sys.u32 [%p+4], %v; ret; }",
    );
    for owner in [Owner::Pinned, Owner::Managed] {
        let mut machine = two();
        let p = machine.allocate(owner, "p", 8).unwrap();
        machine.write(p, &[0; 8]);
        assert_eq!(run(&mut machine, 1, &module, 64, &[p.into()]).findings, []);
        let mut bytes = [0; 8];
        machine.read(p, &mut bytes);
        assert_eq!(bytes[0], 128);
    }
}
