//! Translates a path of a kernel for all warps of a block: [`KernelPath`].
//!
//! The path is translated twice. The first function, [`PathCode`]'s `probe`, computes addresses and evaluates branches and
//! touches no memory; the other, `perform`, relies on what the first has found.

use super::access::register_of;
use super::emit::{Translator, constant_flags, mutable_flags};
use super::lane_values;
use super::masked::FULL;
use super::registers::{Lanes, ValueLocation};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, Function, InstBuilder, Value};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::FunctionBuilderContext;
use sim::kernel_code::{
    Access, AccessShape, File, InlineAccess, Instruction, KernelPath, LANES, Lanes64, MAX_WARPS, Operand,
    Operation, PathContext, Register, WarpFiles,
};
use std::mem::offset_of;
use std::sync::Arc;

/// The two functions of a path, and the accesses that it makes, in order.
pub struct TranslatedPath {
    pub probe: Function,
    pub perform: Function,
    pub accesses: Vec<InlineAccess>,
}

/// The state of translating a path.
pub struct OnPath {
    /// The register files of the warp: [`WarpFiles`].
    pub files: [Value; 3],
    /// Whether every instruction so far can be part of such code.
    possible: bool,
    /// Where the code goes if a warp does not follow the path; `None` in the function that relies on it.
    leave: Option<Block>,
    /// The address, for this warp, of the first access's [`PathContext::addresses`].
    addresses: Value,
}

/// The offset of a field in the context.
macro_rules! field {
    ($($path:tt)+) => { offset_of!(PathContext, $($path)+) as i32 };
}

/// Returns `None` if the path has instructions that code can't execute itself, or addresses that do not follow from the
/// first lane's.
pub fn translate(path: &KernelPath, isa: &dyn TargetIsa) -> Option<TranslatedPath> {
    let (probe, accesses) = function(path, isa, true)?;
    let (perform, _) = function(path, isa, false)?;
    Some(TranslatedPath { probe, perform, accesses })
}

fn function(path: &KernelPath, isa: &dyn TargetIsa, probes: bool) -> Option<(Function, Vec<InlineAccess>)> {
    let (mut function, mut builder_context) = (Function::new(), FunctionBuilderContext::new());
    let mut emit = Translator::new(&path.region, &mut function, &mut builder_context, isa);
    let [header, body, done] = std::array::from_fn(|_| emit.b.create_block());
    let number = emit.b.declare_var(I64);
    let zero = emit.b.ins().iconst(I64, 0);
    emit.b.def_var(number, zero);
    let warps = emit.b.ins().uload32(constant_flags(), emit.context, field!(warps));
    emit.b.ins().jump(header, &[]);

    emit.b.switch_to_block(header);
    let warp = emit.b.use_var(number);
    let more = emit.b.ins().icmp(IntCC::UnsignedLessThan, warp, warps);
    emit.b.ins().brif(more, body, &[], done, &[]);

    emit.b.switch_to_block(body);
    emit.begin_warp(warp, probes.then_some(done));
    emit.follow(path);
    let next = emit.b.ins().iadd_imm(warp, 1);
    emit.b.def_var(number, next);
    emit.b.ins().jump(header, &[]);

    emit.b.switch_to_block(done);
    let warp = emit.b.use_var(number);
    let warp = emit.b.ins().ireduce(I32, warp);
    emit.b.ins().return_(&[warp]);
    emit.b.seal_all_blocks();
    let possible = emit.is_possible();
    let accesses = emit.description.accesses;
    emit.b.finalize();
    possible.then_some((function, accesses))
}

impl Translator<'_, '_> {
    /// Loads what belongs to a warp, by its index in the block.
    fn begin_warp(&mut self, warp: Value, leave: Option<Block>) {
        let files = self.b.ins().load(I64, constant_flags(), self.context, field!(files));
        let offset = self.b.ins().imul_imm(warp, size_of::<WarpFiles>() as i64);
        let its = self.b.ins().iadd(files, offset);
        let files =
            [offset_of!(WarpFiles, r32), offset_of!(WarpFiles, r64), offset_of!(WarpFiles, predicates)]
                .map(|at| self.b.ins().load(I64, mutable_flags(), its, at as i32));
        let addresses = self.b.ins().load(I64, constant_flags(), self.context, field!(addresses));
        let offset = self.b.ins().ishl_imm(warp, 3);
        let addresses = self.b.ins().iadd(addresses, offset);
        self.on_path = Some(OnPath { files, possible: true, leave, addresses });
        self.enter();
        self.state = self.state_at_start(0);
    }

