//! What editors get with a workspace: tasks whose matchers find every place, and a `.clangd` by which no lesson's
//! file is full of errors.

use super::{lessons, run, workspace};
use regex::Regex;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The tasks as VS Code reads them: JSON with comments.
fn tasks(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(".vscode/tasks.json")).unwrap();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let json: Value = serde_json::from_str(&lines.collect::<String>()).unwrap();
    json["tasks"].as_array().unwrap().clone()
}

/// What a task's matchers take out of its output: groups of consecutive lines, as VS Code matches them.
fn matched(task: &Value, output: &str) -> Vec<[String; 3]> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let lines: Vec<&str> = output.lines().collect();
    let mut found = Vec::new();
    for matcher in list(&task["problemMatcher"]) {
        let patterns = list(&matcher["pattern"]);
        for window in lines.windows(patterns.len()) {
            let captured = patterns.iter().zip(window).map(|(pattern, line)| {
                let captures = Regex::new(pattern["regexp"].as_str().unwrap()).unwrap().captures(line)?;
                Some(["file", "line", "message"].map(|field| {
                    let group = pattern[field].as_u64().and_then(|n| captures.get(n as usize));
                    group.map_or(String::new(), |group| group.as_str().to_owned())
                }))
            });
            if let Some(all) = captured.collect::<Option<Vec<_>>>() {
                found.push([0, 1, 2].map(|field| all.iter().map(|one| one[field].as_str()).collect()));
            }
        }
    }
    found
}

#[test]
fn the_tasks_of_a_workspace_find_each_place() {
    let folder = workspace();
    let folder = folder.path();
    let tasks = tasks(folder);
    let file = "kernels/1-puzzles/map.cu";
    let head = "extern \"C\" __global__ void map(const float *in, float *out)\n{\n";
    let judged = |task: &Value, body: &str| {
        std::fs::write(folder.join(file), format!("{head}{body}\n}}\n")).unwrap();
        let absolute = folder.join(file).display().to_string();
        let args: Vec<String> = task["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a.as_str().unwrap().replace("${file}", &absolute))
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (_, out, err) = run(folder, &args);
        (matched(task, &out), out + &err)
    };
    let (found, out) = judged(&tasks[0], "    out[threadIdx.x] = in[threadIdx.x + 1] + 10;");
    assert_eq!(found, [[file, "3", "out-of-bounds"]].map(|row| row.map(str::to_owned)), "{out}");
    let (found, out) = judged(&tasks[0], "    out[threadIdx.x] = in[gridIdx] + 10;");
    assert_eq!(found.len(), 1, "{out}");
    assert_eq!((&*found[0][0], &*found[0][1], found[0][2].contains("gridIdx")), (file, "3", true), "{out}");
    assert_eq!(tasks[1]["args"], serde_json::json!(["check", "--all"]));
    // What is there is the learner's.
    std::fs::write(folder.join(".vscode/tasks.json"), "mine").unwrap();
    run(folder, &["init", "--offline"]);
    assert_eq!(std::fs::read_to_string(folder.join(".vscode/tasks.json")).unwrap(), "mine");
}

/// Every file that a learner may have open, in the editor's own eyes. `GPULEARN_CLANGD` names another than that on PATH.
#[test]
#[ignore = "needs clangd"]
fn clangd_finds_no_error_in_any_starter_or_solution() {
    let clangd = std::env::var_os("GPULEARN_CLANGD").unwrap_or("clangd".into());
    let (starters, solved) = (workspace(), workspace());
    for folder in [&starters, &solved] {
        // NVIDIA's headers, fetched where they are not here: without them there is no `.clangd`.
        let (_, out, err) = run(folder.path(), &["init"]);
        assert!(folder.path().join(".clangd").is_file(), "{out}{err}");
    }
    let course = gpulearn::lessons::course();
    for lesson in course.lessons() {
        std::fs::write(solved.path().join(lesson.kernel_path()), &*lesson.solution).unwrap();
    }
    let of =
        |folder: &Path| course.lessons().iter().map(|l| folder.join(l.kernel_path())).collect::<Vec<_>>();
    let files: Vec<PathBuf> = [of(starters.path()), of(solved.path())].concat();
    assert_eq!(files.len(), 2 * lessons());
    let (waiting, wrong) = (Mutex::new(files.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let Some(file) = waiting.lock().unwrap().next() else { return };
                    let mut check = Command::new(&clangd);
                    // Not what could be done at each place of it.
                    check
                        .arg(format!("--check={}", file.display()))
                        .args(["--check-locations=0", "--log=error"]);
                    let output = check.current_dir("/").output().unwrap();
                    let said = String::from_utf8_lossy(&output.stderr).into_owned();
                    let errors =
                        said.lines().filter(|line| line.starts_with("E[")).collect::<Vec<_>>().join("\n");
                    if !output.status.success() || !errors.is_empty() {
                        wrong.lock().unwrap().push(format!("{}\n{errors}", file.display()));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} files:\n{}", wrong.len(), wrong.join("\n"));
}
