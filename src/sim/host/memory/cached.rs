//! A write-back cache of memory that GPUs share: while nothing else uses them, parts of pinned and managed
//! allocations lie in pages of the host thread's own, so that it reads and writes them as it does its heap.
//!
//! Bytes that were never written hold the mark meanwhile. Reading those is
//! [`FaultKind::Elsewhere`](super::FaultKind), as is any access that the cache does not cover, so that the
//! owner of the memory serves it.

use super::pages::{GRANULE_BYTES, InitialContents, PAGE_BITS, PAGE_BYTES};
use super::unwritten::marked;
use super::{HostMemory, UNWRITTEN};
use crate::memory::{GLOBAL_WINDOW, is_host_pageable};
use std::collections::BTreeMap;
use std::ops::Range;

/// The most bytes to cache at a time.
const MAX_BYTES: u64 = 32 << 20;
/// The most pages of the window that its page table may cover: 64 GiB.
const MAX_PAGES: u64 = 1 << 20;
/// The bytes that one mark covers.
const WORD_BYTES: usize = 4;

/// The parts that are cached.
#[derive(Debug, Default)]
pub struct Cached {
    /// What parts held when they were cached, by their first address.
    parts: BTreeMap<u64, Vec<u8>>,
    bytes: u64,
    /// Pages that contain parts, by page number.
    pages: BTreeMap<u64, CachedPage>,
    /// Segments whose pages were unmapped, to be reused.
    free: Vec<u32>,
}

#[derive(Debug)]
struct CachedPage {
    segment: u32,
    /// The number of parts in the page.
    parts: u32,
}

impl Cached {
    fn may_have(&self, address: u64) -> bool {
        !self.parts.is_empty() && !is_host_pageable(address)
    }

    fn overlapping(&self, range: &Range<u64>) -> Vec<u64> {
        let last_before = self.parts.range(..range.start).next_back();
        let reaches = |(start, held): &(&u64, &Vec<u8>)| **start + held.len() as u64 > range.start;
        let before = last_before.filter(reaches).into_iter();
        before.chain(self.parts.range(range.clone())).map(|(start, _)| *start).collect()
    }
}

impl HostMemory {
    /// Returns the page that contains an address: [`HostMemory::cache`] takes no part that spans two.
    pub fn page_around(address: u64) -> Range<u64> {
        let start = address & !(PAGE_BYTES - 1);
        start..start.saturating_add(PAGE_BYTES)
    }

    /// Caches a part of memory that is not the thread's own, with its contents; `unwritten` has the offsets of
    /// bytes that were never written. Returns whether the part is cached.
    pub fn cache(&mut self, start: u64, mut contents: Vec<u8>, unwritten: &[Range<u64>]) -> bool {
        let end = start.saturating_add(contents.len() as u64);
        let page = start >> PAGE_BITS;
        let fits = start.is_multiple_of(GRANULE_BYTES)
            && (GLOBAL_WINDOW >> PAGE_BITS..(GLOBAL_WINDOW >> PAGE_BITS) + MAX_PAGES).contains(&page)
            && end <= Self::page_around(start).end
            && self.cached.bytes + contents.len() as u64 <= MAX_BYTES
            && self.cached.overlapping(&(start..end)).is_empty();
        // The mark covers whole words only.
        let whole = |gap: &Range<u64>| (gap.start | gap.end).is_multiple_of(WORD_BYTES as u64);
        if !fits || contents.is_empty() || !unwritten.iter().all(whole) {
            return false;
        }
        let mut fill = |word: u32| {
            for gap in unwritten {
                let its = contents.get_mut(gap.start as usize..gap.end as usize).unwrap_or_default();
                its.chunks_exact_mut(WORD_BYTES).for_each(|to| to.copy_from_slice(&word.to_le_bytes()));
            }
            marked(start, &contents).next().is_some()
        };
        let looks_unwritten = fill(0);
        if looks_unwritten {
            return false;
        }
        fill(UNWRITTEN);
        if !self.cached.pages.contains_key(&page) {
            let reuse = self.cached.free.pop();
            let Some(segment) =
                self.pages.map(page << PAGE_BITS, PAGE_BYTES, InitialContents::Uninitialised, reuse)
            else {
                return false;
            };
            self.cached.pages.insert(page, CachedPage { segment, parts: 0 });
        }
        if let Some(its) = self.cached.pages.get_mut(&page) {
            its.parts += 1;
        }
        self.pages.open_with(start, &contents);
        self.cached.bytes += contents.len() as u64;
        self.cached.parts.insert(start, contents);
        true
    }

    /// Returns whether some of the bytes at an address are cached and were never written.
    #[inline]
    pub(super) fn lacks(&self, address: u64, bytes: u64) -> bool {
        self.cached.may_have(address) && self.bears_mark(address, bytes)
    }

    fn bears_mark(&self, address: u64, bytes: u64) -> bool {
        let each = WORD_BYTES as u64;
        let words = address / each * each;
        let end = address.saturating_add(bytes).next_multiple_of(each);
        let whole = self.pages.slice(words, end - words).map(|its| (words, its));
        let its = whole.or_else(|_| self.pages.slice(address, bytes).map(|its| (address, its)));
        its.is_ok_and(|(at, its)| marked(at, its).next().is_some())
    }

    /// Returns whether there is no room for another page's part.
    pub(in crate::host) fn cache_is_full(&self) -> bool {
        self.cached.bytes + PAGE_BYTES > MAX_BYTES
    }

