//! Operators, and which of them change what stands beside them.

use super::Tokens;
use std::ops::Range;

/// Operators of several characters, from the longest.
const LONG: [&str; 22] = [
    "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=", "<=", ">=", "&&",
    "||", "<<", ">>", "->", "::",
];

/// Those that change what is on their left.
const CHANGING: [&str; 13] = ["=", "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="];

/// Returns the operator, or another character between names, that a text begins with after blanks: `==` rather than `=`.
pub fn operator(text: &str) -> &str {
    let text = text.trim_start();
    let one = text.starts_with(|c: char| c.is_ascii_punctuation() && c != '_').then(|| &text[..1]);
    LONG.into_iter().find(|its| text.starts_with(its)).or(one).unwrap_or_default()
}

/// Returns whether what stands between two texts is changed: `x = …`, `x += …`, `x++`, `--x`.
pub fn changes(before: &str, behind: &str) -> bool {
    CHANGING.contains(&operator(behind))
        || before.trim_end().ends_with("++")
        || before.trim_end().ends_with("--")
}

/// Returns the right side of an assignment whose left side ends where the text begins.
pub fn assigned(text: &str) -> Option<&str> {
    let value = text.trim_start().strip_prefix('=').filter(|_| operator(text) == "=")?;
    value.split(';').next()
}

impl Tokens {
    /// Returns whether what ends before a token is assigned there: `= …`, not `== …`.
    pub fn is_set(&self, behind: usize) -> bool {
        self.is(behind, b"=") && !self.is(behind + 1, b"=")
    }

    /// Returns whether a `*` dereferences what follows, rather than multiplies or is part of a type.
    pub fn dereferences(&self, star: usize) -> bool {
        let before = (0..star).rev().find(|at| !self.is(*at, b"*"));
        before.is_none_or(|at| {
            let is_number = self.word(at)[0].is_ascii_digit();
            !is_number && !self.may_be_type(at) && !matches!(self.word(at), b")" | b"]")
        })
    }

    /// Returns whether what some tokens denote is changed there.
    pub fn is_changed(&self, of: Range<usize>) -> bool {
        let text = |of: Range<usize>| std::str::from_utf8(self.text(of)).unwrap_or_default();
        changes(text(of.start.saturating_sub(2)..of.start), text(of.end..of.end + 3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_is_read_whole() {
        for (text, is) in [
            (" == b", "=="),
            ("= =b", "="),
            (" <<= 1", "<<="),
            ("<= b", "<="),
            ("++", "++"),
            ("+ +b", "+"),
            ("[i] = 1", "["),
            ("->x", "->"),
            ("_x", ""),
            ("x", ""),
            ("é", ""),
            ("", ""),
        ] {
            assert_eq!(operator(text), is, "{text}");
        }
        assert_eq!(["= a + b; c", "== a", "+= a", "a"].map(assigned), [Some(" a + b"), None, None, None]);
    }

    #[test]
    fn a_star_multiplies_or_dereferences() {
        for (code, is) in [
            ("x = *p", true),
            ("*p", true),
            ("return *p", true),
            ("f(**p", true),
            ("a * p", false),
            ("2 * p", false),
            ("a[1] * p", false),
            ("float **p", false),
        ] {
            let tokens = Tokens::of(code.into());
            assert_eq!(tokens.dereferences(tokens.count() - 2), is, "{code}");
        }
    }

    #[test]
    fn assignments_and_steps_change_what_they_stand_beside() {
        for (code, is) in [
            ("x = 1", true),
            ("x[i] >>= 1", true),
            ("x ++", true),
            ("a + --x", true),
            ("x == 1", false),
            ("x <= 1", false),
            ("x >= 1", false),
            ("x != 1", false),
            ("x + +y", false),
            ("a + + x", false),
            ("x", false),
            ("é = x", false),
        ] {
            let tokens = Tokens::of(code.into());
            let at = tokens.all(b"x").next().unwrap();
            let end = tokens.partner(at + 1).unwrap_or(at) + 1;
            assert_eq!(tokens.is_changed(at..end), is, "{code}");
        }
    }
}
