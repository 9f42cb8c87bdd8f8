//! Edits of a source's text.

use std::cmp::Reverse;
use std::ops::Range;

/// A byte range of a text and its replacement.
pub type Edit = (Range<usize>, String);

/// How to rewrite what the compiler refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewrite {
    Edits(Vec<Edit>),
    /// Not at all: the compiler is right.
    Keep,
    /// It has a form that is not handled here.
    Unhandled,
}

/// Applies edits to a text; `None` if there is none, or two of them overlap.
pub fn edited(text: &str, edits: impl IntoIterator<Item = Edit>) -> Option<String> {
    let mut edits = Vec::from_iter(edits);
    // From last to first, so that the remaining offsets stay valid.
    edits.sort_by_key(|(range, _)| (Reverse(range.start), Reverse(range.end)));
    if edits.is_empty() || edits.windows(2).any(|two| two[1].0.end > two[0].0.start) {
        return None;
    }
    let mut out = text.to_owned();
    edits.into_iter().for_each(|(range, written)| out.replace_range(range, &written));
    Some(out)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Checks on random texts assembled from `pieces` after `begin` that no place in them causes a panic, and
    /// that all edits are within the text.
    pub fn no_text_panics(
        begin: &str,
        pieces: &[&str],
        written: impl Fn(&cpp::Source, (u32, u32)) -> Rewrite,
    ) {
        let mut seed = 1u32;
        for _ in 0..20_000 {
            let mut text = begin.to_owned();
            for _ in 0..14 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                text.push_str(pieces[seed as usize / 7 % pieces.len()]);
                text.push(' ');
            }
            let source = cpp::Source::new(&text);
            for column in 1..text.chars().count() as u32 {
                if let Rewrite::Edits(edits) = written(&source, (1, column)) {
                    assert!(edits.into_iter().all(|(range, _)| text.get(range).is_some()), "{text}");
                }
            }
        }
    }

    #[test]
    fn edits_that_overlap_are_none() {
        let edit = |range: Range<usize>, text: &str| (range, text.to_owned());
        let apart = vec![edit(0..0, "<"), edit(1..2, "x"), edit(2..2, ">"), edit(4..5, "")];
        assert_eq!(edited("abcde", apart).as_deref(), Some("<ax>cd"));
        assert_eq!(edited("abcde", vec![edit(1..3, ""), edit(2..4, "")]), None);
    }
}
