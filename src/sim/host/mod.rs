//! The host half of a CUDA program: functions of a module run as one thread, over scalars.
//!
//! NVRTC compiles a whole program to PTX; what is no kernel is host code. It is decoded a second
//! time, from the instructions that [`lower`](super::lower) made to operations on a frame of bytes,
//! and runs here. What the program declares and does not define, and memory that is not the
//! thread's own, are the [`Environment`]'s.
//!
//! - `op`, `decode`: operations, and how instructions become them.
//! - `run`, `call`, `access`: the loop over operations, and its parts that are not short.
//! - `compiled`: loops and functions as machine code, where somebody makes it.
//! - `sweep`: loops that fill or copy memory, many rounds at once.
//! - `division`: integer divisions that stop a processor.
//! - `undefined`: values from memory that nobody wrote, until they matter.
//! - `memory`: globals, heap and stack, each access checked.
//! - `variables`: which variables kernels and host code use.
//! - `findings`: what is wrong, in the learner's terms.

mod access;
mod call;
pub mod compiled;
mod decode;
mod division;
mod environment;
mod findings;
mod memory;
mod op;
mod run;
mod sweep;
mod thread;
mod undefined;
pub mod variables;

pub(crate) use decode::decode;
pub use environment::{Call, Environment, Stop};
pub use memory::{Fault, FaultKind, HostAllocation, HostBlock, HostBlockKind, HostMemory, mark_at, marked};
pub(crate) use op::HostProgram;
pub use sweep::Swept;
pub use thread::{HostLimits, HostThread};
