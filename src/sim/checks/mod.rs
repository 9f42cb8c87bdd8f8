//! Checks: one observer for each family of defects; and the analysis of which finding is a consequence of which.

pub mod origin;
pub mod races;
