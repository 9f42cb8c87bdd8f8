//! Replaces what is not code by blanks: comments, literals, directives, and branches that are not compiled. Byte
//! positions and line numbers are preserved.

use super::conditions::Conditions;
use super::directives::directives;
use super::passages::{Passage, passages};
use super::words::{is_name_char, is_word};
use std::borrow::Cow;
use std::ops::Range;

/// Returns the source with blanks in place of comments and literals.
pub(super) fn without_comments(source: &str) -> Vec<u8> {
    let mut code = source.as_bytes().to_vec();
    for (mut range, _) in passages(source) {
        // A literal's prefix, such as R, is part of the literal.
        let prefix = code[..range.start].iter().rev().take_while(|byte| is_word(**byte)).count();
        if matches!(
            &code[range.start - prefix..range.start],
            b"R" | b"LR" | b"uR" | b"UR" | b"u8R" | b"L" | b"u" | b"U" | b"u8"
        ) {
            range.start -= prefix;
        }
        blank(&mut code[range]);
    }
    code
}

/// Returns the byte ranges of a source's comments.
pub fn comments(source: &str) -> impl Iterator<Item = Range<usize>> {
    passages(source).filter(|(_, kind)| *kind == Passage::Comment).map(|(range, _)| range)
}

/// Returns the source with a blank for each character of a comment; literals are kept.
pub fn uncommented(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for range in comments(source) {
        out.push_str(&source[at..range.start]);
        out.extend(source[range.clone()].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        at = range.end;
    }
    out.push_str(&source[at..]);
    out
}

/// Returns the source with a word replaced by another in code and directives; comments and literals are kept.
pub fn with_word<'s>(source: &'s str, word: &str, other: &str) -> Cow<'s, str> {
    if !source.contains(word) {
        return Cow::Borrowed(source);
    }
    Cow::Owned(with_words(source, |name| (name == word).then_some(other)))
}

/// Returns the source with the words for which `other` gives one replaced by that in code and directives; comments and
/// literals are kept.
pub fn with_words<'o>(source: &str, other: impl Fn(&str) -> Option<&'o str>) -> String {
    let mut out = String::with_capacity(source.len());
    let end = source.len()..source.len();
    let mut at = 0;
    for passage in passages(source).map(|(range, _)| range).chain([end]) {
        let mut rest = &source[at..passage.start];
        while let Some(start) = rest.find(is_name_char) {
            let (before, name) = rest.split_at(start);
            let (name, behind) = name.split_at(name.find(|c| !is_name_char(c)).unwrap_or(name.len()));
            out.extend([before, other(name).unwrap_or(name)]);
            rest = behind;
        }
        out.push_str(rest);
        at = passage.end;
        out.push_str(&source[passage]);
    }
    out
}

/// Also replaces directives, and the branches that are certainly not compiled, by blanks. `code` has no comments.
pub fn without_directives(code: &[u8]) -> Vec<u8> {
    let mut out = code.to_vec();
    let mut conditions = Conditions::of(code);
    // Where the text that is not compiled begins.
    let mut dead = None;
    for directive in directives(code) {
        let line = directive.lines.clone();
        if let Some(since) = dead {
            blank(&mut out[since..line.start]);
        }
        blank(&mut out[line.clone()]);
        conditions.pass(code, &directive);
        dead = conditions.is_dead().then_some(line.end);
    }
    if let Some(since) = dead {
        blank(&mut out[since..]);
    }
    out
}

/// Returns `source` with a blank for each character that is blank in `code`, which is the source without
/// comments.
pub(super) fn blanked(source: &str, code: &[u8]) -> String {
    source.char_indices().map(|(at, c)| if code[at] == b' ' { ' ' } else { c }).collect()
}

fn blank(text: &mut [u8]) {
    text.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(source: &str) -> String {
        super::blanked(source, &without_comments(source))
    }

    #[test]
    fn what_is_no_code_is_blank_and_places_stay() {
        let source = "a /* é\n b */ c \"x{\\\"\" 'q' 1'000 R\"y({)\")y\" L'x' d // {\ne";
        let code = blanked(source);
        assert_eq!(code.chars().count(), source.chars().count());
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "c", "1'000", "d", "e"]);
        assert_eq!(blanked("\"open\nnext"), "     \nnext");
        assert_eq!(blanked("/* never"), " ".repeat(8));
        assert_eq!(blanked("R\"("), "   ");
    }

    #[test]
    fn directives_and_dead_code_are_blank() {
        let source =
            "#define A {\\\n {\nx\n#if 0\ny\n#if 1\nz\n#endif\n#else\nu\n#endif\n  #  pragma once\nv";
        let code = String::from_utf8(without_directives(&without_comments(source))).unwrap();
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["x", "u", "v"]);
        assert_eq!(code.lines().count(), source.lines().count());
        assert_eq!(without_directives(b"#if 0"), b"     ");
        assert_eq!(without_directives(b"#x \\"), b"    ");
    }

    #[test]
    fn a_word_is_another_in_code_alone() {
        let source = "#if N > 1 // N\nint N2 = N, é = aN; \"N\" N";
        assert_eq!(with_word(source, "N", "M"), "#if M > 1 // N\nint N2 = M, é = aN; \"N\" M");
        assert!(matches!(with_word(source, "other", "M"), Cow::Borrowed(_)));
        assert_eq!(with_word("NN N", "N", "éé"), "NN éé");
        let other = |name: &str| name.starts_with("NV_").then_some("NO");
        assert_eq!(with_words("NV_A(NV_, x) // NV_B", other), "NO(NO, x) // NV_B");
        assert_eq!(with_word("\"open N\nN", "N", "M"), "\"open N\nM");
    }
}
