//! Remedies for values that were never stored.

use super::copies::{WAITS_FOR_COPIES, has_barriers_of_copies};
use crate::about::About;
use crate::finding::operation::quoted;
use crate::finding::parameter_names::host_name;
use crate::finding::place::own_line;
use crate::layout::plural;
use cpp::{Family, Space, changes, closing, names, operator, uses};
use sim::{Access, AccessKind, Actor, Evidence, Finding, FindingKind, HostPart, Target};
use std::str::from_utf8;

/// Calls that take the distance between rows.
const COPIES_OF_ROWS: [&str; 4] = ["cudaMemcpy2D", "cudaMemcpy2DAsync", "cudaMemset2D", "cudaMemset2DAsync"];

/// Returns the remedy for reading an element that a copy, a memset or an algorithm of CUB would have written.
pub fn short_of(finding: &Finding, about: &About) -> Option<String> {
    let names_pitch = || about.source.names("cudaMallocPitch");
    finding.evidence.iter().find_map(|fact| match fact {
        Evidence::CopyEndsRows { request, line, .. } => {
            let of_pitch = match (&finding.at.target, has_pitch(&finding.at, about)) {
                (Target::Buffer { name, .. }, true) => format!(
                    " And should this element be one of a row? Row y begins at (char *){name} + y * pitch."
                ),
                _ => String::new(),
            };
            Some(format!(
                "{request} counts the width in bytes: how many of each row should line {line} write? n elements are n * \
                 sizeof(element).{of_pitch}"
            ))
        }
        Evidence::CopyEnds { request, line, .. } if !COPIES_OF_ROWS.contains(&&**request) && names_pitch() => Some(format!(
            "{request} counts bytes: how many should line {line} write? n elements are n * sizeof(element). Rows in memory \
             from cudaMallocPitch() begin one pitch apart, with unused bytes between them: those are for cudaMemset2D() \
             and cudaMemcpy2D()."
        )),
        Evidence::CopyEnds { line, .. } if about.source.names_on(*line, "sizeof") => Some(format!(
            "Are the number and the type of the elements in line {line} those of this memory? If they are meant so: what \
             should write the rest, or is too much read here?"
        )),
        Evidence::CopyEnds { request, line, .. } => Some(format!(
            "{request} counts bytes: how many should line {line} write? n elements are n * sizeof(element)."
        )),
        Evidence::OnlyAskedForStorage { line, .. } => Some(format!(
            "Allocate temp_storage_bytes bytes after line {line}, and make the same call once more with that pointer."
        )),
        _ => None,
    })
}

/// Returns whether the line of an operation shows a division; true if it is not known.
pub fn divides(at: &Access, about: &About) -> bool {
    own_line(at, about).is_none_or(|line| about.source.code_line(line).contains(['/', '%']))
}

/// Returns whether an access is to memory that the program gets from `cudaMallocPitch`.
pub fn has_pitch(at: &Access, about: &About) -> bool {
    is_from("cudaMallocPitch", at, about)
}

/// Returns whether an access is to memory that the program gets from this call, by the host's name for it.
fn is_from(call: &str, at: &Access, about: &About) -> bool {
    let mut calls = about.source.calls(call).filter_map(|arguments| arguments.split(';').next());
    host_name(at).is_some_and(|name| calls.any(|arguments| names(arguments).any(|its| its == name)))
}

/// Says why memory has no values, for a program that reads some of it.
fn never_cleared(at: &Access, about: &About) -> String {
    const CALLS: [&str; 3] = ["cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc"];
    let call = CALLS.into_iter().find(|call| is_from(call, at, about)).unwrap_or("cudaMalloc");
    format!("{call}() does not clear memory")
}

