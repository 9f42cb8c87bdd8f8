//! Checks: one observer each, for one family of defects.

pub mod races;
