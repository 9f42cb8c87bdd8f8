//! Races in global memory, between the threads of a block and between blocks.
//!
//! For every granule of a buffer (4 bytes; smaller once a kernel makes smaller accesses there) the shadow memory
//! holds the last write and the last read. Its pages are created as they are touched ([`super::page`]). An access
//! races with an earlier one of another thread, at least one of them being a write, unless both are of a kind that
//! may be concurrent (atomics, relaxed and volatile accesses of a scope that includes both threads; an atomic, and a
//! load that only guesses what a compare-and-swap is to expect) or [`Order`](super::order::Order) orders them.
//!
//! Plain writes of the value that is already there race with reads and with atomics, but not with each other:
//! whichever comes last, that value remains, on every existing GPU (threads that all raise one flag, or all store one
//! result).
//!
//! Accesses that may be concurrent race nevertheless if both threads write back a value computed from the value they
//! read: one update is lost ([`Role::updates`](crate::memory::access::Role)). And a load of data
//! ([`Role::data`](crate::memory::access::Role)) races with a volatile or relaxed write that its thread has been told of
//! by a signal, if no fence orders the write before the signal: the signal may arrive first.
//!
//! Limitations: of several readers of a granule only one is remembered, preferably one of another block; if blocks
//! synchronise, only that there were several. Buffers that the kernel must not write are not tracked.

use super::checked::CheckedAccess;
use super::granule::{BeforeAtomics, GranuleAccess};
use super::order::Objects;
use super::page::{PAGE, Page, PageSpan, ROW, RowsByBlocks};
use super::stamp::{MANY, Stamp, TIME_SHIFT, time};
use super::timeline::Timeline;
use crate::engine::findings::{FindingLog, Side, SideAddress, ThreadId};
use crate::engine::observer::{BlockRows, Event, MemorySpace};
use crate::finding::{AccessKind, FindingKind};
use crate::lanes::{LANES, lanes_of};
use crate::memory::shape::{Shape, Span};
use std::ops::Range;

#[derive(Debug)]
struct BufferShadow {
    /// Bytes per granule: 4, 2 or 1.
    granule: u32,
    /// Pages in groups of [`GROUP`], so that touching the end of a large buffer is cheap.
    groups: Vec<Vec<Page>>,
    /// The range of pages whose reads are known to be redundant, and the shadow's version when that was established.
    redundant: (Range<usize>, u64),
}

/// Pages per group; a group is only as long as its last touched page requires.
const GROUP: usize = 1 << 12;

/// Pages before and after the known range that are examined at a time.
const PAGES_AROUND: usize = 32;

/// The shadow memory of all buffers.
#[derive(Debug, Default)]
pub struct GlobalShadow {
    buffers: Vec<BufferShadow>,
    /// For each buffer and byte offset with atomics: the plain write that preceded them, and its instruction.
    before_atomics: BeforeAtomics,
    /// Whether conflicting accesses of different blocks were found.
    pub blocks_conflict: bool,
    /// Incremented whenever reads of a page may no longer be redundant; see [`GlobalShadow::redundant_reads`].
    pub version: u64,
}

/// The state of a launch that is needed to check an access to global memory.
pub struct GlobalAccess<'a> {
    pub here: CheckedAccess<'a>,
    pub timeline: &'a Timeline,
    pub objects: &'a Objects,
    /// When the block last got the turn: later stamps are its own.
    pub turn: u32,
    /// Blocks run one after the other and can't synchronise: accesses of earlier blocks are in the past, but nothing
    /// orders them.
    pub blocks_isolated: bool,
    /// The access is to the block's own shared memory, which other blocks of its cluster can access.
    pub own_shared: bool,
}

