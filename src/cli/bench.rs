//! `bench`: how long kernels take, compared with what the card can do.

use super::source_text::read_source;
use super::{Answer, CommandError, Context, Exit, Result, find_lesson, model, target};
use host::device::model::Model;
use judge::bench::{
    self, Estimate, GpuBench, Limits, Measured, Method, NotMeasured, Pair, Roofline, Settings, at_sizes,
};
use judge::course::{Case, Lesson};
use judge::on_gpu::Gpu;
use judge::{Failure, NoResult};
use report::{self, BenchView, RoofView, TimesView, TimingMethod, WorkView, escape};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// Maximum data size, in bytes, at which a lesson's operations are also counted on the simulator.
const COUNTED_BYTES: u64 = 16 << 20;

#[derive(clap::Args)]
pub struct Args {
    /// A lesson, or a .cu file for one; the next lesson to do if omitted
    #[arg(value_name = "LESSON|FILE.cu")]
    target: Option<String>,
    /// The lesson that the file is for, if its name does not say
    #[arg(long, value_name = "NAME")]
    lesson: Option<String>,
    /// Compare two files for the same lesson
    #[arg(long, num_args = 2, value_names = ["A.cu", "B.cu"], conflicts_with = "target")]
    compare: Option<Vec<String>>,
    /// A size of the lesson, such as n=16777216; the sizes of its last case if omitted
    #[arg(long = "size", value_name = "NAME=NUMBER", value_parser = size)]
    sizes: Vec<(String, i64)>,
    /// GPU to model if there is none: t4, a100 or h100
    #[arg(long = "as", value_name = "GPU", default_value = "a100")]
    gpu: String,
    /// Maximum time to spend on each kernel
    #[arg(long, value_name = "SECONDS", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Print comma-separated values
    #[arg(long)]
    csv: bool,
}

fn size(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=NUMBER")?;
    let value = value.replace('_', "").parse().map_err(|_| "not a whole number")?;
    Ok((name.trim().to_owned(), value))
}

/// One thing to time.
struct Subject {
    lesson: Lesson,
    /// The lesson as declared, if no sizes were given: on a GPU it may have larger sizes for benchmarks.
    whole: Option<Lesson>,
    source: String,
    shown: String,
    name: String,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let settings = Settings { budget: Duration::from_secs(args.seconds), ..Settings::default() };
    let gpu = context.gpu()?.cloned();
    let views = match pair(&args)? {
        Some((pair, source, file)) => {
            let gpu = gpu.ok_or_else(|| {
                CommandError::environment(
                    "pairs of kernels can only be timed on a GPU, and none is used here",
                )
            })?;
            pair_views(&pair, &source, &file, &gpu, &settings)?
        }
        None => {
            let mut views = Vec::new();
            for subject in subjects(&args, context)? {
                views.push(match &gpu {
                    Some(gpu) => measured_view(&subject, gpu, &settings, context)?,
                    None => modelled_view(&subject, &args.gpu, context)?,
                });
            }
            views
        }
    };
    if args.csv {
        return context.answer(&report::bench_csv(&views));
    }
    let results = Results { results: &views };
    context.show("gpulearn.bench/1", &results, |context| Ok(report::bench(&views, &context.style)))
}

#[derive(serde::Serialize)]
struct Results<'a> {
    results: &'a [BenchView],
}

/// Returns the file with a pair of kernels that the argument names, if it is one: the pair, the source and the
/// name.
fn pair(args: &Args) -> Result<Option<(Pair, String, String)>> {
    let Some(name) = args.target.as_ref().filter(|name| name.ends_with(".cu")) else { return Ok(None) };
    if args.lesson.is_some() || !Path::new(name).is_file() {
        return Ok(None);
    }
    let Ok(source) = read_source(Path::new(name), name)? else { return Ok(None) };
    Ok(Pair::of(&source).map(|pair| (pair, source, name.clone())))
}

