//! The longest chain of dependent instructions through a basic block: what a warp that has the
//! machine to itself waits for.
//!
//! Instructions issue in order and wait for their operands; a compiler moves loads up as far as
//! earlier stores allow (it can't know that they go elsewhere), so loads between two stores that
//! don't depend on each other are under way together. What a block's end leaves under way counts as
//! waited for: the next block nearly always needs it.

use super::function::Draft;
use super::{copy_async, sass_cost};
use crate::code::{CollectiveKind, CriticalPath, DecodedModule, System, What};
use crate::counts::Class;
use crate::lanes::{FIXED, File};
use crate::memory::access::Action;
use std::collections::HashMap;

/// What an instruction's result takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// Gone in machine code, or not waited for.
    Nothing,
    Arithmetic,
    Special,
    Shared,
    Global,
}

fn wait(class: Class) -> Wait {
    match class {
        Class::IntAdd
        | Class::IntMul
        | Class::Logic
        | Class::Float16
        | Class::Float16Pair
        | Class::Float32
        | Class::Float64
        | Class::Compare
        | Class::Branch => Wait::Arithmetic,
        Class::Special => Wait::Special,
        // Local memory is nearly always in the first-level cache.
        Class::LoadShared | Class::LoadLocal | Class::Warp => Wait::Shared,
        Class::LoadGlobal | Class::Atomic => Wait::Global,
        _ => Wait::Nothing,
    }
}

/// When something is there: the chain up to it.
type At = CriticalPath;

fn later(a: At, b: At) -> At {
    if b.cycles() > a.cycles() { b } else { a }
}

#[derive(Default)]
struct Walk {
    /// When each register of the block that was written in it is there.
    ready: HashMap<(File, u32), At>,
    /// Before these, no load of shared or of other memory can be moved up.
    shared_store: At,
    other_store: At,
    end: At,
}

impl Walk {
    fn source(&self, at: At, file: File, register: u32) -> At {
        if register & FIXED != 0 {
            return at;
        }
        self.ready.get(&(file, register)).map_or(at, |ready| later(at, *ready))
    }

    /// An instruction with these operands; `stays`: its result counts even if the block never uses it.
    fn result(&mut self, from: At, wait: Wait, writes: &[(File, u32)], stays: bool) {
        let mut at = from;
        match wait {
            Wait::Nothing => {}
            Wait::Arithmetic => at.arithmetic += 1,
            Wait::Special => at.special += 1,
            Wait::Shared => at.shared += 1,
            Wait::Global => at.global += 1,
        }
        for write in writes {
            self.ready.insert(*write, at);
        }
        if stays {
            self.end = later(self.end, at);
        }
    }
}

/// The chain through `drafts`, one basic block; `counts` says which of them cost anything, and
/// `loops` whether they are a loop.
pub fn longest(drafts: &[Draft], counts: &[bool], loops: bool, code: &DecodedModule) -> CriticalPath {
    let mut divisors = sass_cost::Divisors::of(drafts, loops);
    let mut walk = Walk::default();
    let mut class = Class::Other;
    for (draft, &counts) in drafts.iter().zip(counts) {
        let inst = &draft.inst;
        class = draft.class.unwrap_or(class);
        let mut from = At::default();
        if let Some(predicate) = inst.guard.register() {
            from = walk.source(from, File::Pred, predicate);
        }
        if let Some(row) = draft.row {
            for (&register, &file) in inst.s.iter().zip(row.sources) {
                from = walk.source(from, file, register);
            }
            // The second and later parts of one instruction go with the first.
            let costs = counts && draft.class.is_some();
            if let Some(its) = divisors.pass(draft).filter(|_| costs) {
                from.arithmetic += its.chain;
                from.special += its.special_chain;
            }
            let wait = if costs { wait(class) } else { Wait::Nothing };
            walk.result(from, wait, &[(row.dest, inst.d)], true);
            continue;
        }
        match inst.what {
            What::Memory => {
                let Some(op) = code.memory.get(inst.detail as usize) else { continue };
                from = walk.source(from, File::R64, op.base);
                let shared = matches!(class, Class::LoadShared | Class::StoreShared);
                match op.action {
                    Action::Load => {
                        from = later(from, if shared { walk.shared_store } else { walk.other_store });
                        let wait = if draft.class.is_some() { wait(class) } else { Wait::Nothing };
                        walk.result(from, wait, &draft.writes, true);
                    }
                    Action::Store => {
                        for &register in op.registers.iter().take(op.elements as usize) {
                            from = walk.source(from, op.file, register);
                        }
                        let store = if shared { &mut walk.shared_store } else { &mut walk.other_store };
                        *store = later(*store, from);
                        walk.end = later(walk.end, from);
                    }
                    Action::Atomic { operand, comparand, .. } => {
                        from = walk.source(from, op.file, operand);
                        from = walk.source(from, op.file, comparand);
                        walk.other_store = later(walk.other_store, from);
                        walk.result(from, Wait::Global, &draft.writes, false);
                        walk.end = later(walk.end, from);
                    }
                }
            }
            What::Collective => {
                let matrix = code.collectives.get(inst.detail as usize).is_some_and(|op| {
                    matches!(op.kind, CollectiveKind::Matrix(_) | CollectiveKind::Group(_))
                });
                from = walk.source(from, File::R32, inst.s[0]);
                let wait = if matrix || draft.class.is_none() { Wait::Nothing } else { wait(class) };
                walk.result(from, wait, &draft.writes, true);
            }
            // Copies that run ahead are awaited when more were begun since; the last ones when they are
            // needed.
            What::System(System::AsyncWait)
                if matches!(inst.detail, copy_async::WAIT_ALL | copy_async::WAIT_GROUP) =>
            {
                walk.result(from, Wait::Global, &draft.writes, true);
            }
            _ => {
                let wait = if draft.class.is_some() { wait(class) } else { Wait::Nothing };
                walk.result(from, wait, &draft.writes, true);
            }
        }
    }
    walk.end
}
