//! Describes the bytes that a call's operands occupy.

use sim::Address;

/// Equally long runs of bytes at equal distances, nested twice: the elements of a vector, the columns of a
/// matrix, the matrices of a batch. Its representation has a constant size, however many runs there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The lowest address.
    pub at: Address,
    /// Length of one run in bytes.
    pub bytes: u64,
    /// Number of runs in a group, and bytes from the start of one to the start of the next.
    inner: (u64, u64),
    /// Number of groups, and bytes from the start of one to the start of the next.
    outer: (u64, u64),
    pub write: bool,
}

impl Span {
    /// Returns a single run.
    pub fn dense(at: Address, bytes: u64, write: bool) -> Span {
        Span { at, bytes, inner: (1, 0), outer: (1, 0), write }
    }

    /// Returns `count` runs of `bytes` bytes, with starts `step` bytes apart.
    pub fn strided(at: Address, bytes: u64, count: u64, step: u64, write: bool) -> Span {
        Span { inner: (count, step), ..Span::dense(at, bytes, write) }.folded()
    }

    /// Returns `count` repetitions of a span that has one group, with starts `step` bytes apart.
    pub fn repeated(self, count: u64, step: i64) -> Span {
        let far = step.unsigned_abs();
        let below = if step < 0 { count.saturating_sub(1).saturating_mul(far) } else { 0 };
        // A span that would begin below address zero is placed where there is no memory.
        let at = Address(self.at.0.checked_sub(below).unwrap_or(u64::MAX));
        Span { at, outer: (count, far), ..self }.folded()
    }

    /// Returns the same span at another address.
    pub fn moved(self, at: Address) -> Span {
        Span { at, ..self }
    }

    /// Merges runs into as few as possible.
    fn folded(mut self) -> Span {
        if self.bytes == 0 || self.inner.0 == 0 || self.outer.0 == 0 {
            return Span::dense(self.at, 0, self.write);
        }
        if self.outer.1 == 0 {
            self.outer.0 = 1;
        }
        for _ in 0..2 {
            let (count, step) = self.inner;
            // Runs that touch or overlap form one; so do runs at the same address.
            if (count == 1 || step <= self.bytes)
                && let Some(bytes) = (count - 1).checked_mul(step).and_then(|b| b.checked_add(self.bytes))
            {
                self = Span { bytes, inner: self.outer, outer: (1, 0), ..self };
            }
        }
        self
    }

    /// Returns the number of bytes from the first byte to the end of the last; `None` on overflow.
    pub fn cover(&self) -> Option<u64> {
        let reach = |(count, step): (u64, u64)| count.saturating_sub(1).checked_mul(step);
        reach(self.inner)?.checked_add(reach(self.outer)?)?.checked_add(self.bytes)
    }

    /// Returns the number of runs.
    pub fn count(&self) -> u64 {
        self.inner.0.saturating_mul(self.outer.0)
    }

    /// Returns the number of bytes in all runs.
    pub fn total(&self) -> u64 {
        self.bytes.saturating_mul(self.count())
    }

    /// Returns the offset in bytes of each run from the lowest address.
    pub fn offsets(&self) -> impl Iterator<Item = u64> {
        let (inner, outer) = (self.inner, self.outer);
        (0..outer.0).flat_map(move |o| {
            (0..inner.0).map(move |i| o.wrapping_mul(outer.1).wrapping_add(i.wrapping_mul(inner.1)))
        })
    }

    fn is_dense(&self) -> bool {
        self.count() == 1
    }
}

/// Sorts spans by address, reads before writes, and joins dense neighbours of the same kind that touch or
/// overlap.
pub fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| span.bytes > 0);
    spans.sort_by_key(|span| (span.write, span.at));
    let mut out: Vec<Span> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(last)
                if last.write == span.write
                    && last.is_dense()
                    && span.is_dense()
                    && span.at.0 <= last.at.0.saturating_add(last.bytes) =>
            {
                let end = span.at.0.saturating_add(span.bytes);
                last.bytes = last.bytes.max(end - last.at.0);
            }
            _ => out.push(span),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_meets_is_one_stretch() {
        let at = Address(100);
        assert_eq!(Span::strided(at, 4, 10, 4, true), Span::dense(at, 40, true));
        assert_eq!(Span::strided(at, 4, 10, 4, true).repeated(3, 40), Span::dense(at, 120, true));
        assert_eq!(Span::strided(at, 4, 10, 4, true).repeated(3, -40), Span::dense(Address(20), 120, true));
        let apart = Span::strided(at, 8, 3, 16, true);
        assert_eq!(
            (apart.repeated(5, 0), Span::dense(at, 8, true).repeated(5, 0)),
            (apart, Span::dense(at, 8, true))
        );
        assert_eq!(Span::strided(at, 4, 0, 4, true).total(), 0);
        let apart = Span::strided(at, 8, 3, 16, true).repeated(2, 100);
        assert_eq!((apart.count(), apart.total(), apart.cover()), (6, 48, Some(140)));
        assert_eq!(apart.offsets().collect::<Vec<_>>(), [0, 16, 32, 100, 116, 132]);
    }

    #[test]
    fn sizes_past_all_memory_are_counted_or_refused() {
        let far = Span::strided(Address(1), 8, u64::MAX, u64::MAX, false);
        assert_eq!((far.cover(), far.total()), (None, u64::MAX));
        assert_eq!(Span::dense(Address(1), 8, false).repeated(9, -1).at, Address(u64::MAX));
    }

    #[test]
    fn dense_neighbours_of_a_kind_are_joined() {
        let (a, b) = (Span::dense(Address(0), 8, false), Span::dense(Address(8), 8, false));
        let (write, apart) = (Span::dense(Address(4), 8, true), Span::strided(Address(16), 4, 2, 8, false));
        let spans = joined(vec![write, apart, b, a, Span::dense(Address(7), 0, false)]);
        assert_eq!(spans, [Span::dense(Address(0), 16, false), apart, write]);
    }
}
