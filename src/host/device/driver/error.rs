//! Maps results of the driver to errors of the CUDA runtime, or to faults of the machine.

use crate::device::{CudaError, Failure};
use gpu::{Cause, Failed, FailedBy, NOT_FOUND};

/// Returns the failure that a program observes for a failed driver call. From 100 on, and for the first few
/// numbers, the error numbers of `cuda.h` are those of the runtime; errors that only the driver has become
/// `cudaErrorUnknown`.
pub fn failure(failed: &Failed) -> Failure {
    let code = match failed.by {
        FailedBy::UnknownKernel => return Failure::Cuda(CudaError::InvalidDeviceFunction),
        FailedBy::Driver(NOT_FOUND) => return Failure::Cuda(CudaError::InvalidSymbol),
        FailedBy::Driver(code) => code,
        FailedBy::Library | FailedBy::Other => {
            return Failure::Environment(failed.clone().gpu_error().into());
        }
    };
    let gpu_error = failed.clone().gpu_error();
    match gpu_error.cause {
        Cause::DriverTooOld | Cause::Taken | Cause::WrongCode | Cause::Lost | Cause::NoPermission => {
            Failure::Environment(gpu_error.into())
        }
        _ => {
            let number = i32::try_from(code).unwrap_or(i32::MAX);
            Failure::Cuda(CudaError::numbered(number).unwrap_or(CudaError::Unknown))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(by: FailedBy) -> Failure {
        failure(&Failed { call: "cuInit".into(), by, said: "said".into() })
    }

    fn error(code: u32) -> Option<CudaError> {
        if let Failure::Cuda(error) = of(FailedBy::Driver(code)) { Some(error) } else { None }
    }

    #[test]
    fn what_a_program_did_is_its_own() {
        for (code, want) in [
            (1, CudaError::InvalidValue),
            (2, CudaError::MemoryAllocation),
            (400, CudaError::InvalidResourceHandle),
            (600, CudaError::NotReady),
            (700, CudaError::IllegalAddress),
            (710, CudaError::Assert),
            (719, CudaError::LaunchFailure),
            (720, CudaError::CooperativeLaunchTooLarge),
            (12_345, CudaError::Unknown),
        ] {
            assert_eq!(error(code), Some(want), "{code}");
        }
        assert_eq!(error(NOT_FOUND), Some(CudaError::InvalidSymbol));
        assert!(matches!(of(FailedBy::UnknownKernel), Failure::Cuda(CudaError::InvalidDeviceFunction)));
    }

    #[test]
    fn what_the_machine_lacks_is_no_error_of_the_program() {
        // Machine code for another GPU, uncorrectable ECC error, device in use.
        for by in [209, 214, 46].map(FailedBy::Driver).into_iter().chain([FailedBy::Library, FailedBy::Other])
        {
            assert!(matches!(of(by), Failure::Environment(_)), "{by:?}");
        }
    }
}
