//! Plain loads whose value a compare-and-swap verifies before anything but the swap depends on it:
//!
//! ```text
//! int old = *budget;
//! while (true) {
//!     int got = min(old, wanted), found = atomicCAS(budget, old, old - got);
//!     if (found == old) return got;
//!     old = found;
//! }
//! ```
//!
//! Where a swap found the value that was loaded, everything computed from the load is as if computed from what the swap
//! found. So all paths from the load are followed: its value must not reach memory, an address or a call before a
//! branch on that comparison.

use super::statements::{for_each, is_swap, names_in};
use ptx::{Instruction, Operand, Statement};
use std::collections::{BTreeMap, HashMap};

/// What a register holds, where that has to do with the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// The value that was loaded.
    Loaded,
    /// A value computed from it.
    Derived,
    /// What a later swap of the same place found.
    Found,
    /// Whether what a swap found is the value that was loaded.
    Same,
    /// Whether it is another one.
    Other,
}

impl Held {
    fn is_unverified(self) -> bool {
        matches!(self, Held::Loaded | Held::Derived)
    }
}

type Registers<'s> = BTreeMap<&'s str, Held>;

/// An instruction, and the number of swaps since the load, of which two are as many as more: what holds before the
/// first swap of a loop is not mixed with what holds after it.
type Place = (usize, u8);

/// Limit on the number of instructions followed for one load; beyond it, the load counts as not verified.
const MAX_STEPS: usize = 1 << 14;

/// The instructions of a body, and where its labels are.
pub struct Code<'s, 'a> {
    all: Vec<&'s Instruction<'a>>,
    labels: HashMap<&'s str, usize>,
}

impl<'s, 'a> Code<'s, 'a> {
    /// Returns `None` if it is not known where a branch leads.
    pub fn of(body: &'s [Statement<'a>]) -> Option<Code<'s, 'a>> {
        let (mut all, mut labels, mut is_known) = (Vec::new(), HashMap::new(), true);
        for_each(body, &mut |statement| match statement {
            Statement::Label { name, .. } => is_known &= labels.insert(*name, all.len()).is_none(),
            Statement::Instruction(i) => {
                is_known &= i.opcode != "brx";
                all.push(i);
            }
            _ => {}
        });
        is_known.then_some(Code { all, labels })
    }

    /// Returns whether the value of a load is verified by swaps of its place.
    pub fn is_verified(&self, load: &Instruction, is_of_place: impl Fn(&Instruction) -> bool) -> bool {
        let Some(start) = self.all.iter().position(|i| i.span == load.span) else { return false };
        let [Operand::Name(_), ..] = &load.operands[..] else { return false };
        let is_swap = |i: &Instruction| is_swap(i) && is_of_place(i);
        let mut known: HashMap<Place, Registers> = HashMap::new();
        let mut todo = vec![(start, 0)];
        known.insert((start, 0), Registers::new());
        for _ in 0..MAX_STEPS {
            let Some(place) = todo.pop() else { return true };
            let ((n, swaps), before) = (place, known[&place].clone());
            let Some(&i) = self.all.get(n) else { continue };
            if leaks(i, &before, is_swap(i)) {
                return false;
            }
            let mut after = before;
            let mut swaps = swaps;
            if n == start {
                begin(i, &mut after);
                swaps = 0;
            } else {
                execute(i, &mut after, is_swap(i));
                swaps = (swaps + u8::from(is_swap(i))).min(2);
            }
            let Some(ways) = self.ways(n, &after) else { return false };
            for next in ways {
                // Where nothing unverified is left, nothing can go wrong.
                if after.values().any(|held| held.is_unverified())
                    && arrive(&mut known, (next, swaps), &after)
                {
                    todo.push((next, swaps));
                }
            }
        }
        false
    }

    /// Returns the instructions that may follow one, except behind a branch that verifies the load. `None` if one is
    /// not known.
    fn ways(&self, n: usize, registers: &Registers) -> Option<Vec<usize>> {
        let i = self.all[n];
        let target = match i.opcode {
            "bra" => {
                let target = i.operands.iter().find_map(|operand| match operand {
                    Operand::Name(name) => self.labels.get(name),
                    _ => None,
                });
                Some(*target?)
            }
            "ret" | "exit" | "trap" => None,
            _ => return Some(vec![n + 1]),
        };
        let Some(guard) = &i.guard else { return Some(target.into_iter().collect()) };
        let held = registers.get(guard.register);
        let verifies = |taken: bool| match held {
            Some(Held::Same) => taken != guard.negated,
            Some(Held::Other) => taken == guard.negated,
            _ => false,
        };
        let taken = target.filter(|_| !verifies(true));
        Some(taken.into_iter().chain((!verifies(false)).then_some(n + 1)).collect())
    }
}

