//! Splits code into tokens and matches brackets.

use super::blank::{without_comments, without_directives};
use super::lines::Lines;
use super::words::{is_no_type, is_word, word_end};
use std::ops::Range;

/// Maximum number of tokens in a list of template arguments.
const LONGEST_ARGUMENTS: usize = 1024;

/// Tokens: the words of a code, and every other byte that is not white space. A token is identified by its
/// index.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// The code without comments, literals and directives; byte positions are preserved.
    code: Vec<u8>,
    places: Vec<Range<usize>>,
    /// For a bracket: the matching one. Kinds of brackets are not distinguished.
    partners: Vec<Option<usize>>,
    /// For each token: the innermost bracket that is open before it.
    around: Vec<Option<usize>>,
    lines: Lines,
}

impl Tokens {
    /// Returns the tokens of a source, without comments, literals, directives, and branches that are certainly not
    /// compiled.
    pub fn new(source: &str) -> Tokens {
        Tokens::of(without_directives(&without_comments(source)))
    }

    /// Splits `code`, which has neither comments nor directives.
    pub(super) fn of(code: Vec<u8>) -> Tokens {
        let mut places = Vec::new();
        let mut partners = Vec::new();
        let mut around = Vec::new();
        let mut open = Vec::new();
        let mut at = 0;
        while at < code.len() {
            let end = word_end(&code, at).max(at + 1);
            if code[at].is_ascii_whitespace() {
                at = end;
                continue;
            }
            let mut partner = None;
            around.push(open.last().copied());
            match code[at] {
                b'(' | b'[' | b'{' => open.push(places.len()),
                b')' | b']' | b'}' => {
                    partner = open.pop();
                    if let Some(opening) = partner {
                        partners[opening] = Some(places.len());
                    }
                }
                _ => {}
            }
            places.push(at..end);
            partners.push(partner);
            at = end;
        }
        let lines = Lines::of(&code);
        Tokens { code, places, partners, around, lines }
    }

    /// Returns the number of tokens.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns a token's text; empty after the last token.
    pub fn word(&self, at: usize) -> &[u8] {
        self.places.get(at).map_or(&[], |place| &self.code[place.clone()])
    }

    /// Returns a token's text, for messages.
    pub fn text_of(&self, at: usize) -> String {
        String::from_utf8_lossy(self.word(at)).into_owned()
    }

    /// Returns whether a token has that text.
    pub fn is(&self, at: usize, text: &[u8]) -> bool {
        self.word(at) == text
    }

    /// Returns whether a token is a word that may begin a name.
    pub fn is_name(&self, at: usize) -> bool {
        self.word(at).first().is_some_and(|byte| is_word(*byte) && !byte.is_ascii_digit())
    }

    /// Returns whether a token is a word that may end a type, and not one such as `return`.
    pub fn may_be_type(&self, at: usize) -> bool {
        self.is_name(at) && !is_no_type(self.word(at))
    }

    /// Returns the offset of a token's first byte; after the last token, the end of the code.
    pub fn start(&self, at: usize) -> usize {
        self.places.get(at).map_or(self.code.len(), |place| place.start)
    }

    /// Returns the token that begins at a byte.
    pub(super) fn starting_at(&self, byte: usize) -> Option<usize> {
        self.places.binary_search_by_key(&byte, |place| place.start).ok()
    }

    /// Returns a token's 1-based line; after the last token, the last line.
    pub fn line(&self, at: usize) -> u32 {
        self.lines.number(self.start(at))
    }

    /// Returns the offset of the first byte of a line; 0 if there is no such line.
    pub fn line_start(&self, line: u32) -> usize {
        self.lines.start(line)
    }

    /// Returns whether there is such a line.
    pub(super) fn has_line(&self, line: u32) -> bool {
        self.lines.has(line)
    }

    /// Returns the tokens on some lines.
    pub fn of_lines(&self, lines: Range<u32>) -> Range<usize> {
        let first = |line: u32| self.places.partition_point(|place| self.lines.number(place.start) < line);
        first(lines.start)..first(lines.end).max(first(lines.start))
    }

