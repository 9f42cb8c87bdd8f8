//! Why a submission does not pass, without details.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sim::FindingKind;
use std::fmt;

/// The reason of a verdict. It is serialised as its slug, by which `lesson.toml` and the lessons' wrong kernels name
/// it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    CompileError,
    MissingKernel,
    MissingFunction,
    WrongResult,
    WrongOutput,
    EarlyExit,
    /// A defect; its slug is that of the finding.
    Finding(FindingKind),
    /// A defect of unknown kind.
    Defect,
    TooMuchWork,
    TooFast,
    TooSlow,
    Unanswered,
    WrongAnswer,
    LaunchError,
    Limit,
    UndefinedFunction,
    Unsupported,
    /// The environment failed, so there is no verdict.
    NotJudged,
    /// There is no verdict within the time that judging may take.
    TimeLimit,
    /// The process that judged it died.
    JudgeDied,
}

/// All reasons but findings.
const OTHERS: [(Reason, &str); 19] = [
    (Reason::CompileError, "compile-error"),
    (Reason::MissingKernel, "missing-kernel"),
    (Reason::MissingFunction, "missing-function"),
    (Reason::WrongResult, "wrong-result"),
    (Reason::WrongOutput, "wrong-output"),
    (Reason::EarlyExit, "early-exit"),
    (Reason::Defect, "defect"),
    (Reason::TooMuchWork, "too-much-work"),
    (Reason::TooFast, "too-fast"),
    (Reason::TooSlow, "too-slow"),
    (Reason::Unanswered, "unanswered"),
    (Reason::WrongAnswer, "wrong-answer"),
    (Reason::LaunchError, "launch-error"),
    (Reason::Limit, "limit"),
    (Reason::UndefinedFunction, "undefined-function"),
    (Reason::Unsupported, "unsupported"),
    (Reason::NotJudged, "not-judged"),
    (Reason::TimeLimit, "time-limit"),
    (Reason::JudgeDied, "judge-died"),
];

impl Reason {
    /// Returns the stable name.
    pub fn slug(self) -> &'static str {
        match self {
            Reason::Finding(kind) => kind.slug(),
            other => OTHERS.iter().find(|(reason, _)| *reason == other).map_or("", |(_, slug)| slug),
        }
    }

    /// Returns all reasons but findings.
    pub fn others() -> impl Iterator<Item = Reason> {
        OTHERS.iter().map(|(reason, _)| *reason)
    }

    /// Returns the reason of this name.
    pub fn named(slug: &str) -> Option<Reason> {
        let other = OTHERS.iter().find(|(_, its)| *its == slug).map(|(reason, _)| *reason);
        let finding = || FindingKind::ALL.iter().find(|kind| kind.slug() == slug);
        other.or_else(|| finding().map(|kind| Reason::Finding(*kind)))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.slug())
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Reason, D::Error> {
        let slug = String::deserialize(deserializer)?;
        Reason::named(&slug).ok_or_else(|| serde::de::Error::custom(format!("there is no reason {slug:?}")))
    }
}

/// A verdict that is declared in advance, such as `shared-race` or `wrong-result: untouched`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredVerdict {
    /// The reason as it is written; below, the reason, if there is one of that name.
    pub slug: String,
    pub reason: Option<Reason>,
    /// A pattern, a counter, a ratio or an answer.
    pub detail: Option<String>,
}

impl DeclaredVerdict {
    pub fn new(text: &str) -> DeclaredVerdict {
        let (slug, detail) = match text.split_once(':') {
            Some((slug, detail)) => (slug, Some(detail.trim().to_owned())),
            None => (text, None),
        };
        let slug = slug.trim();
        DeclaredVerdict { slug: slug.to_owned(), reason: Reason::named(slug), detail }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_found_by_its_name() {
        let findings = FindingKind::ALL.iter().map(|kind| Reason::Finding(*kind));
        for reason in Reason::others().chain(findings) {
            assert_eq!(Reason::named(reason.slug()), Some(reason));
        }
        assert_eq!(Reason::named(""), None);
    }
}
