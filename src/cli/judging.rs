//! From a learner's file to the view of its verdict: reads the file, returns the stored result if nothing
//! changed, and otherwise judges it and stores the result.

use super::source_text::{read_below, read_source, source_of};
use super::target::{Origin, Target};
use super::terminal::in_ci;
use super::{Backend, Context, Result};
use compiler::Compiler;
use compiler::digest::{digest, hex};
use cpp::Source;
use judge::bench::{self, GpuBench, Settings};
use judge::course::{LastCheck, Workspace, now, read_confined};
use judge::on_gpu::{Gpu, ValueOrigin};
use judge::{self, Failure, NotOnGpu, NotTimed, Prepared, Reason, Speed, Verdict};
use report::json::TOOL;
use report::{self, About, ImageView, JudgedRunView, RanOn, VerdictView};
use serde::{Deserialize, Serialize};
use sim::AdviceReport;
use std::path::{Path, PathBuf};
use std::time::{Instant, UNIX_EPOCH};

/// Returns a target's text, or why it can't be used.
///
/// # Errors
///
/// The file does not exist or can't be read.
pub fn source(target: &Target, context: &Context) -> Result<Result<String, Box<Failure>>> {
    match (&target.origin, context.workspace()) {
        (Origin::Piped, _) => source_of(std::io::stdin().lock(), &target.shown),
        (Origin::Workspace, Some(workspace)) => read_below(workspace.root(), &target.path, &target.shown),
        _ => read_source(&target.path, &target.shown),
    }
}

/// A lesson's file, ready to run; used by `view` and `debug`.
pub struct OpenedFile<'a> {
    pub text: String,
    pub options: judge::Options,
    pub prepared: Prepared<'a>,
}

/// Reads a target and prepares it. `Ok(Err)` if it is not text.
///
/// # Errors
///
/// As for [`source`]. There is no compiler, or the environment or the lesson is at fault.
pub fn open<'a>(target: &'a Target, context: &Context) -> Result<Result<OpenedFile<'a>, Box<Failure>>> {
    let text = match source(target, context)? {
        Ok(text) => text,
        Err(failure) => return Ok(Err(failure)),
    };
    let prepared = Prepared::new(&target.lesson, &text, &target.shown, context.compiler()?)?;
    Ok(Ok(OpenedFile { text, options: context.judge_options(), prepared }))
}

/// Returns the index of the failing case; 0 if none fails.
pub fn wrong_case(verdict: &Verdict) -> usize {
    match &verdict.result {
        // It takes too long to run that case to its end.
        Ok(_) | Err(Failure::Overwork(_)) => 0,
        Err(failure) => failure.case().map_or(0, |case| case.index),
    }
}

/// A stored verdict, and everything that it depends on.
#[derive(Serialize, Deserialize)]
pub struct StoredVerdict {
    key: String,
    /// Hash of the text that was judged.
    source: String,
    pub view: VerdictView,
}

impl StoredVerdict {
    /// Returns where a lesson's verdict is stored.
    pub fn path(slug: &str, workspace: &Workspace) -> PathBuf {
        workspace.state().join(RESULTS).join(stored_name(slug))
    }

    /// Reads a lesson's last verdict, whatever text it is about.
    pub fn read(slug: &str, workspace: &Workspace) -> Option<StoredVerdict> {
        const MAX_BYTES: u64 = 16 << 20;
        let path = Path::new(RESULTS).join(stored_name(slug));
        serde_json::from_slice(&read_confined(&workspace.state(), &path, MAX_BYTES).ok()?).ok()
    }

    /// Returns whether `text` is the text that was judged.
    pub fn is_verdict_on(&self, text: &str) -> bool {
        let text = judge::text_of(text.as_bytes().to_vec(), &self.view.subject.file);
        text.is_ok_and(|text| hash(&[text.as_bytes()]) == self.source)
    }
}

/// All data needed for judging, so that another thread can do it.
pub struct Job {
    pub target: Target,
    source: Result<String, Box<Failure>>,
    compiler: Compiler,
    gpu: Option<Gpu>,
    /// Whether falling back to the simulator is not allowed.
    gpu_required: bool,
    /// What the learner types to run this program.
    command: String,
    options: judge::Options,
    started: Instant,
    source_hash: String,
    key: String,
    /// Whether the lesson has passed before.
    passed_before: bool,
}

/// The answer to a request for a verdict.
pub enum VerdictLookup {
    /// The verdict on the same text.
    Stored(Box<VerdictView>),
    /// There is none: what is to be judged.
    Job(Box<Job>),
}

