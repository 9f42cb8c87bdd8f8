//! Courses of others beside ours.

use super::{gpulearn, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A data directory, a workspace, and a course to be added.
struct Place {
    data: tempfile::TempDir,
    work: tempfile::TempDir,
    course: tempfile::TempDir,
    /// For temporary files.
    temporary: tempfile::TempDir,
}

const MANIFEST: &str =
    "name = \"doubles\"\nversion = \"1.0.0\"\nlicence = \"CC-BY-4.0\"\nparts = [\"1-first\"]\n";

impl Place {
    fn new() -> Place {
        let folder = || tempfile::tempdir().unwrap();
        let place = Place { data: folder(), work: folder(), course: folder(), temporary: folder() };
        // `map` is a lesson of ours too.
        for slug in ["map", "twice"] {
            let (exit, out, err) = run(place.course.path(), &["author", "new", "1-first", slug]);
            assert_eq!(exit, 0, "{out}{err}");
        }
        place.write("course.toml", MANIFEST);
        place
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.course.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// In the workspace: exit code, standard output, standard error in one line.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = gpulearn(self.work.path(), args);
        command.env("XDG_DATA_HOME", self.data.path()).env("TMPDIR", self.temporary.path());
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let words = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        (output.status.code().unwrap_or(-1), text(&output.stdout), words)
    }

    fn source(&self) -> &str {
        self.course.path().to_str().unwrap()
    }

    fn added(&self) {
        let (exit, out, err) = self.run(&["course", "add", self.source()]);
        assert_eq!(exit, 0, "{out}{err}");
    }

    /// What was written below the data directory.
    fn kept(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.data.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                match entry.path() {
                    path if path.is_dir() => folders.push(path),
                    path => found.push(path.display().to_string()),
                }
            }
        }
        found.sort();
        found
    }
}

#[test]
fn a_course_stands_beside_ours_and_never_for_it() {
    let place = Place::new();
    let (exit, out, err) = place.run(&["course", "add", place.source()]);
    assert_eq!(exit, 0, "{err}");
    assert!(out.starts_with("Added doubles 1.0.0 (CC-BY-4.0): 2 lessons in 1 part, from "), "{out}");
    assert!(out.contains("read doubles/map"), "{out}");
    let (exit, out, err) = place.run(&["init", ".", "--offline"]);
    assert_eq!(exit, 0, "{out}{err}");
    let file = |path: &str| std::fs::read_to_string(place.work.path().join(path)).unwrap();
    let theirs = "kernels/doubles/1-first/map.cu";
    assert_ne!(file("kernels/1-puzzles/map.cu"), file(theirs));
    // Listed behind ours, and next when it is asked for.
    let (_, out, _) = place.run(&["list", "--all"]);
    assert!(out.contains("First (doubles)") && out.contains("doubles/twice"), "{out}");
    assert!(out.find(" map ") < out.find("doubles/map"), "{out}");
    assert!(place.run(&["next", "--offline"]).1.contains("kernels/1-puzzles/map.cu"));
    assert!(place.run(&["next", "doubles", "--offline"]).1.contains(theirs));
    let (exit, _, err) = place.run(&["next", "triples"]);
    assert!(exit == 2 && err.contains("no part or course is called \"triples\""), "{err}");
    // A name that is ours too means ours; one that is not is found.
    assert!(place.run(&["read", "map"]).1.contains("kernels/1-puzzles/map.cu"));
    assert!(place.run(&["read", "doubles/map"]).1.contains(theirs));
    assert!(place.run(&["read", "twice"]).1.contains("kernels/doubles/1-first/twice.cu"));
    assert!(place.run(&["read", "doubles/1-first"]).0 == 0);
    // Judged by its own lesson, and remembered under its own name.
    let (exit, out, err) = place.run(&["check", "doubles/map", "--offline", "--backend", "sim"]);
    assert!(exit == 1 && out.contains("doubles/map"), "{out}{err}");
    let solution = std::fs::read(place.course.path().join("solutions/1-first/map.cu")).unwrap();
    std::fs::write(place.work.path().join(theirs), solution).unwrap();
    let (exit, out, err) = place.run(&["check", theirs, "--offline", "--backend", "sim"]);
    assert_eq!(exit, 0, "{out}{err}");
    let progress = file(".gpulearn/progress.json");
    assert!(progress.contains("\"doubles/map\"") && !progress.contains("\"map\""), "{progress}");
    assert!(place.run(&["next", "--offline"]).1.contains("kernels/1-puzzles/map.cu"), "ours is not passed");
    assert!(place.run(&["next", "doubles", "--offline"]).1.contains("twice.cu"));
    // What grades others' work knows nothing of it.
    let (_, out, _) = place.run(&["course", "list"]);
    assert!(out.starts_with("doubles  1.0.0  CC-BY-4.0  "), "{out}");
    assert!(place.run(&["course", "add", place.source()]).2.contains("was added before"));
    assert_eq!(place.run(&["course", "remove", "doubles"]).0, 0);
    assert_eq!(place.kept(), [""; 0]);
    assert!(!place.run(&["list", "--all"]).1.contains("doubles"));
    assert!(place.work.path().join(theirs).is_file(), "the learner's file stays");
    assert!(place.run(&["course", "remove", "doubles"]).2.contains("no course \"doubles\" was added"));
    assert!(place.run(&["course", "list"]).1.contains("No course was added"));
}

