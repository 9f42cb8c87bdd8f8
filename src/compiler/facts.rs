//! Facts about the compiler for a health check. Nothing is fetched.

use super::cache::ResultCache;
use super::fetch::Source;
use super::locate::NotFetched;
use super::paths::{self, bytes_below};
use super::{Compiler, Guarantees, Origin};
use std::fs;
use std::path::{Path, PathBuf};

/// The state of the compiler on this machine.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The compiler in use, or why there is none and what to do about it.
    pub compiler: Result<FoundCompiler, String>,
    /// Size of the files to fetch, if there is no compiler yet and one is available.
    pub to_fetch_bytes: Option<u64>,
    /// Location of our cache, or why there is none.
    pub cache_dir: Result<PathBuf, String>,
    /// The reason why the cache cannot be written, if it cannot.
    pub cache_problem: Option<String>,
    /// Size of the compilers and headers that we installed.
    pub installed_bytes: u64,
    /// Size of the cached results.
    pub results_bytes: u64,
    /// What a compiler would be fetched with: pip's command, or the index; determined only if there is no
    /// compiler.
    pub source: Option<String>,
    pub guarantees: Guarantees,
}

/// A compiler that was found.
#[derive(Clone, Debug)]
pub struct FoundCompiler {
    pub version: (u32, u32),
    pub library: PathBuf,
    pub origin: Origin,
    /// Folders of NVIDIA's headers; empty if they are missing.
    pub include_dirs: Vec<PathBuf>,
}

/// Collects the facts.
pub fn facts() -> Facts {
    let located = Compiler::locate(true);
    let not_fetched = located.as_ref().err().and_then(|error| error.downcast_ref::<NotFetched>());
    let to_fetch_bytes = not_fetched.map(|not_fetched| not_fetched.bytes);
    let compiler = located.map_err(|error| format!("{error:#}")).map(|found| FoundCompiler {
        version: found.version(),
        library: found.library().to_owned(),
        origin: found.origin().clone(),
        include_dirs: found.include_dirs().to_vec(),
    });
    let cache_dir = paths::cache_dir().map_err(|error| format!("{error:#}"));
    let source = compiler.is_err().then(|| Source::find().shown());
    Facts {
        compiler,
        to_fetch_bytes,
        cache_problem: cache_dir.as_ref().ok().and_then(|folder| problem(folder)),
        installed_bytes: paths::compilers_dir().map_or(0, |folder| bytes_below(&folder)),
        results_bytes: paths::results_dir().map_or(0, |folder| ResultCache::in_folder(folder).bytes()),
        cache_dir,
        source,
        guarantees: Compiler::guarantees(),
    }
}

/// Returns why a folder cannot be written, if it cannot; determined by writing to it.
fn problem(folder: &Path) -> Option<String> {
    let made = fs::create_dir_all(folder).and_then(|()| {
        let probe = folder.join(format!(".probe-{}", std::process::id()));
        fs::write(&probe, b"")?;
        fs::remove_file(probe)
    });
    made.err().map(|error| format!("{error}: make it writable, or set XDG_CACHE_HOME to a folder that is"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_written_is_told() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(problem(&file.path().join("below")).unwrap().contains("XDG_CACHE_HOME"));
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(problem(&folder.path().join("new")), None);
        assert_eq!(bytes_below(folder.path()), 0);
        fs::write(folder.path().join("new/a"), "12345").unwrap();
        assert_eq!(bytes_below(folder.path()), 5);
    }
}
