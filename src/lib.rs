//! gpulearn: learn CUDA by solving it, on any machine.
//!
//! # Layers
//!
//! A layer uses only those above it in this list. A test reads the imports and holds this.
//!
//! - [`ptx`]: PTX text to a typed tree with spans and source lines.
//! - [`sim`]: runs kernels on the CPU and sees what a GPU hides. `ptx` and `sim` use the standard
//!   library alone and build with `--no-default-features`.
//! - [`cpp`]: reads C++ without compiling it: what is code, functions, loops, barriers, names.
//! - [`nvrtc`]: the compiler, in a sandboxed worker process.
//! - [`gpu`]: the real GPU, through cudarc.
//! - [`device`]: what a program may ask of GPUs, answered by `sim` or `gpu`.
//! - [`program`]: whole CUDA programs: the host thread, and the CUDA runtime as it sees it.
//! - [`course`]: lessons, the learner's workspace, progress.
//! - [`judge`]: inputs, references, comparison, bars, verdict.
//! - [`bench`]: timing on a GPU, limits of a card, the time model on lessons.
//! - [`report`]: terminal text and JSON: pure functions of results.
//! - [`author`]: proving and scaffolding lessons.
//! - [`cli`]: one file a command.
//!
//! # Invariants
//!
//! - Three outcomes never mix: a finding (the learner's), unsupported (ours), an error (the
//!   environment's).
//! - The same inputs and seed give the same verdict and counts on any number of host threads.
//! - A figure of a model is called modelled.

pub mod ptx;
pub mod sim;

#[cfg(feature = "tool")]
pub mod author;
#[cfg(feature = "tool")]
pub mod bench;
#[cfg(feature = "tool")]
pub mod cli;
#[cfg(feature = "tool")]
pub mod course;
#[cfg(feature = "tool")]
pub mod cpp;
#[cfg(feature = "tool")]
pub mod device;
#[cfg(feature = "tool")]
pub mod gpu;
#[cfg(feature = "tool")]
pub mod judge;
#[cfg(feature = "tool")]
pub mod nvrtc;
#[cfg(feature = "tool")]
pub mod program;
#[cfg(feature = "tool")]
pub mod report;
