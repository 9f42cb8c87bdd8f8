//! Streams: handles, waiting, and the one way by which work gets to a stream.

use crate::device::{CudaError, Failure, StreamId, Work};
use crate::program::call::{Call, calls};

/// `cudaStreamLegacy` and `cudaStreamPerThread` (`driver_types.h`).
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;

/// Streams by their handles.
#[derive(Debug, Default)]
pub struct Streams {}

impl Call<'_> {
    /// The stream of a handle.
    pub fn stream(&mut self, handle: u64) -> Result<StreamId, Failure> {
        match handle {
            0 | LEGACY | PER_THREAD => Ok(StreamId::legacy(self.runtime.current)),
            _ => Err(CudaError::InvalidResourceHandle.into()),
        }
    }

    /// Gives work to the stream of a handle, or to the graph that it is captured into.
    pub fn submit(&mut self, handle: u64, work: Work) -> Result<(), Failure> {
        let stream = self.stream(handle)?;
        self.ask(|gpus, site, host| gpus.enqueue(stream, work, site, host))
    }
}

calls! {}