/// Returns the remedy for reading an element that was never stored.
pub fn uninitialised(at: &Access, about: &About) -> Option<String> {
    if let Target::Shared { name, .. } = &at.target {
        return Some(uninitialised_in_shared(name, at.kind, about));
    }
    if matches!(at.target, Target::Local { .. }) {
        return read_through_a_cast(at, about);
    }
    let Target::Buffer { name, .. } = &at.target else { return None };
    let line = about.source.line(own_line(at, about)?)?;
    if about.program && has_pitch(at, about) {
        return Some(format!(
            "The rows of `{name}`, from cudaMallocPitch(), begin one pitch apart, and the bytes between them belong to none. \
             Should this thread read an element of a row? Row y begins at (char *){name} + y * pitch. If it is one, fill \
             it first."
        ));
    }
    if host_name(at).is_some_and(|name| !about.source.module_arrays(name).is_empty()) {
        return Some(format!(
            "A __device__ variable starts as zeros: what was stored or copied to this element of {} had no value itself. Was \
             all that it came from given values before?",
            quoted(name)
        ));
    }
    Some(match is_added_to(line, name) {
        true => format!(
            "`{name}` holds nothing before the first launch: store a value (=) before anything is added to it (+=)."
        ),
        false if about.program => format!(
            "No value has reached this element of {}: {}, and a copy brings only what its source holds. Should this \
             thread read it here? If so, fill it first, with a kernel, cudaMemset() or a copy of memory that was filled. If \
             not, look at the index.",
            quoted(name),
            never_cleared(at, about)
        ),
        false => format!(
            "Nothing has stored this element of `{name}`. Should this thread read it here? If so, which thread should \
             have stored it, and in which launch? If not, look at the index."
        ),
    })
}

/// Returns the remedy for a thread that reads a variable of its own through a pointer to another type.
fn read_through_a_cast(at: &Access, about: &About) -> Option<String> {
    const CASTS: [&[&[u8]]; 2] = [&[b"*", b")", b"&"], &[b"*", b">", b"(", b"&"]];
    let (line, tokens) = (own_line(at, about)?, about.source.tokens());
    CASTS.iter().any(|cast| tokens.behind_on(line, cast).next().is_some()).then(|| {
        format!(
            "The cast makes this line read {} at once: has what & is applied to as many, and were all of them written? On \
             Linux, a long has 8 bytes, an int and a float 4.",
            plural(at.bytes.into(), "byte", "bytes")
        )
    })
}

fn uninitialised_in_shared(name: &str, kind: AccessKind, about: &About) -> String {
    if kind == AccessKind::Atomic {
        return format!(
            "Shared memory does not start as zeros: let the threads set `{name}` first, then call __syncthreads()."
        );
    }
    if uses_of_shared(about, name).next().is_some() && !is_stored(about, name) {
        return format!("Nothing in the file stores to `{name}`: fill it first, then call __syncthreads().");
    }
    match copied_to(about, name) {
        Some(line) => format!(
            "Should this thread read that element of `{name}` here? Line {line} requests a copy to `{name}`, and each thread \
             that reads what it brings must wait for it first: {WAITS_FOR_COPIES} does, a __syncthreads() alone does not."
        ),
        None => format!(
            "Should this thread read that element of `{name}` here? If so, a thread has to store it before, with \
             __syncthreads() between the two. If not, look at the index and at the conditions."
        ),
    }
}

/// Returns the line that requests an asynchronous copy to a shared array, where barriers or pipelines signal copies.
fn copied_to(about: &About, name: &str) -> Option<u32> {
    let code = about.source;
    let copies = |line: &u32| code.calls_on(*line, "memcpy_async").any(|to| uses(to, name).next().is_some());
    let lines = 1..code.text().lines().count() as u32 + 1;
    has_barriers_of_copies(code).then(|| lines.into_iter().find(copies)).flatten()
}

/// Returns whether a line has `name[…] += …`.
fn is_added_to(line: &str, name: &str) -> bool {
    uses(line, name)
        .map(|(_, behind)| behind.trim_start())
        .any(|behind| behind.starts_with('[') && operator(behind_subscript(behind)) == "+=")
}

/// For data that a copy from the host brought.
pub const COPIED_UNINITIALISED: &str =
    "Give the host's memory its values before it is copied: malloc() and new do not clear it.";

/// Returns the remedy for a variable that is used on a line and was never assigned.
pub fn without_value(at: &Access, about: &About) -> Option<String> {
    let (name, declared) = about.source.unassigned_variable(own_line(at, about)?)?;
    if let Some(line) = reads_input(about).find(|line| about.source.names_on(*line, name)) {
        return Some(unread(line));
    }
    Some(format!("`{name}` is declared in line {declared} without a value: give it one there."))
}

/// Returns what to ask where host code uses something without a value in a program that reads standard input.
pub fn from_input(at: &Access, about: &About) -> Option<String> {
    reads_input(about).next().filter(|_| at.actor == Actor::Host).map(unread)
}

/// The same where a line that reads standard input names what the line of the use does.
fn named_by_input(at: &Access, about: &About) -> Option<String> {
    let used = about.source.code_line(own_line(at, about)?);
    let is_used =
        |name: &str| !matches!(name, "std" | "cin" | "scanf") && cpp::uses(used, name).next().is_some();
    reads_input(about).find(|line| cpp::names(about.source.code_line(*line)).any(is_used)).map(unread)
}

