//! Failures of calls of the driver.

use super::protocol::{Failed, FailedBy, Result};
use cudarc::driver::sys::{self, CUresult};
use std::ffi::CStr;
use std::ptr;

/// Returns a failure that did not come from the driver.
pub fn failed(call: &str, said: impl Into<String>) -> Failed {
    Failed { call: call.into(), by: FailedBy::Other, said: said.into() }
}

/// Returns a failure as of the driver, with its number in `cuda.h`.
pub fn refused(call: &str, code: u32, said: impl Into<String>) -> Failed {
    Failed { by: FailedBy::Driver(code), ..failed(call, said) }
}

/// Converts a result of the driver.
///
/// # Errors
///
/// Fails unless it is `CUDA_SUCCESS`; the error has its number and its name.
pub fn check(result: CUresult, call: &str) -> Result<()> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let mut name = ptr::null();
    // SAFETY: the driver is loaded since it returned a result; it sets a pointer to a constant string.
    let said = unsafe {
        if sys::cuGetErrorName(result, &mut name) == CUresult::CUDA_SUCCESS && !name.is_null() {
            CStr::from_ptr(name).to_string_lossy().into_owned()
        } else {
            format!("{result:?}")
        }
    };
    Err(refused(call, result as u32, said))
}
