//! Proves lessons: tests every claim that a lesson makes about kernels.

use super::expect::{Expected, describe};
use super::files::{as_committed, kernels_in, wrong_files, wrong_folder};
use super::import;
use super::mistakes;
use super::timed::{TimingReport, is_timed, time};
use super::workers::{self, Workers};
use anyhow::{Context, Result};
use compiler::Compiler;
use judge::course::{Course, Lesson, Problem};
use judge::on_gpu::Gpu;
use judge::{Failure, LessonCache, Options, Prepared, Verdict};
use sim::compiled::CompileWhen;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

/// Maximum number of lessons judged at once on a GPU, where each needs a context with some hundred megabytes of
/// its memory.
const MAX_ON_GPU: usize = 8;
/// Lessons take turns being timed on the GPU while others prepare their data: how many at most, and how much host
/// memory each needs.
const MAX_TIMED: usize = 4;
const TIMED_BYTES: u64 = 6 << 30;
/// Seeds with which a solution must pass, in addition to the default one.
const SEEDS: [u64; 2] = [1, 0x5eed_5eed];
/// Numbers of host threads on which verdicts must be the same.
const HOST_THREADS: [usize; 2] = [1, 2];
/// Minimum number of wrong kernels of a lesson.
const WRONG_KERNELS: usize = 3;
/// Maximum columns of a text, which is read in a terminal, and of a kernel, which is read in an editor.
const TEXT_COLUMNS: usize = 79;
const CODE_COLUMNS: usize = 100;
/// Columns before a line of a hint.
const HINT_INDENT: usize = 2;

/// The result of proving a course.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Problems of files that could not be loaded as lessons.
    pub problems: Vec<Problem>,
    /// What drafts still lack, which is not a problem.
    pub remarks: Vec<Problem>,
    /// In the order of the course.
    pub lessons: Vec<LessonReport>,
}

#[derive(Clone, Debug, Default)]
pub struct LessonReport {
    pub slug: String,
    /// Number of wrong kernels tested.
    pub wrong_kernels: usize,
    /// Number of alternative right kernels tested.
    pub accepted: usize,
    /// Empty when the lesson is proved.
    pub problems: Vec<Problem>,
    /// What a draft still lacks.
    pub remarks: Vec<Problem>,
}

/// How complete lessons have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Complete.
    Whole,
    /// Drafts: what is missing is a remark instead of a problem.
    Draft,
}

impl Report {
    /// Returns whether no lesson has a problem.
    pub fn is_sound(&self) -> bool {
        self.all_problems().next().is_none()
    }

    pub fn all_problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().chain(self.lessons.iter().flat_map(|lesson| &lesson.problems))
    }
}

/// Proves the lessons of the course in the folder `root`: all of them, or those whose slug or part is `filter`.
///
/// # Errors
///
/// Only errors of the environment; what is wrong with lessons is in the report.
pub fn check(root: &Path, filter: Option<&str>, compiler: &Compiler) -> Result<Report> {
    check_with(root, filter, compiler, None, Stage::Whole, &|_| {})
}

/// Like [`check`], with values from a GPU if one is given. `done` is called with each lesson as soon as it is
/// proved, in no particular order.
///
/// # Errors
///
/// Fails if there is no course in `root`, if nothing is called `filter`, or if the environment is at fault.
pub fn check_with(
    root: &Path,
    filter: Option<&str>,
    compiler: &Compiler,
    gpu: Option<&Gpu>,
    stage: Stage,
    done: &(dyn Fn(&LessonReport) + Sync),
) -> Result<Report> {
    let (course, mut problems, mut remarks) = match stage {
        Stage::Whole => {
            let (course, problems) = Course::from_dir_with_problems(root)?;
            (course, problems, Vec::new())
        }
        Stage::Draft => {
            let draft = Course::draft(root)?;
            (draft.course, draft.problems, draft.remarks)
        }
    };
    remarks.retain(|remark| filter.is_none_or(|name| remark.concerns(name)));
    problems.retain(|problem| filter.is_none_or(|name| problem.concerns(name)));
    let asked = |lesson: &&Lesson| filter.is_none_or(|name| lesson.slug == name || lesson.part == name);
    let lessons: Vec<&Lesson> = course.lessons().iter().filter(asked).collect();
    if lessons.is_empty() && problems.is_empty() {
        anyhow::bail!("no lesson or part is called \"{}\"", filter.unwrap_or("").escape_debug());
    }
    let gpu = gpu.map(|gpu| gpu.clone().keeping_workers());
    let gpu = gpu.as_ref();
    let reports = workers::run(
        &lessons,
        workers(gpu),
        is_timed,
        &|| {
            let compiler = of_thread(compiler);
            Box::new(move |lesson| judge_at(stage, root, lesson, &compiler, gpu))
        },
        &|lesson| gpu.map_or(Ok(TimingReport::default()), |gpu| time(Some(root), lesson, gpu)),
        &|_, judged, timed| done(&merge_timing(judged.clone(), timed)),
    )?;
    let lessons = reports.into_iter().map(|(judged, timed)| merge_timing(judged, timed.as_ref())).collect();
    Ok(Report { problems, remarks, lessons })
}