fn subjects(args: &Args, context: &Context) -> Result<Vec<Subject>> {
    let names: Vec<Option<&str>> = match &args.compare {
        Some(files) => files.iter().map(|file| Some(file.as_str())).collect(),
        None => vec![args.target.as_deref()],
    };
    let mut subjects = Vec::new();
    for name in names {
        let target = match name {
            Some(name) => target::named(OsStr::new(name), args.lesson.as_deref(), context)?,
            None => target::own(find_lesson::named_or_current(args.lesson.as_deref(), context)?, context)?,
        };
        if !target.lesson.spec.is_of_kernels() {
            let slug = escape(&target.lesson.slug);
            return Err(CommandError::usage(format!(
                "{slug} is not a kernel lesson: there is nothing to time"
            )));
        }
        let lesson = at_sizes(&target.lesson, &args.sizes).map_err(|name| {
            let known: BTreeSet<&str> = target.lesson.spec.cases.iter().flat_map(|c| c.keys()).collect();
            let known: Vec<&str> = known.into_iter().collect();
            CommandError::usage(format!(
                "lesson {} has no size {}: it has {}",
                escape(&target.lesson.slug),
                escape(&name),
                known.join(", ")
            ))
        })?;
        let source = read_source(&target.path, &target.shown)?;
        let source = source.map_err(|failure| wrong(&target.shown, &failure))?;
        let name = if args.compare.is_some() { target.shown.clone() } else { lesson.slug.clone() };
        let whole = Some(target.lesson).filter(|_| args.sizes.is_empty());
        subjects.push(Subject { lesson, whole, source, shown: target.shown, name });
    }
    Ok(subjects)
}

/// Returns the error for a kernel that is wrong, or of which that is not known, and which is not timed.
fn wrong(file: &str, failure: &Failure) -> CommandError {
    let what = match failure {
        Failure::Launch { why, clean } => {
            format!("{}: {}", failure.slug(), report::launch_failure(why, *clean))
        }
        Failure::Unsupported { what, .. } => format!("unsupported: {}", report::lack(what)),
        Failure::Limit(limit) => report::tool_limit(limit),
        Failure::MissingKernel(missing) => report::missing(missing),
        _ => failure.slug().to_owned(),
    };
    let file = escape(file);
    let exit = Exit::of(failure);
    let why = if exit == Exit::Fails { "it is wrong" } else { "it could not be judged" };
    let message = format!("{file} is not timed because {why}: {}", escape(&what));
    CommandError { exit: exit.code(), message }
}

fn not_measured(file: &str, why: NotMeasured) -> CommandError {
    match why {
        NotMeasured::Wrong(failure) => wrong(file, &failure),
        NotMeasured::Changed { buffer } => CommandError {
            exit: 1,
            message: format!(
                "{} computes different values when it runs again (buffer {buffer}): its times mean nothing",
                escape(file)
            ),
        },
        NotMeasured::Launch { error, meaning } => CommandError {
            exit: 1,
            message: format!(
                "{} failed while it was timed: {}: {}",
                escape(file),
                error.name(),
                escape(&meaning)
            ),
        },
        NotMeasured::Environment(error) => error.into(),
    }
}

