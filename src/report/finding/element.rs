//! The memory that an access touches, under the names in the learner's file.

use super::extents::{Shared, shared_array};
use super::parameter_names::host_name;
use super::place::own_line;
use super::split_shared;
use super::unit::{Unit, is_of_structs, unit};
use crate::about::About;
use crate::layout::plural;
use cpp::uses;
use sim::{Access, Actor, CallPurpose, HostPart, Region, Request, Target};

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

/// Describes what is accessed, such as `s[5]` or `in[4] (in has 4 elements)`; `None` where no memory is involved.
pub fn element(access: &Access, about: &About) -> Option<Element> {
    let Some(region) = access.target.region() else { return without_name(access, about) };
    if let Some(variable) = split_shared::partly(access) {
        return Some(format!("a part of `{variable}`").into());
    }
    let is_call = matches!(access.actor, Actor::Operation(_));
    let call = access.purpose();
    if matches!(call, Some(CallPurpose::Allocates | CallPurpose::Frees))
        || is_call && (access.bytes, region.offset_bytes) == (0, 0)
    {
        // A kernel's own name for what it is passed is no other name.
        let is_of_kernel = host_name(access).is_some_and(|name| name != region.name);
        let renamed = (matches!(call, Some(CallPurpose::Copies | CallPurpose::Sets)) || is_launch(access))
            && region.is_named
            && !is_of_kernel
            && is_renamed(access, region.name, about);
        return Some(
            format!("{}{}", if renamed { "what was allocated as " } else { "" }, whole(region)).into(),
        );
    }
    let touched = Touched { region, bytes: access.bytes };
    Some(match counted_in(access, region, about) {
        Unit::Parts(each) => touched.in_parts(each),
        Unit::Element(bytes) => touched.in_elements(bytes, access, about),
        // An access wider than any number is a vector or a text, whose element type is not known.
        Unit::Unknown
            if matches!(access.target, Target::Buffer { .. })
                && (access.bytes > 8 || !access.bytes.is_power_of_two() || touched.is_wider())
                && touched.is_outside() =>
        {
            touched.in_bytes()
        }
        Unit::Unknown => touched.in_elements(access.bytes, access, about),
    })
}

/// Describes memory that has no name of its own.
fn without_name(access: &Access, about: &About) -> Option<Element> {
    let of_host = access.actor == Actor::Host;
    Some(match access.target {
        Target::Host { part } => {
            let what = match part {
                HostPart::Stack if of_host => "the stack (local variables)",
                HostPart::Stack => "a local variable",
                HostPart::Globals => "a global variable",
                HostPart::Heap => "memory from malloc() or new",
            };
            format!("{what}{}", if of_host { "" } else { " of the host" }).into()
        }
        Target::Nowhere { address: 0 } => "through a null pointer".into(),
        Target::Nowhere { address } if address < 4096 => {
            format!("through a null pointer plus {address} bytes").into()
        }
        Target::Nowhere { .. } => "where nothing is allocated".into(),
        Target::Local { offset_bytes, size_bytes } => {
            let own = of_own_array(access, offset_bytes, size_bytes, about);
            let size = || plural(size_bytes, "byte", "bytes");
            let place = || bytes_from(access.bytes, offset_bytes, "its local memory").text;
            own.unwrap_or_else(|| format!("{}, which has {}", place(), size())).into()
        }
        Target::Allocated { size_bytes, offset_bytes, .. } => {
            let region = Region { name: "the allocated memory", is_named: false, size_bytes, offset_bytes };
            Touched { region, bytes: access.bytes }.in_bytes()
        }
        _ => return None,
    })
}

/// Returns whether an access is one of a kernel as a whole.
fn is_launch(access: &Access) -> bool {
    matches!(&access.actor, Actor::Operation(its) if matches!(its.request, Request::Launch(_)))
}

/// Returns whether the calling statement uses another name than the one the memory was allocated under, as where
/// pointers were swapped.
pub fn is_renamed(access: &Access, name: &str, about: &About) -> bool {
    own_line(access, about).is_some_and(|line| is_renamed_in(line, name, about))
}

