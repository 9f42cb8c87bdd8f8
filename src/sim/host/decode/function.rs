//! Decodes one function's instructions into operations. Some adjacent instructions are fused into one
//! operation: a comparison and the branch on it, or the moves of the two halves of a 64-bit parameter.

use super::frame::{FixedValues, Frame, OperandError};
use super::locals::Locals;
use super::sweep::{Names, sweep};
use crate::code::{CallTarget, DecodedModule, Inst, System, What, add_to};
use crate::division::Division;
use crate::evidence::WarpOperation;
use crate::host::op::{CallSite, Function, HostProgram, Kind, Op, Target, no_row};
use crate::lanes::File;
use crate::memory::access::Action;
use crate::scalar::Operands;
use crate::scalar::bytes_of;
use crate::table::Row;
use std::ops::Range;

/// Why an instruction can't be decoded into an operation.
pub enum DecodeError {
    DeviceOnly(&'static str),
    Unsupported(String),
}

impl From<OperandError> for DecodeError {
    fn from(value: OperandError) -> DecodeError {
        match value {
            OperandError::DeviceOnly(what) => DecodeError::DeviceOnly(what),
            OperandError::Outside => DecodeError::Unsupported("a register outside its function".into()),
        }
    }
}

/// The error says why the instruction has no operation on the host.
pub type Decoded<T> = Result<T, DecodeError>;

pub struct Decoder<'c, 'p> {
    pub code: &'c DecodedModule,
    pub program: &'p mut HostProgram,
    pub frame: Frame<'c>,
    /// The function's variables, if they are moved.
    locals: Option<Locals>,
    range: Range<u32>,
    wide: bool,
    /// For each instruction, its first operation, and the number of PTX instructions before it.
    starts: Vec<(u32, u32)>,
    /// Operations that may jump, each with the instruction that it jumps to.
    jumps: Vec<(u32, u32)>,
    /// PTX instructions decoded so far.
    counted: u32,
    /// Instructions before this one are done by operations already decoded.
    done: u32,
    /// Names of the rows that operations run, by operation number.
    names: Names,
}

/// Decodes the instructions `range` of function `number`.
pub fn decode(
    code: &DecodedModule,
    program: &mut HostProgram,
    fixed: &FixedValues,
    number: usize,
    range: Range<u32>,
    wide: bool,
) -> Function {
    let its = &code.functions[number];
    let start = program.ops.len() as u32;
    let counted = program.counted.last().copied().unwrap_or(0);
    let frame = Frame::new(fixed, its.frame);
    let mut decoder = Decoder {
        code,
        program,
        frame,
        locals: Locals::of(code, fixed, range.clone(), its.local_bytes),
        wide,
        starts: Vec::with_capacity(range.len()),
        jumps: Vec::new(),
        counted,
        done: range.start,
        names: Names::new(),
        range: range.clone(),
    };
    for pc in range {
        decoder.instruction(pc);
    }
    decoder.patch();
    decoder.find_sweeps();
    let (local_bytes, gaps) = match decoder.locals {
        Some(Locals { layout, .. }) => (layout.bytes, layout.gaps),
        None => (its.local_bytes, Vec::new()),
    };
    let frame = decoder.frame;
    let words = |slot: &crate::code::ParamSlot| frame.words(slot.register, slot.words * 4).unwrap_or((0, 0));
    let first = program.constants.len() as u32;
    program.constants.extend_from_slice(&frame.constants);
    Function {
        start: Some(start),
        kernel: false,
        frame_bytes: frame.bytes().next_multiple_of(16),
        local_bytes,
        gaps,
        constants: (first, program.constants.len() as u32),
        constants_start: frame.constants_start(),
        params: its.params.iter().map(words).collect(),
        returns: its.returns.iter().map(words).collect(),
        counted,
    }
}

impl Decoder<'_, '_> {
    fn instruction(&mut self, pc: u32) {
        self.starts.push((self.program.ops.len() as u32, self.counted));
        self.counted += self.code.origins[pc as usize].first as u32;
        if pc < self.done {
            return;
        }
        self.done = pc + 1;
        let inst = &self.code.insts[pc as usize];
        let decoded = self.guard(pc, inst).and_then(|guard| {
            let kept = self.program.ops.len();
            self.unguarded(pc, inst, guard).inspect_err(|_| self.program.ops.truncate(kept))
        });
        match decoded {
            Ok(()) => {}
            Err(DecodeError::DeviceOnly(what)) => self.device_only(what),
            Err(DecodeError::Unsupported(what)) => {
                let number = add_to(&mut self.program.unsupported, what);
                self.push(Op { target: number, ..plain(Kind::Unsupported) });
            }
        }
        // Of all instructions that are fused into the operation.
        let joined = pc as usize + 1..self.done as usize;
        let counted = self.code.origins[joined].iter().filter(|o| o.first).count() as u32 + self.counted;
        let ops = self.program.ops.len();
        self.program.places.resize(ops, self.code.source.places[pc as usize]);
        self.program.counted.resize(ops, counted);
    }

