//! Computation of D = A·B + C on a warp's registers.

use super::element::{Element, Major, Role, Shape};
use super::float;
use super::fragment::Fragment;
use super::{COLUMNS, LANES, Registers};
use std::sync::Arc;

/// Registers of f64.
type Doubles = Registers<u64>;

/// The operation that combines two `.b1` words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOp {
    And,
    Xor,
}

/// An `mma.sync` or `wmma.mma` instruction.
#[derive(Clone, Debug)]
pub struct Multiply {
    pub shape: Shape,
    /// The element types.
    pub a: Element,
    pub b: Element,
    pub c: Element,
    pub d: Element,
    pub a_major: Major,
    pub b_major: Major,
    pub satfinite: bool,
    /// The operation for `b1`; `None` for any other type.
    pub bit_op: Option<BitOp>,
    pub wmma: bool,
    tables: Arc<Tables>,
}

/// For each element in order of register, part and lane: its index in the flat matrix.
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

/// The most elements of A, of B, and of C that any shape has (b1 counted in words).
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
    /// Creates the instruction. The caller has checked that types and shape can be combined.
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

    /// Returns the operations of one warp instruction; a multiply-add counts as two.
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
            for part in 0..if bits { 1 } else { fragment.parts() } {
                for lane in 0..LANES {
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

    /// Computes D for f16, bf16, tf32, 8-bit floats, integers or bits. Each slice holds the operand's
    /// registers; missing registers count as zeros, surplus ones are not changed.
    pub fn run(&self, a: &Registers, b: &Registers, c: &Registers, d: &mut Registers) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has the extensions that the function is compiled for.
            return unsafe { self.run_wide(a, b, c, d) };
        }
        self.run_any::<false>(a, b, c, d)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn run_wide(&self, a: &Registers, b: &Registers, c: &Registers, d: &mut Registers) {
        self.run_any::<true>(a, b, c, d)
    }

    #[inline(always)]
    pub(super) fn run_any<const WIDE: bool>(
        &self,
        a: &Registers,
        b: &Registers,
        c: &Registers,
        d: &mut Registers,
    ) {
        match self.a {
            Element::F16 | Element::Bf16 | Element::Tf32 | Element::E4m3 | Element::E5m2 => {
                self.run_float::<WIDE>(a, b, c, d)
            }
            Element::B1 => self.run_bits(a, b, c, d),
            _ => self.run_integer(a, b, c, d),
        }
    }

    /// Computes D for f64: fused multiply-adds in order of k.
    pub fn run_f64(&self, a: &Doubles, b: &Doubles, c: &Doubles, d: &mut Doubles) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has the extensions that the function is compiled for.
            return unsafe { self.run_f64_wide(a, b, c, d) };
        }
        self.run_f64_any(a, b, c, d)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn run_f64_wide(&self, a: &Doubles, b: &Doubles, c: &Doubles, d: &mut Doubles) {
        self.run_f64_any(a, b, c, d)
    }

    #[inline(always)]
    fn run_f64_any(&self, a: &Doubles, b: &Doubles, c: &Doubles, d: &mut Doubles) {
        const MOST: usize = 256;
        let (mut left, mut right, mut sums) = ([0.0; MOST], [0.0; MOST], [0.0; MOST]);
        for (matrix, registers, table) in
            [(&mut left, a, &self.tables.a), (&mut right, b, &self.tables.b), (&mut sums, c, &self.tables.c)]
        {
            for (&index, &word) in table.iter().zip(registers.as_flattened()) {
                matrix[index as usize % MOST] = f64::from_bits(word);
            }
        }
        for (left_at, right_at, sums_at) in self.rows() {
            let k = self.extents().k;
            let right = right[right_at..][..k * COLUMNS].as_chunks::<COLUMNS>().0;
            let mut row = [0.0; COLUMNS];
            row.copy_from_slice(&sums[sums_at..][..COLUMNS]);
            for (&x, right) in left[left_at..].iter().zip(right) {
                for (sum, &y) in row.iter_mut().zip(right) {
                    *sum = x.mul_add(y, *sum);
                }
            }
            sums[sums_at..][..COLUMNS].copy_from_slice(&row);
        }
        for (&index, word) in self.tables.d.iter().zip(d.as_flattened_mut()) {
            *word = sums[index as usize % MOST].to_bits();
        }
    }

    /// Returns, for each row and eight columns of D, where A, B and C start in the flat matrices.
    #[inline(always)]
    fn rows(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let Extents { matrices, rows, column_blocks, k } = self.extents();
        (0..matrices * column_blocks).flat_map(move |block| {
            let first = block / column_blocks * rows;
            (0..rows).map(move |n| ((first + n) * k, block * k * COLUMNS, (block * rows + n) * COLUMNS))
        })
    }

    /// Computes integers of up to 8 bits. Sums of products stay below 2^22, so f32 holds them exactly.
    #[inline(always)]
    fn run_integer(&self, a: &Registers, b: &Registers, c: &Registers, d: &mut Registers) {
        let (mut left, mut right) = ([0f32; MOST], [0f32; MOST]);
        let mut totals = [0i32; MOST];
        unpack_integers(self.a, a, &self.tables.a, &mut left);
        unpack_integers(self.b, b, &self.tables.b, &mut right);
        unpack_words(c, &self.tables.c, &mut totals);
        let k = self.extents().k;
        for (left_at, right_at, totals_at) in self.rows() {
            let right = right[right_at..][..k * COLUMNS].as_chunks::<COLUMNS>().0;
            let mut sums = [0f32; COLUMNS];
            for (&x, right) in left[left_at..].iter().zip(right) {
                for (sum, &y) in sums.iter_mut().zip(right) {
                    *sum += x * y;
                }
            }
            for (total, sum) in totals[totals_at..].iter_mut().zip(sums) {
                *total = self.add(*total, sum as i32);
            }
        }
        pack_words(&totals, &self.tables.d, d);
    }

    /// Computes single bits, 32 in a word.
    #[inline(always)]
    fn run_bits(&self, a: &Registers, b: &Registers, c: &Registers, d: &mut Registers) {
        let (mut left, mut right, mut totals) = ([0i32; MOST], [0i32; MOST], [0i32; MOST]);
        unpack_words(a, &self.tables.a, &mut left);
        unpack_words(b, &self.tables.b, &mut right);
        unpack_words(c, &self.tables.c, &mut totals);
        let (k, xor) = (self.extents().k, self.bit_op == Some(BitOp::Xor));
        for (left_at, right_at, totals_at) in self.rows() {
            for (j, total) in totals[totals_at..][..COLUMNS].iter_mut().enumerate() {
                let words = left[left_at..][..k].iter().zip(right[right_at + j..].iter().step_by(COLUMNS));
                let ones: u32 = words.map(|(x, y)| if xor { x ^ y } else { x & y }.count_ones()).sum();
                *total = self.add(*total, ones as i32);
            }
        }
        pack_words(&totals, &self.tables.d, d);
    }

    fn add(&self, total: i32, sum: i32) -> i32 {
        if self.satfinite { total.saturating_add(sum) } else { total.wrapping_add(sum) }
    }

    #[inline(always)]
    fn run_float<const WIDE: bool>(&self, a: &Registers, b: &Registers, c: &Registers, d: &mut Registers) {
        let mut left = float::Matrix::new();
        let mut right = float::Matrix::new();
        let mut sums = float::Matrix::new();
        left.unpack(self.a, a, &self.tables.a);
        right.unpack(self.b, b, &self.tables.b);
        sums.unpack(self.c, c, &self.tables.c);
        let mut sums = sums.values;
        let product_exponent = float::prepare(self.a, &mut left, &mut right);
        let quad_pair = self.fragment_a().is_quad_pair();
        let eight_bit = matches!(self.a, Element::E4m3 | Element::E5m2);
        let (whole, types) = (self.extents().k, (self.c, self.d));
        let half = whole / 2;
        for (left_at, right_at, sums_at) in self.rows() {
            let Some(sums) = sums[sums_at..].first_chunk_mut::<COLUMNS>() else { break };
            let first = if eight_bit { half } else { whole };
            let parts = (left.part(left_at, first), right.part(right_at, first * COLUMNS));
            if eight_bit {
                let mut fresh = [0.0; COLUMNS];
                float::accumulate::<WIDE>(parts.0, parts.1, &mut fresh, types, product_exponent);
                let rest = right.part(right_at + half * COLUMNS, half * COLUMNS);
                float::accumulate::<WIDE>(
                    left.part(left_at + half, half),
                    rest,
                    &mut fresh,
                    types,
                    product_exponent,
                );
                for (sum, fresh) in sums.iter_mut().zip(fresh) {
                    *sum = float::add(*sum, fresh, self.d);
                }
            } else if quad_pair {
                float::fused(parts.0, parts.1, sums, self.d);
            } else {
                float::accumulate::<WIDE>(parts.0, parts.1, sums, types, product_exponent);
            }
        }
        float::pack(self.d, &sums, &self.tables.d, d);
    }
}

