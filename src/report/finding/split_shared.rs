//! Shared variables that the compiler has split: of an array or a structure that a kernel accesses at known places
//! alone, it keeps those parts, each as a variable of its own.

use super::extents::extents;
use cpp::Source;
use sim::{Access, Evidence, Finding, MemoryName, Target};
use std::borrow::Cow;

/// Returns the variable that an access touches a part of. In a finding whose elements are [`joined`], the file does not
/// tell the part's place within it: it is a member, say.
pub fn partly(access: &Access) -> Option<&str> {
    match &access.target {
        Target::Shared { name: MemoryName::Part { of, .. }, .. } => Some(of),
        _ => None,
    }
}

/// Returns the finding with elements that the compiler has split off as elements of what the file declares.
pub fn joined<'f>(finding: &'f Finding, source: &Source) -> Cow<'f, Finding> {
    if std::iter::once(&finding.at).chain(&finding.other).all(|side| partly(side).is_none()) {
        return Cow::Borrowed(finding);
    }
    let mut finding = finding.clone();
    for side in std::iter::once(&mut finding.at).chain(&mut finding.other) {
        side.target = element(&side.target, source).unwrap_or_else(|| side.target.clone());
    }
    // It is of the part alone.
    finding.evidence.retain(|fact| !matches!(fact, Evidence::WrittenAround { .. }));
    Cow::Owned(finding)
}

/// Returns an element, or a row of them, as a place in its array.
fn element(target: &Target, source: &Source) -> Option<Target> {
    let Target::Shared { name: MemoryName::Part { of, path }, size_bytes, offset_bytes } = target else {
        return None;
    };
    let declared = source.shared_arrays(of);
    let mut all = declared.iter().map(|array| extents(source, array));
    let extents = all.next()??;
    let fits = path.iter().zip(&extents).all(|(index, extent)| index < extent);
    if path.is_empty() || path.len() > extents.len() || !fits || all.any(|its| its.as_ref() != Some(&extents))
    {
        return None;
    }
    let number = path
        .iter()
        .zip(&extents)
        .try_fold(0u64, |n, (index, extent)| n.checked_mul(*extent)?.checked_add(*index))?;
    let count = extents[..path.len()].iter().try_fold(1u64, |all, n| all.checked_mul(*n))?;
    Some(Target::Shared {
        name: of.clone().into(),
        size_bytes: count.checked_mul(*size_bytes)?,
        offset_bytes: i64::try_from(number.checked_mul(*size_bytes)?).ok()?.checked_add(*offset_bytes)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::remedy::tests::{access, finding};
    use sim::{AccessKind, FindingKind};

    const SOURCE: &str = "__global__ void f() {
    __shared__ float tile[4][8], w[6];
    __shared__ Acc acc, accs[4];
}";

    fn shared(name: impl Into<MemoryName>, size_bytes: u64, offset_bytes: i64) -> Target {
        Target::Shared { name: name.into(), size_bytes, offset_bytes }
    }

    fn part(of: &str, path: &[u64], size_bytes: u64, offset_bytes: i64) -> Target {
        shared(MemoryName::Part { of: of.into(), path: path.into() }, size_bytes, offset_bytes)
    }

    fn joined_to(target: Target) -> Target {
        let found = finding(FindingKind::Uninitialised, access(AccessKind::Read, 0, 2, target), None);
        joined(&found, &Source::new(SOURCE)).into_owned().at.target
    }

    #[test]
    fn elements_are_those_of_their_arrays() {
        assert_eq!(joined_to(part("tile", &[2, 3], 4, 0)), shared("tile", 128, 76));
        assert_eq!(joined_to(part("tile", &[2], 32, 12)), shared("tile", 128, 76), "a row");
        assert_eq!(joined_to(part("w", &[4], 4, 0)), shared("w", 24, 16));
        assert_eq!(joined_to(shared("w", 24, 16)), shared("w", 24, 16));
    }

    #[test]
    fn members_and_what_the_file_does_not_declare_are_parts() {
        for (of, path) in [("acc", &[1][..]), ("accs", &[2, 1]), ("w", &[6]), ("w", &[]), ("other", &[1])] {
            assert_eq!(joined_to(part(of, path, 4, 0)), part(of, path, 4, 0));
            let of_part = access(AccessKind::Read, 0, 2, part(of, path, 4, 0));
            assert_eq!(partly(&of_part), Some(of));
        }
        assert_eq!(partly(&access(AccessKind::Read, 0, 2, shared("w", 24, 16))), None);
    }
}
