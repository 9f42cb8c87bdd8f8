//! The folder in which the learner works: a checkout of this repository, or a folder created by `gpulearn init`.

use super::confined_path::{is_regular, make_own_folder, read_confined};
use super::progress::ProgressStore;
use super::replace::replace_file;
use super::{Course, Lesson, file_name, made_from};
use anyhow::{Context, Result, bail};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Folder for the tool's own state.
const STATE: &str = ".gpulearn";
/// Largest file that is read from a workspace, in bytes; larger files are not ours.
const MAX_BYTES: u64 = 16 << 20;
/// File that marks a workspace created by `init`.
const MARKER: &str = "workspace.json";

/// The folder that a learner works in: one created by `init`, or a checkout.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    checkout: bool,
    source: bool,
}

/// What `init` did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitReport {
    /// Number of files written.
    pub new: usize,
    /// Number of files that existed and were left unchanged.
    pub kept: usize,
}

impl Workspace {
    /// Finds the workspace that contains `from`: the nearest one upwards. `source` is the canonical path of the
    /// clone whose files are trusted, which is the one that the program was built from.
    pub fn find(from: &Path, source: Option<&Path>) -> Option<Workspace> {
        from.ancestors().find_map(|folder| {
            let checkout = is_checkout(folder);
            let made = is_regular(&folder.join(STATE).join(MARKER));
            let trusted = || folder.canonicalize().is_ok_and(|folder| Some(folder.as_path()) == source);
            (checkout || made).then(|| Workspace {
                root: folder.to_path_buf(),
                checkout,
                source: checkout && trusted(),
            })
        })
    }

    /// Returns the workspace's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns whether this is a clone of the repository and not created by `init`.
    pub fn is_checkout(&self) -> bool {
        self.checkout
    }

    /// Returns whether this is the clone that the program was built from, whose lessons and history are trusted.
    pub fn is_source(&self) -> bool {
        self.source
    }

    /// Returns the folder with the tool's own state.
    pub fn state(&self) -> PathBuf {
        self.root.join(STATE)
    }

    /// Returns the store of the learner's progress.
    pub fn progress(&self) -> ProgressStore {
        ProgressStore::new(self.state())
    }

    /// Returns the path of the file that the learner edits.
    pub fn kernel(&self, lesson: &Lesson) -> PathBuf {
        self.root.join(lesson.kernel_path())
    }

    /// Writes the starter if the learner's file is missing. Returns whether it was.
    ///
    /// # Errors
    ///
    /// Fails if the file, or the record of its lesson's version, can't be written.
    pub fn provide_kernel(&self, lesson: &Lesson) -> Result<bool> {
        let made = write_new(&self.kernel(lesson), &self.starter(lesson))?;
        if made {
            made_from::remember(&self.state(), [lesson])?;
        }
        Ok(made)
    }

    /// Returns the course version that the learner's file was created from, if the lesson had another starter then.
    pub fn made_from(&self, lesson: &Lesson) -> Option<String> {
        made_from::other_version(&self.state(), lesson)
    }

    /// Returns the text that the learner started from. In a checkout the file may have been edited before this
    /// program was built with it, so the committed text takes precedence.
    pub fn starter(&self, lesson: &Lesson) -> String {
        let committed = self.source.then(|| committed(&self.root, &lesson.kernel_path())).flatten();
        committed.unwrap_or_else(|| lesson.starter.to_string())
    }

