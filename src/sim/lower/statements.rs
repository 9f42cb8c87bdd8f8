//! The statements of a function's body and the names in them.

use ptx::{Instruction, Operand, Statement};

/// Returns the instructions of a body, in order, including those in nested blocks.
pub fn flatten<'s, 'a>(statements: &'s [Statement<'a>]) -> Vec<&'s Instruction<'a>> {
    let mut all = Vec::new();
    for_each(statements, &mut |statement| {
        if let Statement::Instruction(i) = statement {
            all.push(i);
        }
    });
    all
}

/// Calls `act` for each statement of a body, in order, including those in nested blocks; for a block itself, before and
/// after its statements.
pub fn for_each<'s, 'a>(body: &'s [Statement<'a>], act: &mut dyn FnMut(&'s Statement<'a>)) {
    for statement in body {
        act(statement);
        if let Statement::Block(inner) = statement {
            for_each(inner, act);
            act(statement);
        }
    }
}

/// Returns the names in operands.
pub fn names_in<'s, 'a: 's>(operands: impl IntoIterator<Item = &'s Operand<'a>>) -> Vec<&'a str> {
    let mut all = Vec::new();
    operands.into_iter().for_each(|operand| names(operand, &mut all));
    all
}

fn names<'a>(operand: &Operand<'a>, out: &mut Vec<&'a str>) {
    match operand {
        Operand::Name(name) | Operand::Not(name) => out.push(name),
        Operand::Offset { name, .. } | Operand::Part { name, .. } => out.push(name),
        Operand::Address { base, .. } => out.extend(base),
        Operand::Vector(parts) | Operand::List(parts) => parts.iter().for_each(|part| names(part, out)),
        Operand::Pair(first, second) => out.extend([first, second]),
        Operand::TensorAddress { base, coordinates } => {
            out.push(base);
            coordinates.iter().for_each(|part| names(part, out));
        }
        Operand::SampledAddress { coordinates, .. } => {
            coordinates.iter().for_each(|part| names(part, out));
        }
        Operand::Immediate(_) | Operand::Sink => {}
    }
}

/// Returns whether an instruction is a compare-and-swap.
pub fn is_swap(i: &Instruction) -> bool {
    i.opcode == "atom" && i.has("cas")
}
