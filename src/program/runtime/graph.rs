//! Graphs, built node by node or by capture.

use crate::program::call::calls;

/// Graphs by their handles, and captures under way.
#[derive(Debug, Default)]
pub struct Graphs {}

calls! {}
