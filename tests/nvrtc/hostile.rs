//! Sources that would have the compiler read files, take all memory, never end, crash, or speak to
//! the reader's terminal.

use super::{again, compile, compiler, refused, request};
use gpulearn::compiler::{CompileError, Compiler, Limits};
use std::process::Command;
use std::time::{Duration, Instant};

fn limited(change: impl FnOnce(&mut Limits)) -> Compiler {
    let mut limits = Limits::default();
    change(&mut limits);
    compiler().with_limits(limits)
}

/// The limit that a source breaks.
fn limit(compiler: &Compiler, source: &str) -> String {
    match compiler.compile(&request(source)) {
        Err(CompileError::Limit(said)) => said,
        other => panic!("no limit: {other:?}"),
    }
}

#[test]
fn files_are_not_there() {
    let environment = format!("/proc/{}/environ", std::process::id());
    let readable = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(readable.path(), "#error the secret was read\n").unwrap();
    let paths = [
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/1/environ",
        "/proc/kmsg",
        "../../../../../../../../../../etc/passwd",
        "/dev/zero",
        &environment,
        readable.path().to_str().unwrap(),
    ];
    for path in paths {
        for include in [format!("#include \"{path}\""), format!("#include <{path}>")] {
            let said = refused(&format!("{include}\n__global__ void k() {{}}\n"));
            assert_eq!(said.len(), 1, "{said:?}");
            assert!(said[0].message.contains("open source file"), "{said:?}");
            assert_eq!(said[0].line, 1);
        }
    }
}

