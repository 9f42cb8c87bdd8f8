//! Turns a function's drafts into code: hoists computations that are the same in every block out of a kernel,
//! resolves labels to instruction numbers, finds basic blocks and computes their costs.

use super::function::{ControlFlow, Draft};
use super::module::Reach;
use super::{critical_path, sass_cost, unrolling};
use crate::code::registers;
use crate::code::{BasicBlock, CallTarget, DecodedModule, Inst, Origin, System, Waits, What};
use crate::counts::Class;
use crate::division::Division;
use crate::lanes::{FIXED, File};
use crate::memory::access::Space;
use crate::table::Row;
use ptx::Span;
use std::collections::HashMap;
use std::ops::Range;

/// An instruction that was hoisted, with its table row if it has one.
pub type Hoisted = (Inst, Option<&'static Row>);

pub struct Finished<'a> {
    pub drafts: Vec<Draft>,
    pub flow: ControlFlow<'a>,
    /// Whether to hoist; only for kernels, because their registers outlive a block.
    pub hoist: bool,
}

/// Memory instructions of a basic block whose address registers are still unchanged.
#[derive(Default)]
struct Addresses {
    /// Address register, bytes per lane, space, number of the memory operation.
    known: Vec<(u32, u32, Space, u32)>,
    /// Address register, number of the first memory operation that used its value.
    together: Vec<(u32, u32)>,
}

impl Addresses {
    /// Processes the next instruction of the block: notes for a memory instruction which earlier one has the same
    /// addresses up to a constant.
    fn pass(&mut self, draft: &Draft, code: &mut DecodedModule) {
        if let Some(op) = code.access(&draft.inst) {
            let (number, base, width, space) = (draft.inst.detail, op.base, op.width(), op.space);
            let like = self.known.iter().find(|k| (k.0, k.1, k.2) == (base, width, space)).map(|k| k.3);
            match like {
                _ if draft.inst.guard.is_some() => {}
                Some(_) => {
                    code.details.like.resize(code.details.memory.len(), None);
                    code.details.like[number as usize] = like;
                }
                None => self.known.push((base, width, space, number)),
            }
            let known = self.together.iter().find(|(its, _)| *its == base).map(|(_, first)| *first);
            if known.is_none() {
                self.together.push((base, number));
            }
            while code.details.together.len() < code.details.memory.len() {
                code.details.together.push(code.details.together.len() as u32);
            }
            code.details.together[number as usize] = known.unwrap_or(number);
        }
        let writes = registers::writes(code, &draft.inst, draft.row);
        let is_call = matches!(draft.inst.what, What::Call);
        let changes = |register: u32| is_call || writes.contains(&(File::R64, register));
        self.known.retain(|k| !changes(k.0));
        self.together.retain(|k| !changes(k.0));
    }
}

/// Returns the division of integers that a draft is.
fn division(draft: &Draft) -> Option<Division> {
    Division::of(draft.row?.names[0])
}

/// Returns whether an instruction ends its basic block. Clock reads do, because the cycles of preceding instructions
/// are only known at a block's end.
fn ends_block(inst: &Inst) -> bool {
    match inst.what {
        What::Lanes(_) | What::Memory => false,
        What::System(what) => {
            matches!(what, System::Clock32 | System::Clock64 | System::GlobalTimer | System::Yield)
        }
        _ => true,
    }
}

