//! Translates a region's operations to a Cranelift function: basic blocks, jumps and exits.

use crate::flow::{Cells, Live, floats};
use crate::target::{CompiledFunction, Target};
use crate::type_names::float_votes;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32, F64, I8, I32, I64};
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, Block, Function, InstBuilder, MemFlags, SigRef, Signature, Type, Value,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Switch, Variable};
use sim::compiled::{
    Arithmetic, Code, Context, Emitter, Enter, Entry, JumpCondition, Operand, Operation, Region, Register,
};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// Most registers that a region may keep in variables; a region with more is not compiled, since that would take
/// too long.
const MAX_CELLS: usize = 2000;

/// Bytes of the processor's stack that a call takes in addition to Cranelift's frame: the return address, the
/// frame pointer, and some spare room.
const CALL_BYTES: usize = 64;

/// The emitter of host code.
#[derive(Debug)]
pub struct CraneliftEmitter(pub Target);

impl Emitter for CraneliftEmitter {
    fn emit(&self, region: &Region) -> Option<Code> {
        let cells = Cells::of(region);
        if cells.registers().len() > MAX_CELLS {
            return None;
        }
        let (function, accesses) = translate(region, &cells, self.0.isa().default_call_conv());
        let CompiledFunction { memory, frame_bytes } = self.0.compile(function)?;
        // SAFETY: the code has the signature of `Enter`, which `translate` gave the function.
        let enter = unsafe { std::mem::transmute::<*const std::ffi::c_void, Enter>(memory.start()) };
        // SAFETY: the modules of this crate emit only code that does what `Code::new` requires.
        Some(unsafe { Code::new(enter, accesses, frame_bytes + CALL_BYTES, Box::new(memory)) })
    }
}

/// A Cranelift function under construction.
pub struct Translator<'r, 'f> {
    pub b: FunctionBuilder<'f>,
    pub region: &'r Region,
    pub cells: &'r Cells,
    live: Live,
    /// The variable of each cell, by the cell's number, and its type.
    variables: Vec<(Variable, Type)>,
    /// The blocks that jumps within the region lead to, by the number of their first operation.
    blocks: BTreeMap<u32, Block>,
    /// The blocks that exit to the interpreter, by the number of the operation at which it continues.
    exits: BTreeMap<u32, Block>,
    /// Number of accesses translated so far.
    pub accesses: usize,
    pub context: Value,
    pub frame: Value,
    pub state: State,
    row_signature: SigRef,
    pub enter_signature: SigRef,
}

/// The state that is passed on from call to call, apart from arguments and results: see [`Enter`].
pub struct State {
    pub count: Variable,
    pub room: Variable,
    pub variables: Variable,
}

/// Flags for accesses to the frame.
pub fn frame_flags() -> MemFlags {
    MemFlags::new().with_notrap().with_alias_region(Some(AliasRegion::Vmctx))
}

/// Flags for accesses to those fields of the context that code does not change.
pub fn context_flags() -> MemFlags {
    MemFlags::trusted().with_readonly().with_can_move()
}

/// Returns the signature of [`Enter`].
fn enter_signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend([I64, I64, I32, I64, I64, I64].map(AbiParam::new));
    // A struct of two integers is returned in registers.
    signature.returns.extend([I64, I64].map(AbiParam::new));
    signature
}

/// Translates the region. Returns the function, and the number of accesses that it makes.
fn translate(region: &Region, cells: &Cells, convention: CallConv) -> (Function, usize) {
    let mut row_signature = Signature::new(convention);
    row_signature.params.extend([I64, I64].map(AbiParam::new));

    let mut function = Function::new();
    function.signature = enter_signature(convention);
    let mut builder_context = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut builder_context);
    let row_signature = b.import_signature(row_signature);
    let enter_signature = b.import_signature(enter_signature(convention));
    let begin = b.create_block();
    b.append_block_params_for_function_params(begin);
    b.switch_to_block(begin);
    b.seal_block(begin);
    let [context, frame, entry, room, count, variables] = *b.block_params(begin) else {
        unreachable!("the signature has six parameters")
    };
    let variable = |b: &mut FunctionBuilder, value| {
        let variable = b.declare_var(I64);
        b.def_var(variable, value);
        variable
    };
    let state = State {
        count: variable(&mut b, count),
        room: variable(&mut b, room),
        variables: variable(&mut b, variables),
    };
    let types = cells.registers().iter().zip(floats(region, cells, float_votes));
    let types = types.map(|(register, float)| type_of(register.bytes, float));
    let variables = types.map(|kind| (b.declare_var(kind), kind)).collect();
    let mut emit = Translator {
        b,
        region,
        cells,
        live: Live::of(region, cells),
        variables,
        blocks: BTreeMap::new(),
        exits: BTreeMap::new(),
        accesses: 0,
        context,
        frame,
        state,
        row_signature,
        enter_signature,
    };
    emit.begin(entry);
    emit.operations();
    emit.emit_exits();
    emit.b.seal_all_blocks();
    let accesses = emit.accesses;
    emit.b.finalize();
    (function, accesses)
}

