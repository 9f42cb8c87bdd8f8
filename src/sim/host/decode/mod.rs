//! From lowered instructions to operations on frames.
//!
//! - `frame`: where in a function's frame its registers and constants lie.
//! - `function`: one function's instructions, some joined to one operation.

mod frame;
mod function;
mod memory;

use super::op::{Function, Program};
use crate::sim::code::Code;

/// Decodes every function that is no kernel. `wide`: the processor has what
/// [`ScalarHandler::wide`](crate::sim::scalar::ScalarHandler) needs.
pub fn decode(code: &Code, wide: bool) -> Program {
    let mut program = Program { unsupported: code.unsupported.clone(), ..Program::default() };
    let mut starts: Vec<u32> = code.functions.iter().filter_map(|f| f.start).collect();
    starts.sort_unstable();
    let fixed = frame::fixed_values(code);
    for (number, function) in code.functions.iter().enumerate() {
        let kernel = code.kernels.iter().any(|k| k.function as usize == number);
        let decoded = match function.start {
            Some(start) if !kernel => {
                let next = starts.partition_point(|&s| s <= start);
                let end = starts.get(next).copied().unwrap_or(code.insts.len() as u32);
                function::decode(code, &mut program, &fixed, number, start..end, wide)
            }
            _ => Function { kernel, ..Function::default() },
        };
        program.functions.push(decoded);
    }
    program
}
