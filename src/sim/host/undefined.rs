//! Uninitialised values in host code, followed until they have an effect: until a branch, an address or a call
//! of a library depends on one, or one is printed.
//!
//! While there are none, the only cost is a check of each loaded value ([`may_be_unwritten`]); while there are,
//! every operation is followed before it is executed. They pass through arithmetic as they do in kernels
//! ([`bitwise`]); memory to which one is stored is marked as unwritten again.
//!
//! [`may_be_unwritten`]: super::memory::may_be_unwritten
//! [`bitwise`]: crate::engine::bitwise

use super::environment::{Environment, Stop};
use super::memory::UNWRITTEN;
use super::op::{CallSite, HostProgram, Kind, Op, Target};
use super::run::get;
use super::thread::{EXTERNAL_CALLER, HostThread};
use crate::engine::{Vacated, bitwise, vacated, vacated_by_load, whole};
use crate::evidence::{Evidence, Use};
use crate::finding::{self, AccessKind, FindingKind};
use crate::lanes::File;
use crate::memory::by_address::ByAddress;
use crate::memory::{FUNCTION_WINDOW, is_host_pageable};
use crate::scalar::bytes_of;
use crate::table::Row;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The most operations to follow since the last uninitialised value was loaded. There must be a bound, since it
/// is not known when a register is dead.
const MAX_FOLLOWED: u32 = 1 << 22;

/// The most operations to follow because of variables without a value, in all: while one is followed, the code
/// can't run at full speed.
const MAX_FOR_VARIABLES: u32 = 1 << 19;

/// How often a variable without a value is followed, for each operation that declares one.
const MAX_BEGINNINGS: u8 = 16;

/// The most words of memory for which the origin of their value is recorded.
const MAX_STORED: usize = 1 << 16;

/// Where an uninitialised value was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Source location, as returned by [`HostThread::place`].
    place: u32,
    of: UndefinedSource,
    /// Rank of the read: earlier ones have smaller numbers.
    serial: u32,
}

/// What has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UndefinedSource {
    /// Memory that was never written.
    Memory { address: u64, bytes: u32 },
    /// A variable of the function that is held in a register.
    Variable,
}

/// A word of memory to which an uninitialised value was stored.
#[derive(Clone, Copy, Debug)]
struct Stored {
    read: Read,
    /// The bits that were stored; the word itself holds the mark.
    word: u32,
}

/// Undefined bits, and where they were read.
#[derive(Clone, Copy, Debug, Default)]
struct UndefinedBits {
    bits: u64,
    /// Bits that are zero because an undefined value was shifted or widened; none where no bits are undefined.
    vacated: u64,
    read: Option<Read>,
}

/// The undefined bits of registers and memory.
#[derive(Debug, Default)]
pub struct Undefined {
    /// Whether uninitialised values are followed at all.
    pub wanted: bool,
    /// The undefined and the vacated bits of each byte of the frames that has some, by the byte's offset.
    registers: BTreeMap<usize, (u8, u8, Read)>,
    stored: ByAddress<Stored>,
    reads: u32,
    /// Addresses of words that the last operation stored to and that are to be marked as unwritten.
    marks: Vec<u64>,
    /// Source locations that were reported.
    reported: HashSet<u32>,
    followed: u32,
    /// Whether some register may hold the undefined value of a variable.
    variables: bool,
    for_variables: u32,
    /// How often variables without a value were followed, by the operation that declares them.
    begun: HashMap<u32, u8>,
}

impl Undefined {
    /// Returns whether some register has undefined bits.
    #[inline(always)]
    pub fn any(&self) -> bool {
        !self.registers.is_empty()
    }

    fn get(&self, at: usize, bytes: usize) -> UndefinedBits {
        let known = self.registers.range(at..at + bytes);
        known.fold(UndefinedBits::default(), |all, (its, &(bits, vacated, read))| UndefinedBits {
            bits: all.bits | u64::from(bits) << (8 * (its - at)),
            vacated: all.vacated | u64::from(vacated) << (8 * (its - at)),
            read: earlier(all.read, Some(read)),
        })
    }

    fn set(&mut self, at: usize, bytes: usize, undefined_bits: UndefinedBits) {
        let UndefinedBits { bits, vacated, read } = undefined_bits;
        let read = read.filter(|_| bits != 0);
        for n in 0..bytes {
            match (read, (bits >> (8 * n)) as u8, (vacated >> (8 * n)) as u8) {
                (Some(read), bits, vacated) if bits | vacated != 0 => {
                    self.registers.insert(at + n, (bits, vacated, read))
                }
                _ => self.registers.remove(&(at + n)),
            };
        }
    }

