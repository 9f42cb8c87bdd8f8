//! What numerical libraries compute, on the memory of a simulated machine.
//!
//! Products go to the `matrixmultiply` crate; halves to `half`. Sums are made in another order than
//! a GPU's library makes them, so floats agree within rounding, not bit for bit.

mod blas;
mod collective;
mod convolution;
mod element;
mod operand;

pub use collective::complete;

use super::library::Element;
use super::work::Library;
use crate::sim::{Address, Machine};

/// Bytes that a call reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub at: Address,
    pub bytes: u64,
    pub write: bool,
}

/// What a call costs a GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Multiplications and additions.
    pub operations: u64,
    /// Type they are done in.
    pub element: Element,
    /// By the matrix units.
    pub tensor_cores: bool,
    /// Each operand read or written once.
    pub bytes: u64,
}

/// Why a call could not be done as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The span runs out of its buffer, or there is none.
    Outside(Span),
    /// Read, and never written before; the first such byte.
    NeverWritten(Address),
}

/// What a call reads and writes; neighbouring spans are joined. A collective's are those of this
/// rank.
pub fn spans(call: &Library) -> Vec<Span> {
    operand::joined(match call {
        Library::Blas(call) => blas::spans(call),
        Library::Convolution(call) => convolution::spans(call),
        Library::Collective(call) => collective::spans(call),
    })
}

/// What a call costs.
pub fn effort(call: &Library) -> Effort {
    let bytes = spans(call).iter().fold(0u64, |sum, span| sum.saturating_add(span.bytes));
    let (operations, element, tensor_cores) = match call {
        Library::Blas(call) => blas::operations(call),
        Library::Convolution(call) => convolution::operations(call),
        Library::Collective(call) => (call.count, call.element, false),
    };
    Effort { operations, element, tensor_cores, bytes }
}

/// Whether everything a call touches is there, and everything it reads was written.
pub fn check(machine: &Machine, call: &Library) -> Result<(), Fault> {
    for span in spans(call) {
        let info = machine.find(span.at).filter(|info| !info.freed);
        let room = info.map_or(0, |info| (info.base.0 + info.bytes).saturating_sub(span.at.0));
        if room < span.bytes {
            return Err(Fault::Outside(span));
        }
        if !span.write {
            let written = machine.written(span.at, span.bytes);
            if !written.is_full(span.bytes) {
                let first = (0..span.bytes).find(|&byte| !written.contains(byte, 1)).unwrap_or(0);
                return Err(Fault::NeverWritten(Address(span.at.0 + first)));
            }
        }
    }
    Ok(())
}

/// Does one call. Collectives are done together, by [`complete`].
pub fn run(machine: &mut Machine, call: &Library) {
    match call {
        Library::Blas(call) => blas::run(machine, call),
        Library::Convolution(call) => convolution::run(machine, call),
        Library::Collective(call) => complete(machine, std::slice::from_ref(call)),
    }
}

/// Shorthands for the tests of this folder.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Gpu, Owner};

    pub fn machine() -> Machine {
        Machine::new(&[Gpu::new(8, 0)])
    }

    pub fn put(machine: &mut Machine, values: &[f32]) -> Address {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let at = machine.allocate(Owner::Device(0), "x", bytes.len() as u64).unwrap();
        machine.write(at, &bytes);
        at
    }

    pub fn take(machine: &Machine, at: Address, count: usize) -> Vec<f32> {
        let mut bytes = vec![0; count * 4];
        machine.read(at, &mut bytes);
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }
}