/// Adds what holds on one more way to a place. Returns whether that changes what is known there.
fn arrive<'s>(known: &mut HashMap<Place, Registers<'s>>, at: Place, more: &Registers<'s>) -> bool {
    let Some(there) = known.get_mut(&at) else {
        known.insert(at, more.clone());
        return true;
    };
    let names: Vec<&str> = there.keys().chain(more.keys()).copied().collect();
    let mut changed = false;
    for name in names {
        let (old, new) = (there.get(name).copied(), more.get(name).copied());
        let both = either(old, new);
        changed |= both != old;
        set(there, name, both);
    }
    changed
}

/// Returns what a register holds that holds one or the other.
fn either(a: Option<Held>, b: Option<Held>) -> Option<Held> {
    if a == b {
        return a;
    }
    let is_unverified = [a, b].into_iter().flatten().any(Held::is_unverified);
    is_unverified.then_some(Held::Derived)
}

fn set<'s>(registers: &mut Registers<'s>, name: &'s str, held: Option<Held>) {
    match held {
        Some(held) => drop(registers.insert(name, held)),
        None => drop(registers.remove(name)),
    }
}

/// The load is executed, perhaps once more: what it loaded before no swap will verify any more.
fn begin<'s>(load: &'s Instruction, registers: &mut Registers<'s>) {
    registers.retain(|_, held| held.is_unverified());
    registers.values_mut().for_each(|held| *held = Held::Derived);
    if let Some(Operand::Name(name)) = load.operands.first() {
        registers.insert(name, Held::Loaded);
    }
}

fn execute<'s>(i: &'s Instruction, registers: &mut Registers<'s>, is_swap: bool) {
    let [dest, sources @ ..] = &i.operands[..] else { return };
    let held = |operand: &Operand| match operand {
        Operand::Name(name) => registers.get(name).copied(),
        _ => None,
    };
    let given = match (i.opcode, sources) {
        _ if is_swap => Some(Held::Found),
        ("bra" | "call" | "ret" | "st" | "red", _) => return,
        ("mov", [source @ Operand::Name(_)]) => held(source),
        ("setp", [a, b])
            if compares_integers(i)
                && matches!(
                    (held(a), held(b)),
                    (Some(Held::Loaded), Some(Held::Found)) | (Some(Held::Found), Some(Held::Loaded))
                ) =>
        {
            Some(if i.has("eq") { Held::Same } else { Held::Other })
        }
        _ => is_any_unverified(sources, registers).then_some(Held::Derived),
    };
    let given = given.filter(|_| matches!(dest, Operand::Name(_)) || given == Some(Held::Derived));
    for name in names_in([dest]) {
        let before = registers.get(name).copied();
        set(registers, name, if i.guard.is_some() { either(before, given) } else { given });
    }
}

/// Returns whether an instruction compares all bits of its operands for equality. Floats that are equal may differ in
/// their bits.
fn compares_integers(i: &Instruction) -> bool {
    let is_integer =
        |m: &&str| matches!(*m, "b16" | "b32" | "b64" | "s16" | "s32" | "s64" | "u16" | "u32" | "u64");
    matches!(&i.modifiers[..], [how, ty] if matches!(*how, "eq" | "ne") && is_integer(ty))
}

