//! Which registers of a frame are kept in variables, and where they are live.

use sim::compiled::{Callee, FrameRange, JumpCondition, Operand, Operation, Region, Register};
use std::collections::{BTreeSet, HashMap};

/// The registers that a region keeps in variables, called cells: those that it uses and always accesses whole. A
/// cell is named by its number.
pub struct Cells {
    /// By offset in the frame; no two overlap.
    registers: Vec<Register>,
    numbers: HashMap<Register, usize>,
    /// For each cell, whether the region writes it.
    written: Vec<bool>,
}

/// Returns the ranges of the frame that an operation accesses as whole registers.
fn used(operation: &Operation) -> Vec<FrameRange> {
    let operands = |operands: &[Operand]| -> Vec<FrameRange> {
        let register = |operand: &Operand| match operand {
            Operand::Register(register) => Some((register.at, register.bytes)),
            Operand::Constant(_) => None,
        };
        operands.iter().filter_map(register).collect()
    };
    let mut used = match operation {
        Operation::Arithmetic(row) | Operation::Jump { when: JumpCondition::Arithmetic(row, _), .. } => {
            operands(&row.from)
        }
        Operation::Move { from, .. } => operands(&[*from]),
        Operation::Jump { when: JumpCondition::Predicate(predicate, _), .. } => operands(&[*predicate]),
        Operation::Load { base, .. } => operands(&[*base]),
        Operation::Store { from, base, .. } => operands(&[*from, *base]),
        Operation::Call { arguments, callee: Callee::Function(_), .. } => arguments.clone(),
        Operation::Call { arguments, callee: Callee::Address(address, _), .. } => {
            [arguments.clone(), operands(&[*address])].concat()
        }
        Operation::Return { results, .. } => results.clone(),
        Operation::Jump { when: JumpCondition::Always, .. }
        | Operation::LocalAddress { .. }
        | Operation::Nothing
        | Operation::Other { .. } => Vec::new(),
    };
    used.extend(operation.writes());
    // Arguments and results of other sizes are copied in pieces.
    used.retain(|&(_, bytes)| matches!(bytes, 1 | 4 | 8));
    used
}

impl Cells {
    /// Determines the cells of a region.
    pub fn of(region: &Region) -> Cells {
        let operations = || region.range.clone().filter_map(|number| region.operation(number));
        let params = region.frame.params.iter().copied().filter(|&(_, bytes)| matches!(bytes, 4 | 8));
        let all: BTreeSet<FrameRange> = operations().flat_map(used).chain(params).collect();
        let all: Vec<FrameRange> = all.into_iter().collect();
        let mut registers = Vec::new();
        let mut reached = 0;
        for (n, &(at, bytes)) in all.iter().enumerate() {
            let alone = at >= reached && all.get(n + 1).is_none_or(|&(next, _)| next >= at + bytes);
            reached = reached.max(at + bytes);
            if alone {
                registers.push(Register { at, bytes });
            }
        }
        let numbers: HashMap<Register, usize> = registers.iter().copied().zip(0..).collect();
        let mut cells = Cells { written: vec![false; registers.len()], registers, numbers };
        let params = region.frame.params.iter().copied().filter(|_| region.is_function());
        for frame_range in operations().flat_map(Operation::writes).chain(params) {
            for number in cells.overlapping(frame_range).collect::<Vec<_>>() {
                cells.written[number] = true;
            }
        }
        cells
    }

    pub fn registers(&self) -> &[Register] {
        &self.registers
    }

    /// Returns the number of a register's cell; `None` if the register stays in the frame.
    pub fn number(&self, register: Register) -> Option<usize> {
        self.numbers.get(&register).copied()
    }

    /// Returns the number of the cell that is exactly this range of the frame.
    pub fn cell_of(&self, (at, bytes): FrameRange) -> Option<usize> {
        self.number(Register { at, bytes })
    }

    /// Returns whether the region writes a cell.
    pub fn is_written(&self, number: usize) -> bool {
        self.written[number]
    }

