//! A worker that is kept says what one of its own says.

use super::{compiler, request};
use gpulearn::compiler::{CompileError, Limits, Request};
use std::process::Command;
use std::time::Duration;

fn told(result: Result<gpulearn::compiler::Compiled, CompileError>) -> String {
    format!("{result:?}")
}

#[test]
fn each_source_is_answered_as_alone() {
    let bomb =
        format!("{}\n__global__ void k() {{}}\n", "template<int N> struct A { A<N + 1> *a; A<N - 1> b; };");
    let sources = [
        "__global__ void k(float *p) { p[threadIdx.x] += 10; }\n".to_owned(),
        "__global__ void k(float *p) { *p = nothing; }\n".to_owned(),
        "#include <cuda_fp16.h>\n__global__ void k(__half *p) { *p = __hadd(*p, *p); }\n".to_owned(),
        "#include \"/etc/passwd\"\n".to_owned(),
        bomb,
        "__global__ void k(float *p) { int unused; p[threadIdx.x] *= 2; }\n".to_owned(),
    ];
    let alone = compiler();
    for kept in [compiler().kept(), compiler().kept_with_headers()] {
        for source in &sources {
            for resources in [false, true] {
                let request = Request { resources, ..request(source) };
                assert_eq!(told(kept.compile(&request)), told(alone.compile(&request)), "{source}");
            }
        }
        for text in ["\"a\"", "\"%d\", 1", "nothing"] {
            let source = format!("#include <cstdio>\n#include <vector>\nint main() {{ printf({text}); }}\n");
            let program = Request { program: true, ..request(&source) };
            assert_eq!(told(kept.compile(&program)), told(alone.compile(&program)), "{source}");
        }
        // Headers of the same name are those of their source.
        for header in ["#define A 1\n", "#define A 2\n", "int a = ;\n"] {
            let source = "#include <cstdio>\n#include \"a.h\"\nint main() { printf(\"%d\", A); }\n";
            let program = Request { program: true, headers: &[("a.h", header)], ..request(source) };
            assert_eq!(told(kept.compile(&program)), told(alone.compile(&program)), "{header}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn headers_that_were_read_are_kept_as_long_as_their_worker() {
    let folders = || {
        let of_this_process = format!("gpulearn-headers-{}-", std::process::id());
        let entries = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&of_this_process)).count()
    };
    if std::env::var_os("GPULEARN_ALONE").is_none() {
        let test = "nvrtc::kept::headers_that_were_read_are_kept_as_long_as_their_worker";
        let mut again = Command::new(std::env::current_exe().unwrap());
        let output =
            again.args([test, "--exact", "--nocapture"]).env("GPULEARN_ALONE", "1").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let compiler = compiler().with_results(None);
    if compiler.version() < (12, 8) || !gpulearn::compiler::Compiler::guarantees().landlock {
        return;
    }
    let kept = compiler.kept_with_headers();
    for text in ["a", "b"] {
        let source = format!("#include <cstdio>\nint main() {{ printf(\"{text}\"); }}\n");
        let compiled = kept.compile(&Request { program: true, ..request(&source) }).unwrap();
        // Nothing is said of what was kept.
        assert_eq!((compiled.diagnostics.len(), folders()), (0, 1));
    }
    kept.renew();
    assert_eq!(folders(), 0);
}

/// What one author's source may take is not less for what another took before.
#[test]
fn a_source_that_takes_too_long_is_the_only_one() {
    let limits = Limits { cpu_time: Duration::from_secs(2), ..Limits::default() };
    let kept = compiler().with_limits(limits).kept();
    let endless = "template <int A, unsigned long B> struct T { static constexpr unsigned long v = T<A - 1, B * 2>::v + T<A - 1, B * 2 + 1>::v; };\n\
                   template <unsigned long B> struct T<0, B> { static constexpr unsigned long v = 1; };\n\
                   __global__ void k(unsigned long *p) { *p = T<100, 0>::v; }\n";
    for _ in 0..2 {
        kept.compile(&request("__global__ void k(int *p) { *p = 1; }\n")).unwrap();
        let error = kept.compile(&request(endless)).unwrap_err();
        assert!(matches!(&error, CompileError::Limit(said) if said.contains("longer than 2 s")), "{error:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn one_process_compiles_until_another_author_s_come() {
    let workers = || {
        let us = std::process::id().to_string();
        let children = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            let words: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
            let line = std::fs::read_to_string(entry.path().join("cmdline")).ok()?;
            (words[1] == us && line.contains("compile-worker")).then(|| entry.file_name())
        });
        children.collect::<Vec<_>>()
    };
    if std::env::var_os("GPULEARN_ALONE").is_none() {
        let test = "nvrtc::kept::one_process_compiles_until_another_author_s_come";
        let mut again = Command::new(std::env::current_exe().unwrap());
        let output =
            again.args([test, "--exact", "--nocapture"]).env("GPULEARN_ALONE", "1").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let kept = compiler().kept();
    let source = "__global__ void k() {}\n";
    kept.compile(&request(source)).unwrap();
    let first = workers();
    kept.compile(&request(source)).unwrap();
    assert_eq!((first.len(), workers()), (1, first.clone()));
    kept.renew();
    assert!(workers().is_empty());
    kept.compile(&request(source)).unwrap();
    assert_eq!((workers().len(), workers() == first), (1, false));
}

/// As in a process that is locked in.
#[test]
fn what_another_process_compiles_is_the_same() {
    let there = compiler();
    let here = compiler().with_worker("/no such worker").asking(move |question| there.answer(question));
    for source in
        ["__global__ void k(float *p) { *p = 1; }\n", "__global__ void k(float *p) { *p = nothing; }\n"]
    {
        let request = Request { headers: &[("a.h", "int a;\n")], resources: true, ..request(source) };
        assert_eq!(told(here.compile(&request)), told(compiler().compile(&request)));
    }
}

#[test]
fn kernels_that_are_the_same_are_compiled_once_for_an_author() {
    const KERNEL: &str = ".entry k()\n{\n\t.loc 1 1 0\n\tret;\n}\n";
    let kernel = |ptx: &str| {
        let ptx = ptx.to_owned();
        || Some(ptx)
    };
    let compiler = compiler().with_results(None).kept();
    let good =
        Request { program: true, ..request("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n") };
    // What cannot be compiled shows whether it was.
    let bad = Request { source: "int main() { return nothing; }\n", ..good.clone() };
    let made = compiler.machine_code(&good, kernel(KERNEL)).unwrap();
    assert_eq!(made.resources.len(), 1);
    assert_eq!(compiler.machine_code(&bad, kernel(KERNEL)).unwrap(), made);
    // What shows nowhere in a host's part may make another kernel.
    let hidden = Request { source: "#ifdef __CUDA_ARCH__\nint n = nothing;\n#endif\n", ..good.clone() };
    for other in [
        compiler.machine_code(&hidden, kernel(KERNEL)),
        compiler.machine_code(&bad, kernel(&KERNEL.replace(".loc 1 1 0", ".loc 1 7 0"))),
        compiler.machine_code(&bad, kernel(&KERNEL.replace("ret;", "exit;"))),
        compiler.machine_code(&Request { compute_capability: (9, 0), ..bad.clone() }, kernel(KERNEL)),
        compiler.machine_code(&Request { options: &["-DX"], ..bad.clone() }, kernel(KERNEL)),
    ] {
        assert!(matches!(other, Err(CompileError::Rejected(_))), "{other:?}");
    }
    compiler.renew();
    assert!(matches!(compiler.machine_code(&bad, kernel(KERNEL)), Err(CompileError::Rejected(_))));
}
