//! What shells and manuals are given.

use super::run;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn completions_know_commands_and_lessons() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, script, _) = run(Path::new("."), &["completions", shell]);
        assert_eq!(code, 0, "{shell}");
        let lessons: &[&str] = match shell {
            "powershell" | "elvish" => &[],
            _ => &["coalescing", "matmul"],
        };
        for name in ["check", "selftest"].iter().chain(lessons) {
            assert!(script.contains(name), "{shell} lacks {name}");
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_takes_the_completions() {
    use std::io::Write;
    let Ok(mut bash) = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() else {
        return;
    };
    let (_, script, _) = run(Path::new("."), &["completions", "bash"]);
    let mut input = bash.stdin.take().unwrap();
    input.write_all(script.as_bytes()).unwrap();
    input
        .write_all(
            b"\nCOMP_WORDS=(gpulearn check coal) COMP_CWORD=2\n_gpulearn gpulearn coal check\necho \"${COMPREPLY[@]}\"\n",
        )
        .unwrap();
    drop(input);
    let output = bash.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "coalescing");
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("man1");
    assert_eq!(run(Path::new("."), &["man", dir.to_str().unwrap()]).0, 0);
    for page in ["gpulearn.1", "gpulearn-check.1", "gpulearn-author-new.1"] {
        let text = std::fs::read_to_string(dir.join(page)).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
}
