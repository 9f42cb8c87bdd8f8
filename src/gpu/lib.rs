//! The real GPU: the only user of cudarc's driver.
//!
//! ```text
//! presence ── a driver here? ──┐
//!                              ▼
//! Session ═pipe═ worker ── driver (cudarc) ── GPU
//! ```
//!
//! A kernel can hang, or leave its context unusable, so it never runs in this process. The worker is this
//! binary, started again: one worker per check (or, for our own kernels, one worker for several in turn:
//! `workers`). A worker receives machine code and the inputs, and returns the memory that the kernels left,
//! as far as that is requested; it never learns the expected results. Replies travel on a descriptor of their
//! own, separate from what kernels print, and the contents of buffers travel through shared memory
//! (`shared`). A worker is killed at its deadline, and never used again once anything in it has failed.
//!
//! [`library`] has the calls of numerical libraries as data, for whoever executes them.
//!
//! A whole program has a worker to itself, in which its host part runs too (`gpu_process`): it uses the
//! driver through `direct`, at the cost of a function call.

#[cfg(target_os = "linux")]
mod buffer;
pub mod checks;
#[cfg(target_os = "linux")]
pub mod direct;
#[cfg(target_os = "linux")]
mod driver;
mod element_type;
mod error;
#[cfg(target_os = "linux")]
mod failure;
#[cfg(target_os = "linux")]
mod launch;
pub mod library;
mod machine;
#[cfg(target_os = "linux")]
mod nvml;
#[cfg(target_os = "linux")]
mod output;
mod presence;
mod protocol;
#[cfg(target_os = "linux")]
mod serve;
mod session;
mod shared;
#[cfg(target_os = "linux")]
mod timing;
mod transfer;
mod turns;
pub mod worker;
mod workers;

pub use element_type::ElementType;
pub use error::{Cause, GpuError, KernelError};
pub use machine::{DeviceInfo, Machine};
pub use presence::is_present;
pub use protocol::{
    Clocks, Failed, FailedBy, GuardWrite, LaunchRequest, NOT_FOUND, Product, Ran, Side, Timed, Timing,
};
pub use session::worker_command;
pub use session::{Limits, NotRun, Session};
pub use transfer::{Copy, CopyShape, Set};
pub use turns::{ExclusiveTurn, SharedTurn, Turns};
pub use workers::{Pooled, Workers};

/// Returns the GPUs of this machine, as reported by a worker; returns quickly if there is no driver.
///
/// # Errors
///
/// Fails if there is no driver or no GPU, or if the worker fails.
pub fn machine() -> Result<Machine, GpuError> {
    Ok(Session::start(Limits::default())?.machine().clone())
}
