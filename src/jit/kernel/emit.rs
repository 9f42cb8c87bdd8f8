//! Translates a region to a Cranelift function: basic blocks, exits, and where the values of registers are.

use super::lane_values::{self, RegisterFacts};
use super::masked::{self, ActiveLanes, Divergence};
use super::path::OnPath;
use super::registers::{ValueLocation, scalar_type, vector_type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{
    AbiParam, Block, Function, InstBuilder, MemFlags, SigRef, Signature, Type, Value,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use sim::kernel_code::{
    AccessesByKind, CodeDescription, Exit, File, Instruction, Interpreted, KernelContext, KernelRegion,
    LANES, LaneValues, Operation, Register,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::offset_of;
use std::rc::Rc;
use std::sync::Arc;

/// A translated region: the function, and the descriptions that the interpreter needs.
pub struct TranslatedRegion {
    pub function: Function,
    pub description: CodeDescription,
    /// Constant tables that the code reads at their addresses; they must live as long as the code.
    pub tables: Vec<Box<[u8]>>,
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
    /// Branches after which the code can execute blocks for some lanes only, by their numbers.
    divergences: BTreeMap<u32, Rc<Divergence>>,
    /// The comparisons whose results differ among the lanes.
    pub diverging: BTreeSet<u32>,
    /// The lanes for which the current block is translated; `None`: for all.
    pub active: Option<ActiveLanes>,
    /// The state of translating a path for all warps of a block; `None` for a region.
    pub on_path: Option<OnPath>,
    /// The instructions at which a block may be found not to follow the path.
    pub path_checks: BTreeSet<u32>,
    /// What is known about registers at the start of each block.
    facts_at_start: Vec<RegisterFacts>,
    /// By the number of a block's first instruction: the block's index in the region, and its Cranelift block.
    blocks: HashMap<u32, (usize, Block)>,
    /// Where the values of registers are at the current point.
    pub state: BTreeMap<Register, ValueLocation>,
    /// Registers that the region writes; in all others the warp's registers stay valid.
    pub written: BTreeSet<Register>,
    /// Scalars that are passed from block to block.
    variables: HashMap<Register, Variable>,
    pending_exits: Vec<PendingExit>,
    pub description: CodeDescription,
    /// How many of the accesses, by kind, are made by all lanes in the basic block being translated.
    pub made: AccessesByKind,
    pub tables: Vec<Box<[u8]>>,
    interpret: SigRef,
    pub check: SigRef,
    pub check_write: SigRef,
    pub note_line: SigRef,
    /// Index in the region of the block being translated.
    pub place: usize,
}

/// An exit whose code has yet to be emitted.
struct PendingExit {
    block: Block,
    /// Its index in [`CodeDescription::exits`].
    number: usize,
    /// The active lanes, and where the values of the registers are that the interpreter needs.
    active: Option<ActiveLanes>,
    state: BTreeMap<Register, ValueLocation>,
}

/// The offset of a field in the context.
macro_rules! field {
    ($($path:tt)+) => { offset_of!(KernelContext, $($path)+) as i32 };
}
pub(super) use field;

/// Translates a region.
pub fn translate(region: &KernelRegion, isa: &dyn TargetIsa) -> TranslatedRegion {
    let (mut function, mut builder_context) = (Function::new(), FunctionBuilderContext::new());
    let mut emit = Translator::new(region, &mut function, &mut builder_context, isa);
    for (n, block) in region.blocks.iter().enumerate() {
        let cranelift_block = emit.b.create_block();
        emit.blocks.insert(block.range.start, (n, cranelift_block));
    }
    emit.enter();
    let (_, first) = emit.blocks[&region.blocks[0].range.start];
    emit.b.ins().jump(first, &[]);
    for n in 0..region.blocks.len() {
        emit.block(n);
    }
    while let Some(exit) = emit.pending_exits.pop() {
        emit.emit_exit(exit);
    }
    emit.b.seal_all_blocks();
    let (description, tables) = (emit.description, emit.tables);
    emit.b.finalize();
    TranslatedRegion { function, description, tables }
}

fn written(region: &KernelRegion) -> BTreeSet<Register> {
    let numbers = region.blocks.iter().flat_map(|block| block.range.clone());
    numbers.flat_map(|number| &region.instruction(number).writes).copied().collect()
}

impl<'r, 'f> Translator<'r, 'f> {
    /// Begins to translate a region as a function that receives the address of its context and returns a number.
    pub fn new(
        region: &'r KernelRegion,
        function: &'f mut Function,
        builder_context: &'f mut FunctionBuilderContext,
        isa: &dyn TargetIsa,
    ) -> Translator<'r, 'f> {
        let signature = |params: &[Type], returns: &[Type]| {
            let mut signature = Signature::new(isa.default_call_conv());
            signature.params.extend(params.iter().map(|&kind| AbiParam::new(kind)));
            signature.returns.extend(returns.iter().map(|&kind| AbiParam::new(kind)));
            signature
        };
        function.signature = signature(&[I64], &[I32]);
        let mut b = FunctionBuilder::new(function, builder_context);
        let interpret = b.import_signature(signature(&[I64, I32], &[I32]));
        let check = b.import_signature(signature(&[I64, I32, I64], &[]));
        let check_write = b.import_signature(signature(&[I64, I32, I64], &[I32]));
        let note_line = b.import_signature(signature(&[I64, I64, I64, I64], &[]));
        let start = b.create_block();
        b.append_block_params_for_function_params(start);
        b.switch_to_block(start);
        b.seal_block(start);
        let context = b.block_params(start)[0];
        let divergences = masked::divergences(region);
        let diverging = masked::diverging_comparisons(region);
        Translator {
            b,
            region,
            context,
            facts_at_start: lane_values::analyse(region, &divergences, &diverging),
            divergences,
            diverging,
            active: None,
            on_path: None,
            path_checks: BTreeSet::new(),
            blocks: HashMap::new(),
            state: BTreeMap::new(),
            written: written(region),
            variables: HashMap::new(),
            pending_exits: Vec::new(),
            description: CodeDescription::default(),
            made: [0; 4],
            tables: Vec::new(),
            interpret,
            check,
            check_write,
            note_line,
            place: 0,
        }
    }

    /// Loads the registers that are represented by scalars.
    pub fn enter(&mut self) {
        for (register, lane_values) in self.facts_at_start[0].clone() {
            if matches!(lane_values, LaneValues::Offsets(_)) && register.file != File::Pred {
                let value = self.load_lane(register, 0);
                self.define(register, value);
            }
        }
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
        self.count_block_entry(n, n);
        self.b.ins().jump(body, &[]);
    }

    /// Returns where the values of registers are at the start of a block of the region.
    pub fn state_at_start(&mut self, n: usize) -> BTreeMap<Register, ValueLocation> {
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

    /// Counts the entry of the active lanes into a block; exits if the block would exceed the limit of steps. `run`: the
    /// index of its count among [`KernelContext::runs`].
    pub fn count_block_entry(&mut self, n: usize, run: usize) {
        let block = &self.region.blocks[n];
        let more = [u64::from(block.range.end - block.range.start), block.cycles];
        let sums = self.sum(self.context, field!(steps_and_cycles), File::R64, &more);
        let steps = self.b.ins().extractlane(sums, 0);
        let limit = self.b.ins().load(I64, constant_flags(), self.context, field!(limit));
        let over = self.b.ins().icmp(IntCC::UnsignedGreaterThan, steps, limit);
        self.exit_if(over, block.range.start, false);
        self.b.ins().store(mutable_flags(), sums, self.context, field!(steps_and_cycles));
        self.count_lanes(block.number);
        if self.active.is_none() && self.made != [0; 4] {
            let made = self.made.map(u64::from);
            let sums = self.sum(self.context, field!(made), File::R32, &made);
            self.b.ins().store(mutable_flags(), sums, self.context, field!(made));
        }
        let runs = self.b.ins().load(I64, constant_flags(), self.context, field!(runs));
        self.increase(runs, run as i32 * 8, 1);
    }

    /// Returns the sums of the values of a vector in memory and of constants.
    pub fn sum(&mut self, base: Value, offset: i32, file: File, more: &[u64]) -> Value {
        let counts = self.b.ins().load(vector_type(file), mutable_flags(), base, offset);
        let more = self.vector_constant(file, more);
        self.b.ins().iadd(counts, more)
    }

    /// Adds a constant to a count in memory.
    pub fn increase(&mut self, base: Value, offset: i32, by: i64) {
        let by = self.b.ins().iconst(I64, by);
        self.add(base, offset, by);
    }

    /// Adds a value to a count in memory.
    pub fn add(&mut self, base: Value, offset: i32, by: Value) {
        let count = self.b.ins().load(I64, mutable_flags(), base, offset);
        let count = self.b.ins().iadd(count, by);
        self.b.ins().store(mutable_flags(), count, base, offset);
    }

    /// Translates an instruction. Returns whether control never reaches the next one from here.
    pub fn instruction(&mut self, number: u32, instruction: &Instruction) -> bool {
        match &instruction.operation {
            Operation::Nothing => {}
            Operation::Arithmetic(its) => self.arithmetic(number, its),
            Operation::BlockIndex { to, axis } => {
                self.block_index(*to, field!(block_index) + 4 * *axis as i32);
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

    /// Loads a component of the block's index, which is at an offset in the context.
    pub fn block_index(&mut self, to: Register, at: i32) {
        let value = self.b.ins().load(I32, constant_flags(), self.context, at);
        self.put(to, ValueLocation::Scalar(value, Arc::new([0; LANES])));
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
                match self.divergences.get(&number).cloned() {
                    None => {
                        let parts = self.b.ins().bxor_imm(alike, 1);
                        self.exit_if_diverged(parts, number);
                    }
                    Some(divergence) => {
                        let (together, apart) = (self.b.create_block(), self.b.create_block());
                        self.b.ins().brif(alike, together, &[], apart, &[]);
                        self.b.switch_to_block(apart);
                        let before = self.state.clone();
                        let taken = if negated { self.b.ins().bnot(mask) } else { mask };
                        self.diverge(number, taken, &divergence);
                        self.b.switch_to_block(together);
                        self.state = before;
                    }
                }
                all
            }
        };
        self.note_branch(number);
        let (far, near) = (self.target(to), self.target(number + 1));
        let (then, otherwise) = if negated { (near, far) } else { (far, near) };
        self.b.ins().brif(taken, then, &[], otherwise, &[]);
    }

    /// Records that a conditional branch was executed.
    pub fn note_branch(&mut self, number: u32) {
        let last_branch = self.b.ins().iconst(I32, i64::from(number));
        self.b.ins().store(mutable_flags(), last_branch, self.context, field!(last_branch));
    }

    /// Jumps to an instruction that begins a block, or exits.
    pub fn go(&mut self, to: u32) {
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
        let waiting: Option<Vec<u32>> =
            self.active.as_ref().map(|active| active.waiting.iter().map(|(number, _)| *number).collect());
        let waiting_live = waiting.iter().flatten().map(|&number| self.live(number));
        let waiting_live: Vec<Arc<[Register]>> = waiting_live.collect();
        let live = self.live(number);
        let live = live.iter().chain(waiting_live.iter().flat_map(|its| its.iter()));
        let state =
            live.filter_map(|register| Some((*register, self.state.get(register)?.clone()))).collect();
        let exits = &mut self.description.exits;
        exits.push(Exit { number, block_counted, scalars: Vec::new(), diverges: false, waiting });
        let number = exits.len() - 1;
        self.pending_exits.push(PendingExit { block, number, active: self.active.clone(), state });
        block
    }

    /// Exits before an instruction if the lanes diverge there.
    pub fn exit_if_diverged(&mut self, diverged: Value, number: u32) {
        self.exit_if(diverged, number, true);
        if let Some(exit) = self.description.exits.last_mut() {
            exit.diverges = true;
        }
    }

    /// Leaves the instruction to the interpreter if a condition holds. Nothing of the instruction may have been
    /// done yet.
    pub fn exit_if(&mut self, condition: Value, number: u32, block_counted: bool) {
        if self.on_path.is_some() {
            return self.leave_path_if(number, condition);
        }
        let exit = self.exit(number, block_counted);
        self.jump_if(condition, exit);
    }

    /// Returns the registers live before an instruction; for an instruction outside the region, every register
    /// that is written somewhere.
    pub fn live(&self, number: u32) -> Arc<[Register]> {
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
    fn emit_exit(&mut self, exit: PendingExit) {
        self.b.switch_to_block(exit.block);
        self.active = exit.active;
        if let Some(active) = self.active.clone() {
            self.note_lanes(&active);
        }
        let live: Vec<Register> = exit.state.keys().copied().collect();
        self.description.exits[exit.number].scalars = self.save_for_interpreter(&live, &exit.state);
        let number = self.b.ins().iconst(I32, exit.number as i64);
        self.b.ins().return_(&[number]);
    }

    /// Has the interpreter execute an instruction, whose results are then in the warp's registers. Exits after it
    /// if the interpreter says so.
    pub fn interpret(&mut self, number: u32) {
        if self.on_path.is_some() {
            return self.impossible();
        }
        let state = self.state.clone();
        let reads = &self.region.instruction(number).reads;
        let done = self.call_interpreter((number, None), &state);
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

    /// Calls the interpreter to execute an instruction. `access`: its index among the accesses, if it is one that the
    /// code otherwise performs. Returns a value that is not 0 if code must exit after the instruction.
    pub fn call_interpreter(
        &mut self,
        (number, access): (u32, Option<usize>),
        state: &BTreeMap<Register, ValueLocation>,
    ) -> Value {
        let scalars = self.save_for_interpreter(&self.region.instruction(number).reads, state);
        let mask = self.known_mask();
        if let (None, Some(active)) = (mask, &self.active) {
            self.b.ins().store(mutable_flags(), active.mask.value, self.context, field!(active));
        }
        let interpreted = &mut self.description.interpreted;
        interpreted.push(Interpreted { number, mask, access, scalars });
        let n = interpreted.len() as i64 - 1;
        let n = self.b.ins().iconst(I32, n);
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
}
