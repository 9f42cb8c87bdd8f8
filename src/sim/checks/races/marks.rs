//! The last accesses of one kind to the granules of a page: when and by whom, and by which
//! instruction.
//!
//! Few instructions touch one page, so a granule keeps its instruction as a number of 1 byte among
//! the page's own; a page that more than 256 touch keeps 2 bytes for each.

use super::page::PAGE;
use super::stamp::Stamp;

/// The instructions of a page's granules, as [`super::stamp::Sites`] numbers them.
#[derive(Clone, Debug)]
enum Its {
    Few { names: Vec<u16>, numbers: Box<[u8; PAGE]> },
    Many(Box<[u16; PAGE]>),
}

/// Last accesses of one kind, and their instructions.
#[derive(Clone, Debug)]
pub struct Marks {
    pub stamps: [Stamp; PAGE],
    its: Its,
}

/// What the allocator and small tables add to a page's bytes, at most.
const BESIDE: usize = 96;

/// Both kinds, and two sets of the bytes that were written, are at most 2.9 times the page.
const _: () =
    assert!(10 * (2 * (size_of::<Marks>() + PAGE + BESIDE) + 2 * (4 * PAGE).div_ceil(8)) <= 29 * 4 * PAGE);

impl Default for Marks {
    fn default() -> Marks {
        Marks { stamps: [0; PAGE], its: Its::Few { names: Vec::new(), numbers: Box::new([0; PAGE]) } }
    }
}

/// The instructions of some granules, to be changed.
pub enum Slots<'m> {
    /// With the number of the one to be set.
    Few(&'m mut [u8], u8),
    Many(&'m mut [u16], u16),
}

impl Marks {
    /// The instruction of a granule that was touched.
    pub fn site(&self, granule: usize) -> u16 {
        match &self.its {
            Its::Few { names, numbers } => names.get(usize::from(numbers[granule])).copied().unwrap_or(0),
            Its::Many(sites) => sites[granule],
        }
    }

    /// The stamps of some granules, and their instructions, which may become `site`.
    #[inline(always)]
    pub fn slots(&mut self, range: std::ops::Range<usize>, site: u16) -> (&mut [Stamp], Slots<'_>) {
        if let Its::Few { names, .. } = &mut self.its
            && !names.contains(&site)
        {
            self.name(site);
        }
        let slots = match &mut self.its {
            Its::Few { names, numbers } => {
                let number = names.iter().position(|name| *name == site).unwrap_or(0);
                Slots::Few(&mut numbers[range.clone()], number as u8)
            }
            Its::Many(sites) => Slots::Many(&mut sites[range.clone()], site),
        };
        (&mut self.stamps[range], slots)
    }

    /// An instruction that is new to the page.
    #[inline(never)]
    fn name(&mut self, site: u16) {
        match &mut self.its {
            Its::Few { names, .. } if names.len() <= usize::from(u8::MAX) => names.push(site),
            _ => {
                let mut sites = Box::new([0; PAGE]);
                for (granule, its) in sites.iter_mut().enumerate() {
                    *its = self.site(granule);
                }
                self.its = Its::Many(sites);
            }
        }
    }

    /// One granule was touched.
    pub fn set(&mut self, granule: usize, stamp: Stamp, site: u16) {
        self.fill(granule..granule + 1, site);
        self.stamps[granule] = stamp;
    }

    /// Granules were touched by one instruction.
    #[inline(always)]
    pub fn fill(&mut self, range: std::ops::Range<usize>, site: u16) {
        match self.slots(range, site).1 {
            Slots::Few(numbers, number) => numbers.fill(number),
            Slots::Many(sites, site) => sites.fill(site),
        }
    }

    /// The marks of a page whose granule `n` is touched as `from(n)` of this one.
    pub fn map(&self, from: impl Fn(usize) -> usize) -> Marks {
        let mut new = self.clone();
        for granule in 0..PAGE {
            new.stamps[granule] = self.stamps[from(granule)];
            match (&mut new.its, &self.its) {
                (Its::Few { numbers, .. }, Its::Few { numbers: old, .. }) => {
                    numbers[granule] = old[from(granule)];
                }
                (Its::Many(sites), _) => sites[granule] = self.site(from(granule)),
                _ => {}
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
        assert!(matches!(few.its, Its::Few { .. }) && matches!(marks.its, Its::Many(_)));
    }
}
