//! General advice per kind of finding, one sentence or two, for where nothing more specific is known.

use sim::FindingKind;

/// One line per kind, which begins with the kind's name.
const HELP: &str = include_str!("help.txt");

/// Returns what to try.
pub fn help(kind: FindingKind) -> &'static str {
    let mut known = HELP.lines().filter_map(|line| line.split_once(": "));
    known.find(|(slug, _)| *slug == kind.slug()).map_or("", |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_one_line() {
        let named: Vec<&str> = HELP.lines().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
        let kinds: Vec<&str> = FindingKind::ALL.iter().map(|kind| kind.slug()).collect();
        assert_eq!(named, kinds);
        assert!(FindingKind::ALL.iter().all(|kind| help(*kind).ends_with(['.', '?'])));
    }
}