#[test]
fn a_name_that_means_several_things_is_asked_about() {
    let place = Place::new();
    place.added();
    place.write("course.toml", &MANIFEST.replace("doubles", "triples"));
    place.added();
    let (exit, _, err) = place.run(&["read", "twice"]);
    assert!(exit == 2 && err.contains("\"twice\" could be doubles/twice, triples/twice: name one"), "{err}");
    place.write("course.toml", &MANIFEST.replace("doubles", "zip"));
    let (exit, _, err) = place.run(&["course", "add", place.source()]);
    assert!(exit == 2 && err.contains("called zip, as one of our lessons is"), "{err}");
}

#[test]
fn an_update_says_from_what_to_what_and_a_workspace_knows_what_it_was_made_from() {
    let place = Place::new();
    place.added();
    place.run(&["init", ".", "--offline"]);
    let (_, out, _) = place.run(&["course", "update"]);
    assert_eq!(out, "doubles 1.0.0 is up to date.\n");
    let starter = place.course.path().join("kernels/1-first/twice.cu");
    let text = std::fs::read_to_string(&starter).unwrap();
    place.write("kernels/1-first/twice.cu", &format!("// Another beginning.\n{text}"));
    place.write("course.toml", &MANIFEST.replace("1.0.0", "1.1.0"));
    // As it was added, until it is updated.
    assert!(place.run(&["course", "list"]).1.contains("1.0.0"));
    let (exit, out, err) = place.run(&["course", "update", "doubles"]);
    assert_eq!(exit, 0, "{err}");
    assert!(out.starts_with("doubles: from 1.0.0 to 1.1.0\n"), "{out}");
    assert!(
        out.contains("doubles/twice: your file was made from 1.0.0") && !out.contains("doubles/map"),
        "{out}"
    );
    let (_, _, err) = place.run(&["check", "doubles/twice", "--offline", "--backend", "sim"]);
    assert!(err.contains("was made from doubles 1.0.0; the starter of 1.1.0 differs"), "{err}");
    assert_eq!(place.run(&["reset", "doubles/twice"]).0, 0);
    let (_, _, err) = place.run(&["check", "doubles/twice", "--offline", "--backend", "sim"]);
    assert!(!err.contains("was made from"), "{err}");
    assert!(place.work.path().join(".gpulearn/backups/doubles.twice.1.cu").is_file());
    // A lesson that is wrong now is not taken, and the course stays as it was.
    place.write("lessons/1-first/twice/lesson.toml", "order = 1\n");
    let (exit, _, err) = place.run(&["course", "update"]);
    assert!(exit == 2 && err.contains("lessons/1-first/twice/lesson.toml:1"), "{err}");
    assert_eq!(place.run(&["read", "doubles/twice"]).0, 0);
    // Another course in the place of this one.
    place.write("course.toml", &MANIFEST.replace("doubles", "triples"));
    assert!(place.run(&["course", "update"]).2.contains("is now the course triples"));
}

