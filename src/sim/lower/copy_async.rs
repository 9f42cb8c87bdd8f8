//! `cp.async`: a load into hidden registers, and a store. The simulator moves the bytes at once; observers are
//! notified which groups they belong to and when those are waited for.

use super::function::{FunctionLowering, Lowered};
use super::memory::{AddressSource, operands_of, plain_access};
use crate::code::{Guard, System};
use crate::counts::Class;
use crate::lanes::File;
use crate::memory::access::{Action, MemoryOp, Role, Space};
use ptx::{Immediate, Instruction, Operand};

/// Details of [`System::AsyncWait`]: commit a group; wait for all copies; or wait for all but the last N groups,
/// encoded as `WAIT_GROUP + N`.
pub const COMMIT: u32 = 0;
pub const WAIT_ALL: u32 = 1;
pub const WAIT_GROUP: u32 = 2;

/// Creates one half of a copy, which moves `words` words through consecutive registers.
fn access(action: Action, at: (Space, u32, i64), words: u32, first: u32) -> MemoryOp {
    let registers: Vec<u32> = (first..).take(words as usize).collect();
    let role = Role { copy: true, ..Role::default() };
    MemoryOp { role, ..plain_access(action, at, (4, File::R32), &registers) }
}

impl<'a> FunctionLowering<'_, 'a> {
    pub fn copy_async(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        if i.has("bulk") {
            return self.copy_bulk(i);
        }
        if i.has("mbarrier") {
            return Err(String::new());
        }
        let step = match &i.operands[..] {
            _ if i.has("commit_group") => Some(COMMIT),
            _ if i.has("wait_all") => Some(WAIT_ALL),
            [Operand::Immediate(Immediate::Int(pending))] if i.has("wait_group") => {
                Some((*pending).clamp(0, 1 << 20) as u32 + WAIT_GROUP)
            }
            _ if i.has("wait_group") => return Err("its operands".into()),
            _ => None,
        };
        if let Some(step) = step {
            // It copies nothing, and is not counted as a copy.
            self.system(System::AsyncWait, 0, [0; 4], step);
            return Ok(());
        }
        let [to, from, size, rest @ ..] = operands_of(i) else { return Err("its operands".into()) };
        let Operand::Immediate(Immediate::Int(bytes @ (4 | 8 | 16))) = size else {
            return Err("its size".into());
        };
        let words = (*bytes / 4) as u32;
        let first = self.allocate(File::R32, words);
        let address = |place: AddressSource| match place {
            AddressSource::Address { base, offset, .. } => Ok((base, offset)),
            _ => Err("its address".to_string()),
        };
        let place = self.place(from)?;
        let source = address(place)?;
        let place = self.place(to)?;
        let target = address(place)?;
        self.count_as(Class::Async);
        let load = access(Action::Load, (Space::Global, source.0, source.1), words, first);
        // A byte count equal to the whole size, as `__pipeline_memcpy_async` passes it, has no effect.
        let is_part = |o: &&Operand| match o {
            Operand::Sink => false,
            Operand::Immediate(Immediate::Int(count)) => count != bytes,
            _ => true,
        };
        match rest.iter().find(is_part) {
            None => self.push_memory(load),
            Some(count) => {
                let count = self.source(count, File::R32)?;
                let (outer, last) = (self.current.guard, *bytes as u32 - 1);
                self.guarded_by("setp.gt.u32", count, last, outer)?;
                self.push_memory(load);
                // Threads that copy less load word by word.
                self.guarded_by("setp.le.u32", count, last, outer)?;
                for k in 0..words {
                    self.word_or_zero(source, count, k * 4, first + k)?;
                }
                self.current.guard = outer;
            }
        }
        self.push_memory(access(Action::Store, (Space::Shared, target.0, target.1), words, first));
        Ok(())
    }

    /// Loads the word of the source at byte `at`; bytes from `count` on are zero and are not read.
    fn word_or_zero(&mut self, source: (u32, i64), count: u32, at: u32, word: u32) -> Lowered<()> {
        let zero = self.immediate(File::R32, 0);
        self.row("mov.b32", word, &[zero])?;
        let from = source.1 + at as i64;
        let outer = self.current.guard;
        self.guarded(count, at + 3, outer)?;
        self.push_memory(access(Action::Load, (Space::Global, source.0, from), 1, word));
        self.current.guard = outer;
        // If `count` is not a multiple of four, the last bytes are loaded one by one.
        let whole = self.immediate(File::R32, at as u64 + 3);
        let whole = self.compute("setp.gt.u32", &[count, whole])?;
        let part = self.allocate(File::R32, 1);
        for byte in 0..3 {
            let wanted = self.guarded(count, at + byte, outer)?;
            let none = self.immediate(File::Pred, 0);
            self.current.guard = Guard::new(whole, false);
            self.row("mov.pred", wanted, &[none])?;
            self.current.guard = Guard::new(wanted, false);
            let mut op = access(Action::Load, (Space::Global, source.0, from + byte as i64), 1, part);
            op.element_bytes = 1;
            self.push_memory(op);
            let n = self.immediate(File::R32, byte as u64);
            self.row("%set_byte", word, &[word, part, n])?;
            self.current.guard = outer;
        }
        Ok(())
    }

    /// Sets the guard to hold where `outer` holds and `count` exceeds `least`. Returns the predicate's register.
    pub fn guarded(&mut self, count: u32, least: u32, outer: Guard) -> Lowered<u32> {
        self.guarded_by("setp.gt.u32", count, least, outer)
    }

    /// Sets the guard to hold where `outer` holds and the comparison of `count` with a constant does. Returns the
    /// predicate's register.
    fn guarded_by(
        &mut self,
        comparison: &'static str,
        count: u32,
        constant: u32,
        outer: Guard,
    ) -> Lowered<u32> {
        let wanted = self.allocate(File::Pred, 1);
        let none = self.immediate(File::Pred, 0);
        self.current.guard = Guard::NONE;
        self.row("mov.pred", wanted, &[none])?;
        self.current.guard = outer;
        let constant = self.immediate(File::R32, constant as u64);
        self.row(comparison, wanted, &[count, constant])?;
        self.current.guard = Guard::new(wanted, false);
        Ok(wanted)
    }
}