    /// Evicts the parts that overlap a range. Returns the words that were changed, by their address.
    pub(in crate::host) fn evict(&mut self, range: Range<u64>) -> Vec<(u64, Vec<u8>)> {
        let mut changed = Vec::new();
        for start in self.cached.overlapping(&range) {
            let Some(before) = self.cached.parts.remove(&start) else { continue };
            let bytes = before.len() as u64;
            self.cached.bytes -= bytes;
            if let Ok(now) = self.pages.slice(start, bytes) {
                let runs = changed_words(&before, now);
                changed.extend(runs.map(|run| (start + run.start as u64, now[run].to_vec())));
            }
            self.pages.close(start, bytes);
            let page = start >> PAGE_BITS;
            if let Some(its) = self.cached.pages.get_mut(&page) {
                its.parts -= 1;
                if its.parts == 0 {
                    let segment = its.segment;
                    self.pages.unmap(segment);
                    self.cached.pages.remove(&page);
                    self.cached.free.push(segment);
                }
            }
        }
        changed
    }
}

/// Returns runs of words that differ, as ranges of bytes; the last word may be incomplete.
fn changed_words<'a>(before: &'a [u8], now: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
    const MANY: usize = 256;
    let mut at = 0;
    let differs = |at: usize| {
        let word = at..(at + WORD_BYTES).min(now.len());
        before[word.clone()] != now[word]
    };
    std::iter::from_fn(move || {
        while at < now.len() && !differs(at) {
            let many = at..(at + MANY).min(now.len());
            at += if before[many.clone()] == now[many.clone()] { many.len() } else { WORD_BYTES };
        }
        let start = at;
        while at < now.len() && differs(at) {
            at += WORD_BYTES;
        }
        (start < now.len()).then(|| start..at.min(now.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::super::FaultKind;
    use super::*;

    const AT: u64 = GLOBAL_WINDOW + 3 * PAGE_BYTES + 512;

    fn memory() -> HostMemory {
        HostMemory::new(&[], &[], 1 << 20, 1 << 16).unwrap()
    }

    #[test]
    fn what_is_written_comes_back_and_nothing_else() {
        let mut memory = memory();
        assert!(memory.cache(AT, (0..30).collect(), std::slice::from_ref(&(4..12))));
        assert!(!memory.cache(AT + 24, vec![0; 8], &[]), "kept already");
        memory.write(AT + 5, &[99]).unwrap();
        memory.write(AT + 29, &[98]).unwrap();
        memory.write(AT + 20, &[20]).unwrap();
        assert_eq!(memory.slice(AT + 4, 4).map(<[u8]>::len), Ok(4));
        for (at, bytes) in [(AT + 8, 4), (AT + 10, 1), (AT, 30)] {
            assert_eq!(memory.slice(at, bytes).unwrap_err().kind, FaultKind::Elsewhere);
        }
        let mark = UNWRITTEN.to_le_bytes();
        let word = vec![mark[0], 99, mark[2], mark[3]];
        assert_eq!(memory.evict(AT + 29..AT + 30), [(AT + 4, word), (AT + 28, vec![28, 98])]);
        assert_eq!(memory.slice(AT, 1).unwrap_err().kind, FaultKind::Elsewhere);
        assert_eq!(memory.evict(0..u64::MAX), []);
    }

    #[test]
    fn what_the_mark_cannot_say_is_not_kept() {
        let mut memory = memory();
        assert!(!memory.cache(AT, vec![0; 16], std::slice::from_ref(&(5..8))), "part of a word");
        assert!(!memory.cache(AT, UNWRITTEN.to_le_bytes().to_vec(), &[]), "a value that looks like it");
        assert!(!memory.cache(AT - 512 - 8, vec![0; 16], &[]), "of two pages");
        assert!(!memory.cache(GLOBAL_WINDOW + (MAX_PAGES << PAGE_BITS), vec![0; 8], &[]));
        assert!(memory.cache(AT, vec![0; 16], &[]) && memory.cache(AT + 256, vec![1; 16], &[]));
        assert_eq!(memory.evict(AT + 16..AT + 256), []);
        memory.write(AT, &[7]).unwrap();
        assert_eq!(memory.evict(AT..AT + 1), [(AT, vec![7, 0, 0, 0])]);
        assert_eq!(memory.slice(AT + 256, 16), Ok(&[1; 16][..]), "its page is still there");
    }

    #[test]
    fn runs_are_the_words_that_differ() {
        for (bytes, changes) in
            (0..14).flat_map(|bytes| (0..1u32 << bytes).map(move |changes| (bytes, changes)))
        {
            let before = vec![0u8; bytes];
            let now: Vec<u8> = (0..bytes).map(|n| (changes >> n & 1) as u8).collect();
            let differs = |word: usize| changes >> (word * WORD_BYTES) & 0xf != 0;
            let mut expected = vec![0u8; bytes];
            for word in (0..bytes.div_ceil(WORD_BYTES)).filter(|word| differs(*word)) {
                expected[word * WORD_BYTES..((word + 1) * WORD_BYTES).min(bytes)].fill(1);
            }
            let mut found = vec![0u8; bytes];
            let mut end = None;
            for run in changed_words(&before, &now) {
                assert!(!run.is_empty() && end.is_none_or(|end| end < run.start), "{bytes} {changes:b}");
                end = Some(run.end);
                found[run].fill(1);
            }
            assert_eq!(found, expected, "{bytes} {changes:b}");
        }
    }

    #[test]
    fn long_parts_are_compared_whole() {
        let before = vec![0; 3000];
        let mut now = before.clone();
        now[1027] = 1;
        now[2999] = 1;
        assert_eq!(changed_words(&before, &now).collect::<Vec<_>>(), [1024..1028, 2996..3000]);
    }
}
