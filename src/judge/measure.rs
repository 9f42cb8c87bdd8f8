//! Measured values of a lesson's launches, by name, for the formulas of questions and claims.
//!
//! - `n`: a size of the case.
//! - `row.load_sectors`: a counter of the launch called `row` ([`Counter::of_kernels`] and [`SUMS`]). Launches of the
//!   same name are summed; `all.load_sectors` is the sum over all launches.
//! - `row.t4.ns`: a value modelled for a GPU (the names of [`Model::names`] and of [`MODELLED`]). For every entry
//!   of [`BOUNDS`] there are `row.t4.memory_ns`, the modelled time if memory bandwidth were the only limit, and
//!   `row.t4.bound_by_memory`, which is 1 where that time is the longest of all bounds.
//! - `t4.memory_gbps`: a constant of that GPU ([`CONSTANTS`]).
//!
//! All values are integers.

use super::backend::{Program, Simulated};
use super::case_run::{CaseRun, LaunchRun, run_case};
use super::counter::{Counted, Counter};
use super::fill::inputs;
use super::measurement::{Measurement, Quantity};
use super::own_failure::OwnFailure;
use super::signature::symbols;
use crate::course::{AuthorError, Case, Lesson};
use Quantity::{Nanoseconds, Number, YesNo};
use anyhow::{Result, anyhow};
use host::device::model::Model;
use sim::time::{Bound, KernelWork, Modelled, duration};
use sim::{Class, Counts};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A sum of a launch's counters: name, meaning, value.
type Sum = (&'static str, &'static str, fn(&Counts) -> u64);
const SUMS: [Sum; 5] = [
    ("flops", "floating-point operations, a multiply-add is two", |c| {
        let f = &c.flops;
        f.f16 + f.bf16 + f.tf32 + f.f32 + f.f64
    }),
    ("load_bytes", "bytes that threads load", |c| c.global_loads.bytes),
    ("store_bytes", "bytes that threads store", |c| c.global_stores.bytes),
    ("bytes", "bytes that threads load and store", |c| c.global_loads.bytes + c.global_stores.bytes),
    ("sector_bytes", "bytes of all sectors loaded and stored", |c| {
        32 * (c.global_loads.units + c.global_stores.units)
    }),
];

/// The modelled launches of one name on one GPU.
struct OnGpu {
    launches: Vec<Modelled>,
    model: Model,
}

/// A modelled value: name, quantity, meaning, function that computes it.
type Row = (&'static str, Quantity, &'static str, fn(&OnGpu) -> f64);
static MODELLED: [Row; 5] = [
    ("ns", Nanoseconds, "modelled time", |on| on.launches.iter().map(|m| m.ns as f64).sum()),
    (
        "elapsed_ns",
        Nanoseconds,
        "modelled time from the first launch call to the end of the work",
        elapsed_ns,
    ),
    ("dram_bytes", Number, "modelled bytes to and from device memory", |on| {
        on.launches.iter().map(|m| m.dram_bytes as f64).sum()
    }),
    ("l2_bytes", Number, "modelled bytes to and from the L2 cache", |on| {
        on.launches.iter().map(|m| m.l2_bytes as f64).sum()
    }),
    ("resident_blocks", Number, "modelled blocks on a multiprocessor at once", |on| {
        on.launches.iter().map(|m| f64::from(m.resident_blocks)).fold(0.0, f64::max)
    }),
];

/// What can limit a launch's speed, with the name used in formulas.
static BOUNDS: [(&str, Bound); 11] = [
    ("issue", Bound::Issue),
    ("pipe", Bound::Pipe),
    ("matrix", Bound::Matrix),
    ("shared", Bound::Shared),
    ("l1", Bound::L1),
    ("l2", Bound::L2),
    ("memory", Bound::Memory),
    ("atomic", Bound::Atomic),
    ("latency", Bound::Latency),
    ("blocks", Bound::Blocks),
    ("launch", Bound::Launch),
];

