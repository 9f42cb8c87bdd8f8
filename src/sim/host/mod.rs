//! The host half of a CUDA program: functions of a module run as one thread, on scalars.
//!
//! NVRTC compiles a whole program to PTX; every function that is not a kernel is host code. Host code is
//! decoded a second time, from the instructions that [`lower`](super::lower) produced into operations on a
//! frame of bytes, and is interpreted here. Functions that the program declares but does not define, and memory
//! that is not the thread's own, are provided by the [`Environment`].
//!
//! - `op`, `decode`: operations, and how instructions are decoded into them.
//! - `run`, `call`, `access`: the interpreter's loop over operations, and its longer parts.
//! - `compiled`: loops and functions as machine code, if an emitter is given.
//! - `sweep`: loops that fill or copy memory, many iterations at a time.
//! - `division`: integer divisions that make a processor raise an exception.
//! - `undefined`: uninitialised values, followed until they have an effect.
//! - `memory`: globals, heap and stack, with a check of every access.
//! - `variables`: which variables are used by kernels and which by host code.
//! - `findings`: faults as findings in the learner's terms.

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
pub use sweep::BulkWork;
pub use thread::{HostLimits, HostThread};
