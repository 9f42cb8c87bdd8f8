//! Moves, and the rows that are used by lowering only.

use super::{Answer, Reference};
use crate::table::tests::operand::Ty;

pub fn reference(parts: &[&str]) -> Option<Reference> {
    let word = Ty::U32;
    match parts {
        ["mov", name] => {
            let ty = Ty::named(name)?;
            let bits = ty.bits();
            Reference::new(&[ty], ty, move |v, _| {
                Answer::Bits(if bits == 64 { v[0].bits } else { v[0].bits % (1 << bits) })
            })
        }
        ["%low32"] => Reference::new(&[Ty::U64], word, |v, _| Answer::Int(v[0].int() % (1 << 32))),
        ["%high32"] => Reference::new(&[Ty::U64], word, |v, _| Answer::Int(v[0].int() / (1 << 32))),
        ["%join64"] => {
            Reference::new(&[word, word], Ty::U64, |v, _| Answer::Int(v[0].int() + v[1].int() * (1 << 32)))
        }
        ["%low16"] => Reference::new(&[word], word, |v, _| Answer::Int(v[0].int() % 0x1_0000)),
        ["%high16"] => Reference::new(&[word], word, |v, _| Answer::Int(v[0].int() / 0x1_0000)),
        ["%join32"] => {
            Reference::new(&[Ty::U16, Ty::U16], word, |v, _| Answer::Int(v[0].int() + v[1].int() * 0x1_0000))
        }
        ["%byte"] => Reference::new(&[word, word], word, |v, _| {
            Answer::Int(v[0].word().to_le_bytes()[v[1].word() as usize % 4] as i128)
        }),
        ["%half"] => Reference::new(&[word, word], word, |v, _| {
            Answer::Int(if v[1].int() % 2 == 0 { v[0].int() % 0x1_0000 } else { v[0].int() / 0x1_0000 })
        }),
        ["%set_byte"] => Reference::new(&[word, word, word], word, |v, _| {
            let mut bytes = v[0].word().to_le_bytes();
            bytes[v[2].word() as usize % 4] = v[1].word() as u8;
            Answer::Bits(u32::from_le_bytes(bytes) as u64)
        }),
        ["%set_half"] => Reference::new(&[word, word, word], word, |v, _| {
            let [low, high] = [v[0].int() % 0x1_0000, v[0].int() / 0x1_0000];
            let half = v[1].int() % 0x1_0000;
            let [low, high] = if v[2].int() % 2 == 0 { [half, high] } else { [low, half] };
            Answer::Int(low + high * 0x1_0000)
        }),
        ["%widen"] => Reference::new(&[word], Ty::U64, |v, _| Answer::Int(v[0].int())),
        ["%sign8"] => Reference::new(&[Ty::S8], Ty::S32, |v, _| Answer::Int(v[0].int())),
        ["%sign16"] => Reference::new(&[Ty::S16], Ty::S32, |v, _| Answer::Int(v[0].int())),
        ["%set", name] => {
            let dest = Ty::named(name)?;
            Reference::new(&[Ty::Pred], dest, move |v, _| super::compare::truth(dest, v[0].bool()))
        }
        ["%set", "pair", name] => {
            let one: u64 = match *name {
                "f16x2" => 0x3c00,
                "bf16x2" => 0x3f80,
                _ => 0xffff,
            };
            Reference::new(&[Ty::Pred; 2], word, move |v, _| {
                Answer::Bits(v[1].bits * one * 0x1_0000 + v[0].bits * one)
            })
        }
        ["%mbarrier", "init"] => Reference::new(&[word], Ty::U64, |v, _| {
            let count = v[0].bits;
            let fits = (1..1 << 20).contains(&count);
            Answer::Bits(if fits { count | count << 20 | 1 << 62 } else { 0 })
        }),
        ["%mbarrier", "state"] => Reference::new(&[Ty::U64; 2], Ty::Pred, |v, _| {
            let parities = [v[0], v[1]].map(|object| mbarrier(object.bits).map(|(_, odd)| odd));
            Answer::Bool(matches!(parities, [Some(now), Some(then)] if now != then))
        }),
        ["%mbarrier", "parity"] => Reference::new(&[Ty::U64, word], Ty::Pred, |v, _| {
            let odd = mbarrier(v[0].bits).map(|(_, odd)| odd);
            Answer::Bool(odd.is_some_and(|odd| odd != (v[1].bits % 2 == 1)))
        }),
        ["%mbarrier", "pending"] => Reference::new(&[Ty::U64], word, |v, _| {
            Answer::Bits(mbarrier(v[0].bits).map_or(0, |(pending, _)| pending))
        }),
        _ => None,
    }
}

/// Returns the pending arrivals and the parity of an mbarrier, by the table of its encoding.
fn mbarrier(object: u64) -> Option<(u64, bool)> {
    let field = |low: u32, high: u32| object >> low & ((1 << (high - low + 1)) - 1);
    let (pending, expected, bytes) = (field(0, 19), field(20, 39), field(40, 60));
    // If it had nothing left to wait for, its phase would be complete.
    let over = pending == 0 && bytes == 0 && expected != 0;
    (field(62, 63) == 1 && !over).then_some((pending, field(61, 61) == 1))
}
