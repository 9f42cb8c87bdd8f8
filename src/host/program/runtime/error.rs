//! Calls that query errors.

use crate::device::CudaError;
use crate::program::call::calls;

fn number(error: Option<CudaError>) -> i32 {
    error.map_or(0, CudaError::number)
}

calls! {
    /// Returns and clears the last error; one that destroyed the context comes back with the next call.
    [AsksForError]
    fn cudaGetLastError(call) -> i32 {
        Ok(number(call.runtime.errors.take()))
    }

    /// Returns the last error without clearing it.
    [AsksForError]
    fn cudaPeekAtLastError(call) -> i32 {
        Ok(number(call.runtime.errors.peek()))
    }

    /// Returns the description of an error.
    fn cudaGetErrorString(call, error: i32) -> u64 {
        call.text(match error {
            0 => "no error",
            error => CudaError::numbered(error).map_or("unrecognized error code", CudaError::text),
        })
    }

    /// Returns the name of an error.
    fn cudaGetErrorName(call, error: i32) -> u64 {
        call.text(match error {
            0 => "cudaSuccess",
            error => CudaError::numbered(error).map_or("unrecognized error code", CudaError::name),
        })
    }
}
