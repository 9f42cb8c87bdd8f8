//! Hand-ins made by somebody who wants more than their marks.

use super::{RIGHT, WASTEFUL, gpulearn, put, run, zip};
use std::fs;
use std::path::Path;

/// One lesson, ten points.
const PLAN: &str = "name = \"c\"\nseed = 5\n[[lessons]]\nlesson = \"map\"\npoints = 10\n";

fn of_map(root: &Path) -> Vec<[String; 3]> {
    let rows = fs::read_to_string(root.join("report/gradebook.csv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').map(|cell| cell.trim_matches('"')).collect();
        [cells[0], cells[4], cells[5]].map(str::to_owned)
    };
    rows.lines().skip(1).map(row).collect()
}

#[test]
fn neither_a_folder_nor_a_variable_nor_a_stored_verdict_decides_a_mark() {
    let (folder, here) = (tempfile::tempdir().unwrap(), Path::new(env!("CARGO_MANIFEST_DIR")));
    let root = folder.path();
    put(root, "class/plan.toml", PLAN);
    put(root, "class/in/ada/kernels/1-puzzles/map.cu", WASTEFUL);
    let stored =
        "{\"view\": {\"lesson\": \"map\", \"file\": \"map.cu\", \"passed\": true, \"headline\": \"passed\"}}";
    put(root, "class/in/ada/.gpulearn/results/map.json", stored);
    // A folder like a clone of this repository, whose `map` has no bar.
    let theirs = root.join("theirs");
    for (from, to) in [
        ("lessons/1-puzzles/part.toml", "lessons/1-puzzles/part.toml"),
        ("lessons/1-puzzles/map/lesson.md", "lessons/1-puzzles/map/lesson.md"),
        ("kernels/1-puzzles/map.cu", "kernels/1-puzzles/map.cu"),
        ("solutions/1-puzzles/map.cu", "solutions/1-puzzles/map.cu"),
    ] {
        put(&theirs, to, fs::read(here.join(from)).unwrap());
    }
    let bars = fs::read_to_string(here.join("lessons/1-puzzles/map/lesson.toml")).unwrap();
    put(&theirs, "lessons/1-puzzles/map/lesson.toml", bars.split("[[require").next().unwrap());
    put(&theirs, "Cargo.toml", "[package]\nname = \"gpulearn\"\n");
    let grade = |more: &[&str]| {
        let _ = fs::remove_dir_all(root.join("report"));
        let args = ["grade", "../class/in", "--plan", "../class/plan.toml", "-o", "../report", "--offline"];
        let mut command = gpulearn(&theirs, &[&args[..], more].concat());
        let output = command.env("GPULEARN_LESSONS", &theirs).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let out = String::from_utf8(output.stdout).unwrap();
        (out.lines().next().unwrap().to_owned(), of_map(root))
    };
    let row = |points: &str, state: &str| vec![["ada", points, state].map(str::to_owned)];
    let (ours, its) = grade(&[]);
    assert_eq!(its, row("8.00", "too-much-work"));
    // Who grades may name others, and sees that they are.
    let (named, its) = grade(&["--lessons", "."]);
    assert_eq!(its, row("10.00", "passed"));
    assert!(ours.starts_with("Lessons ") && named.starts_with("Lessons ") && ours != named, "{ours} {named}");
}

#[cfg(unix)]
#[test]
fn links_pipes_and_odd_names_cost_nobody_else_a_mark() {
    use std::os::unix::fs::symlink;
    let (folder, secret) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (root, secret) = (folder.path(), secret.path());
    put(secret, "map.cu", "#error the secret\n");
    put(root, "plan.toml", PLAN);
    put(root, "in/ada/map.cu", RIGHT);
    put(root, "in/bob/MAP.CU", RIGHT);
    put(root, "in/cy/map.cu.txt", RIGHT);
    fs::create_dir_all(root.join("in/dora")).unwrap();
    fs::create_dir_all(root.join("in/eve")).unwrap();
    symlink(secret.join("map.cu"), root.join("in/eve/map.cu")).unwrap();
    symlink(secret, root.join("in/fay")).unwrap();
    fs::create_dir_all(root.join("in/gus")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(root.join("in/gus/map.cu")).status().unwrap();
    assert!(pipe.success());
    // Lines of the output, of annotations and of pages begin with it, or hold it.
    let evil = "::error file=x::owned ##[error]<script>";
    put(root, &format!("in/{evil}/map.cu"), format!("#error {evil}\n"));
    let (exit, out, err) = run(root, &["grade", "in", "--plan", "plan.toml", "-o", "report", "--offline"]);
    assert_eq!(exit, 0, "{out}{err}");
    let all = of_map(root);
    let of = |student: &str| {
        let its = all.iter().find(|row| row[0] == student);
        its.map(|row| [row[1].as_str(), row[2].as_str()])
    };
    assert_eq!(of("ada"), Some(["10.00", "passed"]));
    assert_eq!(of("dora"), Some(["0.00", "nothing was handed in"]));
    assert_eq!(of("eve"), Some(["", "no readable file: it is a link"]), "{all:?}");
    assert_eq!(of("gus"), Some(["", "no readable file: it is not a regular file"]), "{all:?}");
    assert_eq!(of("fay"), None, "{all:?}");
    assert!(out.contains("fay: it is a link"), "{out}");
    let page =
        |student: &str| fs::read_to_string(root.join(format!("report/students/{student}.html"))).unwrap();
    assert_eq!(of("bob"), Some(["10.00", "passed"]), "{}", page("bob"));
    assert!(page("cy").contains("map.cu.txt: its name does not end with .cu"), "{}", page("cy"));
    assert!(!out.lines().chain(err.lines()).any(|line| line.trim_start().starts_with("::")), "{out}");
    assert!(!out.contains("##[") && !out.contains("secret"), "{out}");
    for (path, bytes) in super::report(root, "report") {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("the secret"), "{}: {text}", path.display());
        // What a job prints.
        if path.ends_with("annotations.txt") {
            assert!(text.lines().count() == 1 && text.starts_with("::error file="), "{text}");
            assert!(!text.contains("##["), "{text}");
        }
        if path.extension().is_some_and(|ending| ending == "html") {
            crate::html::assert_well_formed(&path.display().to_string(), &text);
            assert!(!text.contains("<script"), "{text}");
        }
    }
}

#[test]
fn an_archive_that_can_not_be_read_waits_for_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "plan.toml", PLAN);
    let whole = zip(&[("map.cu", RIGHT)]);
    put(root, "in/ada.zip", &whole[..whole.len() / 2]);
    put(root, "in/bob.tar.gz", "packed");
    put(root, "in/cy/hw.rar", "packed");
    put(root, "in/dora/map.cu", RIGHT);
    put(root, "in/dora/old.7z", "packed");
    put(root, "in/eve.zip", zip(&[]));
    // Two files of one name, which a writer refuses.
    let mut twice = zip(&[("map.cu", RIGHT), ("mbp.cu", WASTEFUL)]);
    for at in 0..twice.len() - 6 {
        if &twice[at..at + 6] == b"mbp.cu" {
            twice[at + 1] = b'a';
        }
    }
    put(root, "in/fay.zip", twice);
    put(root, "in/gus.zip", zip(&[("inner.zip", "packed")]));
    put(root, "in/hal.zip", zip(&[("..\\..\\map.cu", RIGHT)]));
    let (exit, out, err) = run(root, &["grade", "in", "--plan", "plan.toml", "-o", "report", "--offline"]);
    assert_eq!(exit, 0, "{out}{err}");
    let rows = of_map(root);
    let expected = [
        ["ada", "", "no readable file: ada.zip: it is not a zip archive"],
        ["bob", "", "no readable file: bob.tar.gz: only zip archives are read"],
        ["cy", "", "no readable file: cy/hw.rar: only zip archives are read"],
        ["dora", "10.00", "passed"],
        ["eve", "0.00", "nothing was handed in"],
        ["fay", "8.00", "too-much-work"],
        ["gus", "", "no readable file: gus.zip/inner.zip: it is an archive within an archive"],
        ["hal", "", "no readable file: its path leads out of the archive"],
    ];
    assert_eq!(rows.len(), expected.len(), "{rows:?}");
    for (row, [student, points, state]) in rows.iter().zip(expected) {
        assert_eq!([&row[0], &row[1]], [student, points]);
        assert!(row[2].starts_with(state), "{row:?}");
    }
    for says in [
        "ada.zip: it is not a zip archive",
        "bob: 0.00 of 10.00, 1 not final",
        "5 marks need review by a person",
        "fay.zip: several files in it have the same name",
    ] {
        assert!(out.contains(says), "{says}: {out}");
    }
    let page = fs::read_to_string(root.join("report/students/dora.html")).unwrap();
    assert!(page.contains("dora/old.7z: only zip archives are read"), "{page}");
}

