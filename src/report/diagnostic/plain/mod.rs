//! Hints in plain words for the most common mistakes of newcomers, shown in addition to the compiler's message.

mod arguments;
mod astray;
mod headers;
mod names;
mod spaces;
mod types;

use compiler::{Diagnostic, Expected, MessageKind, Subject};
use cpp::{Source, is_name_char};

/// Returns what to do about a diagnostic. `message` is the part of it that is shown; `program` says that the
/// source is a whole program instead of kernels alone. `None` where the message suffices or nothing is known.
pub fn plain(message: &str, diagnostic: &Diagnostic, source: &Source, program: bool) -> Option<String> {
    let line = diagnostic.line;
    let text = source.code_line(line);
    let at = diagnostic.column.saturating_sub(1) as usize;
    let quoted: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
    let here = MessageContext {
        message,
        quoted: &quoted,
        text,
        at,
        line,
        source,
        code: source.code(),
        program,
        kind: MessageKind::of(message),
        subject: diagnostic.subject.as_ref(),
    };
    arguments::RULES.iter().chain(&RULES).find_map(|rule| rule(&here))
}

/// Returns whether a message is a consequence of the one before, which is on line `previous`: once the compiler's
/// parser has lost its way, it reports correct code.
pub fn follows(message: &str, line: u32, before: &str, previous: u32) -> bool {
    use MessageKind::{NotConstant, TypeMissing, UnclosedComment, UnclosedQuote, UndefinedName};
    let (kind, before) = (MessageKind::of(message), MessageKind::of(before));
    let unknown = before == UndefinedName;
    let to_the_end = matches!(before, UnclosedQuote | UnclosedComment);
    let lost = to_the_end
        || matches!(before, MessageKind::Expected(_) | TypeMissing | MessageKind::UnrecognizedToken);
    match kind {
        // What follows an unknown name is parsed as a declaration.
        NotConstant => unknown && line == previous,
        // The first unrecognised character gets a hint; further ones on its line are not helpful.
        MessageKind::UnrecognizedToken => before == kind && line == previous,
        MessageKind::Expected(what) => {
            let structure =
                matches!(what, Expected::Statement | Expected::Declaration | Expected::ClosingBrace);
            to_the_end || line == previous && (lost || unknown || at_file_scope(before)) || lost && structure
        }
        _ => false,
    }
}

struct MessageContext<'a> {
    message: &'a str,
    /// The names and types that the message quotes.
    quoted: &'a [&'a str],
    /// The line, without comments and literals.
    text: &'a str,
    /// 0-based column of the place, in characters.
    at: usize,
    /// 1-based.
    line: u32,
    source: &'a Source<'a>,
    /// The whole source, without comments and literals.
    code: &'a str,
    /// Whether it is a whole program instead of kernels alone.
    program: bool,
    /// What the message says.
    kind: MessageKind,
    /// The subject of the message, where this tool raised it itself.
    subject: Option<&'a Subject>,
}

impl MessageContext<'_> {
    fn rest(&self) -> String {
        self.text.chars().skip(self.at).collect()
    }

    fn before(&self) -> String {
        self.text.chars().take(self.at).collect()
    }

    /// Returns the word that begins at the place; empty where none does.
    fn word(&self) -> String {
        self.rest().chars().take_while(|c| is_name_char(*c)).collect()
    }

    fn has(&self, what: &str) -> bool {
        self.text.contains(what)
    }

    /// Returns whether the word at the place is a function-like macro, inside which the compiler reports no
    /// columns.
    fn is_macro(&self) -> bool {
        self.source.is_macro_with_arguments(self.word().as_bytes())
    }

    /// Returns the first argument of the first call, from the place on, of a function whose name starts with
    /// `function`.
    fn argument_of(&self, function: &str) -> Option<String> {
        let rest = self.rest();
        let (_, behind) = rest.split_once(function)?.1.split_once('(')?;
        let mut depth = 0usize;
        let end = behind.find(|c| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' if depth > 0 => depth -= 1,
                ',' | ')' if depth == 0 => return true,
                _ => {}
            }
            false
        })?;
        Some(behind[..end].trim().to_owned())
    }
}

/// A rule that returns the hint for a message.
type Rule = fn(&MessageContext) -> Option<String>;

const RULES: [Rule; 17] = [
    names::with_minus,
    spaces::kernel_called,
    spaces::lacks_device,
    headers::not_included,
    names::unknown_name,
    names::unknown_type,
    names::bare_qualifier,
    types::member,
    types::three_parts,
    types::read_only,
    types::not_whole,
    spaces::returned,
    names::misspelt_word,
    astray::astray,
    astray::not_cpp,
    types::no_elements,
    spaces::host_only,
];

