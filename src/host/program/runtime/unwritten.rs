//! What host code made of memory that nobody wrote, until it is known whether there was another cause.

use sim::{Access, Finding, SourceLocation};
use std::ops::Range;

/// Copies that are remembered.
const MOST_BROUGHT: usize = 256;

/// Findings about values that nobody wrote, and where copies brought some.
#[derive(Debug, Default)]
pub struct Unwritten {
    /// With the address that is read, if it is not a variable in a register.
    found: Vec<(Finding, Option<u64>)>,
    /// The last one first.
    brought: Vec<(Range<u64>, Access)>,
    /// What calls were to fill that failed, and where they stand.
    unfilled: Vec<(Range<u64>, Option<SourceLocation>)>,
}

impl Unwritten {
    /// A copy brought bytes of which some were never written.
    pub fn brought(&mut self, to: Range<u64>, from: Access) {
        self.brought.insert(0, (to, from));
        self.brought.truncate(MOST_BROUGHT);
    }

    /// A call that was to fill these bytes failed.
    pub fn left_unfilled(&mut self, bytes: Range<u64>, at: Option<SourceLocation>) {
        self.unfilled.insert(0, (bytes, at));
        self.unfilled.truncate(MOST_BROUGHT);
    }

    /// A value mattered: that at an address, or of a variable in a register.
    pub fn found(&mut self, mut finding: Finding, address: Option<u64>) {
        let known = self.brought.iter().find(|(range, _)| address.is_some_and(|at| range.contains(&at)));
        finding.other = known.map(|(_, from)| from.clone());
        self.found.push((finding, address));
    }

    /// What is to be told at the end: where something else went wrong, the memory may be empty because of
    /// that.
    pub fn take(&mut self, others: &[Finding]) -> Vec<Finding> {
        let mut found = std::mem::take(&mut self.found);
        // Errors that nobody looked at, and leaks, leave no memory empty.
        let causes = others.iter().any(|finding| !finding.kind.code().starts_with('A'));
        if causes {
            found.retain(|(_, address)| address.is_none());
        }
        // Nor is it found again what a finding about the call that failed says.
        let known = |at: &Option<SourceLocation>| at.is_some() && others.iter().any(|f| f.at.location == *at);
        let follows = |address: &Option<u64>| {
            let is_in = |its: &Range<u64>| address.is_some_and(|address| its.contains(&address));
            self.unfilled.iter().any(|(its, at)| is_in(its) && known(at))
        };
        found.into_iter().filter(|(_, address)| !follows(address)).map(|(finding, _)| finding).collect()
    }
}
