//! Proving and scaffolding lessons.
