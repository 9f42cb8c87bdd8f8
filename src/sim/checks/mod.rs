//! Checks: one observer each, for one family of defects; and what follows from what among them.

pub mod origin;
pub mod races;
