//! Objects that a kernel is given by value, with a copy constructor or a destructor of their own.
//!
//! nvcc copies such an object on the host and passes the copy's bytes. NVRTC, for which a launch is a
//! kernel's own, refuses it. So the launches that it refuses are written as calls of a template in
//! `cuda_runtime.h`, which does what nvcc does: `k<<<g, b>>>(x)` as `__gpulearn_launcher(k, g, b)(x)`.

use crate::cpp::{Source, Tokens};
use crate::nvrtc::Diagnostic;
use std::collections::BTreeSet;

/// How the compiler begins to refuse such a launch, and ends.
const REFUSED: (&str, &str) =
    ("cannot pass an argument with a user-provided", "to a device-side kernel launch");
/// What a launch is written as.
const LAUNCHER: &str = "__gpulearn_launcher";

/// What is lacking where a launch cannot be written so.
pub const LACKING: &str = "this launch, which passes an object with a copy constructor or a destructor of its own. \
                           That works where no macro holds the launch and a template's arguments are named: \
                           kernel<Type><<<blocks, threads>>>(object)";

/// Where launches begin that are refused, by line and column.
pub fn refused(messages: &[Diagnostic]) -> BTreeSet<(u32, u32)> {
    let is_one = |said: &&Diagnostic| said.message.starts_with(REFUSED.0) && said.message.contains(REFUSED.1);
    messages.iter().filter(is_one).map(|said| (said.line, said.column)).collect()
}

/// The line of a launch that was written as a call and does not compile as one.
pub fn not_callable(messages: &[Diagnostic]) -> Option<u32> {
    messages.iter().find(|said| said.message.contains(LAUNCHER)).map(|said| said.line)
}

/// The text with the launches at these places written as calls, its lines where they were; the line where
/// there is no launch that can be read.
pub fn launched_by_calls(text: &str, places: &BTreeSet<(u32, u32)>) -> Result<String, u32> {
    let source = Source::new(text);
    let tokens = source.tokens();
    let mut out = String::with_capacity(text.len() + 32 * places.len());
    let mut copied = 0;
    for &(line, column) in places {
        let (at, open, close) = launch(text, tokens, line, column).filter(|l| l.0 >= copied).ok_or(line)?;
        out += &text[copied..at];
        out += LAUNCHER;
        out.push('(');
        out += &text[at..open];
        out.push(',');
        out += &text[open + 3..close];
        out.push(')');
        copied = close + 3;
    }
    out += &text[copied..];
    Ok(out)
}

/// The bytes at which the launch at a place begins, and where its `<<<` and its `>>>` do.
fn launch(text: &str, tokens: &Tokens, line: u32, column: u32) -> Option<(usize, usize, usize)> {
    let at = byte_of(text, line, column)?;
    let open = find(tokens, first_token(tokens, at)?, b"<")?;
    let close = find(tokens, open + 3, b">")?;
    tokens.is(close + 3, b"(").then(|| (at, tokens.start(open), tokens.start(close)))
}

/// The byte at a line and a column in characters, both 1-based.
fn byte_of(text: &str, line: u32, column: u32) -> Option<usize> {
    let mut start = 0;
    for _ in 1..line {
        start += text.get(start..)?.find('\n')? + 1;
    }
    let rest = text.get(start..)?;
    let (within, first) = rest.char_indices().nth((column as usize).checked_sub(1)?)?;
    (first != '\n').then_some(start + within)
}

/// The token that begins at a byte.
fn first_token(tokens: &Tokens, byte: usize) -> Option<usize> {
    let (mut low, mut high) = (0, tokens.count());
    while low < high {
        let middle = low + (high - low) / 2;
        if tokens.start(middle) < byte { low = middle + 1 } else { high = middle }
    }
    (low < tokens.count() && tokens.start(low) == byte).then_some(low)
}

/// The first of three brackets in a row, from a token on, in the same statement and outside of other
/// brackets.
fn find(tokens: &Tokens, from: usize, bracket: &[u8]) -> Option<usize> {
    let mut at = from;
    while at < tokens.count() {
        let adjoin = |by: usize| tokens.start(at + by) == tokens.start(at) + by;
        match tokens.word(at) {
            b";" | b"{" | b"}" | b")" => return None,
            b"(" | b"[" => at = tokens.partner(at)? + 1,
            word if word == bracket && (1..3).all(|by| tokens.is(at + by, bracket) && adjoin(by)) => {
                return Some(at);
            }
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str, places: &[(u32, u32)]) -> Result<String, u32> {
        launched_by_calls(text, &places.iter().copied().collect())
    }

    #[test]
    fn launches_become_calls_and_lines_stay() {
        let text = "/* é */ n::k<<<1, 2>>>(s); t<S, (1 > 0)>\n  <<<\
                    dim3(f<int>(1)), b[0], 0, q>>>(s);\nk<<<1, 2>>>(1);\n";
        let calls = "/* é */ __gpulearn_launcher(n::k,1, 2)(s); __gpulearn_launcher(t<S, (1 > 0)>\n  ,\
                     dim3(f<int>(1)), b[0], 0, q)(s);\nk<<<1, 2>>>(1);\n";
        assert_eq!(rewritten(text, &[(1, 9), (1, 28)]).as_deref(), Ok(calls));
    }

    #[test]
    fn what_is_no_launch_is_left() {
        let text = "LAUNCH(k, s);\nk(s); l<<<1, 1>>>(s);\n\"k<<<1, 1>>>(s)\";\nk<<<1, 1>>>;\nk<<<1, 1";
        for place in [(1, 1), (2, 1), (3, 2), (4, 1), (5, 1), (9, 1), (0, 0), (2, 99), (1, 14)] {
            assert_eq!(rewritten(text, &[place]), Err(place.0), "{place:?}");
        }
    }
}
