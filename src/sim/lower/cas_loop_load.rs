//! Plain loads that only guess what a compare-and-swap will find, as in the programming guide's loops that build an
//! atomic from an arbitrary operator:
//!
//! ```text
//! int old = *address, assumed;
//! do { assumed = old; old = atomicCAS(address, assumed, f(assumed)); } while (assumed != old);
//! ```
//!
//! Such a load races with the atomics of other threads, but harmlessly: a wrong value costs one more iteration. A
//! load counts as a guess if a compare-and-swap in the same function has the same address, or has it within its bytes,
//! and the values computed from it reach only compare-and-swaps and branches; or if they reach anything else only
//! where a swap has [verified](super::verified_load) the value.
//!
//! A load from the second-level cache (`__ldcg()`, `__ldcv()`) is meant to observe other threads. In a function with
//! a compare-and-swap it counts as a guess whatever its address; and even if its value is stored as well, provided
//! that the value also reaches a comparand: `next[i] = __ldcg(head)` only matters once the swap has found that value.

use super::statements::{is_swap, names_in};
use super::verified_load::Code;
use ptx::{Immediate, Instruction, Operand, Statement};
use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

/// For each register with a single definition, what it is a copy of: a name, and the constant added to it. `None` for
/// other registers.
type Origins<'s> = HashMap<&'s str, Option<(&'s str, i64)>>;

/// Limit on the length of a chain of copies that is followed.
const MAX_COPIES: usize = 16;

fn origins<'s>(all: &[&'s Instruction]) -> Origins<'s> {
    let mut origins = Origins::new();
    for i in all {
        let [Operand::Name(dest), sources @ ..] = &i.operands[..] else { continue };
        let copied = match (i.opcode, sources) {
            ("mov" | "cvta", [Operand::Name(name)]) => Some((*name, 0)),
            ("mov" | "cvta", [Operand::Offset { name, offset }]) => Some((*name, *offset)),
            ("add", [Operand::Name(name), Operand::Immediate(Immediate::Int(more))])
                if i.modifiers.iter().any(|m| matches!(*m, "s64" | "u64")) =>
            {
                Some((*name, *more))
            }
            _ => None,
        };
        origins.entry(dest).and_modify(|known| *known = None).or_insert(copied);
    }
    origins
}

fn origin<'s>(origins: &Origins<'s>, base: &'s str, offset: i64) -> (&'s str, i64) {
    let mut at = (base, offset);
    for _ in 0..MAX_COPIES {
        match origins.get(at.0) {
            Some(Some((name, more))) => at = (name, at.1.wrapping_add(*more)),
            _ => break,
        }
    }
    at
}

/// Returns the size of what a compare-and-swap exchanges, in bytes.
fn swap_bytes(i: &Instruction) -> i64 {
    [("b16", 2), ("b64", 8), ("b128", 16)].into_iter().find(|(ty, _)| i.has(ty)).map_or(4, |(_, bytes)| bytes)
}

/// Returns the loads of a function's body that are guesses, by the positions in the text at which they start.
pub fn cas_loop_loads(body: &[Statement], all: &[&Instruction]) -> HashSet<u32> {
    if !all.iter().any(|i| is_swap(i)) {
        return HashSet::new();
    }
    let origins = origins(all);
    let place = |i: &Instruction<'_>| match i.operands.get(1) {
        Some(Operand::Address { base: Some(base), offset }) => {
            let (name, offset) = origin(&origins, base, *offset);
            Some((name.to_string(), offset))
        }
        _ => None,
    };
    let swaps = || all.iter().filter(|i| is_swap(i));
    let swapped: Vec<_> = swaps().filter_map(|i| Some((place(i)?, swap_bytes(i)))).collect();
    let plain = |i: &&&Instruction| {
        i.opcode == "ld"
            && !i.modifiers.iter().any(|m| matches!(*m, "volatile" | "relaxed" | "acquire" | "param"))
    };
    let is_swapped = |i: &Instruction| {
        let within = |(name, offset): (String, i64)| {
            swapped.iter().any(|((of, from), bytes)| *of == name && (*from..*from + bytes).contains(&offset))
        };
        place(i).is_some_and(within)
    };
    let code = LazyCell::new(|| Code::of(body));
    let is_verified = |i: &Instruction| {
        let at = place(i).filter(|at| swapped.iter().any(|(swapped, _)| swapped == at));
        at.zip(code.as_ref())
            .is_some_and(|(at, code)| code.is_verified(i, |swap| place(swap).as_ref() == Some(&at)))
    };
    let uses = Uses::of(all);
    let cas_loop_loads = all.iter().filter(plain).filter(|i| {
        let given = names_in(i.operands.first());
        let unused = given.iter().all(|name| !uses.elsewhere.contains(name));
        let fresh = i.modifiers.iter().any(|m| matches!(*m, "cg" | "cv"));
        (unused && (fresh || is_swapped(i)))
            || fresh && given.iter().all(|name| uses.compared.contains(name))
            || is_verified(i)
    });
    cas_loop_loads.map(|i| i.span.start).collect()
}

