//! The last accesses of one kind to the granules of a page: when, by whom, and by which instruction.
//!
//! Few instructions touch any one page, so each granule stores its instruction as a 1-byte index into a list of the
//! page's instructions. Pages that are touched by more than [`FEW`] instructions use 2 bytes per granule instead.

use super::page::PAGE;
use super::stamp::Stamp;

/// How many instructions a page's list holds.
const FEW: usize = 16;

/// The last accesses of one kind to a page's granules. Instructions are numbered by [`super::stamp::Sites`].
#[derive(Clone, Debug)]
pub struct Marks {
    pub stamps: [Stamp; PAGE],
    /// The instruction that last touched a granule, by its index in the list.
    numbers: [u8; PAGE],
    list: [u16; FEW],
    listed: u8,
    /// The instruction itself, where they are more than the list holds.
    many: Option<Box<[u16; PAGE]>>,
}

/// Upper bound on the bytes that the allocator and small tables add to a page.
const BOOKKEEPING: usize = 96;

/// The marks of both kinds, and two sets of the bytes that were written, take at most 2.9 times the page's bytes.
const _: () =
    assert!(10 * (2 * (size_of::<Marks>() + BOOKKEEPING) + 2 * (4 * PAGE).div_ceil(8)) <= 29 * 4 * PAGE);

impl Default for Marks {
    fn default() -> Marks {
        Marks { stamps: [0; PAGE], numbers: [0; PAGE], list: [0; FEW], listed: 0, many: None }
    }
}

/// Mutable access to the instructions of some granules.
pub enum Slots<'m> {
    /// The indices, and the index of the instruction to be set.
    Few(&'m mut [u8], u8),
    Many(&'m mut [u16], u16),
}

impl Marks {
    /// Returns the instruction that last touched a granule.
    pub fn site(&self, granule: usize) -> u16 {
        match &self.many {
            Some(sites) => sites[granule],
            None => self.list[usize::from(self.numbers[granule])],
        }
    }

    /// Returns the stamps and the instructions of some granules, for setting instructions to `site`.
    #[inline(always)]
    pub fn slots(&mut self, range: std::ops::Range<usize>, site: u16) -> (&mut [Stamp], Slots<'_>) {
        let known = self.list[..usize::from(self.listed)].iter().position(|listed| *listed == site);
        let number = known.unwrap_or_else(|| self.add(site));
        let slots = match &mut self.many {
            None => Slots::Few(&mut self.numbers[range.clone()], number as u8),
            Some(sites) => Slots::Many(&mut sites[range.clone()], site),
        };
        (&mut self.stamps[range], slots)
    }

    /// Adds an instruction that is not in the list. Returns its index there, if there is room.
    #[inline(never)]
    fn add(&mut self, site: u16) -> usize {
        let number = usize::from(self.listed);
        if number < FEW {
            self.list[number] = site;
            self.listed += 1;
        } else if self.many.is_none() {
            self.many = Some(Box::new(std::array::from_fn(|granule| self.site(granule))));
        }
        number
    }

    /// Records an access to one granule.
    pub fn set(&mut self, granule: usize, stamp: Stamp, site: u16) {
        self.fill(granule..granule + 1, site);
        self.stamps[granule] = stamp;
    }

    /// Sets the instruction of some granules.
    #[inline(always)]
    pub fn fill(&mut self, range: std::ops::Range<usize>, site: u16) {
        match self.slots(range, site).1 {
            Slots::Few(numbers, number) => numbers.fill(number),
            Slots::Many(sites, site) => sites.fill(site),
        }
    }

    /// Returns the marks of a page in which granule `n` has the state of this page's granule `from(n)`.
    pub fn map(&self, from: impl Fn(usize) -> usize) -> Marks {
        let mut new = self.clone();
        for granule in 0..PAGE {
            let old = from(granule);
            (new.stamps[granule], new.numbers[granule]) = (self.stamps[old], self.numbers[old]);
            if let (Some(new), Some(sites)) = (&mut new.many, &self.many) {
                new[granule] = sites[old];
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_instruction_is_lost_however_many_there_are() {
        let mut marks = Marks::default();
        for granule in 0..PAGE {
            marks.set(granule, 1, 7 + granule as u16 % 400);
            assert!((0..=granule).step_by(13).all(|n| marks.site(n) == 7 + n as u16 % 400));
        }
        let halves = marks.map(|n| n / 2);
        assert!((0..PAGE).all(|n| halves.site(n) == marks.site(n / 2)));
        let mut few = Marks::default();
        few.fill(0..PAGE, 3);
        few.fill(10..20, 60_000);
        assert_eq!([9, 10, 19, 20].map(|n| few.site(n)), [3, 60_000, 60_000, 3]);
        assert!(few.many.is_none() && marks.many.is_some());
    }
}
