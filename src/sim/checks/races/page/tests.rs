//! Each way to record accesses leaves what the others leave.

use super::super::checked::CheckedAccess;
use super::super::copies::Copies;
use super::super::order::{Objects, Order};
use super::super::stamp::Sites;
use super::super::timeline::Timeline;
use super::*;
use crate::engine::observer::{Event, MemorySpace};
use crate::finding::AccessKind;
use crate::memory::access::Role;
use crate::random::SplitMix64;

/// What accesses refer to.
#[derive(Default)]
struct Surroundings {
    sites: Sites,
    copies: Copies,
    timeline: Timeline,
    objects: Objects,
}

impl Surroundings {
    /// Draws what surrounds an access, at a time in a block's turn.
    fn draw<'a>(
        &'a self,
        random: &mut SplitMix64,
        (event, order): (&'a Event, &'a Order),
        (turn, now): (u32, u32),
    ) -> GlobalAccess<'a> {
        let site = random.below(5) as u16;
        let here = CheckedAccess { event, site, now, order, sites: &self.sites, copies: &self.copies };
        GlobalAccess {
            here,
            timeline: &self.timeline,
            objects: &self.objects,
            turn,
            blocks_isolated: random.below(8) != 0,
            own_shared: false,
        }
    }
}

fn event(warp: usize, writes: bool) -> Event {
    Event {
        pc: 0,
        warp: warp as u32,
        mask: u32::MAX,
        kind: if writes { AccessKind::Write } else { AccessKind::Read },
        place: MemorySpace::Global,
        first: 0,
        width: 4,
        clash: false,
        strong: false,
        watching: false,
        continued: false,
        role: Role::default(),
        buffer: 0,
        base: 0,
        host: false,
        kept: 0,
        overwriting: 0,
    }
}

fn assert_same(one: &Page, other: &Page) {
    assert!(marks(&one.writes) == marks(&other.writes), "writes");
    assert!(marks(&one.reads) == marks(&other.reads), "reads");
}

/// Returns the stamp and the instruction of each granule that was touched.
fn marks(kept: &LastAccesses) -> Vec<(Stamp, u16)> {
    let marks = match kept {
        LastAccesses::Nothing => Box::default(),
        LastAccesses::Rows(rows) => rows.split(),
        LastAccesses::Blocks(by_blocks) => {
            let mut rows = Rows::NONE;
            by_blocks.write_to(&mut rows, 0..ROWS);
            rows.split()
        }
        LastAccesses::Each(marks) => marks.clone(),
    };
    let known = |n: usize| (marks.stamps[n], if marks.stamps[n] == 0 { 0 } else { marks.site(n) });
    (0..PAGE).map(known).collect()
}

/// Makes the same accesses to a page represented by rows, and to one that is split before each of them.
#[test]
fn rows_say_what_granules_say() {
    let (mut random, surroundings) = (SplitMix64(7), Surroundings::default());
    let (mut by_rows, mut done) = (0, 0);
    for _ in 0..400 {
        let (mut rows, mut each) = (Page::default(), Page::default());
        let mut order = Order::default();
        let turn = 10;
        order.begin(3, 4, turn, false);
        let mut now = 6;
        for step in 0..30 {
            if step == 8 || step > 8 && random.below(6) == 0 {
                now = now.max(turn) + 1;
                order.barrier(now);
            }
            let writes = random.below(3) == 0;
            let event = event(random.below(4), writes);
            let around = surroundings.draw(&mut random, (&event, &order), (turn, now));
            let shift = [0, 1, 2, 5, ONE_LANE][random.below(5)];
            let granules = if random.below(9) == 0 { 8 } else { 16 << random.below(2) };
            let last_lane = (granules - 1) >> shift;
            let lane = random.below(32 - last_lane as usize) as u8;
            let span = Span { index: 0, granules, lane, shift, many: random.below(4) == 0 };
            let start = random.below(4) * 16;
            each.split();
            let both = [&mut rows, &mut each].map(|page| page.plain_span(&around, &span, start, 0));
            assert_eq!(both[0], both[1], "whether something is to be said");
            done += u32::from(both[0]);
            by_rows += u32::from(
                matches!(rows.writes, LastAccesses::Rows(_)) | matches!(rows.reads, LastAccesses::Rows(_)),
            );
            assert_same(&rows, &each);
        }
    }
    assert!(by_rows > 500 && done > 4000, "{by_rows} by rows, {done} done");
}

