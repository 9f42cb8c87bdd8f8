//! The operators of `atom` and `red` (PTX ISA 9.7.13.5): plain functions of the old value, the operand and, for
//! `cas`, the comparand. Bits above the type's width are ignored.

use crate::arith::half::{Bf16, F16, packed2};
use crate::arith::{atomic, double, float, half, int, single};
use crate::memory::access::{AtomicFn, Space};

/// Returns the function that computes the new value, for an operator, a type and the state space that the
/// instruction names; `None` if there is no such instruction. `.cas` compares the old value with the comparand
/// and stores the operand.
#[rustfmt::skip]
pub fn find(op: &str, ty: &str, space: Space) -> Option<AtomicFn> {
    Some(match (op, ty) {
        ("add", "u32" | "s32") => |old, v, _| int::add(old as u32, v as u32) as u64,
        ("add", "u64" | "s64") => |old, v, _| int::add(old, v),
        ("min", "u32") => |old, v, _| (old as u32).min(v as u32) as u64,
        ("min", "s32") => |old, v, _| (old as i32).min(v as i32) as u32 as u64,
        ("min", "u64") => |old, v, _| old.min(v),
        ("min", "s64") => |old, v, _| (old as i64).min(v as i64) as u64,
        ("max", "u32") => |old, v, _| (old as u32).max(v as u32) as u64,
        ("max", "s32") => |old, v, _| (old as i32).max(v as i32) as u32 as u64,
        ("max", "u64") => |old, v, _| old.max(v),
        ("max", "s64") => |old, v, _| (old as i64).max(v as i64) as u64,
        ("inc", "u32") => |old, v, _| atomic::inc(old as u32, v as u32) as u64,
        ("dec", "u32") => |old, v, _| atomic::dec(old as u32, v as u32) as u64,
        ("and", "b32" | "b64") => |old, v, _| old & v,
        ("or", "b32" | "b64") => |old, v, _| old | v,
        ("xor", "b32" | "b64") => |old, v, _| old ^ v,
        ("exch", "b32" | "b64") => |_, v, _| v,
        ("cas", "b16") => |old, v, c| atomic::cas(old as u16, c as u16, v as u16) as u64,
        ("cas", "b32") => |old, v, c| atomic::cas(old as u32, c as u32, v as u32) as u64,
        ("cas", "b64") => |old, v, c| atomic::cas(old, c, v),

        // Addition keeps subnormals in shared memory and flushes them in global memory.
        ("add", "f32") if space == Space::Shared => |old, v, _| {
            single::add(f32::from_bits(old as u32), f32::from_bits(v as u32)).to_bits() as u64
        },
        ("add", "f32") => |old, v, _| {
            atomic::add_f32_global(f32::from_bits(old as u32), f32::from_bits(v as u32)).to_bits() as u64
        },
        ("add", "f64") => |old, v, _| double::add(f64::from_bits(old), f64::from_bits(v)).to_bits(),
        ("add", "f16") => |old, v, _| half::add(F16(old as u16), F16(v as u16)).0 as u64,
        ("min", "f16") => |old, v, _| float::min(F16(old as u16), F16(v as u16)).0 as u64,
        ("max", "f16") => |old, v, _| float::max(F16(old as u16), F16(v as u16)).0 as u64,
        ("add", "bf16") => |old, v, _| half::add(Bf16(old as u16), Bf16(v as u16)).0 as u64,
        ("min", "bf16") => |old, v, _| float::min(Bf16(old as u16), Bf16(v as u16)).0 as u64,
        ("max", "bf16") => |old, v, _| float::max(Bf16(old as u16), Bf16(v as u16)).0 as u64,
        ("add", "f16x2") => |old, v, _| packed2(old as u32, v as u32, half::add::<F16>) as u64,
        ("min", "f16x2") => |old, v, _| packed2(old as u32, v as u32, float::min::<F16>) as u64,
        ("max", "f16x2") => |old, v, _| packed2(old as u32, v as u32, float::max::<F16>) as u64,
        ("add", "bf16x2") => |old, v, _| packed2(old as u32, v as u32, half::add::<Bf16>) as u64,
        ("min", "bf16x2") => |old, v, _| packed2(old as u32, v as u32, float::min::<Bf16>) as u64,
        ("max", "bf16x2") => |old, v, _| packed2(old as u32, v as u32, float::max::<Bf16>) as u64,
        _ => return None,
    })
}
