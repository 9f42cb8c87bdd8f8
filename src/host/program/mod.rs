//! Runs whole CUDA programs: host code and kernels in one file.
//!
//! The compiler makes PTX of host code and of kernels, each by itself, of which one module is made (`compile`, `linked`,
//! and `rewriting` where NVRTC refuses what nvcc takes); `sim::host` runs the host part as one thread, and what that thread calls is answered here: the C library in `libc`, the CUDA runtime in
//! `runtime`, cuBLAS, cuDNN and NCCL in `cuda_libs`. What they ask of GPUs goes to [`crate::device::Gpus`].
//! On the GPUs of this machine a program has a process of its own (`gpu_process`).
//! The headers that programs include are in `headers`, written for this tool.

pub mod call;
mod called_kernels;
mod compile;
pub mod cuda_libs;
mod exceptions;
pub mod gpu_process;
pub mod headers;
mod host;
mod host_members;
mod initialisers;
mod invoke;
mod kernels_alone;
pub mod libc;
mod linked;
mod module_items;
mod objects;
mod rewriting;
mod run;
pub mod runtime;
pub mod source;
pub mod thread;
pub mod undefined;
mod variable_arrays;

pub use self::libc::{Channel, Input, Sink, waits_for_input};
pub use compile::{HostFunction, NEWER_CUB, NoProgram, Program, compile, compile_for_debugging};
pub use host::Control;
pub use invoke::{BufferAfter, CallArg, CallBuffer, Invocation, Invoked, MemoryKind, invoke};
pub use run::{Exit, GpuLimits, Ran, Settings, run};
pub use runtime::{MemoryUse, Range, in_use, peak};