#[test]
fn what_is_no_file_of_the_course_is_refused() {
    let link = |place: &Place, path: &str, to: &str| {
        let path = place.course.path().join(path);
        let _ = std::fs::remove_file(&path);
        let _ = std::fs::remove_dir_all(&path);
        std::os::unix::fs::symlink(to, &path).unwrap();
    };
    type Hostile = fn(&Place, &dyn Fn(&Place, &str, &str));
    let cases: [(Hostile, &str); 9] = [
        (
            |place, link| link(place, "kernels/1-first/map.cu", "/etc/passwd"),
            "kernels/1-first/map.cu: a link",
        ),
        (|place, link| link(place, "lessons/1-first/map/x.txt", "/etc/hosts"), "map/x.txt: a link"),
        (
            |place, link| link(place, "solutions/1-first", "/etc"),
            "solutions/1-first: not a folder of the course itself",
        ),
        (|place, link| link(place, "lessons", "/etc"), "lessons: not a folder of the course itself"),
        (
            |place, link| link(place, "course.toml", "/etc/hostname"),
            "course.toml: can't be read: it is a link",
        ),
        (
            |place, _| drop(place.write("course.toml", &MANIFEST.replace("\"1-first\"", "\"../1-first\""))),
            "parts[0]: the name of a folder",
        ),
        (
            |place, _| drop(place.write("course.toml", &MANIFEST.replace("doubles", "../../doubles"))),
            "name: lower-case words",
        ),
        (
            |place, _| drop(place.write("lessons/1-first/map/lesson.md", "\u{1b}]0;owned\u{7}")),
            "map/lesson.md:1: the character",
        ),
        (
            |place, _| drop(place.write("lessons/1-first/map/x.txt", &"1 ".repeat(1 << 20))),
            "map/x.txt: larger than",
        ),
    ];
    for (hostile, wanted) in cases {
        let place = Place::new();
        hostile(&place, &link);
        let (exit, out, err) = place.run(&["course", "add", place.source()]);
        assert!(exit == 2 && err.contains(wanted) && out.is_empty(), "{wanted}: {err}");
        assert_eq!(place.kept(), [""; 0], "{wanted}");
    }
    let place = Place::new();
    let fifo = place.course.path().join("lessons/1-first/map/pipe.txt");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let (exit, _, err) = place.run(&["course", "add", place.source()]);
    assert!(exit == 2 && err.contains("pipe.txt: neither a file nor a folder"), "{err}");
    let (exit, _, err) = place.run(&["course", "add", place.work.path().to_str().unwrap()]);
    assert!(exit == 2 && err.contains("course.toml: this file is missing"), "{err}");
}

#[test]
fn what_was_kept_and_is_changed_is_left_out_with_a_word() {
    let place = Place::new();
    place.added();
    let kept = place.kept();
    let starter = kept.iter().find(|path| path.ends_with("kernels/1-first/map.cu")).unwrap();
    std::fs::write(starter, "// Somebody else's.").unwrap();
    let (exit, out, err) = place.run(&["list", "--all"]);
    assert!(exit == 0 && !out.contains("doubles"), "{out}");
    assert!(
        err.contains("the course doubles is left out: its files have changed since they were added"),
        "{err}"
    );
    assert_eq!(place.run(&["course", "update", "doubles"]).0, 0);
    assert!(place.run(&["list", "--all"]).1.contains("doubles/map"));
    let record = kept.iter().find(|path| path.ends_with("doubles.toml")).unwrap();
    std::fs::write(record, "name = \"../x\"").unwrap();
    let (exit, _, err) = place.run(&["list"]);
    assert!(exit == 0 && err.contains("doubles.toml is damaged"), "{err}");
    assert_eq!(place.run(&["course", "remove", "doubles"]).0, 0);
}