/// A value of the time model that formulas may name.
enum ModelledRow {
    Of(&'static Row),
    /// The time if this were the only limit.
    Alone(&'static (&'static str, Bound)),
    /// Whether this limits the launches.
    BoundBy(&'static (&'static str, Bound)),
}

impl ModelledRow {
    fn all() -> impl Iterator<Item = ModelledRow> {
        let of_bounds = BOUNDS.iter().flat_map(|row| [ModelledRow::Alone(row), ModelledRow::BoundBy(row)]);
        MODELLED.iter().map(ModelledRow::Of).chain(of_bounds)
    }
}

impl fmt::Display for ModelledRow {
    /// Writes the name in formulas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelledRow::Of((name, ..)) => f.write_str(name),
            ModelledRow::Alone((name, _)) => write!(f, "{name}_ns"),
            ModelledRow::BoundBy((name, _)) => write!(f, "bound_by_{name}"),
        }
    }
}

/// A constant of a GPU: name, quantity, meaning, value.
type Constant = (&'static str, Quantity, &'static str, fn(&Model) -> f64);
const CONSTANTS: [Constant; 7] = [
    ("sms", Number, "multiprocessors", |m| f64::from(m.gpu.sms)),
    ("f32_gflops", Number, "GFLOP/s in f32 at best, as modelled", |m| {
        let results = m.gpu.results_per_cycle.of(Class::Float32);
        2.0 * results * f64::from(m.gpu.sms) * m.gpu.clock_ghz
    }),
    ("f16_matrix_gflops", Number, "GFLOP/s of the matrix units in f16 at best, as modelled", |m| {
        m.gpu.matrix.f16 * f64::from(m.gpu.sms) * m.gpu.clock_ghz
    }),
    ("memory_gbps", Number, "GB/s that a copy reaches, as modelled", |m| m.gpu.dram_rate()),
    ("l2_bytes", Number, "bytes of the L2 cache", |m| m.gpu.l2_bytes as f64),
    ("launch_call_ns", Nanoseconds, "time that a launch call keeps the host, as modelled", |m| {
        m.host.launch_ns as f64
    }),
    ("kernel_ns", Nanoseconds, "time that an empty kernel takes on the GPU, as modelled", |m| {
        m.gpu.kernel_start_ns + m.gpu.kernel_end_ns
    }),
];

/// Models the time from the first launch call to the end of the last kernel: the host issues launches one after the
/// other, and the GPU runs them in that order. In nanoseconds.
fn elapsed_ns(on: &OnGpu) -> f64 {
    let (host, queue) = (&on.model.host, &on.model.queue);
    let mut issued = 0.0;
    let mut end: Option<f64> = None;
    for kernel in &on.launches {
        issued += host.launch_ns as f64;
        let arrived = issued + queue.latency_ns as f64;
        let start = end.map_or(arrived, |end| arrived.max(end + queue.kernel_gap_ns as f64));
        end = Some(start + kernel.ns as f64);
    }
    end.unwrap_or(0.0)
}

/// In place of a launch's name: all launches.
pub const ALL: &str = "all";

/// One launch that was executed.
struct Ran {
    name: String,
    work: KernelWork,
}

/// Everything measured of a lesson in one case.
pub struct Measured {
    case: Case,
    ran: Vec<Ran>,
    modelled: Mutex<BTreeMap<(String, String), Arc<OnGpu>>>,
}

/// Runs case number `case` (from 0) of a lesson and keeps the counters.
///
/// # Errors
///
/// Fails if the lesson's kernels do not run to their end without a finding.
pub(super) fn measure(
    lesson: &Lesson,
    program: &Simulated,
    case: usize,
    seed: u64,
) -> Result<(Measured, CaseRun)> {
    let spec = &lesson.spec;
    let absent = || kernels_fault(lesson, &format!("there is no case {case}"));
    let sizes = spec.cases.get(case).ok_or_else(absent)?;
    let sized = lesson.sized(sizes)?;
    let fail = |failure| kernels_failure(lesson, OwnFailure::in_case(failure, sizes));
    let symbols = symbols(spec, program.signatures()).map_err(fail)?;
    let initial = inputs(lesson, &sized, case, seed);
    let case_run = run_case(program, spec, &sized, &symbols, &initial)
        .map_err(|broken| broken.why.into_own_error(fail))?;
    if let Some(finding) = case_run.findings.first() {
        return Err(kernels_fault(lesson, &format!("{} ({sizes})", finding.kind.slug())));
    }
    let ran = case_run.launches.iter().zip(&spec.launches);
    let ran = ran.map(|(ran, its)| Ran { name: its.called().to_owned(), work: kernel_work(program, ran) });
    let measured = Measured { case: sizes.clone(), ran: ran.collect(), modelled: Mutex::default() };
    Ok((measured, case_run))
}

