//! `claims`: the ledger of what a notebook claims, with figures from the lessons' own code.

use super::{Answer, CommandError, Context, Exit, Format, Result, model};
use judge::bench;
use judge::claims::{Figures, Stopwatch};
use judge::course::{ClaimRow, Course, Lesson};
use judge::on_gpu::Gpu;
use report::{self, ClaimFigure, ClaimView, ClaimsView, escape, json};

#[derive(clap::Args)]
pub struct Args {
    /// One row, such as L7, or the rows of a notebook, such as N1; all rows if omitted
    row: Option<String>,
    /// GPU to model: t4, a100 or h100
    #[arg(long = "as", value_name = "GPU", default_value = "t4", hide_default_value = true)]
    gpu: String,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let model = model::named(&args.gpu)?;
    let course = context.base_course()?.clone();
    let rows = rows(args.row.as_deref(), &course)?;
    let compiler = context.compiler()?.clone();
    let stopwatch = stopwatch(context)?;
    let mut view = ClaimsView {
        notebooks: titles(&rows, &course),
        modelled: model.properties.name.clone(),
        measured: stopwatch.as_ref().map(|stopwatch| stopwatch.name().to_owned()),
        gpu_here: stopwatch.is_some() || gpu::is_present(),
        rows: Vec::new(),
    };
    let human = context.global.format == Format::Human;
    if human {
        context.out.print(&report::claims_head(&view, &context.style));
    }
    let options = context.judge_options();
    let stopwatch = stopwatch.as_ref().map(|stopwatch| stopwatch as &dyn Stopwatch);
    let figures = Figures::new(&course, model.key, &compiler, stopwatch, &options);
    for row in rows {
        let row = evaluated(row, &course, &figures)?;
        // Print each row as soon as it is ready: together they take a second or so.
        if human {
            context.out.print(&report::claim(&row, view.gpu_here, &context.style));
        }
        view.rows.push(row);
    }
    if !human {
        context.out.print(&json::to_line(&json::Tagged::new("gpulearn.claims/1", &view)));
    }
    Ok(Exit::Pass)
}

/// Returns the rows that were asked for: one, those of a notebook, or all.
fn rows<'c>(asked: Option<&str>, course: &'c Course) -> Result<Vec<&'c ClaimRow>> {
    let claims = course.claims();
    let Some(id) = asked else { return Ok(claims.rows.iter().collect()) };
    if let Some(row) = claims.row(id) {
        return Ok(vec![row]);
    }
    let of = |notebook: &str| claims.rows.iter().filter(|row| row.notebook == notebook).collect();
    let rows: Vec<&ClaimRow> = course.topics().notebook(id).map_or(Vec::new(), |notebook| of(&notebook.id));
    if rows.is_empty() {
        let rows: Vec<&str> = claims.rows.iter().map(|row| row.id.as_str()).collect();
        let mut notebooks: Vec<&str> = claims.rows.iter().map(|row| row.notebook.as_str()).collect();
        notebooks.dedup();
        return Err(CommandError::usage(format!(
            "no claim or notebook is called \"{}\"; there are {} in the notebooks {}",
            escape(id),
            rows.join(", "),
            notebooks.join(", ")
        )));
    }
    Ok(rows)
}

/// Returns the titles of the rows' notebooks.
fn titles(rows: &[&ClaimRow], course: &Course) -> Vec<String> {
    let notebooks = course.topics().notebooks.iter();
    let shown = notebooks.filter(|notebook| rows.iter().any(|row| row.notebook == notebook.id));
    shown.map(|notebook| notebook.title.clone()).collect()
}

/// Returns the GPU to measure times on, if there is one.
fn stopwatch(context: &Context) -> Result<Option<OnGpu>> {
    let seed = context.judge_options().seed;
    Ok(context.gpu()?.cloned().map(|gpu| OnGpu { gpu, seed }))
}

/// Times a lesson's launches, as `bench` does.
struct OnGpu {
    gpu: Gpu,
    seed: u64,
}

impl Stopwatch for OnGpu {
    fn name(&self) -> &str {
        self.gpu.name()
    }

    fn ns(&self, lesson: &Lesson, source: &str, case: usize, launch: &str) -> anyhow::Result<i64> {
        let summary = bench::time_launches(lesson, source, case, launch, self.seed, &self.gpu)?;
        Ok(summary.median_ns.round() as i64)
    }
}

fn evaluated(row: &ClaimRow, course: &Course, figures: &Figures) -> Result<ClaimView> {
    let mut view = ClaimView::new(row, &|slug| course.lesson(slug).is_some());
    for value in &row.values {
        let known = figures.figure(value)?;
        let known = known.as_ref();
        view.values.push(ClaimFigure {
            lesson: value.lesson.clone(),
            says: value.says.clone(),
            case: known.map(|its| its.case.to_string()),
            figure: value.figure.clone(),
            unit: value.unit.clone(),
            modelled: known.map(|its| its.modelled),
            measured: known.and_then(|its| its.measured),
            lacks: known.is_none().then_some("no-lesson"),
        });
    }
    Ok(view)
}
