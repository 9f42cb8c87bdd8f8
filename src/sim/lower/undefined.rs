//! Variables that have no value yet: `float sum;` and then `sum += x`.
//!
//! The compiler gives such a variable a register that is read before anything was written to it. A
//! register that the text of a function reads first is suspect; whether a thread really reads it
//! too early is decided while it runs. Each suspect, and each register computed from one, gets a
//! shadow predicate: true in the lanes where it has no value. What a program can notice is checked:
//! a value stored, an address, a branch.
//!
//! What it does not see: values that go through calls, shuffles or matrix operations, that are stored
//! as part of a vector, and variables for which the compiler itself picked a value.

use super::function::{Draft, FunctionLowering, Lowered};
use crate::sim::code::{Fixed, Guard, Inst, System, What};
use crate::sim::lanes::{FIXED, File};
use crate::sim::memory::access::{Action, MemoryOp, SINK};
use crate::sim::table;
use std::collections::{BTreeMap, BTreeSet, HashSet};

type Register = (File, u32);

impl FunctionLowering<'_, '_> {
    /// Adds to the drafts what watches the registers that may be read without a value. Most
    /// functions have none, and stay as they are.
    pub fn watch_undefined(&mut self) {
        let suspects = self.suspects();
        if suspects.is_empty() || self.oversized {
            return;
        }
        let mut shadows = BTreeMap::new();
        for register in self.derived(&suspects) {
            shadows.insert(register, self.allocate(File::Pred, 1));
        }
        if self.oversized {
            return;
        }
        // An error here means that the table lacks a row for predicates: then nothing is watched.
        let (drafts, labels) = (self.drafts.clone(), self.labels.clone());
        if self.insert_watches(&suspects, &shadows).is_err() {
            (self.drafts, self.labels) = (drafts, labels);
        }
    }

    /// Declared registers that the text reads before it writes them.
    fn suspects(&self) -> BTreeSet<Register> {
        let (mut written, mut suspects) = (HashSet::new(), BTreeSet::new());
        for draft in &self.drafts {
            let unknown = |register: &Register| !written.contains(register) && self.is_declared(*register);
            suspects.extend(self.reads(draft).into_iter().filter(unknown));
            written.extend(writes(draft));
        }
        suspects
    }

    /// The suspects, and what arithmetic makes of them.
    fn derived(&self, suspects: &BTreeSet<Register>) -> BTreeSet<Register> {
        let mut all = suspects.clone();
        loop {
            let before = all.len();
            for draft in self.drafts.iter().filter(|draft| draft.row.is_some()) {
                if self.reads(draft).iter().any(|register| all.contains(register)) {
                    all.extend(writes(draft));
                }
            }
            if all.len() == before {
                return all;
            }
        }
    }

    fn insert_watches(
        &mut self,
        suspects: &BTreeSet<Register>,
        shadows: &BTreeMap<Register, u32>,
    ) -> Lowered<()> {
        let drafts = std::mem::take(&mut self.drafts);
        let guard = self.guard;
        let (yes, no) = (self.truth(true), self.truth(false));
        self.guard = Guard::NONE;
        for (register, &shadow) in shadows {
            self.silently("mov.pred", shadow, &[if suspects.contains(register) { yes } else { no }])?;
        }
        let mut moved = Vec::with_capacity(drafts.len());
        for draft in drafts {
            moved.push(self.drafts.len() as u32);
            self.guard = draft.inst.guard;
            self.place = draft.place;
            self.check(&draft, shadows);
            for target in writes(&draft) {
                if let Some(&shadow) = shadows.get(&target) {
                    self.follow(&draft, shadow, shadows, no)?;
                }
            }
            self.drafts.push(draft);
        }
        // A label at the very start stands behind what initialises the shadows.
        let end = self.drafts.len() as u32;
        for label in self.labels.iter_mut().flatten() {
            *label = moved.get(*label as usize).copied().unwrap_or(end);
        }
        self.guard = guard;
        Ok(())
    }