/// Returns whether the message is about something outside functions that is not a declaration.
fn at_file_scope(kind: MessageKind) -> bool {
    matches!(kind, MessageKind::Expected(Expected::Declaration) | MessageKind::NoDeclaration)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint_at(place: (u32, u32), message: &str, source: &str, program: bool) -> Option<String> {
        plain(message, &Diagnostic::error("a.cu", place, message), &Source::new(source), program)
    }

    #[test]
    fn only_what_is_known_is_said() {
        let say = |message: &str, source: &str| hint_at((1, 1), message, source, false);
        assert_eq!(say("something else", "x"), None);
        assert_eq!(say("", ""), None);
        assert_eq!(
            hint_at((99, 99), "expression must be a modifiable lvalue", "x", true).map(|s| s.len() > 9),
            Some(true)
        );
        assert!(
            say("expression must be a modifiable lvalue", "in[0] = 1; // const float *in")
                .unwrap()
                .contains("is it const")
        );
        let source = "in[0] = 1; void f(const float *__restrict__ in);";
        assert!(
            say("expression must be a modifiable lvalue", source)
                .unwrap()
                .starts_with("`in` is const, an input")
        );
    }

    #[test]
    fn what_pages_and_other_languages_have_is_named() {
        let say = |message: &str, column: u32, source: &str| hint_at((1, column), message, source, false);
        let token = |column, source| say("unrecognized token", column, source).unwrap_or_default();
        assert!(token(8, "printf(\u{201c}hi\u{201d});").contains("straight one, \""));
        assert!(token(5, "x = \u{2018}a\u{2019};").contains("straight one, '"));
        assert!(token(3, "x \u{2013}= 1;").contains("minus"));
        assert!(token(4, "int\u{a0}x;").contains("U+00A0"));
        assert!(token(4, "int\u{200b} x;").contains("can't be seen, U+200B"));
        assert_eq!(say("unrecognized token", 1, "@"), None);
        let flat = "expression must have pointer-to-object type but it has type \"float\"";
        assert!(say(flat, 1, "out[row][col] = 1;").unwrap().contains("out[row * cols + col]"));
        assert!(say(flat, 5, "x = n[0];").unwrap().starts_with("`n` is one value"));
        let class = |ty: &str| {
            say(&format!("expression must have class type but it has type \"{ty}\""), 5, "n = in.size();")
        };
        assert!(class("const float *").unwrap().contains("how many elements"));
        assert!(class("S *").unwrap().contains("in->x"));
        assert!(class("int").unwrap().contains("no members"));
        let outside = "this declaration has no storage class or type specifier";
        assert_eq!(say(outside, 1, "Extern \"C\" int x;").as_deref(), Some("Did you mean `extern`?"));
        assert!(say(outside, 1, "map<<<1, 4>>>(0);").unwrap().contains("leave the launch out"));
        assert!(say(outside, 1, "x = 1;").unwrap().contains("inside a function"));
    }

    #[test]
    fn an_allocation_is_told_what_it_lacks() {
        let say = |line: &str| {
            let message = "no instance of overloaded function \"cudaMalloc\" matches the argument list";
            let column = line.find("CHECK").or(line.find("cudaMalloc")).map_or(1, |at| at as u32 + 1);
            hint_at((1, column), message, &format!("{line}\n#define CHECK(x) x\n"), true).unwrap()
        };
        assert!(say("cudaMalloc(a, 4); cudaMalloc(&b, 4);").ends_with("cudaMalloc(&a, …)."));
        assert!(
            say("CHECK(cudaMalloc((void *)&d_a, bytes));")
                .contains("or cast to (void **): cudaMalloc(&d_a, …).")
        );
        assert!(say("CHECK(cudaMalloc(&d_b, f(1, 2)));").starts_with("`d_b` is not a pointer"));
        assert!(say("cudaMalloc(p[i], 4);").ends_with("cudaMalloc(&d, …)."));
        let message =
            "argument of type \"cudaStream_t\" is incompatible with parameter of type \"cudaStream_t *\"";
        let of_macro =
            |line: &str| hint_at((2, 1), message, &format!("#define CHECK(x) x\n{line}\n"), true).unwrap();
        assert!(of_macro("CHECK(cudaStreamCreate(stream));").ends_with(": &stream."));
        assert!(of_macro("CHECK(cudaStreamCreate(streams[job]));").ends_with("an address, with &."));
    }

    #[test]
    fn what_cuda_may_have_and_the_tool_lacks_is_no_mistake() {
        let say = |name: &str| {
            let message = format!("identifier \"{name}\" is undefined");
            hint_at((1, 1), &message, &format!("{name}(1);"), true)
        };
        for name in ["cuMemGetAddressRange", "cublasDgetrfBatched", "cusolverDnDgetrf", "ncclSend2"] {
            assert!(say(name).unwrap().ends_with("the program may well be right."), "{name}");
        }
        for name in ["rindex", "custom", "cudax", "cu"] {
            assert_eq!(say(name), None, "{name}");
        }
    }

    #[test]
    fn what_follows_from_a_message_is_known() {
        let unknown = "identifier \"shared\" is undefined";
        assert!(follows("expected a \";\"", 3, unknown, 3));
        assert!(!follows("expected a \";\"", 4, unknown, 3));
        assert!(follows("expected a statement", 6, "expected a \")\"", 3));
        assert!(!follows("expected a \";\"", 6, "expected a \";\"", 3));
        assert!(!follows("identifier \"x\" is undefined", 3, unknown, 3));
        assert!(follows("expression must have a constant value", 3, unknown, 3));
        assert!(!follows("expression must have a constant value", 4, unknown, 3));
        assert!(follows("unrecognized token", 3, "unrecognized token", 3));
        assert!(follows("expected an expression", 3, "unrecognized token", 3));
        assert!(!follows("unrecognized token", 4, "unrecognized token", 3));
    }
}
