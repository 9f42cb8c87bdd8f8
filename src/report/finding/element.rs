//! The memory that an access touches, under the names in the learner's file.

use super::defect::own_location;
use super::extents::{Shared, shared_array};
use super::unit::{Unit, is_of_structs, unit};
use crate::about::About;
use crate::layout::plural;
use cpp::uses;
use sim::{Access, Actor, HostPart, Target};

/// Returns whether the access is by a call of a function whose name begins with `call`.
pub fn is_call_of(access: &Access, call: &str) -> bool {
    matches!(&access.actor, Actor::Operation(operation) if operation.function().starts_with(call))
}

/// The memory that an access touches, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    pub text: String,
    /// Whether the text is a range of bytes, which has no name of its own.
    pub bytes: bool,
}

impl From<String> for Element {
    fn from(text: String) -> Element {
        Element { text, bytes: false }
    }
}

impl From<&str> for Element {
    fn from(text: &str) -> Element {
        text.to_string().into()
    }
}

/// Returns whether the calling statement uses another name than the one the memory was allocated under, as where
/// pointers were swapped.
fn is_renamed(access: &Access, name: &str, about: &About) -> bool {
    let Some(at) = own_location(access, about) else {
        return false;
    };
    let code = |line: u32| about.source.code_line(line);
    let is_of_it =
        |line: &u32| code(*line).trim().is_empty() || about.source.in_one_statement(at.line, *line);
    let mut lines = (at.line..).take_while(|line| about.source.line(*line).is_some() && is_of_it(line));
    !lines.any(|line| cpp::names(code(line)).any(|word| word == name))
}

