//! Copies and memory sets. Addresses determine the kind of memory: device, page-locked and managed memory
//! share one address space.

use super::work::Stream;
use super::{Direct, Result};
use crate::failure::check;
use crate::{Copy, Set};
use cudarc::driver::sys;
use sim::Address;
use std::ffi::c_void;
use std::ptr;

/// One side of a copy of a box, in the driver's terms: where it begins, and how its rows and slices follow each other.
pub(super) struct Side {
    kind: sys::CUmemorytype,
    array: sys::CUarray,
    /// Byte of a row, row and slice of the array.
    at: [usize; 3],
    address: u64,
    host: *mut c_void,
    pitch: usize,
    /// Rows from one slice to the next.
    rows: usize,
}

impl Side {
    /// Memory of CUDA.
    pub fn memory(address: u64, pitch: u64, rows: u64) -> Side {
        Side {
            kind: sys::CUmemorytype::CU_MEMORYTYPE_UNIFIED,
            array: ptr::null_mut(),
            at: [0; 3],
            address,
            host: ptr::null_mut(),
            pitch: size(pitch),
            rows: size(rows),
        }
    }

    pub fn array(array: sys::CUarray, at: [u64; 3]) -> Side {
        let kind = sys::CUmemorytype::CU_MEMORYTYPE_ARRAY;
        Side { kind, array, at: at.map(size), ..Side::memory(0, 0, 0) }
    }

    /// Memory of this process, in which the rows of a box follow each other.
    pub fn host(memory: *mut c_void, [width, height, _]: [u64; 3]) -> Side {
        let kind = sys::CUmemorytype::CU_MEMORYTYPE_HOST;
        Side { kind, host: memory, ..Side::memory(0, width, height) }
    }
}

/// Returns the driver's description of a copy of a box of bytes, rows and slices.
pub(super) fn copy_of_box(dst: Side, src: Side, [width, height, depth]: [u64; 3]) -> sys::CUDA_MEMCPY3D {
    sys::CUDA_MEMCPY3D {
        srcXInBytes: src.at[0],
        srcY: src.at[1],
        srcZ: src.at[2],
        srcLOD: 0,
        srcMemoryType: src.kind,
        srcHost: src.host,
        srcDevice: src.address,
        srcArray: src.array,
        reserved0: ptr::null_mut(),
        srcPitch: src.pitch,
        srcHeight: src.rows,
        dstXInBytes: dst.at[0],
        dstY: dst.at[1],
        dstZ: dst.at[2],
        dstLOD: 0,
        dstMemoryType: dst.kind,
        dstHost: dst.host,
        dstDevice: dst.address,
        dstArray: dst.array,
        reserved1: ptr::null_mut(),
        dstPitch: dst.pitch,
        dstHeight: dst.rows,
        WidthInBytes: size(width),
        Height: size(height),
        Depth: size(depth),
    }
}

pub(super) fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

impl Direct {
    /// Enqueues a copy in a stream: at once if its bytes are contiguous, else slice by slice.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn copy(&mut self, copy: &Copy, stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        let &Copy { dst: Address(dst), src: Address(src), shape, .. } = copy;
        if shape.is_linear() {
            // SAFETY: all bytes lie in allocations that are alive (`Direct::open`).
            let result = unsafe { sys::cuMemcpyAsync(dst, src, size(shape.bytes()), stream.handle) };
            return check(result, "cuMemcpyAsync");
        }
        let unified = sys::CUmemorytype::CU_MEMORYTYPE_UNIFIED;
        (0..shape.depth).try_for_each(|slice| {
            let rows = sys::CUDA_MEMCPY2D {
                srcXInBytes: 0,
                srcY: 0,
                srcMemoryType: unified,
                srcHost: ptr::null(),
                srcDevice: src.wrapping_add(slice.wrapping_mul(shape.src_slice)),
                srcArray: ptr::null_mut(),
                srcPitch: size(shape.src_pitch),
                dstXInBytes: 0,
                dstY: 0,
                dstMemoryType: unified,
                dstHost: ptr::null_mut(),
                dstDevice: dst.wrapping_add(slice.wrapping_mul(shape.dst_slice)),
                dstArray: ptr::null_mut(),
                dstPitch: size(shape.dst_pitch),
                WidthInBytes: size(shape.width),
                Height: size(shape.height),
            };
            // SAFETY: as above.
            check(unsafe { sys::cuMemcpy2DAsync_v2(&rows, stream.handle) }, "cuMemcpy2DAsync")
        })
    }

    /// Copies from memory of this process, which may be reused as soon as this returns.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn copy_in(&mut self, dst: u64, bytes: &[u8], stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        let from = bytes.as_ptr().cast::<c_void>();
        // SAFETY: pageable memory is staged before the call returns (CUDA driver API, "API synchronization
        // behavior"); the destination lies in an allocation that is alive.
        check(
            unsafe { sys::cuMemcpyHtoDAsync_v2(dst, from, bytes.len(), stream.handle) },
            "cuMemcpyHtoDAsync",
        )
    }

    /// Copies to memory of this process, and waits for the copy.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, if the driver refuses, or if earlier work of the stream failed.
    pub fn copy_out(&mut self, src: u64, out: &mut [u8], stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        // SAFETY: there is room for as many bytes, and the stream is waited for before they are used.
        unsafe {
            let to = out.as_mut_ptr().cast::<c_void>();
            check(sys::cuMemcpyDtoHAsync_v2(to, src, out.len(), stream.handle), "cuMemcpyDtoHAsync")?;
            check(sys::cuStreamSynchronize(stream.handle), "cuStreamSynchronize")
        }
    }

    /// Enqueues a memory set in a stream.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn set(&mut self, set: &Set, stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        let &Set { dst: Address(dst), value, element_bytes, .. } = set;
        let (pitch, width, height) = (size(set.pitch), size(set.width), size(set.height));
        // SAFETY: the range lies in an allocation that is alive.
        let result = unsafe {
            match element_bytes {
                1 => sys::cuMemsetD2D8Async(dst, pitch, value as u8, width, height, stream.handle),
                2 => sys::cuMemsetD2D16Async(dst, pitch, value as u16, width, height, stream.handle),
                _ => sys::cuMemsetD2D32Async(dst, pitch, value, width, height, stream.handle),
            }
        };
        check(result, "cuMemsetD2DAsync")
    }

    /// Migrates managed memory to a device, or to the host if `to` is `None`.
    ///
    /// # Errors
    ///
    /// Fails as [`Direct::enter`] does, or if the driver refuses.
    pub fn prefetch(&mut self, address: u64, bytes: u64, to: Option<u32>, stream: Stream) -> Result<()> {
        self.enter(stream.device)?;
        /// `CU_DEVICE_CPU`
        const HOST: i32 = -1;
        let to = to.map_or(HOST, u32::cast_signed);
        // SAFETY: the range lies in an allocation that is alive.
        check(
            unsafe { sys::cuMemPrefetchAsync(address, size(bytes), to, stream.handle) },
            "cuMemPrefetchAsync",
        )
    }
}
