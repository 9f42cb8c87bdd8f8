//! Calls from machine code to machine code: argument passing, frames on the program's stack, and returns. If the
//! code exits to the interpreter within a call, each caller leaves its frame as that of a caller that waits.

use crate::access::{memory_flags, page_flags};
use crate::region::{Translator, context_flags, frame_flags};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlags, Type, Value};
use sim::compiled::{
    Callable, Callee, CodeExit, Context, Entry, FUNCTION_WINDOW, Frame, FrameRange, StackBytes, UNWRITTEN,
    passed_offsets,
};
use std::mem::offset_of;

/// Most eight-byte values of the program's stack that are written by individual stores; more are written in a
/// loop.
const MAX_UNROLLED: u64 = 16;

/// Flags for accesses to those fields of the context that code changes.
fn mutable_context_flags() -> MemFlags {
    MemFlags::new().with_notrap()
}

/// Splits `bytes` bytes into pieces to be moved one by one: the offset and type of each.
fn pieces(bytes: u32) -> Vec<(u32, Type)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for kind in [I64, I32, I16, I8] {
        while bytes - at >= kind.bytes() {
            pieces.push((at, kind));
            at += kind.bytes();
        }
    }
    pieces
}

impl Translator<'_, '_> {
    /// Calls the callee's code. If it has none, or refuses the call, the call is left to the interpreter.
    pub fn call(
        &mut self,
        number: u32,
        callee: Callee,
        (arguments, results): (&[FrameRange], &[FrameRange]),
        counted: i64,
    ) {
        let code = self.callee(number, callee);
        self.pass(arguments);
        self.store_parts(results);
        let count = self.b.use_var(self.state.count);
        let count = self.b.ins().iadd_imm(count, counted);
        let frame = self.b.ins().iadd_imm(self.frame, i64::from(self.region.frame.bytes));
        let entry = self.b.ins().iconst(I32, i64::from(Entry::CALL));
        let (room, variables) = (self.b.use_var(self.state.room), self.b.use_var(self.state.variables));
        let given = [self.context, frame, entry, room, count, variables];
        let call = self.b.ins().call_indirect(self.enter_signature, code, &given);
        let [at, count] = *self.b.inst_results(call) else { unreachable!("the signature has two results") };

        let (on, aside, wait) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let returned = self.b.ins().icmp_imm(IntCC::Equal, at, CodeExit::RETURNED as i64);
        self.b.set_cold_block(aside);
        self.b.ins().brif(returned, on, &[], aside, &[]);
        self.b.switch_to_block(aside);
        self.b.seal_block(aside);
        let refused = self.b.ins().icmp_imm(IntCC::Equal, at, CodeExit::REFUSED as i64);
        let exit = self.exit(number);
        self.b.set_cold_block(wait);
        self.b.ins().brif(refused, exit, &[], wait, &[]);
        self.b.switch_to_block(wait);
        self.b.seal_block(wait);
        self.record_waiting_call(number);
        self.b.ins().return_(&[at, count]);

        self.b.switch_to_block(on);
        self.b.seal_block(on);
        let count = self.b.ins().iadd_imm(count, -counted);
        self.b.def_var(self.state.count, count);
        self.receive(results);
        // The callee has added its instructions to the count, so a check of limits may be due, which the
        // interpreter makes.
        let check_limits_at = self.b.ins().load(
            I64,
            context_flags(),
            self.context,
            offset_of!(Context, check_limits_at) as i32,
        );
        let is_due = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, count, check_limits_at);
        self.exit_if(is_due, number + 1);
    }

    /// Returns the address of the callee's code. Leaves the call to the interpreter if there is none.
    fn callee(&mut self, number: u32, callee: Callee) -> Value {
        let functions = offset_of!(Context, functions) as i32;
        let functions = self.b.ins().load(I64, context_flags(), self.context, functions);
        let (enter, shape) = (offset_of!(Callable, enter), offset_of!(Callable, shape));
        match callee {
            Callee::Function(function) => {
                let at = function as usize * size_of::<Callable>() + enter;
                let code = self.b.ins().load(I64, context_flags(), functions, at as i32);
                let none = self.b.ins().icmp_imm(IntCC::Equal, code, 0);
                self.exit_if(none, number);
                code
            }
            Callee::Address(address, wanted) => {
                let address = self.get(address, 8);
                let address = self.cast(address, I64);
                let function = self.b.ins().iadd_imm(address, (FUNCTION_WINDOW as i64).wrapping_neg());
                let count = offset_of!(Context, function_count) as i32;
                let count = self.b.ins().load(I64, context_flags(), self.context, count);
                let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, function, count);
                self.exit_if(outside, number);
                let its = self.b.ins().imul_imm(function, size_of::<Callable>() as i64);
                let its = self.b.ins().iadd(functions, its);
                let shape = self.b.ins().load(I64, page_flags(), its, shape as i32);
                let other = self.b.ins().icmp_imm(IntCC::NotEqual, shape, wanted.get() as i64);
                self.exit_if(other, number);
                self.b.ins().load(I64, page_flags(), its, enter as i32)
            }
        }
    }

    /// Records that the function waits at call `number`, inside which the interpreter continues: writes live
    /// registers back to the frame, and adds the call to the context's list.
    fn record_waiting_call(&mut self, number: u32) {
        self.store_live(number + 1);
        let (calls, count) = (offset_of!(Context, calls), offset_of!(Context, call_count) as i32);
        let calls = self.b.ins().load(I64, context_flags(), self.context, calls as i32);
        let before = self.b.ins().load(I64, mutable_context_flags(), self.context, count);
        let at = self.b.ins().imul_imm(before, size_of::<u32>() as i64);
        let at = self.b.ins().iadd(calls, at);
        let number = self.b.ins().iconst(I32, i64::from(number));
        self.b.ins().store(mutable_context_flags(), number, at, 0);
        let after = self.b.ins().iadd_imm(before, 1);
        self.b.ins().store(mutable_context_flags(), after, self.context, count);
    }

    /// Emits a function's prologue: refuses the call if a check of limits is due or there is not enough room;
    /// otherwise allocates the function's variables and receives the arguments. Returns the cells that have been
    /// loaded.
    pub fn emit_prologue(&mut self) -> Vec<usize> {
        let region = self.region;
        let frame = &region.frame;
        let refuse = self.b.create_block();
        self.b.set_cold_block(refuse);
        let before = self.b.use_var(self.state.count);
        let count = self.b.ins().iadd_imm(before, -frame.counted);
        let check_limits_at = self.b.ins().load(
            I64,
            context_flags(),
            self.context,
            offset_of!(Context, check_limits_at) as i32,
        );
        let is_due = self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, count, check_limits_at);
        self.refuse_if(is_due, refuse);
        let room = self.b.use_var(self.state.room);
        let room = self.b.ins().iadd_imm(room, -frame.charge);
        let full = self.b.ins().icmp_imm(IntCC::SignedLessThan, room, 0);
        self.refuse_if(full, refuse);
        let here = self.b.current_block();
        self.b.switch_to_block(refuse);
        self.b.seal_block(refuse);
        self.return_exit(CodeExit::REFUSED as i64, before);
        if let Some(here) = here {
            self.b.switch_to_block(here);
        }
        self.b.def_var(self.state.count, count);
        self.b.def_var(self.state.room, room);
        self.allocate_variables(frame);
        self.receive(&frame.params)
    }

    fn refuse_if(&mut self, condition: Value, refuse: Block) {
        let on = self.b.create_block();
        self.b.ins().brif(condition, refuse, &[], on, &[]);
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }

    /// Emits a return: passes the results, frees the function's variables, and returns to the caller.
    pub fn emit_return(&mut self, results: &[FrameRange], counted: i64) {
        self.pass(results);
        self.free_variables(self.region.frame.local_bytes);
        let count = self.b.use_var(self.state.count);
        let count = self.b.ins().iadd_imm(count, counted);
        self.return_exit(CodeExit::RETURNED as i64, count);
    }

    /// Copies ranges of the frame to [`Context::passed`], as arguments or results.
    fn pass(&mut self, ranges: &[FrameRange]) {
        for (place, &range) in passed_offsets(ranges).0.into_iter().zip(ranges) {
            let to = offset_of!(Context, passed) as i32 + place as i32;
            if let Some(cell) = self.cells.cell_of(range) {
                let value = self.b.use_var(self.variable(cell).0);
                self.b.ins().store(mutable_context_flags(), value, self.context, to);
                continue;
            }
            self.store_parts(&[range]);
            for (at, kind) in pieces(range.1) {
                let value = self.b.ins().load(kind, frame_flags(), self.frame, (range.0 + at) as i32);
                self.b.ins().store(mutable_context_flags(), value, self.context, to + at as i32);
            }
        }
    }

    /// Writes the cells back to the frame that overlap one of these ranges without being exactly that range.
    fn store_parts(&mut self, ranges: &[FrameRange]) {
        let cells = self.cells;
        for &range in ranges.iter().filter(|&&range| cells.cell_of(range).is_none()) {
            for cell in cells.overlapping(range) {
                self.store_cell(cell);
            }
        }
    }

    /// Copies what was passed in [`Context::passed`] to ranges of the frame. Returns the cells that have been
    /// loaded with it.
    fn receive(&mut self, ranges: &[FrameRange]) -> Vec<usize> {
        let mut taken = Vec::new();
        for (place, &range) in passed_offsets(ranges).0.into_iter().zip(ranges) {
            let from = offset_of!(Context, passed) as i32 + place as i32;
            if let Some(cell) = self.cells.cell_of(range) {
                let (variable, kind) = self.variable(cell);
                let value = self.b.ins().load(kind, mutable_context_flags(), self.context, from);
                self.b.def_var(variable, value);
                taken.push(cell);
                continue;
            }
            let parts: Vec<usize> = self.cells.overlapping(range).collect();
            for (at, kind) in pieces(range.1) {
                let value = self.b.ins().load(kind, mutable_context_flags(), self.context, from + at as i32);
                self.b.ins().store(frame_flags(), value, self.frame, (range.0 + at) as i32);
            }
            parts.iter().for_each(|&cell| self.load_cell(cell));
            taken.extend(parts);
        }
        taken
    }

    /// Allocates a function's variables on the program's stack as the interpreter does: makes them accessible, and
    /// fills them with the mark for values never written.
    fn allocate_variables(&mut self, frame: &Frame) {
        let &Frame { local_bytes, stack_bytes, ref gaps, .. } = frame;
        if local_bytes == 0 {
            return;
        }
        let variables = self.b.use_var(self.state.variables);
        let variables = self.b.ins().iadd_imm(variables, -(stack_bytes as i64));
        self.b.def_var(self.state.variables, variables);
        self.set_counts((0, local_bytes), 8);
        gaps.iter().for_each(|&gap| self.set_counts(gap, 0));
        let data = self.in_stack(offset_of!(StackBytes, data));
        let at = self.b.ins().iadd(data, variables);
        let mark = u64::from(UNWRITTEN);
        self.fill(memory_flags(), at, local_bytes, mark << 32 | mark);
    }

    /// Frees a function's variables: makes them inaccessible.
    fn free_variables(&mut self, local_bytes: u64) {
        if local_bytes != 0 {
            self.set_counts((0, local_bytes), 0);
        }
    }

    fn in_stack(&mut self, field: usize) -> Value {
        let at = offset_of!(Context, stack) + field;
        self.b.ins().load(I64, context_flags(), self.context, at as i32)
    }

    /// Sets how many bytes of each eight-byte granule of the variables may be accessed, for `bytes` bytes from an offset
    /// on: `count` is 8 or 0.
    fn set_counts(&mut self, (offset, bytes): (u64, u64), count: u64) {
        let counts = self.in_stack(offset_of!(StackBytes, counts));
        let variables = self.b.use_var(self.state.variables);
        let granule = self.b.ins().ushr_imm(variables, 3);
        let at = self.b.ins().iadd(counts, granule);
        let at = self.b.ins().iadd_imm(at, (offset / 8) as i64);
        let whole = bytes / 8;
        self.fill(page_flags(), at, whole, count * 0x0101_0101_0101_0101);
        if !bytes.is_multiple_of(8) {
            let rest = if count == 0 { 0 } else { bytes % 8 };
            let rest = self.b.ins().iconst(I8, rest as i64);
            let at = self.b.ins().iadd_imm(at, whole as i64);
            self.b.ins().store(page_flags(), rest, at, 0);
        }
    }

    /// Fills `bytes` bytes at `at` with the eight bytes of `eight`, repeated.
    fn fill(&mut self, flags: MemFlags, at: Value, bytes: u64, eight: u64) {
        let value = self.b.ins().iconst(I64, eight as i64);
        let whole = bytes / 8 * 8;
        let end = self.b.ins().iadd_imm(at, whole as i64);
        if whole / 8 <= MAX_UNROLLED {
            for n in 0..whole / 8 {
                self.b.ins().store(flags, value, at, n as i32 * 8);
            }
        } else {
            let (next, on) = (self.b.create_block(), self.b.create_block());
            self.b.append_block_param(next, I64);
            self.b.ins().jump(next, &[at.into()]);
            self.b.switch_to_block(next);
            let here = self.b.block_params(next)[0];
            self.b.ins().store(flags, value, here, 0);
            let after = self.b.ins().iadd_imm(here, 8);
            let is_end = self.b.ins().icmp(IntCC::Equal, after, end);
            self.b.ins().brif(is_end, on, &[], next, &[after.into()]);
            self.b.seal_block(next);
            self.b.switch_to_block(on);
            self.b.seal_block(on);
        }
        let mut left = eight;
        for (at, kind) in pieces((bytes - whole) as u32) {
            let value = self.b.ins().iconst(kind, left as i64 & (u64::MAX >> (64 - kind.bits())) as i64);
            self.b.ins().store(flags, value, end, at as i32);
            left >>= kind.bits();
        }
    }
}
