//! Variables of the module, looked up by the address under which host code knows them.

use super::allocations::{Allocation, Kind};
use super::copy::{CopyCall, Direction};
use crate::device::{CopyShape, CudaError, Failure, Site};
use crate::program::call::{Call, calls};
use crate::program::thread::PageableKind;

/// A variable on the current device.
pub struct Symbol {
    pub address: u64,
    pub bytes: u64,
}

impl Call<'_> {
    /// Returns the copy on the current device of the variable that a host address stands for.
    pub fn symbol(&mut self, symbol: u64) -> Result<Symbol, Failure> {
        if let Some(found) = self.runtime.allocations.around(symbol)
            && matches!(found.kind, Kind::Variable(_))
            && found.start == symbol
            && found.freed.is_none()
        {
            return Ok(Symbol { address: found.start, bytes: found.bytes });
        }
        let block = self.thread.block(symbol);
        let Some(PageableKind::Variable(index)) = block.filter(|b| b.start == symbol).map(|b| b.kind) else {
            return Err(CudaError::InvalidSymbol.into());
        };
        let device = self.runtime.current;
        let (address, bytes) = self.gpus.variable(device, index)?;
        if self.runtime.allocations.around(address.0).is_none_or(|known| known.freed.is_some()) {
            let name = self.runtime.variable_name(index);
            let (kind, made) = (Kind::Variable(Some(device)), Site::default());
            let start = address.0;
            self.runtime.allocations.insert(Allocation {
                start,
                bytes,
                kind,
                name,
                made,
                freed: None,
                context: None,
            });
        }
        Ok(Symbol { address: address.0, bytes })
    }

    /// Returns the device address of the part of a variable that begins at `offset` and has `bytes` bytes.
    pub fn part_of_symbol(&mut self, symbol: u64, offset: u64, bytes: u64) -> Result<u64, Failure> {
        let found = self.symbol(symbol)?;
        match offset.checked_add(bytes) {
            // A part that extends past the end is reported, by name, when the copy is checked.
            Some(_) if offset <= found.bytes => Ok(found.address + offset),
            _ => Err(CudaError::InvalidValue.into()),
        }
    }

    /// Copies between a part of a variable and other memory.
    fn copy_symbol(
        &mut self,
        part: SymbolPart,
        other: u64,
        side: Side,
        how: CopyMode,
    ) -> Result<(), Failure> {
        let direction = Direction::numbered(how.kind)?;
        let its = self.part_of_symbol(part.symbol, part.offset, part.bytes)?;
        let (dst, src, across) = match side {
            Side::Destination => (its, other, Direction::HostToDevice),
            Side::Source => (other, its, Direction::DeviceToHost),
        };
        if direction != across && !matches!(direction, Direction::DeviceToDevice | Direction::Default) {
            return Err(CudaError::InvalidMemcpyDirection.into());
        }
        let shape = CopyShape::linear(part.bytes);
        let CopyMode { stream, blocking, .. } = how;
        self.copy(CopyCall { dst, src, shape, direction, arguments: [0, 1], stream, blocking })
    }
}

/// A range of bytes of a variable.
struct SymbolPart {
    symbol: u64,
    offset: u64,
    bytes: u64,
}

/// The role of the variable in a copy.
enum Side {
    Destination,
    Source,
}

/// A copy's `cudaMemcpyKind`, its stream, and whether the host waits for it.
struct CopyMode {
    kind: i32,
    stream: u64,
    blocking: bool,
}

calls! {
    /// Copies to a variable of the current device and waits for completion.
    fn cudaMemcpyToSymbol(call, symbol: u64, src: u64, bytes: u64, offset: u64, kind: i32) {
        let how = CopyMode { kind, stream: 0, blocking: true };
        call.copy_symbol(SymbolPart { symbol, offset, bytes }, src, Side::Destination, how)
    }

    /// Copies to a variable in stream order.
    fn cudaMemcpyToSymbolAsync(call, symbol: u64, src: u64, bytes: u64, offset: u64, kind: i32, stream: u64) {
        let how = CopyMode { kind, stream, blocking: false };
        call.copy_symbol(SymbolPart { symbol, offset, bytes }, src, Side::Destination, how)
    }

    /// Copies from a variable of the current device and waits for completion.
    fn cudaMemcpyFromSymbol(call, dst: u64, symbol: u64, bytes: u64, offset: u64, kind: i32) {
        let how = CopyMode { kind, stream: 0, blocking: true };
        call.copy_symbol(SymbolPart { symbol, offset, bytes }, dst, Side::Source, how)
    }

    /// Copies from a variable in stream order.
    fn cudaMemcpyFromSymbolAsync(call, dst: u64, symbol: u64, bytes: u64, offset: u64, kind: i32, stream: u64) {
        let how = CopyMode { kind, stream, blocking: false };
        call.copy_symbol(SymbolPart { symbol, offset, bytes }, dst, Side::Source, how)
    }

    /// Returns the address of a variable on the current device.
    fn cudaGetSymbolAddress(call, pointer: u64, symbol: u64) {
        let found = call.symbol(symbol)?;
        call.put(pointer, found.address)
    }

    /// Returns the size of a variable in bytes.
    fn cudaGetSymbolSize(call, size: u64, symbol: u64) {
        let found = call.symbol(symbol)?;
        call.put(size, found.bytes)
    }
}
