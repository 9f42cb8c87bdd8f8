//! Where the bytes of a call's operands lie.

use sim::Address;

/// Equal stretches of bytes at equal distances, twice over: the elements of a vector, the columns of a
/// matrix, the matrices of a batch. However many there are, it is as small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The lowest address.
    pub at: Address,
    /// Of one stretch.
    pub bytes: u64,
    /// How many stretches, and bytes from one to the next.
    inner: (u64, u64),
    /// How many such groups, and bytes from one to the next.
    outer: (u64, u64),
    pub write: bool,
}

impl Span {
    /// One stretch.
    pub fn dense(at: Address, bytes: u64, write: bool) -> Span {
        Span { at, bytes, inner: (1, 0), outer: (1, 0), write }
    }

    /// `count` stretches of `bytes` bytes, `step` bytes from one to the next.
    pub fn strided(at: Address, bytes: u64, count: u64, step: u64, write: bool) -> Span {
        Span { inner: (count, step), ..Span::dense(at, bytes, write) }.folded()
    }

    /// The same `count` times, `step` bytes from one to the next.
    pub fn repeated(self, count: u64, step: i64) -> Span {
        let far = step.unsigned_abs();
        let below = if step < 0 { count.saturating_sub(1).saturating_mul(far) } else { 0 };
        // What would begin below zero begins where no memory is.
        let at = Address(self.at.0.checked_sub(below).unwrap_or(u64::MAX));
        Span { at, outer: (count, far), ..self }.folded()
    }

    /// The same from another address on.
    pub fn moved(self, at: Address) -> Span {
        Span { at, ..self }
    }

    /// With as few stretches as possible.
    fn folded(mut self) -> Span {
        if self.bytes == 0 || self.inner.0 == 0 || self.outer.0 == 0 {
            return Span::dense(self.at, 0, self.write);
        }
        if self.outer.1 == 0 {
            self.outer.0 = 1;
        }
        for _ in 0..2 {
            let (count, step) = self.inner;
            // Neighbours that meet or overlap; those of one address are one.
            if (count == 1 || step <= self.bytes)
                && let Some(bytes) = (count - 1).checked_mul(step).and_then(|b| b.checked_add(self.bytes))
            {
                self = Span { bytes, inner: self.outer, outer: (1, 0), ..self };
            }
        }
        self
    }

    /// From the first byte to the last; `None` where they are too many to be counted.
    pub fn cover(&self) -> Option<u64> {
        let reach = |(count, step): (u64, u64)| count.saturating_sub(1).checked_mul(step);
        reach(self.inner)?.checked_add(reach(self.outer)?)?.checked_add(self.bytes)
    }

    /// How many stretches.
    pub fn count(&self) -> u64 {
        self.inner.0.saturating_mul(self.outer.0)
    }

    /// Bytes of all stretches.
    pub fn total(&self) -> u64 {
        self.bytes.saturating_mul(self.count())
    }

    /// Bytes from the lowest address to each stretch.
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

/// Spans in order of address, those of a kind joined where they are dense and meet.
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
