//! How long a kernel would take on a GPU: modelled from what it was counted doing.
//!
//! - [`Gpu`]: the constants of one GPU.
//! - [`KernelWork`]: what is known of a launch; [`duration`] makes a [`Modelled`] of it.
//! - [`BlockCost`], [`rates`]: what a block asks of the GPU, and how fast the blocks of several
//!   kernels get on side by side. A scheduler of concurrent kernels uses the same rule as
//!   [`duration`], so that a kernel alone takes as long in both.
//!
//! The figures are a model's: deterministic, and right in their order and ratio rather than to the
//! microsecond.

mod bound;
mod cost;
mod duration;
mod gpu;
mod share;
#[cfg(test)]
mod tests;

pub use bound::Bound;
pub use cost::{BlockCost, Demand, Resource, SmResources};
pub use duration::{KernelWork, Modelled, duration, wait_cycles};
pub use gpu::{AtomicRates, Gpu, Latencies, MatrixRates};
pub use share::{Running, rates};
