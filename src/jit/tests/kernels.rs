//! Kernels as machine code do what the interpreter does: values, findings, counts, on kernels that are drawn.

use proptest::prelude::*;
use sim::{Arg, Device, Dim3, LaunchConfig, Module, Options};
use std::fmt::Write;

/// Threads of a block, at most, and words of each buffer.
const WORDS: u32 = 4096;

/// One statement; registers are `%r0`–`%r5` (integers), `%f0`–`%f3` and `%p0`.
#[derive(Clone, Debug)]
enum Statement {
    Integer {
        op: usize,
        d: u8,
        a: u8,
        b: u8,
    },
    Immediate {
        op: usize,
        d: u8,
        a: u8,
        value: i32,
    },
    Float {
        op: usize,
        d: u8,
        a: u8,
        b: u8,
        c: u8,
    },
    ToFloat {
        d: u8,
        a: u8,
    },
    /// The word that a register's low bits choose, of the input or of the output.
    Load {
        d: u8,
        a: u8,
        scale: u8,
        output: bool,
    },
    Store {
        a: u8,
        value: u8,
        scale: u8,
    },
    SharedLoad {
        d: u8,
        a: u8,
        scale: u8,
    },
    SharedStore {
        a: u8,
        value: u8,
        scale: u8,
    },
    Barrier,
    Choose {
        d: u8,
        a: u8,
        b: u8,
        c: u8,
        limit: i32,
    },
    /// Threads of which a register is below another, or a constant, run it.
    If {
        a: u8,
        b: Result<u8, i32>,
        then: Vec<Statement>,
    },
    Loop {
        rounds: u8,
        body: Vec<Statement>,
    },
}

const INTEGER: [&str; 12] = [
    "add.s32",
    "sub.s32",
    "mul.lo.s32",
    "and.b32",
    "or.b32",
    "xor.b32",
    "min.s32",
    "max.u32",
    "shl.b32",
    "shr.s32",
    "shr.u32",
    "add.u32",
];
const FLOAT: [&str; 7] =
    ["add.f32", "sub.f32", "mul.f32", "fma.rn.f32", "div.rn.f32", "max.f32", "sqrt.rn.f32"];

fn integer() -> impl Strategy<Value = u8> {
    0u8..6
}

fn statement(depth: u32) -> BoxedStrategy<Statement> {
    let float = || 0u8..4;
    let scale = || 0u8..3;
    let simple =
        prop_oneof![
            (0..INTEGER.len(), integer(), integer(), integer())
                .prop_map(|(op, d, a, b)| Statement::Integer { op, d, a, b }),
            (0..INTEGER.len(), integer(), integer(), -3i32..40)
                .prop_map(|(op, d, a, value)| Statement::Immediate { op, d, a, value }),
            (0..FLOAT.len(), float(), float(), float(), float())
                .prop_map(|(op, d, a, b, c)| Statement::Float { op, d, a, b, c }),
            (float(), integer()).prop_map(|(d, a)| Statement::ToFloat { d, a }),
            (float(), integer(), scale(), any::<bool>()).prop_map(|(d, a, scale, output)| Statement::Load {
                d,
                a,
                scale,
                output
            }),
            (integer(), float(), scale()).prop_map(|(a, value, scale)| Statement::Store { a, value, scale }),
            (float(), integer(), scale()).prop_map(|(d, a, scale)| Statement::SharedLoad { d, a, scale }),
            (integer(), float(), scale()).prop_map(|(a, value, scale)| Statement::SharedStore {
                a,
                value,
                scale
            }),
            Just(Statement::Barrier),
            (integer(), integer(), integer(), integer(), 0i32..70)
                .prop_map(|(d, a, b, c, limit)| Statement::Choose { d, a, b, c, limit }),
        ];
    if depth == 0 {
        return simple.boxed();
    }
    let inner = move || prop::collection::vec(statement(depth - 1), 1..6);
    prop_oneof![
        8 => simple,
        1 => (integer(), prop_oneof![integer().prop_map(Ok), (0i32..300).prop_map(Err)], inner())
            .prop_map(|(a, b, then)| Statement::If { a, b, then }),
        1 => (1u8..6, inner()).prop_map(|(rounds, body)| Statement::Loop { rounds, body }),
    ]
    .boxed()
}

