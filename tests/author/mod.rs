//! Freshly scaffolded lessons, right and wrong ones, proved as `author check` does it.

use crate::compiler;
use gpulearn::author::{self, About, Report};
use gpulearn::judge::course::{Kind, Problem};

fn assert_sound(report: &Report) {
    let problems: Vec<_> = report.all_problems().map(Problem::to_string).collect();
    assert!(report.is_sound(), "{} problem(s):\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn a_machine_is_proved_with_lessons_that_ask_too() {
    let course = gpulearn::lessons::course();
    let asking: Vec<_> = course.lessons().iter().filter(|l| l.spec.kind == Kind::Predict).collect();
    assert!(!asking.is_empty());
    let tests = author::selftest(&asking, None, &compiler(), None, &|_| {}).unwrap();
    assert_eq!(tests.len(), asking.len());
    for test in tests {
        assert_eq!(test.problems, [""; 0], "{}", test.slug);
    }
}

#[test]
fn a_new_lesson_proves_itself_as_it_stands() {
    let root = tempfile::tempdir().unwrap();
    author::scaffold(root.path(), "1-first", "twice-as-much", About::Kernel).unwrap();
    let report = author::check(root.path(), Some("twice-as-much"), &compiler()).unwrap();
    assert_sound(&report);
    assert_eq!((report.lessons.len(), report.lessons[0].wrong_kernels), (1, 3));
}

#[test]
fn a_new_lesson_of_a_program_proves_itself_as_it_stands() {
    let root = tempfile::tempdir().unwrap();
    author::scaffold(root.path(), "1-first", "twice-by-host", About::Program).unwrap();
    let report = author::check(root.path(), None, &compiler()).unwrap();
    assert_sound(&report);
    assert_eq!((report.lessons.len(), report.lessons[0].wrong_kernels), (1, 3));
}

#[test]
fn a_lesson_that_claims_too_much_is_refuted() {
    let root = tempfile::tempdir().unwrap();
    author::scaffold(root.path(), "1-first", "twice", About::Kernel).unwrap();
    let swap = |path: &str, old: &str, new: &str| {
        let path = root.path().join(path);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{old}");
        std::fs::write(path, text.replacen(old, new, 1)).unwrap();
    };
    swap("solutions/1-first/twice.cu", "2 * in[i]", "3 * in[i]");
    swap(
        "tests/wrong/twice/missing-guard.cu",
        "2 * in[i]; //~ out-of-bounds",
        "2 * in[i];\n//~ out-of-bounds",
    );
    swap("tests/wrong/twice/read-twice.cu", "const volatile float", "const float");
    std::fs::create_dir_all(root.path().join("tests/right/twice")).unwrap();
    let ours = std::fs::read_to_string(root.path().join("solutions/1-first/twice.cu")).unwrap();
    for (name, source) in [("ours.cu", ours.replace("3 * in[i]", "in[i] + in[i]")), ("three.cu", ours)] {
        std::fs::write(root.path().join("tests/right/twice").join(name), source).unwrap();
    }
    let report = author::check(root.path(), None, &compiler()).unwrap();
    let problems: Vec<_> = report.all_problems().map(Problem::to_string).collect();
    let [solution, accepted, missing_guard, read_twice] = problems.as_slice() else {
        panic!("{problems:#?}")
    };
    assert!(
        solution.starts_with("solutions/1-first/twice.cu: it must pass, but the verdict is \"wrong-result\"")
    );
    assert!(accepted.starts_with("tests/right/twice/three.cu: it must pass, but the verdict is"));
    assert!(read_twice.ends_with("\"too-much-work: global_reads_per_thread\" is declared, but it passes"));
    assert!(
        missing_guard.starts_with(
            "tests/wrong/twice/missing-guard.cu:6: \"out-of-bounds\" is declared for line 6, but"
        )
    );
}

#[test]
fn a_mistake_in_one_lesson_leaves_the_others_their_proof() {
    let root = tempfile::tempdir().unwrap();
    let slugs = ["sound", "no-reference", "odd-reference", "impatient", "odd-type"];
    for slug in slugs {
        author::scaffold(root.path(), "1-first", slug, About::Kernel).unwrap();
    }
    let lesson = |slug: &str| root.path().join("lessons/1-first").join(slug);
    let edit = |slug: &str, change: &dyn Fn(&str) -> String| {
        let path = lesson(slug).join("lesson.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        let changed = change(&text);
        assert_ne!(text, changed, "{slug}");
        std::fs::write(path, changed).unwrap();
    };
    let with = |key: &'static str, line: &'static str| {
        move |text: &str| {
            let kept = text.lines().filter(|old| !old.starts_with(key)).map(|old| format!("{old}\n"));
            let (first, rest) = (kept.clone().next().unwrap(), kept.skip(1).collect::<String>());
            format!("{first}{line}\n{rest}")
        }
    };
    edit("no-reference", &with("reference = ", "reference = \"nosuch\""));
    edit("odd-reference", &with("reference = ", "reference = \"matmul\""));
    edit("impatient", &with("step_budget = ", "step_budget = 1"));
    edit("odd-type", &|text| {
        let last = text.rfind("type = \"f32\"").unwrap();
        text[..last].to_owned() + "type = \"i32\"" + &text[last + 12..].replace("\"halves\"", "\"integers\"")
    });
    let report = author::check(root.path(), None, &compiler()).unwrap();
    assert_eq!(report.lessons.len(), slugs.len());
    let describe = |slug: &str| {
        let lesson = report.lessons.iter().find(|lesson| lesson.slug == slug).unwrap();
        lesson.problems.iter().map(Problem::to_string).collect::<Vec<_>>()
    };
    assert_eq!(describe("sound"), [""; 0]);
    for (slug, wanted) in [
        ("no-reference", "lesson.toml:2: reference: no CPU reference is called \"nosuch\"; there are: "),
        ("odd-reference", "lesson.toml:2: reference \"matmul\" does not fit"),
        ("odd-type", "type: `int`, but \"odd_type\" in solutions/1-first/odd-type.cu takes `float *out`"),
    ] {
        let told = describe(slug);
        assert!(told.iter().any(|problem| problem.contains(wanted)), "{slug}: {told:#?}");
    }
    assert!(!describe("impatient").is_empty());
}
