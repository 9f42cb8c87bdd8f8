//! The program as its users meet it: arguments, files, pipes, exit codes.

#[cfg(target_os = "linux")]
mod answers;
mod batch;
mod book;
mod config;
#[cfg(unix)]
mod container;
#[cfg(unix)]
mod courses;
mod debug;
mod drafts;
mod editors;
#[cfg(target_os = "linux")]
mod images;
#[cfg(unix)]
mod lsp;
mod machine_code;
#[cfg(unix)]
mod package;
mod parameters;
#[cfg(target_os = "linux")]
mod picture;
mod programs;
mod sampled;
mod shell;
mod untrusted;
#[cfg(target_os = "linux")]
mod watch;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program in a folder, without colours or anything of this machine's.
fn gpulearn(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpulearn"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).env_remove("COLUMNS").env_remove("NO_COLOR");
    command.env_remove("GPULEARN_LESSONS").env_remove("LC_ALL").env_remove("LANG").env_remove("LC_CTYPE");
    // A CI job's verdicts are never stored ones: what is tested here is what a learner sees.
    command.env_remove("CI");
    command.env("XDG_CONFIG_HOME", "/nowhere").env("XDG_DATA_HOME", "/nowhere");
    command
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = gpulearn(folder, args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// How many lessons the course has.
fn lessons() -> usize {
    gpulearn::lessons::course().lessons().len()
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
    let course = gpulearn::lessons::course();
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
    assert_eq!((exit, out.contains("1 file;")), (0, true), "{out}");
    assert_eq!(std::fs::read_to_string(&kernel).unwrap(), "mine");
    assert!(folder.path().join("kernels/1-puzzles/zip.cu").is_file());
}

#[test]
fn outside_of_a_workspace_we_say_how_to_make_one() {
    let folder = tempfile::tempdir().unwrap();
    let (exit, out, err) = run(folder.path(), &["next", "--offline"]);
    assert_eq!((exit, out.as_str()), (3, ""));
    assert!(err.contains("init"), "{err}");
    let (_, out, _) = run(folder.path(), &["read", "map"]);
    assert!(out.contains("\nFirst  ") && out.contains(" init DIR\n"), "{out}");
    for args in [&["list"][..], &["read", "map"], &["hint", "map"], &["explain"], &["explain", "r001"]] {
        let (exit, out, err) = run(folder.path(), args);
        assert_eq!((exit, out.is_empty()), (0, false), "{args:?} {err}");
    }
}

#[test]
fn a_workspace_that_lost_its_own_folder_can_be_had_again() {
    let folder = workspace();
    std::fs::remove_dir_all(folder.path().join(".gpulearn")).unwrap();
    let (exit, _, err) = run(folder.path(), &["next", "--offline"]);
    // Where its lines break depends on how the program is called.
    let words = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!((exit, words.contains("init .` makes it one")), (3, true), "{err}");
    assert_eq!(run(folder.path(), &["init", ".", "--offline"]).0, 0);
    assert_eq!(run(folder.path(), &["next", "--offline"]).0, 0);
}

#[test]
fn the_folder_of_a_course_is_no_workspace_that_lost_something() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), &["author", "new", "3-mine", "add-one"]).0, 0);
    let (exit, _, err) = run(folder.path(), &["next", "--offline"]);
    let words = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!((exit, words.contains("--lessons . check FILE.cu`")), (3, true), "{err}");
}

#[test]
fn hints_have_numbers_where_none_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let (exit, out, _) = run(folder.path(), &["hint", "map"]);
    assert!(exit == 0 && out.contains("Hint 1 of 3") && out.contains("hint map 2"), "{out}");
    let (_, out, _) = run(folder.path(), &["hint", "map", "3"]);
    assert!(out.contains("Hint 3 of 3") && out.contains("last hint"), "{out}");
    assert_eq!(run(folder.path(), &["hint", "map", "4"]).0, 2);
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
        (&["hint", "9999"], "from 1 to"),
        (&["read", "b"], "could be"),
        (&["explain", "R01"], "R001"),
        (&["explain", "wrong-resut"], "Did you mean wrong-result?"),
        (&["next", "--format", "json"], "unexpected argument '--format'"),
        (&["next", "map"], "map is a lesson"),
        (&["run", "a.cu", "500"], "own arguments are given after --"),
        (&["run", "a.cu", "b.cu"], "a program is one .cu file"),
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

