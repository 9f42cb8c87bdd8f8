//! Opens files in folders where others may write: only regular files below the folder are opened, never the target
//! of a symbolic link, nor a pipe or device that would block the reader.
//!
//! On Linux `openat2` enforces this for every component of a path (openat2(2): RESOLVE_BENEATH,
//! RESOLVE_NO_SYMLINKS); where the kernel lacks it, and on other Unix-like systems, the components are opened one
//! by one.

use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// An open folder. Its entries are resolved through the handle, whatever its path refers to by now.
#[derive(Debug)]
pub struct Folder(system::Folder);

/// The type of a folder entry itself, without following links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    Link,
    /// A pipe, a socket or a device.
    Other,
}

impl Folder {
    /// Opens a folder by a path that the user named; links in it are followed.
    ///
    /// # Errors
    ///
    /// Fails if there is no such folder or it cannot be read.
    pub fn open(path: &Path) -> io::Result<Folder> {
        system::Folder::open(path).map(Folder)
    }

    /// Opens a folder in this folder; links are not followed.
    ///
    /// # Errors
    ///
    /// Fails like [`Folder::open`], and if it is a link.
    pub fn folder(&self, name: &Path) -> io::Result<Folder> {
        self.0.folder(name).map(Folder)
    }

    /// Opens a regular file below this folder by a relative path of which no component is a link or `..`.
    ///
    /// # Errors
    ///
    /// Fails if there is no such file, or if it is not a regular file; the message says what it is.
    pub fn file(&self, path: &Path) -> io::Result<File> {
        let file = self.0.file(path)?;
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
        }
    }

    /// Reads such a file. Returns at most `most + 1` bytes, so that a larger file can be recognised.
    ///
    /// # Errors
    ///
    /// Fails like [`Folder::file`].
    pub fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the folder's entries sorted by name, without `.` and `..`.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read.
    pub fn entries(&self) -> io::Result<Vec<(std::ffi::OsString, EntryKind)>> {
        let mut entries = self.0.entries()?;
        entries.sort();
        entries
            .into_iter()
            .map(|name| {
                let kind = self.0.kind(&name)?;
                Ok((name, kind))
            })
            .collect()
    }
}

/// Opens the file that a path names. Its last component may not be a link; links before it were named by the user
/// and are followed.
///
/// # Errors
///
/// Fails like [`Folder::file`].
pub fn open_file(path: &Path) -> io::Result<File> {
    let name = path.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "it is not a file"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Folder::open(folder)?.file(Path::new(name))
}

/// Reads a file below a folder like [`Folder::read`].
///
/// # Errors
///
/// Fails like [`Folder::open`] and [`Folder::file`].
pub fn read_confined(folder: &Path, path: &Path, most: u64) -> io::Result<Vec<u8>> {
    Folder::open(folder)?.read(path, most)
}

/// Opens a file for locking and creates it if it is missing. No link is followed, and a pipe does not block.
pub(super) fn open_to_lock(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.cast_signed());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
    }
}

/// Returns whether the path is a regular file, and not a link to one.
pub(super) fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
}

/// Creates one of the tool's own folders below `state`, and `state` itself if necessary. Neither may be a link,
/// because whatever is written there would end up elsewhere.
pub(super) fn make_own_folder(state: &Path, name: &str) -> Result<PathBuf> {
    let folder = if name.is_empty() { state.to_path_buf() } else { state.join(name) };
    for step in [state, &folder] {
        match fs::symlink_metadata(step) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => bail!("{} is not a folder but a link or a file: move it away", step.display()),
            Err(_) => {
                fs::create_dir_all(step).with_context(|| format!("can't create {}", step.display()))?;
            }
        }
    }
    Ok(folder)
}

#[cfg(unix)]
mod system {
    use super::EntryKind;
    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
    use rustix::io::Errno;
    use std::ffi::{OsStr, OsString};
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStringExt;
    use std::path::{Component, Path};

    #[derive(Debug)]
    pub struct Folder(OwnedFd);

