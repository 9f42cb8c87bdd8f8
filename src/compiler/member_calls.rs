//! Detects device code that constructs an object, or calls a static member function, of a class of the source whose
//! constructors or functions of that name are all for the host. Other members are only known once the code is
//! compiled: see `host_members` of the host crate.

use super::Subject;
use super::wrong_space::{host_function_called, on_device};
use cpp::{Member, Source, Space, Tokens};
use std::collections::HashMap;

/// The member functions of a name in the classes of a name.
#[derive(Debug, Default)]
struct Overloads {
    /// Whether any of them may be for the device.
    may_be_for_device: bool,
    /// For each: the number of its parameters, and the token of its name.
    all: Vec<(usize, usize)>,
}

/// Returns the calls in order, each as a token, a subject and a message.
pub fn member_calls(source: &Source) -> Vec<(usize, (Subject, String))> {
    let tokens = source.tokens();
    let members = source.members();
    let known = by_name(source, &members);
    let mut found = Vec::new();
    if known.values().all(|its| its.may_be_for_device) {
        return found;
    }
    let callers = source.functions().unwrap_or_default().iter();
    let callers =
        callers.filter(|its| matches!(its.space, Space::Kernel | Space::Device) && !its.has_unclear_space);
    for caller in callers {
        for at in caller.body.clone().unwrap_or_default() {
            let Some((class, name, arguments)) = called(tokens, at) else { continue };
            let of_host = known.get(&(class, name)).filter(|its| !its.may_be_for_device);
            let Some(callee) = of_host.and_then(|its| its.all.iter().find(|its| its.0 == arguments)) else {
                continue;
            };
            if !source.is_conditional(at) && !source.is_macro_with_arguments(class) {
                let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
                let function = format!("{}::{}", text(class), text(name));
                let line = tokens.line(callee.1);
                found.push((at, host_function_called(function, &on_device(source, caller), line)));
            }
        }
    }
    found
}

/// Returns the member functions of the source by the names of class and function.
fn by_name<'s>(source: &'s Source, members: &[Member]) -> HashMap<(&'s [u8], &'s [u8]), Overloads> {
    let tokens = source.tokens();
    let mut known: HashMap<(&[u8], &[u8]), Overloads> = HashMap::new();
    for Member { class, function, is_implicit } in members {
        let its = known.entry((tokens.word(*class), tokens.word(function.name))).or_default();
        its.may_be_for_device |= *is_implicit
            || function.space != Space::Host
            || function.has_unclear_space
            || source.is_conditional(function.name)
            || source.is_local(*class);
        its.all.push((elements(tokens, function.parameters.start), function.name));
    }
    known
}

/// Returns the class, the function and the number of arguments of what may be a call at a token: `P::one(…)`,
/// `P(…)`, `P p(…)`, or `P p{…}`. A single argument may be an object that is copied, unless it is a number.
fn called(tokens: &Tokens, at: usize) -> Option<(&[u8], &[u8], usize)> {
    let class = tokens.word(at);
    if !tokens.is_name(at) || matches!(tokens.before(at, 1), b":" | b"." | b">" | b"struct" | b"class" | b"~")
    {
        return None;
    }
    if tokens.is(at + 1, b":") && tokens.is(at + 2, b":") {
        let is_called = tokens.is_name(at + 3) && tokens.is(at + 4, b"(");
        return is_called.then(|| (class, tokens.word(at + 3), elements(tokens, at + 4)));
    }
    let open = if tokens.is_name(at + 1) { at + 2 } else { at + 1 };
    let is_object = matches!(tokens.word(open), b"(" | b"{");
    let arguments = if is_object { elements(tokens, open) } else { 0 };
    let is_number = tokens.word(open + 1).first().is_some_and(u8::is_ascii_digit);
    (is_object && (arguments > 1 || arguments == 1 && is_number)).then_some((class, class, arguments))
}

/// Returns the number of elements of a list in brackets, separated by commas.
fn elements(tokens: &Tokens, open: usize) -> usize {
    let Some(close) = tokens.partner(open) else { return 0 };
    let (mut count, mut at) = (usize::from(close > open + 1), open + 1);
    while at < close {
        match tokens.word(at) {
            b"," => count += 1,
            b"(" | b"[" | b"{" => at = tokens.partner(at).unwrap_or(at),
            _ => {}
        }
        at += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use crate::misplaced_calls;

    fn found(members: &str, body: &str) -> Vec<String> {
        let source = format!(
            "#define HD __host__ __device__\nstruct P {{ float x, y; {members} }};\n\
             __global__ void k(float *o, P q) {{ {body} }}\n"
        );
        misplaced_calls(&source, "a.cu").into_iter().map(|d| format!("{}: {}", d.line, d.message)).collect()
    }

    #[test]
    fn a_constructor_of_the_host_is_told() {
        let said = "3: \"P::P\" is a host function, but the kernel \"k\" calls it: line 2 lacks __device__";
        for body in
            ["P p(1, o[0]);", "P p{1, 2};", "auto p = P(1, 2);", "o[0] = P{1, 2}.x;", "f(new P(1, 2));"]
        {
            assert_eq!(found("P(float a, float b) : x(a), y(b) {}", body), [said], "{body}");
            for fine in [
                "__device__ P(float a, float b);",
                "P(float a, float b); __device__ P(float a);",
                "HD P(float a, float b);",
                "constexpr P(float a, float b);",
                "\n#ifdef X\nP(float a, float b);\n#endif\n",
                "",
            ] {
                assert_eq!(found(fine, body), [""; 0], "{fine}");
            }
        }
        for fine in ["P p(q);", "P p = q;", "P p{q};", "p(1, 2);", "o.P(1, 2); struct P p;"] {
            assert_eq!(found("P(float a, float b); P(float a);", fine), [""; 0], "{fine}");
        }
        assert_eq!(found("P() = default; P(int, int) = delete;", "P p(1, 2);"), [""; 0]);
        assert_eq!(
            found("} ; void f() { struct Q { Q(int, int); };", "Q p(1, 2);"),
            [""; 0],
            "a local class"
        );
    }

    #[test]
    fn a_static_function_of_the_host_is_told() {
        let said = "3: \"P::one\" is a host function, but the kernel \"k\" calls it: line 2 lacks __device__";
        assert_eq!(found("static float one() { return 1; }", "o[0] = P::one();"), [said]);
        for fine in ["static __device__ float one();", "static constexpr float one() { return 1; }"] {
            assert_eq!(found(fine, "o[0] = P::one();"), [""; 0], "{fine}");
        }
        for fine in ["o[0] = n::P::one();", "auto f = P::two(); Q::one();", "decltype(P::one()) a;"] {
            assert_eq!(found("static float one();", fine), [""; 0], "{fine}");
        }
    }
}
