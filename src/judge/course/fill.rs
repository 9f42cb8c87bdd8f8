//! How the contents of inputs are generated.

use super::{ElementType, Formula, FormulaError};
use serde::{Deserialize, Serialize};

/// How an input is filled: with random values, new for each case and seed, never all the same. Bounds `N` are formulas
/// over the case's sizes, or integers.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fill<N = Formula> {
    /// Integers in `low..=high` (exact in every type), so that sums can be compared exactly.
    Integers { low: N, high: N },
    /// Integers and halves in `low..=high`, for floats: sums are as exact, and an intermediate `int` is revealed.
    Halves { low: N, high: N },
    /// Uniformly distributed in `[low, high)`.
    Uniform { low: f64, high: f64 },
    /// Standard normal. (Has braces because serde accepts any field for a unit variant.)
    Normal {},
    /// 0, 1, 2, …: only where the lesson is about positions.
    Iota {},
    /// Non-decreasing integers in `low..=high`, some of them equal: for searches and merges.
    Sorted { low: N, high: N },
    /// 0, 1, 2, … in random order: for gathers and scatters.
    Permutation {},
    /// Non-decreasing integers from 0 to `total`: the row offsets of a sparse matrix (CSR) with `total` entries.
    /// The buffer has one element more than there are rows; some rows are empty.
    RowOffsets { total: N },
}

/// A [`Fill`] with its formulas evaluated.
pub type SizedFill = Fill<i64>;

impl TryFrom<toml::Value> for Fill {
    type Error = String;
    fn try_from(value: toml::Value) -> Result<Fill, String> {
        value.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
    }
}

impl Fill {
    /// Returns the name used in lesson.toml.
    pub fn name(&self) -> &'static str {
        match self {
            Fill::Integers { .. } => "integers",
            Fill::Halves { .. } => "halves",
            Fill::Uniform { .. } => "uniform",
            Fill::Normal {} => "normal",
            Fill::Iota {} => "iota",
            Fill::Sorted { .. } => "sorted",
            Fill::Permutation {} => "permutation",
            Fill::RowOffsets { .. } => "row-offsets",
        }
    }

    /// Evaluates the formulas, with `value` returning the value of each.
    pub(super) fn sized<E>(&self, value: &dyn Fn(&Formula) -> Result<i64, E>) -> Result<SizedFill, E> {
        Ok(match self {
            Fill::Integers { low, high } => SizedFill::Integers { low: value(low)?, high: value(high)? },
            Fill::Halves { low, high } => SizedFill::Halves { low: value(low)?, high: value(high)? },
            Fill::Sorted { low, high } => SizedFill::Sorted { low: value(low)?, high: value(high)? },
            Fill::RowOffsets { total } => SizedFill::RowOffsets { total: value(total)? },
            Fill::Uniform { low, high } => SizedFill::Uniform { low: *low, high: *high },
            Fill::Normal {} => SizedFill::Normal {},
            Fill::Iota {} => SizedFill::Iota {},
            Fill::Permutation {} => SizedFill::Permutation {},
        })
    }

    /// Evaluates the formulas if they do not depend on any size.
    pub(super) fn constant(&self) -> Option<SizedFill> {
        let value = |formula: &Formula| -> Result<i64, FormulaError> {
            formula.value_with(&|_| Err("a size".into()))
        };
        self.sized(&value).ok()
    }
}

impl Fill<i64> {
    /// Returns whether elements depend on each other, so that the buffer can only be generated as a whole.
    pub fn needs_whole_buffer(&self) -> bool {
        matches!(self, SizedFill::Sorted { .. } | SizedFill::Permutation {} | SizedFill::RowOffsets { .. })
    }

    /// Returns why a buffer of type `ty` cannot hold such values, if that is so.
    pub(super) fn misfit(&self, ty: ElementType) -> Option<String> {
        let (lowest, highest) = ty.exact_integers();
        let exactly =
            || format!("{} holds whole numbers exactly only from {lowest} to {highest}", ty.c_name());
        match *self {
            SizedFill::Integers { low, high }
            | SizedFill::Halves { low, high }
            | SizedFill::Sorted { low, high }
                if low >= high =>
            {
                Some("`low` must be less than `high`: inputs are never constant".into())
            }
            SizedFill::Integers { low, high } | SizedFill::Sorted { low, high }
                if low < lowest || high > highest =>
            {
                Some(exactly())
            }
            SizedFill::RowOffsets { total } if total < 0 => Some("`total` must be zero or more".into()),
            SizedFill::RowOffsets { total } if total > highest => Some(exactly()),
            SizedFill::Halves { low, high } if ty.is_float() && (low < lowest / 2 || high > highest / 2) => {
                Some(format!(
                    "{} holds halves exactly only from {} to {}",
                    ty.c_name(),
                    lowest / 2,
                    highest / 2
                ))
            }
            SizedFill::Halves { .. } | SizedFill::Uniform { .. } | SizedFill::Normal {} if !ty.is_float() => {
                Some(format!("{} takes integers, sorted, permutation, row-offsets or iota", ty.c_name()))
            }
            SizedFill::Uniform { low, high } if !(low < high && (high - low).is_finite()) => {
                Some("`low` must be less than `high`, both finite".into())
            }
            SizedFill::Uniform { low, high } if low.abs().max(high.abs()) > ty.largest() => Some(format!(
                "{} holds at most {:e}: beyond that, inputs would be infinite",
                ty.c_name(),
                ty.largest()
            )),
            _ => None,
        }
    }

    /// Like [`SizedFill::misfit`], for a buffer of `elements` elements.
    pub(super) fn misfit_of(&self, ty: ElementType, elements: usize) -> Option<String> {
        let highest = ty.exact_integers().1;
        match self {
            SizedFill::Permutation {} if elements as i128 - 1 > i128::from(highest) => Some(format!(
                "{} holds no more than {highest}: {elements} elements are too many",
                ty.c_name()
            )),
            SizedFill::RowOffsets { .. } if elements < 2 => {
                Some("at least two elements are needed: one more than there are rows".into())
            }
            _ => self.misfit(ty),
        }
    }
}
