//! PTX that no compiler makes, as `asm` lets anyone write it: refused by name, or harmless.

use super::{blocks, two};
use gpulearn::sim::{ExecutionOrder, KernelLaunch, Module, Options, Outcome, Report};

/// What becomes of a kernel with these statements.
fn said(body: &str) -> String {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n\
         .visible .entry k() {{ .reg .b32 %r<4>; .reg .b64 %d<4>; {body} ret; }}"
    );
    let module = match Module::parse(&text) {
        Ok(module) => module,
        Err(error) => return format!("{error:?}"),
    };
    let report = two().launch(0, &module, &KernelLaunch::new(0, blocks(1, 32), &[]), &Options::default());
    match report {
        Ok(Report { outcome: Outcome::Unsupported { what, .. }, .. }) => what,
        Ok(report) => {
            let found: Vec<_> = report.findings.iter().map(|finding| finding.kind.slug()).collect();
            format!("{:?} {}", report.outcome, found.join(" "))
        }
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn operands_beyond_all_bounds_are_refused_by_name() {
    for (body, wanted) in [
        ("ld.global.b32 3000000, [%d0];", "result in"),
        ("ld.global.b128 3000000, [%d0];", "128 bits in"),
        ("{ .param .b32 q; st.param.b64 [q], %d0; }", "a parameter's address out of range"),
        ("{ .param .b8 q[3]; ld.param.b32 %r0, [q+4]; }", "a parameter's address out of range"),
        ("{ .reg .b128 w<4294967295>; mov.b128 w4000000000, w1; }", "registers"),
        ("{ .param .b8 q[4294967295]; st.param.b8 [q], 1; }", "registers"),
        ("{ .local .b8 a[18446744073709551615]; .local .align 8 .b8 b[4]; st.local.b8 [b], 1; }", ""),
        ("{ .shared .b8 a[18446744073709551615]; .shared .align 8 .b8 b[4]; st.shared.b8 [b], 1; }", ""),
        ("ld.global.b32 %r0, [%d0+9223372036854775807];", "an address 9223372036854775807 bytes from"),
        (
            "cp.async.ca.shared.global [%d0+9223372036854775807], [%d0], 16, 4;",
            "an address 9223372036854775807",
        ),
        ("ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [9223372036854775804];", "out-of-bounds"),
        ("} .visible .entry f() .maxntid 4294967295, 4294967295, 4294967295 {", "Completed"),
        ("} .visible .entry f(.param .b8 a[65536], .param .b8 b[65536], .param .b8 c[65536]) {", "Completed"),
    ] {
        let text = said(body);
        assert!(text.contains(wanted), "{body}\n{text}");
    }
}

#[test]
fn a_narrow_argument_of_printf_is_no_reason_to_read_beyond_the_registers() {
    let call = "{ .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], 0; st.param.b32 [b], 0; \
                call (r), vprintf, (a, b); }";
    assert_eq!(said(call), "Completed ");
}

/// Blocks that end late come in their place all the same, and no more is kept than was asked for.
#[test]
fn a_flood_of_output_is_cut_in_the_order_of_blocks() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
                .extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n\
                .global .align 1 .b8 words[8] = {37, 100, 32, 0};\n\
                .visible .entry k() { .local .align 8 .b32 args[2]; .reg .b32 %b; .reg .b64 %w, %a;\n\
                mov.u32 %b, %ctaid.x; st.local.u32 [args], %b; mov.u64 %w, words; cvta.global.u64 %w, %w;\n\
                mov.u64 %a, args; cvta.local.u64 %a, %a;\n\
                { .param .b64 p; .param .b64 q; .param .b32 r; st.param.b64 [p], %w; st.param.b64 [q], %a;\n\
                call (r), vprintf, (p, q); } ret; }";
    let module = Module::parse(text).unwrap();
    let wanted: String = (0..1000).map(|block| format!("{block} ")).collect();
    let by_number = ExecutionOrder::ByNumber;
    let all = [
        (1 << 20, 2, by_number),
        (100, 1, by_number),
        (100, 2, by_number),
        (100, 1, ExecutionOrder::Drawn(3)),
    ];
    for (limit, host_threads, order) in all {
        let options = Options { output_limit_bytes: limit, host_threads, order, ..Options::default() };
        let asked = KernelLaunch::new(0, blocks(1000, 1), &[]);
        let report = two().launch(0, &module, &asked, &options).unwrap();
        let kept = limit.min(wanted.len());
        assert_eq!(String::from_utf8_lossy(&report.output), wanted[..kept]);
        assert_eq!(report.output_cut, kept < wanted.len());
    }
}
