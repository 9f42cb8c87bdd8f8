//! Runs whole CUDA programs: host code and kernels in one file.
//!
//! The compiler turns host code and kernels into PTX separately, and `linked` joins the two into one
//! module; `compile` drives this, and `rewriting` edits the source where NVRTC refuses what nvcc accepts.
//! `sim::host` executes the host code as a single thread. The functions which that thread calls are
//! implemented here: the C library in `libc`, the CUDA runtime in `runtime`, and cuBLAS, cuDNN, cuFFT and
//! NCCL in `cuda_libs`. Whatever they need of GPUs goes to [`crate::device::Gpus`]. On the GPUs of this
//! machine a program runs in a process of its own (`gpu_process`).
//!
//! The headers that programs include are written for this tool; `tests` hold that each function which they declare has a row.

pub mod call;
mod called_kernels;
mod compile;
mod compiled_program;
mod compound_literals;
pub mod cuda_libs;
mod device_variables;
mod divisions;
mod edits;
mod exceptions;
mod frames;
mod gpu_limits;
pub mod gpu_process;
mod handlers;
mod host;
mod host_members;
mod initialisers;
mod invoke;
mod kernels_alone;
mod lacking_names;
pub mod libc;
mod linked;
mod local_arrays;
mod module_items;
mod objects;
mod rewriting;
mod run;
pub mod runtime;
mod short_calls;
pub mod source;
mod statement_expressions;
#[cfg(test)]
mod tests;
pub mod thread;
mod thread_locals;
pub mod undefined;
mod variable_arrays;

pub use self::libc::{Channel, Input, ReadableFiles, Sink, WrittenFile, waits_for_input};
pub use compile::{CompileFailure, compile, compile_for_debugging, includes_newer_cub};
pub use compiled_program::{HostFunction, Program};
pub use gpu_limits::GpuLimits;
pub use host::Control;
pub use invoke::{BufferAfter, CallArg, CallBuffer, Invocation, InvocationResult, MemoryKind, invoke};
pub use run::{Exit, Ran, Settings, run};
pub use runtime::{MemoryUse, Range, in_use, peak};
