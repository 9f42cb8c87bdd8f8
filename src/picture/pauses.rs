//! Long pauses of all GPUs, which a chart leaves out: the first use of a kernel takes far longer than its work.

use host::device::timeline::{Resource, Span};

/// Maximum number of pauses that are cut out.
const MAX_CUTS: usize = 8;
/// A pause is cut out if it is longer than this many times everything that remains.
const LONG_PAUSE: u64 = 2;

/// Returns the intervals in which all GPUs pause and which are far longer than everything that remains, in order
/// of time.
pub fn pauses(spans: &[Span]) -> Vec<(u64, u64)> {
    let work = spans.iter().filter(|s| s.resource != Resource::Host);
    let mut busy: Vec<(u64, u64)> = work.map(|s| (s.start_ns, s.end_ns.max(s.start_ns))).collect();
    busy.sort_unstable();
    let Some(&(first, mut reached)) = busy.first() else { return Vec::new() };
    let mut gaps = Vec::new();
    for &(start, end) in &busy {
        if start > reached {
            gaps.push((reached, start));
        }
        reached = reached.max(end);
    }
    gaps.sort_by_key(|(start, end)| (std::cmp::Reverse(end - start), *start));
    let mut rest = reached - first;
    let mut count = 0;
    for (n, (start, end)) in gaps.iter().enumerate().take(MAX_CUTS) {
        rest -= end - start;
        if end - start > LONG_PAUSE * rest {
            count = n + 1;
        }
    }
    gaps.truncate(count);
    gaps.sort_unstable();
    gaps
}

/// Returns the nanoseconds that at least one of the intervals covers.
pub fn covered(mut intervals: Vec<(u64, u64)>) -> u64 {
    intervals.sort_unstable();
    let (mut sum, mut reached) = (0, 0);
    for (start, end) in intervals {
        sum += end.saturating_sub(start.max(reached));
        reached = reached.max(end);
    }
    sum
}

/// Returns a span with its times shifted by the cuts.
pub fn span_after_cuts(span: &Span, cuts: &[(u64, u64)]) -> Span {
    Span {
        start_ns: time_after_cuts(span.start_ns, cuts),
        end_ns: time_after_cuts(span.end_ns, cuts),
        ..span.clone()
    }
}

/// Subtracts the cut-out time before a time from it.
pub fn time_after_cuts(ns: u64, cuts: &[(u64, u64)]) -> u64 {
    ns - cuts.iter().map(|(start, end)| ns.clamp(*start, *end) - start).sum::<u64>()
}
