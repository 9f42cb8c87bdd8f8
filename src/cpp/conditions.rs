//! Decides which branches of `#if` are compiled, as far as a file's own text says: from its macros, and from the names
//! that nothing defines. A name that the compiler, a library or a header of the program's may define is unknown; what
//! depends on one is undecided.

use super::directives::Directive;
use super::words::{is_word, word_end};
use std::collections::HashMap;
use std::sync::OnceLock;

/// Beginnings of names that the compiler and libraries may define.
const OTHERS: [&[u8]; 14] = [
    b"_", b"CUDA", b"CUB_", b"CUDNN_", b"CUBLAS", b"CUFFT_", b"NCCL_", b"THRUST_", b"ATOMIC_", b"CLOCK",
    b"DBL_", b"FLT_", b"LDBL_", b"M_",
];
/// Further such names; their endings are the first two.
const OTHER_ENDS: [&[u8]; 2] = [b"_MAX", b"_MIN"];
const OTHER_NAMES: [&[u8]; 10] =
    [b"EOF", b"INFINITY", b"NAN", b"NDEBUG", b"NULL", b"alloca", b"assert", b"linux", b"offsetof", b"unix"];
/// Names that are defined whenever a file is compiled as CUDA C++, each with an unknown value.
const ALWAYS: [&[u8]; 3] = [b"__CUDACC__", b"__NVCC__", b"__cplusplus"];

/// Macros that are given to the compiler beside the file, by `-D` on the command line, with what is known of them.
static PREDEFINED: OnceLock<HashMap<Vec<u8>, Known>> = OnceLock::new();

/// Makes known, once for the process, the macros that these `#define` directives set before each file.
pub fn predefine<'a>(directives: impl IntoIterator<Item = &'a str>) {
    let known = |text: &'a str| {
        let rest = text.trim_start().strip_prefix("#define ")?.as_bytes();
        Some((name(rest).to_vec(), defined(rest)))
    };
    PREDEFINED.get_or_init(|| directives.into_iter().filter_map(known).collect());
}

fn predefined(name: &[u8]) -> Option<Known> {
    PREDEFINED.get()?.get(name).copied()
}

/// Returns what is known of a macro from the text behind `#define`.
fn defined(rest: &[u8]) -> Known {
    Known::Defined(number(rest[name_end(rest)..].trim_ascii()))
}

/// What is known of a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// With its value if that is a number.
    Defined(Option<i64>),
    Undefined,
    Unknown,
}

/// The branches of one `#if`, up to the current one.
struct Group {
    /// Whether an earlier branch is compiled, if that is known.
    taken: Option<bool>,
    /// Whether the current branch is compiled, if that is known.
    live: Option<bool>,
}

/// The state of preprocessing at a place in a file.
#[derive(Default)]
pub struct Conditions {
    macros: HashMap<Vec<u8>, Known>,
    groups: Vec<Group>,
    /// Any name may be defined elsewhere: the file is one that others include, or a header of the program's own has been
    /// included.
    is_part: bool,
}

impl Conditions {
    /// Begins at the start of `code`, which is that of a whole program if it has a `main`.
    pub fn of(code: &[u8]) -> Conditions {
        let mut mains = (0..code.len()).filter(|at| code[*at..].starts_with(b"main"));
        let is_whole = mains.any(|at| {
            let end = word_end(code, at);
            let is_word_start = at == 0 || !is_word(code[at - 1]);
            is_word_start && end == at + 4 && code[end..].trim_ascii_start().starts_with(b"(")
        });
        Conditions { is_part: !is_whole, ..Conditions::default() }
    }

    /// Proceeds past a directive of `code`, which has no comments and no literals.
    pub fn pass(&mut self, code: &[u8], directive: &Directive) {
        let (word, rest) = (&code[directive.word.clone()], &code[directive.rest()]);
        let is_branch = matches!(word, b"else" | b"elif" | b"endif") || word.starts_with(b"if");
        if !is_branch && self.is_dead() {
            return;
        }
        match word {
            b"if" => self.open(self.value(rest).map(|value| value != 0)),
            b"ifdef" => self.open(self.is_defined(name(rest))),
            b"ifndef" => self.open(self.is_defined(name(rest)).map(|is| !is)),
            b"elif" => {
                let condition = self.value(rest).map(|value| value != 0);
                self.turn(condition);
            }
            b"else" => self.turn(Some(true)),
            b"endif" => _ = self.groups.pop(),
            b"define" => self.set(name(rest), defined(rest)),
            b"undef" => self.set(name(rest), Known::Undefined),
            // The name in quotes is a literal.
            b"include" => self.is_part |= !rest.contains(&b'<'),
            _ => {}
        }
    }

