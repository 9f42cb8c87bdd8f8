//! Ways around the work, and accidents that look like them: each is refused for its own reason, in
//! time and memory that are bounded, or turns out to be harmless.

use super::{failure, map, verdict};
use crate::compiler;
use gpulearn::judge::{self, Failure, Options, Pattern};

/// A kernel for `guards`.
fn guards(body: &str) -> String {
    format!(
        "extern \"C\" __global__ void guards(const float *in, float *out, int n) {{\n    int i = threadIdx.x;\n{body}\n}}\n"
    )
}

const RIGHT: &str = "if (i < n) out[i] = in[i] + 10;";

fn slug(lesson: &str, source: &str) -> &'static str {
    let verdict = verdict(lesson, source);
    assert!(verdict.output.len() <= 1 << 20, "{} bytes of output", verdict.output.len());
    verdict.result.map_or_else(|failure| failure.slug(), |_| "passed")
}

/// Runs each body in place of the right one.
fn all(bodies: &[(&str, &str)]) {
    let started = std::time::Instant::now();
    for (body, wanted) in bodies {
        assert_eq!(slug("guards", &guards(body)), *wanted, "{body}");
    }
    let took = started.elapsed();
    assert!(took.as_secs() < 60, "{took:?}");
}

#[test]
fn what_is_right_for_some_sizes_only_is_wrong() {
    let Failure::Wrong(mismatch) = failure("guards", &guards("if (n == 4 && i < n) out[i] = in[i] + 10;"))
    else {
        panic!()
    };
    assert_eq!(mismatch.pattern, Some(Pattern::Untouched));
    assert_ne!(mismatch.case.to_string(), "n = 4, threads = 8");
}

#[test]
fn constants_fit_one_seed_and_one_size_at_most() {
    let course = gpulearn::lessons::course();
    let lesson = course.lesson("guards").unwrap();
    let run = |source: &str, seed| {
        let options = Options { seed, ..Options::default() };
        judge::run(lesson, source, "guards.cu", &compiler(), &options).unwrap().result.map_err(Box::new)
    };
    let Failure::Wrong(first) = *run(&guards("if (i < n) out[i] = 0.5f;"), 1).unwrap_err() else { panic!() };
    let wanted: Vec<&str> = first.window.iter().map(|element| element.want.as_str()).collect();
    assert_eq!(wanted.len(), first.total, "all that the first case wants is shown");
    let table = format!(
        "const float want[] = {{ {} }};\nif (i < n) out[i] = want[i % {}];",
        wanted.join(", "),
        wanted.len()
    );
    for (seed, its_case) in [(1, false), (2, true)] {
        let Failure::Wrong(mismatch) = *run(&guards(&table), seed).unwrap_err() else {
            panic!("seed {seed}")
        };
        assert_eq!(mismatch.case == first.case, its_case, "seed {seed}");
    }
}

#[test]
fn buffers_are_no_place_for_tricks() {
    all(&[
        ("if (i < n) out[i] = out[i] + 1;", "uninitialised-read"),
        ("if (i < n) out[i] += in[i] + 10;", "uninitialised-read"),
        ("if (i < n) { ((float *)in)[i] += 10; out[i] = in[i]; }", "read-only-write"),
        ("float *p = out + (in - out); if (i < n) { p[i] = 1; out[i] = in[i] + 10; }", "read-only-write"),
        ("if (i < n) asm volatile(\"st.global.f32 [%0], 0f00000000;\" :: \"l\"(in + i));", "read-only-write"),
        ("if (i < n) out[i] = in[i] + 10; out[n + 5] = 1;", "out-of-bounds"),
        ("if (i < n) out[i] = in[i] + 10; out[-3] = 1;", "out-of-bounds"),
        ("if (i < n) out[i] = in[i] + 10; out[1LL << 40] = 1;", "out-of-bounds"),
        ("if (i < n) out[i] = in[i] + 10; *(float *)8 = 1;", "null-pointer"),
        ("if (i + 1 < n) out[i] = in[i] + 10;", "wrong-result"),
        ("if (i < n) out[i] = 0.0f / (in[i] - in[i]);", "wrong-result"),
    ]);
}

#[test]
fn minus_zero_is_zero() {
    assert_eq!(
        slug("guards", &guards("if (i < n) { float x = in[i] + 10; out[i] = x == 0 ? -0.0f : x; }")),
        "passed"
    );
}

