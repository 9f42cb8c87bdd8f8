//! Moves a function's variables apart. The compiler lays them out in one block without gaps, where an access past the
//! end of one is an access to the next.
//!
//! It forms the address of a variable by adding an offset to the address of the block, and any address within the
//! variable from that one:
//!
//! ```text
//! mov.u64 %SPL, __local_depot0;
//! cvta.local.u64 %SP, %SPL;
//! add.u64 %rd1, %SP, 32;
//! ```
//!
//! So these offsets are where variables begin, as are those of variables that lowering has added. A function that uses
//! the address of the block in any other way is left as it is.

use super::frame::FixedValues;
use crate::code::registers::{reads, writes};
use crate::code::{DecodedModule, Fixed, Inst, System, What};
use crate::lanes::File;
use crate::memory::LOCAL_WINDOW;
use crate::table::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The fewest inaccessible bytes between two variables.
const GAP_BYTES: u64 = 16;
/// Gaps begin and end with a unit in which memory is made accessible.
const UNIT_BYTES: u64 = 8;
/// The largest alignment that a variable may have: that of the stack's frames.
const MAX_ALIGN: u64 = 64;
/// Most variables of a function that are moved.
const MAX_VARIABLES: usize = 256;

/// How the variables of a function are laid out.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Size of the block, with its gaps.
    pub bytes: u64,
    /// Offset and size of each gap.
    pub gaps: Vec<(u64, u64)>,
    /// Offset of each variable, by that in the compiler's code.
    moved: BTreeMap<u64, u64>,
}

/// The variables of a function that are moved.
#[derive(Debug)]
pub struct Locals {
    pub layout: Layout,
    /// 64-bit registers with the address of the block.
    block: Vec<u32>,
}

impl Locals {
    /// Returns the layout for the function with the instructions `range`, whose block has `bytes` bytes; `None` if its
    /// variables can't be moved, or if it has only one.
    pub fn of(code: &DecodedModule, fixed: &FixedValues, range: Range<u32>, bytes: u64) -> Option<Locals> {
        let (mut block, mut starts) = (Vec::new(), BTreeSet::new());
        let entry = code.block_of.get(range.start as usize)?;
        for pc in range {
            let (inst, row) = (&code.insts[pc as usize], code.origins[pc as usize].row);
            if is_alone(inst) {
                starts.insert(inst.detail.into());
                continue;
            }
            if block.is_empty() && !matches!(inst.what, What::System(System::LocalAddress)) {
                continue;
            }
            let is_block = |(file, register): &(File, u32)| *file == File::R64 && block.contains(register);
            if writes(code, inst, row).iter().any(is_block) {
                return None;
            }
            match inst.what {
                What::System(System::LocalAddress) if inst.detail != 0 || !block.is_empty() => return None,
                What::System(System::LocalAddress) => {}
                _ if !reads(code, inst, row).iter().any(is_block) => continue,
                _ => {
                    let row = row.filter(|_| block.contains(&inst.s[0]) && !inst.guard.is_some())?;
                    match added(fixed, inst, row) {
                        Some(LOCAL_WINDOW) => {}
                        Some(offset) if offset < bytes => {
                            starts.insert(offset);
                            continue;
                        }
                        None if row.is(&["mov.b64"]) => {}
                        _ => return None,
                    }
                }
            }
            // Another register with the address of the block: set before any other part of the function runs.
            if code.block_of[pc as usize] != *entry {
                return None;
            }
            block.push(inst.d);
        }
        Some(Locals { layout: moved_apart(&starts, bytes)?, block })
    }

    /// Returns the offset of the variable whose address an instruction takes, if nothing else names it.
    pub fn alone(&self, inst: &Inst) -> Option<u64> {
        self.layout.moved.get(&u64::from(inst.detail)).copied().filter(|_| is_alone(inst))
    }

    /// Returns the offset to add instead, if an instruction adds that of a variable.
    pub fn offset(&self, fixed: &FixedValues, inst: &Inst, row: &Row) -> Option<u64> {
        let offset = added(fixed, inst, row).filter(|_| self.block.contains(&inst.s[0]))?;
        self.layout.moved.get(&offset).copied()
    }
}

/// Returns whether an instruction takes the address of a variable that nothing else names.
fn is_alone(inst: &Inst) -> bool {
    matches!(inst.what, What::System(System::LocalAddress)) && inst.s[0] == 1
}

/// Returns the constant that an instruction adds to its first operand.
fn added(fixed: &FixedValues, inst: &Inst, row: &Row) -> Option<u64> {
    match fixed.get(&(File::R64, inst.s[1])) {
        Some(Fixed::Immediate(bits)) if row.is(&["add.u64"]) => Some(*bits),
        _ => None,
    }
}

/// Moves variables apart that begin at `starts` in a block of `bytes` bytes; `None` if there is only one, or very many.
fn moved_apart(starts: &BTreeSet<u64>, bytes: u64) -> Option<Layout> {
    if !(2..=MAX_VARIABLES).contains(&starts.len()) {
        return None;
    }
    let mut layout = Layout::default();
    let ends = starts.iter().skip(1).copied().chain([bytes]);
    for (&start, end) in starts.iter().zip(ends) {
        if !layout.moved.is_empty() {
            // What its offset is a multiple of, a variable may be aligned to.
            let align = 1 << start.trailing_zeros().clamp(UNIT_BYTES.ilog2(), MAX_ALIGN.ilog2());
            let from = layout.bytes.next_multiple_of(UNIT_BYTES);
            layout.bytes = (from + GAP_BYTES).next_multiple_of(align);
            layout.gaps.push((from, layout.bytes - from));
        }
        layout.moved.insert(start, layout.bytes);
        layout.bytes += end - start;
    }
    Some(layout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_moved_apart_and_stay_aligned() {
        let moved = |starts: &[u64], bytes| moved_apart(&starts.iter().copied().collect(), bytes);
        let layout = moved(&[0, 12, 16, 64, 192], 200).unwrap();
        let expected = [(0, 0), (12, 32), (16, 64), (64, 128), (192, 320)];
        assert_eq!(layout.moved.into_iter().collect::<Vec<_>>(), expected);
        assert_eq!(layout.gaps, [(16, 16), (40, 24), (112, 16), (256, 64)]);
        assert_eq!(layout.bytes, 328);
        assert_eq!((moved(&[0], 8), moved(&[], 8)), (None, None));
    }
}
