//! gpulearn: learn CUDA by solving it, on any machine.
//!
//! # Crates
//!
//! Each is a folder here, and depends only on those above it in this list, which Cargo enforces.
//!
//! - [`ptx`]: parses PTX text into a typed tree with spans and source lines.
//! - [`sim`]: runs kernels on the CPU and detects what a GPU hides. `ptx` and `sim` depend on the standard
//!   library only.
//! - [`cpp`]: analyses C++ source without compiling it: code and comments, functions, loops, barriers, names.
//! - [`compiler`]: NVRTC, found or fetched, in a sandboxed worker process.
//! - [`gpu`]: the real GPU, through cudarc.
//! - [`jit`]: compiles kernels, and loops and functions of host code, to machine code for `sim`.
//! - [`host`]: [`device`](host::device), the operations that a program may request of GPUs, implemented by `sim`
//!   or `gpu`; [`program`](host::program), whole CUDA programs: the host thread and the CUDA runtime API that it
//!   calls.
//! - [`judge`]: inputs, references, comparison, bars, verdict; [`course`](judge::course), lessons and the
//!   learner's workspace; [`bench`](judge::bench), timing on a GPU, limits of a card, the time model applied to
//!   lessons.
//! - [`debug`]: inspects a recorded block: variables, breakpoints, steps forward and back.
//! - [`picture`]: drawings as data, rendered as text and as SVG.
//! - [`book`]: the course as a static site.
//! - [`report`]: what results look like: terminal text, JSON, JUnit, and traces for Perfetto and browsers (`trace`);
//!   pure functions of results, one module per form.
//! - [`view`]: a run as one HTML page.
//! - [`grade`]: a class: submissions, marks, and the reports on them; `emit` has one module per form: CSV files,
//!   SARIF, code quality for GitLab, Gradescope, CodeRunner, pages for students.
//! - this crate: [`author`], proving and scaffolding lessons; [`cli`], one module per command; [`lessons`], the
//!   embedded course.
//!
//! # Invariants
//!
//! - Three outcomes never mix: a finding (the learner's fault), unsupported (this tool's fault), an error (the
//!   environment's fault).
//! - The same inputs and seed give the same verdict and counts on any number of host threads.
//! - A figure that comes from a model is called modelled.

pub use {book, compiler, cpp, debug, gpu, grade, host, jit, judge, picture, ptx, report, sim, view};

pub mod author;
pub mod cli;
pub mod lessons;
mod machine_memory;
