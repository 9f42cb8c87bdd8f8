//! The longest chain of dependent instructions through a basic block (its critical path): what a warp that has the
//! multiprocessor to itself waits for.
//!
//! Instructions issue in order and wait for their operands. A compiler hoists loads as far as earlier stores allow
//! (it can't know that they don't alias), so independent loads between two stores are in flight at the same time.
//! Results still in flight at the end of a block count as waited for, since the next block nearly always needs them.

use super::function::Draft;
use super::{copy_async, sass_cost};
use crate::code::registers;
use crate::code::{CollectiveKind, DecodedModule, System, Waits, What};
use crate::counts::Class;
use crate::lanes::{FIXED, File};
use crate::memory::access::Action;
use std::collections::HashMap;

/// For instructions that disappear in machine code, or whose result is not waited for.
const NOTHING: Waits = Waits { arithmetic: 0, special: 0, shared: 0, global: 0 };
const ARITHMETIC: Waits = Waits { arithmetic: 1, ..NOTHING };
const SPECIAL: Waits = Waits { special: 1, ..NOTHING };
const SHARED: Waits = Waits { shared: 1, ..NOTHING };
const GLOBAL: Waits = Waits { global: 1, ..NOTHING };

/// Returns what a dependent instruction waits for before it can use a result of this class.
fn wait(class: Class) -> Waits {
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
        // Local memory nearly always hits the first-level cache.
        Class::LoadShared | Class::LoadLocal | Class::Warp => SHARED,
        Class::LoadGlobal | Class::Atomic => GLOBAL,
        _ => NOTHING,
    }
}

/// The time at which a value is available: the chain that leads to it, and the last instruction of that chain.
#[derive(Clone, Copy, Default)]
struct Availability {
    path: Waits,
    last: Option<usize>,
}

fn later(a: Availability, b: Availability) -> Availability {
    if b.path.cycles() > a.path.cycles() { b } else { a }
}

/// The longest chain of a basic block.
#[derive(Debug, Default)]
pub struct Longest {
    pub path: Waits,
    /// For each instruction on the chain, in ascending order, its index in the block and the steps that it adds.
    pub steps: Vec<(usize, Waits)>,
}

#[derive(Default)]
struct Walk {
    /// For each register written in the block, when its value is available.
    ready: HashMap<(File, u32), Availability>,
    /// Loads of shared memory, or of other memory, can't be hoisted above these stores.
    shared_store: Availability,
    other_store: Availability,
    end: Availability,
    /// For each instruction with a result, the chain up to its operands, and the chain including it.
    chains: HashMap<usize, (Availability, Availability)>,
}

impl Walk {
    fn source(&self, at: Availability, file: File, register: u32) -> Availability {
        if register & FIXED != 0 {
            return at;
        }
        self.ready.get(&(file, register)).map_or(at, |ready| later(at, *ready))
    }

    /// Records that instruction `n`, whose operands are available at `from`, takes the steps `own`. `stays`: its
    /// result counts even if the block never uses it.
    fn result(&mut self, n: usize, from: Availability, own: Waits, writes: &[(File, u32)], stays: bool) {
        let mut at = from;
        if own != Waits::default() {
            at = Availability { path: from.path.then(own), last: Some(n) };
            self.chains.insert(n, (from, at));
        }
        for write in writes {
            self.ready.insert(*write, at);
        }
        if stays {
            self.end = later(self.end, at);
        }
    }

    /// Returns the chain that determines the end of the block.
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

/// Returns the longest chain through `drafts`, which are one basic block. `counts` says for each of them whether it
/// costs anything, and `loops` whether they form a loop.
pub fn longest(drafts: &[Draft], counts: &[bool], loops: bool, code: &DecodedModule) -> Longest {
    let mut divisors = sass_cost::Divisors::of(drafts, loops, code);
    let mut walk = Walk::default();
    let mut class = Class::Other;
    for (n, (draft, &counts)) in drafts.iter().zip(counts).enumerate() {
        let inst = &draft.inst;
        let writes = registers::writes(code, inst, draft.row);
        class = draft.class.unwrap_or(class);
        let mut from = Availability::default();
        if let Some(predicate) = inst.guard.register() {
            from = walk.source(from, File::Pred, predicate);
        }
        if let Some(row) = draft.row {
            for (&register, &file) in inst.s.iter().zip(row.sources) {
                from = walk.source(from, file, register);
            }
            // Further decoded instructions of the same PTX instruction are included in the first.
            let costs = counts && draft.class.is_some();
            let mut own = if costs { wait(class) } else { Waits::default() };
            if let Some(its) = divisors.pass(draft).filter(|_| costs) {
                own.arithmetic += u64::from(its.chain);
                own.special += u64::from(its.special_chain);
            }
            walk.result(n, from, own, &writes, true);
            continue;
        }
        match inst.what {
            What::Memory => {
                let Some(op) = code.details.memory.get(inst.detail as usize) else { continue };
                from = walk.source(from, File::R64, op.base);
                let shared = matches!(class, Class::LoadShared | Class::StoreShared);
                match op.action {
                    Action::Load => {
                        from = later(from, if shared { walk.shared_store } else { walk.other_store });
                        let wait = if draft.class.is_some() { wait(class) } else { NOTHING };
                        // The store of an asynchronous copy does not hold up what follows.
                        let writes = if op.role.copy { &[][..] } else { &writes };
                        walk.result(n, from, wait, writes, true);
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
                        walk.result(n, from, GLOBAL, &writes, false);
                        walk.end = later(walk.end, from);
                    }
                }
            }
            What::Collective => {
                let matrix = code.details.collectives.get(inst.detail as usize).is_some_and(|op| {
                    matches!(op.kind, CollectiveKind::Matrix(_) | CollectiveKind::Group(_))
                });
                from = walk.source(from, File::R32, inst.s[0]);
                let wait = if matrix || draft.class.is_none() { NOTHING } else { wait(class) };
                walk.result(n, from, wait, &writes, true);
            }
            // Asynchronous copies that run ahead are waited for after more have been issued; only the last ones are
            // waited for when they are needed.
            What::System(System::AsyncWait)
                if matches!(inst.detail, copy_async::WAIT_ALL | copy_async::WAIT_GROUP) =>
            {
                walk.result(n, from, GLOBAL, &writes, true);
            }
            _ => {
                if let What::System(System::Texture | System::Surface) = inst.what {
                    let reads = registers::reads(code, inst, None);
                    from = reads.into_iter().fold(from, |from, (file, its)| walk.source(from, file, its));
                }
                let wait = if draft.class.is_some() { wait(class) } else { NOTHING };
                walk.result(n, from, wait, &writes, true);
            }
        }
    }
    walk.longest()
}