    fn forget_from(&mut self, at: usize) {
        self.registers.split_off(&at);
    }
}

/// Returns the earlier of two reads.
fn earlier(a: Option<Read>, b: Option<Read>) -> Option<Read> {
    [a, b].into_iter().flatten().min_by_key(|read| read.serial)
}

/// Returns the bytes that a load reads, and whether it extends the sign.
pub(super) fn loaded(op: &Op) -> (usize, bool) {
    ((op.operands.detail & 15) as usize, op.operands.detail & 16 != 0)
}

impl HostThread<'_> {
    /// Sets whether to follow uninitialised values.
    pub fn follow_undefined(&mut self, on: bool) {
        self.undefined.wanted = on;
    }

    /// Records the undefined bits of a value that was loaded from memory which may never have been written.
    /// `lacks` has a bit for each byte that was not; if it is `None`, the thread's own memory is asked.
    #[cold]
    #[inline(never)]
    pub(super) fn record_undefined_load(&mut self, op: &Op, address: u64, lacks: Option<u64>) {
        let (bytes, signed) = loaded(op);
        let place = self.place();
        if !self.undefined.wanted || self.undefined.reported.contains(&place) {
            return;
        }
        let lacks = lacks.unwrap_or_else(|| self.memory.unwritten(address, bytes as u64));
        if lacks == 0 {
            return;
        }
        let mut bits =
            (0..bytes).filter(|n| lacks >> n & 1 != 0).fold(0u64, |bits, n| bits | 0xff << (8 * n));
        if signed && bits >> (8 * bytes - 1) & 1 != 0 {
            bits |= u64::MAX << (8 * bytes - 1);
        }
        let file = if matches!(op.kind, Kind::Load64 | Kind::LoadTo64) { File::R64 } else { File::R32 };
        let read = self.source(address, bytes as u32);
        let frame = (op.operands.d, bytes.max(4));
        if bytes >= 4 {
            let mut value = self.bytes_at(frame.0, frame.1).to_le_bytes();
            self.restore(address, &mut value[..bytes]);
            self.put_at(frame.0, frame.1, u64::from_le_bytes(value));
        }
        self.undefined.followed = 0;
        let vacated = vacated_by_load(file, bytes, bits, signed);
        let undefined_bits = UndefinedBits { bits, vacated, read: Some(read) };
        let width = bytes_of(file) as usize;
        self.undefined.set(self.base + op.operands.d as usize, width, undefined_bits);
    }

    /// Returns where the value at an address was first read.
    fn source(&mut self, address: u64, bytes: u32) -> Read {
        let own = self.read(UndefinedSource::Memory { address, bytes });
        self.undefined.stored.get(&(address / 4)).map_or(own, |stored| stored.read)
    }

    fn read(&mut self, of: UndefinedSource) -> Read {
        self.undefined.reads = self.undefined.reads.saturating_add(1);
        Read { place: self.place(), of, serial: self.undefined.reads }
    }

    /// Records that a variable has no value yet.
    #[cold]
    #[inline(never)]
    pub(super) fn unset(&mut self, op: &Op) {
        let pc = self.pc;
        let its = &mut self.undefined;
        if !its.wanted || its.for_variables > MAX_FOR_VARIABLES {
            return;
        }
        let begun = its.begun.entry(pc).or_default();
        if *begun >= MAX_BEGINNINGS {
            return;
        }
        *begun += 1;
        if !its.any() {
            its.followed = 0;
        }
        its.variables = true;
        let bytes = op.operands.detail as usize;
        let bits = if bytes == 1 { 1 } else { u64::MAX >> (64 - 8 * bytes) };
        let read = self.read(UndefinedSource::Variable);
        let undefined_bits = UndefinedBits { bits, vacated: 0, read: Some(read) };
        self.undefined.set(self.base + op.operands.d as usize, bytes, undefined_bits);
    }

    /// Replaces marks by the values that were stored there, in bytes read from an address that is a multiple of
    /// four.
    pub fn restore(&self, address: u64, bytes: &mut [u8]) {
        for (n, word) in (0..).zip(bytes.chunks_exact_mut(4)) {
            let stored = self.undefined.stored.get(&(address / 4 + n));
            if let Some(stored) =
                stored.filter(|_| address.is_multiple_of(4) && *word == UNWRITTEN.to_le_bytes())
            {
                word.copy_from_slice(&stored.word.to_le_bytes());
            }
        }
    }

    /// Propagates undefined bits through an operation, before it is executed; called while there are any.
    #[inline(never)]
    pub(super) fn follow(
        &mut self,
        env: &mut dyn Environment,
        op: &Op,
        program: &HostProgram,
    ) -> Result<(), Stop> {
        for word in std::mem::take(&mut self.undefined.marks) {
            // The word was stored to a moment ago, so it can be written now.
            let _ = self.memory.write(word, &UNWRITTEN.to_le_bytes());
        }
        self.undefined.followed += 1;
        self.undefined.for_variables += u32::from(self.undefined.variables);
        if self.undefined.followed > MAX_FOLLOWED {
            self.undefined.registers.clear();
            return Ok(());
        }
        if self.undefined.variables && self.undefined.for_variables > MAX_FOR_VARIABLES {
            self.undefined.variables = false;
            self.undefined.registers.retain(|_, (.., read)| read.of != UndefinedSource::Variable);
        }
        let decides = Use::Condition;
        let [first, ..] = op.operands.s;
        match op.kind {
            Kind::Row | Kind::Divide => self.propagate_row(op, program),
            Kind::RowBranchIf | Kind::RowBranchUnless | Kind::SweepIf | Kind::SweepUnless => {
                self.propagate_row(op, program);
                self.check(env, op.operands.d, 1, decides);
            }
            Kind::Move32 => self.propagate(first, op.operands.d, 4),
            Kind::Move64 => self.propagate(first, op.operands.d, 8),
            Kind::BranchIf | Kind::BranchUnless => self.check(env, first, 1, decides),
            Kind::BranchIndexed => self.check(env, first, 4, decides),
            Kind::Store8 | Kind::Store16 | Kind::Store32 | Kind::Store64 => {
                self.check(env, first, 8, Use::Address);
                self.store_marked(op);
            }
            Kind::Atomic => {
                let atomic = program.atomics[op.target as usize];
                self.check(env, atomic.base, 8, Use::Address);
                let bytes = (atomic.bytes as usize).min(8);
                self.check(env, atomic.operand, bytes, Use::Atomic);
                atomic.d.iter().for_each(|&d| self.define(d, bytes));
            }
            Kind::Call => self.propagate_call(env, &program.calls[op.target as usize], program),
            Kind::Return => self.propagate_results(program),
            Kind::LocalAddress | Kind::Clock => self.define(op.operands.d, 8),
            Kind::IsSpace => self.define(op.operands.d, 1),
            Kind::Load8To32
            | Kind::LoadSigned8To32
            | Kind::Load16To32
            | Kind::LoadSigned16To32
            | Kind::Load32 => {
                self.check(env, first, 8, Use::Address);
                self.define(op.operands.d, 4);
            }
            Kind::Load64 | Kind::LoadTo64 => {
                self.check(env, first, 8, Use::Address);
                self.define(op.operands.d, 8);
            }
            Kind::Branch
            | Kind::Exit
            | Kind::Trap
            | Kind::Unset
            | Kind::DeviceOnly
            | Kind::Unsupported
            | Kind::Compiled => {}
        }
        Ok(())
    }

    fn undefined_bits(&self, at: u32, bytes: usize) -> UndefinedBits {
        self.undefined.get(self.base + at as usize, bytes)
    }

    fn define(&mut self, at: u32, bytes: usize) {
        self.undefined.set(self.base + at as usize, bytes, UndefinedBits::default());
    }

    fn propagate(&mut self, from: u32, to: u32, bytes: usize) {
        let undefined_bits = self.undefined_bits(from, bytes);
        self.undefined.set(self.base + to as usize, bytes, undefined_bits);
    }

    /// Reports a register that has undefined bits where it must have none; from then on it counts as defined.
    fn check(&mut self, env: &mut dyn Environment, at: u32, bytes: usize, used: Use) {
        if let UndefinedBits { bits: 1.., read: Some(read), .. } = self.undefined_bits(at, bytes) {
            self.report(env, read, used);
            self.define(at, bytes);
        }
    }

    /// Computes the undefined bits of an arithmetic result: for a bitwise operation those that change with the
    /// undefined bits of its sources, which is found by trying; for any other, all of them.
    fn propagate_row(&mut self, op: &Op, program: &HostProgram) {
        let Some(row) = program.rows.get(&self.pc) else { return };
        let width = bytes_of(row.dest) as usize;
        let sources = row.sources.iter().zip(op.operands.s).enumerate();
        let lacks: Vec<(usize, u32, usize, UndefinedBits)> = sources
            .map(|(n, (&file, at))| {
                (n, at, bytes_of(file) as usize, self.undefined_bits(at, bytes_of(file) as usize))
            })
            .filter(|(.., undefined_bits)| undefined_bits.bits != 0)
            .collect();
        let Some(&(last, ..)) = lacks.last() else { return self.define(op.operands.d, width) };
        let read = lacks.iter().fold(None, |read, (.., its)| earlier(read, its.read));
        let mut result = UndefinedBits { bits: whole(row.dest), vacated: 0, read };
        if last < bitwise(row) {
            let one = self.try_row(op, row, &lacks, |value, _| value);
            result.bits = one ^ self.try_row(op, row, &lacks, |value, its| value ^ its.bits);
            let numbers: Vec<usize> = lacks.iter().map(|(n, ..)| *n).collect();
            result.vacated = match vacated(row, &numbers) {
                Vacated::Moved => {
                    let ones = self.try_row(op, row, &lacks, |_, _| u64::MAX);
                    let moved = self.try_row(op, row, &lacks, |_, its| its.vacated);
                    (!ones | moved) & whole(row.dest)
                }
                Vacated::InBoth => lacks.iter().fold(u64::MAX, |all, (.., its)| all & its.vacated),
                Vacated::Nowhere => 0,
            };
        }
        self.undefined.set(self.base + op.operands.d as usize, width, result);
    }

    /// Returns a row's result for other values of the sources that have undefined bits; changes nothing.
    fn try_row(
        &mut self,
        op: &Op,
        row: &Row,
        lacks: &[(usize, u32, usize, UndefinedBits)],
        change: impl Fn(u64, &UndefinedBits) -> u64,
    ) -> u64 {
        let width = bytes_of(row.dest) as usize;
        let before = self.bytes_at(op.operands.d, width);
        let kept: Vec<u64> = lacks.iter().map(|&(_, at, bytes, _)| self.bytes_at(at, bytes)).collect();
        for ((_, at, bytes, its), value) in lacks.iter().zip(&kept) {
            self.put_at(*at, *bytes, change(*value, its));
        }
        // SAFETY: decoding placed every operand in the frame, and `run` is of a build that the processor has.
        unsafe { (op.run)(self.frame(), &op.operands) };
        let made = self.bytes_at(op.operands.d, width);
        self.put_at(op.operands.d, width, before);
        for (&(_, at, bytes, _), value) in lacks.iter().zip(&kept) {
            self.put_at(at, bytes, *value);
        }
        made
    }

    pub(super) fn bytes_at(&mut self, at: u32, bytes: usize) -> u64 {
        let mut value = [0; 8];
        let base = self.base;
        let its = self.frame_bytes(base, at, bytes.min(8));
        value[..its.len()].copy_from_slice(its);
        u64::from_le_bytes(value)
    }

    fn put_at(&mut self, at: u32, bytes: usize, value: u64) {
        let base = self.base;
        let its = self.frame_bytes(base, at, bytes.min(8));
        let count = its.len();
        its.copy_from_slice(&value.to_le_bytes()[..count]);
    }

    /// Marks stored words that are wholly undefined as unwritten again; smaller values stay as they are.
    fn store_marked(&mut self, op: &Op) {
        let Some(bytes @ (4 | 8)) = op.kind.stored_bytes() else { return };
        let at = op.operands.s[1];
        let UndefinedBits { bits, vacated, read: Some(read) } = self.undefined_bits(at, bytes as usize)
        else {
            return;
        };
        // SAFETY: decoding placed the register in the frame.
        let address = unsafe { get::<u64>(self.frame(), op.operands.s[0]) }.wrapping_add(op.immediate as u64);
        if !address.is_multiple_of(4) || !is_host_pageable(address) {
            return;
        }
        for n in 0..bytes / 4 {
            let (place, key) = (at + 4 * n, address / 4 + u64::from(n));
            let word = self.bytes_at(place, 4) as u32;
            let room = self.undefined.stored.len() < MAX_STORED || self.undefined.stored.contains_key(&key);
            if ((bits | vacated) >> (32 * n)) as u32 != u32::MAX || !room {
                continue;
            }
            self.undefined.stored.insert(key, Stored { read, word });
            self.undefined.marks.push(key * 4);
        }
    }

    fn propagate_call(&mut self, env: &mut dyn Environment, site: &CallSite, program: &HostProgram) {
        let number = match site.target {
            Target::Function(number) => number,
            Target::Register(at) => {
                self.check(env, at, 8, Use::Callee);
                // SAFETY: decoding placed the register in the frame.
                let address = unsafe { get::<u64>(self.frame(), at) };
                address.wrapping_sub(FUNCTION_WINDOW).min(u64::from(u32::MAX)) as u32
            }
        };
        let Some(callee) = program.functions.get(number as usize) else { return };
        if callee.start.is_none() {
            let name = self.module.code.functions.get(number as usize).map_or("", |f| &f.name);
            let name = env.name_of(name);
            let used = match name.ends_with("printf") {
                true => Use::Printed,
                false => Use::GivenTo(name.into()),
            };
            for &(at, bytes) in &site.arguments {
                for word in (0..bytes).step_by(8) {
                    self.check(env, at + word, (bytes - word).min(8) as usize, used.clone());
                }
            }
            site.results.iter().for_each(|&(at, bytes)| self.define(at, bytes as usize));
            return;
        }
        let base = self.base + program.functions[self.function as usize].frame_bytes as usize;
        self.undefined.forget_from(base);
        for (&(from, have), &(to, want)) in site.arguments.iter().zip(&callee.params) {
            self.propagate_between_frames((self.base + from as usize, base + to as usize), have.min(want));
        }
    }

    fn propagate_results(&mut self, program: &HostProgram) {
        let callee = &program.functions[self.function as usize];
        let base = self.base;
        if let Some(caller) = self.call_stack.last().copied().filter(|caller| caller.pc != EXTERNAL_CALLER) {
            let site = &program.calls[program.ops[caller.pc as usize].target as usize];
            for (&(at, want), &(start, have)) in site.results.iter().zip(&callee.returns) {
                self.propagate_between_frames(
                    (base + start as usize, caller.base + at as usize),
                    have.min(want),
                );
            }
        }
        self.undefined.forget_from(base);
    }

    /// Propagates undefined bits of bytes that are copied from one frame to another.
    fn propagate_between_frames(&mut self, (from, to): (usize, usize), bytes: u32) {
        for n in 0..bytes as usize {
            match self.undefined.registers.get(&(from + n)).copied() {
                Some(its) => self.undefined.registers.insert(to + n, its),
                None => self.undefined.registers.remove(&(to + n)),
            };
        }
    }

    /// Reports memory that was never written, when a library reads it to print it or to decide by it.
    pub fn check_initialised(&mut self, env: &mut dyn Environment, (address, bytes): (u64, u64), used: Use) {
        if !self.undefined.wanted {
            return;
        }
        let Ok(its) = self.memory.slice(address, bytes) else { return };
        let Some(first) = super::memory::marked(address, its).next().map(|range| address + range.start)
        else {
            return;
        };
        if self.memory.unwritten(first, 4) == 0 {
            return;
        }
        let read = self.source(first, 4);
        let more = match &used {
            Use::GivenTo(function) if first > address => {
                let written = first - address;
                Some(Evidence::CallReadsMore { function: function.clone(), bytes, written })
            }
            _ => None,
        };
        self.report_with(env, read, used, more);
    }

    fn report(&mut self, env: &mut dyn Environment, read: Read, used: Use) {
        self.report_with(env, read, used, None);
    }

    /// Reports an undefined value that has an effect, once for each location that reads such a value; for a
    /// variable, at the location of the effect.
    fn report_with(&mut self, env: &mut dyn Environment, read: Read, used: Use, more: Option<Evidence>) {
        let (kind, place, address, bytes) = match read.of {
            UndefinedSource::Memory { address, bytes } => {
                (FindingKind::Uninitialised, read.place, Some(address), bytes)
            }
            UndefinedSource::Variable => (FindingKind::Undefined, self.place(), None, 0),
        };
        if !self.undefined.reported.insert(place) {
            return;
        }
        let target = address.map_or(finding::Target::None, |address| self.target_of(address));
        let (now, was) = (self.location(), self.memory.location(place));
        let now = now.filter(|now| was.as_ref().is_some_and(|was| was != now));
        let evidence = now.map(|now| Evidence::FirstMatters { line: now.line, used });
        let evidence = evidence.into_iter().chain(more).collect();
        let mut finding = self.defect(kind, AccessKind::Read, bytes, target, evidence);
        finding.at.location = was;
        env.found(self, finding, address);
    }
}
