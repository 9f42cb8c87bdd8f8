//! What is told of wrong files of lessons, from the source to the page: the cause, at its line, with advice that
//! is right if it is followed. `judged/LESSON/MISTAKE.cu` is judged as that lesson's.

use super::text;
use crate::nvrtc::compiler;
use gpulearn::cpp::Source;
use gpulearn::judge::course::Lesson;
use gpulearn::judge::{self, Options};
use gpulearn::report::{About, Style, VerdictView};
use std::path::Path;

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
    VerdictView::new(&verdict, &about)
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
    for folder in sorted(&root) {
        let slug = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let lesson = course.lesson(&slug).unwrap();
        let all = sorted(&folder).into_iter().map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            text(&view_of(lesson, &std::fs::read_to_string(&path).unwrap(), &name), &Style::default())
        });
        insta::assert_snapshot!(slug.replace('-', "_"), all.collect::<Vec<_>>().join("\n"));
    }
}