/// Returns the lines that read numbers or words from standard input.
fn reads_input(about: &About) -> impl Iterator<Item = u32> {
    let lines = 1..about.source.text().lines().count() as u32 + 1;
    lines.filter(move |line| about.source.names_on(*line, ["cin", "scanf"]))
}

fn unread(line: u32) -> String {
    format!(
        "Was there input for line {line}? Where standard input is empty or has ended, scanf() and std::cin set nothing: give \
         the program its input, as in `gpulearn run FILE < input`, and check what the read returns. Otherwise give the \
         variable a value first."
    )
}

/// Returns the remedy for host code that read something never written.
pub fn uninitialised_on_host(finding: &Finding, about: &About) -> String {
    if let Some(text) = short_of(finding, about) {
        return text;
    }
    if finding.evidence.iter().any(|its| matches!(its, Evidence::CallReadsMore { .. })) {
        return "Has the variable that the call is given the address of as many bytes? An int or a float has 4, a size_t, a \
                uint64_t or a double 8."
            .into();
    }
    let is_own =
        finding.other.is_none() && matches!(finding.at.target, Target::Host { part: HostPart::Stack });
    let own = || without_value(&finding.at, about).or_else(|| named_by_input(&finding.at, about));
    if let Some(text) = is_own.then(own).flatten() {
        return text;
    }
    let source = finding.evidence.iter().find_map(|fact| match fact {
        Evidence::StoredWithoutValue { line, all: true } => Some(line),
        _ => None,
    });
    if let Some(line) = source {
        return format!(
            "What line {line} reads or computes has no value in some of the threads: was everything that it uses stored \
             before? Then look at the index and at the conditions."
        );
    }
    let text = match (&finding.other, &finding.at.target) {
        (Some(_), _) if !about.source.launches_kernels() => {
            "Nothing has stored all that is copied: what should fill that memory on the GPU first, and how many bytes of it?"
        }
        (Some(_), _) => {
            "No kernel has stored all that is copied: look at how many blocks and threads were launched, and at the \
             condition that guards the store."
        }
        (None, Target::Host { .. }) => {
            "Is the variable given a value where it is declared, or before it is read, and is an index within its array? If a copy from a GPU fills it: \
             did a kernel store that element, and compute it from values that were all set, members of structures too? \
             What C++ leaves undefined, such as a division by zero or a shift by 32 or more, has no value either."
        }
        (None, _) => {
            "Give it a value first: no memory is cleared when it is allocated. If a copy should have filled it, \
             look at its bytes, n * sizeof(element), and at whether all of its source had been stored."
        }
    };
    text.into()
}

/// Returns the remedy for a kernel that writes a `__constant__` variable.
pub fn written_constant(at: &Access, about: &About) -> Option<String> {
    let name = at.target.region()?.name;
    let declares = |line: &str| {
        cpp::names(line).any(|word| word == "__constant__") && cpp::uses(line, name).next().is_some()
    };
    about.source.code().lines().any(declares).then(|| {
        format!(
            "`{name}` is __constant__, which kernels only read: fill it from the host with cudaMemcpyToSymbol(), or make it \
             a __device__ variable."
        )
    })
}

/// Returns whether a host line follows pointers without any index.
pub fn follows_pointer(at: &Access, about: &About) -> bool {
    let (line, tokens) = (own_line(at, about).unwrap_or(0), about.source.tokens());
    let has = |sign: &[&[u8]]| tokens.behind_on(line, sign).next().is_some();
    has(&[b"-", b">"]) && !has(&[b"["])
}

/// Returns whether host code accesses the array of the program's arguments outside it, or uses a null pointer in a line
/// that names them, or a variable that gets one of them.
pub fn is_of_arguments(finding: &Finding, about: &About) -> bool {
    let functions = about.source.functions().unwrap_or_default();
    let main = functions.iter().find(|its| its.body.is_some() && about.source.name_of(its) == "main");
    let parameters = main.map(|main| about.source.parameters_of(main)).unwrap_or_default();
    let arguments = parameters.split(',').nth(1).and_then(|second| names(second).last()).unwrap_or("argv");
    let own = |line: u32| {
        // A variable that gets an argument: `name = argv[1]`.
        let kept = uses(about.source.code(), arguments).filter_map(|(before, behind)| {
            let is_given = behind.starts_with('[') && !behind.starts_with("[0]");
            names(before.trim_end().strip_suffix('=').filter(|_| is_given)?).last()
        });
        kept.chain([arguments]).any(|name| about.source.names_on(line, name))
    };
    match finding.kind {
        FindingKind::HostOutOfBounds => finding.at.target.region().is_some_and(|its| its.name == "argv"),
        _ => own_line(&finding.at, about).is_some_and(own),
    }
}

