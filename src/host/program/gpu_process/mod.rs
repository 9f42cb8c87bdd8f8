//! A program on the GPUs of this machine, in a process of its own.
//!
//! A kernel may hang, and an error may spoil the contexts of the process that launched it. So the whole
//! run, the host's part and the driver, is in one worker, which is this binary again: calls of the
//! driver cost what they cost any program, and at its deadline the worker is killed. It is given the
//! program as compiled, and sends what is printed as it comes, then what the run came to.
//!
//! The host's part runs on our own engine there as here, with the same limits: nothing in a program
//! reaches this machine but through calls that we answer. Its kernels are machine code on the GPU.

mod message;
mod parent;
pub mod worker;

pub use parent::{Finished, GpuJob, Work, run};
