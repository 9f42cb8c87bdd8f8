//! Checks accesses to shared memory against its shadow memory, described at
//! [`SharedView`](sim::kernel_code::SharedView).

use super::access::PreparedAccess;
use super::emit::{Translator, constant_flags, field, mutable_flags};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16X8, I32, I32X4, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use sim::kernel_code::{AccessSite, File, KernelContext, ONE_LANE, Span, TIME_SHIFT};
use std::mem::offset_of;

/// The bits of a stamp that say who made the access.
const ACCESSOR: i64 = (1 << TIME_SHIFT) - 1;
/// The bits of a stamp that name one of several lanes.
const NAMED_LANE: i64 = 0x1f << 5;
/// Set if several threads of a warp made the access; and the lane that stands for "unknown" among them.
const MANY_IN_WARP: i64 = 0x400;
const NO_LANE: u8 = 30;

/// The values of `SharedView` that an access is checked against.
struct View {
    block_begin: Value,
    last_barrier: Value,
    now: Value,
    /// Index in the block of the warp's first thread.
    threads: Value,
    warp: Value,
}

/// Four words of a span, or one, from the word with this index on.
#[derive(Clone, Copy)]
enum Piece {
    Four(u32),
    One(u32),
}

/// Splits a span into pieces.
fn pieces(words: u32) -> impl Iterator<Item = Piece> {
    let fours = words / 4;
    (0..fours).map(|n| Piece::Four(4 * n)).chain((4 * fours..words).map(Piece::One))
}

impl Translator<'_, '_> {
    fn view(&mut self) -> View {
        let block_begin = self.b.ins().load(I32, constant_flags(), self.context, field!(shared.block_begin));
        let last_barrier =
            self.b.ins().load(I32, constant_flags(), self.context, field!(shared.last_barrier));
        let now = self.b.ins().load(I32, constant_flags(), self.context, field!(shared.now));
        let warp = self.b.ins().load(I32, constant_flags(), self.context, field!(shared.warp));
        let threads = self.b.ins().ishl_imm(warp, 5);
        View { block_begin, last_barrier, now, threads, warp }
    }

    /// Returns the address of the stamp for the word at the first lane's address. `at`: the offset in the context
    /// of the pointer to the stamps.
    fn stamps(&mut self, access: &PreparedAccess, at: i32) -> Value {
        let stamps = self.b.ins().load(I64, constant_flags(), self.context, at);
        self.b.ins().iadd(stamps, access.first)
    }

    /// Returns the address of the access number, of two bytes, for the word at the first lane's address. `at`: the
    /// offset in the context of the pointer to the numbers.
    fn site_numbers(&mut self, access: &PreparedAccess, at: i32) -> Value {
        let site_numbers = self.b.ins().load(I64, constant_flags(), self.context, at);
        let offset = self.b.ins().ushr_imm(access.first, 1);
        self.b.ins().iadd(site_numbers, offset)
    }

    /// Reduces a condition on a piece to one on any of its words.
    fn any(&mut self, value: Value) -> Value {
        match self.b.func.dfg.value_type(value) {
            I8 => value,
            _ => self.b.ins().vany_true(value),
        }
    }

    /// Loads the stamps of a piece.
    fn piece(&mut self, base: Value, span: &Span, piece: Piece) -> Value {
        let (kind, word) = match piece {
            Piece::Four(word) => (I32X4, word),
            Piece::One(word) => (I32, word),
        };
        self.b.ins().load(kind, mutable_flags(), base, 4 * (span.index + word as i32))
    }

    /// Returns a value in the width of a piece.
    fn like(&mut self, piece: Piece, value: Value) -> Value {
        match piece {
            Piece::Four(_) => self.b.ins().splat(I32X4, value),
            Piece::One(_) => value,
        }
    }

    /// Returns the thread that touches each word of a piece.
    fn threads(&mut self, span: &Span, piece: Piece, view: &View) -> Value {
        let of =
            |word: u32| u64::from(span.lane) + u64::from(word.checked_shr(span.shift.into()).unwrap_or(0));
        match piece {
            Piece::Four(word) => {
                let lanes: Vec<u64> = (word..word + 4).map(of).collect();
                let lanes = self.vector_constant(File::R32, &lanes);
                let threads = self.b.ins().splat(I32X4, view.threads);
                self.b.ins().iadd(threads, lanes)
            }
            Piece::One(word) => self.b.ins().iadd_imm(view.threads, of(word) as i64),
        }
    }

