//! Loads and stores of words for which all lanes' addresses follow from the first lane's. An access that is not
//! plainly valid is handed to the interpreter, after which the code continues.

use super::emit::{Translator, constant_flags, field, mutable_flags};
use super::lane_values::{self, is_zero};
use super::registers::{Lanes, ValueLocation};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, MemFlags, Value};
use sim::kernel_code::{
    Access, AccessShape, AccessSite, CompiledAccess, File, InlineAccess, KernelContext, LINE_FACTOR,
    LINE_SHIFT, Lanes64, Operand, Register,
};
use std::mem::offset_of;
use std::sync::Arc;

/// An access that is being translated.
pub struct PreparedAccess {
    pub shape: AccessShape,
    /// The active lanes' offsets from the first active lane's address.
    pub offsets: Arc<Lanes64>,
    /// The active lanes.
    mask: u32,
    /// Bytes per lane.
    pub bytes: u32,
    /// The address that the first active lane accesses.
    pub first: Value,
    /// The address of the access's [`AccessSite`], and its index.
    pub site: Value,
    place: usize,
    /// The block in which the access is handed to the interpreter.
    pub cold: Block,
}

/// The offset of a field in a site.
macro_rules! of_site {
    ($($path:tt)+) => { offset_of!(AccessSite, $($path)+) as i32 };
}

impl Translator<'_, '_> {
    /// Prepares an access that the code performs itself; `None` if it must be left to the interpreter.
    fn prepare(&mut self, number: u32, access: &Access, stores: bool) -> Option<PreparedAccess> {
        let offsets = lane_values::offsets(&self.lane_values(access.base))?;
        if !lane_values::is_of_words(access) {
            return None;
        }
        let (bytes, mask) = (access.bytes(), self.known_mask()?);
        let (offsets, start) = lane_values::of_active(&offsets, mask);
        let shape = AccessShape::of(&offsets, mask, bytes);
        if !shape.regular || stores && shape.overlaps || !access.shared && shape.stretches.is_none() {
            return None;
        }
        let base = self.first_lane(access.base, File::R64);
        let first = self.b.ins().iadd_imm(base, access.offset.wrapping_add(start as i64));
        let place = self.description.accesses.len();
        let in_masked_block = self.active.is_some();
        self.made[CompiledAccess::new(access.shared, stores) as usize] += u32::from(!in_masked_block);
        let its = InlineAccess { number, mask, in_masked_block, offsets: offsets.clone() };
        self.description.accesses.push(its);
        let sites = self.b.ins().load(I64, constant_flags(), self.context, field!(sites));
        let site = self.b.ins().iadd_imm(sites, (place * size_of::<AccessSite>()) as i64);
        let cold = self.b.create_block();
        self.b.set_cold_block(cold);
        Some(PreparedAccess { shape, offsets, mask, bytes, first, site, place, cold })
    }

    /// Jumps to `cold`, a block that is rarely reached, if a condition holds.
    pub fn jump_if(&mut self, condition: Value, cold: Block) {
        let on = self.b.create_block();
        self.b.ins().brif(condition, cold, &[], on, &[]);
        self.b.switch_to_block(on);
    }

