//! Hints for atomic functions, which exist for some types only.

use super::MessageContext;
use super::arguments::is_pointer;
use cpp::{Family, comma_separated, names};

/// An atomic function whose arguments fit none of its versions.
pub fn no_version(here: &MessageContext) -> Option<String> {
    let name = *here.message.quoted.first()?;
    let types = here.message.argument_types()?.trim();
    let first = comma_separated(types.strip_prefix('(')?.strip_suffix(')')?).next()?.trim();
    if !Family::Atomic.has(name) {
        return None;
    }
    if !is_pointer(first) {
        return (!here.rest().contains('&'))
            .then(|| format!("{name} must know where: give it an address, {name}(&out[i], …)."));
    }
    let words: Vec<&str> = names(first).filter(|word| *word != "volatile").collect();
    let none = |ty: &str| format!("CUDA has no {name}() for {ty}");
    let bits = |bits: &str, ty: &str| format!("{name}(({ty} *)address, {bits}(…), …)");
    Some(match words[..] {
        ["const", ..] => format!("{name}() writes to its address, but what is there is const."),
        [ty @ ("float" | "double")] => {
            let (to_bits, whole) = match ty {
                "float" => ("__float_as_int", "int"),
                _ => ("__double_as_longlong", "long long"),
            };
            match name {
                "atomicMax" | "atomicMin" => format!(
                    "{}. The bits of numbers that are not negative are in the same order as integers: \
                     {name}(({whole} *)address, {to_bits}(value)). For all numbers, repeat atomicCAS() on the bits until it \
                     succeeds.",
                    none(ty)
                ),
                "atomicSub" => format!("{}: add the negative value, atomicAdd(address, -value).", none(ty)),
                "atomicCAS" if ty == "float" => {
                    format!("{}: compare the bits as integers, {}.", none(ty), bits(to_bits, whole))
                }
                "atomicCAS" => format!(
                    "{}: compare the bits as integers, {}.",
                    none(ty),
                    bits(to_bits, "unsigned long long")
                ),
                _ => return None,
            }
        }
        ["unsigned", "long"] | ["long"] | ["long", "long"] | ["size_t"] | ["int64_t"] | ["uint64_t"]
            if matches!(name, "atomicAdd" | "atomicExch" | "atomicCAS") =>
        {
            format!(
                "{}, but for unsigned long long, which has as many bits: {name}((unsigned long long *)address, …).",
                none(&words.join(" "))
            )
        }
        [.., "char" | "short" | "bool"] | ["int8_t" | "uint8_t" | "int16_t" | "uint16_t"] => {
            format!("{}: use an array of int.", none(&words.join(" ")))
        }
        _ => return None,
    })
}
