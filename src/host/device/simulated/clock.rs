//! Vector clocks: the happens-before relation between pieces of work.
//!
//! Work is numbered along chains; a stream is a chain, and so is a branch of a graph. A clock records, for
//! each chain, the number up to which the chain's work is ordered before.

/// The position of work in a chain: it is the chain's `epoch`-th work, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stamp {
    pub chain: u32,
    pub epoch: u32,
}

/// A vector clock: for each chain, the last epoch that is ordered before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(Vec<u32>);

impl Clock {
    /// Returns whether the work with this stamp is ordered before.
    #[inline]
    pub fn covers(&self, stamp: Stamp) -> bool {
        self.0.get(stamp.chain as usize).is_some_and(|&epoch| epoch >= stamp.epoch)
    }

    /// Returns whether everything that another clock covers is ordered before.
    pub fn covers_all(&self, other: &Clock) -> bool {
        let mine = self.0.iter().chain(std::iter::repeat(&0));
        other.0.iter().zip(mine).all(|(theirs, mine)| theirs <= mine)
    }

    /// Adds work and, since a chain is ordered, all earlier work in its chain.
    pub fn add(&mut self, stamp: Stamp) {
        let at = stamp.chain as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] = self.0[at].max(stamp.epoch);
    }

    /// Adds everything that another clock covers.
    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, &theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(theirs);
        }
    }
}

/// Allocates chains and their epochs.
#[derive(Debug, Default)]
pub struct Chains {
    /// Last epoch of each chain.
    last: Vec<u32>,
    /// Chains whose owner no longer exists.
    free: Vec<u32>,
}

impl Chains {
    /// Returns a chain whose earlier work, if there was any, is covered by `known`.
    pub fn begin(&mut self, known: &Clock) -> u32 {
        let over = |&chain: &u32| {
            let epoch = self.last[chain as usize];
            epoch == 0 || known.covers(Stamp { chain, epoch })
        };
        if let Some(at) = self.free.iter().position(over) {
            return self.free.swap_remove(at);
        }
        self.last.push(0);
        self.last.len() as u32 - 1
    }

    /// Ends a chain, which may then be reused.
    pub fn end(&mut self, chain: u32) {
        self.free.push(chain);
    }

    /// Returns the stamp of the chain's next work.
    pub fn next(&mut self, chain: u32) -> Stamp {
        let epoch = &mut self.last[chain as usize];
        *epoch += 1;
        Stamp { chain, epoch: *epoch }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_used_again_only_when_its_work_is_known_to_be_done() {
        let (mut chains, mut known) = (Chains::default(), Clock::default());
        let a = chains.begin(&known);
        let last = chains.next(a);
        chains.end(a);
        let b = chains.begin(&known);
        assert_ne!(a, b);
        known.add(last);
        assert_eq!(chains.begin(&known), a);
        assert_eq!(chains.next(a), Stamp { chain: a, epoch: 2 });
    }

    #[test]
    fn clocks_join() {
        let (mut x, mut y) = (Clock::default(), Clock::default());
        x.add(Stamp { chain: 0, epoch: 3 });
        y.add(Stamp { chain: 2, epoch: 1 });
        x.join(&y);
        assert!(x.covers(Stamp { chain: 0, epoch: 2 }) && x.covers(Stamp { chain: 2, epoch: 1 }));
        assert!(!x.covers(Stamp { chain: 0, epoch: 4 }) && !x.covers(Stamp { chain: 1, epoch: 1 }));
    }
}
