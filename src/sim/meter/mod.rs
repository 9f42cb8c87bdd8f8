//! Meters: one observer each, for one family of counts.

pub mod atomics;
pub mod l2;
pub mod locality;
pub mod pieces;
pub mod traffic;

/// Every meter.
pub type Meters = (traffic::TrafficMeter, (locality::LocalityMeter, atomics::AtomicMeter));
