//! The shape of a warp's access: the lanes' addresses relative to the first active lane's. Properties that are
//! costly to compute (range, runs, sectors, bank conflicts, distinct words) depend on the shape alone, and an
//! instruction nearly always repeats its shape, so they are computed once and found again by comparison.

mod cache;
#[cfg(test)]
mod tests;

pub use cache::ShapeCache;

use super::super::lanes::{FULL, LANES, Lanes64, lanes_of};

/// A run of consecutive lanes whose addresses rise evenly by 0 bytes or by the access's width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub lane: u8,
    pub lanes: u8,
    /// Whether the addresses rise by the access's width; otherwise all lanes share one address.
    pub rising: bool,
    /// Byte offset of the first lane's address.
    pub offset: i32,
}

/// Consecutive granules of memory that the access touches, and the lanes that touch them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Index of the first granule, relative to the one at the first active lane's address.
    pub index: i32,
    pub granules: u32,
    /// The lowest lane that touches the first granule.
    pub lane: u8,
    /// Granule `n` is touched by lane `lane + (n >> shift)`; for [`ONE_LANE`], all of them by `lane`.
    pub shift: u8,
    /// Whether several lanes touch each of them.
    pub many: bool,
}

/// The [`Span::shift`] of a span that one lane touches.
pub const ONE_LANE: u8 = 31;

impl Span {
    /// Returns whether `next` continues this span: its granules follow, with the lowest lanes that touch them.
    fn is_continued_by(&self, next: &Span) -> bool {
        let follows = self.index + self.granules as i32 == next.index && self.many == next.many;
        let lane = u32::from(self.lane) + (self.granules >> self.shift);
        let whole = self.shift == ONE_LANE || self.granules & ((1 << self.shift) - 1) == 0;
        follows && self.shift == next.shift && whole && lane == u32::from(next.lane)
    }
}

/// Returns the stretches of successive ones in a word: the lowest bit of each, and its length.
fn stretches_of_ones(bits: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut rest = bits;
    std::iter::from_fn(move || {
        let first = rest.trailing_zeros();
        let length = (rest.checked_shr(first)?).trailing_ones();
        rest &= u32::MAX.checked_shl(first + length).unwrap_or(0);
        Some((first, length))
    })
}

/// Returns how many of the groups of successive bits of a word, 2 to the power of `exponent` in each, have ones in them.
#[inline(always)]
fn count_groups_with_ones(bits: u64, exponent: u32) -> u8 {
    /// The lowest bit of each group, by the exponent.
    const LOWEST: [u64; 7] = [
        u64::MAX,
        u64::MAX / 3,
        u64::MAX / 0xf,
        u64::MAX / 0xff,
        u64::MAX / 0xffff,
        u64::MAX / 0xffff_ffff,
        1,
    ];
    // The lowest bit of each group becomes the disjunction of its bits.
    let mut sum = bits;
    for step in 0..exponent {
        sum |= sum >> (1 << step);
    }
    (sum & LOWEST[exponent as usize]).count_ones() as u8
}

/// Size of a cache line in bytes.
const LINE: u64 = 128;

/// Most runs for which an access is performed run by run.
pub const MAX_RUNS: usize = 4;

/// The lanes' addresses relative to the first active lane's, and what is derived from them.
#[derive(Clone, Debug)]
pub struct Shape {
    mask: u32,
    /// Address minus the first active lane's; zero for inactive lanes.
    pub offsets: Lanes64,
    /// Bytes each lane accesses.
    pub width: u32,
    /// Smallest and largest offset.
    pub low: i64,
    pub high: i64,
    /// All offsets are multiples of this power of two (up to 32).
    pub alignment: u32,
    /// Whether the offsets fit 31 bits; the fields below are valid only then.
    pub compact: bool,
    runs: [Run; MAX_RUNS],
    run_count: u8,
    /// Number of sectors, by the first lane's address modulo 32; 0: not counted yet.
    sectors: [u8; 32],
    /// Number of wavefronts of shared memory; 0: not counted yet.
    wavefronts: u8,
    /// Number of cache lines, by the first lane's address modulo 128; 0: not counted yet.
    lines: [u8; LINE as usize],
    /// Each active lane begins at or after the end of the active lane before it: the usual case, in which nothing needs to be
    /// sorted or searched.
    ascending: bool,
    /// Whether the active lanes access elements of a row, each the one that is as many elements after the first active
    /// lane's as the lane is lanes after that one. Elements of lanes between them that are not active are left out.
    is_row: bool,
    /// Whether lanes share bytes; `None`: not determined yet.
    overlaps: Option<bool>,
    spans: Vec<Span>,
    granule_bytes: u32,
}

