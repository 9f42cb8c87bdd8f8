//! Embeds the headers of programs: every file below headers/programs/{c,cpp,cuda}, by the name it is
//! included with, which is its path from that folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const HEADERS: &str = "headers/programs";
const KINDS: [&str; 3] = ["c", "cpp", "cuda"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={HEADERS}");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let mut rows = Vec::new();
    for kind in KINDS {
        let folder = root.join(HEADERS).join(kind);
        let mut files = Vec::new();
        walk(&folder, &mut files)?;
        for file in files {
            let name = file.strip_prefix(&folder).expect("found below the folder");
            rows.push((name.to_string_lossy().replace('\\', "/"), file));
        }
    }
    rows.sort();
    let mut table = String::from("static PROGRAM_HEADERS: &[(&str, &str)] = &[\n");
    for (name, file) in rows {
        writeln!(table, "    ({name:?}, include_str!({:?})),", file.to_string_lossy())
            .expect("a String takes all");
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("program_headers.rs"), table)
}

/// Adds every file below a folder.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