    /// Stores stamps, and the number of the access, for the words of a span.
    fn record_span(
        &mut self,
        access: &PreparedAccess,
        span: &Span,
        view: &View,
        (stamps, site_numbers): (Value, Value),
    ) {
        let several = span.many.then(|| {
            let lane = i64::from(span.lane.min(NO_LANE)) << 5;
            let who = self.b.ins().bor_imm(view.warp, MANY_IN_WARP | lane);
            self.b.ins().bor(view.now, who)
        });
        for piece in pieces(span.granules) {
            let stamp = match several {
                Some(stamp) => self.like(piece, stamp),
                None => {
                    let who = self.threads(span, piece, view);
                    let now = self.like(piece, view.now);
                    self.b.ins().iadd(now, who)
                }
            };
            let (Piece::Four(word) | Piece::One(word)) = piece;
            self.b.ins().store(mutable_flags(), stamp, stamps, 4 * (span.index + word as i32));
        }
        self.store_site_numbers(access, span, site_numbers);
    }

    /// Stores the number of the access for the words of a span.
    fn store_site_numbers(&mut self, access: &PreparedAccess, span: &Span, site_numbers: Value) {
        let check_or_number = self.b.ins().load(
            I32,
            mutable_flags(),
            access.site,
            offset_of!(AccessSite, check_or_number) as i32,
        );
        let mut word = 0;
        if span.granules >= 8 {
            let short = self.b.ins().ireduce(cranelift_codegen::ir::types::I16, check_or_number);
            let eight = self.b.ins().splat(I16X8, short);
            while word + 8 <= span.granules {
                self.b.ins().store(mutable_flags(), eight, site_numbers, 2 * (span.index + word as i32));
                word += 8;
            }
        }
        for word in word..span.granules {
            self.b.ins().istore16(
                mutable_flags(),
                check_or_number,
                site_numbers,
                2 * (span.index + word as i32),
            );
        }
    }

    /// Checks and records a read. The code handles it if every word was last written in this block and before the
    /// last barrier, and if since that barrier, each span was read by nobody, by one other warp, or by several
    /// warps; otherwise the read is left to the interpreter. If that happens at a later span, the interpreter
    /// records the earlier ones again, without effect.
    pub fn shared_read(&mut self, access: &PreparedAccess) {
        let view = self.view();
        let writes = self.stamps(access, field!(shared.writes));
        let reads = self.stamps(access, field!(shared.reads));
        let room = self.b.ins().isub(view.last_barrier, view.block_begin);
        let many = self.b.ins().bor_imm(view.now, ACCESSOR);
        let site_numbers = self.site_numbers(access, field!(shared.read_sites));
        for span in &access.shape.words {
            let mut sums: [Option<Value>; 3] = [None; 3];
            let mut values = Vec::new();
            for piece in pieces(span.granules) {
                let (write, read) = (self.piece(writes, span, piece), self.piece(reads, span, piece));
                let (block_begin, room) = (self.like(piece, view.block_begin), self.like(piece, room));
                let (last_barrier, many) = (self.like(piece, view.last_barrier), self.like(piece, many));
                let age = self.b.ins().isub(write, block_begin);
                let written = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, age, room);
                let other = self.b.ins().icmp(IntCC::NotEqual, read, many);
                let late = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, read, last_barrier);
                for (sum, value) in sums.iter_mut().zip([written, other, late]) {
                    *sum = Some(self.either(*sum, value));
                }
                values.push((piece, read));
            }
            let [written, others, late] = sums.map(|sum| sum.expect("a span has words"));
            let written = self.any(written);
            self.jump_if(written, access.cold);
            let [first, again, join, on] = std::array::from_fn(|_| self.b.create_block());
            let late = self.any(late);
            self.b.ins().brif(late, again, &[], first, &[]);

            self.b.switch_to_block(first);
            self.record_span(access, span, &view, (reads, site_numbers));
            self.b.ins().jump(on, &[]);

            self.b.switch_to_block(again);
            let others = self.any(others);
            self.b.ins().brif(others, join, &[], on, &[]);

