//! `setp` and `set`: comparisons that combine their result with a predicate, write two predicates, or write a
//! register. Plain `setp` is lowered as arithmetic.

use super::function::{FunctionLowering, Lowered};
use crate::lanes::File;
use crate::table;
use ptx::{Instruction, Operand, Type};

impl<'a> FunctionLowering<'_, 'a> {
    /// Lowers a `setp` that combines its result with a predicate, or writes two. Returns false for a plain one.
    pub fn set_predicate(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        let [dest, sources @ ..] = &i.operands[..] else { return Err("its operands".into()) };
        let packed = matches!(Self::type_of(i)?, Type::F16x2 | Type::Bf16x2);
        if join(i).is_none() && !packed && matches!(dest, Operand::Name(_)) {
            return Ok(false);
        }
        let (first, second) = match dest {
            Operand::Name(name) => (Some(*name), None),
            Operand::Pair(first, second) => {
                (Some(*first).filter(|n| *n != "_"), Some(*second).filter(|n| *n != "_"))
            }
            Operand::Sink => (None, None),
            other => return Err(format!("result in {other:?}")),
        };
        let kept: Vec<&str> = i.modifiers.iter().copied().filter(|m| Some(*m) != join(i)).collect();
        let results = self.comparisons(i, &kept, packed, sources)?;
        let other = self.joined_predicate(i, sources)?;
        let p = self.joined(i, results[0], other)?;
        let q = if second.is_none() {
            None
        } else if packed {
            Some(self.joined(i, results[1], other)?)
        } else {
            let inverse = self.compute("not.pred", &[results[0]])?;
            Some(self.joined(i, inverse, other)?)
        };
        for (name, value) in [(first, Some(p)), (second, q)] {
            if let (Some(name), Some(value)) = (name, value) {
                let (d, _) = self.destination(&Operand::Name(name), File::Pred)?;
                self.row("mov.pred", d, &[value])?;
            }
        }
        Ok(true)
    }

    /// Lowers `set`: the comparison, its combination with a predicate, and then the value for true or false.
    pub fn set(&mut self, i: &Instruction<'a>) -> Lowered<bool> {
        let [dest, sources @ ..] = &i.operands[..] else { return Err("its operands".into()) };
        let packed = matches!(Self::type_of(i)?, Type::F16x2 | Type::Bf16x2);
        // The result's type precedes that of the operands.
        let at = i.modifiers.len().checked_sub(2).ok_or("its types")?;
        let to = i.modifiers[at];
        let kept: Vec<&str> = (i.modifiers.iter().enumerate())
            .filter(|&(index, m)| index != at && Some(*m) != join(i))
            .map(|(_, m)| *m)
            .collect();
        let mut results = self.comparisons(i, &kept, packed, sources)?;
        let other = self.joined_predicate(i, sources)?;
        for result in &mut results {
            *result = self.joined(i, *result, other)?;
        }
        let row = if packed { format!("%set.pair.{to}") } else { format!("%set.{to}") };
        self.part(dest, &row, &results)?;
        Ok(true)
    }

    /// Lowers the comparisons of an instruction, without its Boolean operator. Returns one predicate, or those of the
    /// lower and the upper half of a packed pair.
    fn comparisons(
        &mut self,
        i: &Instruction<'a>,
        modifiers: &[&str],
        packed: bool,
        sources: &[Operand<'a>],
    ) -> Lowered<Vec<u32>> {
        let [a, b, ..] = sources else { return Err("its operands".into()) };
        if sources.len() != 2 + join(i).is_some() as usize {
            return Err("its operands".into());
        }
        let opcodes: &[&str] = if packed { &["%setp.low", "%setp.high"] } else { &["setp"] };
        let mut results = Vec::new();
        for opcode in opcodes {
            let (name, mode) = table::split_mode(opcode, modifiers);
            let row = table::find(&name, mode).ok_or("its type")?;
            self.count_as(row.class);
            let s = [self.source(a, row.sources[0])?, self.source(b, row.sources[1])?];
            let d = self.allocate(File::Pred, 1);
            self.push_row(row, d, &s, table::mode_bits(mode));
            results.push(d);
        }
        Ok(results)
    }

    /// Returns the predicate that the instruction combines its result with.
    fn joined_predicate(&mut self, i: &Instruction<'a>, sources: &[Operand<'a>]) -> Lowered<Option<u32>> {
        match (join(i), sources) {
            (Some(_), [_, _, c]) => Ok(Some(self.source(c, File::Pred)?)),
            _ => Ok(None),
        }
    }

    fn joined(&mut self, i: &Instruction<'a>, result: u32, other: Option<u32>) -> Lowered<u32> {
        match (join(i), other) {
            (Some(join), Some(other)) => self.compute(&format!("{join}.pred"), &[result, other]),
            _ => Ok(result),
        }
    }
}

/// Returns the Boolean operator by which the instruction combines its result with a predicate.
fn join<'a>(i: &Instruction<'a>) -> Option<&'a str> {
    i.modifiers.iter().find(|m| matches!(**m, "and" | "or" | "xor")).copied()
}
