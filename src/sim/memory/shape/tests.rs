use super::*;
use crate::random::SplitMix64;

/// Whatever is derived from the lanes of a row in a shorter way is what the general way says.
#[test]
fn a_row_is_described_as_any_other_shape() {
    let mut random = SplitMix64(11);
    let mut gaps = 0;
    for _ in 0..3000 {
        let width = 1 << random.below(5);
        let mask = match random.below(4) {
            0 => u32::MAX << random.below(32) >> random.below(32),
            1 => (random.next() & random.next()) as u32,
            2 => (random.next() | random.next()) as u32,
            _ => random.next() as u32,
        };
        if mask == 0 {
            continue;
        }
        let base = 4096 + random.below(64) as u64 * u64::from(width);
        let addresses = std::array::from_fn(|lane| base + lane as u64 * u64::from(width));
        let mut cache = ShapeCache::new(width);
        let (row, first) = cache.take(&addresses, mask, false);
        assert_eq!(row.row(), Some(mask >> mask.trailing_zeros()), "{mask:x}");
        gaps += u32::from(row.runs().is_none());
        let mut any = row.clone();
        (any.is_row, any.ascending) = (false, false);
        any.find_runs();
        assert_eq!(row.runs(), any.runs(), "{mask:x}");
        assert_eq!(row.overlaps(), any.find_overlap(), "{mask:x}");
        for bytes in [32, LINE] {
            assert_eq!(row.count_stretches(first, bytes), any.count_stretches(first, bytes), "{mask:x}");
        }
        for granule in [1, 2, 4].into_iter().filter(|granule| *granule <= width) {
            any.granule_bytes = 0;
            assert_eq!(row.spans(granule), any.spans(granule), "{mask:x} {width} {granule}");
        }
    }
    assert!(gaps > 1000, "{gaps} with many gaps");
}

#[test]
fn lanes_that_do_not_follow_each_other_are_no_row() {
    let mut addresses: Lanes64 = std::array::from_fn(|lane| 64 + 4 * lane as u64);
    let take = |addresses: &Lanes64, mask| ShapeCache::new(4).take(addresses, mask, false).0.row();
    assert_eq!(take(&addresses, 0xf0), Some(0xf));
    addresses[6] = 64;
    assert_eq!(take(&addresses, 0xf0), None);
    assert_eq!(take(&addresses, 0xb0), Some(0xb));
}
