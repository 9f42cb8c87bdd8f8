//! How what the blocks of a row of the grid access moves from one block to the next.
//!
//! In most kernels an address is an affine function of the block's index: each block accesses what the block before it
//! does, a constant number of bytes further on. Here a path is followed for the first block of a row, once for all blocks
//! of the row: of each register it is known what it holds in the first block, and by how much that changes from one block
//! to the next. Where a value is extended or compared, the blocks are those for which it does not leave the range of its
//! type, and for which the comparison has the same result in each lane: linear functions of the block's number, so that this
//! is exact. What is computed from memory, or in another way, is not known; if an address depends on it, or whether a block
//! follows the path, nothing is found. That the first block follows the path must be known.

use super::compile::CompiledPath;
use super::execute;
use crate::code::DecodedModule;
use crate::engine::warp::Warp;
use crate::kernel_code::{
    Access, Arithmetic, Instruction, Operand, Operation, PathBranch, PathStep, Register,
};
use crate::lanes::{FULL, File, LANES, Lanes64, lanes_of};
use crate::launch::Dim3;

/// Blocks of a row, from its first one on, that follow a path.
#[derive(Debug)]
pub struct MovingBlocks {
    pub count: u64,
    /// For each access to global memory, by how many bytes its addresses move from one block to the next.
    pub strides: Vec<i64>,
    /// The addresses in the first block: see [`PathAccess::addresses`](super::compile::PathAccess::addresses).
    pub addresses: Vec<u64>,
}

/// By how much the value of a register changes from one block to the next, in the lanes in which that is known. The change
/// wraps around at the register's width; that of a 32-bit register is sign-extended. A predicate does not change.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    lanes: u32,
    by: i64,
}

/// An operand in the first block, and its change.
struct Moving {
    lanes: Lanes64,
    by: i64,
}

struct Walk<'a> {
    code: &'a DecodedModule,
    path: &'a CompiledPath,
    /// The first block of the row.
    first: Dim3,
    left: Left,
    strides: Vec<i64>,
    addresses: Vec<u64>,
    /// For each warp and each file of registers, by slot.
    changes: Vec<[Vec<Change>; File::ALL.len()]>,
}

/// Follows a path for the blocks of a row. `warps`: those of a block that has just begun; registers of the kernel's frame are
/// changed, which nothing reads before it writes them. `row`: its first block, and how many blocks it has. Returns `None` if
/// the first block does not follow the path, or if it is not known how the addresses move.
pub fn follow(
    path: &CompiledPath,
    code: &DecodedModule,
    warps: &mut [Warp],
    (first, blocks): (Dim3, u64),
) -> Option<MovingBlocks> {
    let changes = warps.iter().map(|warp| {
        let slots = warp.registers.slots();
        let mut its = File::ALL.map(|file| vec![Change::default(); slots.of(file) as usize]);
        // These never change.
        for (register, _) in &path.followed.region.assumptions {
            its[register.file as usize][register.slot as usize] = Change { lanes: FULL, by: 0 };
        }
        its
    });
    let mut walk = Walk {
        code,
        path,
        first,
        changes: changes.collect(),
        left: Left(blocks),
        strides: Vec::new(),
        addresses: vec![0; path.addresses_per_block()],
    };
    for part in path.followed.phases.iter().flatten() {
        let first_access = walk.strides.len();
        for n in part.warps.clone() {
            let mut access = first_access;
            for step in &part.steps {
                walk.step(&mut warps[n], step, (n - part.warps.start, &mut access))?;
            }
        }
    }
    Some(MovingBlocks { count: walk.left.0, strides: walk.strides, addresses: walk.addresses })
}