/// Puts our solution in the learner's file.
fn solve(folder: &Path, slug: &str) {
    let course = gpulearn::lessons::course();
    let lesson = course.lesson(slug).unwrap();
    std::fs::write(folder.join(lesson.kernel_path()), lesson.solution.as_bytes()).unwrap();
}

fn check_json(folder: &Path, args: &[&str]) -> (i32, serde_json::Value) {
    let (exit, out, err) = run(folder, &[&["check", "--format", "json"], args].concat());
    let json: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"));
    assert_eq!(json["schema"], "gpulearn.check/1", "{json}");
    (exit, json["results"][0].clone())
}

#[test]
fn a_first_pass_says_how_much_the_starter_counts() {
    let folder = workspace();
    let solution = std::fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("solutions/3-memory-and-speed/coalescing.cu"),
    );
    std::fs::write(folder.path().join("kernels/3-memory-and-speed/coalescing.cu"), solution.unwrap())
        .unwrap();
    let passed = || run(folder.path(), &["check", "coalescing", "--seed", "1", "--again"]);
    let (exit, out, err) = passed();
    let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(exit == 0 && out.contains("At the start, with rows = "), "{out}{err}");
    assert!(out.contains("32-byte sectors loaded, ") && out.contains(" times as many. Now: "), "{out}");
    let (exit, out, _) = passed();
    assert!(exit == 0 && !out.contains("At the start"), "{out}");
}

#[test]
fn a_lesson_is_checked_passed_and_left_behind() {
    let folder = workspace();
    let folder = folder.path();
    let (exit, out, err) = run(folder, &["check"]);
    assert_eq!((exit, out.starts_with("✗ map: not started yet")), (1, true), "{out}{err}");
    solve(folder, "map");
    let (exit, out, _) = run(folder, &["check", "map"]);
    assert_eq!((exit, out.starts_with("✓ map ")), (0, true), "{out}");
    let (_, out, _) = run(folder, &["next"]);
    assert!(out.starts_with(&format!("2/{}  zip", lessons())), "{out}");
    let (exit, out, _) = run(folder, &["solution", "map"]);
    assert_eq!((exit, out.contains("in[i] + 10")), (0, true), "{out}");
    // Failing later takes nothing back.
    std::fs::write(folder.join("kernels/1-puzzles/map.cu"), "nonsense").unwrap();
    let (exit, out, _) = run(folder, &["check", "map"]);
    assert_eq!((exit, out.contains("does not compile")), (1, true), "{out}");
    assert!(run(folder, &["list"]).1.contains(&format!("1 of {} done", lessons())));
}

#[test]
fn an_unchanged_file_is_answered_from_what_is_stored() {
    let folder = workspace();
    let folder = folder.path();
    solve(folder, "zip");
    let (_, first) = check_json(folder, &["zip"]);
    let (_, second) = check_json(folder, &["zip"]);
    assert_eq!((first["stored"].as_bool(), second["stored"].as_bool()), (Some(false), Some(true)));
    assert_eq!(first["seed"], second["seed"]);
    let (_, again) = check_json(folder, &["zip", "--again"]);
    assert_ne!(first["seed"], again["seed"], "fresh inputs");
    let (_, seeded) = check_json(folder, &["zip", "--seed", "7"]);
    assert_eq!((seeded["stored"].as_bool(), seeded["seed"].as_u64()), (Some(false), Some(7)));
    let (_, seeded) = check_json(folder, &["zip", "--seed", "7"]);
    assert_eq!(seeded["stored"].as_bool(), Some(true));
    std::fs::write(folder.join(".gpulearn/results/zip.json"), "{\"key\": 1").unwrap();
    assert_eq!(check_json(folder, &["zip"]).1["stored"].as_bool(), Some(false));
    let kernel = folder.join("kernels/1-puzzles/zip.cu");
    std::fs::write(&kernel, std::fs::read_to_string(&kernel).unwrap() + "\n").unwrap();
    assert_eq!(check_json(folder, &["zip"]).1["stored"].as_bool(), Some(false));
}

#[test]
fn the_same_seed_gives_the_same_verdict() {
    let folder = workspace();
    let mut views = (0..2).map(|_| {
        let (exit, mut view) = check_json(folder.path(), &["map", "--seed", "42", "--again"]);
        assert_eq!(exit, 1);
        view["seconds"] = 0.into();
        view
    });
    assert_eq!(views.next(), views.next());
}