const OWN_KERNELS: &str = "the lesson's own kernels";

/// Returns the error for kernels that cannot be measured: the author's if they are the lesson's own, because it asks
/// questions about them.
pub fn kernels_fault(lesson: &Lesson, message: &str) -> anyhow::Error {
    match lesson.kernels_source {
        Some(_) => AuthorError::new(lesson.kernels_path(), format!("{OWN_KERNELS}: {message}")).into(),
        None => anyhow!("{}: {message}", lesson.slug),
    }
}

/// The same, where they fail.
pub fn kernels_failure(lesson: &Lesson, failure: OwnFailure) -> anyhow::Error {
    let error = anyhow::Error::new(failure);
    match lesson.kernels_source {
        Some(_) => error.context(AuthorError::new(lesson.kernels_path(), OWN_KERNELS)),
        None => error.context(lesson.slug.clone()),
    }
}

/// Collects what the time model needs to know about a launch. Registers per thread are unknown: only a cubin states
/// them.
pub(super) fn kernel_work(program: &Simulated, ran: &LaunchRun) -> KernelWork {
    KernelWork::new(ran.counts.clone(), &ran.config, program.shared_bytes(&ran.symbol).into(), None)
}

impl Measured {
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Returns the names of the launches, each once, in the order in which they first run.
    pub fn launches(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for ran in &self.ran {
            if !names.contains(&ran.name.as_str()) {
                names.push(&ran.name);
            }
        }
        names
    }

    /// Returns every counter and modelled value of the launch called `launch`, modelled on `gpu`. Zeros are left
    /// out.
    ///
    /// # Errors
    ///
    /// Fails with a message if there is no such launch or model.
    pub fn everything(&self, launch: &str, gpu: &str) -> Result<Vec<Measurement>, String> {
        let counted = Counter::of_kernels().map(|counter| counter.to_string());
        let counted = counted.chain(SUMS.map(|(name, ..)| name.to_owned()));
        let names = counted.chain(ModelledRow::all().map(|row| format!("{gpu}.{row}")));
        let all: Result<Vec<_>, _> =
            names.map(|name| self.measurement(&format!("{launch}.{name}"))).collect();
        Ok(all?.into_iter().filter(|measurement| measurement.value != 0).collect())
    }

    /// Returns the value of a name.
    ///
    /// # Errors
    ///
    /// Fails with a message if there is no such value.
    pub fn value(&self, name: &str) -> Result<i64, String> {
        self.measurement(name).map(|measurement| measurement.value)
    }

