//! gpulearn: learn CUDA by solving it, on any machine.
//!
//! # Crates
//!
//! Each is a folder here, and uses only those above it in this list: Cargo holds that.
//!
//! - [`ptx`]: PTX text to a typed tree with spans and source lines.
//! - [`sim`]: runs kernels on the CPU and sees what a GPU hides. `ptx` and `sim` use the standard
//!   library alone.
//! - [`cpp`]: reads C++ without compiling it: what is code, functions, loops, barriers, names.
//! - [`compiler`]: NVRTC, found or fetched, in a sandboxed worker process.
//! - [`gpu`]: the real GPU, through cudarc.
//! - [`jit`]: machine code for kernels, and for loops and functions of host code, that `sim` is asked to run.
//! - [`host`]: [`device`](host::device), what a program may ask of GPUs, answered by `sim` or `gpu`;
//!   [`program`](host::program), whole CUDA programs: the host thread, and the CUDA runtime as it sees it.
//! - [`judge`]: inputs, references, comparison, bars, verdict; [`course`](judge::course), lessons and the
//!   learner's workspace; [`bench`](judge::bench), timing on a GPU, limits of a card, the time model on
//!   lessons.
//! - [`debug`]: a recorded block, looked at: variables, breakpoints, steps forward and back.
//! - [`picture`]: drawings as data, put out as text and as SVG.
//! - [`book`]: the course as a static site.
//! - [`report`]: terminal text and JSON: pure functions of results.
//! - [`view`]: a run as one HTML page.
//! - [`grade`]: a class: who handed in what, what it is worth, the reports of it.
//! - this crate: [`author`], proving and scaffolding lessons; [`cli`], one file a command; [`lessons`], the
//!   course inside the program.
//!
//! # Invariants
//!
//! - Three outcomes never mix: a finding (the learner's), unsupported (ours), an error (the
//!   environment's).
//! - The same inputs and seed give the same verdict and counts on any number of host threads.
//! - A figure of a model is called modelled.

pub use {book, compiler, cpp, debug, gpu, grade, host, jit, judge, picture, ptx, report, sim, view};

pub mod author;
pub mod cli;
pub mod lessons;
