//! `gpulearn run`: whole programs from the command line.

use super::{gpulearn, run};
use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

pub(super) fn folder(source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.cu"), source).unwrap();
    folder
}

#[test]
fn a_program_prints_and_ends_as_it_says() {
    let folder = folder(
        "#include <stdio.h>\n#include <stdlib.h>\n\
         __global__ void twice(int *x) { *x *= 2; }\n\
         int main(int argc, char **argv) {\n    int v = atoi(argv[1]), *d;\n    cudaMalloc(&d, 4);\n\
         cudaMemcpy(d, &v, 4, cudaMemcpyHostToDevice);\n    twice<<<1, 1>>>(d);\n\
         cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost);\n    cudaFree(d);\n\
         printf(\"%d of %d\\n\", v, argc);\n    fprintf(stderr, \"bye\\n\");\n    return v;\n}\n",
    );
    let (exit, out, err) = run(folder.path(), &["run", "p.cu", "--", "21", "--flag"]);
    assert_eq!((exit, out.as_str(), err.as_str()), (42, "42 of 3\n", "bye\n"));
    let (exit, out, _) = run(folder.path(), &["run", "p.cu", "--format", "json", "--as", "t4", "--", "4"]);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &answer["exit_code"], &answer["stdout"]), (8, &8.into(), &"8 of 2\n".into()));
    assert_eq!((&answer["schema"], &answer["stderr"]), (&"gpulearn.run/1".into(), &"bye\n".into()));
    assert!(answer["device"].as_str().unwrap().contains("T4") && answer["modelled_ns"].as_u64() > Some(0));
    assert_eq!(answer["findings"].as_array().map(Vec::len), Some(0));
    let launch = &answer["launches"][0];
    assert_eq!(
        (&launch["kernel"], &launch["line"], &launch["grid"][0]),
        (&"twice".into(), &8.into(), &1.into())
    );
    assert_eq!((&launch["counts"]["global_reads"], &answer["launches_dropped"]), (&1.into(), &0.into()));
    assert!(launch["start_ns"].as_u64() < launch["end_ns"].as_u64(), "{launch}");
}

/// Writes files below a folder.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn a_header_of_a_folder_named_in_full_is_shown_by_its_path() {
    let folder = project(&[
        ("p/p.cu", "#include \"bad.h\"\nint main() { return f(); }\n"),
        ("i/bad.h", "int f() { return x; }\n"),
    ]);
    let headers = folder.path().join("i");
    let (exit, _, err) = run(&folder.path().join("p"), &["run", "p.cu", "-I", headers.to_str().unwrap()]);
    assert_eq!(exit, 1);
    assert!(err.contains(&format!("error  {}/bad.h:1:18\n", headers.display())), "{err}");
}

#[test]
fn own_headers_are_found_and_findings_in_them_shown() {
    let main = "#include <cstdio>\n#include \"kernels/fill.h\"\n#include <size.h>\n#ifndef EXTRA\n#define EXTRA 0\n#endif\n\
         int main() {\n    int *x;\n    cudaMalloc(&x, SIZE * sizeof(int));\n    fill<<<1, SIZE + EXTRA>>>(x);\n\
         cudaDeviceSynchronize();\n    cudaFree(x);\n    printf(\"%d\\n\", SIZE);\n}\n";
    let folder = project(&[
        ("p/p.cu", main),
        (
            "p/kernels/fill.h",
            "#pragma once\n#include \"../value.h\"\n__global__ void fill(int *x) {\n    x[threadIdx.x] = value;\n}\n",
        ),
        ("p/value.h", "#pragma once\nconstexpr int value = 7;\n"),
        ("sizes/size.h", "#ifndef SIZE\n#define SIZE 8\n#endif\n"),
        ("p/out.cu", "#include \"../sizes/size.h\"\nint main() { return SIZE; }\n"),
        ("p/wrong.cu", "#include \"wrong.h\"\nint main() {}\n"),
        ("p/wrong.h", "\nint f() { return nothing; }\n#include \"gone.h\"\n"),
    ]);
    let (exit, out, err) = run(folder.path(), &["run", "p/p.cu", "-I", "sizes"]);
    assert_eq!((exit, out.as_str(), err.as_str()), (0, "8\n", ""));
    let (exit, out, err) =
        run(folder.path(), &["run", "p/p.cu", "-Isizes", "-D", "SIZE=4", "-DEXTRA=2", "-DT=float"]);
    assert_eq!((exit, out.as_str()), (1, "4\n"), "{err}");
    assert!(err.contains("p/kernels/fill.h:4:5") && err.contains("4 │ x[threadIdx.x] = value;"), "{err}");
    let (exit, _, err) = run(folder.path(), &["run", "p/p.cu"]);
    assert!(exit == 1 && err.contains("size.h") && err.contains("-I DIR"), "{err}");
    let (exit, _, err) = run(folder.path(), &["run", "p/out.cu"]);
    assert!(exit == 1 && err.contains("is outside"), "{err}");
    assert_eq!(run(folder.path(), &["run", "p/out.cu", "-I", "."]).0, 8);
    let (exit, _, err) = run(folder.path(), &["run", "p/wrong.cu"]);
    assert!(exit == 1 && err.contains("p/wrong.h:2:18") && err.contains("neither next to"), "{err}");
    for bad in [["-I", "nowhere"], ["-D", "3x"]] {
        let (exit, _, err) = run(folder.path(), &["run", "p/p.cu", bad[0], bad[1]]);
        assert!(exit == 2 && err.contains(bad[1]), "{err}");
    }
    let (exit, out, err) = run(folder.path(), &["inspect", "p/p.cu", "-I", "sizes"]);
    assert!(exit == 0 && out.contains("fill"), "{out}{err}");
}

