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
