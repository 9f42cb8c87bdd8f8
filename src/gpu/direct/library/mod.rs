//! Numerical libraries.