    /// Checks that all lanes' addresses are in bounds and aligned to the access's width. Returns the distance of
    /// the lowest address from the lower bound.
    fn check_bounds(&mut self, prepared: &PreparedAccess) -> Value {
        let low = self.b.ins().load(I64, mutable_flags(), prepared.site, of_site!(low));
        let room = self.b.ins().load(I64, mutable_flags(), prepared.site, of_site!(room));
        let lowest = self.b.ins().iadd_imm(prepared.first, prepared.shape.low);
        let above = self.b.ins().isub(lowest, low);
        let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, above, room);
        let rest = self.b.ins().band_imm(prepared.first, i64::from(prepared.bytes) - 1);
        let uneven = self.b.ins().icmp_imm(IntCC::NotEqual, rest, 0);
        let bad = self.b.ins().bor(outside, uneven);
        self.jump_if(bad, prepared.cold);
        above
    }

    pub fn load(&mut self, number: u32, access: &Access) {
        let before = self.state.clone();
        let Some(prepared) = self.prepare(number, access, false) else { return self.interpret(number) };
        let above = self.check_bounds(&prepared);
        match access.shared {
            true => self.shared_read(&prepared),
            false => self.global_read(&prepared, above),
        }
        let start = self.host_address(&prepared, above, access.shared);
        self.count_masked(&prepared);
        let one = is_zero(&prepared.offsets);
        let registers: Vec<Register> = access.elements.iter().flatten().filter_map(register_of).collect();
        // Each distinct value is passed to the block after the access once.
        let mut values: Vec<Value> = Vec::new();
        let mut places: Vec<Vec<usize>> = Vec::new();
        for n in 0..access.elements.len() {
            let parts = match one {
                true => vec![self.b.ins().load(I32, memory_flags(), start, 4 * n as i32)],
                false => self.words(start, (&prepared.offsets, prepared.mask), 4 * n as i64),
            };
            let place = |value: Value, values: &mut Vec<Value>| {
                values.iter().position(|&seen| seen == value).unwrap_or_else(|| {
                    values.push(value);
                    values.len() - 1
                })
            };
            places.push(parts.into_iter().map(|value| place(value, &mut values)).collect());
        }
        let after = self.b.create_block();
        let arguments: Vec<BlockArg> = values.iter().map(|&value| value.into()).collect();
        self.b.ins().jump(after, &arguments);

        // The interpreter leaves the loaded values in the warp's registers.
        self.b.switch_to_block(prepared.cold);
        let done = self.call_interpreter((number, Some(prepared.place)), &before);
        let mut left = before.clone();
        left.extend(registers.iter().map(|&register| (register, ValueLocation::Memory)));
        self.state = left;
        self.exit_after(number, done);
        let mut loaded = Vec::new();
        for n in 0..values.len() {
            let of = |(element, places): (usize, &Vec<usize>)| {
                let parts = places.iter().enumerate().filter(|(_, its)| **its == n);
                parts.map(|(part, _)| (registers[element], part)).collect::<Vec<_>>()
            };
            let parts: Vec<(Register, usize)> = places.iter().enumerate().flat_map(of).collect();
            let value = match one {
                true => self.load_lane(parts[0].0, prepared.mask.trailing_zeros() as usize),
                false => self.loaded_part(&parts, prepared.mask),
            };
            loaded.push(value.into());
        }
        self.b.ins().jump(after, &loaded);

        self.b.switch_to_block(after);
        self.state = before;
        let kind = if one { I32 } else { I32X4 };
        let values: Vec<Value> = values.iter().map(|_| self.b.append_block_param(after, kind)).collect();
        for (register, places) in registers.iter().zip(places) {
            let parts: Vec<Value> = places.into_iter().map(|n| values[n]).collect();
            let location = match one {
                true => ValueLocation::Scalar(parts[0], prepared.offsets.clone()),
                false => ValueLocation::Vector(Lanes { parts, raw: false }, true),
            };
            self.put(*register, location);
        }
    }

    /// Returns what stands for each of these parts of registers, by their index, after the interpreter has made an access for
    /// the lanes of a mask. If they are several, all of their active lanes have read the same word; the others have not read
    /// any.
    fn loaded_part(&mut self, parts: &[(Register, usize)], mask: u32) -> Value {
        let is_active = |lane: &usize| mask >> lane & 1 != 0;
        let mut lanes = parts.iter().flat_map(|&(its, part)| (4 * part..4 * part + 4).map(move |n| (its, n)));
        match (parts, lanes.find(|(_, lane)| is_active(lane))) {
            ([_, _, ..], Some((register, lane))) => {
                let word = self.load_lane(register, lane);
                self.b.ins().splat(I32X4, word)
            }
            _ => self.load_lanes(parts[0].0).parts[parts[0].1],
        }
    }

    pub fn store(&mut self, number: u32, access: &Access) {
        if !lane_values::is_of_words(access) {
            return self.interpret(number);
        }
        let elements: Vec<Lanes> =
            access.elements.iter().flatten().map(|&element| self.lanes(element, File::R32)).collect();
        let before = self.state.clone();
        let Some(prepared) = self.prepare(number, access, true) else { return self.interpret(number) };
        let above = self.check_bounds(&prepared);
        match access.shared {
            true => self.shared_write(&prepared),
            false => self.global_write(&prepared),
        }
        let start = self.host_address(&prepared, above, access.shared);
        self.count_masked(&prepared);
        for (n, lanes) in elements.iter().enumerate() {
            self.store_words(start, (&prepared.offsets, prepared.mask), 4 * n as i64, lanes);
        }
        let after = self.b.create_block();
        self.b.ins().jump(after, &[]);
        self.b.switch_to_block(prepared.cold);
        let done = self.call_interpreter((number, Some(prepared.place)), &before);
        self.exit_after(number, done);
        self.b.ins().jump(after, &[]);
        self.b.switch_to_block(after);
    }

    /// Returns the host address of the first byte that the first lane accesses. `above`: the distance of the
    /// lowest address from the lower bound.
    fn host_address(&mut self, prepared: &PreparedAccess, above: Value, shared: bool) -> Value {
        if shared {
            let words = self.b.ins().load(I64, constant_flags(), self.context, field!(shared.words));
            return self.b.ins().iadd(words, prepared.first);
        }
        let memory = self.b.ins().load(I64, mutable_flags(), prepared.site, of_site!(memory));
        let start = self.b.ins().iadd(memory, above);
        self.b.ins().iadd_imm(start, prepared.shape.low.wrapping_neg())
    }

    /// Counts an access by some lanes only.
    fn count_masked(&mut self, prepared: &PreparedAccess) {
        if self.active.is_some() {
            self.increase(prepared.site, of_site!(made), 1);
        }
    }

    /// Counts the sectors and lines of global memory that an access touches.
    fn count_sectors(&mut self, prepared: &PreparedAccess) {
        for (counts, at) in
            [(&prepared.shape.sectors[..], of_site!(sectors)), (&prepared.shape.lines[..], of_site!(lines))]
        {
            let table: Box<[u8]> = counts.into();
            let address = self.b.ins().iconst(I64, table.as_ptr() as i64);
            self.tables.push(table);
            let index = self.b.ins().band_imm(prepared.first, counts.len() as i64 - 1);
            let entry = self.b.ins().iadd(address, index);
            let count = self.b.ins().uload8(I64, constant_flags(), entry, 0);
            let sum = self.b.ins().load(I64, mutable_flags(), prepared.site, at);
            let sum = self.b.ins().iadd(sum, count);
            self.b.ins().store(mutable_flags(), sum, prepared.site, at);
        }
    }

    /// Checks a store to global memory, apart from its bounds, and counts it.
    fn global_write(&mut self, prepared: &PreparedAccess) {
        let check = self.b.ins().load(I64, constant_flags(), self.context, field!(check_write));
        let place = self.b.ins().iconst(I32, prepared.place as i64);
        let call =
            self.b.ins().call_indirect(self.check_write, check, &[self.context, place, prepared.first]);
        let refused = self.b.inst_results(call)[0];
        self.jump_if(refused, prepared.cold);
        self.count_sectors(prepared);
        for (offset, bytes) in prepared.shape.stretches.clone().unwrap_or_default() {
            self.note_stretch(prepared, (offset, bytes), field!(note_written_line));
        }
    }

    /// Counts a load from global memory, and checks it, apart from its bounds.
    fn global_read(&mut self, prepared: &PreparedAccess, above: Value) {
        self.count_sectors(prepared);
        // Reads of memory that kernels may write are checked.
        let (needs_check, on) = (self.b.create_block(), self.b.create_block());
        let check_or_number =
            self.b.ins().load(I32, mutable_flags(), prepared.site, of_site!(check_or_number));
        self.b.ins().brif(check_or_number, needs_check, &[], on, &[]);
        self.b.switch_to_block(needs_check);
        let lowest = self.b.ins().load(I64, mutable_flags(), prepared.site, of_site!(read));
        let lowest = self.b.ins().umin(lowest, above);
        self.b.ins().store(mutable_flags(), lowest, prepared.site, of_site!(read));
        let span = prepared.shape.high - prepared.shape.low + i64::from(prepared.bytes);
        let end = self.b.ins().iadd_imm(above, span);
        let highest = self.b.ins().load(I64, mutable_flags(), prepared.site, of_site!(read) + 8);
        let highest = self.b.ins().umax(highest, end);
        self.b.ins().store(mutable_flags(), highest, prepared.site, of_site!(read) + 8);
        let redundant = self.b.ins().load(I64, mutable_flags(), prepared.site, of_site!(redundant));
        let before = self.b.ins().icmp(IntCC::UnsignedLessThan, above, redundant);
        let redundant = self.b.ins().load(I64, mutable_flags(), prepared.site, of_site!(redundant) + 8);
        let beyond = self.b.ins().icmp(IntCC::UnsignedGreaterThan, end, redundant);
        let new = self.b.ins().bor(before, beyond);
        let checked = self.b.create_block();
        self.b.ins().brif(new, checked, &[], on, &[]);
        self.b.switch_to_block(checked);
        let check = self.b.ins().load(I64, constant_flags(), self.context, field!(check));
        let place = self.b.ins().iconst(I32, prepared.place as i64);
        self.b.ins().call_indirect(self.check, check, &[self.context, place, prepared.first]);
        self.b.ins().jump(on, &[]);
        self.b.switch_to_block(on);
        for (offset, bytes) in prepared.shape.stretches.clone().unwrap_or_default() {
            self.note_stretch(prepared, (offset, bytes), field!(note_line));
        }
    }

    /// Calls the function `note` of the context for those lines of a byte range that belong to the sample.
    fn note_stretch(&mut self, prepared: &PreparedAccess, (offset, bytes): (i64, u64), note: i32) {
        let low = self.b.ins().iadd_imm(prepared.first, offset);
        let high = self.b.ins().iadd_imm(low, bytes as i64 - 1);
        let line = self.b.ins().ushr_imm(low, 7);
        self.note_line(line, (low, high), note);
        // What one lane accesses lies within one line.
        if bytes <= u64::from(prepared.bytes) {
            return;
        }
        let last = self.b.ins().ushr_imm(high, 7);
        let end = self.b.create_block();
        for n in 1..=bytes.div_ceil(128) {
            let next = self.b.ins().iadd_imm(line, n as i64);
            let within = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, next, last);
            let on = self.b.create_block();
            self.b.ins().brif(within, on, &[], end, &[]);
            self.b.switch_to_block(on);
            self.note_line(next, (low, high), note);
        }
        self.b.ins().jump(end, &[]);
        self.b.switch_to_block(end);
    }

    /// Calls the function `note` for one line, if the line belongs to the sample.
    fn note_line(&mut self, line: Value, (low, high): (Value, Value), note: i32) {
        let factor = self.b.ins().iconst(I64, LINE_FACTOR as i64);
        let hash = self.b.ins().imul(line, factor);
        let shifted = self.b.ins().ushr_imm(hash, i64::from(LINE_SHIFT));
        let hash = self.b.ins().bxor(hash, shifted);
        let mask = self.b.ins().load(I64, mutable_flags(), self.context, field!(trace_mask));
        let rest = self.b.ins().band(hash, mask);
        let (noted, on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(noted);
        self.b.ins().brif(rest, on, &[], noted, &[]);
        self.b.switch_to_block(noted);
        let (first, last) = (self.b.ins().ushr_imm(low, 5), self.b.ins().ushr_imm(high, 5));
        let note = self.b.ins().load(I64, constant_flags(), self.context, note);
        self.b.ins().call_indirect(self.note_line, note, &[self.context, line, first, last]);
        self.b.ins().jump(on, &[]);
        self.b.switch_to_block(on);
    }

    /// Loads a word for each active lane, four lanes per vector. `beyond`: the word's offset from the lane's address.
    pub fn words(&mut self, start: Value, (offsets, mask): (&Lanes64, u32), beyond: i64) -> Vec<Value> {
        let mut single: Vec<(i64, Value)> = Vec::new();
        let mut splats: Vec<(i64, Value)> = Vec::new();
        let mut parts = Vec::new();
        for (n, four) in offsets.chunks_exact(4).enumerate() {
            // Inactive lanes, whose values don't matter, load what an active one does.
            let active = mask >> (4 * n) & 0xf;
            let some = if active == 0 { 0 } else { four[active.trailing_zeros() as usize] };
            let lane = |(lane, &offset)| if active >> lane & 1 != 0 { offset } else { some };
            let at: Vec<i64> =
                four.iter().enumerate().map(lane).map(|offset| offset as i64 + beyond).collect();
            if (0..4).all(|n| at[n] == at[0] + 4 * n as i64) {
                parts.push(self.b.ins().load(I32X4, memory_flags(), start, at[0] as i32));
                continue;
            }
            let mut word = |emit: &mut Self, at: i64| {
                let loaded = single.iter().find(|(its, _)| *its == at).map(|&(_, value)| value);
                loaded.unwrap_or_else(|| {
                    let value = emit.b.ins().load(I32, memory_flags(), start, at as i32);
                    single.push((at, value));
                    value
                })
            };
            if at.iter().all(|&its| its == at[0]) {
                let loaded = splats.iter().find(|(its, _)| *its == at[0]).map(|&(_, value)| value);
                parts.push(loaded.unwrap_or_else(|| {
                    let value = word(self, at[0]);
                    let value = self.b.ins().splat(I32X4, value);
                    splats.push((at[0], value));
                    value
                }));
                continue;
            }
            let value = word(self, at[0]);
            let mut part = self.b.ins().splat(I32X4, value);
            for (n, &its) in at.iter().enumerate().skip(1) {
                let value = word(self, its);
                part = self.b.ins().insertlane(part, value, n as u8);
            }
            parts.push(part);
        }
        parts
    }

    /// Stores a word for each active lane. `beyond`: the word's offset from the lane's address.
    pub fn store_words(
        &mut self,
        start: Value,
        (offsets, mask): (&Lanes64, u32),
        beyond: i64,
        lanes: &Lanes,
    ) {
        for (n, four) in offsets.chunks_exact(4).enumerate() {
            let at: Vec<i64> = four.iter().map(|&offset| offset as i64 + beyond).collect();
            let active = mask >> (4 * n) & 0xf;
            if active == 0xf && (0..4).all(|n| at[n] == at[0] + 4 * n as i64) {
                self.b.ins().store(memory_flags(), lanes.parts[n], start, at[0] as i32);
                continue;
            }
            for (lane, &its) in at.iter().enumerate().filter(|(lane, _)| active >> lane & 1 != 0) {
                let value = self.lane_of(lanes, 4 * n + lane);
                self.b.ins().store(memory_flags(), value, start, its as i32);
            }
        }
    }
}

pub fn register_of(operand: &Operand) -> Option<Register> {
    match operand {
        Operand::Register(register) => Some(*register),
        Operand::Constant(_) => None,
    }
}

/// Flags for accesses to a kernel's memory.
fn memory_flags() -> MemFlags {
    MemFlags::new().with_notrap()
}
