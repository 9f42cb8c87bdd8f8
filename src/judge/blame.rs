//! Which defect to tell first when a run shows several.

use crate::sim::{Code, Finding};

/// From causes to what follows from them: a stray access or a barrier that went wrong explains
/// races, a race explains memory read before it was written, and all of them explain a trap.
const ORDER: &[Code] = &[
    Code::NullPointer,
    Code::HostPointer,
    Code::UseAfterFree,
    Code::OtherDevice,
    Code::Misaligned,
    Code::OutOfBounds,
    Code::SharedOutOfBounds,
    Code::LocalOutOfBounds,
    Code::StackOverflow,
    Code::ReadOnly,
    Code::GridBarrier,
    Code::DivergentBarrier,
    Code::Deadlock,
    Code::WarpMask,
    Code::CopyInFlight,
    Code::SharedRace,
    Code::GlobalRace,
    Code::Uninitialised,
    Code::Undefined,
    Code::EndlessLoop,
    Code::AssertFailed,
    Code::Trap,
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

    /// Those of programs (`A`, `H`, `O`) do not happen to kernels alone, and come last.
    #[test]
    fn every_kind_of_defect_has_its_place() {
        for code in
            Code::ALL.iter().filter(|code| !code.is_advice() && !code.code().starts_with(['A', 'H', 'O']))
        {
            assert_eq!(ORDER.iter().filter(|other| *other == code).count(), 1, "{}", code.slug());
        }
    }
}
