//! Copies and memory sets, as data.

use sim::Address;

/// Rows of bytes in two or three dimensions; a plain copy is a single row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyShape {
    /// Bytes per row.
    pub width: u64,
    /// Rows per slice.
    pub height: u64,
    pub depth: u64,
    /// Distance in bytes from one row to the next (pitch), and from one slice to the next.
    pub dst_pitch: u64,
    pub dst_slice: u64,
    pub src_pitch: u64,
    pub src_slice: u64,
}

impl CopyShape {
    pub fn linear(bytes: u64) -> CopyShape {
        CopyShape {
            width: bytes,
            height: 1,
            depth: 1,
            dst_pitch: bytes,
            dst_slice: bytes,
            src_pitch: bytes,
            src_slice: bytes,
        }
    }

    /// Returns the number of bytes from the destination's first byte to the end of its last.
    pub fn dst_span(&self) -> u64 {
        self.span(self.dst_pitch, self.dst_slice)
    }

    /// Returns the number of bytes from the source's first byte to the end of its last.
    pub fn src_span(&self) -> u64 {
        self.span(self.src_pitch, self.src_slice)
    }

    fn span(&self, pitch: u64, slice: u64) -> u64 {
        let rows = self.height.saturating_sub(1).saturating_mul(pitch);
        let slices = self.depth.saturating_sub(1).saturating_mul(slice);
        slices.saturating_add(rows).saturating_add(self.width)
    }

    /// Returns whether both sides are contiguous bytes.
    pub fn is_linear(&self) -> bool {
        self.is_dense(self.dst_pitch, self.dst_slice) && self.is_dense(self.src_pitch, self.src_slice)
    }

    /// Returns whether all bytes of one side are contiguous.
    fn is_dense(&self, pitch: u64, slice: u64) -> bool {
        (self.height == 1 || pitch == self.width)
            && (self.depth == 1 || slice == self.width.wrapping_mul(self.height))
    }

    /// Returns the number of bytes copied.
    pub fn bytes(&self) -> u64 {
        self.width.saturating_mul(self.height).saturating_mul(self.depth)
    }
}

/// A copy. Pageable host memory, pinned memory and device memory are distinguished by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    pub dst: Address,
    pub src: Address,
    pub shape: CopyShape,
    /// Whether the host waits for the copy whatever the kind of memory (`cudaMemcpy`).
    pub blocking: bool,
}

/// A memory set (`cudaMemset` and its variants): `height` rows of `width` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    pub dst: Address,
    pub value: u32,
    /// Bytes per element: 1, 2 or 4.
    pub element_bytes: u32,
    pub width: u64,
    pub height: u64,
    pub pitch: u64,
}

impl Set {
    /// Returns the bytes per row; `None` on overflow.
    pub fn row_bytes(&self) -> Option<u64> {
        self.width.checked_mul(self.element_bytes.into())
    }

    /// Returns the number of bytes from the first byte set to the last; `None` on overflow.
    pub fn span(&self) -> Option<u64> {
        self.height.saturating_sub(1).checked_mul(self.pitch)?.checked_add(self.row_bytes()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_contiguous_where_rows_and_slices_follow_each_other() {
        let shape = CopyShape {
            width: 4,
            height: 2,
            depth: 2,
            dst_pitch: 8,
            dst_slice: 32,
            src_pitch: 4,
            src_slice: 8,
        };
        assert!(!shape.is_dense(8, 32) && shape.is_dense(4, 8) && !shape.is_linear());
        assert!(CopyShape::linear(7).is_linear());
    }
}
