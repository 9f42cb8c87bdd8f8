//! A lesson at the sizes at which it is timed. No CPU reference is asked there, for it would take
//! too long: the right answer is what the lesson's solution, which is proved at the sizes of its
//! cases, gives on the same GPU, in a worker of its own.

use super::{Gpu, NotLoaded, OnGpu};
use crate::course::{ElementType, Lesson, Role, SizedCase, case_text};
use crate::gpu::{Content, NotRun, Product, Session, Timing, Trouble};
use crate::judge::backend::Program;
use crate::judge::play::{Output, play};
use crate::judge::run::{inputs, symbols, wrong_output};
use crate::judge::value::Values;
use crate::judge::{Failure, Mismatch};
use anyhow::{Context, Result, anyhow};

/// What an output holds before a run, in each byte: no NaN, so that it is not taken for one.
const POISON: u8 = 0xa5;

pub struct Large {
    lesson: Lesson,
    sized: SizedCase,
    /// Of every buffer that is an input.
    initial: Vec<Option<Values>>,
    /// Of every output.
    expected: Vec<Values>,
}

/// Runs one case of a lesson's own code, unjudged; its launches can then be timed.
pub fn run_case(
    lesson: &Lesson,
    source: &str,
    case: usize,
    seed: u64,
    gpu: &Gpu,
) -> Result<OnGpu, NotLoaded> {
    let environment = NotLoaded::Environment;
    let sizes = lesson.spec.cases.get(case).context("there is no such case").map_err(environment)?;
    let sized = lesson.spec.sized(sizes).map_err(|error| NotLoaded::Environment(error.into()))?;
    let initial = inputs(lesson, &sized, case, seed);
    let large = Large { lesson: lesson.clone(), sized, initial, expected: Vec::new() };
    Ok(large.play(source, &lesson.slug, gpu)?.0)
}

impl Large {
    /// Inputs, and what the solution makes of them.
    pub fn new(lesson: &Lesson, seed: u64, gpu: &Gpu) -> Result<Large> {
        let lesson = lesson.at_bench().context("the lesson has no [bench]")?;
        let case = lesson.spec.cases.first().cloned().unwrap_or_default();
        let sized = lesson.spec.sized(&case).with_context(|| format!("{}/lesson.toml", lesson.folder()))?;
        let initial = inputs(&lesson, &sized, 0, seed);
        let mut large = Large { lesson, sized, initial, expected: Vec::new() };
        let file = large.lesson.solution_path();
        let solution = large.lesson.solution.clone();
        let (_, outputs) = large.play(&solution, &file, gpu).map_err(|not| match not {
            NotLoaded::Source(failure) => anyhow!("{file}, at {}: {}", large.case(), failure.slug()),
            NotLoaded::Environment(error) => error,
        })?;
        large.expected = outputs.into_iter().map(|output| output.got).collect();
        Ok(large)
    }

    /// With the case that is timed alone.
    pub fn lesson(&self) -> &Lesson {
        &self.lesson
    }

    /// Sizes, as text.
    pub fn case(&self) -> String {
        self.lesson.spec.cases.first().map(case_text).unwrap_or_default()
    }

    /// Runs a kernel once and compares; its launches can then be timed. `Source` is why it is refused.
    pub fn run(&self, source: &str, file_name: &str, gpu: &Gpu) -> Result<OnGpu, NotLoaded> {
        let (program, outputs) = self.play(source, file_name, gpu)?;
        match self.mismatch(&outputs) {
            Some(mismatch) => Err(NotLoaded::Source(Box::new(Failure::Wrong(mismatch)))),
            None => Ok(program),
        }
    }

    fn play(&self, source: &str, file_name: &str, gpu: &Gpu) -> Result<(OnGpu, Vec<Output>), NotLoaded> {
        let spec = &self.lesson.spec;
        let program = OnGpu::load(source, file_name, gpu)?;
        let symbols = symbols(spec, program.signatures()).map_err(NotLoaded::Source)?;
        let played = play(&program, spec, &self.sized, &symbols, &self.initial);
        if let Some(trouble) = program.trouble() {
            return Err(NotLoaded::Environment(trouble.into()));
        }
        let played = played.map_err(|broken| NotLoaded::Source(Box::new(broken.failure)))?;
        Ok((program, played.outputs))
    }

