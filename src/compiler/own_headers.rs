//! A program's own headers. The compiler cannot open files, so headers are searched for here, next to the
//! file that includes them and in the folders of `-I`, and passed to it in memory, each under the path by
//! which its owner would name it. The program's `#include` lines are rewritten to use that path.
//!
//! Only regular files are read, and only if, with all links resolved, they are below the program's own folder
//! or one of the folders named.

use super::include::{Mention, mentions};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Maximum size of one header; `ALL_BYTES`: of all headers together.
const LARGEST_BYTES: u64 = 1 << 20;
pub(super) const ALL_BYTES: u64 = 8 << 20;
const MAX_HEADERS: usize = 1000;

/// A program with its own headers.
#[derive(Clone, Debug, Default)]
pub struct OwnSource {
    /// The program as the compiler sees it: a line differs from the original only if it includes one of
    /// `headers`.
    pub text: String,
    pub headers: Vec<OwnHeader>,
    pub refused: Vec<Refused>,
}

/// A header under the name by which it is passed to the compiler, and which appears in messages and line
/// tables.
#[derive(Clone, Debug)]
pub struct OwnHeader {
    pub name: String,
    pub text: String,
}

/// A file that a program includes but that is not read.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Name as written in the `#include`.
    pub name: String,
    pub why: NotRead,
}

/// The reason why a file is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRead {
    /// With links resolved, it is not below any of the folders that may be read.
    Outside,
    NoPlainFile,
    /// Larger than this many bytes.
    TooLarge(u64),
    /// All headers together exceed this many bytes, or there are more than a thousand.
    TooMany(u64),
}

/// Finds the headers of a program. `file` is the file that its text comes from, and `folders` are those of
/// `-I`, in order. `taken` returns whether a header of the compiler has a name.
pub fn own_headers(text: &str, file: &Path, folders: &[PathBuf], taken: &dyn Fn(&str) -> bool) -> OwnSource {
    let home = file.parent().unwrap_or(Path::new("")).to_path_buf();
    let roots = std::iter::once(&home).chain(folders);
    // The parent folder of `a.cu` is "".
    let here =
        |folder: &PathBuf| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.clone() };
    let roots = roots.filter_map(|folder| here(folder).canonicalize().ok()).collect();
    let mut search = Search {
        folders,
        roots,
        taken,
        known: HashMap::new(),
        found: Vec::new(),
        bytes: 0,
        refused: Vec::new(),
    };
    let text = search.rewritten(text, &home);
    // Headers are processed in turn, each adding the headers that it includes.
    let mut next = 0;
    while let Some((path, header)) = search.found.get(next).cloned() {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let text = search.rewritten(&header.text, &folder);
        search.found[next].1.text = text;
        next += 1;
    }
    OwnSource {
        text,
        headers: search.found.into_iter().map(|(_, header)| header).collect(),
        refused: search.refused,
    }
}

struct Search<'a> {
    folders: &'a [PathBuf],
    /// Folders that may be read, with links resolved.
    roots: Vec<PathBuf>,
    taken: &'a dyn Fn(&str) -> bool,
    /// Name of each header found, by its path with links resolved.
    known: HashMap<PathBuf, String>,
    /// Each header with the path by which it was found.
    found: Vec<(PathBuf, OwnHeader)>,
    bytes: u64,
    refused: Vec<Refused>,
}

impl Search<'_> {
    /// Returns the text of a file in `folder`, with its own headers' names replaced by those they are passed
    /// under.
    fn rewritten(&mut self, text: &str, folder: &Path) -> String {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        for mention in mentions(text.as_bytes()) {
            let Some(name) = self.resolve(&mention, folder) else { continue };
            out += &text[copied..mention.span.start];
            out += &format!("<{name}>");
            copied = mention.span.end;
        }
        out + &text[copied..]
    }

    /// Returns the name of the header that is meant, if it is one of the program's own.
    fn resolve(&mut self, mention: &Mention, folder: &Path) -> Option<String> {
        let own = mention.quoted.then_some(folder);
        let folders = own.into_iter().chain(self.folders.iter().map(PathBuf::as_path));
        let candidates: Vec<PathBuf> = folders.map(|folder| tidy(&folder.join(mention.name))).collect();
        for path in candidates {
            match self.look(&path) {
                Ok(Some(name)) => return Some(name),
                Ok(None) => {}
                Err(why) => {
                    let name = mention.name.to_owned();
                    self.refused.push(Refused { name, why });
                }
            }
        }
        None
    }

    /// Reads a header unless it has been read already; `None` if it does not exist.
    fn look(&mut self, path: &Path) -> Result<Option<String>, NotRead> {
        let Ok(real) = path.canonicalize() else { return Ok(None) };
        if let Some(name) = self.known.get(&real) {
            return Ok(Some(name.clone()));
        }
        let Ok(meta) = real.metadata() else { return Ok(None) };
        if meta.is_dir() {
            return Ok(None);
        }
        if !self.roots.iter().any(|root| real.starts_with(root)) {
            return Err(NotRead::Outside);
        }
        if !meta.is_file() {
            return Err(NotRead::NoPlainFile);
        }
        let mut bytes = Vec::new();
        let read = File::open(&real).and_then(|file| file.take(LARGEST_BYTES + 1).read_to_end(&mut bytes));
        if read.is_err() {
            return Ok(None);
        }
        if bytes.len() as u64 > LARGEST_BYTES {
            return Err(NotRead::TooLarge(LARGEST_BYTES));
        }
        self.bytes += bytes.len() as u64;
        if self.bytes > ALL_BYTES || self.found.len() == MAX_HEADERS {
            return Err(NotRead::TooMany(ALL_BYTES));
        }
        let text =
            String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes)).into_owned();
        let name = self.name_of(path, &real);
        self.known.insert(real, name.clone());
        self.found.push((path.to_owned(), OwnHeader { name: name.clone(), text }));
        Ok(Some(name))
    }

    /// Returns the path as its owner knows it, prefixed with its folder if a header of the compiler has that
    /// name.
    fn name_of(&self, path: &Path, real: &Path) -> String {
        // Replaces characters that would end the line or the name.
        let plain = |c: char| if c.is_control() || matches!(c, '>' | '"' | '\\') { '_' } else { c };
        let text = |path: &Path| path.to_string_lossy().chars().map(plain).collect::<String>();
        let shown = text(path);
        if !(self.taken)(&shown) {
            return shown;
        }
        let folder =
            real.parent().and_then(Path::file_name).map_or("own".into(), |name| text(Path::new(name)));
        format!("{folder}/{shown}")
    }
}

