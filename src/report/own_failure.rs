//! Errors, which may be failures of a lesson's own code.

use crate::lack::lack;
use crate::limit::tool_limit;
use crate::missing::missing;
use judge::{Failure, OwnFailure};
use std::error::Error;

/// Formats an error and its causes in one line.
pub fn error<'a>(causes: impl Iterator<Item = &'a (dyn Error + 'static)>) -> String {
    let words = |cause: &(dyn Error + 'static)| match cause.downcast_ref() {
        Some(failure) => own_failure(failure),
        None => cause.to_string(),
    };
    causes.map(words).collect::<Vec<_>>().join(": ")
}

/// Says in a few words how code fails, for its author.
pub fn own_failure(OwnFailure { failure, case }: &OwnFailure) -> String {
    let said = match &**failure {
        Failure::Compile(messages) => messages.first().map_or("it does not compile".into(), |first| {
            format!("line {}: {}", first.line, first.with_notes(&first.notes))
        }),
        Failure::MissingKernel(its) | Failure::MissingFunction(its) => missing(its),
        Failure::Limit(limit) => tool_limit(limit),
        Failure::Unsupported { what, .. } => lack(what),
        other => other.slug().into(),
    };
    said + &case.as_ref().map_or(String::new(), |case| format!(" ({case})"))
}
