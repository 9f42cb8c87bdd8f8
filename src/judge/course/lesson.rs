//! The format of `lesson.toml`.
//!
//! A lesson is a folder `lessons/<part>/<slug>/` with `lesson.toml` and `lesson.md`, a starter
//! `kernels/<part>/<slug>.cu`, a solution `solutions/<part>/<slug>.cu` and wrong kernels
//! `tests/wrong/<slug>/*.cu`. Every key, by example:
//!
//! ```toml
//! order = 30                       # place in its part, lowest first; leave gaps of ten
//! title = "Sum inside each block"  # one line, plain words
//! kind = "kernel"                  # kernel, program, fix, optimise or predict
//! minutes = 25                     # for a newcomer
//! needs = ["shared"]               # optional: slugs of lessons whose ideas it uses
//! starter = "wrong-result: untouched"  # verdict the starter must get; the pattern is optional
//! hints = ["A nudge.", "The concept.", "Nearly the code."]  # exactly three
//! reference = "block-sum"          # a CPU reference in judge/reference, "reference.cu", or "expected": every case
//!                                  #   says what each output must hold
//! compute_capability = "8.0"       # optional, as here: what it is compiled for; "9.0a" where it needs what
//!                                  #   Hopper alone has (wgmma): a GPU must then be of 9.0 exactly
//! step_budget = 20_000_000         # optional, as here: warp instructions before "endless loop"
//! no_advice = ["uncoalesced"]      # optional: kinds of advice that are not given here, since a right solution
//!                                  #   of the lesson would get them
//!
//! cases = [{ n = 8 }, { n = 15 }, { n = 33 }]  # all with the same names, in one order; the first is the story's;
//!                                  #   values of its own that a case may have: see CaseData
//!
//! [[buffers]]                      # the reference sees inputs, then outputs, in this order
//! name = "out"
//! type = "i32"                     # f16 bf16 f32 f64 i8 u8 i32 u32 i64 u64
//! shape = ["ceil_div(n, 8)"]       # extents, slowest first: ["rows", "cols"] is row-major
//! role = "out"                     # in, out, in-out or scratch
//! writer = "block"                 # optional: who writes an element (see Writer)
//! begins = "zero"                  # optional, of out and scratch: zeros to add to; unset if left out
//! compare = { first = "n / 2", order = "any" }  # optional, of out and in-out: see Compare
//!
//! [[buffers]]
//! name = "in"
//! type = "i32"
//! shape = ["n"]
//! role = "in"
//! fill = { kind = "integers", low = -9, high = 9 }  # for in and in-out, see Fill; halves for floats
//!
//! [[launches]]                     # run one after the other on the same buffers
//! kernel = "block_sum"
//! grid = ["ceil_div(n, 8)"]        # one to three, x first: blocks
//! block = [8]                      # one to three, x first: threads a block
//! shared_bytes = "4 * 8"           # optional: dynamic shared memory
//! args = ["out", "in", "n: i32"]   # buffer names, or formulas with their C type
//! name = "sum"                     # optional: what formulas call it, where not by its kernel
//!
//! [tolerance]                      # optional; absent means exactly equal
//! abs = 1e-5                       # got passes when |got - want| <= abs + rel * |want|
//! rel = 1e-5
//!
//! [[requirements]]                 # optional bars on the work of each case
//! counter = "global_reads_per_thread"  # a Counter
//! at_most = 1                      # or at_least; a formula in the case's sizes
//! why = "Read each element once, into shared memory."
//!
//! [constants]                      # optional: names for numbers in formulas that are no sizes
//! most_blocks = 64
//! ```
//!
//! `[bench]` and `[[gpu_bars]]`, which say what is timed on a GPU and how fast it must be there, are documented at
//! [`Bench`]; `[image]`, which shows a result of the kernels, at [`ImageSpec`].
//!
//! A `predict` lesson has questions instead of something to write: its kernels are in `kernels.cu` next to
//! lesson.toml, `reference` and `requirements` may be left out, and [`Question`] documents `[[questions]]`.
//!
//! An integer may be written wherever a formula may (see [`Formula`]).
//!
//! # Whole programs
//!
//! A lesson with `[[calls]]` in place of `[[launches]]` judges a whole program: host code and kernels in one file,
//! run on modelled GPUs. Everything above applies to it, and in addition:
//!
//! ```toml
//! kind = "program"                 # or fix, optimise
//! model = "a100"                   # optional, as here: which GPU is modelled; t4, a100 or h100
//! drawn_gpu = true                 # optional: the GPU of each case is like the model, with costs drawn from the seed
//! devices = 1                      # optional, as here: how many of them; `compute_capability` is theirs
//! machines = [["t4"], ["a100"]]    # in place of these: the GPUs of several machines, which cases take in turn
//!
//! [[buffers]]                      # as above; the tool makes them before the first call
//! memory = "host"                  # optional, as here: host (pageable), pinned, device or managed
//!
//! [[calls]]                        # one after the other, in one process
//! function = "scale_on_gpu"        # a function of the learner's file that runs on the host
//! args = ["in", "out", "n: i32"]   # as of launches
//! ```
//!
//! Each case starts in a fresh process on fresh GPUs; before the first call, device 0 has its context and the
//! kernels are loaded. Changing an input is a finding. The outputs must be right under several schedules, that is,
//! orders of work that the program leaves unordered. With `function = "main"`, which must be the lesson's only
//! call, nothing is prepared and `args` is a command line:
//!
//! ```toml
//! [[calls]]
//! function = "main"
//! args = ["--n", "{n}", "{seed}"]  # {…} is a formula; {seed} another number for each case and seed
//! ```
//!
//! Such a lesson has no buffers: what `main` prints, and its exit code, are compared with those of `reference.cu`,
//! line by line. Numbers may differ within `tolerance`, or within a separate tolerance for lines that start with a
//! certain word:
//!
//! ```toml
//! [line_tolerances]
//! loss = { rel = 0.001 }           # lines that begin with this word
//! ```
//!
//! Requirements have two more sources of counters: [`Counter::of_programs`] (operations that the host requested, and
//! the modelled time), and `speedup_over_starter_percent`, which is 100 times the modelled time of the starter
//! divided by that of the learner's program, in the same case.

