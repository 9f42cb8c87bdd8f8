//! Loads that the compiler hoisted above their condition (speculated loads).
//!
//! A variable's own address is always valid, so `c ? flag : 0` may become a load by every thread, followed by a
//! `selp`. In the source, no thread reads there unless its condition holds: attributed to all threads, the load would
//! be a race that the source does not contain. So the load is executed at the position of the `selp`, by the threads
//! that select it. Between the two positions nothing happens that another thread could observe.

use super::statements::{for_each, names_in};
use ptx::{Guard, Instruction, Operand, Statement};
use std::collections::HashMap;

/// Instructions that only compute a register from others; a load can be moved past them.
const PURE: &[&str] = &[
    "abs", "add", "and", "bfe", "bfi", "cvt", "cvta", "div", "fma", "ld", "lop3", "mad", "max", "min", "mov",
    "mul", "neg", "not", "or", "prmt", "rem", "selp", "setp", "shf", "shl", "shr", "sub", "xor",
];

/// For each speculated load, keyed by the position in the text at which it starts: the position of its `selp`, and
/// the guard under which it is selected.
pub type Speculated<'a> = HashMap<u32, (u32, Guard<'a>)>;

/// Finds the loads of a function's body that were hoisted above their condition; `all` are its instructions.
pub fn speculated<'a>(body: &[Statement<'a>], all: &[&Instruction<'a>]) -> Speculated<'a> {
    let mut found = Speculated::new();
    if !all.iter().any(|i| i.opcode == "selp") {
        return found;
    }
    let [written, read] = count(all);
    let once = |counts: &HashMap<&str, u32>, name: &str| counts.get(name) == Some(&1);
    let mut loads: HashMap<&str, u32> = HashMap::new();
    for_each(body, &mut |statement| {
        let Statement::Instruction(i) = statement else {
            if matches!(statement, Statement::Label { .. } | Statement::Block(_)) {
                loads.clear();
            }
            return;
        };
        let waits = i.modifiers.iter().any(|m| matches!(*m, "volatile" | "relaxed" | "acquire" | "mmio"));
        if !PURE.contains(&i.opcode) || waits {
            return loads.clear();
        }
        match (i.opcode, &i.operands[..]) {
            ("ld", [Operand::Name(dest), Operand::Address { base: Some(base), .. }])
                if i.guard.is_none()
                    && !base.starts_with('%')
                    && !i.has("param")
                    && once(&written, dest)
                    && once(&read, dest) =>
            {
                loads.insert(dest, i.span.start);
            }
            ("selp", [_, a, b, Operand::Name(predicate)]) if i.guard.is_none() => {
                let load = |operand: &Operand<'a>| match operand {
                    Operand::Name(name) => loads.get(name).copied(),
                    _ => None,
                };
                let guard = |negated| Guard { register: predicate, negated };
                found.extend(load(a).map(|load| (load, (i.span.start, guard(false)))));
                // Only one load can be deferred to each `selp`.
                if load(a).is_none() {
                    found.extend(load(b).map(|load| (load, (i.span.start, guard(true)))));
                }
            }
            _ => {}
        }
    });
    found
}

/// Counts how often each name is written as a destination, and how often it is read.
fn count<'a>(all: &[&Instruction<'a>]) -> [HashMap<&'a str, u32>; 2] {
    let mut counts = [HashMap::new(), HashMap::new()];
    for i in all {
        let stores =
            matches!(i.opcode, "st" | "red" | "call" | "bra" | "bar" | "barrier" | "cp" | "mbarrier");
        let (dests, sources) = i.operands.split_at(usize::from(!stores).min(i.operands.len()));
        let read = names_in(sources).into_iter().chain(i.guard.map(|guard| guard.register));
        names_in(dests).into_iter().for_each(|name| *counts[0].entry(name).or_default() += 1);
        read.for_each(|name| *counts[1].entry(name).or_default() += 1);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::cas_loop_load::tests::in_kernel;
    use crate::lower::statements::flatten;

    fn moved(body: &str) -> usize {
        in_kernel(body, |body| speculated(body, &flatten(body)).len())
    }

    #[test]
    fn a_load_of_a_variable_that_only_a_choice_takes_is_moved_to_it() {
        let choice = "selp.b32 %r3, %r2, 0, %p1; st.global.u32 [%rd1], %r3;";
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s+4]; {choice}")), 1);
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s]; add.u32 %r4, %r1, 1; {choice}")), 1);
        assert_eq!(moved("ld.shared.u32 %r2, [s]; selp.b32 %r3, 7, %r2, %p1;"), 1);
        // The address may be invalid, or another thread could observe the difference.
        assert_eq!(moved(&format!("ld.global.u32 %r2, [%rd1]; {choice}")), 0);
        assert_eq!(moved(&format!("ld.volatile.shared.u32 %r2, [s]; {choice}")), 0);
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s]; bar.sync 0; {choice}")), 0);
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s]; st.shared.u32 [s], %r1; {choice}")), 0);
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s]; @%p2 bra L; {choice} L:")), 0);
        // The value is used elsewhere, too.
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s]; add.u32 %r4, %r2, 1; {choice}")), 0);
    }
}
