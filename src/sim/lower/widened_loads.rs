//! Loads that the compiler has widened: from variables in shared memory it loads neighbours at fixed places at once, and
//! with them what lies between and behind, into registers that nothing reads. The program does not read those elements:
//! another thread may write them, or the array may end before them.

use super::cas_loop_load::{flatten, names};
use ptx::{Instruction, Operand, Statement};
use std::collections::{HashMap, HashSet};

/// Of the registers that vector loads from shared memory fill, those that nothing reads.
pub fn unread_elements<'a>(body: &[Statement<'a>]) -> HashSet<&'a str> {
    let mut all = Vec::new();
    flatten(body, &mut all);
    let mut found: HashMap<&str, u32> = HashMap::new();
    for i in all.iter().filter(|i| is_vector_load(i)) {
        if let Some(Operand::Vector(elements)) = i.operands.first() {
            let mut filled = Vec::new();
            elements.iter().for_each(|element| names(element, &mut filled));
            found.extend(filled.into_iter().map(|name| (name, 0)));
        }
    }
    if found.is_empty() {
        return HashSet::new();
    }
    let mut named = Vec::new();
    for i in all {
        i.operands.iter().for_each(|operand| names(operand, &mut named));
        named.extend(i.guard.as_ref().map(|guard| guard.register));
        for name in named.drain(..) {
            found.entry(name).and_modify(|times| *times += 1);
        }
    }
    // Once: where it is filled.
    found.into_iter().filter(|(_, times)| *times == 1).map(|(name, _)| name).collect()
}

fn is_vector_load(i: &Instruction) -> bool {
    i.opcode == "ld" && i.modifiers.first() == Some(&"shared") && vector(i).is_some()
}

/// The modifier that makes it a load of several elements.
fn vector(i: &Instruction) -> Option<usize> {
    i.modifiers.iter().position(|m| matches!(*m, "v2" | "v4"))
}

/// The loads of single elements that a widened one stands for; `None` where all that it fills is read.
pub fn one_by_one<'a>(
    i: &Instruction<'a>,
    bytes: u32,
    unread: &HashSet<&str>,
) -> Option<Vec<Instruction<'a>>> {
    let [Operand::Vector(elements), Operand::Address { base, offset }] = &i.operands[..] else { return None };
    let is_unread = |element: &Operand| matches!(element, Operand::Name(name) if unread.contains(name));
    let vector = vector(i).filter(|_| is_vector_load(i) && elements.iter().any(is_unread))?;
    let mut single = i.clone();
    single.modifiers.remove(vector);
    let at = |k: usize| Operand::Address { base: *base, offset: offset + k as i64 * i64::from(bytes) };
    let read = elements.iter().enumerate().filter(|(_, element)| !is_unread(element));
    Some(
        read.map(|(k, element)| Instruction { operands: vec![element.clone(), at(k)], ..single.clone() })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_reads_is_not_loaded() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 s[];\n.func f() {\n\
                    ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [s+16];\nadd.f32 %f5, %f1, %f3;\n\
                    ld.shared.v2.f32 {%f6, %f7}, [s];\nadd.f32 %f8, %f6, %f7;\n\
                    @%p1 ld.shared.v2.f32 {%f9, %f10}, [%r1];\nst.shared.f32 [s], %f9;\nret;\n}\n";
        let module = ptx::parse(text).unwrap();
        let body = module.functions[0].body.as_ref().unwrap();
        let unread = unread_elements(body);
        let mut names: Vec<&str> = unread.iter().copied().collect();
        names.sort_unstable();
        assert_eq!(names, ["%f10", "%f2", "%f4"]);
        let mut all = Vec::new();
        flatten(body, &mut all);
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
