//! Syntax highlighting: splits a text into the pieces that an editor would colour.

use super::passages::{Passage, passages};
use super::words::{is_word, line_end, word_end};

/// The kind of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Highlight {
    Plain,
    Comment,
    /// A string or character literal.
    Literal,
    Number,
    /// A keyword of C++, or one of its built-in types; types of headers, such as `half`, are excluded, since
    /// variables may have such names.
    Keyword,
    /// An extension of CUDA: `__global__`, `threadIdx`, `__syncthreads`.
    Cuda,
    /// A directive such as `#include` or `#pragma`: the whole line without its comments.
    Directive,
}

const KEYWORDS: &[&str] = &[
    "alignas",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "constexpr",
    "continue",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "extern",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "long",
    "namespace",
    "new",
    "nullptr",
    "operator",
    "private",
    "public",
    "return",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
];

const CUDA: &[&str] = &["blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize"];

/// Splits a text into consecutive pieces, which together are the text.
pub fn highlight(text: &str) -> Vec<(&str, Highlight)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for (range, passage) in passages(text) {
        code(&text[at..range.start], &mut pieces);
        let kind = if passage == Passage::Comment { Highlight::Comment } else { Highlight::Literal };
        pieces.push((&text[range.clone()], kind));
        at = range.end;
    }
    code(&text[at..], &mut pieces);
    pieces
}

/// Splits text that is neither comment nor literal.
fn code<'t>(text: &'t str, pieces: &mut Vec<(&'t str, Highlight)>) {
    let bytes = text.as_bytes();
    let (mut at, mut plain) = (0, 0);
    while at < bytes.len() {
        let (end, kind) = match bytes[at] {
            b'#' if begins_line(bytes, at) => (line_end(bytes, at), Highlight::Directive),
            first if is_word(first) => {
                let end = word_end(bytes, at);
                (end, of_word(&text[at..end]))
            }
            _ => (at + 1, Highlight::Plain),
        };
        if kind != Highlight::Plain {
            if plain < at {
                pieces.push((&text[plain..at], Highlight::Plain));
            }
            pieces.push((&text[at..end], kind));
            plain = end;
        }
        at = end;
    }
    if plain < bytes.len() {
        pieces.push((&text[plain..], Highlight::Plain));
    }
}

/// Returns whether only white space precedes a byte in its line.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    let mut before = bytes[..at].iter().rev().take_while(|byte| **byte != b'\n');
    before.all(|byte| byte.is_ascii_whitespace())
}

fn of_word(word: &str) -> Highlight {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        Highlight::Number
    } else if KEYWORDS.binary_search(&word).is_ok() {
        Highlight::Keyword
    } else if CUDA.contains(&word) || word.starts_with("__") || word.starts_with("cuda") {
        Highlight::Cuda
    } else {
        Highlight::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_told_from_the_others() {
        let text = "#include <x> // é\n__global__ void f(int *a) { a[threadIdx.x] = 0x1f; s = \"if\"; }";
        let pieces = highlight(text);
        assert_eq!(pieces.iter().map(|(piece, _)| *piece).collect::<String>(), text);
        let of = |kind: Highlight| -> Vec<&str> {
            pieces.iter().filter(|(_, its)| *its == kind).map(|(piece, _)| *piece).collect()
        };
        assert_eq!(of(Highlight::Directive), ["#include <x> "]);
        assert_eq!(of(Highlight::Comment), ["// é"]);
        assert_eq!(of(Highlight::Cuda), ["__global__", "threadIdx"]);
        assert_eq!(of(Highlight::Keyword), ["void", "int"]);
        assert_eq!(of(Highlight::Number), ["0x1f"]);
        assert_eq!(of(Highlight::Literal), ["\"if\""]);
    }

    #[test]
    fn a_directive_begins_its_line() {
        let text = "  #pragma unroll\na ## b";
        let directives: Vec<&str> = highlight(text)
            .into_iter()
            .filter(|(_, kind)| *kind == Highlight::Directive)
            .map(|(piece, _)| piece)
            .collect();
        assert_eq!(directives, ["#pragma unroll"]);
    }

    #[test]
    fn a_variable_called_half_is_a_name() {
        let text = "half /= 2";
        assert!(!highlight(text).iter().any(|(_, kind)| *kind == Highlight::Keyword));
    }

    #[test]
    fn keywords_are_in_order() {
        assert!(KEYWORDS.is_sorted());
    }
}