#[test]
fn a_header_whose_last_line_ends_with_a_backslash_ends_there() {
    for end in ["", "\n", "\r\n"] {
        let show = format!("#define SHOW(t) \\\n    printf(\"%d\\n\", t); \\{end}");
        let main = "#include <cstdio>\n#include \"show.h\"\nint main() { SHOW(3) }\n";
        let folder = project(&[("p.cu", main), ("show.h", &show)]);
        let (exit, out, err) = run(folder.path(), &["run", "p.cu"]);
        assert_eq!((exit, out.as_str()), (0, "3\n"), "{err}");
    }
}

#[test]
fn a_line_of_another_file_is_named_with_the_file() {
    let folder = project(&[
        ("p.cu", "#include \"kernels.h\"\n#include \"launch.h\"\nint main() {\n    launch();\n}\n"),
        ("kernels.h", "#pragma once\n__global__ void k(int *p) { p[threadIdx.x + 1] = 1; }\n"),
        (
            "launch.h",
            "#include \"kernels.h\"\ninline void launch() {\n    int *p;\n    cudaMalloc(&p, 128);\n    k<<<1, 32>>>(p);\n    \
             cudaDeviceSynchronize();\n}\n",
        ),
        ("wide.cu", "// Text\n#include \"w.h\"\nint main() {}\n"),
        ("w.h", "// a\n// b\n// c\n#include <wchar.h>\n"),
    ]);
    let (exit, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert!(
        exit == 1 && err.contains("kernels.h:2:") && err.contains("launched in launch.h:5."),
        "{exit} {err}"
    );
    let (exit, _, err) = run(folder.path(), &["run", "wide.cu"]);
    let err = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(exit == 3 && err.contains("(w.h:4). That is not your mistake"), "{exit} {err}");
}

#[test]
fn a_function_that_another_file_defines_is_told_with_that_file() {
    let main = "__global__ void render(int *out);\nextern \"C\" int helper(int);\nextern \"C\" int missing(int);\n\
                int main(int argc, char **) {\n    if (argc == 2) return helper(1);\n    if (argc == 3) return missing(1);\n\
                int *d;\n    cudaMalloc(&d, 4);\n    render<<<1, 1>>>(d);\n    cudaFree(d);\n}\n";
    let folder = project(&[
        ("p.cu", main),
        ("kernels.cu", "__global__ void render(int *out) { *out = 1; }\n"),
        ("helper.c", "int helper(int n) { return n; }\n"),
    ]);
    let said = |args: &[&str]| {
        let (exit, _, err) = run(folder.path(), args);
        assert_eq!(exit, 1, "{err}");
        err.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let kernel = said(&["run", "p.cu"]);
    assert!(kernel.contains("p.cu:9: render() is declared here and defined in kernels.cu"), "{kernel}");
    assert!(kernel.contains("Add #include \"kernels.cu\" to p.cu."), "{kernel}");
    let helper = said(&["run", "p.cu", "--", "1"]);
    assert!(helper.contains("helper() is declared here and defined in helper.c"), "{helper}");
    let missing = said(&["run", "p.cu", "--", "1", "2"]);
    assert!(
        missing.contains("neither this program nor a library that this tool has defines it"),
        "{missing}"
    );
    std::fs::remove_file(folder.path().join("kernels.cu")).unwrap();
    let kernel = said(&["run", "p.cu"]);
    assert!(kernel.contains("the kernel render() is declared and launched, but"), "{kernel}");
}

#[test]
fn causes_of_findings_are_asked_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/ran");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut files: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
    files.sort();
    let told = files.iter().map(|file| run(&folder, &["run", "--backend", "sim", file]).2);
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_barrier_that_a_macro_leaves_out_is_none() {
    let folder = folder(
        "__global__ void k(int *o) {\n  __shared__ int s[64];\n  s[threadIdx.x] = threadIdx.x;\n#if VERSION == 2\n  \
         __syncthreads();\n#endif\n  o[threadIdx.x] = s[63 - threadIdx.x];\n}\n\
         int main() {\n  int *d;\n  cudaMalloc(&d, 256);\n  k<<<1, 64>>>(d);\n  cudaDeviceSynchronize();\n  cudaFree(d);\n}\n",
    );
    let (exit, _, err) = run(folder.path(), &["run", "p.cu", "-D", "VERSION=1"]);
    assert!(exit == 1 && err.contains("put __syncthreads() between lines 3"), "{err}");
    assert_eq!(run(folder.path(), &["run", "p.cu", "-D", "VERSION=2"]).0, 0);
}

#[test]
fn headers_of_a_folder_given_stand_before_ours() {
    let main = "#include <cstdio>\n#include <getopt.h>\n#include <omp.h>\n#include \"helper_cuda.h\"\n\
         int main() { printf(\"%d %d %d\\n\", OPTIONS, THREADS, HELPER); }\n";
    let folder = project(&[
        ("p/p.cu", main),
        ("mine/getopt.h", "#define OPTIONS 1\n"),
        ("mine/omp.h", "#define THREADS 2\n"),
        ("mine/helper_cuda.h", "#define HELPER 3\n"),
    ]);
    let (exit, out, err) = run(folder.path(), &["run", "p/p.cu", "-I", "mine"]);
    assert_eq!((exit, out.as_str(), err.as_str()), (0, "1 2 3\n", ""));
}

#[test]
fn what_is_typed_is_read() {
    use std::io::Write;
    use std::process::Stdio;
    let folder = folder(
        "#include <iostream>\nint main() {\n    int a, b;\n    std::cin >> a;\n\
         if (scanf(\"%d\", &b) != 1) return 1;\n    std::cout << a * b << std::endl;\n}\n",
    );
    let mut command = gpulearn(folder.path(), &["run", "p.cu"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"6\n7\n").unwrap();
    let Output { stdout, status, .. } = child.wait_with_output().unwrap();
    assert_eq!((String::from_utf8(stdout).unwrap().as_str(), status.code()), ("42\n", Some(0)));
}

#[test]
fn a_program_that_misses_its_arguments_is_told_how_they_are_given() {
    let source = "#include <cstdlib>\nint main(int argc, char **argv) {\n    return atoi(argv[1]) - 7;\n}\n";
    let folder = folder(source);
    let (exit, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert!(
        exit == 139 && err.contains("H005") && err.contains("Arguments are given after --"),
        "{exit} {err}"
    );
    assert_eq!(run(folder.path(), &["run", "p.cu", "--", "7"]).0, 0);
}

#[test]
fn an_argument_that_is_none_is_told_wherever_the_program_uses_it() {
    let past = "#include <cstdio>\nint main(int argc, char *argv[]) {\n    char *out = argv[2];\n    puts(out);\n}\n";
    let kept = "#include <cstdio>\nint main(int argc, char *argv[]) {\n    const char *path = argv[1];\n    \
                return fopen(path, \"r\") == nullptr;\n}\n";
    for (source, says) in [(past, "reads argv[2]; `argv` has 2 elements"), (kept, "H005")] {
        let folder = folder(source);
        let (exit, _, err) = run(folder.path(), &["run", "p.cu"]);
        assert!(
            exit == 139 && err.contains(says) && err.contains("Arguments are given after --"),
            "{exit} {err}"
        );
    }
}

#[test]
fn a_report_begins_on_a_line_of_its_own() {
    let source =
        "#include <cstdio>\nint main() {\n    int *x;\n    cudaMalloc(&x, 4);\n    printf(\"Done\");\n}\n";
    let folder = folder(source);
    let (_, out, err) = run(folder.path(), &["run", "p.cu"]);
    assert!(out == "Done" && err.starts_with('\n') && err.contains("A009"), "{out} {err}");
    std::fs::write(folder.path().join("p.cu"), source.replace("Done", "Done\\n")).unwrap();
    let (_, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert!(!err.starts_with('\n') && err.contains("A009"), "{err}");
}

#[test]
fn a_leak_is_a_remark_unless_it_is_to_count() {
    let folder = folder("int main() {\n    int *x;\n    cudaMalloc(&x, 4);\n}\n");
    let (exit, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert!(exit == 0 && err.contains("A009"), "{exit} {err}");
    assert_eq!(run(folder.path(), &["run", "p.cu", "--strict"]).0, 1);
}

#[test]
fn all_that_one_line_leaks_is_named() {
    let folder =
        folder("int main() {\n    int *x; cudaStream_t s; cudaMalloc(&x, 4); cudaStreamCreate(&s);\n}\n");
    let (_, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert!(err.contains("line 2: `x`, ") && err.contains("line 2: `s`, a stream"), "{err}");
}

#[test]
fn limits_are_told_as_limits_with_their_options() {
    let folder = folder(
        "#include <cstdlib>\n__global__ void count(unsigned *x, unsigned n) {\n\
         for (unsigned i = 0; i < n; i++) x[i % 4] += i;\n}\n\
         int main(int argc, char **argv) {\n    unsigned *x;\n    cudaMalloc(&x, 16);\n    cudaMemset(x, 0, 16);\n\
         if (argc < 2) count<<<1, 1>>>(x, 1u << 22);\n    cudaDeviceSynchronize();\n    cudaFree(x);\n\
         char *big = (char *)malloc(3ull << 30);\n    big[5] = 1;\n    free(big);\n}\n",
    );
    let (exit, _, err) = run(folder.path(), &["run", "p.cu", "--limit-instructions", "5", "--no-checks"]);
    assert!(exit == 3 && err.contains("--limit-instructions") && !err.contains("S001"), "{err}");
    let (exit, _, err) = run(folder.path(), &["run", "p.cu", "--limit-memory", "512", "--", "1"]);
    assert!(exit == 3 && err.contains("--limit-memory") && err.contains("in line 12"), "{err}");
    let (exit, _, err) = run(folder.path(), &["run", "p.cu", "--limit-memory", "4000", "--no-checks"]);
    assert_eq!((exit, err.as_str()), (0, ""));
}

#[test]
fn a_kernel_that_is_called_is_refused_where_the_text_does_not_show_it() {
    let folder = folder(
        "__global__ void add(int *x) { *x += 1; }\nstruct Job {\n    int *x;\n    void go() {\n        add(x);\n    }\n};\n\
         int main() {\n    int *x;\n    cudaMalloc(&x, 4);\n    Job{x}.go();\n    cudaFree(x);\n}\n",
    );
    let (exit, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert!(exit == 1 && err.contains("p.cu:5") && err.contains("<<<blocks, threads>>>"), "{exit} {err}");
}

#[test]
fn what_thrust_calls_on_the_gpu_needs_device() {
    let program = |f: &str| {
        format!(
            "#include <thrust/device_vector.h>\n#include <thrust/transform.h>\n#include <cstdio>\nstruct Twice {{\n    \
             float operator()(float x) const {{ return 2 * x; }}\n}};\nint main() {{\n    \
             thrust::device_vector<float> x(4, 1.5f);\n    \
             thrust::transform(x.begin(), x.end(), x.begin(), {f});\n    \
             float first = x[0];\n    printf(\"%g\\n\", first);\n}}\n"
        )
    };
    for (f, at, says) in [
        ("Twice()", "p.cu:5:11", "\"Twice\" is called on the GPU here"),
        ("[](float x) { return 2 * x; }", "p.cu:9:54", "this lambda is called on the GPU here"),
    ] {
        let (exit, _, err) = run(folder(&program(f)).path(), &["run", "p.cu"]);
        let said = err.replace("\n  ", " ");
        assert!(exit == 1 && said.contains(at) && said.contains(says), "{exit} {err}");
    }
    let (exit, out, err) =
        run(folder(&program("[] __device__ (float x) { return 2 * x; }")).path(), &["run", "p.cu"]);
    assert_eq!((exit, out.as_str()), (0, "3\n"), "{err}");
}

#[test]
fn a_kernel_that_takes_long_is_stopped_when_the_time_is_over() {
    let folder = folder(
        "#include <cstdio>\n__global__ void k(float *a) {\n    float s = 0;\n\
         for (int i = 0; i < 1000000; i++) s += a[i % 32] * i;\n    a[0] = s;\n}\n\
         int main() {\n    float *a;\n    cudaMalloc(&a, 128);\n    cudaMemset(a, 0, 128);\n    puts(\"begun\");\n\
         k<<<100000, 32>>>(a);\n    cudaDeviceSynchronize();\n    puts(\"done\");\n}\n",
    );
    let begun = Instant::now();
    let (exit, out, err) = run(folder.path(), &["run", "p.cu", "--limit-seconds", "8", "--no-checks"]);
    assert_eq!((exit, out.as_str()), (3, "begun\n"), "{err}");
    let said = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("stopped after 8 s") && said.contains("kernel k was running"), "{err}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let arguments = ["run", "p.cu", "--limit-seconds", "8", "--no-checks", "--format", "json"];
    let (exit, out, _) = run(folder.path(), &arguments);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &answer["ended"], &answer["stdout"]), (3, &"limit".into(), &"begun\n".into()));
}

#[test]
fn a_program_that_takes_long_to_compile_is_stopped_when_the_time_is_over() {
    let folder = folder(
        "template <int A, unsigned long B> struct T {\n\
         static constexpr unsigned long v = T<A - 1, B * 2>::v + T<A - 1, B * 2 + 1>::v;\n};\n\
         template <unsigned long B> struct T<0, B> { static constexpr unsigned long v = 1; };\n\
         int main() { return T<40, 1>::v == 0; }\n",
    );
    let begun = Instant::now();
    let (exit, out, err) = run(folder.path(), &["run", "p.cu", "--limit-seconds", "2"]);
    let said = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!((exit, out.as_str()), (3, ""), "{err}");
    assert!(said.contains("stopped after 2 s") && said.contains("it was still being compiled"), "{err}");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}

#[test]
fn what_was_found_before_the_time_was_over_is_reported() {
    let folder = folder(
        "#include <cstdlib>\n__global__ void copy(int *a, int *b) { a[threadIdx.x] = b[threadIdx.x]; }\n\
         __global__ void slow(int *a, int n) {\n    int s = 0;\n    for (int i = 0; i < n; i++) s += a[i % 8] * i;\n\
         a[threadIdx.x] = s;\n}\n\
         int main(int, char **argv) {\n    int *a, *b;\n    cudaMalloc(&a, 32);\n    cudaMalloc(&b, 32);\n    copy<<<1, 8>>>(a, b);\n\
         cudaMemset(a, 0, 32);\n    slow<<<1, 8>>>(a, atoi(argv[1]));\n    cudaDeviceSynchronize();\n}\n",
    );
    // Compiling it, which is kept, takes part of the limit.
    let (exit, _, err) = run(folder.path(), &["run", "p.cu", "--", "1"]);
    assert_eq!(exit, 1, "{err}");
    // On a fast machine the usual limit of instructions would come first.
    let most = u64::MAX.to_string();
    let limits = ["--limit-seconds", "8", "--limit-instructions", &most];
    let arguments = [&["run", "p.cu"][..], &limits, &["--", "2147483647"]].concat();
    let (exit, _, err) = run(folder.path(), &arguments);
    let said = err.split_whitespace().collect::<Vec<_>>().join(" ");
    let ended = said.contains("stopped after 8 s") && said.contains("(kernel slow was");
    assert!(exit == 1 && err.contains("I001") && ended, "{err}");
}

#[test]
fn buffers_made_on_one_line_have_names_of_their_own() {
    let folder = folder(
        "__global__ void k(float *x) { x[threadIdx.x] = 1; }\n\
         int main() {\n    float *first, *second;\n    cudaMalloc(&first, 64); cudaMalloc(&second, 8);\n\
         k<<<1, 4>>>(second);\n    cudaDeviceSynchronize();\n    cudaFree(first); cudaFree(second);\n}\n",
    );
    let (_, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert!(err.contains("`x` is `second`") && !err.contains("first"), "{err}");
}

#[test]
fn a_result_read_too_early_is_told_with_both_lines() {
    let folder = folder(
        "#include <cstdio>\nint main() {\n    int *h, *d;\n    cudaMallocHost(&h, 4);\n    cudaMalloc(&d, 4);\n\
         cudaMemset(d, 1, 4);\n    *h = 0;\n    cudaStream_t s;\n    cudaStreamCreate(&s);\n\
         cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, s);\n    printf(\"%x\\n\", *h);\n\
         cudaStreamSynchronize(s);\n    cudaStreamDestroy(s);\n    cudaFreeHost(h);\n    cudaFree(d);\n}\n",
    );
    for (schedule, printed) in [("eager", "1010101\n"), ("lazy", "0\n")] {
        let (exit, out, err) = run(folder.path(), &["run", "p.cu", "--schedule", schedule]);
        assert_eq!((exit, out.as_str()), (1, printed), "{err}");
        assert!(err.contains("O001") && err.contains("10 │") && err.contains("11 │"), "{err}");
    }
}

#[test]
fn what_a_program_prints_does_no_harm_in_a_log() {
    let folder =
        folder("#include <cstdio>\nint main() { printf(\"\\033[31mred\\n::error file=x\\n\"); return 0; }\n");
    let Output { stdout, .. } = gpulearn(folder.path(), &["run", "p.cu"]).env("CI", "true").output().unwrap();
    let out = String::from_utf8(stdout).unwrap();
    assert!(!out.contains('\u{1b}') && !out.lines().any(|line| line.starts_with("::")), "{out}");
    // Another program that reads it gets what was written.
    let Output { stdout, .. } = gpulearn(folder.path(), &["run", "p.cu"]).output().unwrap();
    assert_eq!(stdout, b"\x1b[31mred\n::error file=x\n");
}

#[test]
fn what_does_not_end_or_is_not_there_is_told() {
    let endless = folder("int main() { volatile int i = 0; for (;;) i++; }\n");
    let (exit, _, err) = run(endless.path(), &["run", "p.cu", "--limit-seconds", "1"]);
    assert!(exit == 3 && err.contains("limit"), "{exit} {err}");
    let (exit, _, err) = run(endless.path(), &["run", "other.cu"]);
    assert!(exit == 2 && err.contains("other.cu"), "{exit} {err}");
    let (exit, _, err) = run(Path::new("."), &["run"]);
    assert!(exit == 2 && err.contains("FILE.cu"), "{exit} {err}");
    let wrong = folder("int main() { return nothing; }\n");
    let (exit, _, err) = run(wrong.path(), &["run", "p.cu"]);
    assert!(exit == 1 && err.contains("p.cu:1:"), "{exit} {err}");
    let asm = folder("__global__ void k() {\n    asm(\"evil.op %r1;\");\n}\nint main() { k<<<1, 1>>>(); }\n");
    let (exit, _, err) = run(asm.path(), &["run", "p.cu"]);
    assert!(exit == 1 && err.contains("p.cu:2") && err.contains("not valid PTX"), "{exit} {err}");
    let files = folder("#include <cstdio>\nint main() { return fopen(\"..\", \"r\") != 0; }\n");
    let (exit, _, err) = run(files.path(), &["run", "p.cu"]);
    assert!(exit == 3 && err.contains("folders within it only"), "{exit} {err}");
}

#[test]
fn what_a_lesson_of_programs_does_is_measured() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (exit, out, err) = run(root, &["author", "measure", "first-program"]);
    assert_eq!(exit, 0, "{err}");
    let row = |name: &str| {
        let line = out.lines().find(|line| line.ends_with(&format!("({name})")));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
    };
    assert_eq!(
        (row("host_launches"), row("frees"), row("no_such")),
        (Some(1), row("allocations"), None),
        "{out}"
    );
    assert!(row("bytes_to_host") > Some(0) && row("peak_device_bytes") >= row("bytes_to_host"), "{out}");
}

#[test]
fn a_header_that_the_tool_lacks_is_no_mistake_of_the_program() {
    let folder = folder("int main() {}\n");
    for (header, why) in [("cusparse.h", "cuSPARSE"), ("ranges", "of the headers of C++20")] {
        let program = format!("#include <cstdio>\n#include <{header}>\nint main() {{ puts(\"?\"); }}\n");
        std::fs::write(folder.path().join("p.cu"), program).unwrap();
        let (exit, out, err) = run(folder.path(), &["run", "p.cu"]);
        assert_eq!((exit, out.as_str()), (3, ""), "{err}");
        assert!(
            err.contains(&format!("lacks <{header}>: {why}")) && err.contains("not your mistake"),
            "{err}"
        );
    }
    std::fs::write(folder.path().join("p.cu"), "#error \"mine.h: no\"\nint main() {}\n").unwrap();
    assert_eq!(run(folder.path(), &["run", "p.cu"]).0, 1);
}

#[test]
fn what_cuda_has_and_the_tool_lacks_is_no_mistake_of_the_program() {
    let folder = folder("int main() {}\n");
    let scan = "#include <thrust/device_vector.h>\n#include <thrust/scan.h>\nint main() {\n    \
                thrust::device_vector<int> keys(4), sums(4);\n    thrust::inclusive_scan_by_key(keys.begin(), keys.end(), \
                sums.begin(), sums.begin());\n}\n";
    let old = "#include <cublas.h>\nint main() { cublasInit(); }\n";
    for (program, lacks) in
        [(scan, "thrust::inclusive_scan_by_key: Thrust"), (old, "<cublas.h>: it is cuBLAS")]
    {
        std::fs::write(folder.path().join("p.cu"), program).unwrap();
        let (exit, out, err) = run(folder.path(), &["run", "p.cu"]);
        assert_eq!((exit, out.as_str()), (3, ""), "{err}");
        let err = err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(err.contains(&format!("lacks {lacks}")) && err.contains("not your mistake"), "{err}");
    }
}

#[test]
fn files_that_a_program_writes_appear_in_the_current_folder_and_nowhere_else() {
    let folder = folder(
        "#include <cstdio>\n#include <fstream>\nvoid put(const char *path) {\n    FILE *file = fopen(path, \"w\");\n\
             fputs(\"1 2 3\\n\", file);\n    fclose(file);\n}\nint main() {\n    put(\"out.txt\");\n    put(\"kept/in.txt\");\n\
             put(\"../up.txt\");\n    put(\"none/there.txt\");\n    put(\"link/out.txt\");\n    put(\"gone\\x1b.txt\");\n\
             remove(\"gone\\x1b.txt\");\n    put(\"./p.cu\");\n    std::ofstream(\"stream.csv\") << \"a,b\";\n}\n",
    );
    let outside = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("kept")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
    let (exit, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert_eq!(exit, 0, "{err}");
    let wrote = |path: &str| std::fs::read_to_string(folder.path().join(path)).unwrap_or_default();
    assert_eq!(
        (wrote("out.txt"), wrote("kept/in.txt"), wrote("stream.csv")),
        ("1 2 3\n".into(), "1 2 3\n".into(), "a,b".into())
    );
    for line in [
        "· wrote out.txt, 6 bytes",
        "· not written: ../up.txt, 6 bytes: only files in the current folder are kept",
        "· not written: none/there.txt, 6 bytes: the folder it would be in is not there",
        "· not written: ./p.cu, 6 bytes: it is this program's own source",
    ] {
        assert!(err.contains(line), "{line}: {err}");
    }
    assert!(wrote("p.cu").contains("int main"), "{}", wrote("p.cu"));
    assert!(!err.contains("gone") && std::fs::read_dir(outside.path()).unwrap().next().is_none(), "{err}");
}

#[test]
fn programs_read_files_of_the_current_folder_and_of_no_other() {
    let folder = folder(
        "#include <cerrno>\n#include <cstdio>\n#include <fstream>\n#include <string>\nint main(int count, char **words) {\n    \
             if (count > 1) return fopen(words[1], \"r\") != 0;\n    std::ifstream in(\"data/in.txt\");\n    \
             std::string word;\n    int n;\n    in >> word >> n;\n    printf(\"%s %d\\n\", word.c_str(), n + 1);\n    \
             bool none = true;\n    \
             for (const char *path : {\"missing.txt\", \"../missing/in.txt\", \"/missing/in.txt\"}) {\n        \
             errno = 0;\n        none = none && !fopen(path, \"r\") && errno == ENOENT;\n    }\n    \
             printf(\"%d %d\\n\", none, remove(\"missing.txt\"));\n    \
             FILE *log = fopen(\"log.txt\", \"a\");\n    fputs(\"two\\n\", log);\n}\n",
    );
    let outside = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| std::fs::write(folder.path().join(path), text).unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    write("data/in.txt", "seven 7\n");
    write("log.txt", "one\n");
    std::fs::write(outside.path().join("secret"), "x").unwrap();
    let (exit, out, err) = run(folder.path(), &["run", "p.cu"]);
    assert_eq!((exit, out.as_str()), (0, "seven 8\n1 -1\n"), "{err}");
    assert!(err.contains("wrote log.txt, 8 bytes") && !err.contains("in.txt"), "{err}");
    assert_eq!(std::fs::read_to_string(folder.path().join("log.txt")).unwrap(), "one\ntwo\n");
    let beside = outside.path().file_name().unwrap().display();
    let mut ways = vec![outside.path().join("secret").display().to_string(), format!("../{beside}/secret")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
        ways.push("link/secret".into());
    }
    for way in ways {
        let (exit, _, err) = run(folder.path(), &["run", "p.cu", "--", &way]);
        let said = err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(exit == 3 && said.contains("folders within it only"), "{way}: {exit} {err}");
        assert_eq!(said.contains("a link leads out"), way.starts_with("link"), "{err}");
    }
    write("p.cu", "#include <cstdio>\nint main() { return remove(\"log.txt\"); }\n");
    let (exit, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert!(exit == 3 && err.contains("remove and rename no"), "{exit} {err}");
}

#[test]
fn a_host_thread_that_waits_for_one_created_before_it_is_unsupported() {
    let folder = folder(
        "#include <condition_variable>\n#include <mutex>\n#include <thread>\n\
         std::mutex guard;\nstd::condition_variable changed;\nbool ready = false;\nint main() {\n\
             std::thread waits([] {\n        std::unique_lock<std::mutex> lock(guard);\n\
                 changed.wait(lock, [] { return ready; });\n    });\n\
             ready = true;\n    changed.notify_one();\n    waits.join();\n}\n",
    );
    let (exit, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert_eq!(exit, 3, "{err}");
    let said = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("std::condition_variable::wait waits") && said.contains("(line 10)"), "{err}");
}

#[test]
fn a_copy_from_beyond_the_stack_fails_alone() {
    let folder = folder(
        "#include <cstdio>\nint main() {\n    int a[4] = {1, 2, 3, 4}, *d;\n    cudaMalloc(&d, 1 << 20);\n\
         cudaError_t copied = cudaMemcpy(d, a, 1 << 20, cudaMemcpyHostToDevice);\n\
         cudaError_t freed = cudaFree(d);\n    printf(\"%d %d\\n\", copied, freed);\n}\n",
    );
    let (exit, out, err) = run(folder.path(), &["run", "p.cu"]);
    assert_eq!((exit, out.as_str()), (1, "1 0\n"), "{err}");
    assert!(
        err.contains("[A001]") && err.contains("`a` has 16 bytes of") && !err.contains("[A009]"),
        "{err}"
    );
}

#[test]
fn a_kernel_that_waits_for_the_host_is_beyond_the_simulator() {
    let folder = folder(
        "#include <cstdio>\n__global__ void wait(volatile int *flag) { while (*flag == 0) {} }\n\
         int main() {\n    int *flag;\n    cudaMallocHost(&flag, 4);\n    *flag = 0;\n\
         wait<<<1, 1>>>(flag);\n    *(volatile int *)flag = 1;\n    cudaDeviceSynchronize();\n\
         cudaFreeHost(flag);\n}\n",
    );
    let (exit, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert_eq!(exit, 3, "{err}");
    assert!(err.contains("waits for what the host does to `flag`") && !err.contains("[S001]"), "{err}");
}

#[test]
fn large_fills_and_copies_of_the_host_take_no_time() {
    let folder = folder(
        "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\nint main() {\n    const size_t n = 32 << 20;\n\
         char *a = (char *)malloc(n), *b, *c;\n    cudaMallocHost(&b, n);\n    cudaMallocManaged(&c, n);\n\
         memset(a, 1, n);\n    memset(b, 2, n);\n    memset(c, 3, n);\n    memcpy(b, c, n);\n\
         memcpy(a, b, n - 1);\n    printf(\"%d %d %d\\n\", a[0], a[n - 2], a[n - 1]);\n\
         free(a);\n    cudaFreeHost(b);\n    cudaFree(c);\n}\n",
    );
    let (exit, out, err) = run(folder.path(), &["run", "p.cu", "--limit-seconds", "20"]);
    assert_eq!((exit, out.as_str(), err.as_str()), (0, "3 3 1\n", ""));
}

#[test]
fn the_kernels_of_a_program_are_inspected() {
    let folder = folder(
        "#include <cstdio>\n__global__ void twice(int *x) { x[threadIdx.x] *= 2; }\n\
         int main() {\n    int *d;\n    cudaMalloc(&d, 128);\n    twice<<<1, 32>>>(d);\n    cudaFree(d);\n}\n",
    );
    let (exit, out, err) = run(folder.path(), &["inspect", "p.cu", "--ptx"]);
    assert_eq!(exit, 0, "{out}{err}");
    assert!(out.contains("twice") && out.contains("st.global") && !out.contains("cudaMalloc"), "{out}");
}

#[test]
fn what_cub_does_with_a_device_is_lacking_where_it_is_called() {
    let folder = folder(
        "#include <cub/cub.cuh>\n#include <cstdio>\nint main(int n, char **) {\n    size_t bytes = 0;\n\
         puts(\"before\");\n    if (n > 0) cub::DeviceSegmentedSort::SortKeys(nullptr, bytes, &n, &n, 1);\n}\n",
    );
    let (exit, out, err) = run(folder.path(), &["run", "p.cu"]);
    assert_eq!((exit, out.as_str()), (3, "before\n"), "{err}");
    assert!(err.contains("cubDeviceSegmentedSort") && err.contains("not your mistake"), "{err}");
}

#[test]
fn an_object_that_a_launch_cannot_pass_is_no_mistake_of_the_program() {
    let text = |launch: &str| {
        format!(
            "struct Own {{\n    int *p;\n    Own() {{}}\n    Own(const Own &other) : p(other.p) {{}}\n}};\n\
             template <class T> __global__ void k(T t) {{}}\n#define LAUNCH(f, x) f<<<1, 1>>>(x)\n\
             int main() {{\n    Own own;\n    {launch};\n    cudaDeviceSynchronize();\n}}\n"
        )
    };
    for launch in ["k<<<1, 1>>>(own)", "LAUNCH(k<Own>, own)"] {
        let folder = folder(&text(launch));
        let (exit, out, err) = run(folder.path(), &["run", "p.cu"]);
        assert_eq!((exit, out.as_str()), (3, ""), "{err}");
        let said = err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("object with its own copy constructor") && said.contains("(line 10)"), "{err}");
    }
    let folder = folder(&text("k<Own><<<1, 1>>>(own, 2)"));
    let (exit, _, err) = run(folder.path(), &["run", "p.cu"]);
    assert_eq!(exit, 1, "{err}");
}
