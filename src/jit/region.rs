//! A region's operations as a function of Cranelift's: blocks, jumps and exits.

use crate::arithmetic::float_votes;
use crate::flow::{Cells, Live, floats};
use crate::target::{Compiled, Target};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32, F64, I8, I32, I64};
use cranelift_codegen::ir::{
    AbiParam, AliasRegion, Block, Function, InstBuilder, MemFlags, SigRef, Signature, Type, Value,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Switch, Variable};
use sim::compiled::{
    Arithmetic, Code, Context, Emitter, Enter, Entry, Operand, Operation, Region, Register, When,
};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// Registers of a region, at most: compiling takes time.
const MOST_CELLS: usize = 2000;

/// Bytes of the processor's stack that a call takes beside the frame that Cranelift makes: the address to return to, the
/// frame pointer, and some that are left free.
const CALL_BYTES: usize = 64;

/// The emitter of host code.
#[derive(Debug)]
pub struct HostCode(pub Target);

impl Emitter for HostCode {
    fn emit(&self, region: &Region) -> Option<Code> {
        let cells = Cells::of(region);
        if cells.registers().len() > MOST_CELLS {
            return None;
        }
        let (function, accesses) = translate(region, &cells, self.0.isa().default_call_conv());
        let Compiled { memory, frame_bytes } = self.0.compile(function)?;
        // SAFETY: the code has the signature of `Enter`, with which `translate` began it.
        let enter = unsafe { std::mem::transmute::<*const std::ffi::c_void, Enter>(memory.start()) };
        // SAFETY: what `Code::new` asks for is what the modules of this crate emit, and nothing else.
        Some(unsafe { Code::new(enter, accesses, frame_bytes + CALL_BYTES, Box::new(memory)) })
    }
}

/// A function of Cranelift's in the making.
pub struct Emit<'r, 'f> {
    pub b: FunctionBuilder<'f>,
    pub region: &'r Region,
    pub cells: &'r Cells,
    live: Live,
    /// By the number of the cell, with their types.
    variables: Vec<(Variable, Type)>,
    /// Where jumps within the region go.
    blocks: BTreeMap<u32, Block>,
    /// Where the interpreter goes on before an operation.
    exits: BTreeMap<u32, Block>,
    /// Accesses so far.
    pub accesses: usize,
    pub context: Value,
    pub frame: Value,
    pub state: State,
    row_signature: SigRef,
    pub enter_signature: SigRef,
}

/// What a call hands on, beside what it passes; as [`Enter`] has them.
pub struct State {
    pub count: Variable,
    pub room: Variable,
    pub variables: Variable,
}

/// Of the frame.
pub fn in_frame() -> MemFlags {
    MemFlags::new().with_notrap().with_alias_region(Some(AliasRegion::Vmctx))
}

/// Of the context, in what no code changes.
pub fn in_context() -> MemFlags {
    MemFlags::trusted().with_readonly().with_can_move()
}

/// That of [`Enter`].
fn enter_signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend([I64, I64, I32, I64, I64, I64].map(AbiParam::new));
    // A struct of two integers comes back in registers.
    signature.returns.extend([I64, I64].map(AbiParam::new));
    signature
}

