//! Hints for calls, launches and declarations with wrong arguments.

use super::{LaunchPart, MessageContext};
use compiler::{MessageKind, Subject};
use cpp::{Family, Launch, closing, comma_separated, is_name_char, names, uses};

fn is_const(ty: &str) -> bool {
    names(ty).any(|word| word == "const")
}

pub fn is_pointer(ty: &str) -> bool {
    ty.trim_end().ends_with('*')
}

/// One value between `<<<` and `>>>`.
pub fn launch(here: &MessageContext) -> Option<String> {
    (here.subject == Some(&Subject::LaunchOfOneValue)).then(|| {
        "The blocks of the grid come first, then the threads of a block: <<<(n + 255) / 256, 256>>>.".into()
    })
}

/// A stream in the place of the bytes of shared memory.
pub fn stream(here: &MessageContext) -> Option<String> {
    let (from, to) = here.message.argument_and_parameter()?;
    let inside = here.launch_part() == Some(LaunchPart::Configuration);
    let stream = here.message.quoted.first() == Some(&"cudaStream_t");
    (inside && stream && is_pointer(from) && !is_pointer(to)).then(|| {
        "The third value is bytes of shared memory, the stream is the fourth: <<<blocks, threads, 0, stream>>>."
            .into()
    })
}

/// A copy whose destination is const.
pub fn destination(here: &MessageContext) -> Option<String> {
    let (from, to) = here.message.argument_and_parameter()?;
    let name = names(here.before()).last().filter(|name| Family::Copy.has(name))?;
    let first =
        here.before().trim_end().strip_suffix('(').is_some_and(|call| call.trim_end().ends_with(name));
    let taken = first && is_const(from) && is_pointer(from) && is_pointer(to) && !is_const(to);
    taken.then(|| {
        format!(
            "The first argument of {name}() is where to copy to, but `{}` is const: it can only be read.",
            here.word()
        )
    })
}

pub fn pointer_assigned(here: &MessageContext) -> Option<String> {
    let [from, to, ..] = here.message.quoted[..] else { return None };
    let text = match (is_pointer(from), is_pointer(to)) {
        (true, true) if here.message.kind == MessageKind::WrongAssignment => {
            "Both sides are pointers, not elements: say which element, as in out[i] = in[i]."
        }
        (true, true) if is_const(from) => "What is const stays const: declare the pointer with const too.",
        (true, false) => "The right side is a pointer: say which element, as in in[i].",
        (false, true) => "The left side is a pointer: say which element, as in out[i] = …",
        _ => return None,
    };
    Some(text.into())
}

pub fn pointer_passed(here: &MessageContext) -> Option<String> {
    let (from, to) = here.message.argument_and_parameter()?;
    let call = "The call writes to it, so it must know where that is";
    match (is_pointer(from), is_pointer(to)) {
        (true, false) => Some("That is a pointer: say which element, as in in[i].".into()),
        _ if is_address_of(from, to) && here.is_macro() => {
            Some(match here.argument_of("cuda").filter(|its| its.chars().all(is_name_char)) {
                Some(its) => format!("{call}: &{its}."),
                None => format!("{call}: give it an address, with &."),
            })
        }
        _ if is_address_of(from, to)
            && !here.word().is_empty()
            && here.launch_part() != Some(LaunchPart::Arguments) =>
        {
            Some(format!("{call}: &{}.", here.word()))
        }
        (false, true) if is_handle(to) => None,
        (false, true) => Some("A pointer is expected: the address of an element is &out[i].".into()),
        _ => None,
    }
}

/// Returns whether a type is what a handle of CUDA points to, such as `CUevent_st *`.
fn is_handle(ty: &str) -> bool {
    ty.trim_end_matches(['*', ' ']).ends_with("_st")
}

/// Returns whether the second type is a pointer to the first.
fn is_address_of(from: &str, to: &str) -> bool {
    to.strip_suffix('*').is_some_and(|of| of.trim_end() == from.trim_end())
}