#[test]
fn a_repository_is_pinned_to_its_commit() {
    if Command::new("git").arg("--version").output().is_err() {
        eprintln!("not run: git is not here");
        return;
    }
    let place = Place::new();
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").current_dir(place.course.path()).args(identity).args(args).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "first"]);
    let first = git(&["rev-parse", "HEAD"]);
    let url = format!("file://{}", place.source());
    let (exit, out, err) = place.run(&["course", "add", &url, "--offline"]);
    assert_eq!(exit, 0, "{err}");
    assert!(out.contains(&format!("commit {}", &first[..12])), "{out}");
    assert!(!place.kept().iter().any(|path| path.contains(".git")), "{:?}", place.kept());
    place.write("course.toml", &MANIFEST.replace("1.0.0", "2.0.0"));
    assert!(
        place.run(&["course", "update"]).1.contains("is up to date"),
        "what is not committed is not there"
    );
    git(&["commit", "--quiet", "-am", "second"]);
    let second = git(&["rev-parse", "HEAD"]);
    let (_, out, err) = place.run(&["course", "update"]);
    let said = format!("from 1.0.0 (commit {}) to 2.0.0 (commit {})", &first[..12], &second[..12]);
    assert!(out.contains(&said), "{out}{err}");
    // A link in a repository, a branch that is none, a server that may not be asked.
    std::os::unix::fs::symlink("/etc/passwd", place.course.path().join("lessons/1-first/map/x.txt")).unwrap();
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "third"]);
    assert!(place.run(&["course", "update"]).2.contains("map/x.txt: a link"));
    let (exit, _, err) = place.run(&["course", "add", &url, "--branch", "none"]);
    assert!(exit == 3 && err.contains("git can't fetch file://") && err.contains("none"), "{err}");
    let (exit, _, err) = place.run(&["course", "add", "https://me:secret@example.org/c", "--offline"]);
    assert!(exit == 2 && err.contains("https://…@example.org/c is not fetched"), "{err}");
    assert!(place.run(&["list", "--all"]).1.contains("doubles/map"), "the course is as it was");
    let left = std::fs::read_dir(place.temporary.path()).unwrap().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("gpulearn-course-"));
    assert_eq!(left.count(), 0, "nothing is left of what was fetched");
}

#[test]
fn the_words_and_topics_of_a_course_stand_beside_ours() {
    let place = Place::new();
    let words = "[[terms]]\nname = \"doubling\"\nalso = [\"doublings\"]\ntext = \"Twice as much.\"\nlessons = [\"twice\"]\n\
                 [[terms]]\nname = \"warp\"\ntext = \"A warp as doubles has it.\"\n";
    place.write("lessons/glossary.toml", words);
    let topics = "[[notebooks]]\nid = \"D1\"\ntitle = \"Doubling\"\n[[notebooks.topics]]\ntopic = \"twice\"\n\
                  lessons = [\"twice\"]\nplanned = [\"thrice\"]\n";
    place.write("lessons/topics.toml", topics);
    place.write("lessons/welcome.md", "Hello.\n");
    let (exit, out, err) = place.run(&["course", "add", place.source()]);
    assert_eq!(exit, 0, "{out}{err}");
    assert!(out.contains("Left out: lessons/welcome.md, which only our own course can have"), "{out}");
    let (exit, out, err) = place.run(&["explain", "Doublings"]);
    assert_eq!(exit, 0, "{err}");
    assert!(out.contains("doubling, doublings (doubles)") && out.contains("Twice as much."), "{out}");
    assert!(out.contains("Taught in: doubles/twice"), "{out}");
    // A word of both: ours first.
    let (_, out, _) = place.run(&["explain", "warp"]);
    let theirs = out.find("A warp as doubles has it.").unwrap();
    assert!(out.find("32 threads").is_some_and(|ours| ours < theirs), "{out}");
    let (_, out, _) = place.run(&["explain"]);
    assert!(out.split_whitespace().collect::<Vec<_>>().join(" ").contains("doubling (doubles)"), "{out}");
    assert!(place.run(&["explain", "dubling"]).2.contains("Did you mean doubling?"));
    let (exit, out, err) = place.run(&["list", "--by", "notebook"]);
    assert_eq!(exit, 0, "{err}");
    assert!(out.contains("doubles/D1  Doubling (doubles)"), "{out}");
    assert!(out.contains("doubles/twice, doubles/thrice (not written yet)"), "{out}");
    // Fetched again, and gone with the course.
    place.write("lessons/glossary.toml", &words.replace("Twice as much.", "Two times."));
    assert_eq!(place.run(&["course", "update"]).0, 0);
    assert!(place.run(&["explain", "doubling"]).1.contains("Two times."));
    place.run(&["course", "remove", "doubles"]);
    assert!(place.run(&["explain", "doubling"]).2.contains("no finding or word \"doubling\""));
    // What is wrong in them is said.
    place.write("lessons/glossary.toml", &words.replace("[\"twice\"]", "[\"thrice\"]"));
    let (exit, _, err) = place.run(&["course", "add", place.source()]);
    assert!(exit == 2 && err.contains("lessons/glossary.toml: no lesson is called \"thrice\""), "{err}");
}