/// The same of the statement that begins on a line.
pub fn is_renamed_in(at: u32, name: &str, about: &About) -> bool {
    let code = |line: u32| about.source.code_line(line);
    let is_of_it = |line: &u32| code(*line).trim().is_empty() || about.source.in_one_statement(at, *line);
    let mut lines = (at..).take_while(|line| about.source.line(*line).is_some() && is_of_it(line));
    !lines.any(|line| uses(code(line), name).next().is_some())
}

/// Returns the unit in which the place is counted; [`Unit::Parts`] of an unknown size stands for bytes.
fn counted_in(access: &Access, region: Region, about: &About) -> Unit {
    let name = region.name;
    let is_call = matches!(access.actor, Actor::Operation(_));
    match (&access.target, about.element_bytes.get(name).copied()) {
        // The learner's file may access the buffer as smaller elements, but hardly as single bytes.
        (Target::Buffer { .. }, Some(2..)) if access.bytes == 1 && !is_call => Unit::Parts(None),
        (Target::Buffer { .. }, Some(bytes)) if is_call || access.bytes >= bytes => Unit::Element(bytes),
        (Target::Buffer { .. }, None)
            if access.bytes == 1 && moves_bytes(access, about) || is_of_structs(name, about) =>
        {
            Unit::Parts(None)
        }
        (Target::Shared { .. }, _) => match unit(about.source, name, region.size_bytes) {
            // A byte array may hold values of any type.
            Unit::Element(1) if access.bytes > 1 => Unit::Parts(None),
            Unit::Unknown if about.element_bytes.contains_key(name) => Unit::Parts(None),
            unit => unit,
        },
        _ => Unit::Unknown,
    }
}

/// Returns whether the line of a host access calls a function such as `memcpy`, which moves bytes regardless of
/// their type: the compiler turns it into a loop.
fn moves_bytes(access: &Access, about: &About) -> bool {
    let moves = |word: &str| matches!(word, "memcpy" | "memmove" | "memset" | "memcmp");
    access.actor == Actor::Host
        && own_line(access, about).is_some_and(|line| cpp::names(about.source.code_line(line)).any(moves))
}

/// The bytes of a buffer or a variable that an access touches.
#[derive(Clone, Copy)]
struct Touched<'a> {
    region: Region<'a>,
    /// 0 where only the place is known.
    bytes: u32,
}

impl Touched<'_> {
    fn is_outside(&self) -> bool {
        let Region { size_bytes, offset_bytes, .. } = self.region;
        u64::try_from(offset_bytes).map_or(true, |from| from.saturating_add(self.bytes.into()) > size_bytes)
    }

    /// Returns whether the memory is smaller than the access.
    fn is_wider(&self) -> bool {
        u64::from(self.bytes) > self.region.size_bytes
    }

    /// Describes it in bytes, where it can't be expressed in elements.
    fn in_bytes(&self) -> Element {
        let place = bytes_from(self.bytes, self.region.offset_bytes, &whole(self.region));
        let size = || plural(self.region.size_bytes, "byte", "bytes");
        match self.is_outside() {
            true => Element { text: format!("{}, which has {}", place.text, size()), ..place },
            false => place,
        }
    }

    /// Describes it as part of an element of an array of structs, whose elements have `each` bytes:
    /// `bytes 8 to 11 of tiles[2]`.
    fn in_parts(&self, each: Option<u64>) -> Element {
        let Region { name, size_bytes, offset_bytes, .. } = self.region;
        let (Some(each), Ok(from)) = (each.filter(|each| *each > 0), u64::try_from(offset_bytes)) else {
            return self.in_bytes();
        };
        let element = format!("{name}[{}]", from / each);
        let place = match (from % each, u64::from(self.bytes)) {
            (0, bytes) if bytes == each => element.into(),
            (within, _) => bytes_from(self.bytes, within as i64, &element),
        };
        let size = || plural(size_bytes / each, "element", "elements");
        match self.is_outside() {
            true => Element { text: format!("{}; `{name}` has {}", place.text, size()), ..place },
            false => place,
        }
    }

    /// Describes it as elements of `each` bytes: `s[5]`, `tile[0][2]`, `in[0] and in[1]`.
    fn in_elements(&self, each: u32, access: &Access, about: &About) -> Element {
        let Region { name, size_bytes, offset_bytes, .. } = self.region;
        let size = i64::from(each.max(1));
        if each == 0 || offset_bytes % size != 0 {
            return self.in_bytes();
        }
        let is_outside = self.is_outside();
        if !is_outside
            && offset_bytes == 0
            && let Some(text) = single(name, access, about)
        {
            return text.into();
        }
        if matches!(access.target, Target::Shared { .. })
            && let Some((first, extents)) = rows(name, size_bytes, offset_bytes, about)
        {
            let last = offset_bytes.saturating_add(i64::from(self.bytes)).saturating_sub(size);
            let place = match rows(name, size_bytes, last, about) {
                Some((last, _)) if last != first => format!("{first} to {last}"),
                _ => first,
            };
            return if is_outside { format!("{place}; `{name}` is {extents}") } else { place }.into();
        }
        let at = |index: i64| match self.region.is_named {
            true => format!("{name}[{index}]"),
            false => format!("element {index} of {name}"),
        };
        let (first, more) = (offset_bytes / size, i64::from(self.bytes) / size - 1);
        let last = at(first.saturating_add(more));
        let elements = match more {
            ..=0 => at(first),
            1 => format!("{} and {last}", at(first)),
            _ => format!("{} to {last}", at(first)),
        };
        let all = || plural(size_bytes / size.unsigned_abs(), "element", "elements");
        match (is_outside, self.region.is_named) {
            (false, _) => elements,
            (true, true) => format!("{elements}; {} has {}", whole(self.region), all()),
            (true, false) => format!("{elements}, which has {}", all()),
        }
        .into()
    }
}