/// Describes what is accessed, such as `s[5]` or `in[4] (in has 4 elements)`; `None` where no memory is involved.
pub fn element(access: &Access, about: &About) -> Option<Element> {
    let (name, size, offset) = match &access.target {
        Target::None => return None,
        Target::Host { part } => {
            let what = match part {
                HostPart::Stack if access.actor == Actor::Host => "the stack (local variables)",
                HostPart::Stack => "a local variable",
                HostPart::Globals => "a global variable",
                HostPart::Heap => "memory from malloc() or new",
            };
            return Some(if access.actor == Actor::Host {
                what.into()
            } else {
                format!("{what} of the host").into()
            });
        }
        Target::Nowhere { address: 0 } => return Some("through a null pointer".into()),
        Target::Nowhere { address } if *address < 4096 => {
            return Some(format!("through a null pointer plus {address} bytes").into());
        }
        Target::Nowhere { .. } => return Some("where nothing is allocated".into()),
        Target::Local { offset_bytes, size_bytes } => {
            let text = local(access, *offset_bytes, *size_bytes, about).unwrap_or_else(|| {
                format!(
                    "byte {offset_bytes} of its local arrays, which have {}",
                    plural(*size_bytes, "byte", "bytes")
                )
            });
            return Some(text.into());
        }
        Target::HostBlock { size_bytes, offset_bytes } => {
            return Some(in_bytes(access, ("the allocated memory", *size_bytes, *offset_bytes)));
        }
        Target::Buffer { name, size_bytes, offset_bytes }
        | Target::Shared { name, size_bytes, offset_bytes }
        | Target::Constant { name, size_bytes, offset_bytes } => (name, *size_bytes, *offset_bytes),
    };
    let operation = matches!(access.actor, Actor::Operation(_));
    if is_call_of(access, "cudaFree")
        || is_call_of(access, "cudaMalloc")
        || operation && (access.bytes, offset) == (0, 0)
    {
        let renamed = (is_call_of(access, "cudaMemcpy") || is_call_of(access, "cudaMemset"))
            && is_renamed(access, name, about);
        return Some(format!("{}`{name}`", if renamed { "what was allocated as " } else { "" }).into());
    }
    let known = match &access.target {
        // The learner's file may access the buffer as smaller elements,
        Target::Buffer { .. } => match about.element_bytes.get(&**name).copied() {
            // but hardly as single bytes.
            Some(2..) if access.bytes == 1 && !operation => {
                return Some(in_bytes(access, (name, size, offset)));
            }
            None if access.bytes == 1 && moves_bytes(access, about) => {
                return Some(in_bytes(access, (name, size, offset)));
            }
            None if is_of_structs(name, about) => return Some(in_bytes(access, (name, size, offset))),
            known => known.filter(|bytes| operation || access.bytes >= *bytes),
        },
        Target::Shared { .. } => match unit(about.source, name, size) {
            // A byte array may hold values of any type.
            Unit::Element(1) if access.bytes > 1 => return Some(in_bytes(access, (name, size, offset))),
            Unit::Element(bytes) => Some(bytes),
            Unit::Parts(each) => return Some(part(access, (name, size, offset), each)),
            Unit::Unknown => None,
        },
        _ => None,
    };
    let bytes = known.unwrap_or(access.bytes);
    let size_of = i64::from(bytes.max(1));
    // An access wider than any number is a vector, whose element type is not known.
    let vector = matches!(access.target, Target::Buffer { .. }) && known.is_none() && bytes > 8;
    if bytes == 0 || offset % size_of != 0 || vector && outside(offset, access.bytes, size) {
        return Some(in_bytes(access, (name, size, offset)));
    }
    let rows = match &access.target {
        Target::Shared { .. } => {
            let last = offset.saturating_add(i64::from(access.bytes)).saturating_sub(size_of);
            rows(name, size, offset, about).map(|(place, extents)| match rows(name, size, last, about) {
                Some((last, _)) if last != place => (format!("{place} to {last}"), extents),
                _ => (place, extents),
            })
        }
        _ => None,
    };
    let is_outside = outside(offset, access.bytes, size);
    if let Some(text) = single(name, access, about).filter(|_| !is_outside && offset == 0) {
        return Some(text.into());
    }
    let first = offset / size_of;
    let more = i64::from(access.bytes) / size_of - 1;
    let at = |index: i64| match name.contains(' ') {
        true => format!("element {index} of {name}"),
        false => format!("{name}[{index}]"),
    };
    let elements = match more {
        ..=0 => at(first),
        1 => format!("{} and {}", at(first), at(first.saturating_add(more))),
        _ => format!("{} to {}", at(first), at(first.saturating_add(more))),
    };
    let whole = if name.contains(' ') { name.to_string() } else { format!("`{name}`") };
    let text = match rows {
        Some((place, extents)) if is_outside => format!("{place}; `{name}` is {extents}"),
        Some((place, _)) => place,
        None if is_outside => {
            format!(
                "{elements}; {whole} has {}",
                plural(size / size_of.unsigned_abs(), "element", "elements")
            )
        }
        None => elements,
    };
    Some(text.into())
}

/// Returns whether the line of a host access calls a function such as `memcpy`, which moves bytes regardless of
/// their type: the compiler turns it into a loop.
fn moves_bytes(access: &Access, about: &About) -> bool {
    let own = own_location(access, about);
    let moves = |word: &str| matches!(word, "memcpy" | "memmove" | "memset" | "memcmp");
    access.actor == Actor::Host
        && own.is_some_and(|at| cpp::names(about.source.code_line(at.line)).any(moves))
}

/// Describes an access in bytes, where it can't be expressed in elements.
fn in_bytes(access: &Access, (name, size, offset): (&str, u64, i64)) -> Element {
    let name = if name.contains(' ') { name.to_owned() } else { format!("`{name}`") };
    let place = bytes_from(access.bytes, offset, &name);
    match outside(offset, access.bytes, size) {
        true => {
            let text = format!("{}, which has {}", place.text, plural(size, "byte", "bytes"));
            Element { text, ..place }
        }
        false => place,
    }
}