impl GlobalShadow {
    /// Called when the timeline restarts. With `blocks_isolated`, stamps from before `turn` are replaced by one of unknown
    /// threads; all others are cleared.
    pub fn forget(&mut self, turn: u32, blocks_isolated: bool) {
        self.version += 1;
        self.before_atomics.clear();
        for page in self.buffers.iter_mut().flat_map(|b| b.groups.iter_mut().flatten()) {
            page.change(|stamp| {
                let old = blocks_isolated && stamp != 0 && time(stamp) < turn;
                if old { 1 << TIME_SHIFT | MANY } else { 0 }
            });
        }
    }

    /// Clears the state of bytes of a buffer that get a new owner, which is ordered after all earlier accesses.
    pub fn renew(&mut self, buffer: u32, offset: u64, bytes: u64) {
        self.version += 1;
        let end = offset.saturating_add(bytes);
        self.before_atomics.retain(|&(its, byte), _| its != buffer || !(offset..end).contains(&byte));
        let Some(buffer) = self.buffers.get_mut(buffer as usize) else { return };
        let granule = buffer.granule as u64;
        let end = end.div_ceil(granule);
        let pages = buffer.groups.iter_mut().enumerate().flat_map(|(group, pages)| {
            pages.iter_mut().enumerate().map(move |(n, page)| (group * GROUP + n, page))
        });
        for (number, page) in pages {
            let start = (number * PAGE) as u64;
            let within = |n: u64| n.clamp(start, start + PAGE as u64) - start;
            let range = within(offset / granule) as usize..within(end) as usize;
            if !range.is_empty() {
                page.clear(range);
            }
        }
    }

    /// Returns the last writes and reads of a buffer: byte offset, stamp and site of each granule that was touched.
    pub fn marks(&mut self, buffer: u32) -> Vec<(u64, Stamp, u16)> {
        let Some(shadow) = self.buffers.get_mut(buffer as usize) else { return Vec::new() };
        let mut found = Vec::new();
        for (group, pages) in shadow.groups.iter_mut().enumerate() {
            for (n, page) in pages.iter_mut().enumerate() {
                page.split();
                let start = ((group * GROUP + n) * PAGE) as u64;
                let (writes, reads) = page.each();
                for marks in [writes, reads].into_iter().flatten() {
                    let touched = marks.stamps.iter().enumerate().filter(|(_, stamp)| **stamp != 0);
                    found.extend(touched.map(|(i, &stamp)| {
                        ((start + i as u64) * u64::from(shadow.granule), stamp, marks.site(i))
                    }));
                }
            }
        }
        found
    }

    /// Returns the bytes around the event's first one that lie in pages which only blocks that have ended have read,
    /// in full, and nobody wrote: another such read would not change the shadow. Only meaningful if blocks run one
    /// after the other.
    pub fn redundant_reads(
        &mut self,
        event: &Event,
        turn: u32,
        is_noted: &dyn Fn(Range<u64>) -> bool,
    ) -> Option<Range<u64>> {
        let buffer = shadow_of(&mut self.buffers, event);
        let page_bytes = PAGE as u64 * u64::from(buffer.granule);
        let number = ((event.first - event.base) / page_bytes) as usize;
        let mut is_redundant = |number: usize| {
            let page = buffer.groups.get_mut(number / GROUP).and_then(|pages| pages.get_mut(number % GROUP));
            let bytes = number as u64 * page_bytes..(number as u64 + 1) * page_bytes;
            page.is_some_and(|page| page.reads_are_redundant(turn, || is_noted(bytes)))
        };
        // Redundant reads stay redundant until the version is incremented.
        let (known, version) = &mut buffer.redundant;
        if *version != self.version || !known.contains(&number) {
            if !is_redundant(number) {
                return None;
            }
            (*known, *version) = (number..number + 1, self.version);
        }
        let before = (known.start.saturating_sub(PAGES_AROUND)..known.start).rev();
        known.start = before.take_while(|&n| is_redundant(n)).last().unwrap_or(known.start);
        let after = known.end..known.end + PAGES_AROUND;
        known.end = after.take_while(|&n| is_redundant(n)).last().map_or(known.end, |last| last + 1);
        Some(known.start as u64 * page_bytes..known.end as u64 * page_bytes)
    }

