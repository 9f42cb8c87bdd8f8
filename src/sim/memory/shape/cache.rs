//! The shapes that an instruction had recently.

use super::Shape;
use crate::lanes::Lanes64;

/// A cache of the shapes that an instruction had recently.
#[derive(Clone, Debug)]
pub struct ShapeCache {
    shapes: Vec<Shape>,
    width: u32,
    /// Index of the shape used last.
    current: usize,
    /// Index of the shape to be replaced next.
    victim: usize,
}

/// Most shapes kept for one instruction: a reduction has one for each mask of its last steps.
const MAX_SHAPES: usize = 12;

impl ShapeCache {
    pub fn new(width: u32) -> ShapeCache {
        ShapeCache { shapes: vec![Shape::new(width)], width, current: 0, victim: 0 }
    }

    /// Returns the shape of `addresses` in the lanes of `mask` (not empty), and the first active lane's address.
    /// `again`: the previous call was for addresses of the same shape, so that it need only compare the mask.
    #[inline(always)]
    pub fn take(&mut self, addresses: &Lanes64, mask: u32, again: bool) -> (&mut Shape, u64) {
        let first = addresses[(mask.trailing_zeros() % 32) as usize];
        let known = again && self.shapes[self.current].mask == mask;
        if !known && !self.shapes[self.current].fits(addresses, mask, first) {
            self.look(addresses, mask, first);
        }
        (&mut self.shapes[self.current], first)
    }

    /// Returns the shape used last.
    pub fn taken(&mut self) -> &mut Shape {
        &mut self.shapes[self.current]
    }

    #[inline(never)]
    fn look(&mut self, addresses: &Lanes64, mask: u32, first: u64) {
        if let Some(known) = self.shapes.iter().position(|s| s.mask == mask && s.fits(addresses, mask, first))
        {
            self.current = known;
            return;
        }
        if self.shapes.len() < MAX_SHAPES {
            self.shapes.push(Shape::new(self.width));
            self.current = self.shapes.len() - 1;
        } else {
            self.current = self.victim;
            self.victim = (self.victim + 1) % MAX_SHAPES;
        }
        self.shapes[self.current].learn(addresses, mask, first);
    }
}
