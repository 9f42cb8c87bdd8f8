//! Bars on the time that a kernel takes on a GPU, as a verdict has them. What measures is
//! [`bench`](crate::bench).

use crate::course::{Ratio, Spec, case_text};

/// How fast a kernel is on a GPU, against the bars of its lesson.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Speed {
    /// The GPU; empty where none was used.
    pub gpu: String,
    /// Sizes, as text.
    pub case: String,
    /// Nanoseconds, the median; `None` where nothing was timed.
    pub ns: Option<f64>,
    pub bars: Vec<SpeedBar>,
    /// Why the time can't be true.
    pub suspicious: Option<String>,
    /// Why nothing was timed.
    pub not_run: Option<String>,
}

/// A ratio of times against its bar.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedBar {
    pub ratio: Ratio,
    pub needed: f64,
    pub measured: Option<f64>,
    pub state: SpeedState,
    pub why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeedState {
    Met,
    Missed,
    /// Times vary too much to say; not held against anybody.
    Unstable,
    NotRun,
}

impl SpeedState {
    /// Stable name.
    pub fn name(self) -> &'static str {
        match self {
            SpeedState::Met => "met",
            SpeedState::Missed => "missed",
            SpeedState::Unstable => "unstable",
            SpeedState::NotRun => "not-run",
        }
    }
}

impl Speed {
    /// The bars of a lesson that were not run, and why; `None` where it has none.
    pub fn not_run(spec: &Spec, why: impl Into<String>) -> Option<Speed> {
        let case = case_text(&spec.bench.as_ref()?.sizes);
        let bar = |bar: &crate::course::GpuBar| SpeedBar {
            ratio: bar.ratio,
            needed: bar.at_least,
            measured: None,
            state: SpeedState::NotRun,
            why: bar.why.clone(),
        };
        let bars: Vec<SpeedBar> = spec.gpu_bars.iter().map(bar).collect();
        let speed = Speed { case, bars, not_run: Some(why.into()), ..Speed::default() };
        (!speed.bars.is_empty()).then_some(speed)
    }

    /// Nothing is held against it.
    pub fn is_fine(&self) -> bool {
        self.suspicious.is_none() && self.bars.iter().all(|bar| bar.state != SpeedState::Missed)
    }
}

impl std::fmt::Display for SpeedBar {
    /// `speedup_over_starter 1.1×, at least 2×`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, unit) = (self.ratio.name(), self.ratio.unit());
        match self.measured {
            Some(measured) => write!(f, "{name} {measured:.2}{unit}, at least {}{unit}", self.needed),
            None => write!(f, "{name} was not measured, at least {}{unit}", self.needed),
        }
    }
}
