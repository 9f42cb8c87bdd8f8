//! Loads and stores in the host program's memory.

use crate::region::{Translator, context_flags};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32, F64, I8, I16, I32, I64};
use cranelift_codegen::ir::{AliasRegion, InstBuilder, MemFlags, Type, Value};
use sim::compiled::{
    Context, LastPage, Operand, PAGE_BITS, Page, UNWRITTEN, WINDOW_BITS, WINDOW_SLOTS, Window,
};
use std::mem::offset_of;

/// Flags for accesses to the host program's memory.
pub fn memory_flags() -> MemFlags {
    MemFlags::new().with_notrap().with_alias_region(Some(AliasRegion::Heap))
}

/// Flags for accesses to page tables and counts. Such an access is valid only after the checks that lead to it, so
/// it must not be moved.
pub fn page_flags() -> MemFlags {
    MemFlags::new().with_notrap().with_alias_region(Some(AliasRegion::Table))
}

fn integer(bytes: u32) -> Type {
    match bytes {
        1 => I8,
        2 => I16,
        4 => I32,
        _ => I64,
    }
}

impl Translator<'_, '_> {
    /// Returns the host address of the bytes that operation `number` accesses, if they may be accessed; otherwise
    /// the operation is left to the interpreter. The checks are those of `HostMemory::access`.
    pub fn access(&mut self, number: u32, base: Operand, offset: i64, bytes: u32) -> Value {
        let base = self.get(base, 8);
        let base = self.cast(base, I64);
        let address = self.b.ins().iadd_imm(base, offset);
        let page = self.b.ins().ushr_imm(address, i64::from(PAGE_BITS));
        let last_pages = offset_of!(Context, last_pages) as i32;
        let last_pages = self.b.ins().load(I64, context_flags(), self.context, last_pages);
        let its = (self.region.first_page + self.accesses) * size_of::<LastPage>();
        self.accesses += 1;
        let field = |at: usize| (its + at) as i32;
        let last = self.b.ins().load(I64, page_flags(), last_pages, field(offset_of!(LastPage, number)));
        let same = self.b.ins().icmp(IntCC::Equal, page, last);
        let (look_up, found) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(look_up);
        self.b.ins().brif(same, found, &[], look_up, &[]);
        self.b.switch_to_block(look_up);
        self.b.seal_block(look_up);
        let (data, counts) = self.look_up(number, address, page);
        for (value, at) in [
            (page, offset_of!(LastPage, number)),
            (data, offset_of!(LastPage, data)),
            (counts, offset_of!(LastPage, counts)),
        ] {
            self.b.ins().store(page_flags(), value, last_pages, field(at));
        }
        self.b.ins().jump(found, &[]);
        self.b.switch_to_block(found);
        self.b.seal_block(found);
        let data = self.b.ins().load(I64, page_flags(), last_pages, field(offset_of!(LastPage, data)));
        let counts = self.b.ins().load(I64, page_flags(), last_pages, field(offset_of!(LastPage, counts)));
        // Number of bytes of the eight-byte granule that may be accessed.
        let granule = self.b.ins().ushr_imm(address, 3);
        let count = self.b.ins().iadd(counts, granule);
        let count = self.b.ins().uload8(I64, page_flags(), count, 0);
        let end = self.b.ins().band_imm(address, 7);
        let end = self.b.ins().iadd_imm(end, i64::from(bytes));
        let refused = self.b.ins().icmp(IntCC::UnsignedGreaterThan, end, count);
        self.exit_if(refused, number);
        self.b.ins().iadd(data, address)
    }

