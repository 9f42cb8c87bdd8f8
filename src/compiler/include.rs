//! Determines which headers a source needs. The compiler cannot open files, so every header that it could
//! include is passed to it in memory: those that the source names, those that they name, and so on.
//!
//! The scan finds `#include` lines and `__has_include` everywhere, even in comments and in branches that are
//! not taken: a superfluous header costs microseconds, whereas a missing one is an error.

use super::headers::HeaderSet;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::BufRead;
use std::path::PathBuf;

/// A header under the name that the compiler will look for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub name: String,
    #[serde(with = "serde_bytes")]
    pub text: Vec<u8>,
}

/// A header name found in a text.
pub(super) struct Mention<'a> {
    pub name: &'a str,
    pub quoted: bool,
    /// Range of the name in the text, including its quotes or brackets.
    pub span: std::ops::Range<usize>,
}

/// Headers that are included through a macro, which a scan of the text cannot detect: the including and the
/// included one.
const THROUGH_MACROS: &[(&str, &str)] = &[
    ("thrust/iterator/detail/device_system_tag.h", "thrust/system/cuda/detail/execution_policy.h"),
    ("thrust/iterator/detail/host_system_tag.h", "thrust/system/cpp/detail/execution_policy.h"),
];

/// Headers that define uint64_t for this compiler differently from the system that a program's host part is
/// meant for. The types that they define already exist.
const TYPES_OF_THEIR_OWN: &[&str] = &["cuda_awbarrier_helpers.h", "cuda_pipeline_helpers.h"];

/// Returns a header without its definitions of stdint.h's types. Line numbers are preserved.
fn without_types(text: &[u8]) -> Vec<u8> {
    const TYPES: [&[u8]; 4] = [b" uint16_t;", b" uint32_t;", b" uint64_t;", b" uintptr_t;"];
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let code = line.trim_ascii();
        let defines = code.starts_with(b"typedef ") && TYPES.iter().any(|end| code.ends_with(end));
        out.extend_from_slice(if defines { b"\n" } else { line });
    }
    out
}

/// Returns the names that `text` includes, in order, each once.
pub fn names(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut names: Vec<String> =
        mentions(text.as_bytes()).into_iter().map(|mention| mention.name.to_owned()).collect();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Returns the headers `wanted` and everything they include, from `ours` and the folders `roots`. Names found
/// in neither are left out; no name leads outside them.
pub fn closure(wanted: &[String], ours: HeaderSet, roots: &[PathBuf]) -> Vec<Header> {
    let mut resolver = Resolver { ours, roots, known: HashMap::new() };
    let mut found: Vec<Header> = Vec::new();
    let mut seen = HashSet::new();
    let mut todo: Vec<String> = Vec::new();
    for name in wanted {
        if let Some(name) = resolver.resolve(name) {
            todo.push(name);
        }
    }
    while let Some(name) = todo.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let Some(mut text) = resolver.read(&name) else { continue };
        if ours == HeaderSet::Programs && TYPES_OF_THEIR_OWN.contains(&name.as_str()) {
            text = without_types(&text);
        }
        let text = rewrite(&text, &name, &mut resolver, &mut todo);
        for (header, extra) in THROUGH_MACROS {
            if *header == name {
                todo.extend(resolver.resolve(extra));
            }
        }
        found.push(Header { name, text });
    }
    found
}

/// Returns the text with each name replaced by the one under which its header is passed to the compiler,
/// because the compiler does not search next to the including header in memory. Line numbers are preserved.
fn rewrite(text: &[u8], name: &str, resolver: &mut Resolver, todo: &mut Vec<String>) -> Vec<u8> {
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut out = Vec::with_capacity(text.len());
    let mut copied = 0;
    for mention in mentions(text) {
        if not_taken(name, mention.name) {
            continue;
        }
        let in_folder = (mention.quoted && !folder.is_empty())
            .then(|| resolver.resolve(&format!("{folder}/{}", mention.name)))
            .flatten();
        let Some(to) = in_folder.or_else(|| resolver.resolve(mention.name)) else { continue };
        if to != mention.name {
            out.extend_from_slice(&text[copied..mention.span.start]);
            out.push(b'<');
            out.extend_from_slice(to.as_bytes());
            out.push(b'>');
            copied = mention.span.end;
        }
        todo.push(to);
    }
    out.extend_from_slice(&text[copied..]);
    out
}

/// Returns whether an include is never taken: cooperative groups omit libcu++ if
/// `_CG_LIMIT_INCLUDED_DEPENDENCIES` is defined, as it always is here, which avoids reading 240 headers.
fn not_taken(by: &str, name: &str) -> bool {
    by.starts_with("cooperative_groups") && name.starts_with("cuda/")
}