    fn device_only(&mut self, what: &'static str) {
        let number = add_to(&mut self.program.device_only, what);
        self.push(Op { target: number, ..plain(Kind::DeviceOnly) });
    }

    pub fn push(&mut self, op: Op) {
        self.program.ops.push(op);
    }

    /// Adds an operation that may jump to the instruction `to`.
    fn jump(&mut self, op: Op, to: u32) {
        self.jumps.push((self.program.ops.len() as u32, to));
        self.push(op);
    }

    /// Returns the predicate that guards an instruction, and whether it is negated. Unless the instruction is a
    /// branch, adds an operation that skips it if the guard does not hold.
    fn guard(&mut self, pc: u32, inst: &Inst) -> Decoded<Option<(u32, bool)>> {
        let Some((register, negated)) = inst.guard.parts() else { return Ok(None) };
        let at = self.frame.offset(File::Pred, register)?;
        if !matches!(inst.what, What::Branch) {
            let kind = if negated { Kind::BranchIf } else { Kind::BranchUnless };
            let operands = Operands { s: [at, 0, 0, 0], ..Operands::default() };
            self.jump(Op { operands, ..plain(kind) }, pc + 1);
        }
        Ok(Some((at, negated)))
    }

    fn unguarded(&mut self, pc: u32, inst: &Inst, guard: Option<(u32, bool)>) -> Decoded<()> {
        match inst.what {
            What::Lanes(_) => match self.code.origins[pc as usize].row {
                Some(row) => self.row(pc, inst, row, guard.is_some()),
                None => Err(DecodeError::Unsupported("arithmetic without a row".into())),
            },
            What::Memory if self.is_count_before_array(pc, inst) => Ok(()),
            What::Memory => self.memory(inst),
            What::System(what) => self.system(inst, what),
            What::Branch => {
                let kind = match guard {
                    None => Kind::Branch,
                    Some((_, false)) => Kind::BranchIf,
                    Some((_, true)) => Kind::BranchUnless,
                };
                let s = [guard.map_or(0, |(at, _)| at), 0, 0, 0];
                self.jump(Op { operands: Operands { s, ..Operands::default() }, ..plain(kind) }, inst.detail);
                Ok(())
            }
            What::BranchIndexed => self.branch_indexed(inst),
            What::Call => self.call(inst),
            What::Return => {
                self.push(plain(Kind::Return));
                Ok(())
            }
            What::Exit => {
                self.push(plain(Kind::Exit));
                Ok(())
            }
            What::Trap => {
                self.push(plain(Kind::Trap));
                Ok(())
            }
            What::Barrier => Err(DecodeError::DeviceOnly("__syncthreads()")),
            What::Collective => {
                let operation = self.code.details.collectives[inst.detail as usize].kind.operation();
                Err(DecodeError::DeviceOnly(operation.map_or("a matrix operation", WarpOperation::name)))
            }
        }
    }

