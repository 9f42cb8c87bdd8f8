//! The code of a path, and what a block counts that follows it.

use super::steady::SteadyPath;
use crate::code::DecodedModule;
use crate::engine::compiled::assumptions::all_match;
use crate::engine::compiled::region::{add_to, counted};
use crate::engine::launch::LaunchContext;
use crate::engine::observer::CompiledAccesses;
use crate::engine::warp::Warp;
use crate::engine::worker::ControlFlow;
use crate::kernel_code::{
    AccessShape, AccessesByKind, CompiledAccess, InlineAccess, KernelPath, Operation, PathCode, Register,
};
use crate::lanes::{FULL, LANES, Lanes64};
use std::ops::Range;

/// A path with its code.
#[derive(Debug)]
pub struct CompiledPath {
    pub code: PathCode,
    pub followed: KernelPath,
    /// When it may be followed: the values of registers in each warp, and the size of shared memory.
    decisive: Vec<(Register, Vec<Lanes64>)>,
    shared_bytes: u64,
    /// The accesses to global memory.
    pub accesses: Vec<PathAccess>,
    /// What they touch, by phase.
    pub stretches: Vec<PhaseStretches>,
    /// For each phase, whether shared memory is accessed.
    pub shared: Vec<bool>,
    /// What a block executes, and how often it does each basic block, by its number in the module, by a warp and by a thread.
    pub work: PathWork,
    pub runs: Vec<(u32, [u64; 2])>,
    pub control: ControlFlow,
    /// Its accesses, by kind, without sectors and lines of global memory.
    pub sums: Vec<CompiledAccesses>,
    /// Its accesses by warp: by all lanes, and by some.
    pub by_warp: Vec<AccessesByKind>,
    pub masked: Vec<MaskedAccess>,
}

/// What each block executes that follows a path.
#[derive(Clone, Copy, Debug)]
pub struct PathWork {
    /// Instructions.
    pub steps: u64,
    /// The cycles of all warps together, and those of the one that takes longest.
    pub warp_cycles: u64,
    pub longest_cycles: u64,
}

/// An access of a warp by some of its lanes.
#[derive(Debug)]
pub struct MaskedAccess {
    pub warp: u32,
    pub kind: CompiledAccess,
    pub mask: u32,
}

/// An access to global memory by some warps of a block, one after the other.
#[derive(Debug)]
pub struct PathAccess {
    pub its: InlineAccess,
    /// Index of the module's memory operation.
    pub op: usize,
    pub shape: AccessShape,
    pub stores: bool,
    /// Bytes that each lane accesses.
    pub bytes: u64,
    /// Whether all lanes access memory, each the bytes after its neighbour's.
    pub is_row: bool,
    /// The phase in which it is made, and by which warps.
    pub phase: usize,
    pub warps: Range<usize>,
    /// Where its addresses are among those of all accesses.
    pub addresses: Range<usize>,
}

/// Consecutive bytes of global memory that some warps touch by one access each.
#[derive(Debug)]
pub struct AccessStretch {
    pub warps: Range<usize>,
    /// Where the address of the first of them is among those of all accesses; where the stretch begins, from that address on, and
    /// how far its last byte is from there.
    pub first_address: usize,
    pub offset: i64,
    pub last_byte: u64,
    pub stores: bool,
}

/// What warps touch in a phase, each of them in this order.
#[derive(Debug)]
pub struct PhaseStretches {
    pub warps: Range<usize>,
    pub stretches: Vec<AccessStretch>,
}

impl PathAccess {
    /// Returns the number of bytes from the first that a warp accesses to the last.
    pub fn span(&self) -> u64 {
        (self.shape.high - self.shape.low) as u64 + self.bytes
    }

    /// Returns whether the same lanes of the same warps make another access, each as far from the first one's.
    pub fn is_by_the_lanes_of(&self, other: &PathAccess) -> bool {
        let of = |its: &PathAccess| (its.its.mask, its.bytes, its.warps.clone());
        of(self) == of(other) && self.its.offsets == other.its.offsets
    }
}

impl CompiledPath {
    /// Returns how many addresses the accesses of a block have together.
    pub fn addresses_per_block(&self) -> usize {
        self.accesses.last().map_or(0, |last| last.addresses.end)
    }

