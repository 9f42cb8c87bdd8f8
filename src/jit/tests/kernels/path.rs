//! Random kernels in which most blocks follow one path: one element or a few for each thread, shared memory with barriers, and
//! conditions and loops that depend on the thread's index and on parameters.

use proptest::prelude::*;
use std::fmt::Write;

/// Which element a thread accesses, in terms of its index `%i`: instructions that leave it in `%x`.
const ELEMENTS: [&str; 18] = [
    "mov.u32 %x, %i;",
    "mov.u32 %x, %i;",
    "mov.u32 %x, %i;",
    "add.s32 %x, %i, 1;",
    "add.s32 %x, %i, -1;",
    "add.s32 %x, %i, 64;",
    "shl.b32 %x, %i, 1;",
    "sub.s32 %x, %n, %i;",
    "mov.u32 %x, %t;",
    "mov.u32 %x, %b;",
    "mad.lo.s32 %x, %y, 64, %i;",
    "xor.b32 %x, %i, 1;",
    "sub.s32 %x, 3500, %i;",
    "mad.lo.s32 %x, %b, %m, %t;",
    "mad.lo.s32 %x, %m, %b, %i;",
    "mad.lo.s32 %x, %b, 1073741824, %t;",
    "mul.lo.s32 %x, %b, 32;",
    "shl.b32 %x, %b, 5; add.s32 %x, %x, %t;",
];

/// Accesses of other widths to the address `%w`, and how many bytes each lane accesses.
const WIDTHS: [(&str, u32); 7] = [
    ("ld.global.f64 %e0, [%w]; add.f64 %e1, %e0, %e1;", 8),
    ("ld.global.u64 %d0, [%w]; add.s64 %d1, %d0, %d1; mov.b64 %e0, %d1;", 8),
    ("st.global.f64 [%w], %e1;", 8),
    ("ld.global.u8 %x, [%w]; cvt.rn.f32.u32 %f0, %x;", 1),
    ("st.global.u8 [%w], %i;", 1),
    ("cvt.s64.s32 %d0, %x; shl.b64 %d0, %d0, 2; add.s64 %w, %out, %d0; st.global.f32 [%w], %f1;", 4),
    (
        "sub.s32 %x, %x, 200; cvt.u64.u32 %d0, %x; shl.b64 %d0, %d0, 2; add.s64 %w, %in, %d0; ld.global.f32 %f0, [%w];",
        4,
    ),
];

/// Instructions on the values.
const ROWS: [&str; 15] = [
    "add.f32 %f0, %f1, %f2;",
    "mul.f32 %f1, %f0, %f3;",
    "fma.rn.f32 %f2, %f0, %f1, %f3;",
    "sub.f32 %f3, %f2, %f0;",
    "cvt.rn.f32.s32 %f1, %i;",
    "mov.b32 %f2, %i;",
    "add.s32 %i, %i, 3;",
    "max.f32 %f0, %f0, %f1;",
    "setp.lt.f32 %q, %f0, %f1; selp.f32 %f3, %f0, %f1, %q;",
    "div.rn.f32 %f0, %f1, %f2;",
    "setp.lt.s32 %q, %i, %n; selp.f32 %f3, %f0, %f1, %q;",
    "mad.lo.s32 %x, %b, %m, %t; setp.eq.s32 %q, %x, 40; selp.f32 %f0, %f2, %f1, %q;",
    "shr.u32 %x, %b, 2; mad.lo.s32 %x, %x, 32, %t; setp.lt.s32 %q, %x, %n; selp.f32 %f2, %f0, %f3, %q;",
    "mov.u32 %x, %ctaid.y; mad.lo.s32 %x, %x, 20, %t; setp.gt.u32 %q, %x, 40; selp.f32 %f1, %f0, %f3, %q;",
    "add.s32 %x, %i, 2147483000; cvt.s64.s32 %d0, %x; shr.s64 %d0, %d0, 31; cvt.rn.f32.s64 %f0, %d0;",
];

/// Conditions under which threads leave the kernel.
const GUARDS: [&str; 11] = [
    "setp.ge.s32 %q, %i, %n;",
    "setp.ge.s32 %q, %i, %n;",
    "setp.ge.s32 %q, %x, %n;",
    "setp.eq.s32 %q, %b, 3;",
    "setp.lt.s32 %q, %t, 16;",
    "setp.eq.u32 %q, %y, 1;",
    "sub.s32 %x, %b, 5; setp.lt.u32 %q, %x, %m;",
    "mul.lo.s32 %x, %b, 715827883; setp.lt.s32 %q, %x, 0;",
    "setp.gt.s32 %q, %b, 9;",
    "sub.s32 %x, 9, %b; setp.le.s32 %q, %x, %m;",
    "setp.ne.s32 %q, %b, %b;",
];

