//! The values that a case has of its own, in addition to its sizes.
//!
//! ```toml
//! cases = [
//!     { n = 1000 },                                            # filled as the buffers say
//!     { n = 4, in = [1, 2, 3, 4], expected = { out = [2, 4, 6, 8] } },  # values written out
//!     { n = 9, in = "nine.txt", name = "all negative" },       # those of a file next to lesson.toml
//!     { n = 50, in = { kind = "sorted", low = 0, high = 9 } }, # filled in another way: see [`Fill`]
//! ]
//! ```
//!
//! Values are written as numbers in row-major order; nested lists may represent rows. A file, named by lower-case
//! words and `.txt`, contains numbers separated by spaces, commas or line breaks, and comments from `#` to the end
//! of a line. What is `expected` of an output is also compared with the lesson's reference, unless that is
//! `"expected"`: then every case must state what it expects of every output. A name distinguishes cases with the
//! same sizes.

use super::Fill;
use super::keys::is_slug;
use crate::value::Values;
use serde::Serialize;
use std::borrow::Cow;

/// What a case states besides its sizes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CaseData {
    /// The name of the case.
    pub name: Option<String>,
    /// Values of inputs, by buffer name.
    pub inputs: Vec<(String, InputContents)>,
    /// Expected values of outputs, by buffer name.
    pub expected: Vec<(String, Numbers)>,
}

/// The contents of an input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum InputContents {
    Numbers(Numbers),
    Fill(Fill),
}

/// Numbers that are written out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Numbers {
    /// Name of the file next to lesson.toml that holds them, if they are in a file.
    pub file: Option<String>,
    pub values: Values,
}

/// Describes in messages what may be given for an input in place of its buffer's fill.
pub(super) const VALUES: &str = "values are a list of numbers, the name of a .txt file or a fill such as { kind = \
                                 \"sorted\", low = 0, high = 9 }";
/// How many numbers of a case are shown to distinguish it from others.
const SHOWN: usize = 8;
/// Largest length of a case's name, in characters.
const LONGEST_NAME: usize = 40;

impl CaseData {
    /// Adds an entry of a case that is not a number.
    pub(super) fn take(&mut self, name: String, value: toml::Value) -> Result<(), String> {
        let shown = name.escape_debug();
        if self.inputs.iter().any(|(its, _)| *its == name) {
            return Err(format!("\"{shown}\" is given twice"));
        }
        match (name.as_str(), value) {
            ("name", toml::Value::String(text)) => {
                let fits = !text.trim().is_empty()
                    && text.chars().count() <= LONGEST_NAME
                    && !text.chars().any(|c| c.is_control() || c == ',');
                if !fits {
                    return Err(format!(
                        "name: 1 to {LONGEST_NAME} characters are allowed, without commas and control characters"
                    ));
                }
                self.name = Some(text);
            }
            ("expected", toml::Value::Table(outputs)) => {
                for (output, value) in outputs {
                    let shown = format!("expected.{}", output.escape_debug());
                    let numbers = Numbers::of(value, &shown)?;
                    self.expected.push((output, numbers));
                }
            }
            (_, toml::Value::Table(fill)) => {
                let fill =
                    Fill::try_from(toml::Value::Table(fill)).map_err(|why| format!("{shown}: {why}"))?;
                self.inputs.push((name, InputContents::Fill(fill)));
            }
            (_, value) => {
                let numbers = Numbers::of(value, &shown.to_string())?;
                self.inputs.push((name, InputContents::Numbers(numbers)));
            }
        }
        Ok(())
    }

    /// Returns whether the case states nothing besides its sizes.
    pub fn is_empty(&self) -> bool {
        self.name.is_none() && self.inputs.is_empty() && self.expected.is_empty()
    }

    /// Returns the contents that the case gives for an input.
    pub fn input(&self, buffer: &str) -> Option<&InputContents> {
        self.inputs.iter().find(|(name, _)| name == buffer).map(|(_, contents)| contents)
    }

    /// Returns the values that the case expects of an output.
    pub fn expected(&self, buffer: &str) -> Option<&Numbers> {
        self.expected.iter().find(|(name, _)| name == buffer).map(|(_, numbers)| numbers)
    }

    /// Returns what distinguishes the case from others of the same sizes: its name, or else its values.
    pub(super) fn in_words(&self) -> Vec<String> {
        if let Some(name) = &self.name {
            return vec![name.clone()];
        }
        let words = self.inputs.iter().filter_map(|(name, contents)| match contents {
            // Only the lesson's author knows the file.
            InputContents::Numbers(Numbers { file: Some(_), .. }) => None,
            InputContents::Numbers(numbers) => Some(format!("{name} = {}", numbers.in_words())),
            InputContents::Fill(fill) => Some(format!("{name} {}", fill.name())),
        });
        words.collect()
    }