/// Returns whether an access to a variable of the host is on a line that calls a member through a pointer.
pub fn calls_member_of_host(at: &Access, about: &About) -> bool {
    let (line, tokens) = (own_line(at, about).unwrap_or(0), about.source.tokens());
    let mut members = tokens.behind_on(line, &[b"-", b">"]);
    matches!(at.target, Target::Host { part: HostPart::Globals })
        && members.any(|member| tokens.is_name(member) && tokens.is(member + 1, b"("))
}

/// Returns whether some statement of the file may store to a shared array.
fn is_stored(about: &About, name: &str) -> bool {
    let declared = about.source.shared_arrays(name);
    let extents = declared.iter().map(|array| array.extents.len()).max().unwrap_or(0);
    // With fewer subscripts than extents, it is a pointer, which may be stored through elsewhere.
    let is_pointer = |behind: &str| subscripts_in(behind) < extents;
    uses_of_shared(about, name).any(|(before, behind)| is_pointer(behind) || !is_read_alone(before, behind))
}

/// Returns where the file uses a shared variable: the text before and after its name.
fn uses_of_shared<'a>(about: &About<'a>, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let declared = |before: &str| {
        before.rsplit([';', '{', '}']).next().is_some_and(|head| names(head).any(|word| word == "__shared__"))
    };
    uses(about.source.code(), name)
        .filter(move |(before, _)| !declared(before))
        .map(|(before, behind)| (before.trim_end(), behind.trim_start()))
}

/// Returns a shared variable that the file reads and to which certainly no statement stores.
pub fn never_stored<'a>(about: &About<'a>) -> Option<&'a str> {
    let tokens = about.source.tokens();
    let mut declared = tokens.all(b"__shared__").filter_map(|mark| {
        let ends = |at: &usize| matches!(tokens.word(*at), b";" | b"=");
        let end = (mark + 1..tokens.count()).find(ends)?;
        let name = (mark + 1..end).take_while(|at| !tokens.is(*at, b"[")).last()?;
        let plain = (mark + 1..end).all(|at| !matches!(tokens.word(at), b"," | b"(" | b"<" | b"{"));
        let is_own = plain && tokens.is_name(name) && tokens.before(mark, 1) != b"extern";
        from_utf8(tokens.word(name)).ok().filter(|_| is_own)
    });
    declared.find(|name| uses_of_shared(about, name).next().is_some() && !is_stored(about, name))
}

/// Returns whether an element `[…]`, or a variable, is just an operand of arithmetic. (Passed as an argument, or
/// with its address taken, it may be stored to elsewhere.)
fn is_read_alone(before: &str, behind: &str) -> bool {
    let next = if behind.starts_with('[') { behind_subscript(behind) } else { behind };
    next.starts_with([';', '+', '-', '*', '/'])
        && !changes(before, next)
        && !before.ends_with(['&', '(', ','])
}

/// Returns the text after the brackets that a text begins with.
fn behind_subscript(rest: &str) -> &str {
    let mut rest = rest;
    while rest.starts_with('[') {
        let Some(close) = closing(rest.bytes()) else { return "" };
        rest = rest[close + 1..].trim_start();
    }
    rest
}

/// Returns the number of subscripts that a text begins with.
fn subscripts_in(mut rest: &str) -> usize {
    let mut number = 0;
    while let Some(close) = closing(rest.bytes()).filter(|_| rest.starts_with('[')) {
        rest = rest[close + 1..].trim_start();
        number += 1;
    }
    number
}

