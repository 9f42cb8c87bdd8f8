//! Parses the compiler's log into messages.
//!
//! A message consists of a head line, the source line (indented by two blanks), a caret below it, and notes:
//!
//! ```text
//! map.cu(4): error: identifier "foo" is undefined
//!       *p = foo;
//!            ^
//!           detected during instantiation of "void f(T) [with T=int]" at line 9
//! ```

mod hints;
mod kind;

use super::escape::escape;
use super::headers::HeaderSet;
use super::{Diagnostic, Severity, Subject};
use cpp::{Include, end_of_code, uses};
use hints::with_hint;
use kind::WITHIN;
pub use kind::{Expected, HeaderLibrary, Message, MessageKind, missing_header};
#[cfg(target_os = "linux")]
pub(super) use kind::{says_compiler_failed, says_out_of_memory};

/// Maximum number of messages; more do not help anybody.
const MOST: usize = 100;
/// Bytes of a message and its notes beyond which no more notes are kept.
const MOST_BYTES: usize = 400;
/// Prefix of a message about what is missing at the end of the source.
const AT_END: &str = "At end of source: ";
/// File name of messages about the assembler's input; their lines are those of the PTX.
pub(super) const PTX: &str = "PTX";

/// The texts that were compiled.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// Name of the file as the compiler knows it.
    pub file_name: &'a str,
    pub source: &'a str,
    /// The source's own headers: name and text.
    pub own: &'a [(&'a str, &'a str)],
    /// The set of the tool's headers that it was compiled with.
    pub ours: HeaderSet,
}

impl<'a> Texts<'a> {
    /// Returns the text of the file, or of one of its own headers.
    fn of(&self, file: &str) -> Option<&'a str> {
        if file == self.file_name {
            return Some(self.source);
        }
        self.own.iter().find(|(name, _)| *name == file).map(|(_, text)| *text)
    }

    /// Returns the name and text of the file and of its own headers.
    fn all(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        std::iter::once((self.file_name, self.source)).chain(self.own.iter().copied())
    }
}

/// Parses the messages of a log. Warnings and remarks about headers of the compiler or the tool are left out.
pub fn parse(log: &str, texts: &Texts) -> Vec<Diagnostic> {
    let mut found: Vec<Parsed> = Vec::new();
    let mut previous = "";
    for line in log.trim_end_matches('\0').lines() {
        if let Some(head) = Head::read(line, texts.file_name) {
            found.push(Parsed { head, caret: None, notes: Vec::new() });
        } else if is_noise(line) {
            // Not part of any message.
        } else if let Some(last) = found.last_mut() {
            if let Some(caret) = caret(line)
                && last.caret.is_none()
            {
                // The preceding line was the source line, not a note.
                if last.notes.last().is_some_and(|note| *note == previous.trim()) {
                    last.notes.pop();
                }
                last.caret = Some(caret);
            } else {
                last.notes.push(line.trim());
            }
        }
        previous = line;
    }
    // The code generator names the line of a launch only in a warning about it, which says nothing else.
    let launch = found.iter().position(|its| its.head.message.starts_with(kind::LAUNCH_BUFFER));
    let launch = launch.map(|n| found.remove(n).head).filter(|its| texts.of(its.file).is_some());
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for mut parsed in found {
        if let (MessageKind::LaunchOfNoKernel, Some(launch)) = (MessageKind::of(parsed.head.message), &launch)
        {
            (parsed.head.file, parsed.head.line) = (launch.file, launch.line);
        }
        let own = texts.of(parsed.head.file).is_some();
        let attached = parsed.head.severity == Severity::Note && parsed.head.file.is_empty();
        if attached && let Some(last) = diagnostics.last_mut() {
            // `Note #3322-D: …` belongs to the preceding message.
            let bytes = last.message.len() + last.notes.iter().map(String::len).sum::<usize>();
            if bytes < MOST_BYTES {
                last.notes.push(escape(parsed.head.message));
            }
            continue;
        }
        let placed = !parsed.head.file.is_empty() && parsed.head.file != PTX;
        if !own && placed && parsed.head.severity != Severity::Error {
            continue;
        }
        // What follows in a header that is not a template in use comes of an error before its inclusion.
        let is_directive = MessageKind::of(parsed.head.message) == MessageKind::ErrorDirective;
        let used_from = if own { None } else { parsed.place_of_use(texts) };
        let follows = !own && placed && !is_directive && used_from.is_none();
        if follows && diagnostics.iter().any(|before| before.severity == Severity::Error) {
            continue;
        }
        let diagnostic = parsed.finish(texts, used_from);
        if diagnostics.len() < MOST && !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

struct Head<'a> {
    file: &'a str,
    line: u32,
    severity: Severity,
    message: &'a str,
    number: Option<u32>,
    /// The source ended too early; the compiler gives no line.
    at_end: bool,
}

struct Parsed<'a> {
    head: Head<'a>,
    /// Offset of the caret in the source line, in bytes from 0.
    caret: Option<usize>,
    notes: Vec<&'a str>,
}

