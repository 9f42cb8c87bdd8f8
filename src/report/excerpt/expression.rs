//! Finds the expression to underline: the compiler only gives the columns of statements.

use super::Spot;
use cpp::{changes, comments, is_name_char, operator};

/// Returns the start and length, in characters, of what to underline: the call or the array element that the spot
/// names; else what begins at the spot's column (an element or a call with its brackets, a word, or one
/// character); else the whole statement.
pub fn span(line: &str, spot: &Spot) -> (u32, u32) {
    let chars: Vec<char> = line.chars().collect();
    let code = comments(line).next().map_or(chars.len(), |its| line[..its.start].chars().count());
    let start = (spot.column as usize).wrapping_sub(1);
    let called = spot.call.and_then(|name| call(&chars[..code], name, start));
    let touched = || spot.element.and_then(|name| element(&chars[..code], name, spot.read));
    let (start, end) = match called.or_else(touched) {
        Some(found) => found,
        None if start < chars.len() => {
            let end = expression_end(&chars, start);
            let rest: String = chars[end..code.max(end)].iter().collect();
            // A word followed by a word: a declaration, or a `return` with its value.
            let two = spot.statement
                && chars[start..end].iter().all(|&c| is_name_char(c))
                && rest.starts_with(' ')
                && rest.trim_start().starts_with(is_name_char);
            match two || spot.read && spot.element.is_some() && assigns(&rest) {
                // The read is on the other side, through a name that is not known here.
                true => (start, statement_end(&chars, start, code)),
                false => (start, end),
            }
        }
        None => {
            let start = chars.iter().take_while(|c| c.is_whitespace()).count();
            (start, statement_end(&chars, start, code))
        }
    };
    (start as u32, end.saturating_sub(start).max(1) as u32)
}

/// Returns the end of a statement's code, without trailing white space.
fn statement_end(chars: &[char], start: usize, code: usize) -> usize {
    let code = if code > start { code } else { chars.len() };
    (start..code).rev().find(|&i| !chars[i].is_whitespace()).map_or(code, |i| i + 1)
}

/// Returns whether a text begins with an assignment: `= …`, `+= …`.
fn assigns(rest: &str) -> bool {
    changes("", rest) && !matches!(operator(rest), "++" | "--")
}

/// Returns where `name` occurs as a whole word that is not a member of something.
fn places(chars: &[char], name: &str) -> Vec<usize> {
    let name: Vec<char> = name.chars().collect();
    if name.is_empty() {
        return Vec::new();
    }
    let apart = |start: usize| {
        let before = start.checked_sub(1).map(|at| chars[at]);
        let member = before == Some('.') || start >= 2 && chars[start - 2..start] == ['-', '>'];
        !member
            && !before.is_some_and(is_name_char)
            && !chars.get(start + name.len()).is_some_and(|&c| is_name_char(c))
    };
    (0..chars.len()).filter(|&start| chars[start..].starts_with(&name) && apart(start)).collect()
}

/// Returns the range of a call of a function, or the name of a kernel that is launched. Of several on the line it is the first
/// one at or after `column`, where the statement begins; if there is none, the first of all.
fn call(chars: &[char], name: &str, column: usize) -> Option<(usize, usize)> {
    let range = |start: usize| {
        let end = start + name.chars().count();
        let rest: String = chars[end..].iter().take(3).collect();
        match () {
            () if rest == "<<<" => Some((start, end)),
            () if rest.starts_with('(') => Some((start, closing(chars, end)? + 1)),
            () => None,
        }
    };
    let calls: Vec<(usize, usize)> = places(chars, name).into_iter().filter_map(range).collect();
    calls.iter().find(|&&(start, _)| start >= column).or(calls.first()).copied()
}

