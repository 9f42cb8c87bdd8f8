//! `grade` as instructors meet it: a class of folders and archives, its marks, and what happens in the middle.

#[cfg(target_os = "linux")]
mod slurm;
mod untrusted;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const RIGHT: &str = "extern \"C\" __global__ void map(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x] + 10; }\n";
const WASTEFUL: &str = "extern \"C\" __global__ void map(const volatile float *in, float *out) {
    out[threadIdx.x] = in[threadIdx.x] * 0.5f + in[threadIdx.x] * 0.5f + 10;
}
";
/// Right values, and a read past the end of the input.
const STRAY: &str = "extern \"C\" __global__ void map(const volatile float *in, float *out) {
    float past = in[blockDim.x];
    out[threadIdx.x] = in[threadIdx.x] + 10 + 0 * (past > 1e30f);
}
";

fn gpulearn(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpulearn"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).env_remove("GPULEARN_LESSONS");
    command
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = gpulearn(folder, args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

fn put(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut archive = zip::ZipWriter::new(&mut bytes);
    for (name, text) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
    bytes.into_inner()
}

const PLAN: &str = "name = \"CUDA\"\nseed = 88123\nprefix = \"hw1-\"\n
[late]\ndeadline = 2026-11-30T00:00:00Z\npercent_a_day = 10\n
[[lessons]]\nlesson = \"map\"\npoints = 10\ncases = [{ n = 77 }]\n
[[lessons]]\nlesson = \"zip\"\npoints = 5\n";

/// A class with all that becomes of files.
fn class() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "plan.toml", PLAN);
    put(root, "in/ada/map.cu", RIGHT);
    let solution = concat!(env!("CARGO_MANIFEST_DIR"), "/solutions/1-puzzles/zip.cu");
    put(root, "in/ada/zip.cu", fs::read(solution).unwrap());
    put(root, "in/hw1-bob/kernels/1-puzzles/map.cu", WASTEFUL);
    put(
        root,
        "in/cy.zip",
        zip(&[("map.cu", STRAY), ("zip.cu.txt", "x"), ("../evil.cu", RIGHT), ("notes.md", "")]),
    );
    put(root, "in/Dora Doe_77_assignsubmission_file_/map.cu", RIGHT);
    put(root, "in/eve_LATE_12_34_map-2.cu", RIGHT);
    put(root, "in/eve_12_33_map.cu", "nonsense");
    put(root, "in/fay/map.cu", RIGHT.replace("+ 10", "+ 11"));
    let dodge = RIGHT.replace("{ out", "{ unsigned r; asm volatile(\"vadd4.u32.u32.u32 %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(1), \"r\"(2), \"r\"(0)); out");
    put(root, "in/gus/map.cu", dodge);
    fs::create_dir_all(root.join("in/hal")).unwrap();
    put(root, "times.csv", "student,time\nada,2026-11-29T10:00:00Z\nbob,2026-12-01T12:00:00Z\n");
    put(root, "students.csv", "name,student\nI. Iris,iris\nAda,ada\n");
    folder
}

fn grade(root: &Path, report: &str, more: &[&str]) -> (i32, String, String) {
    let args = [
        "grade",
        "in",
        "--plan",
        "plan.toml",
        "--times",
        "times.csv",
        "--students",
        "students.csv",
        "-o",
        report,
    ];
    run(root, &[&args[..], more].concat())
}

/// Rows of the gradebook: student, points and state of map, state of zip.
fn marks(root: &Path, report: &str) -> Vec<[String; 4]> {
    let text = fs::read_to_string(root.join(report).join("gradebook.csv")).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').map(|cell| cell.trim_matches('"')).collect();
        [cells[0], cells[4], cells[5], cells[8]].map(str::to_owned)
    });
    rows.collect()
}

