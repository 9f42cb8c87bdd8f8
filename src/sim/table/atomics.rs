//! Operators of `atom` and `red`.

use crate::sim::memory::access::AtomicFn;

/// The new value's function, for an operator and a type.
pub fn find(op: &str, ty: &str) -> Option<AtomicFn> {
    Some(match (op, ty) {
        ("add", "u32" | "s32") => |old, v, _| (old as u32).wrapping_add(v as u32) as u64,
        ("add", "u64" | "s64") => |old, v, _| old.wrapping_add(v),
        ("add", "f32") => {
            |old, v, _| (f32::from_bits(old as u32) + f32::from_bits(v as u32)).to_bits() as u64
        }
        ("exch", _) => |_, v, _| v,
        ("cas", "b32" | "u32") => |old, v, c| if old as u32 == c as u32 { v } else { old },
        ("cas", "b64" | "u64") => |old, v, c| if old == c { v } else { old },
        _ => return None,
    })
}
