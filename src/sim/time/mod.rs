//! A model of how long a kernel would take on a GPU, based on the counts of its simulated run.
//!
//! - [`Gpu`]: the constants of one GPU.
//! - [`KernelWork`]: what is known about a launch; [`duration()`] turns it into a [`Modelled`] duration.
//! - [`BlockCost`], [`rates`]: what a block demands of the GPU, and how fast the blocks of several concurrent kernels
//!   progress. A scheduler of concurrent kernels uses the same rule as [`duration()`], so that a kernel running alone
//!   takes as long in both.
//!
//! The figures are a model's: deterministic, and meaningful in their order and ratios rather than to the microsecond.

mod bound;
mod cost;
mod duration;
mod gpu;
mod share;

pub use bound::Bound;
pub use cost::{BlockCost, Demand, SmResources};
pub use duration::{KernelWork, Modelled, duration, wait_cycles};
pub use gpu::{AtomicRates, Gpu, Latencies, MatrixRates, ResultRates};
pub use share::{Running, rates};
