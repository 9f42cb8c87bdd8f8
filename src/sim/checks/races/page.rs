//! The shadow of a page of global memory: the last write and the last read of every granule.
//!
//! While warps touch a page in whole rows, with each lane touching the granules after its neighbour's, one stamp
//! describes a whole row. A page that is accessed in another way is split into its granules. Both representations are
//! equivalent, so that findings don't depend on what happened elsewhere on the page.

mod granules;
#[cfg(test)]
mod tests;

use super::global::GlobalAccess;
use super::last_accesses::Marks;
use super::stamp::{MANY, Stamp, THREAD, TIME_SHIFT, is_in_warp, is_one, joined, time, unknown_in_warp, who};
use crate::finding::AccessKind;
use crate::memory::shape::{ONE_LANE, Span};

/// Granules per page.
pub const PAGE: usize = 1024;
/// Granules per row.
pub const ROW: usize = 16;
const ROWS: usize = PAGE / ROW;

/// The last accesses of one kind to a page, and their instructions, row by row.
#[derive(Clone, Debug)]
struct Rows {
    /// The stamp of the row's first granule. Granule `n` was touched by the thread `n >> shift` further on.
    stamps: [Stamp; ROWS],
    sites: [u16; ROWS],
    shifts: [u8; ROWS],
}

/// Rows that blocks accessed, one after the other, each of them a number of whole rows.
#[derive(Clone, Copy, Debug)]
pub struct RowsByBlocks {
    /// When the first of these blocks began. Each of the others began a time after the one before it.
    pub time: u32,
    /// The first thread of each block that accessed rows. Granule `n` was touched by the thread `n >> shift` further on.
    pub thread: u32,
    pub shift: u8,
    pub site: u16,
    pub rows_per_block: u32,
    /// How many rows come before those of the page.
    pub first: u32,
}

/// The last accesses of one kind to a page.
#[derive(Debug, Default)]
enum LastAccesses {
    #[default]
    Nothing,
    /// Of all rows.
    Blocks(RowsByBlocks),
    Rows(Box<Rows>),
    Each(Box<Marks>),
}

#[derive(Debug, Default)]
pub struct Page {
    writes: LastAccesses,
    reads: LastAccesses,
    /// Whether there were read-only loads.
    read_only: bool,
    /// The last result of [`Page::reads_are_redundant`], and the turn in which it was last computed.
    redundant: bool,
    looked: Stamp,
}

impl RowsByBlocks {
    /// Returns when row `n` of the page was accessed, and its stamp.
    fn row(&self, n: usize) -> (u32, Stamp) {
        let row = self.first + n as u32;
        let (block, row) = (row / self.rows_per_block, row % self.rows_per_block);
        let thread = self.thread + ((row * ROW as u32) >> self.shift);
        (self.time + block, (self.time + block) << TIME_SHIFT | thread)
    }

    /// Sets some of a page's rows, of which the first comes after `self.first` ones.
    fn write_to(&self, to: &mut Rows, rows: std::ops::Range<usize>) {
        for (n, row) in rows.enumerate() {
            to.set(row, self.row(n).1, self.site, shift_of_row(self.shift));
        }
    }
}

/// Returns the shift that describes a row of which each lane touches the granules after its neighbour's.
fn shift_of_row(shift: u8) -> u8 {
    // One lane may touch a whole row.
    if 1 << shift >= ROW { ONE_LANE } else { shift }
}

impl Rows {
    const NONE: Rows = Rows { stamps: [0; ROWS], sites: [0; ROWS], shifts: [ONE_LANE; ROWS] };

    /// Returns the rows, creating them if they are not there yet; `None` if the page is split.
    fn of(kept: &mut LastAccesses) -> Option<&mut Rows> {
        match kept {
            LastAccesses::Nothing => *kept = LastAccesses::Rows(Box::new(Rows::NONE)),
            LastAccesses::Blocks(by_blocks) => {
                let mut rows = Box::new(Rows::NONE);
                by_blocks.write_to(&mut rows, 0..ROWS);
                *kept = LastAccesses::Rows(rows);
            }
            _ => {}
        }
        match kept {
            LastAccesses::Rows(rows) => Some(rows),
            _ => None,
        }
    }

