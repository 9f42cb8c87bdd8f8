//! `view`: shows a run of a lesson's file as one HTML page, and draws its pictures for the terminal.

use super::course::data_folder;
use super::debug::{self, LessonFile, RecordChoice, RecordedBlock};
use super::judging::{self, OpenedFile};
use super::page::{self, MAX_STEPS};
use super::target::{self, Target};
use super::{Answer, CommandError, Context, Exit, Result, model, shown_path};
use compiler::Request;
use cpp::Source;
use judge::{BufferExtents, CaseProfile, Failure, NoResult, Prepared, PreparedKernel, Verdict};
use picture::{BufferShape, Scene};
use report::{self, About, FindingView, ImageView, JudgedRunView, RunAccesses, VerdictView, escape};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use view::Launch;

/// Number of pictures that a terminal shows of one run, unless verbose.
const PICTURES: usize = 3;

#[derive(clap::Args)]
pub struct Args {
    /// A lesson (slug, start of its slug, or number) or a .cu file for one; the next lesson to do if omitted
    #[arg(value_name = "LESSON|FILE.cu")]
    target: Option<OsString>,
    /// The lesson that the file is for, if its name does not say
    #[arg(long, value_name = "LESSON", requires = "target")]
    lesson: Option<String>,
    /// Write the page, or its data as JSON, to this file, and open no browser
    #[arg(long, short, value_name = "FILE.html|FILE.json")]
    output: Option<PathBuf>,
    /// GPU to model: t4, a100 or h100
    #[arg(long = "as", value_name = "GPU", default_value = "h100", hide_default_value = true)]
    gpu: String,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let model = model::named(&args.gpu)?;
    let (name, lesson) = (args.target.as_deref(), args.lesson.as_deref());
    if let Some(path) = target::own_program(name, lesson, context)? {
        return program(&path, "program", &args, context);
    }
    let target = target::named_or_current(name, lesson, context)?;
    let opened = match judging::open(&target, context)? {
        Ok(opened) => opened,
        Err(failure) => return Ok(does_not_run(&target, &failure, context)),
    };
    let kernel = match &opened.prepared {
        Prepared::Kernel(kernel) => kernel,
        Prepared::Program(_) => return program(&target.path, &target.lesson.slug, &args, context),
    };
    let JudgedAndProfiled { verdict, profile, view, findings, elements, image } =
        match NoResult::separate(judge_and_profile(&target, &opened, kernel))? {
            Ok(seen) => seen,
            Err(failure) => return Ok(does_not_run(&target, &failure, context)),
        };
    let text = &opened.text;
    let launches = launches(&profile, &target, text, context)?;
    // A block that can't be recorded is left out: the page has other contents.
    let choice = RecordChoice { case: None, launch: None, block: None, most_steps: MAX_STEPS };
    let file = LessonFile { target: &target, opened: &opened, verdict: Some(&verdict) };
    let subject = debug::record(&file, &choice)?.ok();
    let program = subject.as_ref().map(RecordedBlock::program);
    let recorded =
        subject.as_ref().zip(program.as_ref()).and_then(|(subject, program)| subject.on_page(program));
    let document = view::Document::new(&view::Run {
        title: &target.lesson.title,
        file: &target.shown,
        source: text,
        case: &profile.case.to_string(),
        wrong: Some(&view).filter(|view| !view.passed),
        elements: elements.as_ref(),
        image: image.as_ref(),
        findings: &findings,
        recorded,
        profile: &profile.advice_report.profile,
        buffers: &shapes(&profile),
        launches: &launches,
        spans: &[],
        memory: (&[], 0),
        model: &model,
    });
    let path = place(&args, &target.lesson.slug)?;
    page::write(&path, &document)?;
    shown(&path, &args, context);
    Ok(Exit::Pass)
}

fn shapes(profile: &CaseProfile) -> Vec<BufferShape> {
    let shape = |its: &BufferExtents| BufferShape {
        name: its.name.clone(),
        extents: its.extents.iter().map(|extent| *extent as u64).collect(),
        bytes: its.bytes as u32,
    };
    profile.buffers.iter().map(shape).collect()
}

/// Returns where the page is written: without a name for it, in a folder of this user's own.
fn place(args: &Args, name: &str) -> Result<PathBuf> {
    let own = || Some(data_folder()?.join("pages").join(format!("{}.html", judge::course::file_name(name))));
    let no_home =
        || CommandError::usage("there is no home directory to keep the page in: name a file with -o");
    args.output.clone().or_else(own).ok_or_else(no_home)
}

/// Opens the page in the browser, unless an output file was given, and says where it is.
fn shown(path: &Path, args: &Args, context: &mut Context) {
    let opened = args.output.is_none() && open_in_browser(path);
    let shown = shown_path(path);
    context.out.print(&if opened { format!("Opened {shown}\n") } else { format!("Wrote {shown}\n") });
}