/// Removes `.` from a path, and `..` where a folder precedes it.
fn tidy(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn gather(root: &Path, text: &str, folders: &[&str]) -> OwnSource {
        let folders: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
        own_headers(text, &root.join("p/a.cu"), &folders, &|name| name.ends_with("math.h"))
    }

    fn names(root: &Path, found: &OwnSource) -> Vec<String> {
        let root = format!("{}/", root.display());
        found.headers.iter().map(|header| header.name.replace(&root, "")).collect()
    }

    #[test]
    fn headers_are_found_next_to_it_and_below_and_in_named_folders() {
        let root = project(&[
            ("p/x.h", "#include \"sub/y.h\"\n#include <z.h>\n"),
            ("p/sub/y.h", "#include \"../x.h\"\n#include \"w.h\"\n"),
            ("p/sub/w.h", "int w;\n"),
            ("p/z.h", "wrong\n"),
            ("i/z.h", "int z;\n"),
        ]);
        let text = "#include \"x.h\" // why\n#include <x.h>\n#include <vector>\n";
        let found = gather(root.path(), text, &["i"]);
        assert_eq!(names(root.path(), &found), ["p/x.h", "p/sub/y.h", "i/z.h", "p/sub/w.h"]);
        let base = root.path().display();
        let want = format!("#include <{base}/p/x.h> // why\n#include <x.h>\n#include <vector>\n");
        assert_eq!(found.text, want);
        let y = &found.headers[1].text;
        assert_eq!(*y, format!("#include <{base}/p/x.h>\n#include <{base}/p/sub/w.h>\n"));
        assert!(found.refused.is_empty());
    }

    #[test]
    fn only_what_lies_below_is_read() {
        let root = project(&[("p/a.h", ""), ("common/c.h", "int c;"), ("p/math.h", "int m;")]);
        let text = "#include \"../common/c.h\"\n#include \"/etc/passwd\"\n#include \"math.h\"\n";
        let found = gather(root.path(), text, &[]);
        let refused: Vec<_> = found.refused.iter().map(|r| (r.name.as_str(), r.why)).collect();
        assert_eq!(refused, [("../common/c.h", NotRead::Outside), ("/etc/passwd", NotRead::Outside)]);
        assert!(found.text.starts_with("#include \"../common/c.h\"\n#include \"/etc/passwd\"\n#include <p/"));
        assert_eq!(gather(root.path(), text, &["common"]).headers[0].text, "int c;");
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_out_and_what_is_no_file_are_not_read() {
        let root =
            project(&[("secret.h", "int s;"), ("p/in.h", "int i;"), ("p/big.h", &" ".repeat(1 << 21))]);
        let link =
            |to: &str, name: &str| std::os::unix::fs::symlink(root.path().join(to), root.path().join(name));
        link("secret.h", "p/out.h").unwrap();
        link("p/in.h", "p/same.h").unwrap();
        let pipe = std::ffi::CString::new(root.path().join("p/pipe.h").to_str().unwrap()).unwrap();
        // SAFETY: a plain system call with a string that ends in NUL.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        let text = "#include \"out.h\"\n#include \"pipe.h\"\n#include \"big.h\"\n#include \"same.h\"\n#include \"in.h\"\n";
        let found = gather(root.path(), text, &[]);
        let refused: Vec<_> = found.refused.iter().map(|r| r.why).collect();
        assert_eq!(refused, [NotRead::Outside, NotRead::NoPlainFile, NotRead::TooLarge(LARGEST_BYTES)]);
        // One file included by two names is one header.
        assert_eq!(names(root.path(), &found), ["p/same.h"]);
    }
}
