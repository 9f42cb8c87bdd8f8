//! `ldmatrix`, `stmatrix` and `movmatrix`: 8×8 matrices of 16-bit elements, 16 bytes per row.

use super::LANES;

/// `ldmatrix` or `stmatrix` with `.m8n8` and `.b16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowMove {
    /// The number of 8×8 matrices moved, one register each: 1, 2 or 4.
    pub matrices: usize,
    /// `.trans`: registers hold the transpose of what is in memory.
    pub transposed: bool,
}

/// Transposes the 8×8 matrix of 16-bit elements that a register holds across the warp (`movmatrix.trans`).
pub fn transpose(register: &[u32; LANES]) -> [u32; LANES] {
    let element = |row: usize, column: usize| register[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
    std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, lane % 4 * 2);
        element(column, row) | element(column + 1, row) << 16
    })
}
