//! Compares what a program printed with what it should have printed.

use super::compare::close;
use super::judged_case::JudgedCase;
use super::value::Scalar;
use super::verdict::{Line, Misprint};
use crate::course::Tolerance;
use cpp::is_name_char;
use std::collections::BTreeMap;

/// Number of lines shown: one before the first that differs, and the lines after it.
const SHOWN: usize = 6;

/// How far printed numbers may be off: `any` applies to every line, `of_lines` to lines that start with a given
/// word.
#[derive(Clone, Copy, Debug)]
pub struct Tolerances<'t> {
    pub any: Tolerance,
    pub of_lines: &'t BTreeMap<String, Tolerance>,
}

impl Tolerances<'_> {
    fn of(&self, line: &str) -> Tolerance {
        words(line).next().and_then(|word| self.of_lines.get(word)).copied().unwrap_or(self.any)
    }
}

/// Compares printed lines and exit codes; `None` if all lines are right and the codes are equal. Lines are compared
/// word by word, ignoring the amount of white space; words that are numbers on both sides may differ by the
/// tolerance. Empty lines at the end are ignored.
pub fn misprint(
    case: JudgedCase,
    (want, want_code): (&str, i32),
    (got, got_code): (&str, i32),
    tolerances: Tolerances,
) -> Option<Misprint> {
    let (want, got) = (lines(want), lines(got));
    let count = want.len().max(got.len());
    let all: Vec<Line> = (0..count)
        .map(|i| {
            let (want, got) = (want.get(i).copied(), got.get(i).copied());
            let right = want.zip(got).is_some_and(|(want, got)| alike(want, got, tolerances.of(want)));
            Line { number: i + 1, want: want.map(str::to_owned), got: got.map(str::to_owned), right }
        })
        .collect();
    let first = all.iter().position(|line| !line.right);
    if first.is_none() && want_code == got_code {
        return None;
    }
    let start = first.unwrap_or(count).saturating_sub(1);
    let end = if first.is_some() { (start + SHOWN).min(count) } else { start };
    Some(Misprint {
        case,
        differing: all.iter().filter(|line| !line.right).count(),
        wanted: want.len(),
        window: all.get(start..end).unwrap_or_default().to_vec(),
        codes: (want_code, got_code),
        observed: Vec::new(),
    })
}

fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

fn alike(want: &str, got: &str, tolerance: Tolerance) -> bool {
    let (mut want, mut got) = (words(want), words(got));
    loop {
        match (want.next(), got.next()) {
            (None, None) => return true,
            (Some(want), Some(got)) if want == got || near(want, got, tolerance) => {}
            _ => return false,
        }
    }
}

/// Splits a line into numbers and the words between them, without white space.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim();
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let end = match number_len(rest) {
            0 => rest
                .char_indices()
                .skip(1)
                .find(|&(at, c)| {
                    let word = rest[..at].ends_with(is_name_char);
                    c.is_whitespace() || !word && number_len(&rest[at..]) > 0
                })
                .map_or(rest.len(), |(at, _)| at),
            length => length,
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        (!word.is_empty()).then_some(word)
    })
}

/// Returns the length in bytes of the decimal number at the start of a text; 0 if there is none.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(sign);
    let mut end = sign + whole;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return 0;
        }
        end += 1 + fraction;
    } else if whole == 0 {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let from = (end + 1 + sign).min(bytes.len());
        let exponent = digits(from);
        if exponent > 0 {
            end = from + exponent;
        }
    }
    end
}

fn near(want: &str, got: &str, tolerance: Tolerance) -> bool {
    let number = |text: &str| match text.parse::<i64>() {
        Ok(whole) => Some(Scalar::Int(whole)),
        Err(_) if number_len(text) == text.len() => text.parse::<f64>().ok().map(Scalar::Float),
        Err(_) => None,
    };
    number(want).zip(number(got)).is_some_and(|(want, got)| close(want, got, tolerance))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Tolerance = Tolerance { abs: 0.0, rel: 0.0 };

    fn of_any(any: Tolerance) -> Tolerances<'static> {
        static NONE: BTreeMap<String, Tolerance> = BTreeMap::new();
        Tolerances { any, of_lines: &NONE }
    }

    #[test]
    fn lines_of_a_kind_have_a_tolerance_of_their_own() {
        let of_lines = BTreeMap::from([("loss".to_owned(), EXACT)]);
        let tolerances = Tolerances { any: Tolerance { abs: 2.0, rel: 0.0 }, of_lines: &of_lines };
        let right = |want, got| misprint(JudgedCase::default(), (want, 0), (got, 0), tolerances).is_none();
        assert!(right("step 1\nloss 5", "step 2\nloss 5"));
        assert!(!right("step 1\nloss 5", "step 1\nloss 6"));
        assert!(right("losses 5", "losses 6"));
    }

    #[test]
    fn lines_are_cut_into_numbers_and_the_rest() {
        let cut = |line: &'static str| words(line).collect::<Vec<_>>();
        assert_eq!(cut("x=1.5e3, y: -2ms  [3]"), ["x=", "1.5e3", ",", "y:", "-2", "ms", "[", "3", "]"]);
        assert_eq!(cut("float4 a1 é9 1e 2.e"), ["float4", "a1", "é9", "1", "e", "2.", "e"]);
        assert_eq!(cut("   "), [""; 0]);
        assert_eq!(cut(". - +-"), [".", "-", "+-"]);
    }

    #[test]
    fn numbers_may_be_near_and_words_may_not() {
        let loose = Tolerance { abs: 0.0, rel: 0.01 };
        let right = |want, got, tolerance| {
            misprint(JudgedCase::default(), (want, 0), (got, 0), of_any(tolerance)).is_none()
        };
        assert!(right("sum = 100.0 ms\n", "sum =  100.5 ms", loose));
        assert!(!right("sum = 100.0 ms", "sum = 100.5 ms", EXACT));
        assert!(right("a 1.0\n\n", "a 1", EXACT), "the same number");
        assert!(!right("sum = 100", "sum = 102", loose));
        assert!(!right("sum = 100", "Sum = 100", loose));
        assert!(!right("1\n2", "1", loose) && !right("1", "1\n2", loose) && !right("nan", "1", loose));
    }

    #[test]
    fn the_first_difference_is_shown_with_its_neighbours() {
        let found =
            misprint(JudgedCase::default(), ("a\nb\nc\nd", 0), ("a\nb\nx", 0), of_any(EXACT)).unwrap();
        assert_eq!((found.differing, found.wanted), (2, 4));
        let numbers: Vec<_> = found.window.iter().map(|line| (line.number, line.right)).collect();
        assert_eq!(numbers, [(2, true), (3, false), (4, false)]);
        assert_eq!(found.window[2].got, None);
        let code = misprint(JudgedCase::default(), ("a", 0), ("a", 3), of_any(EXACT)).unwrap();
        assert_eq!((code.differing, code.window.len(), code.codes), (0, 0, (0, 3)));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(want in ".{0,40}", got in "[-+.0-9eEx é\n]{0,40}") {
            let _ = misprint(JudgedCase::default(), (&want, 0), (&got, 0), of_any(EXACT));
            proptest::prop_assert!(misprint(JudgedCase::default(), (&got, 0), (&got, 0), of_any(EXACT)).is_none());
        }
    }
}
