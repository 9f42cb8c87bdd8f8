//! Measured values, for display.

use super::counter::Counted;
use serde::{Deserialize, Serialize};

/// One measured value, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// The name used in formulas, such as `row.load_sectors`.
    pub name: String,
    pub value: i64,
    /// A description: `32-byte sectors loaded`.
    pub meaning: String,
    pub quantity: Quantity,
    /// Whether the value comes from the time model instead of being counted.
    pub modelled: bool,
}

impl Measurement {
    /// Creates a counted value.
    pub fn counted(name: &str, value: i64, meaning: &str) -> Measurement {
        let quantity = Quantity::Number;
        Measurement { name: name.to_owned(), value, meaning: meaning.to_owned(), quantity, modelled: false }
    }
}

impl From<Counted> for Measurement {
    fn from(counted: Counted) -> Measurement {
        let (counter, value) = (counted.counter, i64::try_from(counted.value).unwrap_or(i64::MAX));
        let quantity = if counter.is_time() { Quantity::Nanoseconds } else { Quantity::Number };
        Measurement { quantity, ..Measurement::counted(&counter.to_string(), value, counter.meaning()) }
    }
}

/// How a value is to be displayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    #[default]
    Number,
    Nanoseconds,
    /// A flag: 1 is yes, 0 is no.
    YesNo,
}