    fn set(&mut self, row: usize, stamp: Stamp, site: u16, shift: u8) {
        (self.stamps[row], self.sites[row], self.shifts[row]) = (stamp, site, shift);
    }

    /// Returns whether a row was last accessed by the threads of row `n` of a span, each the same granules.
    #[inline(always)]
    fn is_of(&self, page_span: &PageSpan, n: usize, row: usize) -> bool {
        let (_, mine, shift) = page_span.row(n);
        self.stamps[row] & THREAD == mine && self.shifts[row] == shift
    }

    fn split(&self) -> Box<Marks> {
        let mut marks = Box::new(Marks::default());
        for row in 0..ROWS {
            if self.stamps[row] == 0 {
                continue;
            }
            let range = row * ROW..(row + 1) * ROW;
            for (i, stamp) in marks.stamps[range.clone()].iter_mut().enumerate() {
                *stamp = self.stamps[row] + (i as u32 >> self.shifts[row]);
            }
            marks.fill(range, self.sites[row]);
        }
        marks
    }
}

impl LastAccesses {
    fn split(&mut self) {
        if !matches!(self, LastAccesses::Nothing)
            && let Some(rows) = Rows::of(self)
        {
            *self = LastAccesses::Each(rows.split());
        }
    }

    /// Returns whether accesses of whole rows certainly can't conflict with these; false if the page is split.
    #[inline(always)]
    fn precede(&mut self, page_span: &PageSpan, rows: std::ops::Range<usize>) -> bool {
        if let LastAccesses::Nothing = self {
            return true;
        }
        let Some(kept) = Rows::of(self) else { return false };
        let mut rows = rows.enumerate();
        rows.all(|(n, row)| page_span.follows(kept.stamps[row], kept.is_of(page_span, n, row)))
    }

    /// Returns whether nobody has accessed these rows; false if the page is split.
    fn are_untouched(&self, mut rows: std::ops::Range<usize>) -> bool {
        match self {
            LastAccesses::Nothing => true,
            LastAccesses::Rows(kept) => rows.all(|row| kept.stamps[row] == 0),
            LastAccesses::Blocks(_) | LastAccesses::Each(_) => false,
        }
    }

    fn each(&self) -> Option<&Marks> {
        match self {
            LastAccesses::Each(marks) => Some(marks),
            _ => None,
        }
    }

    fn each_mut(&mut self) -> &mut Marks {
        self.split();
        if let LastAccesses::Nothing = self {
            *self = LastAccesses::Each(Box::default());
        }
        match self {
            LastAccesses::Each(marks) => marks,
            _ => unreachable!("a page that was just split"),
        }
    }
}

/// The part of an access in a page.
#[derive(Clone, Copy)]
pub struct PageSpan<'a> {
    around: &'a GlobalAccess<'a>,
    /// The stamp that the first thread leaves.
    stamp: Stamp,
    /// The first thread; `u32::MAX`, which equals none, if several touch a granule.
    mine: u32,
    shift: u8,
    /// When the block got the turn: earlier stamps are of other blocks.
    turn: Stamp,
    /// From when on an earlier access may be of no concern: never for a write before a read-only load.
    follows_from: Stamp,
    /// When the block's last barrier was.
    last_barrier: Stamp,
}