use super::bench::{Bench, GpuBar};
use super::call::Call;
use super::capability::ComputeCapability;
use super::case::{self, Case};
use super::fill::Fill;
use super::formula::Formula;
use super::image::ImageSpec;
use super::question::Question;
use crate::{Counter, named};
use host::device::ElementType;
use host::program::MemoryKind;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use std::collections::BTreeMap;
use std::fmt;

/// The contents of `lesson.toml`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Position in its part: lowest first.
    pub order: u32,
    /// The title, one line in plain words.
    pub title: String,
    pub kind: Kind,
    /// Approximate number of minutes that a newcomer needs.
    pub minutes: u32,
    /// Slugs of lessons whose ideas this one uses.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The verdict that the starter must get: a verdict slug such as `compile-error`, or `wrong-result: untouched`
    /// to name the pattern too.
    #[serde(default)]
    pub starter: String,
    /// Exactly three: a nudge, the concept, nearly the code.
    #[serde(default)]
    pub hints: Vec<String>,
    /// The buffers; empty where the output of `main` is judged.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// Launches that run one after the other on the same buffers. A lesson has either these or `calls`.
    #[serde(default)]
    pub launches: Vec<Launch>,
    /// Host functions that are called one after the other on the same buffers.
    #[serde(default)]
    pub calls: Vec<Call>,
    /// The cases, all with the same names. The first is the one that the lesson's text talks about.
    #[serde(deserialize_with = "case::with_data")]
    pub cases: Vec<Case>,
    #[serde(default)]
    pub reference: ReferenceSource,
    /// The questions of a `predict` lesson.
    #[serde(default)]
    pub questions: Vec<Question>,
    #[serde(default)]
    pub tolerance: Tolerance,
    /// Tolerances for lines that `main` prints, by the word that they start with.
    #[serde(default)]
    pub line_tolerances: BTreeMap<String, Tolerance>,
    /// Limits on the work done, checked in every case.
    #[serde(default)]
    pub requirements: Vec<Requirement>,
    /// Named numbers for formulas that are not sizes, such as the largest number of blocks in a grid.
    #[serde(default)]
    pub constants: Case,
    /// What is timed on a GPU.
    pub bench: Option<Bench>,
    /// Limits on the time on a GPU.
    #[serde(default)]
    pub gpu_bars: Vec<GpuBar>,
    /// Which result of the kernels is shown as an image.
    pub image: Option<ImageSpec>,
    #[serde(default)]
    pub compute_capability: ComputeCapability,
    /// Warp instructions per launch after which a block is considered endless.
    #[serde(default = "default_step_budget")]
    pub step_budget: u64,
    /// Kinds of advice that are suppressed because a right solution would get them, by [`sim::FindingKind::slug`].
    #[serde(default)]
    pub no_advice: Vec<String>,
    /// The GPU that is modelled, where `calls` are run.
    #[serde(default = "default_model")]
    pub model: String,
    /// Whether each case has a GPU like the model but with costs drawn from the seed: for programs that measure
    /// what things cost.
    #[serde(default)]
    pub drawn_gpu: bool,
    /// Number of GPUs of the modelled machine.
    #[serde(default = "default_devices")]
    pub devices: u32,
    /// The models of the GPUs of several machines, which the cases take in turn, in place of `model` and `devices`.
    #[serde(default)]
    pub machines: Vec<Vec<String>>,
}