impl Finished<'_> {
    /// Adds the function to the code. Returns the number of its first instruction, what was hoisted, and for each
    /// label the number of the instruction after it.
    pub fn append(mut self, code: &mut DecodedModule, reach: &mut Reach) -> (u32, Vec<Hoisted>, Vec<u32>) {
        // Reaching the end of the text returns.
        let ret = Inst { what: What::Return, guard: crate::code::Guard::NONE, d: 0, s: [0; 4], detail: 0 };
        let place = self.drafts.last().map_or(0, |d| d.place);
        self.drafts.push(Draft::uncounted(ret, None, place, Span::default()));
        let hoisted = if self.hoist { self.hoistable(code) } else { vec![false; self.drafts.len()] };
        let leaders = self.leaders();
        let table_base = code.details.tables.len() as u32;
        let mut moved = vec![0u32; self.drafts.len()];
        let mut out = Vec::new();
        let mut start = 0;
        while start < self.drafts.len() {
            let mut end = start + 1;
            while end < self.drafts.len() && !leaders[end] && !ends_block(&self.drafts[end - 1].inst) {
                end += 1;
            }
            self.block(start..end, &hoisted, code, &mut moved, &mut out);
            start = end;
        }
        let target = |label: u32| {
            self.flow
                .draft_at(label)
                .and_then(|draft| moved.get(draft as usize).copied())
                .unwrap_or_else(|| moved.last().copied().unwrap_or(0))
        };
        let first = moved.first().copied().unwrap_or(0);
        for inst in &mut code.insts[first as usize..] {
            match inst.what {
                What::Branch => inst.detail = target(inst.detail),
                What::BranchIndexed => inst.detail += table_base,
                What::Call => {
                    let call = &code.details.calls[inst.detail as usize];
                    reach.indirect |= matches!(call.target, CallTarget::Register(_));
                    if matches!(call.target, CallTarget::Builtin(_)) {
                        reach.granule = if reach.granule == 0 { 1 } else { reach.granule };
                    }
                }
                _ => {}
            }
        }
        for table in &self.flow.tables {
            code.details.tables.push(table.iter().map(|&label| target(label)).collect());
        }
        let labels = (0..self.flow.labels.len() as u32).map(target).collect();
        (first, out, labels)
    }

    fn leaders(&self) -> Vec<bool> {
        let mut leaders = vec![false; self.drafts.len() + 1];
        leaders[0] = true;
        for label in self.flow.labels.iter().flatten() {
            if let Some(leader) = leaders.get_mut(*label as usize) {
                *leader = true;
            }
        }
        leaders
    }

    /// Adds the drafts in `range` as one basic block.
    fn block(
        &self,
        range: Range<usize>,
        hoisted: &[bool],
        code: &mut DecodedModule,
        moved: &mut [u32],
        out: &mut Vec<(Inst, Option<&'static Row>)>,
    ) {
        let Range { start, end } = range;
        let drafts = &self.drafts[range];
        let number = code.blocks.len() as u32;
        let first = code.insts.len() as u32;
        let mut classes: Vec<(Class, u32)> = Vec::new();
        let mut flops = Vec::new();
        let (mut written, mut extra) = (0, [0u32; 3]);
        let mut addresses = Addresses::default();
        let loops = self.loops(start, end);
        let mut divisors = sass_cost::Divisors::of(drafts, loops, code);
        for (n, draft) in (start..).zip(drafts) {
            addresses.pass(draft, code);
            moved[n] = code.insts.len() as u32;
            if let Some(class) = draft.class {
                written += 1;
                if let Some(its) = divisors.pass(draft) {
                    for (total, more) in extra.iter_mut().zip([its.issue, its.special, its.doubles]) {
                        *total = total.saturating_add(more);
                    }
                }
                match classes.iter_mut().find(|(c, _)| *c == class) {
                    Some((_, count)) => *count += 1,
                    None => classes.push((class, 1)),
                }
            }
            flops.extend(draft.flops);
            let empty = n + 1 == end && code.insts.len() as u32 == first;
            if hoisted[n] {
                out.push((draft.inst.clone(), draft.row));
            }
            // A block must contain at least one instruction, even a hoisted one.
            if !hoisted[n] || empty {
                let inst = draft.inst.clone();
                let detail = division(draft).map_or(inst.detail, Division::pack);
                code.insts.push(Inst { detail, ..inst });
                code.source.places.push(draft.place);
                code.origins.push(Origin { row: draft.row, first: draft.class.is_some(), span: draft.span });
                code.block_of.push(number);
            }
        }
        let counts: Vec<bool> = hoisted[start..end].iter().map(|hoisted| !hoisted).collect();
        let critical_path::Longest { path, steps } = critical_path::longest(drafts, &counts, loops, code);
        // Hoisted instructions are not part of any chain.
        let kept = |n: usize| counts[..n].iter().filter(|kept| **kept).count() as u32;
        let steps = steps.into_iter().map(|(n, adds)| (first + kept(n), adds)).collect();
        let together = if loops {
            unrolling::together(drafts, code)
        } else if self.is_skipped(start, end) {
            unrolling::predicated(drafts, code)
        } else {
            1
        };
        let global = Waits { global: path.global, ..Waits::default() }.cycles();
        let cycles = path.cycles() - global + global / u64::from(together);
        let last = code.insts.len() as u32;
        code.blocks.push(BasicBlock {
            start: first,
            end: last,
            written,
            classes,
            flops,
            path,
            cycles,
            steps,
            extra,
            together,
        });
    }

    /// Returns whether drafts `start..end` form a loop on their own that the compiler may unroll.
    fn loops(&self, start: usize, end: usize) -> bool {
        let Some(last) = self.drafts.get(end.wrapping_sub(1)) else { return false };
        self.flow.may_jump(last) == Some(start as u32)
            && !self.flow.nounroll_labels.contains(&last.inst.detail)
    }

    /// Returns whether drafts `start..end` are exactly what the preceding branch jumps over.
    fn is_skipped(&self, start: usize, end: usize) -> bool {
        let before = start.checked_sub(1).and_then(|before| self.drafts.get(before));
        before.and_then(|before| self.flow.may_jump(before)) == Some(end as u32)
    }

    /// Returns which drafts can be hoisted: arithmetic whose sources are fixed and whose result register nothing else
    /// writes, other than divisions, whose divisors are checked where they are executed. Its value is the same in every
    /// block, so it is computed once for each warp.
    fn hoistable(&self, code: &DecodedModule) -> Vec<bool> {
        let mut definitions: HashMap<(File, u32), u32> = HashMap::new();
        for draft in &self.drafts {
            for register in registers::writes(code, &draft.inst, draft.row) {
                *definitions.entry(register).or_default() += 1;
            }
        }
        let mut constant: HashMap<(File, u32), ()> = HashMap::new();
        self.drafts
            .iter()
            .map(|draft| {
                let Some(row) = draft.row else { return false };
                let target = (row.dest, draft.inst.d);
                let known = |(&source, &file): (&u32, &File)| {
                    source & FIXED != 0 || constant.contains_key(&(file, source))
                };
                let fixed = !draft.inst.guard.is_some()
                    && division(draft).is_none()
                    && definitions.get(&target) == Some(&1)
                    && draft.inst.s.iter().zip(row.sources).all(known);
                if fixed {
                    constant.insert(target, ());
                }
                fixed
            })
            .collect()
    }
}