/// Every file of a report but the results that are kept, by path.
fn report(root: &Path, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    fn walk(folder: &Path, root: &Path, all: &mut Vec<(PathBuf, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("results") {
                walk(&path, root, all);
            } else if path.is_file() {
                all.push((path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap()));
            }
        }
    }
    let (root, mut all) = (root.join(name), Vec::new());
    walk(&root, &root, &mut all);
    all.sort();
    all
}

#[test]
fn a_class_has_its_marks_and_nobody_drops_out() {
    let folder = class();
    let root = folder.path();
    let (exit, out, err) = grade(root, "report", &[]);
    assert_eq!(exit, 0, "{out}{err}");
    assert!(out.starts_with("Lessons "), "{out}");
    let expected = [
        ["Dora Doe_77", "10.00", "passed", "nothing was handed in"],
        ["ada", "10.00", "passed", "passed"],
        // A day and a half late: two days begun. Right and clean are 80 per cent.
        ["bob", "6.40", "too-much-work", "nothing was handed in"],
        ["cy", "6.00", "out-of-bounds", "needs review by a person: cy.zip/zip.cu.txt"],
        ["eve_12", "10.00", "passed", "nothing was handed in"],
        ["fay", "0.00", "wrong-result", "nothing was handed in"],
        ["gus", "", "needs review: unsupported", "nothing was handed in"],
        ["hal", "0.00", "nothing was handed in", "nothing was handed in"],
        ["iris", "0.00", "nothing was handed in", "nothing was handed in"],
    ];
    assert_eq!(marks(root, "report"), expected.map(|row| row.map(str::to_owned)));
    let page = fs::read_to_string(root.join("report/students/cy.html")).unwrap();
    assert!(page.contains("class=\"marked\"") && page.contains("[M001]"), "{page}");
    for (path, page) in report(root, "report/students") {
        crate::html::assert_well_formed(&path.display().to_string(), &String::from_utf8(page).unwrap());
    }
    for note in ["zip.cu.txt: its name does not end with .cu", "leads out of the archive"] {
        assert!(page.contains(note) || out.contains(note), "{note}: {page}{out}");
    }
    for name in [
        "junit.xml",
        "results.sarif",
        "gl-code-quality.json",
        "annotations.txt",
        "nbgrader.csv",
        "report.json",
    ] {
        assert!(root.join("report").join(name).is_file(), "{name}");
    }
    // The seed stays with whoever grades.
    for (path, bytes) in report(root, "report") {
        assert!(!String::from_utf8_lossy(&bytes).contains("88123"), "{}", path.display());
    }
}

#[test]
fn a_final_mark_below_a_percentage_fails() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "plan.toml", PLAN);
    put(root, "mine/map.cu", RIGHT);
    let args = ["grade", "mine", "--student=ada", "--plan", "plan.toml", "-o", "report", "--fail-below"];
    let exit = |percent: &str| run(root, &[&args[..], &[percent]].concat());
    // 10 of 15 points.
    assert_eq!(exit("66").0, 0);
    let (code, out, err) = exit("67");
    assert_eq!((code, out.contains("1 student is below 67 % of the points.")), (1, true), "{out}{err}");
    assert_eq!(exit("101").0, 2);
    // What waits for a person is not final.
    put(root, "mine/zip_final.cu", RIGHT);
    assert_eq!(exit("67").0, 0);
}

#[test]
fn why_right_values_earn_nothing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "plan.toml", PLAN);
    put(root, "in/ada/map.cu", STRAY.replace("+ 10", "+ 10 + (blockDim.x == 77)"));
    let (exit, out, err) = run(root, &["grade", "in", "--plan", "plan.toml", "-o", "report"]);
    assert_eq!(exit, 0, "{out}{err}");
    let row = ["ada", "0.00", "out-of-bounds", "nothing was handed in"];
    assert_eq!(marks(root, "report"), [row.map(str::to_owned)]);
    let page = fs::read_to_string(root.join("report/students/ada.html")).unwrap();
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the right ones, which was not seen with n = 77."), "{page}");
}

