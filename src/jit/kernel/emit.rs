//! Translates a region to a Cranelift function: basic blocks, exits, and where the values of registers are.

use super::lane_values::{self, RegisterFacts};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{
    AbiParam, Block, Function, InstBuilder, MemFlags, SigRef, Signature, Type, Value,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use sim::kernel_code::{
    AccessesByKind, Exit, File, InlineAccess, Instruction, Interpreted, KernelContext, KernelRegion, LANES,
    LaneValues, Lanes64, Operand, Operation, Register, Scalar,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::offset_of;
use std::sync::Arc;

/// A translated region: the function, and the descriptions that the interpreter needs.
pub struct TranslatedRegion {
    pub function: Function,
    pub exits: Vec<Exit>,
    pub interpreted: Vec<Interpreted>,
    pub accesses: Vec<InlineAccess>,
    /// Constant tables that the code reads at their addresses; they must live as long as the code.
    pub tables: Vec<Box<[u8]>>,
}

/// Where a register's value is, at a point within a basic block.
#[derive(Clone, Debug)]
pub enum ValueLocation {
    /// The same constant in every lane.
    Constant(u64),
    /// The first lane's value, and the lanes' offsets from it. For a predicate: 1 or 0 for all lanes.
    Scalar(Value, Arc<Lanes64>),
    /// All lanes: four of 32 bits per vector, or two of 64 bits; and whether the register in memory is stale.
    Vector(Lanes, bool),
    /// A mask with one bit per lane; and whether the register in memory is stale.
    Mask(Value, bool),
    /// Only in the warp's register, in memory.
    Memory,
}

/// The values of all lanes of a register, in vectors.
#[derive(Clone, Debug)]
pub struct Lanes {
    pub parts: Vec<Value>,
    /// Whether they are results of floating-point arithmetic in which a NaN may still have any bits.
    pub raw: bool,
}

/// Returns the number of lanes in a vector of 16 bytes.
pub fn lanes_of_part(file: File) -> usize {
    if file == File::R64 { 2 } else { 4 }
}

pub fn vector_type(file: File) -> Type {
    if file == File::R64 { I64X2 } else { I32X4 }
}

fn scalar_type(file: File) -> Type {
    match file {
        File::R32 => I32,
        File::R64 => I64,
        File::Pred => I8,
    }
}

/// Flags for memory that is changed only by the code and by the functions that it calls.
pub fn mutable_flags() -> MemFlags {
    MemFlags::new().with_notrap()
}

/// Flags for memory that never changes while code runs.
pub fn constant_flags() -> MemFlags {
    MemFlags::trusted().with_readonly().with_can_move()
}

/// A Cranelift function under construction.
pub struct Translator<'r, 'f> {
    pub b: FunctionBuilder<'f>,
    pub region: &'r KernelRegion,
    pub context: Value,
    /// What is known about registers at the start of each block.
    facts_at_start: Vec<RegisterFacts>,
    /// By the number of a block's first instruction: the block's index in the region, and its Cranelift block.
    blocks: HashMap<u32, (usize, Block)>,
    /// Where the values of registers are at the current point.
    state: BTreeMap<Register, ValueLocation>,
    /// Registers that the region writes; in all others the warp's registers stay valid.
    written: BTreeSet<Register>,
    /// Scalars that are passed from block to block.
    variables: HashMap<Register, Variable>,
    /// Exits whose code has yet to be emitted: the block, the exit's index, and where the values of registers are
    /// there.
    pending_exits: Vec<(Block, usize, BTreeMap<Register, ValueLocation>)>,
    exits: Vec<Exit>,
    interpreted: Vec<Interpreted>,
    pub accesses: Vec<InlineAccess>,
    /// How many of them, by kind, are in the basic block being translated.
    pub made: AccessesByKind,
    pub tables: Vec<Box<[u8]>>,
    interpret: SigRef,
    pub check: SigRef,
    pub check_write: SigRef,
    pub note_line: SigRef,
    /// Index in the region of the block being translated.
    place: usize,
}

/// The offset of a field in the context.
macro_rules! field {
    ($($path:tt)+) => { offset_of!(KernelContext, $($path)+) as i32 };
}
pub(super) use field;

/// Translates a region.
pub fn translate(region: &KernelRegion, isa: &dyn TargetIsa) -> TranslatedRegion {
    let signature = |params: &[Type], returns: &[Type]| {
        let mut signature = Signature::new(isa.default_call_conv());
        signature.params.extend(params.iter().map(|&kind| AbiParam::new(kind)));
        signature.returns.extend(returns.iter().map(|&kind| AbiParam::new(kind)));
        signature
    };
    let mut function = Function::new();
    function.signature = signature(&[I64], &[I32]);
    let mut builder_context = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut builder_context);
    let interpret = b.import_signature(signature(&[I64, I32], &[I32]));
    let check = b.import_signature(signature(&[I64, I32, I64], &[]));
    let check_write = b.import_signature(signature(&[I64, I32, I64], &[I32]));
    let note_line = b.import_signature(signature(&[I64, I64, I64, I64], &[]));
    let start = b.create_block();
    b.append_block_params_for_function_params(start);
    b.switch_to_block(start);
    b.seal_block(start);
    let context = b.block_params(start)[0];
    let mut emit = Translator {
        b,
        region,
        context,
        facts_at_start: lane_values::analyse(region),
        blocks: HashMap::new(),
        state: BTreeMap::new(),
        written: written(region),
        variables: HashMap::new(),
        pending_exits: Vec::new(),
        exits: Vec::new(),
        interpreted: Vec::new(),
        accesses: Vec::new(),
        made: [0; 4],
        tables: Vec::new(),
        interpret,
        check,
        check_write,
        note_line,
        place: 0,
    };
    for (n, block) in region.blocks.iter().enumerate() {
        let cranelift_block = emit.b.create_block();
        emit.blocks.insert(block.range.start, (n, cranelift_block));
    }
    emit.enter();
    for n in 0..region.blocks.len() {
        emit.block(n);
    }
    while let Some((block, exit, state)) = emit.pending_exits.pop() {
        emit.emit_exit(block, exit, &state);
    }
    emit.b.seal_all_blocks();
    let (exits, interpreted) = (emit.exits, emit.interpreted);
    let (accesses, tables) = (emit.accesses, emit.tables);
    emit.b.finalize();
    TranslatedRegion { function, exits, interpreted, accesses, tables }
}

fn written(region: &KernelRegion) -> BTreeSet<Register> {
    let numbers = region.blocks.iter().flat_map(|block| block.range.clone());
    numbers.flat_map(|number| &region.instruction(number).writes).copied().collect()
}

impl Translator<'_, '_> {
    /// Loads the registers that are represented by scalars, and jumps to the first block.
    fn enter(&mut self) {
        for (register, lane_values) in self.facts_at_start[0].clone() {
            if matches!(lane_values, LaneValues::Offsets(_)) && register.file != File::Pred {
                let value = self.load_lane(register, 0);
                self.define(register, value);
            }
        }
        let (_, first) = self.blocks[&self.region.blocks[0].range.start];
        self.b.ins().jump(first, &[]);
    }

    fn define(&mut self, register: Register, value: Value) {
        let kind = scalar_type(register.file);
        let variable = *self.variables.entry(register).or_insert_with(|| self.b.declare_var(kind));
        self.b.def_var(variable, value);
    }

    fn block(&mut self, n: usize) {
        let region = self.region;
        let block = &region.blocks[n];
        let (_, entry) = self.blocks[&block.range.start];
        self.place = n;
        // What the entry counts is known only after the body is translated.
        let body = self.b.create_block();
        self.b.switch_to_block(body);
        self.state = self.state_at_start(n);
        self.made = [0; 4];
        let mut ended = false;
        for number in block.range.clone() {
            ended = self.instruction(number, region.instruction(number));
            if ended {
                break;
            }
        }
        if !ended {
            self.go(block.range.end);
        }
        self.b.switch_to_block(entry);
        self.state = self.state_at_start(n);
        self.count_block_entry(n);
        self.b.ins().jump(body, &[]);
    }

    /// Returns where the values of registers are at the start of a block of the region.
    fn state_at_start(&mut self, n: usize) -> BTreeMap<Register, ValueLocation> {
        let mut state = BTreeMap::new();
        for &register in self.region.blocks[n].live[0].iter() {
            let Some(lane_values) = self.facts_at_start[n].get(&register).cloned() else { continue };
            let location = match lane_values {
                LaneValues::Constant(bits) => ValueLocation::Constant(bits),
                LaneValues::Offsets(offsets) => {
                    let kind = scalar_type(register.file);
                    let variable =
                        *self.variables.entry(register).or_insert_with(|| self.b.declare_var(kind));
                    ValueLocation::Scalar(self.b.use_var(variable), offsets)
                }
                LaneValues::Varying => ValueLocation::Memory,
            };
            state.insert(register, location);
        }
        state
    }

    /// Counts the entry into a block; exits if the block would exceed the limit of steps.
    fn count_block_entry(&mut self, n: usize) {
        let block = &self.region.blocks[n];
        let more = [u64::from(block.range.end - block.range.start), block.cycles];
        let sums = self.sum(self.context, field!(steps_and_cycles), File::R64, &more);
        let steps = self.b.ins().extractlane(sums, 0);
        let limit = self.b.ins().load(I64, constant_flags(), self.context, field!(limit));
        let over = self.b.ins().icmp(IntCC::UnsignedGreaterThan, steps, limit);
        self.exit_if(over, block.range.start, false);
        self.b.ins().store(mutable_flags(), sums, self.context, field!(steps_and_cycles));
        let executed = self.b.ins().load(I64, constant_flags(), self.context, field!(executed));
        let at = block.number as i32 * 16;
        let sums = self.sum(executed, at, File::R64, &[1, LANES as u64]);
        self.b.ins().store(mutable_flags(), sums, executed, at);
        if self.made != [0; 4] {
            let made = self.made.map(u64::from);
            let sums = self.sum(self.context, field!(made), File::R32, &made);
            self.b.ins().store(mutable_flags(), sums, self.context, field!(made));
        }
        let runs = self.b.ins().load(I64, constant_flags(), self.context, field!(runs));
        self.increase(runs, n as i32 * 8, 1);
    }

    /// Returns the sums of the values of a vector in memory and of constants.
    fn sum(&mut self, base: Value, offset: i32, file: File, more: &[u64]) -> Value {
        let counts = self.b.ins().load(vector_type(file), mutable_flags(), base, offset);
        let more = self.vector_constant(file, more);
        self.b.ins().iadd(counts, more)
    }

    /// Adds to a count in memory.
    pub fn increase(&mut self, base: Value, offset: i32, by: i64) {
        let count = self.b.ins().load(I64, mutable_flags(), base, offset);
        let count = self.b.ins().iadd_imm(count, by);
        self.b.ins().store(mutable_flags(), count, base, offset);
    }

    /// Translates an instruction. Returns whether control never reaches the next one from here.
    fn instruction(&mut self, number: u32, instruction: &Instruction) -> bool {
        match &instruction.operation {
            Operation::Nothing => {}
            Operation::Arithmetic(its) => self.arithmetic(number, its),
            Operation::BlockIndex { to, axis } => {
                let at = field!(block_index) + 4 * *axis as i32;
                let value = self.b.ins().load(I32, constant_flags(), self.context, at);
                self.put(*to, ValueLocation::Scalar(value, Arc::new([0; LANES])));
            }
            Operation::Load(access) => self.load(number, access),
            Operation::Store(access) => self.store(number, access),
            Operation::Interpreted => self.interpret(number),
            Operation::Other { .. } => {
                let exit = self.exit(number, true);
                self.b.ins().jump(exit, &[]);
                return true;
            }
            Operation::Branch(to) => {
                self.branch(number, *to, instruction.guard);
                return true;
            }
        }
        false
    }

    fn branch(&mut self, number: u32, to: u32, guard: Option<(Register, bool)>) {
        let Some((predicate, negated)) = guard else {
            return self.go(to);
        };
        let taken = match self.location(predicate) {
            ValueLocation::Scalar(value, _) => value,
            _ => {
                let mask = self.mask(predicate);
                let all = self.b.ins().icmp_imm(IntCC::Equal, mask, -1);
                let none = self.b.ins().icmp_imm(IntCC::Equal, mask, 0);
                let alike = self.b.ins().bor(all, none);
                let parts = self.b.ins().bxor_imm(alike, 1);
                self.exit_if(parts, number, true);
                all
            }
        };
        let last_branch = self.b.ins().iconst(I32, i64::from(number));
        self.b.ins().store(mutable_flags(), last_branch, self.context, field!(last_branch));
        let (far, near) = (self.target(to), self.target(number + 1));
        let (then, otherwise) = if negated { (near, far) } else { (far, near) };
        self.b.ins().brif(taken, then, &[], otherwise, &[]);
    }

    /// Jumps to an instruction that begins a block, or exits.
    fn go(&mut self, to: u32) {
        let block = self.target(to);
        self.b.ins().jump(block, &[]);
    }

    /// Returns the block to jump to for an instruction that begins a block, and puts the values of live registers
    /// where that block expects them. If the region has no block there, returns an exit.
    fn target(&mut self, to: u32) -> Block {
        let Some(&(n, block)) = self.blocks.get(&to) else { return self.exit(to, false) };
        let live = self.region.blocks[n].live[0].clone();
        for &register in live.iter() {
            match self.facts_at_start[n].get(&register) {
                Some(LaneValues::Offsets(_)) => {
                    let value = self.scalar(register);
                    self.define(register, value);
                }
                Some(LaneValues::Constant(_)) => {}
                _ => self.spill(register),
            }
        }
        block
    }

    /// Returns a block that exits to the interpreter before an instruction. `block_counted`: the instruction's basic
    /// block has been counted already.
    fn exit(&mut self, number: u32, block_counted: bool) -> Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        self.exits.push(Exit { number, block_counted, scalars: Vec::new() });
        let left = self.live(number);
        let left = left.iter().filter_map(|register| Some((*register, self.state.get(register)?.clone())));
        self.pending_exits.push((block, self.exits.len() - 1, left.collect()));
        block
    }

    /// Leaves the instruction to the interpreter if a condition holds. Nothing of the instruction may have been
    /// done yet.
    pub fn exit_if(&mut self, condition: Value, number: u32, block_counted: bool) {
        let (exit, on) = (self.exit(number, block_counted), self.b.create_block());
        self.b.ins().brif(condition, exit, &[], on, &[]);
        self.b.switch_to_block(on);
    }

    /// Returns the registers live before an instruction; for an instruction outside the region, every register
    /// that is written somewhere.
    fn live(&self, number: u32) -> Arc<[Register]> {
        let place = self.region.blocks.iter().position(|block| block.range.contains(&number));
        match place {
            Some(n) => {
                let block = &self.region.blocks[n];
                block.live[(number - block.range.start) as usize].clone()
            }
            None => self.everything(),
        }
    }

    /// Returns every register that the kernel writes somewhere.
    fn everything(&self) -> Arc<[Register]> {
        let mut all: Vec<Register> =
            self.region.instructions.iter().flat_map(|its| &its.writes).copied().collect();
        all.sort_unstable();
        all.dedup();
        all.into()
    }

    /// Emits the code of an exit.
    fn emit_exit(&mut self, block: Block, exit: usize, state: &BTreeMap<Register, ValueLocation>) {
        self.b.switch_to_block(block);
        let live = self.live(self.exits[exit].number);
        let scalars = self.save_for_interpreter(&live, state);
        self.exits[exit].scalars = scalars;
        let number = self.b.ins().iconst(I32, exit as i64);
        self.b.ins().return_(&[number]);
    }

    /// Makes the values of registers available to the interpreter. Vectors are written to the warp's registers.
    /// Other values are stored in [`KernelContext::scalars`], and the registers to be reconstructed from them are
    /// returned.
    fn save_for_interpreter(
        &mut self,
        registers: &[Register],
        state: &BTreeMap<Register, ValueLocation>,
    ) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        let mut base = None;
        for &register in registers {
            let (value, offsets) = match state.get(&register) {
                None
                | Some(
                    ValueLocation::Memory | ValueLocation::Vector(_, false) | ValueLocation::Mask(_, false),
                ) => continue,
                Some(ValueLocation::Vector(lanes, true)) => {
                    let lanes = self.canonicalise_nans(lanes.clone());
                    self.store_lanes(register, &lanes);
                    continue;
                }
                Some(ValueLocation::Constant(_) | ValueLocation::Scalar(..))
                    if !self.written.contains(&register) =>
                {
                    continue;
                }
                Some(ValueLocation::Mask(value, true)) => (*value, None),
                Some(ValueLocation::Constant(bits)) => {
                    (self.b.ins().iconst(I64, *bits as i64), Some(Arc::new([0; LANES])))
                }
                Some(ValueLocation::Scalar(value, _)) if register.file == File::Pred => {
                    (self.predicate_to_mask(*value), None)
                }
                Some(ValueLocation::Scalar(value, offsets)) => (*value, Some(offsets.clone())),
            };
            let value = match self.b.func.dfg.value_type(value) {
                I64 => value,
                _ => self.b.ins().uextend(I64, value),
            };
            let base = *base.get_or_insert_with(|| {
                self.b.ins().load(I64, constant_flags(), self.context, field!(scalars))
            });
            self.b.ins().store(mutable_flags(), value, base, scalars.len() as i32 * 8);
            scalars.push(Scalar { register, offsets });
        }
        scalars
    }

    /// Expands a predicate that is the same in all lanes to a mask.
    fn predicate_to_mask(&mut self, predicate: Value) -> Value {
        let wide = self.b.ins().uextend(I32, predicate);
        self.b.ins().ineg(wide)
    }

    /// Has the interpreter execute an instruction, whose results are then in the warp's registers. Exits after it
    /// if the interpreter says so.
    pub fn interpret(&mut self, number: u32) {
        let state = self.state.clone();
        let reads = &self.region.instruction(number).reads;
        let done = self.call_interpreter(number, reads, &state);
        for register in reads {
            if let Some(ValueLocation::Vector(_, stale) | ValueLocation::Mask(_, stale)) =
                self.state.get_mut(register)
            {
                *stale = false;
            }
        }
        for &register in &self.region.instruction(number).writes {
            self.state.insert(register, ValueLocation::Memory);
        }
        self.exit_after(number, done);
    }

    /// Calls the interpreter to execute an instruction, with the registers that it reads. Returns a value that is
    /// not 0 if code must exit after the instruction.
    pub fn call_interpreter(
        &mut self,
        number: u32,
        reads: &[Register],
        state: &BTreeMap<Register, ValueLocation>,
    ) -> Value {
        let scalars = self.save_for_interpreter(reads, state);
        self.interpreted.push(Interpreted { number, scalars });
        let n = self.b.ins().iconst(I32, self.interpreted.len() as i64 - 1);
        let function = self.b.ins().load(I64, constant_flags(), self.context, field!(interpret));
        let call = self.b.ins().call_indirect(self.interpret, function, &[self.context, n]);
        self.b.inst_results(call)[0]
    }

    /// Exits after an instruction that the interpreter executed, if `done` is not 0.
    pub fn exit_after(&mut self, number: u32, done: Value) {
        let next = number + 1;
        let block_counted = self.region.blocks[self.place].range.contains(&next);
        self.exit_if(done, next, block_counted);
    }

    pub fn state(&self) -> &BTreeMap<Register, ValueLocation> {
        &self.state
    }

    pub fn set_state(&mut self, state: BTreeMap<Register, ValueLocation>) {
        self.state = state;
    }

    pub fn put(&mut self, register: Register, location: ValueLocation) {
        self.state.insert(register, location);
    }

    pub fn location(&self, register: Register) -> ValueLocation {
        self.state.get(&register).cloned().unwrap_or(ValueLocation::Memory)
    }

    pub fn operand_location(&self, operand: Operand) -> ValueLocation {
        match operand {
            Operand::Constant(bits) => ValueLocation::Constant(bits),
            Operand::Register(register) => self.location(register),
        }
    }

    /// Returns what is known about an operand.
    pub fn lane_values(&self, operand: Operand) -> LaneValues {
        match self.operand_location(operand) {
            ValueLocation::Constant(bits) => LaneValues::Constant(bits),
            ValueLocation::Scalar(_, offsets) => LaneValues::Offsets(offsets),
            ValueLocation::Vector(..) | ValueLocation::Mask(..) | ValueLocation::Memory => {
                LaneValues::Varying
            }
        }
    }

    /// Returns the first lane's value of a register.
    fn scalar(&mut self, register: Register) -> Value {
        match self.location(register) {
            ValueLocation::Scalar(value, _) => value,
            ValueLocation::Constant(bits) => self.b.ins().iconst(scalar_type(register.file), bits as i64),
            ValueLocation::Vector(lanes, _) => {
                let lanes = self.canonicalise_nans(lanes);
                match register.file {
                    File::R64 => self.b.ins().extractlane(lanes.parts[0], 0),
                    _ => self.lane_of(&lanes, 0),
                }
            }
            ValueLocation::Memory if register.file != File::Pred => self.load_lane(register, 0),
            ValueLocation::Mask(..) | ValueLocation::Memory => {
                let mask = self.mask(register);
                let first = self.b.ins().band_imm(mask, 1);
                self.b.ins().ireduce(I8, first)
            }
        }
    }

    /// Writes a register's value to the warp's registers, unless it is there already.
    fn spill(&mut self, register: Register) {
        match self.location(register) {
            ValueLocation::Memory | ValueLocation::Vector(_, false) | ValueLocation::Mask(_, false) => {}
            ValueLocation::Constant(_) | ValueLocation::Scalar(..) if !self.written.contains(&register) => {}
            ValueLocation::Mask(value, true) => {
                let base = self.b.ins().load(I64, constant_flags(), self.context, field!(predicates));
                self.b.ins().store(mutable_flags(), value, base, register.slot as i32 * 4);
                self.put(register, ValueLocation::Mask(value, false));
            }
            ValueLocation::Scalar(..) | ValueLocation::Constant(_) if register.file == File::Pred => {
                let mask = self.mask(register);
                let base = self.b.ins().load(I64, constant_flags(), self.context, field!(predicates));
                self.b.ins().store(mutable_flags(), mask, base, register.slot as i32 * 4);
            }
            ValueLocation::Vector(lanes, true) => {
                let lanes = self.canonicalise_nans(lanes);
                self.store_lanes(register, &lanes);
                self.put(register, ValueLocation::Vector(lanes, false));
            }
            ValueLocation::Constant(_) | ValueLocation::Scalar(..) => {
                let lanes = self.lanes(Operand::Register(register), register.file);
                self.store_lanes(register, &lanes);
            }
        }
    }

    /// Returns a predicate as a mask.
    pub fn mask(&mut self, predicate: Register) -> Value {
        match self.location(predicate) {
            ValueLocation::Mask(value, _) => value,
            ValueLocation::Scalar(value, _) => self.predicate_to_mask(value),
            ValueLocation::Constant(bits) => self.b.ins().iconst(I32, if bits & 1 != 0 { -1 } else { 0 }),
            ValueLocation::Vector(..) | ValueLocation::Memory => {
                let base = self.b.ins().load(I64, constant_flags(), self.context, field!(predicates));
                let value = self.b.ins().load(I32, mutable_flags(), base, predicate.slot as i32 * 4);
                self.put(predicate, ValueLocation::Mask(value, false));
                value
            }
        }
    }

    /// Returns the address of a register file.
    fn file(&mut self, file: File) -> Value {
        let at = if file == File::R64 { field!(r64) } else { field!(r32) };
        self.b.ins().load(I64, constant_flags(), self.context, at)
    }

    /// Loads one lane of a register from memory.
    pub fn load_lane(&mut self, register: Register, lane: usize) -> Value {
        let (base, kind) = (self.file(register.file), scalar_type(register.file));
        let bytes = kind.bytes() as i32;
        self.b.ins().load(
            kind,
            mutable_flags(),
            base,
            register.slot as i32 * LANES as i32 * bytes + lane as i32 * bytes,
        )
    }

    /// Loads all lanes of a register from memory.
    pub fn load_lanes(&mut self, register: Register) -> Lanes {
        let (base, kind) = (self.file(register.file), vector_type(register.file));
        let bytes = scalar_type(register.file).bytes() as i32;
        let start = register.slot as i32 * LANES as i32 * bytes;
        let parts = (0..LANES as i32 * bytes / 16)
            .map(|n| self.b.ins().load(kind, mutable_flags(), base, start + n * 16))
            .collect();
        Lanes { parts, raw: false }
    }

    fn store_lanes(&mut self, register: Register, lanes: &Lanes) {
        let base = self.file(register.file);
        let bytes = scalar_type(register.file).bytes() as i32;
        let start = register.slot as i32 * LANES as i32 * bytes;
        for (n, &part) in lanes.parts.iter().enumerate() {
            self.b.ins().store(mutable_flags(), part, base, start + n as i32 * 16);
        }
    }

    /// Returns all lanes of an operand, in which a NaN may have any bits.
    pub fn raw_lanes(&mut self, operand: Operand, file: File) -> Lanes {
        let (value, offsets) = match self.operand_location(operand) {
            ValueLocation::Vector(lanes, _) => return lanes,
            ValueLocation::Constant(bits) => {
                (self.b.ins().iconst(scalar_type(file), bits as i64), Arc::new([0; LANES]))
            }
            ValueLocation::Scalar(value, offsets) => (value, offsets),
            ValueLocation::Memory | ValueLocation::Mask(..) => {
                let Operand::Register(register) = operand else { unreachable!("a constant is no register") };
                let lanes = self.load_lanes(register);
                self.put(register, ValueLocation::Vector(lanes.clone(), false));
                return lanes;
            }
        };
        let kind = vector_type(file);
        let splat = self.b.ins().splat(kind, value);
        let each = lanes_of_part(file);
        let part = |emit: &mut Self, n: usize| {
            let offsets = &offsets[n * each..(n + 1) * each];
            if offsets.iter().all(|&offset| offset == 0) {
                return splat;
            }
            let offsets = emit.vector_constant(file, offsets);
            emit.b.ins().iadd(splat, offsets)
        };
        Lanes { parts: (0..LANES / each).map(|n| part(self, n)).collect(), raw: false }
    }

    /// Returns all lanes of an operand, with canonical NaNs.
    pub fn lanes(&mut self, operand: Operand, file: File) -> Lanes {
        let lanes = self.raw_lanes(operand, file);
        if !lanes.raw {
            return lanes;
        }
        let lanes = self.canonicalise_nans(lanes);
        if let Operand::Register(register) = operand
            && let ValueLocation::Vector(_, stale) = self.location(register)
        {
            self.put(register, ValueLocation::Vector(lanes.clone(), stale));
        }
        lanes
    }

    /// Returns a constant vector with these lanes.
    pub fn vector_constant(&mut self, file: File, values: &[u64]) -> Value {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|&value| value.to_le_bytes()[..16 / lanes_of_part(file)].to_vec())
            .collect();
        let handle = self.b.func.dfg.constants.insert(bytes.into());
        self.b.ins().vconst(vector_type(file), handle)
    }
}