/// Draws a whole program, by means of `run`.
fn program(file: &Path, name: &str, args: &Args, context: &mut Context) -> Answer {
    let file = std::path::absolute(file).map_err(anyhow::Error::from)?;
    let page = std::path::absolute(place(args, name)?).map_err(anyhow::Error::from)?;
    let written = || std::fs::metadata(&page).and_then(|page| page.modified()).ok();
    let before = written();
    let exit = super::run::run(super::run::Args::drawing(&file, &page, &args.gpu), context)?;
    // A program that does not compile leaves no page.
    if written() != before {
        shown(&page, args, context);
    }
    Ok(exit)
}

/// Renders pictures of one case of a lesson's file for a terminal; if it does not run, says what to do.
///
/// # Errors
///
/// The file can't be read, or the environment or the lesson is at fault.
pub fn pictures(target: &Target, context: &Context) -> Result<String> {
    let seen = match judging::open(target, context)? {
        Ok(opened) => match &opened.prepared {
            Prepared::Kernel(kernel) => NoResult::separate(judge_and_profile(target, &opened, kernel))?,
            Prepared::Program(_) => {
                let command = format!("{} run {} --gantt", context.style.command, escape(&target.shown));
                return Ok(format!("A whole program is drawn over time: {command}\n"));
            }
        },
        Err(failure) => Err(failure),
    };
    let JudgedAndProfiled { profile, elements, .. } = match seen {
        Ok(seen) => seen,
        Err(failure) => return Ok(format!("Nothing to draw: {}\n", escape(failure.slug()))),
    };
    let columns = context.style.columns();
    let most = if context.style.verbose { usize::MAX } else { PICTURES };
    let wrong = elements.map_or(String::new(), |scene| report::scene(&scene, &context.style) + "\n");
    let touched = RunAccesses {
        profile: &profile.advice_report.profile,
        buffers: &shapes(&profile),
        file: &target.shown,
        is_clean: profile.findings.is_empty(),
    };
    let head = format!("{wrong}What warps access, with {}\n", escape(&profile.case.to_string()));
    Ok(head + &report::pictures(&touched, columns, most, &context.style))
}

/// The results of judging and profiling a target.
struct JudgedAndProfiled {
    verdict: Verdict,
    /// Profile of the failing case, or else of the first one.
    profile: CaseProfile,
    view: VerdictView,
    /// Findings in all cases, then advice.
    findings: Vec<FindingView>,
    /// The elements of a wrong output.
    elements: Option<Scene>,
    /// The image that the kernels computed, for lessons that show one.
    image: Option<ImageView>,
}

fn judge_and_profile(
    target: &Target,
    opened: &OpenedFile,
    kernel: &PreparedKernel,
) -> Result<JudgedAndProfiled, NoResult> {
    let OpenedFile { text, options, .. } = opened;
    let lesson = &target.lesson;
    let verdict = kernel.verdict(options)?;
    let source = Source::new(text);
    let about = About::of_lesson(lesson, &target.shown, &source);
    let view = VerdictView::new(&verdict, &about, JudgedRunView::simulated(options.seed));
    // A wrong result is drawn with the sizes of the failing case.
    let profile = kernel.profile(judging::wrong_case(&verdict), options)?;
    let elements = match &verdict.result {
        Err(Failure::Wrong(mismatch)) => report::wrong_elements(mismatch),
        _ => None,
    };
    let mut findings = view.evidence.findings.clone();
    // No advice while there are defects.
    if matches!(verdict.result, Ok(_) | Err(Failure::Work { .. })) {
        findings.extend(report::advice_views(&profile.advice_report, |_| about.clone()));
    }
    let image = if verdict.has_result() { kernel.image(options)? } else { None };
    Ok(JudgedAndProfiled {
        verdict,
        profile,
        view,
        findings,
        elements,
        image: image.and_then(ImageView::new),
    })
}

/// Returns the launches, with the registers that their kernels' machine code uses.
fn launches(profile: &CaseProfile, target: &Target, text: &str, context: &Context) -> Result<Vec<Launch>> {
    let request = Request { resources: true, ..target.lesson.request(text, &target.shown) };
    let compiled = context.compiler()?.compile(&request);
    // It has been compiled before; if this fails, the registers are unknown.
    let resources = compiled.map(|compiled| compiled.resources).unwrap_or_default();
    let launch = |launch: &judge::LaunchProfile| {
        let mut work = launch.work.clone();
        let its = resources.iter().find(|kernel| kernel.name == launch.symbol);
        work.registers = its.map(|kernel| kernel.registers);
        Launch { kernel: launch.name.clone(), config: launch.config, work }
    };
    Ok(profile.launches.iter().map(launch).collect())
}

fn does_not_run(target: &Target, failure: &Failure, context: &mut Context) -> Exit {
    let command = format!("{} check {}", context.style.command, escape(&target.shown));
    context.say(&format!("There is no run to draw ({}): {command} says why.", escape(failure.slug())));
    Exit::of(failure)
}

/// Asks the desktop to open a file. Returns whether the program for that could be started.
fn open_in_browser(path: &Path) -> bool {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let started = Command::new(program)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.is_ok()
}
