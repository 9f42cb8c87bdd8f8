//! Lessons of whole programs: functions that are called with buffers, and what `main` prints.

use crate::compiler;
use gpulearn::cpp::Source;
use gpulearn::judge::course::{Lesson, Spec, Text};
use gpulearn::judge::{self, Counted, Counter, Failure, Lack, Options, Pattern, Verdict};
use gpulearn::report::{self, About, JudgedRunView, VerdictView};
use gpulearn::sim::{Distance, Evidence, HostBlockName};

const TEXT: &str = "Idea.\n\n## Task\n\nDo.\n\n## Checked\n\n- it\n\n## Afterwards\n\nSo.\n";

/// A lesson of these tables: buffers, calls, requirements.
fn lesson(tables: &str, reference: &str, starter: &str) -> Lesson {
    let spec = format!(
        "order = 10\ntitle = \"T\"\nkind = \"program\"\nminutes = 1\nstarter = \"wrong-result\"\n\
         hints = [\"a\", \"b\", \"c\"]\nreference = \"{}\"\ncases = [{{ n = 300 }}, {{ n = 7 }}]\n{tables}",
        if reference.contains('(') { "reference.cu" } else { reference }
    );
    Lesson {
        slug: "programs".into(),
        part: "1-tests".into(),
        of: None,
        number: 1,
        title: "T".into(),
        minutes: 1,
        spec: toml::from_str::<Spec>(&spec).unwrap().into(),
        text: Text::parse(TEXT).unwrap().into(),
        starter: starter.to_owned().into(),
        solution: "".into(),
        kernels_source: None,
        reference_source: reference.contains('(').then(|| reference.to_owned().into()),
    }
}

fn verdict_of(lesson: &Lesson, source: &str, host_threads: usize) -> Verdict {
    let options = Options { host_threads, ..Options::default() };
    judge::run(lesson, source, "learner.cu", &compiler(), &options).unwrap()
}

fn verdict(lesson: &Lesson, source: &str) -> Verdict {
    let both = [1, 2].map(|host_threads| verdict_of(lesson, source, host_threads));
    assert_eq!(format!("{:?}", both[0]), format!("{:?}", both[1]), "host threads");
    let [one, _] = both;
    one
}

fn failure(lesson: &Lesson, source: &str) -> Failure {
    verdict(lesson, source).result.unwrap_err()
}

fn slug(lesson: &Lesson, source: &str) -> &'static str {
    verdict(lesson, source).result.map_or_else(|failure| failure.slug(), |_| "passed")
}

/// Why a source fails whose host code runs until it is stopped: that takes long, and is one thread's work in any case.
fn failure_at_length(lesson: &Lesson, source: &str) -> Failure {
    verdict_of(lesson, source, 1).result.unwrap_err()
}

/// `add_ten(in, out, n)`, its buffers in this memory.
fn add_ten(memory: &str) -> Lesson {
    let tables = format!(
        "[[buffers]]\nname = \"in\"\ntype = \"i32\"\nshape = [\"n\"]\nrole = \"in\"\nmemory = \"{memory}\"\n\
         fill = {{ kind = \"integers\", low = -9, high = 9 }}\n\
         [[buffers]]\nname = \"out\"\ntype = \"i32\"\nshape = [\"n\"]\nrole = \"out\"\nmemory = \"{memory}\"\n\
         [[calls]]\nfunction = \"add_ten\"\nargs = [\"in\", \"out\", \"n: i32\"]\n"
    );
    lesson(&tables, "map", "")
}

/// A file with a kernel `add`, and `add_ten` with this body.
fn program(body: &str) -> String {
    format!(
        "#include <cstdio>\n#include <cstdlib>\n\
         __global__ void add(const int *in, int *out, int n) {{\n\
         int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] + 10; }}\n\
         void add_ten(const int *in, int *out, int n) {{\n{body}\n}}\n"
    )
}

const ON_HOST: &str = "for (int i = 0; i < n; i++) out[i] = in[i] + 10;";

#[test]
fn a_function_is_called_with_memory_of_each_kind() {
    let device = "add<<<(n + 63) / 64, 64>>>(in, out, n);";
    let waits = format!("{device} cudaDeviceSynchronize();");
    for (memory, body, wanted) in [
        ("host", ON_HOST, "passed"),
        ("pinned", ON_HOST, "passed"),
        ("managed", ON_HOST, "passed"),
        ("device", ON_HOST, "device-pointer-followed"),
        ("host", device, "host-pointer-followed"),
        ("device", device, "passed"),
        ("device", &waits, "passed"),
        ("pinned", &waits, "passed"),
        ("managed", &waits, "passed"),
        ("pinned", device, "host-reads-early"),
        ("managed", device, "managed-in-use"),
    ] {
        assert_eq!(slug(&add_ten(memory), &program(body)), wanted, "{memory}: {body}");
    }
}

