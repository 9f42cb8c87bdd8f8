//! Entering machine code, and returning to the interpreter.

use super::hot::CODE_ROOM;
use super::{CodeExit, LastPage, passed_offsets};
use crate::host::op::{HostProgram, Kind, Op};
use crate::host::thread::{CallFrame, HostThread};

impl HostThread<'_> {
    /// Runs the machine code in place of the current operation. Afterwards the current operation is the one
    /// before which it exited, or `EXTERNAL_CALLER`.
    pub(in crate::host) fn run_compiled(&mut self, op: &Op, program: &HostProgram) {
        // A check of limits is due at the next jump, whichever it is.
        if self.count >= self.check_limits_at {
            return;
        }
        let Some(changes) = self.memory.changes() else { return };
        let room = self.code_room(program);
        let variables = self.memory.stack_pointer();
        let before = self.instructions();
        let frame = self.frame();
        let Some(compiled) = &mut self.compiled else { return };
        let number = op.target as usize;
        let context = &mut *compiled.context;
        if compiled.changes != Some(changes) {
            let Some((windows, stack)) = self.memory.windows() else { return };
            (context.windows, context.stack) = (windows, stack);
            compiled.last_pages.fill(LastPage::NONE);
            compiled.changes = Some(changes);
        }
        (context.check_limits_at, context.bulk_from) = (self.check_limits_at, self.bulk_from);
        context.call_count = 0;
        let entrance = &compiled.entrances[number];
        let (enter, entry) = (compiled.regions[entrance.region].enter, entrance.entry);
        // SAFETY: the emitter's promise; the operation names an entry of the region, whose function's frame is
        // the current one. There is room for the frames, stack and calls of what the code calls, and the
        // regions that `Context::functions` leads to live as long as this thread's code.
        let code_exit = unsafe { enter(context, frame, entry, room, self.count, variables) };
        self.count = code_exit.count;
        match code_exit.at {
            CodeExit::RETURNED => self.returned(program),
            at => self.resume_at_exit(program, at as u32),
        }
        let ran = self.instructions() as i64 - before as i64;
        self.ran_compiled += ran.unsigned_abs();
        if let Some(compiled) = &mut self.compiled {
            compiled.judge(number, ran);
        }
    }

    /// Returns what calls within code may use up in total: so little that the interpreter would not refuse one
    /// of them.
    fn code_room(&mut self, program: &HostProgram) -> i64 {
        let end = self.base + program.functions[self.function as usize].frame_bytes as usize;
        if !self.reserve_frames(end + CODE_ROOM) {
            return 0;
        }
        self.call_room().min(self.memory.room()).min(CODE_ROOM as u64) as i64
    }

    /// Completes the return of the function whose code was entered.
    fn returned(&mut self, program: &HostProgram) {
        let callee = &program.functions[self.function as usize];
        self.memory.record_leave(callee.local_bytes);
        if let Some(compiled) = self.compiled.as_ref().filter(|_| !callee.returns.is_empty()) {
            let passed = compiled.context.passed;
            let base = self.base;
            for (place, &(start, bytes)) in passed_offsets(&callee.returns).0.into_iter().zip(&callee.returns)
            {
                let words = passed[place as usize / 8..].iter().flat_map(|word| word.to_le_bytes());
                let to = self.frame_bytes(base, start, bytes as usize);
                to.iter_mut().zip(words).for_each(|(to, from)| *to = from);
            }
        }
        self.return_to_caller(program);
    }

    /// Continues before the operation at which code exited, after pushing the callers within the code as
    /// waiting.
    fn resume_at_exit(&mut self, program: &HostProgram, at: u32) {
        if let Some(compiled) = self.compiled.as_ref().filter(|compiled| compiled.context.call_count != 0) {
            let calls = compiled.calls[..compiled.context.call_count as usize].to_vec();
            for (n, &pc) in calls.iter().enumerate().rev() {
                let inside = if n == 0 { at } else { calls[n - 1] };
                self.push_caller(program, pc, inside);
            }
        }
        self.pc = at;
        let op = &program.ops[at as usize];
        if op.kind == Kind::Call {
            self.record_exit_at_call(op);
        }
    }

    /// Lets the running function wait at a call. Its callee, which code has begun and which contains the
    /// operation `inside`, becomes the running function.
    fn push_caller(&mut self, program: &HostProgram, call: u32, inside: u32) {
        let around = self.compiled.as_ref().and_then(|compiled| compiled.functions.around(inside));
        let Some((number, _)) = around else { return };
        let base = self.base + program.functions[self.function as usize].frame_bytes as usize;
        let callee = &program.functions[number as usize];
        self.call_stack.push(CallFrame { function: self.function, base: self.base, pc: call });
        (self.function, self.base) = (number, base);
        self.memory.record_enter(callee.local_bytes);
        self.place_constants(callee, base);
    }
}