            self.b.switch_to_block(join);
            self.join_readers(access, span, &view, (reads, values));
            self.b.ins().jump(on, &[]);
            self.b.switch_to_block(on);
        }
    }

    /// Records a read of words that, since the last barrier, only one other warp has read; otherwise the access is
    /// left to the interpreter.
    fn join_readers(
        &mut self,
        access: &PreparedAccess,
        span: &Span,
        view: &View,
        (reads, values): (Value, Vec<(Piece, Value)>),
    ) {
        let alone = self.b.ins().load(I32, constant_flags(), self.context, field!(shared.barriers_only));
        let mut bad = self.b.ins().icmp_imm(IntCC::Equal, alone, 0);
        let several = self.b.ins().bor_imm(view.warp, MANY_IN_WARP);
        for &(piece, read) in &values {
            let last_barrier = self.like(piece, view.last_barrier);
            let early = self.b.ins().icmp(IntCC::UnsignedLessThan, read, last_barrier);
            let (who, lanes) =
                (self.b.ins().iconst(I32, ACCESSOR), self.b.ins().iconst(I32, ACCESSOR & !NAMED_LANE));
            let (who, lanes) = (self.like(piece, who), self.like(piece, lanes));
            let who = self.b.ins().band(read, who);
            let its = self.b.ins().ushr_imm(who, 5);
            let (warp, several) = (self.like(piece, view.warp), self.like(piece, several));
            let one = self.b.ins().icmp(IntCC::Equal, its, warp);
            let others = self.b.ins().band(who, lanes);
            let some = self.b.ins().icmp(IntCC::Equal, others, several);
            for value in [early, one, some] {
                bad = self.either(Some(bad), value);
            }
        }
        self.jump_if(bad, access.cold);
        let many = self.b.ins().bor_imm(view.now, ACCESSOR);
        for (piece, _) in values {
            let (Piece::Four(word) | Piece::One(word)) = piece;
            let many = self.like(piece, many);
            self.b.ins().store(mutable_flags(), many, reads, 4 * (span.index + word as i32));
        }
        // If several lanes read each word, at least one of them is not a later writer, so the record names their
        // access.
        if span.many {
            let site_numbers = self.site_numbers(access, field!(shared.read_sites));
            self.store_site_numbers(access, span, site_numbers);
        }
    }

    /// Combines conditions on two pieces. If the pieces have different widths, each is first reduced to a
    /// condition on any of its words.
    fn either(&mut self, sum: Option<Value>, value: Value) -> Value {
        let Some(sum) = sum else { return value };
        let kind = |emit: &Self, value: Value| emit.b.func.dfg.value_type(value);
        if kind(self, sum) == kind(self, value) {
            return self.b.ins().bor(sum, value);
        }
        let (sum, value) = (self.any(sum), self.any(value));
        self.b.ins().bor(sum, value)
    }

    /// Checks and records a write. It is left to the interpreter if another thread has read or written any of its
    /// words since the last barrier.
    pub fn shared_write(&mut self, access: &PreparedAccess) {
        let view = self.view();
        let writes = self.stamps(access, field!(shared.writes));
        let reads = self.stamps(access, field!(shared.reads));
        let mut bad: Option<Value> = None;
        for span in &access.shape.words {
            for piece in pieces(span.granules) {
                let mine = self.threads(span, piece, &view);
                let (last_barrier, who) =
                    (self.like(piece, view.last_barrier), self.b.ins().iconst(I32, ACCESSOR));
                let who = self.like(piece, who);
                for stamps in [writes, reads] {
                    let stamp = self.piece(stamps, span, piece);
                    let late = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, stamp, last_barrier);
                    let its = self.b.ins().band(stamp, who);
                    let other = self.b.ins().icmp(IntCC::NotEqual, its, mine);
                    let suspect = self.b.ins().band(late, other);
                    bad = Some(self.either(bad, suspect));
                }
            }
        }
        let bad = bad.expect("an access has words");
        let bad = self.any(bad);
        self.jump_if(bad, access.cold);
        let site_numbers = self.site_numbers(access, field!(shared.write_sites));
        for span in &access.shape.words {
            self.record_span(access, span, &view, (writes, site_numbers));
        }
    }
}

const _: () = assert!(ONE_LANE == 31);
