//! Kernel arguments that are objects with a copy constructor or a destructor of their own.
//!
//! nvcc copies such an object on the host and passes the bytes of the copy. NVRTC treats every launch as a
//! launch from device code and refuses such an object. So the launches that it refuses are rewritten as calls
//! of a template in `cuda_runtime.h`, which does what nvcc does: `k<<<g, b>>>(x)` becomes
//! `__gpulearn_launcher(k, g, b)(x)`.

use compiler::{Diagnostic, MessageKind};
use cpp::{Source, Tokens};
use std::collections::BTreeSet;

/// The template that a launch is rewritten to call.
const LAUNCHER: &str = "__gpulearn_launcher";

/// Most tokens in a list of template arguments.
const LONGEST: usize = 64;

/// The unsupported feature reported for a launch that cannot be rewritten.
pub const UNSUPPORTED: &str = "this launch, which passes an object with its own copy constructor or destructor. \
                           This works if the launch is not in a macro and a template's arguments are given: \
                           kernel<Type><<<blocks, threads>>>(object)";

/// Returns the lines and columns, 1-based, at which refused launches begin.
pub fn refused(messages: &[Diagnostic]) -> BTreeSet<(u32, u32)> {
    let is_one = |said: &&Diagnostic| said.kind() == MessageKind::ObjectPassed;
    messages.iter().filter(is_one).map(|said| (said.line, said.column)).collect()
}

/// Returns the line of a launch that was rewritten as a call and that does not compile as one.
pub fn not_callable(messages: &[Diagnostic]) -> Option<u32> {
    messages.iter().find(|said| said.names().any(|name| name == LAUNCHER)).map(|said| said.line)
}

/// Returns the text with the launches at these places rewritten as calls; all lines stay where they are.
///
/// # Errors
///
/// The line of a place at which no launch can be parsed.
pub fn launched_by_calls(text: &str, places: &BTreeSet<(u32, u32)>) -> Result<String, u32> {
    let source = Source::new(text);
    let mut out = String::with_capacity(text.len() + 32 * places.len());
    let mut copied = 0;
    for &(line, column) in places {
        let (at, open, close) = launch(&source, line, column).ok_or(line)?;
        // The compiler reports a launch once for each of its two faults.
        if at < copied {
            continue;
        }
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

/// Returns the byte offsets of the launch at a place, of its `<<<` and of its `>>>`.
fn launch(source: &Source, line: u32, column: u32) -> Option<(usize, usize, usize)> {
    let (tokens, place) = (source.tokens(), source.token_at(line, column)?);
    let (first, open) = match find(tokens, place, b"<") {
        Some(open) => (place, open),
        // The place may be that of an object within the launch configuration.
        None => {
            let open = (0..place).rev().take_while(|&at| !matches!(tokens.word(at), b";" | b"{" | b"}"));
            let open = open.into_iter().find(|&at| three(tokens, at, b"<"))?;
            (callee(tokens, open)?, open)
        }
    };
    let close = find(tokens, open + 3, b">")?;
    tokens.is(close + 3, b"(").then(|| (tokens.start(first), tokens.start(open), tokens.start(close)))
}

/// Returns the first token of the kernel expression that ends before token `open`: `a::b`, `f<int>`,
/// `table[2]`, `(*p)`.
fn callee(tokens: &Tokens, open: usize) -> Option<usize> {
    let mut at = open.checked_sub(1)?;
    loop {
        match tokens.word(at) {
            b"]" => {
                at = tokens.partner(at)?.checked_sub(1)?;
                continue;
            }
            b")" => at = tokens.partner(at)?,
            b">" => {
                let from = (0..at)
                    .rev()
                    .take(LONGEST)
                    .find(|&from| tokens.after_template_arguments(from) == Some(at + 1))?;
                at = from.checked_sub(1)?;
                continue;
            }
            _ if tokens.is_name(at) => {}
            _ => return None,
        }
        let before = |by| tokens.before(at, by);
        at = match (before(2), before(1)) {
            (b":", b":") if at >= 3 && tokens.is_name(at - 3) => at - 3,
            (b":", b":") => return Some(at - 2),
            (_, b".") if at >= 2 => at - 2,
            (b"-", b">") if at >= 3 => at - 3,
            _ => return Some(at),
        };
    }
}

/// Returns whether three of `bracket` follow each other without a gap from a token on.
fn three(tokens: &Tokens, at: usize, bracket: &[u8]) -> bool {
    (0..3).all(|by| tokens.is(at + by, bracket) && tokens.start(at + by) == tokens.start(at) + by)
}

/// Returns the first of three brackets in a row, from a token on, in the same statement and outside other
/// brackets.
fn find(tokens: &Tokens, from: usize, bracket: &[u8]) -> Option<usize> {
    let mut at = from;
    while at < tokens.count() {
        match tokens.word(at) {
            b";" | b"{" | b"}" | b")" => return None,
            b"(" | b"[" => at = tokens.partner(at)? + 1,
            _ if three(tokens, at, bracket) => return Some(at),
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
    fn a_place_within_the_values_of_a_launch_names_it() {
        for (callee, end) in
            [("ns::k", 9), ("t<S>", 8), ("h.f", 7), ("(*f)", 8), ("table[2]", 12), ("p->q", 8)]
        {
            let text = format!("f(); {callee}<<<dim3(1), 1>>>(S(d));");
            let wanted = format!("f(); __gpulearn_launcher({callee},dim3(1), 1)(S(d));");
            assert_eq!(rewritten(&text, &[(1, end + 5)]), Ok(wanted), "{callee}");
        }
    }

    #[test]
    fn what_is_no_launch_is_left() {
        let text = "LAUNCH(k, s);\nk(s); l<<<1, 1>>>(s);\n\"k<<<1, 1>>>(s)\";\nk<<<1, 1>>>;\nk<<<1, 1";
        for place in [(1, 1), (2, 1), (3, 2), (4, 1), (5, 1), (9, 1), (0, 0), (2, 99), (1, 14)] {
            assert_eq!(rewritten(text, &[place]), Err(place.0), "{place:?}");
        }
    }
}
