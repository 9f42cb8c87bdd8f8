//! Properties of the engine: divergence, host threads, damaged programs.

mod damaged;
mod divergence;
mod host_threads;
mod program;
mod sampled;
