//! Detection of variables that have no value yet: `float sum;` and then `sum += x`.
//!
//! The compiler assigns such a variable a register that is read before anything was written to it. A register that
//! may be read first is suspect ([`super::definite_assignment`]); whether a thread really reads it too early is
//! decided at run time. Each suspect, and each register computed from one, gets a shadow predicate: true in the lanes
//! where the register has no value. Uses that the program can observe are checked: a stored value, an address, a
//! branch, the inputs of a matrix operation, an atomic or a vote.
//!
//! A register without a value holds poison, the same in every thread, rather than what another block or call left
//! there. So results don't depend on the order of blocks.
//!
//! Where a loop is unrolled, the compiler notices that a variable has no value, and replaces what is computed from it
//! by a NaN: an `x + NaN` remains in the code, which no programmer writes, and is reported as well.
//!
//! A variable that is stored as one of several elements is no mistake, since parts of a structure that nobody set are
//! copied along with the rest of it; a value that was computed from one is.
//!
//! Limitations: values are not followed through calls or shuffles; nor are variables detected for which the compiler itself picked a value, since no trace of them is left: a NaN that is
//! stored may be intended, and for integers even the store is omitted.

use super::function::{Draft, FunctionLowering, Lowered, row_named};
use crate::code::registers::{Register, memory_reads, values_of};
use crate::code::{CollectiveKind, Fixed, Guard, Inst, ParamSlot, System, What};
use crate::lanes::File;
use crate::memory::access::{Action, MemoryOp};
use crate::memory::global::{POISON_DOUBLE, POISON_WORD};
use crate::table;
use ptx::{Immediate, Operand};
use std::collections::{BTreeMap, BTreeSet};

/// What the compiler substitutes for arithmetic on an undefined value: LLVM's NaN.
const FOLDED_F32: u32 = 0x7fc0_0000;
const FOLDED_F64: u64 = 0x7ff8_0000_0000_0000;

/// The registers of a function that may have no value.
struct Watched {
    /// For each, the predicate that is true in the lanes where it has none.
    shadows: BTreeMap<Register, u32>,
    /// Those whose values come from arithmetic.
    computed: BTreeSet<Register>,
}

impl FunctionLowering<'_, '_> {
    /// Adds drafts that poison and watch the registers that may be read without a value. Most functions have none,
    /// and remain unchanged.
    pub fn watch_undefined(&mut self, params: &[ParamSlot], returns: &[ParamSlot]) {
        if self.frame.oversized {
            return;
        }
        let unassigned = self.unassigned(params, returns);
        // Registers that lowering allocated are not variables.
        let mut suspects = unassigned.registers.clone();
        suspects.retain(|&register| {
            unassigned.exact && self.frame.is_declared(register) && !self.is_masked_out(register)
        });
        self.watch(&suspects);
        if !self.frame.oversized {
            self.poison(&unassigned.registers, &suspects);
        }
    }

    /// Reports arithmetic on the NaN that the compiler substitutes for an undefined value. In other instructions such
    /// a NaN may be intended: as a marker for missing data, or as the initial value of a maximum.
    pub fn report_folded_nan(&mut self, row: &table::Row, sources: &[Operand]) {
        let adds = row.begins(&["add.", "sub.", "mul.", "fma.", "div."]);
        let is_folded = |operand: &Operand| {
            matches!(operand, Operand::Immediate(Immediate::F32(FOLDED_F32) | Immediate::F64(FOLDED_F64)))
        };
        if adds && sources.iter().any(is_folded) {
            let yes = self.truth(true);
            self.push_check(yes);
        }
    }

    fn watch(&mut self, suspects: &BTreeSet<Register>) {
        if suspects.is_empty() {
            return;
        }
        let mut shadows = BTreeMap::new();
        // The suspects, and all registers computed from them by arithmetic.
        for register in self.closure(suspects.clone(), |row| row.is_some()) {
            shadows.insert(register, self.allocate(File::Pred, 1));
        }
        if self.frame.oversized {
            return;
        }
        let computed = self.computed(&shadows);
        // An error means that the table lacks a row for predicates; then nothing is watched.
        let (drafts, labels) = (self.drafts.clone(), self.flow.labels.clone());
        if self.insert_watches(suspects, &Watched { shadows, computed }).is_err() {
            (self.drafts, self.flow.labels) = (drafts, labels);
        }
    }

    /// Inserts at the start of the function the drafts that poison these registers, some of which are variables.
    fn poison(&mut self, registers: &BTreeSet<Register>, variables: &BTreeSet<Register>) {
        let drafts = std::mem::take(&mut self.drafts);
        let guard = std::mem::replace(&mut self.current.guard, Guard::NONE);
        for &(file, register) in registers {
            let (name, bits) = match file {
                File::R32 => ("mov.b32", u64::from(POISON_WORD)),
                File::R64 => ("mov.b64", POISON_DOUBLE),
                File::Pred => ("mov.pred", 0),
            };
            let poison = self.immediate(file, bits);
            // An error would mean that the table lacks a row for moves, and then there would be no arithmetic at all.
            let _ = self.push_uncounted_row(name, register, &[poison]);
            if variables.contains(&(file, register)) {
                let what = What::System(System::Unset);
                let inst = Inst { what, guard: Guard::NONE, d: register, s: [0; 4], detail: file as u32 };
                self.push_uncounted(inst, None);
            }
        }
        let before = self.drafts.len() as u32;
        self.flow.labels.iter_mut().flatten().for_each(|label| *label += before);
        self.drafts.extend(drafts);
        self.current.guard = guard;
    }