/// Reads the file and looks up the stored result, unless it is to be judged `anew`.
///
/// # Errors
///
/// As for [`source`]. There is no compiler, `--backend gpu` finds no usable GPU, or the progress can't be read.
pub fn look_up(target: Target, anew: bool, context: &Context) -> Result<VerdictLookup> {
    let started = Instant::now();
    let gpu = context.gpu()?.cloned();
    let source = source(&target, context)?;
    let source_hash = match &source {
        Ok(text) => hash(&[text.as_bytes()]),
        Err(_) => String::new(),
    };
    let compiler = context.compiler()?.clone();
    let compiler = if target.is_own() { compiler } else { compiler.for_submissions() };
    let seed = context.global.seed;
    let lesson = &target.lesson;
    let seed_text = seed.map_or("any".to_string(), |s| s.to_string());
    let (major, minor) = compiler.version();
    let key = hash(&[
        source_hash.as_bytes(),
        // Messages contain the file's name.
        target.shown.as_bytes(),
        &lesson.spec.encoded(),
        lesson.reference_source.as_deref().unwrap_or("").as_bytes(),
        lesson.kernels_source.as_deref().unwrap_or("").as_bytes(),
        TOOL.as_bytes(),
        build().as_bytes(),
        format!("{major}.{minor}").as_bytes(),
        compiler.library().as_os_str().as_encoded_bytes(),
        seed_text.as_bytes(),
        gpu.as_ref().map_or("sim", Gpu::name).as_bytes(),
    ]);
    // The stored result is a file that the learner can write, so a CI job does not trust it.
    if !(anew || in_ci())
        && target.is_own()
        && source.is_ok()
        && let Some(mut view) = stored(&lesson.slug, &key, context)
    {
        view.run.stored = true;
        // Progress may have been lost since.
        if view.passed && !context.progress()?.passed(&lesson.slug) {
            remember(&view, &source_hash, context);
        }
        return Ok(VerdictLookup::Stored(Box::new(view)));
    }
    let options = judge::Options { seed: seed.unwrap_or_else(fresh_seed), ..judge::Options::default() };
    let gpu_required = context.global.backend == Backend::Gpu;
    let command = context.style.command.clone();
    let passed_before = context.progress()?.passed(&lesson.slug);
    let job = Job {
        target,
        source,
        compiler,
        gpu,
        gpu_required,
        command,
        options,
        started,
        source_hash,
        key,
        passed_before,
    };
    Ok(VerdictLookup::Job(Box::new(job)))
}

impl Job {
    /// Compiles, runs and judges the file.
    ///
    /// # Errors
    ///
    /// The environment or the lesson is at fault.
    pub fn run(&self) -> anyhow::Result<VerdictView> {
        let lesson = &self.target.lesson;
        let text = match &self.source {
            Ok(text) => text,
            Err(failure) => {
                let verdict = Verdict::of(lesson.slug.clone(), Err((**failure).clone()));
                return Ok(self.view(&verdict, RanOn::Simulator, &self.about(&Source::new(""))));
            }
        };
        let prepared = Prepared::new(lesson, text, &self.target.shown, &self.compiler)?;
        let (verdict, origin) = self.judged(text, &prepared)?;
        // Advice is only computed for a kernel without defects.
        let right = matches!(verdict.result, Ok(_) | Err(Failure::Work { .. }));
        let advice_report = if right { prepared.advice(&self.options)? } else { AdviceReport::default() };
        let image = if verdict.has_result() { prepared.image(&self.options)? } else { None };
        let (backend, note) = match origin {
            ValueOrigin::Gpu => (RanOn::Gpu, None),
            ValueOrigin::Simulator(why) => (RanOn::Simulator, why),
        };
        let source = Source::new(text);
        let about = self.about(&source);
        let mut view = self.view(&verdict, backend, &about);
        view.evidence.advice = report::advice_views(&advice_report, |_| about.clone());
        view.image = image.and_then(ImageView::new);
        view.note = note.map(|why| report::not_on_gpu(&why, view.program));
        if view.passed && view.subject.own && !self.passed_before {
            let file = (text.as_str(), self.target.shown.as_str());
            view.began = judge::compare_with_starter(lesson, file, &self.compiler, &self.options)?;
        }
        let is_missing = matches!(view.reason, Some(Reason::MissingKernel | Reason::MissingFunction));
        if is_missing && text.trim().is_empty() {
            view.headline = "the file is empty".into();
            if view.subject.own {
                let (command, slug) = (&self.command, &lesson.slug);
                view.suggestion = Some(format!("{command} reset {slug} restores the starter."));
            }
        }
        Ok(view)
    }

