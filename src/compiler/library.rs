//! A libnvrtc on disk: its release, its builtins and its headers. Nothing is loaded here.

use std::fs;
use std::path::{Path, PathBuf};

/// A libnvrtc with its matching builtins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    pub path: PathBuf,
    pub builtins: PathBuf,
    /// Major and minor number of the CUDA release.
    pub version: (u32, u32),
}

/// Supported major releases.
const MAJORS: std::ops::RangeInclusive<u32> = 12..=13;

/// Returns the newest libnvrtc in a folder that is of a supported release and has its builtins next to it.
pub fn in_folder(folder: &Path) -> Option<Library> {
    let names: Vec<String> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let builtins = |version| names.iter().find(|name| builtins_version(name) == Some(version));
    let mut versions: Vec<(u32, u32)> = names.iter().filter_map(|name| builtins_version(name)).collect();
    versions.sort_unstable();
    versions.into_iter().rev().filter(|(major, _)| MAJORS.contains(major)).find_map(|version| {
        let path = folder.join(library_name(version.0));
        Some(Library {
            path: path.is_file().then_some(path)?,
            builtins: folder.join(builtins(version)?),
            version,
        })
    })
}

/// Returns the libnvrtc in a given file.
pub fn from_file(file: &Path) -> Option<Library> {
    let mut found = in_folder(file.parent()?)?;
    let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if !same(file, &found.path) {
        // There is another release next to it: use the builtins of the file's own major number.
        let real = file.canonicalize().ok()?;
        let major = library_major(real.file_name()?.to_str()?)?;
        let folder = file.parent()?;
        let name = fs::read_dir(folder)
            .ok()?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .find(|name| builtins_version(name).is_some_and(|version| version.0 == major))?;
        found.version = builtins_version(&name)?;
        found.builtins = folder.join(name);
    }
    found.path = file.to_owned();
    MAJORS.contains(&found.version.0).then_some(found)
}

#[cfg(not(windows))]
fn library_name(major: u32) -> String {
    format!("libnvrtc.so.{major}")
}

#[cfg(windows)]
fn library_name(major: u32) -> String {
    format!("nvrtc64_{major}0_0.dll")
}

/// Parses the major version from the library's file name: 12 for `libnvrtc.so.12.9.86` and for `nvrtc64_120_0.dll`.
fn library_major(name: &str) -> Option<u32> {
    if cfg!(windows) {
        let digits = name.strip_prefix("nvrtc64_")?.split('_').next()?;
        return digits.get(..digits.len().checked_sub(1)?)?.parse().ok();
    }
    Some(version_after(name, "libnvrtc.so.")?.0)
}

/// Parses the version from a file name: 12.9 for `libnvrtc-builtins.so.12.9` and for
/// `nvrtc-builtins64_129.dll`. Longer names refer to the same file.
fn builtins_version(name: &str) -> Option<(u32, u32)> {
    if cfg!(windows) {
        let digits = name.strip_prefix("nvrtc-builtins64_")?.strip_suffix(".dll")?;
        let (major, minor) = digits.split_at_checked(2)?;
        return Some((major.parse().ok()?, minor.parse().ok()?));
    }
    version_after(name, "libnvrtc-builtins.so.")
}

fn version_after(name: &str, prefix: &str) -> Option<(u32, u32)> {
    let mut numbers = name.strip_prefix(prefix)?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next().unwrap_or("0").parse().ok()?))
}

/// Returns the folders of the CUDA headers that belong to a library in `folder`: those of a toolkit, or of
/// wheels installed next to it. Empty if they are missing or incomplete.
pub fn headers_near(folder: &Path) -> Vec<PathBuf> {
    let candidates: [&[&str]; 6] = [
        &["../include"],
        &["../../../include"], // targets/x86_64-linux/lib of a toolkit
        &["../targets/x86_64-linux/include"],
        &["../targets/sbsa-linux/include"],
        &["../../include"], // lib/x64 on Windows
        &["../../cuda_runtime/include", "../../cuda_nvcc/include", "../../cuda_cccl/include"],
    ];
    for group in candidates {
        let mut folders: Vec<PathBuf> =
            group.iter().filter_map(|relative| folder.join(relative).canonicalize().ok()).collect();
        // CUDA 13 keeps cuda/std and nv/target one folder further down.
        let cccl: Vec<PathBuf> =
            folders.iter().map(|found| found.join("cccl")).filter(|cccl| cccl.is_dir()).collect();
        folders.extend(cccl);
        let has = |header: &str| folders.iter().any(|found| found.join(header).is_file());
        if has("cuda_fp16.h") && has("nv/target") && has("crt/mma.h") {
            return folders;
        }
    }
    Vec::new()
}

#[cfg(all(test, target_os = "linux"))]
pub(crate) mod tests {
    use super::*;

    /// Creates empty files below a new folder.
    pub fn folder_with(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn a_library_needs_its_builtins() {
        let folder = folder_with(&["libnvrtc.so.12"]);
        assert_eq!(in_folder(folder.path()), None);
        let folder = folder_with(&["libnvrtc.so.12", "libnvrtc-builtins.so.12.4"]);
        let found = in_folder(folder.path()).unwrap();
        assert_eq!(found.version, (12, 4));
        assert_eq!(found.path, folder.path().join("libnvrtc.so.12"));
        assert_eq!(found.builtins, folder.path().join("libnvrtc-builtins.so.12.4"));
    }

    #[test]
    fn releases_outside_our_range_are_passed_over() {
        let folder = folder_with(&["libnvrtc.so.11", "libnvrtc-builtins.so.11.8"]);
        assert_eq!(in_folder(folder.path()), None);
        let folder = folder_with(&["libnvrtc.so.99", "libnvrtc-builtins.so.99.1"]);
        assert_eq!(in_folder(folder.path()), None);
    }

    #[test]
    fn a_named_file_keeps_its_own_release() {
        let folder = folder_with(&[
            "libnvrtc.so.12",
            "libnvrtc-builtins.so.12.9.86",
            "libnvrtc.so.13",
            "libnvrtc-builtins.so.13.0",
        ]);
        assert_eq!(in_folder(folder.path()).unwrap().version, (13, 0));
        assert_eq!(from_file(&folder.path().join("libnvrtc.so.12")).unwrap().version, (12, 9));
        assert_eq!(from_file(&folder.path().join("libnvrtc.so.13")).unwrap().version, (13, 0));
    }

    #[test]
    fn headers_of_a_toolkit_and_of_wheels() {
        let toolkit =
            folder_with(&["lib64/x", "include/cuda_fp16.h", "include/crt/mma.h", "include/cccl/nv/target"]);
        let found = headers_near(&toolkit.path().join("lib64"));
        assert_eq!(found.len(), 2);
        let wheels = folder_with(&[
            "cuda_nvrtc/lib/x",
            "cuda_runtime/include/cuda_fp16.h",
            "cuda_nvcc/include/crt/mma.h",
            "cuda_cccl/include/nv/target",
        ]);
        assert_eq!(headers_near(&wheels.path().join("cuda_nvrtc/lib")).len(), 3);
        let bare = folder_with(&["lib64/x", "include/cuda_fp16.h"]);
        assert!(headers_near(&bare.path().join("lib64")).is_empty());
    }
}
