//! Random kernels without loops and barriers, one element or a few for each thread: most of their blocks follow one path.

use proptest::prelude::*;
use std::fmt::Write;

/// Which element a thread accesses, in terms of its index `%i`: instructions that leave it in `%x`.
const ELEMENTS: [&str; 12] = [
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
];

/// Accesses of other widths to the address `%w`, and how many bytes each lane accesses.
const WIDTHS: [(&str, u32); 5] = [
    ("ld.global.f64 %e0, [%w]; add.f64 %e1, %e0, %e1;", 8),
    ("ld.global.u64 %d0, [%w]; add.s64 %d1, %d0, %d1; mov.b64 %e0, %d1;", 8),
    ("st.global.f64 [%w], %e1;", 8),
    ("ld.global.u8 %x, [%w]; cvt.rn.f32.u32 %f0, %x;", 1),
    ("st.global.u8 [%w], %i;", 1),
];

/// Instructions on the values.
const ROWS: [&str; 10] = [
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
];

/// Conditions under which threads leave the kernel.
const GUARDS: [&str; 6] = [
    "setp.ge.s32 %q, %i, %n;",
    "setp.ge.s32 %q, %i, %n;",
    "setp.ge.s32 %q, %x, %n;",
    "setp.eq.s32 %q, %b, 3;",
    "setp.lt.s32 %q, %t, 16;",
    "setp.eq.u32 %q, %y, 1;",
];

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
    prop_oneof![
        4 => access(false, prop::bool::weighted(0.3).boxed()),
        4 => access(true, prop::bool::weighted(0.9).boxed()),
        1 => (0..WIDTHS.len(), 0..ELEMENTS.len(), any::<bool>())
            .prop_map(|(width, element, output)| Statement::Width { width, element, output }),
        4 => (0..ROWS.len()).prop_map(Statement::Row),
        1 => (0..GUARDS.len()).prop_map(Statement::Guard),
    ]
}

/// Returns the text of a kernel `k(in, out, n)`.
pub fn kernel(statements: &[Statement]) -> String {
    let mut body = String::new();
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
                let (base, vector) =
                    (if *output { "%out" } else { "%in" }, ["", "", ".v2", "", ".v4"][*words]);
                let values = ["%f0", "{%f1, %f0}", "", "{%f0, %f1, %f2, %f3}"][*words - 1];
                let _ = write!(
                    body,
                    "{} mul.wide.s32 %w, %x, {}; add.s64 %w, %w, {base}; ",
                    ELEMENTS[*element],
                    4 * words
                );
                match stores {
                    true => writeln!(body, "st.global{vector}.f32 [%w], {values};"),
                    false => writeln!(body, "ld.global{vector}.f32 {values}, [%w];"),
                }
            }
        };
    }
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{\n\
         .reg .b32 %i, %x, %t, %b, %y, %n, %size; .reg .f32 %f<4>; .reg .f64 %e<2>;\n\
         .reg .b64 %in, %out, %w, %d<2>; .reg .pred %q;\n\
         ld.param.u64 %in, [in]; cvta.to.global.u64 %in, %in;\n\
         ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out; ld.param.u32 %n, [n];\n\
         mov.u32 %t, %tid.x; mov.u32 %y, %tid.y; mov.u32 %b, %ctaid.x; mov.u32 %size, %ntid.x;\n\
         mad.lo.s32 %i, %b, %size, %t; mov.u32 %x, %i;\n\
         mov.f64 %e0, 0d3FF0000000000000; mov.f64 %e1, %e0; mov.u64 %d1, 5;\n\
         mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000; mov.f32 %f2, 0fBF000000; mov.f32 %f3, 0f7F800000;\n\
         {body}END: ret;\n}}\n"
    )
}
