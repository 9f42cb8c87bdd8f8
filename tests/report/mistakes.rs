//! What newcomers write wrong, one mistake a file, as the compiler says it and as we do.

use super::{about, run, text};
use crate::compiler;
use gpulearn::compiler::{CompileError, Request};
use gpulearn::cpp::Source;
use gpulearn::judge::{Failure, Verdict};
use gpulearn::report::{About, Style, VerdictView};
use std::path::Path;

fn describe(folder: &str, program: bool) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.is_file()).collect();
    files.sort();
    let compiler = compiler();
    let all = files.iter().map(|path| {
        let source = std::fs::read_to_string(path).unwrap();
        let file_name = path.file_name().unwrap().to_str().unwrap();
        let request = Request { program, ..Request::new(&source, file_name, (8, 0)) };
        let Err(CompileError::Rejected(messages)) = compiler.compile(&request) else {
            panic!("{file_name} is not refused");
        };
        let verdict = Verdict::of("map", Err(Failure::Compile(messages)));
        let source = Source::new(&source);
        let about = About { program, ..about(file_name, &source) };
        let view = VerdictView::new(&verdict, &about, run());
        let text = text(&view, &Style::default());
        assert!(text.lines().count() <= 24, "more than a screen:\n{text}");
        text
    });
    all.collect::<Vec<_>>().join("\n")
}

#[test]
fn mistakes_of_newcomers_are_told_in_plain_words() {
    insta::assert_snapshot!("kernels", describe("mistakes", false));
    insta::assert_snapshot!("programs", describe("mistakes/programs", true));
}
