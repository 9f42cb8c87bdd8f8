//! Fetches wheels from the Python package index: with the user's own pip, so that mirrors, proxies and
//! certificates set up for it work here too; where there is none, over HTTPS by ourselves.

mod index;
mod pip;
mod progress;

use super::escape::escape;
use super::wheel::{Release, Wheel};
use anyhow::Result;
use std::path::Path;

pub use index::Index;
pub use pip::Pip;

const WHAT_ELSE: &str = "Or install a CUDA toolkit, 12 or 13, or set GPULEARN_NVRTC to a libnvrtc";

/// What fetches wheels on this machine.
#[derive(Clone, Debug)]
pub enum Source {
    Pip(Pip),
    Index(Index),
}

impl Source {
    /// pip where it is there, else the package index itself.
    pub fn find() -> Source {
        Pip::find().map_or_else(|| Source::Index(Index::from_environment()), Source::Pip)
    }

    /// The command or the address, for people.
    pub fn shown(&self) -> String {
        match self {
            Source::Pip(pip) => pip.shown(),
            Source::Index(index) => index.shown(),
        }
    }

    /// Puts the wheels of `release` into `folder`, each under its file name. What an interrupted download
    /// got so far is kept in `partial`, where the source can go on from there.
    ///
    /// # Errors
    ///
    /// One sentence on why, and what to do.
    pub fn download(&self, wheels: &[Wheel], release: &Release, partial: &Path, folder: &Path) -> Result<()> {
        let title = release.compiler.title;
        match self {
            Source::Pip(pip) => pip.download(wheels, release.pip_platform, title, folder),
            Source::Index(index) => index.download(wheels, title, partial, folder),
        }
    }
}