impl Shape {
    pub fn new(width: u32) -> Shape {
        Shape {
            mask: 0,
            offsets: [0; LANES],
            width,
            low: 0,
            high: 0,
            alignment: 1,
            compact: false,
            runs: [Run::default(); MAX_RUNS],
            run_count: 0,
            sectors: [0; 32],
            wavefronts: 0,
            lines: [0; LINE as usize],
            ascending: false,
            is_row: false,
            overlaps: None,
            spans: Vec::new(),
            granule_bytes: 0,
        }
    }

    /// Returns the shape of the lanes of `mask` at addresses that differ from the first one's by `offsets`.
    pub fn of(offsets: &Lanes64, mask: u32, width: u32) -> Shape {
        let mut shape = Shape::new(width);
        shape.learn(offsets, mask, 0);
        shape
    }

    /// Returns the lanes that make the access.
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// Returns whether this is the shape of `addresses` in the lanes of `mask`, the first of which is at `first`.
    #[inline(always)]
    fn fits(&self, addresses: &Lanes64, mask: u32, first: u64) -> bool {
        let mut differs = 0u64;
        let pairs = addresses.iter().zip(&self.offsets);
        if mask == FULL {
            for (address, offset) in pairs {
                differs |= address.wrapping_sub(first) ^ offset;
            }
        } else {
            for (lane, (address, offset)) in pairs.enumerate() {
                let active = 0u64.wrapping_sub((mask >> lane & 1) as u64);
                differs |= (address.wrapping_sub(first) & active) ^ offset;
            }
        }
        differs == 0 && mask == self.mask
    }