#[test]
fn a_file_that_is_named_like_no_lesson_is_left_to_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "plan.toml", PLAN);
    put(root, "in/ada/map (1).cu", RIGHT);
    put(root, "in/ada/zip_final.cu", RIGHT);
    put(root, "in/bob/map.cu", RIGHT);
    put(root, "in/bob/answer.txt", RIGHT);
    put(root, "in/cy/map.cu", RIGHT);
    put(root, "in/cy/report.pdf", "");
    put(root, "in/s31_map.cu", RIGHT);
    let (exit, out, err) = run(root, &["grade", "in", "--plan", "plan.toml", "-o", "report"]);
    assert_eq!(exit, 0, "{out}{err}");
    let review = |file: &str| format!("needs review by a person: {file}: not named like a lesson");
    let of =
        |student: &str, points: &str, map: String, zip: String| [student.into(), points.into(), map, zip];
    let passed = || "passed".to_owned();
    let expected = [
        of("ada", "10.00", passed(), review("ada/zip_final.cu")),
        of("bob", "10.00", passed(), review("bob/answer.txt")),
        of("cy", "10.00", passed(), "nothing was handed in".into()),
        of("s31_map.cu", "", review("s31_map.cu"), review("s31_map.cu")),
    ];
    assert_eq!(marks(root, "report"), expected);
    for said in [
        "ada: 10.00 of 15.00, 1 not final\n  ada/zip_final.cu: not named like a lesson\n",
        "s31_map.cu: 0.00 of 15.00, 2 not final\n  s31_map.cu: not named like a lesson\n",
        "4 marks need review by a person",
    ] {
        assert!(out.contains(said), "{said}: {out}");
    }
    // A text beside the students' folders is nobody's.
    put(root, "in.zip", zip(&[("all/ada/map.cu", RIGHT), ("all/READ_ME.txt", "x")]));
    let (exit, out, err) = run(root, &["grade", "in.zip", "--plan", "plan.toml", "-o", "zipped"]);
    assert_eq!(exit, 0, "{out}{err}");
    assert_eq!(marks(root, "zipped"), [of("ada", "10.00", passed(), "nothing was handed in".into())]);
    assert!(out.contains("all/READ_ME.txt: it is no student's folder"), "{out}");
}

#[test]
fn parts_merge_into_the_whole_byte_for_byte_and_into_nothing_else() {
    let folder = class();
    let root = folder.path();
    assert_eq!(grade(root, "whole", &["-j", "1"]).0, 0);
    assert_eq!(grade(root, "again", &["-j", "4"]).0, 0);
    assert_eq!(report(root, "whole"), report(root, "again"), "regrading gives the same");
    for n in 1..=3 {
        let (exit, out, err) = grade(root, &format!("part{n}"), &["--shard", &format!("{n}/3")]);
        assert_eq!(exit, 0, "{out}{err}");
    }
    let merge = |parts: &[&str], report: &str| {
        let args = ["--plan", "plan.toml", "-o", report];
        run(root, &[&["grade", "merge"], parts, &args].concat())
    };
    let (exit, out, err) = merge(&["part2", "part3", "part1"], "merged");
    assert_eq!(exit, 0, "{out}{err}");
    assert_eq!(report(root, "merged"), report(root, "whole"));
    put(root, "plan.toml", PLAN.replace("88123", "88124"));
    assert_eq!(grade(root, "other", &["--shard", "2/3"]).0, 0);
    assert_eq!(grade(root, "half", &["--shard", "2/2"]).0, 0);
    for (parts, says) in [
        (&["part1", "part3"][..], "missing: 2"),
        (&["part1", "part2", "part2", "part3"], "part 2 is given twice"),
        (&["part1", "other", "part3"], "a different seed"),
        (&["part1", "half"], "a different number of parts"),
        (&["part1", "whole"], "no part in whole"),
    ] {
        let (exit, out, err) = merge(parts, "none");
        assert_eq!((exit, err.contains(says)), (3, true), "{parts:?}: {out}{err}");
        assert!(!root.join("none/report.json").exists());
    }
    // A part of other lessons, or by another program or version.
    let text = fs::read_to_string(root.join("part2/part.json")).unwrap();
    let part: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (key, says) in [
        ("lessons", "different lessons"),
        ("program", "a different program"),
        ("version", "a different program"),
        ("plan", "a different plan"),
        ("students", "a different list of students"),
    ] {
        let mut other = part.clone();
        let its = &mut other["graded"]["header"][key];
        assert!(!its.is_null(), "{key}: {text}");
        *its = if its.is_array() { vec!["ada"].into() } else { "other".into() };
        put(root, "changed/part.json", other.to_string());
        let (exit, out, err) = merge(&["part1", "changed", "part3"], "none");
        let said = err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((exit, said.contains(says)), (3, true), "{key}: {out}{err}");
    }
}

