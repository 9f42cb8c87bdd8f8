//! Registers that may be read before they are written: those for which some path leads from the start of a function
//! to a read without passing a write.
//!
//! Paths are those of the control-flow graph; that a branch never takes one of them is not known here. A guarded
//! write doesn't count, since it may not be executed. The registers that calls and returns read and write are
//! included.

use super::function::{Draft, FunctionLowering};
use crate::code::{
    CallTarget, CollectiveKind, CollectiveOp, DecodedModule, Inst, MatrixCode, ParamSlot, System, TensorCopy,
    TensorWay, WgmmaOp, WgmmaOperand, What,
};
use crate::lanes::{FIXED, File};
use crate::matrix::{Element, Multiply};
use crate::memory::access::{Action, MemoryOp, SINK};
use crate::table::Row;
use std::collections::{BTreeMap, BTreeSet, HashSet};

pub type Register = (File, u32);

/// Limit on the number of edges followed backwards for one function; registers not resolved by then count as read too
/// early, although they need not be. Kernels that NVRTC compiles for the lessons need a few hundred.
const MAX_STEPS: usize = 1 << 22;

/// The registers that may be read before they are written.
#[derive(Default)]
pub struct Unassigned {
    pub registers: BTreeSet<Register>,
    /// Whether the analysis finished. If not, `registers` may contain too many.
    pub exact: bool,
}

/// A function's control-flow graph, with what each basic block does to registers.
#[derive(Default)]
struct Flow {
    /// The predecessors of each block.
    before: Vec<Vec<u32>>,
    /// For each register, the blocks that read it before writing it.
    exposed: BTreeMap<Register, Vec<u32>>,
    written: HashSet<(u32, Register)>,
}

impl FunctionLowering<'_, '_> {
    pub fn unassigned(&self, params: &[ParamSlot], returns: &[ParamSlot]) -> Unassigned {
        let mut flow = self.flow(returns);
        for register in params.iter().flat_map(words) {
            flow.exposed.remove(&register);
        }
        let (mut found, mut steps) = (BTreeSet::new(), 0);
        let mut seen = vec![u32::MAX; flow.before.len()];
        for (n, (&register, blocks)) in flow.exposed.iter().enumerate() {
            let mut todo = blocks.clone();
            while let Some(block) = todo.pop() {
                if block == 0 || steps >= MAX_STEPS {
                    found.insert(register);
                    break;
                }
                for &earlier in &flow.before[block as usize] {
                    steps += 1;
                    let known = std::mem::replace(&mut seen[earlier as usize], n as u32) == n as u32;
                    if !known && !flow.written.contains(&(earlier, register)) {
                        todo.push(earlier);
                    }
                }
            }
        }
        Unassigned { registers: found, exact: steps < MAX_STEPS }
    }

    fn flow(&self, returns: &[ParamSlot]) -> Flow {
        let ends = |draft: &Draft| {
            !matches!(draft.inst.what, What::Lanes(_) | What::Memory | What::System(_) | What::Collective)
        };
        let count = self.drafts.len();
        let mut leads = vec![false; count + 1];
        (leads[0], leads[count]) = (true, true);
        for &label in self.flow.labels.iter().flatten() {
            leads[(label as usize).min(count)] = true;
        }
        for (n, draft) in self.drafts.iter().enumerate() {
            leads[n + 1] |= ends(draft);
        }
        // The block of each draft. The last block is the end of the text, which returns.
        let mut number = 0;
        let block_of: Vec<u32> = leads
            .iter()
            .enumerate()
            .map(|(n, &leads)| {
                number += u32::from(leads && n > 0);
                number
            })
            .collect();
        let block_at = |label: u32| {
            let place = self.flow.labels.get(label as usize).copied().flatten();
            block_of[place.map_or(count, |place| (place as usize).min(count))]
        };
        let mut flow = Flow { before: vec![Vec::new(); number as usize + 1], ..Flow::default() };
        let returned: Vec<Register> = returns.iter().flat_map(words).collect();
        for (n, draft) in self.drafts.iter().enumerate() {
            let block = block_of[n];
            for register in self.reads(draft) {
                flow.read(block, register);
            }
            if let What::Return = draft.inst.what {
                returned.iter().for_each(|&register| flow.read(block, register));
            }
            let guarded = draft.inst.guard.is_some();
            if !guarded {
                flow.written.extend(self.writes(draft).into_iter().map(|register| (block, register)));
            }
            let mut targets = Vec::new();
            let goes_on = match draft.inst.what {
                What::Branch => {
                    targets.push(block_at(draft.inst.detail));
                    guarded
                }
                What::BranchIndexed => {
                    let table = self.flow.tables.get(draft.inst.detail as usize);
                    targets.extend(table.into_iter().flatten().map(|&label| block_at(label)));
                    guarded
                }
                What::Return | What::Exit | What::Trap => guarded,
                _ => true,
            };
            if leads[n + 1] && goes_on {
                targets.push(block_of[n + 1]);
            }
            for target in targets {
                let before = &mut flow.before[target as usize];
                if before.last() != Some(&block) {
                    before.push(block);
                }
            }
        }
        returned.iter().for_each(|&register| flow.read(number, register));
        flow
    }

