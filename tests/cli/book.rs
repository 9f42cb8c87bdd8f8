//! The site of a course, with what its solutions do.

use super::{gpulearn, run};

#[test]
fn a_book_draws_what_the_warps_of_solutions_touch() {
    let course = tempfile::tempdir().unwrap();
    let (exit, out, err) = run(course.path(), &["author", "new", "1-first", "twice"]);
    assert_eq!(exit, 0, "{out}{err}");
    let page = || std::fs::read_to_string(course.path().join("site/1-first/twice.html")).unwrap();
    let (exit, out, err) = run(course.path(), &["book", "--lessons", ".", "-o", "site"]);
    assert_eq!((exit, out.contains("pages: site/index.html")), (0, true), "{out}{err}");
    let with = page();
    assert!(with.contains("What the solution's warps access"), "{with}");
    assert!(
        with.contains("<figcaption>In global memory, ") && with.contains("svg class=\"picture\""),
        "{with}"
    );

    let mut command = gpulearn(course.path(), &["book", "--lessons", ".", "-o", "site"]);
    let output = command.env("GPULEARN_NVRTC", "/nowhere/libnvrtc.so").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(output.status.success() && said.contains("have no pictures of what solutions do"), "{said}");
    assert!(!page().contains("What the solution's warps access"));
}