/// The region as a function, and how many accesses it makes.
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
    let mut emit = Emit {
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
    emit.leave();
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

impl Emit<'_, '_> {
    /// Goes to the entry that is asked for.
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
            let taken = self.be_called();
            let start = self.region.start;
            for cell in 0..self.cells.registers().len() {
                if self.live.is_live(start, cell) && !taken.contains(&cell) {
                    self.load_cell(cell);
                }
            }
            self.go_to(start);
        }
    }

    /// To the operation, wherever it is.
    fn go_to(&mut self, number: u32) {
        let block = self.blocks.get(&number).copied();
        let block = block.unwrap_or_else(|| self.exit(number));
        self.b.ins().jump(block, &[]);
    }

    /// Has a cell's variable hold what the frame does.
    pub fn load_cell(&mut self, cell: usize) {
        let (variable, kind) = self.variables[cell];
        let at = self.cells.registers()[cell].at;
        let value = self.b.ins().load(kind, in_frame(), self.frame, at as i32);
        self.b.def_var(variable, value);
    }

    /// Has the frame hold what a cell's variable does.
    pub fn store_cell(&mut self, cell: usize) {
        let value = self.b.use_var(self.variables[cell].0);
        let at = self.cells.registers()[cell].at;
        self.b.ins().store(in_frame(), value, self.frame, at as i32);
    }

    /// A cell's variable, and its type.
    pub fn variable(&self, cell: usize) -> (Variable, Type) {
        self.variables[cell]
    }

    fn leader(&mut self, number: u32) {
        if self.region.range.contains(&number) && !self.blocks.contains_key(&number) {
            let block = self.b.create_block();
            self.blocks.insert(number, block);
        }
    }

    fn operations(&mut self) {
        // Whether control can't come to the place.
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

    /// Whether control goes on elsewhere.
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
                self.be_left(results, *counted);
                return true;
            }
            Operation::Other { .. } => {
                let exit = self.exit(number);
                self.b.ins().jump(exit, &[]);
                return true;
            }
            Operation::Jump { when: When::Always, .. } => {
                self.jump(number, operation, None);
                return true;
            }
            Operation::Jump { when: When::Predicate(predicate, holds), .. } => {
                let value = self.get(*predicate, 1);
                self.fork(number, operation, (value, *holds), None);
            }
            Operation::Jump { when: When::Arithmetic(row, holds), .. } => {
                let value = self.arithmetic(number, row);
                self.fork(number, operation, (value, *holds), Some((row.to, value)));
            }
        }
        false
    }

    /// A jump that is taken where the predicate is as it says; either way the register is written.
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

    /// Takes a jump, unless the interpreter is to.
    fn jump(&mut self, number: u32, jump: &Operation, written: Option<(Register, Value)>) {
        let Operation::Jump { to, counted, sweeps, .. } = jump else { return };
        let before = self.b.use_var(self.state.count);
        let count = self.b.ins().iadd_imm(before, *counted);
        // A jump ahead leaves instructions out: it makes the count no larger.
        if *counted > 0 {
            let sweep_at = sweeps.then_some(offset_of!(Context, sweep_at));
            for bound in std::iter::once(offset_of!(Context, look_at)).chain(sweep_at) {
                let bound = self.b.ins().load(I64, in_context(), self.context, bound as i32);
                let reached = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, count, bound);
                self.leave_if(reached, number);
            }
        }
        if let Some((register, value)) = written {
            self.put(register, value);
        }
        self.b.def_var(self.state.count, count);
        self.go_to(*to);
    }

    /// Where the interpreter goes on before an operation.
    pub fn exit(&mut self, number: u32) -> Block {
        if let Some(&block) = self.exits.get(&number) {
            return block;
        }
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        self.exits.insert(number, block);
        block
    }

    /// Leaves the operation to the interpreter where a condition holds. Nothing of the operation may be done yet.
    pub fn leave_if(&mut self, condition: Value, number: u32) {
        let (exit, on) = (self.exit(number), self.b.create_block());
        self.b.ins().brif(condition, exit, &[], on, &[]);
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }

    /// What exits do.
    fn leave(&mut self) {
        for (number, block) in std::mem::take(&mut self.exits) {
            self.b.seal_block(block);
            self.b.switch_to_block(block);
            self.store_live(number);
            let count = self.b.use_var(self.state.count);
            self.give(i64::from(number), count);
        }
    }

    /// Has the frame hold what is read from an operation on.
    pub fn store_live(&mut self, number: u32) {
        for cell in 0..self.cells.registers().len() {
            if self.cells.is_written(cell) && self.live.is_live(number, cell) {
                self.store_cell(cell);
            }
        }
    }

    /// Leaves the code: with a [`Left`].
    pub fn give(&mut self, at: i64, count: Value) {
        let at = self.b.ins().iconst(I64, at);
        self.b.ins().return_(&[at, count]);
    }

    /// Whether an operand is a register whose variable is a float.
    pub fn is_float(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Register(register) if self.holds_float(register))
    }

    /// Whether a register's variable is a float.
    fn holds_float(&self, register: Register) -> bool {
        self.cells.number(register).is_some_and(|cell| self.variables[cell].1.is_float())
    }

    /// An operand of so many bytes: as an integer, or as a float where its variable is one.
    pub fn get(&mut self, operand: Operand, bytes: u32) -> Value {
        let register = match operand {
            Operand::Constant(bits) => return self.b.ins().iconst(type_of(bytes, false), bits as i64),
            Operand::Register(register) => register,
        };
        match self.cells.number(register) {
            Some(cell) => self.b.use_var(self.variables[cell].0),
            None => {
                let kind = type_of(register.bytes, false);
                self.b.ins().load(kind, in_frame(), self.frame, register.at as i32)
            }
        }
    }

    /// Writes a register: a value of its size.
    pub fn put(&mut self, register: Register, value: Value) {
        match self.cells.number(register) {
            Some(cell) => {
                let (variable, kind) = self.variables[cell];
                let value = self.cast(value, kind);
                self.b.def_var(variable, value);
            }
            None => {
                self.b.ins().store(in_frame(), value, self.frame, register.at as i32);
            }
        }
    }

    /// The same bits as another type of the same size.
    pub fn cast(&mut self, value: Value, to: Type) -> Value {
        match self.b.func.dfg.value_type(value) == to {
            true => value,
            false => self.b.ins().bitcast(to, MemFlags::new(), value),
        }
    }

    /// Has the interpreter's own function run a row.
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
            self.b.ins().store(in_frame(), value, self.frame, at as i32);
        }
        let run = offset_of!(Context, run_row) as i32;
        let run = self.b.ins().load(I64, in_context(), self.context, run);
        let its = self.b.ins().iconst(I64, row.row as i64);
        self.b.ins().call_indirect(self.row_signature, run, &[self.frame, its]);
        let kind = type_of(row.to.bytes, self.holds_float(row.to));
        self.b.ins().load(kind, in_frame(), self.frame, row.to.at as i32)
    }
}
