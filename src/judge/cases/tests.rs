//! Tests of the whole path from a program to a verdict, on a fake device whose kernel is a function.

use super::*;
use crate::NoResult;
use crate::backend::Device;
use crate::course::{ReferenceSource, Spec, Text};
use crate::signature::{Parameter, Signature};
use crate::{LaterBlocks, Misfit, Pattern};
use sim::{Access, Address, Arg, Counts, Dim3, Finding, FindingKind, LaunchConfig, Outcome, Report};

const LESSON: &str = r#"order = 1
title = "Map"
kind = "kernel"
minutes = 1
starter = "wrong-result"
hints = ["a", "b", "c"]
reference = "map"
cases = [{ n = 4 }, { n = 9 }]
launches = [{ kernel = "map", grid = ["ceil_div(n, 4)"], block = [4], args = ["out", "in", "n: i32"] }]
requirements = [{ counter = "global_reads", at_most = "n", why = "Once is enough." }]
[[buffers]]
name = "out"
type = "i32"
shape = ["n"]
role = "out"
[[buffers]]
name = "in"
type = "i32"
shape = ["n"]
role = "in"
fill = { kind = "integers", low = -99, high = 99 }
"#;

fn lesson() -> Lesson {
    Lesson {
        slug: "map".into(),
        part: "1-a".into(),
        of: None,
        number: 1,
        title: String::new(),
        minutes: 1,
        spec: toml::from_str::<Spec>(LESSON).unwrap().into(),
        text: Text::default().into(),
        starter: "".into(),
        solution: "".into(),
        reference_source: None,
        kernels_source: None,
    }
}

/// One launch of a fake kernel: its input, and what it leaves behind.
struct Step {
    input: Vec<i32>,
    out: Vec<Option<i32>>,
    reads: u64,
    findings: Vec<Finding>,
    outcome: Outcome,
    text: &'static str,
}

type Kernel = fn(&mut Step);

struct Fake {
    signatures: Vec<Signature>,
    kernel: Kernel,
}

impl Fake {
    fn new(kernel: Kernel) -> Fake {
        let sizes = [8, 8, 4].map(|bytes| Parameter { bytes, float: false });
        Fake { signatures: vec![Signature::new("_Z3mapPiPKii", sizes.into())], kernel }
    }
}

impl Program for Fake {
    fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    fn device(&self) -> Result<Box<dyn Device + '_>, NoResult> {
        Ok(Box::new(FakeDevice { kernel: self.kernel, buffers: Vec::new(), read_only: Vec::new() }))
    }
}

struct FakeDevice {
    kernel: Kernel,
    /// Contents of each buffer, `None` for bytes that were never written. An address is an index into this list.
    buffers: Vec<Vec<Option<u8>>>,
    read_only: Vec<Address>,
}

impl Device for FakeDevice {
    fn place(
        &mut self,
        _: &str,
        bytes: usize,
        initial: Option<&[u8]>,
        read_only: bool,
    ) -> Result<Address, NoResult> {
        let address = Address(self.buffers.len() as u64);
        self.buffers.push(match initial {
            Some(initial) => initial.iter().copied().map(Some).collect(),
            None => vec![None; bytes],
        });
        self.read_only.extend(read_only.then_some(address));
        Ok(address)
    }

    fn contents(&self, address: Address, bytes: usize) -> Result<(Vec<u8>, Vec<bool>), NoResult> {
        // 0xab stands in for the poison.
        let buffer = &self.buffers[address.0 as usize][..bytes];
        Ok(buffer.iter().map(|byte| (byte.unwrap_or(0xab), byte.is_some())).unzip())
    }

