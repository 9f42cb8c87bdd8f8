//! Fetches wheels from the Python package index: with the user's own pip, so that mirrors, proxies and
//! certificates configured for it work here too; without pip, over HTTPS directly.

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

/// The means of fetching wheels on this machine.
#[derive(Clone, Debug)]
pub enum Source {
    Pip(Pip),
    Index(Index),
}

impl Source {
    /// Returns pip if it is installed, otherwise the package index itself.
    pub fn find() -> Source {
        Pip::find().map_or_else(|| Source::Index(Index::from_environment()), Source::Pip)
    }

    /// Returns the command or the address, for display.
    pub fn shown(&self) -> String {
        match self {
            Source::Pip(pip) => pip.shown(),
            Source::Index(index) => index.shown(),
        }
    }

    /// Downloads the wheels of `release` into `folder`, each under its file name. The data of an interrupted
    /// download is kept in `partial`, from which the source can resume.
    ///
    /// # Errors
    ///
    /// Fails with one sentence on the reason, and what to do.
    pub fn download(&self, wheels: &[Wheel], release: &Release, partial: &Path, folder: &Path) -> Result<()> {
        let title = release.compiler.title;
        match self {
            Source::Pip(pip) => pip.download(wheels, release.pip_platform, title, folder),
            Source::Index(index) => index.download(wheels, title, partial, folder),
        }
    }
}
