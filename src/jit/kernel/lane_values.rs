//! What registers hold in the lanes of a warp: a forward data-flow analysis of a region.
//!
//! If a value differs from the first lane's by known offsets, so does a sum with it, its product with a constant,
//! and its widened value, provided that no lane's value wraps around when it is widened. The emitted code checks
//! the latter.

use super::masked::{Divergence, FULL};
use super::row::{Op, Row, row};
use cranelift_codegen::ir::condcodes::IntCC;
use sim::kernel_code::{
    Access, Arithmetic, File, Instruction, KernelRegion, LANES, LaneValues, Lanes64, Operand, Operation,
    Register,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// What is known about registers. Nothing is known about registers that are not listed.
pub type RegisterFacts = BTreeMap<Register, LaneValues>;

/// Returns the fact that every lane holds the same, unknown value.
pub fn uniform() -> LaneValues {
    LaneValues::Offsets(Arc::new([0; LANES]))
}

pub fn is_zero(offsets: &Lanes64) -> bool {
    *offsets == [0; LANES]
}

/// Sign-extends the offset of a register of `bits` bits, the form in which offsets are stored.
fn narrowed(value: u64, bits: u32) -> u64 {
    if bits == 64 { value } else { value as u32 as i32 as i64 as u64 }
}

/// Returns the lanes' offsets of a value; all zero for a constant. `None` if they are not known.
pub fn offsets(lane_values: &LaneValues) -> Option<Arc<Lanes64>> {
    match lane_values {
        LaneValues::Constant(_) => Some(Arc::new([0; LANES])),
        LaneValues::Offsets(offsets) => Some(offsets.clone()),
        LaneValues::Varying => None,
    }
}

/// Returns the offsets of the active lanes from the first of them, 0 for the others, and that lane's offset from the first
/// lane of all.
pub fn of_active(offsets: &Arc<Lanes64>, mask: u32) -> (Arc<Lanes64>, u64) {
    let start = offsets[mask.trailing_zeros() as usize % LANES];
    if mask == FULL {
        return (offsets.clone(), start);
    }
    let its = |lane: usize| if mask >> lane & 1 != 0 { offsets[lane].wrapping_sub(start) } else { 0 };
    (Arc::new(std::array::from_fn(its)), start)
}

/// Relaxes what is known of registers to what other facts say too.
pub fn meet_all(facts: &mut RegisterFacts, others: &RegisterFacts) {
    facts.retain(|register, known| {
        let Some(other) = others.get(register) else { return false };
        *known = meet(known, other);
        true
    });
}

/// Returns the facts that hold on both paths (the lattice's meet).
fn meet(a: &LaneValues, b: &LaneValues) -> LaneValues {
    if a == b {
        return a.clone();
    }
    match (offsets(a), offsets(b)) {
        (Some(a), Some(b)) if a == b => LaneValues::Offsets(a),
        _ => LaneValues::Varying,
    }
}

/// Returns what is known about an operand.
pub fn of_operand(known: &RegisterFacts, operand: Operand) -> LaneValues {
    match operand {
        Operand::Constant(bits) => LaneValues::Constant(bits),
        Operand::Register(register) => known.get(&register).cloned().unwrap_or(LaneValues::Varying),
    }
}

/// Evaluates a row on constants. Returns the low `to` bits of the result; `None` if the row is not evaluated here.
fn fold(row: Row, v: &[u64], to: u32) -> Option<u64> {
    let mask = |value: u64, bits: u32| if bits >= 64 { value } else { value & ((1 << bits) - 1) };
    let wide = |value: u64| match (row.bits, row.signed) {
        (32, true) => value as u32 as i32 as i64 as u64,
        (32, false) => value as u32 as u64,
        _ => value,
    };
    let value = match (row.op, v) {
        (Op::Move, [a, ..]) => *a,
        (Op::Add, [a, b, ..]) => a.wrapping_add(*b),
        (Op::Sub, [a, b, ..]) => a.wrapping_sub(*b),
        (Op::Mul, [a, b, ..]) => a.wrapping_mul(*b),
        (Op::Mad, [a, b, c, ..]) => a.wrapping_mul(*b).wrapping_add(*c),
        (Op::MulWide, [a, b, ..]) => wide(*a).wrapping_mul(wide(*b)),
        (Op::MadWide, [a, b, c, ..]) => wide(*a).wrapping_mul(wide(*b)).wrapping_add(*c),
        (Op::Shl, [a, n, ..]) if *n < u64::from(row.bits) => a << n,
        (Op::Shr, [a, n, ..]) if *n < u64::from(row.bits) => {
            if row.signed {
                (wide(*a) as i64 >> n) as u64
            } else {
                mask(*a, row.bits) >> n
            }
        }
        (Op::And, [a, b, ..]) => a & b,
        (Op::Or, [a, b, ..]) => a | b,
        (Op::Xor, [a, b, ..]) => a ^ b,
        (Op::Neg, [a, ..]) => a.wrapping_neg(),
        (Op::Not, [a, ..]) => !a,
        (Op::Convert, [a, ..]) => wide(*a),
        _ => return None,
    };
    Some(mask(value, to))
}

fn bits_of(file: File) -> u32 {
    match file {
        File::R32 => 32,
        File::R64 => 64,
        File::Pred => 1,
    }
}

/// The transfer function of a row: returns what is known about its result, given what is known about its operands.
/// `diverges`: whether it is a comparison whose results differ among the lanes.
pub fn transfer_row(its: &Arithmetic, held: &[LaneValues], diverges: bool) -> LaneValues {
    let Some(row) = row(its.name).filter(|_| its.plain) else { return LaneValues::Varying };
    let to = bits_of(its.to.file);
    let constants: Vec<u64> = held
        .iter()
        .filter_map(
            |lane_values| if let LaneValues::Constant(bits) = lane_values { Some(*bits) } else { None },
        )
        .collect();
    if constants.len() == held.len()
        && to > 1
        && let Some(value) = fold(row, &constants, to)
    {
        return LaneValues::Constant(value);
    }
    let Some(known) = held.iter().map(offsets).collect::<Option<Vec<_>>>() else {
        return LaneValues::Varying;
    };
    let constant = |n: usize| if let LaneValues::Constant(bits) = held[n] { Some(bits) } else { None };
    let all_zero = known.iter().all(|offsets| is_zero(offsets));
    let each = |f: &dyn Fn(usize) -> u64| {
        LaneValues::Offsets(Arc::new(std::array::from_fn(|lane| narrowed(f(lane), to))))
    };
    let scaled = |by: u64, n: usize| each(&|lane| known[n][lane].wrapping_mul(by));
    let wide = |value: u64| if row.signed { value as u32 as i32 as i64 as u64 } else { value as u32 as u64 };
    match row.op {
        Op::Float(_) | Op::FloatCompare(_) | Op::ToFloat => LaneValues::Varying,
        Op::Move | Op::Convert => each(&|lane| known[0][lane]),
        Op::Add => each(&|lane| known[0][lane].wrapping_add(known[1][lane])),
        Op::Sub => each(&|lane| known[0][lane].wrapping_sub(known[1][lane])),
        Op::Neg => each(&|lane| known[0][lane].wrapping_neg()),
        Op::Shl => match constant(1) {
            Some(n) if n < u64::from(row.bits) => scaled(1 << n, 0),
            _ if all_zero => uniform(),
            _ => LaneValues::Varying,
        },
        Op::Mul | Op::MulWide | Op::Mad | Op::MadWide => {
            let by = |n: usize| {
                let bits = constant(n)?;
                Some(if matches!(row.op, Op::MulWide | Op::MadWide) { wide(bits) } else { bits })
            };
            let product = match (by(0), by(1)) {
                (_, Some(by)) => scaled(by, 0),
                (Some(by), _) => scaled(by, 1),
                _ if is_zero(&known[0]) && is_zero(&known[1]) => uniform(),
                _ => return LaneValues::Varying,
            };
            match (offsets(&product), known.get(2)) {
                (Some(product), Some(c)) => each(&|lane| product[lane].wrapping_add(c[lane])),
                _ => product,
            }
        }
        Op::Compare(_) if diverges && !all_zero => LaneValues::Varying,
        // Assumes that the comparison has the same result in all lanes, which the emitted code checks.
        Op::Compare(how) if row.bits > 1 && (is_zero(&known[0]) || is_zero(&known[1])) => {
            let equality = matches!(how, IntCC::Equal | IntCC::NotEqual);
            if all_zero || equality || row.bits == 32 { uniform() } else { LaneValues::Varying }
        }
        Op::Select => match is_zero(&known[2]) && known[0] == known[1] {
            true => LaneValues::Offsets(known[0].clone()),
            false => LaneValues::Varying,
        },
        Op::Compare(_) => LaneValues::Varying,
        _ if all_zero => uniform(),
        _ => LaneValues::Varying,
    }
}

/// Returns whether an access is of one, two or four words, all of them in 32-bit registers. The emitter leaves
/// other accesses to the interpreter.
pub fn is_of_words(access: &Access) -> bool {
    let narrow = |element: &Option<Operand>| match element {
        Some(Operand::Register(register)) => register.file == File::R32,
        Some(Operand::Constant(_)) => true,
        None => false,
    };
    access.element_bytes == 4
        && matches!(access.elements.len(), 1 | 2 | 4)
        && access.elements.iter().all(narrow)
}

/// The transfer function of an instruction: updates what is known before it to what is known after it. `diverges`: as for
/// [`transfer_row`].
fn step(known: &mut RegisterFacts, instruction: &Instruction, diverges: bool) {
    match &instruction.operation {
        Operation::Arithmetic(its) => {
            let held: Vec<LaneValues> = its.from.iter().map(|&operand| of_operand(known, operand)).collect();
            known.insert(its.to, transfer_row(its, &held, diverges));
        }
        Operation::BlockIndex { to, .. } => {
            known.insert(*to, uniform());
        }
        Operation::Load(access) => {
            let one = offsets(&of_operand(known, access.base)).is_some_and(|offsets| is_zero(&offsets));
            let lane_values = if one && is_of_words(access) { uniform() } else { LaneValues::Varying };
            known.extend(instruction.writes.iter().map(|&register| (register, lane_values.clone())));
        }
        _ => known.extend(instruction.writes.iter().map(|&register| (register, LaneValues::Varying))),
    }
}

/// Analyses a region. Returns, for each of its blocks, what is known at the block's start. `diverging`: the comparisons on
/// which the divergences depend.
pub fn analyse(
    region: &KernelRegion,
    divergences: &BTreeMap<u32, Rc<Divergence>>,
    diverging: &BTreeSet<u32>,
) -> Vec<RegisterFacts> {
    let by_start: HashMap<u32, usize> =
        region.blocks.iter().enumerate().map(|(n, block)| (block.range.start, n)).collect();
    let mut facts_at_start: Vec<Option<RegisterFacts>> = vec![None; region.blocks.len()];
    // Every live register has an entry; one of which nothing is known is in memory.
    let at = |n: usize, known: &RegisterFacts| -> RegisterFacts {
        let live = region.blocks[n].live[0].iter();
        live.map(|register| (*register, known.get(register).cloned().unwrap_or(LaneValues::Varying)))
            .collect()
    };
    facts_at_start[0] = Some(at(0, &region.assumptions.iter().cloned().collect()));
    let mut todo = vec![0];
    while let Some(n) = todo.pop() {
        let block = &region.blocks[n];
        let Some(mut known) = facts_at_start[n].clone() else { continue };
        for number in block.range.clone() {
            step(&mut known, region.instruction(number), diverging.contains(&number));
        }
        let mut ways: Vec<(u32, RegisterFacts)> = Vec::new();
        if let Some(divergence) = divergences.get(&(block.range.end - 1)) {
            let mut met = known.clone();
            met.extend(divergence.written.iter().map(|&register| (register, LaneValues::Varying)));
            ways.push((divergence.join, met));
        }
        ways.extend(successors(region, n).into_iter().map(|next| (next, known.clone())));
        for (next, known) in ways {
            let Some(&next) = by_start.get(&next) else { continue };
            let here = at(next, &known);
            let met = match &facts_at_start[next] {
                None => here,
                Some(before) => before
                    .iter()
                    .map(|(register, lane_values)| {
                        (
                            *register,
                            here.get(register).map_or(LaneValues::Varying, |its| meet(lane_values, its)),
                        )
                    })
                    .collect(),
            };
            if facts_at_start[next].as_ref() != Some(&met) {
                facts_at_start[next] = Some(met);
                todo.push(next);
            }
        }
    }
    facts_at_start.into_iter().map(Option::unwrap_or_default).collect()
}

/// Returns the numbers of the instructions that may follow a block. There are none after a block that the code
/// exits from.
pub fn successors(region: &KernelRegion, block: usize) -> Vec<u32> {
    let range = &region.blocks[block].range;
    let left = |number: u32| matches!(region.instruction(number).operation, Operation::Other { .. });
    if range.clone().any(left) {
        return Vec::new();
    }
    let last = region.instruction(range.end - 1);
    match &last.operation {
        Operation::Branch(to) if last.guard.is_some() => vec![*to, range.end],
        Operation::Branch(to) => vec![*to],
        _ => vec![range.end],
    }
}
