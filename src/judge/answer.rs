//! The right values of a case.

use super::backend::{Kernels, Program, Simulated};
use super::case_run::{Output, run_case};
use super::compile::compile_reference;
use super::lesson_cache::LessonCache;
use super::options::{Options, simulation};
use super::own_failure::OwnFailure;
use super::reference::{self, Buffer, Reference};
use super::signature::symbols;
use super::value::Values;
use super::wrong_output::first_wrong;
use crate::course::{AuthorError, Case, Lesson, ReferenceSource, SizedCase};
use anyhow::{Context, Result, bail};
use compiler::Compiler;
use std::sync::Arc;

/// The source of the right values.
pub enum Answer {
    Cpu(&'static Reference),
    /// The lesson's `reference.cu`.
    Kernel(Box<dyn Program>),
    /// Each case states its expected values.
    Cases,
}

impl Answer {
    /// Returns the answer of a lesson, independent of any submission.
    ///
    /// # Errors
    ///
    /// Fails if the lesson's reference does not compile or does not exist, or if the environment is at fault.
    pub fn of_lesson(lesson: &Lesson, compiler: &Compiler, options: &Options) -> Result<Answer> {
        let reference = compile_reference(lesson, compiler, &LessonCache::default())?;
        Answer::of(lesson, reference, simulation(lesson, options))
    }

    /// Returns the lesson's `reference.cu` where it has one, otherwise the reference that lesson.toml names.
    pub(super) fn of(
        lesson: &Lesson,
        reference: Option<Arc<Kernels>>,
        options: sim::Options,
    ) -> Result<Answer> {
        let Some(kernels) = reference else { return Answer::by_name(lesson) };
        let program = Simulated::new(kernels, lesson.spec.compute_capability, options);
        Ok(Answer::Kernel(Box::new(program)))
    }

    pub(super) fn by_name(lesson: &Lesson) -> Result<Answer> {
        let name = match &lesson.spec.reference {
            ReferenceSource::Cases => return Ok(Answer::Cases),
            other => other.to_string(),
        };
        reference::find(&name).map(Answer::Cpu).ok_or_else(|| {
            let known: Vec<_> = reference::TABLE.iter().map(|reference| reference.name).collect();
            let known = known.join(", ");
            let message = format!("reference: no CPU reference is called \"{name}\"; there are: {known}");
            AuthorError::of_key(lesson, "reference", message).into()
        })
    }

    /// Returns the right values of every output, in the order of lesson.toml.
    ///
    /// # Errors
    ///
    /// Fails if the case states expected values and the reference computes different ones.
    pub fn expected(
        &self,
        lesson: &Lesson,
        case: &Case,
        sized: &SizedCase,
        initial: &[Option<Values>],
    ) -> Result<Vec<Values>> {
        if matches!(self, Answer::Cases) {
            return Ok(stated(lesson, sized).flatten().cloned().collect());
        }
        let mut all = self.expected_for_inputs(lesson, case, sized, initial)?;
        agree(lesson, case, sized, &mut all)?;
        Ok(all)
    }

    /// Returns the right values of every output for inputs that may differ from those of the case.
    ///
    /// # Errors
    ///
    /// Fails if the reference does not run, or if the cases alone state what is right.
    pub fn expected_for_inputs(
        &self,
        lesson: &Lesson,
        case: &Case,
        sized: &SizedCase,
        initial: &[Option<Values>],
    ) -> Result<Vec<Values>> {
        let spec = &lesson.spec;
        match self {
            Answer::Cases => bail!("{}: only its cases say what is right", lesson.folder()),
            Answer::Cpu(reference) => reference_values(reference, lesson, case, sized, initial),
            Answer::Kernel(program) => {
                let own = || AuthorError::of_file(lesson.reference_path());
                let symbols =
                    symbols(spec, program.signatures()).map_err(OwnFailure::of).with_context(own)?;
                let case_run = run_case(program.as_ref(), spec, sized, &symbols, initial)
                    .map_err(|broken| broken.why.into_error(own()))?;
                if let Some(finding) = case_run.findings.first() {
                    let message = format!("{} ({case})", finding.kind.slug());
                    return Err(AuthorError::new(lesson.reference_path(), message).into());
                }
                Ok(case_run.outputs.into_iter().map(|output| output.got).collect())
            }
        }
    }
}

/// Returns the values that a case itself states for each output; `None` where it states none.
fn stated<'s>(lesson: &'s Lesson, sized: &'s SizedCase) -> impl Iterator<Item = Option<&'s Values>> {
    let all = lesson.spec.buffers.iter().zip(&sized.expected);
    all.filter(|(buffer, _)| buffer.role.is_output()).map(|(_, values)| values.as_ref())
}

/// Replaces reference values by those that the case states, after checking that they agree.
pub(super) fn agree(lesson: &Lesson, case: &Case, sized: &SizedCase, all: &mut [Values]) -> Result<()> {
    let computed = lesson.spec.outputs().zip(&*all).map(|((buffer, _), values)| Output {
        buffer,
        got: values.clone(),
        written: vec![true; values.count()],
    });
    let computed: Vec<Output> = computed.collect();
    for (place, stated) in stated(lesson, sized).enumerate() {
        let (Some(stated), Some(output)) = (stated, computed.get(place)) else { continue };
        if let Some((i, wanted, got)) = first_wrong(&lesson.spec, sized, stated, output, &computed) {
            let name = &lesson.spec.buffers[output.buffer].name;
            let message = format!(
                "cases: {case}: element {i} of \"{name}\" is expected to be {wanted}, but the reference computes \
                 {got}"
            );
            return Err(AuthorError::of_key(lesson, "cases", message).into());
        }
        all[place] = stated.clone();
    }
    Ok(())
}

/// Returns the values that a CPU reference computes for every output.
pub(super) fn reference_values(
    reference: &Reference,
    lesson: &Lesson,
    case: &Case,
    sized: &SizedCase,
    initial: &[Option<Values>],
) -> Result<Vec<Values>> {
    let spec = &lesson.spec;
    let buffer = |index: usize, ty| {
        let shape: &[usize] = &sized.shapes[index];
        let zeros = || Values::Int(vec![0; shape.iter().product()]);
        Buffer { ty, shape, values: initial[index].clone().unwrap_or_else(zeros) }
    };
    let all = spec.buffers.iter().enumerate();
    let inputs = all.filter(|(_, b)| b.role.is_input()).map(|(i, b)| buffer(i, b.ty));
    let outputs = spec.outputs().map(|(i, b)| buffer(i, b.ty));
    let (inputs, outputs) = (inputs.collect::<Vec<_>>(), outputs.collect::<Vec<_>>());
    reference.run(&inputs, &outputs, case).map_err(|misfit| {
        let message = format!("reference \"{}\" does not fit: {misfit}", reference.name);
        AuthorError::of_key(lesson, "reference", message).into()
    })
}