/// Which element of shared memory a thread accesses, as for [`ELEMENTS`]. `%l` is its index in the block, `%k` counts loops.
const SHARED: [&str; 12] = [
    "mov.u32 %x, %l;",
    "mov.u32 %x, %l;",
    "mov.u32 %x, %l;",
    "add.s32 %x, %l, 1;",
    "add.s32 %x, %l, 16;",
    "add.s32 %x, %l, 64;",
    "shl.b32 %x, %l, 1;",
    "sub.s32 %x, 511, %l;",
    "mad.lo.s32 %x, %k, 32, %l;",
    "mov.u32 %x, 5;",
    "xor.b32 %x, %l, 1;",
    "add.s32 %x, %l, %b;",
];

/// Conditions of blocks that some threads skip.
const CONDITIONS: [&str; 9] = [
    "setp.lt.s32 %q, %l, 16;",
    "setp.lt.s32 %q, %l, 32;",
    "setp.lt.s32 %q, %l, 40;",
    "setp.lt.s32 %q, %l, 1;",
    "and.b32 %x, %l, 3; setp.eq.s32 %q, %x, 1;",
    "setp.lt.s32 %q, %t, %m;",
    "setp.lt.s32 %q, %i, %n;",
    "setp.eq.s32 %q, %k, 1;",
    "setp.lt.f32 %q, %f0, 0f40A00000;",
];

/// How often loops run, at least once: `%m` is a parameter.
const TIMES: [&str; 4] = ["2", "3", "%m", "4"];

#[derive(Clone, Debug)]
pub enum Statement {
    /// Loads or stores 1, 2 or 4 words: the element, whether of the output, and the number of words.
    Access {
        stores: bool,
        element: usize,
        output: bool,
        words: usize,
    },
    /// One of [`WIDTHS`]: the element, and whether of the output.
    Width {
        width: usize,
        element: usize,
        output: bool,
    },
    Row(usize),
    Guard(usize),
    /// Loads or stores 1, 2 or 4 words of shared memory.
    Shared {
        stores: bool,
        element: usize,
        words: usize,
    },
    Barrier,
    /// Stores to shared memory, and waits for all threads.
    Fill(usize),
    If(usize, Vec<Statement>),
    Loop(usize, Vec<Statement>),
}

pub fn statement() -> impl Strategy<Value = Statement> {
    let access = |stores: bool, output: BoxedStrategy<bool>| {
        let words = prop::sample::select(vec![1, 1, 1, 2, 4]);
        (0..ELEMENTS.len(), output, words).prop_map(move |(element, output, words)| Statement::Access {
            stores,
            element,
            output,
            words,
        })
    };
    let shared = (any::<bool>(), 0..SHARED.len(), prop::sample::select(vec![1, 1, 1, 2, 4]))
        .prop_map(|(stores, element, words)| Statement::Shared { stores, element, words });
    let one = prop_oneof![
        4 => access(false, prop::bool::weighted(0.3).boxed()),
        4 => access(true, prop::bool::weighted(0.9).boxed()),
        1 => (0..WIDTHS.len(), 0..ELEMENTS.len(), any::<bool>())
            .prop_map(|(width, element, output)| Statement::Width { width, element, output }),
        4 => (0..ROWS.len()).prop_map(Statement::Row),
        1 => (0..GUARDS.len()).prop_map(Statement::Guard),
        5 => shared,
        3 => Just(Statement::Barrier),
        2 => (0..3usize).prop_map(Statement::Fill),
    ];
    one.prop_recursive(2, 12, 4, |inner| {
        let body = || prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            3 => (0..CONDITIONS.len(), body()).prop_map(|(n, body)| Statement::If(n, body)),
            2 => (0..TIMES.len(), body()).prop_map(|(n, body)| Statement::Loop(n, body)),
        ]
    })
}

