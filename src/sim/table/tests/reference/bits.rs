//! Logic and bits, one bit at a time.

use super::{Answer, Reference};
use crate::table::tests::operand::{Operand, Ty};

pub fn reference(parts: &[&str]) -> Option<Reference> {
    let ty = Ty::named(parts.last()?);
    let word = Ty::U32;
    match (parts, ty) {
        ([op @ ("and" | "or" | "xor" | "not"), "pred"], _) => {
            let op = op.to_string();
            let count = if op == "not" { 1 } else { 2 };
            Reference::new(&vec![Ty::Pred; count], Ty::Pred, move |v, _| {
                let b = v.last().expect("an operand").bool();
                Answer::Bool(bit(&op, v[0].bool(), b))
            })
        }
        ([op @ ("and" | "or" | "xor" | "not"), _], Some(t)) => {
            let op = op.to_string();
            let count = if op == "not" { 1 } else { 2 };
            each_bit(&vec![t; count], t, move |v, i| bit(&op, at(v[0], i), at(v[v.len() - 1], i)))
        }
        (["cnot", _], Some(t)) => Reference::new(&[t], t, |v, _| Answer::Int((v[0].int() == 0) as i128)),
        (["shl", _], Some(t)) => each_bit(&[t, word], t, |v, i| {
            let from = i as i64 - v[1].word() as i64;
            from >= 0 && at(v[0], from as u32)
        }),
        (["shr", _], Some(t)) => each_bit(&[t, word], t, move |v, i| {
            let from = (i as u64 + v[1].word() as u64).min(t.bits() as u64) as u32;
            let fill = t.signed() && at(v[0], t.bits() - 1);
            if from < t.bits() { at(v[0], from) } else { fill }
        }),
        (["lop3", "b32"], _) => each_bit(&[word; 4], word, |v, i| {
            let index = (at(v[0], i) as u32) << 2 | (at(v[1], i) as u32) << 1 | at(v[2], i) as u32;
            at(v[3], index)
        }),
        (["shf", side, wrap, "b32"], _) => {
            let (left, wraps) = (*side == "l", *wrap == "wrap");
            each_bit(&[word; 3], word, move |v, i| {
                let n = if wraps { v[2].word() % 32 } else { v[2].word().min(32) };
                let from = if left { 32 + i - n } else { i + n };
                if from < 32 { at(v[0], from) } else { at(v[1], from - 32) }
            })
        }
        (["popc", _], Some(t)) => Reference::new(&[t], word, move |v, _| {
            Answer::Int((0..t.bits()).filter(|&i| at(v[0], i)).count() as i128)
        }),
        (["clz", _], Some(t)) => Reference::new(&[t], word, move |v, _| {
            Answer::Int((0..t.bits()).rev().take_while(|&i| !at(v[0], i)).count() as i128)
        }),
        (["brev", _], Some(t)) => each_bit(&[t], t, move |v, i| at(v[0], t.bits() - 1 - i)),
        (["bfind", amount @ .., _], Some(t)) => {
            let shift = !amount.is_empty();
            Reference::new(&[t], word, move |v, _| {
                let sign = t.signed() && at(v[0], t.bits() - 1);
                let found = (0..t.bits()).rev().find(|&i| at(v[0], i) != sign);
                let position = found.map(|i| if shift { t.bits() - 1 - i } else { i });
                Answer::Int(position.unwrap_or(u32::MAX) as i128)
            })
        }
        (["fns", "b32"], _) => {
            Reference::new(&[word, word, Ty::S32], word, |v, _| Answer::Int(fns(v) as i128))
        }
        (["bfe", _], Some(t)) => each_bit(&[t, word, word], t, move |v, i| {
            let (position, length) = (v[1].word() & 0xff, v[2].word() & 0xff);
            let top = t.bits() - 1;
            let sign = t.signed() && length > 0 && at(v[0], (position + length - 1).min(top));
            if i < length && position + i <= top { at(v[0], position + i) } else { sign }
        }),
        (["bfi", _], Some(t)) => each_bit(&[t, t, word, word], t, |v, i| {
            let (position, length) = (v[2].word() & 0xff, v[3].word() & 0xff);
            if i >= position && i - position < length { at(v[0], i - position) } else { at(v[1], i) }
        }),
        (["bmsk", wrap, "b32"], _) => {
            let wraps = *wrap == "wrap";
            each_bit(&[word; 2], word, move |v, i| {
                let of = |o: Operand| if wraps { o.word() as u64 % 32 } else { o.word() as u64 };
                (of(v[0])..of(v[0]) + of(v[1])).contains(&(i as u64))
            })
        }
        (["szext", wrap, _], Some(t)) => {
            let wraps = *wrap == "wrap";
            each_bit(&[t, word], t, move |v, i| {
                let n = if wraps { v[1].word() % 32 } else { v[1].word().min(32) };
                if i < n { at(v[0], i) } else { t.signed() && n > 0 && at(v[0], n - 1) }
            })
        }
        (["prmt", "b32", mode @ ..], _) => {
            let mode = mode.first().map(|m| m.to_string());
            Reference::new(&[word; 3], word, move |v, _| Answer::Bits(permute(v, mode.as_deref()) as u64))
        }
        _ => None,
    }
}

fn at(operand: Operand, index: u32) -> bool {
    operand.bits >> index & 1 == 1
}

fn bit(op: &str, a: bool, b: bool) -> bool {
    match op {
        "and" => a && b,
        "or" => a || b,
        "xor" => a != b,
        _ => !a,
    }
}

/// A result given by its bits.
fn each_bit(sources: &[Ty], dest: Ty, f: impl Fn(&[Operand], u32) -> bool + 'static) -> Option<Reference> {
    Reference::new(sources, dest, move |v, _| {
        Answer::Bits((0..dest.bits()).fold(0, |bits, i| bits | (f(v, i) as u64) << i))
    })
}

fn fns(v: &[Operand]) -> u32 {
    let (mask, base, offset) = (v[0], v[1].word(), v[2].int());
    let inside = |i: &i64| (0..32).contains(i);
    if !inside(&(base as i64)) {
        return u32::MAX;
    }
    if offset == 0 {
        return if at(mask, base) { base } else { u32::MAX };
    }
    let step = if offset > 0 { 1 } else { -1 };
    let mut places = (0..32).map(|i| base as i64 + step * i).filter(inside).filter(|&i| at(mask, i as u32));
    places.nth((offset.unsigned_abs() - 1).min(64) as usize).map_or(u32::MAX, |i| i as u32)
}

/// Bytes by number: 0 to 3 of `a`, 4 to 7 of `b`.
fn permute(v: &[Operand], mode: Option<&str>) -> u32 {
    let bytes: Vec<u8> = v[0].word().to_le_bytes().into_iter().chain(v[1].word().to_le_bytes()).collect();
    let selector = v[2].word();
    let n = (selector & 3) as usize;
    let chosen: [u8; 4] = std::array::from_fn(|i| match mode {
        None => {
            let nibble = selector >> (4 * i) & 15;
            let byte = bytes[(nibble & 7) as usize];
            if nibble & 8 == 0 { byte } else { if byte & 0x80 == 0 { 0 } else { 0xff } }
        }
        Some("f4e") => bytes[n + i],
        Some("b4e") => bytes[(8 + n - i) % 8],
        Some("rc8") => bytes[n],
        Some("ecl") => bytes[n.max(i)],
        Some("ecr") => bytes[n.min(i)],
        _ => bytes[n % 2 * 2 + i % 2],
    });
    u32::from_le_bytes(chosen)
}
