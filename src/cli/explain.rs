//! `explain`: the meaning of a finding, of another verdict, or of a glossary term.

use super::{Answer, CommandError, Context};
use judge::Reason;
use judge::course::Glossary;
use report::{self, escape};
use sim::FindingKind;
use strsim::osa_distance;

#[derive(clap::Args)]
pub struct Args {
    /// Code (R001) or name (shared-race) of a finding, another verdict (wrong-result), or a word such as warp; lists all
    /// of them if omitted
    code: Option<String>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    let glossary = context.course()?.glossary();
    let text = match args.code.as_deref() {
        None => report::explain_all(glossary, &context.style),
        Some(wanted) => {
            let terms = glossary.terms_of(wanted).map(|term| report::term_page(term, &context.style));
            let finding = finding(wanted).map(|code| report::explain(code, &context.style));
            let verdict = Reason::named(&wanted.to_lowercase());
            let verdict = verdict.and_then(|reason| report::explain_verdict(reason, &context.style));
            let pages: Vec<String> = terms.chain(finding).chain(verdict).collect();
            if pages.is_empty() {
                return Err(unknown(wanted, glossary, &context.style.command));
            }
            pages.join("\n")
        }
    };
    context.answer(&text)
}

/// Returns the finding kind of that code or name.
pub fn finding(wanted: &str) -> Option<FindingKind> {
    let same =
        |c: &&FindingKind| c.code().eq_ignore_ascii_case(wanted) || c.slug().eq_ignore_ascii_case(wanted);
    FindingKind::ALL.iter().find(same).copied()
}

/// Returns an error that suggests the known name closest to an unknown word.
fn unknown(wanted: &str, glossary: &Glossary, command: &str) -> CommandError {
    let wanted: String = wanted.chars().take(60).collect();
    let lower = wanted.to_lowercase();
    let findings = FindingKind::ALL.iter().map(|c| {
        let code = osa_distance(&lower, &c.code().to_lowercase());
        (osa_distance(&lower, c.slug()).min(2 * code), format!("{} ({})", c.slug(), c.code()))
    });
    let words = glossary.terms.iter().flat_map(|term| term.names());
    let words = words.map(|name| (osa_distance(&lower, &name.to_lowercase()), escape(name)));
    let verdicts = Reason::others().map(|its| (osa_distance(&lower, its.slug()), its.slug().to_owned()));
    let near = findings.chain(verdicts).chain(words).min_by_key(|(distance, _)| *distance);
    let guess = match near {
        Some((d, name)) if d <= (wanted.chars().count().min(12) / 3).max(2) => {
            format!(" Did you mean {name}?")
        }
        _ => String::new(),
    };
    CommandError::usage(format!(
        "no finding or word \"{}\".{guess} `{command} explain` lists all",
        escape(&wanted)
    ))
}
