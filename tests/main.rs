//! One binary for every test that stands outside the crate: a module a subject. Cases that are files are in
//! `cases.rs`.

mod author;
mod book;
mod browser;
mod cli;
mod engine;
mod grade;
mod html;
mod judge;
mod machine;
mod nvrtc;
mod ptx;
mod report;
mod timing;
mod view;

use gpulearn::compiler::Compiler;
use std::path::PathBuf;

/// The compiler of this machine for tests of what comes after it: what any test compiled before from the same text is
/// not compiled again.
fn compiler() -> Compiler {
    nvrtc::compiler().with_results(Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compiled")))
}
