//! `course.toml`: the manifest of an added course, and which files of its folder belong to the course.
//!
//! ```toml
//! name = "spmv"            # lower-case words joined by "-": its lessons are spmv/SLUG
//! version = "1.2.0"        # letters, digits, and . + - _
//! licence = "CC-BY-4.0"    # of its texts and kernels
//! parts = ["1-sparse"]     # folders below lessons/, kernels/ and solutions/
//! ```
//!
//! Next to it are `lessons/`, `kernels/` and `solutions/`, as documented for courses in general, and optionally
//! `lessons/glossary.toml` and `lessons/topics.toml`. Only the built-in course has a welcome text and a ledger of
//! claims.

use super::keys::is_slug;
use super::load::Files;
use super::place::{line_at, line_of};
use super::{CourseError, EntryKind, Folder, Problem};
use compiler::digest::{digest, hex};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

/// Name of the manifest in the folder of a course.
pub const FILE: &str = "course.toml";
/// Limits: bytes of a file; files, bytes and parts of a course; characters of a name and of a licence.
const LARGEST_FILE: u64 = 1 << 20;
const MAX_FILES: usize = 4000;
const MAX_BYTES: usize = 64 << 20;
const MAX_PARTS: usize = 100;
const LONGEST_NAME: usize = 40;
const LONGEST_LICENCE: usize = 80;
/// The message for a grading plan, which is another kind of file that is often called `course.toml`.
const OF_GRADE: &str = "this is a grading plan, for `gpulearn grade SUBMISSIONS --plan FILE`: a \
                        course's own file has name, version, licence and parts";
/// Endings of files that belong to a course; other files are ignored.
const ENDINGS: [&str; 4] = [".toml", ".md", ".cu", ".txt"];

/// Files directly in `lessons/`: those that an added course may have, and those that are ignored in one.
const OPTIONAL: [&str; 2] = ["glossary.toml", "topics.toml"];
const ONLY_OURS: [&str; 2] = ["claims.toml", "welcome.md"];

/// The contents of `course.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub name: String,
    pub version: String,
    pub licence: String,
    pub parts: Vec<String>,
}

/// The files of a course, read from a folder.
#[derive(Clone, Debug)]
pub struct CourseFiles {
    pub manifest: Manifest,
    /// Texts by path from the course's root, including `course.toml`.
    pub(super) files: Files,
    /// Paths of files that are ignored because only the built-in course can have them.
    pub left_out: Vec<String>,
}

