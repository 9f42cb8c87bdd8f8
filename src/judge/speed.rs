//! Results of the bars on a kernel's GPU time, as reported in a verdict. They are measured by
//! [`bench`](crate::bench).

use crate::course::{Case, Ratio, Spec};
use serde::{Deserialize, Serialize};

/// A kernel's speed on a GPU compared with the bars of its lesson.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Speed {
    /// Name of the GPU; empty where none was used.
    pub gpu: String,
    pub case: Case,
    /// Median time in nanoseconds; `None` where nothing was timed.
    pub ns: Option<f64>,
    pub bars: Vec<SpeedBar>,
    /// Why the measured time is implausible, if it is.
    pub suspicious: Option<String>,
    /// Why nothing was timed, if so.
    pub not_run: Option<String>,
}

/// A ratio of times compared with its bar.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedBar {
    pub ratio: Ratio,
    pub needed: f64,
    pub measured: Option<f64>,
    pub state: SpeedState,
    pub why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpeedState {
    Met,
    Missed,
    /// The times vary too much to decide; never counted as a miss.
    Unstable,
    NotRun,
}

impl Speed {
    /// Returns the lesson's bars as not measured, with the reason; `None` if the lesson has no bars.
    pub fn not_run(spec: &Spec, why: impl Into<String>) -> Option<Speed> {
        let case = spec.bench.as_ref()?.sizes.clone();
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

    /// Returns whether no bar is missed and the time is plausible.
    pub fn passes(&self) -> bool {
        self.suspicious.is_none() && self.bars.iter().all(|bar| bar.state != SpeedState::Missed)
    }
}

impl std::fmt::Display for SpeedBar {
    /// Formats the bar as `speedup_over_starter 1.1×, at least 2×`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, unit) = (self.ratio.name(), self.ratio.unit());
        match self.measured {
            Some(measured) => write!(f, "{name} {measured:.2}{unit}, at least {}{unit}", self.needed),
            None => write!(f, "{name} was not measured, at least {}{unit}", self.needed),
        }
    }
}