/// Returns the name of memory, in backquotes if it is the program's.
fn whole(region: Region) -> String {
    if region.is_named { format!("`{}`", region.name) } else { region.name.into() }
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
fn of_own_array(access: &Access, offset_bytes: i64, size_bytes: u64, about: &About) -> Option<String> {
    let lines = about.source.kernel_lines(own_line(access, about)?)?;
    let mut arrays = about.source.private_arrays().into_iter().filter(|array| lines.contains(&array.line));
    let (array, None) = (arrays.next()?, arrays.next()) else { return None };
    let bytes = i64::from(access.bytes.max(1));
    // Where the thread has more than the array that the source shows, the place may be in another one.
    let declared = array.extents.first().and_then(|extent| extent.trim().parse::<u64>().ok());
    if array.extents.len() != 1
        || declared.is_some_and(|elements| elements.saturating_mul(bytes.unsigned_abs()) < size_bytes)
        || offset_bytes % bytes != 0
        || !size_bytes.is_multiple_of(bytes.unsigned_abs())
    {
        return None;
    }
    let (name, index) = (array.name, offset_bytes / bytes);
    let touched =
        Touched { region: Region { name, is_named: true, size_bytes, offset_bytes }, bytes: access.bytes };
    let elements = plural(size_bytes / bytes.unsigned_abs(), "element", "elements");
    Some(match touched.is_outside() {
        true => format!("{name}[{index}]; its own `{name}` has {elements}"),
        false => format!("{name}[{index}], of its own `{name}`"),
    })
}

/// Returns the name of a scalar as its line has it: `count`, `*count`; `None` where it is an array, or where the
/// line does not name it.
fn single(name: &str, access: &Access, about: &About) -> Option<String> {
    let mut here = uses(about.source.code_line(own_line(access, about)?), name).peekable();
    if here.peek().is_none() || here.any(|(_, behind)| behind.starts_with('[')) {
        return None;
    }
    let size_bytes = access.target.region()?.size_bytes;
    let is_whole = size_bytes == u64::from(access.bytes);
    let starred = || uses(about.source.code(), name).any(|(before, _)| starred(before));
    match &access.target {
        Target::Shared { .. } => {
            (is_whole && shared_array(about.source, name, size_bytes).is_none()).then(|| name.to_string())
        }
        _ if starred() => Some(format!("*{name}")),
        _ => is_whole.then(|| name.to_string()),
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

#[cfg(test)]
mod tests {
    use super::super::access_words::sentence;
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
            let target = Target::Allocated { by: sim::AllocatedBy::Host, size_bytes: 48, offset_bytes };
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
        let unnamed = Target::Buffer { name: sim::MemoryName::Registered, size_bytes: 4, offset_bytes: 0 };
        assert_eq!(tell(3, unnamed), "thread 4 reads element 0 of registered memory");
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