    fn launch(&mut self, symbol: &str, config: LaunchConfig, args: &[Arg]) -> Result<Report, NoResult> {
        assert_eq!((symbol, config.block), ("_Z3mapPiPKii", Dim3::new(4, 1, 1)));
        assert_eq!(self.read_only, [Address(1)]);
        assert!(self.buffers[0].iter().all(Option::is_none), "outputs are never written before");
        assert!(self.buffers[1].iter().all(Option::is_some), "inputs are filled");
        let n = i32::from_le_bytes(args[2].0.clone().try_into().unwrap()) as usize;
        assert_eq!(u64::from(config.grid.x), n.div_ceil(4) as u64);
        let bytes: Vec<u8> = self.buffers[1].iter().map(|byte| byte.unwrap()).collect();
        let input: Vec<i32> =
            bytes.chunks_exact(4).map(|chunk| i32::from_le_bytes(chunk.try_into().unwrap())).collect();
        assert_eq!(input.len(), n);
        let mut step = Step {
            out: vec![None; n],
            reads: n as u64,
            input,
            findings: Vec::new(),
            outcome: Outcome::Completed,
            text: "",
        };
        (self.kernel)(&mut step);
        let bytes = step.out.iter().flat_map(|value| match value {
            Some(value) => value.to_le_bytes().map(Some),
            None => [None; 4],
        });
        self.buffers[0] = bytes.collect();
        let mut counts = Counts { launches: 1, ..Counts::default() };
        counts.global_loads.accesses = step.reads;
        counts.thread_instructions = step.reads;
        Ok(Report {
            outcome: step.outcome,
            findings: step.findings,
            counts,
            output: step.text.into(),
            output_cut: false,
            touched: Vec::new(),
            advice: sim::AdviceReport::default(),
            polled: Vec::new(),
            recording: None,
        })
    }
}

fn right(step: &mut Step) {
    step.out = step.input.iter().map(|x| Some(x + 10)).collect();
}

fn finding(code: FindingKind) -> Finding {
    Finding::new(code, Access { bytes: 4, ..Access::by(sim::Actor::Thread, None) })
}

fn result(kernel: Kernel) -> Result<Passed, Box<Failure>> {
    judge_fake(kernel, 1).0.map_err(Box::new)
}

fn judge_fake(kernel: Kernel, seed: u64) -> CasesOutcome {
    let answer = Answer::Cpu(crate::reference::find("map").unwrap());
    judge(&lesson(), &Fake::new(kernel), &answer, seed).unwrap()
}

#[test]
fn a_right_kernel_passes_every_case() {
    let passed = result(right).unwrap();
    assert_eq!((passed.cases, passed.counts.global_loads.accesses), (2, 9));
    let bar = &passed.bars[0];
    assert_eq!((bar.yours, bar.limit, bar.at_most, bar.met()), (9, 9, true, true));
}

#[test]
fn wrong_values_are_evidence() {
    let Failure::Wrong(mismatch) = *result(|step| {
        right(step);
        step.out[4..].fill(None);
    })
    .unwrap_err() else {
        panic!()
    };
    assert_eq!((mismatch.case.index, mismatch.buffer.as_str()), (1, "out"));
    assert_eq!((mismatch.differing, mismatch.total), (5, 9));
    assert_eq!(mismatch.pattern, Some(Pattern::FirstBlockOnly { right: 4, others: LaterBlocks::Unset }));
    assert_eq!(mismatch.writer.unwrap().block, Dim3::new(1, 0, 0));
    for (kernel, pattern) in [
        ((|_: &mut Step| ()) as Kernel, Pattern::Untouched),
        (|step| step.out.fill(Some(0)), Pattern::AllZero),
        (
            |step| step.out = step.input.iter().copied().map(Some).collect(),
            Pattern::CopyOfInput { buffer: "in".into() },
        ),
    ] {
        let Failure::Wrong(mismatch) = *result(kernel).unwrap_err() else { panic!() };
        assert_eq!((mismatch.case.index, mismatch.pattern), (0, Some(pattern)));
    }
}

#[test]
fn defects_come_before_values_and_causes_before_consequences() {
    let kernel: Kernel = |step| {
        right(step);
        step.findings = vec![finding(FindingKind::Uninitialised), finding(FindingKind::SharedRace)];
    };
    let failure = result(kernel).unwrap_err();
    assert_eq!(failure.slug(), "shared-race");
    let Failure::Defect { findings, values_right, case, .. } = *failure else { panic!() };
    assert_eq!((findings.len(), values_right, case.index), (2, true, 0));
    let Failure::Defect { values_right, .. } =
        *result(|step| step.findings = vec![finding(FindingKind::Trap)]).unwrap_err()
    else {
        panic!()
    };
    assert!(!values_right);
    // A run that was stopped has no result, whatever its buffers hold.
    let stopped: Kernel = |step| {
        right(step);
        step.findings = vec![finding(FindingKind::EndlessLoop)];
        step.outcome = Outcome::Stopped;
    };
    let Failure::Defect { values_right, .. } = *result(stopped).unwrap_err() else { panic!() };
    assert!(!values_right);
}

