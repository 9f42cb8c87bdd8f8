//! Kernel arguments that are objects with a copy constructor or a destructor of their own.
//!
//! nvcc copies such an object on the host and passes the bytes of the copy. NVRTC treats every launch as a
//! launch from device code and refuses such an object. So the launches that it refuses are rewritten as calls
//! of a template in `cuda_runtime.h`, which does what nvcc does: `k<<<g, b>>>(x)` becomes
//! `__gpulearn_launcher(k, g, b)(x)`.

use compiler::{Diagnostic, MessageKind};
use cpp::{Launch, Source};
use std::collections::BTreeSet;

/// The template that a launch is rewritten to call.
const LAUNCHER: &str = "__gpulearn_launcher";

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
    let start = |token| source.tokens().start(token);
    let mut out = String::with_capacity(text.len() + 32 * places.len());
    let mut copied = 0;
    for &place in places {
        let its = launch(&source, place).ok_or(place.0)?;
        let (at, open, close) = (start(its.kernel.start), start(its.kernel.end), start(its.close));
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

/// Returns the launch at a place, which may be that of an object within its configuration.
fn launch(source: &Source, (line, column): (u32, u32)) -> Option<Launch> {
    let (tokens, place) = (source.tokens(), source.token_at(line, column)?);
    let mut launches = tokens.launches();
    launches.find(|its| (its.kernel.start..its.close).contains(&place) && tokens.is(its.open(), b"("))
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