    /// Returns the registers of its frame that a draft reads.
    pub fn reads(&self, draft: &Draft) -> Vec<Register> {
        let mut reads = reads_of(&self.module.code, &draft.inst, draft.row);
        reads.retain(|(_, register)| register & FIXED == 0);
        reads
    }

    /// Returns the registers that a draft writes.
    pub fn writes(&self, draft: &Draft) -> Vec<Register> {
        let mut writes: Vec<Register> = draft.row.map(|row| (row.dest, draft.inst.d)).into_iter().collect();
        writes.extend_from_slice(&draft.writes);
        if let What::Call = draft.inst.what {
            let call = &self.module.code.details.calls[draft.inst.detail as usize];
            writes.extend(call_words(&call.results, &call.result_bytes));
        }
        writes
    }
}

/// Returns the registers that an instruction reads. `row` is the table row of an arithmetic instruction.
pub fn reads_of(code: &DecodedModule, inst: &Inst, row: Option<&Row>) -> Vec<Register> {
    let mut reads: Vec<Register> = match inst.what {
        What::Memory => memory_reads(&code.details.memory[inst.detail as usize]),
        What::BranchIndexed => vec![(File::R32, inst.s[0])],
        What::Collective => collective_reads(&code.details.collectives[inst.detail as usize], inst.s),
        What::Barrier => {
            let op = &code.details.barriers[inst.detail as usize];
            let mut reads = vec![(File::R32, op.id)];
            reads.extend(op.threads.map(|register| (File::R32, register)));
            reads.extend(op.source.map(|(register, _)| (File::Pred, register)));
            reads
        }
        What::Call => {
            let call = &code.details.calls[inst.detail as usize];
            let mut reads = call_words(&call.arguments, &call.argument_bytes);
            if let CallTarget::Register(register) = call.target {
                reads.push((File::R64, register));
            }
            reads
        }
        What::System(System::IsSpace | System::AsyncSignal) => vec![(File::R64, inst.s[0])],
        What::System(System::MapShared) => vec![(File::R64, inst.s[0]), (File::R32, inst.s[1])],
        What::System(System::SharedRank) => vec![(File::R64, inst.s[0])],
        What::System(System::Bulk) => {
            let object = code.details.bulks[inst.detail as usize].object;
            let mut reads = vec![(File::R64, inst.s[0]), (File::R64, inst.s[1]), (File::R32, inst.s[2])];
            reads.extend(object.map(|register| (File::R64, register)));
            reads
        }
        What::System(System::PhaseOver) => {
            let token = if inst.detail == 0 { File::R64 } else { File::R32 };
            vec![(File::Pred, inst.s[0]), (File::R64, inst.s[1]), (token, inst.s[2])]
        }
        What::System(System::Tensor) => tensor_reads(&code.details.tensor_copies[inst.detail as usize]),
        What::System(System::MbarrierCheck) => vec![(File::R64, inst.s[0]), (File::R64, inst.s[1])],
        _ => Vec::new(),
    };
    if let Some(row) = row {
        reads.extend(row.sources.iter().copied().zip(inst.s));
    }
    reads.extend(inst.guard.register().map(|p| (File::Pred, p)));
    reads
}

impl Flow {
    fn read(&mut self, block: u32, register: Register) {
        if !self.written.contains(&(block, register)) {
            let blocks = self.exposed.entry(register).or_default();
            if blocks.last() != Some(&block) {
                blocks.push(block);
            }
        }
    }
}

