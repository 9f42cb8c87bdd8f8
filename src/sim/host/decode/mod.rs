//! Decoding of lowered instructions into operations on frames.
//!
//! - `frame`: where in a function's frame its registers and constants lie.
//! - `function`: one function's instructions, some of them fused into one operation.
//! - `locals`: variables moved apart.
//! - `memory`: loads, stores and atomics.
//! - `sweep`: loops that do nothing but fill or copy memory.

mod frame;
mod function;
mod locals;
mod memory;
mod sweep;

use super::op::{Function, HostProgram};
use crate::code::DecodedModule;

/// Decodes every function that is not a kernel. `wide`: whether the processor has the extensions that
/// [`ScalarHandler::wide`](crate::scalar::ScalarHandler) needs.
pub fn decode(code: &DecodedModule, wide: bool) -> HostProgram {
    let mut program = HostProgram { unsupported: code.details.unsupported.clone(), ..HostProgram::default() };
    let fixed = frame::fixed_values(code);
    for (number, range) in code.function_ranges().into_iter().enumerate() {
        let kernel = code.kernels.iter().any(|k| k.function as usize == number);
        let decoded = match range {
            Some(range) if !kernel => function::decode(code, &mut program, &fixed, number, range, wide),
            _ => Function { kernel, ..Function::default() },
        };
        program.functions.push(decoded);
    }
    program
}