/// Describes an access to part of an element of an array of structs, whose elements have `each` bytes:
/// `bytes 8 to 11 of tiles[2]`.
fn part(access: &Access, (name, size, offset): (&str, u64, i64), each: Option<u64>) -> Element {
    let (Some(each), Ok(from)) = (each.filter(|each| *each > 0), u64::try_from(offset)) else {
        return in_bytes(access, (name, size, offset));
    };
    let element = format!("{name}[{}]", from / each);
    let place = match (from % each, u64::from(access.bytes)) {
        (0, bytes) if bytes == each => element.into(),
        (within, _) => bytes_from(access.bytes, within as i64, &element),
    };
    match outside(offset, access.bytes, size) {
        true => {
            let text = format!("{}; `{name}` has {}", place.text, plural(size / each, "element", "elements"));
            Element { text, ..place }
        }
        false => place,
    }
}

fn bytes_from(bytes: u32, from: i64, of: &str) -> Element {
    match bytes {
        0 | 1 => format!("byte {from} of {of}").into(),
        bytes => {
            let last = i128::from(from) + i128::from(bytes) - 1;
            Element { text: format!("bytes {from} to {last} of {of}"), bytes: true }
        }
    }
}

/// Describes an element of the per-thread array of the kernel around an access, if that kernel has exactly one.
fn local(access: &Access, offset_bytes: i64, size_bytes: u64, about: &About) -> Option<String> {
    let location = own_location(access, about)?;
    let lines = about.source.kernel_lines(location.line)?;
    let mut arrays = about.source.private_arrays().into_iter().filter(|array| lines.contains(&array.line));
    let (array, None) = (arrays.next()?, arrays.next()) else { return None };
    let bytes = i64::from(access.bytes.max(1));
    if array.extents.len() != 1
        || offset_bytes % bytes != 0
        || !size_bytes.is_multiple_of(bytes.unsigned_abs())
    {
        return None;
    }
    Some(match outside(offset_bytes, access.bytes, size_bytes) {
        true => {
            let elements = plural(size_bytes / bytes.unsigned_abs(), "element", "elements");
            format!("{}[{}]; its own `{0}` has {elements}", array.name, offset_bytes / bytes)
        }
        false => format!("{}[{}], of its own `{0}`", array.name, offset_bytes / bytes),
    })
}

/// Returns the name of a scalar as its line has it: `count`, `*count`; `None` where it is an array, or where the
/// line does not name it.
fn single(name: &str, access: &Access, about: &About) -> Option<String> {
    let location = own_location(access, about)?;
    let mut here = uses(about.source.code_line(location.line), name).peekable();
    if here.peek().is_none() || here.any(|(_, behind)| behind.starts_with('[')) {
        return None;
    }
    match &access.target {
        Target::Shared { size_bytes, .. } => (*size_bytes == u64::from(access.bytes)
            && shared_array(about.source, name, *size_bytes).is_none())
        .then(|| name.to_string()),
        _ if uses(about.source.code(), name).any(|(before, _)| starred(before)) => Some(format!("*{name}")),
        Target::Buffer { size_bytes, .. } | Target::Constant { size_bytes, .. } => {
            (*size_bytes == u64::from(access.bytes)).then(|| name.to_string())
        }
        _ => None,
    }
}

/// Returns whether the name after `before` is that of a pointer, as in `int *` or `(*`; in `a * ` it may be a
/// factor.
fn starred(before: &str) -> bool {
    let before = before.trim_end().strip_suffix("__restrict__").unwrap_or(before);
    let Some(rest) = before.trim_end().strip_suffix('*') else { return false };
    let gap = before.ends_with(char::is_whitespace);
    let tight = rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'));
    gap == tight
}

/// Returns `tile[0][2]` and `[16][17]` for an element of a multidimensional array, where its declaration gives
/// the extents.
fn rows(name: &str, size_bytes: u64, offset_bytes: i64, about: &About) -> Option<(String, String)> {
    let Some(Shared::Extents(extents)) = shared_array(about.source, name, size_bytes) else { return None };
    let bytes = size_bytes / extents.iter().product::<u64>().max(1);
    // Before the array's start there is no row to name.
    let mut rest = u64::try_from(offset_bytes).ok()?;
    if extents.len() < 2 || rest % bytes.max(1) != 0 {
        return None;
    }
    rest /= bytes.max(1);
    let mut place = String::new();
    for extent in extents[1..].iter().rev() {
        place = format!("[{}]{place}", rest % extent);
        rest /= extent;
    }
    let extents: String = extents.iter().map(|extent| format!("[{extent}]")).collect();
    Some((format!("{name}[{rest}]{place}"), extents))
}

