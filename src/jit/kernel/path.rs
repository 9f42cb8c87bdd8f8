//! Translates a path of a kernel for all warps of a block: [`KernelPath`].
//!
//! The path is translated twice. The first function, [`PathCode`](sim::kernel_code::PathCode)'s `probe`, computes addresses
//! and evaluates branches and touches no memory but registers; the other, `perform`, relies on what the first has found.
//!
//! Between two barriers, what is the same for several warps is a loop over them. Registers that are live across a barrier are
//! in the warps' registers there.

use super::access::register_of;
use super::emit::{Translator, constant_flags, mutable_flags};
use super::lane_values::{self, RegisterFacts};
use super::masked::FULL;
use super::registers::{Lanes, ValueLocation};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, Function, InstBuilder, Value};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use sim::kernel_code::{
    Access, AccessShape, File, InlineAccess, Instruction, KernelPath, LANES, LaneValues, Lanes64, Operand,
    Operation, PathBranch, PathContext, PathPart, PathStep, Register, WarpFiles,
};
use std::collections::BTreeSet;
use std::mem::offset_of;
use std::sync::Arc;

/// The two functions of a path, and the accesses that it makes, in order.
pub struct TranslatedPath {
    pub probe: Function,
    pub perform: Function,
    pub accesses: Vec<InlineAccess>,
    /// The instructions at which the first function may leave the path.
    pub checks: BTreeSet<u32>,
}

/// The state of translating a path.
pub struct OnPath {
    /// The register files of the warp: [`WarpFiles`].
    pub files: [Value; 3],
    /// Whether every instruction so far can be part of such code.
    possible: bool,
    /// Where the code goes if a block does not follow the path; `None` in the function that relies on it.
    leave: Option<Block>,
    /// Where the addresses of this warp are, for an access that is the first of [`PathContext::addresses`].
    addresses: Value,
    so_far: SoFar,
    /// How many warps execute the part.
    warps: usize,
}

/// How many accesses to global memory have been translated, and how many addresses they have.
#[derive(Clone, Copy, Default)]
struct SoFar {
    accesses: usize,
    addresses: usize,
}

/// The offset of a field in the context.
macro_rules! field {
    ($($path:tt)+) => { offset_of!(PathContext, $($path)+) as i32 };
}

/// Returns `None` if the path has instructions that code can't execute itself, or addresses that do not follow from the
/// first lane's.
pub fn translate(path: &KernelPath, isa: &dyn TargetIsa) -> Option<TranslatedPath> {
    let (probe, accesses, checks) = function(path, isa, true)?;
    let (perform, ..) = function(path, isa, false)?;
    Some(TranslatedPath { probe, perform, accesses, checks })
}

/// Returns one of the functions, with the accesses and checks that it makes.
fn function(
    path: &KernelPath,
    isa: &dyn TargetIsa,
    probes: bool,
) -> Option<(Function, Vec<InlineAccess>, BTreeSet<u32>)> {
    let (mut function, mut builder_context) = (Function::new(), FunctionBuilderContext::new());
    let mut emit = Translator::new(&path.region, &mut function, &mut builder_context, isa);
    emit.diverging.clone_from(&path.diverging);
    let left = emit.b.create_block();
    // For each warp, what is known of its registers at the last barrier.
    let mut facts: Vec<RegisterFacts> = Vec::new();
    let mut so_far = SoFar::default();
    for part in path.phases.iter().flatten() {
        facts.resize(facts.len().max(part.warps.end), RegisterFacts::new());
        so_far = emit.part(part, (probes.then_some(left), so_far), &mut facts)?;
    }
    let follows = emit.b.ins().iconst(I32, 1);
    emit.b.ins().return_(&[follows]);
    emit.b.switch_to_block(left);
    let follows = emit.b.ins().iconst(I32, 0);
    emit.b.ins().return_(&[follows]);
    emit.b.seal_all_blocks();
    let (accesses, checks) = (emit.description.accesses, emit.path_checks);
    emit.b.finalize();
    Some((function, accesses, checks))
}