    fn about<'a>(&'a self, source: &'a Source<'a>) -> About<'a> {
        About::of_lesson(&self.target.lesson, &self.target.shown, source)
    }

    fn view(&self, verdict: &Verdict, backend: RanOn, about: &About) -> VerdictView {
        let (seconds, seed) = (self.started.elapsed().as_secs_f64(), self.options.seed);
        let mut view =
            VerdictView::new(verdict, about, JudgedRunView { seconds, stored: false, backend, seed });
        view.subject.own = self.target.is_own();
        view
    }

    /// Judges on the GPU if there is one. If the GPU fails and is not required, judges on the simulator.
    fn judged(&self, text: &str, prepared: &Prepared) -> anyhow::Result<(Verdict, ValueOrigin)> {
        let (lesson, options) = (&self.target.lesson, &self.options);
        let simulated = |why| anyhow::Ok((prepared.verdict(options)?, ValueOrigin::Simulator(why)));
        let on_gpu = self.gpu.as_ref().map(|gpu| {
            let gpu_bench = GpuBench::new(lesson, options.seed, gpu, &Settings::default());
            bench::verdict(gpu_bench.as_ref(), prepared, (text, &self.target.shown), options, gpu)
        });
        let (mut verdict, origin) = match on_gpu {
            None => simulated(None)?,
            Some(Err(error)) if !self.gpu_required && error.is::<gpu::GpuError>() => {
                simulated(Some(NotOnGpu::Failed(error.to_string())))?
            }
            Some(judged) => judged?,
        };
        if let (ValueOrigin::Simulator(why), Ok(passed)) = (&origin, &mut verdict.result) {
            let program = matches!(prepared, Prepared::Program(_));
            let not_on_gpu = |why: &NotOnGpu| NotTimed::NotOnGpu { why: why.clone(), program };
            let why = why.as_ref().map_or(NotTimed::NoGpu, not_on_gpu);
            passed.speed = Speed::not_run(&lesson.spec, why);
        }
        Ok((verdict, origin))
    }

    /// Stores the result and the progress, if the file is the workspace's own. Returns whether the lesson passed
    /// for the first time.
    pub fn store(&self, view: &VerdictView, context: &Context) -> bool {
        let lesson = &self.target.lesson;
        if !self.target.is_own() {
            return false;
        }
        let first = view.passed && context.progress().is_ok_and(|p| !p.passed(&lesson.slug));
        // A time limit may not be exceeded next time, and the simulator's gaps are not the learner's fault.
        let lasting = !matches!(view.reason, Some(Reason::Limit | Reason::Unsupported));
        if lasting && self.source.is_ok() {
            let (key, source) = (self.key.clone(), self.source_hash.clone());
            let stored = StoredVerdict { key, source, view: view.clone() };
            if let (Some(workspace), Ok(text)) = (context.workspace(), serde_json::to_vec(&stored)) {
                // The stored result only saves time: if it can't be written, nothing is lost.
                let _ = workspace.store(&stored_name(&lesson.slug), &text);
            }
        }
        // An unchanged starter does not count as tried.
        let touched = self.source.as_ref().ok().is_none_or(|s| *s != *lesson.starter);
        if touched && view.reason != Some(Reason::Unsupported) {
            remember(view, &self.source_hash, context);
        }
        first
    }
}

fn remember(view: &VerdictView, source_hash: &str, context: &Context) {
    let reason = view.reason.map(|reason| reason.to_string());
    let last = LastCheck { source: source_hash.to_string(), reason, at: now() };
    context.remember(|p| p.checked(&view.subject.lesson, last));
}

/// Folder of stored verdicts within the tool's state.
const RESULTS: &str = "results";

fn stored_name(slug: &str) -> String {
    format!("{}.json", judge::course::file_name(slug))
}

fn stored(slug: &str, key: &str, context: &Context) -> Option<VerdictView> {
    let stored = StoredVerdict::read(slug, context.workspace()?)?;
    (stored.key == key).then_some(stored.view)
}

/// Returns the SHA-256 of the parts, in hexadecimal.
fn hash(parts: &[&[u8]]) -> String {
    hex(&digest(parts.iter().copied()))
}

/// Identifies this build: another build of the same version may judge differently.
fn build() -> String {
    let Ok(file) = std::env::current_exe().and_then(std::fs::metadata) else { return String::new() };
    let modified = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{} {}", file.len(), modified.map_or(0, |since| since.as_nanos()))
}

/// Returns a random seed that is short enough to be typed.
pub fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u64(now());
    hasher.finish() % 1_000_000_000
}
