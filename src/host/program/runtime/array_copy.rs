//! Copies from and to CUDA arrays.

use super::array::CudaArray;
use super::copy::{CopyCall, Direction, Rows};
use crate::device::{CudaError, Result, fail_if};
use crate::program::call::{Call, calls};

/// A box of bytes: byte of the row, row and slice at which it begins, and how many there are of each.
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    pub at: [u64; 3],
    pub extents: [u64; 3],
}

impl CudaArray {
    /// Returns the rows of a box.
    ///
    /// # Errors
    ///
    /// `cudaErrorInvalidValue`: it is not within the array.
    pub fn rows(&self, of: Bytes) -> Result<Rows> {
        let [width, height, depth] = self.image.extents;
        let limits = [width * self.image.format.bytes(), height, depth];
        let fits = |n: usize| of.at[n].checked_add(of.extents[n]).is_some_and(|end| end <= limits[n]);
        fail_if(!(0..3).all(fits), CudaError::InvalidValue)?;
        let [x, y, z] = of.at;
        let (pitch, slice) = (self.image.pitch, self.image.pitch * height);
        Ok(Rows { address: self.image.address + z * slice + y * pitch + x, pitch, slice })
    }
}

/// Splits bytes that continue from row to row into boxes, each with the number of bytes before it.
fn pieces(row_bytes: u64, [x, y]: [u64; 2], bytes: u64) -> Vec<(u64, Bytes)> {
    let first = if x == 0 { 0 } else { bytes.min(row_bytes.saturating_sub(x)) };
    let whole = (bytes - first) / row_bytes.max(1);
    let last = bytes - first - whole * row_bytes;
    let second = y + u64::from(x != 0);
    let all = [
        (0, [x, y, 0], [first, 1, 1]),
        (first, [0, second, 0], [row_bytes, whole, 1]),
        (bytes - last, [0, second + whole, 0], [last, 1, 1]),
    ];
    let is_there = |(_, _, [width, height, _]): &(u64, [u64; 3], [u64; 3])| width * height > 0;
    all.into_iter().filter(is_there).map(|(before, at, extents)| (before, Bytes { at, extents })).collect()
}

impl Call<'_> {
    /// Copies rows between an array, from a place in it on, and other memory.
    fn copy_array(
        &mut self,
        to_array: bool,
        (array, [x, y]): (u64, [u64; 2]),
        (other, pitch): (u64, u64),
        [width, height]: [u64; 2],
        kind: i32,
        stream: Option<u64>,
    ) -> Result<()> {
        let (direction, extents) = (Direction::numbered(kind)?, [width, height, 1]);
        let inside = self.array(array)?.rows(Bytes { at: [x, y, 0], extents })?;
        let other = Rows { address: other, pitch, slice: pitch.saturating_mul(height) };
        // The other memory is the fourth argument if it is the source, and the first if it is the destination.
        let (sides, arguments) = if to_array { ((inside, other), [0, 3]) } else { ((other, inside), [0, 2]) };
        self.copy(CopyCall::of_box(extents, sides, direction, arguments, stream))
    }

    /// Copies bytes that continue from row to row of the array.
    fn copy_array_bytes(
        &mut self,
        to_array: bool,
        (array, at): (u64, [u64; 2]),
        other: u64,
        bytes: u64,
        kind: i32,
        stream: Option<u64>,
    ) -> Result<()> {
        let image = self.array(array)?.image;
        let row_bytes = image.extents[0] * image.format.bytes();
        fail_if(at[0] >= row_bytes, CudaError::InvalidValue)?;
        for (before, Bytes { at: [x, y, _], extents: [width, height, _] }) in pieces(row_bytes, at, bytes) {
            let other = other.checked_add(before).ok_or(CudaError::InvalidValue)?;
            self.copy_array(to_array, (array, [x, y]), (other, width), [width, height], kind, stream)?;
        }
        Ok(())
    }
}

calls! {
    /// Copies rows to an array.
    [Purpose(Copies)]
    fn cudaMemcpy2DToArray, cudaMemcpy2DToArrayAsync(
        call, array: u64, x: u64, y: u64, src: u64, pitch: u64, width: u64, height: u64, kind: i32, stream: Option<u64>
    ) {
        call.copy_array(true, (array, [x, y]), (src, pitch), [width, height], kind, stream)
    }

    /// Copies rows from an array.
    [Purpose(Copies)]
    fn cudaMemcpy2DFromArray, cudaMemcpy2DFromArrayAsync(
        call, dst: u64, pitch: u64, array: u64, x: u64, y: u64, width: u64, height: u64, kind: i32, stream: Option<u64>
    ) {
        call.copy_array(false, (array, [x, y]), (dst, pitch), [width, height], kind, stream)
    }

    /// Copies rows between arrays and waits for completion.
    [Purpose(Copies)]
    fn cudaMemcpy2DArrayToArray(
        call, dst: u64, dst_x: u64, dst_y: u64, src: u64, src_x: u64, src_y: u64, width: u64, height: u64, kind: i32
    ) {
        let (direction, extents) = (Direction::numbered(kind)?, [width, height, 1]);
        let dst = call.array(dst)?.rows(Bytes { at: [dst_x, dst_y, 0], extents })?;
        let src = call.array(src)?.rows(Bytes { at: [src_x, src_y, 0], extents })?;
        call.copy(CopyCall::of_box(extents, (dst, src), direction, [0, 3], None))
    }

    /// Copies bytes to an array, which continue from row to row (deprecated).
    [Purpose(Copies)]
    fn cudaMemcpyToArray, cudaMemcpyToArrayAsync(
        call, array: u64, x: u64, y: u64, src: u64, bytes: u64, kind: i32, stream: Option<u64>
    ) {
        call.copy_array_bytes(true, (array, [x, y]), src, bytes, kind, stream)
    }

    /// Copies bytes from an array, which continue from row to row (deprecated).
    [Purpose(Copies)]
    fn cudaMemcpyFromArray, cudaMemcpyFromArrayAsync(
        call, dst: u64, array: u64, x: u64, y: u64, bytes: u64, kind: i32, stream: Option<u64>
    ) {
        call.copy_array_bytes(false, (array, [x, y]), dst, bytes, kind, stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_continue_in_the_next_row() {
        let split = |at, bytes| -> Vec<(u64, [u64; 2], [u64; 2])> {
            let all = pieces(16, at, bytes).into_iter();
            all.map(|(before, of)| (before, [of.at[0], of.at[1]], [of.extents[0], of.extents[1]])).collect()
        };
        assert_eq!(split([0, 0], 48), [(0, [0, 0], [16, 3])]);
        assert_eq!(split([0, 1], 20), [(0, [0, 1], [16, 1]), (16, [0, 2], [4, 1])]);
        assert_eq!(split([12, 0], 24), [(0, [12, 0], [4, 1]), (4, [0, 1], [16, 1]), (20, [0, 2], [4, 1])]);
        assert_eq!(split([4, 2], 8), [(0, [4, 2], [8, 1])]);
        assert_eq!(split([0, 0], 0), []);
    }
}
