//! What kernels printed: the host sees it once it waits (CUDA programming guide, "Formatted Output").

use super::shadow::Party;
use std::sync::Arc;

#[derive(Debug, Default)]
pub(super) struct Printed {
    visible: Vec<u8>,
    pending: Vec<u8>,
    /// By whom the first that is pending was printed.
    by: Option<Arc<Party>>,
}

impl Printed {
    pub fn add(&mut self, output: &[u8], by: &Arc<Party>) {
        if !output.is_empty() {
            self.pending.extend(output);
            self.by.get_or_insert_with(|| by.clone());
        }
    }

    /// The host waits.
    pub fn flush(&mut self) {
        self.visible.append(&mut self.pending);
        self.by = None;
    }

    /// What the host may see and has not taken.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.visible)
    }

    /// What is pending never comes; gives who printed the first of it.
    pub fn discard(&mut self) -> Option<Arc<Party>> {
        self.pending.clear();
        self.by.take()
    }
}
