//! Memory spaces of the simulated device.

/// A device address (64-bit, generic).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(pub u64);
