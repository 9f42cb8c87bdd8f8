//! The meaning of each instruction, derived from its name and computed without the simulator's arithmetic: on
//! `i128`, on `f64` with the rounding oracle, or by the ISA's pseudo-code.

mod bits;
mod compare;
mod convert;
mod float;
mod half;
mod host_math;
mod integer;
mod pieces;

use super::super::{Mode, Rounding};
use super::operand::{Operand, Ty};

/// What a lane must hold after the instruction.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// The low bits, extended into the register by the destination type's sign.
    Int(i128),
    Bits(u64),
    Bool(bool),
    /// A value of the destination's type; for NaN, any NaN.
    Float(f64),
    /// Two values, low first, or for NaN any NaN.
    Floats([f64; 2]),
    /// A value, and the relative and absolute error that are allowed.
    Near(f64, f64, f64),
    NearPair([f64; 2], f64, f64),
    /// The oracle has no answer here.
    Unknown,
}

type Eval = Box<dyn Fn(&[Operand], Mode) -> Answer>;

pub struct Reference {
    pub sources: Vec<Ty>,
    pub dest: Ty,
    /// The modes that have an effect, in addition to the default one.
    pub modes: Vec<Mode>,
    pub eval: Eval,
}

impl Reference {
    fn new(
        sources: &[Ty],
        dest: Ty,
        eval: impl Fn(&[Operand], Mode) -> Answer + 'static,
    ) -> Option<Reference> {
        Some(Reference { sources: sources.to_vec(), dest, modes: Vec::new(), eval: Box::new(eval) })
    }

    fn modes(mut self, modes: &[Mode]) -> Reference {
        self.modes = modes.to_vec();
        self
    }
}

const DEFAULT: Mode = Mode { rounding: Rounding::Rn, ftz: false, sat: false };
const FTZ: Mode = Mode { ftz: true, ..DEFAULT };
const SAT: Mode = Mode { sat: true, ..DEFAULT };
const FTZ_SAT: Mode = Mode { ftz: true, sat: true, ..DEFAULT };
const RZ: Mode = Mode { rounding: Rounding::Rz, ..DEFAULT };
const RM: Mode = Mode { rounding: Rounding::Rm, ..DEFAULT };
const RP: Mode = Mode { rounding: Rounding::Rp, ..DEFAULT };
const RZ_FTZ_SAT: Mode = Mode { rounding: Rounding::Rz, ..FTZ_SAT };
const RP_FTZ: Mode = Mode { rounding: Rounding::Rp, ..FTZ };

/// Returns the reference for a row's name; `None` if there is none.
pub fn reference(name: &str) -> Option<Reference> {
    let parts: Vec<&str> = name.split('.').collect();
    pieces::reference(&parts)
        .or_else(|| integer::reference(&parts))
        .or_else(|| integer::carry(&parts))
        .or_else(|| bits::reference(&parts))
        .or_else(|| float::reference(&parts))
        .or_else(|| half::reference(&parts))
        .or_else(|| host_math::reference(&parts))
        .or_else(|| compare::reference(&parts))
        .or_else(|| convert::reference(&parts))
}

/// The smaller or larger of two numbers.
pub fn extreme(op: &str, a: f64, b: f64) -> f64 {
    float::pick(op, &[], a, b)
}
