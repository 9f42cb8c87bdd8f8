//! Classes of instructions.

/// Instruction classes, as `inspect` and the time model group them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
#[rustfmt::skip]
pub enum Class {
    IntAdd, IntMul, Logic, Float16, Float16Pair, Float32, Float64, Special, Convert, Compare, Move,
    LoadGlobal, StoreGlobal, LoadShared, StoreShared, LoadLocal, StoreLocal, LoadConst,
    Atomic, Barrier, Warp, Branch, Matrix, Async, #[default] Other,
}

impl Class {
    pub const COUNT: usize = Class::Other as usize + 1;

    /// The name of each class in words, in the order of their numbers.
    const NAMES: [(Class, &str); Class::COUNT] = [
        (Class::IntAdd, "integer add"),
        (Class::IntMul, "integer multiply"),
        (Class::Logic, "logic and shift"),
        (Class::Float16, "half precision"),
        (Class::Float16Pair, "half precision, in pairs"),
        (Class::Float32, "single precision"),
        (Class::Float64, "double precision"),
        (Class::Special, "special function"),
        (Class::Convert, "conversion"),
        (Class::Compare, "comparison"),
        (Class::Move, "move"),
        (Class::LoadGlobal, "global load"),
        (Class::StoreGlobal, "global store"),
        (Class::LoadShared, "shared load"),
        (Class::StoreShared, "shared store"),
        (Class::LoadLocal, "local load"),
        (Class::StoreLocal, "local store"),
        (Class::LoadConst, "constant load"),
        (Class::Atomic, "atomic"),
        (Class::Barrier, "barrier"),
        (Class::Warp, "warp operation"),
        (Class::Branch, "branch"),
        (Class::Matrix, "matrix"),
        (Class::Async, "asynchronous copy"),
        (Class::Other, "other"),
    ];

    /// Returns all classes, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Class> {
        Class::NAMES.iter().map(|(class, _)| *class)
    }

    /// Returns the name of the class in words.
    pub fn name(self) -> &'static str {
        Class::NAMES[self as usize].1
    }
}
