//! Finds the glossary's terms in texts.

use cpp::is_name_char;
use judge::course::Glossary;
use std::ops::Range;

/// Every unambiguous name of a term, in lower case, the longest first.
pub struct Words<'a> {
    glossary: &'a Glossary,
    names: Vec<(String, usize)>,
}

/// An occurrence in a text of a term, given by its index.
pub struct Found {
    pub place: Range<usize>,
    pub term: usize,
}

impl<'a> Words<'a> {
    pub fn new(glossary: &'a Glossary) -> Words<'a> {
        let terms = glossary.terms.iter().enumerate();
        let mut names: Vec<(String, usize)> = terms
            .flat_map(|(n, term)| term.unambiguous_names().map(move |name| (name.to_lowercase(), n)))
            .collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Words { glossary, names }
    }

    /// Returns the id of a term on the glossary's page.
    pub fn anchor(&self, term: usize) -> String {
        let name = self.glossary.terms[term].name.to_lowercase();
        format!("term-{}", name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"))
    }

    /// Finds terms in a text as whole words, in order and without overlaps.
    pub fn find(&self, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        let mut at = 0;
        let mut before = ' ';
        while let Some(c) = text[at..].chars().next() {
            let name = if is_name_char(before) || !is_name_char(c) { None } else { self.begins(&text[at..]) };
            match name {
                Some((length, term)) => {
                    found.push(Found { place: at..at + length, term });
                    at += length;
                    before = 'x';
                }
                None => {
                    at += c.len_utf8();
                    before = c;
                }
            }
        }
        found
    }

    /// Returns the length and the term of the longest name that a text begins with as a whole word.
    fn begins(&self, text: &str) -> Option<(usize, usize)> {
        let is = |name: &str| {
            text.get(..name.len()).is_some_and(|start| start.to_lowercase() == name)
                && !text[name.len()..].starts_with(is_name_char)
        };
        self.names.iter().find(|(name, _)| is(name)).map(|(name, term)| (name.len(), *term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::course::Term;

    #[test]
    fn terms_are_found_as_whole_words() {
        let term = |name: &str, also: &str| Term {
            name: name.into(),
            also: vec![also.into()],
            ambiguous: vec!["line".into()],
            text: String::new(),
            lessons: Vec::new(),
            of: None,
        };
        let terms =
            vec![term("bank", "bank conflict"), term("SM", "multiprocessor"), term("cache line", "line")];
        let glossary = Glossary { terms };
        let words = Words::new(&glossary);
        let text = "A bank conflict; banker, SMs, an sm. Bank in one line, a cache line";
        let found: Vec<(&str, usize)> =
            words.find(text).into_iter().map(|found| (&text[found.place], found.term)).collect();
        assert_eq!(found, [("bank conflict", 0), ("sm", 1), ("Bank", 0), ("cache line", 2)]);
    }
}