/// Returns the remedy for a trap that the compiler substituted for a write to constant memory, or for an atomic
/// operation on a per-thread array.
pub fn trapped(at: &Access, about: &About) -> Option<String> {
    if let Some(text) = constant_written(about) {
        return Some(text);
    }
    let line = own_line(at, about)?;
    if let Some(text) = shared_pointer(line, about) {
        return Some(text);
    }
    if about.source.names_on(line, Family::AsyncCopy) {
        return Some(
            "An asynchronous copy moves 4, 8 or 16 bytes; for other sizes CUDA's header has a trap.".into(),
        );
    }
    let mut lines = about.source.kernel_lines(line)?;
    let own = about.source.private_arrays();
    let atomic_on = |line: u32| {
        about.source.named_on(line, Family::Atomic)?;
        own.iter().find(|array| about.source.names_on(line, array.name)).map(|array| (line, array))
    };
    let (line, array) = lines.find_map(atomic_on)?;
    Some(format!(
        "Atomic operations work on shared and global memory, but `{}` of line {}, which line {line} passes to one, is \
         each thread's own: is __shared__ missing where it is declared?",
        array.name, array.line
    ))
}

/// `__shared__ float *s;`: returns the remedy for a line that follows a shared pointer that nothing sets.
fn shared_pointer(line: u32, about: &About) -> Option<String> {
    let code = about.source;
    code.kernel_lines(line)?.find_map(|declared| {
        let (_, behind) = code.code_line(declared).split_once("__shared__")?.1.split_once('*')?;
        let name = names(behind).next()?;
        let is_set = |(_, behind): (&str, &str)| operator(behind) == "=";
        let is_array = uses(behind, name).next()?.1.trim_start().starts_with('[');
        (!is_array && code.names_on(line, name) && !uses(code.code(), name).any(is_set)).then(|| {
            format!(
                "`{name}` of line {declared} is a pointer, and no line sets it. For an array, give its size: __shared__ \
                 float {name}[256]."
            )
        })
    })
}

/// Returns the remedy for a kernel that writes to constant memory.
fn constant_written(about: &About) -> Option<String> {
    let mut uses = about.source.device_variable_uses().into_iter();
    let its = uses.find(|its| its.is_constant && its.is_write && its.space != Space::Host)?;
    Some(format!(
        "`{}` is in __constant__ memory, which kernels can only read, but line {} writes to it. The host fills it, with \
         cudaMemcpyToSymbol(); for results, give the kernel memory from cudaMalloc().",
        its.name,
        about.source.tokens().line(its.token)
    ))
}

