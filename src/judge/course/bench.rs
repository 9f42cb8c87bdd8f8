//! What a lesson times on a GPU, and its GPU time bars:
//!
//! ```toml
//! [bench]
//! sizes = { n = 16777216 }         # the names of the cases: large enough for a GPU
//! constants = { most_blocks = 1056 }  # optional: in place of the lesson's own
//! tolerance = { rel = 1e-3 }       # optional: in place of the lesson's own
//! library = ["a", "b", "out"]      # optional: cuBLAS is timed at out = a × b
//!
//! [[gpu_bars]]
//! ratio = "share_of_copy_bandwidth"  # see Ratio
//! at_least = 85
//! why = "What to think of when it is missed."
//! ```
//!
//! A bar is a ratio of times measured in the same run, so that it holds on any card. At these sizes, the right
//! answer is what the lesson's solution computes on the same GPU.

use super::keys::KeyErrors;
use super::{Case, ElementType, KeyError, Lesson, SizedCase, Spec, Tolerance};
use crate::{DeclaredVerdict, Reason};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The table `[bench]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    pub sizes: Case,
    #[serde(default)]
    pub constants: Case,
    /// Overrides the lesson's tolerance, because longer sums round more.
    pub tolerance: Option<Tolerance>,
    /// Names of three buffers: cuBLAS is timed computing the third as the product of the first two.
    pub library: Option<[String; 3]>,
}

/// An entry of `[[gpu_bars]]`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GpuBar {
    pub ratio: Ratio,
    /// The lowest ratio that meets the bar, in the ratio's unit.
    pub at_least: f64,
    /// A hint for learners who miss the bar.
    pub why: String,
}

/// What the kernels' time is compared with.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Ratio {
    /// The bytes that must be moved (each input read once, each output written once), as a percentage of the bytes
    /// that a copy moves in the same time.
    ShareOfCopyBandwidth,
    /// How many times as fast as the lesson's starter.
    SpeedupOverStarter,
    /// The time of the library as a percentage of the kernels' time.
    ShareOfLibrary,
}

/// The unit of a ratio.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
pub enum RatioUnit {
    #[serde(rename = "%")]
    Percent,
    #[serde(rename = "×")]
    Times,
}

impl fmt::Display for RatioUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl fmt::Display for Ratio {
    /// Writes the name used in lesson.toml.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl Ratio {
    /// Returns the words that follow the number and its unit: `of this card's copy bandwidth`.
    pub fn meaning(self) -> &'static str {
        match self {
            Ratio::ShareOfCopyBandwidth => "of this card's copy bandwidth",
            Ratio::SpeedupOverStarter => "the speed of the starter",
            Ratio::ShareOfLibrary => "of the speed of cuBLAS",
        }
    }

    pub fn unit(self) -> RatioUnit {
        match self {
            Ratio::ShareOfCopyBandwidth | Ratio::ShareOfLibrary => RatioUnit::Percent,
            Ratio::SpeedupOverStarter => RatioUnit::Times,
        }
    }
}

impl Lesson {
    /// Returns whether the starter computes the right result and only does too much work.
    pub fn has_slow_starter(&self) -> bool {
        self.spec.has_slow_starter()
    }

    /// Returns the lesson reduced to the case that is timed on a GPU; `None` if it has none.
    pub fn at_bench(&self) -> Option<Lesson> {
        let bench = self.spec.bench.as_ref()?;
        let mut large = self.clone();
        large.spec.change(|spec| {
            spec.cases = vec![bench.sizes.clone()];
            spec.constants = spec.bench_constants(bench);
            spec.tolerance = bench.tolerance.unwrap_or(spec.tolerance);
        });
        Some(large)
    }
}

impl Spec {
    fn has_slow_starter(&self) -> bool {
        DeclaredVerdict::new(&self.starter).reason == Some(Reason::TooMuchWork)
    }

    /// Returns the case that is timed with its formulas evaluated; `None` if there is none.
    pub(super) fn sized_bench(&self) -> Option<Result<SizedCase, KeyError>> {
        let bench = self.bench.as_ref()?;
        let large = Spec { constants: self.bench_constants(bench), ..self.clone() };
        Some(large.sized(&bench.sizes))
    }

    /// Returns the lesson's constants, with those of the bench overriding its own.
    fn bench_constants(&self, bench: &Bench) -> Case {
        let constants = self.constants.iter();
        constants
            .map(|(name, value)| (name.to_owned(), *bench.constants.get(name).unwrap_or(value)))
            .collect()
    }
}

/// Checks the parts of a lesson.toml that concern a GPU, except for formulas.
pub(super) fn problems(spec: &Spec, found: &mut KeyErrors) {
    let names: Vec<&str> = spec.cases.first().map(|case| case.keys().collect()).unwrap_or_default();
    for name in spec.constants.keys() {
        found.unless(
            !names.contains(&name),
            format!("constants.{name}"),
            "the cases have a size of the same name",
        );
    }
    let Some(bench) = &spec.bench else {
        found.unless(spec.gpu_bars.is_empty(), "gpu_bars", "`bench` is needed: sizes large enough for a GPU");
        return;
    };
    let kernels = "only lessons whose kernels are launched by the tool are timed";
    found.unless(spec.is_of_kernels(), "bench", kernels);
    found.unless(
        bench.sizes.keys().eq(names.iter().copied()),
        "bench.sizes",
        format!("the names of the cases are needed, in this order: {}", names.join(", ")),
    );
    for name in bench.constants.keys() {
        let known = spec.constants.get(name).is_some();
        found.unless(known, "bench.constants", format!("the lesson has no constant {}", name.escape_debug()));
    }
    if let Some(names) = &bench.library {
        let types = names
            .each_ref()
            .map(|name| spec.buffer(name).filter(|buffer| buffer.shape.len() == 2).map(|buffer| buffer.ty));
        let fits = matches!(
            types,
            [
                Some(a @ (ElementType::F32 | ElementType::F16)),
                Some(b),
                Some(ElementType::F32)
            ] if a == b
        );
        found.unless(fits, "bench.library", "three matrices are needed: two of f32 or f16, and one of f32");
    }
    if let Some(Tolerance { abs, rel }) = bench.tolerance {
        let fits = abs >= 0.0 && abs.is_finite() && (0.0..1.0).contains(&rel);
        found.unless(fits, "bench.tolerance", "zero or more is needed, and `rel` below 1");
    }
    for (b, bar) in spec.gpu_bars.iter().enumerate() {
        let key = |name: &str| format!("gpu_bars[{b}].{name}");
        let (most, needed) = match bar.ratio {
            Ratio::ShareOfCopyBandwidth | Ratio::ShareOfLibrary => {
                (100.0, "above 0 and up to 100 per cent is allowed")
            }
            Ratio::SpeedupOverStarter => (1e4, "above 1 and up to 10000 times is allowed"),
        };
        let least = if bar.ratio == Ratio::SpeedupOverStarter { 1.0 } else { 0.0 };
        found.unless(bar.at_least > least && bar.at_least <= most, key("at_least"), needed);
        found.unless(!bar.why.trim().is_empty(), key("why"), "empty");
        found.unless(
            bench.library.is_some() || bar.ratio != Ratio::ShareOfLibrary,
            key("ratio"),
            "`library` is needed in `bench`",
        );
        found.unless(
            spec.has_slow_starter() || bar.ratio != Ratio::SpeedupOverStarter,
            key("ratio"),
            "the starter is not correct, so its time means nothing",
        );
    }
}
