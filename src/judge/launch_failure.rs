//! Why a launch has no result.

use sim::{CudaError, LaunchRefusal};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchFailure {
    /// It could not begin.
    Refused(LaunchRefusal),
    /// A GPU reports an error; the meaning is in the driver's words.
    OnGpu { error: CudaError, meaning: String },
    /// The same, while the launch was timed.
    Timed { error: CudaError, meaning: String },
    /// The same, in a whole program, which this GPU then ran no further.
    Lost { gpu: String, error: CudaError, said: String },
    /// On a GPU, a thread wrote so many bytes before a buffer, or after it.
    Stray { buffer: String, bytes: u64, before: bool },
    /// On a GPU, a thread wrote to a buffer that is read-only.
    WroteReadOnly { buffer: String },
}

impl LaunchFailure {
    /// Returns CUDA's name for the error.
    pub fn name(&self) -> &'static str {
        match self {
            LaunchFailure::Refused(refused) => refused.error().name(),
            LaunchFailure::OnGpu { error, .. } | LaunchFailure::Lost { error, .. } => error.name(),
            LaunchFailure::Timed { .. } => CudaError::LaunchFailure.name(),
            LaunchFailure::Stray { .. } | LaunchFailure::WroteReadOnly { .. } => {
                CudaError::IllegalAddress.name()
            }
        }
    }
}