    /// Reads the files that are named, with `text` returning the text of each. Returns the problems: name of the
    /// file, line (`None` if the file is missing), message.
    pub(super) fn read_files(
        &mut self,
        text: &dyn Fn(&str) -> Option<Cow<'static, str>>,
    ) -> Vec<(String, Option<u32>, String)> {
        let mut problems = Vec::new();
        let inputs = self.inputs.iter_mut().filter_map(|(_, contents)| match contents {
            InputContents::Numbers(numbers) => Some(numbers),
            InputContents::Fill(_) => None,
        });
        for numbers in inputs.chain(self.expected.iter_mut().map(|(_, numbers)| numbers)) {
            let Some(file) = &numbers.file else { continue };
            match text(file) {
                None => problems.push((file.clone(), None, "this file is missing".to_owned())),
                Some(text) => match numbers_of(&text) {
                    Ok(values) => numbers.values = values,
                    Err((line, message)) => problems.push((file.clone(), Some(line), message)),
                },
            }
        }
        problems
    }
}

impl Numbers {
    fn of(value: toml::Value, key: &str) -> Result<Numbers, String> {
        match value {
            toml::Value::String(file) if file.strip_suffix(".txt").is_some_and(is_slug) => {
                Ok(Numbers { file: Some(file), values: Values::Int(Vec::new()) })
            }
            toml::Value::String(file) => Err(format!(
                "{key}: \"{}\" is not a file name: use lower-case words joined by \"-\", and .txt",
                file.escape_debug()
            )),
            toml::Value::Array(array) => {
                let mut all = Vec::new();
                flatten(array, &mut all).map_err(|message| format!("{key}: {message}"))?;
                Ok(Numbers { file: None, values: values(all) })
            }
            _ => Err(format!("{key}: {VALUES}")),
        }
    }

    fn in_words(&self) -> String {
        let shown = match &self.values {
            Values::Int(all) => all.iter().take(SHOWN).map(i64::to_string).collect::<Vec<_>>(),
            Values::Float(all) => all.iter().take(SHOWN).map(f64::to_string).collect(),
        };
        let more = if self.values.count() > SHOWN { ", …" } else { "" };
        format!("[{}{more}]", shown.join(", "))
    }
}

#[derive(Clone, Copy)]
enum Number {
    Int(i64),
    Float(f64),
}

/// Returns integers if all numbers are integers, otherwise floats.
fn values(all: Vec<Number>) -> Values {
    let ints = all.iter().map(|number| match number {
        Number::Int(int) => Some(*int),
        Number::Float(_) => None,
    });
    match ints.collect() {
        Some(ints) => Values::Int(ints),
        None => Values::Float(
            all.into_iter()
                .map(|number| match number {
                    Number::Int(int) => int as f64,
                    Number::Float(float) => float,
                })
                .collect(),
        ),
    }
}

fn flatten(array: Vec<toml::Value>, all: &mut Vec<Number>) -> Result<(), String> {
    for value in array {
        match value {
            toml::Value::Integer(int) => all.push(Number::Int(int)),
            toml::Value::Float(float) => all.push(Number::Float(float)),
            toml::Value::Array(row) => flatten(row, all)?,
            other => return Err(format!("{} where a number should be", other.type_str())),
        }
    }
    Ok(())
}

/// Parses the numbers of a file; the error contains the line.
fn numbers_of(text: &str) -> Result<Values, (u32, String)> {
    let mut all = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.split('#').next().unwrap_or_default();
        for word in line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
            all.push(match (word.parse(), word.parse()) {
                (Ok(int), _) => Number::Int(int),
                (_, Ok(float)) => Number::Float(float),
                _ => {
                    let shown: String = word.chars().take(20).collect();
                    return Err((number, format!("\"{}\" is not a number", shown.escape_debug())));
                }
            });
        }
    }
    Ok(values(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_file_are_read_and_others_named_by_their_line() {
        assert_eq!(numbers_of("# of two\n1, 2\n-3 # more\n\n4"), Ok(Values::Int(vec![1, 2, -3, 4])));
        assert_eq!(numbers_of("1 2.5e0,inf"), Ok(Values::Float(vec![1.0, 2.5, f64::INFINITY])));
        assert_eq!(numbers_of("1\n2 two\u{1b}"), Err((2, "\"two\\u{1b}\" is not a number".into())));
        assert_eq!(numbers_of(""), Ok(Values::Int(Vec::new())));
    }
}
