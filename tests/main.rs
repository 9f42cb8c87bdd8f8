//! One binary for every test that stands outside the crate: a module a subject.

mod author;
mod cli;
mod engine;
mod gpu;
mod grade;
mod host;
mod judge;
mod machine;
mod nvrtc;
mod program;
mod program_cpp;
mod program_headers;
mod ptx;
mod report;
mod sim;
mod timing;