/// Writes statements. `labels`: how many labels there are so far. `loops`: whether they are in a loop; one in a loop is left out.
fn write(body: &mut String, statements: &[Statement], labels: &mut usize, loops: bool) {
    for statement in statements {
        let _ = match statement {
            Statement::Row(n) => writeln!(body, "{}", ROWS[*n]),
            Statement::Width { width, element, output } => {
                let ((access, bytes), base) = (WIDTHS[*width], if *output { "%out" } else { "%in" });
                let element = ELEMENTS[*element];
                writeln!(body, "{element} mul.wide.s32 %w, %x, {bytes}; add.s64 %w, %w, {base}; {access}")
            }
            Statement::Guard(n) => writeln!(body, "{} @%q bra END;", GUARDS[*n]),
            Statement::Access { stores, element, output, words } => {
                let base = if *output { "%out" } else { "%in" };
                writeln!(body, "{}", access(ELEMENTS[*element], ("global", base), *words, *stores))
            }
            Statement::Shared { stores, element, words } => {
                writeln!(body, "{}", access(SHARED[*element], ("shared", "%s"), *words, *stores))
            }
            Statement::Barrier => writeln!(body, "bar.sync 0;"),
            Statement::Fill(n) => {
                let store = access(SHARED[0], ("shared", "%s"), 1, true);
                let more = if *n == 0 { "st.shared.f32 [%w+2048], %f3;" } else { "" };
                writeln!(body, "{store} {more} bar.sync 0;")
            }
            Statement::If(n, its) => {
                *labels += 1;
                let label = *labels;
                let _ = writeln!(body, "{} @!%q bra L{label};", CONDITIONS[*n]);
                write(body, its, labels, loops);
                writeln!(body, "L{label}:")
            }
            Statement::Loop(_, its) if loops => {
                write(body, its, labels, loops);
                Ok(())
            }
            Statement::Loop(n, its) => {
                *labels += 1;
                let label = *labels;
                let _ = writeln!(body, "mov.u32 %k, 0; L{label}:");
                write(body, its, labels, true);
                writeln!(body, "add.s32 %k, %k, 1; setp.lt.s32 %q, %k, {}; @%q bra L{label};", TIMES[*n])
            }
        };
    }
}

/// Returns the instructions of an access: the element, the memory with its first address, and how many words.
fn access(element: &str, (space, base): (&str, &str), words: usize, stores: bool) -> String {
    let (vector, values) = match words {
        1 => ("", "%f0"),
        2 => (".v2", "{%f1, %f0}"),
        _ => (".v4", "{%f0, %f1, %f2, %f3}"),
    };
    let address = format!("{element} mul.wide.s32 %w, %x, {}; add.s64 %w, %w, {base};", 4 * words);
    match stores {
        true => format!("{address} st.{space}{vector}.f32 [%w], {values};"),
        false => format!("{address} ld.{space}{vector}.f32 {values}, [%w];"),
    }
}

/// Returns the text of a kernel `k(in, out, n)`. `whole`: whether it loads an element first and stores it in the end.
pub fn kernel(statements: &[Statement], whole: bool) -> String {
    let mut body = String::new();
    let accesses =
        [access(ELEMENTS[0], ("global", "%in"), 1, false), access(ELEMENTS[0], ("global", "%out"), 1, true)];
    let [first, last] = accesses.map(|its| if whole { its } else { String::new() });
    write(&mut body, statements, &mut 0, false);
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{\n\
         .shared .align 16 .b8 shared[8192];\n\
         .reg .b32 %i, %x, %t, %b, %y, %n, %size, %l, %k, %m; .reg .f32 %f<4>; .reg .f64 %e<2>;\n\
         .reg .b64 %in, %out, %w, %s, %d<2>; .reg .pred %q;\n\
         ld.param.u64 %in, [in]; cvta.to.global.u64 %in, %in;\n\
         ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out; ld.param.u32 %n, [n];\n\
         mov.u32 %t, %tid.x; mov.u32 %y, %tid.y; mov.u32 %b, %ctaid.x; mov.u32 %size, %ntid.x;\n\
         mad.lo.s32 %i, %b, %size, %t; mov.u32 %x, %i; mov.u64 %s, shared;\n\
         mad.lo.s32 %l, %y, %size, %t; and.b32 %m, %n, 3; mov.u32 %k, 0;\n\
         mov.f64 %e0, 0d3FF0000000000000; mov.f64 %e1, %e0; mov.u64 %d1, 5;\n\
         mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000; mov.f32 %f2, 0fBF000000; mov.f32 %f3, 0f7F800000;\n\
         {first}\n{body}{last}\nEND: ret;\n}}\n"
    )
}
