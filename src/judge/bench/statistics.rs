//! The median of samples and its uncertainty. No distribution is assumed, because times have long tails.

use serde::Serialize;

/// Statistics of samples. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    pub median_ns: f64,
    /// 95 % confidence interval of the median.
    pub low_ns: f64,
    pub high_ns: f64,
    /// First and third quartile: half of the samples lie between them.
    pub quartiles_ns: [f64; 2],
    #[serde(skip)]
    pub least_ns: f64,
    pub samples: usize,
}

/// Largest width of the confidence interval of a stable result, as a share of the median.
const STABLE: f64 = 0.01;
/// With fewer samples, their spread is unknown.
const MIN_SAMPLES: usize = 20;

impl Summary {
    /// Computes the statistics; `None` if there are no samples or if one is not a valid time.
    pub fn of(samples: &[f64]) -> Option<Summary> {
        if samples.is_empty() || !samples.iter().all(|ns| ns.is_finite() && *ns >= 0.0) {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = interval(sorted.len());
        Some(Summary {
            samples: sorted.len(),
            median_ns: quantile(&sorted, 0.5),
            low_ns: sorted[low],
            high_ns: sorted[high],
            quartiles_ns: [quantile(&sorted, 0.25), quantile(&sorted, 0.75)],
            least_ns: sorted[0],
        })
    }

    /// Returns the width of the confidence interval as a share of the median.
    pub fn uncertainty(&self) -> f64 {
        if self.median_ns > 0.0 { (self.high_ns - self.low_ns) / self.median_ns } else { 0.0 }
    }

    /// Returns whether there are enough samples and they agree.
    pub fn is_stable(&self) -> bool {
        self.samples >= MIN_SAMPLES && self.uncertainty() <= STABLE
    }
}

/// Returns the ranks (from 0) of the ends of the 95 % confidence interval of the median of `n` samples. The number
/// of samples below the true median is binomial with p = 1/2; this is its normal approximation (Conover, "Practical
/// Nonparametric Statistics", confidence interval for a quantile).
fn interval(n: usize) -> (usize, usize) {
    let half_width = 1.96 * (n as f64).sqrt() / 2.0;
    let middle = n as f64 / 2.0;
    let low = (middle - half_width).floor().max(0.0) as usize;
    let high = ((middle + half_width).ceil() as usize).min(n - 1);
    (low.min(n - 1), high)
}

/// Interpolates a quantile of sorted samples linearly between the two nearest.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Generates numbers in [0, 1) with a linear congruential generator (Knuth, MMIX).
    fn uniform(seed: u64, count: usize) -> Vec<f64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn the_middle_and_the_quarters() {
        let summary = Summary::of(&[5.0, 1.0, 3.0, 2.0, 4.0]).unwrap();
        assert_eq!((summary.median_ns, summary.quartiles_ns, summary.least_ns), (3.0, [2.0, 4.0], 1.0));
        assert_eq!(Summary::of(&[1.0, 2.0]).unwrap().median_ns, 1.5);
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
        assert_eq!(Summary::of(&[-1.0]), None);
    }

    #[test]
    fn the_interval_holds_the_true_median_as_often_as_it_says() {
        let mut held = 0;
        for seed in 0..2000 {
            // Skewed, as times are: the median of x³ is 1/8.
            let samples: Vec<f64> = uniform(seed * 7919 + 1, 101).iter().map(|x| x.powi(3)).collect();
            let summary = Summary::of(&samples).unwrap();
            held += usize::from(summary.low_ns <= 0.125 && 0.125 <= summary.high_ns);
        }
        assert!((1880..=1960).contains(&held), "{held} of 2000");
    }

    #[test]
    fn an_outlier_moves_nothing_and_a_spread_is_told() {
        let mut samples = vec![100.0; 60];
        samples[7] = 1e9;
        let summary = Summary::of(&samples).unwrap();
        assert!(summary.is_stable() && summary.median_ns == 100.0);
        let wide: Vec<f64> = (0..60).map(|n| 100.0 + f64::from(n)).collect();
        assert!(!Summary::of(&wide).unwrap().is_stable());
        assert!(!Summary::of(&[100.0; 5]).unwrap().is_stable(), "five samples say nothing");
    }
}
