//! Properties of the engine: divergence, host threads, damaged programs.

mod damaged;
mod divergence;
mod host_threads;
mod pieces;
mod program;
mod sampled;
mod unset_values;