#[test]
fn what_takes_too_long_to_judge_waits_for_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "plan.toml", PLAN.replace("seed", "cpu_seconds = 1\nseed"));
    let spin = "{ volatile float *o = out; for (int k = 0; k < 100000; k++) o[threadIdx.x] = k; out";
    put(root, "in/ada/map.cu", RIGHT.replace("{ out", spin));
    put(root, "in/bob/map.cu", RIGHT);
    let (exit, out, err) = run(root, &["grade", "in", "--plan", "plan.toml", "-o", "report", "--offline"]);
    assert_eq!(exit, 0, "{out}{err}");
    let rows = [["ada", "", "needs review: time-limit"], ["bob", "10.00", "passed"]];
    assert_eq!(of_map(root), rows.map(|row| row.map(str::to_owned)));
    assert!(out.contains("1 mark needs review by a person"), "{out}");
    // With more time it is stopped at many times the work of the solution, and that is the student's own.
    put(root, "plan.toml", PLAN.replace("seed", "cpu_seconds = 3600\nseed"));
    let (exit, out, err) = run(root, &["grade", "in", "--plan", "plan.toml", "-o", "report", "--offline"]);
    assert_eq!(exit, 0, "{out}{err}");
    assert_eq!(of_map(root)[0], ["ada", "0.00", "too-much-work"].map(str::to_owned));
}