    #[inline(never)]
    fn learn(&mut self, addresses: &Lanes64, mask: u32, first: u64) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[target_feature(enable = "avx2")]
            fn wide(shape: &mut Shape, addresses: &Lanes64, mask: u32, first: u64) {
                shape.learn_inline(addresses, mask, first);
            }
            // SAFETY: the processor has AVX2.
            return unsafe { wide(self, addresses, mask, first) };
        }
        self.learn_inline(addresses, mask, first);
    }

    #[inline(always)]
    fn learn_inline(&mut self, addresses: &Lanes64, mask: u32, first: u64) {
        self.mask = mask;
        let (mut low, mut high, mut bits, mut differs) = (0i64, 0i64, 0u64, 0u64);
        let mut element = 0u64.wrapping_sub(u64::from(mask.trailing_zeros()) * u64::from(self.width));
        for (lane, (address, slot)) in addresses.iter().zip(&mut self.offsets).enumerate() {
            let active = 0u64.wrapping_sub((mask >> lane & 1) as u64);
            let offset = address.wrapping_sub(first) & active;
            *slot = offset;
            low = low.min(offset as i64);
            high = high.max(offset as i64);
            bits |= offset;
            differs |= (offset ^ element) & active;
            element = element.wrapping_add(u64::from(self.width));
        }
        (self.low, self.high) = (low, high);
        self.alignment = 1 << bits.trailing_zeros().min(5);
        self.compact = low >= -(1 << 30) && high < 1 << 30;
        self.sectors = [0; 32];
        self.wavefronts = 0;
        self.lines = [0; LINE as usize];
        self.granule_bytes = 0;
        self.is_row = differs == 0 && self.compact;
        self.ascending = self.is_row || self.compact && self.is_ascending();
        self.overlaps = self.ascending.then_some(false);
        self.find_runs();
    }

    /// If the active lanes access elements of a row: which elements, one bit each, counted from the first active lane's.
    #[inline(always)]
    pub fn row(&self) -> Option<u32> {
        self.is_row.then(|| self.mask.checked_shr(self.mask.trailing_zeros()).unwrap_or(0))
    }

    fn is_ascending(&self) -> bool {
        let mut end = i64::MIN;
        lanes_of(self.mask).all(|lane| {
            let start = self.offsets[lane] as i64;
            let after = start >= end;
            end = start + self.width as i64;
            after
        })
    }

    fn find_runs(&mut self) {
        self.run_count = 0;
        if !self.compact || self.mask == 0 {
            return;
        }
        if self.is_row {
            return self.find_runs_of_row();
        }
        let width = self.width as i64;
        let mut lane = 0;
        while lane < LANES {
            if self.mask >> lane & 1 == 0 {
                lane += 1;
                continue;
            }
            let start = self.offsets[lane] as i64;
            let active = |l: usize| l < LANES && self.mask >> l & 1 != 0;
            let rising = active(lane + 1) && self.offsets[lane + 1] as i64 - start == width;
            let step = if rising { width } else { 0 };
            let mut end = lane + 1;
            while active(end) && self.offsets[end] as i64 == start + step * (end - lane) as i64 {
                end += 1;
            }
            if self.run_count as usize == MAX_RUNS {
                self.run_count = MAX_RUNS as u8 + 1;
                return;
            }
            self.runs[self.run_count as usize] =
                Run { lane: lane as u8, lanes: (end - lane) as u8, rising, offset: start as i32 };
            self.run_count += 1;
            lane = end;
        }
    }

    fn find_runs_of_row(&mut self) {
        let start = self.mask.trailing_zeros();
        let count = (self.mask & !(self.mask << 1)).count_ones() as usize;
        self.run_count = count.min(MAX_RUNS + 1) as u8;
        if count > MAX_RUNS {
            return;
        }
        for (run, (first, lanes)) in self.runs.iter_mut().zip(stretches_of_ones(self.mask)) {
            let offset = ((first - start) * self.width) as i32;
            *run = Run { lane: first as u8, lanes: lanes as u8, rising: lanes > 1, offset };
        }
    }

    /// Returns the runs of lanes, if there are at most [`MAX_RUNS`].
    #[inline(always)]
    pub fn runs(&self) -> Option<&[Run]> {
        self.runs.get(..self.run_count as usize)
    }

    /// Returns whether two lanes touch the same bytes.
    #[inline(always)]
    pub fn overlaps(&mut self) -> bool {
        match self.overlaps {
            Some(known) => known,
            None => self.find_overlap(),
        }
    }

    #[inline(never)]
    fn find_overlap(&mut self) -> bool {
        let (offsets, count) = self.sorted_offsets(self.mask);
        let found = offsets[..count].windows(2).any(|pair| pair[1] - pair[0] < self.width as i64);
        self.overlaps = Some(found);
        found
    }

    /// Returns the offsets of these lanes in ascending order, and how many there are.
    pub fn sorted_offsets(&self, mask: u32) -> ([i64; LANES], usize) {
        let mut offsets = [0; LANES];
        let mut count = 0;
        for lane in lanes_of(mask) {
            offsets[count] = self.offsets[lane] as i64;
            count += 1;
        }
        offsets[..count].sort_unstable();
        (offsets, count)
    }

    /// Returns the number of 32-byte sectors touched, when the first active lane's address is `first` (as `ncu`
    /// counts them: a request counts each sector once).
    #[inline(always)]
    pub fn sectors(&mut self, first: u64) -> u64 {
        match self.sectors[(first % 32) as usize] {
            0 => self.count_in_row(first, 32).map_or_else(|| self.count_sectors(first), u64::from),
            known => u64::from(known),
        }
    }

    #[inline(never)]
    fn count_sectors(&mut self, first: u64) -> u64 {
        let count = self.count_stretches(first, 32);
        self.sectors[(first % 32) as usize] = count;
        u64::from(count)
    }

    /// Returns the number of 128-byte lines touched, when the first active lane's address is `first`: the tags
    /// that the L1 cache looks up.
    #[inline(always)]
    pub fn lines(&mut self, first: u64) -> u64 {
        match self.lines[(first % LINE) as usize] {
            0 => self.count_in_row(first, LINE).map_or_else(|| self.count_lines(first), u64::from),
            known => u64::from(known),
        }
    }

    #[inline(never)]
    fn count_lines(&mut self, first: u64) -> u64 {
        let count = self.count_stretches(first, LINE);
        self.lines[(first % LINE) as usize] = count;
        u64::from(count)
    }

    /// Returns the number of distinct aligned granules of `bytes` bytes that the access touches.
    fn count_stretches(&self, first: u64, bytes: u64) -> u8 {
        if self.ascending {
            return self.count_ascending(first, bytes);
        }
        let mut seen = [0i64; LANES * 2];
        let (mut count, mut highest) = (0, i64::MIN);
        let (start, shift) = ((first % bytes) as i64, bytes.trailing_zeros());
        for lane in lanes_of(self.mask) {
            let from = start.wrapping_add(self.offsets[lane] as i64);
            for stretch in from >> shift..=from.wrapping_add(self.width as i64 - 1) >> shift {
                // Addresses mostly rise with the lane: a granule above all others need not be searched for.
                let new = stretch > highest || !seen[..count].contains(&stretch);
                if new && count < seen.len() {
                    seen[count] = stretch;
                    count += 1;
                    highest = highest.max(stretch);
                }
            }
        }
        count as u8
    }

    /// [`Shape::count_stretches`] of elements of a row, if they are aligned.
    #[inline(always)]
    fn count_in_row(&self, first: u64, bytes: u64) -> Option<u8> {
        let (row, width) = (self.row()?, u64::from(self.width));
        let is_aligned = (4..=16).contains(&width) && width.is_power_of_two() && first & (width - 1) == 0;
        if !is_aligned {
            return None;
        }
        let exponent = width.trailing_zeros();
        // At most 32 elements lie before the row's in the first stretch.
        let elements = u64::from(row) << ((first % bytes) >> exponent);
        Some(count_groups_with_ones(elements, bytes.trailing_zeros() - exponent))
    }

    /// [`Shape::count_stretches`] of lanes in ascending order: a stretch that differs from the last one is a new one.
    fn count_ascending(&self, first: u64, bytes: u64) -> u8 {
        if let Some(count) = self.count_in_row(first, bytes) {
            return count;
        }
        let (start, shift) = ((first % bytes) as i64, bytes.trailing_zeros());
        let (mut count, mut last) = (0, i64::MIN);
        for lane in lanes_of(self.mask) {
            let from = start + self.offsets[lane] as i64;
            let (low, high) = (from >> shift, (from + self.width as i64 - 1) >> shift);
            count += high - low + i64::from(low != last);
            last = high;
        }
        count as u8
    }

    /// Returns the number of wavefronts, passes over the 32 banks of 4 bytes: the most distinct words in any one
    /// bank (CUDA programming guide, shared memory; lanes that access the same word share it).
    #[inline(always)]
    pub fn wavefronts(&mut self, first: u64) -> u64 {
        if self.wavefronts != 0 && self.alignment >= 4 {
            self.wavefronts as u64
        } else {
            self.count_wavefronts(first)
        }
    }

    /// Returns the number of phases of the access: wide accesses of a whole warp are processed by halves and
    /// quarters of the warp (as `ncu` counts stores of 16 bytes), unless lanes share words.
    fn phases(&mut self) -> usize {
        let wide = matches!(self.width, 8 | 16) && self.mask == FULL;
        if wide && !self.overlaps() { self.width as usize / 4 } else { 1 }
    }

    #[inline(never)]
    fn count_wavefronts(&mut self, first: u64) -> u64 {
        let lanes = LANES / self.phases();
        let most =
            (0..LANES).step_by(lanes).map(|start| self.count_phase(first, start..start + lanes)).sum::<u64>();
        self.wavefronts = most as u8;
        most
    }

    fn count_phase(&self, first: u64, lanes: std::ops::Range<usize>) -> u64 {
        let mut words = [0i64; LANES * 5];
        let mut count = 0;
        let mut load = [0u8; 32];
        for lane in lanes {
            if self.mask >> lane & 1 == 0 {
                continue;
            }
            let from = (first % 128) as i64 + self.offsets[lane] as i64;
            for word in from.div_euclid(4)..=(from + self.width as i64 - 1).div_euclid(4) {
                if !words[..count].contains(&word) && count < words.len() {
                    words[count] = word;
                    count += 1;
                    load[word.rem_euclid(32) as usize] += 1;
                }
            }
        }
        load.into_iter().max().unwrap_or(1).max(1) as u64
    }

    /// Returns the number of wavefronts that the access would need without any bank conflict.
    #[inline(always)]
    pub fn least_wavefronts(&self) -> u64 {
        // Widths are powers of two.
        let shift = (128u32.trailing_zeros()).saturating_sub(self.width.max(4).trailing_zeros());
        self.mask.count_ones().div_ceil(1 << shift).max(1) as u64
    }

    /// Returns the distinct granules of `bytes` bytes, in rising order. Addresses must be multiples of the granule
    /// or of the access's width.
    #[inline(always)]
    pub fn spans(&mut self, bytes: u32) -> &[Span] {
        if self.granule_bytes != bytes {
            self.split_granules(bytes);
        }
        &self.spans
    }

    #[inline(never)]
    fn split_granules(&mut self, bytes: u32) {
        self.granule_bytes = bytes;
        self.spans.clear();
        if self.is_row && self.width == bytes {
            let start = self.mask.trailing_zeros();
            let span = |(first, granules): (u32, u32)| {
                let (index, lane) = ((first - start) as i32, first as u8);
                Span { index, granules, lane, shift: 0, many: false }
            };
            return self.spans.extend(stretches_of_ones(self.mask).map(span));
        }
        let each = self.width.div_ceil(bytes) as i32;
        let shift = if (each as u32).is_power_of_two() { each.trailing_zeros() as u8 } else { ONE_LANE };
        // Lanes by their first granule; the sort is stable, so the lowest lane comes first.
        let mut lanes: [(i32, u8); LANES] = [(0, 0); LANES];
        let mut count = 0;
        for lane in lanes_of(self.mask) {
            lanes[count] = ((self.offsets[lane] as i64).div_euclid(bytes as i64) as i32, lane as u8);
            count += 1;
        }
        let lanes = &mut lanes[..count];
        if !self.ascending && !lanes.is_sorted_by_key(|(index, _)| *index) {
            lanes.sort_by_key(|(index, _)| *index);
        }
        for &(start, lane) in lanes.iter() {
            // Granules that an earlier lane touches too become shared; the others are new.
            let end = self.spans.last().map_or(i32::MIN, |s| s.index + s.granules as i32);
            if start < end {
                self.share(start, end.min(start + each));
            }
            let fresh = start.max(end);
            if fresh < start + each {
                let whole = fresh == start;
                self.add_span(
                    fresh,
                    (start + each - fresh) as u32,
                    lane,
                    if whole { shift } else { ONE_LANE },
                );
            }
        }
    }

    fn add_span(&mut self, index: i32, granules: u32, lane: u8, shift: u8) {
        if let Some(last) = self.spans.last_mut()
            && !last.many
            && shift != ONE_LANE
            && last.shift == shift
            && index == last.index + last.granules as i32
            && lane as u32 == last.lane as u32 + (last.granules >> shift)
        {
            last.granules += granules;
            return;
        }
        self.spans.push(Span { index, granules, lane, shift, many: false });
    }

    /// Marks granules `from..to`, at the end of the spans, as touched by several lanes.
    fn share(&mut self, from: i32, to: i32) {
        let mut first = self.spans.len();
        while first > 0 && self.spans[first - 1].index + self.spans[first - 1].granules as i32 > from {
            first -= 1;
        }
        let tail: Vec<Span> = self.spans.drain(first..).collect();
        for span in tail {
            let (start, end) = (span.index, span.index + span.granules as i32);
            let (a, b) = (from.clamp(start, end), to.clamp(start, end));
            for (from, to, many) in [(start, a, span.many), (a, b, true), (b, end, span.many)] {
                if from >= to {
                    continue;
                }
                let piece = Span {
                    index: from,
                    granules: (to - from) as u32,
                    lane: span.lane + ((from - start) >> span.shift) as u8,
                    shift: span.shift,
                    many,
                };
                match self.spans.last_mut() {
                    Some(last) if many && last.is_continued_by(&piece) => last.granules += piece.granules,
                    _ => self.spans.push(piece),
                }
            }
        }
    }
}
