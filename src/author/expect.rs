//! The verdict that a starter or a wrong kernel declares.

use compiler::Severity;
use judge::{Bar, DeclaredVerdict, Failure, PatternKind, Reason, SpeedBar, SpeedState, Verdict, named};
use sim::SourceLocation;

/// A declared verdict such as `shared-race` or `wrong-result: untouched`, on a line or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    verdict: DeclaredVerdict,
    /// 1-based.
    line: Option<u32>,
}

const MARK: &str = "//~";

impl Expected {
    /// Parses the declaration that lesson.toml has for the starter.
    pub fn of_text(text: &str) -> Expected {
        Expected { verdict: DeclaredVerdict::new(text), line: None }
    }

    /// Parses the declaration in a wrong kernel, which must be the only one.
    ///
    /// # Errors
    ///
    /// Fails if no line declares it, or several do.
    pub fn of_source(source: &str) -> Result<Expected, String> {
        let marked =
            source.lines().zip(1..).filter_map(|(text, line)| Some((text.split_once(MARK)?.1, line)));
        match marked.collect::<Vec<_>>().as_slice() {
            [(text, line)] => Ok(Expected { line: Some(*line), ..Expected::of_text(text) }),
            marks => Err(format!(
                "one line must say why it is rejected, such as \"{MARK} wrong-result\"; lines that do: {}",
                marks.len()
            )),
        }
    }

    /// Returns the line of the declaration, if it is in a source.
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// Returns whether the kernel is only refused for its time, which requires a GPU.
    pub fn is_of_speed(&self) -> bool {
        matches!(self.verdict.reason, Some(Reason::TooSlow | Reason::TooFast))
    }

    /// Checks a verdict.
    ///
    /// # Errors
    ///
    /// Fails with how it differs from what was declared.
    pub fn is_met(&self, verdict: &Verdict) -> Result<(), String> {
        let DeclaredVerdict { slug, reason, detail } = &self.verdict;
        let declared = match detail {
            Some(detail) => format!("\"{slug}: {detail}\" is declared"),
            None => format!("\"{slug}\" is declared"),
        };
        if reason.is_none() {
            return Err(format!("{declared}, but no verdict has this name"));
        }
        let is_pattern = |detail: &String| named::<PatternKind>(detail).is_some();
        if *reason == Some(Reason::WrongResult) && !detail.iter().all(is_pattern) {
            return Err(format!("{declared}, but no pattern of wrong values has this name"));
        }
        let failure = match &verdict.result {
            Ok(_) => return Err(format!("{declared}, but it passes")),
            Err(failure) => failure,
        };
        if *reason != Some(failure.reason()) {
            return Err(format!("{declared}, but the verdict is {}", describe(failure)));
        }
        let detailed = match (detail, failure) {
            (None, _) => true,
            (Some(detail), Failure::Wrong(mismatch)) => {
                mismatch.pattern.as_ref().is_some_and(|pattern| pattern.kind().to_string() == *detail)
            }
            (Some(detail), Failure::Work { bars, .. }) => {
                bars.iter().any(|bar| !bar.met() && bar.counter.to_string() == *detail)
            }
            (Some(detail), Failure::Speed(speed)) => {
                let missed = |bar: &&SpeedBar| bar.state == SpeedState::Missed;
                speed.bars.iter().filter(missed).any(|bar| bar.ratio.to_string() == *detail)
            }
            (Some(detail), Failure::WrongAnswer(answers) | Failure::Unanswered(answers)) => {
                let first = answers.iter().find(|answer| !answer.is_right() && !answer.waits());
                first.is_some_and(|answer| answer.slugs().contains(detail))
            }
            _ => false,
        };
        let placed = self.line.is_none_or(|line| places(failure).is_none_or(|lines| lines.contains(&line)));
        if detailed && placed {
            return Ok(());
        }
        let place = self.line.filter(|_| !placed).map_or(String::new(), |line| format!(" for line {line}"));
        Err(format!("{declared}{place}, but the verdict is {}", describe(failure)))
    }
}

