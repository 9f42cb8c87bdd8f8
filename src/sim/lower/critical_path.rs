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

/// Gone in machine code, or not waited for.
const NOTHING: CriticalPath = CriticalPath { arithmetic: 0, special: 0, shared: 0, global: 0 };
const ARITHMETIC: CriticalPath = CriticalPath { arithmetic: 1, ..NOTHING };
const SPECIAL: CriticalPath = CriticalPath { special: 1, ..NOTHING };
const SHARED: CriticalPath = CriticalPath { shared: 1, ..NOTHING };
const GLOBAL: CriticalPath = CriticalPath { global: 1, ..NOTHING };

/// What is waited for until an instruction's result is there.
fn wait(class: Class) -> CriticalPath {
    match class {
        Class::IntAdd
        | Class::IntMul
        | Class::Logic
        | Class::Float16
        | Class::Float16Pair
        | Class::Float32
        | Class::Float64
        | Class::Compare
        | Class::Branch => ARITHMETIC,
        Class::Special => SPECIAL,
        // Local memory is nearly always in the first-level cache.
        Class::LoadShared | Class::LoadLocal | Class::Warp => SHARED,
        Class::LoadGlobal | Class::Atomic => GLOBAL,
        _ => NOTHING,
    }
}

/// When something is there: the chain up to it, and the instruction that it ends with.
#[derive(Clone, Copy, Default)]
struct At {
    path: CriticalPath,
    last: Option<usize>,
}

fn later(a: At, b: At) -> At {
    if b.path.cycles() > a.path.cycles() { b } else { a }
}

/// The longest chain of a basic block.
#[derive(Debug, Default)]
pub struct Longest {
    pub path: CriticalPath,
    /// What each of its instructions adds, by number in the block; rising.
    pub steps: Vec<(usize, CriticalPath)>,
}

#[derive(Default)]
struct Walk {
    /// When each register of the block that was written in it is there.
    ready: HashMap<(File, u32), At>,
    /// Before these, no load of shared or of other memory can be moved up.
    shared_store: At,
    other_store: At,
    end: At,
    /// Of each instruction with a result: the chain up to its operands, and with it.
    chains: HashMap<usize, (At, At)>,
}

impl Walk {
    fn source(&self, at: At, file: File, register: u32) -> At {
        if register & FIXED != 0 {
            return at;
        }
        self.ready.get(&(file, register)).map_or(at, |ready| later(at, *ready))
    }

    /// Instruction `n` with these operands, and steps of its own; `stays`: its result counts even if the block never
    /// uses it.
    fn result(&mut self, n: usize, from: At, own: CriticalPath, writes: &[(File, u32)], stays: bool) {
        let mut at = from;
        if own != CriticalPath::default() {
            at = At { path: from.path.then(own), last: Some(n) };
            self.chains.insert(n, (from, at));
        }
        for write in writes {
            self.ready.insert(*write, at);
        }
        if stays {
            self.end = later(self.end, at);
        }
    }

    /// The chain to the end.
    fn longest(&self) -> Longest {
        let mut steps = Vec::new();
        let mut last = self.end.last;
        while let Some((n, (from, with))) = last.and_then(|n| Some((n, self.chains.get(&n)?))) {
            steps.push((n, with.path.minus(from.path)));
            last = from.last;
        }
        steps.reverse();
        Longest { path: self.end.path, steps }
    }
}

/// The chain through `drafts`, one basic block; `counts` says which of them cost anything, and
/// `loops` whether they are a loop.
pub fn longest(drafts: &[Draft], counts: &[bool], loops: bool, code: &DecodedModule) -> Longest {
    let mut divisors = sass_cost::Divisors::of(drafts, loops);
    let mut walk = Walk::default();
    let mut class = Class::Other;
    for (n, (draft, &counts)) in drafts.iter().zip(counts).enumerate() {
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
            let mut own = if costs { wait(class) } else { CriticalPath::default() };
            if let Some(its) = divisors.pass(draft).filter(|_| costs) {
                own.arithmetic += its.chain;
                own.special += its.special_chain;
            }
            walk.result(n, from, own, &[(row.dest, inst.d)], true);
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
                        let wait = if draft.class.is_some() { wait(class) } else { NOTHING };
                        walk.result(n, from, wait, &draft.writes, true);
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
                        walk.result(n, from, GLOBAL, &draft.writes, false);
                        walk.end = later(walk.end, from);
                    }
                }
            }
            What::Collective => {
                let matrix = code.collectives.get(inst.detail as usize).is_some_and(|op| {
                    matches!(op.kind, CollectiveKind::Matrix(_) | CollectiveKind::Group(_))
                });
                from = walk.source(from, File::R32, inst.s[0]);
                let wait = if matrix || draft.class.is_none() { NOTHING } else { wait(class) };
                walk.result(n, from, wait, &draft.writes, true);
            }
            // Copies that run ahead are awaited when more were begun since; the last ones when they are
            // needed.
            What::System(System::AsyncWait)
                if matches!(inst.detail, copy_async::WAIT_ALL | copy_async::WAIT_GROUP) =>
            {
                walk.result(n, from, GLOBAL, &draft.writes, true);
            }
            _ => {
                let wait = if draft.class.is_some() { wait(class) } else { NOTHING };
                walk.result(n, from, wait, &draft.writes, true);
            }
        }
    }
    walk.longest()
}