/// Returns every include in a text.
pub(super) fn mentions(text: &[u8]) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    // `skip_until` searches many bytes at a time, and headers have megabytes.
    while rest.skip_until(b'#').is_ok_and(|skipped| skipped > 0) {
        // `rest` begins after a hash, or at the end of a text without one.
        let Some(hash) = (text.len() - rest.len()).checked_sub(1).filter(|&at| text[at] == b'#') else {
            break;
        };
        let before = &text[..hash];
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if !matches!(before.len().checked_sub(blanks + 1).map(|at| before[at]), None | Some(b'\n')) {
            continue;
        }
        let mut line_end = rest;
        let end = line_end.skip_until(b'\n').map_or(text.len(), |length| hash + 1 + length);
        let line = text[..end].strip_suffix(b"\n").unwrap_or(&text[..end]);
        let word = skip_blanks(line, hash + 1);
        if line[word..].starts_with(b"include") {
            let after = if line[word..].starts_with(b"include_next") { word + 12 } else { word + 7 };
            found.extend(name_at(line, skip_blanks(line, after)));
        } else if line[word..].starts_with(b"if") || line[word..].starts_with(b"elif") {
            const ASKS: &[u8] = b"__has_include";
            let mut from = word;
            while let Some(hit) = line[from..].windows(ASKS.len()).position(|window| window == ASKS) {
                from += hit + ASKS.len();
                let mut name = skip_blanks(line, from);
                if line.get(name) == Some(&b'(') {
                    name = skip_blanks(line, name + 1);
                }
                found.extend(name_at(line, name));
            }
        }
        rest = &text[end..];
    }
    found
}

fn skip_blanks(line: &[u8], mut at: usize) -> usize {
    while matches!(line.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Parses the `<name>` or `"name"` that begins at `at`; `line` is the text up to the end of that line.
fn name_at(line: &[u8], at: usize) -> Option<Mention<'_>> {
    let close = match line.get(at)? {
        b'<' => b'>',
        b'"' => b'"',
        _ => return None,
    };
    let rest = line.get(at + 1..)?;
    let length = rest.iter().position(|&byte| byte == close)?;
    let name = std::str::from_utf8(&rest[..length]).ok()?;
    Some(Mention { name, quoted: close == b'"', span: at..at + length + 2 })
}

/// Maps names to existing headers.
struct Resolver<'a> {
    ours: HeaderSet,
    roots: &'a [PathBuf],
    known: HashMap<String, Option<String>>,
}

impl Resolver<'_> {
    /// Returns the normalised name, if there is such a header.
    fn resolve(&mut self, name: &str) -> Option<String> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let answer = normalise(name).filter(|name| {
            self.ours.text(name).is_some() || self.roots.iter().any(|root| root.join(name).is_file())
        });
        self.known.insert(name.to_owned(), answer.clone());
        answer
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        if let Some(text) = self.ours.text(name) {
            return Some(text.as_bytes().to_vec());
        }
        self.roots.iter().find_map(|root| fs::read(root.join(name)).ok())
    }
}

/// Normalises a relative path, removing `.` and `..`; `None` for one that is absolute or leaves its root.
fn normalise(name: &str) -> Option<String> {
    let plain = |part: &str| !part.contains(['\\', ':', '\0']);
    if name.is_empty() || name.len() > 256 || name.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part if plain(part) => parts.push(part),
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_found_in_all_spellings() {
        let text = "#include <a.h>\n  #  include \"b/c.h\" // why\n#\tinclude\t<d>\n\
                    #if __has_include(<e.h>) || defined(X) && __has_include( \"f.h\" )\n\
                    int x; // #include <no.h>\n#include <a.h>\n#include MACRO\n#include <open.h\n#include";
        assert_eq!(names(text), ["a.h", "b/c.h", "d", "e.h", "f.h"]);
    }

    #[test]
    fn any_text_can_be_scanned() {
        for text in [
            "",
            "#",
            "#include",
            "#include <",
            "#include \"",
            "# __has_include",
            "#if __has_include(",
            "\n\n#\n",
        ] {
            assert!(names(text).is_empty(), "{text:?}");
        }
        assert!(mentions(b"#include <\xff>\n").is_empty());
    }

    #[test]
    fn names_stay_inside() {
        assert_eq!(normalise("a/./b//c.h").as_deref(), Some("a/b/c.h"));
        assert_eq!(normalise("a/../b.h").as_deref(), Some("b.h"));
        for name in ["/etc/passwd", "../x", "a/../../x", "", ".", "a\\b", "c:x", "a\0b"] {
            assert_eq!(normalise(name), None, "{name:?}");
        }
    }

    #[test]
    fn the_closure_takes_what_headers_include_and_rewrites_names() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("top.h", "#include \"sub/one.h\"\n");
        write("sub/one.h", "int a;\n#include \"two.h\"\n#include <absent.h>\n");
        write("sub/two.h", "#include \"../top.h\"\n");
        write("two.h", "wrong\n");
        let mut found = closure(
            &["top.h".into(), "/etc/passwd".into(), "../x".into()],
            HeaderSet::Kernels,
            &[root.path().into()],
        );
        found.sort_by(|a, b| a.name.cmp(&b.name));
        let names: Vec<&str> = found.iter().map(|header| header.name.as_str()).collect();
        assert_eq!(names, ["sub/one.h", "sub/two.h", "top.h"]);
        assert_eq!(found[0].text, b"int a;\n#include <sub/two.h>\n#include <absent.h>\n");
        assert_eq!(found[1].text, b"#include <top.h>\n");
    }

    #[test]
    fn only_types_of_stdint_are_taken_out() {
        let text = b"# if X\ntypedef unsigned int   uint32_t;\ntypedef uint64_t  uintptr_t;\r\n# endif\n\
                     typedef uint64_t __mbarrier_t;\nuint64_t x;";
        assert_eq!(without_types(text), b"# if X\n\n\n# endif\ntypedef uint64_t __mbarrier_t;\nuint64_t x;");
    }

    #[test]
    fn our_own_headers_come_first() {
        for ours in [HeaderSet::Kernels, HeaderSet::Programs] {
            let found = closure(&["cuda_runtime.h".into()], ours, &[]);
            assert!(found.iter().any(|header| header.name == "cuda_runtime.h"));
        }
    }
}
