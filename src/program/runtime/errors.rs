//! The error state: the last error, and the one that lost the context.

use crate::device::{CudaError, Site};

/// An error that a call met and that nobody has looked at yet.
#[derive(Clone, Debug)]
pub struct Unseen {
    pub error: CudaError,
    pub site: Site,
}

/// Errors of the one host thread.
#[derive(Debug, Default)]
pub struct Errors {
    /// What `cudaGetLastError` gives.
    last: Option<CudaError>,
    /// The context is lost: every later call gives it.
    sticky: Option<CudaError>,
    unseen: Vec<Unseen>,
}

impl Errors {
    /// A call failed.
    pub fn set(&mut self, error: CudaError) {
        self.last = Some(error);
        if error.is_sticky() {
            self.sticky.get_or_insert(error);
        }
    }

    /// A call failed and its result goes nowhere.
    pub fn set_unseen(&mut self, error: CudaError, site: Site) {
        self.unseen.push(Unseen { error, site });
    }

    /// The error that lost the context.
    pub fn sticky(&self) -> Option<CudaError> {
        self.sticky
    }

    /// The last error, forgotten unless it is sticky.
    pub fn take(&mut self) -> Option<CudaError> {
        let last = self.peek();
        self.last = self.sticky;
        last
    }

    /// The last error.
    pub fn peek(&mut self) -> Option<CudaError> {
        self.unseen.clear();
        self.last
    }

    /// Errors that nobody looked at.
    pub fn unseen(&self) -> &[Unseen] {
        &self.unseen
    }

    /// `cudaDeviceReset` makes a new context.
    pub fn reset(&mut self) {
        self.sticky = None;
        self.last = None;
    }
}
