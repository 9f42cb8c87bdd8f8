//! Answers to a lesson's questions: in the file, and typed at a terminal of the test's own.

use super::watch::Terminal;
use super::{check_json, run, solve, workspace};

const FILE: &str = "kernels/6-reckoning/strided-sum.cu";

#[test]
fn answers_are_read_from_the_file_and_nothing_else_is() {
    let folder = workspace();
    let (exit, result) = check_json(folder.path(), &["strided-sum"]);
    assert_eq!((exit, &result["reason"]), (1, &"unanswered".into()), "{result}");
    solve(folder.path(), "strided-sum");
    // What is done to the code changes no right answer.
    let path = folder.path().join(FILE);
    let solved = std::fs::read_to_string(&path).unwrap();
    let answers: String =
        solved.lines().filter(|l| l.contains("answer ")).map(|l| format!("{l}\n")).collect();
    std::fs::write(&path, format!("{answers}int main( {{ no code at all")).unwrap();
    let (exit, result) = check_json(folder.path(), &["strided-sum"]);
    assert_eq!((exit, &result["passed"]), (0, &true.into()), "{result}");
    let question = &result["questions"][0];
    assert_eq!(
        (&question["state"], &question["answer"]),
        (&"right".into(), &question["measured"]),
        "{question}"
    );
    let (exit, out, _) = run(folder.path(), &["list", "--all"]);
    assert_eq!(exit, 0);
    assert!(out.contains("✓") && out.contains("strided-sum"), "{out}");
}

#[test]
fn open_questions_are_asked_at_a_terminal() {
    let folder = workspace();
    let mut terminal = Terminal::of_rows(60, folder.path(), &["check", "strided-sum"]);
    terminal.expect("An empty line leaves a question open");
    terminal.expect("direct_loads = ");
    // What can be no answer is asked again, not written down.
    terminal.press("ten \\\n");
    terminal.expect("`ten` is not a number");
    terminal.expect("direct_loads = ");
    terminal.press("128\n");
    terminal.expect("copy_stores = ");
    terminal.press("\n");
    terminal.expect("traffic = ");
    // The end of input leaves the rest open.
    terminal.press("\x04");
    terminal.expect("direct_loads is not what was measured");
    terminal.expect("how many bytes");
    assert_eq!(terminal.end().0, Some(1));
    let text = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
    assert!(
        text.contains("// answer direct_loads = 128\n") && text.contains("// answer copy_stores = ?\n"),
        "{text}"
    );
}
