//! From the PTX tree to decoded instructions.
//!
//! - `module`: variables, functions, kernels and their layout.
//! - `scope`: names to registers, variables, labels.
//! - `function`: statements of a body; the table's arithmetic.
//! - `memory`, `control`, `warp`, `warpgroup`, `compare`, `special`: instructions that are no plain arithmetic.
//! - `path`: what a warp waits for in a basic block.
//! - `assigned`, `undefined`: variables that are read before they have a value.
//! - `fences`: products of a warpgroup that nothing orders behind changes of their registers.
//! - `speculated`: loads that the compiler put in front of their condition.
//! - `update`: reads and writes of one place that are no atomics.
//! - `finish`: basic blocks, hoisting, labels to instruction numbers.
//!
//! One PTX instruction may become several decoded ones; the first carries what is counted.
//! What the simulator lacks becomes an instruction that ends the run as unsupported when it is
//! reached, so that a kernel is not refused for code it never runs.

pub mod bulk;
mod cas_loop_load;
mod compare;
mod control;
pub mod copy_async;
mod critical_path;
mod definite_assignment;
mod fences;
mod finish;
mod function;
mod matrix;
mod mbarrier;
mod memory;
mod module;
mod sass_cost;
mod scope;
mod special;
mod speculated;
mod tensor_copy;
mod undefined;
mod unrolling;
mod update;
mod warp;
mod warpgroup;
mod widened_loads;

pub use definite_assignment::reads_of;
pub use module::lower;