    fn mismatch(&self, outputs: &[Output]) -> Option<Mismatch> {
        let case = self.lesson.spec.cases.first()?;
        wrong_output(&self.lesson.spec, &case_text(case), &self.sized, &self.initial, &self.expected, outputs)
    }

    /// The solution's buffers on the GPU, and the product that cuBLAS is timed at; `None` where the
    /// lesson names no library.
    pub fn product(&self, gpu: &Gpu) -> Result<Option<(OnGpu, Product)>> {
        let Some(names) = self.lesson.spec.bench.as_ref().and_then(|bench| bench.library.as_ref()) else {
            return Ok(None);
        };
        let buffers = &self.lesson.spec.buffers;
        let place = |name: &String| buffers.iter().position(|buffer| buffer.name == *name);
        let places = (place(&names[0]), place(&names[1]), place(&names[2]));
        let (Some(a), Some(b), Some(out)) = places else { return Ok(None) };
        let extent = |buffer: usize, d: usize| {
            let extent = self.sized.shapes.get(buffer).and_then(|shape| shape.get(d));
            extent.and_then(|extent| u32::try_from(*extent).ok()).context("bench.library: no such extent")
        };
        let (rows, inner, cols) = (extent(a, 0)?, extent(a, 1)?, extent(b, 1)?);
        let file = self.lesson.solution_path();
        let played = self.play(&self.lesson.solution, &file, gpu);
        let (program, _) = played.map_err(|_| anyhow!("{file}: it did not run again"))?;
        let address = |buffer: usize| program.addresses().get(buffer).copied().unwrap_or(0);
        let (a_at, b_at, out) = (address(a), address(b), address(out));
        let half = buffers.get(a).is_some_and(|buffer| buffer.ty == ElementType::F16);
        let product = Product { a: a_at, b: b_at, out, rows, inner, cols, half };
        Ok(Some((program, product)))
    }

    /// Whether a product that was timed came out right.
    pub fn is_right(&self, program: &OnGpu) -> Result<bool, Trouble> {
        let contents = program.with_session(Session::contents)?;
        Ok(self.mismatch(&self.outputs(&contents, &program.addresses())).is_none())
    }

    /// Runs the launches once more as they were timed, on fresh inputs and poisoned outputs: a kernel
    /// that had remembered its work would now be found out.
    pub fn again(&self, program: &OnGpu, gpu: &Gpu) -> Result<Option<Mismatch>, NotRun> {
        let (launches, addresses) = (program.launched(), program.addresses());
        let contents = program.with_session(|session| {
            self.refill(session, &addresses)?;
            let timing = Timing { launches, samples: 1, flush_bytes: 0, in_graph: 0, product: None };
            session.time(timing, &gpu.turns().alone())?;
            Ok::<_, NotRun>(session.contents()?)
        })?;
        let mismatch = self.mismatch(&self.outputs(&contents, &addresses));
        Ok(mismatch.map(|mismatch| Mismatch { case: format!("{}, run again", mismatch.case), ..mismatch }))
    }

    fn refill(&self, session: &mut Session, addresses: &[u64]) -> Result<(), Trouble> {
        let buffers = self.lesson.spec.buffers.iter().zip(&self.sized.shapes);
        for ((buffer, shape), (values, address)) in buffers.zip(self.initial.iter().zip(addresses)) {
            let bytes = match values {
                // Nothing writes to it.
                Some(_) if buffer.role == Role::In => continue,
                Some(values) => values.encode(buffer.ty),
                None => vec![POISON; shape.iter().product::<usize>() * buffer.ty.bytes()],
            };
            session.write(*address, &bytes)?;
        }
        Ok(())
    }

    fn outputs(&self, contents: &[Content], addresses: &[u64]) -> Vec<Output> {
        let buffers = self.lesson.spec.buffers.iter().zip(addresses).enumerate();
        let outputs = buffers.filter(|(_, (buffer, _))| buffer.role.is_output());
        outputs
            .map(|(index, (buffer, address))| {
                let content = contents.iter().find(|content| content.address == *address);
                let got = Values::decode(buffer.ty, content.map_or(&[][..], |content| &content.bytes));
                // What was not written is poison, which no answer is.
                let written = vec![true; got.count()];
                Output { buffer: index, got, written }
            })
            .collect()
    }
}
