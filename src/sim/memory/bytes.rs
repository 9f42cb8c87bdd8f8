//! Sets of a buffer's bytes, such as those written or those touched by a launch.

use super::zeroed::Zeroed;
use std::ops::Range;

/// Words per part.
const PART: usize = 1 << 15;
/// Words from which on a set is divided into parts.
const LARGE: usize = 1 << 20;

/// A set of bytes of one buffer: one bit per byte.
///
/// The cost of a few bytes of a large buffer depends on how far apart they are, not on the size of the buffer.
#[derive(Debug, Default)]
pub struct ByteSet {
    bits: Zeroed<u32>,
    /// The range of words that may be non-zero: the first, and one past the last.
    first: usize,
    end: usize,
    /// For a large set: for each part of [`PART`] words, whether it may be non-zero.
    parts: Vec<bool>,
}

impl Clone for ByteSet {
    fn clone(&self) -> ByteSet {
        // Zeroed pages come from the system untouched, and stay so where the set is empty.
        let (first, end, parts) = (self.first, self.end, self.parts.clone());
        let mut set = ByteSet { bits: room(self.bits.len()), first, end, parts };
        for range in self.held(self.window()) {
            if let (Some(to), Some(from)) = (set.bits.get_mut(range.clone()), self.bits.get(range)) {
                to.copy_from_slice(from);
            }
        }
        set
    }
}

impl PartialEq for ByteSet {
    fn eq(&self, other: &ByteSet) -> bool {
        let same = |range: Range<usize>| self.bits.get(range.clone()) == other.bits.get(range);
        self.bits.len() == other.bits.len()
            && self.held(self.window()).all(same)
            && other.held(other.window()).all(same)
    }
}

impl Eq for ByteSet {}

fn room(words: usize) -> Zeroed<u32> {
    // The buffer itself has eight times as many bytes: there are addresses for this too.
    Zeroed::new(words).unwrap_or_default()
}

/// Returns a mask of the `count` lowest bits, at most 32.
fn low(count: u64) -> u32 {
    if count >= 32 { u32::MAX } else { (1 << count) - 1 }
}

/// Returns how many words there are before the first one that is not `value`.
fn run_of(words: &[u32], value: u32) -> usize {
    const MANY: usize = 32;
    // All of a chunk are compared before any is decided on, many at a time.
    let is_run = |words: &[u32]| words.iter().fold(0, |differs, word| differs | (word ^ value)) == 0;
    let whole = words.chunks_exact(MANY).take_while(|words| is_run(words)).count() * MANY;
    whole + words[whole..].iter().take_while(|word| **word == value).count()
}

/// For each number of eight bits: each of the bits four times.
const EACH_FOUR_TIMES: [u32; 256] = {
    let mut table = [0u32; 256];
    let (mut number, mut bit) = (0, 0);
    while number < 256 {
        if number >> bit & 1 != 0 {
            table[number] |= 0xf << (4 * bit);
        }
        (number, bit) = if bit == 7 { (number + 1, 0) } else { (number, bit + 1) };
    }
    table
};

/// Returns where a set keeps the bytes of some of 32 words of a buffer, those from word `word` on whose bits are set: the
/// numbers of the set's own words, and the bits in each.
fn some_words(word: usize, words: u32) -> impl Iterator<Item = (usize, u32)> {
    let bits = (u64::from(words) << (word % 8)).to_le_bytes();
    let masks = bits.into_iter().map(|eight| EACH_FOUR_TIMES[usize::from(eight)]);
    masks.enumerate().filter(|(_, mask)| *mask != 0).map(move |(n, mask)| (word / 8 + n, mask))
}

impl ByteSet {
    /// Creates an empty set with room for the first `bytes` bytes.
    pub fn new(bytes: u64) -> ByteSet {
        let words = bytes.div_ceil(32) as usize;
        let parts = if words >= LARGE { vec![false; words.div_ceil(PART)] } else { Vec::new() };
        ByteSet { bits: room(words), first: words, end: 0, parts }
    }

    /// Creates the set of the first `bytes` bytes.
    pub fn all(bytes: u64) -> ByteSet {
        let mut set = ByteSet::new(bytes);
        set.insert(0, bytes);
        set
    }

    /// Returns the range of words that may be non-zero.
    fn window(&self) -> Range<usize> {
        self.first.min(self.end)..self.end
    }

