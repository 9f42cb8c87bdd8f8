//! Loads that the compiler put in front of their condition.
//!
//! A variable's own address is always good, so `c ? flag : 0` may become a load by every thread and a
//! choice (`selp`) behind it. No thread of the source reads there unless its condition holds: held
//! against all of them, the load would be a race that nobody wrote. So it is done where the choice is
//! made, by the threads that choose it. Between the two nothing happens that another thread could see.

use ptx::{Guard, Operand, Statement};
use std::collections::HashMap;

/// Instructions that only make a register of others; over these a load can be moved.
const PURE: &[&str] = &[
    "abs", "add", "and", "bfe", "bfi", "cvt", "cvta", "div", "fma", "ld", "lop3", "mad", "max", "min", "mov",
    "mul", "neg", "not", "or", "prmt", "rem", "selp", "setp", "shf", "shl", "shr", "sub", "xor",
];

/// For such loads, by where their text begins: where the choice begins, and who chooses it.
pub type Speculated<'a> = HashMap<u32, (u32, Guard<'a>)>;

/// The loads of a function's body that were put in front of their condition.
pub fn speculated<'a>(body: &[Statement<'a>]) -> Speculated<'a> {
    let mut found = Speculated::new();
    if !has_choice(body) {
        return found;
    }
    let (mut written, mut read) = (HashMap::new(), HashMap::new());
    count(body, &mut written, &mut read);
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
                    && !i.modifiers.contains(&"param")
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
                // A choice has room for one.
                if load(a).is_none() {
                    found.extend(load(b).map(|load| (load, (i.span.start, guard(true)))));
                }
            }
            _ => {}
        }
    });
    found
}

fn has_choice(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Instruction(i) => i.opcode == "selp",
        Statement::Block(inner) => has_choice(inner),
        _ => false,
    })
}

fn for_each<'s, 'a>(body: &'s [Statement<'a>], act: &mut dyn FnMut(&'s Statement<'a>)) {
    for statement in body {
        act(statement);
        if let Statement::Block(inner) = statement {
            for_each(inner, act);
            act(statement);
        }
    }
}

/// How often each name is written as a destination, and read.
fn count<'s>(body: &'s [Statement], written: &mut HashMap<&'s str, u32>, read: &mut HashMap<&'s str, u32>) {
    for_each(body, &mut |statement| {
        let Statement::Instruction(i) = statement else { return };
        if let Some(guard) = i.guard {
            *read.entry(guard.register).or_default() += 1;
        }
        let stores =
            matches!(i.opcode, "st" | "red" | "call" | "bra" | "bar" | "barrier" | "cp" | "mbarrier");
        for (n, operand) in i.operands.iter().enumerate() {
            let mut names = Vec::new();
            super::cas_loop_load::names(operand, &mut names);
            let counts = if n == 0 && !stores { &mut *written } else { &mut *read };
            names.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(body: &str) -> usize {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
             .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .shared .align 4 .b8 s[16];\n\
             ld.param.u64 %rd1, [p];\n{body}\nret;\n}}\n"
        );
        let module = ptx::parse(&text).unwrap();
        speculated(module.functions[0].body.as_ref().unwrap()).len()
    }

    #[test]
    fn a_load_of_a_variable_that_only_a_choice_takes_is_moved_to_it() {
        let choice = "selp.b32 %r3, %r2, 0, %p1; st.global.u32 [%rd1], %r3;";
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s+4]; {choice}")), 1);
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s]; add.u32 %r4, %r1, 1; {choice}")), 1);
        assert_eq!(moved("ld.shared.u32 %r2, [s]; selp.b32 %r3, 7, %r2, %p1;"), 1);
        // The address may be bad, or somebody else could see the difference.
        assert_eq!(moved(&format!("ld.global.u32 %r2, [%rd1]; {choice}")), 0);
        assert_eq!(moved(&format!("ld.volatile.shared.u32 %r2, [s]; {choice}")), 0);
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s]; bar.sync 0; {choice}")), 0);
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s]; st.shared.u32 [s], %r1; {choice}")), 0);
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s]; @%p2 bra L; {choice} L:")), 0);
        // The value goes elsewhere, too.
        assert_eq!(moved(&format!("ld.shared.u32 %r2, [s]; add.u32 %r4, %r2, 1; {choice}")), 0);
    }
}