    #[inline(always)]
    pub fn access(&mut self, around: &GlobalAccess, shape: &mut Shape, findings: &mut FindingLog) {
        let event = around.here.event;
        if event.clash && !event.watching && !around.own_shared {
            clash(event, shape, findings);
        }
        let buffer = shadow_of(&mut self.buffers, event);
        if event.width < buffer.granule {
            buffer.refine(event.width);
            self.version += 1;
        }
        let granule = buffer.granule;
        let before_atomics = &mut self.before_atomics;
        let first = ((event.first - event.base) / granule as u64) as i64;
        let mut blocks_conflict = false;
        for PagePart { number, start, span, gaps } in page_parts(shape, granule, first) {
            let page = buffer.page(number);
            if event.kind != AccessKind::Read || event.watching {
                self.version += u64::from(page.end_redundancy());
            }
            page.note_read_only(around);
            if event.watching || !page.plain_span(around, &span, start, gaps) {
                page.split();
                let at = event.base + (number * PAGE) as u64 * granule as u64;
                let is_gap = |i: u32| gaps.checked_shr(i).is_some_and(|gaps| gaps & 1 != 0);
                for i in (0..span.granules).filter(|&i| !is_gap(i)) {
                    let lane = span.lane + (i >> span.shift) as u8;
                    let index = start + i as usize;
                    let place = at + index as u64 * granule as u64;
                    let one = GranuleAccess { lane, many: span.many, index, place, bytes: granule };
                    blocks_conflict |= page.granule(around, &one, before_atomics, findings);
                }
            }
        }
        self.blocks_conflict |= blocks_conflict;
    }

    /// Records a plain read, or a plain write by lanes that share no bytes. Returns false if it may have to be reported.
    /// The caller must then process the whole access with [`GlobalShadow::access`], which is not affected by the parts that
    /// were recorded here.
    #[inline(always)]
    pub fn plain_access(&mut self, around: &GlobalAccess, shape: &mut Shape) -> bool {
        let event = around.here.event;
        let buffer = shadow_of(&mut self.buffers, event);
        if event.width < buffer.granule {
            return false;
        }
        let first = ((event.first - event.base) / u64::from(buffer.granule)) as i64;
        for PagePart { number, start, span, gaps } in page_parts(shape, buffer.granule, first) {
            let page = buffer.page(number);
            page.note_read_only(around);
            if event.kind != AccessKind::Read {
                self.version += u64::from(page.end_redundancy());
            }
            if !page.plain_span(around, &span, start, gaps) {
                return false;
            }
        }
        true
    }

    /// The same for whole warps, from the event's on, whose lanes access `bytes` bytes, each those after its neighbour's.
    pub fn plain_rows(&mut self, around: &GlobalAccess, bytes: u64) -> bool {
        let event = around.here.event;
        let buffer = shadow_of(&mut self.buffers, event);
        let granule = buffer.granule;
        let first = ((event.first - event.base) / u64::from(granule)) as usize;
        let end = first + (bytes / u64::from(granule)) as usize;
        if event.width < granule || !first.is_multiple_of(ROW) || !end.is_multiple_of(ROW) {
            return false;
        }
        let shift = (event.width / granule).trailing_zeros() as u8;
        let mut n = first;
        while n < end {
            let (page, start) = (buffer.page(n / PAGE), n % PAGE);
            let next = end.min(n - start + PAGE);
            let threads = PageSpan::of_threads(
                around,
                event.warp * LANES as u32 + ((n - first) as u32 >> shift),
                shift,
            );
            let rows = start / ROW..(next - n + start) / ROW;
            page.note_read_only(around);
            let is_plain = match event.kind {
                AccessKind::Read => page.read_unread_rows(&threads, rows),
                _ => {
                    self.version += u64::from(page.end_redundancy());
                    page.write_rows(&threads, rows)
                }
            };
            if !is_plain {
                return false;
            }
            n = next;
        }
        true
    }

