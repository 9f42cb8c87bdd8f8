//! Evaluates the ledger of claims: runs the lessons' own code and applies formulas to the measurements, to obtain
//! our figures next to a notebook's.
//!
//! Times of kernels are measured where there is a GPU. Times of whole programs are only modelled: their host code
//! runs in an interpreter, which makes it, and copies of pageable memory, several times slower than compiled code
//! (`tests/gpu/programs.md`), so a measured ratio of two programs would mostly describe the interpreter. Their
//! counts are the same everywhere.

use super::counter::{Counted, Counter};
use super::kernel::PreparedKernel;
use super::measure::Measured;
use super::named;
use super::number::Ratio;
use super::options::Options;
use super::program::PreparedProgram;
use crate::course::{Case, ClaimValue, Course, Formula, Lesson, LessonCode};
use anyhow::{Context, Result, bail};
use compiler::Compiler;
use host::device::model::Model;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;
use std::sync::Arc;

/// A source of measured instead of modelled times: a GPU.
pub trait Stopwatch {
    /// Returns the GPU's name.
    fn name(&self) -> &str;
    /// Returns the total time, in nanoseconds, of the launches called `launch` (of all launches for `all`) when
    /// `source` provides the kernels of `lesson` in case number `case` (from 0).
    ///
    /// # Errors
    ///
    /// Fails if they do not run, or can't be timed.
    fn ns(&self, lesson: &Lesson, source: &str, case: usize, launch: &str) -> Result<i64>;
}

/// An evaluated figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Sizes, as text.
    pub case: Case,
    pub modelled: f64,
    /// The value measured on the present GPU, where there is one and the figure can be measured.
    pub measured: Option<f64>,
}

/// Evaluates figures of the ledger. What was run for one figure serves the others too.
pub struct Figures<'a> {
    course: &'a Course,
    /// The GPU that is modelled: a name of [`Model::names`].
    gpu: &'a str,
    compiler: &'a Compiler,
    stopwatch: Option<&'a dyn Stopwatch>,
    options: &'a Options,
    measured: RefCell<BTreeMap<Run, Rc<Measured>>>,
    tallied: RefCell<BTreeMap<Run, Rc<[Counted]>>>,
}

/// A run of a lesson's code: the lesson's slug, the code, and the number of the case.
type Run = (String, LessonCode, usize);