fn outside(offset: i64, bytes: u32, size: u64) -> bool {
    offset < 0 || (offset as u64).saturating_add(u64::from(bytes)) > size
}

#[cfg(test)]
mod tests {
    use super::super::defect::sentence;
    use super::*;
    use cpp::Source;
    use sim::Dim3;
    use std::collections::BTreeMap;

    fn about<'a>(source: &'a Source<'a>) -> About<'a> {
        About {
            program: false,
            element_bytes: BTreeMap::from([("in".to_string(), 4)]),
            ..About::program("kernels/1-puzzles/map.cu", source)
        }
    }

    fn access(target: Target, bytes: u32) -> Access {
        Access { thread: Dim3::new(4, 0, 0), bytes, target, ..Access::by(Actor::Thread, None) }
    }

    #[test]
    fn an_access_is_told_in_elements() {
        let buffer = |offset, bytes| {
            access(Target::Buffer { name: "in".into(), size_bytes: 16, offset_bytes: offset }, bytes)
        };
        let source = Source::new("");
        let tell = |a: &Access| sentence(a, &about(&source), false);
        assert_eq!(tell(&buffer(8, 4)), "thread 4 reads in[2]");
        assert_eq!(tell(&buffer(16, 4)), "thread 4 reads in[4]; `in` has 4 elements");
        assert_eq!(tell(&buffer(-4, 4)), "thread 4 reads in[-1]; `in` has 4 elements");
        assert_eq!(tell(&buffer(0, 8)), "thread 4 reads in[0] and in[1]");
        assert_eq!(tell(&buffer(8, 16)), "thread 4 reads in[2] to in[5]; `in` has 4 elements");
        assert_eq!(tell(&buffer(6, 4)), "thread 4 reads bytes 6 to 9 of `in`");
        assert_eq!(tell(&buffer(6, 1)), "thread 4 reads byte 6 of `in`");
        assert_eq!(
            tell(&buffer(i64::MAX, 4)),
            "thread 4 reads bytes 9223372036854775807 to 9223372036854775810 of `in`, which has 16 bytes"
        );
        assert_eq!(tell(&access(Target::Nowhere { address: 0 }, 4)), "thread 4 reads through a null pointer");
        let shared = Target::Shared { name: "s".into(), size_bytes: 32, offset_bytes: 32 };
        assert_eq!(tell(&access(shared, 0)), "thread 4 reads byte 32 of `s`");
        assert_eq!(tell(&access(Target::None, 0)), "thread 4");
        let host = |offset_bytes, bytes| {
            let target = Target::HostBlock { size_bytes: 48, offset_bytes };
            tell(&Access { bytes, target, ..Access::by(Actor::Host, None) })
        };
        assert_eq!(host(4, 4), "the host reads bytes 4 to 7 of the allocated memory");
        assert_eq!(host(47, 1), "the host reads byte 47 of the allocated memory");
        assert_eq!(host(48, 8), "the host reads bytes 48 to 55 of the allocated memory, which has 48 bytes");
    }

    #[test]
    fn what_is_no_array_is_told_as_it_is_written() {
        let source = "__shared__ int s; __shared__ int one[1];
void f(int *count, int *x) {
*count += 1;
atomicAdd(count, x[0]);
s = one[0];
s = other;
}";
        let source = Source::new(source);
        let about = About { file: "a.cu", ..about(&source) };
        let tell = |line, target| {
            let location = Some(sim::SourceLocation { file: "a.cu".into(), line, column: 1 });
            sentence(&Access { location, ..access(target, 4) }, &about, false)
        };
        let buffer = |name: &str| Target::Buffer { name: name.into(), size_bytes: 4, offset_bytes: 0 };
        let shared = |name: &str| Target::Shared { name: name.into(), size_bytes: 4, offset_bytes: 0 };
        assert_eq!(tell(3, buffer("count")), "thread 4 reads *count");
        assert_eq!(tell(4, buffer("count")), "thread 4 reads *count");
        assert_eq!(tell(4, buffer("x")), "thread 4 reads x[0]");
        assert_eq!(tell(5, shared("s")), "thread 4 reads s");
        assert_eq!(tell(5, shared("one")), "thread 4 reads one[0]");
        assert_eq!(tell(6, buffer("other")), "thread 4 reads other");
        assert_eq!(tell(6, buffer("another")), "thread 4 reads another[0]");
        assert_eq!(tell(99, buffer("count")), "thread 4 reads count[0]");
        assert_eq!(tell(3, buffer("registered memory")), "thread 4 reads element 0 of registered memory");
    }

