//! Corrects the source lines of a defect.
//!
//! The optimiser moves loads out of loops and merges statements, so that the line of an instruction may be that of
//! a neighbouring statement or of a branch. If a line of a defect does not name what is accessed, the kernel is
//! compiled again without optimisation and runs the case again: a finding that occurs again is reported with the
//! lines that it has there.

use super::answer::Answer;
use super::backend::{Kernels, Simulated};
use super::cases::{Expected, judge_against};
use super::kernel::PreparedKernel;
use super::options::{Options, simulation};
use super::verdict::Failure;
use anyhow::Result;
use compiler::Request;
use cpp::{Source, names};
use sim::{self, Access, AccessKind, Actor, Finding, FindingKind, SourceLocation};

/// Factor by which a step budget grows for code compiled without optimisation.
const UNOPTIMISED_BUDGET_FACTOR: u64 = 8;

impl PreparedKernel<'_> {
    /// Returns a defect with the source lines of its findings corrected.
    pub(super) fn placed(
        &self,
        failure: Failure,
        answer: &Answer,
        expected: Expected,
        options: &Options,
    ) -> Result<Failure> {
        let Failure::Defect { findings, values_right, case, excess } = failure else { return Ok(failure) };
        // A run that does not end would not end the second time either.
        let endless = |code| matches!(code, FindingKind::EndlessLoop | FindingKind::Deadlock);
        let source = Source::new(&self.source);
        let doubtful = |finding: &Finding| {
            finding.at.target.name().is_some() && !names_all(finding, &source, &self.file_name)
        };
        let again = findings.first().is_some_and(doubtful) && !findings.iter().any(|f| endless(f.kind));
        let program = if again { self.unoptimised(options) } else { None };
        let again = match &program {
            Some(program) => {
                Some(judge_against(self.lesson, program, answer, expected, options.seed, Some(case.index))?.0)
            }
            None => None,
        };
        let findings = match again {
            Some(Err(Failure::Defect { findings: written, .. })) => {
                with_source_lines(findings, &written, &source, &self.file_name)
            }
            _ => findings,
        };
        Ok(Failure::Defect { findings, values_right, case, excess })
    }

    /// Returns the kernels compiled without optimisation; `None` if they cannot be compiled or loaded that way.
    fn unoptimised(&self, options: &Options) -> Option<Simulated> {
        let request = self.lesson.request(&self.source, &self.file_name);
        let request = Request { options: &["--device-debug"], ..request };
        let compiled = self.compiler.compile(&request).ok()?;
        let usual = simulation(self.lesson, options);
        let step_budget = usual.step_budget.saturating_mul(UNOPTIMISED_BUDGET_FACTOR);
        let kernels = Kernels::parse(&compiled.ptx, None).ok()?;
        let capability = self.lesson.spec.compute_capability;
        Some(Simulated::new(kernels.into(), capability, sim::Options { step_budget, ..usual }))
    }
}

/// Replaces each finding whose lines are doubtful by the corresponding finding of unoptimised code, where there is
/// one.
fn with_source_lines(
    findings: Vec<Finding>,
    written: &[Finding],
    source: &Source,
    file: &str,
) -> Vec<Finding> {
    let mut left: Vec<&Finding> = written.iter().collect();
    // A finding that occurs again with the same lines is right as it is.
    let known: Vec<bool> = (findings.iter())
        .map(|mine| {
            let same = left.iter().position(|theirs| is_twin(mine, theirs) && lines(mine) == lines(theirs));
            same.map(|at| left.remove(at)).is_some() || names_all(mine, source, file)
        })
        .collect();
    let mut placed: Vec<Finding> = Vec::new();
    for (mine, known) in findings.into_iter().zip(known) {
        let led_astray = !may_touch(&mine, source);
        let better = |theirs: &&Finding| {
            let theirs = with_missing_places(theirs, &mine);
            is_twin(&mine, &theirs)
                && (names_all(&theirs, source, file) || led_astray && may_touch(&theirs, source))
        };
        let twin = if known { None } else { left.iter().position(better) };
        placed.push(match twin.map(|at| left.remove(at)) {
            Some(theirs) => {
                let theirs = with_missing_places(theirs, &mine);
                with_places(mine, &theirs, source)
            }
            None => mine,
        });
    }
    placed
}

/// Returns whether the lines of a finding are in the learner's file and name what is accessed there.
fn names_all(finding: &Finding, source: &Source, file: &str) -> bool {
    finding.sides().all(|access| {
        let Some(at) = access.location.as_ref().filter(|at| &*at.file == file) else { return false };
        access.target.name().is_some_and(|name| names(source.code_line(at.line)).any(|word| word == name))
    })
}

/// Returns whether the lines of a finding contain something that may access memory: an index, a pointer
/// dereference, an atomic operation. Optimised code may access memory at another line than the source does.
fn may_touch(finding: &Finding, source: &Source) -> bool {
    finding.sides().all(|access| {
        let line = access.location.as_ref().map_or("", |at| source.code_line(at.line));
        ["[", "*", "->", "atomic"].iter().any(|sign| line.contains(sign))
    })
}

/// Returns what two sides have in common that are about the same memory.
fn side(access: &Access) -> (Option<&str>, AccessKind, &Actor) {
    (access.target.name(), access.kind, &access.actor)
}

/// Returns whether two findings are of the same kind and about the same memory.
fn is_twin(mine: &Finding, theirs: &Finding) -> bool {
    let [(one, other), (first, second)] =
        [mine, theirs].map(|its| (side(&its.at), its.other.as_ref().map(side)));
    let straight = (one, other) == (first, second);
    let turned = other.is_some_and(|other| Some(one) == second && other == first);
    mine.kind == theirs.kind && (straight || turned)
}

fn lines(finding: &Finding) -> [Option<u32>; 2] {
    let line = |at: &Option<SourceLocation>| at.as_ref().map(|at| at.line);
    let mut lines =
        [line(&finding.at.location), finding.other.as_ref().and_then(|other| line(&other.location))];
    // A race may be seen from either side.
    if finding.other.is_some() {
        lines.sort_unstable();
    }
    lines
}

/// Returns a finding of unoptimised code, in which calls of CUDA's own functions have no source location, with the
/// missing locations taken from `mine`.
fn with_missing_places(theirs: &Finding, mine: &Finding) -> Finding {
    let mut placed = theirs.clone();
    for access in placed.sides_mut().filter(|access| access.location.is_none()) {
        if let Some(before) = mine.sides().find(|before| side(before) == side(access)) {
            access.location.clone_from(&before.location);
            access.calls.clone_from(&before.calls);
        }
    }
    placed
}

/// Returns a finding as it is in unoptimised code. Nothing is inlined there, so the call chain of an inlined access
/// is taken from `mine`.
fn with_places(mine: Finding, theirs: &Finding, source: &Source) -> Finding {
    let mut placed = Finding { follows: mine.follows, ..theirs.clone() };
    for access in placed.sides_mut().filter(|access| access.calls.is_empty()) {
        let is_same = |before: &&Access| {
            side(before) == side(access) && source.in_one_function(before.line(), access.line())
        };
        if let Some(before) = mine.sides().find(is_same) {
            access.calls.clone_from(&before.calls);
        }
    }
    placed
}
