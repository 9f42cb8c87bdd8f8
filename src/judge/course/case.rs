//! A case: one set of sizes, in the order in which the lesson writes them, and the case's own values.

use super::data::CaseData;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// A number of a case: `n = 8` or `factor = 2.5`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum CaseNumber {
    /// A size, which formulas may use.
    Whole(i64),
    /// A number that can only be passed as an argument of type f32 or f64.
    Decimal(f64),
}

impl fmt::Display for CaseNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaseNumber::Whole(value) => value.fmt(f),
            CaseNumber::Decimal(value) => write!(f, "{value:?}"),
        }
    }
}

/// Names and numbers: `{ rows = 4, cols = 6 }`. They keep the lesson's order, so that they appear in the same order
/// as in text such as "rows × columns".
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Case {
    numbers: Vec<(String, CaseNumber)>,
    /// The case's own values; only for `cases` in lesson.toml.
    pub data: CaseData,
}

impl Case {
    pub fn new() -> Case {
        Case::default()
    }

    /// Returns the size called `name`.
    pub fn get(&self, name: &str) -> Option<&i64> {
        self.iter().find(|(its, _)| *its == name).map(|(_, value)| value)
    }

    /// Returns the number called `name`, whether it is a size or not.
    pub fn number(&self, name: &str) -> Option<CaseNumber> {
        self.numbers.iter().find(|(its, _)| its == name).map(|(_, number)| *number)
    }

    /// Iterates over all names, in the lesson's order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.numbers.iter().map(|(name, _)| name.as_str())
    }

    /// Iterates over names and sizes, in the lesson's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &i64)> {
        self.numbers.iter().filter_map(|(name, number)| match number {
            CaseNumber::Whole(size) => Some((name.as_str(), size)),
            CaseNumber::Decimal(_) => None,
        })
    }

    /// Returns whether another case has the same numbers, whatever values its buffers have.
    pub fn same_sizes(&self, other: &Case) -> bool {
        self.numbers == other.numbers
    }

    /// Returns the case with other sizes, and therefore without values of its own.
    pub fn resized(&self, size: impl Fn(&str, i64) -> i64) -> Case {
        let numbers = self.numbers.iter().map(|(name, number)| {
            let number = match number {
                CaseNumber::Whole(old) => CaseNumber::Whole(size(name, *old)),
                decimal => *decimal,
            };
            (name.clone(), number)
        });
        Case { numbers: numbers.collect(), data: CaseData::default() }
    }

    /// Adds the value to the case if it is a number; returns any other value.
    fn take(&mut self, name: &str, value: toml::Value) -> Result<Option<toml::Value>, String> {
        let number = match value {
            toml::Value::Integer(size) => CaseNumber::Whole(size),
            toml::Value::Float(decimal) if decimal.is_finite() => CaseNumber::Decimal(decimal),
            toml::Value::Float(_) => return Err(format!("\"{}\" must be finite", name.escape_debug())),
            other => return Ok(Some(other)),
        };
        self.numbers.push((name.to_owned(), number));
        Ok(None)
    }
}

impl FromIterator<(String, i64)> for Case {
    fn from_iter<I: IntoIterator<Item = (String, i64)>>(sizes: I) -> Case {
        let numbers = sizes.into_iter().map(|(name, size)| (name, CaseNumber::Whole(size)));
        Case { numbers: numbers.collect(), data: CaseData::default() }
    }
}

impl<'de> Deserialize<'de> for Case {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Case, D::Error> {
        let WithData(case) = WithData::deserialize(deserializer)?;
        match case.data.is_empty() {
            true => Ok(case),
            false => Err(D::Error::custom("only numbers are allowed, such as { n = 8 }")),
        }
    }
}

/// A case that may have values of its own: see [`CaseData`].
struct WithData(Case);

impl<'de> Deserialize<'de> for WithData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WithData, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Case;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("sizes such as { n = 8 }")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Case, A::Error> {
                let mut case = Case::new();
                while let Some((name, value)) = map.next_entry::<String, toml::Value>()? {
                    if case.number(&name).is_some() {
                        return Err(A::Error::custom(format!("\"{}\" is given twice", name.escape_debug())));
                    }
                    if let Some(other) = case.take(&name, value).map_err(A::Error::custom)? {
                        case.data.take(name, other).map_err(A::Error::custom)?;
                    }
                }
                Ok(case)
            }
        }
        deserializer.deserialize_map(Entries).map(WithData)
    }
}

pub(super) fn with_data<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Case>, D::Error> {
    Ok(Vec::<WithData>::deserialize(deserializer)?.into_iter().map(|WithData(case)| case).collect())
}

impl fmt::Display for Case {
    /// Formats the case as `rows = 4, cols = 6`, followed by what distinguishes it from others of the same sizes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = self.numbers.iter().map(|(name, number)| format!("{name} = {number}"));
        f.write_str(&numbers.chain(self.data.in_words()).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_keep_the_order_in_which_they_are_written() {
        #[derive(serde::Deserialize)]
        struct Cases {
            cases: Vec<Case>,
        }
        let text = "cases = [{ rows = 4, cols = 6 }, { cols = 1, rows = 2, a = 3 }]";
        let cases = toml::from_str::<Cases>(text).unwrap().cases;
        assert_eq!(cases[0].to_string(), "rows = 4, cols = 6");
        assert_eq!(cases[1].to_string(), "cols = 1, rows = 2, a = 3");
        assert_eq!((cases[1].get("rows"), cases[1].get("b")), (Some(&2), None));
        assert!(toml::from_str::<Cases>("cases = [{ n = \"1\" }]").is_err());
    }

    #[test]
    fn a_number_with_a_point_is_no_size() {
        #[derive(serde::Deserialize)]
        struct Lesson {
            #[serde(deserialize_with = "with_data")]
            cases: Vec<Case>,
        }
        let cases = toml::from_str::<Lesson>("cases = [{ n = 8, factor = 2.5 }, { n = 3, factor = 4.0 }]")
            .unwrap()
            .cases;
        assert_eq!(cases[0].to_string(), "n = 8, factor = 2.5");
        assert_eq!(cases[1].to_string(), "n = 3, factor = 4.0");
        assert_eq!(
            (cases[0].get("factor"), cases[0].number("factor")),
            (None, Some(CaseNumber::Decimal(2.5)))
        );
        assert_eq!(cases[0].resized(|_, n| 2 * n).to_string(), "n = 16, factor = 2.5");
        assert!(toml::from_str::<Lesson>("cases = [{ n = 8, factor = inf }]").is_err());
        assert!(toml::from_str::<Lesson>("cases = [{ n = 8, n = 2.5 }]").is_err());
    }
}
