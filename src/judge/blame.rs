//! Which defect to tell first when a run shows several.

use crate::sim::{Code, Finding};

/// From causes to what follows from them: what the host did wrong explains what kernels meet; a
/// stray access or a barrier that went wrong explains races (and a barrier, what is then found in shared
/// memory and taken for an index), a race explains memory read before it
/// was written, and all of them explain a trap. What is told at a program's end comes last.
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
    Code::StackOverflow,
    Code::ReadOnly,
    Code::Deadlock,
    Code::WarpMask,
    Code::CopyInFlight,
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

/// Sorts findings by blame; those of one kind keep their order.
pub fn by_blame(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings
        .sort_by_key(|finding| ORDER.iter().position(|code| *code == finding.code).unwrap_or(ORDER.len()));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_defect_has_its_place() {
        for code in Code::ALL.iter().filter(|code| !code.is_advice()) {
            assert_eq!(ORDER.iter().filter(|other| *other == code).count(), 1, "{}", code.slug());
        }
    }
}