fn tensor_reads(copy: &TensorCopy) -> Vec<Register> {
    let mut reads = vec![(File::R64, copy.map), (File::R64, copy.shared)];
    reads.extend(copy.coordinates[..copy.rank].iter().map(|&register| (File::R32, register)));
    if let TensorWay::Load { object, ranks, .. } = copy.way {
        reads.push((File::R64, object));
        reads.extend(ranks.map(|register| (File::R32, register)));
    }
    reads
}

/// Returns the registers that hold a parameter's or a result's bytes.
fn words(slot: &ParamSlot) -> impl Iterator<Item = Register> + use<> {
    (slot.register..slot.register.saturating_add(slot.words)).map(|register| (File::R32, register))
}

fn call_words(first: &[u32], bytes: &[u32]) -> Vec<Register> {
    let slots = first.iter().zip(bytes);
    slots.flat_map(|(&register, &bytes)| words(&ParamSlot { register, words: bytes.div_ceil(4) })).collect()
}

/// Returns the registers that a memory instruction reads.
pub fn memory_reads(op: &MemoryOp) -> Vec<Register> {
    let mut reads = vec![(File::R64, op.base)];
    match op.action {
        Action::Load => {}
        Action::Store => {
            reads.extend(op.registers[..op.elements as usize].iter().map(|&register| (op.file, register)));
        }
        Action::Atomic { operand, comparand, .. } => reads.extend([(op.file, operand), (op.file, comparand)]),
    }
    reads.retain(|(_, register)| *register != SINK);
    reads
}

fn collective_reads(op: &CollectiveOp, s: [u32; 4]) -> Vec<Register> {
    let mut reads = values_of(op, s);
    match &op.kind {
        CollectiveKind::Shuffle { .. } => reads.extend(s[..3].iter().map(|&register| (File::R32, register))),
        CollectiveKind::Vote { .. } => reads.push((File::Pred, s[0])),
        CollectiveKind::Group(code) => {
            if let WgmmaOp::Multiply { sums, .. } = &**code {
                reads.extend(sums.iter().map(|&register| (File::R32, register)));
            }
        }
        _ => {}
    }
    reads.extend(op.mask.map(|register| (File::R32, register)));
    reads
}

/// Returns the inputs of a warp-wide operation on which its whole result depends: all but values that are shuffled or
/// voted on.
pub fn values_of(op: &CollectiveOp, s: [u32; 4]) -> Vec<Register> {
    match &op.kind {
        CollectiveKind::Match { bits, .. } => {
            vec![(if *bits == 64 { File::R64 } else { File::R32 }, s[0])]
        }
        CollectiveKind::Redux(_) => vec![(File::R32, s[0])],
        CollectiveKind::Matrix(code) => match &**code {
            MatrixCode::Multiply { op, a, b, c, .. } => {
                let file = multiply_file(op);
                [&a[..], b, c].concat().into_iter().map(|register| (file, register)).collect()
            }
            MatrixCode::Transpose { source, .. } => vec![(File::R32, *source)],
            MatrixCode::WmmaAddresses { base, stride, .. } => vec![(File::R64, *base), (File::R32, *stride)],
            MatrixCode::RowAddresses { base, .. } => vec![(File::R64, *base)],
        },
        CollectiveKind::Group(code) => match &**code {
            WgmmaOp::Fence | WgmmaOp::Commit | WgmmaOp::Wait(_) => Vec::new(),
            // Whether the sums are used as input is only known at run time.
            WgmmaOp::Multiply { a, b, add, .. } => {
                let mut values = vec![(File::R64, *b), (File::Pred, *add)];
                match a {
                    WgmmaOperand::Registers(a) => values.extend(a.map(|register| (File::R32, register))),
                    WgmmaOperand::Shared(a) => values.push((File::R64, *a)),
                }
                values
            }
        },
        CollectiveKind::Sync
        | CollectiveKind::Shuffle { .. }
        | CollectiveKind::Vote { .. }
        | CollectiveKind::Elect { .. } => Vec::new(),
    }
}

fn multiply_file(op: &Multiply) -> File {
    if op.a == Element::F64 { File::R64 } else { File::R32 }
}
