//! Reading C++ as it is written, without compiling it: what is comment and what is code, functions,
//! kernels, loops and barriers, the names that a compiler makes of others.
//!
//! Our own: it reads texts that do not compile yet, by their columns, and builds with Rust alone, where libclang and
//! tree-sitter want a C compiler or a library of the system's.
//!
//! ```text
//! passages ── blank ── tokens ┬─ functions ─ macros
//!                             └─ statements ─ branches ─ barriers ─ threads ─ declarations
//! ```
//!
//! A [`Source`] is read once, and only as far as it is asked. No text is refused: what can't be
//! followed says nothing rather than something wrong.

mod barriers;
mod blank;
mod branches;
mod declarations;
mod end_of_code;
mod functions;
mod highlight;
mod lines;
mod macros;
mod names;
mod passages;
mod private_arrays;
mod returns;
mod scopes;
mod source;
mod statements;
mod threads;
mod tokens;
mod words;

pub use blank::{comments, uncommented, with_word, without_directives};
pub use branches::Branch;
pub use declarations::DeclaredArray;
pub use end_of_code::end_of_code;
pub use functions::{Function, Space};
pub use highlight::{Highlight, highlight};
pub use names::{DEVICE, counted_name, source_name};
pub use private_arrays::PrivateArray;
pub use scopes::Scope;
pub use source::Source;
pub use statements::Loop;
pub use tokens::Tokens;
pub use words::{is_name_char, names, place};
