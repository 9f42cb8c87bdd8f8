//! The kernels' output, which the host sees once it waits (CUDA programming guide, "Formatted Output").

use super::shadow::Originator;
use std::sync::Arc;

#[derive(Debug, Default)]
pub(super) struct Printed {
    visible: Vec<u8>,
    pending: Vec<u8>,
    /// The originator of the first pending output.
    by: Option<Arc<Originator>>,
}

impl Printed {
    pub fn add(&mut self, output: &[u8], by: &Arc<Originator>) {
        if !output.is_empty() {
            self.pending.extend(output);
            self.by.get_or_insert_with(|| by.clone());
        }
    }

    /// Makes pending output visible, because the host waits.
    pub fn flush(&mut self) {
        self.visible.append(&mut self.pending);
        self.by = None;
    }

    /// Takes the output that the host may see.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.visible)
    }

    /// Discards pending output, which is lost; returns the originator of its first part.
    pub fn discard(&mut self) -> Option<Arc<Originator>> {
        self.pending.clear();
        self.by.take()
    }
}
