//! Every operator and type of `atom` and `red`.

use super::super::atomics::find;
use super::operand::{Operand, Random, Ty};
use super::rounding::{Exact, bits, flush};
use crate::arith::Rounding;
use crate::memory::access::Space;

#[rustfmt::skip]
const TYPES: &[(&str, &[&str])] = &[
    ("add", &["u32", "s32", "u64", "s64", "f16", "f16x2", "bf16", "bf16x2", "f32", "f64"]),
    ("min", &["u32", "s32", "u64", "s64", "f16", "f16x2", "bf16", "bf16x2"]),
    ("max", &["u32", "s32", "u64", "s64", "f16", "f16x2", "bf16", "bf16x2"]),
    ("and", &["b32", "b64"]), ("or", &["b32", "b64"]), ("xor", &["b32", "b64"]),
    ("exch", &["b32", "b64"]), ("cas", &["b16", "b32", "b64"]), ("inc", &["u32"]), ("dec", &["u32"]),
];

/// The new value by the ISA's definitions; `None` for a NaN.
fn expected(op: &str, space: Space, old: Operand, v: Operand, comparand: Operand) -> Option<u64> {
    let ty = old.ty;
    if ty.element().is_some() {
        let ([a, b], [c, d]) = (old.halves(), v.halves());
        let (low, high) = (expected(op, space, a, c, a), expected(op, space, b, d, b));
        return Some(high? << 16 | low?);
    }
    if ty.float() {
        let (mut a, mut b) = (old.float(), v.float());
        let flushes = ty == Ty::F32 && space != Space::Shared;
        if flushes {
            (a, b) = (flush(ty, a), flush(ty, b));
        }
        let result = match op {
            "add" => Exact::sum(a, b).into(ty, Rounding::Rn),
            _ => super::reference::extreme(op, a, b),
        };
        return bits(ty, if flushes { flush(ty, result) } else { result });
    }
    let (a, b, c) = (old.int(), v.int(), comparand.int());
    let value = match op {
        "add" => a + b,
        "min" => a.min(b),
        "max" => a.max(b),
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        "exch" => b,
        "cas" => [a, b][(a == c) as usize],
        "inc" => [a + 1, 0][(a >= b) as usize],
        _ => [a - 1, b][(a == 0 || a > b) as usize],
    };
    Some(value as u64)
}

#[test]
fn every_operator_agrees_with_its_definition() {
    let mut random = Random(11);
    for &(op, types) in TYPES {
        for &name in types {
            let ty = Ty::named(name).expect("a type");
            let mask = if ty.bits() == 64 { !0 } else { (1u64 << ty.bits()) - 1 };
            for space in [Space::Global, Space::Shared, Space::Generic] {
                let apply = find(op, name, space).unwrap_or_else(|| panic!("no {op}.{name}"));
                for round in 0..400 {
                    let (old, v) = (random.operand(ty), random.operand(ty));
                    let comparand = if round % 2 == 0 { old } else { random.operand(ty) };
                    let got = apply(old.bits, v.bits, comparand.bits) & mask;
                    match expected(op, space, old, v, comparand) {
                        Some(value) => assert_eq!(got, value & mask, "{op}.{name} {old:x?} {v:x?}"),
                        None => {
                            let parts = [Operand { ty, bits: got }; 2];
                            let parts = if ty.element().is_some() { parts[0].halves() } else { parts };
                            let nan = parts.iter().any(|p| p.float().is_nan());
                            assert!(nan, "{op}.{name} {old:x?} {v:x?}: {got:#x}");
                        }
                    }
                }
            }
        }
    }
    assert!(find("add", "b32", Space::Global).is_none());
    assert!(find("max", "f32", Space::Global).is_none());
}