fn measured_view(subject: &Subject, gpu: &Gpu, settings: &Settings, context: &Context) -> Result<BenchView> {
    let Subject { lesson, whole, source, shown, .. } = subject;
    let refused = |why| not_measured(shown, why);
    let gpu_bench =
        whole.as_ref().and_then(|whole| GpuBench::new(whole, context.judge_options().seed, gpu, settings));
    let large = whole.as_ref().and_then(Lesson::at_bench);
    let lesson = large.as_ref().unwrap_or(lesson);
    let measured = match &gpu_bench {
        Some(gpu_bench) => gpu_bench.time(source, shown),
        None => bench::measure(lesson, source, shown, context.judge_options().seed, gpu, settings),
    };
    let measured = measured.map_err(refused)?;
    let library = match &gpu_bench {
        Some(gpu_bench) => gpu_bench.library().map_err(refused)?,
        None => None,
    };
    let limits = Limits::of(gpu).map_err(refused)?;
    let bytes = bench::least_bytes(lesson);
    let counted = match bytes <= COUNTED_BYTES {
        true => estimate(subject, lesson, &model::named("h100")?, context)?.ok(),
        false => None,
    };
    let mut view = view_of(&subject.name, shown, gpu.name(), &measured);
    match library {
        Some(Ok(summary)) => view.library_ns = Some(summary.median_ns),
        Some(Err(why)) => context.say(&format!("Not compared with cuBLAS: {}", escape(why))),
        None => {}
    }
    view.case = lesson.spec.cases.first().map_or(String::new(), Case::to_string);
    let flops = counted.as_ref().map_or(0, |estimate| estimate.flops);
    let by_matrix = counted.is_some_and(|estimate| estimate.matrix_flops * 2 > flops);
    let median_ns = view.times.summary.median_ns;
    view.work = WorkView::new(bytes, flops, median_ns);
    let (gflops, unit) =
        if by_matrix { (limits.matrix_gflops, "matrix") } else { (limits.f32_gflops, "f32") };
    view.roof = Roofline::of(bytes, view.work.flops, median_ns, limits.copy_gbps, gflops).map(|roofline| {
        RoofView {
            copy_gbps: limits.copy_gbps,
            gflops,
            unit,
            launch_ns: limits.launch_ns,
            // Data in the L2 cache moves faster than any copy of memory.
            suspicious: roofline.is_suspicious() && measured.method == Method::Events,
            roofline,
        }
    });
    Ok(view)
}

fn view_of(name: &str, file: &str, device: &str, measured: &Measured) -> BenchView {
    let summary = measured.summary;
    BenchView {
        name: name.into(),
        file: file.into(),
        device: device.into(),
        times: TimesView {
            summary,
            stable: summary.is_stable(),
            method: if measured.method == Method::Events {
                TimingMethod::Events
            } else {
                TimingMethod::Graph
            },
        },
        sm_mhz: measured.clocks.map(|clocks| clocks.sm_mhz),
        throttled_by: measured.clocks.and_then(|clocks| clocks.throttling()),
        ..BenchView::default()
    }
}

fn pair_views(
    pair: &Pair,
    source: &str,
    file: &str,
    gpu: &Gpu,
    settings: &Settings,
) -> Result<Vec<BenchView>> {
    let measured = bench::measure_pair(pair, source, file, gpu, settings);
    let measured = measured.map_err(|why| not_measured(file, why))?;
    Ok(["slow", "fast"]
        .iter()
        .zip(&measured)
        .map(|(name, one)| view_of(name, file, gpu.name(), one))
        .collect())
}

/// Models a subject's kernels for `lesson`, which has the sizes; `Ok(Err)` if they are wrong.
fn estimate(
    Subject { source, shown, .. }: &Subject,
    lesson: &Lesson,
    model: &Model,
    context: &Context,
) -> Result<Result<Estimate, Box<Failure>>> {
    let seed = context.judge_options().seed;
    let estimate = bench::model(lesson, source, shown, seed, context.compiler()?, model);
    Ok(NoResult::separate(estimate)?)
}

fn modelled_view(subject: &Subject, key: &str, context: &Context) -> Result<BenchView> {
    let model = model::named(key)?;
    let Subject { lesson, shown, .. } = subject;
    let estimate = estimate(subject, lesson, &model, context)?.map_err(|failure| wrong(shown, &failure))?;
    let ns = estimate.ns as f64;
    Ok(BenchView {
        name: subject.name.clone(),
        file: shown.clone(),
        device: format!("{} (modelled)", model.properties.name),
        modelled: true,
        case: lesson.spec.cases.first().map_or(String::new(), Case::to_string),
        times: TimesView::modelled(ns),
        work: WorkView::new(bench::least_bytes(lesson), estimate.flops, ns),
        ..BenchView::default()
    })
}
