//! Locates keys in a TOML text, for messages.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Returns the line (1-based) of a byte offset.
pub fn line_at(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1
}

/// Returns the line (1-based) of a key such as `buffers[1].shape[0]`, or of the deepest part of it that exists.
pub fn line_of(text: &str, key: &str) -> Option<u32> {
    let table = DeTable::parse(text).ok()?;
    let mut offset = None;
    let mut here: Option<&Spanned<DeValue>> = None;
    for step in key.split(['.', '[']) {
        let next = match (step.strip_suffix(']'), here) {
            (Some(index), Some(value)) => {
                let index = index.parse::<usize>().ok()?;
                value.get_ref().as_array().and_then(|array| array.get(index))
            }
            (None, Some(value)) => value.get_ref().as_table().and_then(|table| table.get(step)),
            (None, None) => table.get_ref().get(step),
            (Some(_), None) => None,
        };
        let Some(next) = next else { break };
        offset = Some(next.span().start);
        here = Some(next);
    }
    Some(line_at(text, offset?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found() {
        let text = "a = 1\nb = [\n  2,\n  3,\n]\n[[c]]\nd = 4\n[[c]]\nd = [5, 6]\n";
        for (key, line) in [("a", 1), ("b", 2), ("b[1]", 4), ("c[0].d", 7), ("c[1].d[1]", 9), ("c[1].e", 8)] {
            assert_eq!(line_of(text, key), Some(line), "{key}");
        }
        assert_eq!(line_of(text, "z"), None);
        assert_eq!(line_of("a =", "a"), None);
    }
}
