//! The rows of the instruction table, by family.

mod bits;
mod carry;
mod compare;
mod compare_half;
mod convert;
mod convert_half;
mod double;
mod half;
mod host_math;
mod integer;
mod logic;
mod mbarrier;
mod moves;
mod packed;
mod select;
mod single;
mod special;

/// The type under which a row's floating-point operations are counted.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flop {
    f16,
    bf16,
    tf32,
    f32,
    f64,
    int8,
}

pub static ALL: &[&[&[super::Row]]] = &[
    moves::TABLES,
    integer::TABLES,
    carry::TABLES,
    logic::TABLES,
    bits::TABLES,
    single::TABLES,
    double::TABLES,
    compare::TABLES,
    select::TABLES,
    convert::TABLES,
    mbarrier::TABLES,
    half::TABLES,
    compare_half::TABLES,
    convert_half::TABLES,
    special::TABLES,
    packed::TABLES,
    host_math::TABLES,
];