#[test]
fn nothing_tells_whether_a_file_is_there() {
    for path in ["/etc/passwd", "/proc/self/status", "/", "."] {
        let source =
            format!("#if __has_include(\"{path}\")\n#error it is there\n#endif\n__global__ void k() {{}}\n");
        compile(&source).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_without_a_writer_does_not_hang() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fifo.h");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let start = Instant::now();
    refused(&format!("#include \"{}\"\n__global__ void k() {{}}\n", path.display()));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
#[ignore = "run by the_current_directory_is_never_used, where a trap lies"]
fn compiles_where_it_stands() {
    let said = refused("#include \"beside.h\"\n__global__ void k() {}\n");
    assert!(said[0].message.contains("beside.h"), "{said:?}");
    compile("__global__ void k() {}\n").unwrap();
}

#[test]
fn the_current_directory_is_never_used() {
    // The compiler asks the loader for libcuda.so.1, and its search path ends in the current
    // directory. A file that is no library would end the load with an error; a header beside the
    // source would be read.
    compiler();
    let folder = tempfile::tempdir().unwrap();
    let marker = folder.path().join("loaded");
    let source = folder.path().join("trap.c");
    std::fs::write(folder.path().join("beside.h"), "#error the header beside the source was read\n").unwrap();
    std::fs::write(
        &source,
        format!(
            "#include <stdio.h>\n__attribute__((constructor)) void trap(void) {{ fclose(fopen(\"{}\", \"w\")); }}\n",
            marker.display()
        ),
    )
    .unwrap();
    let library = folder.path().join("libcuda.so.1");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    if !built.is_ok_and(|status| status.success()) {
        std::fs::write(&library, "no library").unwrap();
    }
    let output =
        again("nvrtc::hostile::compiles_where_it_stands").current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    assert!(!marker.exists(), "a library of the current directory was loaded");
}

#[test]
fn templates_without_end_are_ended_by_the_time_they_compute() {
    let quick = limited(|limits| limits.cpu_time = Duration::from_secs(1));
    let source = "template <int A, unsigned long B> struct T { static constexpr unsigned long v = T<A - 1, B * 2>::v + T<A - 1, B * 2 + 1>::v; };\n\
                  template <unsigned long B> struct T<0, B> { static constexpr unsigned long v = 1; };\n\
                  __global__ void k(int *p) { *p = T<40, 1>::v; }\n";
    let said = limit(&quick, source);
    assert!(said.contains("longer than 1 s") && said.contains("templates"), "{said}");
}

/// A machine that does other things is slow for everybody: that is no verdict on the source.
#[test]
fn a_clock_that_runs_out_is_the_machines_fault() {
    let busy = limited(|limits| limits.wall_time = Duration::from_millis(400));
    let source = "template <int A, unsigned long B> struct T { static constexpr unsigned long v = T<A - 1, B * 2>::v + T<A - 1, B * 2 + 1>::v; };\n\
                  template <unsigned long B> struct T<0, B> { static constexpr unsigned long v = 1; };\n\
                  __global__ void k(int *p) { *p = T<40, 1>::v; }\n";
    match busy.compile(&request(source)) {
        Err(CompileError::Environment(why)) => assert!(why.to_string().contains("busy"), "{why}"),
        other => panic!("{other:?}"),
    }
}

/// The time that the caller gives for everything is the caller's limit, however fast the machine is.
#[test]
fn a_deadline_is_the_callers_limit() {
    let source = "template <int A, unsigned long B> struct T { static constexpr unsigned long v = T<A - 1, B * 2>::v + T<A - 1, B * 2 + 1>::v; };\n\
                  template <unsigned long B> struct T<0, B> { static constexpr unsigned long v = 1; };\n\
                  __global__ void k(int *p) { *p = T<40, 1>::v; }\n";
    for more in [0, 400] {
        let begun = Instant::now();
        let late = limited(|limits| limits.deadline = begun.checked_add(Duration::from_millis(more)));
        let said = limit(&late, source);
        assert!(said.contains("the time was over"), "{said}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }
}

#[test]
fn macros_that_take_all_memory_meet_a_limit() {
    let small = limited(|limits| {
        limits.memory_bytes = 512 << 20;
        limits.cpu_time = Duration::from_secs(20);
    });
    let mut source = String::from("#define A0 1+1+1+1+1+1+1+1+\n");
    for level in 1..12 {
        let of = format!("A{} ", level - 1).repeat(8);
        source.push_str(&format!("#define A{level} {of}\n"));
    }
    source.push_str("__global__ void k(int *p) { *p = A11 1; }\n");
    let said = limit(&small, &source);
    assert!(said.contains("512.0 MiB of memory"), "{said}");
}

#[test]
fn nesting_that_crashes_the_compiler_is_told_as_such() {
    let deep = 400_000;
    let source = format!("__global__ void k(int *p) {{ *p = {}1{}; }}\n", "(".repeat(deep), ")".repeat(deep));
    let said = limit(&compiler(), &source);
    assert!(said.contains("crashed the CUDA compiler"), "{said}");
}

#[test]
fn too_large_a_source_is_refused_before_it_is_compiled() {
    let source = format!("__global__ void k() {{}}\n//{}", "x".repeat(2 << 20));
    let said = limit(&compiler(), &source);
    assert!(said.contains("2.0 MiB") && said.contains("limit of 1.0 MiB"), "{said}");
}

#[test]
fn too_much_ptx_is_refused() {
    let small = limited(|limits| limits.ptx_bytes = 4096);
    let source =
        "__global__ void k(int *p) {\n#pragma unroll\nfor (int i = 0; i < 500; i++) p[i * 3] = i; }\n";
    let said = limit(&small, source);
    assert!(said.contains("PTX") && said.contains("4 KiB"), "{said}");
}

#[test]
fn long_logs_are_cut() {
    let source: String = (0..20_000).map(|_| "#warning again and again and again and again\n").collect();
    let source = format!("{source}__global__ void k() {{}}\n");
    let made = compiler().compile(&request(&source)).unwrap();
    assert_eq!(made.diagnostics.len(), 100);
}

#[test]
fn messages_carry_no_raw_bytes() {
    let source =
        "#pragma message \"\x1b]0;title\x07 \u{202e}desrever\"\n#error \x1b[2J\r::error file=x::boo\n";
    for diagnostic in refused(source) {
        assert!(!diagnostic.message.chars().any(|c| c.is_control() || c == '\u{202e}'), "{diagnostic:?}");
        assert!(!diagnostic.message.starts_with("::"), "{diagnostic:?}");
    }
    let mut strange = request("int x = y;\n");
    strange.file_name = "a\x1b[31m\n\".cu";
    match compiler().compile(&strange) {
        Err(CompileError::Rejected(said)) => {
            assert_eq!(said[0].file, "a\\x1b[31m\\n\".cu");
            assert_eq!(said[0].line, 1);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_nul_byte_has_a_place() {
    let said = refused("int a;\nint \0b;\n");
    assert_eq!((said[0].line, said[0].column), (2, 5));
    assert!(said[0].message.contains("NUL"));
}

#[test]
fn options_that_the_compiler_does_not_know_are_not_the_learners_fault() {
    let mut wrong = request("__global__ void k() {}\n");
    wrong.options = &["--no-such-option"];
    assert!(matches!(compiler().compile(&wrong), Err(CompileError::Environment(_))));
}

#[test]
fn a_worker_that_is_no_worker_is_told_as_such() {
    for binary in ["/bin/true", "/bin/cat", "/nonexistent/gpulearn"] {
        let compiler = compiler().with_worker(binary);
        match compiler.compile(&request("__global__ void k() {}\n")) {
            Err(CompileError::Environment(error)) => {
                assert!(error.to_string().contains(binary), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
}