    /// Compiles a path. `control`: what a block counts of it. Returns `None` if that is not possible.
    pub fn new(
        launch: &LaunchContext,
        steady: SteadyPath,
        control: ControlFlow,
        shared_bytes: u64,
    ) -> Option<CompiledPath> {
        let SteadyPath { path, decisive, cycles, instructions, runs } = steady;
        let code = launch.emitter?.emit_path(&path)?;
        let mut compiled = CompiledPath {
            decisive,
            shared_bytes,
            accesses: Vec::new(),
            stretches: Vec::new(),
            shared: vec![false; path.phases.len()],
            work: PathWork {
                steps: instructions,
                warp_cycles: cycles.iter().sum(),
                longest_cycles: cycles.iter().copied().max().unwrap_or(0),
            },
            runs,
            control,
            sums: Vec::new(),
            by_warp: vec![[0; 4]; cycles.len()],
            masked: Vec::new(),
            code,
            followed: path,
        };
        let emitted = std::mem::take(&mut compiled.code.accesses);
        let places = places(&compiled.followed);
        if emitted.len() != places.len() {
            return None;
        }
        for (its, (number, phase, warps)) in emitted.into_iter().zip(places) {
            if its.number != number {
                return None;
            }
            compiled.add(launch.code, its, (phase, warps));
        }
        compiled.stretches = stretches(&compiled.accesses);
        Some(compiled)
    }

    /// Counts an access, and adds it if it is to global memory.
    fn add(&mut self, code: &DecodedModule, its: InlineAccess, (phase, warps): (usize, Range<usize>)) {
        let index = code.insts[its.number as usize].detail as usize;
        let op = &code.details.memory[index];
        let one = counted(op, &mut its.shape(op.width()));
        let kind = one.kind;
        add_to(&mut self.sums, one.times(warps.len() as i64));
        for warp in warps.clone() {
            match its.mask {
                FULL => self.by_warp[warp][kind as usize] += 1,
                mask => self.masked.push(MaskedAccess { warp: warp as u32, kind, mask }),
            }
        }
        if matches!(kind, CompiledAccess::SharedLoad | CompiledAccess::SharedStore) {
            self.shared[phase] = true;
            return;
        }
        let bytes = u64::from(op.width());
        let first = self.addresses_per_block();
        let is_row = (0..LANES).all(|lane| its.offsets[lane] == lane as u64 * bytes);
        self.accesses.push(PathAccess {
            shape: AccessShape::of(&its.offsets, its.mask, op.width()),
            op: index,
            stores: kind == CompiledAccess::GlobalStore,
            bytes,
            is_row: is_row && its.mask == FULL,
            phase,
            addresses: first..first + warps.len(),
            warps,
            its,
        });
    }

    /// Returns whether a block may follow the path, as far as that can be known before it runs.
    pub fn suits(&self, warps: &[Warp], shared_bytes: u64) -> bool {
        let same = |(register, values): &(Register, Vec<Lanes64>)| {
            let of = |warp: &Warp| warp.registers.raw((register.file, register.slot as usize));
            warps.iter().zip(values).all(|(warp, value)| of(warp) == *value)
        };
        warps.len() == self.by_warp.len()
            && shared_bytes == self.shared_bytes
            && self.decisive.iter().all(same)
            && warps.iter().all(|warp| all_match(&warp.registers, &self.followed.region.assumptions))
    }
}

/// Returns what accesses touch, by phase.
fn stretches(accesses: &[PathAccess]) -> Vec<PhaseStretches> {
    let of_access = |access: &PathAccess| -> Vec<AccessStretch> {
        let stretches = access.shape.stretches.iter().flatten();
        let of = |&(offset, bytes): &(i64, u64)| AccessStretch {
            warps: access.warps.clone(),
            first_address: access.addresses.start,
            offset,
            last_byte: bytes - 1,
            stores: access.stores,
        };
        stretches.map(of).collect()
    };
    let of_phase = |accesses: &[PathAccess]| PhaseStretches {
        warps: accesses.iter().map(|its| its.warps.start).min().unwrap_or(0)
            ..accesses.iter().map(|its| its.warps.end).max().unwrap_or(0),
        stretches: accesses.iter().flat_map(of_access).collect(),
    };
    accesses.chunk_by(|one, next| one.phase == next.phase).map(of_phase).collect()
}

/// Returns, for each access of a path, the number of its instruction, its phase and its warps.
fn places(path: &KernelPath) -> Vec<(u32, usize, Range<usize>)> {
    let mut places = Vec::new();
    for (phase, parts) in path.phases.iter().enumerate() {
        for part in parts {
            for number in part.steps.iter().flat_map(|step| path.region.blocks[step.block].range.clone()) {
                let operation = &path.region.instruction(number).operation;
                if let Operation::Load(_) | Operation::Store(_) = operation {
                    places.push((number, phase, part.warps.clone()));
                }
            }
        }
    }
    places
}
