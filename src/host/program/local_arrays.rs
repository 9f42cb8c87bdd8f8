//! Has the program check that `memset`, `memcpy` and `memmove` stay within the local arrays that they are given. The
//! compiler turns these calls into loads and stores among the other variables of the function. Gaps between those show
//! that some array was passed, if not far. So the number of bytes is passed through a function that knows the array's
//! name and size (`gpulearn/local_array.h`):
//!
//! ```text
//! memset(a + 2, 0, __gpulearn_fits(a, "a", true, a + 2, n));
//! ```

use super::edits::{Edit, edited};
use cpp::{LocalArray, Scope, Source, Space, Tokens};
use std::collections::HashMap;
use std::ops::Range;

const FUNCTIONS: [&str; 3] = ["memset", "memcpy", "memmove"];
/// Most calls that are checked in one function: what the compiler needs grows with the square of their number.
const MOST_CHECKED: usize = 512;

/// Returns the rewritten text, with all lines where they were; `None` if nothing changes.
pub fn rewritten(text: &str) -> Option<String> {
    if !FUNCTIONS.iter().any(|name| text.contains(name)) {
        return None;
    }
    let source = Source::new(text);
    let arrays: Vec<LocalArray> = source.local_arrays().into_iter().filter(|its| its.is_array).collect();
    let mut calls: Vec<usize> =
        FUNCTIONS.iter().flat_map(|name| source.tokens().all(name.as_bytes())).collect();
    calls.sort_unstable();
    let bodies = source.functions().unwrap_or_default().iter().map(|function| function.body.as_ref());
    let mut checked: HashMap<Option<usize>, usize> = HashMap::new();
    let mut all: Vec<Edit> = Vec::new();
    for call in calls {
        let Some(edits) = edits(&source, &arrays, call).filter(|edits| !edits.is_empty()) else { continue };
        let function = bodies.clone().position(|body| body.is_some_and(|body| body.contains(&call)));
        let count = checked.entry(function).or_default();
        *count += 1;
        all.extend(edits.into_iter().filter(|_| *count <= MOST_CHECKED));
    }
    edited(text, all)
}

/// Returns the edits of the call at a token.
fn edits(source: &Source, arrays: &[LocalArray], call: usize) -> Option<Vec<Edit>> {
    let (text, tokens) = (source.text(), source.tokens());
    let [to, from, bytes] = <[Range<usize>; 3]>::try_from(tokens.arguments(call + 1)?).ok()?;
    // Not up to the next token: a comment may come first.
    let end_of = |token: usize| tokens.start(token) + tokens.word(token).len();
    let place = |argument: &Range<usize>| tokens.start(argument.start)..end_of(argument.end - 1);
    let Range { start, end } = place(&bytes);
    let is_of_object = matches!(tokens.before(call, 1), b"." | b">");
    if is_of_object
        || text.get(tokens.start(call)..end)?.contains('#')
        || source.scope(call) != Scope::Function(Space::Host)
    {
        return None;
    }
    let size = text.get(start..end)?;
    let (mut before, mut behind) = (String::new(), String::new());
    let sides = [(Some(to), true), (Some(from).filter(|_| !tokens.is(call, b"memset")), false)];
    for (argument, writes) in sides {
        let Some(argument) = argument else { continue };
        let Some(base) = base(tokens, argument.clone()) else { continue };
        let (at, name) = (tokens.start(base), std::str::from_utf8(tokens.word(base)).ok()?);
        let is_array = arrays.iter().any(|array| array.name == name && array.visible.contains(&at));
        // Where it is the size of the array, there is nothing to check.
        let is_size = [format!("sizeof {name}"), format!("sizeof({name})")].iter().any(|its| its == size);
        let pointer = text.get(place(&argument))?;
        if is_array && !(is_size && argument.len() == 1) && !pointer.contains('\n') {
            before += &format!("__gpulearn_fits({name}, \"{name}\", {writes}, {pointer}, ");
            behind.push(')');
        }
    }
    Some(if before.is_empty() { Vec::new() } else { vec![(start..start, before), (end..end, behind)] })
}