/// Names, classified by where their values go.
struct Uses<'s> {
    /// Names whose values reach anything but branches and the comparand or new value of a compare-and-swap.
    elsewhere: HashSet<&'s str>,
    /// Names whose values reach the comparand of a compare-and-swap.
    compared: HashSet<&'s str>,
}

impl<'s> Uses<'s> {
    fn of(all: &[&'s Instruction]) -> Uses<'s> {
        let (mut todo, mut compared) = (Vec::new(), Vec::new());
        let mut made_of: HashMap<&str, Vec<&str>> = HashMap::new();
        for i in all {
            let stores = matches!(i.opcode, "st" | "red" | "call" | "bar" | "barrier" | "cp" | "mbarrier");
            let (dest, sources) = match &i.operands[..] {
                [dest, sources @ ..] if !stores => (Some(dest), sources),
                all => (None, all),
            };
            // The comparand and the new value of a compare-and-swap may depend on a guess; its address must not.
            let kept = if is_swap(i) { 1 } else { sources.len() };
            let (sources, others) = sources.split_at(kept.min(sources.len()));
            compared.extend(names_in(others.first()));
            let mut found = names_in(sources);
            match i.opcode {
                "setp" | "bra" => {}
                "ld" | "atom" | "shfl" | "vote" | "match" | "redux" => todo.append(&mut found),
                _ if stores => todo.append(&mut found),
                _ => names_in(dest)
                    .into_iter()
                    .for_each(|dest| made_of.entry(dest).or_default().extend(&found)),
            }
        }
        Uses { elsewhere: sources_of(todo, &made_of), compared: sources_of(compared, &made_of) }
    }
}

/// Returns the given names and all names that their values are computed from.
pub fn sources_of<'s>(mut todo: Vec<&'s str>, made_of: &HashMap<&'s str, Vec<&'s str>>) -> HashSet<&'s str> {
    let mut found = HashSet::new();
    while let Some(name) = todo.pop() {
        if found.insert(name) {
            todo.extend(made_of.get(name).into_iter().flatten());
        }
    }
    found
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::lower::statements::flatten;

    /// Returns what `count` finds in a kernel of these instructions.
    pub fn in_kernel(body: &str, count: fn(&[Statement]) -> usize) -> usize {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
             .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .shared .align 4 .b8 s[16];\n\
             ld.param.u64 %rd1, [p];\n{body}\nret;\n}}\n"
        );
        let module = ptx::parse(&text).unwrap();
        count(module.functions[0].body.as_ref().unwrap())
    }

    fn count(body: &str) -> usize {
        in_kernel(body, |body| cas_loop_loads(body, &flatten(body)).len())
    }

    #[test]
    fn a_load_that_only_feeds_a_swap_is_a_guess() {
        let swap = "L: add.u32 %r2, %r1, 1; atom.global.cas.b32 %r3, [%rd1], %r1, %r2; setp.ne.u32 %p1, %r1, %r3;\n\
                    mov.u32 %r1, %r3; @%p1 bra L;";
        assert_eq!(count(&format!("ld.global.u32 %r1, [%rd1];\n{swap}")), 1);
        assert_eq!(count(&format!("ld.volatile.global.u32 %r1, [%rd1];\n{swap}")), 0);
        assert_eq!(count(&format!("ld.global.u32 %r1, [%rd1+4];\n{swap}")), 0);
        let halves = "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; mov.b64 %rd2, {%r1, %r2};";
        assert_eq!(count(&format!("{halves} atom.global.cas.b64 %rd3, [%rd1], %rd2, 0;")), 2);
        let early = "add.u32 %r2, %r1, 1; st.global.u32 [%rd1+8], %r2;";
        assert_eq!(count(&format!("ld.global.u32 %r1, [%rd1];\n{early} {swap}")), 0);
        assert_eq!(count("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1+4], %r1;"), 0);
        let stored = "st.global.u32 [%rd1+8], %r1;";
        assert_eq!(count(&format!("ld.global.cg.u32 %r1, [%rd1];\n{swap} {stored}")), 1);
        assert_eq!(count(&format!("ld.global.cg.u32 %r4, [%rd1];\n{swap} st.global.u32 [%rd1+8], %r4;")), 0);
    }
}