#[test]
fn buffers_are_no_place_for_tricks() {
    for memory in ["host", "pinned", "managed", "device"] {
        let Failure::Wrong(wrong) = failure(&add_ten(memory), &program("")) else { panic!("{memory}") };
        assert_eq!(wrong.pattern, Some(Pattern::Untouched), "{memory}");
    }
    let changed = format!("{ON_HOST} ((int *)in)[n - 1] ^= 1;");
    for memory in ["host", "pinned", "managed"] {
        assert_eq!(slug(&add_ten(memory), &program(&changed)), "read-only-write", "{memory}");
    }
    let by_copy =
        "int x = 1000; add<<<8, 64>>>(in, out, n); cudaMemcpy((void *)in, &x, 4, cudaMemcpyHostToDevice);";
    assert_eq!(slug(&add_ten("device"), &program(by_copy)), "read-only-write");
    let lesson = add_ten("host");
    for (body, wanted) in [
        ("for (int i = 0; i <= n; i++) out[i] = in[i] + 10;", "host-out-of-bounds"),
        ("for (int i = 0; i < n; i++) out[i] += 10;", "wrong-result"),
        ("for (int i = 0; i + 1 < n; i++) out[i] = in[i] + 10;", "wrong-result"),
        ("free(out);", "wrong-result"),
        ("int *p; cudaMalloc(&p, 4); for (int i = 0; i < n; i++) out[i] = in[i] + 10;", "leak"),
        ("*(int *)8 = 1;", "host-null-pointer"),
    ] {
        assert_eq!(slug(&lesson, &program(body)), wanted, "{body}");
    }
    for body in ["for (;;) out[0]++;", "for (;;) printf(\"more and more and more\\n\");"] {
        assert_eq!(failure_at_length(&lesson, &program(body)).slug(), "limit", "{body}");
    }
    let Failure::Defect { findings, .. } = failure(&lesson, &program("out[n] = 1;")) else { panic!() };
    let block = HostBlockName::Named { name: "out".into(), bytes: 1200 };
    assert_eq!(findings[0].evidence[0], Evidence::Distance { block, at: Distance::Past(0) });
}

#[test]
fn a_function_that_is_missing_or_ends_the_program_is_told() {
    let lesson = add_ten("host");
    let Failure::MissingFunction(missing) = failure(&lesson, "void other(int *out) { *out = 1; }") else {
        panic!()
    };
    assert_eq!((&*missing.name, &missing.found), ("add_ten", &vec!["other(int *)".to_string()]));
    assert_eq!(
        report::missing(&missing),
        "no host function is called \"add_ten\"; the lesson calls \
         `add_ten(const int *in, int *out, int n)`"
    );
    let fewer = "void add_ten(const int *in, int *out) { out[0] = in[0]; }";
    assert_eq!(slug(&lesson, fewer), "missing-function");
    assert_eq!(slug(&lesson, &program("exit(3);")), "early-exit");
    let verdict = verdict(&lesson, &program("fprintf(stderr, \"oh\\n\"); exit(3);"));
    assert_eq!(verdict.output, "oh\n");
    assert_eq!(
        slug(&lesson, "void add_ten(const int *in, int *out, int n) { out[0] = x; }"),
        "compile-error"
    );
}

/// A race between streams is found, and its wrong values are no second reason.
#[test]
fn what_nothing_orders_is_found_under_any_schedule() {
    let body = "int *d_in, *d_out; cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);\n\
        cudaMalloc(&d_in, n * 4); cudaMalloc(&d_out, n * 4);\n\
        cudaMemcpyAsync(d_in, in, n * 4, cudaMemcpyHostToDevice, s);\n\
        add<<<(n + 63) / 64, 64, 0, s>>>(d_in, d_out, n);\n\
        WAIT cudaMemcpy(out, d_out, n * 4, cudaMemcpyDeviceToHost);\n\
        cudaFree(d_in); cudaFree(d_out); cudaStreamDestroy(s);";
    let lesson = add_ten("host");
    assert_eq!(slug(&lesson, &program(&body.replace("WAIT", ""))), "stream-race");
    assert_eq!(slug(&lesson, &program(&body.replace("WAIT", "cudaStreamSynchronize(s);"))), "passed");
}