/// A stand-in for git whose child holds on, as the helper of a server that says nothing does.
#[cfg(unix)]
const HANGING: &str = "#!/bin/sh\nsleep 300 &\necho $! > \"$CHILD\"\nwait\n";

#[cfg(unix)]
#[test]
fn git_has_a_time_limit_and_leaves_nothing_running() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let bin = tempfile::tempdir().unwrap();
    let (program, child) = (bin.path().join("git"), bin.path().join("child"));
    std::fs::write(&program, HANGING).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let start = std::time::Instant::now();
    let args = ["course", "add", "https://me:secret@example.org/c.git", "--limit-seconds", "1"];
    let mut command = gpulearn(place.work.path(), &args);
    command.env("XDG_DATA_HOME", place.data.path()).env("TMPDIR", place.temporary.path());
    let output = command.env("PATH", path).env("CHILD", &child).output().unwrap();
    assert!(start.elapsed().as_secs() < 60);
    let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = "git was stopped: it had not fetched https://…@example.org/c.git after 1 second.";
    assert!(output.status.code() == Some(3) && said.contains(wanted), "{output:?}");
    assert!(said.contains("--limit-seconds N"), "{said}");
    let pid: i32 = std::fs::read_to_string(&child).unwrap().trim().parse().unwrap();
    let runs = || {
        let state = Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
        !matches!(state.stdout.trim_ascii().first(), None | Some(b'Z'))
    };
    let waited = std::time::Instant::now();
    while runs() {
        assert!(waited.elapsed().as_secs() < 10, "the child of git still runs");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(std::fs::read_dir(place.temporary.path()).unwrap().count(), 0);
    assert_eq!(place.kept(), [""; 0]);
    assert_eq!(place.run(&["course", "add", "https://a.b/c.git", "--limit-seconds", "0"]).0, 2);
}

#[test]
fn a_plan_and_a_course_are_told_apart() {
    let place = Place::new();
    let plan = "name = \"First week\"\nseed = 3\n[[lessons]]\nlesson = \"map\"\n";
    place.write("course.toml", plan);
    let (exit, _, err) = place.run(&["course", "add", place.source()]);
    assert!(exit == 2 && err.contains("course.toml: this is a grading plan, for `gpulearn grade"), "{err}");
    assert!(err.contains("--plan FILE"), "{err}");
    let file = place.write("course.toml", MANIFEST);
    let file = file.to_str().unwrap();
    std::fs::create_dir(place.work.path().join("in")).unwrap();
    for option in ["--plan", "--course"] {
        let (exit, _, err) = place.run(&["grade", "in", option, file, "-o", "report", "--offline"]);
        assert!(exit == 2 && err.contains("this describes a course"), "{err}");
        assert!(err.contains("a plan lists the lessons to grade under [[lessons]]"), "{err}");
    }
}

#[test]
fn a_source_that_looks_like_an_option_is_none() {
    let folder = Path::new(".");
    let (exit, _, err) = run(folder, &["course", "add", "--", "--upload-pack=touch x"]);
    assert!(exit == 2 && err.contains("can't read --upload-pack"), "{err}");
}
