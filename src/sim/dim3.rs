//! Extents and indices in three dimensions.

/// An extent or an index in three dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl Dim3 {
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Dim3 { x, y, z }
    }

    /// Returns the product of the three components, as an extent.
    pub fn count(self) -> u64 {
        self.x as u64 * self.y as u64 * self.z as u64
    }

    /// Returns the index of the `linear`-th element of this extent, x varying fastest.
    pub fn at(self, linear: u64) -> Dim3 {
        let (x, y) = (self.x.max(1) as u64, self.y.max(1) as u64);
        if linear < x {
            return Dim3::new(linear as u32, 0, 0);
        }
        Dim3::new((linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32)
    }

    /// Returns the linear index of an element of this extent, x varying fastest: the inverse of [`Dim3::at`].
    pub fn linear(self, at: Dim3) -> u64 {
        let (x, y) = (u64::from(self.x), u64::from(self.y));
        u64::from(at.x) + x * (u64::from(at.y) + y * u64::from(at.z))
    }
}
