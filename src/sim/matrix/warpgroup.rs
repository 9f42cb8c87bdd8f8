//! `wgmma.mma_async`: D = A·B + D by the four warps of a warpgroup, sixteen rows each.
//!
//! A warp's rows are `mma`s of 16 rows and 8 columns, side by side: the registers of A, and those of D for each
//! eight columns, are laid out as there (PTX ISA 8.8, 9.7.15.5.1), so that the arithmetic is that of
//! [`Multiply`]. k always spans 32 bytes.

use super::descriptor::WORDS;
use super::element::{Element, Major, Shape};
use super::multiply::{BitOp, Multiply};
use super::{COLUMNS, LANES, Registers};

/// Rows of A per warp.
pub const ROWS: u64 = 16;
/// The number of registers of A.
pub const A_REGISTERS: usize = 4;

/// The instruction, without its operands.
#[derive(Clone, Debug)]
pub struct GroupMultiply {
    /// The product of one warp's rows and eight columns.
    tile: Multiply,
    /// The number of columns of B.
    pub n: u64,
    /// The extent along k of one instruction.
    pub k: u64,
    /// Whether the elements of A and of B are negated.
    pub negated: [bool; 2],
    /// Whether A and B run across k in memory rather than along it.
    pub transposed: [bool; 2],
}

impl GroupMultiply {
    /// Parses the modifiers; nothing is negated or transposed yet. Returns `None` if the instruction is not simulated.
    pub fn parse(modifiers: &[&str]) -> Option<GroupMultiply> {
        let mut elements = Vec::new();
        let (mut shape, mut satfinite, mut bit_op) = (None, false, None);
        for &text in modifiers {
            match text {
                "mma_async" | "sync" | "aligned" | "popc" => {}
                "satfinite" => satfinite = true,
                "and" => bit_op = Some(BitOp::And),
                _ => match (Element::from_modifier(text), Shape::from_modifier(text)) {
                    (Some(element), _) => elements.push(element),
                    (_, Some(its)) => shape = Some(its),
                    _ => return None,
                },
            }
        }
        let (&[d, a, b], shape) = (&elements[..], shape?) else { return None };
        let integer = fits(d, a, b)?;
        let columns = match integer {
            // PTX ISA 9.7.15.5, table of shapes: multiples of 8 for floats, larger steps for integers.
            true => shape.n <= 32 && shape.n.is_multiple_of(8) || shape.n.is_multiple_of(16),
            false => shape.n.is_multiple_of(8),
        };
        let k = 32 * 8 / a.bits();
        let fitting = shape.m == 64 && (8..=256).contains(&shape.n) && columns && shape.k == k;
        let modes =
            (!satfinite || d == Element::S32 && a != Element::B1) && bit_op.is_some() == (a == Element::B1);
        let tile = Shape::new(ROWS as usize, COLUMNS, k);
        (fitting && modes).then(|| GroupMultiply {
            tile: Multiply::new(tile, [d, a, b, d], [Major::Row, Major::Col], satfinite, bit_op, false),
            n: shape.n as u64,
            k: k as u64,
            negated: [false; 2],
            transposed: [false; 2],
        })
    }

    /// Returns the element types of A and of the sums.
    pub fn elements(&self) -> (Element, Element) {
        (self.tile.a, self.tile.d)
    }

    /// Returns whether A and B may be negated.
    pub fn takes_signs(&self) -> bool {
        !matches!(self.tile.a, Element::S8 | Element::U8 | Element::B1)
    }

    /// Returns whether A and B may run across k in memory.
    pub fn takes_transposed(&self) -> bool {
        self.tile.a.bits() == 16
    }

    /// Returns the number of registers of the sums: those of eight columns, times the number of such groups of
    /// columns.
    pub fn registers(&self) -> usize {
        self.tile_registers() * self.n as usize / COLUMNS
    }

    fn tile_registers(&self) -> usize {
        self.tile.fragment_d().registers()
    }

    /// Returns the operations of one warp's part; a multiply-add counts as two.
    pub fn operations(&self) -> u64 {
        2 * ROWS * self.n * self.k
    }

    /// Arranges rows of A, given along k, in A's registers.
    pub fn fragment(rows: &[[u32; WORDS]]) -> [[u32; LANES]; A_REGISTERS] {
        let word = |row: usize, word: usize| rows.get(row).map_or(0, |row| row[word]);
        std::array::from_fn(|register| {
            std::array::from_fn(|lane| word(lane / 4 + register % 2 * 8, lane % 4 + register / 2 * 4))
        })
    }

    /// Adds to `sums` the product of a warp's rows of A, given as registers, and of B, given by column along k.
    pub fn run(&self, a: &[[u32; LANES]; A_REGISTERS], b: &[[u32; WORDS]], sums: &mut Registers) {
        let signs = self.sign_bits();
        let [a_sign, b_sign] = self.negated.map(|negated| if negated { signs } else { 0 });
        let a = a.map(|register| register.map(|word| word ^ a_sign));
        let each = self.tile_registers();
        let mut out = [[0; LANES]; 4];
        for (columns, sums) in b.chunks_exact(COLUMNS).zip(sums.chunks_exact_mut(each)) {
            let b: [[u32; LANES]; 2] = std::array::from_fn(|register| {
                std::array::from_fn(|lane| columns[lane / 4][lane % 4 + register * 4] ^ b_sign)
            });
            self.tile.run(&a, &b, sums, &mut out[..each]);
            sums.copy_from_slice(&out[..each]);
        }
    }

    /// Returns the sign bits in a register of A or B.
    fn sign_bits(&self) -> u32 {
        match self.tile.a.bits() {
            8 => 0x8080_8080,
            16 => 0x8000_8000,
            _ => 0x8000_0000,
        }
    }
}

/// Returns whether these types are integers; `None` if they can't be combined.
fn fits(d: Element, a: Element, b: Element) -> Option<bool> {
    use Element::*;
    match (d, a, b) {
        (F16 | F32, F16, F16) | (F32, Bf16, Bf16) | (F32, Tf32, Tf32) => Some(false),
        (S32, S8 | U8, S8 | U8) | (S32, B1, B1) => Some(true),
        _ => None,
    }
}