impl Walk<'_> {
    /// Follows a step of a warp. `nth`: the warp's place among those of the part; `access`: the number of the next access.
    fn step(&mut self, warp: &mut Warp, step: &PathStep, (nth, access): (usize, &mut usize)) -> Option<()> {
        let region = &self.path.followed.region;
        for number in region.blocks[step.block].range.clone() {
            let instruction = region.instruction(number);
            match &instruction.operation {
                Operation::Nothing | Operation::Other { .. } => {}
                Operation::Arithmetic(its) => self.compute(warp, (number, instruction, its), step.mask)?,
                Operation::BlockIndex { to, axis } => self.block_index(warp, (*to, *axis), step.mask),
                Operation::Load(its) | Operation::Store(its) => {
                    if !its.shared {
                        self.access(warp, its, step.mask, (nth, *access))?;
                        *access += 1;
                    }
                    instruction.writes.iter().for_each(|&to| self.set(warp, to, step.mask, None));
                }
                Operation::Branch(_) => self.branch(warp, instruction, step)?,
                Operation::Interpreted => return None,
            }
        }
        Some(())
    }

    /// Returns the change of a register in these lanes.
    fn change(&self, warp: &Warp, register: Register, mask: u32) -> Option<i64> {
        let its = self.changes[warp.index as usize][register.file as usize][register.slot as usize];
        (its.lanes & mask == mask).then_some(its.by)
    }

    /// Records the change of a register that these lanes have written.
    fn set(&mut self, warp: &Warp, register: Register, mask: u32, by: Option<i64>) {
        let its = &mut self.changes[warp.index as usize][register.file as usize][register.slot as usize];
        *its = match by {
            Some(by) if by == its.by => Change { lanes: its.lanes | mask, by },
            Some(by) => Change { lanes: mask, by },
            None => Change { lanes: its.lanes & !mask, ..*its },
        };
    }

    fn operand(&self, warp: &Warp, operand: &Operand, mask: u32) -> Option<Moving> {
        Some(match *operand {
            Operand::Constant(bits) => Moving { lanes: [bits; LANES], by: 0 },
            Operand::Register(register) => Moving {
                lanes: warp.registers.raw((register.file, register.slot as usize)),
                by: self.change(warp, register, mask)?,
            },
        })
    }

    fn block_index(&mut self, warp: &mut Warp, (to, axis): (Register, u32), mask: u32) {
        let index = [self.first.x, self.first.y, self.first.z][axis as usize];
        let slot = (to.file, to.slot as usize);
        let mut lanes = warp.registers.raw(slot);
        lanes_of(mask).for_each(|lane| lanes[lane] = u64::from(index));
        warp.registers.set_raw(slot, &lanes);
        self.set(warp, to, mask, Some(i64::from(axis == 0)));
    }

    fn branch(&mut self, warp: &Warp, instruction: &Instruction, step: &PathStep) -> Option<()> {
        let Some((predicate, negated)) = instruction.guard else { return Some(()) };
        let taken = match step.branch {
            PathBranch::Known => return Some(()),
            PathBranch::Taken => step.mask,
            PathBranch::NotTaken => 0,
        };
        self.change(warp, predicate, step.mask)?;
        let bits = warp.registers.raw_pred(predicate.slot as usize);
        ((if negated { !bits } else { bits }) & step.mask == taken).then_some(())
    }

    fn access(&mut self, warp: &Warp, its: &Access, mask: u32, (nth, access): (usize, usize)) -> Option<()> {
        let base = self.operand(warp, &its.base, mask)?;
        let address = base.lanes[mask.trailing_zeros() as usize].wrapping_add_signed(its.offset);
        let path_access = self.path.accesses.get(access)?;
        self.addresses[path_access.addresses.start + nth] = address;
        match self.strides.get(access) {
            None => self.strides.push(base.by),
            Some(stride) if *stride != base.by => return None,
            Some(_) => {}
        }
        Some(())
    }

    /// Computes an instruction for the first block, and how its result changes. Returns `None` if that is not known, and whether
    /// a block follows the path depends on it.
    fn compute(
        &mut self,
        warp: &mut Warp,
        (number, instruction, its): (u32, &Instruction, &Arithmetic),
        mask: u32,
    ) -> Option<()> {
        let changes: Option<Vec<i64>> =
            instruction.reads.iter().map(|&register| self.change(warp, register, mask)).collect();
        let by = match changes {
            None => None,
            Some(changes) if changes.iter().all(|by| *by == 0) => Some(0),
            Some(_) => self.changed(warp, its, mask),
        };
        match by {
            Some(_) => execute(warp, &self.code.insts[number as usize], mask),
            None if self.path.code.checks.contains(&number) => return None,
            None => {}
        }
        self.set(
            warp,
            its.to,
            mask,
            by.map(|by| if its.to.file == File::R32 { by as i32 as i64 } else { by }),
        );
        Some(())
    }

    /// Returns how the result of an instruction changes of which an operand does. Leaves only blocks for which that holds.
    fn changed(&mut self, warp: &Warp, its: &Arithmetic, mask: u32) -> Option<i64> {
        let operands: Option<Vec<Moving>> =
            its.from.iter().map(|from| self.operand(warp, from, mask)).collect();
        let operands = operands?;
        let name: Vec<&str> = its.name.split('.').filter(|_| its.plain).collect();
        match (name.as_slice(), operands.as_slice()) {
            (["mov", kind], [a]) => Integer::of(kind).map(|_| a.by),
            (["add", kind], [a, b]) => Integer::of(kind).map(|_| a.by.wrapping_add(b.by)),
            (["sub", kind], [a, b]) => Integer::of(kind).map(|_| a.by.wrapping_sub(b.by)),
            (["mul", "lo", kind], [a, b]) => product(a, b, Integer::of(kind)?, mask),
            (["mad", "lo", kind], [a, b, c]) => {
                Some(product(a, b, Integer::of(kind)?, mask)?.wrapping_add(c.by))
            }
            (["mul", "wide", kind], [a, b]) => self.left.wide_product(a, b, Integer::of(kind)?, mask),
            (["mad", "wide", kind], [a, b, c]) => {
                Some(self.left.wide_product(a, b, Integer::of(kind)?, mask)?.wrapping_add(c.by))
            }
            (["shl", kind], [a, b]) if b.by == 0 => {
                let bits = uniform(b, mask)?;
                (bits < u64::from(Integer::of(kind)?.bits)).then(|| a.by << bits)
            }
            (["cvt", "s64" | "u64", kind @ ("s32" | "u32")], [a]) => {
                self.left.stay_within(a, Integer::of(kind)?, mask);
                Some(a.by)
            }
            (["cvt", "s32" | "u32", "s64" | "u64"], [a]) => Some(a.by),
            (["setp", relation, kind], [a, b]) => {
                self.left.compare(relation, (a, b), Integer::of(kind)?, mask)?;
                Some(0)
            }
            _ => None,
        }
    }
}

