//! Locates the compiler, or has it fetched. Nothing is loaded; only the file system is inspected.

use super::escape::escape;
use super::fetch::Source;
use super::library::{self, Library};
use super::wheel::{Package, Release};
use super::{environment, install, paths};
use anyhow::{Context, Result, anyhow, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a compiler was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Named by `GPULEARN_NVRTC`.
    Named,
    /// In packages of the Python environment that this program is installed in.
    Environment,
    /// Fetched by us, in our cache.
    Cache,
    /// In a CUDA toolkit with this folder.
    Toolkit(PathBuf),
    /// In a folder that the dynamic loader searches.
    LibraryPath,
}

/// There is no compiler on this machine, and fetching one was forbidden.
#[derive(Clone, Copy, Debug)]
pub struct NotFetched {
    /// Size of the files to fetch.
    pub bytes: u64,
}

impl std::fmt::Display for NotFetched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "there is no CUDA compiler here, and --offline forbids fetching it: run gpulearn once without --offline, or set \
             GPULEARN_NVRTC to the libnvrtc of a CUDA toolkit, 12 or 13",
        )
    }
}

impl std::error::Error for NotFetched {}

/// A compiler with its headers.
#[derive(Clone, Debug)]
pub struct Installation {
    pub library: Library,
    pub include_dirs: Vec<PathBuf>,
    pub origin: Origin,
}

/// Searches `GPULEARN_NVRTC`, the Python environment that this program is installed in, our cache, CUDA
/// toolkits and the loader's folders, in this order; then fetches a compiler, unless `offline`.
///
/// # Errors
///
/// Fails with [`NotFetched`] if there is no compiler and `offline` is set, or if fetching fails.
pub fn locate(offline: bool) -> Result<Installation> {
    let compilers = paths::compilers_dir()?;
    if let Some(found) = find(&compilers)? {
        return Ok(found);
    }
    let partly = elsewhere(&compilers)?;
    let Some(release) = Release::for_this_machine() else {
        // Without NVIDIA's headers a compiler still compiles plain kernels.
        return partly.ok_or_else(not_published);
    };
    let missing = match &partly {
        Some(_) => vec![release.headers],
        None => vec![release.compiler, release.headers],
    };
    if offline {
        let bytes = missing.iter().flat_map(|package| package.wheels).map(|wheel| wheel.bytes).sum();
        return partly.ok_or_else(|| NotFetched { bytes }.into());
    }
    match (fetch(release, &compilers, &missing), partly) {
        (Ok(()), _) => {
            find(&compilers)?.context("the compiler was fetched but cannot be found: report this as a bug")
        }
        // Plain kernels still compile; a source that includes NVIDIA's headers gets an error naming the
        // missing header.
        (Err(error), Some(found)) => {
            eprintln!("CUDA headers are missing: {error}");
            Ok(found)
        }
        (Err(error), None) => Err(error),
    }
}

/// Returns our own compiler of CUDA 12, whatever other compilers there are; fetches it unless `offline`.
///
/// # Errors
///
/// Fails if it is not installed and may not or can't be fetched, or if there is no folder for it.
pub fn fetched(offline: bool) -> Result<Installation> {
    let compilers = paths::compilers_dir()?;
    if let Some(found) = cached(&compilers) {
        return Ok(found);
    }
    let release = Release::for_this_machine().ok_or_else(not_published)?;
    if offline {
        bail!("{} is needed, but --offline forbids fetching it", release.compiler.title);
    }
    fetch(release, &compilers, &[release.compiler, release.headers])?;
    cached(&compilers).context("the compiler was fetched but cannot be found: report this as a bug")
}

fn not_published() -> anyhow::Error {
    anyhow!(
        "NVIDIA publishes no CUDA compiler for {} on {}: use Linux or Windows, or a Linux container or virtual \
         machine on this computer",
        env::consts::OS,
        env::consts::ARCH
    )
}

fn fetch(release: &Release, compilers: &Path, missing: &[Package<'static>]) -> Result<()> {
    let source = Source::find();
    install::install(compilers, missing, &|wheels, folder| {
        source.download(wheels, release, &compilers.join("partial"), folder)
    })
}

/// Returns a compiler that has its headers.
fn find(compilers: &Path) -> Result<Option<Installation>> {
    if named_path().is_none()
        && let Some(found) = environment().or_else(|| cached(compilers))
    {
        return Ok(Some(found));
    }
    Ok(elsewhere(compilers)?.filter(|found| !found.include_dirs.is_empty()))
}

/// Searches for NVIDIA's wheels next to this program: a venv, `pipx` and `uvx` install both in one
/// environment.
fn environment() -> Option<Installation> {
    let program = env::current_exe().ok()?;
    site_packages(program.parent()?.parent()?).iter().find_map(|packages| in_site_packages(packages))
}

/// Returns the folders of Python packages below an environment's root.
fn site_packages(root: &Path) -> Vec<PathBuf> {
    if cfg!(windows) {
        return vec![root.join("Lib").join("site-packages")];
    }
    named_with(&root.join("lib"), "python3")
        .iter()
        .flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.join(name)))
        .collect()
}

/// Returns what is in a folder under names that begin with `prefix`, sorted.
fn named_with(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let begins =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(begins).collect();
    paths.sort();
    paths
}