/// Makes the same accesses to a page as rows with gaps, and granule by granule.
#[test]
fn a_row_with_gaps_says_what_its_granules_say() {
    let (mut random, surroundings) = (SplitMix64(5), Surroundings::default());
    let (mut done, mut refused) = (0, 0);
    for _ in 0..400 {
        let (mut whole, mut each) = (Page::default(), Page::default());
        let mut order = Order::default();
        let (mut turn, mut now) = (10, 10);
        order.begin(3, 4, turn, false);
        for step in 0..30 {
            if random.below(6) == 0 {
                now += 1;
                order.barrier(now);
            }
            if random.below(12) == 0 {
                (turn, now) = (now + 1, now + 1);
                order.begin(4 + step, 4, turn, false);
            }
            let writes = random.below(3) == 0;
            let event = event(random.below(4), writes);
            let around = surroundings.draw(&mut random, (&event, &order), (turn, now));
            let gaps = (random.next() & random.next()) as u32;
            let granules = 1 + random.below(32) as u32;
            let lane = random.below(33 - granules as usize) as u8;
            let span = Span { index: 0, granules, lane, shift: 0, many: false };
            let start = random.below(16);
            let by_granule = |page: &mut Page| {
                (0..granules).filter(|n| gaps >> n & 1 == 0).fold(true, |all, n| {
                    let one = Span { granules: 1, lane: lane + n as u8, ..span };
                    all & page.plain_span(&around, &one, start + n as usize, 0)
                })
            };
            let at_once = whole.plain_span(&around, &span, start, gaps);
            assert_eq!(by_granule(&mut each), at_once, "whether something is to be said");
            if !at_once {
                by_granule(&mut whole);
            }
            (done, refused) = (done + u32::from(at_once), refused + u32::from(!at_once));
            assert_same(&whole, &each);
        }
    }
    assert!(done > 2000 && refused > 500, "{done} done, {refused} not");
}

/// Records what blocks write or read at once, and block by block.
#[test]
fn rows_by_blocks_say_what_rows_say() {
    let (mut random, surroundings) = (SplitMix64(9), Surroundings::default());
    for _ in 0..300 {
        let rows_per_block = 1 + random.below(7);
        let (first, writes) = (random.below(90), random.below(2) == 0);
        let start = if random.below(3) == 0 { random.below(ROWS) } else { 0 };
        let rows = start..if random.below(3) == 0 { start + random.below(ROWS - start) } else { ROWS };
        let (thread, shift, time) = (32 * random.below(4) as u32, [0, 1, 2][random.below(3)], 20);
        let (mut at_once, mut by_turns) = (Page::default(), Page::default());
        for (n, row) in rows.clone().enumerate() {
            let (block, its) = ((first + n) / rows_per_block, (first + n) % rows_per_block);
            let now = time + block as u32;
            let (event, mut order) = (event(0, writes), Order::default());
            order.begin(block as u64, 4, now, false);
            let around = surroundings.draw(&mut random, (&event, &order), (now, now));
            let here = CheckedAccess { site: 3, ..around.here };
            let around = GlobalAccess { here, blocks_isolated: true, ..around };
            let span = PageSpan::of_threads(&around, thread + ((its as u32 * ROW as u32) >> shift), shift);
            assert!(match writes {
                true => by_turns.write_rows(&span, row..row + 1),
                false => by_turns.read_unread_rows(&span, row..row + 1),
            });
        }
        let by_blocks = RowsByBlocks {
            time,
            thread,
            shift,
            site: 3,
            rows_per_block: rows_per_block as u32,
            first: first as u32,
        };
        assert!(at_once.is_untouched(rows.clone()));
        let kind = if writes { AccessKind::Write } else { AccessKind::Read };
        at_once.record(kind, rows.clone(), by_blocks);
        assert_eq!(at_once.is_untouched(rows.clone()), rows.is_empty());
        assert_same(&at_once, &by_turns);
    }
}
