//! `wmma.load` and `wmma.store`: which bytes each lane moves. The caller makes the accesses.

use super::LANES;
use super::element::{Element, Major};
use super::fragment::Fragment;

/// The memory side of a `wmma.load` or `wmma.store`.
#[derive(Clone, Debug)]
pub struct WmmaMove {
    pub fragment: Fragment,
    /// The layout of the matrix in memory.
    pub major: Major,
    steps: Vec<Step>,
    /// For each step and lane, the element's row and column; the one that is multiplied by the stride comes
    /// first.
    places: Vec<[(u16, u16); LANES]>,
}

/// One access that all lanes make together: `bytes` from or to bits
/// `shift..shift + 8 * bytes` of `register`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub register: usize,
    /// First bit within the register.
    pub shift: usize,
    pub bytes: usize,
    /// The index of the step in its move.
    number: usize,
}

impl WmmaMove {
    pub(super) fn new(fragment: Fragment, major: Major) -> WmmaMove {
        let parts = fragment.parts();
        let (bits, whole) = (fragment.element.bits(), fragment.register_bits() / 8);
        let step = |register, shift, bytes| Step { register, shift, bytes, number: 0 };
        let contiguous = parts == 1 || neighbours(&fragment) == major;
        let mut steps: Vec<Step> = (0..fragment.distinct_registers())
            .flat_map(|register| -> Vec<Step> {
                if contiguous {
                    vec![step(register, 0, whole)]
                } else {
                    (0..parts).map(|part| step(register, part * bits, bits / 8)).collect()
                }
            })
            .collect();
        let mut places = Vec::new();
        for (number, step) in steps.iter_mut().enumerate() {
            step.number = number;
            places.push(std::array::from_fn(|lane| {
                let at = fragment.position(lane, step.register, step.shift / bits);
                let (row, column) = (at.row as u16, at.column as u16);
                match major {
                    Major::Row => (row, column),
                    Major::Col => (column, row),
                }
            }));
        }
        WmmaMove { fragment, major, steps, places }
    }

    /// Returns the accesses in order; together they move every element of the matrix once.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the number of elements between rows (of a row-major matrix) or columns, if the instruction gives
    /// no stride.
    pub fn default_stride(&self) -> u64 {
        let (rows, columns) = self.fragment.extent();
        match self.major {
            Major::Row => columns as u64,
            Major::Col => rows as u64,
        }
    }

    /// Returns the offset in bytes, from the matrix's address, of a lane's access in one of
    /// [`steps`](Self::steps). `stride` is in elements. The offset wraps modulo 2^64, as address arithmetic
    /// does.
    pub fn byte_offset(&self, lane: usize, step: Step, stride: u64) -> u64 {
        let bits = self.fragment.element.bits();
        let (outer, inner) = self.places[step.number][lane];
        let elements = stride.wrapping_mul(outer.into()).wrapping_add(inner.into());
        match self.fragment.element {
            Element::B1 => elements / 8,
            Element::S4 | Element::U4 => elements / 2,
            _ => elements.wrapping_mul((bits / 8) as u64),
        }
    }
}

/// Returns the direction in which the elements in one register are adjacent.
fn neighbours(fragment: &Fragment) -> Major {
    let (first, second) = (fragment.position(0, 0, 0), fragment.position(0, 0, 1));
    if first.row == second.row { Major::Row } else { Major::Col }
}