    /// Returns the instruction after `pc` if it is in the same basic block, so that it runs whenever the one at
    /// `pc` does.
    fn follower(&self, pc: u32) -> Option<&Inst> {
        let (here, next) = (pc as usize, pc as usize + 1);
        let same = pc + 1 < self.range.end && self.code.block_of[here] == self.code.block_of[next];
        same.then(|| &self.code.insts[next])
    }

    fn row(&mut self, pc: u32, inst: &Inst, row: &'static Row, guarded: bool) -> Decoded<()> {
        let mut operands = Operands { detail: inst.detail, ..Operands::default() };
        operands.d = self.frame.destination(row.dest, inst.d)?;
        for (n, &file) in row.sources.iter().enumerate() {
            operands.s[n] = self.frame.offset(file, inst.s[n])?;
        }
        if let Some(offset) = self.locals.as_ref().and_then(|its| its.offset(self.frame.fixed, inst, row)) {
            operands.s[1] = self.frame.bits(offset);
        }
        let name = row.names.first().copied().unwrap_or_default();
        let run = if self.wide { row.scalar.wide } else { row.scalar.baseline };
        let mut op = Op { operands, run, ..plain(Kind::Row) };
        self.names.insert(self.program.ops.len() as u32, row.names);
        self.program.rows.insert(self.program.ops.len() as u32, row);
        match name {
            "mov.b32" => op.kind = Kind::Move32,
            "mov.b64" => op.kind = Kind::Move64,
            "%join64" if operands.s[0] + 4 == operands.s[1] => op.kind = Kind::Move64,
            "%low32" if !guarded => {
                if let (Some(next), Some(other)) =
                    (self.follower(pc), self.code.origins.get(pc as usize + 1).and_then(|o| o.row))
                    && other.names.first() == Some(&"%high32")
                    && !next.guard.is_some()
                    && next.s[0] == inst.s[0]
                    && next.d == inst.d + 1
                    && self.frame.destination(File::R32, inst.d + 1).is_ok()
                {
                    op.kind = Kind::Move64;
                    self.done = pc + 2;
                }
            }
            _ if row.dest == File::Pred && !guarded => {
                if let Some(next) = self.follower(pc)
                    && let What::Branch = next.what
                    && let Some((register, negated)) = next.guard.parts()
                    && register == inst.d
                {
                    op.kind = if negated { Kind::RowBranchUnless } else { Kind::RowBranchIf };
                    let to = next.detail;
                    self.done = pc + 2;
                    self.jump(op, to);
                    return Ok(());
                }
            }
            _ => {}
        }
        if let Some(division) = Division::of(name)
            && self.frame.immediate(row.sources[1], inst.s[1]).is_none_or(|bits| division.may_fail(bits))
        {
            (op.kind, op.target) = (Kind::Divide, division.pack());
        }
        self.push(op);
        Ok(())
    }