/// Returns the lines that a failure points at; `None` for failures without lines.
fn places(failure: &Failure) -> Option<Vec<u32>> {
    let line = |location: &Option<SourceLocation>| location.as_ref().map(|location| location.line);
    match failure {
        Failure::Defect { findings, .. } => {
            let code = findings.first()?.kind;
            let same = findings.iter().filter(|finding| finding.kind == code);
            let both = same.flat_map(|finding| {
                [line(&finding.at.location), finding.other.as_ref().and_then(|other| line(&other.location))]
            });
            Some(both.flatten().collect())
        }
        Failure::Compile(diagnostics) => {
            let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
            Some(errors.map(|diagnostic| diagnostic.line).collect())
        }
        Failure::WrongAnswer(answers) => {
            let wrong = answers.iter().filter(|answer| !answer.is_right() && !answer.waits());
            Some(wrong.filter_map(|answer| answer.line).collect())
        }
        _ => None,
    }
}

/// Describes a failure in one line.
pub fn describe(failure: &Failure) -> String {
    let detail = match failure {
        Failure::Wrong(mismatch) => {
            let pattern =
                mismatch.pattern.as_ref().map_or("no pattern".into(), |pattern| pattern.kind().to_string());
            format!("{pattern}, {} of {} differ, {}", mismatch.differing, mismatch.total, mismatch.case)
        }
        Failure::Defect { findings, case, .. } => {
            let lines = places(failure).unwrap_or_default();
            let lines: Vec<_> = lines.iter().map(u32::to_string).collect();
            let others =
                findings.iter().map(|finding| finding.kind).filter(|code| code.slug() != failure.slug());
            let others: std::collections::BTreeSet<_> = others.map(|code| code.slug()).collect();
            let also = if others.is_empty() { "" } else { ", also " };
            let others = others.into_iter().collect::<Vec<_>>().join(", ");
            format!("line {}, {case}{also}{others}", lines.join(" and "))
        }
        Failure::Work { bars, case } => {
            let missed = bars.iter().filter(|bar| !bar.met());
            let missed: Vec<_> = missed.map(Bar::to_string).collect();
            format!("{}, {case}", missed.join(", "))
        }
        Failure::Overwork(overwork) => format!(
            "{} warp instructions, compared with the solution's {}, {}",
            overwork.done, overwork.solution, overwork.case
        ),
        Failure::Speed(speed) => {
            let missed = speed.bars.iter().filter(|bar| bar.state == SpeedState::Missed);
            let missed =
                missed.map(SpeedBar::to_string).chain(speed.suspicious.as_ref().map(report::too_fast));
            format!("{}, {}", missed.collect::<Vec<_>>().join(", "), speed.case)
        }
        Failure::Compile(diagnostics) => diagnostics.first().map_or(String::new(), |first| {
            format!("line {}: {}", first.line, first.with_notes(&first.notes))
        }),
        Failure::MissingKernel(its) | Failure::MissingFunction(its) => report::missing(its),
        Failure::Unanswered(answers) | Failure::WrongAnswer(answers) => {
            let open = answers.iter().filter(|answer| !answer.is_right());
            open.filter_map(|answer| answer.slugs().pop()).collect::<Vec<_>>().join(", ")
        }
        Failure::Printed(misprint) => {
            let first = misprint.window.iter().find(|line| !line.right);
            let first = first.map_or(String::new(), |line| {
                let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "no line".into());
                format!(", first line {}: want {}, got {}", line.number, text(&line.want), text(&line.got))
            });
            let (want, got) = misprint.codes;
            format!(
                "{} lines differ{first}, exit code {got} instead of {want}, {}",
                misprint.differing, misprint.case
            )
        }
        Failure::Ended { code, case } => format!("exit code {code}, {case}"),
        Failure::Launch { why, clean } => {
            format!("{}: {}", why.name(), report::launch_failure(why, *clean))
        }
        Failure::Limit(limit) => report::tool_limit(limit),
        Failure::UndefinedFunction { function, .. } => format!("{function}() is not defined"),
        Failure::Unsupported { what, line } => match line {
            Some(line) => format!("line {line}: {}", report::lack(what)),
            None => report::lack(what),
        },
    };
    format!("\"{}\" ({detail})", failure.slug())
}