#[cfg(unix)]
#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let folder = class();
    let root = folder.path();
    for n in 0..12 {
        put(root, &format!("in/s{n}/map.cu"), RIGHT.replace("+ 10", &format!("+ {}", 10 + n)));
    }
    assert_eq!(grade(root, "whole", &[]).0, 0);
    let args = [
        "grade",
        "in",
        "--plan",
        "plan.toml",
        "--times",
        "times.csv",
        "--students",
        "students.csv",
        "-o",
        "killed",
        "-j",
        "1",
    ];
    let kept = || fs::read_dir(root.join("killed/results")).map_or(0, |all| all.count());
    let mut kills = 0;
    while kills < 3 {
        let before = kept();
        let mut child = gpulearn(root, &args).stdout(Stdio::null()).spawn().unwrap();
        while kept() < before + 3 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!root.join("killed/report.json").exists());
        kills += 1;
    }
    let before = kept();
    assert!(before >= 9, "{before} results after three kills");
    // What is half written counts for nothing.
    let results = root.join("killed/results");
    let one = fs::read_dir(&results).unwrap().flatten().next().unwrap().path();
    let whole = fs::read(&one).unwrap();
    fs::write(&one, &whole[..whole.len() / 2]).unwrap();
    let (exit, out, err) = run(root, &args);
    assert_eq!(exit, 0, "{out}{err}");
    assert_eq!(report(root, "killed"), report(root, "whole"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_no_mark() {
    // A file that can't be made stands for a disk that takes nothing more.
    let folder = class();
    let root = folder.path();
    put(root, "report/results", "in the way");
    let (exit, out, err) = grade(root, "report", &[]);
    assert_eq!((exit, err.contains("can't create")), (3, true), "{out}{err}");
    assert!(!root.join("report/report.json").exists());
}

#[test]
fn answers_count_with_the_student_s_own_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(
        root,
        "plan.toml",
        "name = \"c\"\nseed = 5\n[[lessons]]\nlesson = \"strided-sum\"\npoints = 10\ndraw = [{ n = [1024, 512, 256] }, { n = [1021, 1016] }]\n",
    );
    let names: Vec<String> = (0..6).map(|n| format!("s{n}")).collect();
    put(root, "students.csv", format!("student\n{}\n", names.join("\n")));
    let (exit, out, err) =
        run(root, &["grade", "handout", "--plan", "plan.toml", "--students", "students.csv", "-o", "out"]);
    assert_eq!(exit, 0, "{out}{err}");
    let heads: std::collections::BTreeSet<String> = (names.iter())
        .map(|name| {
            let text = fs::read_to_string(root.join("out").join(name).join("strided-sum.cu")).unwrap();
            text.lines().skip(1).take(2).collect()
        })
        .collect();
    assert!(heads.len() >= 2, "{heads:?}");
    assert!(!err.contains("have the same answers"), "{err}");
    // One answer for all.
    let solution =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/solutions/6-reckoning/strided-sum.cu"))
            .unwrap();
    for name in &names {
        put(root, &format!("in/{name}/strided-sum.cu"), &solution);
    }
    let (exit, out, err) = run(root, &["grade", "in", "--plan", "plan.toml", "-o", "report"]);
    assert_eq!(exit, 0, "{out}{err}");
    let points: Vec<String> = marks_of_one(root);
    assert!(
        points.iter().any(|points| points != "10.00"),
        "a shared answer is wrong for somebody: {points:?}"
    );
    let page = fs::read_to_string(root.join("report/students/s0.html")).unwrap();
    assert!(!page.contains("More was measured") && !page.contains("Less was measured"), "{page}");
}

#[test]
fn sizes_whose_answers_are_all_alike_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "students.csv", "student\ns0\ns1\ns2\ns3\ns4\ns5\n");
    let warned = |draw: &str| {
        let lesson = "[[lessons]]\nlesson = \"strided-sum\"\n";
        put(root, "plan.toml", format!("name = \"c\"\nseed = 5\n{lesson}{draw}\n"));
        let args = ["grade", "handout", "--plan", "plan.toml", "--students", "students.csv", "-o", "out"];
        let (exit, out, err) = run(root, &args);
        assert_eq!(exit, 0, "{out}{err}");
        let said = format!("{out}{err}").split_whitespace().collect::<Vec<_>>().join(" ");
        said.contains("All students have the same answers to strided-sum")
    };
    assert!(warned("draw = [{ n = [1024, 992] }, { n = [1021] }]"));
    assert!(warned(""));
    assert!(!warned("draw = [{ n = [1024, 512, 256] }, { n = [1021, 1016] }]"));
}