/// Writes statements as PTX; `labels` counts those of branches and loops.
fn write(out: &mut String, statements: &[Statement], labels: &mut u32) {
    for statement in statements {
        let written = match statement {
            Statement::Integer { op, d, a, b } => writeln!(out, "{} %r{d}, %r{a}, %r{b};", INTEGER[*op]),
            Statement::Immediate { op, d, a, value } => {
                writeln!(out, "{} %r{d}, %r{a}, {value};", INTEGER[*op])
            }
            Statement::Float { op, d, a, b, c } => match FLOAT[*op] {
                name @ "fma.rn.f32" => writeln!(out, "{name} %f{d}, %f{a}, %f{b}, %f{c};"),
                name @ "sqrt.rn.f32" => writeln!(out, "{name} %f{d}, %f{a};"),
                name => writeln!(out, "{name} %f{d}, %f{a}, %f{b};"),
            },
            Statement::ToFloat { d, a } => writeln!(out, "cvt.rn.f32.s32 %f{d}, %r{a};"),
            Statement::Load { d, a, scale, output } => writeln!(
                out,
                "{}ld.global.f32 %f{d}, [%at];",
                place(*a, *scale, WORDS - 1, if *output { "%out" } else { "%in" })
            ),
            Statement::Store { a, value, scale } => {
                writeln!(out, "{}st.global.f32 [%at], %f{value};", place(*a, *scale, WORDS - 1, "%out"))
            }
            Statement::SharedLoad { d, a, scale } => {
                writeln!(out, "{}ld.shared.f32 %f{d}, [%at];", place(*a, *scale, 255, "%s"))
            }
            Statement::SharedStore { a, value, scale } => {
                writeln!(out, "{}st.shared.f32 [%at], %f{value};", place(*a, *scale, 255, "%s"))
            }
            Statement::Barrier => writeln!(out, "bar.sync 0;"),
            Statement::Choose { d, a, b, c, limit } => {
                writeln!(out, "setp.lt.s32 %p0, %r{c}, {limit}; selp.b32 %r{d}, %r{a}, %r{b}, %p0;")
            }
            Statement::If { a, b, then } => {
                *labels += 1;
                let label = *labels;
                let b = b.map_or_else(|value| value.to_string(), |b| format!("%r{b}"));
                writeln!(out, "setp.ge.s32 %p0, %r{a}, {b}; @%p0 bra E{label};").expect("a string takes all");
                write(out, then, labels);
                writeln!(out, "E{label}:")
            }
            Statement::Loop { rounds, body } => {
                *labels += 1;
                let label = *labels;
                writeln!(out, "mov.u32 %n{label}, 0;\nL{label}:").expect("a string takes all");
                write(out, body, labels);
                writeln!(
                    out,
                    "add.u32 %n{label}, %n{label}, 1; setp.lt.u32 %p0, %n{label}, {rounds}; @%p0 bra L{label};"
                )
            }
        };
        written.expect("a string takes all");
    }
}

/// The address of an element by a register: scaled, and kept within a buffer; or, not scaled, wherever it leads.
fn place(a: u8, scale: u8, mask: u32, base: &str) -> String {
    match scale {
        0 => format!("and.b32 %i, %r{a}, {mask}; mul.wide.u32 %at, %i, 4; add.s64 %at, %at, {base}; "),
        1 => format!("mul.wide.s32 %at, %r{a}, 4; add.s64 %at, %at, {base}; "),
        _ => format!("shl.b32 %i, %r{a}, 1; mul.wide.s32 %at, %i, 4; add.s64 %at, %at, {base}; "),
    }
}

fn kernel(statements: &[Statement]) -> String {
    let (mut body, mut labels) = (String::new(), 0);
    write(&mut body, statements, &mut labels);
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{\n\
         .reg .b32 %r<6>, %i, %n<{}>; .reg .f32 %f<4>; .reg .b64 %in, %out, %at, %s; .reg .pred %p0;\n\
         .shared .align 4 .b8 s[1024];\n\
         ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u64 %s, s;\n\
         mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.y;\n\
         mad.lo.s32 %r4, %r1, %r2, %r0; ld.param.u32 %r5, [n];\n\
         cvt.rn.f32.s32 %f0, %r4; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f7F800000; mov.f32 %f3, 0f00000000;\n\
         {body}\nret;\n}}\n",
        labels + 1
    )
}

/// All that a launch did, as text: a NaN in it equals nothing.
fn run(module: &Module, block: Dim3, n: i32, options: &Options) -> String {
    let mut device = Device::new(8, 0);
    let input = device.allocate("in", u64::from(WORDS) * 4).unwrap();
    let output = device.allocate("out", u64::from(WORDS) * 4).unwrap();
    let bytes: Vec<u8> = (0..WORDS).flat_map(|i| (i as f32 * 0.37 - 99.0).to_le_bytes()).collect();
    device.write(input, &bytes);
    if n % 2 == 0 {
        device.set_read_only(input);
    }
    if n % 3 != 0 {
        device.write(output, &bytes);
    }
    let config = LaunchConfig { grid: Dim3::new(6, 1, 1), block, dynamic_shared_bytes: 0 };
    let args: [Arg; 3] = [input.into(), output.into(), n.into()];
    let report = device.launch(module, "k", config, &args, options).unwrap();
    let mut left = vec![0; WORDS as usize * 4];
    device.read(output, &mut left);
    format!(
        "{:?}\n{:?}\n{:?}\n{:?}\n{left:?}",
        report.outcome, report.findings, report.touched, report.counts
    )
}

proptest! {
    #[test]
    fn compiled_kernels_do_what_the_interpreter_does(
        statements in prop::collection::vec(statement(2), 1..14),
        block in prop_oneof![Just((64, 1)), Just((256, 1)), Just((16, 16)), Just((32, 4)), Just((48, 2)), Just((8, 8))],
        n in -5i32..900,
        touched in any::<bool>(),
    ) {
        let Some(emitter) = gpulearn_jit::kernel_emitter() else { return Ok(()) };
        let text = kernel(&statements);
        let module = Module::parse(&text).unwrap();
        prop_assert!(module.unsupported().is_empty(), "{:?}", module.unsupported());
        let block = Dim3::new(block.0, block.1, 1);
        let interpreted = Options { host_threads: 1, step_budget: 100_000, touched, ..Options::default() };
        let compiled = Options { emitter: Some(emitter), compile_after: 0, ..interpreted.clone() };
        // The second launch finds what the first one compiled, and another parameter.
        for n in [n, n + 1] {
            let (wanted, got) = (run(&module, block, n, &interpreted), run(&module, block, n, &compiled));
            prop_assert!(wanted == got, "{text}\ninterpreted {}\ncompiled {}", cut(&wanted), cut(&got));
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(4000).collect()
}
