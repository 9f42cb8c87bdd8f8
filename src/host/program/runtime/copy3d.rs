//! Three-dimensional copies, whose parameters are in a structure.

use super::array::CudaArray;
use super::array_copy::Bytes;
use super::copy::{CopyCall, Direction, Rows};
use super::memory::{Extent, Pitched};
use crate::device::{CudaError, Result};
use crate::program::call::{Argument, Call, calls, words};

/// The members of `struct cudaMemcpy3DParms` and `struct cudaMemcpy3DPeerParms`.
pub struct Parameters {
    src_array: u64,
    dst_array: u64,
    src_pos: Extent,
    src: Pitched,
    dst_pos: Extent,
    dst: Pitched,
    extent: Extent,
    kind: i32,
    /// For a copy between devices: those that are named for destination and source.
    devices: Option<[i32; 2]>,
}

/// Sizes in bytes: each side has an array handle, a position and a pitched pointer; after both come an extent
/// and a kind.
const SIDE_BYTES: usize = 8 + 24 + 32;
const PARAMETERS_BYTES: usize = 2 * SIDE_BYTES + 24 + 8;
/// Size in bytes with a device number, padded to 8 bytes, after each side.
const PEER_BYTES: usize = 2 * (SIDE_BYTES + 8) + 24;

impl Parameters {
    /// Decodes a `cudaMemcpy3DParms`, or with `peer` a `cudaMemcpy3DPeerParms`.
    fn decode(bytes: &[u8], peer: bool) -> Option<Parameters> {
        let second = if peer { SIDE_BYTES + 8 } else { SIDE_BYTES };
        let side = |at: usize| {
            let [array] = words::<1>(bytes.get(at..at + 8)?)?;
            let position = Extent::decode(bytes.get(at + 8..at + 32)?)?;
            Some((array, position, Pitched::decode(bytes.get(at + 32..at + 64)?)?))
        };
        let (src_array, src_pos, src) = side(0)?;
        let (dst_array, dst_pos, dst) = side(second)?;
        let end = 2 * second;
        let extent = Extent::decode(bytes.get(end..end + 24)?)?;
        let kind = match peer {
            true => Direction::Default as i32,
            false => i32::decode(bytes.get(end + 24..end + 28)?)?,
        };
        let device = |after: usize| i32::decode(bytes.get(after..after + 4)?);
        let devices = match peer {
            true => Some([device(second + SIDE_BYTES)?, device(SIDE_BYTES)?]),
            false => None,
        };
        Some(Parameters { devices, src_array, dst_array, src_pos, src, dst_pos, dst, extent, kind })
    }
}

/// Returns the rows that a position in pitched memory begins: it counts bytes, rows and slices.
fn first_row(side: &Pitched, at: &Extent) -> Result<Rows> {
    let first = || {
        let slice = side.pitch.checked_mul(side.height)?;
        let rows = at.height.checked_mul(side.pitch)?;
        let slices = at.depth.checked_mul(slice)?;
        let address = side.address.checked_add(rows)?.checked_add(slices)?.checked_add(at.width)?;
        Some(Rows { address, pitch: side.pitch, slice })
    };
    first().ok_or(CudaError::InvalidValue.into())
}

impl Call<'_> {
    /// Returns the copy described by a structure in the program's memory.
    ///
    /// # Errors
    ///
    /// CUDA's error, if the structure can't be read, or if its arrays, positions, extent or direction are invalid.
    pub fn copy_3d(&mut self, parameters: u64, peer: bool, stream: Option<u64>) -> Result<CopyCall> {
        let bytes = self.structure(parameters, if peer { PEER_BYTES } else { PARAMETERS_BYTES })?;
        let its = Parameters::decode(&bytes, peer).ok_or(CudaError::InvalidValue)?;
        let arrays = [self.given_array(its.dst_array)?, self.given_array(its.src_array)?];
        // The extent counts elements of an array if there is one, and bytes otherwise.
        let element = |array: &Option<CudaArray>| array.map_or(1, |array| array.image.format.bytes());
        let unit = arrays.iter().map(element).find(|bytes| *bytes > 1).unwrap_or(1);
        let width = its.extent.width.checked_mul(unit).ok_or(CudaError::InvalidValue)?;
        let extents = [width, its.extent.height, its.extent.depth];
        let place = |array: &Option<CudaArray>, side: &Pitched, at: &Extent| match array {
            None => first_row(side, at),
            Some(array) => {
                let x = at.width.checked_mul(array.image.format.bytes()).ok_or(CudaError::InvalidValue)?;
                array.rows(Bytes { at: [x, at.height, at.depth], extents })
            }
        };
        let dst = place(&arrays[0], &its.dst, &its.dst_pos)?;
        let src = place(&arrays[1], &its.src, &its.src_pos)?;
        // The pointers are in a structure, so the source does not name them at the call.
        let arguments = [usize::MAX; 2];
        if let Some([to, from]) = its.devices {
            self.check_devices([(dst.address, to), (src.address, from)], arguments)?;
        }
        Ok(CopyCall::of_box(extents, (dst, src), Direction::numbered(its.kind)?, arguments, stream))
    }

    /// Returns the array of a member that is null if there is none.
    fn given_array(&mut self, handle: u64) -> Result<Option<CudaArray>> {
        if handle == 0 { Ok(None) } else { self.array(handle).map(Some) }
    }
}

calls! {
    /// Copies a box.
    [Purpose(Copies)]
    fn cudaMemcpy3D, cudaMemcpy3DAsync(call, parameters: u64, stream: Option<u64>) {
        let asked = call.copy_3d(parameters, false, stream)?;
        call.copy(asked)
    }

    /// Copies a box between devices.
    [Purpose(Copies)]
    fn cudaMemcpy3DPeer, cudaMemcpy3DPeerAsync(call, parameters: u64, stream: Option<u64>) {
        let asked = call.copy_3d(parameters, true, stream)?;
        call.copy(asked)
    }
}