/// Returns whether the place is as in `tile[y, x]`, which the compiler reads as a row.
pub fn has_comma_in_index(here: &MessageContext) -> bool {
    let behind = here.rest()[here.word().len()..].strip_prefix('[');
    let inside = behind.and_then(|behind| behind.split(']').next()).unwrap_or_default();
    inside.contains(',') && !inside.contains(['(', '{', ';'])
}

/// `out[row, col]`, which is `out[col]`.
pub fn comma_in_index(here: &MessageContext) -> Option<String> {
    let array = names(here.before().trim_end().strip_suffix('[')?).last()?;
    let (_, column) = here.rest().split(']').next()?.rsplit_once(',')?;
    Some(match here.source.shared_arrays(array).is_empty() {
        true => format!(
            "A comma drops what is before it: this is {array}[{}]. A buffer has one index, as in {array}[row * cols + col].",
            column.trim()
        ),
        false => super::TWO_DIMENSIONS.into(),
    })
}

/// A launch as the argument of a macro that checks what calls return.
pub fn launch_in_macro(here: &MessageContext) -> Option<String> {
    let name = here.message.quoted.first()?;
    let tokens = here.source.tokens();
    let is_argument = |its: Launch| {
        let mut around = tokens.brackets_around(its.kernel.start);
        around.any(|open| tokens.line(open) == here.line && tokens.before(open, 1) == name.as_bytes())
    };
    tokens.launches().any(is_argument).then(|| {
        format!(
            "A launch returns nothing that {name} could look at: launch in a statement of its own, and after it \
             {name}(cudaGetLastError());"
        )
    })
}

/// A copy whose last argument is missing.
pub fn copy_without_direction(here: &MessageContext) -> Option<String> {
    const COPIES: [&str; 2] = ["cudaMemcpy", "cudaMemcpyAsync"];
    let name = here.source.named_on(here.line, COPIES)?;
    let is_short = |behind: &str| {
        let end = closing([b'('].into_iter().chain(behind.bytes()));
        end.is_some_and(|end| comma_separated(&behind[..end - 1]).count() == 3)
    };
    here.source.calls_on(here.line, COPIES).any(is_short).then(|| {
        format!(
            "{name}() has a fourth argument, the direction: cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost or \
             cudaMemcpyDeviceToDevice."
        )
    })
}

/// An array passed to a reference to an array of another length.
pub fn length_of_array(here: &MessageContext) -> Option<String> {
    let length = |ty: &str| ty.strip_suffix(']')?.rsplit_once('[')?.1.parse::<u64>().ok();
    let [to, from, ..] = here.message.quoted[..] else { return None };
    let (to, from) = (length(to)?, length(from)?);
    (to != from).then(|| format!("The array has {from} elements, but one of {to} is expected."))
}

/// Parentheses after something that is not a function.
pub fn no_call(here: &MessageContext) -> Option<String> {
    let word = here.word();
    let behind = &here.rest()[word.len()..];
    let end = behind.find(|c| !is_name_char(c) && c != '.').unwrap_or(behind.len());
    let member = &behind[..end];
    if member.len() > 1 && member.starts_with('.') {
        return Some(format!("{word}{member} is a value, not a function: leave out the ()."));
    }
    (!word.is_empty())
        .then(|| format!("Round brackets call a function; square ones select an element: {word}[…]."))
}

/// Warp operations without a mask, as they were before the `_sync` variants.
pub fn old_shuffle(here: &MessageContext) -> Option<String> {
    const OLD: [&str; 7] = ["__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__any", "__all", "__ballot"];
    let name = here.message.quoted.first().filter(|name| OLD.contains(name))?;
    let other = if Family::Shuffle.has(name) { "value, …" } else { "condition" };
    Some(format!(
        "CUDA no longer has {name}(): use {name}_sync(0xffffffff, {other}), whose mask names the lanes that take part."
    ))
}