/// How many blocks are left of which something is known.
struct Left(u64);

impl Left {
    fn wide_product(&mut self, a: &Moving, b: &Moving, kind: Integer, mask: u32) -> Option<i64> {
        self.stay_within(a, kind, mask);
        self.stay_within(b, kind, mask);
        product(a, b, kind, mask)
    }

    /// Leaves only the blocks in which no lane's value has left the range of a type.
    fn stay_within(&mut self, its: &Moving, kind: Integer, mask: u32) {
        let by = i128::from(its.by);
        for lane in lanes_of(mask) {
            let value = kind.value(its.lanes[lane]);
            let steps = match its.by {
                0 => return,
                1.. => (kind.most() - value) / by,
                _ => (value - kind.least()) / -by,
            };
            self.leave(steps + 1);
        }
    }

    /// Leaves only the blocks in which each lane's comparison has the result that it has in the first block.
    fn compare(
        &mut self,
        relation: &str,
        (a, b): (&Moving, &Moving),
        kind: Integer,
        mask: u32,
    ) -> Option<()> {
        self.stay_within(a, kind, mask);
        self.stay_within(b, kind, mask);
        let by = i128::from(a.by) - i128::from(b.by);
        for lane in lanes_of(mask) {
            let difference = kind.value(a.lanes[lane]) - kind.value(b.lanes[lane]);
            // How many steps it takes until the difference has passed zero, and until it has reached it; 0 if it never does.
            let (distance, speed) = (-difference * by.signum(), by.abs());
            let after =
                |distance: i128| if speed == 0 || distance <= 0 { 0 } else { (distance - 1) / speed + 1 };
            let rising = by > 0;
            let steps = match relation {
                "lt" | "ge" if rising => after(distance),
                "lt" | "ge" => after(distance + 1),
                "le" | "gt" if rising => after(distance + 1),
                "le" | "gt" => after(distance),
                "eq" | "ne" if difference == 0 => i128::from(by != 0),
                "eq" | "ne" if distance > 0 && speed > 0 && distance % speed == 0 => distance / speed,
                "eq" | "ne" => 0,
                _ => return None,
            };
            if steps > 0 {
                self.leave(steps);
            }
        }
        Some(())
    }

    /// Leaves only so many blocks.
    fn leave(&mut self, count: i128) {
        self.0 = self.0.min(u64::try_from(count).unwrap_or(u64::MAX));
    }
}

/// A type of integers of 32 or 64 bits.
#[derive(Clone, Copy, Debug)]
struct Integer {
    bits: u32,
    signed: bool,
}

