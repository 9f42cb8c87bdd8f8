//! Asking for errors.

use crate::device::CudaError;
use crate::program::call::calls;

fn number(error: Option<CudaError>) -> i32 {
    error.map_or(0, CudaError::number)
}

calls! {
    /// The last error, which is then forgotten unless the context is lost.
    fn cudaGetLastError(call) -> i32 {
        Ok(number(call.runtime.errors.take()))
    }

    /// The last error, which stays.
    fn cudaPeekAtLastError(call) -> i32 {
        Ok(number(call.runtime.errors.peek()))
    }

    /// The description of an error.
    fn cudaGetErrorString(call, error: i32) -> u64 {
        call.text(match error {
            0 => "no error",
            error => CudaError::numbered(error).map_or("unrecognized error code", CudaError::text),
        })
    }

    /// The name of an error.
    fn cudaGetErrorName(call, error: i32) -> u64 {
        call.text(match error {
            0 => "cudaSuccess",
            error => CudaError::numbered(error).map_or("unrecognized error code", CudaError::name),
        })
    }
}
