//! The last accesses of one kind to the granules of a page: when, by whom, and by which instruction.
//!
//! Few instructions touch any one page, so each granule stores its instruction as a 1-byte index into a list of the
//! page's instructions. Pages that are touched by more than 256 instructions use 2 bytes per granule instead.

use super::page::PAGE;
use super::stamp::Stamp;

/// The instructions that last touched a page's granules, as numbered by [`super::stamp::Sites`].
#[derive(Clone, Debug)]
enum GranuleSites {
    Few { names: Vec<u16>, numbers: Box<[u8; PAGE]> },
    Many(Box<[u16; PAGE]>),
}

/// The last accesses of one kind to a page's granules.
#[derive(Clone, Debug)]
pub struct Marks {
    pub stamps: [Stamp; PAGE],
    its: GranuleSites,
}

/// Upper bound on the bytes that the allocator and small tables add to a page.
const BESIDE: usize = 96;

/// The marks of both kinds, and two sets of the bytes that were written, take at most 2.9 times the page's bytes.
const _: () =
    assert!(10 * (2 * (size_of::<Marks>() + PAGE + BESIDE) + 2 * (4 * PAGE).div_ceil(8)) <= 29 * 4 * PAGE);

impl Default for Marks {
    fn default() -> Marks {
        Marks {
            stamps: [0; PAGE],
            its: GranuleSites::Few { names: Vec::new(), numbers: Box::new([0; PAGE]) },
        }
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
        match &self.its {
            GranuleSites::Few { names, numbers } => {
                names.get(usize::from(numbers[granule])).copied().unwrap_or(0)
            }
            GranuleSites::Many(sites) => sites[granule],
        }
    }

    /// Returns the stamps and the instructions of some granules, for setting instructions to `site`.
    #[inline(always)]
    pub fn slots(&mut self, range: std::ops::Range<usize>, site: u16) -> (&mut [Stamp], Slots<'_>) {
        if let GranuleSites::Few { names, .. } = &mut self.its
            && !names.contains(&site)
        {
            self.name(site);
        }
        let slots = match &mut self.its {
            GranuleSites::Few { names, numbers } => {
                let number = names.iter().position(|name| *name == site).unwrap_or(0);
                Slots::Few(&mut numbers[range.clone()], number as u8)
            }
            GranuleSites::Many(sites) => Slots::Many(&mut sites[range.clone()], site),
        };
        (&mut self.stamps[range], slots)
    }

    /// Adds an instruction that is new to the page.
    #[inline(never)]
    fn name(&mut self, site: u16) {
        match &mut self.its {
            GranuleSites::Few { names, .. } if names.len() <= usize::from(u8::MAX) => names.push(site),
            _ => {
                let mut sites = Box::new([0; PAGE]);
                for (granule, its) in sites.iter_mut().enumerate() {
                    *its = self.site(granule);
                }
                self.its = GranuleSites::Many(sites);
            }
        }
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
            new.stamps[granule] = self.stamps[from(granule)];
            match (&mut new.its, &self.its) {
                (GranuleSites::Few { numbers, .. }, GranuleSites::Few { numbers: old, .. }) => {
                    numbers[granule] = old[from(granule)];
                }
                (GranuleSites::Many(sites), _) => sites[granule] = self.site(from(granule)),
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
        assert!(matches!(few.its, GranuleSites::Few { .. }) && matches!(marks.its, GranuleSites::Many(_)));
    }
}
