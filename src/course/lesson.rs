//! The shape of `lesson.toml`.
//!
//! A lesson is a folder `lessons/<part>/<slug>/` with `lesson.toml` and `lesson.md`, a starter
//! `kernels/<part>/<slug>.cu`, a solution `solutions/<part>/<slug>.cu` and wrong kernels
//! `tests/wrong/<slug>/*.cu`. Formulas are text over the case's sizes: integers, `+ - * / %`,
//! parentheses, `ceil_div(a, b)`, `min`, `max`, `log2` (floor), comparisons are not needed.

use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// Place in the course: lessons run by `order`, lowest first; leave gaps of ten.
    pub order: u32,
    /// Title line, in plain words.
    pub title: String,
    pub kind: Kind,
    /// About how long a newcomer takes.
    pub minutes: u32,
    /// Slugs of lessons whose ideas this one uses.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Verdict the starter must get: a verdict slug such as `wrong-result` or `compile-error`.
    pub starter: String,
    /// Exactly three: a nudge, the concept, nearly the code.
    pub hints: Vec<String>,
    /// In the order the kernel's launches use them.
    pub buffers: Vec<Buffer>,
    /// Run one after the other, on the same buffers.
    pub launches: Vec<Launch>,
    pub cases: Vec<Case>,
    /// Name of a CPU reference in `judge/reference`, or `reference.cu`: a file beside lesson.toml
    /// with the same kernels, run on the simulator.
    pub reference: String,
    #[serde(default)]
    pub tolerance: Tolerance,
    /// Bars on the work done, all cases.
    #[serde(default)]
    pub requirements: Vec<Requirement>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Kernel,
    Program,
    Fix,
    Optimise,
    Predict,
}

/// A buffer in device memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    pub name: String,
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Extents as formulas, slowest first: `["rows", "cols"]` is row-major.
    pub shape: Vec<String>,
    pub role: Role,
    /// How an input is filled; outputs are poisoned.
    #[serde(default)]
    pub fill: Option<Fill>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Filled before the launches; writing to it is a finding.
    In,
    /// Poisoned before the launches; compared after.
    Out,
    /// Filled, then changed in place and compared.
    InOut,
    /// Poisoned; neither compared nor required to be written.
    Scratch,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ElementType {
    F16,
    Bf16,
    F32,
    F64,
    I8,
    U8,
    I32,
    U32,
    I64,
    U64,
}

/// Random values, fresh for each run and case, never all the same.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fill {
    /// Whole numbers in `low..=high` (exact in every type): sums can be compared exactly.
    Integers { low: i64, high: i64 },
    /// Uniform in `[low, high)`.
    Uniform { low: f64, high: f64 },
    /// Standard normal.
    Normal,
    /// 0, 1, 2, …: only where the lesson is about positions.
    Iota,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// Name of the `extern "C" __global__` function.
    pub kernel: String,
    /// One to three formulas, x first. Blocks.
    pub grid: Vec<String>,
    /// One to three formulas, x first. Threads a block.
    pub block: Vec<String>,
    /// Dynamic shared memory in bytes, a formula.
    #[serde(default)]
    pub shared_bytes: Option<String>,
    /// Buffer names, or formulas with their C type: `"n: i32"`, `"rows*cols: i32"`.
    pub args: Vec<String>,
}

/// One set of sizes, `{ n = 8 }`.
pub type Case = BTreeMap<String, i64>;

/// `got` passes when `|got - want| <= abs + rel * |want|`. Both zero: equal.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    #[serde(default)]
    pub abs: f64,
    #[serde(default)]
    pub rel: f64,
}

/// A bar on a counter of [`crate::sim::Counts::named`], summed over the case's launches.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    pub counter: String,
    /// Formulas in the case's sizes.
    #[serde(default)]
    pub at_most: Option<String>,
    #[serde(default)]
    pub at_least: Option<String>,
    /// What the learner should think of when it is missed.
    pub why: String,
}