fn type_of(bytes: u32, float: bool) -> Type {
    match (bytes, float) {
        (1, _) => I8,
        (4, false) => I32,
        (4, true) => F32,
        (_, false) => I64,
        (_, true) => F64,
    }
}

impl Translator<'_, '_> {
    /// Emits the dispatch to the requested entry, and creates the blocks that jumps lead to.
    fn begin(&mut self, entry: Value) {
        for number in self.region.range.clone() {
            if let Some(Operation::Jump { to, .. }) = self.region.operation(number)
                && self.region.range.contains(to)
            {
                self.leader(*to);
                self.leader(number + 1);
            }
        }
        let mut switch = Switch::new();
        let mut entries = Vec::new();
        for (place, &number) in (0..).zip(&self.region.entries) {
            self.leader(number);
            let block = self.b.create_block();
            self.b.set_cold_block(block);
            switch.set_entry(Entry::at(place).into(), block);
            entries.push((number, block));
        }
        let otherwise = match self.region.is_function() {
            true => self.b.create_block(),
            false => self.exit(self.region.range.start),
        };
        let others = self.b.create_block();
        self.b.set_cold_block(others);
        let is_call = self.b.ins().icmp_imm(IntCC::Equal, entry, i64::from(Entry::CALL));
        self.b.ins().brif(is_call, otherwise, &[], others, &[]);
        self.b.switch_to_block(others);
        self.b.seal_block(others);
        switch.emit(&mut self.b, entry, otherwise);
        for (number, block) in entries {
            self.b.switch_to_block(block);
            self.b.seal_block(block);
            for cell in 0..self.cells.registers().len() {
                if self.live.is_live(number, cell) {
                    self.load_cell(cell);
                }
            }
            self.go_to(number);
        }
        if self.region.is_function() {
            self.b.switch_to_block(otherwise);
            self.b.seal_block(otherwise);
            let taken = self.emit_prologue();
            let start = self.region.start;
            for cell in 0..self.cells.registers().len() {
                if self.live.is_live(start, cell) && !taken.contains(&cell) {
                    self.load_cell(cell);
                }
            }
            self.go_to(start);
        }
    }

    /// Jumps to an operation, which may be outside the region.
    fn go_to(&mut self, number: u32) {
        let block = self.blocks.get(&number).copied();
        let block = block.unwrap_or_else(|| self.exit(number));
        self.b.ins().jump(block, &[]);
    }

    /// Loads a cell's variable from the frame.
    pub fn load_cell(&mut self, cell: usize) {
        let (variable, kind) = self.variables[cell];
        let at = self.cells.registers()[cell].at;
        let value = self.b.ins().load(kind, frame_flags(), self.frame, at as i32);
        self.b.def_var(variable, value);
    }

    /// Writes a cell's variable back to the frame.
    pub fn store_cell(&mut self, cell: usize) {
        let value = self.b.use_var(self.variables[cell].0);
        let at = self.cells.registers()[cell].at;
        self.b.ins().store(frame_flags(), value, self.frame, at as i32);
    }

    /// Returns a cell's variable and its type.
    pub fn variable(&self, cell: usize) -> (Variable, Type) {
        self.variables[cell]
    }

    /// Creates the block that begins with an operation, if the operation is in the region.
    fn leader(&mut self, number: u32) {
        if self.region.range.contains(&number) && !self.blocks.contains_key(&number) {
            let block = self.b.create_block();
            self.blocks.insert(number, block);
        }
    }