/// Returns whether files and folders of a course may have this name, which must be valid on any system.
fn is_plain(name: &str) -> bool {
    name.len() <= 100
        && !name.starts_with(['.', '-'])
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

/// Returns the first character that is not allowed in any text: control characters, and characters that change the
/// direction of text.
fn forbidden(text: &str) -> Option<(usize, char)> {
    text.char_indices().find(|(_, c)| {
        c.is_control() && !matches!(c, '\n' | '\r' | '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    })
}

/// Returns a parser's message, with an example where a key is missing.
fn with_example(message: &str) -> String {
    const LINES: [&str; 4] =
        ["name = \"sparse\"", "version = \"1.0.0\"", "licence = \"CC-BY-4.0\"", "parts = [\"1-basics\"]"];
    let key = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    let line = key.and_then(|key| LINES.into_iter().find(|line| line.split(' ').next() == Some(key)));
    line.map_or(message.to_owned(), |line| format!("{message}: write a line such as {line}"))
}

impl Manifest {
    /// Parses `course.toml`.
    ///
    /// # Errors
    ///
    /// Fails if the text is no valid manifest; the problems give the line, the key and what is allowed.
    pub fn parse(text: &str) -> Result<Manifest, CourseError> {
        let problem = |line, message: String| Problem::new(FILE, line, message);
        let manifest: Manifest = toml::from_str(text).map_err(|error| {
            let table: Option<toml::Table> = toml::from_str(text).ok();
            let wrong = match table.is_some_and(|table| table.contains_key("lessons")) {
                true => problem(None, OF_GRADE.to_owned()),
                false => {
                    let line = error.span().map(|span| line_at(text, span.start));
                    problem(line, with_example(error.message()))
                }
            };
            CourseError { problems: vec![wrong] }
        })?;
        let mut problems = Vec::new();
        let mut unless = |right: bool, key: &str, message: &str| {
            if !right {
                problems.push(problem(line_of(text, key), format!("{key}: {message}")));
            }
        };
        let name = &manifest.name;
        let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
        unless(
            is_slug(name) && begins && name.len() <= LONGEST_NAME,
            "name",
            "lower-case words and numbers joined by \"-\" are needed, a letter first, 40 characters at most",
        );
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-' | '_');
        let version = &manifest.version;
        unless(
            (1..=LONGEST_NAME).contains(&version.len()) && version.chars().all(plain),
            "version",
            "1 to 40 letters, digits and . + - _ are allowed, such as 1.2.0",
        );
        let licence = &manifest.licence;
        unless(
            !licence.trim().is_empty()
                && licence.len() <= LONGEST_LICENCE
                && licence.chars().all(|c| c == ' ' || c.is_ascii_graphic()),
            "licence",
            "the name of a licence is needed, such as CC-BY-4.0, 80 characters at most",
        );
        let parts = &manifest.parts;
        unless((1..=MAX_PARTS).contains(&parts.len()), "parts", "1 to 100 are allowed");
        let mut seen = BTreeSet::new();
        for (p, part) in parts.iter().enumerate() {
            let number = part.split_once('-').and_then(|(number, _)| number.parse::<u32>().ok());
            unless(
                is_slug(part) && is_plain(part) && number.is_some(),
                &format!("parts[{p}]"),
                "the name of a folder is needed: a number and a word, such as 1-sparse",
            );
            unless(seen.insert(part), &format!("parts[{p}]"), "twice");
        }
        if problems.is_empty() { Ok(manifest) } else { Err(CourseError { problems }) }
    }
}

impl CourseFiles {
    /// Reads the course in a folder, following no link.
    ///
    /// # Errors
    ///
    /// Fails if the folder is no course, contains a link or a special file, or exceeds the limits.
    pub fn read(root: &Path) -> Result<CourseFiles, CourseError> {
        let whole = |message: String| CourseError { problems: vec![Problem::new(FILE, None, message)] };
        let folder =
            Folder::open(root).map_err(|error| whole(format!("the folder can't be read: {error}")))?;
        let mut reader = Reader { files: Files::new(), bytes: 0, problems: Vec::new(), left_out: Vec::new() };
        if folder.file(Path::new(FILE)).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Err(whole("this file is missing: a course is a folder with course.toml, lessons/, kernels/ and solutions/".into()));
        }
        reader.file(&folder, FILE, FILE.to_owned());
        let Some(text) = reader.files.get(FILE).cloned() else {
            return Err(CourseError { problems: reader.problems });
        };
        let manifest = Manifest::parse(&text)?;
        for (top, depth) in [("lessons", 1), ("kernels", 0), ("solutions", 0)] {
            let Some(top_folder) = reader.folder(&folder, top, top) else { continue };
            if top == "lessons" {
                reader.outside_parts(&top_folder);
            }
            for part in &manifest.parts {
                let path = format!("{top}/{part}");
                if let Some(folder) = reader.folder(&top_folder, part, &path) {
                    reader.all(&folder, &path, depth);
                }
            }
        }
        match reader.problems.is_empty() {
            true => Ok(CourseFiles { manifest, files: reader.files, left_out: reader.left_out }),
            false => Err(CourseError { problems: reader.problems }),
        }
    }

    /// Returns the SHA-256 digest of all paths and texts, in hexadecimal.
    pub fn digest(&self) -> String {
        hex(&digest(self.files.iter().flat_map(|(path, text)| [path.as_bytes(), text.as_bytes()])))
    }

    /// Iterates over the files: path from the course's root, and text.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (&**path, &**text))
    }
}

struct Reader {
    files: Files,
    bytes: usize,
    problems: Vec<Problem>,
    left_out: Vec<String>,
}

impl Reader {
    fn problem(&mut self, file: &str, line: Option<u32>, message: impl Into<String>) {
        self.problems.push(Problem::new(file, line, message));
    }

    /// Opens a folder in another one; records a problem and returns `None` if that fails.
    fn folder(&mut self, folder: &Folder, name: &str, path: &str) -> Option<Folder> {
        match folder.folder(Path::new(name)) {
            Ok(folder) => Some(folder),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.problem(path, None, "this folder is missing");
                None
            }
            Err(error) => {
                self.problem(path, None, format!("not a folder of the course itself: {error}"));
                None
            }
        }
    }

    /// Reads the files directly in `lessons/`.
    fn outside_parts(&mut self, lessons: &Folder) {
        let there = |name: &str| {
            !lessons.file(Path::new(name)).is_err_and(|error| error.kind() == ErrorKind::NotFound)
        };
        for name in OPTIONAL.into_iter().filter(|name| there(name)) {
            self.file(lessons, name, format!("lessons/{name}"));
        }
        let left_out = ONLY_OURS.into_iter().filter(|name| there(name));
        self.left_out = left_out.map(|name| format!("lessons/{name}")).collect();
    }

    fn all(&mut self, folder: &Folder, path: &str, depth: u32) {
        let entries = match folder.entries() {
            Ok(entries) => entries,
            Err(error) => return self.problem(path, None, format!("can't be read: {error}")),
        };
        for (name, kind) in entries {
            let Some(name) = name.to_str() else {
                self.problem(path, None, "a name in it is not text");
                continue;
            };
            if name.starts_with('.') && kind != EntryKind::Link {
                continue;
            }
            let path = format!("{path}/{name}");
            match kind {
                EntryKind::Link => self.problem(&path, None, "a link: a course has only files and folders"),
                EntryKind::Other => self.problem(&path, None, "neither a file nor a folder"),
                _ if !is_plain(name) => {
                    self.problem(&path, None, "letters, digits and . - _ are allowed in names");
                }
                EntryKind::Folder if depth > 0 => {
                    if let Some(folder) = self.folder(folder, name, &path) {
                        self.all(&folder, &path, depth - 1);
                    }
                }
                EntryKind::Folder => {}
                EntryKind::File if ENDINGS.iter().any(|ending| name.ends_with(ending)) => {
                    self.file(folder, name, path);
                }
                EntryKind::File => {}
            }
            // One such problem is enough to reject the course.
            if self.files.len() > MAX_FILES || self.bytes > MAX_BYTES {
                return;
            }
        }
    }

    fn file(&mut self, folder: &Folder, name: &str, path: String) {
        let bytes = match folder.read(Path::new(name), LARGEST_FILE) {
            Ok(bytes) => bytes,
            Err(error) => return self.problem(&path, None, format!("can't be read: {error}")),
        };
        if bytes.len() as u64 > LARGEST_FILE {
            return self.problem(&path, None, format!("larger than {LARGEST_FILE} bytes"));
        }
        let Ok(text) = String::from_utf8(bytes) else {
            return self.problem(&path, None, "not UTF-8 text");
        };
        if let Some((at, c)) = forbidden(&text) {
            let line = line_at(&text, at);
            return self.problem(
                &path,
                Some(line),
                format!("the character {} is not allowed", c.escape_debug()),
            );
        }
        self.bytes += text.len();
        self.files.insert(Cow::Owned(path), Cow::Owned(text));
        if self.files.len() > MAX_FILES || self.bytes > MAX_BYTES {
            self.problem(
                FILE,
                None,
                format!("too large: {MAX_FILES} files and {MAX_BYTES} bytes are allowed in a course"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "name = \"spmv\"\nversion = \"1.2.0\"\nlicence = \"CC-BY-4.0\"\nparts = [\"1-sparse\"]\n";

    fn said(text: &str) -> String {
        Manifest::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_named_by_line_and_key() {
        assert_eq!(Manifest::parse(GOOD).unwrap().name, "spmv");
        for (old, new, wanted) in [
            ("spmv", "../up", "course.toml:1: name: lower-case words"),
            ("spmv", "/etc", "course.toml:1: name: lower-case words"),
            ("spmv", "1-puzzles", "course.toml:1: name: lower-case words"),
            ("spmv", "a/b", "course.toml:1: name: lower-case words"),
            ("1.2.0", "1/2", "course.toml:2: version: 1 to 40 letters"),
            ("1.2.0", "", "course.toml:2: version: 1 to 40 letters"),
            ("CC-BY-4.0", "\\u001b[2J", "course.toml:3: licence: the name of a licence"),
            ("1-sparse", "..", "course.toml:4: parts[0]: the name of a folder"),
            ("1-sparse", "1-sparse/../..", "course.toml:4: parts[0]: the name of a folder"),
            ("1-sparse", "sparse", "course.toml:4: parts[0]: the name of a folder"),
            ("\"1-sparse\"", "\"1-sparse\", \"1-sparse\"", "course.toml:4: parts[1]: twice"),
            ("[\"1-sparse\"]", "[]", "course.toml:4: parts: 1 to 100"),
            ("licence", "license", "course.toml:3: unknown field `license`"),
        ] {
            let found = said(&GOOD.replace(old, new));
            assert!(found.starts_with(wanted), "{new}: {found}");
        }
        assert!(said("name = ").contains("course.toml:1"));
        let without = said(&GOOD.replace("parts = ", "# "));
        assert!(
            without.ends_with("missing field `parts`: write a line such as parts = [\"1-basics\"]"),
            "{without}"
        );
        let plan = said("name = \"First week\"\n[[lessons]]\nlesson = \"map\"\npoints = 10\n");
        assert!(plan.starts_with("course.toml: this is a grading plan, for `gpulearn grade"), "{plan}");
    }

    proptest::proptest! {
        /// Whatever course.toml contains, it is accepted or rejected, and an accepted name stays within its folder.
        #[test]
        fn no_text_panics_or_names_another_folder(
            start in 0..GOOD.len(),
            len in 0..40usize,
            new in "([a-z0-9./\\\\\"=\\[\\]-]{0,12}|\\.\\./|\\PC{0,6})",
        ) {
            let end = (start + len).min(GOOD.len());
            if let Ok(manifest) = Manifest::parse(&format!("{}{new}{}", &GOOD[..start], &GOOD[end..])) {
                for name in manifest.parts.iter().chain([&manifest.name]) {
                    let mut steps = Path::new(name).components();
                    let one = matches!(steps.next(), Some(std::path::Component::Normal(_)));
                    proptest::prop_assert!(one && steps.next().is_none() && is_plain(name), "{name:?}");
                }
            }
        }
    }
}
