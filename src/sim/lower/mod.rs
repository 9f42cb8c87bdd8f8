//! Lowering of the PTX tree to decoded instructions.
//!
//! - `module`: variables, functions, kernels and their layout.
//! - `scope`: resolves names to registers, variables and labels.
//! - `function`: statements of a body; arithmetic by way of the instruction table. `frame`: its registers and its local
//!   memory; `statements`: what a body consists of, and the names in it.
//! - `memory`, `control`, `warp`, `warpgroup`, `matrix`, `mbarrier`, `compare`, `special`, `texture`: instructions that
//!   are not plain arithmetic. `copy_async`, `bulk`, `tensor_copy`: asynchronous copies.
//! - `sass_cost`: what an instruction costs that has no single machine instruction; `critical_path`: what a warp waits
//!   for in a basic block; `unrolling`: loops whose loads are in flight together.
//! - `definite_assignment`, `undefined`: variables that are read before they have a value.
//! - `fences`: warpgroup multiplications that lack a fence after changes of their registers.
//! - `variable_arguments`: functions that take `...`, and their calls.
//! - `speculated`, `widened_loads`: loads that the compiler hoisted above their condition, or widened.
//! - `cas_loop_load`, `verified_load`: plain loads that a compare-and-swap verifies. `data_loads`: volatile and relaxed
//!   loads on which no branch depends.
//! - `own_loads`: loads from where the same function goes on to store.
//! - `update`: non-atomic read-modify-write sequences on one place.
//! - `finish`: basic blocks, hoisting, resolution of labels to instruction numbers.
//!
//! One PTX instruction may become several decoded ones; the first of them is the one that is counted. What the
//! simulator lacks becomes an instruction that ends the run as unsupported when it is reached, so that a kernel is
//! not rejected because of code it never runs.

pub mod bulk;
mod cas_loop_load;
mod compare;
mod control;
pub mod copy_async;
mod critical_path;
mod data_loads;
mod definite_assignment;
mod fences;
mod finish;
mod frame;
mod function;
mod matrix;
mod mbarrier;
mod memory;
mod module;
mod own_loads;
mod sass_cost;
mod scope;
mod special;
mod speculated;
mod statements;
mod tensor_copy;
mod texture;
mod undefined;
mod unrolling;
mod update;
mod variable_arguments;
mod verified_load;
mod warp;
mod warpgroup;
mod widened_loads;

pub use module::lower;
