//! D = A·B + C over a warp's registers.

use super::LANES;
use super::element::{Element, Major, Role, Shape};
use super::float;
use super::fragment::Fragment;
use std::sync::Arc;

/// What `.b1` multiplies with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOp {
    And,
    Xor,
}

/// `mma.sync` or `wmma.mma`.
#[derive(Clone, Debug)]
pub struct Multiply {
    pub shape: Shape,
    /// Element types.
    pub a: Element,
    pub b: Element,
    pub c: Element,
    pub d: Element,
    pub a_major: Major,
    pub b_major: Major,
    pub satfinite: bool,
    /// For `b1`.
    pub bit_op: Option<BitOp>,
    pub wmma: bool,
    tables: Arc<Tables>,
}

/// For each element in order of register, lane and part: its index in the flat matrix.
/// A is `[matrix][row][k]`, B is `[matrix][eight columns][k][column mod 8]`, C and D are
/// `[matrix][eight columns][row][column mod 8]`. k counts whole words for b1, and is
/// reordered for 8-bit floats so that each half is one step.
#[derive(Debug)]
struct Tables {
    a: Box<[u16]>,
    b: Box<[u16]>,
    c: Box<[u16]>,
    d: Box<[u16]>,
}

/// Columns handled together.
pub(super) const COLUMNS: usize = 8;
/// Most elements of A, of B, and of C that a shape has (b1 counted in words).
const MOST: usize = 1024;

/// The extents that the loops run over.
#[derive(Clone, Copy)]
struct Extents {
    matrices: usize,
    rows: usize,
    column_blocks: usize,
    /// Steps along k: elements, or words for b1.
    k: usize,
}

