//! The unit in which positions in a shared array are counted: elements, or bytes of them.

use super::extents::extents;
use crate::about::About;
use cpp::{NumberType, Source, names, vector_bytes};

/// A shared array's own unit, which may differ from the width of an access to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Numbers, or vectors of numbers, of this many bytes.
    Element(u32),
    /// A type with members, such as a struct; its size in bytes, where it is known.
    Parts(Option<u64>),
    /// Not known; an access is then assumed to be one element.
    Unknown,
}

/// Words of a declaration that do not name the variable's type.
const ASIDE: [&str; 7] = ["static", "extern", "const", "volatile", "__align__", "alignas", "typename"];
/// Size of the widest element type that is not a struct.
const WIDEST: u64 = 16;

/// Returns the unit of the shared array of that name and size, from its declarations.
pub fn unit(source: &Source, name: &str, size_bytes: u64) -> Unit {
    let mut found = None;
    for array in source.shared_arrays(name) {
        let words: Vec<&str> = names(array.ty).filter(|word| !ASIDE.contains(word)).collect();
        let each = extents(source, &array).and_then(|extents| {
            let elements = extents.iter().try_fold(1u64, |all, n| all.checked_mul(*n))?;
            (size_bytes.is_multiple_of(elements)).then_some((size_bytes / elements, extents.len()))
        });
        let parts = Unit::Parts(each.filter(|(_, extents)| *extents == 1).map(|(bytes, _)| bytes));
        let unit = match (number_bytes(&words), each) {
            (Some(bytes), _) => Unit::Element(bytes),
            _ if has_parts(source, &words) => parts,
            (None, Some((bytes @ (1 | 2 | 4 | 8 | WIDEST), _))) => Unit::Element(bytes as u32),
            (None, Some((bytes, _))) if bytes > WIDEST => parts,
            _ => Unit::Unknown,
        };
        match found {
            None => found = Some(unit),
            Some(known) if known == unit => {}
            Some(_) => return Unit::Unknown,
        }
    }
    found.unwrap_or(Unit::Unknown)
}

/// Returns whether a buffer holds structs, whose size is not known: decided by the declarations of the pointer of
/// its name, where no lesson gives the element type.
pub fn is_of_structs(name: &str, about: &About) -> bool {
    if about.element_bytes.contains_key(name) {
        return false;
    }
    let of = about.source.pointees(name);
    let is_number = |ty: &str| number_bytes(&[ty]).is_some();
    of.iter().any(|ty| has_parts(about.source, &[ty])) && !of.iter().any(|ty| is_number(ty))
}

/// Returns the size of the numbers that pointers of a name lead to, if all of its declarations agree.
pub fn pointed_bytes(source: &Source, name: &str) -> Option<u32> {
    let mut sizes = source.pointees(name).into_iter().map(|ty| number_bytes(&[ty]));
    let first = sizes.next()??;
    sizes.all(|bytes| bytes == Some(first)).then_some(first)
}

/// Returns the size in bytes of a type of numbers, or of vectors of numbers.
fn number_bytes(words: &[&str]) -> Option<u32> {
    vector_bytes(words).or_else(|| NumberType::of(words).map(|its| its.bytes))
}

/// Returns whether the words name a struct, a class or a union declared in the file.
fn has_parts(source: &Source, words: &[&str]) -> bool {
    let Some(name) = words.last().map(|name| name.as_bytes()) else { return false };
    let tokens = source.tokens();
    let is_kind = |word: &[u8]| matches!(word, b"struct" | b"class" | b"union");
    let declares = |at: usize| {
        let mut ends = (at..tokens.count()).filter(|at| matches!(tokens.word(*at), b"{" | b";" | b":"));
        let last = ends.next().unwrap_or(tokens.count()) - 1;
        // The name comes last; otherwise it may be a template parameter.
        tokens.is(last - usize::from(tokens.is(last, b"final")), name)
    };
    // `typedef struct { … } Name;`
    let is_typedef = |at| tokens.is(at, b"}") && tokens.is(at + 1, name) && tokens.is(at + 2, b";");
    // The latter is of cuRAND's header.
    words.iter().any(|word| is_kind(word.as_bytes()) || word.starts_with("curandState"))
        || (0..tokens.count()).any(|at| is_kind(tokens.word(at)) && declares(at) || is_typedef(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_buffer_of_structs_is_known_by_its_pointer() {
        let source = "struct P { int a, b; };
typedef struct { int a, b; } Q;
__global__ void k(const P *__restrict__ p, int *n, T *t, Q *both) { x = y * P; }
int main() { if (n) { n++; }
    Q *d_q, *d_r; curandState *states; const P *one = make(1, 2), first, *last; int *both; f(n, one); return *d_r; }
";
        let source = Source::new(source);
        let about = About::program("a.cu", &source);
        for (name, expected) in [
            ("p", true),
            ("n", false),
            ("t", false),
            ("d_q", true),
            ("states", true),
            ("d_r", true),
            ("one", true),
            ("last", true),
            ("first", false),
            ("both", false),
            ("absent", false),
        ] {
            assert_eq!(is_of_structs(name, &about), expected, "{name}");
        }
        let element_bytes = BTreeMap::from([("p".to_string(), 4)]);
        assert!(!is_of_structs("p", &About { element_bytes, ..about }));
    }

    #[test]
    fn an_array_is_counted_in_what_it_was_declared_of() {
        let source = "struct Tiles { float a[32], b[32]; };
typedef struct { int a, b; } Pair;
template <class T> __global__ void f() {
    __shared__ Tiles tiles[3], more[2][2];
    extern __shared__ __align__(16) Tiles rest[];
    __shared__ Pair pairs[4], one;
    __shared__ float3 odd[4];
    __shared__ unsigned char bytes[8];
    __shared__ float4 wide[N];
    __shared__ T any[4];
    extern __shared__ T open[];
    __shared__ Header big[4];
}
";
        let source = Source::new(source);
        for (name, size, expected) in [
            ("tiles", 768, Unit::Parts(Some(256))),
            ("more", 1024, Unit::Parts(None)),
            ("rest", 768, Unit::Parts(None)),
            ("pairs", 32, Unit::Parts(Some(8))),
            ("one", 8, Unit::Parts(None)),
            ("odd", 48, Unit::Element(12)),
            ("bytes", 8, Unit::Element(1)),
            ("wide", 64, Unit::Element(16)),
            ("any", 16, Unit::Element(4)),
            ("open", 16, Unit::Unknown),
            ("big", 256, Unit::Parts(Some(64))),
            ("absent", 4, Unit::Unknown),
        ] {
            assert_eq!(unit(&source, name, size), expected, "{name}");
        }
    }
}