    /// Whether what a draft computes has a value: where all its sources have; of a choice, where the
    /// chosen one has.
    fn follow(
        &mut self,
        draft: &Draft,
        shadow: u32,
        shadows: &BTreeMap<Register, u32>,
        no: u32,
    ) -> Lowered<()> {
        let Some(row) = draft.row else { return self.silently("mov.pred", shadow, &[no]) };
        let of =
            |n: usize| row.sources.get(n).and_then(|file| shadows.get(&(*file, draft.inst.s[n]))).copied();
        if row.names[0].starts_with("selp.") && (of(0).is_some() || of(1).is_some()) {
            let [a, b, chosen] = [of(0).unwrap_or(no), of(1).unwrap_or(no), draft.inst.s[2]];
            let (first, second, not) =
                (self.allocate(File::Pred, 1), self.allocate(File::Pred, 1), self.allocate(File::Pred, 1));
            self.silently("and.pred", first, &[a, chosen])?;
            self.silently("not.pred", not, &[chosen])?;
            self.silently("and.pred", second, &[b, not])?;
            return self.silently("or.pred", shadow, &[first, second]);
        }
        let mut sources: Vec<u32> = (0..row.sources.len()).filter_map(of).collect();
        sources.dedup();
        match sources.as_slice() {
            [] => self.silently("mov.pred", shadow, &[no]),
            [one] => self.silently("mov.pred", shadow, &[*one]),
            [first, rest @ ..] => {
                let mut sum = *first;
                for (n, next) in rest.iter().enumerate() {
                    let target = if n + 1 == rest.len() { shadow } else { self.allocate(File::Pred, 1) };
                    self.silently("or.pred", target, &[sum, *next])?;
                    sum = target;
                }
                Ok(())
            }
        }
    }

    /// What is noticed when it has no value.
    fn check(&mut self, draft: &Draft, shadows: &BTreeMap<Register, u32>) {
        let noticed: Vec<Register> = match draft.inst.what {
            What::Memory => noticed_by(&self.module.code.memory[draft.inst.detail as usize]),
            What::Branch => draft.inst.guard.register().map(|p| (File::Pred, p)).into_iter().collect(),
            What::BranchIndexed => vec![(File::R32, draft.inst.s[0])],
            _ => Vec::new(),
        };
        for register in noticed {
            if let Some(&shadow) = shadows.get(&register) {
                if matches!(draft.inst.what, What::Branch) {
                    self.guard = Guard::NONE;
                }
                let inst = Inst {
                    what: What::System(System::CheckDefined),
                    guard: self.guard,
                    d: 0,
                    s: [shadow, 0, 0, 0],
                    detail: 0,
                };
                self.push_uncounted(inst, None);
            }
        }
    }

    fn truth(&mut self, value: bool) -> u32 {
        self.module.fixed(File::Pred, Fixed::Immediate(value.into()))
    }

    /// A row that does not count as an instruction of the learner's.
    fn silently(&mut self, name: &str, d: u32, sources: &[u32]) -> Lowered<()> {
        let row = table::find(name, table::DEFAULT_MODE).ok_or_else(|| format!("no row {name}"))?;
        let mut s = [0; 4];
        s.iter_mut().zip(sources).for_each(|(slot, source)| *slot = *source);
        let inst = Inst { what: What::Lanes(row.handler), guard: self.guard, d, s, detail: 0 };
        self.push_uncounted(inst, Some(row));
        Ok(())
    }

    fn push_uncounted(&mut self, inst: Inst, row: Option<&'static table::Row>) {
        self.drafts.push(Draft {
            inst,
            class: None,
            flops: None,
            place: self.place,
            row,
            writes: Vec::new(),
        });
    }

    /// Registers that a draft reads, as far as they are followed.
    fn reads(&self, draft: &Draft) -> Vec<Register> {
        let mut reads: Vec<Register> = match draft.inst.what {
            What::Memory => memory_reads(&self.module.code.memory[draft.inst.detail as usize]),
            What::BranchIndexed => vec![(File::R32, draft.inst.s[0])],
            _ => Vec::new(),
        };
        if let Some(row) = draft.row {
            reads.extend(row.sources.iter().copied().zip(draft.inst.s));
        }
        reads.extend(draft.inst.guard.register().map(|p| (File::Pred, p)));
        reads.retain(|(_, register)| register & FIXED == 0);
        reads
    }
}

fn writes(draft: &Draft) -> impl Iterator<Item = Register> + '_ {
    draft.row.map(|row| (row.dest, draft.inst.d)).into_iter().chain(draft.writes.iter().copied())
}

fn memory_reads(op: &MemoryOp) -> Vec<Register> {
    let mut reads = vec![(File::R64, op.base)];
    match op.action {
        Action::Load => {}
        Action::Store => {
            reads.extend(op.registers[..op.elements as usize].iter().map(|&register| (op.file, register)));
        }
        Action::Atomic { operand, comparand, .. } => reads.extend([(op.file, operand), (op.file, comparand)]),
    }
    reads.retain(|(_, register)| *register != SINK);
    reads
}

fn noticed_by(op: &MemoryOp) -> Vec<Register> {
    let mut reads = memory_reads(op);
    if matches!(op.action, Action::Store) && op.elements > 1 {
        // Parts of a structure that nobody set are copied along with the rest.
        reads.truncate(1);
    }
    reads
}