#[test]
fn what_we_lack_comes_first_of_all() {
    let failure = result(|step| {
        step.findings = vec![finding(FindingKind::Trap)];
        step.outcome = Outcome::Unsupported { what: "cluster launch".into(), line: None };
    });
    assert_eq!(failure.unwrap_err().slug(), "unsupported");
}

#[test]
fn bars_are_held_only_against_what_is_right_in_every_case() {
    let slow: Kernel = |step| {
        right(step);
        step.reads *= 3;
    };
    let Failure::Work { bars, case } = *result(slow).unwrap_err() else { panic!() };
    assert_eq!((case.index, bars[0].yours, bars[0].limit), (0, 12, 4));
    let slow_then_wrong: Kernel = |step| {
        right(step);
        step.reads *= 3;
        if step.out.len() == 9 {
            step.out[8] = Some(1_000);
        }
    };
    assert_eq!(result(slow_then_wrong).unwrap_err().slug(), "wrong-result");
}

#[test]
fn a_kernel_that_is_not_there_is_missing() {
    let mut fake = Fake::new(right);
    fake.signatures[0].parameters.pop();
    let answer = Answer::Cpu(crate::reference::find("map").unwrap());
    let (result, _) = judge(&lesson(), &fake, &answer, 1).unwrap();
    let Failure::MissingKernel(missing) = result.unwrap_err() else { panic!() };
    assert_eq!((missing.name.as_str(), missing.found.len()), ("map", 1));
    assert_eq!(missing.why, Misfit::Count(2));
    assert_eq!(missing.wanted.declaration, "map(int *out, const int *in, int n)");
}

#[test]
fn what_is_printed_is_kept_as_it_is() {
    let (_, output) = judge_fake(
        |step| {
            right(step);
            step.text = if step.out.len() == 4 { "a\x1b[31m\tb\n" } else { "second case" };
        },
        1,
    );
    assert_eq!(output, "a\u{1b}[31m\tb\n");
}

#[test]
fn a_reference_kernel_gives_the_answer_too() {
    let answer = Answer::Kernel(Box::new(Fake::new(right)));
    assert!(judge(&lesson(), &Fake::new(right), &answer, 1).unwrap().0.is_ok());
    let other: Kernel = |step| step.out = step.input.iter().map(|x| Some(x + 11)).collect();
    assert_eq!(
        judge(&lesson(), &Fake::new(other), &answer, 1).unwrap().0.unwrap_err().slug(),
        "wrong-result"
    );
    let defective =
        Answer::Kernel(Box::new(Fake::new(|step| step.findings = vec![finding(FindingKind::Trap)])));
    let error = judge(&lesson(), &Fake::new(right), &defective, 1).unwrap_err();
    assert_eq!(error.to_string(), "lessons/1-a/map/reference.cu: trap (n = 4)");
}

#[test]
fn the_seed_decides_the_inputs_and_nothing_else_does() {
    let shown = |seed| {
        let (result, _) = judge_fake(|step| step.out.fill(Some(12345)), seed);
        let Err(Failure::Wrong(mismatch)) = result else { panic!() };
        mismatch.window.iter().map(|element| element.want.clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown(1), shown(1));
    assert_ne!(shown(1), shown(2));
}

#[test]
fn every_lesson_has_a_reference_that_fits_it() {
    for lesson in
        crate::course::Course::from_dir(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")))
            .unwrap()
            .lessons()
    {
        let none = lesson.kernels_source.is_some() && lesson.spec.reference == ReferenceSource::None;
        if lesson.reference_source.is_some() || none {
            continue;
        }
        let answer = Answer::by_name(lesson).unwrap();
        for (index, case) in lesson.spec.cases.iter().enumerate() {
            let sized = lesson.spec.sized(case).unwrap();
            let initial = inputs(lesson, &sized, index, 1);
            let expected = answer.expected(lesson, case, &sized, &initial).unwrap();
            assert!(!expected.is_empty(), "{}", lesson.slug);
        }
    }
}
