//! Meters: one observer each, for one family of counts.

pub mod atomics;
pub mod far;
pub mod locality;
pub mod traffic;

/// Every meter.
pub type Meters = (traffic::TrafficMeter, (locality::LocalityMeter, atomics::AtomicMeter));
