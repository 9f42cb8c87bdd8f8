//! What a lesson of whole programs calls: a host function of the learner's file, or its `main`.

use super::{Argument, Formula, KeyError, Kind, Spec};
use serde::{Deserialize, Deserializer, Serialize, de::Error};

/// An entry of `[[calls]]`.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    /// Name of the host function.
    pub function: String,
    pub args: CallArguments,
}

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum CallArguments {
    /// Buffers and numbers, for a host function.
    Values(Vec<Argument>),
    /// A command line, for `main`.
    Words(Vec<Word>),
}

/// One argument of a command line: `--n`, `{n}`, `size={2 * n}`, `{seed}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Word(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Serialize)]
enum Piece {
    Text(String),
    Formula(Formula),
    /// A number drawn for each case and seed.
    Seed,
}

/// Name of the function whose arguments are a command line.
pub const MAIN: &str = "main";

impl Call {
    /// Returns whether this calls the program's `main`.
    pub fn is_main(&self) -> bool {
        self.function == MAIN
    }
}

impl<'de> Deserialize<'de> for Call {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Call, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            function: String,
            #[serde(default)]
            args: Vec<String>,
        }
        let Written { function, args } = Written::deserialize(deserializer)?;
        let args = match function.as_str() {
            MAIN => {
                args.iter().map(|text| Word::parse(text)).collect::<Result<_, _>>().map(CallArguments::Words)
            }
            _ => args
                .iter()
                .map(|text| Argument::parse(text))
                .collect::<Result<_, _>>()
                .map(CallArguments::Values),
        };
        Ok(Call { function, args: args.map_err(D::Error::custom)? })
    }
}

impl Word {
    fn parse(text: &str) -> Result<Word, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, inner)) = rest.split_once('{') {
            let Some((formula, behind)) = inner.split_once('}') else {
                return Err(format!("\"{}\": a {{ without its }}", text.escape_debug()));
            };
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(match formula.trim() {
                "seed" => Piece::Seed,
                formula => Piece::Formula(Formula::parse(formula).map_err(|error| error.to_string())?),
            });
            rest = behind;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Ok(Word(pieces))
    }

    /// Returns the word with every formula replaced by its value; the seed stays `{seed}`.
    pub(super) fn filled(
        &self,
        mut value: impl FnMut(&Formula) -> Result<i64, KeyError>,
    ) -> Result<String, KeyError> {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => out += text,
                Piece::Formula(formula) => out += &value(formula)?.to_string(),
                Piece::Seed => out += SEED,
            }
        }
        Ok(out)
    }
}

/// Placeholder in a sized command line for a number that the judge draws.
pub const SEED: &str = "{seed}";

impl Spec {
    /// Returns whether the lesson judges a whole program: it has calls in place of launches.
    pub fn is_program(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Returns whether the lesson consists of kernels, which the tool launches.
    pub fn is_of_kernels(&self) -> bool {
        !self.is_program() && self.kind != Kind::Predict
    }

    /// Returns whether the lesson judges what `main` prints.
    pub fn calls_main(&self) -> bool {
        self.calls.iter().any(Call::is_main)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_text_with_formulas_in_it() {
        let word = |text| Word::parse(text).and_then(|w| w.filled(|_| Ok(7)).map_err(|e| e.to_string()));
        assert_eq!(word("--n"), Ok("--n".into()));
        assert_eq!(word("size={2 * n}x{ n }"), Ok("size=7x7".into()));
        assert_eq!(word("{seed}"), Ok(SEED.into()));
        assert_eq!(word(""), Ok(String::new()));
        assert_eq!(word("{n"), Err("\"{n\": a { without its }".into()));
        assert!(word("{}").is_err());
    }
}
