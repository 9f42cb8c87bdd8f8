//! Results as text and JSON: pure functions.
