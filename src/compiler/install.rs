//! Installs packages into the cache, completely or not at all.
//!
//! Everything is created in a temporary folder next to the final one and renamed into place, under a lock
//! that the system releases when its holder dies. So two concurrent processes fetch only once, and a process
//! that is killed half-way leaves a folder that the next installation removes.

use super::digest::{hex, sha256_of};
use super::escape::escape;
use super::wheel::{Package, Wheel};
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};

/// Downloads wheels into a folder, each under its file name.
pub type Fetch<'a> = dyn Fn(&[Wheel], &Path) -> Result<()> + 'a;

const MANIFEST: &str = "installed";
const TEMPORARY: &str = ".tmp-";

/// Returns the folder of a package if it is completely installed; only the file system is inspected.
pub fn installed(compilers: &Path, package: &Package) -> Option<PathBuf> {
    let folder = compilers.join(package.folder);
    let manifest = fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let mut proven = 0;
    for line in manifest.lines() {
        let (bytes, path) = line.split_once(' ')?;
        let there = fs::metadata(folder.join(path)).ok()?;
        if !there.is_file() || Ok(there.len()) != bytes.parse() {
            return None;
        }
        proven += 1;
    }
    (proven == package.proof.len() && proven > 0).then_some(folder)
}

/// Installs those of `packages` that are missing under `compilers`, fetching them with `fetch`.
///
/// # Errors
///
/// Fails if the cache cannot be written, or if fetching, verifying or unpacking a wheel fails.
pub fn install(compilers: &Path, packages: &[Package], fetch: &Fetch) -> Result<()> {
    let unwritable = || {
        format!(
            "cannot write to the cache {}: make it writable, or set XDG_CACHE_HOME to a folder that is",
            shown(compilers)
        )
    };
    fs::create_dir_all(compilers).with_context(unwritable)?;
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(compilers.join("lock"))
        .with_context(unwritable)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            eprintln!("Another gpulearn is fetching the compiler: waiting for it.");
            lock.lock().context("cannot lock the compiler cache")?;
        }
        Err(TryLockError::Error(error)) => return Err(error).context("cannot lock the compiler cache"),
    }
    remove_leftovers(compilers);

    let missing: Vec<Package> =
        packages.iter().filter(|package| installed(compilers, package).is_none()).copied().collect();
    if missing.is_empty() {
        return Ok(());
    }
    let work = compilers.join(format!("{TEMPORARY}{}", std::process::id()));
    fs::create_dir_all(&work).with_context(unwritable)?;
    let result = install_in(compilers, &work, &missing, fetch);
    let _ = fs::remove_dir_all(&work);
    result
}

fn install_in(compilers: &Path, work: &Path, missing: &[Package], fetch: &Fetch) -> Result<()> {
    let wheels: Vec<Wheel> = missing.iter().flat_map(|package| package.wheels).copied().collect();
    let downloads = work.join("wheels");
    fs::create_dir_all(&downloads)?;
    fetch(&wheels, &downloads)?;
    for wheel in &wheels {
        verify(wheel, &downloads.join(wheel.file))?;
    }
    for package in missing {
        let made = work.join(package.folder);
        for wheel in package.wheels {
            unpack(wheel, &downloads.join(wheel.file), &made)?;
        }
        make_links(package, &made)?;
        write_manifest(package, &made)?;
        flush(&made)?;
        let last = compilers.join(package.folder);
        if last.symlink_metadata().is_ok() {
            // Incomplete, or it would not be installed again.
            fs::rename(&last, work.join(format!("{}.broken", package.folder)))
                .with_context(|| format!("cannot replace the broken {}", shown(&last)))?;
        }
        fs::rename(&made, &last).with_context(|| format!("cannot move the compiler to {}", shown(&last)))?;
    }
    flush(compilers)
}

fn verify(wheel: &Wheel, path: &Path) -> Result<()> {
    let file = File::open(path)
        .with_context(|| format!("{} was not downloaded to the expected place", wheel.file))?;
    let found = hex(&sha256_of(file)?);
    ensure!(
        found == wheel.sha256,
        "{} is not the expected file (SHA-256 {found}, expected {}): nothing was installed. \
         A proxy or mirror may have changed it; try again or ask whoever runs it",
        wheel.file,
        wheel.sha256
    );
    Ok(())
}

fn unpack(wheel: &Wheel, path: &Path, into: &Path) -> Result<()> {
    let broken = || format!("cannot unpack {}", wheel.file);
    let file = BufReader::with_capacity(1 << 18, File::open(path).with_context(broken)?);
    let mut archive = zip::ZipArchive::new(file).with_context(broken)?;
    let mut kept = 0;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).with_context(broken)?;
        let Some(to) = wheel.destination(entry.name()) else { continue };
        let to = Path::new(&to);
        ensure!(
            to.components().all(|part| matches!(part, Component::Normal(_))),
            "{} contains a file outside its folder: {}",
            wheel.file,
            escape(entry.name())
        );
        let to = into.join(to);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).with_context(|| no_room(parent))?;
        }
        let mut out = File::create(&to).with_context(|| no_room(&to))?;
        let size = entry.size();
        // One byte more than declared, so that a wrong size is noticed.
        let written = io::copy(&mut (&mut entry).take(size + 1), &mut out).with_context(|| no_room(&to))?;
        ensure!(written == size, "{} is damaged at {}", wheel.file, escape(entry.name()));
        kept += 1;
    }
    ensure!(kept > 0, "{} contains none of the expected files", wheel.file);
    Ok(())
}

fn no_room(path: &Path) -> String {
    format!("cannot write {} (is the disk full?)", shown(path))
}

#[cfg(unix)]
fn make_links(package: &Package, folder: &Path) -> Result<()> {
    for (name, target) in package.links {
        std::os::unix::fs::symlink(target, folder.join(name))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_links(package: &Package, _folder: &Path) -> Result<()> {
    ensure!(package.links.is_empty(), "links are made on Unix only");
    Ok(())
}

fn write_manifest(package: &Package, folder: &Path) -> Result<()> {
    let mut text = String::new();
    for path in package.proof {
        let Ok(found) = fs::metadata(folder.join(path)) else {
            bail!("{} lacks {path}: the table of wheels is wrong", package.title);
        };
        text.push_str(&format!("{} {path}\n", found.len()));
    }
    let mut file = File::create(folder.join(MANIFEST))?;
    file.write_all(text.as_bytes())?;
    Ok(())
}

/// Makes the system write its buffers of the file system that contains `folder`, so that a power cut cannot
/// leave the rename without the files.
#[cfg(target_os = "linux")]
fn flush(folder: &Path) -> Result<()> {
    use std::os::fd::AsRawFd;
    let opened = File::open(folder)?;
    // SAFETY: a plain system call on a descriptor that is open until the end of this function.
    if unsafe { libc::syncfs(opened.as_raw_fd()) } != 0 {
        return Err(io::Error::last_os_error()).context("cannot write the compiler to disk");
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn flush(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            flush(&entry.path())?;
        } else if entry.file_type()?.is_file() {
            File::options().append(true).open(entry.path())?.sync_all()?;
        }
    }
    Ok(())
}

/// Removes temporary folders of processes that died; holding the lock implies that none is in use.
fn remove_leftovers(compilers: &Path) {
    let Ok(entries) = fs::read_dir(compilers) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn shown(path: &Path) -> String {
    escape(&path.to_string_lossy())
}