/// Returns the range from the first to the last `name[…]` on the side of the assignment that is read or written.
/// Where the name has no brackets: the name alone, with the star of a pointer.
fn element(chars: &[char], name: &str, read: bool) -> Option<(usize, usize)> {
    let length = name.chars().count();
    let starts = places(chars, name);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for &start in starts.iter().filter(|&&start| chars.get(start + length) == Some(&'[')) {
        if found.last().is_none_or(|&(_, end)| start >= end) {
            let end = closing(chars, start + length)? + 1;
            found.push((start, end));
        }
    }
    if found.is_empty() {
        let bare = starts.into_iter().filter(|start| chars.get(start + length) != Some(&'('));
        found = bare.map(|start| (pointer(chars, start), expression_end(chars, start))).collect();
    }
    let written = |&(_, end): &(usize, usize)| {
        let rest: String = chars[end..].iter().collect();
        assigns(&rest)
    };
    let (left, right): (Vec<(usize, usize)>, Vec<_>) = found.into_iter().partition(written);
    let side = match (read, left.is_empty(), right.is_empty()) {
        (true, _, false) | (false, true, _) => right,
        _ => left,
    };
    Some((side.first()?.0, side.last()?.1))
}

/// Returns where the `*` of a dereferenced pointer is, or else the start of its name.
fn pointer(chars: &[char], start: usize) -> usize {
    let Some(star) = start.checked_sub(1).filter(|&at| chars[at] == '*') else { return start };
    // Directly after a value, `*` is a product.
    let product =
        star.checked_sub(1).is_some_and(|at| is_name_char(chars[at]) || matches!(chars[at], ')' | ']'));
    if product { start } else { star }
}

/// Returns the end of what begins at `start`: a word with the brackets and members that follow it, a keyword such
/// as `if` with its condition, or one character.
fn expression_end(chars: &[char], start: usize) -> usize {
    if !is_name_char(chars[start]) {
        return start + 1;
    }
    let word: String = chars[start..].iter().take_while(|c| is_name_char(**c)).collect();
    if matches!(&*word, "if" | "while" | "for" | "switch") {
        let end = start + word.len();
        let open = end + chars[end..].iter().take_while(|c| c.is_whitespace()).count();
        let close = (chars.get(open) == Some(&'(')).then(|| closing(chars, open)).flatten();
        return close.map_or(end, |close| close + 1);
    }
    let mut end = start;
    loop {
        while end < chars.len() && is_name_char(chars[end]) {
            end += 1;
        }
        match chars.get(end) {
            Some('[' | '(') => match closing(chars, end) {
                Some(close) => end = close + 1,
                None => return end,
            },
            Some('.') if chars.get(end + 1).is_some_and(|&c| is_name_char(c)) => end += 1,
            Some(':') if chars[end..].starts_with(&[':', ':']) => end += 2,
            Some('-') if chars[end..].starts_with(&['-', '>']) => end += 2,
            _ => return end,
        }
    }
}

/// Returns the bracket that closes the one at `open`.
fn closing(chars: &[char], open: usize) -> Option<usize> {
    let bytes = chars[open..].iter().map(|c| u8::try_from(*c).unwrap_or_default());
    cpp::closing(bytes).map(|n| open + n)
}

#[cfg(test)]
mod tests {
    use super::super::tests::spot;
    use super::*;

    #[test]
    fn of_two_calls_the_one_at_the_column_is_underlined() {
        let line = "copy(a, b); copy(c, d);";
        let at = |column| span(line, &Spot { line: 1, column, call: Some("copy"), ..Spot::default() });
        assert_eq!((at(1), at(13), at(20)), ((0, 10), (12, 10), (0, 10)));
    }