#[test]
fn any_file_can_be_checked_and_only_the_workspace_counts() {
    let folder = workspace();
    let folder = folder.path();
    let course = gpulearn::lessons::course();
    let solution = course.lesson("guards").unwrap().solution.to_string();
    std::fs::write(folder.join("mine.cu"), &solution).unwrap();
    let (exit, _, err) = run(folder, &["check", "mine.cu"]);
    assert_eq!((exit, err.contains("--lesson")), (2, true), "{err}");
    let (exit, view) = check_json(folder, &["mine.cu", "--lesson", "guards"]);
    assert_eq!((exit, view["passed"].as_bool()), (0, Some(true)));
    std::fs::create_dir(folder.join("guards")).unwrap();
    std::fs::write(folder.join("guards/second-try.cu"), &solution).unwrap();
    assert_eq!(check_json(folder, &["guards/second-try.cu"]).0, 0);
    assert!(run(folder, &["list"]).1.contains(&format!("0 of {} done", lessons())));
    let (exit, out, _) = run(folder, &["check", "kernels/1-puzzles/guards.cu"]);
    assert_eq!((exit, out.contains("guards")), (1, true), "{out}");
    for (args, code) in
        [(&["check", "nowhere/map.cu"][..], 2), (&["check", "guards/"], 0), (&["check", "mine.cu"], 2)]
    {
        assert_eq!(run(folder, args).0, code, "{args:?}");
    }
    std::fs::write(folder.join("notes.md"), "no CUDA").unwrap();
    for (name, says) in [
        ("nonexist.cu", "there is no file nonexist.cu"),
        ("nowhere/map.cu", "there is no file nowhere/map.cu"),
        ("no/such.md", "there is no file"),
        ("notes.md", "is not a CUDA file"),
    ] {
        let (exit, _, err) = run(folder, &["check", name]);
        assert_eq!((exit, err.contains(says)), (2, true), "{name}: {err}");
    }
    let (exit, out, err) = run(folder, &["check", "lessons/1-puzzles/map.md"]);
    assert_eq!((exit, out.contains("map: not started yet")), (1, true), "{out}");
    assert!(err.contains("using its kernel"), "{err}");
}

#[test]
fn a_kernel_that_was_deleted_is_said_to_be_the_starter_again() {
    let folder = workspace();
    std::fs::remove_file(folder.path().join("kernels/1-puzzles/map.cu")).unwrap();
    let (exit, _, err) = run(folder.path(), &["check", "kernels/1-puzzles/map.cu"]);
    assert_eq!((exit, err.contains("map.cu was missing: the starter was restored")), (1, true), "{err}");
    assert_eq!(run(folder.path(), &["check", "map"]).2, "");
}

#[test]
fn a_brace_left_open_is_found() {
    let folder = workspace();
    let kernel = folder.path().join("kernels/1-puzzles/map.cu");
    let open = "extern \"C\" __global__ void map(float *out)\n{\n  if (out) {\n    out[0] = 1;\n}\n";
    std::fs::write(kernel, open).unwrap();
    let (exit, out, _) = run(folder.path(), &["check", "map"]);
    assert_eq!((exit, out.contains("map.cu:2:1")), (1, true), "{out}");
}

#[test]
fn what_is_missing_at_the_end_of_a_file_has_a_place() {
    let folder = workspace();
    std::fs::write(folder.path().join("kernels/1-puzzles/map.cu"), "int x\n\n// more\n").unwrap();
    let (exit, out, _) = run(folder.path(), &["check", "map"]);
    assert_eq!((exit, out.contains("map.cu:1:6") && out.contains("1 │ int x")), (1, true), "{out}");
}

