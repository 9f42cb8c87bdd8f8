//! Verdicts on sources that a learner may hand in, from text to reason.

mod cheats;
mod claims;
mod data;
mod images;
mod predictions;
mod programs;

use crate::compiler;
use gpulearn::judge::{self, Failure, Options, Pattern, Verdict};
use gpulearn::report;
use gpulearn::sim::Dim3;

fn verdict(slug: &str, source: &str) -> Verdict {
    let course = gpulearn::lessons::course();
    let lesson = course.lesson(slug).unwrap();
    judge::run(lesson, source, "kernels/learner.cu", &compiler(), &Options::default()).unwrap()
}

fn failure(slug: &str, source: &str) -> Failure {
    verdict(slug, source).result.unwrap_err()
}

/// A kernel for `map`.
fn map(body: &str) -> String {
    format!("extern \"C\" __global__ void map(const float *in, float *out) {{\n{body}\n}}\n")
}

#[test]
fn a_kernel_may_do_without_extern_c() {
    let plain = map("out[threadIdx.x] = in[threadIdx.x] + 10;").replace("extern \"C\" ", "");
    assert!(verdict("map", &plain).result.is_ok());
    let two = format!("namespace old {{ __global__ void map(float *out) {{ *out = 0; }} }}\n{plain}");
    assert!(verdict("map", &two).result.is_ok(), "the one whose parameters fit is meant");
    let template = "template <class T> __global__ void map(const T *in, T *out) {\n\
        out[threadIdx.x] = in[threadIdx.x] + 10;\n}\n\
        template __global__ void map<float>(const float *, float *);\n";
    assert!(verdict("map", template).result.is_ok());
}

#[test]
fn a_missing_kernel_is_told_with_what_there_is() {
    let source = "__global__ void add_ten(const float *in, float *out, int n) { out[n] = in[n]; }";
    let Failure::MissingKernel(missing) = failure("map", source) else { panic!() };
    assert_eq!((missing.name.as_str(), missing.found.len()), ("map", 1));
    assert_eq!(missing.found[0], "add_ten(const float *, float *, int)");
    let detail = report::missing(&missing);
    assert!(
        detail.starts_with("no kernel is called \"map\"; the lesson runs `map(const float *in, float *out")
    );
    assert_eq!(failure("map", "// nothing\n").slug(), "missing-kernel");
}

#[test]
fn not_a_number_is_never_right() {
    let Failure::Wrong(mismatch) = failure("map", &map("out[threadIdx.x] = in[threadIdx.x] / 0.0f * 0.0f;"))
    else {
        panic!()
    };
    assert_eq!(mismatch.pattern, Some(Pattern::NotANumber));
}

#[test]
fn the_first_wrong_element_names_its_thread() {
    let body = "if (threadIdx.x != 2) out[threadIdx.x] = in[threadIdx.x] + 10;";
    let Failure::Wrong(mismatch) = failure("map", &map(body)) else { panic!() };
    assert_eq!(
        mismatch.pattern,
        Some(Pattern::PartlyWritten { written: mismatch.total - 1, gap: Some(2..3) })
    );
    assert_eq!(mismatch.differing, 1);
    let writer = mismatch.writer.unwrap();
    assert_eq!((writer.block, writer.thread), (Dim3::new(0, 0, 0), Some(Dim3::new(2, 0, 0))));
    let missing = mismatch.window.iter().find(|element| !element.right).unwrap();
    assert_eq!((missing.index.as_slice(), &missing.got), (&[2][..], &None));
}

#[test]
fn an_endless_loop_ends() {
    let body = "volatile float *p = out;\nwhile (in[0] < 1e30f)\n  p[threadIdx.x] = in[threadIdx.x] + 10;";
    let started = std::time::Instant::now();
    let failure = failure("map", &map(body));
    let Failure::Overwork(overwork) = failure else { panic!("{failure:?}") };
    let line = overwork.line.unwrap();
    assert!((3..=4).contains(&line), "line {line}");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn output_is_kept_as_it_was_printed() {
    let body =
        "out[threadIdx.x] = in[threadIdx.x] + 10;\nif (threadIdx.x == 0) printf(\"%d\\n\\033[2J\", 7);";
    let verdict = verdict("map", &map(body));
    assert!(verdict.result.is_ok(), "{:?}", verdict.result);
    assert_eq!(verdict.output, "7\n\u{1b}[2J");
}

#[test]
fn what_is_no_ptx_in_asm_is_the_learners() {
    for asm in ["evil.op %r1, \\033[31m;", "bogus.u32 %0, 1;", "add.u32 ;"] {
        let source = map(&format!("out[0] = in[0];\nasm volatile(\"{asm}\");"));
        let Failure::Compile(said) = failure("map", &source) else { panic!("{asm}") };
        assert_eq!(said[0].line, 3, "{said:?}");
        assert!(said[0].message.starts_with("the text of asm is not valid PTX: "), "{said:?}");
    }
    // PTX that we lack is ours.
    let source = map(
        "float x;\nasm volatile(\"{ .reg .b32 a; txq.width.b32 a, [%1]; mov.b32 %0, a; }\" : \"=f\"(x) : \"l\"(in));\nout[0] = x;",
    );
    assert_eq!(failure("map", &source).slug(), "unsupported");
}

#[test]
fn every_seed_is_another_input_and_the_same_seed_is_the_same() {
    let course = gpulearn::lessons::course();
    let lesson = course.lesson("map").unwrap();
    let source = map("out[threadIdx.x] = 1;");
    let prepared = judge::Prepared::new(lesson, &source, "map.cu", &compiler()).unwrap();
    let shown = |seed| {
        format!("{:?}", prepared.verdict(&Options { seed, host_threads: 1, ..Options::default() }).unwrap())
    };
    assert_eq!(shown(1), shown(1));
    assert_ne!(shown(1), shown(2));
}
