//! Where no compiler can be had, a command is done in the container, of which a script stands in for the engine here.

use super::{gpulearn, workspace};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_command_without_a_compiler_is_done_in_the_container() {
    let folder = workspace();
    let engine = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\n[ \"$1 $3\" = \"image ours\" ] && exit 0\n[ \"$1\" = run ] || exit 1\necho \"$@\"\nexit 7\n";
    fs::write(engine.path().join("docker"), script).unwrap();
    fs::set_permissions(engine.path().join("docker"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", engine.path().display());
    let told = |image: &str, args: &[&str]| {
        let mut command = gpulearn(&folder.path().join("kernels"), args);
        command
            .env("GPULEARN_NVRTC", "/nowhere/libnvrtc.so")
            .env("GPULEARN_CONTAINER", image)
            .env("PATH", &path);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    fs::write(folder.path().join("kernels/1-puzzles/map.cu"), "int x;\n").unwrap();
    let (exit, out) = told("ours", &["check", "map", "-v"]);
    let root = fs::canonicalize(folder.path()).unwrap();
    let expected = format!(
        "run --rm --interactive --volume gpulearn-cache:/cache --volume {}:/work --workdir /work/kernels ours check map -v\n",
        root.display()
    );
    assert_eq!((exit, out), (Some(7), expected));
    // With courses that were added.
    let data = tempfile::tempdir().unwrap();
    fs::create_dir_all(data.path().join("gpulearn/courses")).unwrap();
    let mut command = gpulearn(folder.path(), &["check", "map"]);
    command
        .env("GPULEARN_NVRTC", "/nowhere/libnvrtc.so")
        .env("GPULEARN_CONTAINER", "ours")
        .env("PATH", &path);
    let out = command.env("XDG_DATA_HOME", data.path()).output().unwrap().stdout;
    let mounted = format!(
        "--env XDG_DATA_HOME=/data --volume {}/gpulearn/courses:/data/gpulearn/courses:ro --workdir",
        data.path().display()
    );
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains(&mounted), "{out}");
    // An image that is not here, and what needs no compiler.
    assert_eq!(told("another", &["check", "map"]).0, Some(3));
    let (exit, out) = told("ours", &["list"]);
    assert!(exit == Some(0) && out.contains("map"), "{out}");
}