#[test]
fn how_an_editor_saves_a_file_is_no_mistake() {
    let folder = workspace();
    let folder = folder.path();
    let kernel = folder.join("kernels/1-puzzles/map.cu");
    let course = gpulearn::lessons::course();
    let solution = course.lesson("map").unwrap().solution.to_string();
    std::fs::write(&kernel, format!("\u{feff}{solution}").replace('\n', "\r\n")).unwrap();
    assert_eq!(check_json(folder, &["map"]).0, 0);
    let utf_16: Vec<u8> = format!("\u{feff}{solution}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&kernel, utf_16).unwrap();
    let (exit, out, _) = run(folder, &["check", "map"]);
    assert_eq!((exit, out.contains("save it as UTF-8")), (1, true), "{out}");
    std::fs::write(&kernel, " \n").unwrap();
    let (exit, out, _) = run(folder, &["check", "map"]);
    assert_eq!((exit, out.contains("the file is empty")), (1, true), "{out}");
    assert!(out.contains("reset map restores the starter"), "{out}");
}

#[test]
fn counts_are_told_with_their_meaning() {
    let folder = workspace();
    solve(folder.path(), "map");
    let (exit, out, _) = run(folder.path(), &["check", "map", "-v"]);
    assert_eq!((exit, out.contains("kernel launches (launches)")), (0, true), "{out}");
    assert!(!out.lines().any(|l| l.trim_start().starts_with("0 ")), "{out}");
}

#[test]
fn what_is_not_cuda_is_told_as_such() {
    let folder = workspace();
    let folder = folder.path();
    let kernel = folder.join("kernels/1-puzzles/map.cu");
    let garbage: Vec<u8> = (0..4096u32).map(|i| (i * 31 % 255 + 1) as u8).collect();
    let cases: [(&[u8], &str, i32); 6] = [
        (b"ab\xff\xfe", "compile-error", 1),
        (b"\x00\x00", "compile-error", 1),
        (&garbage, "compile-error", 1),
        (b"", "missing-kernel", 1),
        (b"#error \x1b[2J\xe2\x80\xae\n", "compile-error", 1),
        (&[b' '; (1 << 20) + 1], "limit", 3),
    ];
    for (bytes, reason, code) in cases {
        std::fs::write(&kernel, bytes).unwrap();
        let (exit, view) = check_json(folder, &["map"]);
        assert_eq!((exit, view["reason"].as_str()), (code, Some(reason)), "{view}");
        let (exit, out, err) = run(folder, &["check", "map"]);
        assert_eq!(exit, code);
        let raw = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!out.contains(raw) && err.is_empty(), "{out:?} {err}");
    }
}

#[test]
fn without_a_gpu_only_those_who_require_one_hear_of_it() {
    if gpulearn::gpu::is_present() {
        eprintln!("skipped: this machine has an NVIDIA driver");
        return;
    }
    let folder = workspace();
    let (exit, _, err) = run(folder.path(), &["check", "map", "--backend", "gpu"]);
    assert_eq!((exit, err.contains("there is no NVIDIA driver")), (3, true), "{err}");
    assert!(err.contains("--backend sim"), "{err}");
    let (exit, out, err) = run(folder.path(), &["check", "map", "--backend", "auto"]);
    assert_eq!((exit, err.as_str(), out.contains("GPU")), (1, "", false), "{out}{err}");
    assert_eq!(run(folder.path(), &["check", "map", "--backend", "sim"]).0, 1);
}

