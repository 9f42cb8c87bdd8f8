//! The most recently enqueued work, as context for findings about two pieces of work.

use super::clock::{Clock, Stamp};
use super::shadow::Originator;
use sim::{Act, Evidence, SubmittedWork};
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum number of pieces of work remembered.
const MOST: usize = 1 << 10;
/// Maximum number of pieces of work shown with a finding, and how many of them precede the earlier side.
const MAX_SHOWN: usize = 8;
const BEFORE: usize = 2;

#[derive(Clone, Debug)]
struct Work {
    stamp: Stamp,
    /// Vector clock: its predecessors and itself.
    clock: Arc<Clock>,
    by: Arc<Originator>,
}

impl Work {
    /// Returns whether it is a node of a graph.
    fn is_node(&self) -> bool {
        matches!(self.by.operation.act, Act::Work { in_graph: true, .. })
    }
}

/// The most recent work, in the order in which it was enqueued.
#[derive(Debug, Default)]
pub struct Recent(VecDeque<Work>);

impl Recent {
    pub fn add(&mut self, stamp: Stamp, clock: &Arc<Clock>, by: &Arc<Originator>) {
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        self.0.push_back(Work { stamp, clock: clock.clone(), by: by.clone() });
    }

    /// Returns the work in the streams of two conflicting sides, from shortly before the earlier one up to
    /// the later one; `None` if one of them is not remembered or is not work in a stream.
    pub fn around(&self, earlier: Stamp, later: &Arc<Originator>) -> Option<Evidence> {
        let last = self.0.iter().rposition(|work| Arc::ptr_eq(&work.by, later))?;
        let chains = [earlier.chain, self.0[last].stamp.chain];
        let both = || self.0.iter().take(last + 1).filter(|work| chains.contains(&work.stamp.chain));
        // Records and waits only order the other work, and are left out.
        let works: Vec<&Work> = both().filter(|work| work.by.enqueued.is_some()).collect();
        let first = works.iter().position(|work| work.stamp == earlier)?;
        let later = works.len().checked_sub(1).filter(|later| *later > first)?;
        works[later].by.enqueued.as_ref().filter(|_| Arc::ptr_eq(&works[later].by, &self.0[last].by))?;
        let behind = later - MAX_SHOWN.saturating_sub(BEFORE + 1).min(later);
        let is_shown = |n: usize| n + BEFORE >= first && n <= first || n >= behind.max(first);
        let shown: Vec<usize> = (0..works.len()).filter(|n| is_shown(*n)).collect();
        let place = |n: usize| shown.iter().position(|shown| *shown == n);
        let mut branches: Vec<u32> = Vec::new();
        for work in shown.iter().map(|n| works[*n]).filter(|work| work.is_node()) {
            if !branches.contains(&work.stamp.chain) {
                branches.push(work.stamp.chain);
            }
        }
        let own_file = works[later].by.location.as_ref().map(|at| &at.file);
        let enqueued = |(at, &n): (usize, &usize)| {
            let work = works[n];
            let enqueued = work.by.enqueued.as_ref()?;
            let line = work.by.location.as_ref().filter(|at| Some(&at.file) == own_file);
            let before = at.checked_sub(1).map_or(0, |before| shown[before] + 1);
            Some(SubmittedWork {
                request: enqueued.request.clone(),
                stream: enqueued.stream,
                branch: branches.iter().position(|chain| *chain == work.stamp.chain).map(|n| n as u32),
                line: line.map(|at| at.line),
                after: newly_after(&works, n).and_then(place),
                left_out: (n - before) as u64,
            })
        };
        let works: Option<Vec<SubmittedWork>> = shown.iter().enumerate().map(enqueued).collect();
        Some(Evidence::SubmittedWork { works: works?, sides: [place(first)?, place(later)?] })
    }
}

/// Returns the last work in another stream that work `n` is ordered after, if no earlier work in its own
/// stream already was.
fn newly_after(works: &[&Work], n: usize) -> Option<usize> {
    let work = works[n];
    let own = works[..n].iter().rev().find(|before| before.stamp.chain == work.stamp.chain);
    let other = |before: &&Work| before.stamp.chain != work.stamp.chain;
    let is_new = |before: &&Work| {
        work.clock.covers(before.stamp) && own.is_none_or(|own| !own.clock.covers(before.stamp))
    };
    works[..n].iter().rposition(|before| other(before) && is_new(before))
}

#[cfg(test)]
mod tests {
    use super::super::shadow::{EnqueuedWork, Role};
    use super::*;
    use sim::{Operation, Request, StreamName};

    /// Work enqueued in streams in turn; each piece comes after the earlier work in its stream, and after
    /// `after`.
    fn recent(works: &[(u32, Option<usize>)]) -> (Recent, Vec<(Stamp, Arc<Originator>)>) {
        let mut recent = Recent::default();
        let mut known: Vec<(Stamp, Arc<Clock>, Arc<Originator>)> = Vec::new();
        for &(chain, after) in works {
            let mut clock = Clock::default();
            let own = known.iter().rposition(|(stamp, ..)| stamp.chain == chain);
            own.into_iter().chain(after).for_each(|n| clock.join(&known[n].1));
            let epoch = known.iter().filter(|(stamp, ..)| stamp.chain == chain).count() as u32 + 1;
            let stamp = Stamp { chain, epoch };
            clock.add(stamp);
            let (request, stream) =
                (Request::Launch(Some("k".into())), StreamName { made: Some(chain), device: None });
            let enqueued = Some(EnqueuedWork { request: request.clone(), stream });
            let operation = Operation { request, act: Act::Work { stream, in_graph: false } };
            let by = Arc::new(Originator {
                operation,
                location: None,
                role: Role::Work,
                enqueued,
                pointers: Vec::new(),
            });
            let clock = Arc::new(clock);
            recent.add(stamp, &clock, &by);
            known.push((stamp, clock, by));
        }
        (recent, known.into_iter().map(|(stamp, _, by)| (stamp, by)).collect())
    }

    #[test]
    fn what_one_stream_waits_for_is_told() {
        let (recent, works) = recent(&[(0, None), (1, Some(0)), (0, None), (1, Some(2)), (0, None)]);
        let evidence = recent.around(works[1].0, &works[4].1);
        let Some(Evidence::SubmittedWork { works, sides }) = evidence else { panic!("{evidence:?}") };
        assert_eq!(sides, [1, 4]);
        let after: Vec<Option<usize>> = works.iter().map(|work| work.after).collect();
        assert_eq!(after, [None, Some(0), None, Some(2), None]);
    }

    #[test]
    fn what_lies_long_before_is_left_out() {
        let all: Vec<(u32, Option<usize>)> = (0..40).map(|n| (n % 2, None)).collect();
        let (recent, works) = recent(&all);
        let evidence = recent.around(works[4].0, &works[39].1);
        let Some(Evidence::SubmittedWork { works, sides: [earlier, later] }) = evidence else {
            panic!("{evidence:?}")
        };
        assert!(works.len() <= MAX_SHOWN + 1 && later + 1 == works.len(), "{works:#?}");
        assert_eq!((earlier, works[earlier + 1].left_out > 20), (BEFORE, true));
    }
}