const BARS: &str = "\n[[requirements]]\ncounter = \"speedup_over_starter_percent\"\nat_least = 150\nwhy = \"w\"\n\
    [[requirements]]\ncounter = \"host_launches\"\nat_most = 1\nwhy = \"w\"\n";

fn with_bars(starter: &str) -> Lesson {
    let plain = add_ten("device");
    let mut lesson = plain.clone();
    let bars: toml::Table = toml::from_str(BARS).unwrap();
    lesson.spec.change(|spec| {
        spec.requirements = bars["requirements"].clone().try_into().unwrap();
        spec.cases.truncate(1);
    });
    lesson.starter = starter.to_owned().into();
    lesson
}

#[test]
fn the_starter_is_what_a_program_is_compared_with() {
    let one = program("add<<<(n + 63) / 64, 64>>>(in, out, n);");
    let each = program("for (int i = 0; i < n; i++) add<<<1, 1>>>(in + i, out + i, 1);");
    let lesson = with_bars(&each);
    let Failure::Work { bars, .. } = failure(&lesson, &each) else { panic!() };
    let missed: Vec<_> = bars.iter().map(|bar| (bar.counter, bar.yours)).collect();
    assert_eq!(missed, [(Counter::SpeedupOverStarterPercent, 100), (Counter::HostLaunches, 300)]);
    let passed = verdict(&lesson, &one).result.unwrap();
    let value = |counter: Counter| {
        let found: Option<&Counted> = passed.tally.iter().find(|counted| counted.counter == counter);
        found.unwrap_or_else(|| panic!("{counter}")).value
    };
    assert!(value(Counter::SpeedupOverStarterPercent) > 150);
    assert_eq!((value(Counter::HostCalls), value(Counter::HostLaunches)), (1, 1));
    assert!(value(Counter::ModelledNs) > 1000);
    assert!((1..10_000).contains(&value(Counter::HostInstructions)), "{}", value(Counter::HostInstructions));
    assert_eq!(value(Counter::Allocations), 0, "what is lent is not the program's own");
}

/// Threads run one after the other, so a program that seems too slow with them may not be.
#[test]
fn the_time_of_host_threads_is_not_known() {
    let one = program("add<<<(n + 63) / 64, 64>>>(in, out, n);");
    let each = program("for (int i = 0; i < n; i++) add<<<1, 1>>>(in + i, out + i, 1);");
    let threads = |count: u32, kernels: u32| {
        let body = format!(
            "for (int t = 0; t < {count}; t++) std::thread([=] {{ for (int k = 0; k < {kernels}; k++) \
             add<<<(n + 63) / 64, 64>>>(in, out, n); cudaDeviceSynchronize(); }}).join();"
        );
        format!("#include <thread>\n{}", program(&body))
    };
    let mut lesson = with_bars(&one);
    lesson.spec.change(|spec| spec.requirements.truncate(1));
    assert_eq!(slug(&lesson, &each), "too-much-work");
    let Failure::Unsupported { what, line: None } = failure(&lesson, &threads(2, 1)) else { panic!() };
    assert_eq!(what, Lack::TimeOfHostThreads);
    lesson.spec.change(|spec| spec.requirements.clear());
    assert_eq!(slug(&lesson, &threads(2, 1)), "passed");
    // What is counted is known, whichever thread does it.
    let lesson = with_bars(&one);
    let Failure::Work { bars, .. } = failure(&lesson, &threads(2, 2)) else { panic!() };
    assert_eq!(bars.iter().map(|bar| bar.counter).collect::<Vec<_>>(), [Counter::HostLaunches]);
}

