//! Translates a region to a Cranelift function: basic blocks, exits, and where the values of registers are.

use super::holds::{self, Known};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{
    AbiParam, Block, Function, InstBuilder, MemFlags, SigRef, Signature, Type, Value,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use sim::kernel_code::{
    Exit, File, Holds, Instruction, Interpreted, KernelContext, KernelRegion, KnownAccess, LANES, Lanes64,
    Operand, Operation, Register, Scalar,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::offset_of;
use std::sync::Arc;

/// A translated region: the function, and the descriptions that the interpreter needs.
pub struct Made {
    pub function: Function,
    pub exits: Vec<Exit>,
    pub interpreted: Vec<Interpreted>,
    pub accesses: Vec<KnownAccess>,
    /// Constant tables that the code reads at their addresses; they must live as long as the code.
    pub tables: Vec<Box<[u8]>>,
}

/// Where a register's value is, at a point within a basic block.
#[derive(Clone, Debug)]
pub enum Held {
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
pub fn plain() -> MemFlags {
    MemFlags::new().with_notrap()
}

/// Flags for memory that never changes while code runs.
pub fn constant() -> MemFlags {
    MemFlags::trusted().with_readonly().with_can_move()
}

/// A Cranelift function under construction.
pub struct Emit<'r, 'f> {
    pub b: FunctionBuilder<'f>,
    pub region: &'r KernelRegion,
    pub context: Value,
    /// What is known about registers at the start of each block.
    begin: Vec<Known>,
    /// By the number of a block's first instruction: the block's index in the region, and its Cranelift block.
    blocks: HashMap<u32, (usize, Block)>,
    /// Where the values of registers are at the current point.
    state: BTreeMap<Register, Held>,
    /// Registers that the region writes; in all others the warp's registers stay valid.
    written: BTreeSet<Register>,
    /// Scalars that are passed from block to block.
    variables: HashMap<Register, Variable>,
    /// Exits whose code has yet to be emitted: the block, the exit's index, and where the values of registers are
    /// there.
    late: Vec<(Block, usize, BTreeMap<Register, Held>)>,
    exits: Vec<Exit>,
    interpreted: Vec<Interpreted>,
    pub accesses: Vec<KnownAccess>,
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
pub fn translate(region: &KernelRegion, isa: &dyn TargetIsa) -> Option<Made> {
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
    let mut emit = Emit {
        b,
        region,
        context,
        begin: holds::along(region),
        blocks: HashMap::new(),
        state: BTreeMap::new(),
        written: written(region),
        variables: HashMap::new(),
        late: Vec::new(),
        exits: Vec::new(),
        interpreted: Vec::new(),
        accesses: Vec::new(),
        tables: Vec::new(),
        interpret,
        check,
        check_write,
        note_line,
        place: 0,
    };
    for (n, block) in region.blocks.iter().enumerate() {
        let made = emit.b.create_block();
        emit.blocks.insert(block.range.start, (n, made));
    }
    emit.enter();
    for n in 0..region.blocks.len() {
        emit.block(n);
    }
    while let Some((block, exit, state)) = emit.late.pop() {
        emit.leave(block, exit, &state);
    }
    emit.b.seal_all_blocks();
    let (exits, interpreted) = (emit.exits, emit.interpreted);
    let (accesses, tables) = (emit.accesses, emit.tables);
    emit.b.finalize();
    Some(Made { function, exits, interpreted, accesses, tables })
}

fn written(region: &KernelRegion) -> BTreeSet<Register> {
    let numbers = region.blocks.iter().flat_map(|block| block.range.clone());
    numbers.flat_map(|number| &region.instruction(number).writes).copied().collect()
}

impl Emit<'_, '_> {
    /// Loads the registers that are represented by scalars, and jumps to the first block.
    fn enter(&mut self) {
        for (register, holds) in self.begin[0].clone() {
            if matches!(holds, Holds::Offsets(_)) && register.file != File::Pred {
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
        let (_, made) = self.blocks[&block.range.start];
        self.b.switch_to_block(made);
        self.place = n;
        self.state.clear();
        for &register in block.live[0].iter() {
            let Some(holds) = self.begin[n].get(&register).cloned() else { continue };
            let held = match holds {
                Holds::Constant(bits) => Held::Constant(bits),
                Holds::Offsets(offsets) => {
                    let kind = scalar_type(register.file);
                    let variable =
                        *self.variables.entry(register).or_insert_with(|| self.b.declare_var(kind));
                    Held::Scalar(self.b.use_var(variable), offsets)
                }
                Holds::Varying => Held::Memory,
            };
            self.state.insert(register, held);
        }
        self.account(n);
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
    }

    /// Counts the entry into a block; exits if the block would exceed the limit of steps.
    fn account(&mut self, n: usize) {
        let block = &self.region.blocks[n];
        let steps = self.b.ins().load(I64, plain(), self.context, field!(steps));
        let steps = self.b.ins().iadd_imm(steps, i64::from(block.range.end - block.range.start));
        let limit = self.b.ins().load(I64, constant(), self.context, field!(limit));
        let over = self.b.ins().icmp(IntCC::UnsignedGreaterThan, steps, limit);
        self.leave_if(over, block.range.start, false);
        self.b.ins().store(plain(), steps, self.context, field!(steps));
        let runs = self.b.ins().load(I64, constant(), self.context, field!(runs));
        self.increase(runs, n as i32 * 8, 1);
    }

    /// Adds to a count in memory.
    pub fn increase(&mut self, base: Value, offset: i32, by: i64) {
        let count = self.b.ins().load(I64, plain(), base, offset);
        let count = self.b.ins().iadd_imm(count, by);
        self.b.ins().store(plain(), count, base, offset);
    }

    /// Translates an instruction. Returns whether control never reaches the next one from here.
    fn instruction(&mut self, number: u32, instruction: &Instruction) -> bool {
        match &instruction.operation {
            Operation::Nothing => {}
            Operation::Arithmetic(its) => self.arithmetic(number, its),
            Operation::BlockIndex { to, axis } => {
                let at = field!(block_index) + 4 * *axis as i32;
                let value = self.b.ins().load(I32, constant(), self.context, at);
                self.put(*to, Held::Scalar(value, Arc::new([0; LANES])));
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
        let taken = match self.held(predicate) {
            Held::Scalar(value, _) => value,
            _ => {
                let mask = self.mask(predicate);
                let all = self.b.ins().icmp_imm(IntCC::Equal, mask, -1);
                let none = self.b.ins().icmp_imm(IntCC::Equal, mask, 0);
                let alike = self.b.ins().bor(all, none);
                let parts = self.b.ins().bxor_imm(alike, 1);
                self.leave_if(parts, number, true);
                all
            }
        };
        let turned = self.b.ins().iconst(I32, i64::from(number));
        self.b.ins().store(plain(), turned, self.context, field!(turned));
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
            match self.begin[n].get(&register) {
                Some(Holds::Offsets(_)) => {
                    let value = self.scalar(register);
                    self.define(register, value);
                }
                Some(Holds::Constant(_)) => {}
                _ => self.spill(register),
            }
        }
        block
    }

    /// Returns a block that exits to the interpreter before an instruction. `within`: the instruction's basic
    /// block has been counted already.
    fn exit(&mut self, number: u32, within: bool) -> Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        self.exits.push(Exit { number, within, scalars: Vec::new() });
        let left = self.live(number);
        let left = left.iter().filter_map(|register| Some((*register, self.state.get(register)?.clone())));
        self.late.push((block, self.exits.len() - 1, left.collect()));
        block
    }

    /// Leaves the instruction to the interpreter if a condition holds. Nothing of the instruction may have been
    /// done yet.
    pub fn leave_if(&mut self, condition: Value, number: u32, within: bool) {
        let (exit, on) = (self.exit(number, within), self.b.create_block());
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
    fn leave(&mut self, block: Block, exit: usize, state: &BTreeMap<Register, Held>) {
        self.b.switch_to_block(block);
        let live = self.live(self.exits[exit].number);
        let scalars = self.hand_over(&live, state);
        self.exits[exit].scalars = scalars;
        let number = self.b.ins().iconst(I32, exit as i64);
        self.b.ins().return_(&[number]);
    }

    /// Makes the values of registers available to the interpreter. Vectors are written to the warp's registers.
    /// Other values are stored in [`KernelContext::scalars`], and the registers to be reconstructed from them are
    /// returned.
    fn hand_over(&mut self, registers: &[Register], state: &BTreeMap<Register, Held>) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        let mut base = None;
        for &register in registers {
            let (value, offsets) = match state.get(&register) {
                None | Some(Held::Memory | Held::Vector(_, false) | Held::Mask(_, false)) => continue,
                Some(Held::Vector(lanes, true)) => {
                    let lanes = self.settled(lanes.clone());
                    self.store_lanes(register, &lanes);
                    continue;
                }
                Some(Held::Constant(_) | Held::Scalar(..)) if !self.written.contains(&register) => continue,
                Some(Held::Mask(value, true)) => (*value, None),
                Some(Held::Constant(bits)) => {
                    (self.b.ins().iconst(I64, *bits as i64), Some(Arc::new([0; LANES])))
                }
                Some(Held::Scalar(value, _)) if register.file == File::Pred => (self.spread(*value), None),
                Some(Held::Scalar(value, offsets)) => (*value, Some(offsets.clone())),
            };
            let value = match self.b.func.dfg.value_type(value) {
                I64 => value,
                _ => self.b.ins().uextend(I64, value),
            };
            let base = *base
                .get_or_insert_with(|| self.b.ins().load(I64, constant(), self.context, field!(scalars)));
            self.b.ins().store(plain(), value, base, scalars.len() as i32 * 8);
            scalars.push(Scalar { register, offsets });
        }
        scalars
    }

    /// Expands a predicate that is the same in all lanes to a mask.
    fn spread(&mut self, predicate: Value) -> Value {
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
            if let Some(Held::Vector(_, lacks) | Held::Mask(_, lacks)) = self.state.get_mut(register) {
                *lacks = false;
            }
        }
        for &register in &self.region.instruction(number).writes {
            self.state.insert(register, Held::Memory);
        }
        self.leave_behind(number, done);
    }

    /// Calls the interpreter to execute an instruction, with the registers that it reads. Returns a value that is
    /// not 0 if code must exit after the instruction.
    pub fn call_interpreter(
        &mut self,
        number: u32,
        reads: &[Register],
        state: &BTreeMap<Register, Held>,
    ) -> Value {
        let scalars = self.hand_over(reads, state);
        self.interpreted.push(Interpreted { number, scalars });
        let n = self.b.ins().iconst(I32, self.interpreted.len() as i64 - 1);
        let function = self.b.ins().load(I64, constant(), self.context, field!(interpret));
        let call = self.b.ins().call_indirect(self.interpret, function, &[self.context, n]);
        self.b.inst_results(call)[0]
    }

    /// Exits after an instruction that the interpreter executed, if `done` is not 0.
    pub fn leave_behind(&mut self, number: u32, done: Value) {
        let next = number + 1;
        let within = self.region.blocks[self.place].range.contains(&next);
        self.leave_if(done, next, within);
    }

    pub fn state(&self) -> &BTreeMap<Register, Held> {
        &self.state
    }

    pub fn set_state(&mut self, state: BTreeMap<Register, Held>) {
        self.state = state;
    }

    pub fn put(&mut self, register: Register, held: Held) {
        self.state.insert(register, held);
    }

    pub fn held(&self, register: Register) -> Held {
        self.state.get(&register).cloned().unwrap_or(Held::Memory)
    }

    pub fn held_operand(&self, operand: Operand) -> Held {
        match operand {
            Operand::Constant(bits) => Held::Constant(bits),
            Operand::Register(register) => self.held(register),
        }
    }

    /// Returns what is known about an operand.
    pub fn holds(&self, operand: Operand) -> Holds {
        match self.held_operand(operand) {
            Held::Constant(bits) => Holds::Constant(bits),
            Held::Scalar(_, offsets) => Holds::Offsets(offsets),
            Held::Vector(..) | Held::Mask(..) | Held::Memory => Holds::Varying,
        }
    }

    /// Returns the first lane's value of a register.
    fn scalar(&mut self, register: Register) -> Value {
        match self.held(register) {
            Held::Scalar(value, _) => value,
            Held::Constant(bits) => self.b.ins().iconst(scalar_type(register.file), bits as i64),
            Held::Vector(lanes, _) => {
                let lanes = self.settled(lanes);
                match register.file {
                    File::R64 => self.b.ins().extractlane(lanes.parts[0], 0),
                    _ => self.lane_of(&lanes, 0),
                }
            }
            Held::Memory if register.file != File::Pred => self.load_lane(register, 0),
            Held::Mask(..) | Held::Memory => {
                let mask = self.mask(register);
                let first = self.b.ins().band_imm(mask, 1);
                self.b.ins().ireduce(I8, first)
            }
        }
    }

    /// Writes a register's value to the warp's registers, unless it is there already.
    fn spill(&mut self, register: Register) {
        match self.held(register) {
            Held::Memory | Held::Vector(_, false) | Held::Mask(_, false) => {}
            Held::Constant(_) | Held::Scalar(..) if !self.written.contains(&register) => {}
            Held::Mask(value, true) => {
                let base = self.b.ins().load(I64, constant(), self.context, field!(predicates));
                self.b.ins().store(plain(), value, base, register.slot as i32 * 4);
                self.put(register, Held::Mask(value, false));
            }
            Held::Scalar(..) | Held::Constant(_) if register.file == File::Pred => {
                let mask = self.mask(register);
                let base = self.b.ins().load(I64, constant(), self.context, field!(predicates));
                self.b.ins().store(plain(), mask, base, register.slot as i32 * 4);
            }
            Held::Vector(lanes, true) => {
                let lanes = self.settled(lanes);
                self.store_lanes(register, &lanes);
                self.put(register, Held::Vector(lanes, false));
            }
            Held::Constant(_) | Held::Scalar(..) => {
                let lanes = self.lanes(Operand::Register(register), register.file);
                self.store_lanes(register, &lanes);
            }
        }
    }

    /// Returns a predicate as a mask.
    pub fn mask(&mut self, predicate: Register) -> Value {
        match self.held(predicate) {
            Held::Mask(value, _) => value,
            Held::Scalar(value, _) => self.spread(value),
            Held::Constant(bits) => self.b.ins().iconst(I32, if bits & 1 != 0 { -1 } else { 0 }),
            Held::Vector(..) | Held::Memory => {
                let base = self.b.ins().load(I64, constant(), self.context, field!(predicates));
                let value = self.b.ins().load(I32, plain(), base, predicate.slot as i32 * 4);
                self.put(predicate, Held::Mask(value, false));
                value
            }
        }
    }

    /// Returns the address of a register file.
    fn file(&mut self, file: File) -> Value {
        let at = if file == File::R64 { field!(r64) } else { field!(r32) };
        self.b.ins().load(I64, constant(), self.context, at)
    }

    /// Loads one lane of a register from memory.
    pub fn load_lane(&mut self, register: Register, lane: usize) -> Value {
        let (base, kind) = (self.file(register.file), scalar_type(register.file));
        let bytes = kind.bytes() as i32;
        self.b.ins().load(
            kind,
            plain(),
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
            .map(|n| self.b.ins().load(kind, plain(), base, start + n * 16))
            .collect();
        Lanes { parts, raw: false }
    }

    fn store_lanes(&mut self, register: Register, lanes: &Lanes) {
        let base = self.file(register.file);
        let bytes = scalar_type(register.file).bytes() as i32;
        let start = register.slot as i32 * LANES as i32 * bytes;
        for (n, &part) in lanes.parts.iter().enumerate() {
            self.b.ins().store(plain(), part, base, start + n as i32 * 16);
        }
    }

    /// Returns all lanes of an operand, in which a NaN may have any bits.
    pub fn raw_lanes(&mut self, operand: Operand, file: File) -> Lanes {
        let (value, offsets) = match self.held_operand(operand) {
            Held::Vector(lanes, _) => return lanes,
            Held::Constant(bits) => {
                (self.b.ins().iconst(scalar_type(file), bits as i64), Arc::new([0; LANES]))
            }
            Held::Scalar(value, offsets) => (value, offsets),
            Held::Memory | Held::Mask(..) => {
                let Operand::Register(register) = operand else { unreachable!("a constant is no register") };
                let lanes = self.load_lanes(register);
                self.put(register, Held::Vector(lanes.clone(), false));
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
        let lanes = self.settled(lanes);
        if let Operand::Register(register) = operand
            && let Held::Vector(_, lacks) = self.held(register)
        {
            self.put(register, Held::Vector(lanes.clone(), lacks));
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
