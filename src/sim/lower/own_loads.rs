//! Loads from where the same function goes on to store, as in `own = s[i]; other = s[i + 1]; s[i] = own + other;`: what
//! a thread loads there is often its own element. Of several threads that have read an element, the record of the last
//! accesses keeps the instruction of one: if another's is known, not this one, whose thread may be the next writer.

use ptx::{Instruction, Operand};
use std::collections::HashSet;

/// Returns the loads whose address a later store has too, by the positions in the text at which they start.
pub fn own_loads(all: &[&Instruction]) -> HashSet<u32> {
    let (mut found, mut stored) = (HashSet::new(), HashSet::new());
    for i in all.iter().rev() {
        let (load, address) = match (i.opcode, &i.operands[..]) {
            ("ld", [_, Operand::Address { base: Some(base), offset }, ..]) => (true, (*base, *offset)),
            ("st", [Operand::Address { base: Some(base), offset }, ..]) => (false, (*base, *offset)),
            _ => continue,
        };
        if !load {
            stored.insert(address);
        } else if stored.contains(&address) {
            found.insert(i.span.start);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::cas_loop_load::tests::in_kernel;
    use crate::lower::statements::flatten;

    #[test]
    fn a_load_is_of_the_threads_own_element_if_a_store_to_it_follows() {
        let count = |text: &str| in_kernel(text, |body| own_loads(&flatten(body)).len());
        let loads = "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];";
        assert_eq!(count(&format!("{loads} st.global.u32 [%rd1], %r2;")), 1);
        assert_eq!(count(&format!("{loads} st.global.u32 [%rd2], %r2;")), 0);
        assert_eq!(count(&format!("st.global.u32 [%rd1], %r2; {loads}")), 0);
    }
}
