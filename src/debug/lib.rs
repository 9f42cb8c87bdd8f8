//! A debugger of one block over its recorded run: it goes back as it goes forward.
//!
//! - [`Program`]: kernels as they were compiled for debugging, with their variables.
//! - [`Session`]: where in the recording one is, which warp one follows, breakpoints; and what there is to see: where
//!   lanes are, who waits at a barrier, where a warp parts.
//! - [`Expression`]: what can be printed: variables, elements, arithmetic with them, for each lane.
//! - [`Walk`]: the whole run line by line, for pages.
//! - `variables`, `sections`: DWARF, as the PTX has it.
//!
//! What is seen are facts: sentences are made of them by whoever shows them.

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
pub use session::{Breakpoint, Group, NoBreakpoint, Place as LanePlace, Session, Stop, Way};
pub use value::{Shown, Value};
pub use variables::{Member, Type, Variable, Variables};
pub use walk::{MOST_SHARED, Walk, WalkStop};
