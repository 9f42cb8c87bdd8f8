//! Volatile and relaxed loads of data: no branch, address, atomic or call depends on their values, as in
//! `sum += parts[i]`. Such a load can't notice that its value is stale, and so relies on an earlier signal that the value
//! is there. A load that polls (`while (flag == 0)`), or that chooses what to do, is not one of data.
//!
//! And the loads that poll: those in loops that do nothing but load, compare and sleep.

use super::cas_loop_load::sources_of;
use super::statements::{for_each, names_in};
use ptx::{Instruction, Operand, Statement};
use std::collections::{HashMap, HashSet};

/// Returns the loads of data in a function's body, by the positions in the text at which they start.
pub fn data_loads(all: &[&Instruction]) -> HashSet<u32> {
    let loads: Vec<&Instruction> = all.iter().copied().filter(|i| may_be_data(i)).collect();
    if loads.is_empty() {
        return HashSet::new();
    }
    let decisive = decisive(all);
    let is_data = |i: &&Instruction| names_in(i.operands.first()).iter().all(|name| !decisive.contains(name));
    loads.into_iter().filter(is_data).map(|i| i.span.start).collect()
}

fn may_be_data(i: &Instruction) -> bool {
    let has = |words: &[&str]| i.modifiers.iter().any(|m| words.contains(m));
    i.opcode == "ld" && has(&["volatile", "relaxed"]) && !has(&["local", "const", "param"])
}

/// Returns the names on which branches, guards, addresses, atomics and calls depend.
fn decisive<'s>(all: &[&'s Instruction]) -> HashSet<&'s str> {
    let mut decisive = Vec::new();
    let mut made_of: HashMap<&str, Vec<&str>> = HashMap::new();
    for i in all {
        decisive.extend(i.guard.as_ref().map(|guard| guard.register));
        let addresses = i.operands.iter().filter(|operand| matches!(operand, Operand::Address { .. }));
        decisive.extend(names_in(addresses));
        match i.opcode {
            "setp" | "set" | "testp" | "atom" | "red" | "call" | "bra" | "brx" => {
                decisive.extend(names_in(i.operands.iter().skip(usize::from(i.opcode == "atom"))));
            }
            "st" | "ld" => {}
            _ => {
                let [dest, sources @ ..] = &i.operands[..] else { continue };
                let found = names_in(sources);
                names_in([dest]).into_iter().for_each(|dest| made_of.entry(dest).or_default().extend(&found));
            }
        }
    }
    sources_of(decisive, &made_of)
}

/// What a loop that only waits consists of, apart from strong loads.
const WAITING: &[&str] = &[
    "add",
    "and",
    "cvt",
    "cvta",
    "mov",
    "nanosleep",
    "not",
    "or",
    "selp",
    "setp",
    "shr",
    "shl",
    "xor",
    "membar",
    "fence",
];

/// Returns the volatile and relaxed loads in loops that only wait, by the positions in the text at which they start.
pub fn polls(body: &[Statement]) -> HashSet<u32> {
    let mut items = Vec::new();
    for_each(body, &mut |statement| items.push(statement));
    let mut found = HashSet::new();
    if !items.iter().any(|item| matches!(item, Statement::Instruction(i) if may_be_data(i))) {
        return found;
    }
    let mut labels = HashMap::new();
    for (n, item) in items.iter().enumerate() {
        match item {
            Statement::Label { name, .. } => drop(labels.insert(*name, n)),
            Statement::Instruction(i) if i.opcode == "bra" => {
                let target = i.operands.iter().find_map(|operand| match operand {
                    Operand::Name(name) => labels.get(name),
                    _ => None,
                });
                found.extend(target.and_then(|&start| polling(&items[start..n])).into_iter().flatten());
            }
            _ => {}
        }
    }
    found
}

/// Returns the strong loads of a loop, given by its statements, if it only waits.
fn polling(items: &[&Statement]) -> Option<Vec<u32>> {
    let mut loads = Vec::new();
    for item in items {
        match item {
            Statement::Instruction(i) if may_be_data(i) => loads.push(i.span.start),
            Statement::Instruction(i) if i.opcode != "bra" && !WAITING.contains(&i.opcode) => return None,
            _ => {}
        }
    }
    Some(loads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::cas_loop_load::tests::in_kernel;
    use crate::lower::statements::flatten;

    fn count(body: &str) -> usize {
        in_kernel(body, |body| data_loads(&flatten(body)).len())
    }

    #[test]
    fn a_load_polls_in_a_loop_that_only_waits() {
        let polls = |text: &str| in_kernel(text, |body| polls(body).len());
        let load = "L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0;";
        assert_eq!(polls(&format!("{load} @%p1 bra L;")), 1);
        assert_eq!(polls(&format!("{load} st.global.u32 [%rd1+8], %r1; @%p1 bra L;")), 0);
        assert_eq!(polls(&format!("{load} @%p1 bra M; M:")), 0);
    }

    #[test]
    fn a_load_whose_value_is_only_added_and_stored_is_data() {
        let store = "st.global.u32 [%rd1+8], %r2;";
        assert_eq!(count(&format!("ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, %r2; {store}")), 1);
        assert_eq!(count(&format!("ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, %r2; {store}")), 0);
        assert_eq!(count("ld.volatile.shared.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;"), 1);
        assert_eq!(count("ld.volatile.local.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;"), 0);
    }

    #[test]
    fn a_load_whose_value_decides_is_not_data() {
        let load = "ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1;";
        assert_eq!(count(&format!("L: {load} setp.eq.u32 %p1, %r2, 0; @%p1 bra L;")), 0);
        assert_eq!(count(&format!("{load} cvt.u64.u32 %rd2, %r2; ld.global.u32 %r3, [%rd2];")), 0);
        assert_eq!(count(&format!("{load} red.global.max.u32 [%rd1+4], %r2;")), 0);
    }
}
