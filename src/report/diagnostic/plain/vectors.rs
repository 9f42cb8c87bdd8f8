//! Hints for vector types such as `float4`.

use super::MessageContext;
use cpp::{names, vector_bytes};

/// A vector type, and the number of its values.
fn vector(ty: &str) -> Option<(&str, u32)> {
    let name = names(ty).find(|word| *word != "const" && vector_bytes(&[*word]).is_some())?;
    Some((name, name.chars().last()?.to_digit(10).filter(|count| [2, 4].contains(count))?))
}

/// A value of an array where a vector is wanted, or the reverse.
pub fn without_cast(here: &MessageContext) -> Option<String> {
    let [from, to, ..] = here.message.quoted[..] else { return None };
    let of_scalar = |ty: &str, name: &str| names(ty).last() == name.get(..name.len() - 1);
    let (array, (name, count), is_const) = match (vector(from), vector(to)) {
        (None, Some((name, count))) if of_scalar(from, name) && here.is_subscripted() => {
            (here.word(), (name, count), if from.starts_with("const") { "const " } else { "" })
        }
        (Some((name, count)), None) if of_scalar(to, name) => {
            let (left, _) = here.before().rsplit_once('=')?;
            (names(left.split_once('[')?.0).last()?, (name, count), "")
        }
        _ => return None,
    };
    Some(format!(
        "`{array}[…]` is one value. {count} at a time are accessed through a pointer to {name}, whose index counts \
         {name}s: reinterpret_cast<{is_const}{name} *>({array})[q]."
    ))
}

/// An operator between vectors, of which CUDA has none but `=`.
pub fn no_operators(here: &MessageContext) -> Option<String> {
    let operands = here.message.operand_types().filter(|_| here.message.quoted.first() != Some(&"="))?;
    let (name, count) = vector(operands)?;
    let (all, rest) = match count {
        2 => ("x and y", "y"),
        _ => ("x, y, z and w", "y, z and w"),
    };
    Some(format!(
        "CUDA defines no such operator for {name}: compute with its members {all}, as in sum.x += a * v.x, and the same for \
         {rest}."
    ))
}
