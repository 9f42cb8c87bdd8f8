//! Relates a kernel's time to what its card can do (Williams, Waterman and Patterson, "Roofline: an insightful
//! visual performance model", CACM 2009): bytes at the rate of a copy, operations at the rate of the unit that
//! executes them, whichever takes longer.

use serde::Serialize;

/// What limits a kernel at best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    Memory,
    Arithmetic,
}

/// A share of the roof above this is suspicious: a measured limit is itself uncertain by a few per cent.
const SUSPICIOUS: f64 = 1.05;

/// A kernel's position relative to what the card can do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Roofline {
    /// Which limit binds.
    pub bound: Bound,
    /// Minimum time in nanoseconds.
    pub floor_ns: f64,
    /// Share of the roof that was reached: `floor_ns` divided by the time.
    pub share: f64,
    /// Operations per byte; `None` if the number of operations is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intensity: Option<f64>,
}

impl Roofline {
    /// Computes the position from `bytes` and `flops` of one run, its time in nanoseconds, and the limits of the
    /// card (bytes and operations per nanosecond). `None` if there is nothing to compare.
    pub fn of(bytes: u64, flops: Option<u64>, ns: f64, copy_gbps: f64, gflops: f64) -> Option<Roofline> {
        if !(ns > 0.0 && copy_gbps > 0.0) {
            return None;
        }
        let moving = bytes as f64 / copy_gbps;
        let computing = match flops {
            Some(flops) if gflops > 0.0 => flops as f64 / gflops,
            _ => 0.0,
        };
        let floor_ns = moving.max(computing);
        Some(Roofline {
            intensity: flops.filter(|_| bytes > 0).map(|flops| flops as f64 / bytes as f64),
            bound: if computing > moving { Bound::Arithmetic } else { Bound::Memory },
            floor_ns,
            share: floor_ns / ns,
        })
    }

    /// Returns whether the kernel is faster than the card allows if caches hold none of the data: then it did less
    /// work than was counted, or had done it before.
    pub fn is_suspicious(&self) -> bool {
        self.share > SUSPICIOUS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_of_both_is_the_floor() {
        // 3000 bytes at 3 bytes per nanosecond take 1000 ns.
        let copy = Roofline::of(3000, None, 2000.0, 3.0, 50.0).unwrap();
        assert_eq!((copy.bound, copy.floor_ns, copy.share), (Bound::Memory, 1000.0, 0.5));
        let product = Roofline::of(3000, Some(100_000), 4000.0, 3.0, 50.0).unwrap();
        assert_eq!((product.bound, product.floor_ns, product.share), (Bound::Arithmetic, 2000.0, 0.5));
        assert!((product.intensity.unwrap() - 100.0 / 3.0).abs() < 1e-9);
        assert_eq!(Roofline::of(1, None, 0.0, 3.0, 0.0), None);
        assert_eq!(Roofline::of(1, None, f64::NAN, 3.0, 0.0), None);
    }

    #[test]
    fn faster_than_the_roof_is_refused() {
        assert!(Roofline::of(3000, None, 800.0, 3.0, 0.0).unwrap().is_suspicious());
        assert!(!Roofline::of(3000, None, 980.0, 3.0, 0.0).unwrap().is_suspicious());
    }
}
