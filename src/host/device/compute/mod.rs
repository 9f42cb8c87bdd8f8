//! Computes the results of numerical library calls on the memory of a simulated machine.
//!
//! Matrix products use the `matrixmultiply` crate, Fourier transforms `rustfft`, and half-precision numbers
//! `half`. Sums are evaluated in a different order from a GPU's library, so floats agree to within rounding,
//! not bit for bit.

mod blas;
mod collective;
mod convolution;
mod element;
mod fft;
mod operand;
mod span;
mod structured;

pub use collective::{complete, overlaps};
pub use span::Span;

use super::ElementType;
use super::work::Library;
use sim::{Address, Machine};

/// The work of a call, from which its duration on a GPU is modelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Multiplications and additions.
    pub operations: u64,
    /// Type in which they are computed.
    pub element: ElementType,
    /// Whether the matrix units (tensor cores) compute them.
    pub tensor_cores: bool,
    /// Bytes transferred if each operand is read or written once.
    pub bytes: u64,
}

/// The reason why a call could not be performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The `bytes` bytes from `at` on extend past their buffer, or there is no buffer at `at`.
    Outside { at: Address, bytes: u64, write: bool },
    /// A byte is read that was never written; the address is that of the first such byte.
    NeverWritten(Address),
}

/// Returns the memory that a call reads and writes, with adjacent spans joined. For a collective: that of
/// this rank.
pub fn spans(call: &Library, machine: &Machine) -> Vec<Span> {
    span::joined(match call {
        Library::Blas(call) => blas::spans(call, machine),
        Library::Convolution(call) => convolution::spans(call),
        Library::Collective(call) => collective::spans(call),
        Library::Fourier(call) => fft::spans(call),
    })
}

/// Returns the memory that a call reads and leaves without defined values, as spans that it writes.
pub fn used_up(call: &Library) -> Vec<Span> {
    match call {
        Library::Fourier(call) => span::joined(fft::used_up(call)),
        _ => Vec::new(),
    }
}

/// Returns the work of a call that accesses these spans.
pub fn effort(call: &Library, spans: &[Span]) -> Effort {
    let bytes = spans.iter().fold(0u64, |sum, span| sum.saturating_add(span.total()));
    let (operations, element, tensor_cores) = match call {
        Library::Blas(call) => blas::operations(call),
        Library::Convolution(call) => convolution::operations(call),
        Library::Collective(call) => (call.count, call.element, false),
        Library::Fourier(call) => fft::operations(call),
    };
    Effort { operations, element, tensor_cores, bytes }
}

/// Checks that all accessed memory is allocated, and that all memory read has been written.
///
/// # Errors
///
/// The first of the accesses that is outside, or that reads what was never written.
pub fn check(machine: &Machine, spans: &[Span]) -> Result<(), Fault> {
    // Checked first, so that an absurd size is rejected before its bytes are iterated over.
    for &span in spans {
        let bytes = span.cover().unwrap_or(u64::MAX);
        let info = machine.find(span.at).filter(|info| !info.freed);
        let room = info.map_or(0, |info| (info.base.0 + info.bytes).saturating_sub(span.at.0));
        if room < bytes {
            return Err(Fault::Outside { at: span.at, bytes, write: span.write });
        }
    }
    for span in spans.iter().filter(|span| !span.write) {
        let bytes = span.cover().unwrap_or(u64::MAX);
        let written = machine.written(span.at, bytes);
        if written.is_full(bytes) {
            continue;
        }
        for offset in span.offsets() {
            if !written.contains(offset, span.bytes) {
                let first = (offset..offset + span.bytes).find(|&byte| !written.contains(byte, 1));
                return Err(Fault::NeverWritten(Address(span.at.0 + first.unwrap_or(offset))));
            }
        }
    }
    Ok(())
}

/// Performs one call. The parts of a collective are performed together, by [`complete`].
pub fn run(machine: &mut Machine, call: &Library) {
    match call {
        Library::Blas(call) => blas::run(machine, call),
        Library::Convolution(call) => convolution::run(machine, call),
        Library::Fourier(call) => fft::run(machine, call),
        Library::Collective(call) => complete(machine, std::slice::from_ref(call)),
    }
}

/// Helpers for the tests of this module.
#[cfg(test)]
mod tests {
    use super::*;
    use sim::{Gpu, Owner};

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