/// Returns the remedy for a matrix fragment that nothing filled.
pub fn unfilled(at: &Access, about: &About) -> Option<String> {
    let line = own_line(at, about)?;
    let filled = about.source.names("fill_fragment");
    about.source.names_on(line, ["mma_sync", "store_matrix_sync"]).then(|| match filled {
        true => {
            "One of its fragments has no value here: load a tile before it is multiplied, skip the product \
                 where there is no tile, and fill the sum on every path that leads here."
                .into()
        }
        false => "Fill the fragment before the first mma_sync(), on every path that leads here, as in \
         wmma::fill_fragment(sum, 0.0f)."
            .into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpp::Source;

    #[test]
    fn what_has_no_value_is_told_by_the_kind_of_memory() {
        let tell = |memory: &str| {
            let text = format!("{memory}\nif (x[0] > 3) out[0] = 1;\n");
            let source = Source::new(&text);
            let location = sim::SourceLocation { file: "a.cu".into(), line: 2, column: 1 };
            let target = Target::Buffer { name: "x".into(), size_bytes: 128, offset_bytes: 0 };
            let at = Access { target, ..Access::by(Default::default(), Some(location)) };
            uninitialised(&at, &About::program("a.cu", &source)).unwrap()
        };
        for (memory, call) in [
            ("cudaMalloc(&x, 128);", "cudaMalloc()"),
            ("cudaMallocManaged(&y, 128); cudaMalloc(&x, 128);", "cudaMalloc()"),
            ("cudaMallocManaged(&x, 128);", "cudaMallocManaged()"),
            ("cudaHostAlloc((void **)&x, 128, cudaHostAllocDefault);", "cudaHostAlloc()"),
        ] {
            let said = tell(memory);
            assert!(said.contains(&format!(": {call} does not clear memory, and")), "{said}");
        }
        assert!(tell("__device__ int x[32];").starts_with("A __device__ variable starts as zeros"));
    }

    #[test]
    fn a_comment_divides_nothing() {
        let shown = |line: &str| {
            let source = Source::new(line);
            let location = sim::SourceLocation { file: "a.cu".into(), line: 1, column: 1 };
            divides(&Access::by(Default::default(), Some(location)), &About::program("a.cu", &source))
        };
        assert!(!shown("for (int i = first; i < n; i += first) // n / first times"));
        assert!(shown("int x = a / b;") && shown("int x = a % b;"));
    }

    #[test]
    fn what_should_come_from_standard_input_is_asked_for() {
        let tell = |read: &str| {
            let text = format!("int main() {{\nint n;\n{read}\nint m = n / 2;\nuse(n);\n}}\n");
            let source = Source::new(&text);
            let location = sim::SourceLocation { file: "a.cu".into(), line: 5, column: 1 };
            let (at, about) = (Access::by(Actor::Host, Some(location)), About::program("a.cu", &source));
            without_value(&at, &about).or_else(|| from_input(&at, &about))
        };
        for read in ["std::cin >> n;", "scanf(\"%d\", &n);"] {
            assert!(tell(read).unwrap().starts_with("Was there input for line 3?"), "{read}");
        }
        assert!(tell("if (x) n = 1;").unwrap().starts_with("`n` is declared in line 2"));
    }

    #[test]
    fn what_a_line_has_is_not_asked_for() {
        let tell = |call: &str| {
            let source = Source::new(call);
            let (request, written_bytes, memory_bytes) = ("cudaMemset".into(), 4, 8);
            let short = Evidence::CopyEnds { request, line: 1, written_bytes, memory_bytes };
            let at = Access::by(Default::default(), None);
            let finding =
                Finding { evidence: vec![short], ..Finding::new(sim::FindingKind::Uninitialised, at) };
            short_of(&finding, &About::program("a.cu", &source)).unwrap()
        };
        assert!(tell("cudaMemset(d, 0, n);\n").starts_with("cudaMemset counts bytes"));
        assert!(tell("cudaMemset(d, 0, n * sizeof(int));\n").starts_with("Are the number and the type"));
    }

    #[test]
    fn a_shared_pointer_that_nothing_sets_is_named() {
        let tell = |before: &str| {
            let text =
                format!("__global__ void k(float *x) {{\n__shared__ float *s;\n{before}\ns[0] = x[0];\n}}\n");
            let source = Source::new(&text);
            let location = sim::SourceLocation { file: "a.cu".into(), line: 4, column: 1 };
            trapped(&Access::by(Default::default(), Some(location)), &About::program("a.cu", &source))
        };
        assert!(tell("").unwrap().starts_with("`s` of line 2 is a pointer"));
        assert_eq!(tell("s = x;"), None);
    }

    fn never(code: &str) -> Option<String> {
        let source = Source::new(code);
        never_stored(&About::program("a.cu", &source)).map(str::to_owned)
    }

    #[test]
    fn a_shared_variable_without_a_store_is_named() {
        let array = "__global__ void k(float *o) { __shared__ float s[32]; o[0] = s[t] + s[t + 1]; }";
        assert_eq!(never(array).as_deref(), Some("s"));
        let variable = "__global__ void k(float *o) { __shared__ float before; o[0] = 1 + before; }";
        assert_eq!(never(variable).as_deref(), Some("before"));
    }

    #[test]
    fn a_kernel_that_writes_to_constant_memory_is_told_its_line() {
        let tell = |code: &str| {
            let source = Source::new(code);
            trapped(&Access::by(Default::default(), None), &About::program("a.cu", &source))
        };
        let wrong = tell("__constant__ int c[4];\n__global__ void k(int *o) {\n  c[0] = 5;\n}\n").unwrap();
        assert!(wrong.contains("`c` is in __constant__ memory") && wrong.contains("line 3"), "{wrong}");
        assert_eq!(tell("__constant__ int c[4];\n__global__ void k(int *o) { o[0] = c[0]; }\n"), None);
    }

    #[test]
    fn what_may_be_a_store_is_one() {
        for store in [
            "s[t] = 1;",
            "s[t] += 1;",
            "s[t]++;",
            "++s[t];",
            "load(s, 3);",
            "float *p = &s[3];",
            "f(s[t]);",
            "float *p = s;",
        ] {
            let code =
                format!("__global__ void k(float *o) {{ __shared__ float s[32]; {store} o[0] = s[t]; }}");
            assert_eq!(never(&code), None, "{store}");
        }
        let row =
            "__global__ void k(float *o) { __shared__ float s[4][8]; float *p = s[1]; o[0] = s[1][t]; }";
        assert_eq!(never(row), None);
        assert_eq!(never("__global__ void k(float *o) { extern __shared__ float s[]; o[0] = s[t]; }"), None);
        assert_eq!(never("__global__ void k(float *o) { __shared__ float s[32]; }"), None);
    }
}
