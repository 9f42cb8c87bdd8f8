//! Memsets: checks of the memory, then work for a stream.

use super::copy::Side;
use super::memory::{Extent, Pitched};
use crate::device::{CudaError, Result, Set, WaitTarget, Work, fail_if};
use crate::program::call::{Call, calls};
use sim::Address;

impl Call<'_> {
    /// Checks the memory of a memset; `None` if there is nothing to set. `argument` is the number of the
    /// argument that holds the pointer.
    ///
    /// # Errors
    ///
    /// CUDA's error for a null pointer, and for a pitch or a size that is too small or too large; with a finding, for
    /// memory that the GPU may not access.
    pub fn checked_set(&mut self, set: Set, argument: usize) -> Result<Option<Set>> {
        if set.width == 0 || set.height == 0 {
            return Ok(None);
        }
        let (Some(row), Some(span)) = (set.row_bytes(), set.span()) else {
            return Err(CudaError::InvalidValue.into());
        };
        fail_if(set.height > 1 && row > set.pitch, CudaError::InvalidPitchValue)?;
        let address = set.dst.0;
        fail_if(address == 0, CudaError::InvalidValue)?;
        self.refuse_host_memory(address, argument)?;
        self.check_extent(&Side { address, span, writes: true, argument, on_device: Some(true) })?;
        Ok(Some(set))
    }

    /// Checks a memset and submits it to its stream.
    pub(super) fn set(&mut self, set: Set, stream: u64) -> Result<()> {
        match self.checked_set(set, 0)? {
            Some(set) => self.submit(stream, Work::Set(set)),
            None => Ok(()),
        }
    }

    /// Waits for a memset in the default stream if the host can access the memory, which is pinned or
    /// managed. For other memory the host does not wait (CUDA Runtime API, "API synchronization behavior").
    pub(super) fn finish_set(&mut self, dst: u64) -> Result<()> {
        if self.is_on_device(dst).is_some() {
            return Ok(());
        }
        let id = self.stream(0)?;
        self.ask(|gpus, site, host| gpus.wait(WaitTarget::Stream(id), site, host))
    }

    /// Sets the bytes of rows that begin `pitch` bytes apart.
    fn set_rows(
        &mut self,
        (dst, pitch): (u64, u64),
        value: i32,
        [width, height]: [u64; 2],
        stream: u64,
    ) -> Result<()> {
        let value = u32::from(value as u8);
        self.set(Set { dst: Address(dst), value, element_bytes: 1, width, height, pitch }, stream)
    }

    fn set_slices(&mut self, to: Pitched, value: i32, extent: Extent, stream: u64) -> Result<()> {
        if extent.width == 0 || extent.height == 0 || extent.depth == 0 {
            return Ok(());
        }
        let refused = CudaError::InvalidValue;
        if extent.depth > 1 && extent.height > to.height {
            return Err(refused.into());
        }
        if extent.height == to.height || extent.depth == 1 {
            let rows = extent.height.checked_mul(extent.depth).ok_or(refused)?;
            return self.set_rows((to.address, to.pitch), value, [extent.width, rows], stream);
        }
        // Checks the whole range first: if the memory is too short, nothing is set.
        let slice = to.pitch.checked_mul(to.height).ok_or(refused)?;
        let last = (extent.depth - 1).checked_mul(slice).ok_or(refused)?;
        let rows = extent.height.saturating_sub(1).checked_mul(to.pitch).ok_or(refused)?;
        let span = last.checked_add(rows).and_then(|bytes| bytes.checked_add(extent.width)).ok_or(refused)?;
        let whole =
            Set { dst: Address(to.address), value: 0, element_bytes: 1, width: span, height: 1, pitch: span };
        self.checked_set(whole, 0)?;
        for n in 0..extent.depth {
            let at = to.address + n * slice;
            self.set_rows((at, to.pitch), value, [extent.width, extent.height], stream)?;
        }
        Ok(())
    }
}

calls! {
    /// Sets bytes of device memory.
    [Purpose(Sets)]
    fn cudaMemset(call, dst: u64, value: i32, bytes: u64) {
        call.set_rows((dst, bytes), value, [bytes, 1], 0)?;
        call.finish_set(dst)
    }

    /// Sets bytes in stream order.
    [Purpose(Sets)]
    fn cudaMemsetAsync(call, dst: u64, value: i32, bytes: u64, stream: u64) {
        call.set_rows((dst, bytes), value, [bytes, 1], stream)
    }

    /// Sets the bytes of rows.
    [Purpose(Sets)]
    fn cudaMemset2D(call, dst: u64, pitch: u64, value: i32, width: u64, height: u64) {
        call.set_rows((dst, pitch), value, [width, height], 0)?;
        call.finish_set(dst)
    }

    /// Sets the bytes of rows in stream order.
    [Purpose(Sets)]
    fn cudaMemset2DAsync(call, dst: u64, pitch: u64, value: i32, width: u64, height: u64, stream: u64) {
        call.set_rows((dst, pitch), value, [width, height], stream)
    }

    /// Sets the bytes of slices of rows.
    [Purpose(Sets)]
    fn cudaMemset3D(call, to: Pitched, value: i32, extent: Extent) {
        let dst = to.address;
        call.set_slices(to, value, extent, 0)?;
        call.finish_set(dst)
    }

    /// Sets the bytes of slices of rows in stream order.
    [Purpose(Sets)]
    fn cudaMemset3DAsync(call, to: Pitched, value: i32, extent: Extent, stream: u64) {
        call.set_slices(to, value, extent, stream)
    }
}
