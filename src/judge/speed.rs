//! Results of the bars on a kernel's GPU time, as reported in a verdict. They are measured by
//! [`bench`](crate::bench).

use crate::course::{Ratio, Spec};
use crate::lack::NotOnGpu;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// A kernel's speed on a GPU compared with the bars of its lesson.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Speed {
    /// Name of the GPU; `None` where none was used.
    pub gpu: Option<String>,
    /// Sizes, as text.
    pub case: String,
    /// Median time in nanoseconds; `None` where nothing was timed.
    pub ns: Option<f64>,
    pub bars: Vec<SpeedBar>,
    /// Why the measured time is implausible, if it is.
    pub suspicious: Option<TooFast>,
    /// Why nothing was timed, if so.
    pub not_run: Option<NotTimed>,
}

/// A time in which the card can't have moved what the lesson needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooFast {
    pub ns: f64,
    pub moved_bytes: u64,
    /// The least time for that, at the rate of a copy on this card.
    pub floor_ns: f64,
}

/// Why a kernel was not timed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotTimed {
    /// No GPU was asked for, or there is none.
    NoGpu,
    /// There is one, but it does not run the code, which is that of a whole program or of kernels.
    NotOnGpu { why: NotOnGpu, program: bool },
}

/// A ratio of times compared with its bar.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct SpeedBar {
    pub ratio: Ratio,
    pub needed: f64,
    #[serde(default)]
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
    pub fn not_run(spec: &Spec, why: NotTimed) -> Option<Speed> {
        let case = spec.bench.as_ref()?.sizes.to_string();
        let bar = |bar: &crate::course::GpuBar| SpeedBar {
            ratio: bar.ratio,
            needed: bar.at_least,
            measured: None,
            state: SpeedState::NotRun,
            why: bar.why.clone(),
        };
        let bars: Vec<SpeedBar> = spec.gpu_bars.iter().map(bar).collect();
        let speed = Speed { case, bars, not_run: Some(why), ..Speed::default() };
        (!speed.bars.is_empty()).then_some(speed)
    }

    /// Returns whether no bar is missed and the time is plausible.
    pub fn passes(&self) -> bool {
        self.suspicious.is_none() && self.bars.iter().all(|bar| bar.state != SpeedState::Missed)
    }
}

impl Serialize for SpeedBar {
    /// Adds what the ratio means, and its unit.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bar = serializer.serialize_struct("SpeedBar", 7)?;
        bar.serialize_field("ratio", &self.ratio)?;
        bar.serialize_field("meaning", self.ratio.meaning())?;
        bar.serialize_field("unit", &self.ratio.unit())?;
        match &self.measured {
            Some(measured) => bar.serialize_field("measured", measured)?,
            None => bar.skip_field("measured")?,
        }
        bar.serialize_field("needed", &self.needed)?;
        bar.serialize_field("state", &self.state)?;
        bar.serialize_field("why", &self.why)?;
        bar.end()
    }
}

impl std::fmt::Display for SpeedBar {
    /// Formats the bar as `speedup_over_starter 1.1×, at least 2×`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, unit) = (self.ratio, self.ratio.unit());
        match self.measured {
            Some(measured) => write!(f, "{name} {measured:.2}{unit}, at least {}{unit}", self.needed),
            None => write!(f, "{name} was not measured, at least {}{unit}", self.needed),
        }
    }
}
