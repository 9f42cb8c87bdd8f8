//! Which lane holds which elements of a matrix, and in which register.
//!
//! Source: PTX ISA 8.8, 9.7.14.5 (the figures and formulas for `mma`). The ISA leaves the fragments of `wmma`
//! unspecified; here they are those of an H100 (observed there for every shape and type): the shape is tiled
//! into `mma` fragments, m8n32 as the transpose of 32×8.

use super::LANES;
use super::element::{Element, Major, Role, Shape};

/// Where an element lies in its matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Which of the four products of `mma.m8n8k4` with f16; 0 elsewhere.
    pub matrix: usize,
    pub row: usize,
    pub column: usize,
}

/// A matrix spread over the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub role: Role,
    pub shape: Shape,
    pub element: Element,
    /// Affects the lanes only for `mma.m8n8k4` with f16.
    pub major: Major,
    /// Whether it belongs to a `wmma` instruction.
    pub wmma: bool,
}

impl Fragment {
    /// Returns the number of rows and of columns of the matrix.
    pub fn extent(&self) -> (usize, usize) {
        match self.role {
            Role::A => (self.shape.m, self.shape.k),
            Role::B => (self.shape.k, self.shape.n),
            Role::Accumulator => (self.shape.m, self.shape.n),
        }
    }

    /// Returns whether the instruction computes four products of 8×8×4, each in eight lanes.
    pub fn is_quad_pair(&self) -> bool {
        self.shape == Shape::new(8, 8, 4) && self.element != Element::F64
    }

    /// Returns the number of elements in one register.
    pub fn parts(&self) -> usize {
        self.element.per_register()
    }

    /// Returns the number of registers that hold different elements.
    pub fn distinct_registers(&self) -> usize {
        let (rows, columns) = self.extent();
        let matrices = if self.is_quad_pair() { 4 } else { 1 };
        (matrices * rows * columns).div_ceil(LANES * self.parts())
    }

    /// Returns the number of registers in the operand's vector. A `wmma` A or B of f16 always has eight; if
    /// fewer hold the matrix, they repeat.
    pub fn registers(&self) -> usize {
        match self.role {
            Role::A | Role::B if self.wmma && self.element == Element::F16 => 8,
            _ => self.distinct_registers(),
        }
    }

    /// Returns the bits of each register: 64 for f64, else 32.
    pub fn register_bits(&self) -> usize {
        if self.element == Element::F64 { 64 } else { 32 }
    }

    /// Returns the position of element `part` (0 in the lowest bits) of a lane's register. Registers past the
    /// distinct ones repeat them.
    pub fn position(&self, lane: usize, register: usize, part: usize) -> Position {
        let register = register % self.distinct_registers();
        if self.is_quad_pair() {
            return self.quad_pair_position(lane, register, part);
        }
        // Elements run over groups of four lanes: `group` goes along the long side, `member` along k.
        let (group, member) = (lane / 4, lane % 4);
        // m8n32 computes the transpose: there B has the role of A, and D is transposed.
        let turned = self.shape.m == 8 && self.shape.n > 8;
        // Groups of eight rows (of A) in one tile, which are visited before the next step along k.
        let tile_eights = (if turned { self.shape.n } else { self.shape.m } / 8).min(2);
        let run = 4 * self.parts();
        let along_k = |step: usize| step * run + member * self.parts() + part;
        let eights_first = || {
            let steps = self.shape.k / run;
            let (tile, rest) = (register / (tile_eights * steps), register % (tile_eights * steps));
            let eight = tile * tile_eights + rest % tile_eights;
            (eight * 8 + group, along_k(rest / tile_eights))
        };
        let steps_first = || {
            let steps = self.shape.k / run;
            (register / steps * 8 + group, along_k(register % steps))
        };
        let (row, column) = match (self.role, turned) {
            (Role::A, false) => eights_first(),
            (Role::A, true) => steps_first(),
            (Role::B, false) => swap(steps_first()),
            (Role::B, true) => swap(eights_first()),
            (Role::Accumulator, _) => {
                // Two adjacent elements per lane, then the second group of eight rows, then the next eight
                // columns.
                let item = register * self.parts() + part;
                let (pair, eight) = (item % 2, item / 2);
                let rows_eights = if turned { self.shape.n } else { self.shape.m } / 8;
                let row = eight % rows_eights * 8 + group;
                let column = eight / rows_eights * 8 + member * 2 + pair;
                if turned { (column, row) } else { (row, column) }
            }
        };
        Position { matrix: 0, row, column }
    }

    /// `mma.m8n8k4` with f16: product q is computed by lanes 4q..4q+4 and 16+4q..16+4q+4.
    fn quad_pair_position(&self, lane: usize, register: usize, part: usize) -> Position {
        let item = register * self.parts() + part;
        let (member, upper) = (lane % 4, lane / 16 * 4);
        let (row, column) = match (self.role, self.major) {
            (Role::A, Major::Row) => (member + upper, item),
            (Role::A, Major::Col) => (item + upper, member),
            (Role::B, Major::Row) => (member, item + upper),
            (Role::B, Major::Col) => (item, member + upper),
            (Role::Accumulator, _) if self.element == Element::F16 => (member + upper, item),
            (Role::Accumulator, _) => ((lane & 1) + (item & 2) + upper, (item & 4) + (lane & 2) + (item & 1)),
        };
        Position { matrix: lane / 4 % 4, row, column }
    }
}

fn swap((a, b): (usize, usize)) -> (usize, usize) {
    (b, a)
}