    #[test]
    fn an_element_of_a_matrix_is_told_by_row_and_column() {
        let source = "#define TILE 16\n__shared__ float t[TILE][TILE + 1];\nextern __shared__ int s[];\n";
        let source = Source::new(source);
        let about = about(&source);
        let tell = |name: &str, size_bytes, offset_bytes| {
            let target = Target::Shared { name: name.into(), size_bytes, offset_bytes };
            sentence(&access(target, 4), &about, false)
        };
        assert_eq!(tell("t", 1088, 8), "thread 4 reads t[0][2]");
        assert_eq!(tell("t", 1088, 1084), "thread 4 reads t[15][16]");
        assert_eq!(tell("t", 1088, 1088), "thread 4 reads t[16][0]; `t` is [16][17]");
        assert_eq!(tell("t", 1088, -4), "thread 4 reads t[-1]; `t` has 272 elements");
        assert_eq!(tell("t", 64, 8), "thread 4 reads t[2]");
        assert_eq!(tell("s", 64, 8), "thread 4 reads s[2]");
    }

    #[test]
    fn a_part_of_a_struct_is_told_by_its_bytes() {
        let source = "struct Tiles { float a[8], b[8]; };
__shared__ Tiles tiles[3];
extern __shared__ Tiles rest[];
__shared__ unsigned char raw[64];
__shared__ float t[4][8];
__shared__ float s[32];
";
        let source = Source::new(source);
        let about = about(&source);
        let tell = |name: &str, size_bytes, offset_bytes, bytes| {
            let target = Target::Shared { name: name.into(), size_bytes, offset_bytes };
            sentence(&access(target, bytes), &about, false)
        };
        assert_eq!(tell("tiles", 192, 68, 4), "thread 4 reads bytes 4 to 7 of tiles[1]");
        assert_eq!(tell("tiles", 192, 64, 16), "thread 4 reads bytes 0 to 15 of tiles[1]");
        assert_eq!(tell("tiles", 192, 64, 1), "thread 4 reads byte 0 of tiles[1]");
        assert_eq!(
            tell("tiles", 192, 192, 16),
            "thread 4 reads bytes 0 to 15 of tiles[3]; `tiles` has 3 elements"
        );
        assert_eq!(
            tell("tiles", 192, -16, 16),
            "thread 4 reads bytes -16 to -1 of `tiles`, which has 192 bytes"
        );
        assert_eq!(
            tell("rest", 192, 192, 16),
            "thread 4 reads bytes 192 to 207 of `rest`, which has 192 bytes"
        );
        assert_eq!(tell("raw", 64, 8, 4), "thread 4 reads bytes 8 to 11 of `raw`");
        assert_eq!(tell("raw", 64, 8, 1), "thread 4 reads raw[8]");
        assert_eq!(tell("t", 128, 32, 16), "thread 4 reads t[1][0] to t[1][3]");
        assert_eq!(tell("s", 128, 32, 16), "thread 4 reads s[8] to s[11]");
    }

    #[test]
    fn a_pointer_is_known_by_its_star() {
        for (text, pointer) in [
            ("int *", true),
            ("int* ", true),
            ("const float *__restrict__ ", true),
            ("const float* __restrict__ ", true),
            ("x = (*", true),
            ("a * ", false),
            ("a*", false),
            ("f(x)*", false),
            ("int ", false),
            ("", false),
        ] {
            assert_eq!(starred(text), pointer, "{text}");
        }
    }
}