/// No overload of the function takes these arguments.
pub fn overloaded(here: &MessageContext) -> Option<String> {
    let name = here.message.quoted.first()?.rsplit("::").next()?;
    if let Some(size) = tile_with_parent(here) {
        return Some(format!(
            "A tile's type has two parts, its size and the group that it is a part of, so N is not found from a parameter \
             of type thread_block_tile<N>. Take any type, as in template <typename Tile>, with tile.size(); or \
             give the size at the call: {name}<{size}>(…)."
        ));
    }
    Some(match name {
        "cudaMalloc" | "cudaMallocManaged" | "cudaMallocHost" => return allocation(name, here),
        "cudaEventCreate" | "cudaGraphInstantiate" | "cudaGraphInstantiateWithFlags" if !here.rest().contains('&') => {
            format!("{name} creates what it is given the address of, so it must know where that is: {name}(&x, …).")
        }
        "max" | "min" => of_one_type(name),
        name if Family::Shuffle.has(name) => {
            format!("The mask of the lanes comes first: {name}(0xffffffff, value, …).")
        }
        "load_matrix_sync" => "It takes the fragment, a pointer of the fragment's type to where the tile begins, and \
                               the number of elements from one row to the next: load_matrix_sync(tile, a + start, \
                               columns); for an accumulator also the layout."
            .into(),
        "store_matrix_sync" => "It takes where the tile begins, the fragment, the number of elements from one row to \
                                the next and the layout: \
                                store_matrix_sync(out + start, sum, columns, wmma::mem_row_major)."
            .into(),
        "fill_fragment" => "It takes the fragment and a number of its type: fill_fragment(sum, 0.0f).".into(),
        "mma_sync" => "It takes the result, the two tiles and what is added: mma_sync(sum, a, b, sum).".into(),
        _ => return None,
    })
}

/// Returns the size of a tile that is an argument, in a program with a parameter that names only a tile's size.
fn tile_with_parent<'a>(here: &MessageContext<'a>) -> Option<&'a str> {
    let (size, parent) = here.message.tile()?;
    let names_size = |(_, rest): (&str, &str)| {
        let written = rest.strip_prefix('<').and_then(|rest| rest.split('>').next());
        written.is_some_and(|written| !written.contains(','))
    };
    let is_tile = parent.starts_with("cooperative_groups::");
    (is_tile && uses(here.code, "thread_block_tile").any(names_size)).then_some(size)
}

/// What an allocation function was passed instead of a pointer's address.
fn allocation(name: &str, here: &MessageContext) -> Option<String> {
    let given = here.argument_of(name)?;
    let is_name = |text: &str| !text.is_empty() && text.chars().all(is_name_char);
    let uncast = given.rsplit_once(')').map_or(given, |(_, rest)| rest).trim();
    let variable = uncast.strip_prefix('&').map(str::trim);
    Some(match variable.filter(|its| is_name(its)) {
        Some(variable) if uncast != given => {
            format!(
                "{name} takes the address of a pointer, without a cast or cast to (void **): {name}(&{variable}, …)."
            )
        }
        Some(variable) => format!(
            "`{variable}` is not a pointer: is it declared with its own *? In `float *a, b;` it belongs to a alone."
        ),
        None => {
            let shown = if is_name(uncast) { uncast } else { "d" };
            format!(
                "{name} puts an address into your pointer, so it must know where that is: {name}(&{shown}, …)."
            )
        }
    })
}

/// For a call that is ambiguous between overloads: returns the function's name and the types of the arguments.
fn ambiguous<'a>(here: &MessageContext<'a>) -> Option<(&'a str, &'a str)> {
    Some((here.message.quoted.first()?, here.message.argument_types()?))
}

/// A floating-point function called with a half, which converts to several types.
pub fn of_halves(here: &MessageContext) -> Option<String> {
    let (name, given) = ambiguous(here)?;
    let to_float = match () {
        () if names(given).any(|name| Family::Half.has(name)) => "__half2float",
        () if names(given).any(|name| Family::BFloat16.has(name)) => "__bfloat162float",
        () => return None,
    };
    let argument = here.rest().split_once('(').and_then(|(_, rest)| rest.split([',', ')', '(']).next());
    let argument = argument.unwrap_or("x").trim();
    Some(format!("{name}() takes a float or a double: {name}({to_float}({argument})).").replace("std::", ""))
}

fn of_one_type(name: &str) -> String {
    format!("{name}(a, b) takes two numbers of the same type.")
}

