//! The environment variables by which users change what gpulearn does: this crate has them because all that read them
//! use it. (Variables of other programs, such as `CUDA_PATH` or `CI`, are read where they matter.)

use std::env;
use std::ffi::OsString;

/// The image of the container that commands run in where there is no compiler. On macOS it replaces the default image;
/// elsewhere, setting it enables the container.
pub const CONTAINER: &str = "GPULEARN_CONTAINER";
/// The package index from which NVIDIA's compiler is fetched, in place of PyPI.
pub const INDEX_URL: &str = "GPULEARN_INDEX_URL";
/// A folder of lessons, like `--lessons`.
pub const LESSONS: &str = "GPULEARN_LESSONS";
/// Folders in which cuBLAS, cuDNN, cuFFT and NCCL are looked for first, separated as in `PATH`.
pub const LIBRARIES: &str = "GPULEARN_LIBRARIES";
/// When kernels, and loops and functions of host code, are compiled to machine code: `hot` (the default), once much
/// time is spent in them; `always`, before they run; or `never`.
pub const MACHINE_CODE: &str = "GPULEARN_MACHINE_CODE";
/// The libnvrtc to use, or a folder with one.
pub const NVRTC: &str = "GPULEARN_NVRTC";
/// The gpulearn that worker processes are started from, for a program that has this one built in: a worker must be a
/// gpulearn of the same version.
pub const WORKER: &str = "GPULEARN_WORKER";

/// Returns the value of a variable; an empty one counts as unset.
pub fn value(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}