    /// Returns whether what follows is certainly not compiled.
    pub fn is_dead(&self) -> bool {
        self.groups.iter().any(|group| group.live == Some(false))
    }

    fn open(&mut self, condition: Option<bool>) {
        self.groups.push(Group { taken: condition, live: condition });
    }

    fn turn(&mut self, condition: Option<bool>) {
        let Some(group) = self.groups.last_mut() else { return };
        group.live = and(group.taken.map(|is| !is), condition);
        group.taken = or(group.taken, group.live);
    }

    fn set(&mut self, name: &[u8], known: Known) {
        let is_sure = self.groups.iter().all(|group| group.live == Some(true));
        // A guard gives a value where there is none.
        let known = match (is_sure, known) {
            (false, _) if self.macros.get(name) != Some(&known) => Known::Unknown,
            _ => known,
        };
        self.macros.insert(name.to_vec(), known);
    }

    fn known(&self, name: &[u8]) -> Known {
        if let Some(known) = self.macros.get(name).copied().or_else(|| predefined(name)) {
            return known;
        }
        let is_other = OTHERS.iter().any(|start| name.starts_with(start))
            || OTHER_ENDS.iter().any(|end| name.ends_with(end))
            || OTHER_NAMES.contains(&name);
        match name {
            _ if ALWAYS.contains(&name) => Known::Defined(None),
            [] => Known::Unknown,
            _ if is_other || self.is_part => Known::Unknown,
            _ => Known::Undefined,
        }
    }

    fn is_defined(&self, name: &[u8]) -> Option<bool> {
        match self.known(name) {
            Known::Defined(_) => Some(true),
            Known::Undefined => Some(false),
            Known::Unknown => None,
        }
    }

    /// Returns the value of a condition; `None` if it is not known.
    fn value(&self, text: &[u8]) -> Option<i64> {
        let mut rest = Expression { conditions: self, text, at: 0, is_read: true };
        let value = rest.binary(0);
        rest.blank();
        value.filter(|_| rest.is_read && rest.at == text.len())
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    and(a.map(|is| !is), b.map(|is| !is)).map(|is| !is)
}

fn name_end(text: &[u8]) -> usize {
    let start = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    word_end(text, start)
}

fn name(text: &[u8]) -> &[u8] {
    text[..name_end(text)].trim_ascii()
}

fn number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.trim_end_matches(['u', 'U', 'l', 'L']);
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None if text.starts_with('0') && text.len() > 1 => None,
        None => text.parse().ok(),
    }
}

/// Binary operators, from the longest, with how tightly they bind.
const OPERATORS: [(&[u8], u32); 11] = [
    (b"||", 1),
    (b"&&", 2),
    (b"==", 3),
    (b"!=", 3),
    (b"<=", 4),
    (b">=", 4),
    (b"<", 4),
    (b">", 4),
    (b"+", 5),
    (b"-", 5),
    (b"*", 6),
];

/// A condition that is read from left to right.
struct Expression<'a> {
    conditions: &'a Conditions,
    text: &'a [u8],
    at: usize,
    /// Whether all so far has a form that is handled here.
    is_read: bool,
}

