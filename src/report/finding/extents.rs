//! The extents of shared arrays, which PTX does not record: read from their declarations.

use cpp::{DeclaredArray, Source};
use judge::course::{Case, Formula};

/// Maximum number of constants that are looked up for one array.
const LOOK_UPS: usize = 32;

/// A `__shared__` declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shared {
    /// `extern __shared__ float s[]`: the launch gives its size.
    Extern,
    /// Extents, the slowest-varying first, all above zero.
    Extents(Vec<u64>),
}

/// Returns the declaration of a shared array of that name and size; `None` where there is none, where several
/// differ, or where the extents can't be evaluated.
pub fn shared_array(source: &Source, name: &str, size_bytes: u64) -> Option<Shared> {
    let mut found = None;
    for array in source.shared_arrays(name) {
        let shared = if array.is_extern { Shared::Extern } else { Shared::Extents(extents(source, &array)?) };
        let fits = match &shared {
            Shared::Extern => true,
            Shared::Extents(extents) => {
                let elements: u64 = extents.iter().try_fold(1u64, |all, n| all.checked_mul(*n))?;
                [1, 2, 4, 8, 16].iter().any(|bytes| elements.checked_mul(*bytes) == Some(size_bytes))
            }
        };
        match &found {
            _ if !fits => {}
            None => found = Some(shared),
            Some(known) if *known == shared => {}
            Some(_) => return None,
        }
    }
    found
}

/// Returns the extents of an array, the slowest-varying first, all above zero; `None` where they can't be
/// evaluated.
pub fn extents(source: &Source, array: &DeclaredArray) -> Option<Vec<u64>> {
    let mut look_ups = LOOK_UPS;
    let extents = array.extents.iter().map(|text| {
        let extent = number(source, text, &mut look_ups)?;
        u64::try_from(extent).ok().filter(|n| *n > 0)
    });
    let extents: Vec<u64> = extents.collect::<Option<_>>()?;
    (!extents.is_empty()).then_some(extents)
}

/// Evaluates a constant expression.
fn number(source: &Source, text: &str, look_ups: &mut usize) -> Option<i64> {
    let formula = Formula::parse(text.trim()).ok()?;
    let mut names = Vec::new();
    for name in formula.names() {
        *look_ups = look_ups.checked_sub(1)?;
        let value = source.constant(name)?;
        names.push((name.to_owned(), number(source, value, look_ups)?));
    }
    formula.value(&names.into_iter().collect::<Case>()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_come_from_the_declaration() {
        let source = "#define TILE 16 // for both
constexpr int PAD = 1, ROWS = TILE / 4;
template <int N> __global__ void f() {
    __shared__ float a[TILE][TILE + PAD], flat[2 * TILE];
    __shared__ float3 odd[4];
    __shared__ int unknown[N][2];
    static __shared__ double cube[ROWS][(2)][0x3];
    extern __shared__ float s[];
    /* __shared__ float flat[99]; */
}
";
        let source = Source::new(source);
        let extents = |extents: &[u64]| Some(Shared::Extents(extents.into()));
        assert_eq!(shared_array(&source, "a", 16 * 17 * 4), extents(&[16, 17]));
        assert_eq!(shared_array(&source, "a", 16 * 16 * 4), None);
        assert_eq!(shared_array(&source, "flat", 128), extents(&[32]));
        assert_eq!(shared_array(&source, "s", 400), Some(Shared::Extern));
        for (name, size) in [("odd", 48), ("unknown", 32), ("cube", 192), ("b", 4), ("TILE", 4)] {
            assert_eq!(shared_array(&source, name, size), None, "{name}");
        }
    }

    #[test]
    fn two_declarations_that_differ_say_nothing() {
        let two = |a: &str, b: &str| {
            let source = format!("void f() {{ __shared__ int t{a}; }}\nvoid g() {{ __shared__ int t{b}; }}");
            shared_array(&Source::new(&source), "t", 64)
        };
        assert_eq!(two("[4][4]", "[2][8]"), None);
        assert_eq!(two("[4][4]", "[4][4]"), Some(Shared::Extents(vec![4, 4])));
        assert_eq!(two("[4][4]", "[5][5]"), Some(Shared::Extents(vec![4, 4])));
    }

    #[test]
    fn names_that_lead_back_to_themselves_give_nothing() {
        let circular = "#define N M\n#define M N\n__shared__ int a[N];";
        assert_eq!(shared_array(&Source::new(circular), "a", 4), None);
    }
}