/// Returns the name that a pointer is formed from, as in `a`, `a + i`, `&a[i]`, `a[i]` and `(char *)a`, if it may be
/// evaluated twice.
fn base(tokens: &Tokens, argument: Range<usize>) -> Option<usize> {
    let mut name = argument.start;
    while tokens.is(name, b"(") {
        let close = tokens.partner(name)?;
        if !tokens.is(close - 1, b"*") {
            return None;
        }
        name = close + 1;
    }
    name += usize::from(tokens.is(name, b"&"));
    let is_plain = |at: usize| match tokens.word(at) {
        b"=" | b"?" | b"{" | b"," | b"<" | b">" => false,
        sign @ (b"+" | b"-") => !tokens.is(at + 1, sign),
        b"(" => !is_call(tokens, at),
        _ => true,
    };
    let is_base = argument.contains(&name) && tokens.is_name(name) && (name + 1..argument.end).all(is_plain);
    let goes_on = name + 1 == argument.end || matches!(tokens.word(name + 1), b"+" | b"-" | b"[");
    (is_base && goes_on).then_some(name)
}

/// Returns whether a parenthesis may open the arguments of a call.
fn is_call(tokens: &Tokens, open: usize) -> bool {
    let before = open - 1;
    (tokens.is_name(before) || matches!(tokens.word(before), b")" | b"]")) && !tokens.is(before, b"sizeof")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_and_set_in_local_arrays_is_checked() {
        for (line, want) in [
            ("memset(a, 0, n);", "memset(a, 0, __gpulearn_fits(a, \"a\", true, a, n));"),
            ("memset(a, 0, // all\n n);", "memset(a, 0, // all\n __gpulearn_fits(a, \"a\", true, a, n));"),
            ("memset(&a[i], 0, 4 * n);", "memset(&a[i], 0, __gpulearn_fits(a, \"a\", true, &a[i], 4 * n));"),
            (
                "memset(a // all\n , 0, n // of it\n);",
                "memset(a // all\n , 0, __gpulearn_fits(a, \"a\", true, a, n) // of it\n);",
            ),
            (
                "memcpy(p, (char *)b + 2, n);",
                "memcpy(p, (char *)b + 2, __gpulearn_fits(b, \"b\", false, (char *)b + 2, n));",
            ),
            (
                "std::memmove(a, b, sizeof(p));",
                "std::memmove(a, b, __gpulearn_fits(a, \"a\", true, a, __gpulearn_fits(b, \"b\", false, b, sizeof(p))));",
            ),
            ("memcpy(a, b, sizeof(a));", "memcpy(a, b, __gpulearn_fits(b, \"b\", false, b, sizeof(a)));"),
        ] {
            let of = |line: &str| format!("int main() {{ int a[4], b[2];\n{line}\n}}");
            assert_eq!(rewritten(&of(line)), Some(of(want)));
        }
    }

    #[test]
    fn the_first_calls_of_each_function_are_checked() {
        let calls = |count| "memset(a, 0, n);\n".repeat(count);
        let (many, most) = (calls(MOST_CHECKED + 9), calls(MOST_CHECKED));
        let text = format!("void f() {{ int a[4];\n{many}}}\nvoid g() {{ int a[4];\n{most}}}\n");
        let checked = rewritten(&text).unwrap();
        assert_eq!(checked.matches("__gpulearn_fits").count(), 2 * MOST_CHECKED);
        let last = checked.lines().nth(MOST_CHECKED).unwrap();
        assert!(last.contains("__gpulearn_fits"), "{last}");
        assert_eq!(checked.lines().nth(MOST_CHECKED + 1), Some("memset(a, 0, n);"));
    }

    #[test]
    fn what_is_no_local_array_or_has_effects_is_left() {
        for line in [
            "memset(p, 0, n);",
            "memset(a, 0, sizeof a);",
            "memset(a, 0, sizeof(a));",
            "memset(s.a, 0, n);",
            "s.memset(a, 0, n);",
            "s->memset(a, 0, n);",
            "memset(a + g[0](i), 0, n);",
            "memset(&a[i++], 0, n);",
            "memset(&a[f(i)], 0, n);",
            "memset(f(a), 0, n);",
            "memset(p, a[0], n);",
            "memset(a +\n 1, 0, n);",
            "memset(a, 0,\n#if 1\n n);\n#endif",
            "memset(a, 0);",
            "f<<<1, 1>>>([=] __device__ () { memset(a, 0, n); });",
            "memset(a, 0, n",
        ] {
            let text = format!("int main() {{ int a[4]; {{ char *p; }}\n{line}\n}}");
            assert_eq!(rewritten(&text), None, "{line}");
        }
        assert_eq!(rewritten("__global__ void k() { int a[4]; memset(a, 0, n); }"), None);
        assert_eq!(rewritten("int a[4]; void f() { memset(a, 0, n); }"), None);
    }
}
