//! How the addresses of a warp's lanes relate to each other, for an emitter that compiles an access.

use super::Lanes64;
use crate::memory::shape::Shape;
pub use crate::memory::shape::{ONE_LANE, Span};
use crate::meter::locality::LocalityMeter;

/// Properties of an access that follow from the active lanes' offsets from the first active lane's address.
#[derive(Clone, Debug)]
pub struct AccessShape {
    /// The lowest and the highest offset of a lane, in bytes.
    pub low: i64,
    pub high: i64,
    /// Whether every lane's address is a multiple of the access's width whenever the first active lane's is, and the
    /// lanes are close enough together for the fields below to be valid.
    pub regular: bool,
    /// Whether two lanes touch the same byte.
    pub overlaps: bool,
    /// The number of 32-byte sectors touched, by the first active lane's address modulo 32, and of 128-byte lines,
    /// by that address modulo 128.
    pub sectors: [u8; 32],
    pub lines: [u8; 128],
    /// The distinct words that are touched, in ascending order. Empty if the shape is not regular, or a lane
    /// accesses less than a word.
    pub words: Vec<Span>,
    /// The byte ranges whose lines are recorded: offset from the first active lane's address, and length. `None` if each
    /// lane is recorded separately.
    pub stretches: Option<Vec<(i64, u64)>>,
}

impl AccessShape {
    /// Returns the shape of an access of `bytes` bytes by each lane of `mask`.
    pub fn of(offsets: &Lanes64, mask: u32, bytes: u32) -> AccessShape {
        let mut shape = Shape::of(offsets, mask, bytes);
        let regular = shape.compact && shape.alignment >= bytes;
        AccessShape {
            low: shape.low,
            high: shape.high,
            regular,
            overlaps: shape.overlaps(),
            sectors: std::array::from_fn(|at| shape.sectors(at as u64) as u8),
            lines: std::array::from_fn(|at| shape.lines(at as u64) as u8),
            stretches: LocalityMeter::stretches(&shape),
            words: if regular && bytes >= 4 { shape.spans(4).to_vec() } else { Vec::new() },
        }
    }
}