    /// Returns the value of a name together with its meaning.
    ///
    /// # Errors
    ///
    /// Fails with a message if there is no such value.
    pub fn measurement(&self, name: &str) -> Result<Measurement, String> {
        let parts: Vec<&str> = name.split('.').collect();
        match parts.as_slice() {
            [size] => {
                let known = || self.case.keys().collect::<Vec<_>>().join(", ");
                let value = self.case.get(size).copied();
                let value = value.ok_or_else(|| unknown("size", size, &known()))?;
                Ok(Measurement::counted(name, value, "a size"))
            }
            [gpu, row] if Model::names().any(|model| model == *gpu) => {
                let model = Model::named(gpu).map_err(|error| format!("{error:#}"))?;
                let known = || CONSTANTS.map(|(name, ..)| name).join(", ");
                let (_, quantity, meaning, value) = (CONSTANTS.iter().find(|(its, ..)| its == row))
                    .ok_or_else(|| unknown("constant of a GPU", row, &known()))?;
                let meaning = format!("{meaning}: {}", article(&model));
                Ok(Measurement {
                    modelled: true,
                    quantity: *quantity,
                    ..Measurement::counted(name, whole(value(&model))?, &meaning)
                })
            }
            [launch, counter] => {
                let counts = self.counts(launch)?;
                let counted = Counted::of_kernels(&counts)
                    .map(|its| (its.counter.to_string(), its.value, its.counter.meaning()));
                let sums = SUMS.iter().map(|(name, meaning, sum)| (name.to_string(), sum(&counts), *meaning));
                let all: Vec<_> = counted.chain(sums).collect();
                let known = || all.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>().join(", ");
                let (_, value, meaning) = all
                    .iter()
                    .find(|(name, ..)| name == counter)
                    .ok_or_else(|| unknown("counter", counter, &known()))?;
                let value = i64::try_from(*value).map_err(|_| format!("\"{name}\" is too large"))?;
                Ok(Measurement::counted(name, value, meaning))
            }
            [launch, gpu, row] => {
                let on = self.on_gpu(launch, gpu)?;
                modelled(&on, row, name)
            }
            _ => Err(format!("\"{name}\" is not the name of a measured value: it has too many parts")),
        }
    }

    /// Iterates over the launches of a name; all launches for [`ALL`].
    fn ran<'a>(&'a self, launch: &'a str) -> impl Iterator<Item = &'a Ran> {
        self.ran.iter().filter(move |ran| launch == ALL || ran.name == launch)
    }

    /// Returns the summed counters of all launches of a name.
    fn counts(&self, launch: &str) -> Result<Counts, String> {
        let mut ran = self.ran(launch).peekable();
        if ran.peek().is_none() {
            let names: Vec<&str> = self.ran.iter().map(|ran| ran.name.as_str()).collect();
            return Err(unknown("launch", launch, &names.join(", ")));
        }
        let mut sum = Counts::default();
        ran.for_each(|ran| sum.add(&ran.work.counts));
        Ok(sum)
    }

    fn on_gpu(&self, launch: &str, gpu: &str) -> Result<Arc<OnGpu>, String> {
        let key = (launch.to_owned(), gpu.to_owned());
        if let Some(known) = self.modelled.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(known.clone());
        }
        self.counts(launch)?;
        let model = Model::named(gpu).map_err(|error| format!("{error:#}"))?;
        let launches = self.ran(launch).map(|ran| duration(&model.gpu, &ran.work)).collect();
        let on = Arc::new(OnGpu { launches, model });
        self.modelled.lock().unwrap_or_else(PoisonError::into_inner).insert(key, on.clone());
        Ok(on)
    }
}

/// Computes a value of the time model by its name.
fn modelled(on: &OnGpu, row: &str, name: &str) -> Result<Measurement, String> {
    let measured = |value: f64, quantity: Quantity, meaning: &str| {
        Ok(Measurement { modelled: true, quantity, ..Measurement::counted(name, whole(value)?, meaning) })
    };
    let parts = |wanted: Bound| -> f64 {
        let all = on.launches.iter().flat_map(|launch| &launch.parts);
        all.filter(|(bound, _)| *bound == wanted).map(|(_, ns)| ns).sum()
    };
    let gpu = article(&on.model);
    match ModelledRow::all().find(|its| its.to_string() == row) {
        Some(ModelledRow::Of((_, quantity, meaning, value))) => {
            measured(value(on), *quantity, &format!("{meaning} on {gpu}"))
        }
        Some(ModelledRow::Alone((_, bound))) => {
            let meaning = format!("modelled time of {} alone on {gpu}", bound.name());
            measured(parts(*bound), Nanoseconds, &meaning)
        }
        Some(ModelledRow::BoundBy((_, bound))) => {
            let longest = BOUNDS.iter().map(|(_, bound)| parts(*bound)).fold(0.0, f64::max);
            let meaning = format!("limited by {} on {gpu}, as modelled", bound.name());
            measured(f64::from(parts(*bound) >= longest), YesNo, &meaning)
        }
        None => {
            let rows = MODELLED.map(|(name, ..)| name).join(", ");
            let bounds = BOUNDS.map(|(name, _)| name).join(", ");
            let known = format!("{rows}, and for each of {bounds}: …_ns and bound_by_…");
            Err(unknown("modelled value", row, &known))
        }
    }
}