    fn system(&mut self, inst: &Inst, what: System) -> Decoded<()> {
        let mut op = plain(Kind::Trap);
        match what {
            System::LocalAddress => {
                op.kind = Kind::LocalAddress;
                op.operands.d = self.frame.destination(File::R64, inst.d)?;
                let moved = self.locals.as_ref().and_then(|its| its.alone(inst));
                op.immediate = moved.unwrap_or(inst.detail.into()) as i64;
            }
            System::Unset => {
                let file =
                    [File::R32, File::R64, File::Pred].into_iter().find(|file| *file as u32 == inst.detail);
                let file = file.unwrap_or(File::R32);
                op.kind = Kind::Unset;
                op.operands.d = self.frame.destination(file, inst.d)?;
                op.operands.detail = bytes_of(file);
            }
            System::IsSpace => {
                op.kind = Kind::IsSpace;
                op.operands.d = self.frame.destination(File::Pred, inst.d)?;
                op.operands.s[0] = self.frame.offset(File::R64, inst.s[0])?;
                op.operands.detail = inst.detail;
            }
            System::Clock32 | System::Clock64 | System::GlobalTimer => {
                op.kind = Kind::Clock;
                let (file, detail) = match what {
                    System::Clock32 => (File::R32, 0),
                    System::Clock64 => (File::R64, 1),
                    _ => (File::R64, 2),
                };
                op.operands.d = self.frame.destination(file, inst.d)?;
                op.operands.detail = detail;
            }
            // No effect on the host. The use of an undefined value is not a finding here: copies of structs
            // read some of their members without a value.
            System::Yield
            | System::Fence
            | System::ProxyFence
            | System::AsyncWait
            | System::AsyncSignal
            | System::Nothing
            | System::CheckDefined => return Ok(()),
            System::Unsupported => {
                op.kind = Kind::Unsupported;
                op.target = inst.detail;
            }
            System::BlockIndex => return Err(DecodeError::DeviceOnly("blockIdx")),
            System::Bulk | System::Tensor | System::BulkWait | System::PhaseOver => {
                return Err(DecodeError::DeviceOnly("a bulk copy"));
            }
            System::Texture | System::Surface => return Err(DecodeError::DeviceOnly("a texture or surface")),
            System::MapShared | System::SharedRank => return Err(DecodeError::DeviceOnly("shared memory")),
            System::ActiveMask => return Err(DecodeError::DeviceOnly("__activemask()")),
            System::Multiprocessor => {
                return Err(DecodeError::DeviceOnly("a register that only kernels have"));
            }
            System::MbarrierCheck => return Err(DecodeError::DeviceOnly("a barrier in shared memory")),
        }
        self.push(op);
        Ok(())
    }

    fn branch_indexed(&mut self, inst: &Inst) -> Decoded<()> {
        let table = self.code.details.tables.get(inst.detail as usize).filter(|table| !table.is_empty());
        let table = table.ok_or_else(|| DecodeError::Unsupported("a branch table without targets".into()))?;
        // Instructions for now; `patch` turns them into operations.
        let targets = table.iter().map(|&to| (to, 0)).collect();
        let mut op = plain(Kind::BranchIndexed);
        op.operands.s[0] = self.frame.offset(File::R32, inst.s[0])?;
        op.target = add_to(&mut self.program.tables, targets);
        self.push(op);
        Ok(())
    }

    /// Returns whether a store is an artefact of NVRTC: for `new T[n]` of a type with a constructor and no
    /// destructor, it allocates only the elements, yet stores their number in front of them, where nothing
    /// reads it. A store there by a statement of its own is not one.
    fn is_count_before_array(&self, pc: u32, inst: &Inst) -> bool {
        /// The most instructions between the call and the store: those that put the call's result together.
        const NEAR: u32 = 6;
        let op = &self.code.details.memory[inst.detail as usize];
        let bytes = op.element_bytes as usize * op.elements as usize;
        if !matches!(op.action, Action::Store) || (op.offset, bytes) != (-8, 8) {
            return false;
        }
        let before = (self.range.start.max(pc.saturating_sub(NEAR))..pc).rev();
        let mut before = before.map(|pc| (pc, &self.code.insts[pc as usize]));
        let made = before.by_ref().find(|&(pc, its)| {
            let row = self.code.origins[pc as usize].row.filter(|row| row.dest == File::R64);
            matches!(its.what, What::Lanes(_)) && row.is_some() && its.d == op.base
        });
        let Some((_, made)) = made else { return false };
        let mut before =
            before.take_while(|(_, its)| !matches!(its.what, What::Branch | What::BranchIndexed));
        before.any(|(at, its)| {
            let call = matches!(its.what, What::Call).then(|| &self.code.details.calls[its.detail as usize]);
            call.is_some_and(|call| {
                self.allocates(&call.target)
                    && call.results.first() == Some(&made.s[0])
                    && self.code.location(at) == self.code.location(pc)
            })
        })
    }