    /// Returns whether a register is only joined with another one to a word of which a mask leaves nothing of it: so the
    /// compiler writes the part of a word that it fills in otherwise, as next to bit-fields.
    fn is_masked_out(&self, register: Register) -> bool {
        let reading = |register: Register| {
            self.drafts.iter().filter(move |draft| self.reads(draft).contains(&register))
        };
        let leaves_none = |draft: &Draft, half: u64| {
            let masks = draft.row.is_some_and(|row| row.begins(&["and.b32"]));
            masks
                && draft.inst.s[..2]
                    .iter()
                    .any(|&s| self.immediate_bits(File::R32, s).is_some_and(|mask| mask & half == 0))
        };
        reading(register).all(|join| {
            let halves = [0xffff, 0xffff_0000].into_iter().zip(join.inst.s);
            let halves: u64 = halves.filter(|(_, s)| (File::R32, *s) == register).map(|(half, _)| half).sum();
            let joins = join.row.is_some_and(|row| row.begins(&["%join32"]));
            joins && reading((File::R32, join.inst.d)).all(|draft| leaves_none(draft, halves))
        })
    }

    /// Returns those of the watched registers whose values come from arithmetic rather than from copying alone.
    fn computed(&self, shadows: &BTreeMap<Register, u32>) -> BTreeSet<Register> {
        let is_copy = |row: &table::Row| row.begins(&["mov.", "selp.", "cvt.", "prmt.", "%"]);
        let made = self.drafts.iter().filter(|draft| draft.row.is_some_and(|row| !is_copy(row)));
        let made =
            made.filter(|draft| self.reads(draft).iter().any(|register| shadows.contains_key(register)));
        let results = made.flat_map(|draft| self.writes(draft)).collect();
        self.closure(results, |row| row.is_some_and(is_copy))
    }

    /// Adds to a set of registers those that drafts with certain rows make of them, until there are no more.
    fn closure(
        &self,
        mut all: BTreeSet<Register>,
        through: impl Fn(Option<&table::Row>) -> bool,
    ) -> BTreeSet<Register> {
        loop {
            let before = all.len();
            for draft in self.drafts.iter().filter(|draft| through(draft.row)) {
                if self.reads(draft).iter().any(|register| all.contains(register)) {
                    all.extend(self.writes(draft));
                }
            }
            if all.len() == before {
                return all;
            }
        }
    }

    fn insert_watches(&mut self, suspects: &BTreeSet<Register>, watched: &Watched) -> Lowered<()> {
        let shadows = &watched.shadows;
        let drafts = std::mem::take(&mut self.drafts);
        let guard = self.current.guard;
        let (yes, no) = (self.truth(true), self.truth(false));
        self.current.guard = Guard::NONE;
        for (register, &shadow) in shadows {
            self.push_uncounted_row(
                "mov.pred",
                shadow,
                &[if suspects.contains(register) { yes } else { no }],
            )?;
        }
        let mut moved = Vec::with_capacity(drafts.len());
        for draft in drafts {
            moved.push(self.drafts.len() as u32);
            self.current.guard = draft.inst.guard;
            self.current.place = draft.place;
            self.check(&draft, watched);
            for target in self.writes(&draft) {
                if let Some(&shadow) = shadows.get(&target) {
                    self.follow(&draft, shadow, shadows, no)?;
                }
            }
            self.drafts.push(draft);
        }
        // A label at the very start is placed after the initialisation of the shadows.
        let end = self.drafts.len() as u32;
        for label in self.flow.labels.iter_mut().flatten() {
            *label = moved.get(*label as usize).copied().unwrap_or(end);
        }
        self.current.guard = guard;
        Ok(())
    }