#[cfg(test)]
mod tests {
    use super::*;
    use compiler::Diagnostic;
    use judge::course::Case;
    use judge::{ExcessThreads, JudgedCase, Mismatch, Pattern};
    use sim::{Access, Actor, Finding, FindingKind};

    fn verdict(failure: Failure) -> Verdict {
        Verdict::of("map", Err(failure))
    }

    fn access(line: u32) -> Access {
        let location = SourceLocation { file: "a.cu".into(), line, column: 1 };
        Access { bytes: 4, ..Access::by(Actor::Thread, Some(location)) }
    }

    fn case() -> JudgedCase {
        JudgedCase::new(0, &Case::from_iter([("n".to_owned(), 4)]))
    }

    fn defect(codes: &[(FindingKind, u32, Option<u32>)]) -> Verdict {
        let findings = codes.iter().map(|(code, line, other)| Finding {
            other: other.map(access),
            ..Finding::new(*code, access(*line))
        });
        let (findings, case) = (findings.collect(), case());
        verdict(Failure::Defect { findings, values_right: true, case, excess: ExcessThreads::default() })
    }

    fn declared(source: &str) -> Expected {
        Expected::of_source(source).unwrap()
    }

    #[test]
    fn a_source_declares_once() {
        let expected = Expected { verdict: DeclaredVerdict::new("shared-race"), line: Some(2) };
        assert_eq!(declared("a\nb //~ shared-race \nc"), expected);
        for (source, count) in [("a", 0), ("//~ a\n//~ b", 2)] {
            assert!(Expected::of_source(source).unwrap_err().ends_with(&format!("lines that do: {count}")));
        }
    }

    #[test]
    fn a_defect_must_be_on_the_line() {
        let race = declared("\n\n//~ shared-race");
        assert_eq!(race.is_met(&defect(&[(FindingKind::SharedRace, 3, None)])), Ok(()));
        assert_eq!(race.is_met(&defect(&[(FindingKind::SharedRace, 5, Some(3))])), Ok(()));
        assert_eq!(
            race.is_met(&defect(&[(FindingKind::SharedRace, 5, Some(4)), (FindingKind::Trap, 3, None)])),
            Err("\"shared-race\" is declared for line 3, but the verdict is \"shared-race\" (line 5 and 4, n = 4, \
                 also trap)"
                .into())
        );
        assert!(race.is_met(&defect(&[(FindingKind::Trap, 3, None)])).is_err());
    }

    #[test]
    fn wrong_values_may_name_their_pattern() {
        let wrong = |pattern| {
            verdict(Failure::Wrong(Mismatch {
                case: case(),
                buffer: "out".into(),
                shape: vec![4],
                differing: 4,
                total: 4,
                window: Vec::new(),
                writer: None,
                pattern,
                worst: None,
                any_order: false,
                sources: None,
                right: Vec::new(),
                written: Vec::new(),
            }))
        };
        assert_eq!(declared("//~ wrong-result").is_met(&wrong(None)), Ok(()));
        let zero = declared("//~ wrong-result: all-zero");
        assert_eq!(zero.is_met(&wrong(Some(Pattern::AllZero))), Ok(()));
        assert_eq!(
            zero.is_met(&wrong(Some(Pattern::Constant))),
            Err("\"wrong-result: all-zero\" is declared, but the verdict is \"wrong-result\" \
                 (constant, 4 of 4 differ, n = 4)"
                .into())
        );
        assert_eq!(Expected::of_text("wrong-result: all-zero").line(), None);
        for (text, what) in [("race", "verdict"), ("wrong-result: untuched", "pattern of wrong values")] {
            let message = Expected::of_text(text).is_met(&wrong(None)).unwrap_err();
            assert_eq!(message, format!("\"{text}\" is declared, but no {what} has this name"));
        }
    }

    #[test]
    fn an_error_of_the_compiler_must_be_on_the_line() {
        let diagnostic = Diagnostic::error("a.cu", (2, 1), "no");
        let refused = verdict(Failure::Compile(vec![diagnostic]));
        assert_eq!(declared("\n//~ compile-error").is_met(&refused), Ok(()));
        assert!(declared("//~ compile-error").is_met(&refused).is_err());
        assert_eq!(Expected::of_text("compile-error").is_met(&refused), Ok(()));
    }
}
