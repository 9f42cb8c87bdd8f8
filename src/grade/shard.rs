//! Which students of a class are graded together.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// One part of a class: every `of`-th student.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Number of the part, from 1.
    pub number: u32,
    pub of: u32,
}

impl Shard {
    /// Returns whether student `n` of the class, counted from 0, belongs to this part.
    pub fn has(self, n: usize) -> bool {
        n as u64 % u64::from(self.of) == u64::from(self.number - 1)
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Parses `2/10`: the second of ten parts.
    fn from_str(text: &str) -> Result<Shard, String> {
        let parts =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if 1 <= number && number <= of => Ok(Shard { number, of }),
            _ => Err("a part is written as 2/10: the second of ten".into()),
        }
    }
}
