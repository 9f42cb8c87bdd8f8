//! Results that are kept.

use super::{compiler, request};
use gpulearn::compiler::{CompileError, Compiler, Request};
use std::time::{Duration, Instant};

/// A worker that cannot work: an answer can only come from the cache.
const NO_WORKER: &str = "/nonexistent/worker";

#[test]
fn an_equal_request_is_not_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = compiler().with_results(Some(folder.path().join("compile")));
    let good = request("extern \"C\" __global__ void k(int *p) { int unused; *p = 3; }\n");
    let bad = request("__global__ void k(int *p) { *p = nothing; }\n");
    let made = compiler.compile(&good).unwrap();
    assert!(matches!(compiler.compile(&bad), Err(CompileError::Rejected(_))));

    let cold = compiler.clone().with_worker(NO_WORKER);
    let kept = cold.compile(&good).unwrap();
    assert_eq!((kept.ptx, kept.diagnostics), (made.ptx, made.diagnostics));
    assert!(matches!(cold.compile(&bad), Err(CompileError::Rejected(_))));

    let others = [
        Request {
            source: "extern \"C\" __global__ void k(int *p) { int unused; *p = 4; }\n",
            ..good.clone()
        },
        Request { file_name: "other.cu", ..good.clone() },
        Request { compute_capability: (7, 5), ..good.clone() },
        Request { options: &["-DX"], ..good.clone() },
        Request { headers: &[("x.h", "")], ..good.clone() },
        Request { resources: true, ..good.clone() },
        Request { unoptimised: true, ..good.clone() },
    ];
    for other in others {
        assert!(matches!(cold.compile(&other), Err(CompileError::Environment(_))), "{other:?}");
    }
}

/// What another build of this tool says of a source would come up in this one.
#[test]
fn the_tool_s_own_words_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = compiler().with_results(Some(folder.path().to_owned()));
    let said = |compiler: &Compiler| {
        let Err(CompileError::Rejected(said)) =
            compiler.compile(&request("__global__ void k() { throw 1; }\n"))
        else {
            panic!("an exception in a kernel")
        };
        said
    };
    let (compiled, hint) = (said(&compiler), b"exceptions are not supported here".as_slice());
    let holds_hint = |bytes: &[u8]| bytes.windows(hint.len()).any(|part| part == hint);
    assert!(holds_hint(compiled[0].message.as_bytes()), "{compiled:?}");
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        assert!(!holds_hint(&std::fs::read(entry.unwrap().path()).unwrap()));
    }
    assert_eq!(said(&compiler.with_worker(NO_WORKER)), compiled);
}

#[test]
fn a_kept_answer_takes_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = compiler().with_results(Some(folder.path().to_owned()));
    let good = request("extern \"C\" __global__ void k(int *p) { *p = 3; }\n");
    compiler.compile(&good).unwrap();
    let cold = compiler.with_worker(NO_WORKER);
    let fastest = (0..20)
        .map(|_| {
            let start = Instant::now();
            cold.compile(&good).unwrap();
            start.elapsed()
        })
        .min()
        .unwrap();
    assert!(fastest < Duration::from_millis(2), "{fastest:?}");
}

#[test]
fn a_damaged_entry_is_compiled_again() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = compiler().with_results(Some(folder.path().to_owned()));
    let good = request("extern \"C\" __global__ void k(int *p) { *p = 5; }\n");
    let made = compiler.compile(&good).unwrap();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        std::fs::write(entry.unwrap().path(), "damaged").unwrap();
    }
    assert_eq!(compiler.compile(&good).unwrap().ptx, made.ptx);
    assert_eq!(compiler.with_worker(NO_WORKER).compile(&good).unwrap().ptx, made.ptx);
}

#[test]
fn broken_limits_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = compiler().with_results(Some(folder.path().join("compile")));
    let deep = 400_000;
    let source = format!("__global__ void k(int *p) {{ *p = {}1{}; }}\n", "(".repeat(deep), ")".repeat(deep));
    assert!(matches!(compiler.compile(&request(&source)), Err(CompileError::Limit(_))));
    assert!(!folder.path().join("compile").exists());
}
