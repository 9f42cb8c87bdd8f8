//! Decides which defect to report first when a run has several.

use sim::{Finding, FindingKind};

/// Orders kinds of findings from causes to effects, for findings without a known cause ([`Finding::follows`]):
/// errors of the host explain what kernels encounter; an out-of-bounds access or a faulty barrier explains races (a
/// faulty barrier also explains bad indices read from shared memory), a race explains memory that is read before it
/// is written or a wait that never ends, and all of these explain a trap. What is reported at the end of a program comes last.
const ORDER: &[FindingKind] = &[
    FindingKind::HostOutOfBounds,
    FindingKind::HostUseAfterFree,
    FindingKind::HostDoubleFree,
    FindingKind::HostBadFree,
    FindingKind::HostMismatchedFree,
    FindingKind::HostNoElement,
    FindingKind::HostNullPointer,
    FindingKind::HostDeadLocal,
    FindingKind::HostDeviceVariable,
    FindingKind::DeviceCodeOnHost,
    FindingKind::HostBadCall,
    FindingKind::HostDivision,
    FindingKind::HostStackOverflow,
    FindingKind::HostTrap,
    FindingKind::CopyPastEnd,
    FindingKind::CopyOverlap,
    FindingKind::CollectiveOverlap,
    FindingKind::TemporaryStorage,
    FindingKind::CopyDirection,
    FindingKind::CopyDevice,
    FindingKind::HostPointerGiven,
    FindingKind::DevicePointerGiven,
    FindingKind::HostFollows,
    FindingKind::DoubleFree,
    FindingKind::WrongFree,
    FindingKind::DestroyedHandle,
    FindingKind::InvalidLaunch,
    // What was computed from a quotient may be an index.
    FindingKind::DivisionByZero,
    FindingKind::NullPointer,
    FindingKind::HostPointer,
    FindingKind::UseAfterFree,
    FindingKind::OtherDevice,
    FindingKind::Misaligned,
    FindingKind::OutOfBounds,
    FindingKind::GridBarrier,
    FindingKind::DivergentBarrier,
    FindingKind::SharedOutOfBounds,
    FindingKind::LocalOutOfBounds,
    FindingKind::DeadLocal,
    FindingKind::ClusterLifetime,
    FindingKind::StackOverflow,
    FindingKind::ReadOnly,
    FindingKind::WarpMask,
    FindingKind::WarpGroup,
    FindingKind::MatrixDescriptor,
    FindingKind::TensorMap,
    FindingKind::TextureObject,
    FindingKind::CopyInFlight,
    FindingKind::StaleTexture,
    FindingKind::ReadOnlyLoad,
    FindingKind::ProxyFence,
    FindingKind::RegisterFence,
    FindingKind::ProductInFlight,
    FindingKind::FreedInUse,
    FindingKind::PoolOrder,
    FindingKind::StreamRace,
    FindingKind::HostWritesInFlight,
    FindingKind::HostReadsEarly,
    FindingKind::ManagedInUse,
    FindingKind::SharedRace,
    FindingKind::GlobalRace,
    FindingKind::Deadlock,
    FindingKind::FormatValues,
    FindingKind::Uninitialised,
    FindingKind::Undefined,
    FindingKind::EndlessLoop,
    FindingKind::AssertFailed,
    FindingKind::Trap,
    FindingKind::CollectiveMismatch,
    FindingKind::CollectiveDeadlock,
    FindingKind::FailedCall,
    FindingKind::UncheckedLaunch,
    FindingKind::IgnoredError,
    FindingKind::NeverAwaited,
    FindingKind::Leak,
];

/// Sorts findings by [`ORDER`]; findings of the same kind keep their order, and so do errors of calls, of which the first
/// may be the cause of the others. A finding that follows from another
/// kind is placed after all findings of that kind.
pub fn causes_first(mut findings: Vec<Finding>) -> Vec<Finding> {
    let place = |code: FindingKind| {
        let code = match code {
            FindingKind::UncheckedLaunch | FindingKind::IgnoredError => FindingKind::FailedCall,
            _ => code,
        };
        ORDER.iter().position(|other| *other == code).unwrap_or(ORDER.len())
    };
    findings.sort_by_key(|finding| {
        let own = place(finding.kind);
        let behind = finding.follows.map(place).filter(|&cause| cause >= own);
        (behind.unwrap_or(own), behind.is_some().then_some(own))
    });
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::{Access, Actor};

    #[test]
    fn a_consequence_stands_behind_its_cause() {
        let of = |code, follows| Finding { follows, ..finding(code) };
        let ordered = causes_first(vec![
            of(FindingKind::OutOfBounds, Some(FindingKind::Uninitialised)),
            of(FindingKind::Deadlock, Some(FindingKind::Uninitialised)),
            of(FindingKind::SharedOutOfBounds, None),
            of(FindingKind::Uninitialised, None),
            of(FindingKind::GlobalRace, Some(FindingKind::OutOfBounds)),
            of(FindingKind::AssertFailed, None),
        ]);
        let codes: Vec<&str> = ordered.iter().map(|finding| finding.kind.code()).collect();
        assert_eq!(codes, ["M005", "R002", "I001", "M001", "B002", "T002"]);
    }

    #[test]
    fn what_causes_others_is_first() {
        use FindingKind::{Deadlock, FailedCall, GlobalRace, IgnoredError, UncheckedLaunch};
        for (found, first) in [
            ([Deadlock, GlobalRace], GlobalRace),
            ([IgnoredError, FailedCall], IgnoredError),
            ([UncheckedLaunch, FailedCall], UncheckedLaunch),
            ([FailedCall, IgnoredError], FailedCall),
        ] {
            assert_eq!(causes_first(found.map(finding).into())[0].kind, first);
        }
    }

    fn finding(code: FindingKind) -> Finding {
        Finding::new(code, Access { bytes: 4, ..Access::by(Actor::Thread, None) })
    }

    #[test]
    fn every_kind_of_defect_has_its_place() {
        for code in FindingKind::ALL.iter().filter(|code| !code.is_advice()) {
            assert_eq!(ORDER.iter().filter(|other| *other == code).count(), 1, "{}", code.slug());
        }
    }
}
