//! Statements that change an element in place, as `x[i] += 1` does.

use cpp::names;

const OPERATORS: [&str; 9] = ["++", "--", "+=", "-=", "*=", "/=", "|=", "&=", "^="];

/// The operator of the only statement in a line of code that reads an element and writes it back, where all else it
/// reads has another name than that element's array has: than it has in the line, and than `buffer`.
pub fn operator_of(line: &str, buffer: Option<&str>) -> Option<&'static str> {
    let mut found = OPERATORS.iter().flat_map(|operator| line.match_indices(operator));
    let (at, _) = found.next()?;
    if found.next().is_some() {
        return None;
    }
    let (left, right) = line.split_at(at);
    let operator = *OPERATORS.iter().find(|operator| right.starts_with(**operator))?;
    let right = &right[operator.len()..];
    // In front of what it changes, `++` has nothing else to its right.
    let own = changed(left);
    let elsewhere = names(right).any(|word| Some(word) == own || Some(word) == buffer);
    (own.is_none() || !elsewhere).then_some(operator)
}

/// The name in front of an operator, past what is in brackets: `sums` of `sums[i][j] `.
fn changed(left: &str) -> Option<&str> {
    let mut left = left.trim_end();
    while left.ends_with(']') {
        let mut depth = 0;
        let open = left.bytes().rposition(|byte| {
            depth += i32::from(byte == b']') - i32::from(byte == b'[');
            depth == 0
        })?;
        left = left[..open].trim_end();
    }
    names(left).last().filter(|name| left.ends_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_on_the_right_is_another_array() {
        let own = |line| operator_of(line, Some("d"));
        assert_eq!(own("if (i < n) sums[i] += in[i];"), Some("+="));
        assert_eq!(own("sums[place[i]]++;"), Some("++"));
        assert_eq!(own("++sums[i];"), Some("++"));
        assert_eq!(own("*total += value;"), Some("+="));
        assert_eq!(own("sums[i][0] += sums[i][4];"), None);
        assert_eq!(own("tail[i] += d[i + 4];"), None);
        assert_eq!(own("a[i] += 1; b[i] += 1;"), None);
        assert_eq!(own("a[i] = b[i];"), None);
    }
}