impl Spec {
    /// Returns the models of the GPUs of every machine.
    pub fn machines(&self) -> Vec<Vec<String>> {
        match self.machines.is_empty() {
            true => vec![vec![self.model.clone(); self.devices as usize]],
            false => self.machines.clone(),
        }
    }

    /// Encodes everything that it says, for digests: different specs have different bytes.
    pub fn encoded(&self) -> Vec<u8> {
        compiler::wire::encode(self).expect("the number of elements is known of every sequence")
    }

    /// Returns the buffer of a name.
    pub fn buffer(&self, name: &str) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// Returns the index of the buffer of a name.
    pub fn buffer_index(&self, name: &str) -> Option<usize> {
        self.buffers.iter().position(|buffer| buffer.name == name)
    }

    /// Returns the outputs with their indices.
    pub fn outputs(&self) -> impl Iterator<Item = (usize, &Buffer)> {
        self.buffers.iter().enumerate().filter(|(_, buffer)| buffer.role.is_output())
    }

    /// Returns whether a requirement forbids atomics altogether.
    pub fn forbids_atomics(&self) -> bool {
        self.requirements.iter().any(|bar| {
            let most = bar.at_most.as_ref().and_then(|most| most.value(&Case::default()).ok());
            matches!(bar.counter, Some(Counter::GlobalAtomics | Counter::SharedAtomics)) && most == Some(0)
        })
    }
}

/// The source of the right answer.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(from = "String")]
pub enum ReferenceSource {
    /// Not given: a lesson that asks questions needs none.
    #[default]
    None,
    /// `reference.cu`, a file next to lesson.toml with the same kernels or functions, run on the simulator.
    File,
    /// `expected`: every case states the expected values of every output.
    Cases,
    /// The CPU reference of that name in `judge/reference`.
    Cpu(String),
}

impl From<String> for ReferenceSource {
    fn from(name: String) -> ReferenceSource {
        match name.as_str() {
            "" => ReferenceSource::None,
            "reference.cu" => ReferenceSource::File,
            "expected" => ReferenceSource::Cases,
            _ => ReferenceSource::Cpu(name),
        }
    }
}

impl fmt::Display for ReferenceSource {
    /// Writes the name in lesson.toml.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReferenceSource::None => "",
            ReferenceSource::File => "reference.cu",
            ReferenceSource::Cases => "expected",
            ReferenceSource::Cpu(name) => name,
        })
    }
}

fn default_step_budget() -> u64 {
    20_000_000
}

pub(super) fn default_model() -> String {
    "a100".into()
}

pub(super) fn default_devices() -> u32 {
    1
}

/// What a lesson asks for.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// To write device code; the tool launches it.
    Kernel,
    /// To write a whole CUDA program.
    Program,
    /// To find and fix a bug.
    Fix,
    /// To make code faster that is right but slow.
    Optimise,
    /// To predict what kernels do before running them.
    Predict,
}

/// A buffer, in device memory unless `memory` says otherwise.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    pub name: String,
    #[serde(rename = "type")]
    pub ty: ElementType,
    /// Extents, slowest dimension first: `["rows", "cols"]` is row-major.
    pub shape: Vec<Formula>,
    pub role: Role,
    /// The kind of memory, where the buffer is passed to `calls`.
    #[serde(default)]
    pub memory: MemoryKind,
    /// How an input is filled, unless the case gives its contents.
    pub fill: Option<Fill>,
    /// What an output or scratch buffer holds before the first launch.
    #[serde(default)]
    pub begins: Begins,
    /// Which part of an output must be right, and whether its order matters.
    #[serde(default)]
    pub compare: Compare,
    /// Which thread should write an element of an output, so that a mismatch can name the thread.
    #[serde(default)]
    pub writer: Writer,
}

/// The initial contents of a buffer that is not an input.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Begins {
    /// Uninitialised: reading an element that was not written is a finding, and every element must be written.
    #[default]
    Unset,
    /// Zeros: kernels may add to them and need not write them.
    Zero,
}

/// How an output is compared.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Compare {
    /// How many leading elements are compared, for a buffer with one extent: a formula, or the name of an output
    /// with one element whose right value is the number. All elements if left out.
    pub first: Option<Formula>,
    #[serde(default)]
    pub order: Order,
}

