//! One binary for every test that stands outside the crate: a module a subject.

mod nvrtc;
mod ptx;
