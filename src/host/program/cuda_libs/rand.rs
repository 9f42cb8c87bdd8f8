//! The statuses with which cuRAND, which the headers implement, refuses calls.

use crate::program::call::{Done, Refusal, calls};
use crate::program::runtime::errors::Status;
use sim::Request;

const LAUNCH_FAILURE: i32 = 201;

/// Returns the name and the meaning of a status that is an error.
fn describe_status(status: i32) -> Status {
    let (name, text) = match status {
        101 => ("CURAND_STATUS_NOT_INITIALIZED", "the generator was not created"),
        102 => ("CURAND_STATUS_ALLOCATION_FAILED", "memory could not be allocated"),
        103 => ("CURAND_STATUS_TYPE_ERROR", "the generator is of the wrong type"),
        104 => ("CURAND_STATUS_OUT_OF_RANGE", "an argument is out of range"),
        105 => (
            "CURAND_STATUS_LENGTH_NOT_MULTIPLE",
            "the length is not a multiple of what is generated at a time",
        ),
        LAUNCH_FAILURE => ("CURAND_STATUS_LAUNCH_FAILURE", "a kernel could not be launched"),
        202 => ("CURAND_STATUS_PREEXISTING_FAILURE", "an earlier call to CUDA had failed"),
        203 => ("CURAND_STATUS_INITIALIZATION_FAILED", "CUDA could not be initialised"),
        _ => ("CURAND_STATUS_INTERNAL_ERROR", "an internal operation failed"),
    };
    Status { name, text }
}

calls! {
    refusals(describe_status, LAUNCH_FAILURE);

    /// Returns the status, with which the named function of cuRAND refuses a call.
    fn __gpulearn_curand_refuses(call, function: u64, status: i32) -> Done {
        call.site.what = Request::Call(call.string(function)?.as_str().into());
        Err(Refusal::Status(status))
    }
}
