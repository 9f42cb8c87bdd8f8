//! Every lesson of the repository, proved as `author check` does it, each a test by its name. It has a binary of its own, so
//! that nothing else runs meanwhile: the time that it prints is that of the course. A lesson that is asked for alone, as by
//! `cargo test --test lessons -- --exact dropout`, is proved alone; otherwise all are, by whichever test comes first.

use gpulearn::author::{self, Report};
use gpulearn::compiler::Compiler;
use gpulearn::judge::course::{Course, Problem};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{LazyLock, OnceLock};
use std::time::Instant;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    static COURSE: LazyLock<Course> = LazyLock::new(gpulearn::lessons::course);
    let slugs: Vec<&'static str> = COURSE.lessons().iter().map(|its| its.slug.as_str()).collect();
    let is_asked = |slug: &&&str| match (&arguments.filter, arguments.exact) {
        (None, _) => true,
        (Some(filter), true) => *slug == filter,
        (Some(filter), false) => slug.contains(filter.as_str()),
    };
    let mut asked = slugs.iter().filter(is_asked);
    let alone = asked.next().copied().filter(|_| asked.next().is_none());
    let lesson = |slug: &'static str| {
        Trial::test(slug, move || {
            let lesson = report(alone).lessons.iter().find(|its| its.slug == slug);
            none_of(lesson.ok_or("it is not in the folder")?.problems.iter())
        })
    };
    let loads =
        Trial::test("every_file_loads_as_part_of_a_lesson", move || none_of(report(alone).problems.iter()));
    libtest_mimic::run(&arguments, slugs.iter().map(|slug| lesson(slug)).chain([loads]).collect()).exit_code()
}

/// Proves one lesson, or all.
fn report(alone: Option<&'static str>) -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| {
        let begun = Instant::now();
        // What was compiled before from the same text is not compiled again.
        let compiled = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compiled");
        let found = Compiler::locate(false).expect("a CUDA compiler");
        let compiler = found.with_worker(env!("CARGO_BIN_EXE_gpulearn")).with_results(Some(compiled));
        let report = author::check(Path::new(env!("CARGO_MANIFEST_DIR")), alone, &compiler).unwrap();
        let (lessons, seconds) = (report.lessons.len(), begun.elapsed().as_secs_f64());
        eprintln!("author check: {lessons} lessons in {seconds:.1} s");
        report
    })
}

fn none_of<'p>(problems: impl Iterator<Item = &'p Problem>) -> Result<(), Failed> {
    let problems: Vec<String> = problems.map(Problem::to_string).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
}