impl Multiply {
    /// The caller has checked that types and shape go together.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        shape: Shape,
        [d, a, b, c]: [Element; 4],
        [a_major, b_major]: [Major; 2],
        satfinite: bool,
        bit_op: Option<BitOp>,
        wmma: bool,
    ) -> Multiply {
        let empty = || Box::<[u16]>::default();
        let tables = Tables { a: empty(), b: empty(), c: empty(), d: empty() };
        let mut new = Multiply {
            shape,
            a,
            b,
            c,
            d,
            a_major,
            b_major,
            satfinite,
            bit_op,
            wmma,
            tables: Arc::new(tables),
        };
        let tables = Tables {
            a: new.table(new.fragment_a()),
            b: new.table(new.fragment_b()),
            c: new.table(new.fragment_c()),
            d: new.table(new.fragment_d()),
        };
        new.tables = Arc::new(tables);
        new
    }

    fn fragment(&self, role: Role, element: Element, major: Major) -> Fragment {
        Fragment { role, shape: self.shape, element, major, wmma: self.wmma }
    }

    pub fn fragment_a(&self) -> Fragment {
        self.fragment(Role::A, self.a, self.a_major)
    }

    pub fn fragment_b(&self) -> Fragment {
        self.fragment(Role::B, self.b, self.b_major)
    }

    pub fn fragment_c(&self) -> Fragment {
        self.fragment(Role::Accumulator, self.c, Major::Row)
    }

    pub fn fragment_d(&self) -> Fragment {
        self.fragment(Role::Accumulator, self.d, Major::Row)
    }

    /// Operations of one warp instruction, a multiply-add counted as two.
    pub fn operations(&self) -> u64 {
        let matrices = self.extents().matrices;
        (2 * matrices * self.shape.m * self.shape.n * self.shape.k) as u64
    }

    fn extents(&self) -> Extents {
        let Shape { m, n, k } = self.shape;
        Extents {
            matrices: if self.fragment_a().is_quad_pair() { 4 } else { 1 },
            rows: m,
            column_blocks: n / COLUMNS,
            k: if self.a == Element::B1 { k / 32 } else { k },
        }
    }

    fn table(&self, fragment: Fragment) -> Box<[u16]> {
        let Extents { rows, column_blocks, k, .. } = self.extents();
        let bits = fragment.element == Element::B1;
        let along_k = |at: usize| match self.a {
            Element::B1 => at / 32,
            // First all k with k mod 4 < 2, then the others.
            Element::E4m3 | Element::E5m2 => at / 4 * 2 + at % 2 + at % 4 / 2 * (k / 2),
            _ => at,
        };
        let mut table = Vec::new();
        for register in 0..fragment.distinct_registers() {
            for lane in 0..LANES {
                for part in 0..if bits { 1 } else { fragment.parts() } {
                    let at = fragment.position(lane, register, part);
                    let block = at.matrix * column_blocks + at.column / COLUMNS;
                    let index = match fragment.role {
                        Role::A => (at.matrix * rows + at.row) * k + along_k(at.column),
                        Role::B => (block * k + along_k(at.row)) * COLUMNS + at.column % COLUMNS,
                        Role::Accumulator => (block * rows + at.row) * COLUMNS + at.column % COLUMNS,
                    };
                    table.push(index as u16);
                }
            }
        }
        table.into()
    }

    /// Computes D, with f16, bf16, tf32, 8-bit floats, integers or bits. Each slice holds the
    /// operand's registers; registers that are missing count as zeros, surplus ones are left.
    pub fn run(&self, a: &[[u32; LANES]], b: &[[u32; LANES]], c: &[[u32; LANES]], d: &mut [[u32; LANES]]) {
        match self.a {
            Element::F16 | Element::Bf16 | Element::Tf32 | Element::E4m3 | Element::E5m2 => {
                self.run_float(a, b, c, d)
            }
            Element::B1 => self.run_integer(a, b, c, d, |x, y| match self.bit_op {
                Some(BitOp::Xor) => (x ^ y).count_ones() as i32,
                _ => (x & y).count_ones() as i32,
            }),
            _ => self.run_integer(a, b, c, d, |x, y| x.wrapping_mul(y)),
        }
    }

    /// Computes D with f64: fused multiply-adds in order of k.
    pub fn run_f64(
        &self,
        a: &[[u64; LANES]],
        b: &[[u64; LANES]],
        c: &[[u64; LANES]],
        d: &mut [[u64; LANES]],
    ) {
        let extents = self.extents();
        let (mut left, mut right, mut sums) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
        for (matrix, registers, table) in
            [(&mut left, a, &self.tables.a), (&mut right, b, &self.tables.b), (&mut sums, c, &self.tables.c)]
        {
            for (&index, &word) in table.iter().zip(registers.as_flattened()) {
                matrix[index as usize] = f64::from_bits(word);
            }
        }
        for (block, right) in right.chunks_exact(extents.k * COLUMNS).take(extents.column_blocks).enumerate()
        {
            for row in 0..extents.rows {
                let left = &left[row * extents.k..][..extents.k];
                let sums = &mut sums[(block * extents.rows + row) * COLUMNS..][..COLUMNS];
                for (&x, right) in left.iter().zip(right.chunks_exact(COLUMNS)) {
                    for (sum, &y) in sums.iter_mut().zip(right) {
                        *sum = x.mul_add(y, *sum);
                    }
                }
            }
        }
        for (&index, word) in self.tables.d.iter().zip(d.as_flattened_mut()) {
            *word = sums[index as usize].to_bits();
        }
    }

    fn run_integer(
        &self,
        a: &[[u32; LANES]],
        b: &[[u32; LANES]],
        c: &[[u32; LANES]],
        d: &mut [[u32; LANES]],
        times: impl Fn(i32, i32) -> i32,
    ) {
        let extents = self.extents();
        let (mut left, mut right, mut start) = ([0; MOST], [0; MOST], [0; MOST]);
        unpack_integers(self.a, a, &self.tables.a, &mut left);
        unpack_integers(self.b, b, &self.tables.b, &mut right);
        unpack_integers(Element::S32, c, &self.tables.c, &mut start);
        for (block, right) in right.chunks_exact(extents.k * COLUMNS).take(extents.column_blocks).enumerate()
        {
            for row in 0..extents.rows {
                let left = &left[row * extents.k..][..extents.k];
                let mut sums = [0i32; COLUMNS];
                for (&x, right) in left.iter().zip(right.chunks_exact(COLUMNS)) {
                    for (sum, &y) in sums.iter_mut().zip(right) {
                        // At most 64 products below 2^16, or 256 bits: no overflow.
                        *sum = sum.wrapping_add(times(x, y));
                    }
                }
                let start = &mut start[(block * extents.rows + row) * COLUMNS..][..COLUMNS];
                for (start, sum) in start.iter_mut().zip(sums) {
                    *start = if self.satfinite { start.saturating_add(sum) } else { start.wrapping_add(sum) };
                }
            }
        }
        for (&index, word) in self.tables.d.iter().zip(d.as_flattened_mut()) {
            *word = start[index as usize] as u32;
        }
    }

    fn run_float(&self, a: &[[u32; LANES]], b: &[[u32; LANES]], c: &[[u32; LANES]], d: &mut [[u32; LANES]]) {
        let extents = self.extents();
        let mut left = float::Matrix::new();
        let mut right = float::Matrix::new();
        let mut sums = [0.0; float::MOST];
        left.unpack(self.a, a, &self.tables.a);
        right.unpack(self.b, b, &self.tables.b);
        float::unpack_accumulator(self.c, c, &self.tables.c, &mut sums);
        let special = left.special || right.special || sums.iter().any(|x| !x.is_finite());
        let quad_pair = self.fragment_a().is_quad_pair();
        let eight_bit = matches!(self.a, Element::E4m3 | Element::E5m2);
        let row_block = |block: usize, row: usize| (block * extents.rows + row) * COLUMNS;
        for matrix in 0..extents.matrices {
            for block in matrix * extents.column_blocks..(matrix + 1) * extents.column_blocks {
                for row in 0..extents.rows {
                    let at = (matrix * extents.rows + row) * extents.k;
                    let right_at = block * extents.k * COLUMNS;
                    let start = row_block(block, row);
                    let sums: &mut [f64; COLUMNS] =
                        sums[start..].first_chunk_mut().expect("a shape's sums fit");
                    let part = |from: usize, k: usize| {
                        (left.part(at + from, k), right.part(right_at + from * COLUMNS, k * COLUMNS))
                    };
                    let (whole, half) = (extents.k, extents.k / 2);
                    let types = (self.c, self.d);
                    if eight_bit {
                        let mut fresh = [0.0; COLUMNS];
                        float::accumulate(part(0, half), &mut fresh, types, special);
                        let special = special || fresh.iter().any(|x| !x.is_finite());
                        float::accumulate(part(half, half), &mut fresh, types, special);
                        for (sum, fresh) in sums.iter_mut().zip(fresh) {
                            *sum = float::add(*sum, fresh, self.d);
                        }
                    } else if quad_pair {
                        float::fused(part(0, whole), sums, self.d);
                    } else {
                        float::accumulate(part(0, whole), sums, types, special);
                    }
                }
            }
        }
        float::pack_accumulator(self.d, &sums, &self.tables.d, d);
    }
}

/// Spreads packed integers (or whole words) into a flat matrix.
fn unpack_integers(element: Element, registers: &[[u32; LANES]], table: &[u16], matrix: &mut [i32; MOST]) {
    let bits = match element {
        Element::B1 => 32,
        _ => element.bits() as u32,
    };
    let signed = element.is_signed();
    let words = registers.as_flattened();
    for (indices, &word) in table.chunks_exact((32 / bits) as usize).zip(words) {
        let mut rest = word;
        for &index in indices {
            let top = rest << (32 - bits);
            matrix[index as usize] =
                if signed { (top as i32) >> (32 - bits) } else { (top >> (32 - bits)) as i32 };
            rest = rest.checked_shr(bits).unwrap_or(0);
        }
    }
}