    /// Translates the instructions of a path.
    fn follow(&mut self, path: &KernelPath) {
        let blocks = &path.region.blocks;
        for (n, block) in blocks.iter().enumerate() {
            let next = blocks.get(n + 1).map_or(path.end, |next| next.range.start);
            for number in block.range.clone().take_while(|&number| number != path.end) {
                self.step(number, path.region.instruction(number), next);
                if !self.is_possible() {
                    return;
                }
            }
        }
    }

    fn step(&mut self, number: u32, instruction: &Instruction, next: u32) {
        match &instruction.operation {
            Operation::Nothing => {}
            Operation::Arithmetic(its) => self.arithmetic(number, its),
            Operation::BlockIndex { to, axis } => {
                self.block_index(*to, field!(block_index) + 4 * *axis as i32);
            }
            Operation::Load(access) => self.load_on_path(number, access),
            Operation::Store(access) => self.store_on_path(number, access),
            Operation::Branch(to) => self.branch_on_path(*to == next, instruction.guard),
            Operation::Interpreted | Operation::Other { .. } => self.impossible(),
        }
    }

    /// Leaves the path unless all lanes take a branch, or none does.
    fn branch_on_path(&mut self, taken: bool, guard: Option<(Register, bool)>) {
        let Some((predicate, negated)) = guard else { return };
        match self.location(predicate) {
            ValueLocation::Scalar(value, _) => {
                let other = if taken != negated { IntCC::Equal } else { IntCC::NotEqual };
                let other = self.b.ins().icmp_imm(other, value, 0);
                self.leave_path_if(other);
            }
            ValueLocation::Constant(bits) if (bits & 1 != 0) == (taken != negated) => {}
            _ => self.impossible(),
        }
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

    /// Leaves the path if a condition holds; in the function that relies on it, the condition never does.
    pub fn leave_path_if(&mut self, condition: Value) {
        if let Some(leave) = self.on_path.as_ref().and_then(|on_path| on_path.leave) {
            self.jump_if(condition, leave);
        }
    }

    /// Prepares an access of the path. Returns the lanes' offsets, and the host address of the first one where the access
    /// is to be made; `None` where it is not.
    fn access_on_path(
        &mut self,
        number: u32,
        access: &Access,
        stores: bool,
    ) -> Option<(Arc<Lanes64>, Value)> {
        let offsets = lane_values::offsets(&self.lane_values(access.base));
        let offsets = offsets.filter(|_| lane_values::is_of_words(access) && !access.shared);
        let shape = offsets.as_ref().map(|offsets| AccessShape::of(offsets, FULL, access.bytes()));
        let regular = shape.filter(|its| its.regular && its.stretches.is_some() && !(stores && its.overlaps));
        let (Some(offsets), Some(_)) = (offsets, regular) else {
            self.impossible();
            return None;
        };
        let on_path = self.on_path.as_ref()?;
        let (probes, addresses) = (on_path.leave.is_some(), on_path.addresses);
        let at = (self.description.accesses.len() * MAX_WARPS * 8) as i32;
        self.description.accesses.push(InlineAccess { number, mask: FULL, offsets: offsets.clone() });
        if !probes {
            let start = self.b.ins().load(I64, mutable_flags(), addresses, at);
            return Some((offsets, start));
        }
        let base = self.first_lane(access.base, File::R64);
        let first = self.b.ins().iadd_imm(base, access.offset);
        self.b.ins().store(mutable_flags(), first, addresses, at);
        None
    }

    fn load_on_path(&mut self, number: u32, access: &Access) {
        let prepared = self.access_on_path(number, access, false);
        if !self.is_possible() {
            return;
        }
        for (n, register) in access.elements.iter().flatten().filter_map(register_of).enumerate() {
            let parts = match &prepared {
                Some((offsets, start)) => self.words(*start, (offsets, FULL), 4 * n as i64),
                None => vec![self.vector_constant(File::R32, &[0; 4]); LANES / 4],
            };
            self.put(register, ValueLocation::Vector(Lanes { parts, raw: false }, true));
        }
    }

    fn store_on_path(&mut self, number: u32, access: &Access) {
        let Some((offsets, start)) = self.access_on_path(number, access, true) else { return };
        let elements: Vec<Operand> = access.elements.iter().flatten().copied().collect();
        for (n, element) in elements.into_iter().enumerate() {
            let lanes = self.lanes(element, File::R32);
            self.store_words(start, (&offsets, FULL), 4 * n as i64, &lanes);
        }
    }
}