    /// Looks up the page of an address, whose page number is `page`. Returns the [`LastPage::data`] and
    /// [`LastPage::counts`] of the page.
    fn look_up(&mut self, number: u32, address: Value, page: Value) -> (Value, Value) {
        let window = self.b.ins().ushr_imm(address, i64::from(WINDOW_BITS));
        let window = self.b.ins().band_imm(window, WINDOW_SLOTS as i64 - 1);
        let window = self.b.ins().imul_imm(window, size_of::<Window>() as i64);
        let window = self.b.ins().iadd(self.context, window);
        let field = |at: usize| (offset_of!(Context, windows) + at) as i32;
        let first = self.b.ins().load(I64, context_flags(), window, field(offset_of!(Window, first)));
        let pages = self.b.ins().load(I64, context_flags(), window, field(offset_of!(Window, pages)));
        let place = self.b.ins().isub(page, first);
        let outside = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, place, pages);
        self.exit_if(outside, number);
        let table = self.b.ins().load(I64, context_flags(), window, field(offset_of!(Window, page)));
        let place = self.b.ins().imul_imm(place, size_of::<Page>() as i64);
        let entry = self.b.ins().iadd(table, place);
        let data = self.b.ins().load(I64, page_flags(), entry, offset_of!(Page, data) as i32);
        let counts = self.b.ins().load(I64, page_flags(), entry, offset_of!(Page, counts) as i32);
        let start = self.b.ins().ishl_imm(page, i64::from(PAGE_BITS));
        let granules = self.b.ins().ishl_imm(page, i64::from(PAGE_BITS) - 3);
        (self.b.ins().isub(data, start), self.b.ins().isub(counts, granules))
    }

    /// Loads bytes and extends them to the size of a register. A value that may be the mark for a value never
    /// written is left to the interpreter.
    pub fn load(
        &mut self,
        number: u32,
        at: Value,
        (bytes, signed): (u32, bool),
        (wide, float): (u32, bool),
    ) -> Value {
        let value = self.b.ins().load(integer(bytes), memory_flags(), at, 0);
        self.leave_marked(number, at, value);
        if float {
            return self.b.ins().load(if wide == 8 { F64 } else { F32 }, memory_flags(), at, 0);
        }
        match (bytes == wide, signed) {
            (true, _) => value,
            (false, true) => self.b.ins().sextend(integer(wide), value),
            (false, false) => self.b.ins().uextend(integer(wide), value),
        }
    }

    /// Leaves a load to the interpreter if the word or words that contain the loaded value bear the mark for a
    /// value never written.
    fn leave_marked(&mut self, number: u32, at: Value, value: Value) {
        let mark = i64::from(UNWRITTEN);
        match self.b.func.dfg.value_type(value) {
            I64 => self.leave_marked_words(number, value),
            I32 => {
                let is = self.b.ins().icmp_imm(IntCC::Equal, value, mark);
                self.exit_if(is, number);
            }
            narrow => {
                // The value may be part of a word that bears the mark, but ordinary values like it are common, so
                // the whole granule is checked before leaving.
                let may_be = match narrow {
                    I16 => {
                        let low = self.b.ins().icmp_imm(IntCC::Equal, value, mark & 0xffff);
                        let high = self.b.ins().icmp_imm(IntCC::Equal, value, mark >> 16);
                        self.b.ins().bor(low, high)
                    }
                    _ => self.b.ins().icmp_imm(IntCC::UnsignedGreaterThanOrEqual, value, 0xf9),
                };
                let (look, on) = (self.b.create_block(), self.b.create_block());
                self.b.set_cold_block(look);
                self.b.ins().brif(may_be, look, &[], on, &[]);
                self.b.switch_to_block(look);
                self.b.seal_block(look);
                let granule = self.b.ins().band_imm(at, !7);
                let granule = self.b.ins().load(I64, memory_flags(), granule, 0);
                self.leave_marked_words(number, granule);
                self.b.ins().jump(on, &[]);
                self.b.switch_to_block(on);
                self.b.seal_block(on);
            }
        }
    }

    /// Leaves the operation to the interpreter if one of two words bears the mark.
    fn leave_marked_words(&mut self, number: u32, words: Value) {
        let low = self.b.ins().ireduce(I32, words);
        let high = self.b.ins().ushr_imm(words, 32);
        let high = self.b.ins().ireduce(I32, high);
        for word in [low, high] {
            let is = self.b.ins().icmp_imm(IntCC::Equal, word, i64::from(UNWRITTEN));
            self.exit_if(is, number);
        }
    }

    /// Stores the low bytes of a value.
    pub fn store(&mut self, at: Value, value: Value, bytes: u32) {
        let kind = self.b.func.dfg.value_type(value);
        let value = match bytes {
            1 | 2 => {
                let value = self.cast(value, kind.as_int());
                self.b.ins().ireduce(integer(bytes), value)
            }
            _ => value,
        };
        self.b.ins().store(memory_flags(), value, at, 0);
    }
}
