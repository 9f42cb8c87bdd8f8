//! Remedies for accesses to several values at a time, as through a pointer to `float4`.

use crate::about::About;
use crate::finding::extents::{Shared, shared_array};
use crate::finding::place::own_line;
use crate::layout::grouped;
use cpp::{names, uses, vector_bytes};
use sim::{Access, Target};

/// Returns what to say about a shared array whose rows are no multiple of the access's size.
pub fn row(at: &Access, about: &About) -> Option<String> {
    let Target::Shared { name, size_bytes, .. } = &at.target else { return None };
    let Some(Shared::Extents(extents)) = shared_array(about.source, name, *size_bytes) else { return None };
    let (elements, [_, .., row]) = (extents.iter().product::<u64>(), &extents[..]) else { return None };
    let row_bytes = size_bytes / elements * row;
    (row_bytes % u64::from(at.bytes) != 0).then(|| {
        format!(
            "A row of `{name}` has {row} elements, {row_bytes} bytes, which is no multiple of {bytes}: not every row begins \
             where an access of {bytes} bytes may. How long must a row be for that?",
            bytes = at.bytes
        )
    })
}

/// Returns what to ask where the line indexes a buffer through a pointer to a vector type, and the index is past the last
/// vector.
pub fn index(at: &Access, about: &About) -> Option<String> {
    let Target::Buffer { name, size_bytes, offset_bytes } = &at.target else { return None };
    let bytes = u64::from(at.bytes);
    let offset = u64::try_from(*offset_bytes).ok().filter(|offset| bytes > 0 && offset % bytes == 0)?;
    let vector = indexed_as(about.source.code_line(own_line(at, about)?), name)?;
    let (index, all) = (offset / bytes, size_bytes / bytes);
    (vector_bytes(&[vector]) == Some(at.bytes) && index >= all).then(|| match index == all && size_bytes % bytes != 0 {
        true => format!(
            "Only the first of this {vector}'s values exist: let the condition ask for the last one, and take what is left \
             one by one."
        ),
        false => format!(
            "Through a pointer to {vector} an index counts whole {vector}s, of which `{name}` has {}; here it is {}. Does it \
             count single values?",
            grouped(all),
            grouped(index)
        ),
    })
}

/// `((const float4 *)x)[i]`, `reinterpret_cast<float4 *>(x)[i]`: returns the vector type to which `x` is cast before it is
/// indexed.
fn indexed_as<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    uses(line, name).find_map(|(before, behind)| {
        let is_indexed = behind.trim_start().strip_prefix(')')?.trim_start().starts_with('[');
        let cast = before.trim_end();
        let to = cast.strip_suffix("*>(").or_else(|| cast.strip_suffix("*)")).filter(|_| is_indexed)?;
        let vector = names(to).last()?;
        (vector_bytes(&[vector]).is_some() && to.trim_end().ends_with(vector)).then_some(vector)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{access, remedy_for};
    use super::*;
    use sim::{AccessKind, FindingKind};

    fn wide(target: Target) -> Access {
        Access { bytes: 16, ..access(AccessKind::Read, 0, 2, target) }
    }

    #[test]
    fn a_row_that_is_no_multiple_is_told_with_its_length() {
        let tell = |columns: u64| {
            let target = Target::Shared {
                name: "tile".into(),
                size_bytes: 8 * columns * 4,
                offset_bytes: columns as i64 * 4,
            };
            let source = format!("__shared__ float tile[8][{columns}];\nv = *(float4 *)&tile[k][y];\n");
            remedy_for(FindingKind::Misaligned, wide(target), None, &source)
        };
        assert!(tell(129).starts_with("A row of `tile` has 129 elements, 516 bytes"), "{}", tell(129));
        assert!(tell(128).starts_with("An access of 16 bytes"), "{}", tell(128));
    }

    #[test]
    fn an_index_of_vectors_is_told_from_one_of_values() {
        let tell = |offset_bytes, line: &str| {
            let target = Target::Buffer { name: "x".into(), size_bytes: 400, offset_bytes };
            remedy_for(FindingKind::OutOfBounds, wide(target), None, &format!("\n{line}\n"))
        };
        let said = tell(400, "v = ((const float4 *)x)[i];");
        assert!(
            said.starts_with(
                "Through a pointer to float4 an index counts whole float4s, of which `x` has 25"
            ),
            "{said}"
        );
        let part = remedy_for(
            FindingKind::OutOfBounds,
            wide(Target::Buffer { name: "x".into(), size_bytes: 404, offset_bytes: 400 }),
            None,
            "\nv = ((const float4 *)x)[i];\n",
        );
        assert!(part.starts_with("Only the first of this float4's values exist"), "{part}");
        assert!(tell(400, "v = reinterpret_cast<float4 *>(x)[i];").contains("here it is 25"));
        for line in ["v = *(float4 *)(x + i);", "v = x[i];", "v = ((float2 *)x)[i];"] {
            assert!(!tell(400, line).starts_with("Through"), "{line}");
        }
    }
}