impl<'a> PageSpan<'a> {
    #[inline(always)]
    fn new(around: &'a GlobalAccess<'a>, span: &Span) -> PageSpan<'a> {
        let first = who(around.here.event.warp, span.lane, span.many);
        let page_span = PageSpan::of_threads(around, first, if span.many { ONE_LANE } else { span.shift });
        PageSpan { mine: if span.many { u32::MAX } else { first }, ..page_span }
    }

    /// Granule `n` is accessed by the thread that comes `n >> shift` after the first one.
    #[inline(always)]
    pub fn of_threads(around: &'a GlobalAccess<'a>, first: u32, shift: u8) -> PageSpan<'a> {
        let turn = around.turn << TIME_SHIFT;
        PageSpan {
            around,
            stamp: around.here.now << TIME_SHIFT | first,
            mine: first,
            shift,
            turn,
            follows_from: if around.here.event.role.read_only { Stamp::MAX } else { turn },
            last_barrier: around.here.order.block_start << TIME_SHIFT,
        }
    }

    /// Returns the stamp, the thread and the shift of the stretch's row `n`.
    #[inline(always)]
    fn row(&self, n: usize) -> (Stamp, u32, u8) {
        let threads = ((n * ROW) as u32) >> self.shift;
        (self.stamp + threads, self.mine.wrapping_add(threads), shift_of_row(self.shift))
    }

    /// Returns what to compare with the reads of a page, before a write: of read-only loads, only those of the same thread
    /// are of no concern.
    #[inline(always)]
    fn after_reads(&self, read_only: bool) -> PageSpan<'a> {
        PageSpan { last_barrier: if read_only { 0 } else { self.last_barrier }, ..*self }
    }

    /// Returns whether an earlier access with stamp `old` can't conflict with this one: it was made in this block
    /// before the last barrier, or by the same thread.
    #[inline(always)]
    fn follows(&self, old: Stamp, same: bool) -> bool {
        (old == 0) | ((old >= self.follows_from) & ((old < self.last_barrier) | same))
    }
}

/// Returns the rows of a stretch that consists of whole rows.
#[inline(always)]
fn rows(start: usize, span: &Span) -> Option<std::ops::Range<usize>> {
    let granules = span.granules as usize;
    (start.is_multiple_of(ROW) && granules.is_multiple_of(ROW))
        .then_some(start / ROW..(start + granules) / ROW)
}

impl Page {
    /// Returns whether blocks that have ended read every granule, nobody wrote one, and all bytes are noted as read.
    pub fn reads_are_redundant(&mut self, turn: u32, is_noted: impl FnOnce() -> bool) -> bool {
        // Within a turn, no other block's reads are added.
        if !self.redundant && self.looked != turn && matches!(self.writes, LastAccesses::Nothing) {
            let over = |stamp: &Stamp| *stamp != 0 && *stamp < turn << TIME_SHIFT;
            let read = match &self.reads {
                LastAccesses::Nothing => false,
                LastAccesses::Blocks(rows) => rows.row(ROWS - 1).0 < turn,
                LastAccesses::Rows(rows) => rows.stamps.iter().all(over),
                LastAccesses::Each(marks) => marks.stamps.iter().all(over),
            };
            self.redundant = read && is_noted();
            self.looked = turn;
        }
        self.redundant
    }

    /// Called before any access other than a plain read; clears the record of redundant reads. Returns whether there
    /// was one.
    pub fn end_redundancy(&mut self) -> bool {
        self.looked = 0;
        std::mem::take(&mut self.redundant)
    }

    /// Records whether a read is a read-only load.
    #[inline(always)]
    pub fn note_read_only(&mut self, around: &GlobalAccess) {
        self.read_only |= around.here.event.role.read_only;
    }

    /// Converts both kinds to the representation by granules.
    #[inline(never)]
    pub fn split(&mut self) {
        self.writes.split();
        self.reads.split();
    }

    /// Returns the last writes and reads of a page that is split.
    pub fn each(&self) -> (Option<&Marks>, Option<&Marks>) {
        (self.writes.each(), self.reads.each())
    }

    pub fn writes_mut(&mut self) -> &mut Marks {
        self.writes.each_mut()
    }

    pub fn reads_mut(&mut self) -> &mut Marks {
        self.reads.each_mut()
    }

