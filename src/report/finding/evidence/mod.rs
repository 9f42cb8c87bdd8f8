//! Evidence for a finding, in sentences.

mod fixed;
mod host;
mod kernel;

pub use host::release_name;
use sim::{Evidence, Finding, FindingKind};

/// Returns all evidence for a finding, a sentence or two per fact.
pub fn sentences(finding: &Finding) -> Vec<String> {
    finding.evidence.iter().filter_map(|evidence| sentence(finding.kind, evidence)).collect()
}

/// Returns one fact about a finding of this kind; `None` where the finding's sides or its drawing say it already.
/// Names are the learner's and are not escaped.
pub fn sentence(kind: FindingKind, evidence: &Evidence) -> Option<String> {
    let fixed = fixed::sentence(evidence).map(String::from);
    let said = fixed.or_else(|| kernel::sentence(evidence)).or_else(|| host::sentence(kind, evidence));
    debug_assert!(said.is_some() || is_shown_otherwise(evidence), "there is no sentence for {evidence:?}");
    said
}

/// Returns whether a fact is drawn, or said by the sides of its finding.
fn is_shown_otherwise(evidence: &Evidence) -> bool {
    matches!(
        evidence,
        Evidence::NoMemory
            | Evidence::OutsideMemory
            | Evidence::DevicePointerMode
            | Evidence::Stands { .. }
            | Evidence::LanesAccess { .. }
            | Evidence::WrittenAround { .. }
            | Evidence::Room { .. }
            | Evidence::SubmittedWork { .. }
            | Evidence::BlockScope(_)
            | Evidence::WrittenBack
            | Evidence::NoElement(_)
            | Evidence::ReadsAlso(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::{HandleKind, Untimed};

    #[test]
    fn why_a_call_failed_or_a_copy_was_short_is_said() {
        let untimed = |why| Evidence::Untimed { event: Some("start".into()), why };
        let copy = Evidence::CopyEnds {
            request: "cudaMemcpy".into(),
            line: 7,
            written_bytes: 1000,
            memory_bytes: 4000,
        };
        let all = [
            Evidence::NoHandle(HandleKind::Event),
            untimed(Untimed::NeverRecorded),
            untimed(Untimed::Disabled),
            copy,
        ];
        let said: Vec<String> =
            all.iter().filter_map(|its| sentence(FindingKind::IgnoredError, its)).collect();
        assert_eq!(
            said,
            [
                "The event that it is given was not created before.",
                "There is no time in `start`: cudaEventRecord() was not called for it.",
                "There is no time in `start`: it was created with cudaEventDisableTiming.",
                "cudaMemcpy of line 7 wrote the first 1 000 of its 4 000 bytes.",
            ]
        );
    }
}
