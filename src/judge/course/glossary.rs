//! The glossary, which explains each technical term once: `lessons/glossary.toml`.
//!
//! ```toml
//! [[terms]]
//! name = "warp"
//! also = ["warps"]                 # optional: other words for it
//! ambiguous = ["warps"]            # optional: of its words, those that texts use for other things too
//! text = """
//! 32 threads of a block that run together.
//!
//!     a figure is indented by four spaces"""
//! lessons = ["divergence"]         # optional: where it is taught
//! ```

use serde::Deserialize;
use std::collections::BTreeSet;

/// Path relative to the root of a course.
pub(super) const FILE: &str = "lessons/glossary.toml";

/// All terms, in the order of the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Glossary {
    pub terms: Vec<Term>,
}

/// A term and its explanation.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    pub name: String,
    #[serde(default)]
    pub also: Vec<String>,
    /// Those of its names that texts also use for other things, such as "half" and "line": they are not linked in
    /// texts.
    #[serde(default)]
    pub ambiguous: Vec<String>,
    /// Paragraphs and figures, as in a lesson's text.
    pub text: String,
    /// Slugs of lessons that teach it.
    #[serde(default)]
    pub lessons: Vec<String>,
    /// The added course that the term belongs to; `None` for built-in terms.
    #[serde(skip)]
    pub of: Option<String>,
}

impl Term {
    /// Iterates over all names of the term.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.also.iter().map(String::as_str))
    }

    /// Iterates over the names that always mean this term.
    pub fn unambiguous_names(&self) -> impl Iterator<Item = &str> {
        self.names().filter(|name| self.ambiguous.iter().all(|its| its != name))
    }
}

impl Glossary {
    /// Parses the glossary.
    ///
    /// # Errors
    ///
    /// Fails with a message that says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Glossary, String> {
        let glossary: Glossary = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut seen = BTreeSet::new();
        for name in glossary.terms.iter().flat_map(Term::names) {
            if name.trim().is_empty() || name.chars().any(char::is_control) {
                return Err(format!("\"{}\" is not a name for a term", name.escape_debug()));
            }
            if !seen.insert(name.to_lowercase()) {
                return Err(format!("two terms are called \"{}\"", name.escape_debug()));
            }
        }
        for term in &glossary.terms {
            if let Some(other) = term.ambiguous.iter().find(|name| term.names().all(|its| its != *name)) {
                let (name, other) = (term.name.escape_debug(), other.escape_debug());
                return Err(format!("\"{other}\" is ambiguous, but not a name of \"{name}\""));
            }
        }
        Ok(glossary)
    }

    /// Returns the terms with this name, ignoring case: built-in terms first, then those of added courses.
    pub fn terms_of(&self, word: &str) -> impl Iterator<Item = &Term> {
        let word = word.to_lowercase();
        self.terms.iter().filter(move |term| term.names().any(|name| name.to_lowercase() == word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_by_any_of_its_names() {
        let text = "[[terms]]\nname = \"SM\"\nalso = [\"multiprocessor\"]\ntext = \"t\"\n";
        let glossary = Glossary::parse(text).unwrap();
        assert_eq!(glossary.terms_of("Multiprocessor").next().unwrap().name, "SM");
        assert!(glossary.terms_of("warp").next().is_none());
        let twice = format!("{text}[[terms]]\nname = \"sm\"\ntext = \"t\"\n");
        assert!(Glossary::parse(&twice).unwrap_err().contains("two terms"));
    }

    #[test]
    fn an_ambiguous_name_is_one_of_the_term() {
        let of = |ambiguous: &str| {
            let names = "[[terms]]\nname = \"half\"\nalso = [\"f16\"]\ntext = \"t\"\n";
            Glossary::parse(&format!("{names}ambiguous = [\"{ambiguous}\"]\n"))
        };
        let glossary = of("half").unwrap();
        assert_eq!(glossary.terms[0].unambiguous_names().collect::<Vec<_>>(), ["f16"]);
        assert_eq!(glossary.terms_of("half").count(), 1, "it is explained all the same");
        assert_eq!(of("line").unwrap_err(), "\"line\" is ambiguous, but not a name of \"half\"");
    }
}
