//! Embeds the course: generates a table of all lesson files, so that the executable alone can teach.
//!
//! In a clone, the files in kernels/ are both the starters and what learners edit. So that edits there do not
//! trigger a rebuild, a starter is embedded as it was committed; if git does not know the file, its current
//! contents are used. To embed a changed starter, commit it and touch a lesson.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// Folders whose files are embedded, and the extensions included.
const FOLDERS: [&str; 3] = ["lessons", "kernels", "solutions"];
const STARTERS: &str = "kernels";
const ENDINGS: [&str; 4] = ["toml", "md", "cu", "txt"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in FOLDERS {
        if folder != STARTERS {
            println!("cargo::rerun-if-changed={folder}");
        }
        if root.join(folder).is_dir() {
            let ending = |path: &Path| {
                path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
            };
            walk(&root.join(folder), &ending, &mut files)?;
        }
    }
    files.sort();

    let mut table = String::from("pub static FILES: Embedded = &[\n");
    for file in &files {
        let name = file.strip_prefix(&root).expect("found below the root");
        let name = name.to_string_lossy().replace('\\', "/");
        if name.starts_with(STARTERS) {
            let text = match committed(&root, &name) {
                Some(text) => text,
                None => fs::read_to_string(file)?,
            };
            writeln!(table, "    ({name:?}, {text:?}),").expect("a String takes all");
        } else {
            writeln!(table, "    ({name:?}, include_str!({:?})),", file.to_string_lossy())
                .expect("a String takes all");
        }
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("course_files.rs"), table)
}

/// Adds every file below a folder for which `wanted` holds.
fn walk(folder: &Path, wanted: &dyn Fn(&Path) -> bool, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            walk(&path, wanted, files)?;
        } else if wanted(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the text of a file in the last commit.
fn committed(root: &Path, name: &str) -> Option<String> {
    let git = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["show", &format!("HEAD:./{name}")])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    if git.status.success() { String::from_utf8(git.stdout).ok() } else { None }
}