    #[test]
    fn what_begins_at_the_column_is_underlined() {
        let at = |line, column| span(line, &spot(1, column, ""));
        assert_eq!(at("  s[threadIdx.x] = in[i];", 3), (2, 14));
        assert_eq!(at("  __syncthreads();", 3), (2, 15));
        assert_eq!(at("a + b", 3), (2, 1));
        assert_eq!(at("  x = 1;  // why", 0), (2, 6));
        assert_eq!(at("  x = 1;  ", 99), (2, 6));
        assert_eq!(at("f(a[", 1), (0, 1));
        assert_eq!(at("", 7), (0, 1));
        assert_eq!(at("é = s[0];", 5), (4, 4));
        assert_eq!(at("// only a comment", 0), (0, 17));
        assert_eq!(at("int old = sum, other;  // why", 1), (0, 3));
        let statement = |line| span(line, &Spot { statement: true, ..spot(1, 1, "") });
        assert_eq!(statement("int old = sum, other;  // why"), (0, 21));
        assert_eq!(statement("return f(x) + y;"), (0, 16));
        assert_eq!(statement("else x = 1;"), (0, 11));
        assert_eq!(at("if (found > 9) break;", 1), (0, 14));
        assert_eq!(at("while (a", 1), (0, 5));
        assert_eq!(at("wmma::fill_fragment(c, 0.0f);", 1), (0, 28));
        assert_eq!(at("cell->next[3] = 1;", 1), (0, 13));
        assert_eq!(at("a::", 1), (0, 3));
    }

    #[test]
    fn the_call_that_is_meant_is_underlined() {
        let of = |line: &str, call| {
            let spot = Spot { line: 1, column: 1, call: Some(call), ..Spot::default() };
            let (start, length) = span(line, &spot);
            line.chars().skip(start as usize).take(length as usize).collect::<String>()
        };
        assert_eq!(of("cudaError_t done = cudaFree(x);", "cudaFree"), "cudaFree(x)");
        assert_eq!(of("CHECK(cudaMemset(x, 0, size(n)));", "cudaMemset"), "cudaMemset(x, 0, size(n))");
        assert_eq!(of("for (;;) fill<<<1, 32>>>(x);", "fill"), "fill");
        assert_eq!(of("cudaFreeHost(x);", "cudaFree"), "cudaFreeHost(x)");
        assert_eq!(of("CALL(x);", "cudaFree"), "CALL(x)");
        assert_eq!(of("cudaFree(", "cudaFree"), "cudaFree");
        assert_eq!(of("x;", ""), "x");
    }

    #[test]
    fn the_element_that_is_meant_is_underlined() {
        let of = |line: &str, name: &str, read| {
            let spot = Spot { line: 1, column: 1, element: Some(name), read, ..Spot::default() };
            let (start, length) = span(line, &spot);
            line.chars().skip(start as usize).take(length as usize).collect::<String>()
        };
        let line = "out[i] = in[i] + in[i + 1]; // in[i]";
        assert_eq!(of(line, "out", false), "out[i]");
        assert_eq!(of(line, "in", true), "in[i] + in[i + 1]");
        let line = "s[t] += s[t + half];";
        assert_eq!(of(line, "s", true), "s[t + half]");
        assert_eq!(of(line, "s", false), "s[t]");
        assert_eq!(of("atomicAdd(&s[k], 1);", "s", false), "s[k]");
        assert_eq!(of("if (s[k] == 0) x = 1;", "s", true), "s[k]");
        assert_eq!(of("ss[0] = s[index[k]];", "s", true), "s[index[k]]");
        assert_eq!(of("s[0]++;", "s", false), "s[0]");
        // Names without brackets.
        assert_eq!(of("counter += 1;", "counter", true), "counter");
        assert_eq!(of("y[i * n] = value;", "value", true), "value");
        assert_eq!(of("*count = *count + 1;", "count", true), "*count");
        assert_eq!(of("if (t == 0) *count = 1;", "count", false), "*count");
        assert_eq!(of("x = a * b.x;", "b", true), "b.x");
        assert_eq!(of("p = q.count(1) + count(2);", "count", true), "p = q.count(1) + count(2);");
        // Through another name: an element that is written is the one at the column; a read is somewhere in the
        // statement.
        assert_eq!(of("p[i] = q[i];", "out", false), "p[i]");
        assert_eq!(of("p[i] = q[i]; // in", "in", true), "p[i] = q[i];");
    }
}
