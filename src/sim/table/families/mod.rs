//! The rows, by family.

mod moves;

/// What kind of floating-point operation a row counts as.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flop {
    f16,
    bf16,
    f32,
    f64,
}

pub static ALL: &[&[super::Row]] = &[moves::ROWS];
