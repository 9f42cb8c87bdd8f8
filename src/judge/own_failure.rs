//! Failures of code that should not fail, for whoever wrote it.

use super::verdict::Failure;
use crate::course::Case;
use std::fmt;

/// The cause of an error that names the code, such as one of a lesson's own files. What is displayed is only the name
/// of the failure: `report` puts it into words.
#[derive(Debug)]
pub struct OwnFailure {
    pub failure: Box<Failure>,
    /// The case in which it fails, where it runs in several.
    pub case: Option<Case>,
}

impl OwnFailure {
    pub fn of(failure: impl Into<Box<Failure>>) -> OwnFailure {
        OwnFailure { failure: failure.into(), case: None }
    }

    pub fn in_case(failure: impl Into<Box<Failure>>, case: &Case) -> OwnFailure {
        OwnFailure { failure: failure.into(), case: Some(case.clone()) }
    }
}

impl fmt::Display for OwnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.failure.slug())
    }
}

impl std::error::Error for OwnFailure {}
