//! Records what a program did during the intervals that it timed: the copies, launches and first calls
//! between two readings of a clock. They may explain figures that are wrong.

use super::{EventId, HostCost, Site, Work};
use sim::{Request, SourceLocation};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// An activity within an interval that the program timed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    pub what: ObservedKind,
    /// The call that caused it.
    pub call: Request,
    pub location: Option<SourceLocation>,
    pub within: Interval,
}

/// What an activity lies between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// Two events that the program asks for the time between.
    Events,
    /// Two readings of the host's clock; whether the program computes their difference is not known.
    Readings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedKind {
    /// Copied pageable host memory to or from a GPU.
    PageableCopy,
    /// Made the first CUDA call, which creates the GPU's context.
    FirstCall,
    /// Launched a kernel for the first time, which loads it.
    FirstLaunch,
    /// Read the host's clock while this work had not been waited for.
    NotWaitedFor,
}

/// Maximum number of observations kept.
const MOST: usize = 4;

/// Tracks calls and clock readings, and collects what lay between two readings.
#[derive(Debug, Default)]
pub(super) struct ObservationLog {
    /// Number of calls and clock readings so far.
    step: u64,
    launched: HashSet<Request>,
    /// Activities that take longer than they seem to, each with the step at which it occurred.
    slow: Vec<(u64, ObservedKind, Site)>,
    /// The most recent work enqueued since the last reading of the host's clock.
    enqueued: Option<Site>,
    /// The step at which the host's clock was last read; `recorded`: the step at which each event was
    /// recorded.
    read: Option<u64>,
    recorded: HashMap<EventId, u64>,
    /// A context has been created by a call that is not known yet.
    begun: bool,
    seen: Vec<Observed>,
}

impl ObservationLog {
    pub fn spent(&mut self, cost: &HostCost) {
        self.begun |= matches!(cost, HostCost::Context(_));
    }

    /// Records a CUDA call.
    pub fn call(&mut self, site: &Site) {
        self.step += 1;
        if std::mem::take(&mut self.begun) {
            self.note(ObservedKind::FirstCall, site);
        }
    }

    /// Records enqueued work; `pageable`: whether it copies pageable memory.
    pub fn work(&mut self, work: &Work, pageable: bool, site: &Site) {
        if let Work::Graph(_) = work {
            return;
        }
        self.call(site);
        match work {
            Work::Record(event) => {
                self.recorded.insert(*event, self.step);
                return;
            }
            Work::Launch(_) if self.launched.insert(site.what.clone()) => {
                self.note(ObservedKind::FirstLaunch, site)
            }
            Work::Copy(_) if pageable => self.note(ObservedKind::PageableCopy, site),
            _ => {}
        }
        self.enqueued = Some(site.clone());
    }

    fn note(&mut self, what: ObservedKind, site: &Site) {
        self.slow.push((self.step, what, site.clone()));
    }

    /// Records a reading of the host's clock; `known`: whether the host knows all results of work.
    pub fn read(&mut self, known: bool) {
        self.step += 1;
        if let Some(from) = self.read.replace(self.step) {
            self.timed(from..self.step, Interval::Readings);
        }
        if let Some(site) = self.enqueued.take().filter(|_| !known) {
            self.see(ObservedKind::NotWaitedFor, site, Interval::Readings);
        }
    }

    /// Records that the program asks for the time between two events.
    pub fn elapsed(&mut self, start: EventId, end: EventId) {
        if let (Some(from), Some(to)) = (self.recorded.get(&start), self.recorded.get(&end)) {
            self.timed(*from..*to, Interval::Events);
        }
    }

    fn timed(&mut self, steps: Range<u64>, within: Interval) {
        let slow: Vec<_> = self.slow.iter().filter(|(step, ..)| steps.contains(step)).cloned().collect();
        slow.into_iter().for_each(|(_, what, site)| self.see(what, site, within));
    }

    /// Keeps an observation unless one of its kind is already known.
    fn see(&mut self, what: ObservedKind, site: Site, within: Interval) {
        if self.seen.len() < MOST && self.seen.iter().all(|known| known.what != what) {
            self.seen.push(Observed { what, call: site.what, location: site.location, within });
        }
    }

    pub fn seen(&self) -> &[Observed] {
        &self.seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(what: &str) -> Site {
        Site { what: Request::Call(what.into()), location: None }
    }

    #[test]
    fn a_clock_that_is_read_before_work_has_ended_is_seen() {
        let mut watch = ObservationLog::default();
        watch.work(&Work::Empty, false, &site("cudaMemsetAsync"));
        watch.read(true);
        assert!(watch.seen().is_empty());
        watch.work(&Work::Empty, false, &site("cudaMemsetAsync"));
        watch.read(false);
        assert_eq!(
            watch.seen().iter().map(|seen| seen.what).collect::<Vec<_>>(),
            [ObservedKind::NotWaitedFor]
        );
    }

    #[test]
    fn what_lies_between_two_readings_may_be_timed_by_nobody() {
        let within = |events: bool| {
            let mut watch = ObservationLog::default();
            let mark = |watch: &mut ObservationLog, n| match events {
                true => watch.work(&Work::Record(EventId(n)), false, &site("cudaEventRecord")),
                false => watch.read(true),
            };
            mark(&mut watch, 1);
            watch.note(ObservedKind::FirstLaunch, &site("cudaLaunchKernel"));
            mark(&mut watch, 2);
            watch.elapsed(EventId(1), EventId(2));
            watch.seen().iter().map(|seen| seen.within).collect::<Vec<_>>()
        };
        assert_eq!((within(true), within(false)), (vec![Interval::Events], vec![Interval::Readings]));
    }

    #[test]
    fn the_first_call_is_seen_only_where_it_is_timed() {
        let begin = |clock: bool| {
            let mut watch = ObservationLog::default();
            if clock {
                watch.read(true);
            }
            watch.begun = true;
            watch.call(&site("cudaMalloc"));
            watch.read(true);
            watch.seen().len()
        };
        assert_eq!((begin(true), begin(false)), (1, 0));
    }
}
