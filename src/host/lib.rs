//! Whole CUDA programs, and the GPUs that they ask.
//!
//! - [`device`]: what a program may ask of GPUs, answered by the simulator or by NVIDIA's driver.
//! - [`program`]: the host thread of a program, and the CUDA runtime and C library as it sees them.

pub mod device;
pub mod program;
