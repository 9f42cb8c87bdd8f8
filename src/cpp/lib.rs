//! Analyses C++ source text without compiling it: comments and code, functions, kernels, loops and barriers,
//! and the demangling of names.
//!
//! It is written from scratch because it must handle texts that do not compile yet, report columns, and build
//! with Rust alone, whereas libclang and tree-sitter need a C compiler or a system library.
//!
//! ```text
//! passages ── blank ── tokens ┬─ functions ─ macros
//!                             └─ statements ─ branches ─ barriers ─ threads ─ declarations
//! ```
//!
//! A [`Source`] is parsed once, and only as far as needed. No text is rejected: what cannot be parsed yields
//! no result rather than a wrong one.

mod barriers;
mod blank;
mod branches;
mod calls;
mod conditions;
mod declarations;
mod definitions;
mod device_variables;
mod directives;
mod end_of_code;
mod functions;
mod highlight;
mod lines;
mod local_arrays;
mod macros;
mod members;
mod names;
mod operators;
mod passages;
mod private_arrays;
mod returns;
mod scopes;
mod source;
mod statements;
mod threads;
mod tokens;
mod types;
mod vocabulary;
mod words;

pub use blank::{comments, uncommented, with_word, with_words, without_directives};
pub use branches::Branch;
pub use calls::Launch;
pub use conditions::predefine;
pub use declarations::{Declared, DeclaredArray};
pub use definitions::{Definition, Include};
pub use device_variables::VariableUse;
pub use end_of_code::end_of_code;
pub use functions::{Function, Space};
pub use highlight::{Highlight, highlight};
pub use local_arrays::LocalArray;
pub use members::Member;
pub use names::{DEVICE, base_name, counted_name, source_name};
pub use operators::{assigned, changes, operator};
pub use private_arrays::PrivateArray;
pub use scopes::Scope;
pub use source::Source;
pub use statements::Loop;
pub use tokens::Tokens;
pub use types::{NumberKind, NumberType, vector_bytes};
pub use vocabulary::{Family, Library, Wanted};
pub use words::{closing, comma_separated, is_name_char, names, place, uses};
