//! `check` of many files: a class's hand-ins.

use super::{gpulearn, run, workspace};
use std::path::Path;

/// A folder of hand-ins for `map`.
fn class(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

const RIGHT: &[u8] =
    b"extern \"C\" __global__ void map(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x] + 10; }\n";
const WRONG: &[u8] =
    b"extern \"C\" __global__ void map(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x]; }\n";

fn json(folder: &Path, args: &[&str]) -> (i32, serde_json::Value) {
    let (exit, out, err) = run(folder, &[&["check", "--format", "json"], args].concat());
    (exit, serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}")))
}

#[test]
fn a_folder_is_judged_in_its_order_whatever_is_done_at_a_time() {
    let folder = class(&[
        ("in/cy.cu", b"nonsense"),
        ("in/ada/map.cu", RIGHT),
        ("in/bob.cu", WRONG),
        ("in/notes.txt", b"no CUDA"),
        ("dora.cu", RIGHT),
    ]);
    let folder = folder.path();
    let args = ["dora.cu", "in", "in/bob.cu", "--lesson", "map", "--seed", "7"];
    let judged = |jobs: &str| {
        let (exit, mut answer) = json(folder, &[&args[..], &["-j", jobs]].concat());
        for view in answer["results"].as_array_mut().unwrap() {
            view["seconds"] = 0.into();
        }
        (exit, answer)
    };
    let (exit, answer) = judged("3");
    let of = |field: &str| -> Vec<String> {
        let views = answer["results"].as_array().unwrap().iter();
        views.map(|view| view[field].as_str().unwrap_or("passed").to_owned()).collect()
    };
    assert_eq!(of("file"), ["dora.cu", "in/ada/map.cu", "in/bob.cu", "in/cy.cu"]);
    assert_eq!(of("reason"), ["passed", "passed", "wrong-result", "compile-error"]);
    assert_eq!((exit, &answer["passed"]), (1, &false.into()));
    assert!(answer["results"].as_array().unwrap().iter().all(|view| view["seed"] == 7));
    assert_eq!(judged("1"), (exit, answer));
}

#[test]
fn a_class_is_told_in_a_line_each_and_in_junit() {
    let folder = class(&[("in/ada.cu", RIGHT), ("in/bob.cu", WRONG)]);
    let folder = folder.path();
    let (exit, out, err) = run(folder, &["check", "in", "--lesson", "map", "--junit", "class.xml"]);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((exit, lines.len()), (1, 6), "{out}{err}");
    assert!(lines[0].starts_with("✓ in/ada.cu (map) "), "{out}");
    assert!(lines[1].starts_with("✗ in/bob.cu (map): wrong result "), "{out}");
    assert!(lines[2].starts_with("in/bob.cu:1:1: error: wrong result: all "), "{out}");
    assert_eq!(lines[4], "1 of 2 pass");
    let xml = std::fs::read_to_string(folder.join("class.xml")).unwrap();
    assert!(
        xml.contains("<testsuite name=\"map\" tests=\"2\"") && xml.contains("type=\"wrong-result\""),
        "{xml}"
    );
    // One file has its JUnit too, and those who pass end with 0.
    let (exit, out, err) = run(folder, &["check", "in/ada.cu", "--lesson", "map", "--junit", "ada.xml"]);
    assert_eq!((exit, out.starts_with("✓ map ")), (0, true), "{out}{err}");
    assert!(std::fs::read_to_string(folder.join("ada.xml")).unwrap().contains("failures=\"0\""));
    let (exit, _, err) =
        run(folder, &["check", "in/ada.cu", "--lesson", "map", "--junit", "no/such/folder.xml"]);
    assert_eq!((exit, err.contains("no/such/folder.xml")), (3, true), "{err}");
    // The name after an option was meant for the command.
    let (exit, _, err) = run(folder, &["check", "--junit", "in/ada.cu"]);
    assert_eq!((exit, err.contains("it is not overwritten")), (2, true), "{err}");
    assert_eq!(std::fs::read(folder.join("in/ada.cu")).unwrap(), RIGHT);
}

const OUTSIDE: &[u8] =
    b"extern \"C\" __global__ void map(const float *in, float *out)\n{\n    out[threadIdx.x] = in[threadIdx.x + 1] + 10;\n}\n";

#[test]
fn each_file_that_fails_says_why_and_where_as_compilers_do() {
    let folder = class(&[
        ("in/1.cu", RIGHT),
        ("in/2.cu", WRONG),
        ("in/3 a.cu", OUTSIDE),
        (
            "in/4.cu",
            b"extern \"C\" __global__ void map(const float *in, float *out)\n{\n    out[0] = in[0] + y;\n}\n",
        ),
        ("in/5.cu", b"__device__ int f() { return 1; }\n"),
        ("in/x.CU.txt", RIGHT),
    ]);
    let (_, out, err) = run(folder.path(), &["check", "in", "--lesson", "map", "--seed", "7", "-j", "1"]);
    assert!(!err.contains("error:"), "{err}");
    let out = out.replace(env!("CARGO_BIN_EXE_gpulearn"), "gpulearn");
    insta::assert_snapshot!(without_times(&out));
    // What stands there judges the same file with the same inputs.
    let command = out.lines().find_map(|line| line.strip_prefix("Details: ")).unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    let (exit, answer) = json(folder.path(), &words[2..]);
    assert_eq!((exit, answer["results"][0]["reason"].as_str()), (1, Some("wrong-result")), "{answer}");
    assert_eq!((&answer["results"][0]["file"], &answer["results"][0]["seed"]), (&words[2].into(), &7.into()));
}

#[test]
fn the_same_inputs_again_is_a_command_that_works_there() {
    let folder = class(&[("in/3 a.cu", OUTSIDE), ("in/4.cu", b"nonsense")]);
    let folder = folder.path();
    let (_, out, _) = run(folder, &["check", "in", "--lesson", "map", "--seed", "7", "--verbose"]);
    let again: Vec<&str> =
        out.lines().filter_map(|line| line.split_once("The same inputs again: ")).map(|l| l.1).collect();
    assert_eq!(again.len(), 1, "{out}");
    let binary = env!("CARGO_BIN_EXE_gpulearn");
    if cfg!(unix) {
        let (_, arguments) = again[0].split_once(" check ").unwrap();
        let command = format!("'{binary}' check --format json {arguments}");
        let shell =
            std::process::Command::new("sh").args(["-c", &command]).current_dir(folder).output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&shell.stdout).unwrap();
        let first = &answer["results"][0];
        assert_eq!((&first["file"], &first["seed"]), (&"in/3 a.cu".into(), &7.into()), "{answer}");
        assert_eq!(first["reason"], "out-of-bounds");
    }
}

