//! Types by their names in PTX.

use cranelift_codegen::ir::Type;
use cranelift_codegen::ir::types::{F32, F64, I8, I16, I32, I64};

/// Returns whether a row treats its result, and its operands, as floats (above zero), as integers (below zero), or
/// as either (zero).
pub fn float_votes(name: &str) -> (i32, i32) {
    let parts: Vec<&str> = name.split('.').collect();
    let vote = |name: &str| match (float(name), integer(name)) {
        (Some(_), _) => 1,
        (None, Some(_)) => -1,
        (None, None) => 0,
    };
    match parts[..] {
        ["setp", _, kind] => (0, vote(kind)),
        ["cvt", to, from] | ["cvt", _, to, from] => (vote(to), vote(from)),
        ["selp" | "mov", _] => (0, 0),
        [_, kind] | ["mul" | "mad", _, kind] => (vote(kind), vote(kind)),
        _ => (0, 0),
    }
}

/// Parses the name of a PTX integer type. Returns the type and whether it is signed.
pub fn integer(name: &str) -> Option<(Type, bool)> {
    let (letter, bits) = name.split_at_checked(1)?;
    let kind = match bits {
        "8" => I8,
        "16" => I16,
        "32" => I32,
        "64" => I64,
        _ => return None,
    };
    matches!(letter, "b" | "u" | "s").then_some((kind, letter == "s"))
}

/// Parses the name of a PTX floating-point type.
pub fn float(name: &str) -> Option<Type> {
    match name {
        "f32" => Some(F32),
        "f64" => Some(F64),
        _ => None,
    }
}
