//! The ledger of claims: what a notebook printed, what is wrong with it, and what the lessons' own code shows
//! instead. It is one file, `lessons/claims.toml`:
//!
//! ```toml
//! [[rows]]
//! id = "L7"                        # as `gpulearn claims L7` takes it
//! notebook = "N1"                  # which notebook claims it: `gpulearn claims N1` shows all of one
//! topic = "Access patterns"
//! claim = "contiguous() first is the good access pattern"
//! figure = "0.21× the speed of the bad one"   # what was printed, on a T4
//! wrong = "The bad one was contiguous already."
//! lessons = ["coalescing", "strided-sum"]     # slugs; those not written yet are said to be so
//!
//! [[rows.values]]                  # what our own code makes of it
//! lesson = "strided-sum"
//! at = { n = 1024 }                # optional: one of the lesson's cases; the first if left out
//! says = "speed of the good one, the bad one being 1"
//! figure = "0.21×"                 # optional: the notebook's for the same
//! value = "kernels.direct.ns"      # a formula
//! per = "kernels.copy.ns + kernels.columns.ns"  # optional: divides it
//! unit = "×"                       # optional
//! ```
//!
//! A name in these formulas starts with the code that is run: `starter`, `solution`, or `kernels` for a lesson that
//! asks questions. Then follow the name of a launch, or `all`, and a measured value, as in the formulas of
//! questions; a whole program has no launches, only counters. Modelled values are for the GPU that is asked for.

use super::{Case, Formula};
use serde::Deserialize;
use std::collections::BTreeSet;

/// Path of the ledger, relative to the root of a course.
pub(super) const FILE: &str = "lessons/claims.toml";

/// All rows, in the notebook's order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    pub rows: Vec<ClaimRow>,
}

/// One claim of a notebook.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimRow {
    pub id: String,
    /// Id of the notebook, as in [`Topics`](super::Topics).
    pub notebook: String,
    pub topic: String,
    pub claim: String,
    /// The figure as it was printed.
    pub figure: String,
    /// What is wrong with the claim, or missing.
    pub wrong: String,
    /// Slugs of lessons, whether they exist yet or not.
    pub lessons: Vec<String>,
    #[serde(default)]
    pub values: Vec<ClaimValue>,
}

/// A figure that our own code provides.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimValue {
    pub lesson: String,
    pub at: Option<Case>,
    pub says: String,
    pub figure: Option<String>,
    pub value: Formula,
    pub per: Option<Formula>,
    pub unit: Option<String>,
}

/// The code that a name in a formula refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LessonCode {
    Starter,
    Solution,
    /// The kernels that the lesson's questions are about.
    Kernels,
}

impl LessonCode {
    /// Parses a name in a formula: the code that it refers to, and the name of the value there.
    pub fn of(name: &str) -> Option<(LessonCode, &str)> {
        let (whose, rest) = name.split_once('.')?;
        let code = match whose {
            "starter" => LessonCode::Starter,
            "solution" => LessonCode::Solution,
            "kernels" => LessonCode::Kernels,
            _ => return None,
        };
        (!rest.is_empty()).then_some((code, rest))
    }
}

impl ClaimValue {
    /// Iterates over the names in the formulas.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.value.names().chain(self.per.iter().flat_map(Formula::names))
    }
}

impl Claims {
    /// Parses the ledger.
    ///
    /// # Errors
    ///
    /// Fails with a message that says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Claims, String> {
        let claims: Claims = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut seen = BTreeSet::new();
        for row in &claims.rows {
            if !seen.insert(row.id.to_ascii_lowercase()) {
                return Err(format!("two rows have the id \"{}\"", row.id.escape_debug()));
            }
            for value in &row.values {
                if let Some(name) = value.names().find(|name| LessonCode::of(name).is_none()) {
                    return Err(format!(
                        "row {}: \"{name}\" must begin with starter, solution or kernels",
                        row.id.escape_debug()
                    ));
                }
                if !row.lessons.contains(&value.lesson) {
                    let lesson = value.lesson.escape_debug();
                    return Err(format!(
                        "row {}: \"{lesson}\" is not among its lessons",
                        row.id.escape_debug()
                    ));
                }
            }
        }
        Ok(claims)
    }

    /// Returns the row with this id, ignoring case.
    pub fn row(&self, id: &str) -> Option<&ClaimRow> {
        self.rows.iter().find(|row| row.id.eq_ignore_ascii_case(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_names_what_does_not_fit() {
        let row = |id: &str, value: &str| {
            format!(
                "[[rows]]\nid = \"{id}\"\nnotebook = \"N1\"\ntopic = \"\"\nclaim = \"\"\nfigure = \"\"\nwrong = \"\"\nlessons = [\"a\"]\n\
                 [[rows.values]]\nlesson = \"a\"\nsays = \"\"\nvalue = \"{value}\"\n"
            )
        };
        let good = row("L1", "starter.all.ns / solution.k.ns");
        assert_eq!(Claims::parse(&good).unwrap().row("l1").unwrap().values[0].names().count(), 2);
        assert!(Claims::parse(&format!("{good}{}", row("l1", "1"))).unwrap_err().contains("two rows"));
        assert!(Claims::parse(&row("L1", "k.ns")).unwrap_err().contains("\"k.ns\" must begin with"));
        assert!(Claims::parse(&good.replace("[\"a\"]", "[]")).unwrap_err().contains("not among"));
    }
}
