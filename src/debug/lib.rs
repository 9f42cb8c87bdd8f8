//! A debugger for one block, based on a recording of its run: it steps back as well as forward.
//!
//! - [`Program`]: kernels as compiled for debugging, with their variables.
//! - [`Session`]: the position in the recording, the followed warp and the breakpoints; and the state there:
//!   where lanes are, which ones wait at a barrier, where a warp diverges.
//! - [`Expression`]: what can be printed: variables, elements and arithmetic with them, for each lane.
//! - [`Walk`]: the whole run line by line, for pages.
//! - `variables`, `sections`: DWARF, as it is embedded in PTX.
//!
//! This crate provides facts; callers turn them into sentences.

mod evaluate;
mod expression;
mod program;
mod sections;
mod session;
mod value;
mod variables;
mod walk;

pub use expression::{Expression, ExpressionError};
pub use program::{MemoryArray, Program};
pub use session::{Breakpoint, Group, LanePlace, LaneState, NoBreakpoint, Session, Stop};
pub use value::{Shown, Value};
pub use variables::{Member, Type, Variable, Variables};
pub use walk::{MAX_SHARED, Walk, WalkStop};