/// A function called with numbers that convert to what several of its overloads take, such as a floating-point function
/// with integers; or `min()` and `max()` of two types of integers.
pub fn of_numbers(here: &MessageContext) -> Option<String> {
    let (name, given) = ambiguous(here)?;
    let given = given.trim().strip_prefix('(')?.split_once(')')?.0;
    let is_whole = |word: &str| {
        matches!(word, "const" | "unsigned" | "int" | "long" | "short" | "char" | "size_t" | "bool")
    };
    let is_floating = |word: &str| matches!(word, "float" | "double");
    let name = name.rsplit("::").next()?;
    if matches!(name, "max" | "min") {
        return Some(of_one_type(name));
    }
    if !names(given).all(|word| is_whole(word) || is_floating(word)) {
        return None;
    }
    let more = if given.contains(',') { ", …" } else { "" };
    // The overloads follow the name, each with its parameters.
    let parameters =
        |overload: &&str| overload.split_once('(').is_some_and(|(_, all)| names(all).all(is_floating));
    Some(match here.message.quoted[1..].iter().all(parameters) && names(given).all(is_whole) {
        true => format!(
            "For whole numbers, {name} may be that of floats or of doubles: say which, as in {name}((float)n{more})."
        ),
        false => format!(
            "Several overloads of {name} can take this, each after a conversion: cast to the types of the one that is \
             meant, as in {name}((double)n{more})."
        ),
    })
}

/// `out = a + b` on pointers.
pub fn pointers_added(here: &MessageContext) -> Option<String> {
    let first = here.before().trim_end().strip_suffix('+').map(str::trim_end)?;
    let start = first.rfind(|c: char| !is_name_char(c)).map_or(0, |at| at + 1);
    let (first, second) = (&first[start..], here.word());
    let is_pointer = |name: &str| !here.source.pointees(name).is_empty();
    (is_pointer(first) && is_pointer(second)).then(|| {
        format!("`{first}` and `{second}` are pointers: say which elements, as in {first}[i] + {second}[i].")
    })
}

/// `__shared__ int own[8] = {0};`
pub fn initial_values(here: &MessageContext) -> Option<String> {
    let name = here.word();
    Some(match here.is_subscripted() {
        true => format!(
            "The threads must set it: if (threadIdx.x < …) {name}[threadIdx.x] = …; and then __syncthreads(), before \
             any thread reads it."
        ),
        false => format!("A thread must set it: if (threadIdx.x == 0) {name} = …; and then __syncthreads()."),
    })
}

/// Returns whether an array is declared as `name[a, b]`.
pub fn has_comma_extents(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let whole = !code[..at].ends_with(is_name_char);
        let typed = names(&code[..at]).last().is_some_and(|word| code[..at].trim_end().ends_with(word));
        let behind = code[at + name.len()..].trim_start().strip_prefix('[');
        let inside = behind.and_then(|behind| behind.split([']', ';']).next());
        whole && typed && inside.is_some_and(|inside| inside.contains(',') && !inside.contains(['(', '{']))
    })
}

pub fn size_of_array(here: &MessageContext) -> Option<String> {
    if here.before().trim_end().ends_with('<') {
        return Some(
            "What is between < and > must be known when the code is compiled: a number, or a constexpr. A loop \
             variable is neither."
                .into(),
        );
    }
    if here.before().split(|c: char| !c.is_alphanumeric()).any(|word| word == "case") {
        return Some("What follows `case` must be known when the code is compiled.".into());
    }
    if !here.before().contains('[') {
        return None;
    }
    // A suitable constant that the file already has.
    let most = names(here.code).find(|name| name.starts_with("MAX_"));
    Some(match (here.source.names_on(here.line, "__shared__"), most) {
        (true, Some(most)) => format!("The compiler must know the size: {most} is as large as it ever gets."),
        (true, None) => {
            "The compiler must know the size: a number, or a constexpr that is as large as it ever gets. \
                         (With `extern __shared__ float s[];` the launch gives the size.)"
                .into()
        }
        (false, _) => "The compiler must know the size of an array: a number, or a constexpr.".into(),
    })
}