fn whole(value: f64) -> Result<i64, String> {
    let rounded = value.round();
    if rounded.abs() < 9e18 { Ok(rounded as i64) } else { Err("a modelled value is not finite".into()) }
}

/// Returns the GPU's name with its indefinite article: `a Tesla T4`.
fn article(model: &Model) -> String {
    let name = model.properties.name.trim_start_matches("NVIDIA ");
    // The name of the letter "H" starts with a vowel.
    let vowel = name.starts_with(['A', 'E', 'H', 'I', 'O']);
    format!("{} {name}", if vowel { "an" } else { "a" })
}

fn unknown(what: &str, name: &str, known: &str) -> String {
    format!("no {what} is called \"{}\"; there are: {known}", name.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Measured {
        let work = |sectors, requests| {
            let mut counts = Counts { launches: 1, blocks: 1, warps: 8, threads: 256, ..Counts::default() };
            counts.global_loads.units = sectors;
            counts.global_loads.requests = requests;
            counts.global_loads.bytes = 32 * sectors;
            KernelWork { counts, blocks: 1, threads: 256, registers: None, shared_bytes: 0, cached_bytes: 0 }
        };
        let ran = |name: &str, sectors| Ran { name: name.into(), work: work(sectors, 8) };
        Measured {
            case: [("n".to_owned(), 33)].into_iter().collect(),
            ran: vec![ran("row", 32), ran("col", 256), ran("row", 32)],
            modelled: Mutex::default(),
        }
    }

    #[test]
    fn names_reach_sizes_counters_models_and_gpus() {
        let m = measured();
        for (name, wanted) in [
            ("n", 33),
            ("row.load_sectors", 64),
            ("col.load_requests", 8),
            ("row.launches", 2),
            ("t4.sms", 40),
        ] {
            assert_eq!(m.value(name), Ok(wanted), "{name}");
        }
        assert_eq!(m.value("row.bytes"), Ok(64 * 32));
        let t4 = Model::named("t4").unwrap();
        let one = duration(&t4.gpu, &m.ran[1].work);
        assert_eq!(m.value("col.t4.ns"), Ok(one.ns as i64));
        let called = t4.host.launch_ns + t4.queue.latency_ns;
        assert_eq!(m.value("col.t4.elapsed_ns"), Ok((called + one.ns) as i64));
        assert!(m.value("row.t4.elapsed_ns").unwrap() > m.value("row.t4.ns").unwrap());
        let bounds = BOUNDS.map(|(name, _)| m.value(&format!("col.t4.bound_by_{name}")).unwrap());
        assert_eq!(bounds.iter().sum::<i64>(), 1);
        assert!(m.value("col.t4.latency_ns").unwrap() > 0);
        assert_eq!(m.measurement("row.load_sectors").unwrap().meaning, "32-byte sectors loaded");
        assert!(m.measurement("col.t4.ns").unwrap().meaning.contains("modelled"));
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_there_are() {
        for (name, says) in [
            ("m", "no size is called \"m\"; there are: n"),
            ("rew.load_sectors", "no launch is called \"rew\"; there are: row, col, row"),
            ("row.sectors", "no counter is called \"sectors\"; there are: launches, blocks"),
            ("row.t4.time", "no modelled value is called \"time\"; there are: ns, "),
            ("row.gtx.ns", "no model of a GPU is called `gtx`"),
            ("t4.speed", "no constant of a GPU is called \"speed\"; there are: sms"),
            ("a.b.c.d", "too many parts"),
        ] {
            assert!(measured().value(name).unwrap_err().contains(says), "{:?}", measured().value(name));
        }
    }
}