/// Returns the compiler for one thread. All files of a course are its author's, so one worker process may compile
/// them all: it loads the compiler once and caches the headers that it has read.
pub(super) fn of_thread(compiler: &Compiler) -> Compiler {
    compiler.clone().kept_with_headers()
}

/// Returns how many lessons are judged and timed at once.
pub(super) fn workers(gpu: Option<&Gpu>) -> Workers {
    // One more than there are cores, since a thread that compiles or runs a program waits for another process.
    let judging = available_parallelism().map_or(1, NonZero::get) + 1;
    match gpu {
        Some(_) => Workers {
            judging: judging.min(MAX_ON_GPU),
            timing: timed_at_once(crate::machine_memory::available_bytes().unwrap_or(0)),
        },
        None => Workers { judging, timing: 0 },
    }
}

fn timed_at_once(memory_bytes: u64) -> usize {
    usize::try_from(memory_bytes / TIMED_BYTES).unwrap_or(MAX_TIMED).clamp(1, MAX_TIMED)
}

fn merge_timing(mut judged: LessonReport, timed: Option<&TimingReport>) -> LessonReport {
    judged.problems.extend(timed.iter().flat_map(|timed| timed.problems.clone()));
    judged
}

/// Proves everything about a lesson except its speed on a GPU. `Err` is the environment's fault.
pub(super) fn judge(
    root: &Path,
    lesson: &Lesson,
    compiler: &Compiler,
    gpu: Option<&Gpu>,
) -> Result<LessonReport> {
    judge_at(Stage::Whole, root, lesson, compiler, gpu)
}

fn judge_at(
    stage: Stage,
    root: &Path,
    lesson: &Lesson,
    compiler: &Compiler,
    gpu: Option<&Gpu>,
) -> Result<LessonReport> {
    let report = LessonReport { slug: lesson.slug.clone(), ..LessonReport::default() };
    let lesson = &as_committed(root, lesson);
    let mut proof = Proof { root, lesson, compiler, gpu, stage, report, own: Arc::default() };
    proof.lines();
    proof.types();
    match proof.kernels() {
        Ok(()) => Ok(proof.report),
        Err(error) => match mistakes::of_author(root, lesson, &error) {
            Some(problem) => {
                proof.report.problems.push(problem);
                Ok(proof.report)
            }
            None => Err(error),
        },
    }
}

/// Verdicts on one kernel with one seed.
struct VerdictPair {
    /// On the simulator alone.
    simulated: Verdict,
    /// With the GPU, if there is one.
    last: Verdict,
}

struct Proof<'a> {
    root: &'a Path,
    lesson: &'a Lesson,
    compiler: &'a Compiler,
    gpu: Option<&'a Gpu>,
    stage: Stage,
    report: LessonReport,
    /// Results that depend on the lesson's own files only, shared by all kernels.
    own: Arc<LessonCache>,
}

impl<'a> Proof<'a> {
    fn problem(&mut self, file: &str, line: Option<u32>, message: impl Into<String>) {
        self.report.problems.push(Problem::new(file, line, message));
    }

    /// Records what a lesson lacks: a problem, or a remark if it is a draft.
    fn lacks(&mut self, file: &str, line: Option<u32>, message: impl Into<String>) {
        let problem = Problem::new(file, line, message);
        match self.stage {
            Stage::Whole => self.report.problems.push(problem),
            Stage::Draft => self.report.remarks.push(problem),
        }
    }