fn marks_of_one(root: &Path) -> Vec<String> {
    let text = fs::read_to_string(root.join("report/gradebook.csv")).unwrap();
    text.lines().skip(1).map(|line| line.split(',').nth(4).unwrap().to_owned()).collect()
}

#[test]
fn times_that_are_of_nobody_or_missing_are_remarked_on() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "plan.toml", PLAN);
    put(root, "in/ada/map.cu", RIGHT);
    put(
        root,
        "times.csv",
        "student,lesson,time\nada,map,2026-11-29T10:00:00Z\nadda,mpa,2026-12-09T10:00:00Z\n",
    );
    let args = ["grade", "in", "--plan", "plan.toml", "-o", "report", "--offline"];
    let (exit, out, err) = run(root, &[&args[..], &["--times", "times.csv"]].concat());
    assert_eq!(exit, 0, "{out}{err}");
    assert!(out.contains("Note: --times gives a time of adda, who is no student of this class\n"), "{out}");
    assert!(out.contains("Note: --times gives times for mpa, which is no graded lesson\n"), "{out}");
    assert!(!out.contains("time of ada,") && !out.contains("nobody is late"), "{out}");
    let (exit, out, err) = run(root, &args);
    assert_eq!((exit, out.contains("--times gives no times: nobody is late")), (0, true), "{out}{err}");
}

#[test]
fn a_plan_that_is_wrong_says_where() {
    let folder = class();
    let root = folder.path();
    for (from, to, says) in [
        ("lesson = \"zip\"", "lesson = \"zap\"", "no lesson is called \"zap\""),
        ("points = 5", "pionts = 5", "line "),
        ("[late]", "[credit]\nright = 50\nclean = 20\nbars = 20\n[late]", "100 per cent"),
        ("{ n = 77 }", "{ m = 77 }", "lesson \"map\""),
        ("2026-11-30T00:00:00Z", "2026-11-30", "offset"),
    ] {
        put(root, "plan.toml", PLAN.replace(from, to));
        let (exit, out, err) = grade(root, "report", &[]);
        let words = err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((exit, words.contains(says)), (2, true), "{to}: {out}{err}");
    }
}

