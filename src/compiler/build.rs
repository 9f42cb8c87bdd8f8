//! Embeds the headers for programs: every file below headers/programs/{c,cpp,cuda}, under the name it is
//! included with, which is its path relative to that folder; and, for each name in
//! headers/programs/missing.txt, a header that reports an error.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const HEADERS: &str = "headers/programs";
const KINDS: [&str; 3] = ["c", "cpp", "cuda"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={HEADERS}");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let mut rows = missing(&fs::read_to_string(root.join(HEADERS).join("missing.txt"))?);
    for kind in KINDS {
        let folder = root.join(HEADERS).join(kind);
        let mut files = Vec::new();
        walk(&folder, &mut files)?;
        for file in files {
            let name = file.strip_prefix(&folder).expect("found below the folder");
            rows.push((
                name.to_string_lossy().replace('\\', "/"),
                with_reserved_names(&fs::read_to_string(file)?),
            ));
        }
    }
    rows.sort();
    assert!(rows.is_sorted_by(|(a, _), (b, _)| a < b), "a header is there, and missing.txt names it");
    let mut table = String::from("static PROGRAM_HEADERS: &[(&str, &str)] = &[\n");
    for (name, text) in rows {
        writeln!(table, "    ({name:?}, {text:?}),").expect("a String takes all");
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("program_headers.rs"), table)
}

/// Returns headers for the names that are known but unavailable: in the table, a line states the reason, and
/// the indented lines after it list the names. Each header is an `#error` with its own name, which identifies
/// it as one of the tool's.
fn missing(table: &str) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut why = "";
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        match line.starts_with(' ') {
            true => rows.extend(
                line.split_whitespace().map(|name| (name.to_string(), format!("#error \"{name}: {why}\"\n"))),
            ),
            false => why = line,
        }
    }
    rows
}

/// Returns the text with names of one capital letter, such as a template's `T`, replaced by reserved names,
/// because programs define such macros: `-D N=8` and `#define T float` before a header are common.
fn with_reserved_names(text: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' | '\'' => literal(rest, c),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            c if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (part, behind) = rest.split_at(length);
        if length == 1 && c.is_ascii_uppercase() {
            out.push_str("__");
        }
        out.push_str(part);
        rest = behind;
    }
    out
}

/// Returns the length in bytes of the literal that a text begins with, which ends with the line at the
/// latest.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            c if c == quote && !escaped => return at + 1,
            c => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

/// Appends every file below a folder to `files`.
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
