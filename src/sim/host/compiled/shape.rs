//! Shapes: the sizes of what functions take and return. Machine code calls only functions that take what it
//! passes.

use crate::host::op::{CallSite, Function, HostProgram};
use std::collections::HashMap;
use std::num::NonZeroU64;

/// The most bytes that a call between machine code passes in each direction.
pub const PASSED_BYTES: usize = 256;

/// The number of a shape.
pub type Shape = NonZeroU64;

/// The sizes of arguments and of results, in bytes.
type Sizes = (Vec<u32>, Vec<u32>);

/// The shapes of a program's functions, numbered.
#[derive(Debug, Default)]
pub struct Shapes(HashMap<Sizes, Shape>);

/// Returns the offset at which each of these ranges is passed, a multiple of eight, and where the last one
/// ends.
pub fn passed_offsets(stretches: &[(u32, u32)]) -> (Vec<u32>, u32) {
    let mut end = 0;
    let place = |&(_, bytes): &(u32, u32)| {
        let at = end;
        end += bytes.next_multiple_of(8);
        at
    };
    let at = stretches.iter().map(place).collect();
    (at, end)
}

/// Returns the sizes; `None` if they are too large to be passed.
fn sizes(arguments: &[(u32, u32)], results: &[(u32, u32)]) -> Option<Sizes> {
    let fits = |stretches: &[(u32, u32)]| {
        let bytes: u64 = stretches.iter().map(|&(_, bytes)| u64::from(bytes) + 8).sum();
        bytes <= PASSED_BYTES as u64
    };
    let of = |stretches: &[(u32, u32)]| stretches.iter().map(|&(_, bytes)| bytes).collect();
    (fits(arguments) && fits(results)).then(|| (of(arguments), of(results)))
}

impl Shapes {
    pub fn new(program: &HostProgram) -> Shapes {
        let mut shapes = HashMap::new();
        for function in program.functions.iter().filter(|function| function.start.is_some()) {
            if let (Some(sizes), Some(next)) =
                (sizes(&function.params, &function.returns), NonZeroU64::new(shapes.len() as u64 + 1))
            {
                shapes.entry(sizes).or_insert(next);
            }
        }
        Shapes(shapes)
    }

    /// Returns the shape of a function that the program defines; `None` if machine code can't call it.
    pub fn of_function(&self, function: &Function) -> Option<Shape> {
        function.start?;
        self.0.get(&sizes(&function.params, &function.returns)?).copied()
    }

    /// Returns the shape that a call requires; `None` if no function takes what is passed.
    pub fn of_site(&self, site: &CallSite) -> Option<Shape> {
        self.0.get(&sizes(&site.arguments, &site.results)?).copied()
    }
}
