//! Formulas over a case's sizes: `ceil_div(n, 8) * 4`.
//!
//! Values are 64-bit integers; an overflow is an error, never a wrapped value. Operators, from loosest to tightest:
//! `or`; `and`; `< <= > >= == !=` (which do not chain); `+ -`; `* / %`; a leading `-`; parentheses and calls. `/`
//! and `%` round towards zero, as in C; a comparison is 1 if it holds and 0 if not. Functions: `ceil_div(a, b)`
//! rounds up, `min(a, b)`, `max(a, b)`, `log2(a)` rounds down, `abs(a)`, `not(a)`. Names are the case's sizes and,
//! where there are measurements, measured values such as `row.load_sectors`.

mod operation;
mod parser;
#[cfg(test)]
mod tests;

use super::case::Case;
use operation::Operation;
use parser::Parser;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// Largest length of a formula in bytes: it is a line, not a program.
const LONGEST: usize = 1_000;

/// A parsed formula. Two formulas are equal if their texts are.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    /// Steps in postfix order: operands before their operation.
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

/// Why a text is not a formula, or why a formula has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// The formula's text, escaped.
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
    /// Parses a formula.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a formula; the message says what was found where.
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

    /// Returns the text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Iterates over the names in the formula, in order of appearance.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Name(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Evaluates the formula for a case's sizes.
    ///
    /// # Errors
    ///
    /// Fails on an unknown name, a division by zero or an overflow.
    pub fn value(&self, sizes: &Case) -> Result<i64, FormulaError> {
        self.value_with(&|name| {
            sizes.get(name).copied().ok_or_else(|| {
                let known = sizes.keys().collect::<Vec<_>>().join(", ");
                format!("unknown name \"{name}\"; the case has: {known}")
            })
        })
    }

    /// Evaluates the formula, with `named` returning the value of each name or why it has none.
    ///
    /// # Errors
    ///
    /// Fails on a name that `named` rejects, a division by zero or an overflow.
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

/// A formula is serialised as its text, which its steps follow from.
impl Serialize for Formula {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
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