impl<'a> Figures<'a> {
    pub fn new(
        course: &'a Course,
        gpu: &'a str,
        compiler: &'a Compiler,
        stopwatch: Option<&'a dyn Stopwatch>,
        options: &'a Options,
    ) -> Figures<'a> {
        let (measured, tallied) = Default::default();
        Figures { course, gpu, compiler, stopwatch, options, measured, tallied }
    }

    /// Evaluates one figure; `None` if its lesson does not exist yet.
    ///
    /// # Errors
    ///
    /// Fails if the ledger or the environment is at fault.
    pub fn figure(&self, value: &ClaimValue) -> Result<Option<Figure>> {
        let Some(lesson) = self.course.lesson(&value.lesson) else { return Ok(None) };
        Model::named(self.gpu)?;
        let place = format!("lessons/claims.toml: {}: {}", value.lesson, value.says);
        let cases = &lesson.spec.cases;
        let case = cases.iter().position(|case| value.at.as_ref().is_none_or(|at| at == case));
        let case = case.with_context(|| format!("{place}: the lesson has no such case"))?;
        let (modelled, measured) = match lesson.spec.is_program() {
            // The module documentation says why nothing is measured here.
            true => (self.of_program(lesson, value, &place, case)?, None),
            false => self.of_kernels(lesson, value, &place, case)?,
        };
        let case = cases.get(case).cloned().unwrap_or_default();
        Ok(Some(Figure { case, modelled, measured }))
    }

    /// Evaluates a figure of kernels: modelled, and as the GPU here measures it, if it can.
    fn of_kernels(
        &self,
        lesson: &Lesson,
        value: &ClaimValue,
        place: &str,
        case: usize,
    ) -> Result<(f64, Option<f64>)> {
        let mut runs = BTreeMap::new();
        for name in value.names() {
            let (whose, _) = split(name, place)?;
            let run = || {
                let source = code(lesson, whose, name, place)?;
                let kernel =
                    PreparedKernel::new(lesson, source, &lesson.slug, self.compiler, &Arc::default())?;
                kernel.measure(case, self.options).map(Rc::new).with_context(|| place.to_owned())
            };
            runs.insert(whose, once(&self.measured, (lesson.slug.clone(), whose, case), run)?);
        }
        let modelled = evaluate(value, place, &|name| {
            let (whose, rest) = split(name, place).map_err(|error| error.to_string())?;
            let measured = runs.get(&whose).ok_or("it was not run")?;
            on_model(measured, rest, self.gpu)
        })?;
        let times = |name: &str| {
            let (whose, rest) = split(name, place).map_err(|error| error.to_string())?;
            let Some(stopwatch) = self.stopwatch else { return Err("there is no GPU".into()) };
            match rest.strip_suffix(".ns") {
                Some(launch) => {
                    let source = source(lesson, whose).ok_or("there is no such code")?;
                    stopwatch.ns(lesson, source, case, launch).map_err(|error| format!("{error:#}"))
                }
                // Counts are the same everywhere.
                None => runs.get(&whose).ok_or("it was not run")?.value(rest),
            }
        };
        // Modelled values that are not the total time of a launch cannot be measured from outside.
        let measurable = value.names().all(|name| {
            split(name, place).is_ok_and(|(whose, rest)| {
                rest.ends_with(".ns") || runs.get(&whose).is_some_and(|measured| measured.value(rest).is_ok())
            })
        });
        let measured = match (self.stopwatch, measurable) {
            (Some(_), true) => Some(evaluate(value, place, &times)?),
            _ => None,
        };
        Ok((modelled, measured))
    }

    /// Evaluates a figure of a whole program.
    fn of_program(&self, lesson: &Lesson, value: &ClaimValue, place: &str, case: usize) -> Result<f64> {
        let mut on_gpu = lesson.clone();
        on_gpu.spec.change(|spec| {
            spec.model = self.gpu.to_owned();
            spec.machines.iter_mut().for_each(|gpus| gpus.fill(self.gpu.to_owned()));
        });
        let mut runs = BTreeMap::new();
        for name in value.names() {
            let (whose, _) = split(name, place)?;
            let run = || {
                let source = code(&on_gpu, whose, name, place)?;
                let (slug, cache) = (&lesson.slug, Arc::default());
                let program = PreparedProgram::new(&on_gpu, source, slug, self.compiler, &cache)?;
                program.tally(case, self.options).map(Rc::from).with_context(|| place.to_owned())
            };
            runs.insert(whose, once(&self.tallied, (lesson.slug.clone(), whose, case), run)?);
        }
        evaluate(value, place, &|name| {
            let (whose, rest) = split(name, place).map_err(|error| error.to_string())?;
            let counter: Option<Counter> = named(rest);
            let counted = runs
                .get(&whose)
                .and_then(|counted| counted.iter().find(|counted| Some(counted.counter) == counter));
            let value =
                counted.ok_or_else(|| format!("no counter is called \"{}\"", rest.escape_debug()))?.value;
            i64::try_from(value).map_err(|_| format!("\"{name}\" is too large"))
        })
    }
}

/// Returns what is known of a run, or else makes it known.
fn once<T: Clone>(
    known: &RefCell<BTreeMap<Run, T>>,
    run: Run,
    make: impl FnOnce() -> Result<T>,
) -> Result<T> {
    Ok(match known.borrow_mut().entry(run) {
        Entry::Occupied(found) => found.get().clone(),
        Entry::Vacant(place) => place.insert(make()?).clone(),
    })
}

fn split<'a>(name: &'a str, place: &str) -> Result<(LessonCode, &'a str)> {
    LessonCode::of(name)
        .with_context(|| format!("{place}: \"{}\" does not say whose code is run", name.escape_debug()))
}

/// Returns the source that `name` refers to.
fn code<'l>(lesson: &'l Lesson, whose: LessonCode, name: &str, place: &str) -> Result<&'l str> {
    source(lesson, whose).with_context(|| format!("{place}: {name}"))
}

/// Returns the source that a name refers to, or `None` if the lesson has none.
fn source(lesson: &Lesson, whose: LessonCode) -> Option<&str> {
    match whose {
        LessonCode::Starter => Some(&lesson.starter),
        LessonCode::Solution => Some(&lesson.solution),
        LessonCode::Kernels => lesson.kernels_source.as_deref(),
    }
}

/// Returns a counter of a launch, or else its modelled value of that name.
fn on_model(measured: &Measured, name: &str, gpu: &str) -> Result<i64, String> {
    match name.split_once('.') {
        Some((launch, row)) => measured
            .value(name)
            .or_else(|counter| measured.value(&format!("{launch}.{gpu}.{row}")).map_err(|_| counter)),
        None => Err(format!("\"{name}\" names a launch, but no value of it")),
    }
}

fn evaluate(value: &ClaimValue, place: &str, named: &dyn Fn(&str) -> Result<i64, String>) -> Result<f64> {
    let of = |formula: &Formula| match formula.value_with(named) {
        Ok(value) => Ok(value),
        Err(error) => bail!("{place}: {error}"),
    };
    let under = value.per.as_ref().map_or(Ok(1), of)?;
    let ratio = Ratio::new(of(&value.value)?, under);
    Ok(ratio.with_context(|| format!("{place}: `per` is zero"))?.to_f64())
}