impl<'r> Translator<'r, '_> {
    /// Translates a part for all its warps. `facts`: for each warp, what is known of its registers before the part, and then
    /// after it. Returns what has been translated then; `None` if the part can't be translated.
    fn part(
        &mut self,
        part: &PathPart,
        (leave, so_far): (Option<Block>, SoFar),
        facts: &mut [RegisterFacts],
    ) -> Option<SoFar> {
        let [header, body, done] = std::array::from_fn(|_| self.b.create_block());
        let number = self.b.declare_var(I64);
        let first = self.b.ins().iconst(I64, part.warps.start as i64);
        self.b.def_var(number, first);
        self.b.ins().jump(header, &[]);

        self.b.switch_to_block(header);
        let warp = self.b.use_var(number);
        let more = self.b.ins().icmp_imm(IntCC::UnsignedLessThan, warp, part.warps.end as i64);
        self.b.ins().brif(more, body, &[], done, &[]);

        self.b.switch_to_block(body);
        self.begin_warp(warp, part, (leave, so_far));
        let mut before = facts[part.warps.start].clone();
        for its in &facts[part.warps.clone()] {
            lane_values::meet_all(&mut before, its);
        }
        self.begin_part(part, &before);
        for (n, step) in part.steps.iter().enumerate() {
            self.step(step, &part.steps[n + 1..]);
            if !self.is_possible() {
                return None;
            }
        }
        let after = self.end_part(part, &before);
        facts[part.warps.clone()].fill(after);
        let next = self.b.ins().iadd_imm(warp, 1);
        self.b.def_var(number, next);
        self.b.ins().jump(header, &[]);
        self.b.switch_to_block(done);
        self.on_path.take().map(|on_path| on_path.so_far)
    }

    /// Loads what belongs to a warp, by its index in the block.
    fn begin_warp(&mut self, warp: Value, part: &PathPart, (leave, so_far): (Option<Block>, SoFar)) {
        let files = self.b.ins().load(I64, constant_flags(), self.context, field!(files));
        let offset = self.b.ins().imul_imm(warp, size_of::<WarpFiles>() as i64);
        let its = self.b.ins().iadd(files, offset);
        let files =
            [offset_of!(WarpFiles, r32), offset_of!(WarpFiles, r64), offset_of!(WarpFiles, predicates)]
                .map(|at| self.b.ins().load(I64, mutable_flags(), its, at as i32));
        let addresses = self.b.ins().load(I64, constant_flags(), self.context, field!(addresses));
        let offset = self.b.ins().iadd_imm(warp, -(part.warps.start as i64));
        let offset = self.b.ins().ishl_imm(offset, 3);
        let addresses = self.b.ins().iadd(addresses, offset);
        let warps = part.warps.len();
        self.on_path = Some(OnPath { files, possible: true, leave, addresses, so_far, warps });
    }

    /// Finds where the registers are that a part reads. `before`: what is known of those that the path writes.
    fn begin_part(&mut self, part: &PathPart, before: &RegisterFacts) {
        let reads: BTreeSet<Register> =
            self.instructions(&part.steps).flat_map(|its| &its.reads).copied().collect();
        self.state.clear();
        let fixed = self.region.assumptions.iter().map(|(register, lane_values)| (register, lane_values));
        for (&register, lane_values) in fixed.chain(before).filter(|(register, _)| reads.contains(register)) {
            let location = match lane_values {
                LaneValues::Constant(bits) => ValueLocation::Constant(*bits),
                LaneValues::Offsets(offsets) if register.file != File::Pred => {
                    ValueLocation::Scalar(self.load_lane(register, 0), offsets.clone())
                }
                _ => ValueLocation::Memory,
            };
            self.put(register, location);
        }
    }

    /// Writes the registers that a part has written, and that are live at its end, to the warp's registers. Returns what is
    /// known of those that are live there. `before`: what was known before the part.
    fn end_part(&mut self, part: &PathPart, before: &RegisterFacts) -> RegisterFacts {
        let written = self.written_in(&part.steps);
        let mut after = RegisterFacts::new();
        for &register in self.live_after(&part.steps) {
            if !written.contains(&register) {
                after.extend(before.get(&register).map(|known| (register, known.clone())));
                continue;
            }
            let lane_values = self.lane_values(Operand::Register(register));
            // No address or branch depends on a value that varies.
            if !self.is_probing() || !matches!(lane_values, LaneValues::Varying) {
                self.spill(register);
            }
            after.insert(register, lane_values);
        }
        after
    }

    /// Translates a basic block for some lanes. `rest`: the steps of the part that follow.
    fn step(&mut self, step: &PathStep, rest: &[PathStep]) {
        let numbers = self.region.blocks[step.block].range.clone();
        if step.mask == FULL {
            numbers.for_each(|number| self.instruction_on_path(number, step.branch));
            return;
        }
        let written = self.written_in(std::slice::from_ref(step));
        // Lanes may read them later, be they those of this step or others, which keep what they have in the warp's registers.
        let reads = self.instructions(rest).flat_map(|its| &its.reads);
        let needed: BTreeSet<Register> = reads
            .chain(self.live_after(rest))
            .filter(|register| written.contains(register))
            .copied()
            .collect();
        needed.iter().for_each(|&register| self.write_back(register));
        self.begin_masked(step.mask, &written);
        numbers.for_each(|number| self.instruction_on_path(number, step.branch));
        needed.iter().for_each(|&register| self.spill(register));
        self.active = None;
        for register in written {
            self.put(register, ValueLocation::Memory);
        }
    }

    /// Returns the instructions of steps.
    fn instructions<'s>(&self, steps: &'s [PathStep]) -> impl Iterator<Item = &'s Instruction>
    where
        'r: 's,
    {
        let region = self.region;
        let numbers = steps.iter().flat_map(|step| region.blocks[step.block].range.clone());
        numbers.map(|number| region.instruction(number))
    }

    fn written_in(&self, steps: &[PathStep]) -> BTreeSet<Register> {
        self.instructions(steps).flat_map(|its| &its.writes).copied().collect()
    }

    /// Returns the registers that are live after the last of some steps.
    fn live_after(&self, steps: &[PathStep]) -> &'r [Register] {
        let last = steps.last().and_then(|last| self.region.blocks[last.block].live.last());
        last.map_or(&[], |live| live)
    }

    fn instruction_on_path(&mut self, number: u32, branch: PathBranch) {
        let instruction: &Instruction = self.region.instruction(number);
        match &instruction.operation {
            Operation::Nothing | Operation::Other { .. } => {}
            Operation::Arithmetic(its) => self.arithmetic(number, its),
            Operation::BlockIndex { to, axis } => {
                self.block_index(*to, field!(block_index) + 4 * *axis as i32);
            }
            Operation::Load(access) => self.load_on_path(number, access),
            Operation::Store(access) => self.store_on_path(number, access),
            Operation::Branch(_) => self.branch_on_path(number, branch, instruction.guard),
            Operation::Interpreted => self.impossible(),
        }
    }

    /// Leaves the path unless the lanes go where it does.
    fn branch_on_path(&mut self, number: u32, branch: PathBranch, guard: Option<(Register, bool)>) {
        let (Some((predicate, negated)), PathBranch::Taken | PathBranch::NotTaken) = (guard, branch) else {
            return;
        };
        let holds = (branch == PathBranch::Taken) != negated;
        match self.location(predicate) {
            ValueLocation::Scalar(value, _) => {
                let other = if holds { IntCC::Equal } else { IntCC::NotEqual };
                let other = self.b.ins().icmp_imm(other, value, 0);
                self.leave_path_if(number, other);
            }
            ValueLocation::Constant(bits) if (bits & 1 != 0) == holds => {}
            _ => self.impossible(),
        }
    }

    fn is_probing(&self) -> bool {
        self.on_path.as_ref().is_some_and(|on_path| on_path.leave.is_some())
    }

    fn is_possible(&self) -> bool {
        self.on_path.as_ref().is_some_and(|on_path| on_path.possible)
    }

    /// Called for what can't be part of a path.
    pub fn impossible(&mut self) {
        if let Some(on_path) = &mut self.on_path {
            on_path.possible = false;
        }
    }

    /// Leaves the path at an instruction if a condition holds; in the function that relies on it, the condition never does.
    pub fn leave_path_if(&mut self, number: u32, condition: Value) {
        if let Some(leave) = self.on_path.as_ref().and_then(|on_path| on_path.leave) {
            self.path_checks.insert(number);
            self.jump_if(condition, leave);
        }
    }

    /// Prepares an access of the path. Returns the active lanes and their offsets, and the host address of the first one, where
    /// the access is to be made; `None` where it is not.
    fn access_on_path(
        &mut self,
        number: u32,
        access: &Access,
        stores: bool,
    ) -> Option<((Arc<Lanes64>, u32), Value)> {
        let offsets = lane_values::offsets(&self.lane_values(access.base));
        let mask = self.known_mask().unwrap_or(FULL);
        let offsets = offsets.filter(|_| lane_values::is_of_words(access));
        let chosen = offsets.map(|offsets| lane_values::of_active(&offsets, mask));
        let shape = chosen.as_ref().map(|(offsets, _)| AccessShape::of(offsets, mask, access.bytes()));
        let regular = shape.filter(|its| {
            its.regular && (access.shared || its.stretches.is_some()) && !(stores && its.overlaps)
        });
        let (Some((offsets, start)), Some(_)) = (chosen, regular) else {
            self.impossible();
            return None;
        };
        self.description.accesses.push(InlineAccess {
            number,
            mask,
            in_masked_block: mask != FULL,
            offsets: offsets.clone(),
        });
        let base = self.first_lane(access.base, File::R64);
        let first = self.b.ins().iadd_imm(base, access.offset.wrapping_add(start as i64));
        let probes = self.is_probing();
        if access.shared {
            let words = self.b.ins().load(I64, constant_flags(), self.context, field!(shared));
            let start = self.b.ins().iadd(words, first);
            return (!probes).then_some(((offsets, mask), start));
        }
        let on_path = self.on_path.as_mut()?;
        let (addresses, before) = (on_path.addresses, on_path.so_far);
        on_path.so_far = SoFar { accesses: before.accesses + 1, addresses: before.addresses + on_path.warps };
        let at = before.addresses as i32 * 8;
        if probes {
            self.b.ins().store(mutable_flags(), first, addresses, at);
            return None;
        }
        let first = self.b.ins().load(I64, mutable_flags(), addresses, at);
        let distances = self.b.ins().load(I64, constant_flags(), self.context, field!(distances));
        let distance = self.b.ins().load(I64, mutable_flags(), distances, before.accesses as i32 * 8);
        let start = self.b.ins().iadd(first, distance);
        Some(((offsets, mask), start))
    }

    fn load_on_path(&mut self, number: u32, access: &Access) {
        let prepared = self.access_on_path(number, access, false);
        if !self.is_possible() {
            return;
        }
        for (n, register) in access.elements.iter().enumerate() {
            let Some(register) = register.as_ref().and_then(register_of) else { continue };
            let parts = match &prepared {
                Some(((offsets, mask), start)) => self.words(*start, (offsets, *mask), 4 * n as i64),
                None => vec![self.vector_constant(File::R32, &[0; 4]); LANES / 4],
            };
            self.put(register, ValueLocation::Vector(Lanes { parts, raw: false }, true));
        }
    }

    fn store_on_path(&mut self, number: u32, access: &Access) {
        let elements: Vec<Operand> = access.elements.iter().flatten().copied().collect();
        let Some(((offsets, mask), start)) = self.access_on_path(number, access, true) else { return };
        for (n, element) in elements.into_iter().enumerate() {
            let lanes = self.lanes(element, File::R32);
            self.store_words(start, (&offsets, mask), 4 * n as i64, &lanes);
        }
    }
}