/// Returns whether an instruction lets out an unverified value.
fn leaks(i: &Instruction, registers: &Registers, is_swap: bool) -> bool {
    let [first, sources @ ..] = &i.operands[..] else { return false };
    if is_swap {
        // A swap writes its new value only where it has found its comparand.
        let [address, comparand, value] = sources else { return true };
        let is_loaded =
            matches!(comparand, Operand::Name(name) if registers.get(name) == Some(&Held::Loaded));
        let unverified = |operand: &Operand| is_any_unverified([operand], registers);
        return i.guard.is_some() || unverified(address) || unverified(value) && !is_loaded;
    }
    match i.opcode {
        "bra" => false,
        "call" | "bar" | "barrier" | "mbarrier" => is_any_unverified(&i.operands, registers),
        "ld" | "atom" | "shfl" | "vote" | "match" | "redux" => is_any_unverified(sources, registers),
        _ => {
            let has_result = matches!(
                first,
                Operand::Name(_)
                    | Operand::Part { .. }
                    | Operand::Pair(..)
                    | Operand::Vector(_)
                    | Operand::Sink
            );
            !has_result && is_any_unverified(&i.operands, registers)
        }
    }
}

fn is_any_unverified<'o, 'a: 'o>(
    operands: impl IntoIterator<Item = &'o Operand<'a>>,
    registers: &Registers,
) -> bool {
    names_in(operands).iter().any(|name| registers.get(name).is_some_and(|held| held.is_unverified()))
}

#[cfg(test)]
mod tests {
    use crate::lower::cas_loop_load::{cas_loop_loads, tests::in_kernel};
    use crate::lower::statements::flatten;

    fn count(body: &str) -> usize {
        in_kernel(body, |body| cas_loop_loads(body, &flatten(body)).len())
    }

    const LOAD: &str = "ld.global.u32 %r1, [%rd1];";
    const STORE: &str = "st.global.u32 [%rd1+8], %r4;";
    const LOOP: &str = "L: mov.u32 %r4, %r1; add.u32 %r2, %r4, 1; atom.global.cas.b32 %r1, [%rd1], %r4, %r2;\n\
                        setp.ne.s32 %p1, %r4, %r1;";

    #[test]
    fn what_a_swap_has_found_may_be_stored() {
        assert_eq!(count(&format!("{LOAD} {LOOP} @%p1 bra L; {STORE}")), 1);
        assert_eq!(count(&format!("{LOAD} {LOOP} @!%p1 bra M; bra L; M: {STORE}")), 1);
        // What was computed from it before the swap, too.
        assert_eq!(count(&format!("{LOAD} {LOOP} @%p1 bra L; st.global.u32 [%rd1+8], %r2;")), 1);
    }

    #[test]
    fn what_no_swap_has_found_may_not() {
        assert_eq!(count(&format!("{LOAD} {LOOP} @!%p1 bra L; {STORE}")), 0, "where it found something else");
        assert_eq!(count(&format!("{LOAD} {LOOP} {STORE} @%p1 bra L;")), 0, "before the branch");
        assert_eq!(
            count(&format!("{LOAD} mov.u32 %r4, %r1; {STORE} {LOOP} @%p1 bra L;")),
            0,
            "before the swap"
        );
        let other = LOOP.replace("[%rd1]", "[%rd1+4]");
        assert_eq!(count(&format!("{LOAD} {other} @%p1 bra L; {STORE}")), 0, "another place");
        let float = LOOP.replace("setp.ne.s32", "setp.ne.f32");
        assert_eq!(count(&format!("{LOAD} {float} @%p1 bra L; {STORE}")), 0, "other bits may be equal");
        let kept = "add.u32 %r5, %r1, 7;";
        let stale = "st.global.u32 [%rd1+8], %r5;";
        assert_eq!(count(&format!("{LOAD} {kept} {LOOP} @%p1 bra L; {stale}")), 0, "of the first round only");
        let leaves = "setp.gt.s32 %p2, %r4, 9; @%p2 bra M;";
        let early = LOOP.replace("add.u32", &format!("{leaves} add.u32"));
        assert_eq!(count(&format!("{LOAD} {early} @%p1 bra L; M: {STORE}")), 0, "by another way");
    }
}