    /// Returns whether a word may be non-zero, judging by its part.
    fn may_hold(&self, word: usize) -> bool {
        self.parts.get(word / PART).copied().unwrap_or(true)
    }

    /// Returns the subranges of a range of words that may be non-zero.
    fn held(&self, words: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut at = words.start;
        std::iter::from_fn(move || {
            while at < words.end && !self.may_hold(at) {
                at = (at / PART + 1) * PART;
            }
            let start = at;
            if self.parts.is_empty() {
                at = words.end;
            }
            while at < words.end && self.may_hold(at) {
                at = (at / PART + 1) * PART;
            }
            (start < words.end).then(|| start..at.min(words.end))
        })
    }

    /// Returns the words that may be non-zero in both sets, with their intersection.
    fn common<'a>(&'a self, other: &'a ByteSet) -> impl Iterator<Item = (usize, u32)> + 'a {
        let first = self.first.max(other.first);
        let end = self.end.min(other.end).max(first);
        let words = |set: &'a ByteSet, range: Range<usize>| set.bits.get(range).unwrap_or_default();
        self.held(first..end).flat_map(move |range| {
            let start = range.start;
            let pairs = words(self, range.clone()).iter().zip(words(other, range));
            pairs.enumerate().map(move |(n, (a, b))| (start + n, a & b))
        })
    }

    /// Extends the range of words that may be non-zero by `first..end`.
    #[inline(always)]
    fn widen(&mut self, first: usize, end: usize) {
        self.first = self.first.min(first);
        self.end = self.end.max(end);
        if !self.parts.is_empty() {
            self.hold(first, end);
        }
    }

    fn hold(&mut self, first: usize, end: usize) {
        let parts = self.parts.len();
        if first < end {
            self.parts[(first / PART).min(parts)..end.div_ceil(PART).min(parts)].fill(true);
        }
    }

    /// Adds `count` aligned 4-byte words of the buffer from word `word` on. Returns whether any of their bytes was
    /// in the set.
    #[inline(always)]
    pub(crate) fn insert_words(&mut self, word: usize, count: usize) -> bool {
        let (mut word, end) = (word, word + count);
        self.widen(word / 8, end.div_ceil(8));
        let mut known = 0;
        while word < end {
            let bits = &mut self.bits[word / 8];
            if word % 8 == 0 && end - word >= 8 {
                known |= *bits;
                *bits = u32::MAX;
                word += 8;
            } else {
                let mask = 0xf << (word % 8 * 4);
                known |= *bits & mask;
                *bits |= mask;
                word += 1;
            }
        }
        known != 0
    }

    /// Adds those of the 32 aligned 4-byte words from word `word` on whose bits are set. Returns whether any of their bytes
    /// was in the set.
    pub(crate) fn insert_some_words(&mut self, word: usize, words: u32) -> bool {
        let end = word + (u32::BITS - words.leading_zeros()) as usize;
        self.widen(word / 8, end.div_ceil(8));
        some_words(word, words).fold(false, |known, (n, mask)| {
            let bits = &mut self.bits[n];
            let any = *bits & mask != 0;
            *bits |= mask;
            known | any
        })
    }

    /// Returns whether all bytes of those words ([`ByteSet::insert_some_words`]) are in the set.
    pub(crate) fn contains_words(&self, word: usize, words: u32) -> bool {
        some_words(word, words).all(|(n, mask)| self.bits.get(n).is_some_and(|bits| bits & mask == mask))
    }

    /// Returns whether `count` bytes from `byte` are outside the range where members may be.
    #[inline(always)]
    pub(crate) fn is_far_from(&self, byte: u64, count: u64) -> bool {
        self.first >= self.end || byte + count <= self.first as u64 * 32 || byte >= self.end as u64 * 32
    }

    /// Adds `count` bytes from `byte`; those past the set's room are ignored.
    pub fn insert(&mut self, byte: u64, count: u64) {
        self.change(byte, count, |bits, mask| *bits |= mask);
    }

    /// Removes `count` bytes from `byte`.
    pub fn remove(&mut self, byte: u64, count: u64) {
        self.change(byte, count, |bits, mask| *bits &= !mask);
    }

