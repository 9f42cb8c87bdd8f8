//! What functions take and give, as far as a call has to know: machine code calls those alone that take what it
//! passes.

use crate::host::op::{CallSite, Function, HostProgram};
use std::collections::HashMap;
use std::num::NonZeroU64;

/// Bytes that a call of machine code passes each way, at most.
pub const PASSED_BYTES: usize = 256;

/// A number for each shape.
pub type Shape = NonZeroU64;

/// Sizes of arguments, and of results, in bytes.
type Sizes = (Vec<u32>, Vec<u32>);

/// The shapes of a program's functions.
#[derive(Debug, Default)]
pub struct Shapes(HashMap<Sizes, Shape>);

/// Where each of these is passed, from zero: at a multiple of eight; and where they end.
pub fn places(stretches: &[(u32, u32)]) -> (Vec<u32>, u32) {
    let mut end = 0;
    let place = |&(_, bytes): &(u32, u32)| {
        let at = end;
        end += bytes.next_multiple_of(8);
        at
    };
    let at = stretches.iter().map(place).collect();
    (at, end)
}

/// `None` where it is too much to be passed.
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

    /// Of a function that the program defines; `None` where machine code can't call it.
    pub fn of_function(&self, function: &Function) -> Option<Shape> {
        function.start?;
        self.0.get(&sizes(&function.params, &function.returns)?).copied()
    }

    /// `None` where no function takes what is passed here.
    pub fn of_site(&self, site: &CallSite) -> Option<Shape> {
        self.0.get(&sizes(&site.arguments, &site.results)?).copied()
    }
}