/// The seconds that stand at the ends of lines, taken out.
fn without_times(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix(" s").or(line.strip_suffix(" ms")) {
        Some(rest) => rest.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end().to_owned(),
        None => line.to_owned(),
    };
    text.lines().map(|l| line(l) + "\n").collect()
}

#[test]
fn nothing_is_judged_where_a_name_is_wrong() {
    let folder = class(&[("in/ada.cu", RIGHT), ("none/notes.txt", b"")]);
    for (args, says) in [
        (&["in/ada.cu", "in/bob.cu", "--lesson", "map"][..], "there is no file in/bob.cu"),
        (&["./in"], "in/ada.cu belongs to no lesson"),
        (&["none", "--lesson", "map"], "there is no .cu file in none"),
        (&["in/ada.cu", "", "--lesson", "map"], "the name is empty"),
        (&[""], "the name is empty"),
    ] {
        let (exit, out, err) = run(folder.path(), &[&["check"], args].concat());
        assert_eq!((exit, out.as_str(), err.contains(says)), (2, "", true), "{args:?}: {err}");
    }
}

#[test]
fn a_workspace_is_judged_as_a_folder_and_counts() {
    let folder = workspace();
    let folder = folder.path();
    let kernels = folder.join("kernels/1-puzzles");
    std::fs::write(kernels.join("map.cu"), RIGHT).unwrap();
    let (exit, answer) = json(folder, &["map", "kernels/1-puzzles/zip.cu"]);
    assert_eq!((exit, answer["results"][0]["passed"].as_bool()), (1, Some(true)), "{answer}");
    assert_eq!(answer["results"][1]["lesson"], "zip");
    assert!(run(folder, &["list"]).1.contains("1 of "));
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_of_any_bytes_is_judged_and_shown_harmlessly() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let name = OsStr::from_bytes(b"ma\xff\x1b[31mp.cu");
    std::fs::write(folder.join(name), RIGHT).unwrap();
    std::fs::write(folder.join("b.cu"), WRONG).unwrap();
    let shown = "ma\\xff\u{1b}[31mp.cu";
    for names in [&[name][..], &[name, OsStr::new("b.cu")]] {
        let mut command = gpulearn(folder, &["check", "--lesson", "map", "--format", "json"]);
        let output = command.args(names).output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["results"][0]["file"], shown, "{answer}");
        assert_eq!(answer["results"][0]["passed"], true, "{answer}");
        assert!(!output.stdout.contains(&0x1b));
    }
    let output = gpulearn(folder, &["bench", "--format", "json"]).arg(name).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &answer["schema"]), (Some(2), &"gpulearn.error/1".into()));
    assert!(answer["message"].as_str().unwrap().contains("UTF-8"), "{answer}");
}

#[test]
fn wrong_use_is_told_in_json_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (exit, out, err) = run(folder.path(), &["check", "--format=json", "--frobnicate"]);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &answer["schema"], err.as_str()), (2, &"gpulearn.error/1".into(), ""));
    assert!(answer["message"].as_str().unwrap().starts_with("unexpected argument"), "{answer}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_s_files_have_no_colours_though_the_terminal_has() {
    use super::watch::Terminal;
    let folder = class(&[
        ("in/ada.cu", WRONG),
        ("plan.toml", b"name = \"c\"\nseed = 5\n[[lessons]]\nlesson = \"map\"\n"),
    ]);
    let folder = folder.path();
    let environment = [("TERM", "xterm"), ("NO_COLOR", "")];
    let check = ["check", "in", "--lesson", "map", "--junit", "class.xml", "--offline"];
    let (code, printed) = Terminal::with(60, folder, &check, &environment).all();
    assert_eq!((code, printed.contains("\u{1b}[31m")), (Some(1), true), "{printed}");
    let grade = ["grade", "in", "--plan", "plan.toml", "-o", "report", "--offline"];
    let (code, printed) = Terminal::with(60, folder, &grade, &environment).all();
    assert_eq!(code, Some(0), "{printed}");
    for name in
        ["class.xml", "report/junit.xml", "report/students/ada.cu.html", "report/gradescope/ada.cu.json"]
    {
        let text = std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let coloured = text.contains('\u{1b}') || text.contains("[31m") || text.contains("[2m");
        assert!(text.contains("wrong result") && !coloured, "{name}: {text}");
        // How long it took is not the same in the next run.
        assert!(name == "class.xml" || !text.contains(" 1 ms"), "{name}: {text}");
    }
}