    /// Clears the last read of a granule after a write: whatever follows the write also follows what the write
    /// followed.
    pub fn forget_read(&mut self, granule: usize) {
        if let LastAccesses::Each(reads) = &mut self.reads {
            reads.stamps[granule] = 0;
        }
    }

    /// Replaces every stamp; those of a row become equal.
    pub fn change(&mut self, change: impl Fn(Stamp) -> Stamp) {
        self.end_redundancy();
        for kept in [&mut self.writes, &mut self.reads] {
            match kept {
                LastAccesses::Nothing => {}
                LastAccesses::Each(marks) => {
                    marks.stamps.iter_mut().for_each(|stamp| *stamp = change(*stamp))
                }
                kept => {
                    let rows = Rows::of(kept).expect("a page that is not split");
                    for (stamp, shift) in rows.stamps.iter_mut().zip(&mut rows.shifts) {
                        let new = change(*stamp);
                        if new != *stamp {
                            (*stamp, *shift) = (new, ONE_LANE);
                        }
                    }
                }
            }
        }
    }

    /// Clears some granules.
    pub fn clear(&mut self, granules: std::ops::Range<usize>) {
        self.end_redundancy();
        self.split();
        for kept in [&mut self.writes, &mut self.reads] {
            if let LastAccesses::Each(marks) = kept {
                marks.stamps[granules.clone()].fill(0);
            }
        }
    }

    /// Returns the pages for granules `parts` times smaller, each with the state of the whole it was part of.
    pub fn refine(&mut self, parts: usize) -> Vec<Page> {
        self.split();
        let part = |kept: &LastAccesses, part: usize| {
            let Some(marks) = kept.each() else { return LastAccesses::Nothing };
            LastAccesses::Each(Box::new(marks.map(|i| (part * PAGE + i) / parts)))
        };
        (0..parts)
            .map(|n| Page {
                writes: part(&self.writes, n),
                reads: part(&self.reads, n),
                read_only: self.read_only,
                ..Page::default()
            })
            .collect()
    }

    /// Records a part of a read or write that need not be reported. `gaps`: those of its first 32 granules that are not
    /// accessed. Returns false if the granules must be checked one by one; so it does for atomics.
    #[inline(always)]
    pub fn plain_span(&mut self, around: &GlobalAccess, span: &Span, start: usize, gaps: u32) -> bool {
        let page_span = PageSpan::new(around, span);
        let granules = start..start + span.granules as usize;
        let rows = rows(start, span).filter(|_| gaps == 0);
        let by_rows = rows.is_some_and(|rows| match around.here.event.kind {
            AccessKind::Read => self.read_rows(&page_span, rows),
            AccessKind::Write => self.write_rows(&page_span, rows),
            AccessKind::Atomic => false,
        });
        by_rows || self.plain_granules(&page_span, granules, gaps)
    }

    /// Returns whether nobody has accessed these rows; false if that is not known by row.
    pub fn is_untouched(&self, rows: std::ops::Range<usize>) -> bool {
        self.writes.are_untouched(rows.clone()) && self.reads.are_untouched(rows)
    }

    /// Records accesses to rows that nobody else has accessed.
    pub fn record(&mut self, kind: AccessKind, rows: std::ops::Range<usize>, by_blocks: RowsByBlocks) {
        let kept = match kind {
            AccessKind::Read => &mut self.reads,
            // Reads of rows that nobody has read are not redundant.
            _ => &mut self.writes,
        };
        if rows == (0..ROWS) {
            *kept = LastAccesses::Blocks(by_blocks);
        } else {
            by_blocks.write_to(Rows::of(kept).expect("a page that is not split"), rows);
        }
    }