/// Returns an NVRTC with all headers among installed packages; releases 12 and 13 use different folders.
fn in_site_packages(packages: &Path) -> Option<Installation> {
    let below =
        if cfg!(windows) { ["cuda_nvrtc/bin", "cu13/bin/x86_64"] } else { ["cuda_nvrtc/lib", "cu13/lib"] };
    let library = below.iter().find_map(|below| library::in_folder(&packages.join("nvidia").join(below)))?;
    let include_dirs = library::headers_near(library.path.parent()?);
    (!include_dirs.is_empty()).then_some(Installation { library, include_dirs, origin: Origin::Environment })
}

fn cached(compilers: &Path) -> Option<Installation> {
    let release = Release::for_this_machine()?;
    let folder = install::installed(compilers, &release.compiler)?;
    let headers = install::installed(compilers, &release.headers)?;
    let library = library::in_folder(&folder.join("lib"))?;
    Some(Installation { library, include_dirs: vec![headers.join("include")], origin: Origin::Cache })
}

/// Returns a compiler that is not ours, with its own headers, otherwise with those in our cache, otherwise
/// with none.
fn elsewhere(compilers: &Path) -> Result<Option<Installation>> {
    let Some((library, origin)) = named()?.or_else(toolkit).or_else(loader) else { return Ok(None) };
    let mut include_dirs = library.path.parent().map(library::headers_near).unwrap_or_default();
    if include_dirs.is_empty()
        && let Some(real) = library.path.canonicalize().ok()
        && let Some(folder) = real.parent()
    {
        include_dirs = library::headers_near(folder);
    }
    if include_dirs.is_empty()
        && let Some(release) = Release::for_this_machine()
        && let Some(headers) = install::installed(compilers, &release.headers)
    {
        include_dirs.push(headers.join("include"));
    }
    Ok(Some(Installation { library, include_dirs, origin }))
}

/// Returns the path that the user names.
fn named_path() -> Option<PathBuf> {
    environment::value(environment::NVRTC).map(PathBuf::from)
}

fn named() -> Result<Option<(Library, Origin)>> {
    let Some(path) = named_path() else { return Ok(None) };
    let shown = escape(&path.to_string_lossy());
    let Ok(path) = std::path::absolute(&path) else { bail!("GPULEARN_NVRTC is not a path: {shown}") };
    let found = if path.is_dir() {
        ["", "lib64", "lib", "bin", "nvidia/cuda_nvrtc/lib", "cuda_nvrtc/lib"]
            .iter()
            .find_map(|below| library::in_folder(&path.join(below)))
    } else {
        library::from_file(&path)
    };
    match found {
        Some(library) => Ok(Some((library, Origin::Named))),
        None => bail!(
            "GPULEARN_NVRTC is {shown}, where there is no libnvrtc of CUDA 12 or 13 with its libnvrtc-builtins \
             next to it: correct it, or unset it to have the compiler fetched"
        ),
    }
}

fn toolkit() -> Option<(Library, Origin)> {
    let mut roots: Vec<PathBuf> = ["CUDA_PATH", "CUDA_HOME"]
        .iter()
        .filter_map(|name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute()))
        .collect();
    if cfg!(unix) {
        roots.push("/usr/local/cuda".into());
        roots.extend(named_with(Path::new("/usr/local"), "cuda-").into_iter().rev());
    }
    let below = ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "bin", "bin/x64"];
    roots.into_iter().find_map(|root| {
        let library = below.iter().find_map(|below| library::in_folder(&root.join(below)))?;
        Some((library, Origin::Toolkit(root)))
    })
}

fn loader() -> Option<(Library, Origin)> {
    let variable = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };
    let mut folders: Vec<PathBuf> = env::var_os(variable)
        .map(|value| env::split_paths(&value).filter(|path| path.is_absolute()).collect())
        .unwrap_or_default();
    if cfg!(unix) {
        let multiarch = format!("{}-linux-gnu", env::consts::ARCH);
        folders.extend(["/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64"].map(PathBuf::from));
        folders.extend(["/usr/lib", "/usr/local/lib", "/lib"].map(|base| Path::new(base).join(&multiarch)));
        let configured = fs::read_dir("/etc/ld.so.conf.d").into_iter().flatten().flatten();
        for text in configured.filter_map(|entry| fs::read_to_string(entry.path()).ok()) {
            folders
                .extend(text.lines().map(str::trim).filter(|line| line.starts_with('/')).map(PathBuf::from));
        }
    }
    folders.iter().find_map(|folder| library::in_folder(folder)).map(|library| (library, Origin::LibraryPath))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::library::tests::folder_with;

    #[test]
    fn packages_of_an_environment_count_when_they_are_whole() {
        const WHOLE: [&str; 5] = [
            "lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
            "lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.8",
            "lib/python3.12/site-packages/nvidia/cuda_runtime/include/cuda_fp16.h",
            "lib/python3.12/site-packages/nvidia/cuda_nvcc/include/crt/mma.h",
            "lib/python3.12/site-packages/nvidia/cuda_cccl/include/nv/target",
        ];
        let found_in = |root: &Path| site_packages(root).iter().find_map(|folder| in_site_packages(folder));
        let whole = folder_with(&WHOLE);
        let found = found_in(whole.path()).unwrap();
        assert_eq!((found.library.version, found.origin), ((12, 8), Origin::Environment));
        assert_eq!(found.include_dirs.len(), 3);
        // As installed by PyTorch: the compiler without the headers that kernels include.
        assert!(found_in(folder_with(&WHOLE[..3]).path()).is_none());
        assert!(found_in(folder_with(&["bin/python3"]).path()).is_none());
    }
}
