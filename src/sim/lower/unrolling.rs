//! Loops whose loads from several iterations are in flight at the same time in machine code.
//!
//! The compiler's front end unrolls a loop by four where nothing prevents it, and its back end unrolls the result by
//! four again, so that up to sixteen loads are in flight before the first is waited for (as `cuobjdump -sass` shows
//! for `serial_sum`, `rows_by_thread`, `matmul_columns` in `tests/timing`). PTX shows only the first of the two.

use super::function::Draft;
use crate::code::registers;
use crate::code::{DecodedModule, What};
use crate::counts::Class;
use crate::lanes::{FIXED, File};
use crate::memory::access::Action;
use std::collections::HashSet;

/// The factor by which the back end unrolls.
const ROUNDS: u32 = 4;
/// Loads per iteration: a loop unrolled by the front end has at least this many, and with more than this there are
/// not enough registers.
const LOADS: std::ops::RangeInclusive<u32> = 4..=8;

/// Returns the number of iterations of a loop whose loads are in flight together, where `drafts` are the whole loop:
/// 1 if a load depends on another load, or must not be moved past a store.
pub fn together(drafts: &[Draft], code: &DecodedModule) -> u32 {
    let mut loads = 0;
    let mut loaded: HashSet<(File, u32)> = HashSet::new();
    // The second pass sees the values that one iteration passes to the next.
    for _ in 0..2 {
        loads = 0;
        for draft in drafts {
            let inst = &draft.inst;
            match inst.what {
                What::Lanes(_) | What::Branch => {
                    let Some(row) = draft.row else { continue };
                    let needs = inst.s.iter().zip(row.sources).any(|(&s, &file)| loaded.contains(&(file, s)));
                    if needs {
                        loaded.insert((row.dest, inst.d));
                    } else {
                        loaded.remove(&(row.dest, inst.d));
                    }
                }
                What::Memory => {
                    let Some(op) = code.details.memory.get(inst.detail as usize) else { return 1 };
                    if !matches!(op.action, Action::Load) || loaded.contains(&(File::R64, op.base)) {
                        return 1;
                    }
                    loads += u32::from(draft.class == Some(Class::LoadGlobal));
                    loaded.extend(registers::writes(code, inst, None));
                }
                _ => return 1,
            }
        }
    }
    if LOADS.contains(&loads) && counts_up(drafts) { ROUNDS } else { 1 }
}

/// Maximum length of a branch body that the compiler converts to predicated instructions.
const FEW: usize = 6;

/// The same for a few instructions that a branch jumps over: they are predicated, and then their loads are in flight
/// together with those of the next such group.
pub fn predicated(drafts: &[Draft], code: &DecodedModule) -> u32 {
    let loads = drafts.iter().filter(|draft| draft.class == Some(Class::LoadGlobal)).count();
    let loads_one = |inst| code.access(inst).is_some_and(|op| matches!(op.action, Action::Load));
    let plain =
        drafts.iter().all(|draft| matches!(draft.inst.what, What::Lanes(_)) || loads_one(&draft.inst));
    if plain && loads == 1 && drafts.len() <= FEW { ROUNDS } else { 1 }
}

/// Returns whether the loop condition depends on a number that changes by a constant in each iteration, so that the
/// trip count is known in advance.
fn counts_up(drafts: &[Draft]) -> bool {
    let written = |file: File, register: u32| {
        let mut all =
            drafts.iter().filter(move |d| d.row.is_some_and(|row| (row.dest, d.inst.d) == (file, register)));
        all.next_back().and_then(|draft| Some((draft, draft.row?)))
    };
    let Some(predicate) = drafts.last().and_then(|last| last.inst.guard.register()) else { return false };
    let Some((compare, row)) = written(File::Pred, predicate) else { return false };
    let mut compared = compare.inst.s.iter().zip(row.sources);
    compared.any(|(&register, &file)| {
        written(file, register).is_some_and(|(step, row)| {
            row.begins(&["add."]) && step.inst.s[..row.sources.len()].iter().any(|s| s & FIXED != 0)
        })
    })
}