impl Expression<'_> {
    fn blank(&mut self) {
        let is_blank = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b'\\';
        self.at += self.text[self.at..].iter().take_while(is_blank).count();
    }

    fn eat(&mut self, what: &[u8]) -> bool {
        self.blank();
        let is_next = self.text[self.at..].starts_with(what);
        self.at += if is_next { what.len() } else { 0 };
        is_next
    }

    fn word(&mut self) -> &[u8] {
        self.blank();
        let start = self.at;
        self.at = word_end(self.text, start);
        &self.text[start..self.at]
    }

    fn binary(&mut self, least: u32) -> Option<i64> {
        let mut left = self.unary();
        while let Some(&(operator, binds)) = OPERATORS.iter().find(|its| self.next_is(its.0)) {
            if binds <= least {
                break;
            }
            self.eat(operator);
            let right = self.binary(binds);
            let truth = |value: Option<i64>| value.map(|value| value != 0);
            let compared = |holds: fn(&i64, &i64) -> bool| Some(i64::from(holds(&left?, &right?)));
            left = match operator {
                b"||" => or(truth(left), truth(right)).map(i64::from),
                b"&&" => and(truth(left), truth(right)).map(i64::from),
                b"==" => compared(i64::eq),
                b"!=" => compared(i64::ne),
                b"<=" => compared(i64::le),
                b">=" => compared(i64::ge),
                b"<" => compared(i64::lt),
                b">" => compared(i64::gt),
                b"+" => left.zip(right).and_then(|(a, b)| a.checked_add(b)),
                b"-" => left.zip(right).and_then(|(a, b)| a.checked_sub(b)),
                _ => left.zip(right).and_then(|(a, b)| a.checked_mul(b)),
            };
        }
        left
    }

    fn next_is(&mut self, operator: &[u8]) -> bool {
        self.blank();
        self.text[self.at..].starts_with(operator)
    }

    fn unary(&mut self) -> Option<i64> {
        if self.eat(b"!") {
            return self.unary().map(|value| i64::from(value == 0));
        }
        if self.eat(b"(") {
            let inner = self.binary(0);
            self.is_read &= self.eat(b")");
            return inner;
        }
        let word = self.word().to_vec();
        match word.as_slice() {
            [] => {
                self.is_read = false;
                None
            }
            b"defined" => {
                let is_enclosed = self.eat(b"(");
                let name = self.word().to_vec();
                self.is_read &= !is_enclosed || self.eat(b")");
                self.conditions.is_defined(&name).map(i64::from)
            }
            [first, ..] if first.is_ascii_digit() => number(&word),
            _ => {
                // A macro that takes arguments, or `__has_include(…)`.
                self.is_read &= !self.next_is(b"(");
                match self.conditions.known(&word) {
                    Known::Defined(value) => value,
                    Known::Undefined => Some(0),
                    Known::Unknown => None,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Source;

    /// Returns the words of a text that may be compiled.
    fn kept(text: &str) -> String {
        let text = format!("int main() {{}}\n{text}");
        let source = Source::new(&text);
        let tokens = source.tokens();
        let words = (0..tokens.count()).map(|at| tokens.text_of(at));
        words.skip(6).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn branches_are_decided_by_what_the_file_defines() {
        for (text, want) in [
            ("#ifdef X\na\n#else\nb\n#endif\nc", "b c"),
            ("#define X\n#ifdef X\na\n#else\nb\n#endif\nc", "a c"),
            ("#ifndef X\na\n#endif", "a"),
            ("#define X\n#undef X\n#ifdef X\na\n#endif\nb", "b"),
            ("#define N 16\n#if N > 8 && !defined(Y)\na\n#elif N > 4\nb\n#else\nc\n#endif", "a"),
            ("#define N 6u\n#if N > 8\na\n#elif N > 4\nb\n#else\nc\n#endif", "b"),
            ("#if defined X || defined(Y)\na\n#endif\nb", "b"),
            ("#if (1 + 2) * 2 == 6\na\n#endif", "a"),
            ("#ifdef X\n#define Y\n#endif\n#ifdef Y\na\n#endif\nb", "b"),
            ("#ifdef X\n#if 1\na\n#endif\n#else\nb\n#endif", "b"),
            ("#ifndef N\n#define N 4\n#endif\n#if N == 4\na\n#endif", "a"),
            ("#ifdef __CUDACC__\na\n#else\nb\n#endif", "a"),
        ] {
            assert_eq!(kept(text), want, "{text}");
        }
    }

    #[test]
    fn what_others_may_define_is_undecided() {
        for text in [
            "#ifdef __CUDA_ARCH__\na\n#else\nb\n#endif",
            "#include \"own.h\"\n#ifdef X\na\n#else\nb\n#endif",
            "#if __CUDA_ARCH__ >= 800\na\n#else\nb\n#endif",
            "#define F(x) 1\n#if F(2)\na\n#else\nb\n#endif",
            "#ifdef __linux__\n#define X\n#endif\n#ifdef X\na\n#else\nb\n#endif",
            "#if __has_include(<x>)\na\n#else\nb\n#endif",
            "#if 1 ?\na\n#else\nb\n#endif",
            "#if\na\n#else\nb\n#endif",
            "#ifdef\na\n#else\nb\n#endif",
        ] {
            assert_eq!(kept(text), "a b", "{text}");
        }
        let part = Source::new("#ifdef X\na\n#endif\n#if 0\nb\n#endif");
        assert_eq!(part.tokens().count(), 1);
        assert_eq!(kept("#else\na\n#endif\n#endif\n#elif 1\nb"), "a b");
        assert_eq!(kept("#if defined(__linux__) && defined(X)\na\n#endif\nb"), "b");
    }
}