impl Integer {
    fn of(name: &str) -> Option<Integer> {
        let (signed, bits) = (name.starts_with('s'), name.get(1..)?);
        let is_integer = matches!(name.as_bytes()[0], b's' | b'u' | b'b');
        match bits {
            "32" if is_integer => Some(Integer { bits: 32, signed }),
            "64" if is_integer => Some(Integer { bits: 64, signed }),
            _ => None,
        }
    }

    /// Returns the value that the bits of a register stand for.
    fn value(self, bits: u64) -> i128 {
        match (self.bits, self.signed) {
            (32, true) => i128::from(bits as i32),
            (32, false) => i128::from(bits as u32),
            (_, true) => i128::from(bits as i64),
            (_, false) => i128::from(bits),
        }
    }

    fn least(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }

    fn most(self) -> i128 {
        (1 << (self.bits - u32::from(self.signed))) - 1
    }
}

/// Returns the value that a register has in all these lanes.
fn uniform(its: &Moving, mask: u32) -> Option<u64> {
    let first = its.lanes[mask.trailing_zeros() as usize];
    lanes_of(mask).all(|lane| its.lanes[lane] == first).then_some(first)
}

/// Returns how a product changes of which one factor does not, and is the same in all lanes; it wraps around.
fn product(a: &Moving, b: &Moving, kind: Integer, mask: u32) -> Option<i64> {
    let (moving, other) = match (a.by, b.by) {
        (0, 0) => return Some(0),
        (_, 0) => (a, b),
        (0, _) => (b, a),
        _ => return None,
    };
    Some(moving.by.wrapping_mul(kind.value(uniform(other, mask)?) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares how many blocks are left with what counting them one by one says.
    #[test]
    fn blocks_are_left_as_long_as_the_result_is_the_same() {
        type Relation = (&'static str, fn(i128, i128) -> bool);
        let relations: [Relation; 6] = [
            ("lt", |a, b| a < b),
            ("le", |a, b| a <= b),
            ("gt", |a, b| a > b),
            ("ge", |a, b| a >= b),
            ("eq", |a, b| a == b),
            ("ne", |a, b| a != b),
        ];
        for kind in [Integer { bits: 32, signed: true }, Integer { bits: 32, signed: false }] {
            let near = [-7, -3, -1, 0, 1, 2, 5, 9, i64::from(i32::MAX) - 2, i64::from(i32::MIN) + 3];
            for (a, b, by) in near.iter().flat_map(|&a| {
                near.iter().flat_map(move |&b| [-4i64, -3, -1, 0, 1, 2, 7].map(move |by| (a, b, by)))
            }) {
                let value = |n: i128| (n as u32, kind.value(n as u32 as u64));
                let [one, other] = [a, b].map(|n| value(i128::from(n)));
                for (name, holds) in relations {
                    let exact = |k: i128| one.1 + k * i128::from(by);
                    let wanted = (0..40).take_while(|&k| {
                        (kind.least()..=kind.most()).contains(&exact(k))
                            && holds(exact(k), other.1) == holds(one.1, other.1)
                    });
                    let mut left = Left(40);
                    let [one, other] = [(one, by), (other, 0)]
                        .map(|((bits, _), by)| Moving { lanes: [u64::from(bits); LANES], by });
                    left.compare(name, (&one, &other), kind, FULL).unwrap();
                    assert_eq!(left.0, wanted.count() as u64, "{a} {name} {b}, moving by {by}, {kind:?}");
                }
            }
        }
    }

    #[test]
    fn products_move_by_what_one_factor_does() {
        let moving = |value: u32, by| Moving { lanes: [u64::from(value); LANES], by };
        let signed = Integer { bits: 32, signed: true };
        assert_eq!(product(&moving(7, 2), &moving(-3i32 as u32, 0), signed, FULL), Some(-6));
        assert_eq!(product(&moving(5, 0), &moving(9, 4), signed, FULL), Some(20));
        assert_eq!(product(&moving(5, 1), &moving(9, 4), signed, FULL), None);
        let mut uneven = moving(5, 0);
        uneven.lanes[3] = 6;
        assert_eq!(product(&moving(1, 1), &uneven, signed, FULL), None);
        assert_eq!(product(&moving(1, 1), &uneven, signed, FULL << 4), Some(5));
    }
}
