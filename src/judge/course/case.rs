//! One set of sizes, in the order in which the lesson writes them.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// `{ rows = 4, cols = 6 }`: names and values. The order is that of the lesson, since texts that
/// say "rows × columns" should meet the numbers in that order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case(Vec<(String, i64)>);

impl Case {
    pub fn new() -> Case {
        Case::default()
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&i64> {
        self.iter().find(|(its, _)| *its == name).map(|(_, value)| value)
    }

    /// The names, in the lesson's order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// Names and values, in the lesson's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &i64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl FromIterator<(String, i64)> for Case {
    fn from_iter<I: IntoIterator<Item = (String, i64)>>(sizes: I) -> Case {
        Case(sizes.into_iter().collect())
    }
}

impl<'de> Deserialize<'de> for Case {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Case, D::Error> {
        struct Sizes;
        impl<'de> Visitor<'de> for Sizes {
            type Value = Case;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("sizes such as { n = 8 }")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Case, A::Error> {
                let mut case = Case::new();
                while let Some((name, value)) = map.next_entry::<String, i64>()? {
                    if case.get(&name).is_some() {
                        return Err(A::Error::custom(format!("\"{}\" twice", name.escape_debug())));
                    }
                    case.0.push((name, value));
                }
                Ok(case)
            }
        }
        deserializer.deserialize_map(Sizes)
    }
}

/// A case as text, `rows = 4, cols = 6`.
pub fn case_text(case: &Case) -> String {
    case.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
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
        assert_eq!(case_text(&cases[0]), "rows = 4, cols = 6");
        assert_eq!(case_text(&cases[1]), "cols = 1, rows = 2, a = 3");
        assert_eq!((cases[1].get("rows"), cases[1].get("b")), (Some(&2), None));
        assert!(toml::from_str::<Cases>("cases = [{ n = 1.5 }]").is_err());
    }
}
