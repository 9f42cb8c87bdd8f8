//! Runs a program on the GPUs of this machine, in a process of its own.
//!
//! A kernel may hang, and an error may corrupt the contexts of the process that launched it. So the whole
//! run, host code and driver, takes place in one worker process, which is this binary again: calls to the
//! driver cost what they cost any program, and at its deadline the worker is killed. The worker is given the
//! compiled program; it sends what is printed as it comes, and finally the result of the run.
//!
//! The host code runs on our own engine in the worker as well, under the same limits: a program
//! reaches this machine only through calls that we implement. Its kernels are machine code on the GPU.

mod message;
mod parent;
pub mod worker;

pub use message::Work;
pub use parent::{Finished, GpuJob, run};