    fn change(&mut self, byte: u64, count: u64, act: impl Fn(&mut u32, u32)) {
        let end = byte.saturating_add(count).min(self.bits.len() as u64 * 32);
        if byte >= end {
            return;
        }
        self.widen((byte / 32) as usize, end.div_ceil(32) as usize);
        let mut at = byte;
        while at < end {
            let n = (32 - at % 32).min(end - at);
            act(&mut self.bits[(at / 32) as usize], low(n) << (at % 32));
            at += n;
        }
    }

    /// Returns whether all `count` bytes from `byte` are in the set.
    #[inline(always)]
    pub fn contains(&self, byte: u64, count: u64) -> bool {
        let within = byte % 32;
        if count < 32 && within + count <= 32 {
            let mask = ((1u32 << count) - 1) << within;
            return self.bits.get((byte / 32) as usize).is_some_and(|w| w & mask == mask) || count == 0;
        }
        self.contains_range(byte, byte.saturating_add(count))
    }

    /// Returns whether all bytes from `first` to before `end` are in the set; there is one at least.
    fn contains_range(&self, first: u64, end: u64) -> bool {
        let numbers = (first / 32) as usize..=((end - 1) / 32) as usize;
        let Some([head, rest @ ..]) = self.bits.get(numbers) else { return false };
        let (before, after) = (low(first % 32), !low((end - 1) % 32 + 1));
        match rest {
            [] => head | before | after == u32::MAX,
            [whole @ .., tail] => {
                let is_in = head | before == u32::MAX && tail | after == u32::MAX;
                is_in && run_of(whole, u32::MAX) == whole.len()
            }
        }
    }

    /// Returns whether the set has room for no byte.
    pub(crate) fn has_no_room(&self) -> bool {
        self.bits.is_empty()
    }

    /// Returns whether the set has no members.
    pub fn is_empty(&self) -> bool {
        let empty = |range: Range<usize>| self.bits.get(range).unwrap_or_default().iter().all(|&b| b == 0);
        self.held(self.window()).all(empty)
    }

    /// Returns whether the two sets share a byte.
    pub fn intersects(&self, other: &ByteSet) -> bool {
        self.common(other).any(|(_, both)| both != 0)
    }

    /// Returns whether all bytes of this set are in the other.
    pub fn is_subset(&self, other: &ByteSet) -> bool {
        let word = |set: &ByteSet, n: usize| set.bits.get(n).copied().unwrap_or(0);
        self.held(self.window()).flatten().all(|n| word(self, n) & !word(other, n) == 0)
    }

    /// Returns the first byte that is in both sets.
    pub fn first_common(&self, other: &ByteSet) -> Option<u64> {
        let (word, both) = self.common(other).find(|(_, both)| *both != 0)?;
        Some(word as u64 * 32 + both.trailing_zeros() as u64)
    }

    /// Returns the first byte of `range` that is in the set.
    pub fn first_in(&self, range: Range<u64>) -> Option<u64> {
        let first = range.start.max(self.first as u64 * 32);
        let end = range.end.min(self.end as u64 * 32);
        if first >= end {
            return None;
        }
        let number = (first / 32) as usize;
        let word = self.bits.get(number).copied().unwrap_or(0) >> (first % 32);
        let found = if word != 0 {
            first + u64::from(word.trailing_zeros())
        } else {
            let mut held = self.held(number + 1..end.div_ceil(32) as usize);
            held.find_map(|range| {
                let words = self.bits.get(range.clone())?;
                let zeros = run_of(words, 0);
                Some((range.start + zeros) as u64 * 32 + u64::from(words.get(zeros)?.trailing_zeros()))
            })?
        };
        Some(found).filter(|&byte| byte < end)
    }

