//! Embeds the course: a table of every lesson file, so that the binary alone can teach.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folders whose files are embedded, and the endings taken from them.
const FOLDERS: [&str; 3] = ["lessons", "kernels", "solutions"];
const ENDINGS: [&str; 3] = ["toml", "md", "cu"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        if root.join(folder).is_dir() {
            walk(&root.join(folder), &mut files)?;
        }
    }
    files.sort();

    let mut table =
        String::from("/// Path from the root of the course, text.\npub static FILES: &[(&str, &str)] = &[\n");
    for file in &files {
        let name = file.strip_prefix(&root).expect("found below the root");
        let name = name.to_string_lossy().replace('\\', "/");
        writeln!(table, "    ({name:?}, include_str!({:?})),", file.to_string_lossy())
            .expect("a String takes all");
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("course_files.rs"), table)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
            files.push(path);
        }
    }
    Ok(())
}