    /// Returns whether nobody has accessed what blocks are going to access, so that it can be recorded as rows.
    pub fn can_record_rows(&mut self, event: &Event, its: &BlockRows) -> bool {
        let buffer = shadow_of(&mut self.buffers, event);
        let Some(granules) = rows_of(event, its, buffer.granule) else { return false };
        in_pages(granules).all(|(number, _, rows)| buffer.page(number).is_untouched(rows))
    }

    /// Records what blocks have accessed that nobody else had.
    pub fn record_rows(&mut self, around: &GlobalAccess, its: &BlockRows) {
        let event = around.here.event;
        let buffer = shadow_of(&mut self.buffers, event);
        let Some(granules) = rows_of(event, its, buffer.granule) else { return };
        let bytes_per_row = ROW as u64 * u64::from(buffer.granule);
        let rows_by_blocks = RowsByBlocks {
            time: around.here.now - its.turns,
            thread: event.warp * LANES as u32,
            shift: (event.width / buffer.granule).trailing_zeros() as u8,
            site: around.here.site,
            rows_per_block: (its.bytes / bytes_per_row) as u32,
            first: 0,
        };
        for (number, first, rows) in in_pages(granules) {
            let page = buffer.page(number);
            page.note_read_only(around);
            page.record(event.kind, rows, RowsByBlocks { first, ..rows_by_blocks });
        }
    }
}

/// The first granule of an access by blocks, and that after its last one, if these are whole rows.
fn rows_of(event: &Event, its: &BlockRows, granule: u32) -> Option<Range<usize>> {
    let granule = u64::from(granule);
    let first = (event.first - event.base) / granule;
    let are_whole = event.width as u64 >= granule
        && first.is_multiple_of(ROW as u64)
        && (its.bytes / granule).is_multiple_of(ROW as u64);
    are_whole.then_some(first as usize..(first + its.bytes / granule * u64::from(its.blocks)) as usize)
}

/// The part of a span that lies in one page.
struct PagePart {
    /// The page, and the first granule within it.
    number: usize,
    start: usize,
    span: Span,
    /// The granules that are not accessed, of the first 32: one bit each.
    gaps: u32,
}

/// If some of the lanes access granules of a row, each its own: the row as a span, and its granules that no lane accesses, one
/// bit each.
#[inline(always)]
fn gaps_of_row(shape: &Shape, granule: u32) -> Option<(Span, u32)> {
    let row = shape.row().filter(|row| shape.width == granule && row & row.wrapping_add(1) != 0)?;
    let lane = (shape.mask().trailing_zeros() % 32) as u8;
    let granules = u32::BITS - row.leading_zeros();
    Some((Span { index: 0, granules, lane, shift: 0, many: false }, !row))
}

/// Divides whole rows of granules at page boundaries: the page's number, how many rows come before its first one of them, and the
/// rows in the page.
fn in_pages(granules: Range<usize>) -> impl Iterator<Item = (usize, u32, Range<usize>)> {
    (granules.start / PAGE..granules.end.div_ceil(PAGE)).map(move |number| {
        let start = granules.start.max(number * PAGE);
        let end = granules.end.min((number + 1) * PAGE);
        let rows = (start - number * PAGE) / ROW..(end - number * PAGE) / ROW;
        (number, ((start - granules.start) / ROW) as u32, rows)
    })
}

/// Returns the parts of an access in pages. `first` is the granule of its first active lane.
#[inline(always)]
fn page_parts(shape: &mut Shape, granule: u32, first: i64) -> impl Iterator<Item = PagePart> {
    let row = gaps_of_row(shape, granule);
    let spans = if row.is_some() { &[] } else { shape.spans(granule) };
    spans.iter().map(|span| (*span, 0)).chain(row).flat_map(move |its| pieces(its, first))
}