    /// Returns the text of some tokens, including what is between them.
    pub fn text(&self, range: Range<usize>) -> &[u8] {
        match range.is_empty() {
            true => &[],
            false => &self.code[self.start(range.start)..self.end(range.end - 1)],
        }
    }

    /// Returns whether a token is a bracket where a lambda may begin, rather than a subscript.
    pub fn may_begin_lambda(&self, at: usize) -> bool {
        self.is(at, b"[") && matches!(self.before(at, 1), b"(" | b"," | b"=" | b"return" | b"{")
    }

    /// Returns the offset after a token; after the last token, the end of the code.
    pub(super) fn end(&self, at: usize) -> usize {
        self.places.get(at).map_or(self.code.len(), |place| place.end)
    }

    /// Returns the bracket that matches the one at a token; `None` if there is none.
    pub fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().flatten()
    }

    /// Returns the brackets that are open before a token, innermost first.
    pub fn brackets_around(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let around = |at: usize| self.around.get(at).copied().flatten();
        std::iter::successors(around(at), move |open| around(*open))
    }

    /// Returns the token after `<…>`; `None` if that is not a list of template arguments.
    pub fn after_template_arguments(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in (open..self.count()).take(LONGEST_ARGUMENTS) {
            match self.word(at) {
                b"<" => depth += 1,
                b">" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                b"," | b":" | b"*" | b"&" => {}
                word if is_word(word[0]) => {}
                _ => return None,
            }
        }
        None
    }

    /// Returns the word `by` tokens before a token; empty if there is none.
    pub fn before(&self, at: usize, by: usize) -> &[u8] {
        at.checked_sub(by).map_or(&b""[..], |at| self.word(at))
    }

    /// Returns what follows each place on a line where tokens have these texts, one after the other.
    pub fn behind_on<'t>(&'t self, line: u32, texts: &'t [&[u8]]) -> impl Iterator<Item = usize> + 't {
        let fits = move |at: &usize| (*at..).zip(texts).all(|(at, text)| self.is(at, text));
        self.of_lines(line..line + 1).filter(fits).map(move |at| at + texts.len())
    }

    /// Returns the tokens with that text.
    pub fn all<'t>(&'t self, word: &'t [u8]) -> impl Iterator<Item = usize> + 't {
        (0..self.count()).filter(move |at| self.is(*at, word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_have_partners() {
        let tokens = Tokens::of(b"f(a[1], {2}) ] (x".to_vec());
        let word = |at: usize| tokens.text_of(at);
        let pairs: Vec<(usize, usize)> =
            (0..tokens.count()).filter_map(|at| Some((at, tokens.partner(at)?))).collect();
        assert_eq!(pairs, [(1, 10), (3, 5), (5, 3), (7, 9), (9, 7), (10, 1)]);
        assert_eq!((word(2), word(8), word(99)), ("a".into(), "2".into(), String::new()));
        assert_eq!(tokens.text(0..4), b"f(a[");
        assert_eq!((tokens.text(4..4), tokens.text(99..99)), (&b""[..], &b""[..]));
    }

    #[test]
    fn tokens_know_their_lines() {
        let tokens = Tokens::of(b"a b\n\nc".to_vec());
        assert_eq!([0, 1, 2, 3].map(|at| tokens.line(at)), [1, 1, 3, 3]);
        assert_eq!([1..2, 2..4, 1..99, 4..4].map(|lines| tokens.of_lines(lines)), [0..2, 2..3, 0..3, 3..3]);
    }

    #[test]
    fn arguments_of_templates_are_passed_over() {
        let behind = |text: &str| Tokens::of(text.into()).after_template_arguments(0);
        assert_eq!(
            (behind("<a, b<c>*> ("), behind("<a + b>"), behind("<a"), behind("<")),
            (Some(9), None, None, None)
        );
    }
}