impl<'a> Head<'a> {
    /// Parses `file(line): error: text`, `file(line): warning #177-D: text`, `At end of source: error: …`,
    /// `Note #3322-D: …`, and the messages of ptxas.
    fn read(line: &'a str, file_name: &str) -> Option<Head<'a>> {
        let (file, number, rest) = match Self::place(line, file_name) {
            Some((file, number, rest)) => (file, number, rest),
            None => {
                if let Some(rest) = line.strip_prefix(AT_END) {
                    (&line[..0], 0, rest)
                } else if line.starts_with("Note #") {
                    (&line[..0], 0, line)
                } else if let Some(rest) = line.strip_prefix("ptxas ") {
                    return Self::assembler(rest);
                } else {
                    return Self::code_generator(line);
                }
            }
        };
        let (severity, warning, message) = severity_and_text(rest)?;
        let at_end = line.starts_with(AT_END);
        Some(Head { file, line: number, severity, message, number: warning, at_end })
    }

    fn place(line: &'a str, file_name: &str) -> Option<(&'a str, u32, &'a str)> {
        // Tried with the learner's own file name first, because it may contain parentheses itself.
        if let Some(rest) = line.strip_prefix(file_name)
            && let Some((number, rest)) = rest.strip_prefix('(').and_then(|rest| rest.split_once("): "))
            && let Ok(number) = number.parse()
        {
            return Some((&line[..file_name.len()], number, rest));
        }
        let (place, rest) = line.split_once("): ")?;
        let (file, number) = place.rsplit_once('(')?;
        Some((file, number.parse().ok()?, rest))
    }

    /// Parses `file(line) : Error: text` and `warning: file(line) : Warning: text`, messages of the part that makes PTX.
    fn code_generator(line: &'a str) -> Option<Head<'a>> {
        let (place, rest) = line.strip_prefix("warning: ").unwrap_or(line).split_once(") : ")?;
        let (file, number) = place.rsplit_once('(')?;
        let (severity, message) = rest.split_once(": ")?;
        let severity = match severity {
            "Error" => Severity::Error,
            "Warning" => Severity::Warning,
            _ => return None,
        };
        Some(Head { file, line: number.parse().ok()?, severity, message, number: None, at_end: false })
    }

    /// Parses `application ptx input, line 33; error   : Not a name of any known instruction: 'foo'` or
    /// `error   : Entry function 'k' uses too much shared data (0x61a80 bytes, 0xc000 max)`.
    fn assembler(rest: &'a str) -> Option<Head<'a>> {
        let placed = rest.split_once("; ").and_then(|(place, said)| {
            let (_, line) = place.split_once("ptx input, line ")?;
            Some((line.parse().ok()?, said))
        });
        let (line, said) = placed.unwrap_or((0, rest));
        let (severity, message) = said.split_once(": ")?;
        let severity = match severity.trim() {
            "error" => Severity::Error,
            // Without a location it only repeats that there were errors.
            "fatal" if placed.is_some() => Severity::Error,
            "warning" => Severity::Warning,
            _ => return None,
        };
        let file = if placed.is_some() { PTX } else { "" };
        Some(Head { file, line, severity, message, number: None, at_end: false })
    }
}

/// Parses the severity, the number if there is one, and the text.
fn severity_and_text(rest: &str) -> Option<(Severity, Option<u32>, &str)> {
    const WORDS: [(&str, Severity); 7] = [
        ("catastrophic error", Severity::Error),
        ("internal error", Severity::Error),
        ("error", Severity::Error),
        ("warning", Severity::Warning),
        ("remark", Severity::Note),
        ("note", Severity::Note),
        ("Note", Severity::Note),
    ];
    let (severity, rest) =
        WORDS.iter().find_map(|(word, severity)| Some((*severity, rest.strip_prefix(word)?)))?;
    if let Some(message) = rest.strip_prefix(": ") {
        return Some((severity, None, message));
    }
    // A number by which the message can be switched off: ` #177-D: text`.
    let (number, message) = rest.strip_prefix(" #")?.split_once(": ")?;
    let number = number.strip_suffix("-D").unwrap_or(number).parse().ok()?;
    Some((severity, Some(number), message))
}

fn is_noise(line: &str) -> bool {
    line.is_empty()
        || line.starts_with("Remark: The warnings can be suppressed")
        || line == "Compilation terminated."
        || (line.contains(" detected in the compilation of \"")
            && line.trim_start_matches(" and ").starts_with(|c: char| c.is_ascii_digit()))
        || line.starts_with("ptxas ")
}

/// Returns where a caret line points, as a byte offset in the source line, which is printed with two leading
/// blanks.
fn caret(line: &str) -> Option<usize> {
    let blank = line.strip_suffix('^')?;
    blank.bytes().all(|byte| byte == b' ' || byte == b'\t').then(|| blank.len().saturating_sub(2))
}

impl Parsed<'_> {
    /// Returns the file and line that use the header in which the message is, as its notes say.
    fn place_of_use<'a>(&self, texts: &Texts<'a>) -> Option<(&'a str, u32)> {
        let places = self.notes.iter().map(|note| place_of_use(note.trim_start_matches(['(', '[']), texts));
        places.flatten().last()
    }

    /// `used_from`: [`Parsed::place_of_use`] of a message within another's header.
    fn finish(self, texts: &Texts, used_from: Option<(&str, u32)>) -> Diagnostic {
        let Head { file, mut line, severity, message, number, at_end } = self.head;
        if file == PTX {
            let message = escape(message.trim());
            return Diagnostic { severity, ..Diagnostic::error(file, (line, 0), message) };
        }
        let (hinted, subject) = with_hint(message.trim(), texts.source, texts.ours);
        let mut text = escape(&hinted);
        let file = if file.is_empty() { texts.file_name } else { file };
        let own = texts.of(file);
        let subject = subject.or_else(|| unavailable(file, message).filter(|_| own.is_none()));
        let whole = own.zip((line as usize).checked_sub(1)).and_then(|(text, at)| text.lines().nth(at));
        let whole = whole.unwrap_or_default();
        // Of a very long line the compiler prints the beginning, and no caret.
        let is_beginning = |note: &str| {
            self.caret.is_none() && note.len() > MOST_BYTES && whole.trim_start().starts_with(note)
        };
        let mut column = match (self.caret, own) {
            (Some(byte), Some(text)) => column(text, line, byte),
            (None, Some(text)) if self.notes.iter().any(|note| is_beginning(note)) => {
                only_use(message, whole).map_or(0, |byte| column(text, line, byte))
            }
            _ => 0,
        };
        if at_end {
            (line, column) = end_of_code(texts.source);
        }
        let notes = self.notes.iter().filter(|note| !note.is_empty() && !is_beginning(note));
        let joined: Vec<String> = notes.map(|note| escape(note)).collect();
        if !joined.is_empty() {
            text.push_str(if text.ends_with(':') { " " } else { "; " });
            text.push_str(&joined.join(" "));
        }
        // An error inside another's header is reported where the learner's code led to it.
        let file = if own.is_none() {
            text = format!("{text}{WITHIN}{}:{line})", escape(file));
            let at = used_from.or_else(|| place_of_include(texts, file));
            let (file, at) = at.unwrap_or((texts.file_name, 0));
            line = at;
            file
        } else {
            file
        };
        Diagnostic { severity, subject, number, ..Diagnostic::error(escape(file), (line, column), text) }
    }
}

/// Returns where the undefined name of a message is in a line, if it is there once.
fn only_use(message: &str, line: &str) -> Option<usize> {
    let said = Message::of(message.trim());
    let name = said.quoted.first().filter(|_| said.kind == MessageKind::UndefinedName)?;
    let mut places = uses(line, name).map(|(before, _)| before.len());
    places.next().filter(|_| places.next().is_none())
}

/// Returns the header that one of the tool's own stands for, which has `#error "NAME: why"` with its own name.
fn unavailable(file: &str, message: &str) -> Option<Subject> {
    let said = Message::of(message.trim());
    let text = said.quoted.first().filter(|_| said.kind == MessageKind::ErrorDirective)?;
    let (header, why) = text.split_once(": ").filter(|(header, _)| *header == file)?;
    Some(Subject::HeaderUnavailable { header: header.to_owned(), why: escape(why) })
}

/// Returns the file and line that include a header, directly or through other headers of ours.
fn place_of_include<'a>(texts: &Texts<'a>, header: &'a str) -> Option<(&'a str, u32)> {
    let mut leading: Vec<&str> = vec![header];
    let mut at = 0;
    while at < leading.len() {
        let into = leading[at];
        for (file, text) in texts.all() {
            if let Some((line, _)) = Include::all(text).find(|(_, its)| its.header == into) {
                return Some((file, line));
            }
        }
        for (name, text) in texts.ours.all() {
            if !leading.contains(&name) && Include::all(text).any(|(_, its)| its.header == into) {
                leading.push(name);
            }
        }
        at += 1;
    }
    None
}

