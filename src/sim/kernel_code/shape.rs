//! What the addresses of a warp's lanes have to do with each other, for whoever emits code of an access.

use super::Lanes64;
use crate::memory::shape::Shape;
pub use crate::memory::shape::{ONE_LANE, Span};
use crate::meter::locality::LocalityMeter;

/// An access of all lanes, by its offsets from the first one's address.
#[derive(Clone, Debug)]
pub struct AccessShape {
    /// The lowest and the highest offset.
    pub low: i64,
    pub high: i64,
    /// Whether every lane is at a multiple of the access's width where the first one is, and the lanes are not too far
    /// apart to be looked at as here.
    pub regular: bool,
    /// Whether lanes share bytes.
    pub overlaps: bool,
    /// Sectors of 32 bytes and lines of 128 that are touched, by the first lane's address modulo 32, and 128.
    pub sectors: [u8; 32],
    pub lines: [u8; 128],
    /// The distinct words, in rising order.
    pub words: Vec<Span>,
    /// Stretches of memory whose lines are noted: offset and bytes; `None`: of each lane.
    pub stretches: Option<Vec<(i64, u64)>>,
}

impl AccessShape {
    /// Of `bytes` bytes a lane.
    pub fn of(offsets: &Lanes64, bytes: u32) -> AccessShape {
        let mut shape = Shape::of(offsets, bytes);
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