#[test]
fn everything_at_once_says_how_many_pass() {
    let folder = workspace();
    let folder = folder.path();
    let all = lessons();
    solve(folder, "zip");
    let (exit, out, err) = run(folder, &["check", "--all"]);
    assert_eq!((exit, out.contains(&format!("\n1 of {all} pass\n"))), (1, true), "{out}{err}");
    assert_eq!(out.lines().filter(|l| l.starts_with('✗')).count(), all - 1, "{out}");
    let (_, out, _) = run(folder, &["list", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let states: Vec<_> =
        json["lessons"].as_array().unwrap().iter().map(|l| l["state"].as_str().unwrap()).collect();
    assert_eq!(states[..3], ["new", "done", "new"], "untouched starters were not tried");
}

#[test]
fn everything_at_once_is_told_as_json_too() {
    // Of a small course: one that is ours takes long.
    let (course, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for slug in ["first", "second", "third"] {
        let (exit, out, err) = run(course.path(), &["author", "new", "1-first", slug]);
        assert_eq!(exit, 0, "{out}{err}");
    }
    let lessons = ["--lessons", course.path().to_str().unwrap()];
    let (exit, out, err) = run(folder.path(), &[&["init", "--offline"], &lessons[..]].concat());
    assert_eq!(exit, 0, "{out}{err}");
    let (exit, out, err) =
        run(folder.path(), &[&["check", "--all", "--format", "json"], &lessons[..]].concat());
    let json: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"));
    assert_eq!(
        (exit, json["results"].as_array().unwrap().len(), json["passed"].as_bool()),
        (1, 3, Some(false))
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_still_gets_its_verdict() {
    use std::os::unix::fs::PermissionsExt;
    let folder = workspace();
    let state = folder.path().join(".gpulearn");
    let course = gpulearn::lessons::course();
    let starter = &course.lesson("map").unwrap().starter;
    std::fs::write(folder.path().join("kernels/1-puzzles/map.cu"), format!("{starter}// tried")).unwrap();
    // Root writes everywhere: a file in the way stops everybody.
    std::fs::create_dir(state.join("lock")).unwrap();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o555)).unwrap();
    let (exit, out, err) = run(folder.path(), &["check", "map"]);
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!((exit, out.contains("wrong result")), (1, true), "{out}");
    assert!(err.contains("progress is not saved"), "{err}");
}

#[test]
fn a_doctor_finds_a_compiler_that_works() {
    let folder = workspace();
    let (exit, out, err) = run(folder.path(), &["doctor"]);
    assert_eq!((exit, out.contains("compiles in")), (0, true), "{out}{err}");
    let (_, out, _) = run(folder.path(), &["doctor", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((json["schema"].as_str(), json["ok"].as_bool()), (Some("gpulearn.doctor/1"), Some(true)));
}

#[test]
fn a_doctor_says_that_nothing_is_compiled_to_machine_code() {
    let folder = workspace();
    let output = gpulearn(folder.path(), &["doctor"]).env("GPULEARN_MACHINE_CODE", "never").output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(!out.contains("`run` compiles"), "{out}");
}

/// Killed at any moment, what was stored before is still there.
#[cfg(unix)]
#[test]
fn a_kill_loses_nothing() {
    let folder = workspace();
    let folder = folder.path();
    solve(folder, "map");
    assert_eq!(run(folder, &["check", "map"]).0, 0);
    let done = format!("1 of {} done", lessons());
    for n in 0..20u64 {
        let mut child = gpulearn(folder, &["hint", "zip"]).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(n * 400));
        child.kill().unwrap();
        child.wait().unwrap();
        let (exit, out, err) = run(folder, &["list"]);
        assert_eq!((exit, out.contains(&done), err.as_str()), (0, true, ""), "{out}");
    }
}

#[test]
fn a_file_is_inspected() {
    let folder = workspace();
    let folder = folder.path();
    solve(folder, "shared");
    let kernel = "kernels/1-puzzles/shared.cu";
    let (exit, out, err) = run(folder, &["inspect", kernel, "--ptx"]);
    assert_eq!(
        (exit, out.contains("registers per thread"), out.contains("bar.sync")),
        (0, true, true),
        "{out}{err}"
    );
    assert!(out.contains("The simulator supports every instruction of this file."), "{out}");
    let (exit, out, _) = run(folder, &["inspect", kernel, "--arch", "9.0", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, json["schema"].as_str()), (0, Some("gpulearn.inspect/1")));
    assert_eq!(json["unsupported"].as_array().map(Vec::len), Some(0), "{json}");
    let shared = &json["kernels"][0];
    let sum: u64 = shared["mix"].as_array().unwrap().iter().map(|m| m["count"].as_u64().unwrap()).sum();
    assert_eq!(Some(sum), shared["instructions"].as_u64());
    assert!(
        sum > 5 && shared["registers"].as_u64() > Some(0) && shared["shared_bytes"].as_u64() > Some(0),
        "{json}"
    );
    std::fs::write(folder.join("bad.cu"), "int x = ;").unwrap();
    let (exit, out, _) = run(folder, &["inspect", "bad.cu"]);
    assert_eq!((exit, out.contains("does not compile")), (1, true), "{out}");
    assert_eq!(run(folder, &["inspect", kernel, "--arch", "5.2"]).0, 2);
    let (exit, out, err) = run(folder, &["inspect", "shared"]);
    assert_eq!((exit, out.contains("registers per thread")), (0, true), "{out}{err}");
}

#[test]
fn a_new_lesson_can_be_begun_and_proved() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (exit, out, err) = run(folder, &["author", "new", "3-mine", "add-one"]);
    assert_eq!((exit, out.contains("lessons/3-mine/add-one/lesson.toml")), (0, true), "{out}{err}");
    let (exit, out, err) = run(folder, &["author", "check", "add-one"]);
    assert_eq!((exit, out.contains("1 of 1 lessons verified")), (0, true), "{out}{err}");
    let elsewhere = tempfile::tempdir().unwrap();
    let named = ["author", "check", "add-one", "--lessons", folder.to_str().unwrap()];
    let (exit, out, err) = run(elsewhere.path(), &named);
    assert_eq!((exit, out.contains("1 of 1 lessons verified")), (0, true), "{out}{err}");
    std::fs::copy(folder.join("kernels/3-mine/add-one.cu"), folder.join("solutions/3-mine/add-one.cu"))
        .unwrap();
    assert_eq!(run(folder, &["author", "check"]).0, 1);
    assert_eq!(run(folder, &["author", "new", "3-mine", "add-one"]).0, 2);
}

#[test]
fn lessons_are_read_from_the_disk_where_one_works_on_them() {
    let (course, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (course, elsewhere) = (course.path(), elsewhere.path());
    assert_eq!(run(course, &["author", "new", "3-mine", "add-one"]).0, 0);
    let text = course.join("lessons/3-mine/add-one/lesson.md");
    let edited = |word: &str| {
        let text = std::fs::read_to_string(&text).unwrap();
        let (idea, rest) = text.split_once("## Task").unwrap();
        format!("{idea}{word}\n\n## Task{rest}")
    };
    std::fs::write(&text, edited("A sentence from the disk.")).unwrap();
    let dir = course.to_str().unwrap();
    let (exit, out, err) = run(elsewhere, &["--lessons", dir, "read", "add-one"]);
    assert_eq!((exit, out.contains("A sentence from the disk.")), (0, true), "{out}{err}");
    assert!(err.contains("Using the lessons in "), "{err}");
    let named = gpulearn(elsewhere, &["list"]).env("GPULEARN_LESSONS", course).output().unwrap();
    let list = String::from_utf8(named.stdout).unwrap();
    assert!(list.contains("add-one") && !list.contains("zip"), "{list}");
    assert_eq!(run(elsewhere, &["read", "add-one"]).0, 2);
    let (exit, _, err) = run(elsewhere, &["--lessons", "nowhere", "list"]);
    assert_eq!((exit, err.contains("no lessons in nowhere")), (2, true), "{err}");
    // What looks like a clone is not the one that the program was built from.
    std::fs::write(course.join("Cargo.toml"), "[package]\nname = \"gpulearn\"\n").unwrap();
    let (exit, out, err) = run(course, &["list"]);
    assert_eq!((exit, out.contains("zip"), out.contains("add-one")), (0, true, false), "{out}{err}");
    // Where the line ends depends on where the program is.
    let said = err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("--lessons .` uses those of this clone"), "{err}");
    std::fs::write(course.join("lessons/3-mine/add-one/lesson.toml"), "order = \"ten\"\n").unwrap();
    let (exit, _, err) = run(elsewhere, &["--lessons", dir, "list"]);
    assert_eq!((exit, err.contains("lesson.toml:1")), (2, true), "{err}");
    // Where a clone has the same lessons, there is nothing to say.
    for (path, text) in gpulearn::lessons::FILES {
        let path = elsewhere.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::write(elsewhere.join("Cargo.toml"), "[package]\nname = \"gpulearn\"\n").unwrap();
    let (exit, _, err) = run(elsewhere, &["list"]);
    assert_eq!((exit, err.as_str()), (0, ""));
}

#[test]
fn without_a_terminal_the_lesson_is_shown_and_nothing_watched() {
    let folder = workspace();
    let (exit, out, err) = run(folder.path(), &[]);
    assert_eq!((exit, out.contains(&format!("1/{}  map", lessons()))), (0, true), "{out}{err}");
    assert!(err.contains("nothing is watched") && err.contains("check"), "{err}");
}

#[test]
fn the_ledger_of_claims_prints() {
    let folder = tempfile::tempdir().unwrap();
    let (exit, out, err) = run(folder.path(), &["claims", "l7", "--offline"]);
    assert_eq!((exit, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("L7 Access patterns") && out.contains("0.21×"), "{out}");
    let (exit, out, err) = run(folder.path(), &["claims", "L7", "--as", "h100", "--format", "json"]);
    assert_eq!(exit, 0, "{out}{err}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&json["schema"], json["rows"].as_array().unwrap().len()), (&"gpulearn.claims/1".into(), 1));
    let value = &json["rows"][0]["values"][0];
    assert!(json["modelled"].as_str().unwrap().contains("H100") && value["modelled"].is_number(), "{json}");
    assert!(value.get("measured").is_none() || json.get("measured").is_some(), "{json}");
    let (exit, _, err) = run(folder.path(), &["claims", "L99", "--offline"]);
    assert_eq!((exit, err.contains("there are L0, L1")), (2, true), "{err}");
    let (exit, _, err) = run(folder.path(), &["claims", "--as", "gtx", "--offline"]);
    assert_eq!((exit, err.contains("t4, a100, h100")), (2, true), "{err}");
}