    /// Adds drafts that compute the shadow of a draft's result: it lacks a value if any source lacks one; for a
    /// `selp`, if the selected source does, or what decides.
    fn follow(
        &mut self,
        draft: &Draft,
        shadow: u32,
        shadows: &BTreeMap<Register, u32>,
        no: u32,
    ) -> Lowered<()> {
        let Some(row) = draft.row else { return self.push_uncounted_row("mov.pred", shadow, &[no]) };
        let of =
            |n: usize| row.sources.get(n).and_then(|file| shadows.get(&(*file, draft.inst.s[n]))).copied();
        if row.begins(&["selp."]) && (of(0).is_some() || of(1).is_some()) {
            let [a, b, chosen] = [of(0).unwrap_or(no), of(1).unwrap_or(no), draft.inst.s[2]];
            let (first, second, not) =
                (self.allocate(File::Pred, 1), self.allocate(File::Pred, 1), self.allocate(File::Pred, 1));
            self.push_uncounted_row("and.pred", first, &[a, chosen])?;
            self.push_uncounted_row("not.pred", not, &[chosen])?;
            self.push_uncounted_row("and.pred", second, &[b, not])?;
            let Some(undecided) = of(2) else {
                return self.push_uncounted_row("or.pred", shadow, &[first, second]);
            };
            self.push_uncounted_row("or.pred", first, &[first, second])?;
            return self.push_uncounted_row("or.pred", shadow, &[first, undecided]);
        }
        // The row that is true for a source that leaves the result to the other one: false decides `and`, true
        // decides `or`.
        let leaves = match row.names[0] {
            "and.pred" => Some("mov.pred"),
            "or.pred" => Some("not.pred"),
            _ => None,
        };
        if let (Some(leaves), [Some(_), _] | [_, Some(_)]) = (leaves, [of(0), of(1)]) {
            let [a, b] = [of(0).unwrap_or(no), of(1).unwrap_or(no)];
            let mut open = [0; 2];
            for (open, (has_none, other)) in open.iter_mut().zip([(a, draft.inst.s[0]), (b, draft.inst.s[1])])
            {
                *open = self.allocate(File::Pred, 1);
                self.push_uncounted_row(leaves, *open, &[other])?;
                self.push_uncounted_row("or.pred", *open, &[*open, has_none])?;
            }
            let either = self.allocate(File::Pred, 1);
            self.push_uncounted_row("or.pred", either, &[a, b])?;
            self.push_uncounted_row("and.pred", either, &[either, open[0]])?;
            return self.push_uncounted_row("and.pred", shadow, &[either, open[1]]);
        }
        let mut sources: Vec<u32> = (0..row.sources.len()).filter_map(of).collect();
        sources.dedup();
        match sources.as_slice() {
            [] => self.push_uncounted_row("mov.pred", shadow, &[no]),
            [one] => self.push_uncounted_row("mov.pred", shadow, &[*one]),
            [first, rest @ ..] => {
                let mut sum = *first;
                for (n, next) in rest.iter().enumerate() {
                    let target = if n + 1 == rest.len() { shadow } else { self.allocate(File::Pred, 1) };
                    self.push_uncounted_row("or.pred", target, &[sum, *next])?;
                    sum = target;
                }
                Ok(())
            }
        }
    }

    /// Adds checks of the registers whose use by a draft is observable.
    fn check(&mut self, draft: &Draft, Watched { shadows, computed }: &Watched) {
        let noticed: Vec<Register> = match draft.inst.what {
            What::Memory => {
                noticed_by(&self.module.code.details.memory[draft.inst.detail as usize], computed)
            }
            What::Branch => draft.inst.guard.register().map(|p| (File::Pred, p)).into_iter().collect(),
            What::BranchIndexed => vec![(File::R32, draft.inst.s[0])],
            What::Collective => {
                let op = &self.module.code.details.collectives[draft.inst.detail as usize];
                let mut values = values_of(op, draft.inst.s);
                if let CollectiveKind::Vote { .. } = op.kind {
                    values.push((File::Pred, draft.inst.s[0]));
                }
                values
            }
            _ => Vec::new(),
        };
        let mut checked = BTreeSet::new();
        for register in noticed {
            if let Some(&shadow) = shadows.get(&register)
                && checked.insert(shadow)
            {
                if matches!(draft.inst.what, What::Branch) {
                    self.current.guard = Guard::NONE;
                }
                self.push_check(shadow);
            }
        }
    }

    /// Adds an instruction that reports the lanes in which `shadow` is true.
    fn push_check(&mut self, shadow: u32) {
        let what = What::System(System::CheckDefined);
        let inst = Inst { what, guard: self.current.guard, d: 0, s: [shadow, 0, 0, 0], detail: 0 };
        self.push_uncounted(inst, None);
    }

    fn truth(&mut self, value: bool) -> u32 {
        self.module.fixed(File::Pred, Fixed::Immediate(value.into()))
    }

    /// Adds a table row that does not count as an instruction of the program.
    pub(super) fn push_uncounted_row(&mut self, name: &str, d: u32, sources: &[u32]) -> Lowered<()> {
        let row = row_named(name)?;
        self.push_uncounted(self.row_inst(row, d, sources, 0), Some(row));
        Ok(())
    }

    fn push_uncounted(&mut self, inst: Inst, row: Option<&'static table::Row>) {
        self.drafts.push(Draft::uncounted(inst, row, self.current.place, self.current.span));
    }
}

/// Returns the registers that an access to memory makes use of.
fn noticed_by(op: &MemoryOp, computed: &BTreeSet<Register>) -> Vec<Register> {
    let mut reads = memory_reads(op);
    if matches!(op.action, Action::Store) && op.elements > 1 {
        let address = reads.remove(0);
        reads.retain(|register| computed.contains(register));
        reads.push(address);
    }
    reads
}