#[test]
fn one_student_s_own_job_grades_that_student() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "plan.toml", PLAN.replace("seed = 88123\n", ""));
    put(root, "mine/kernels/map.cu", RIGHT.replace("+ 10", "+ 11"));
    let args = ["grade", "mine", "--course", "plan.toml", "--student=ada", "-o", "report"];
    let (exit, _, err) = run(root, &args);
    assert_eq!((exit, err.contains("no seed")), (2, true), "{err}");
    let output = gpulearn(root, &[&["--seed", "7"], &args[..]].concat())
        .envs([
            ("CLASSROOM", "cs"),
            ("ASSIGNMENT", "hw"),
            ("OWNER", "ada"),
            ("COMMIT_URL", "c"),
            ("RELEASE_URL", "r"),
        ])
        .env("SUBMISSION_TAG", "submit/2026-06-01T14-32-05Z-a1b2c3d")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let row = ["ada", "0.00", "wrong-result", "nothing was handed in"];
    assert_eq!(marks(root, "report"), [row.map(str::to_owned)]);
    let note = fs::read_to_string(root.join("report/annotations.txt")).unwrap();
    assert!(note.contains("file=kernels/map.cu,"), "{note}");
    let result: serde_json::Value =
        serde_json::from_slice(&fs::read(root.join("report/classroom50.json")).unwrap()).unwrap();
    assert_eq!((&result["owner"], &result["score"]), (&"ada".into(), &0.into()));
}

#[test]
fn what_was_submitted_is_graded_and_what_was_changed_since_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    put(root, "plan.toml", PLAN.replace("seed = 88123\n", ""));
    let (exit, out, err) = run(root, &["init", "work", "--offline"]);
    assert_eq!(exit, 0, "{out}{err}");
    let work = root.join("work");
    put(&work, "kernels/1-puzzles/map.cu", RIGHT);
    let (exit, out, err) = run(&work, &["submit", "--plan", "../plan.toml", "-o", "../ada.zip", "--offline"]);
    assert_eq!((exit, out.contains("2 lessons, 1 of them passes. Fix the others")), (0, true), "{out}{err}");
    let archive = fs::read(root.join("ada.zip")).unwrap();
    let (exit, out, err) = run(&work, &["submit", "map", "zip", "--offline"]);
    assert_eq!((exit, out.contains("submission.zip: 2 lessons")), (0, true), "{out}{err}");
    let (exit, _, err) = run(&work, &["submit", "map", "-o", "kernels/1-puzzles/map.cu", "--offline"]);
    assert_eq!((exit, err.contains("name of a source file")), (2, true), "{err}");
    assert_eq!(fs::read_to_string(work.join("kernels/1-puzzles/map.cu")).unwrap(), RIGHT);
    put(root, "in/ada.zip", &archive);
    let list: serde_json::Value = {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&archive)).unwrap();
        serde_json::from_reader(archive.by_name("submission.json").unwrap()).unwrap()
    };
    assert_eq!(list["files"][0]["passed"], true, "{list}");
    put(root, "in/bob.zip", zip(&[("submission.json", &list.to_string()), ("map.cu", WASTEFUL)]));
    let (exit, out, err) =
        run(root, &["--seed", "3", "grade", "in", "--plan", "plan.toml", "-o", "report", "--offline"]);
    assert_eq!(exit, 0, "{out}{err}");
    let points: Vec<_> =
        marks(root, "report").into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    assert_eq!(points, [("ada".to_owned(), "10.00".to_owned()), ("bob".to_owned(), "8.00".to_owned())]);
    assert!(out.contains("bob.zip: map.cu was changed after gpulearn submit"), "{out}");
    assert!(!out.contains("ada.zip"), "{out}");
}

