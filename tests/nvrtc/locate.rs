//! Finding the compiler, in environments of the test's making.

use super::{again, compiler, request};
use gpulearn::compiler::{Compiler, Origin, facts};
use std::path::Path;
use std::process::Command;

#[test]
#[ignore = "run by other tests, in environments of their making"]
fn locates_and_says() {
    match Compiler::locate(std::env::var_os("T_OFFLINE").is_some()) {
        Ok(found) => {
            let made = found
                .clone()
                .with_worker(env!("CARGO_BIN_EXE_gpulearn"))
                .with_results(None)
                .compile(&request("#include <cuda_fp16.h>\n__global__ void k(half *p) { *p = 1.0f; }\n"));
            println!("FOUND {:?} {:?} {}", found.origin(), found.version(), made.is_ok());
        }
        Err(error) => println!("ERROR {error:#}"),
    }
}

/// What a search says with an empty home; `None` where this machine has a toolkit to be found.
fn said(home: &Path, change: impl FnOnce(&mut Command)) -> Option<String> {
    let mut command = again("nvrtc::locate::locates_and_says");
    for name in ["GPULEARN_NVRTC", "CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    command.env("HOME", home);
    change(&mut command);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    let line = text
        .lines()
        .find_map(|line| line.find("ERROR ").or(line.find("FOUND ")).map(|at| line[at..].to_owned()))
        .unwrap_or_else(|| panic!("{text}"));
    (!line.contains("FOUND Toolkit") && !line.contains("FOUND LibraryPath")).then_some(line)
}

#[test]
fn offline_without_a_compiler_is_one_sentence() {
    let home = tempfile::tempdir().unwrap();
    let Some(line) = said(home.path(), |command| {
        command.env("T_OFFLINE", "1");
    }) else {
        return;
    };
    assert!(line.contains("--offline forbids fetching it: run gpulearn once without --offline"), "{line}");
    assert!(!home.path().join(".cache").exists(), "something was written");
}

#[test]
fn without_pip_the_index_is_asked() {
    let home = tempfile::tempdir().unwrap();
    let Some(line) = said(home.path(), |command| {
        // A port that nobody listens on.
        command.env("PATH", "/nonexistent").env("GPULEARN_INDEX_URL", "http://127.0.0.1:9/simple");
        command.env("NO_PROXY", "127.0.0.1");
    }) else {
        return;
    };
    assert!(line.contains("cannot fetch NVRTC 12.9: cannot reach http://127.0.0.1:9/simple"), "{line}");
    assert!(line.contains("GPULEARN_NVRTC"), "{line}");
}

#[test]
fn without_a_network_it_says_so() {
    let home = tempfile::tempdir().unwrap();
    let Some(line) = said(home.path(), |command| {
        // A port that nobody listens on.
        command.env("PIP_INDEX_URL", "http://127.0.0.1:9/simple").env("PIP_NO_CACHE_DIR", "1");
        command
            .env_remove("PIP_FIND_LINKS")
            .env_remove("PIP_EXTRA_INDEX_URL")
            .env("PIP_CONFIG_FILE", "/dev/null");
        command.env("NO_PROXY", "127.0.0.1");
    }) else {
        return;
    };
    assert!(line.contains("pip cannot reach the package index"), "{line}");
    assert!(line.contains("Connect to the network"), "{line}");
}

#[test]
fn a_named_compiler_must_be_one() {
    let home = tempfile::tempdir().unwrap();
    for name in ["/nonexistent", "/etc/passwd", "/tmp"] {
        let line = said(home.path(), |command| {
            command.env("GPULEARN_NVRTC", name);
        })
        .unwrap();
        assert!(line.contains(&format!("ERROR GPULEARN_NVRTC is {name}")), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_named_compiler_is_used_wherever_it_is() {
    // As a folder of wheels installed by pip would be: no link without a version, headers beside.
    let here = compiler();
    let home = tempfile::tempdir().unwrap();
    let site = tempfile::tempdir().unwrap();
    let lib = site.path().join("nvidia/cuda_nvrtc/lib");
    std::fs::create_dir_all(&lib).unwrap();
    let folder = here.library().parent().unwrap();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if name != "libnvrtc.so" && name.contains("nvrtc") {
            std::os::unix::fs::symlink(entry.path(), lib.join(name)).unwrap();
        }
    }
    for part in ["cuda_runtime", "cuda_nvcc", "cuda_cccl"] {
        std::fs::create_dir_all(site.path().join("nvidia").join(part)).unwrap();
        std::os::unix::fs::symlink(
            &here.include_dirs()[0],
            site.path().join("nvidia").join(part).join("include"),
        )
        .unwrap();
    }
    let file = lib.join("libnvrtc.so.12");
    for name in [site.path(), lib.as_path(), file.as_path()] {
        if name == file && !file.exists() {
            continue;
        }
        let line = said(home.path(), |command| {
            command.env("GPULEARN_NVRTC", name);
        })
        .unwrap();
        let (major, minor) = here.version();
        assert!(line.contains(&format!("FOUND Named ({major}, {minor}) true")), "{name:?}: {line}");
    }
}

#[test]
fn the_facts_are_those_of_the_compiler_in_use() {
    let here = compiler();
    let facts = facts();
    let found = facts.compiler.expect("a compiler");
    assert_eq!(found.version, here.version());
    assert_eq!(found.library, here.library());
    assert!(facts.source.is_none());
    assert_eq!(facts.cache_problem, None);
    if found.origin == Origin::Cache {
        assert!(facts.installed_bytes > 100_000_000, "{}", facts.installed_bytes);
    }
}