    /// Records a read of whole rows. Returns false, without any change, if that is not possible.
    #[inline(always)]
    fn read_rows(&mut self, page_span: &PageSpan, rows: std::ops::Range<usize>) -> bool {
        if !self.writes.precede(page_span, rows.clone()) {
            return false;
        }
        let here = &page_span.around.here;
        let (blocks_isolated, warp) = (page_span.around.blocks_isolated, here.event.warp);
        let many = here.now << TIME_SHIFT | MANY;
        let Some(reads) = Rows::of(&mut self.reads) else { return false };
        // First pass: nothing is changed until all rows are known to be simple.
        let simple = |n: usize, row: usize| {
            let (read, shift) = (reads.stamps[row], reads.shifts[row]);
            let (_, mine, its) = page_span.row(n);
            if read < page_span.turn {
                return read == 0 || blocks_isolated;
            }
            let same = read & THREAD == mine && shift == its;
            if read < page_span.last_barrier || same || read == many {
                return true;
            }
            // Others have read it since the last barrier, and every granule was read by a different thread than now.
            let other = shift == its || shift == ONE_LANE && !is_one(read) || mine == u32::MAX;
            other && here.plain()
        };
        if !rows.clone().enumerate().all(|(n, row)| simple(n, row)) {
            return false;
        }
        for (n, row) in rows.enumerate() {
            let read = reads.stamps[row];
            let (stamp, mine, shift) = page_span.row(n);
            let foreign = read != 0 && read < page_span.turn;
            if foreign || read == many {
                continue;
            }
            let same = read & THREAD == mine && reads.shifts[row] == shift;
            if read < page_span.last_barrier || same {
                reads.set(row, stamp, here.site, shift);
            } else if is_in_warp(read, warp) {
                if time(read) < here.order.warp_start(warp) {
                    reads.set(row, stamp, here.site, shift);
                } else {
                    let (named, its, site) = match here.is_named(mine == u32::MAX)(read) {
                        true => (stamp, shift, here.site),
                        false => (read, reads.shifts[row], reads.sites[row]),
                    };
                    // If several threads each read part of a row, none of them has read all of it.
                    let both = if its == ONE_LANE { joined(named, warp) } else { unknown_in_warp(warp) };
                    reads.set(row, here.now << TIME_SHIFT | both, site, ONE_LANE);
                }
            } else {
                let site = reads.sites[row];
                reads.set(row, many, site, ONE_LANE);
            }
        }
        true
    }

    /// Records a read of whole rows, of threads of any number of warps, that in this block nobody but the same threads has
    /// read. Returns false, without any change, if that is not possible.
    pub fn read_unread_rows(&mut self, page_span: &PageSpan, rows: std::ops::Range<usize>) -> bool {
        if !self.writes.precede(page_span, rows.clone()) {
            return false;
        }
        let Some(reads) = Rows::of(&mut self.reads) else { return false };
        let is_foreign = |read: Stamp| read != 0 && read < page_span.turn;
        let may_be_read = rows.clone().enumerate().all(|(n, row)| match reads.stamps[row] {
            0 => true,
            read if is_foreign(read) => page_span.around.blocks_isolated,
            _ => reads.is_of(page_span, n, row),
        });
        if may_be_read {
            for (n, row) in rows.enumerate() {
                let (stamp, _, shift) = page_span.row(n);
                if !is_foreign(reads.stamps[row]) {
                    reads.set(row, stamp, page_span.around.here.site, shift);
                }
            }
        }
        may_be_read
    }

    /// Records a write of whole rows. Returns false, without any change, if that is not possible.
    #[inline(always)]
    pub fn write_rows(&mut self, page_span: &PageSpan, rows: std::ops::Range<usize>) -> bool {
        let after_reads = page_span.after_reads(self.read_only);
        if !self.reads.precede(&after_reads, rows.clone()) || !self.writes.precede(page_span, rows.clone()) {
            return false;
        }
        let Some(writes) = Rows::of(&mut self.writes) else { return false };
        for (n, row) in rows.enumerate() {
            let (stamp, _, shift) = page_span.row(n);
            writes.set(row, stamp, page_span.around.here.site, shift);
        }
        true
    }
}
