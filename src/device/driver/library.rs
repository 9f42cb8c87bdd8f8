//! Numerical libraries.

use super::Real;
use crate::device::{DeviceId, Failure, Library, Site};
use crate::gpu::direct::Stream;

/// What was made of the libraries.
#[derive(Default)]
pub struct Libraries {}

impl Libraries {
    /// A device's context is gone, and what was made in it.
    pub fn forget(&mut self, _device: DeviceId) {}
}

impl Real {
    pub(super) fn call_library(&mut self, library: Library, _stream: Stream) -> Result<(), Failure> {
        let name = match library {
            Library::Blas(_) => "cuBLAS",
            Library::Convolution(_) => "cuDNN",
            Library::Collective(_) => "NCCL",
        };
        let what = format!("{name} on a GPU");
        Err(Failure::Unsupported { what, line: None })
    }

    pub(super) fn nothing_half_begun(&mut self, _site: &Site) -> Result<(), Failure> {
        Ok(())
    }
}