    fn prepare(&self, source: &str, file: &str) -> Result<Prepared<'a>> {
        let prepared = Prepared::with_cache(&self.own, self.lesson, source, file, self.compiler);
        prepared.with_context(|| format!("judging {file}"))
    }

    /// Returns the verdict computed on one host thread, interpreted. For the lesson's own files with the default seed,
    /// records a problem if machine code on more threads leads to another verdict; for others, if machine code does.
    fn verdict(
        &mut self,
        prepared: &Prepared,
        seed: u64,
        (source, file): (&str, &str),
    ) -> Result<VerdictPair> {
        let own = source == self.lesson.solution || source == self.lesson.starter;
        let on = |host_threads, machine_code| {
            let options = Options { seed, host_threads, machine_code };
            // Wrong kernels declare no more than the judged verdict, so further information on wrong values is
            // not needed.
            let verdict = if own { prepared.verdict(&options) } else { prepared.judged(&options) };
            verdict.with_context(|| file.to_owned())
        };
        let [few, more] = HOST_THREADS;
        let one = on(few, None)?;
        let is_default = seed == Options::default().seed;
        if own && is_default && one != on(more, Some(CompileWhen::Always))? {
            self.problem(file, None, "the verdict depends on the number of host threads, or on machine code");
        }
        // Each run of a whole program creates a context, which takes longer than the run itself: use only one
        // seed on a GPU.
        let is_asked = |_: &&Gpu| !self.lesson.spec.is_program() || is_default;
        match self.gpu.filter(is_asked) {
            // The same kernel with values from the GPU.
            Some(gpu) => {
                let options = Options { seed, host_threads: few, machine_code: None };
                let (last, _) = prepared.confirm(one.clone(), &options, gpu)?;
                Ok(VerdictPair { simulated: one, last })
            }
            None => Ok(VerdictPair { simulated: one.clone(), last: one }),
        }
    }

    /// Checks for lines that would not fit a terminal or an editor.
    fn lines(&mut self) {
        let (slug, part) = (&self.lesson.slug, &self.lesson.part);
        let text = format!("lessons/{part}/{slug}/lesson.md");
        let (kernel, solution) = (self.lesson.kernel_path(), self.lesson.solution_path());
        for (file, most) in [(text, TEXT_COLUMNS), (kernel, CODE_COLUMNS), (solution, CODE_COLUMNS)] {
            let Ok(text) = std::fs::read_to_string(self.root.join(&file)) else { continue };
            for (line, number) in text.lines().zip(1..) {
                let columns = line.chars().count();
                if columns > most {
                    self.lacks(&file, Some(number), format!("{columns} columns, more than {most}"));
                }
            }
        }
        // Code in hints is not wrapped.
        let toml = format!("{}/lesson.toml", self.lesson.folder());
        let code = |line: &&str| line.starts_with("    ");
        for (hint, number) in self.lesson.spec.hints.iter().zip(1..) {
            let columns = hint.lines().filter(code).map(|line| line.chars().count() + HINT_INDENT).max();
            if let Some(columns) = columns.filter(|columns| *columns > TEXT_COLUMNS) {
                self.lacks(
                    &toml,
                    None,
                    format!("hint {number}: {columns} columns, more than {TEXT_COLUMNS}"),
                );
            }
        }
    }

    /// Checks for buffers whose type differs from what the lesson's own kernels take, and for stored values of an
    /// outdated reference.
    fn types(&mut self) {
        self.report.problems.extend(mistakes::of_types(self.root, self.lesson));
        self.report.problems.extend(import::changed(self.root, self.lesson));
    }

    /// Judges all kernels. `Err` may be the fault of the environment or of the lesson's own files.
    fn kernels(&mut self) -> Result<()> {
        self.starter()?;
        self.solution()?;
        self.questions()?;
        self.accepted()?;
        self.wrong_kernels()
    }

    /// Returns whether a draft lacks this file, which was reported when the draft was read.
    fn is_missing(&self, source: &str) -> bool {
        self.stage == Stage::Draft && source.is_empty()
    }

    fn starter(&mut self) -> Result<()> {
        let file = self.lesson.kernel_path();
        if self.is_missing(&self.lesson.starter) {
            return Ok(());
        }
        let prepared = self.prepare(&self.lesson.starter, &file)?;
        let verdict = self.verdict(&prepared, Options::default().seed, (&self.lesson.starter, &file))?;
        if self.stage == Stage::Draft && self.lesson.spec.starter.is_empty() {
            let is = verdict.last.result.as_ref().map_or_else(describe, |_| "pass".to_owned());
            self.lacks(&file, None, format!("the starter's verdict is {is}: declare it in lesson.toml"));
            return Ok(());
        }
        if let Err(message) = Expected::of_text(&self.lesson.spec.starter).is_met(&verdict.last) {
            self.problem(&file, None, message);
        }
        Ok(())
    }

    fn solution(&mut self) -> Result<()> {
        let file = self.lesson.solution_path();
        if self.is_missing(&self.lesson.solution) {
            return Ok(());
        }
        let prepared = self.prepare(&self.lesson.solution, &file)?;
        for seed in [Options::default().seed].into_iter().chain(SEEDS) {
            let verdict = self.verdict(&prepared, seed, (&self.lesson.solution, &file))?.last;
            if let Err(failure) = &verdict.result {
                self.problem(&file, None, format!("it must pass, but the verdict is {}", describe(failure)));
                return Ok(());
            }
            if let (Some(warning), true) = (verdict.warnings.first(), seed == Options::default().seed) {
                self.problem(&file, Some(warning.line), format!("the compiler warns: {}", warning.message));
            }
        }
        if self.lesson.spec.image.is_some() && prepared.image(&Options::default())?.is_none() {
            self.problem(&file, None, "it must compute the lesson's `[image]`, but computes none");
        }
        Ok(())
    }

    /// Checks a lesson's questions: the learner's file contains the kernels that are measured, every question is
    /// open in the starter, and each typical mistake is a wrong answer.
    fn questions(&mut self) -> Result<()> {
        let Some(kernels) = &self.lesson.kernels_source else { return Ok(()) };
        if self.is_missing(&self.lesson.starter) || self.is_missing(&self.lesson.solution) {
            return Ok(());
        }
        let begins = |line: &&str| line.trim().is_empty() || line.starts_with("//");
        let code: Vec<&str> = kernels.lines().skip_while(begins).collect();
        let code = code.join("\n");
        let (starter, solution) = (self.lesson.kernel_path(), self.lesson.solution_path());
        for (file, text) in [(&starter, &self.lesson.starter), (&solution, &self.lesson.solution)] {
            if !text.contains(code.trim_end()) {
                let message = "it does not contain the code of the lesson's kernels.cu, word for word";
                self.problem(file, None, message);
            }
        }
        let answers = judge::course::answers(&self.lesson.starter);
        for question in &self.lesson.spec.questions {
            if !answers.iter().any(|answer| answer.name == question.name && answer.text.is_none()) {
                self.problem(&starter, None, format!("no line `// answer {} = ?`", question.name));
            }
        }
        let prepared = self.prepare(&self.lesson.solution, &solution)?;
        let toml = format!("{}/lesson.toml", self.lesson.folder());
        for doubt in prepared.doubts(&Options::default())? {
            self.problem(&toml, None, doubt);
        }
        Ok(())
    }

    /// Checks right kernels that work differently from the solution: no bar may refuse them.
    fn accepted(&mut self) -> Result<()> {
        let files = kernels_in(self.root, &format!("tests/right/{}", self.lesson.slug));
        self.report.accepted = files.len();
        for file in files {
            let source = std::fs::read_to_string(self.root.join(&file)).with_context(|| file.clone())?;
            let prepared = self.prepare(&source, &file)?;
            let verdict = self.verdict(&prepared, Options::default().seed, (&source, &file))?;
            if let Err(failure) = &verdict.last.result {
                self.problem(&file, None, format!("it must pass, but the verdict is {}", describe(failure)));
            }
        }
        Ok(())
    }

    fn wrong_kernels(&mut self) -> Result<()> {
        let files = wrong_files(self.root, self.lesson);
        self.report.wrong_kernels = files.len();
        if files.len() < WRONG_KERNELS {
            let message = format!("at least {WRONG_KERNELS} wrong kernels are needed, found {}", files.len());
            self.lacks(&wrong_folder(self.lesson), None, message);
        }
        for file in files {
            let source = std::fs::read_to_string(self.root.join(&file)).with_context(|| file.clone())?;
            let expected = match Expected::of_source(&source) {
                Ok(expected) => expected,
                Err(message) => {
                    self.problem(&file, None, message);
                    continue;
                }
            };
            // `time` refuses it on the GPU.
            if expected.is_of_speed() && self.gpu.is_some() && self.lesson.spec.bench.is_some() {
                continue;
            }
            let prepared = self.prepare(&source, &file)?;
            let verdict = self.verdict(&prepared, Options::default().seed, (&source, &file))?;
            // Only a GPU shows that it is slow: without one, the kernel is right.
            let refused = match (&verdict.last.result, self.gpu) {
                (Ok(_), None) if expected.is_of_speed() => Ok(()),
                // A result that depends on timing is right on the simulator, and may be wrong on a GPU.
                (Err(Failure::Wrong(_)), Some(_)) if expected.is_met(&verdict.simulated).is_ok() => Ok(()),
                _ => expected.is_met(&verdict.last),
            };
            if let Err(message) = refused {
                self.problem(&file, expected.line(), message);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_timed_as_memory_has_room_for() {
        for (gigabytes, timed) in [(0, 1), (8, 1), (16, 2), (120, 4)] {
            assert_eq!(timed_at_once(gigabytes << 30), timed);
        }
    }
}