#[test]
fn what_is_asked_for_is_counted() {
    let body = "int *a, *b; cudaStream_t s; cudaEvent_t e; cudaStreamCreate(&s); cudaEventCreate(&e);\n\
        cudaMalloc(&a, n * 4); cudaMalloc(&b, 8); cudaFree(b); cudaMallocAsync(&b, n * 8, s);\n\
        cudaMemset(a, 0, n * 4); cudaMemcpyAsync(b, in, n * 4, cudaMemcpyHostToDevice, s);\n\
        add<<<(n + 63) / 64, 64, 0, s>>>(b, a, n); cudaEventRecord(e, s); cudaEventSynchronize(e);\n\
        float ms; cudaEventElapsedTime(&ms, e, e); cudaMemcpy(b, a, n * 4, cudaMemcpyDeviceToDevice);\n\
        cudaMemcpy(out, b, n * 4, cudaMemcpyDeviceToHost);\n\
        cudaFreeAsync(b, s); cudaStreamSynchronize(s); cudaFree(a); cudaStreamDestroy(s); cudaEventDestroy(e);";
    let passed = verdict(&add_ten("host"), &program(body)).result.unwrap();
    let all: Vec<(String, u64)> =
        passed.tally.iter().map(|counted| (counted.counter.to_string(), counted.value)).collect();
    // Of the largest case: n = 300.
    for (name, value) in [
        ("host_launches", 1),
        ("copies_to_device", 1),
        ("bytes_to_device", 1200),
        ("copies_to_host", 1),
        ("bytes_to_host", 1200),
        ("copies_on_device", 1),
        ("bytes_on_device", 1200),
        ("pageable_copies", 2),
        ("pageable_bytes", 2400),
        ("sets", 1),
        ("bytes_set", 1200),
        ("allocations", 3),
        ("frees", 3),
        ("peak_device_bytes", 3600),
        ("synchronisations", 2),
        ("events_made", 1),
        ("event_times", 1),
        ("streams_made", 1),
        ("host_calls", 19),
    ] {
        assert!(all.contains(&(name.to_owned(), value)), "{name} {value} in {all:?}");
    }
}

const MAIN: &str = "#include <cstdio>\n#include <cstdlib>\nint main(int argc, char **argv) {\n\
    int n = atoi(argv[2]); printf(\"%s %d\\n\", argv[1], n); printf(\"half %.3f\\n\", n / 2.0 + OFF);\n\
    return n > 100 ? CODE : 0; }\n";

#[test]
fn what_main_prints_is_compared_line_by_line() {
    let calls =
        "[tolerance]\nrel = 0.01\n[[calls]]\nfunction = \"main\"\nargs = [\"--n\", \"{n}\", \"{seed}\"]\n";
    let source = |off: &str, code: &str| MAIN.replace("OFF", off).replace("CODE", code);
    let lesson = lesson(calls, &source("0", "3"), "");
    assert_eq!(slug(&lesson, &source("0", "3")), "passed");
    assert_eq!(slug(&lesson, &source("0.01", "3")), "passed", "within the tolerance");
    let Failure::Printed(misprint) = failure(&lesson, &source("50", "4")) else { panic!() };
    assert_eq!((misprint.differing, misprint.wanted, misprint.codes), (1, 2, (3, 4)));
    assert_eq!(misprint.window[1].want.as_deref(), Some("half 150.000"));
    assert_eq!(misprint.window[1].got.as_deref(), Some("half 200.000"));
    assert_eq!(slug(&lesson, "int f() { return 1; }"), "missing-function");
}

#[test]
fn functions_with_other_types_are_refused_by_name() {
    let lesson = add_ten("host");
    for (parameters, wanted) in [
        ("const int *in, int *out, float n", "parameter 3 of \"add_ten\" is `float`, "),
        ("const float *in, int *out, int n", "parameter 1 of \"add_ten\" is `const float *`, "),
        ("const int *in, int **out, int n", "parameter 2 of \"add_ten\" is `int **`, "),
        ("const int *in, long long out, int n", "parameter 2 of \"add_ten\" is `long long`, "),
        ("int n, const int *in, int *out", "parameter 1 of \"add_ten\" is `int`, "),
    ] {
        let source = format!("#include <cstdio>\nvoid add_ten({parameters}) {{ puts(\"here\"); }}\n");
        let Failure::MissingFunction(missing) = failure(&lesson, &source) else { panic!("{parameters}") };
        let detail = report::missing(&missing);
        assert!(detail.starts_with(wanted), "{detail}");
        assert!(detail.contains("the lesson calls `add_ten(const int *in, int *out, int n)`"), "{detail}");
    }
    let source = format!("void add_ten(const int *in, int *out, unsigned n) {{ {} }}", ON_HOST);
    assert_eq!(slug(&lesson, &source.replace("int i", "unsigned i")), "passed");
}

