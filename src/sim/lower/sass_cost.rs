//! PTX instructions that have no single machine instruction: what they cost beyond one instruction of their class.
//!
//! Instruction counts: sequences as `cuobjdump -sass` shows them for compute capability 9.0. Chains: the kernels
//! `divide_f32`, `divide_int` in `tests/timing/constants.cu` (44 and 126 cycles on an H100); the throughputs agree
//! with `flow_divide_f32` and `flow_divide_int` there.

use super::function::Draft;
use crate::code::{DecodedModule, registers};
use crate::lanes::File;
use std::collections::HashSet;

/// The cost in addition to one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SassCost {
    /// Machine instructions.
    pub issue: u32,
    /// How many of them use the special function units.
    pub special: u32,
    /// How many of them are in double precision.
    pub doubles: u32,
    /// Steps on the chain to the result, of plain arithmetic and of special functions.
    pub chain: u32,
    pub special_chain: u32,
}

const fn sass_cost(issue: u32, special: u32, doubles: u32, chain: u32, special_chain: u32) -> SassCost {
    SassCost { issue, special, doubles, chain, special_chain }
}

/// A reciprocal, Newton steps, a rounded remainder, and a check for operands that this can't handle.
const DIVIDE_F32: SassCost = sass_cost(9, 1, 0, 7, 0);
/// A reciprocal or a reciprocal square root, and Newton steps.
const ROOT_F32: SassCost = sass_cost(6, 0, 0, 5, 0);
const DIVIDE_APPROXIMATE: SassCost = sass_cost(1, 0, 0, 1, 0);
/// The divisor is converted, inverted and converted back; the quotient is multiplied out and corrected twice.
const DIVIDE_32: SassCost = sass_cost(17, 3, 0, 18, 3);
/// The same, if the inverse of the divisor is available already.
const DIVIDE_32_AGAIN: SassCost = sass_cost(7, 0, 0, 7, 0);
/// A subroutine.
const DIVIDE_64: SassCost = sass_cost(75, 3, 0, 60, 3);
const DIVIDE_F64: SassCost = sass_cost(15, 1, 9, 20, 1);

/// Returns the extra cost of an instruction with this row name; `None` if there is none. `again`: whatever depends on
/// the second operand alone has been computed before.
pub fn of(name: &str, again: bool) -> Option<SassCost> {
    let (operation, ty) = name.split_once('.')?;
    Some(match (operation, ty) {
        ("div" | "rem", "u32" | "s32") if again => DIVIDE_32_AGAIN,
        ("div", "f32") => DIVIDE_F32,
        ("div", "approx.f32" | "full.f32") => DIVIDE_APPROXIMATE,
        ("rcp" | "sqrt", "f32") => ROOT_F32,
        ("div" | "rem", "u32" | "s32" | "u16" | "s16") => DIVIDE_32,
        ("div" | "rem", "u64" | "s64") => DIVIDE_64,
        ("div" | "rcp" | "sqrt", "f64") => DIVIDE_F64,
        _ => return None,
    })
}

/// Divisors of a basic block whose inverses are available: the compiler computes them once, before a loop that
/// doesn't change them.
#[derive(Default)]
pub struct Divisors {
    known: HashSet<(File, u32)>,
}

impl Divisors {
    /// Returns the initial set for `drafts`. If they form a loop (`loops`), it contains all divisors that they don't
    /// write.
    pub fn of(drafts: &[Draft], loops: bool, code: &DecodedModule) -> Divisors {
        let mut known = HashSet::new();
        if loops {
            known.extend(drafts.iter().filter_map(divisor));
            for draft in drafts {
                for register in registers::writes(code, &draft.inst, draft.row) {
                    known.remove(&register);
                }
            }
        }
        Divisors { known }
    }

    /// Returns the extra cost of a draft. Must be called for the block's drafts in order.
    pub fn pass(&mut self, draft: &Draft) -> Option<SassCost> {
        let again = divisor(draft).is_some_and(|divisor| !self.known.insert(divisor));
        let row = draft.row?;
        let found = of(row.names[0], again);
        self.known.remove(&(row.dest, draft.inst.d));
        found
    }
}

/// Returns the register that holds the divisor of an integer division.
fn divisor(draft: &Draft) -> Option<(File, u32)> {
    let row = draft.row?;
    row.divides().then(|| (row.sources.get(1).copied().unwrap_or(File::R32), draft.inst.s[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test]
    fn the_names_are_those_of_rows() {
        let names = [
            "div.f32",
            "div.approx.f32",
            "div.full.f32",
            "rcp.f32",
            "sqrt.f32",
            "div.u32",
            "rem.s32",
            "div.s64",
            "rem.u64",
            "div.f64",
            "sqrt.f64",
        ];
        for name in names {
            assert!(of(name, false).is_some(), "{name}");
            assert!(table::find(name, table::DEFAULT_MODE).is_some(), "no row {name}");
        }
        assert_eq!(of("add.f32", false), None);
        assert_eq!(of("bra", false), None);
    }
}
