//! Events.

use crate::program::call::calls;

/// Events by their handles.
#[derive(Debug, Default)]
pub struct Events {}

calls! {}