#[cfg(unix)]
#[test]
fn the_autograder_of_the_example_course_leaves_what_gradescope_shows() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/course-repo");
    let plan = fs::read_to_string(example.join("plan.toml")).unwrap();
    put(root, "source/plan.toml", format!("seed = 5\n{plan}"));
    put(root, "submission/map.cu", RIGHT);
    put(root, "submission_metadata.json", "{\"users\": [{\"email\": \"ada@x.org\"}]}");
    fs::create_dir(root.join("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gpulearn"), root.join("bin/gpulearn")).unwrap();
    let output = Command::new(example.join("gradescope/run_autograder"))
        .env("AUTOGRADER", root)
        .env("PATH", format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let result: serde_json::Value =
        serde_json::from_slice(&fs::read(root.join("results/results.json")).unwrap()).unwrap();
    assert_eq!((result["score"].as_f64(), &result["tests"][0]["status"]), (Some(10.0), &"passed".into()));
    for workflow in [".github/workflows/grade.yml", ".gitlab-ci.yml"] {
        let text = fs::read_to_string(example.join(workflow)).unwrap();
        assert!(!text.contains("secrets") && text.contains("--plan plan.toml --fail-below"), "{text}");
    }
}

/// A stand-in for sbatch that runs each task of a script at once: the real one's
/// own words are in its manual.
#[cfg(unix)]
const SBATCH: &str = r#"#!/bin/bash
set -u
for word; do script=$word; done
echo "$@" >> "$LOG"
array=$(sed -n 's/^#SBATCH --array=1-//p' "$script")
for task in $(seq 1 "${array:-1}"); do
    SLURM_ARRAY_TASK_ID=$task bash "$script" >> "$LOG" 2>&1 || exit 1
done
echo 42
"#;

#[cfg(unix)]
#[test]
fn the_jobs_for_a_cluster_grade_as_one_run_does() {
    use std::os::unix::fs::PermissionsExt;
    let folder = class();
    let root = folder.path();
    fs::rename(root.join("in"), root.join("in here")).unwrap();
    put(root, "bin/sbatch", SBATCH);
    fs::set_permissions(root.join("bin/sbatch"), fs::Permissions::from_mode(0o755)).unwrap();
    let args = [
        "grade",
        "slurm",
        "in here",
        "--plan",
        "plan.toml",
        "--times",
        "times.csv",
        "--students",
        "students.csv",
        "-o",
        "cluster",
        "--parts",
        "3",
        "--submit",
        "--gres",
        "gpu:a100:1",
        "--sbatch=--cpus-per-task=2",
    ];
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
    let output = gpulearn(root, &args).env("PATH", path).env("LOG", root.join("log")).output().unwrap();
    let log = fs::read_to_string(root.join("log")).unwrap_or_default();
    assert!(output.status.success(), "{output:?}\n{log}");
    assert!(log.contains("--dependency=afterany:42"), "{log}");
    let script = |name: &str| fs::read_to_string(root.join("cluster/slurm").join(name)).unwrap();
    for (line, parts, merge) in
        [("#SBATCH --cpus-per-task=2\n", true, true), ("#SBATCH --gres=gpu:a100:1\n", true, false)]
    {
        let has = ["parts.sbatch", "merge.sbatch"].map(|name| script(name).contains(line));
        assert_eq!(has, [parts, merge], "{line}");
    }
    // Directives count only before the first command.
    let parts = script("parts.sbatch");
    assert!(parts.find("--gres") < parts.find("set -eu"), "{parts}");
    let (exit, _, err) = run(root, &[&args[..args.len() - 2], &["gpu\n#SBATCH --uid=0"]].concat());
    assert_eq!((exit, err.contains("gpu:2")), (2, true), "{err}");
    fs::rename(root.join("in here"), root.join("in")).unwrap();
    assert_eq!(grade(root, "whole", &[]).0, 0);
    let mut cluster = report(root, "cluster");
    cluster.retain(|(path, _)| !path.starts_with("parts") && !path.starts_with("slurm"));
    assert_eq!(cluster, report(root, "whole"));
}
