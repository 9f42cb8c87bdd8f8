//! `ldmatrix`, `stmatrix` and `movmatrix`: 8×8 matrices of 16-bit elements, 16 bytes a row.

use super::LANES;

/// `ldmatrix` or `stmatrix` with `.m8n8` and `.b16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowMove {
    /// 8×8 matrices moved, one register each: 1, 2 or 4.
    pub matrices: usize,
    /// `.trans`: registers hold the transpose of what memory holds.
    pub transposed: bool,
}

impl RowMove {
    /// Bytes of a matrix row; its address must be a multiple of this.
    pub const ROW_BYTES: usize = 16;

    /// Rows moved in all. Row r (row r mod 8 of matrix r / 8) is at the address that lane r gives;
    /// addresses of lanes past the last row are not used.
    pub fn rows(&self) -> usize {
        self.matrices * 8
    }

    /// The registers after an `ldmatrix` that read `rows`. Missing rows count as zeros.
    /// Lane l gets elements 2(l mod 4) and the next of row l / 4 (PTX ISA 9.7.14.5.15).
    pub fn load(&self, rows: &[[u8; Self::ROW_BYTES]], registers: &mut [[u32; LANES]]) {
        for (register, rows) in registers.iter_mut().zip(rows.chunks_exact(8)) {
            let element = |row: usize, column: usize| {
                u32::from(u16::from_le_bytes([rows[row][2 * column], rows[row][2 * column + 1]]))
            };
            for (lane, word) in register.iter_mut().enumerate() {
                let (row, column) = (lane / 4, lane % 4 * 2);
                *word = if self.transposed {
                    element(column, row) | element(column + 1, row) << 16
                } else {
                    element(row, column) | element(row, column + 1) << 16
                };
            }
        }
    }

    /// The rows that an `stmatrix` of these registers writes.
    pub fn store(&self, registers: &[[u32; LANES]], rows: &mut [[u8; Self::ROW_BYTES]]) {
        for (register, rows) in registers.iter().zip(rows.chunks_exact_mut(8)) {
            for (lane, word) in register.iter().enumerate() {
                for part in 0..2 {
                    let (row, column) = (lane / 4, lane % 4 * 2 + part);
                    let (row, column) = if self.transposed { (column, row) } else { (row, column) };
                    let bytes = ((word >> (16 * part)) as u16).to_le_bytes();
                    rows[row][2 * column..2 * column + 2].copy_from_slice(&bytes);
                }
            }
        }
    }
}

/// `movmatrix.trans`: the 8×8 matrix of 16-bit elements that a register spreads over the warp,
/// transposed.
pub fn transpose(register: &[u32; LANES]) -> [u32; LANES] {
    let element = |row: usize, column: usize| register[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
    std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, lane % 4 * 2);
        element(column, row) | element(column + 1, row) << 16
    })
}