/// Whether the positions of values matter.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Each value at its position.
    #[default]
    Same,
    /// The same values, each equally often, in any order.
    Any,
}

/// What kernels do with a buffer.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Filled before the launches; writing to it is a finding.
    In,
    /// Poisoned before the launches; compared after them.
    Out,
    /// Filled, changed in place by the kernels, and compared.
    InOut,
    /// Poisoned; neither compared nor required to be written.
    Scratch,
}

impl fmt::Display for Role {
    /// Writes the name in `lesson.toml`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl Role {
    /// Returns whether the buffer is filled before the launches.
    pub fn is_input(self) -> bool {
        matches!(self, Role::In | Role::InOut)
    }

    /// Returns whether the buffer is compared with the reference.
    pub fn is_output(self) -> bool {
        matches!(self, Role::Out | Role::InOut)
    }
}

/// Which thread writes which element of an output.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Writer {
    /// Element (…, row, column) is written by the thread of the last launch with global coordinates x = column, y =
    /// row; not reported where the grid is too small.
    #[default]
    Thread,
    /// Element i is written by some thread of block i.
    Block,
    /// The lesson leaves it open.
    Any,
}

/// One launch of a kernel.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// Name of the `__global__` function.
    pub kernel: String,
    /// Number of blocks: one to three extents, x first.
    pub grid: Vec<Formula>,
    /// Threads per block: one to three extents, x first.
    pub block: Vec<Formula>,
    /// Dynamic shared memory in bytes.
    pub shared_bytes: Option<Formula>,
    pub args: Vec<Argument>,
    /// The name in formulas over measured values; the kernel's name if left out. Launches with the same name are
    /// summed.
    pub name: Option<String>,
}

impl Launch {
    /// Returns the name in formulas over measured values.
    pub fn called(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.kernel)
    }
}

/// An argument of a launch: `"out"` is a buffer, `"rows * cols: i32"` a formula with its type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Argument {
    Buffer(String),
    Value { formula: Formula, ty: ElementType },
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Argument::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Argument {
    pub(super) fn parse(text: &str) -> Result<Argument, String> {
        let Some((formula, ty)) = text.split_once(':') else {
            return Ok(Argument::Buffer(text.trim().to_owned()));
        };
        let formula = Formula::parse(formula.trim()).map_err(|error| error.to_string())?;
        match named::<ElementType>(ty.trim()) {
            Some(ElementType::F16 | ElementType::Bf16) | None => Err(format!(
                "\"{}\" is not an argument type: use i8, u8, i32, u32, i64, u64, f32 or f64",
                ty.trim().escape_debug()
            )),
            Some(ty) => Ok(Argument::Value { formula, ty }),
        }
    }
}

/// The tolerance of a comparison: `got` passes if `|got - want| <= abs + rel * |want|`. With both zero, values must
/// be equal.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    #[serde(default)]
    pub abs: f64,
    #[serde(default)]
    pub rel: f64,
}

/// A limit on a counter.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// `None` stands for an unknown name, which validation refuses.
    #[serde(deserialize_with = "known_counter")]
    pub counter: Option<Counter>,
    pub at_most: Option<Formula>,
    pub at_least: Option<Formula>,
    /// A hint for learners who miss it.
    pub why: String,
}

fn known_counter<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Counter>, D::Error> {
    Ok(named(&String::deserialize(deserializer)?))
}

#[cfg(test)]
mod tests {
    use super::Spec;

    #[test]
    fn whatever_a_spec_says_is_encoded() {
        let encoded = |more: &str| {
            let needed = "order = 1\ntitle = \"T\"\nkind = \"kernel\"\nminutes = 1\ncases = [{ n = 1 }]\n";
            toml::from_str::<Spec>(&format!("{needed}{more}")).unwrap().encoded()
        };
        assert_eq!(encoded(""), encoded("step_budget = 20_000_000"));
        let buffer = "[[buffers]]\nname = \"b\"\ntype = \"f32\"\nrole = \"in\"\nshape = [";
        let all = [
            "",
            "starter = \"limit\"",
            "reference = \"limit\"",
            "[constants]\nm = 1",
            "[tolerance]\nabs = 1e-9",
            "[tolerance]\nrel = 1e-9",
            &format!("{buffer}\"n\"]"),
            &format!("{buffer}\"n\"]\nfill = {{ kind = \"normal\" }}"),
            &format!("{buffer}\"n\"]\nfill = {{ kind = \"iota\" }}"),
            &format!("{buffer}\"n \"]"),
        ];
        let all = all.map(encoded);
        for (n, one) in all.iter().enumerate() {
            assert!(all.iter().skip(n + 1).all(|other| other != one), "{n}");
        }
    }
}
