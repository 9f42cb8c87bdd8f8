//! Reasons why a GPU could not be used, described for people; and errors caused by a kernel itself.

use super::protocol::{Failed, FailedBy};
use compiler::escape::escape;
use std::fmt;

/// The reason why the GPU is not available: a fault of the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuError {
    pub cause: Cause,
    /// Message of the driver or the system; empty if there is none.
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The system is not Linux.
    OtherSystem,
    /// There is no kernel driver.
    NoDriver,
    /// The kernel driver is present, but not the library.
    NoLibrary,
    DriverTooOld,
    NoPermission,
    /// There is a driver, but no GPU that it exposes to us.
    NoDevice,
    /// Another process has exclusive use of the GPU.
    Taken,
    OutOfMemory,
    /// The GPU fell off the bus or reported memory errors.
    Lost,
    /// The code was compiled for another GPU.
    WrongCode,
    /// The worker did not start, or died.
    Worker,
    Other,
}

impl GpuError {
    pub fn new(cause: Cause, detail: impl Into<String>) -> GpuError {
        GpuError { cause, detail: detail.into() }
    }

    /// Returns what happened, and what to do about it.
    fn sentences(&self) -> (&'static str, &'static str) {
        match self.cause {
            Cause::OtherSystem => (
                "GPUs are only used on Linux (on Windows: inside WSL)",
                "kernels run on the simulator here, with --backend sim or without that option",
            ),
            Cause::NoDriver => (
                "there is no NVIDIA driver",
                "install one, or give the container access to the GPUs (docker run --gpus all); --backend sim needs none",
            ),
            Cause::NoLibrary => (
                "there is an NVIDIA driver, but not its library libcuda.so.1",
                "in a container, request it (docker run --gpus all, NVIDIA_DRIVER_CAPABILITIES=compute); otherwise \
                 reinstall the driver",
            ),
            Cause::DriverTooOld => {
                ("the NVIDIA driver is too old", "update it to release 525 or newer, which supports CUDA 12")
            }
            Cause::NoPermission => (
                "this user is not allowed to use the GPU",
                "check who may open /dev/nvidia* (ls -l), and this user's groups",
            ),
            Cause::NoDevice => (
                "the NVIDIA driver reports no GPU",
                "check nvidia-smi, and CUDA_VISIBLE_DEVICES, which may hide it",
            ),
            Cause::Taken => {
                ("another process has exclusive use of the GPU", "see which with nvidia-smi, and try again")
            }
            Cause::OutOfMemory => (
                "the GPU does not have enough free memory",
                "see what uses it with nvidia-smi, and try again",
            ),
            Cause::Lost => (
                "the GPU was lost while it ran",
                "check nvidia-smi and the system's log (dmesg, Xid); a reboot may be needed",
            ),
            Cause::WrongCode => (
                "the driver rejects the code that was compiled for this GPU",
                "report this with the output of gpulearn doctor; --backend sim works without it",
            ),
            Cause::Worker => ("the process that runs kernels failed", "try again; gpulearn doctor says more"),
            Cause::Other => ("the GPU cannot be used", "see what gpulearn doctor and nvidia-smi say"),
        }
    }

    /// Returns what happened, without the advice.
    pub fn what(&self) -> String {
        let (what, _) = self.sentences();
        if self.detail.is_empty() { what.to_owned() } else { format!("{what} ({})", self.detail) }
    }

    /// Returns what to do about it.
    pub fn action(&self) -> &'static str {
        self.sentences().1
    }

    /// Creates the error for a result of the driver, given by its number in `cuda.h`.
    pub fn of_result(code: u32, detail: impl Into<String>) -> GpuError {
        GpuError::new(
            match code {
                2 => Cause::OutOfMemory,
                // 804: the driver is older than a compatibility library that came with a container.
                34 | 35 | 803 | 804 => Cause::DriverTooOld,
                100 | 101 => Cause::NoDevice,
                46 => Cause::Taken,
                200 | 209 | 218 | 222 => Cause::WrongCode,
                214 | 220 | 221 | 226 => Cause::Lost,
                304 | 800 | 802 => Cause::NoPermission,
                _ => Cause::Other,
            },
            detail,
        )
    }
}

impl Failed {
    /// Converts a failed call that is the machine's fault.
    pub fn gpu_error(self) -> GpuError {
        let detail = escape(&format!("{}: {}", self.call, self.said));
        match (self.by, self.by.code()) {
            (FailedBy::Library, _) => GpuError::new(Cause::NoLibrary, escape(&self.said)),
            (_, Some(code)) => GpuError::of_result(code, detail),
            (_, None) => GpuError::new(Cause::Other, detail),
        }
    }
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what(), self.action())
    }
}

impl std::error::Error for GpuError {}

/// A launch that failed because of what its kernel did or its launch parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelError {
    /// The number in `cuda.h`, and of the error in the runtime API.
    pub code: u32,
    pub meaning: &'static str,
}

/// Our code for a kernel that was killed: the one CUDA returns when a display's watchdog ends a kernel.
pub const TIMED_OUT: u32 = 702;

const KERNEL_ERRORS: &[KernelError] = &[
    row(1, "the launch passes something that the kernel or the GPU does not accept"),
    row(9, "this GPU cannot run blocks or grids of that size"),
    row(98, "the kernel is not in the code that was loaded"),
    row(500, "the kernel is not in the code that was loaded"),
    row(700, "a thread accessed memory that is not there"),
    row(701, "a block needs more registers or shared memory than there are"),
    row(TIMED_OUT, "the kernel did not end in time and was killed"),
    row(710, "an assertion failed"),
    row(714, "a thread's stack overflowed"),
    row(715, "a thread ran into a trap or an illegal instruction"),
    row(716, "a thread accessed an address that is not a multiple of the access size"),
    row(717, "a thread treated memory of one kind as memory of another"),
    row(718, "a thread jumped to where there is no code"),
    row(719, "a thread trapped or failed in a way that the GPU does not name"),
    row(720, "the blocks do not all fit on the GPU at once"),
];

const fn row(code: u32, meaning: &'static str) -> KernelError {
    KernelError { code, meaning }
}

impl KernelError {
    /// Returns the kernel error for a result of the driver; `None` if the kernel did not cause it.
    pub fn of(code: u32) -> Option<KernelError> {
        KERNEL_ERRORS.iter().find(|row| row.code == code).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_says_what_to_do() {
        for code in 0..1000 {
            let gpu_error = GpuError::of_result(code, "said");
            assert!(
                gpu_error.to_string().starts_with(&gpu_error.what()) && gpu_error.what().contains("(said)")
            );
            assert!(gpu_error.action().len() > 20 && !gpu_error.action().ends_with('.'));
        }
        assert_eq!(GpuError::of_result(100, "").cause, Cause::NoDevice);
        assert_eq!(GpuError::of_result(804, "").cause, Cause::DriverTooOld);
    }

    #[test]
    fn what_a_kernel_does_is_no_fault_of_the_machine() {
        for row in KERNEL_ERRORS {
            assert_eq!(KernelError::of(row.code), Some(*row));
            assert_eq!(GpuError::of_result(row.code, "").cause, Cause::Other, "{}", row.meaning);
        }
        // Memory errors of the hardware, a GPU that fell off the bus, no device, out of memory.
        for code in [214, 226, 100, 2] {
            assert_eq!(KernelError::of(code), None);
        }
    }
}