/// In a mount namespace of its own, where this system lets us have one: a report's folder with so much room, then with
/// enough.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_in_the_middle_is_an_error_and_the_rest_is_done_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "plan.toml", PLAN);
    for n in 0..40 {
        put(root, &format!("in/s{n:02}/map.cu"), RIGHT.replace("+ 10", &format!("+ {}", 10 + n)));
    }
    put(root, "report/here", "");
    let script = "mount -t tmpfs -o size=100k none report || exit 77
        \"$0\" grade in --plan plan.toml -o report --offline > out 2> err; echo $? > full
        ls report/results | wc -l > kept; ls report/report.json > whole 2> /dev/null
        mount -o remount,size=50m none report
        \"$0\" grade in --plan plan.toml -o report --offline > again 2>> err; echo $? > roomy
        cp report/gradebook.csv .";
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-c", script, env!("CARGO_BIN_EXE_gpulearn")]);
    let output = match command.current_dir(root).env_remove("GPULEARN_LESSONS").output() {
        Ok(output) if output.status.success() => output,
        other => return println!("skipped: no mount namespace here: {other:?}"),
    };
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap_or_default();
    let all = format!("{output:?}{}{}", read("out"), read("err"));
    assert_eq!((read("full").trim(), read("whole").as_str()), ("3", ""), "{all}");
    assert!(read("err").contains("No space left on device"), "{all}");
    assert!(read("kept").trim().parse::<u32>().is_ok_and(|kept| 0 < kept && kept < 40), "{}", read("kept"));
    assert_eq!(read("roomy").trim(), "0", "{all}{}", read("again"));
    assert_eq!(run(root, &["grade", "in", "--plan", "plan.toml", "-o", "whole-report", "--offline"]).0, 0);
    assert_eq!(read("gradebook.csv"), read("whole-report/gradebook.csv"));
    assert_eq!(read("gradebook.csv").lines().count(), 1 + 40);
}