    /// Returns the numbers of the cells that overlap a range of the frame.
    pub fn overlapping(&self, (start, bytes): FrameRange) -> impl Iterator<Item = usize> + '_ {
        let first = self.registers.partition_point(|r| r.at + r.bytes <= start);
        let inside = self.registers[first..].iter().take_while(move |r| r.at < start + bytes);
        (first..).zip(inside).map(|(number, _)| number)
    }
}

/// For each operation of a function, the cells of a region that are live before it: those that may be read before
/// they are written.
pub struct Live {
    start: u32,
    words: usize,
    bits: Vec<u64>,
}

impl Live {
    /// Analyses a region's function. Conservatively, a cell is live unless it is known to be written first.
    pub fn of(region: &Region, cells: &Cells) -> Live {
        let words = cells.registers.len().div_ceil(64).max(1);
        let mut live = Live { start: region.start, words, bits: vec![0; words * region.operations.len()] };
        let mut changes = true;
        let mut row = vec![0u64; words];
        while changes {
            changes = false;
            for (n, operation) in region.operations.iter().enumerate().rev() {
                let number = region.start + n as u32;
                row.fill(0);
                for next in operation.next(number) {
                    match live.row(next) {
                        Some(its) => row.iter_mut().zip(its).for_each(|(to, from)| *to |= from),
                        None => row.fill(u64::MAX),
                    }
                }
                for cell in
                    operation.writes().into_iter().filter_map(|frame_range| cells.cell_of(frame_range))
                {
                    row[cell / 64] &= !(1 << (cell % 64));
                }
                for range in operation.reads() {
                    cells.overlapping(range).for_each(|cell| row[cell / 64] |= 1 << (cell % 64));
                }
                let at = n * words;
                let its = &mut live.bits[at..at + words];
                if its != row {
                    its.copy_from_slice(&row);
                    changes = true;
                }
            }
        }
        live
    }

    fn row(&self, number: u32) -> Option<&[u64]> {
        let at = number.checked_sub(self.start)? as usize * self.words;
        self.bits.get(at..at + self.words)
    }

    /// Returns whether a cell is live before an operation; true for operations outside the function.
    pub fn is_live(&self, number: u32, cell: usize) -> bool {
        self.row(number).is_none_or(|row| row[cell / 64] >> (cell % 64) & 1 != 0)
    }
}

/// Returns, for each cell, whether its variable has a floating-point type: if it is used as a float more often
/// than as an integer. `votes_of` returns the votes for a row's result and for its operands.
pub fn floats(region: &Region, cells: &Cells, votes_of: impl Fn(&str) -> (i32, i32)) -> Vec<bool> {
    let mut votes = vec![0i32; cells.registers.len()];
    let mut moves = Vec::new();
    let mut vote = |register: Register, vote: i32| {
        if let Some(cell) = cells.number(register) {
            votes[cell] += vote;
        }
    };
    for operation in region.range.clone().filter_map(|number| region.operation(number)) {
        match operation {
            Operation::Arithmetic(row) | Operation::Jump { when: JumpCondition::Arithmetic(row, _), .. } => {
                let (to, from) = votes_of(row.name);
                vote(row.to, to);
                for operand in &row.from {
                    if let Operand::Register(register) = operand {
                        vote(*register, from);
                    }
                }
            }
            Operation::Move { to, from: Operand::Register(from) } => {
                moves.extend(cells.number(*to).zip(cells.number(*from)));
            }
            Operation::Load { base: Operand::Register(base), .. }
            | Operation::Store { base: Operand::Register(base), .. } => vote(*base, -1),
            _ => {}
        }
    }
    // A register that is only moved has the type of the register that it is moved from or to.
    for _ in 0..3 {
        for &(to, from) in &moves {
            match (votes[to], votes[from]) {
                (0, known) => votes[to] = known,
                (known, 0) => votes[from] = known,
                _ => {}
            }
        }
    }
    let wide_enough = cells.registers.iter().map(|register| register.bytes >= 4);
    votes.into_iter().zip(wide_enough).map(|(votes, wide)| votes > 0 && wide).collect()
}
