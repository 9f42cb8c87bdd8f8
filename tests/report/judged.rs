//! What is told of wrong files of lessons, from the source to the page: the cause, at its line, with advice that
//! is right if it is followed. `judged/LESSON/MISTAKE.cu` is judged as that lesson's.

use super::text;
use crate::compiler;
use gpulearn::cpp::Source;
use gpulearn::judge::course::Lesson;
use gpulearn::judge::{self, Options};
use gpulearn::report::{About, JudgedRunView, Style, VerdictView};
use std::path::{Path, PathBuf};

pub fn view_of(lesson: &Lesson, source: &str, file_name: &str) -> VerdictView {
    let verdict = judge::run(lesson, source, file_name, &compiler(), &Options::default()).unwrap();
    let source = Source::new(source);
    let spec = &lesson.spec;
    let dims =
        |of: fn(&gpulearn::judge::course::Launch) -> usize| spec.launches.iter().map(of).max().unwrap_or(1);
    let about = About {
        starter: &lesson.starter,
        thread_dims: dims(|launch| launch.block.len()),
        block_dims: dims(|launch| launch.grid.len()),
        program: spec.is_program(),
        atomics_barred: spec.forbids_atomics(),
        shapes: spec.buffers.iter().map(|b| (b.name.clone(), b.shape.clone())).collect(),
        element_bytes: spec.buffers.iter().map(|b| (b.name.clone(), b.ty.bytes() as u32)).collect(),
        ..About::program(file_name, &source)
    };
    VerdictView::new(&verdict, &about, JudgedRunView::simulated(0))
}

#[test]
fn causes_are_told_at_their_lines() {
    let course = gpulearn::lessons::course();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/judged");
    let sorted = |folder: &Path| {
        let mut all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all
    };
    let told = |path: &PathBuf| {
        let slug = path.parent().and_then(Path::file_name).unwrap().to_str().unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let source = std::fs::read_to_string(path).unwrap();
        (slug.to_owned(), text(&view_of(course.lesson(slug).unwrap(), &source, name), &Style::default()))
    };
    // This takes longer than any other test, so it has more than one of the harness's threads.
    let files: Vec<PathBuf> = sorted(&root).iter().flat_map(|folder| sorted(folder)).collect();
    let (first, second) = files.split_at(files.len() / 2);
    let told: Vec<(String, String)> = std::thread::scope(|scope| {
        let all = |half: &[PathBuf]| half.iter().map(told).collect::<Vec<_>>();
        let other = scope.spawn(move || all(second));
        [all(first), other.join().unwrap()].concat()
    });
    for lesson in told.chunk_by(|one, next| one.0 == next.0) {
        let all: Vec<&str> = lesson.iter().map(|(_, text)| text.as_str()).collect();
        insta::assert_snapshot!(lesson[0].0.replace('-', "_"), all.join("\n"));
    }
}
