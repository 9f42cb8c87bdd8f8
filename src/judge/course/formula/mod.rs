//! Formulas over a case's sizes: `ceil_div(n, 8) * 4`.
//!
//! Whole numbers in 64 bits; an overflow is an error, never a wrapped value. From loosest to
//! tightest: `or`, then `and`, then `< <= > >= == !=` (which do not chain), then `+ -`, then `* / %`,
//! then a leading `-`, then parentheses and calls. `/` and `%` round towards zero, as in C; a
//! comparison is 1 where it holds and 0 where not. Functions: `ceil_div(a, b)` rounds up,
//! `min(a, b)`, `max(a, b)`, `log2(a)` rounds down, `abs(a)`, `not(a)`. Names are the case's sizes,
//! and, where something was measured, what was measured: `row.load_sectors`.

mod operation;
mod parser;
#[cfg(test)]
mod tests;

use super::case::Case;
use operation::Operation;
use parser::Parser;
use serde::{Deserialize, Deserializer, de};
use std::fmt;

/// Longest text, in bytes: a formula is a line, not a program.
const LONGEST: usize = 1_000;

/// A parsed formula. Equal when the texts are.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    /// In postfix order: operands before their operation.
    steps: Vec<Step>,
}

impl PartialEq for Formula {
    fn eq(&self, other: &Formula) -> bool {
        self.text == other.text
    }
}

#[derive(Clone, Debug)]
enum Step {
    Number(i64),
    Name(String),
    Apply(Operation),
}

/// Why a text is no formula, or a formula has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// The formula, escaped.
    pub formula: String,
    pub message: String,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "formula \"{}\": {}", self.formula, self.message)
    }
}

impl std::error::Error for FormulaError {}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    ///
    /// The text is none: what was found where.
    pub fn parse(text: &str) -> Result<Formula, FormulaError> {
        let fail = |message: String| {
            let shown: String = text.chars().take(80).collect();
            FormulaError { formula: shown.escape_debug().to_string(), message }
        };
        if text.len() > LONGEST {
            return Err(fail(format!("longer than {LONGEST} characters")));
        }
        let steps = Parser::steps(text).map_err(fail)?;
        Ok(Formula { text: text.to_owned(), steps })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names it uses, in order of appearance.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Name(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Its value for a case's sizes.
    pub fn value(&self, sizes: &Case) -> Result<i64, FormulaError> {
        self.value_with(&|name| {
            sizes.get(name).copied().ok_or_else(|| {
                let known = sizes.keys().collect::<Vec<_>>().join(", ");
                format!("unknown name \"{name}\"; the case has: {known}")
            })
        })
    }

    /// Its value where `named` knows the names, or says why it does not.
    pub fn value_with(&self, named: &dyn Fn(&str) -> Result<i64, String>) -> Result<i64, FormulaError> {
        let fail = |message: String| FormulaError { formula: self.text.escape_debug().to_string(), message };
        let mut stack = Vec::with_capacity(8);
        for step in &self.steps {
            let value = match step {
                Step::Number(number) => *number,
                Step::Name(name) => named(name).map_err(fail)?,
                Step::Apply(operation) => {
                    let b = if operation.operands() == 2 { stack.pop() } else { Some(0) };
                    let (Some(a), Some(b)) = (stack.pop(), b) else {
                        return Err(fail("an operand is missing".into()));
                    };
                    operation.apply(a, b).map_err(|message| fail(message.into()))?
                }
            };
            stack.push(value);
        }
        stack.pop().ok_or_else(|| fail("empty".into()))
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<i64> for Formula {
    fn from(number: i64) -> Formula {
        Formula { text: number.to_string(), steps: vec![Step::Number(number)] }
    }
}

impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrNumber;
        impl de::Visitor<'_> for TextOrNumber {
            type Value = Formula;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a whole number or a formula such as \"ceil_div(n, 8)\"")
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Formula, E> {
                Ok(number.into())
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Formula, E> {
                Formula::parse(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(TextOrNumber)
    }
}
