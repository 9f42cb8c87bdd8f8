//! Asks a lesson's questions at the prompt and writes the answers into the learner's file.

use super::target::Target;
use super::{CommandError, Context, Format, Result};
use judge::course::{Question, QuestionKind, answers, replace_file, with_answer};
use judge::is_readable;
use report::{self, QuestionView, escape};
use std::io::{BufRead, IsTerminal, stdin, stdout};

/// Maximum length of an answer, in characters.
const LONGEST: usize = 40;

/// Asks every unanswered question of the lesson, if input and output are a terminal. An empty line leaves a
/// question open; the end of input leaves all remaining ones open.
///
/// # Errors
///
/// The terminal can't be read, or the file can't be written.
pub fn ask(target: &Target, context: &mut Context) -> Result<()> {
    let talks = stdin().is_terminal() && stdout().is_terminal() && context.global.format == Format::Human;
    if !talks || !target.is_own() || target.lesson.spec.questions.is_empty() {
        return Ok(());
    }
    let Ok(mut source) = std::fs::read_to_string(&target.path) else { return Ok(()) };
    let mut said = false;
    for question in &target.lesson.spec.questions {
        let lines = answers(&source);
        let mut own = lines.iter().filter(|line| line.name == question.name);
        let (Some(line), None) = (own.next().filter(|line| line.text.is_none()), own.next()) else {
            continue;
        };
        if !said {
            let file = escape(&target.shown);
            context
                .out
                .print(&format!("Answers are written to {file}. An empty line leaves a question open.\n"));
            said = true;
        }
        let text = report::question(&view(question, target), context.style.width);
        let Some(answer) = answer(question, &text, context)? else { break };
        if answer.is_empty() {
            continue;
        }
        if let Some(written) = with_answer(&source, line.line, &answer) {
            replace_file(&target.path, written.as_bytes(), false)?;
            source = written;
        }
    }
    if said {
        context.out.print("\n");
    }
    Ok(())
}

/// Reads the answer to a question, which is asked again until the input is a valid answer or empty; `None` at the
/// end of input.
fn answer(question: &Question, text: &str, context: &mut Context) -> Result<Option<String>> {
    let mut text = text.to_owned();
    loop {
        discard_typed_ahead();
        context.out.print(&format!("\n{text}  {} = ", escape(&question.name)));
        match typed()? {
            Some(answer) if !answer.is_empty() && !is_readable(question, &answer) => {
                text = report::wrap(&unreadable(question, &answer), context.style.width, 2).join("\n") + "\n";
            }
            read => return Ok(read),
        }
    }
}

fn unreadable(question: &Question, answer: &str) -> String {
    let answer = escape(answer);
    match question.kind() {
        QuestionKind::Number(_) => format!(
            "`{answer}` is not a number: type digits, such as 128, 0.25 or 1/12. An empty line leaves it open."
        ),
        QuestionKind::Choice(choices) => {
            let keys: Vec<String> = choices.iter().map(|choice| escape(&choice.key)).collect();
            format!("`{answer}` is not one of {}. An empty line leaves it open.", keys.join(", "))
        }
    }
}

/// Discards what was typed before a question was shown, since it is no answer to it.
fn discard_typed_ahead() {
    #[cfg(unix)]
    // SAFETY: no memory is passed; if the call fails, nothing is discarded.
    unsafe {
        libc::tcflush(libc::STDIN_FILENO, libc::TCIFLUSH);
    }
}

fn view(question: &Question, target: &Target) -> QuestionView {
    let case = question.case(&target.lesson.spec).map_or(String::new(), |(_, case)| case.to_string());
    QuestionView::open(question, case)
}

/// Reads a line without the characters that the file's comment could not hold; `None` at the end of input.
fn typed() -> Result<Option<String>> {
    let mut line = String::new();
    let read = stdin().lock().read_line(&mut line);
    match read {
        Ok(0) => Ok(None),
        Ok(_) => {
            let kept = line.trim().chars().filter(|c| !c.is_control() && *c != '\\');
            let text: String = kept.take(LONGEST).collect();
            Ok(Some(text.replace("//", "/").trim_end().to_owned()))
        }
        Err(error) => Err(CommandError::environment(format!("can't read the input: {error}"))),
    }
}
