//! What is told beside the verdict: how far off, between which bounds, who is one too many.

use super::*;
use gpulearn::judge::{ExcessThreads, Worst};
use gpulearn::sim::PointerParameter;

#[test]
fn the_largest_error_is_told_beside_what_is_allowed() {
    let off = |i: usize, want: &str, got: &str| element(i, want, Some(got));
    let mut m = wrong(Some(Pattern::NearlyRight { relative: 3.2e-5 }));
    m.window = vec![off(0, "1", "1"), off(1, "17.25", "17.2512"), off(2, "11", "11.0001"), off(3, "2", "2")];
    m.worst =
        Some(Box::new(Worst { element: off(1, "17.25", "17.2512"), error: 0.00123456, allowed: 1.725e-6 }));
    let line = shown("softmax", Err(Box::new(Failure::Wrong(m.clone()))), "");
    (m.shape, m.pattern) = (vec![2, 2], None);
    m.window.iter_mut().for_each(|e| e.index = vec![e.index[0] / 2, e.index[0] % 2]);
    m.worst.as_mut().unwrap().element.index = vec![0, 1];
    let matrix = shown("softmax", Err(Box::new(Failure::Wrong(m.clone()))), "");
    (m.shape, m.total, m.differing) = (vec![1], 1, 1);
    m.window.truncate(1);
    m.window[0] = Element { index: vec![0], ..off(0, "17.25", "17.2512") };
    let one = shown("softmax", Err(Box::new(Failure::Wrong(m))), "");
    insta::assert_snapshot!([line, matrix, one].join("\n"));
}

#[test]
fn bounds_from_both_sides_are_one_row() {
    let both = |counter, yours, least, most| {
        let at_least = Bar { at_most: false, ..bar(counter, yours, least) };
        [bar(counter, yours, most), at_least]
    };
    let met = [both(Counter::Barriers, 4, 2, 8), both(Counter::Launches, 3, 3, 3)].concat();
    let passed = Passed { cases: 4, case: Some(case("n = 1000")), bars: met.clone(), ..Passed::default() };
    let missed = [both(Counter::Barriers, 1, 2, 8), both(Counter::Launches, 5, 3, 3)].concat();
    let missed = Err(Box::new(Failure::Work { bars: missed, case: case("n = 1000") }));
    insta::assert_snapshot!([shown("batching", Ok(passed), ""), shown("batching", missed, "")].join("\n"));
}

#[test]
fn two_threads_that_write_one_element_need_no_word_for_it() {
    let source = "__global__ void map_2d(float *out) {\n    out[threadIdx.y * 2 + threadIdx.x] = 1;\n}\n";
    let at = |x, y, element: i64| {
        let target = Target::Buffer { name: "out".into(), size_bytes: 16, offset_bytes: element * 4 };
        Access { thread: Dim3::new(x, y, 0), ..access(AccessKind::Write, 0, 2, 5, target) }
    };
    let race = finding(FindingKind::GlobalRace, at(2, 0, 2), Some(at(0, 1, 2)));
    let excess = ExcessThreads { at: Some(true), other: Some(false) };
    let (findings, case) = (vec![race], case("rows = 2, cols = 2"));
    let result = Failure::Defect { findings, values_right: true, case, excess };
    let verdict = Verdict::of("map-2d", Err(result));
    let source = Source::new(source);
    let about = About { thread_dims: 2, ..about("block-sum.cu", &source) };
    insta::assert_snapshot!(text(&VerdictView::new(&verdict, &about, run()), &Style::default()));
}

#[test]
fn an_index_that_was_read_is_told_so() {
    let source = "__global__ void embed(const float *table, const int *token, float *out) {\n    int row = token[threadIdx.x];\n    out[threadIdx.x] = table[row];\n}\n";
    let target = Target::Buffer { name: "table".into(), size_bytes: 64, offset_bytes: 64 };
    let mut at = access(AccessKind::Read, 2, 3, 5, target);
    at.location = Some(SourceLocation { file: "embed.cu".into(), line: 3, column: 5 });
    insta::assert_snapshot!(shown(
        "embed",
        failed(vec![finding(FindingKind::OutOfBounds, at, None)], true),
        source
    ));
}

#[test]
fn a_read_that_the_compiler_moved_is_told_at_a_line_that_reads() {
    let source = "__global__ void guards(const float *in, float *out, int n) {\n    int i = threadIdx.x;\n    if (i % 5 == 0) {\n        out[i] = in[i] + 10;\n    } else {\n        out[i] = in[i] + 11;\n    }\n}\n";
    let target = Target::Buffer { name: "in".into(), size_bytes: 16, offset_bytes: 16 };
    let mut at = access(AccessKind::Read, 4, 3, 9, target);
    at.location = Some(SourceLocation { file: "guards.cu".into(), line: 3, column: 9 });
    at.parameter = Some(PointerParameter { index: 0, buffer: "in".into(), base: 256, offset_bytes: 0 });
    let view = view("guards", failed(vec![finding(FindingKind::OutOfBounds, at, None)], true), source);
    assert_eq!(view.evidence.findings[0].at.line, 4);
}
