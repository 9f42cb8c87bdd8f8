//! Code cut into tokens, with the brackets that belong together.

use super::lines::Lines;
use super::words::{is_word, word_end};
use std::ops::Range;

/// Tokens that a list of template arguments may have.
const LONGEST_ARGUMENTS: usize = 1024;

/// The words of a code, and every other byte that is no space. Tokens are named by their numbers.
#[derive(Debug)]
pub struct Tokens {
    /// Without comments, literals and directives; bytes have their places.
    code: Vec<u8>,
    places: Vec<Range<usize>>,
    /// Of a bracket the one that belongs to it. Which kind it is of is not looked at.
    partners: Vec<Option<usize>>,
    lines: Lines,
}

impl Tokens {
    /// `code` has neither comments nor directives.
    pub(super) fn of(code: Vec<u8>) -> Tokens {
        let mut places = Vec::new();
        let mut partners = Vec::new();
        let mut open = Vec::new();
        let mut at = 0;
        while at < code.len() {
            let end = word_end(&code, at).max(at + 1);
            if code[at].is_ascii_whitespace() {
                at = end;
                continue;
            }
            let mut partner = None;
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
        Tokens { code, places, partners, lines }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// A token's text; empty behind the last.
    pub fn word(&self, at: usize) -> &[u8] {
        self.places.get(at).map_or(&[], |place| &self.code[place.clone()])
    }

    /// Whether a token is that text.
    pub fn is(&self, at: usize, text: &[u8]) -> bool {
        self.word(at) == text
    }

    /// Whether it is a word that begins as a name does.
    pub fn is_name(&self, at: usize) -> bool {
        self.word(at).first().is_some_and(|byte| is_word(*byte) && !byte.is_ascii_digit())
    }

    /// Its first byte; the code's end behind the last.
    pub fn start(&self, at: usize) -> usize {
        self.places.get(at).map_or(self.code.len(), |place| place.start)
    }

    /// The token whose first byte that is.
    pub(super) fn starting_at(&self, byte: usize) -> Option<usize> {
        self.places.binary_search_by_key(&byte, |place| place.start).ok()
    }

    /// Its line, 1-based; the last one behind the last.
    pub fn line(&self, at: usize) -> u32 {
        self.lines.number(self.start(at))
    }

    /// Whether there is such a line.
    pub(super) fn has_line(&self, line: u32) -> bool {
        self.lines.has(line)
    }

    /// The tokens of some lines.
    pub(super) fn of_lines(&self, lines: Range<u32>) -> Range<usize> {
        let first = |line: u32| self.places.partition_point(|place| self.lines.number(place.start) < line);
        first(lines.start)..first(lines.end).max(first(lines.start))
    }

    /// The text of some tokens, with what stands between them.
    pub fn text(&self, range: Range<usize>) -> &[u8] {
        match range.is_empty() {
            true => &[],
            false => &self.code[self.start(range.start)..self.end(range.end - 1)],
        }
    }

    /// The byte behind a token; the code's end behind the last.
    pub(super) fn end(&self, at: usize) -> usize {
        self.places.get(at).map_or(self.code.len(), |place| place.end)
    }

    /// The bracket that closes or opens the one at a token; `None` where none does.
    pub fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().flatten()
    }

    /// The token behind `<…>`; `None` where it is no list of template arguments.
    pub fn behind_arguments(&self, open: usize) -> Option<usize> {
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

    /// The word so many tokens before one; empty where there is none.
    pub fn before(&self, at: usize, by: usize) -> &[u8] {
        at.checked_sub(by).map_or(&b""[..], |at| self.word(at))
    }

    /// The tokens that are that word.
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
        let word = |at: usize| String::from_utf8_lossy(tokens.word(at)).into_owned();
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
        let behind = |text: &str| Tokens::of(text.into()).behind_arguments(0);
        assert_eq!(
            (behind("<a, b<c>*> ("), behind("<a + b>"), behind("<a"), behind("<")),
            (Some(9), None, None, None)
        );
    }
}
