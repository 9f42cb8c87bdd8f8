//! Takes samples: warm-up until times are steady, then as many samples as necessary.

use super::statistics::Summary;
use std::time::{Duration, Instant};

/// How samples are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Each sample lies between two events, with caches flushed before it.
    Events,
    /// A graph of `repetitions` launches is replayed: caches keep what they can hold.
    Graph { repetitions: u32 },
}

/// A source of samples.
pub trait Timer {
    type Error;
    /// Takes a number of samples and returns their times in nanoseconds.
    ///
    /// # Errors
    ///
    /// Fails if they can't be taken.
    fn batch(&mut self, method: Method, samples: u32) -> Result<Vec<f64>, Self::Error>;
}

/// How long to time, and how to treat short kernels.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Time for warm-up and samples together.
    pub budget: Duration,
    /// Minimum time of the warm-up, as clocks rise under load.
    pub warm_up: Duration,
    /// Kernels shorter than this, in nanoseconds, are replayed in a graph, because events and launches take some
    /// microseconds themselves. 0 disables replay.
    pub short_ns: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { budget: Duration::from_secs(3), warm_up: Duration::from_millis(200), short_ns: 10_000.0 }
    }
}

/// Target time of a replay, long enough to make its start-up cost negligible.
const REPLAY_NS: f64 = 200_000.0;
const MAX_REPETITIONS: f64 = 1000.0;
/// Target time of a batch of samples.
const BATCH_NS: f64 = 20_000_000.0;
/// Largest relative difference between the medians of two batches that counts as steady.
const STEADY: f64 = 0.02;
const MAX_SAMPLES: usize = 5000;

/// Takes samples until the median is stable or the budget is spent.
///
/// # Errors
///
/// Fails as [`Timer::batch`] does.
pub fn sample<T: Timer>(timer: &mut T, settings: &Settings) -> Result<(Method, Summary), T::Error> {
    let start = Instant::now();
    let mut last = median(&timer.batch(Method::Events, 5)?);
    let method = if last < settings.short_ns {
        let repetitions = (REPLAY_NS / last.max(1.0)).clamp(20.0, MAX_REPETITIONS) as u32;
        Method::Graph { repetitions }
    } else {
        Method::Events
    };
    let weight = match method {
        Method::Events => 1.0,
        Method::Graph { repetitions } => f64::from(repetitions),
    };
    loop {
        let next = median(&timer.batch(method, batch_size(last * weight))?);
        let steady = (next - last).abs() <= STEADY * last;
        last = next;
        let spent = start.elapsed();
        if (steady && spent >= settings.warm_up) || spent >= settings.budget / 2 {
            break;
        }
    }
    let mut samples = Vec::new();
    loop {
        samples.extend(timer.batch(method, batch_size(last * weight))?);
        let summary = Summary::of(&samples);
        let done = summary.is_some_and(|summary| summary.is_stable())
            || start.elapsed() >= settings.budget
            || samples.len() >= MAX_SAMPLES;
        if let (true, Some(summary)) = (done, summary) {
            return Ok((method, summary));
        }
        if done {
            // A sample is not a valid time: returns a summary with zero samples.
            return Ok((method, Summary::default()));
        }
    }
}

fn batch_size(sample_ns: f64) -> u32 {
    (BATCH_NS / sample_ns.max(1.0)).clamp(5.0, 100.0) as u32
}

fn median(samples: &[f64]) -> f64 {
    Summary::of(samples).map_or(0.0, |summary| summary.median_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns times computed by a function from the sample's index, and records the methods used.
    struct Fake<F> {
        taken: u32,
        time: F,
        methods: Vec<Method>,
    }

    impl<F: FnMut(u32) -> f64> Timer for Fake<F> {
        type Error = ();
        fn batch(&mut self, method: Method, samples: u32) -> Result<Vec<f64>, ()> {
            self.methods.push(method);
            Ok((0..samples)
                .map(|_| {
                    self.taken += 1;
                    (self.time)(self.taken)
                })
                .collect())
        }
    }

    fn taken(time: impl FnMut(u32) -> f64, settings: Settings) -> (Method, Summary, u32) {
        let mut fake = Fake { taken: 0, time, methods: Vec::new() };
        let (method, summary) = sample(&mut fake, &settings).unwrap();
        assert_eq!(fake.methods.last(), Some(&method));
        (method, summary, fake.taken)
    }

    fn quick() -> Settings {
        Settings { budget: Duration::from_millis(300), warm_up: Duration::ZERO, ..Settings::default() }
    }

    #[test]
    fn a_steady_kernel_takes_few_samples() {
        let (method, summary, count) = taken(|n| 50_000.0 + f64::from(n % 3), quick());
        assert!(method == Method::Events && summary.is_stable() && count < 500, "{summary:?} {count}");
        assert!((50_000.0..50_002.0).contains(&summary.median_ns));
    }

    #[test]
    fn short_kernels_are_replayed() {
        let (method, summary, _) = taken(|_| 1_500.0, quick());
        assert_eq!(method, Method::Graph { repetitions: 133 });
        assert!(summary.is_stable());
        let never = Settings { short_ns: 0.0, ..quick() };
        assert_eq!(taken(|_| 1_500.0, never).0, Method::Events);
    }

    #[test]
    fn warm_up_is_left_out() {
        // The first samples are twice as slow.
        let (_, summary, _) =
            taken(|n| if n < 300 { 200_000.0 - f64::from(n) * 333.0 } else { 100_000.0 }, quick());
        assert!((99_000.0..105_000.0).contains(&summary.median_ns), "{summary:?}");
    }

    #[test]
    fn what_never_settles_is_unstable_and_ends() {
        let (_, summary, _) = taken(|n| 100_000.0 + f64::from(n.wrapping_mul(2_654_435_769) >> 12), quick());
        assert!(!summary.is_stable() && summary.samples <= MAX_SAMPLES + 100);
        let (_, nothing, _) = taken(|_| f64::NAN, quick());
        assert_eq!(nothing.samples, 0);
    }
}
