//! Products against a plain triple loop, layouts against the ISA's own formulas.

use super::element::{Role, Shape};
use super::fragment::{Fragment, Position};
use super::multiply::BitOp;
use super::*;

mod group;
mod hardware;
mod layout;
mod product;
mod rows;

fn modifiers(form: &str) -> (String, Vec<&str>) {
    let mut words = form.split('.');
    (words.next().unwrap_or_default().to_string(), words.collect())
}

fn decoded(form: &str) -> MatrixOp {
    let (opcode, modifiers) = modifiers(form);
    parse(&opcode, &modifiers).expect(form)
}

fn multiply(form: &str) -> Multiply {
    match decoded(form) {
        MatrixOp::Multiply(op) => op,
        other => panic!("{form} is {other:?}"),
    }
}

/// Every form of `mma` and `wmma.mma` that is simulated.
fn forms() -> Vec<String> {
    let mut forms = Vec::new();
    let mma = |shape: &str, rest: &str| format!("mma.sync.aligned.{shape}.row.col.{rest}");
    for (a, b) in [("row", "row"), ("row", "col"), ("col", "row"), ("col", "col")] {
        for types in ["f32.f16.f16.f32", "f16.f16.f16.f16", "f32.f16.f16.f16"] {
            forms.push(format!("mma.sync.aligned.m8n8k4.{a}.{b}.{types}"));
        }
        for shape in ["m16n16k16", "m8n32k16", "m32n8k16"] {
            for types in ["f32.f32", "f16.f16", "f32.f16", "f16.f32", "f32.bf16.bf16.f32"] {
                forms.push(format!("wmma.mma.sync.aligned.{a}.{b}.{shape}.{types}"));
            }
            for types in ["s32.s8.s8.s32", "s32.u8.u8.s32", "s32.s8.s8.s32.satfinite"] {
                forms.push(format!("wmma.mma.sync.aligned.{a}.{b}.{shape}.{types}"));
            }
        }
        forms.push(format!("wmma.mma.sync.aligned.{a}.{b}.m16n16k8.f32.tf32.tf32.f32"));
        forms.push(format!("wmma.mma.sync.aligned.{a}.{b}.m8n8k4.rn.f64.f64.f64.f64"));
    }
    for types in ["s32.s4.s4.s32", "s32.u4.u4.s32"] {
        forms.push(format!("wmma.mma.sync.aligned.row.col.m8n8k32.{types}"));
    }
    forms.push("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32".into());
    forms.push("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32".into());
    for shape in ["m16n8k8", "m16n8k16"] {
        for types in ["f32.f16.f16.f32", "f16.f16.f16.f16", "f32.bf16.bf16.f32"] {
            forms.push(mma(shape, types));
        }
    }
    for shape in ["m16n8k4", "m16n8k8"] {
        forms.push(mma(shape, "f32.tf32.tf32.f32"));
    }
    for shape in ["m16n8k16", "m16n8k32"] {
        for types in ["f32.e4m3.e5m2.f32", "f32.e5m2.e4m3.f32", "f16.e4m3.e4m3.f16"] {
            forms.push(mma(shape, types));
        }
    }
    for shape in ["m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"] {
        forms.push(mma(shape, "f64.f64.f64.f64"));
    }
    for shape in ["m8n8k16", "m16n8k16", "m16n8k32"] {
        for types in ["s32.s8.u8.s32", "s32.u8.s8.s32", "satfinite.s32.u8.u8.s32"] {
            forms.push(mma(shape, types));
        }
    }
    for shape in ["m8n8k32", "m16n8k32", "m16n8k64"] {
        for types in ["s32.s4.u4.s32", "s32.u4.s4.s32", "satfinite.s32.s4.s4.s32"] {
            forms.push(mma(shape, types));
        }
    }
    for shape in ["m8n8k128", "m16n8k128", "m16n8k256"] {
        for operation in ["and", "xor"] {
            forms.push(mma(shape, &format!("s32.b1.b1.s32.{operation}.popc")));
        }
    }
    forms
}

#[test]
fn unknown_forms_are_named() {
    for form in [
        "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32",
        "mma.sync.aligned.m99999999999n8k16.row.col.f32.f16.f16.f32",
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f64",
        "wmma.mma.sync.aligned.row.col.m8n8k4.rz.f64.f64.f64.f64",
        "wmma.load.b.sync.aligned.row.m8n8k32.shared.s4",
        "wmma",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
        "movmatrix.sync.aligned.m8n8.b16",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
    ] {
        let (opcode, modifiers) = modifiers(form);
        assert!(parse(&opcode, &modifiers).is_none(), "{form}");
    }
}

#[test]
fn register_counts_are_those_of_the_isa() {
    let counts = |form: &str| {
        let op = multiply(form);
        [op.fragment_d(), op.fragment_a(), op.fragment_b(), op.fragment_c()].map(|f| f.registers())
    };
    assert_eq!(counts("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), [4, 4, 2, 4]);
    assert_eq!(counts("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16"), [2, 2, 1, 2]);
    assert_eq!(counts("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16"), [8, 2, 2, 4]);
    assert_eq!(counts("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64"), [4, 8, 4, 4]);
    assert_eq!(counts("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32"), [4, 4, 2, 4]);
    assert_eq!(counts("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc"), [4, 4, 2, 4]);
    assert_eq!(counts("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"), [8, 8, 8, 8]);
    assert_eq!(counts("wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16"), [4, 8, 8, 4]);
    assert_eq!(counts("wmma.mma.sync.aligned.row.col.m32n8k16.f32.bf16.bf16.f32"), [8, 8, 2, 8]);
    assert_eq!(counts("wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32"), [8, 1, 4, 8]);
    assert_eq!(counts("wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32"), [8, 4, 4, 8]);
    assert_eq!(counts("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64"), [2, 1, 1, 2]);
    assert_eq!(counts("wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32"), [2, 1, 1, 2]);
}

#[test]
fn operations_count_multiply_adds_as_two() {
    assert_eq!(multiply("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").operations(), 4096);
    assert_eq!(multiply("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32").operations(), 4 * 512);
    assert_eq!(multiply("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32").operations(), 8192);
}
