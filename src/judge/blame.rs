//! Which defect to tell first when a run shows several.

use sim::{Code, Finding};

/// From causes to what follows from them, where nothing better is known ([`Finding::follows`]): what the
/// host did wrong explains what kernels meet; a stray access or a barrier that went wrong explains races
/// (and a barrier, what is then found in shared memory and taken for an index), a race explains memory
/// read before it was written, and all of them explain a trap. What is told at a program's end comes last.
const ORDER: &[Code] = &[
    Code::HostOutOfBounds,
    Code::HostUseAfterFree,
    Code::HostDoubleFree,
    Code::HostBadFree,
    Code::HostNullPointer,
    Code::HostDeadLocal,
    Code::HostDeviceVariable,
    Code::DeviceCodeOnHost,
    Code::HostBadCall,
    Code::HostDivision,
    Code::HostStackOverflow,
    Code::HostTrap,
    Code::CopyPastEnd,
    Code::CopyOverlap,
    Code::CopyDirection,
    Code::HostPointerGiven,
    Code::DevicePointerGiven,
    Code::HostFollows,
    Code::DoubleFree,
    Code::WrongFree,
    Code::DestroyedHandle,
    Code::InvalidLaunch,
    Code::NullPointer,
    Code::HostPointer,
    Code::UseAfterFree,
    Code::OtherDevice,
    Code::Misaligned,
    Code::OutOfBounds,
    Code::GridBarrier,
    Code::DivergentBarrier,
    Code::SharedOutOfBounds,
    Code::LocalOutOfBounds,
    Code::DeadLocal,
    Code::StackOverflow,
    Code::ReadOnly,
    Code::Deadlock,
    Code::WarpMask,
    Code::WarpGroup,
    Code::MatrixDescriptor,
    Code::CopyInFlight,
    Code::ProxyFence,
    Code::RegisterFence,
    Code::ProductInFlight,
    Code::FreedInUse,
    Code::PoolOrder,
    Code::StreamRace,
    Code::HostWritesInFlight,
    Code::HostReadsEarly,
    Code::ManagedInUse,
    Code::SharedRace,
    Code::GlobalRace,
    Code::Uninitialised,
    Code::Undefined,
    Code::EndlessLoop,
    Code::AssertFailed,
    Code::Trap,
    Code::CollectiveMismatch,
    Code::CollectiveDeadlock,
    Code::FailedCall,
    Code::UncheckedLaunch,
    Code::IgnoredError,
    Code::NeverAwaited,
    Code::Leak,
];

/// Sorts findings by blame; those of one kind keep their order. One that follows from another stands
/// behind all of that kind.
pub fn by_blame(mut findings: Vec<Finding>) -> Vec<Finding> {
    let place = |code: Code| ORDER.iter().position(|other| *other == code).unwrap_or(ORDER.len());
    findings.sort_by_key(|finding| {
        let own = place(finding.code);
        let behind = finding.follows.map(place).filter(|&cause| cause >= own);
        (behind.unwrap_or(own), behind.is_some().then_some(own))
    });
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::{Access, AccessKind, Actor, Dim3, Target};

    #[test]
    fn a_consequence_stands_behind_its_cause() {
        let of = |code, follows| Finding { follows, ..finding(code) };
        let told = by_blame(vec![
            of(Code::OutOfBounds, Some(Code::Uninitialised)),
            of(Code::Deadlock, Some(Code::Uninitialised)),
            of(Code::SharedOutOfBounds, None),
            of(Code::Uninitialised, None),
            of(Code::GlobalRace, Some(Code::OutOfBounds)),
            of(Code::AssertFailed, None),
        ]);
        let codes: Vec<&str> = told.iter().map(|finding| finding.code.code()).collect();
        assert_eq!(codes, ["M005", "R002", "I001", "M001", "B002", "T002"]);
    }

    fn finding(code: Code) -> Finding {
        let at = Access {
            kind: AccessKind::Read,
            actor: Actor::Thread,
            block: Dim3::new(0, 0, 0),
            thread: Dim3::new(0, 0, 0),
            location: None,
            calls: Vec::new(),
            bytes: 4,
            target: Target::None,
        };
        Finding { code, at, other: None, hits: 1, threads: Some(1), notes: Vec::new(), follows: None }
    }

    #[test]
    fn every_kind_of_defect_has_its_place() {
        for code in Code::ALL.iter().filter(|code| !code.is_advice()) {
            assert_eq!(ORDER.iter().filter(|other| *other == code).count(), 1, "{}", code.slug());
        }
    }
}