    /// Returns the set's maximal ranges of consecutive bytes, in order.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.ranges_in(0..u64::MAX)
    }

    /// Returns the set's maximal ranges of consecutive bytes within `range`, in order.
    pub fn ranges_in(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let room = range.end.min(self.bits.len() as u64 * 32);
        let mut at = range.start;
        std::iter::from_fn(move || {
            let start = self.first_in(at..room)?;
            let number = (start / 32) as usize;
            let gap = !self.bits[number] >> (start % 32);
            let end = if gap != 0 {
                start + u64::from(gap.trailing_zeros())
            } else {
                let words = &self.bits[number + 1..];
                let full = run_of(words, u32::MAX);
                let more = words.get(full).map_or(0, |word| word.trailing_ones());
                (number + 1 + full) as u64 * 32 + u64::from(more)
            };
            at = end.min(room);
            Some(start..at)
        })
    }

    /// Adds the bytes of `other`, as far as there is room.
    pub fn join(&mut self, other: &ByteSet) {
        let window = other.window();
        let window = window.start..window.end.min(self.bits.len());
        if window.is_empty() {
            return;
        }
        for range in other.held(window) {
            self.widen(range.start, range.end);
            for (a, b) in self.bits[range.clone()].iter_mut().zip(&other.bits[range]) {
                *a |= b;
            }
        }
    }

    /// Copies membership: bytes `at .. at + count` are afterwards in this set if the bytes of `from` from
    /// `from_at` on are in that one; bytes past `from`'s room are not.
    pub fn copy(&mut self, at: u64, from: &ByteSet, from_at: u64, count: u64) {
        let word = |n: u64| from.bits.get(n as usize).copied().unwrap_or(0);
        let end = at.saturating_add(count).min(self.bits.len() as u64 * 32);
        if at >= end {
            return;
        }
        self.widen((at / 32) as usize, end.div_ceil(32) as usize);
        let mut to = at;
        while to < end {
            let n = (32 - to % 32).min(end - to);
            let source = from_at + (to - at);
            let shift = source % 32;
            let pair = word(source / 32) as u64 | (word(source / 32 + 1) as u64) << 32;
            let bits = (pair >> shift) as u32 & low(n);
            let mask = low(n) << (to % 32);
            let slot = &mut self.bits[(to / 32) as usize];
            *slot = *slot & !mask | bits << (to % 32);
            to += n;
        }
    }

    /// Returns the byte after the last one in the set, or 0 if it is empty.
    pub fn end(&self) -> u64 {
        let window = self.window();
        let words = self.bits.get(window.clone()).unwrap_or_default();
        let last = words.iter().rposition(|&word| word != 0);
        last.map_or(0, |n| ((window.start + n) as u64 + 1) * 32 - u64::from(words[n].leading_zeros()))
    }

    /// Returns a range of bytes that contains the whole set.
    pub fn bounds(&self) -> Range<u64> {
        let window = self.window();
        window.start as u64 * 32..window.end as u64 * 32
    }

    /// Returns whether any aligned 32-byte granule that overlaps bytes `first..end` has a member.
    pub(crate) fn intersects_range(&self, first: u64, end: u64) -> bool {
        let words = (first / 32).min(self.bits.len() as u64)..end.div_ceil(32).min(self.bits.len() as u64);
        let any = |range: Range<usize>| self.bits.get(range).unwrap_or_default().iter().any(|&b| b != 0);
        self.held(words.start as usize..words.end as usize).any(any)
    }

    /// Returns whether the first `bytes` bytes are all in the set.
    pub fn is_full(&self, bytes: u64) -> bool {
        let whole = (bytes / 32) as usize;
        let rest = bytes % 32;
        self.bits[..whole].iter().all(|&b| b == u32::MAX)
            && (rest == 0 || self.bits[whole] & low(rest) == low(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(bytes: u64, members: &[u64]) -> ByteSet {
        let mut set = ByteSet::new(bytes);
        for &m in members {
            set.insert(m, 1);
        }
        set
    }

    #[test]
    fn ranges_are_the_stretches() {
        let mut s = set(200, &[0, 1, 2, 31, 32, 33, 64]);
        s.insert(96, 70);
        let ranges: Vec<_> = s.ranges().collect();
        assert_eq!(ranges, [0..3, 31..34, 64..65, 96..166]);
        assert_eq!(s.end(), 166);
        s.remove(64, 100);
        assert_eq!((s.end(), s.ranges().last()), (166, Some(164..166)));
        s.remove(164, 2);
        assert_eq!(s.end(), 34);
        assert!(ByteSet::all(64).ranges().eq(std::iter::once(0..64)));
        assert_eq!((ByteSet::all(60).end(), ByteSet::new(64).end()), (60, 0));
        assert_eq!(ByteSet::new(64).ranges().count(), 0);
    }

    #[test]
    fn some_of_32_words_are_added_like_their_bytes() {
        let mut words = 1u32;
        for first in 0..200 {
            words = words.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let before = set(1024, &[4 * u64::from(words % 97), 150, 151, 152, 153]);
            let chosen = || (0..32u64).filter(|n| words >> n & 1 != 0).map(|n| 4 * (first + n));
            let (mut one, mut each) = (before.clone(), before);
            let known = chosen().any(|at| (at..at + 4).any(|byte| one.contains(byte, 1)));
            assert_eq!(one.contains_words(first as usize, words), chosen().all(|at| one.contains(at, 4)));
            assert_eq!(one.insert_some_words(first as usize, words), known, "{words:x} from {first}");
            chosen().for_each(|at| each.insert(at, 4));
            assert!(one == each, "{words:x} from {first}");
            assert!(one.contains_words(first as usize, words));
        }
    }

    #[test]
    fn a_copy_carries_members_at_any_offset() {
        let members = [0, 3, 5, 31, 32, 40, 63, 64, 70];
        let from = set(96, &members);
        for at in [0u64, 1, 7, 31, 32, 33] {
            for from_at in [0u64, 1, 30, 33] {
                for count in [0u64, 1, 31, 32, 33, 60] {
                    let mut to = ByteSet::all(128);
                    to.copy(at, &from, from_at, count);
                    for b in 0..128 {
                        let copied = b >= at && b < at + count;
                        let want = !copied || members.contains(&(from_at + b - at));
                        assert_eq!(to.contains(b, 1), want, "byte {b}: {count} from {from_at} to {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn insert_and_remove_keep_to_their_bytes() {
        let mut s = ByteSet::new(100);
        s.insert(30, 40);
        s.remove(40, 5);
        assert_eq!(s.ranges().collect::<Vec<_>>(), [30..40, 45..70]);
        assert!(!s.is_full(100) && ByteSet::all(100).is_full(100));
        s.insert(90, u64::MAX);
        assert!(s.contains(127, 1) && !s.contains(128, 1));
    }

    #[test]
    fn the_first_common_byte_is_found() {
        assert_eq!(set(99, &[3, 40, 70]).first_common(&set(99, &[4, 41, 70])), Some(70));
        assert_eq!(set(99, &[3]).first_common(&set(99, &[4])), None);
        assert_eq!(set(99, &[3, 70]).first_in(4..70), None);
        assert_eq!(set(99, &[3, 70]).first_in(4..71), Some(70));
    }

    #[test]
    fn large_sets_are_looked_at_where_they_hold_something() {
        let bytes = 8u64 << 30;
        let mut set = ByteSet::new(bytes);
        assert!(set.is_empty() && !set.is_full(bytes));
        set.insert(3, 2);
        set.insert(bytes / 2 - 1, 3);
        set.insert(bytes - 1, 1);
        let (clone, mut joined) = (set.clone(), ByteSet::new(bytes));
        joined.insert(7, 1);
        joined.join(&set);
        assert!(clone == set && joined != set && joined.intersects(&set));
        let middle = bytes / 2 - 1..bytes / 2 + 2;
        let all: Vec<_> = joined.ranges().collect();
        assert_eq!(all, [3..5, 7..8, middle.clone(), bytes - 1..bytes]);
        assert_eq!(set.first_in(5..bytes), Some(middle.start));
        assert_eq!(set.first_in(middle.end..bytes - 1), None);
        assert!(set.intersects_range(4, 5) && !set.intersects_range(1 << 20, 1 << 30));
        joined.remove(3, 5);
        assert_eq!(joined.first_common(&set), Some(middle.start));
    }

    #[test]
    fn subsets_may_have_less_room() {
        let (small, large) = (set(200, &[100]), set(500, &[100, 400]));
        assert!(small.is_subset(&large) && small.is_subset(&small) && !large.is_subset(&small));
        assert!(!set(500, &[101]).is_subset(&large) && set(500, &[]).is_subset(&small));
        let far = set(1 << 26, &[100, 1 << 25]);
        assert!(small.is_subset(&far) && !far.is_subset(&large));
    }

    #[test]
    fn equality_is_of_members() {
        let mut a = set(500, &[100]);
        a.insert(400, 8);
        a.remove(400, 8);
        let b = set(500, &[100]);
        assert_eq!(a, b);
        assert_eq!(a.clone(), b.clone());
        assert_ne!(a, set(500, &[101]));
        assert_ne!(set(500, &[]), b);
        assert_eq!(set(500, &[]), ByteSet::new(500));
    }
}