    /// Returns whether a call allocates memory for `new`.
    fn allocates(&self, target: &CallTarget) -> bool {
        match target {
            CallTarget::Function(number) => {
                self.code.functions[*number as usize].name == "__gpulearn_new_array"
            }
            target => target.allocates(),
        }
    }

    fn call(&mut self, inst: &Inst) -> Decoded<()> {
        let call = &self.code.details.calls[inst.detail as usize];
        let target = match &call.target {
            CallTarget::Function(number) => Target::Function(*number),
            CallTarget::Register(register) => Target::Register(self.frame.offset(File::R64, *register)?),
            CallTarget::Builtin(which) => {
                let number = self.code.functions.iter().position(|f| f.name == which.name());
                let number =
                    number.ok_or_else(|| DecodeError::Unsupported(format!("a call to {}", which.name())))?;
                Target::Function(number as u32)
            }
        };
        let mut arguments = Vec::new();
        let mut packed = Vec::new();
        let mut packed_bytes = 0u32;
        for (&register, &bytes) in call.arguments.iter().zip(&call.argument_bytes) {
            arguments.push(self.frame.words(register, bytes)?);
            packed.push((packed_bytes, bytes));
            packed_bytes += bytes.next_multiple_of(16);
        }
        let mut results = Vec::new();
        for (&register, &bytes) in call.results.iter().zip(&call.result_bytes) {
            results.push(self.frame.words(register, bytes)?);
        }
        let site = CallSite { target, arguments, results, packed, packed_bytes };
        let number = add_to(&mut self.program.calls, site);
        self.push(Op { target: number, ..plain(Kind::Call) });
        Ok(())
    }

    /// Finds the loops that fill or copy memory.
    fn find_sweeps(&mut self) {
        let start = self.starts.first().map_or(0, |(op, _)| *op);
        for at in start..self.program.ops.len() as u32 {
            let op = self.program.ops[at as usize];
            let kind = match op.kind {
                Kind::RowBranchIf => Kind::SweepIf,
                Kind::RowBranchUnless => Kind::SweepUnless,
                _ => continue,
            };
            if op.target < start || op.target > at {
                continue;
            }
            let ops = &self.program.ops[op.target as usize..=at as usize];
            let (constants, begin) = (&self.frame.constants, self.frame.constants_start());
            if let Some(found) = sweep(ops, op.target, &self.names, constants, begin) {
                let its = &mut self.program.ops[at as usize];
                its.kind = kind;
                its.operands.s[3] = add_to(&mut self.program.sweeps, found);
            }
        }
    }

    /// Resolves the targets of jumps from instructions to operations.
    fn patch(&mut self) {
        let first = self.range.start;
        let starts = &self.starts;
        let place = |to: u32| to.checked_sub(first).and_then(|n| starts.get(n as usize)).copied();
        for (op, to) in std::mem::take(&mut self.jumps) {
            let at = &mut self.program.ops[op as usize];
            match place(to) {
                Some((target, before)) => {
                    at.target = target;
                    at.immediate = self.program.counted[op as usize] as i64 - before as i64;
                }
                None => *at = Op { target: 0, ..plain(Kind::Trap) },
            }
        }
        let from = starts.first().map_or(0, |(op, _)| *op as usize);
        for op in from..self.program.ops.len() {
            let Op { kind: Kind::BranchIndexed, target, .. } = self.program.ops[op] else { continue };
            let counted = self.program.counted[op] as i64;
            for entry in &mut self.program.tables[target as usize] {
                // Every label of the function resolves.
                if let Some((target, before)) = place(entry.0) {
                    *entry = (target, counted - before as i64);
                }
            }
        }
    }
}

/// Returns an operation without operands.
pub fn plain(kind: Kind) -> Op {
    Op { kind, target: 0, run: no_row, operands: Operands::default(), immediate: 0 }
}
