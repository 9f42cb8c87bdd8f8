//! The lines of global memory that blocks on a path touch, of which a sample is recorded.

use super::compile::{CompiledPath, PathAccess};
use super::places::{AccessPlace, Addresses};
use crate::engine::observer::Observer;
use crate::kernel_code::{LINE_FACTOR, LINE_SHIFT, line_hash};
use crate::lanes::LANES;
use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

/// Binary logarithms of the sizes of a line and of a sector of global memory, in bytes.
const LINE_BITS: u32 = 7;
const SECTOR_BITS: u32 = 5;

/// How many lines are looked at together, and the densest sample for which that pays.
const TOGETHER: usize = 8;
const MIN_MASK: u64 = TOGETHER as u64 - 1;

/// What a batch of blocks accesses.
pub struct BatchLines<'b> {
    pub path: &'b CompiledPath,
    pub addresses: &'b Addresses,
    pub places: &'b [AccessPlace],
    pub blocks: usize,
}

/// The lines of the sample that an access touches in full, as far as they are not recorded yet.
struct LinesOfAccess {
    /// The first line that it touches.
    first: u64,
    /// Binary logarithm of the number of lines that a warp touches: an element has a power of two bytes.
    line_to_warp: u32,
    stores: bool,
    rest: Peekable<IntoIter<u64>>,
}

impl LinesOfAccess {
    /// Returns the warp that touches the next of them, counted through all blocks.
    fn next_warp(&mut self) -> Option<u64> {
        self.rest.peek().map(|line| (line - self.first) >> self.line_to_warp)
    }
}

impl BatchLines<'_> {
    /// Records the lines that belong to the sample, in the order in which the warps access them. `mask`:
    /// [`KernelContext::trace_mask`](crate::kernel_code::KernelContext::trace_mask). Returns its new value.
    pub fn note<O: Observer>(&self, observer: &mut O, mask: u64) -> u64 {
        if mask >= MIN_MASK && self.are_whole() {
            self.note_whole(observer, mask)
        } else {
            self.note_each(observer, mask)
        }
    }

    /// Returns whether each access is by all warps, and each warp touches whole lines, those after the lines of the warp before
    /// it.
    fn are_whole(&self) -> bool {
        let warps = 0..self.path.by_warp.len();
        let is_whole = |(access, place): (&PathAccess, &AccessPlace)| {
            let is_aligned = (place.range.start | bytes_of_warp(access)).is_multiple_of(1 << LINE_BITS);
            place.is_row && is_aligned && access.warps == warps
        };
        self.path.stretches.len() <= 1 && self.path.accesses.iter().zip(self.places).all(is_whole)
    }

    fn note_whole<O: Observer>(&self, observer: &mut O, mut mask: u64) -> u64 {
        let find = |(access, place): (&PathAccess, &AccessPlace)| {
            let lines = place.range.start >> LINE_BITS..place.range.end >> LINE_BITS;
            let mut found = Vec::new();
            find_sampled(lines.clone(), mask, &mut |line| found.push(line));
            LinesOfAccess {
                first: lines.start,
                line_to_warp: (bytes_of_warp(access) >> LINE_BITS).trailing_zeros(),
                stores: access.stores,
                rest: found.into_iter().peekable(),
            }
        };
        let mut accesses: Vec<LinesOfAccess> = self.path.accesses.iter().zip(self.places).map(find).collect();
        let sectors = 1 << (LINE_BITS - SECTOR_BITS);
        // Of those that the same warp touches, the first access's come first.
        while let Some((next, _)) = (0..accesses.len())
            .filter_map(|n| Some((n, accesses[n].next_warp()?)))
            .min_by_key(|(_, warp)| *warp)
        {
            let LinesOfAccess { rest, stores, .. } = &mut accesses[next];
            // A line that was recorded may have made the sample smaller.
            if let Some(line) = rest.next()
                && line_hash(line) & mask == 0
            {
                mask = observer.note_line(line, line * sectors, line * sectors + sectors - 1, *stores);
            }
        }
        mask
    }

    fn note_each<O: Observer>(&self, observer: &mut O, mut mask: u64) -> u64 {
        for addresses in self.addresses.all.chunks_exact(self.addresses.per_block.max(1)).take(self.blocks) {
            for phase in &self.path.stretches {
                for warp in phase.warps.clone() {
                    for its in phase.stretches.iter().filter(|its| its.warps.contains(&warp)) {
                        let low = addresses[its.first_address + warp - its.warps.start]
                            .wrapping_add_signed(its.offset);
                        let last = low + its.last_byte;
                        for line in low >> LINE_BITS..=last >> LINE_BITS {
                            if line_hash(line) & mask == 0 {
                                let (first, last) = (low >> SECTOR_BITS, last >> SECTOR_BITS);
                                mask = observer.note_line(line, first, last, its.stores);
                            }
                        }
                    }
                }
            }
        }
        mask
    }
}

/// Returns how many bytes a warp accesses of which each lane accesses those after its neighbour's.
fn bytes_of_warp(access: &PathAccess) -> u64 {
    access.bytes * LANES as u64
}

/// Finds those of successive lines whose [`line_hash`] has none of the bits of `mask` set.
fn find_sampled(lines: Range<u64>, mask: u64, found: &mut dyn FnMut(u64)) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        fn wide(lines: Range<u64>, mask: u64, found: &mut dyn FnMut(u64)) {
            find_sampled_inline(lines, mask, found);
        }
        // SAFETY: the processor has AVX2.
        return unsafe { wide(lines, mask, found) };
    }
    find_sampled_inline(lines, mask, found);
}

#[inline(always)]
fn find_sampled_inline(lines: Range<u64>, mask: u64, found: &mut dyn FnMut(u64)) {
    let is_sampled = |product: u64| (product ^ product >> LINE_SHIFT) & mask == 0;
    let mut product = lines.start.wrapping_mul(LINE_FACTOR);
    let mut line = lines.start;
    while line < lines.end {
        // The product of the next line is larger by the factor.
        let products: [u64; TOGETHER] =
            std::array::from_fn(|n| product.wrapping_add(LINE_FACTOR.wrapping_mul(n as u64)));
        if products.iter().fold(false, |any, product| any | is_sampled(*product)) {
            let their = products.iter().zip(line..lines.end);
            their.filter(|(product, _)| is_sampled(**product)).for_each(|(_, line)| found(line));
        }
        product = product.wrapping_add(LINE_FACTOR.wrapping_mul(TOGETHER as u64));
        line += TOGETHER as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_their_hash() {
        for (start, count) in [(0, 0), (1 << 33, 1), (77, 1000), (u64::MAX >> 7, 130), (12_345_678_901, 4099)]
        {
            for mask in [0, 7, 63] {
                let lines = start..start + count;
                let mut found = Vec::new();
                find_sampled(lines.clone(), mask, &mut |line| found.push(line));
                assert_eq!(found, lines.filter(|line| line_hash(*line) & mask == 0).collect::<Vec<_>>());
            }
        }
    }
}