    fn operations(&mut self) {
        // Whether the current position is unreachable.
        let mut ended = true;
        for number in self.region.range.clone() {
            if let Some(&block) = self.blocks.get(&number) {
                if !ended {
                    self.b.ins().jump(block, &[]);
                }
                self.b.switch_to_block(block);
                ended = false;
            }
            if !ended && let Some(operation) = self.region.operation(number) {
                ended = self.operation(number, operation);
            }
        }
        if !ended {
            let exit = self.exit(self.region.range.end);
            self.b.ins().jump(exit, &[]);
        }
    }

    /// Translates an operation. Returns whether control never reaches the next one from here.
    fn operation(&mut self, number: u32, operation: &Operation) -> bool {
        match operation {
            Operation::Arithmetic(row) => {
                let value = self.arithmetic(number, row);
                self.put(row.to, value);
            }
            Operation::Move { to, from } => {
                let value = self.get(*from, to.bytes);
                self.put(*to, value);
            }
            Operation::Load { to, base, offset, bytes, signed } => {
                let at = self.access(number, *base, *offset, *bytes);
                let float = self.holds_float(*to) && *bytes == to.bytes;
                let value = self.load(number, at, (*bytes, *signed), (to.bytes, float));
                self.put(*to, value);
            }
            Operation::Store { from, base, offset, bytes } => {
                let at = self.access(number, *base, *offset, *bytes);
                let value = self.get(*from, if *bytes == 8 { 8 } else { 4 });
                self.store(at, value, *bytes);
            }
            Operation::Nothing => {}
            Operation::LocalAddress { to, offset } => {
                let variables = self.b.use_var(self.state.variables);
                let value = self.b.ins().iadd_imm(variables, *offset);
                self.put(*to, value);
            }
            Operation::Call { callee, arguments, results, counted } => {
                self.call(number, *callee, (arguments, results), *counted);
            }
            Operation::Return { results, counted } => {
                self.emit_return(results, *counted);
                return true;
            }
            Operation::Other { .. } => {
                let exit = self.exit(number);
                self.b.ins().jump(exit, &[]);
                return true;
            }
            Operation::Jump { when: JumpCondition::Always, .. } => {
                self.jump(number, operation, None);
                return true;
            }
            Operation::Jump { when: JumpCondition::Predicate(predicate, holds), .. } => {
                let value = self.get(*predicate, 1);
                self.fork(number, operation, (value, *holds), None);
            }
            Operation::Jump { when: JumpCondition::Arithmetic(row, holds), .. } => {
                let value = self.arithmetic(number, row);
                self.fork(number, operation, (value, *holds), Some((row.to, value)));
            }
        }
        false
    }

    /// Translates a conditional jump, which is taken if `predicate` is as `holds` says. `written` is the register
    /// to be written whether it is taken or not, and its value.
    fn fork(
        &mut self,
        number: u32,
        jump: &Operation,
        (predicate, holds): (Value, bool),
        written: Option<(Register, Value)>,
    ) {
        let (taken, on) = (self.b.create_block(), self.b.create_block());
        let (then, otherwise) = if holds { (taken, on) } else { (on, taken) };
        self.b.ins().brif(predicate, then, &[], otherwise, &[]);
        self.b.switch_to_block(taken);
        self.b.seal_block(taken);
        self.jump(number, jump, written);
        self.b.switch_to_block(on);
        self.b.seal_block(on);
        if let Some((register, value)) = written {
            self.put(register, value);
        }
    }

