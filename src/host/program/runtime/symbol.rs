//! Variables of the module, looked up by the address under which host code knows them.

use super::allocations::Kind;
use super::copy::Direction;
use crate::device::{CudaError, Result, fail_if};
use crate::program::call::{Call, calls};
use sim::{GlobalVariable, HostBlockKind};

/// A variable on the current device.
pub struct Symbol {
    pub address: u64,
    pub bytes: u64,
}

impl Call<'_> {
    /// Returns the copy on the current device of the variable that a host address stands for.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidSymbol`: it stands for no variable.
    pub fn symbol(&mut self, symbol: u64) -> Result<Symbol> {
        if let Some(found) = self.runtime.allocations.around(symbol)
            && matches!(found.kind, Kind::Variable(_))
            && found.start == symbol
            && found.freed.is_none()
        {
            return Ok(Symbol { address: found.start, bytes: found.bytes });
        }
        let block = self.thread.block(symbol);
        let Some(HostBlockKind::Variable(index)) = block.filter(|b| b.start == symbol).map(|b| b.kind) else {
            return Err(CudaError::InvalidSymbol.into());
        };
        // A name in quotes stands for no variable.
        fail_if(
            self.runtime.module.variables().get(index as usize).is_some_and(GlobalVariable::is_literal),
            CudaError::InvalidSymbol,
        )?;
        let device = self.runtime.current;
        let (address, bytes) = self.gpus.variable(device, index)?;
        if self.runtime.allocations.around(address.0).is_none_or(|known| known.freed.is_some()) {
            self.runtime.place_variable(index, Some(device), address.0, bytes);
        }
        Ok(Symbol { address: address.0, bytes })
    }

    /// Returns the destination and the source of a copy between a part of a variable and other memory.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: the part begins outside the variable. Otherwise as for [`Call::symbol`].
    pub fn sides_of(&mut self, copy: &SymbolCopy) -> Result<(u64, u64)> {
        let found = self.symbol(copy.symbol)?;
        let inside = match copy.offset.checked_add(copy.bytes) {
            // A part that extends past the end is reported, by name, when the copy is checked.
            Some(_) if copy.offset <= found.bytes => found.address + copy.offset,
            _ => return Err(CudaError::InvalidValue.into()),
        };
        Ok(if copy.to_symbol { (inside, copy.other) } else { (copy.other, inside) })
    }

    /// Copies between a part of a variable and other memory; the host waits for that if there is no stream.
    fn copy_symbol(&mut self, copy: SymbolCopy, stream: Option<u64>) -> Result<()> {
        let direction = Direction::numbered(copy.kind)?;
        let (dst, src) = self.sides_of(&copy)?;
        let across = if copy.to_symbol { Direction::HostToDevice } else { Direction::DeviceToHost };
        fail_if(
            direction != across && !matches!(direction, Direction::DeviceToDevice | Direction::Default),
            CudaError::InvalidMemcpyDirection,
        )?;
        self.copy_bytes([dst, src, copy.bytes], direction, [0, 1], stream)
    }
}

/// A copy to or from a part of a variable; `other` is the address on the other side, `kind` a `cudaMemcpyKind`.
pub struct SymbolCopy {
    pub symbol: u64,
    pub other: u64,
    pub bytes: u64,
    pub offset: u64,
    pub kind: i32,
    pub to_symbol: bool,
}

calls! {
    /// Copies to a variable of the current device.
    [Purpose(Copies)]
    fn cudaMemcpyToSymbol, cudaMemcpyToSymbolAsync(
        call, symbol: u64, src: u64, bytes: u64, offset: u64, kind: i32, stream: Option<u64>
    ) {
        call.copy_symbol(SymbolCopy { symbol, other: src, bytes, offset, kind, to_symbol: true }, stream)
    }

    /// Copies from a variable of the current device.
    [Purpose(Copies)]
    fn cudaMemcpyFromSymbol, cudaMemcpyFromSymbolAsync(
        call, dst: u64, symbol: u64, bytes: u64, offset: u64, kind: i32, stream: Option<u64>
    ) {
        call.copy_symbol(SymbolCopy { symbol, other: dst, bytes, offset, kind, to_symbol: false }, stream)
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
