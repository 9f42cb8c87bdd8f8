//! Loads that the compiler has widened. It loads neighbouring elements at once, and with them whatever lies in
//! between, into registers that nothing reads. The program itself does not read those elements, so another thread may
//! write them. At constant offsets in shared variables, the compiler also loads elements beyond those needed, where
//! the array may have ended.

use super::statements::names_in;
use ptx::{Instruction, Operand};
use std::collections::{HashMap, HashSet};

/// Returns the registers that vector loads write and nothing reads.
pub fn unread_elements<'a>(all: &[&Instruction<'a>]) -> HashSet<&'a str> {
    let mut found: HashMap<&str, u32> = HashMap::new();
    for i in all.iter().filter(|i| is_vector_load(i)) {
        if let Some(Operand::Vector(elements)) = i.operands.first() {
            found.extend(names_in(elements).into_iter().map(|name| (name, 0)));
        }
    }
    if found.is_empty() {
        return HashSet::new();
    }
    for i in all {
        for name in names_in(&i.operands).into_iter().chain(i.guard.map(|guard| guard.register)) {
            found.entry(name).and_modify(|times| *times += 1);
        }
    }
    // The single occurrence is the load itself.
    found.into_iter().filter(|(_, times)| *times == 1).map(|(name, _)| name).collect()
}

fn is_vector_load(i: &Instruction) -> bool {
    matches!(i.opcode, "ld" | "tex") && vector(i).is_some()
}

/// Returns the position of the modifier that makes a load one of several elements.
fn vector(i: &Instruction) -> Option<usize> {
    i.modifiers.iter().position(|m| matches!(*m, "v2" | "v4" | "v8"))
}

pub fn is_unread(element: &Operand, unread: &HashSet<&str>) -> bool {
    match element {
        Operand::Sink => true,
        Operand::Name(name) => unread.contains(name),
        _ => false,
    }
}

/// Returns a mask with a bit for each loaded byte that nothing reads. `bytes` is the size of each element.
pub fn unread_bytes(elements: &[Operand], bytes: u32, unread: &HashSet<&str>) -> u32 {
    let of = |n: usize| ((1u64 << bytes) - 1) << (n as u32 * bytes).min(u32::BITS);
    let its = elements.iter().enumerate().filter(|(_, element)| is_unread(element, unread));
    its.fold(0, |all, (n, _)| all | of(n)) as u32
}

/// Returns the single-element loads that a widened load stands for; `None` if all its elements are read.
pub fn one_by_one<'a>(
    i: &Instruction<'a>,
    bytes: u32,
    unread: &HashSet<&str>,
) -> Option<Vec<Instruction<'a>>> {
    let [Operand::Vector(elements), Operand::Address { base, offset }] = &i.operands[..] else { return None };
    let vector = vector(i).filter(|_| elements.iter().any(|element| is_unread(element, unread)))?;
    let mut single = i.clone();
    single.modifiers.remove(vector);
    let at = |k: usize| Operand::Address { base: *base, offset: offset + k as i64 * i64::from(bytes) };
    let read = elements.iter().enumerate().filter(|(_, element)| !is_unread(element, unread));
    Some(
        read.map(|(k, element)| Instruction { operands: vec![element.clone(), at(k)], ..single.clone() })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::statements::flatten;

    #[test]
    fn bytes_are_those_of_the_elements_that_nothing_reads() {
        let elements = [Operand::Name("%r1"), Operand::Sink, Operand::Name("%r2"), Operand::Name("%r3")];
        for (bytes, unread, expected) in [
            (1, "", 0b10),
            (2, "%r1", 0b1111),
            (4, "%r3", 0xf0f0),
            (8, "%r2", 0xff_ff00),
            (8, "%r3", 0xff00_ff00),
        ] {
            assert_eq!(unread_bytes(&elements, bytes, &HashSet::from([unread])), expected);
        }
    }

    #[test]
    fn what_nothing_reads_is_not_loaded() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 s[];\n.func f() {\n\
                    ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [s+16];\nadd.f32 %f5, %f1, %f3;\n\
                    ld.shared.v2.f32 {%f6, %f7}, [s];\nadd.f32 %f8, %f6, %f7;\n\
                    @%p1 ld.shared.v2.f32 {%f9, %f10}, [%r1];\nst.shared.f32 [s], %f9;\nret;\n}\n";
        let module = ptx::parse(text).unwrap();
        let body = module.functions[0].body.as_ref().unwrap();
        let all = flatten(body);
        let unread = unread_elements(&all);
        let mut names: Vec<&str> = unread.iter().copied().collect();
        names.sort_unstable();
        assert_eq!(names, ["%f10", "%f2", "%f4"]);
        let loads: Vec<Option<Vec<String>>> = all
            .iter()
            .filter(|i| i.opcode == "ld")
            .map(|i| Some(one_by_one(i, 4, &unread)?.iter().map(ToString::to_string).collect()))
            .collect();
        assert_eq!(
            loads,
            [
                Some(vec!["ld.shared.f32 %f1, [s+16];".to_owned(), "ld.shared.f32 %f3, [s+24];".to_owned()]),
                None,
                Some(vec!["@%p1 ld.shared.f32 %f9, [%r1];".to_owned()]),
            ]
        );
    }
}
