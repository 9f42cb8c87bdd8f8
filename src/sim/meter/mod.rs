//! Meters: observers that each count one family of events.

pub mod atomic_trace;
pub mod atomics;
pub mod l2;
pub mod locality;
pub mod pieces;
pub mod traffic;

/// All meters.
pub type Meters = (traffic::TrafficMeter, (locality::LocalityMeter, atomics::AtomicMeter));
