//! Hints for values of the wrong type: pointers, integers, members, constants.

use super::MessageContext;
use super::arguments::{TWO_DIMENSIONS, has_comma_extents};
use compiler::MessageKind;
use cpp::{is_name_char, names};

/// Built-in variables with components x, y and z.
const OF_THREE: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];

pub fn member(here: &MessageContext) -> Option<String> {
    if here.kind == MessageKind::ArrowWithoutPointer {
        return Some(format!(
            "It is not a pointer: its members are accessed with a dot, as in {}.x.",
            here.word()
        ));
    }
    let of_namespace = here.kind == MessageKind::NoMemberOfNamespace;
    if here.kind != MessageKind::NoMember && !of_namespace {
        return None;
    }
    match here.quoted {
        ["uint3" | "dim3", ..] => Some("Its members are x, y and z.".into()),
        ["std", "cout" | "endl" | "cerr"]
            if of_namespace && (!here.program || here.source.kernel_lines(here.line).is_some()) =>
        {
            Some("A kernel prints with printf: printf(\"%d\\n\", i).".into())
        }
        ["std", name] if ["max", "min", "abs", "sqrt", "exp", "pow", "fabs"].contains(name) => {
            Some(format!("It works without std::, since CUDA's own {name} needs no header."))
        }
        _ => None,
    }
}

/// `threadIdx` without `.x`.
pub fn three_parts(here: &MessageContext) -> Option<String> {
    if !(here.message.contains("uint3\"")
        || here.message.contains("dim3\"")
        || here.message.contains(" uint3")
        || here.message.contains(" dim3"))
    {
        return None;
    }
    let whole = OF_THREE.iter().find(|name| {
        let mut places = here.text.match_indices(*name);
        places.any(|(at, _)| {
            let rest = &here.text[at + name.len()..];
            !rest.trim_start().starts_with(['.', '-']) && !rest.starts_with(is_name_char)
        })
    })?;
    Some(format!("`{whole}` has three members: did you mean {whole}.x?"))
}

pub fn read_only(here: &MessageContext) -> Option<String> {
    if here.kind != MessageKind::NotModifiable {
        return None;
    }
    let word = here.word();
    let is = |name: &str| word == name;
    if OF_THREE.iter().any(|name| is(name)) {
        return Some(format!("`{word}` is built in: it can be read, not set."));
    }
    if asks(here) {
        return Some("A single = assigns: == compares.".into());
    }
    if word.is_empty() || !declared_const(here.code, &word) {
        return Some("What is on the left of = can't be changed: is it const, or a whole array?".into());
    }
    Some(match here.rest().strip_prefix(&*word).is_some_and(|rest| rest.trim_start().starts_with('[')) {
        true => format!(
            "`{word}` is const, an input: its elements can be read, not written. Where should the result go?"
        ),
        false => format!("`{word}` is const: it keeps the value that it was given."),
    })
}

/// Returns whether the place is in the condition of an `if` or a `while`, followed by a single `=`.
fn asks(here: &MessageContext) -> bool {
    let before = here.before();
    let Some(open) = before.rfind('(') else { return false };
    let question = names(&before[..open]).last().is_some_and(|word| matches!(word, "if" | "while"));
    let rest = here.rest();
    let inside = rest.split([')', ';']).next().unwrap_or_default();
    let single = inside.match_indices('=').any(|(at, _)| {
        !inside[..at].ends_with(['=', '!', '<', '>', '+', '-', '*', '/', '%', '&', '|', '^'])
            && !inside[at + 1..].starts_with('=')
    });
    question && before[..open].trim_end().ends_with(['f', 'e']) && single
}

/// Returns whether the source has a declaration such as `const float *name`.
fn declared_const(code: &str, name: &str) -> bool {
    code.split([',', ';', '(', ')', '{', '}', '=']).any(|piece| {
        let is_const = names(piece).any(|word| matches!(word, "const" | "constexpr"));
        is_const && names(piece).any(|word| word == name)
    })
}

pub fn not_whole(here: &MessageContext) -> Option<String> {
    if here.kind != MessageKind::NotIntegral {
        return None;
    }
    let rest = here.rest();
    let part: String = rest.chars().take_while(|c| *c != ';').collect();
    Some(match () {
        () if here.has("<<") && !here.has("<<<") && here.has(">>(") => {
            "A launch has three angle brackets on each side: kernel<<<blocks, threads>>>(…).".into()
        }
        () if here.before().trim_end().ends_with('[') => {
            "An index is a whole number: declare it as int.".into()
        }
        () if part.contains('%') => "% is for whole numbers: for floats the remainder is fmodf(x, y).".into(),
        () if part.contains('^') => "^ is not a power: write x * x, or powf(x, y).".into(),
        () => return None,
    })
}

/// Element or member access on something that has neither.
pub fn no_elements(here: &MessageContext) -> Option<String> {
    const NUMBERS: [&str; 12] = [
        "float", "double", "int", "unsigned", "char", "long", "short", "bool", "size_t", "half", "__half",
        "void",
    ];
    let word = here.word();
    if here.kind == MessageKind::NotPointer && !word.is_empty() {
        let rest: String = here.rest().chars().filter(|c| !c.is_whitespace()).collect();
        if has_comma_extents(here.code, &word) {
            return Some(TWO_DIMENSIONS.into());
        }
        return Some(match rest.contains("][") {
            true => format!(
                "`{word}[…]` is one element already. A buffer has one index: {word}[row * cols + col]."
            ),
            false => format!("`{word}` is one value: only pointers and arrays have elements."),
        });
    }
    if here.kind != MessageKind::NotClass || word.is_empty() {
        return None;
    }
    let ty = here.quoted.first()?;
    let of_numbers = names(ty).any(|word| NUMBERS.contains(&word));
    Some(match ty.trim_end().ends_with('*') {
        true if of_numbers => {
            format!(
                "`{word}` is a pointer: it has no members, and does not know how many elements there are."
            )
        }
        true => format!("`{word}` is a pointer: members are accessed through it with ->, as in {word}->x."),
        false => format!("`{word}` is one value: it has no members."),
    })
}