#[test]
fn what_is_asked_of_a_gpu_is_bounded() {
    let lesson = add_ten("managed");
    let limit_of = |failure: Failure| match failure {
        Failure::Limit(limit) => report::tool_limit(&limit),
        other => panic!("{}", other.slug()),
    };
    let limit = |body: &str| limit_of(failure(&lesson, &program(body)));
    let told = limit("\nadd<<<100000000, 256>>>(in, out, n); cudaDeviceSynchronize();");
    for words in [
        "line 7: ",
        "asks for 25,600,000,000 threads (100,000,000 blocks of 256)",
        "has room for 300 floats",
        "(n + 255) / 256",
    ] {
        assert!(told.contains(words), "{told}");
    }
    let told = limit("\nint *p;\ncudaMalloc(&p, 4ull << 30); cudaMemset(p, 0, 4ull << 30);");
    assert!(told.starts_with("line 8: including what cudaMalloc asks for"), "{told}");
    let told = limit_of(failure_at_length(&lesson, &program("\n\nfor (;;) out[0]++;")));
    assert!(told.starts_with("line 8: the host code ran"), "{told}");
    let told = limit_of(failure_at_length(&lesson, &program("\n\nfor (;;) add<<<1, 32>>>(in, out, 0);")));
    assert!(
        told.starts_with("line 8: the program enqueued kernels, copies and other work 20,000 times"),
        "{told}"
    );
}

/// Reached or not: no lesson needs them, so that they fail as what does not compile.
#[test]
fn files_and_processes_are_no_matter_of_lessons() {
    let lesson = add_ten("host");
    let asked = |declared: &str, body: &str| {
        let source = format!("{declared}\n{}", program(&format!("{ON_HOST}\n{body}")));
        match failure(&lesson, &source) {
            Failure::Compile(said) => (said[0].line, said[0].message.clone()),
            other => panic!("{body}: {other:?}"),
        }
    };
    for (declared, body) in [
        ("", "fopen(\"/etc/passwd\", \"r\");"),
        ("", "if (n == 7) system(\"ls\");"),
        ("", "remove(\"a\");"),
        ("extern \"C\" int fork();", "fork();"),
        ("extern \"C\" int open(const char *path, int flags, ...);", "open(\"a\", 0);"),
    ] {
        let (line, message) = asked(declared, body);
        assert!(line == 8 && message.contains("no files, starts no processes"), "{line}: {message}");
    }
    let (_, message) = asked("#include <fstream>", "std::ofstream file(\"a\"); file << n;");
    assert!(message.starts_with("\"fopen\""), "{message}");
    let source = program(&format!("{ON_HOST}\nremove(\"a\");"));
    let verdict = verdict(&lesson, &source);
    let source = Source::new(&source);
    let view =
        VerdictView::new(&verdict, &About::of_lesson(&lesson, "a.cu", &source), JudgedRunView::simulated(1));
    assert_eq!(view.headline, "calls what lessons do not have");
    for declared in ["int ten();", "extern \"C\" { int ten(); }"] {
        let (line, message) = asked(declared, "out[0] = ten();");
        assert_eq!((line, message.as_str()), (8, "\"ten\" is declared here, but defined nowhere"));
    }
    assert_eq!(slug(&lesson, &format!("extern \"C\" int rand();\n{}", program(ON_HOST))), "passed");
}

#[test]
fn calls_that_nvcc_refuses_do_not_compile() {
    let lesson = add_ten("managed");
    for (functions, body, wanted) in [
        ("", "add(in, out, n);", "a kernel is launched, not called: \"add\""),
        (
            "int ten() { return 10; }\n__global__ void k(const int *in, int *out, int n) { out[0] = in[0] + ten(); }",
            "k<<<1, 1>>>(in, out, n);",
            "\"ten\" is a host function",
        ),
        (
            "struct Ten { int by; int operator()(int x) const { return x + by; } };\n\
             template <class F> __global__ void each(const int *in, int *out, F f) { out[threadIdx.x] = f(in[threadIdx.x]); }",
            "each<<<1, n>>>(in, out, Ten{10});",
            "\"operator()\" is a host function",
        ),
    ] {
        let source = format!("{functions}\n{}", program(body));
        let Failure::Compile(said) = failure(&lesson, &source) else { panic!("{body}") };
        assert!(said[0].message.starts_with(wanted), "{said:?}");
        assert!(said[0].line > 0 && said[0].column > 0, "{said:?}");
    }
    for marked in ["__device__", "__host__ __device__", "constexpr"] {
        let functions = format!(
            "struct Ten {{ int by; int twice() {{ return 2 * by; }} {marked} int operator()(int x) const {{ return x + by; }} }};\n\
             template <class F> __global__ void each(const int *in, int *out, F f) {{ out[threadIdx.x] = f(in[threadIdx.x]); }}"
        );
        let body = "each<<<1, n>>>(in, out, Ten{Ten{5}.twice()}); cudaDeviceSynchronize();";
        assert_eq!(slug(&lesson, &format!("{functions}\n{}", program(body))), "passed", "{marked}");
    }
}
