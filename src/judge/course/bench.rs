//! What is timed of a lesson on a GPU, and the bars there:
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
//! A bar is a ratio of times of the same run, so that it holds on any card. At these sizes the right
//! answer is what the lesson's solution gives on the same GPU.

use super::validate::KeyErrors;
use super::{Case, ElementType, KeyError, Kind, Lesson, SizedCase, Spec, Tolerance};
use serde::Deserialize;

/// `[bench]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    pub sizes: Case,
    #[serde(default)]
    pub constants: Case,
    /// Longer sums round further.
    pub tolerance: Option<Tolerance>,
    /// Names of three buffers: what is timed is cuBLAS's product of the first two, the third.
    pub library: Option<[String; 3]>,
}

/// `[[gpu_bars]]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuBar {
    pub ratio: Ratio,
    /// In the unit of the ratio.
    pub at_least: f64,
    /// What the learner should think of when it is missed.
    pub why: String,
}

/// What a time is compared with.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Ratio {
    /// The bytes that must be moved (each input read once, each output written once) in this time,
    /// in per cent of what a copy moves in it.
    ShareOfCopyBandwidth,
    /// How many times as fast as the lesson's starter.
    SpeedupOverStarter,
    /// The time of the library, in per cent of this time.
    ShareOfLibrary,
}

/// Name, meaning, unit.
const RATIOS: [(Ratio, &str, &str, &str); 3] = [
    (Ratio::ShareOfCopyBandwidth, "share_of_copy_bandwidth", "of this card's copy bandwidth", "%"),
    (Ratio::SpeedupOverStarter, "speedup_over_starter", "the speed of the starter", "×"),
    (Ratio::ShareOfLibrary, "share_of_library", "of the speed of cuBLAS", "%"),
];

impl Ratio {
    fn row(self) -> (&'static str, &'static str, &'static str) {
        let row = RATIOS.iter().find(|(ratio, ..)| *ratio == self);
        row.map_or(("", "", ""), |(_, name, meaning, unit)| (name, meaning, unit))
    }

    /// As in lesson.toml.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// In words, behind a number with its unit: `of this card's copy bandwidth`.
    pub fn meaning(self) -> &'static str {
        self.row().1
    }

    /// `%` or `×`
    pub fn unit(self) -> &'static str {
        self.row().2
    }
}

impl Lesson {
    /// The starter is right, and only does too much.
    pub fn has_slow_starter(&self) -> bool {
        self.spec.has_slow_starter()
    }

    /// The lesson with the case alone that is timed on a GPU; `None` where it has none.
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
        self.starter.starts_with("too-much-work")
    }

    /// The case that is timed, worked out; `None` where there is none.
    pub(super) fn sized_bench(&self) -> Option<Result<SizedCase, KeyError>> {
        let bench = self.bench.as_ref()?;
        let large = Spec { constants: self.bench_constants(bench), ..self.clone() };
        Some(large.sized(&bench.sizes))
    }

    /// The lesson's constants, those of the bench in place of its own.
    fn bench_constants(&self, bench: &Bench) -> Case {
        let constants = self.constants.iter();
        constants
            .map(|(name, value)| (name.to_owned(), *bench.constants.get(name).unwrap_or(value)))
            .collect()
    }
}

/// What is wrong with the part of a lesson.toml that is for a GPU, apart from its formulas.
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
    let kernels = !spec.is_program() && spec.kind != Kind::Predict;
    found.unless(kernels, "bench", "only lessons whose kernels are launched by the tool are timed");
    found.unless(
        bench.sizes.keys().eq(names.iter().copied()),
        "bench.sizes",
        format!("the names of the cases are needed, in that order: {}", names.join(", ")),
    );
    for name in bench.constants.keys() {
        let known = spec.constants.get(name).is_some();
        found.unless(known, "bench.constants", format!("the lesson has no constant {}", name.escape_debug()));
    }
    if let Some(names) = &bench.library {
        let types = names.each_ref().map(|name| {
            let buffer = spec.buffers.iter().find(|buffer| buffer.name == *name);
            buffer.filter(|buffer| buffer.shape.len() == 2).map(|buffer| buffer.ty)
        });
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
                (100.0, "more than 0 to 100 per cent is allowed")
            }
            Ratio::SpeedupOverStarter => (1e4, "more than 1 to 10000 times is allowed"),
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
            "the starter is not right, so its time says nothing",
        );
    }
}