/// Splits a span of an access, with its gaps, at page boundaries. `first` is the granule of the access's first active lane.
#[inline(always)]
fn pieces((span, gaps): (Span, u32), first: i64) -> impl Iterator<Item = PagePart> {
    let mut n = (first + i64::from(span.index)) as usize;
    let (mut rest, mut gaps) = (span, gaps);
    std::iter::from_fn(move || {
        let (number, start) = (n / PAGE, n % PAGE);
        let granules = rest.granules.min((PAGE - start) as u32);
        let piece = PagePart { number, start, span: Span { granules, ..rest }, gaps };
        gaps = gaps.checked_shr(granules).unwrap_or(0);
        n += granules as usize;
        rest.lane += (granules >> rest.shift) as u8;
        rest.granules -= granules;
        (granules > 0).then_some(piece)
    })
}

fn shadow_of<'s>(buffers: &'s mut Vec<BufferShadow>, event: &Event) -> &'s mut BufferShadow {
    let n = event.buffer as usize;
    if n >= buffers.len() {
        buffers.resize_with(n + 1, || BufferShadow { granule: 4, groups: Vec::new(), redundant: (0..0, 0) });
    }
    &mut buffers[n]
}

impl BufferShadow {
    /// Switches to smaller granules: each part inherits the state of the whole.
    #[inline(never)]
    fn refine(&mut self, granule: u32) {
        let parts = (self.granule / granule.max(1)).max(1) as usize;
        self.granule = granule.max(1);
        let coarse = std::mem::take(&mut self.groups);
        for (group, pages) in coarse.into_iter().enumerate() {
            for (n, mut page) in pages.into_iter().enumerate() {
                for (part, fine) in page.refine(parts).into_iter().enumerate() {
                    *self.page((group * GROUP + n) * parts + part) = fine;
                }
            }
        }
    }

    #[inline(always)]
    fn page(&mut self, number: usize) -> &mut Page {
        let (group, n) = (number / GROUP, number % GROUP);
        if self.groups.len() <= group {
            self.groups.resize_with(group + 1, Vec::new);
        }
        let pages = &mut self.groups[group];
        if pages.len() <= n {
            pages.resize_with(n + 1, Page::default);
        }
        &mut pages[n]
    }
}

/// Reports lanes that stored different values to the same bytes with one instruction: which value remains is
/// undefined (CUDA programming guide, "SIMT Architecture"). Names the first two such lanes.
#[inline(never)]
fn clash(event: &Event, shape: &Shape, findings: &mut FindingLog) {
    let active = || lanes_of(event.mask);
    let meets =
        |a: usize, b: usize| (shape.offsets[a] as i64).abs_diff(shape.offsets[b] as i64) < event.width as u64;
    let pair = active().find_map(|a| active().find(|&b| b > a && meets(a, b)).map(|b| (a, b)));
    let Some((first, second)) = pair else { return };
    let of_lane = |lane: usize| {
        let place = side_address(event, event.first.wrapping_add(shape.offsets[lane]));
        Side { kind: AccessKind::Write, ..side(event, thread(event, lane, findings.block), place) }
    };
    findings.add(kind(event), of_lane(first), Some(of_lane(second)), Vec::new);
}

/// Returns the thread of a lane that an event is of.
pub fn thread(event: &Event, lane: usize, block: u64) -> ThreadId {
    ThreadId { block, thread: event.warp * LANES as u32 + lane as u32 }
}

/// Returns the side of a finding that an event is, by one of its threads.
pub fn side(event: &Event, thread: ThreadId, place: SideAddress) -> Side {
    Side { pc: event.pc, thread, kind: event.kind, bytes: event.width, place }
}

/// Returns where a shadow address is: in global memory, or in a block's shared memory.
pub fn side_address(event: &Event, address: u64) -> SideAddress {
    match event.place {
        MemorySpace::Shared => SideAddress::Shared(address - event.base),
        _ => SideAddress::Device(address),
    }
}

pub fn kind(event: &Event) -> FindingKind {
    if event.place == MemorySpace::Shared { FindingKind::SharedRace } else { FindingKind::GlobalRace }
}