/// Parses the file and line from `… at line 9 of map.cu`, as in the notes of a header's error.
fn place_of_use<'a>(note: &str, texts: &Texts<'a>) -> Option<(&'a str, u32)> {
    let (_, rest) = note.rsplit_once(" at line ")?;
    let (number, file) = rest.split_once(" of ")?;
    let (file, _) = texts.all().find(|(name, _)| *name == file.trim_matches('"'))?;
    Some((file, number.parse().ok()?))
}

/// Returns the 1-based column, in characters, of a byte of a line, even within a character; 0 if there is no
/// such line.
fn column(source: &str, line: u32, byte: usize) -> u32 {
    let Some(text) = (line as usize).checked_sub(1).and_then(|index| source.lines().nth(index)) else {
        return 0;
    };
    let before = text.char_indices().take_while(|(at, c)| at + c.len_utf8() <= byte).count();
    u32::try_from(before + 1).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(log: &str, source: &str) -> Vec<Diagnostic> {
        parse(log, &Texts { file_name: "k/a.cu", source, own: &[], ours: HeaderSet::Kernels })
    }

    fn one(log: &str, source: &str) -> Diagnostic {
        let found = parsed(log, source);
        assert_eq!(found.len(), 1, "{found:?}");
        found.into_iter().next().unwrap()
    }

    #[test]
    fn an_error_has_line_and_column() {
        let source = "__global__ void k(int *p) {\n\t  *p = foo;\n}\n";
        let log = "k/a.cu(2): error: identifier \"foo\" is undefined\n  \t  *p = foo;\n  \t       ^\n\n\
                   1 error detected in the compilation of \"k/a.cu\".\n";
        let got = one(log, source);
        assert_eq!((got.severity, got.line, got.column), (Severity::Error, 2, 9));
        assert_eq!(got.message, "identifier \"foo\" is undefined");
        assert_eq!(got.file, "k/a.cu");
    }

    #[test]
    fn the_beginning_of_a_very_long_line_is_no_note() {
        let source = format!("int main() {{ {}a = foo; }}\n", "a += 1; ".repeat(200));
        let log = format!("k/a.cu(1): error: identifier \"foo\" is undefined\n  {}\n\n", &source[..1000]);
        let got = one(&log, &source);
        assert_eq!(got.message, "identifier \"foo\" is undefined");
        assert_eq!(got.column as usize, source.find("foo").unwrap() + 1);
    }

    #[test]
    fn columns_count_characters() {
        let source = "int x = bar(é, zoo);\n";
        let log = "k/a.cu(1): error: identifier \"zoo\" is undefined\n  int x = bar(é, zoo);\n                  ^\n";
        assert_eq!(one(log, source).column, 16);
    }

    #[test]
    fn a_character_of_several_bytes_is_told_once() {
        let source = "f(\u{201c}x);\n";
        let at =
            |blanks: &str| format!("k/a.cu(1): error: unrecognized token\n  f(\u{201c}x);\n  {blanks}^\n\n");
        let log = at("  ") + &at("   ") + &at("    ");
        assert_eq!(one(&log, source).column, 3);
    }

    #[test]
    fn what_is_missing_at_the_end_has_the_place_of_the_last_code() {
        let got = one("At end of source: error: expected a \";\"\n", "int a;\nint x  // why\n\n");
        assert_eq!((got.file.as_str(), got.line, got.column), ("k/a.cu", 2, 6));
        let got = one("At end of source: error: expected a \";\"\n", "");
        assert_eq!((got.line, got.column), (0, 0));
    }

    #[test]
    fn warnings_have_a_text_and_a_number() {
        let log = "k/a.cu(1): warning #177-D: variable \"u\" was declared but never referenced\n  int u;\n      ^\n\n\
                   Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n";
        let got = one(log, "int u;\n");
        assert_eq!((got.severity, got.column, got.number), (Severity::Warning, 5, Some(177)));
        assert_eq!(got.message, "variable \"u\" was declared but never referenced");
    }

    #[test]
    fn warnings_of_headers_are_left_out_and_errors_point_at_their_use() {
        let log = "h.h(1): warning #1105-D: #warning directive: in header\n  #warning in header\n   ^\n\n\
                   h.h(7): error: expression must have class type but it has type \"int\"\n    return t.x;\n           ^\n\
                   \x20         detected during instantiation of \"int f(T) [with T=int]\" at line 2 of k/a.cu\n\n";
        let got = one(log, "\nf(1);\n");
        assert_eq!((got.file.as_str(), got.line, got.column), ("k/a.cu", 2, 0));
        assert!(got.message.starts_with("expression must have class type"), "{}", got.message);
        assert!(got.message.ends_with("(in h.h:7)"), "{}", got.message);
    }

    #[test]
    fn an_error_before_a_header_hides_those_that_follow_within_it() {
        let own = "k/a.cu(1): error: unrecognized token\n  ```\n  ^\n\n";
        let within = "h.h(7): error: identifier \"size_t\" is undefined\n    size_t n;\n    ^\n\n";
        let source = "```\n#include <h.h>\n";
        assert_eq!(one(&format!("{own}{within}"), source).message, "unrecognized token");
        assert!(one(within, source).message.ends_with("(in h.h:7)"));
    }

    #[test]
    fn an_own_header_has_its_own_lines() {
        let own = [("k/x.h", "int y;\n  int x = foo;\n#include <map>\n")];
        let texts =
            Texts { file_name: "k/a.cu", source: "#include <k/x.h>\n", own: &own, ours: HeaderSet::Programs };
        let log = "map(3): error: bad\n\
                   k/x.h(2): error: identifier \"foo\" is undefined\n    int x = foo;\n            ^\n\n\
                   k/x.h(1): warning #177-D: variable \"y\" was declared but never referenced\n  int y;\n      ^\n\n";
        let found = parse(log, &texts);
        let places: Vec<_> = found.iter().map(|d| (d.file.as_str(), d.line, d.column)).collect();
        assert_eq!(places, [("k/x.h", 3, 0), ("k/x.h", 2, 11), ("k/x.h", 1, 5)]);
    }

    #[test]
    fn notes_are_attached() {
        let log = "k/a.cu(1): error: no instance of overloaded function \"max\" matches the argument list\n  max();\n  ^\n\
                   Note #3322-D: number of parameters of function \"max(int, int)\" does not match the call\n\n\
                   At end of source: error: expected a \"}\"\nk/a.cu(1): note #3196-D: to match this \"{\"\n  max();\n  ^\n";
        let found = parsed(log, "max();\n");
        assert_eq!(found.len(), 3);
        assert!(found[0].notes[0].starts_with("number of parameters"), "{:?}", found[0].notes);
        assert_eq!((found[1].line, found[1].column, found[1].file.as_str()), (1, 7, "k/a.cu"));
        assert_eq!((found[2].severity, found[2].line), (Severity::Note, 1));
    }

    #[test]
    fn a_launch_of_no_kernel_is_where_the_launch_is() {
        let log = "cuda_runtime_api.h(19) : Error: a function that is not __global__ cannot be launched\n\
                   warning: k/a.cu(4) : Warning: A pointer to local memory was stored into the parameter buffer obtained at\u{fffd}\u{5}\n";
        let got = one(log, "\n\n\n    f<<<1, 32>>>();\n");
        assert_eq!((got.file.as_str(), got.line), ("k/a.cu", 4));
        assert_eq!(got.message, "a function that is not __global__ cannot be launched");
    }

    #[test]
    fn the_assembler_is_heard() {
        let log = "ptxas application ptx input, line 33; error   : Not a name of any known instruction: 'foo'\n\
                   ptxas fatal   : Ptx assembly aborted due to errors\n";
        let diagnostic = one(log, "");
        assert_eq!((diagnostic.file.as_str(), diagnostic.line), (PTX, 33));
        assert_eq!(diagnostic.message, "Not a name of any known instruction: 'foo'");
        let log = "ptxas application ptx input, line 31; fatal   : Parsing error near 'm': syntax error\n\
                   ptxas fatal   : Ptx assembly aborted due to errors\n";
        assert_eq!(one(log, "").message, "Parsing error near 'm': syntax error");
        let log = "ptxas info    : 27 bytes gmem\n\
                   ptxas error   : Entry function 'q' uses too much shared data (0x61a80 bytes, 0xc000 max)\n";
        assert!(one(log, "").message.starts_with("Entry function 'q' uses too much shared data"));
    }

    #[test]
    fn nothing_raw_comes_through() {
        let log = "k/a.cu(1): error: #error directive: \x1b[31m\u{202e}x\n  #error \x1b[31m\n   ^\n\n\
                   ::error file=x::y\n";
        let found = parsed(log, "#error\n");
        assert_eq!(found.len(), 1);
        assert!(!found[0].message.contains(['\x1b', '\u{202e}', '\n']));
        assert!(found[0].message.contains("\\x1b[31m\\u{202e}x"));
    }

    #[test]
    fn any_log_can_be_read() {
        for log in [
            "",
            "(",
            "a(1): ",
            "a(): error: x",
            "a(99999999999): error: x",
            "^",
            "  ^\n^",
            "): error: ",
            "Note #",
        ] {
            parsed(log, "");
            parse(log, &Texts { file_name: "", source: "", own: &[], ours: HeaderSet::Programs });
        }
        let many: String = (1..500).map(|line| format!("k/a.cu({line}): error: e\n")).collect();
        assert_eq!(parsed(&many, "").len(), MOST);
    }
}
