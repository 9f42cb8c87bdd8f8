//! Facts about the contents of registers: observing, checking and merging them.

use crate::kernel_code::{File, LANES, LaneValues, Register};
use crate::lanes::Registers;
use std::sync::Arc;

/// Returns what a warp's lanes hold in a register. `steady`: nothing in the kernel writes the register, so that a
/// uniform value can be taken for a constant.
pub fn observe(registers: &Registers, register: Register, steady: bool) -> LaneValues {
    if register.file == File::Pred {
        return LaneValues::Varying;
    }
    let lanes = registers.raw((register.file, register.slot as usize));
    let narrow = register.file == File::R32;
    let offsets = lanes.map(|value| {
        let offset = value.wrapping_sub(lanes[0]);
        if narrow { offset as u32 as i32 as i64 as u64 } else { offset }
    });
    match offsets == [0; LANES] {
        true if steady && narrow => LaneValues::Constant(lanes[0]),
        _ => LaneValues::Offsets(Arc::new(offsets)),
    }
}

/// Returns whether the registers match the assumptions that code was compiled under.
pub fn all_match(registers: &Registers, assumptions: &[(Register, LaneValues)]) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide(registers: &Registers, assumptions: &[(Register, LaneValues)]) -> bool {
            assumptions.iter().all(|assumption| matches(registers, assumption))
        }
        // SAFETY: a launch has an emitter only if the processor has AVX2.
        unsafe { wide(registers, assumptions) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    assumptions.iter().all(|assumption| matches(registers, assumption))
}

#[inline(always)]
fn matches(registers: &Registers, (register, lane_values): &(Register, LaneValues)) -> bool {
    let place = (register.file, register.slot as usize);
    match lane_values {
        LaneValues::Varying => true,
        LaneValues::Constant(value) => registers.has_offsets(place, Some(*value), &[0; LANES]),
        LaneValues::Offsets(offsets) => registers.has_offsets(place, None, offsets),
    }
}

/// Returns the facts that hold in both cases (the lattice's meet).
pub fn meet(first: &LaneValues, second: &LaneValues) -> LaneValues {
    let uniform = || LaneValues::Offsets(Arc::new([0; LANES]));
    match (first, second) {
        (a, b) if a == b => a.clone(),
        (LaneValues::Constant(_), LaneValues::Constant(_)) => uniform(),
        (LaneValues::Constant(_), offsets @ LaneValues::Offsets(_))
        | (offsets @ LaneValues::Offsets(_), LaneValues::Constant(_))
            if *offsets == uniform() =>
        {
            uniform()
        }
        _ => LaneValues::Varying,
    }
}
