//! Runs a lesson at the sizes at which it is timed. A CPU reference would take too long there, so the right answer
//! is what the lesson's solution, which is verified at the sizes of its cases, computes on the same GPU in a worker
//! process of its own.

use super::{Gpu, OnGpu};
use crate::backend::Program;
use crate::case_run::{Output, place, run};
use crate::course::{Case, ElementType, Lesson, Role, SizedCase};
use crate::fill::{Stream, content_bytes};
use crate::judged_case::JudgedCase;
use crate::signature::symbols;
use crate::value::Values;
use crate::wrong_output::wrong_output;
use crate::{Failure, Mismatch, NoResult};
use anyhow::{Context, Result, anyhow};
use gpu::{GpuError, NotRun, Product, Session, Timing};
use std::borrow::Cow;

/// The byte that fills an output before a run. As a float pattern it is no NaN, so that it is not mistaken for one.
const POISON: u8 = 0xa5;

pub struct GpuCase {
    lesson: Lesson,
    sized: SizedCase,
    /// Initial bytes of every buffer that is filled.
    initial: Vec<Option<Vec<u8>>>,
    /// Right bytes of every output.
    expected: Vec<Vec<u8>>,
}

/// The bytes of an output, and for each whether it was written; `None` if all were.
type OutputBytes = (Vec<u8>, Option<Vec<bool>>);

/// Runs one case of a lesson's own code without judging it; its launches can then be timed.
///
/// # Errors
///
/// Fails if there is no such case, if the code does not run to its end, or if the GPU cannot be used.
pub fn run_case(lesson: &Lesson, source: &str, case: usize, seed: u64, gpu: &Gpu) -> Result<OnGpu, NoResult> {
    let sizes = lesson.spec.cases.get(case).context("there is no such case")?;
    let sized = lesson.spec.sized(sizes)?;
    GpuCase::at(lesson.clone(), sized, case, seed).launched(source, &lesson.slug, gpu)
}

impl GpuCase {
    /// Draws the inputs and computes the right answer by running the solution on the GPU.
    ///
    /// # Errors
    ///
    /// Fails if the lesson has no `[bench]`, if the solution does not run to its end or leaves outputs unwritten, or if
    /// the GPU cannot be used.
    pub fn new(lesson: &Lesson, seed: u64, gpu: &Gpu) -> Result<GpuCase> {
        let lesson = lesson.at_bench().context("the lesson has no [bench]")?;
        let case = lesson.spec.cases.first().cloned().unwrap_or_default();
        let sized = lesson.sized(&case)?;
        let mut large = GpuCase::at(lesson, sized, 0, seed);
        let file = large.lesson.solution_path();
        let program = large.launched(&large.lesson.solution, &file, gpu);
        let program = program.map_err(|why| why.into_error(format!("{file}, at {}", large.case())))?;
        let left = large.left(&program, true)?;
        let spec = &large.lesson.spec;
        let whole = spec.outputs().map(|(_, output)| output.compare.first.is_none());
        if left.iter().zip(whole).any(|((_, written), whole)| whole && written.is_some()) {
            return Err(anyhow!("{file}, at {}: it does not write all of its outputs", large.case()));
        }
        large.expected = left.into_iter().map(|(bytes, _)| bytes).collect();
        Ok(large)
    }

    /// Creates the case with its inputs, but without the right answer.
    fn at(lesson: Lesson, sized: SizedCase, case: usize, seed: u64) -> GpuCase {
        let buffers = lesson.spec.buffers.iter().zip(&sized.shapes).enumerate();
        let initial = buffers.map(|(index, (buffer, shape))| {
            let stream = Stream::new(seed, &lesson.slug, case, index);
            content_bytes(&sized.contents[index], buffer.ty, shape.iter().product(), stream)
        });
        let initial = initial.collect();
        GpuCase { lesson, sized, initial, expected: Vec::new() }
    }

    /// Returns the lesson, reduced to the case that is timed.
    pub fn lesson(&self) -> &Lesson {
        &self.lesson
    }

    /// Returns the case that is timed.
    pub fn case(&self) -> &Case {
        &self.lesson.spec.cases[0]
    }

    /// Runs a kernel once and compares its outputs; its launches can then be timed.
    ///
    /// # Errors
    ///
    /// Fails with [`NoResult::Failure`] if the kernel is rejected.
    pub fn run(&self, source: &str, file_name: &str, gpu: &Gpu) -> Result<OnGpu, NoResult> {
        let program = self.launched(source, file_name, gpu)?;
        match self.mismatch(self.left(&program, true)?) {
            Some(mismatch) => Err(Failure::Wrong(mismatch).into()),
            None => Ok(program),
        }
    }

    /// Runs the launches; the results stay on the GPU.
    fn launched(&self, source: &str, file_name: &str, gpu: &Gpu) -> Result<OnGpu, NoResult> {
        let spec = &self.lesson.spec;
        let program = OnGpu::load(source, file_name, gpu)?;
        let symbols = symbols(spec, program.signatures())?;
        let bytes = |index: usize, _| self.initial.get(index)?.as_deref().map(Cow::Borrowed);
        {
            let mut device = program.device()?;
            let addresses = place(device.as_mut(), spec, &self.sized, &bytes)?;
            run(device.as_mut(), &self.sized, &symbols, &addresses).map_err(|broken| broken.why)?;
        }
        Ok(program)
    }