    /// Restores the starter and saves the learner's file as a backup with the first free number. Returns the
    /// backup's path, or `None` if the file was the starter already or missing.
    ///
    /// # Errors
    ///
    /// Fails if the file can't be read, or if the backup or the starter can't be written.
    pub fn reset(&self, lesson: &Lesson) -> Result<Option<PathBuf>> {
        let file = self.kernel(lesson);
        let starter = self.starter(lesson);
        let old = match read_confined(&self.root, Path::new(&lesson.kernel_path()), MAX_BYTES) {
            Ok(old) => old,
            Err(e) if e.kind() == ErrorKind::NotFound => {
                self.provide_kernel(lesson)?;
                return Ok(None);
            }
            Err(e) => return Err(e).with_context(|| format!("can't read {}", file.display())),
        };
        made_from::remember(&self.state(), [lesson])?;
        if old == starter.as_bytes() {
            return Ok(None);
        }
        let folder = make_own_folder(&self.state(), "backups")?;
        for n in 1..=u32::MAX {
            let backup = folder.join(format!("{}.{n}.cu", file_name(&lesson.slug)));
            match OpenOptions::new().write(true).create_new(true).open(&backup) {
                Ok(mut kept) => {
                    kept.write_all(&old).and_then(|()| kept.sync_all()).with_context(|| {
                        format!("can't write {}; {} is unchanged", backup.display(), file.display())
                    })?;
                    replace_file(&file, starter.as_bytes(), false)?;
                    return Ok(Some(backup));
                }
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e).with_context(|| format!("can't write {}", backup.display())),
            }
        }
        bail!("{} is full of backups", folder.display())
    }

    /// Stores a result under a name, replacing an earlier one.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written, or if one of the tool's own folders is a link.
    pub fn store(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let folder = make_own_folder(&self.state(), "results")?;
        replace_file(&folder.join(name), bytes, false)
    }

    /// Writes `.clangd`, so that editors understand CUDA, and arranges the headers in `include` as clang expects a
    /// toolkit to be: `include` and `bin`. `libraries` are headers, by name, that lessons include and `include`
    /// lacks. Our own `.clangd` is rewritten if the workspace was moved; a `.clangd` of the user is left unchanged.
    /// Returns whether `.clangd` was written.
    ///
    /// # Errors
    ///
    /// Fails if a file, a folder or the link to `include` can't be created.
    pub fn set_up_editor<'a>(
        &self,
        include: &Path,
        libraries: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<bool> {
        let cuda = make_own_folder(&self.state(), "cuda")?;
        let bin = cuda.join("bin");
        fs::create_dir_all(&bin).with_context(|| format!("can't create {}", bin.display()))?;
        let link = cuda.join("include");
        if fs::read_link(&link).ok().as_deref() != Some(include) {
            let _ = fs::remove_file(&link);
            link_folder(include, &link).with_context(|| format!("can't create {}", link.display()))?;
        }
        let stubs = self.state().join("clangd");
        for (name, text) in libraries.chain([("curand_mtgp32_kernel.h", CURAND_STUB)]) {
            // Names such as `gpulearn/xorwow_jumps.h` lie in folders.
            let header = stubs.join(name);
            let folder = header.parent().unwrap_or(&stubs);
            fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
            replace_file(&header, text.as_bytes(), false)?;
        }
        let file = self.root.join(".clangd");
        let wanted = clangd(&cuda, &stubs);
        match fs::read_to_string(&file) {
            Ok(there) if there.starts_with(CLANGD_HEAD) && there != wanted => {
                replace_file(&file, wanted.as_bytes(), false)?;
                Ok(true)
            }
            _ => write_new(&file, &wanted),
        }
    }

    /// Returns whether `.clangd` is ours but refers to other paths, as it does after the workspace was moved.
    pub fn editor_is_stale(&self) -> bool {
        let wanted = clangd(&self.state().join("cuda"), &self.state().join("clangd"));
        fs::read_to_string(self.root.join(".clangd"))
            .is_ok_and(|there| there.starts_with(CLANGD_HEAD) && there != wanted)
    }

    /// Creates a workspace in `root`, or adds what is missing; nothing that exists is changed. A checkout is a
    /// workspace already, and nothing is added to it.
    ///
    /// # Errors
    ///
    /// Fails if a file can't be written.
    pub fn init(root: &Path, course: &Course) -> Result<(Workspace, InitReport)> {
        let mut made = InitReport::default();
        if is_checkout(root) {
            return Ok((Workspace { root: root.to_path_buf(), checkout: true, source: false }, made));
        }
        let mut put = |path: &str, text: &str| -> Result<bool> {
            let new = write_new(&root.join(path), text)?;
            match new {
                true => made.new += 1,
                false => made.kept += 1,
            }
            Ok(new)
        };
        let mut fresh = Vec::new();
        for lesson in course.lessons() {
            if put(&lesson.kernel_path(), &lesson.starter)? {
                fresh.push(lesson);
            }
            put(&format!("{}.md", lesson.folder()), &page(lesson))?;
        }
        put(".gitignore", ".gpulearn/\n.clangd\n")?;
        // Written last: a folder is a workspace only once it is complete.
        let marker = format!(
            "{{\"schema\": \"gpulearn.workspace/1\", \"made_by\": \"{}\"}}\n",
            env!("CARGO_PKG_VERSION")
        );
        put(&format!("{STATE}/{MARKER}"), &marker)?;
        made_from::remember(&root.join(STATE), fresh)?;
        Ok((Workspace { root: root.to_path_buf(), checkout: false, source: false }, made))
    }
}

