//! Hints for values of the wrong type: pointers, integers, members, constants.

use super::arguments::{has_comma_extents, is_pointer};
use super::spaces::PRINTF;
use super::{MessageContext, TWO_DIMENSIONS};
use compiler::MessageKind;
use cpp::{is_name_char, names};

/// Built-in variables with components x, y and z.
const OF_THREE: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];

pub fn no_pointer(here: &MessageContext) -> Option<String> {
    Some(format!("It is not a pointer: its members are accessed with a dot, as in {}.x.", here.word()))
}

pub fn member(here: &MessageContext) -> Option<String> {
    match here.message.quoted.as_slice() {
        ["uint3" | "dim3", ..] => Some("Its members are x, y and z.".into()),
        ["std", "cout" | "endl" | "cerr"]
            if here.message.kind == MessageKind::NoMemberOfNamespace && here.in_kernel() =>
        {
            Some(PRINTF.into())
        }
        ["std", name] if ["max", "min", "abs", "sqrt", "exp", "pow", "fabs"].contains(name) => {
            Some(format!("It works without std::, since CUDA's own {name} needs no header."))
        }
        _ => None,
    }
}

/// `threadIdx` without `.x`.
pub fn three_parts(here: &MessageContext) -> Option<String> {
    if !here.message.names("uint3") && !here.message.names("dim3") {
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
    let word = here.word();
    if OF_THREE.contains(&word) {
        return Some(format!("`{word}` is built in: it can be read, not set."));
    }
    if asks(here) {
        return Some("A single = assigns: == compares.".into());
    }
    if word.is_empty() || !declared_const(here.code, word) {
        return Some("What is on the left of = can't be changed: is it const, or a whole array?".into());
    }
    Some(match here.is_subscripted() {
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
    let inside = here.rest().split([')', ';']).next().unwrap_or_default();
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
    let part = here.rest().split(';').next().unwrap_or_default();
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

/// Element access on something that has no elements.
pub fn no_elements(here: &MessageContext) -> Option<String> {
    let word = Some(here.word()).filter(|word| !word.is_empty())?;
    if has_comma_extents(here.code, word) {
        return Some(TWO_DIMENSIONS.into());
    }
    let rest: String = here.rest().chars().filter(|c| !c.is_whitespace()).collect();
    Some(match rest.contains("][") {
        true => {
            format!("`{word}[…]` is one element already. A buffer has one index: {word}[row * cols + col].")
        }
        false => format!("`{word}` is one value: only pointers and arrays have elements."),
    })
}

/// Member access on something that has no members.
pub fn no_members(here: &MessageContext) -> Option<String> {
    const NUMBERS: [&str; 12] = [
        "float", "double", "int", "unsigned", "char", "long", "short", "bool", "size_t", "half", "__half",
        "void",
    ];
    let word = Some(here.word()).filter(|word| !word.is_empty())?;
    let ty = here.message.quoted.first()?;
    let of_numbers = names(ty).any(|word| NUMBERS.contains(&word));
    Some(match is_pointer(ty) {
        true if of_numbers => {
            format!(
                "`{word}` is a pointer: it has no members, and does not know how many elements there are."
            )
        }
        true => format!("`{word}` is a pointer: members are accessed through it with ->, as in {word}->x."),
        false => format!("`{word}` is one value: it has no members."),
    })
}