#[test]
fn what_takes_for_ever_or_too_much_ends() {
    all(&[
        ("while (true) { out[0] = in[0]; __threadfence(); }", "endless-loop"),
        ("for (int k = 0; ; k++) printf(\"%d more and more and more\\n\", k);", "endless-loop"),
        ("volatile int k = 1; while (k) { }", "endless-loop"),
        ("__shared__ float s[1 << 20]; s[i] = in[0]; out[0] = s[0];", "launch-error"),
        ("volatile float big[1 << 26]; big[i] = 1; if (i < n) out[i] = in[i] + 10 * big[i];", "launch-error"),
        ("float *p = (float *)malloc(1LL << 40); p[i] = 1;", "null-pointer"),
        ("asm volatile(\"trap;\");", "trap"),
        ("__trap();", "trap"),
        ("assert(i < 3);", "assert-failed"),
    ]);
}

#[test]
fn printing_a_lot_is_cut_and_no_crime() {
    let body =
        format!("for (int k = 0; k < 4; k++) printf(\"%d {}\\n\", k);\n{RIGHT}", "long ".repeat(5_000));
    let verdict = verdict("guards", &guards(&body));
    assert!(verdict.result.is_ok(), "{:?}", verdict.result);
    assert!((1 << 10..1 << 17).contains(&verdict.output.len()), "{}", verdict.output.len());
    assert!(verdict.output.contains("more was printed"));
}

#[test]
fn printing_what_is_no_text_does_no_harm() {
    for body in [
        "printf(\"%s\\n\", (const char *)in);",
        "printf((const char *)in);",
        "printf(\"%s\\n\", (const char *)8);",
        "printf(\"%s %d %f %99999d %*d\\n\");",
        "char c[3] = {'%', '%', '%'}; printf(c);",
    ] {
        let started = std::time::Instant::now();
        slug("guards", &guards(&format!("{body}\n{RIGHT}")));
        assert!(started.elapsed().as_secs() < 10, "{body}");
    }
}

#[test]
fn recursion_without_end_ends() {
    let source = format!(
        "__device__ __noinline__ int deeper(int n) {{ volatile int x = n; return deeper(x + 1) + x; }}\n{}",
        guards("out[i] = deeper(i);")
    );
    assert_eq!(slug("guards", &source), "stack-overflow");
}

#[test]
fn a_kernel_of_the_right_name_needs_the_right_parameters() {
    let with = |parameters: &str| {
        slug("guards", &format!("extern \"C\" __global__ void guards({parameters}) {{ }}"))
    };
    for parameters in [
        "",
        "const float *in, float *out",
        "const float *in, float *out, long long n",
        "const float *in, float *out, float n",
        "float in, float *out, int n",
        "const float *in, float *out, int n, int more",
    ] {
        assert_eq!(with(parameters), "missing-kernel", "{parameters}");
    }
    let whole = "extern \"C\" __global__ void guards(const int *in, int *out, int n) {\n\
        if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x] + 10;\n}\n";
    assert_eq!(slug("guards", whole), "wrong-result");
    assert_eq!(
        slug("guards", "extern \"C\" __device__ void guards(const float *, float *, int) { }"),
        "missing-kernel"
    );
}

#[test]
fn nothing_is_left_from_case_to_case() {
    // A run that found `done` set would write nothing. Reading it counts, as does memory of one's
    // own, so both are right and do too much.
    let source = format!(
        "__device__ int done;\n{}",
        guards("if (done) return;\n__syncthreads();\nif (i < n) out[i] = in[i] + 10;\ndone = 1;")
    );
    assert_eq!(slug("guards", &source), "too-much-work");
    let heap = "volatile float *p = (float *)malloc(4);\n*p = 10;\nif (i < n) out[i] = in[i] + *p;\nfree((void *)p);";
    assert_eq!(slug("guards", &guards(heap)), "too-much-work");
}

#[test]
fn a_barrier_defined_away_is_missed() {
    let course = gpulearn::lessons::course();
    let solution = &course.lesson("block-sum").unwrap().solution;
    assert_eq!(slug("block-sum", solution), "passed");
    let without = format!("#define __syncthreads() ((void)0)\n{solution}");
    assert_eq!(slug("block-sum", &without), "shared-race");
}

#[test]
fn the_one_who_writes_everything_late_is_not_right_by_luck() {
    // Poison in place of values, and the values of the case before.
    assert_eq!(slug("map", &map("")), "wrong-result");
    assert_eq!(
        slug("map", &map("if (threadIdx.x > 0) out[threadIdx.x] = in[threadIdx.x] + 10;")),
        "wrong-result"
    );
}