    /// `NONBLOCK` opens a pipe without waiting for a writer; the file type is checked before anything is read.
    const FILE: OFlags = OFlags::RDONLY
        .union(OFlags::NOFOLLOW)
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY)
        .union(OFlags::CLOEXEC);
    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    fn describe(errno: Errno) -> io::Error {
        match errno {
            Errno::LOOP => io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is a link, and links are not followed: give its target instead",
            ),
            Errno::XDEV => io::Error::new(io::ErrorKind::InvalidInput, "it is outside the folder"),
            other => other.into(),
        }
    }

    impl Folder {
        /// Opens a folder; links in its path are followed.
        ///
        /// # Errors
        ///
        /// Fails if there is no such folder, or it can't be opened.
        pub fn open(path: &Path) -> io::Result<Folder> {
            Ok(Folder(rustix::fs::open(path, FOLDER, Mode::empty()).map_err(describe)?))
        }

        /// Opens a folder below this one; no link is followed.
        ///
        /// # Errors
        ///
        /// Fails if the path leads to no folder, through a link, or out of this one.
        pub fn folder(&self, name: &Path) -> io::Result<Folder> {
            self.opened(name, FOLDER | OFlags::NOFOLLOW).map(Folder)
        }

        /// Opens a file below this folder; no link is followed.
        ///
        /// # Errors
        ///
        /// Fails if the file can't be opened, or the path leads through a link or out of this folder.
        pub fn file(&self, path: &Path) -> io::Result<File> {
            self.opened(path, FILE).map(File::from)
        }

        fn opened(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
            #[cfg(target_os = "linux")]
            {
                use rustix::fs::{ResolveFlags, openat2};
                let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
                match openat2(&self.0, path, flags, Mode::empty(), resolve) {
                    // The kernel is too old, or a container's filter does not know the call.
                    Err(Errno::NOSYS | Errno::PERM) => {}
                    other => return other.map_err(describe),
                }
            }
            self.step_by_step(path, flags)
        }

        pub(super) fn step_by_step(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
            let mut steps = Vec::new();
            for step in path.components() {
                match step {
                    Component::Normal(name) => steps.push(name),
                    Component::CurDir => {}
                    _ => return Err(describe(Errno::XDEV)),
                }
            }
            let (last, folders) = steps.split_last().ok_or_else(|| describe(Errno::INVAL))?;
            let mut at: Option<OwnedFd> = None;
            let open = |at: &Option<OwnedFd>, name: &OsStr, flags| {
                openat(at.as_ref().unwrap_or(&self.0), name, flags, Mode::empty()).map_err(|errno| {
                    // A link where a folder is expected is reported as "not a directory".
                    let link = statat(at.as_ref().unwrap_or(&self.0), name, AtFlags::SYMLINK_NOFOLLOW)
                        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
                    describe(if link { Errno::LOOP } else { errno })
                })
            };
            for name in folders {
                at = Some(open(&at, name, FOLDER | OFlags::NOFOLLOW)?);
            }
            open(&at, last, flags)
        }

        /// Returns the names of the entries, in no particular order.
        ///
        /// # Errors
        ///
        /// Fails if the folder can't be read.
        pub fn entries(&self) -> io::Result<Vec<OsString>> {
            let mut names = Vec::new();
            for entry in Dir::read_from(&self.0)? {
                let name = OsString::from_vec(entry?.file_name().to_bytes().to_vec());
                if name != "." && name != ".." {
                    names.push(name);
                }
            }
            Ok(names)
        }

        /// Returns what an entry is; a link is not followed.
        ///
        /// # Errors
        ///
        /// Fails if there is no such entry.
        pub fn kind(&self, name: &OsStr) -> io::Result<EntryKind> {
            let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => EntryKind::File,
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => EntryKind::Link,
                _ => EntryKind::Other,
            })
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::EntryKind;
    use std::ffi::{OsStr, OsString};
    use std::fs::{self, File};
    use std::io;
    use std::path::{Component, Path, PathBuf};

    #[derive(Debug)]
    pub struct Folder(PathBuf);

    impl Folder {
        /// Opens a folder; links in its path are followed.
        ///
        /// # Errors
        ///
        /// Fails if there is no such folder, or it can't be read.
        pub fn open(path: &Path) -> io::Result<Folder> {
            fs::read_dir(path)?;
            Ok(Folder(path.canonicalize()?))
        }

        /// Opens a folder below this one; no link is followed.
        ///
        /// # Errors
        ///
        /// Fails if the path leads to no folder, through a link, or out of this one.
        pub fn folder(&self, name: &Path) -> io::Result<Folder> {
            self.whole(name).and_then(|path| Folder::open(&path))
        }

        /// Opens a file below this folder; no link is followed.
        ///
        /// # Errors
        ///
        /// Fails if the file can't be opened, or the path leads through a link or out of this folder.
        pub fn file(&self, path: &Path) -> io::Result<File> {
            File::open(self.whole(path)?)
        }

        /// Returns the full path, having checked that no component is a link at this time.
        fn whole(&self, path: &Path) -> io::Result<PathBuf> {
            let mut whole = self.0.clone();
            for step in path.components() {
                let Component::Normal(name) = step else {
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is outside the folder"));
                };
                whole.push(name);
                if fs::symlink_metadata(&whole)?.is_symlink() {
                    let why = "it is a link, and links are not followed";
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
                }
            }
            Ok(whole)
        }

        /// Returns the names of the entries, in no particular order.
        ///
        /// # Errors
        ///
        /// Fails if the folder can't be read.
        pub fn entries(&self) -> io::Result<Vec<OsString>> {
            fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name())).collect()
        }

        /// Returns what an entry is; a link is not followed.
        ///
        /// # Errors
        ///
        /// Fails if there is no such entry.
        pub fn kind(&self, name: &OsStr) -> io::Result<EntryKind> {
            let kind = fs::symlink_metadata(self.0.join(name))?.file_type();
            Ok(match () {
                _ if kind.is_symlink() => EntryKind::Link,
                _ if kind.is_file() => EntryKind::File,
                _ if kind.is_dir() => EntryKind::Folder,
                _ => EntryKind::Other,
            })
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_ordinary_files_below_the_folder_are_opened() {
        let (class, secret) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, secret) = (class.path(), secret.path());
        fs::write(secret.join("a.cu"), "secret").unwrap();
        fs::create_dir_all(root.join("ada/deep")).unwrap();
        fs::write(root.join("ada/deep/a.cu"), "mine").unwrap();
        symlink(secret.join("a.cu"), root.join("ada/link.cu")).unwrap();
        symlink(secret, root.join("bob")).unwrap();
        symlink("../../ada/deep/a.cu", root.join("ada/deep/inside.cu")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(root.join("ada/pipe.cu")).status().unwrap();
        assert!(made.success());
        let folder = Folder::open(root).unwrap();
        assert_eq!(folder.read(Path::new("ada/deep/a.cu"), 100).unwrap(), b"mine");
        assert_eq!(folder.read(Path::new("ada/deep/a.cu"), 2).unwrap(), b"min");
        let up = secret.file_name().unwrap().to_str().unwrap();
        for path in [
            "ada/link.cu",
            "bob/a.cu",
            "ada/deep/inside.cu",
            "ada/pipe.cu",
            "ada",
            &format!("../{up}/a.cu"),
            "none",
        ] {
            assert!(folder.read(Path::new(path), 100).is_err(), "{path}");
            let stepped = folder.0.step_by_step(
                Path::new(path),
                rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK,
            );
            assert!(stepped.is_err() || path == "ada" || path == "ada/pipe.cu", "{path}");
        }
        assert!(folder.folder(Path::new("bob")).is_err() && folder.folder(Path::new("ada")).is_ok());
        let kinds: Vec<EntryKind> = folder
            .folder(Path::new("ada"))
            .unwrap()
            .entries()
            .unwrap()
            .into_iter()
            .map(|(_, kind)| kind)
            .collect();
        assert_eq!(kinds, [EntryKind::Folder, EntryKind::Link, EntryKind::Other]);
        // An open folder stays the same, whatever is put in its place.
        let ada = folder.folder(Path::new("ada")).unwrap();
        fs::rename(root.join("ada"), root.join("moved")).unwrap();
        symlink(secret, root.join("ada")).unwrap();
        assert_eq!(ada.read(Path::new("deep/a.cu"), 100).unwrap(), b"mine");
    }
}
