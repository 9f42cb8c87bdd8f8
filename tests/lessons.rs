//! Every lesson of the repository, proved as `author check` does it. It has a binary of its own, so that nothing else runs
//! beside it: the time that it prints is that of the course.

use gpulearn::author;
use gpulearn::compiler::Compiler;
use gpulearn::judge::course::Problem;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[test]
fn every_lesson_proves_itself() {
    let begun = Instant::now();
    // What was compiled before from the same text is not compiled again.
    let compiled = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compiled");
    let found = Compiler::locate(false).expect("a CUDA compiler");
    let compiler = found.with_worker(env!("CARGO_BIN_EXE_gpulearn")).with_results(Some(compiled));
    let report = author::check(Path::new(env!("CARGO_MANIFEST_DIR")), None, &compiler).unwrap();
    // Past the test harness, which keeps what is printed: the time is to be seen.
    let (lessons, seconds) = (report.lessons.len(), begun.elapsed().as_secs_f64());
    let _ = writeln!(std::io::stderr(), "author check: {lessons} lessons in {seconds:.1} s");
    let problems: Vec<_> = report.all_problems().map(Problem::to_string).collect();
    assert!(report.is_sound(), "{} problem(s):\n{}", problems.len(), problems.join("\n"));
    assert_eq!(lessons, gpulearn::lessons::course().lessons().len());
}