/// Unpacks integers into a flat matrix.
#[inline(always)]
fn unpack_integers(element: Element, registers: &Registers, table: &[u16], matrix: &mut [f32; MOST]) {
    let (bits, signed) = (element.bits() as u32, element.is_signed());
    let parts = element.per_register();
    for (places, register) in table.chunks_exact(LANES * parts).zip(registers) {
        for (part, places) in places.as_chunks::<LANES>().0.iter().enumerate() {
            let top = 32 - bits;
            let mut values = [0f32; LANES];
            for (value, &word) in values.iter_mut().zip(register) {
                let raised = word << (top - part as u32 * bits);
                let signed_value = (raised as i32) >> top;
                *value = (if signed { signed_value } else { (raised >> top) as i32 }) as f32;
            }
            for (&place, value) in places.iter().zip(values) {
                matrix[place as usize % MOST] = value;
            }
        }
    }
}

fn unpack_words(registers: &Registers, table: &[u16], matrix: &mut [i32; MOST]) {
    for (&place, &word) in table.iter().zip(registers.as_flattened()) {
        matrix[place as usize % MOST] = word as i32;
    }
}

fn pack_words(matrix: &[i32; MOST], table: &[u16], registers: &mut Registers) {
    for (&place, word) in table.iter().zip(registers.as_flattened_mut()) {
        *word = matrix[place as usize % MOST] as u32;
    }
}
