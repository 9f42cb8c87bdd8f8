//! Runs whole CUDA programs: their host code, and the GPUs that they use.
//!
//! - [`device`]: the operations a program may request of its GPUs, implemented by the simulator or by
//!   NVIDIA's driver.
//! - [`program`]: the program's host thread, and the CUDA runtime and C library that it calls.

pub mod device;
pub mod program;