const CLANGD_HEAD: &str = "# For editors that use clangd: completion and messages for CUDA.";
/// clang's CUDA wrapper includes a header of cuRAND. If it is missing, parsing stops half-way, and `std::string`
/// and `<<<>>>` become errors.
const CURAND_STUB: &str = "// Empty: clang's CUDA wrapper includes it, and no lesson needs it.\n";

/// Returns the configuration that clangd needs for CUDA: the language, a GPU with all features that lessons use,
/// and the path of NVIDIA's headers. The CUDA release is stated because clang finds no `version.json` there and
/// would assume one before 9.2, which had another launch API. Cluster support is stated because cooperative groups
/// only detect it for NVIDIA's own compilers.
fn clangd(cuda: &Path, stubs: &Path) -> String {
    let path = serde_json::Value::from(format!("--cuda-path={}", cuda.display()));
    let stubs = serde_json::Value::from(format!("-isystem{}", stubs.display()));
    format!(
        "{CLANGD_HEAD}\n\
         CompileFlags:\n  Add:\n    - -xcuda\n    - --cuda-gpu-arch=sm_90a\n    - --cuda-device-only\n    \
         - -nocudalib\n    - -D_CG_CLUSTER_INTRINSICS_AVAILABLE\n    - -Wno-unknown-cuda-version\n    - -Xclang\n    - -target-sdk-version=12.9\n    \
         - {stubs}\n    - {path}\n\
         Diagnostics:\n  UnusedIncludes: None\n"
    )
}

/// Returns a lesson's text for reading in an editor: all sections but the one shown after passing.
fn page(lesson: &Lesson) -> String {
    format!(
        "# {}\n\n{}\n\n## Task\n\n{}\n\n## Checked\n\n{}\n",
        lesson.title, lesson.text.idea, lesson.text.task, lesson.text.checked
    )
}

/// Returns whether the folder contains this package's `Cargo.toml` next to lessons/ and kernels/.
fn is_checkout(folder: &Path) -> bool {
    let manifest = || read_confined(folder, Path::new("Cargo.toml"), MAX_BYTES);
    folder.join("lessons").is_dir()
        && folder.join("kernels").is_dir()
        && manifest().is_ok_and(|text| {
            String::from_utf8_lossy(&text).lines().any(|line| line.trim() == "name = \"gpulearn\"")
        })
}

#[cfg(unix)]
fn link_folder(to: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, link)
}

#[cfg(windows)]
fn link_folder(to: &Path, link: &Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_dir(to, link)
}

/// Returns the text of a file in the last commit.
fn committed(root: &Path, path: &str) -> Option<String> {
    let git = std::process::Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["show", &format!("HEAD:./{path}")])
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    git.status.success().then(|| String::from_utf8(git.stdout).ok()).flatten()
}

/// Writes a file, creating its folders, unless it exists. Returns whether it was written.
fn write_new(path: &Path, text: &str) -> Result<bool> {
    if path.exists() {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
    }
    replace_file(path, text.as_bytes(), false)?;
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_editor_gets_headers_in_folders_too() {
        let (folder, include) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let state = folder.path().join(STATE);
        let workspace = Workspace { root: folder.path().to_owned(), checkout: false, source: false };
        let libraries = [("cublas.h", "// blas"), ("gpulearn/jumps.h", "// jumps")];
        assert!(workspace.set_up_editor(include.path(), libraries.into_iter()).unwrap());
        assert_eq!(fs::read_to_string(state.join("clangd/gpulearn/jumps.h")).unwrap(), "// jumps");
        assert!(is_regular(&folder.path().join(".clangd")));
    }
}
