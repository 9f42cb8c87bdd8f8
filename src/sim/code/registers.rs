//! The registers that instructions read and write.

use super::{
    BarrierKind, CallTarget, CollectiveKind, CollectiveOp, DecodedModule, ImagePlace, Inst, MatrixCode,
    ParamSlot, System, TensorCopy, TensorWay, VoteMode, WgmmaOp, WgmmaOperand, What,
};
use crate::lanes::File;
use crate::matrix::{Element, Multiply};
use crate::memory::access::{Action, MemoryOp, SINK};
use crate::table::Row;

/// A register: its file and its number.
pub type Register = (File, u32);

/// Returns the registers that an instruction reads. `row` is the table row of an arithmetic instruction.
pub fn reads(code: &DecodedModule, inst: &Inst, row: Option<&Row>) -> Vec<Register> {
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
        What::System(System::IsSpace | System::AsyncSignal | System::SharedRank) => {
            vec![(File::R64, inst.s[0])]
        }
        What::System(System::MapShared) => vec![(File::R64, inst.s[0]), (File::R32, inst.s[1])],
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
        What::System(System::Texture) => place_reads(&code.details.textures[inst.detail as usize].place),
        What::System(System::Surface) => {
            let surface = &code.details.surfaces[inst.detail as usize];
            let mut reads = memory_reads(&code.details.memory[surface.access as usize]);
            // The address is computed by the instruction itself.
            reads.retain(|read| *read != (File::R64, surface.place.at));
            reads.extend(place_reads(&surface.place));
            reads
        }
        What::System(System::MbarrierCheck) => vec![(File::R64, inst.s[0]), (File::R64, inst.s[1])],
        _ => Vec::new(),
    };
    if let Some(row) = row {
        reads.extend(row.sources.iter().copied().zip(inst.s));
    }
    reads.extend(inst.guard.register().map(|p| (File::Pred, p)));
    reads
}

/// Returns the registers that an instruction writes. `row` is the table row of an arithmetic instruction.
pub fn writes(code: &DecodedModule, inst: &Inst, row: Option<&Row>) -> Vec<Register> {
    let detail = inst.detail as usize;
    let own = |file: File| vec![(file, inst.d)];
    let mut writes = match inst.what {
        What::Lanes(_) => row.map(|row| own(row.dest)).unwrap_or_default(),
        What::Memory => memory_writes(&code.details.memory[detail]),
        What::System(what) => match what {
            System::Texture => {
                code.details.textures[detail].channels.map(|register| (File::R32, register)).to_vec()
            }
            System::Surface => {
                memory_writes(&code.details.memory[code.details.surfaces[detail].access as usize])
            }
            System::ActiveMask
            | System::Clock32
            | System::BlockIndex
            | System::SharedRank
            | System::Tensor
            | System::Multiprocessor => own(File::R32),
            System::Clock64 | System::GlobalTimer | System::LocalAddress | System::MapShared => {
                own(File::R64)
            }
            System::IsSpace => own(File::Pred),
            _ => Vec::new(),
        },
        What::Call => {
            let call = &code.details.calls[detail];
            call_words(&call.results, &call.result_bytes)
        }
        What::Barrier => match code.details.barriers[detail].kind {
            BarrierKind::RedPopc => own(File::R32),
            BarrierKind::RedAnd | BarrierKind::RedOr => own(File::Pred),
            _ => Vec::new(),
        },
        What::Collective => collective_writes(&code.details.collectives[detail].kind, inst.d),
        _ => Vec::new(),
    };
    writes.retain(|(_, register)| *register != SINK);
    writes
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

/// Returns the registers that say where an image is accessed.
pub fn place_reads(place: &ImagePlace) -> Vec<Register> {
    let mut reads = vec![(File::R64, place.object)];
    let coordinates = &place.coordinates[..place.shape.dimensions()];
    reads.extend(coordinates.iter().chain(&place.layer).map(|&register| (File::R32, register)));
    reads
}

/// Returns the registers that hold a parameter's or a result's bytes.
pub fn words(slot: &ParamSlot) -> impl Iterator<Item = Register> + use<> {
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

/// Returns the registers that a memory instruction writes.
fn memory_writes(op: &MemoryOp) -> Vec<Register> {
    match op.action {
        Action::Store => Vec::new(),
        _ => op.registers[..op.elements as usize].iter().map(|&register| (op.file, register)).collect(),
    }
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

fn collective_writes(kind: &CollectiveKind, d: u32) -> Vec<Register> {
    let all = |file: File, registers: &[u32]| registers.iter().map(|&register| (file, register)).collect();
    match kind {
        CollectiveKind::Sync => Vec::new(),
        CollectiveKind::Shuffle { valid, .. } | CollectiveKind::Match { valid, .. } => {
            std::iter::once((File::R32, d)).chain(valid.map(|valid| (File::Pred, valid))).collect()
        }
        CollectiveKind::Vote { mode: VoteMode::Ballot, .. } | CollectiveKind::Redux(_) => {
            vec![(File::R32, d)]
        }
        CollectiveKind::Vote { .. } => vec![(File::Pred, d)],
        CollectiveKind::Elect { chosen } => vec![(File::R32, d), (File::Pred, *chosen)],
        CollectiveKind::Matrix(matrix) => match &**matrix {
            MatrixCode::Multiply { op, d, .. } => all(multiply_file(op), d),
            MatrixCode::Transpose { d, .. } => vec![(File::R32, *d)],
            MatrixCode::WmmaAddresses { d, .. } | MatrixCode::RowAddresses { d, .. } => all(File::R64, d),
        },
        CollectiveKind::Group(group) => match &**group {
            WgmmaOp::Multiply { sums, .. } => all(File::R32, sums),
            WgmmaOp::Fence | WgmmaOp::Commit | WgmmaOp::Wait(_) => Vec::new(),
        },
    }
}

fn multiply_file(op: &Multiply) -> File {
    if op.a == Element::F64 { File::R64 } else { File::R32 }
}
