//! Meters: one observer each, for one family of counts.

pub mod traffic;
