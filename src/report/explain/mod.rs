//! What each finding code, and each other verdict, means, at more length than a verdict has room for.

use super::finding::help::help;
use super::layout::{capitalised, pad, paragraph, truncate};
use super::prose::code as broken_code;
use super::{Style, escape, paint};
use judge::Reason;
use judge::course::Glossary;
use sim::FindingKind;

/// The texts, one file per family of findings, with a section per kind under its code; several kinds may share
/// one: `# R001, R002`.
const FAMILIES: [&str; 7] = [
    MEMORY,
    THREADS,
    WARPGROUP,
    include_str!("host.md"),
    include_str!("order.md"),
    include_str!("advice.md"),
    include_str!("program.md"),
];
const MEMORY: &str = include_str!("memory.md");
const THREADS: &str = include_str!("threads.md");
const WARPGROUP: &str = include_str!("warpgroup.md");
/// Verdicts that are no findings, by their names.
const VERDICTS: &str = include_str!("verdicts.md");

/// Families of defects within a block, which can be stepped through in the debugger.
const OF_BLOCKS: [&str; 3] = [MEMORY, THREADS, WARPGROUP];

/// Page width below which a code's title is on the line after it.
const NARROW: usize = 60;

/// Returns why a finding matters and how to see it, in paragraphs; lines that begin with spaces are code.
fn explanation(code: FindingKind) -> &'static str {
    section(&FAMILIES, code.code()).unwrap_or_default()
}

fn section(families: &[&'static str], code: &str) -> Option<&'static str> {
    let sections = families.iter().flat_map(|family| family.split("\n# "));
    let mut parts = sections.filter_map(|section| section.trim_start_matches("# ").split_once('\n'));
    let found = parts.find(|(codes, _)| codes.split(", ").any(|its| its == code));
    found.map(|(_, text)| text.trim_matches('\n'))
}

/// Renders the full explanation of one code.
pub fn explain(code: FindingKind, style: &Style) -> String {
    let head = format!("{}  {}", code.code(), code.slug());
    let mut out = paint::bold(&head) + "\n";
    out += &paragraph(&format!("{}.", capitalised(code.title())), style.width, 0);
    out.push('\n');
    for block in explanation(code).split("\n\n").filter(|b| !b.is_empty()) {
        let prose = block.lines().take_while(|l| !l.starts_with(' ')).collect::<Vec<_>>().join(" ");
        out += &paragraph(&prose, style.width, 0);
        for line in block.lines().skip_while(|l| !l.starts_with(' ')) {
            out += &broken_code(line, style.width);
        }
        out.push('\n');
    }
    out += &paragraph(&format!("Try: {}", help(code)), style.width, 0);
    if section(&OF_BLOCKS, code.code()).is_some() {
        let debug =
            format!("To see it happen, step by step, forward and back: {} debug FILE.cu", style.command);
        out += &format!("\n{}", paragraph(&debug, style.width, 0));
    }
    out
}

/// Renders the explanation of a verdict that is no finding.
pub fn explain_verdict(reason: Reason, style: &Style) -> Option<String> {
    let text = section(&[VERDICTS], reason.slug())?;
    Some(format!("{}\n{}", paint::bold(reason.slug()), paragraph(text, style.width, 0)))
}

/// Returns the explanation as Markdown, which editors show; the texts use markup that terminal and Markdown
/// share.
pub fn explain_markdown(code: FindingKind) -> String {
    let (title, help) = (capitalised(code.title()), help(code));
    format!("**{} {}**  \n{title}.\n\n{}\n\n*Try:* {help}\n", code.code(), code.slug(), explanation(code))
}

/// Renders every code with its title, and every term of the glossary.
pub fn explain_all(glossary: &Glossary, style: &Style) -> String {
    let slug = FindingKind::ALL.iter().map(|c| c.slug().len()).max().unwrap_or(0);
    let mut out = String::new();
    for code in FindingKind::ALL {
        let column = slug + 8;
        if style.width < NARROW {
            out += &format!("{}  {}\n", code.code(), code.slug());
            out += &paragraph(code.title(), style.width, 6);
        } else {
            let title = truncate(code.title(), style.width - column);
            out += &format!("{}  {}  {title}\n", code.code(), pad(code.slug(), slug));
        }
    }
    let verdicts: Vec<&str> = Reason::others().map(Reason::slug).collect();
    out += &format!("\n{}", paragraph(&format!("Verdicts: {}", verdicts.join(", ")), style.width, 0));
    let words: Vec<String> = glossary.terms.iter().map(|term| escape(&term.name)).collect();
    let listed: Vec<String> = (glossary.terms.iter().zip(&words))
        .map(|(term, word)| match &term.of {
            Some(course) => format!("{word} ({})", escape(course)),
            None => word.clone(),
        })
        .collect();
    if !words.is_empty() {
        out += &format!("\n{}", paragraph(&format!("Words: {}", listed.join(", ")), style.width, 0));
    }
    let word =
        words.first().map_or(String::new(), |word| format!(", or {} explain \"{word}\"", style.command));
    let more = format!("More about one: {} explain R001{word}", style.command);
    out + "\n" + &paint::dim(&paragraph(&more, style.width, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_explained() {
        for kind in FindingKind::ALL {
            assert!(explanation(*kind).len() > 100, "{}", kind.code());
        }
        for reason in Reason::others() {
            assert!(explain_verdict(reason, &Style::default()).is_some(), "{reason}");
        }
    }
}
