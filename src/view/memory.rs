//! The memory that a program obtained from CUDA, over time.

use super::Document;

pub fn section(of: &Document) -> Option<String> {
    Some(of.memory.as_ref()?.figure("memory-picture"))
}
