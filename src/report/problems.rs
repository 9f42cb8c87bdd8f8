//! What is wrong with a file as a list of places, for editors, annotations and lists of many files.

use super::finding::place::same_file;
use super::problem::Problem;
use super::verdict::AnswerStatus;
use super::{Style, VerdictView, escape};
use compiler::Severity;
use judge::Reason;

impl VerdictView {
    /// Returns everything that can be said about places, in the order of the report: findings, the compiler's
    /// messages, advice. If the file fails for another reason, that reason is included.
    pub fn problems(&self) -> Vec<Problem> {
        let defects = self.evidence.findings.iter().map(|finding| (finding, Severity::Error));
        let advice = self.evidence.advice.iter().map(|finding| (finding, Severity::Note));
        let of_finding = |(finding, severity): (&super::FindingView, Severity)| {
            let at = &finding.at;
            let help = if severity == Severity::Error { finding.help.as_str() } else { "" };
            Problem {
                rule: finding.class.kind.slug().into(),
                kind: Some(finding.class.kind),
                title: finding.class.title.to_string(),
                severity,
                message: in_sentences([finding.message.as_str(), help]),
                column: at.column,
                column_end: at.column_end,
                ..self.problem(at.file.as_deref(), at.line)
            }
        };
        let messages = self.evidence.diagnostics.iter().map(|diagnostic| Problem {
            rule: format!("compiler-{}", diagnostic.severity),
            title: "a compiler message".into(),
            severity: diagnostic.severity,
            message: match &diagnostic.hint {
                Some(hint) => in_sentences([diagnostic.message.as_str(), hint.as_str()]),
                None => diagnostic.message.clone(),
            },
            column: diagnostic.column,
            ..self.problem(Some(&diagnostic.file), diagnostic.line)
        });
        let mut all: Vec<Problem> = defects.map(of_finding).chain(messages).collect();
        if !all.iter().any(|problem| problem.severity == Severity::Error) {
            all.extend(self.reason.filter(|_| !self.passed).map(|reason| self.whole(reason)));
        }
        all.extend(advice.map(of_finding));
        all
    }

    /// Returns why the file fails, where no single place is to blame.
    fn whole(&self, reason: Reason) -> Problem {
        let question = self.evidence.questions.iter().find(|question| question.state != AnswerStatus::Right);
        let what = match (&self.evidence.mismatch, &self.evidence.misprint, question) {
            (Some(mismatch), ..) => format!(": {}", mismatch.count()),
            (_, Some(misprint), _) => format!(": {}", misprint.count()),
            (.., Some(question)) => format!(": {}", question.ask),
            (None, None, None) => String::new(),
        };
        let rest = self.detail.iter().chain(&self.suggestion).map(String::as_str);
        let what = format!("{}{what}", self.headline);
        let starter = self.starter.filter(|line| *line > 0);
        let line = question.and_then(|question| question.line).or(starter).or(self.subject.line);
        Problem {
            rule: reason.to_string(),
            title: self.headline.clone(),
            severity: if self.is_undecided() { Severity::Warning } else { Severity::Error },
            message: in_sentences([what.as_str()].into_iter().chain(rest)),
            ..self.problem(None, line.unwrap_or(1))
        }
    }

    fn problem(&self, file: Option<&str>, line: u32) -> Problem {
        Problem {
            file: file
                .filter(|file| !same_file(file, &self.subject.file))
                .unwrap_or(&self.subject.file)
                .into(),
            line: line.max(1),
            ..Problem::default()
        }
    }

    /// Returns the command that judges the same file with the same inputs; `None` where no inputs were generated,
    /// or where the file's name can't be typed.
    pub(super) fn again(&self, style: &Style) -> Option<String> {
        use Reason::{CompileError, MissingFunction, MissingKernel, NotJudged, Unanswered};
        let without_inputs = [CompileError, MissingKernel, MissingFunction, Unanswered, NotJudged];
        let ran = self.reason.is_none_or(|reason| !without_inputs.contains(&reason));
        let check = self.check_command(style).filter(|_| ran)?;
        Some(format!("{check} --seed {}", self.run.seed))
    }

    /// Returns the command that checks this file, as typed in the folder where the verdict is read.
    pub(super) fn check_command(&self, style: &Style) -> Option<String> {
        let lesson = escape(&self.subject.lesson);
        if self.subject.own {
            return Some(format!("{} check {lesson}", style.command));
        }
        Some(format!("{} check {} --lesson {lesson}", style.command, shell_word(&self.subject.file)?))
    }
}

/// Joins texts as sentences, each ended by a full stop unless it is punctuated already.
fn in_sentences<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let texts = texts.into_iter().map(str::trim).filter(|text| !text.is_empty());
    let stopped = texts.map(|text| match text.ends_with(['.', '?', '!']) {
        true => text.to_owned(),
        false => format!("{text}."),
    });
    stopped.collect::<Vec<_>>().join(" ")
}

/// Returns a path quoted as one shell argument; `None` where it contains unprintable characters.
pub fn shell_word(path: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%~".contains(c) || cfg!(windows) && c == '\\';
    let path = if path.starts_with(['-', '~']) { format!("./{path}") } else { path.to_owned() };
    match () {
        () if path.is_empty() || escape(&path) != path || path.contains("##") => None,
        () if path.chars().all(plain) => Some(path),
        // Windows file names can't contain quotation marks.
        () if cfg!(windows) => Some(format!("\"{path}\"")),
        () => Some(format!("'{}'", path.replace('\'', "'\\''"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JudgedRunView, SubjectView};

    fn view(file: &str, reason: &str) -> VerdictView {
        VerdictView {
            subject: SubjectView::new("map", file),
            reason: Reason::named(reason),
            headline: "too much work".into(),
            run: JudgedRunView { seed: 7, ..JudgedRunView::default() },
            ..VerdictView::default()
        }
    }

    #[test]
    fn a_file_that_fails_as_a_whole_is_told_at_its_kernel() {
        let mut view = view("in/a.cu", "too-much-work");
        view.subject.line = Some(3);
        view.suggestion = Some("How often\ndoes each loop run?".into());
        let [problem] = &view.problems()[..] else { panic!("{:?}", view.problems()) };
        assert_eq!(
            problem.compiler_line(),
            "in/a.cu:3:1: error: too much work. How often does each loop run? [too-much-work]\n"
        );
    }

    #[test]
    fn the_same_inputs_are_had_by_a_command_that_names_the_file() {
        let style = Style::default();
        let again = |view: VerdictView| view.again(&style);
        let mut own = view("kernels/map.cu", "wrong-result");
        own.subject.own = true;
        assert_eq!(again(own).unwrap(), "gpulearn check map --seed 7");
        let other = again(view("in/a b.cu", "wrong-result")).unwrap();
        let quote = if cfg!(windows) { '"' } else { '\'' };
        assert_eq!(other, format!("gpulearn check {quote}in/a b.cu{quote} --lesson map --seed 7"));
        assert!(again(view("-a.cu", "limit")).unwrap().contains("check ./-a.cu --lesson"));
        assert_eq!(again(view("a.cu", "compile-error")), None);
        assert_eq!(again(view("a\u{1b}.cu", "wrong-result")), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_quote_in_a_name_does_not_end_the_word() {
        assert_eq!(shell_word("it's $(x).cu").unwrap(), "'it'\\''s $(x).cu'");
    }
}
