//! Host code that used values from memory that was never written, held back until it is known whether another
//! defect is the cause.

use sim::{Access, Evidence, Finding, SourceLocation, is_host_pageable};
use std::ops::Range;

/// Most copies and failed calls remembered.
const MAX_KNOWN: usize = 256;

/// Findings about values that were never written, and the copies that brought such values to the host.
#[derive(Debug, Default)]
pub struct Unwritten {
    /// Findings, each with the address that was read; `None` for a variable in a register.
    found: Vec<(Finding, Option<u64>)>,
    /// Copies of unwritten bytes: destination, source, and the reason if it is known; latest first.
    copies: Vec<(Range<u64>, Access, Option<Evidence>)>,
    /// Ranges that failed calls should have filled, and the locations of those calls, latest first.
    unfilled: Vec<(Range<u64>, Option<SourceLocation>)>,
}

impl Unwritten {
    /// Records a copy of bytes of which some were never written.
    pub fn copied(&mut self, to: Range<u64>, from: Access, why: Option<Evidence>) {
        self.copies.insert(0, (to, from, why));
        self.copies.truncate(MAX_KNOWN);
    }

    /// Records that a call which should have filled these bytes failed.
    pub fn record_unfilled(&mut self, bytes: Range<u64>, at: Option<SourceLocation>) {
        self.unfilled.insert(0, (bytes, at));
        self.unfilled.truncate(MAX_KNOWN);
    }

    /// Records a finding about the use of an unwritten value, at an address or in a variable held in a
    /// register.
    pub fn found(&mut self, mut finding: Finding, address: Option<u64>) {
        let known = self.copies.iter().find(|(range, ..)| address.is_some_and(|at| range.contains(&at)));
        finding.other = known.map(|(_, from, _)| from.clone());
        finding.evidence.extend(known.and_then(|(.., why)| why.clone()));
        self.found.push((finding, address));
    }

    /// Takes the findings about variables and memory of the host that no call was to fill: nothing else is their cause,
    /// and they may be that of what was found later.
    pub fn take_causes(&mut self) -> Vec<Finding> {
        let is_unfilled = |at: u64| self.unfilled.iter().any(|(its, _)| its.contains(&at));
        let is_cause = |(finding, address): &mut (Finding, Option<u64>)| {
            finding.other.is_none() && address.is_none_or(|at| is_host_pageable(at) && !is_unfilled(at))
        };
        self.found.extract_if(.., is_cause).map(|(finding, _)| finding).collect()
    }

    /// Returns the other findings to report at the end. If another defect was found, memory may be unwritten
    /// because of it, and findings about memory are dropped.
    pub fn take(&mut self, others: &[Finding]) -> Vec<Finding> {
        let mut found = std::mem::take(&mut self.found);
        // Unchecked errors and leaks leave no memory unwritten.
        let causes = others.iter().any(|finding| !finding.kind.is_of_a_call());
        if causes {
            found.retain(|(_, address)| address.is_none());
        }
        // A finding about the failed call already explains what it left unwritten.
        let known = |at: &Option<SourceLocation>| at.is_some() && others.iter().any(|f| f.at.location == *at);
        let follows = |address: &Option<u64>| {
            let is_in = |its: &Range<u64>| address.is_some_and(|address| its.contains(&address));
            self.unfilled.iter().any(|(its, at)| is_in(its) && known(at))
        };
        found.into_iter().filter(|(_, address)| !follows(address)).map(|(finding, _)| finding).collect()
    }
}
