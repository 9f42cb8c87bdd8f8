//! The program as its users meet it: arguments, files, pipes, exit codes.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program in a folder, without colours or anything of this machine's.
fn gpulearn(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpulearn"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).env_remove("COLUMNS").env_remove("NO_COLOR");
    command
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = gpulearn(folder, args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// A fresh workspace.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (exit, out, err) = run(folder.path(), &["init", "--offline"]);
    assert_eq!(exit, 0, "{out}{err}");
    folder
}

#[test]
fn a_workspace_has_every_kernel_and_text() {
    let folder = workspace();
    let course = gpulearn::course::Course::embedded().unwrap();
    for lesson in course.lessons() {
        let kernel = std::fs::read_to_string(folder.path().join(lesson.kernel_path())).unwrap();
        assert_eq!(kernel, lesson.starter);
        let page = std::fs::read_to_string(folder.path().join(format!("{}.md", lesson.folder()))).unwrap();
        assert!(page.contains(&lesson.text.task) && !page.contains(&lesson.text.afterwards));
    }
    let (exit, out, _) = run(folder.path(), &["next", "--offline"]);
    assert_eq!(exit, 0);
    assert!(out.contains("1/") && out.contains("Edit   kernels/1-puzzles/map.cu"), "{out}");
}

#[test]
fn init_changes_nothing_that_is_there() {
    let folder = workspace();
    let kernel = folder.path().join("kernels/1-puzzles/map.cu");
    std::fs::write(&kernel, "mine").unwrap();
    std::fs::remove_file(folder.path().join("kernels/1-puzzles/zip.cu")).unwrap();
    let (exit, out, _) = run(folder.path(), &["init", "--offline"]);
    assert_eq!((exit, out.contains("1 file,")), (0, true), "{out}");
    assert_eq!(std::fs::read_to_string(&kernel).unwrap(), "mine");
    assert!(folder.path().join("kernels/1-puzzles/zip.cu").is_file());
}

#[test]
fn outside_of_a_workspace_we_say_how_to_make_one() {
    let folder = tempfile::tempdir().unwrap();
    let (exit, out, err) = run(folder.path(), &["next", "--offline"]);
    assert_eq!((exit, out.as_str()), (3, ""));
    assert!(err.contains("init"), "{err}");
    for args in [&["list"][..], &["read", "map"], &["hint", "map"], &["explain"], &["explain", "r001"]] {
        let (exit, out, err) = run(folder.path(), args);
        assert_eq!((exit, out.is_empty()), (0, false), "{args:?} {err}");
    }
}

#[test]
fn hints_come_one_by_one_and_are_remembered() {
    let folder = workspace();
    for (n, last) in [(1, false), (2, false), (3, true), (3, true)] {
        let (exit, out, _) = run(folder.path(), &["hint", "map"]);
        assert_eq!((exit, out.matches("Hint ").count()), (0, n), "{out}");
        assert_eq!(out.contains("last hint"), last, "{out}");
    }
}

#[test]
fn reset_keeps_the_old_file() {
    let folder = workspace();
    let kernel = folder.path().join("kernels/1-puzzles/map.cu");
    let starter = std::fs::read(&kernel).unwrap();
    for n in 1..=2 {
        let mine = format!("version {n}\u{1b}[31m");
        std::fs::write(&kernel, &mine).unwrap();
        let (exit, out, _) = run(folder.path(), &["reset", "map"]);
        assert_eq!(exit, 0);
        let backup = format!(".gpulearn/backups/map.{n}.cu");
        assert!(out.contains(&backup), "{out}");
        assert_eq!(std::fs::read_to_string(folder.path().join(backup)).unwrap(), mine);
        assert_eq!(std::fs::read(&kernel).unwrap(), starter);
    }
    let (exit, out, _) = run(folder.path(), &["reset", "map"]);
    assert_eq!((exit, out.contains("already")), (0, true), "{out}");
}

#[test]
fn solutions_wait_until_yours_passes() {
    let folder = workspace();
    let (exit, out, err) = run(folder.path(), &["solution", "map"]);
    assert_eq!((exit, out.as_str()), (1, ""));
    assert!(err.contains("check map"), "{err}");
    let progress = r#"{"schema":"gpulearn.progress/1","lessons":{"map":{"passed_at":1}}}"#;
    std::fs::write(folder.path().join(".gpulearn/progress.json"), progress).unwrap();
    let (exit, out, _) = run(folder.path(), &["solution", "map"]);
    assert_eq!((exit, out.contains("__global__")), (0, true), "{out}");
}

#[test]
fn wrong_use_is_code_2_with_what_to_do() {
    let folder = workspace();
    for (args, says) in [
        (&["read", "mpa"][..], "did you mean map?"),
        (&["hint", "99"], "from 1 to"),
        (&["read", "b"], "could be"),
        (&["explain", "R01"], "R001"),
        (&["next", "--format", "json"], "check, list, doctor and inspect"),
        (&["frobnicate"], "unrecognized subcommand"),
        (&["read", "\u{1b}[2J"], "\\x1b[2J"),
    ] {
        let (exit, out, err) = run(folder.path(), args);
        let all = out + &err;
        assert_eq!((exit, all.contains(says)), (2, true), "{args:?}: {all}");
        assert!(!all.contains('\u{1b}'), "{all:?}");
    }
}

#[test]
fn list_as_json_has_its_schema() {
    let folder = workspace();
    run(folder.path(), &["hint", "zip"]);
    let (exit, out, _) = run(folder.path(), &["list", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, json["schema"].as_str()), (0, Some("gpulearn.list/1")));
    let lessons = json["lessons"].as_array().unwrap();
    assert_eq!((lessons[0]["slug"].as_str(), lessons[0]["current"].as_bool()), (Some("map"), Some(true)));
    assert_eq!((lessons[1]["hints"].as_u64(), lessons[1]["state"].as_str()), (Some(1), Some("new")));
}

#[test]
fn a_damaged_progress_file_is_kept_and_said_once() {
    let folder = workspace();
    let file = folder.path().join(".gpulearn/progress.json");
    std::fs::write(&file, "{\"schema\": \"gpulearn.pro").unwrap();
    let (exit, out, err) = run(folder.path(), &["list"]);
    assert_eq!((exit, out.contains("0 of")), (0, true));
    assert!(err.contains("damaged-1"), "{err}");
    assert!(folder.path().join(".gpulearn/progress.damaged-1.json").is_file());
    assert_eq!(run(folder.path(), &["list"]).2, "");
}

#[test]
fn colours_only_where_they_are_wanted_and_widths_are_kept() {
    let folder = workspace();
    for columns in ["20", "40", "80"] {
        let output = gpulearn(folder.path(), &["list"]).env("COLUMNS", columns).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains('\u{1b}'));
        let width = columns.parse::<usize>().unwrap();
        if width >= 40 {
            assert!(text.lines().all(|l| gpulearn::report::text_width(l) <= width), "{text}");
        }
    }
}

/// A reader that goes away early is no error, whatever was still to be written.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = workspace();
    for args in [&["list"][..], &["read", "map"], &["--help"], &["explain"], &["list", "--format", "json"]] {
        let mut command = gpulearn(folder.path(), args);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output =
            command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{args:?}: {output:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = workspace();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = gpulearn(folder.path(), &["list"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}