    /// Translates a jump that is taken, unless it is left to the interpreter.
    fn jump(&mut self, number: u32, jump: &Operation, written: Option<(Register, Value)>) {
        let Operation::Jump { to, counted, sweeps, .. } = jump else { return };
        let before = self.b.use_var(self.state.count);
        let count = self.b.ins().iadd_imm(before, *counted);
        // A forward jump skips instructions, which does not raise the count.
        if *counted > 0 {
            let bulk_from = sweeps.then_some(offset_of!(Context, bulk_from));
            for bound in std::iter::once(offset_of!(Context, check_limits_at)).chain(bulk_from) {
                let bound = self.b.ins().load(I64, context_flags(), self.context, bound as i32);
                let reached = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, count, bound);
                self.exit_if(reached, number);
            }
        }
        if let Some((register, value)) = written {
            self.put(register, value);
        }
        self.b.def_var(self.state.count, count);
        self.go_to(*to);
    }

    /// Returns the block that exits to the interpreter before an operation.
    pub fn exit(&mut self, number: u32) -> Block {
        if let Some(&block) = self.exits.get(&number) {
            return block;
        }
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        self.exits.insert(number, block);
        block
    }

    /// Leaves the operation to the interpreter if a condition holds. Nothing of the operation may have been done
    /// yet.
    pub fn exit_if(&mut self, condition: Value, number: u32) {
        let (exit, on) = (self.exit(number), self.b.create_block());
        self.b.ins().brif(condition, exit, &[], on, &[]);
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }

    /// Emits the code of all exits.
    fn emit_exits(&mut self) {
        for (number, block) in std::mem::take(&mut self.exits) {
            self.b.seal_block(block);
            self.b.switch_to_block(block);
            self.store_live(number);
            let count = self.b.use_var(self.state.count);
            self.return_exit(i64::from(number), count);
        }
    }

    /// Writes back to the frame the cells that the region writes and that are live before an operation.
    pub fn store_live(&mut self, number: u32) {
        for cell in 0..self.cells.registers().len() {
            if self.cells.is_written(cell) && self.live.is_live(number, cell) {
                self.store_cell(cell);
            }
        }
    }

    /// Returns from the code with a [`CodeExit`](sim::compiled::CodeExit).
    pub fn return_exit(&mut self, at: i64, count: Value) {
        let at = self.b.ins().iconst(I64, at);
        self.b.ins().return_(&[at, count]);
    }

    /// Returns whether an operand is a register whose variable is a float.
    pub fn is_float(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Register(register) if self.holds_float(register))
    }

    /// Returns whether a register's variable is a float.
    fn holds_float(&self, register: Register) -> bool {
        self.cells.number(register).is_some_and(|cell| self.variables[cell].1.is_float())
    }

    /// Returns an operand: a constant as an integer of `bytes` bytes, a register in the type of its variable.
    pub fn get(&mut self, operand: Operand, bytes: u32) -> Value {
        let register = match operand {
            Operand::Constant(bits) => return self.b.ins().iconst(type_of(bytes, false), bits as i64),
            Operand::Register(register) => register,
        };
        match self.cells.number(register) {
            Some(cell) => self.b.use_var(self.variables[cell].0),
            None => {
                let kind = type_of(register.bytes, false);
                self.b.ins().load(kind, frame_flags(), self.frame, register.at as i32)
            }
        }
    }

    /// Writes a register; the value must have the register's size.
    pub fn put(&mut self, register: Register, value: Value) {
        match self.cells.number(register) {
            Some(cell) => {
                let (variable, kind) = self.variables[cell];
                let value = self.cast(value, kind);
                self.b.def_var(variable, value);
            }
            None => {
                self.b.ins().store(frame_flags(), value, self.frame, register.at as i32);
            }
        }
    }

    /// Reinterprets the bits of a value as another type of the same size.
    pub fn cast(&mut self, value: Value, to: Type) -> Value {
        match self.b.func.dfg.value_type(value) == to {
            true => value,
            false => self.b.ins().bitcast(to, MemFlags::new(), value),
        }
    }

    /// Calls the interpreter's function to execute a row, and returns the result.
    pub fn run_row(&mut self, row: &Arithmetic) -> Value {
        for operand in &row.from {
            if let Operand::Register(register) = operand
                && let Some(cell) = self.cells.number(*register)
            {
                self.store_cell(cell);
            }
        }
        for &(at, value) in &row.constants {
            let value = self.b.ins().iconst(I64, value as i64);
            self.b.ins().store(frame_flags(), value, self.frame, at as i32);
        }
        let run = offset_of!(Context, run_row) as i32;
        let run = self.b.ins().load(I64, context_flags(), self.context, run);
        let its = self.b.ins().iconst(I64, row.row as i64);
        self.b.ins().call_indirect(self.row_signature, run, &[self.frame, its]);
        let kind = type_of(row.to.bytes, self.holds_float(row.to));
        self.b.ins().load(kind, frame_flags(), self.frame, row.to.at as i32)
    }
}
