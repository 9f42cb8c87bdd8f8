//! One set of sizes, in the order in which the lesson writes them, and the values that a case has of its own.

use super::data::CaseData;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// `{ rows = 4, cols = 6 }`: names and values. The order is that of the lesson, since texts that
/// say "rows × columns" should meet the numbers in that order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    sizes: Vec<(String, i64)>,
    /// Only of `cases` in lesson.toml.
    pub data: CaseData,
}

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
        self.sizes.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether another has the same sizes, whatever values it has.
    pub fn same_sizes(&self, other: &Case) -> bool {
        self.sizes == other.sizes
    }
}

impl FromIterator<(String, i64)> for Case {
    fn from_iter<I: IntoIterator<Item = (String, i64)>>(sizes: I) -> Case {
        Case { sizes: sizes.into_iter().collect(), data: CaseData::default() }
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
                    case.sizes.push((name, value));
                }
                Ok(case)
            }
        }
        deserializer.deserialize_map(Sizes)
    }
}

/// Cases that may have values of their own: see [`CaseData`].
pub(super) fn with_data<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Case>, D::Error> {
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
                        match value {
                            toml::Value::Integer(size) => case.sizes.push((name, size)),
                            other => case.data.take(name, other).map_err(A::Error::custom)?,
                        }
                    }
                    Ok(case)
                }
            }
            deserializer.deserialize_map(Entries).map(WithData)
        }
    }
    Ok(Vec::<WithData>::deserialize(deserializer)?.into_iter().map(|WithData(case)| case).collect())
}

/// A case as text, `rows = 4, cols = 6`, and what tells it from others of the same sizes.
pub fn case_text(case: &Case) -> String {
    let sizes = case.iter().map(|(name, value)| format!("{name} = {value}"));
    sizes.chain(case.data.in_words()).collect::<Vec<_>>().join(", ")
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