    /// Reads every output as it is on the GPU now. Which bytes were written is only known for launches that were
    /// not timed.
    fn left(&self, program: &OnGpu, ask_written: bool) -> Result<Vec<OutputBytes>, GpuError> {
        let left = self.lesson.spec.outputs().map(|(buffer, _)| {
            let written = if ask_written { program.written(buffer)? } else { None };
            Ok((program.contents(buffer)?, written))
        });
        left.collect()
    }

    /// Returns the mismatch of the first output that is not as expected. Outputs that are equal bit for bit are not
    /// compared further.
    fn mismatch(&self, left: Vec<OutputBytes>) -> Option<Mismatch> {
        let same =
            |((bytes, written), expected): (&OutputBytes, &Vec<u8>)| written.is_none() && bytes == expected;
        if left.len() == self.expected.len() && left.iter().zip(&self.expected).all(same) {
            return None;
        }
        let spec = &self.lesson.spec;
        let expected = spec.outputs().zip(&self.expected).map(|((_, b), bytes)| Values::decode(b.ty, bytes));
        let expected: Vec<Values> = expected.collect();
        let left = spec.outputs().zip(left).map(|((index, buffer), (bytes, written))| {
            let size = buffer.ty.bytes();
            let written = match written {
                Some(written) => written.chunks(size).map(|bytes| !bytes.contains(&false)).collect(),
                None => vec![true; bytes.len() / size],
            };
            Output { buffer: index, got: Values::decode(buffer.ty, &bytes), written }
        });
        let left: Vec<Output> = left.collect();
        let inputs = spec.buffers.iter().zip(&self.initial);
        let inputs = inputs.map(|(buffer, bytes)| Some(Values::decode(buffer.ty, bytes.as_ref()?)));
        let inputs: Vec<Option<Values>> = inputs.collect();
        wrong_output(spec, &JudgedCase::new(0, self.case()), &self.sized, &inputs, &expected, &left)
    }

    /// Runs the solution again and returns it with the matrix product for which cuBLAS is timed on the same
    /// buffers; `None` if the lesson names no library.
    ///
    /// # Errors
    ///
    /// Fails if a buffer that the lesson names is no matrix that cuBLAS takes, or if the solution does not run again.
    pub fn product(&self, gpu: &Gpu) -> Result<Option<(OnGpu, Product)>> {
        let Some(names) = self.lesson.spec.bench.as_ref().and_then(|bench| bench.library.as_ref()) else {
            return Ok(None);
        };
        let spec = &self.lesson.spec;
        let places = names.each_ref().map(|name| spec.buffer_index(name));
        let [Some(a), Some(b), Some(out)] = places else { return Ok(None) };
        let extent = |buffer: usize, d: usize| {
            let extent = self.sized.shapes.get(buffer).and_then(|shape| shape.get(d));
            extent.and_then(|extent| u32::try_from(*extent).ok()).context("bench.library: no such extent")
        };
        let (rows, inner, cols) = (extent(a, 0)?, extent(a, 1)?, extent(b, 1)?);
        let file = self.lesson.solution_path();
        let case_run = self.launched(&self.lesson.solution, &file, gpu);
        let program = case_run.map_err(|_| anyhow!("{file}: it did not run again"))?;
        let address = |buffer: usize| program.addresses().get(buffer).copied().unwrap_or(0);
        let (a_at, b_at, out) = (address(a), address(b), address(out));
        let half = spec.buffers.get(a).is_some_and(|buffer| buffer.ty == ElementType::F16);
        let product = Product { a: a_at, b: b_at, out, rows, inner, cols, half };
        Ok(Some((program, product)))
    }

    /// Returns whether a product that was timed is right.
    ///
    /// # Errors
    ///
    /// Fails if the GPU cannot be used.
    pub fn is_right(&self, program: &OnGpu) -> Result<bool, GpuError> {
        Ok(self.mismatch(self.left(program, false)?).is_none())
    }

    /// Runs the launches again as they were timed, on fresh inputs and with poisoned outputs, which exposes a
    /// kernel that reuses earlier results. Elements that it does not write hold the poison, which never is a right
    /// answer.
    ///
    /// # Errors
    ///
    /// Fails if a launch does, or if the GPU cannot be used.
    pub fn again(&self, program: &OnGpu, gpu: &Gpu) -> Result<Option<Mismatch>, NotRun> {
        let (launches, addresses) = (program.launched(), program.addresses());
        self.refill(&mut program.session(), &addresses)?;
        let timing = Timing { launches, samples: 1, flush_bytes: 0, in_graph: 0, product: None };
        program.session().time(timing, &gpu.turns().alone())?;
        let mismatch = self.mismatch(self.left(program, false)?);
        Ok(mismatch.map(|mismatch| Mismatch { case: mismatch.case.repeated(), ..mismatch }))
    }

    fn refill(&self, session: &mut Session, addresses: &[u64]) -> Result<(), GpuError> {
        let buffers = self.lesson.spec.buffers.iter().zip(&self.sized.shapes);
        for ((buffer, shape), (bytes, address)) in buffers.zip(self.initial.iter().zip(addresses)) {
            match bytes {
                // No kernel writes to it.
                Some(_) if buffer.role == Role::In => {}
                Some(bytes) => session.write(*address, bytes)?,
                None => {
                    let bytes = shape.iter().product::<usize>() * buffer.ty.bytes();
                    session.write(*address, &vec![POISON; bytes])?;
                }
            }
        }
        Ok(())
    }
}
