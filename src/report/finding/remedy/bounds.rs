//! Remedies for accesses outside a buffer or an array.

use super::guard::{self, question_about_grid};
use super::pass;
use super::subscript::{follows_a_loop, subscript_on};
use super::values::has_pitch;
use crate::about::About;
use crate::finding::defect::launched_in;
use crate::finding::extents::{Shared, shared_array};
use crate::finding::gather::{Gathered, index_from_memory};
use crate::finding::place::own_line;
use cpp::{Family, names};
use sim::{Access, Actor, Finding, LOCAL_WINDOW, SHARED_WINDOW, Target};

/// An index that is this many times past the buffer's size is no off-by-one at the edge.
const FAR: i64 = 4;

const BELOW_ZERO: &str = "There is no element before the first. Which element does this thread need here? If none, check for that before \
     the access; if another, look at the index.";

const CAST_OF_POINTER: &str = "An allocation writes to the address of your pointer, and (void **) turns any value into one: pass &d, not d.";

const WRAPPED: &str = "With 2^32 added, the index would be that of an element. Is it computed in 32 bits, and does a product or a sum \
                       in it exceed 2147483647? Give one operand the type size_t or long long.";

/// Returns whether an index below zero may be one that did not fit into an `int`: 2³² more is within the buffer.
fn wraps_round(offset_bytes: i64, size_bytes: i64, element_bytes: i64) -> bool {
    let each = element_bytes.max(1);
    let index = offset_bytes / each;
    (i64::from(i32::MIN)..0).contains(&index) && index + (1 << 32) < size_bytes / each
}

/// Returns whether an allocation on a line is passed a pointer's value instead of its address:
/// `cudaMalloc((void **)d, n)`.
fn is_cast_of_pointer(at: &Access, about: &About) -> bool {
    let line = own_line(at, about).unwrap_or(0);
    let tokens = about.source.tokens();
    let mut casts = tokens.behind_on(line, &[b"(", b"void", b"*", b"*", b")"]);
    about.source.names_on(line, Family::Allocation) && casts.any(|behind| !tokens.is(behind, b"&"))
}

/// Returns the remedy for an access to global or constant memory. `excess`: whether the thread has no element to
/// write, where that is known.
pub fn stray(finding: &Finding, excess: Option<bool>, about: &About) -> Option<String> {
    let at = &finding.at;
    if let Some(text) = gathered(at, about) {
        return Some(text);
    }
    let (offset, size) = match &at.target {
        Target::Buffer { offset_bytes, size_bytes, .. }
        | Target::Constant { offset_bytes, size_bytes, .. } => {
            (*offset_bytes, i64::try_from(*size_bytes).ok()?)
        }
        Target::Nowhere { .. } => {
            return Some(match about.program {
                true if at.actor == Actor::Host && is_cast_of_pointer(at, about) => CAST_OF_POINTER.into(),
                true => {
                    "Look at the pointer: was it given memory, for example by cudaMalloc(), and what is added to it?"
                        .into()
                }
                false => "Look at the pointer: where does it come from, and what is added to it?".into(),
            });
        }
        _ => return None,
    };
    if offset >= 0
        && let Some(text) = guard::describe(at, launched_in(finding, about), about)
    {
        return Some(text);
    }
    if let Some(text) = pitch_in_elements(at, about).or_else(|| indexed_per_block(at, about)) {
        return Some(text);
    }
    let this_pass = if excess == Some(true) { None } else { pass::past_the_end(at, about) };
    if wraps_round(offset, size, i64::from(at.bytes)) {
        return Some(WRAPPED.into());
    }
    let edge = size.saturating_mul(FAR).saturating_add(1 << 12);
    Some(match offset {
        _ if offset >= edge || offset <= -edge => {
            "This is far from any element: work out the index by hand for this thread.".into()
        }
        ..0 => BELOW_ZERO.into(),
        _ if this_pass.is_some() => return this_pass,
        _ => match excess {
            // The general help is for threads past the end.
            Some(true) => return let_through(at, about),
            Some(false) => "This thread has an element to write. Work out by hand which index it needs here, and \
                            whether that index can pass the end."
                .into(),
            None => {
                "Work out by hand which index this thread needs here. Where it has no element, compare the index with \
                 the size before the access, and let the thread do nothing."
                    .to_owned()
                    + &question_about_grid(at, about)
            }
        },
    })
}

/// Returns what to ask where a kernel without any pointer to bytes accesses memory of `cudaMallocPitch`.
fn pitch_in_elements(at: &Access, about: &About) -> Option<String> {
    let Target::Buffer { name, .. } = &at.target else { return None };
    let mut lines = about.source.kernel_lines(own_line(at, about)?)?;
    let has_bytes = lines.any(|line| names(about.source.code_line(line)).any(|its| its == "char"));
    (at.bytes > 1 && !has_bytes && has_pitch(at, about)).then(|| {
        format!(
            "cudaMallocPitch() gives the pitch in bytes: is it counted in elements here? Row y of `{name}` begins at \
             (char *){name} + y * pitch. Otherwise compare the row with the number of rows."
        )
    })
}

/// Returns the remedy for a thread without an element that passes an existing guard.
fn let_through(at: &Access, about: &About) -> Option<String> {
    about.source.branch_of_threads(own_line(at, about)?).map(|branch| guard::passed(branch.head))
}

/// Returns the remedy for an access to shared memory.
pub fn stray_in_shared(at: &Access, about: &About) -> Option<String> {
    if let Some(text) = gathered(at, about) {
        return Some(text);
    }
    let Target::Shared { name, size_bytes, offset_bytes } = &at.target else { return None };
    if let Some(text) = of_a_pointer(*offset_bytes) {
        return Some(text.into());
    }
    if *offset_bytes < 0 {
        return Some(BELOW_ZERO.into());
    }
    if let Some(text) = indexed_over_grid(at, about) {
        return Some(text);
    }
    Some(match shared_array(about.source, name, *size_bytes) {
        Some(Shared::Extern) => format!("{NEEDED} An extern array has as many bytes as the launch gives it."),
        _ => NEEDED.into(),
    })
}

const NEEDED: &str =
    "Which element does this thread need here, if any, and how many must the array have for it?";

/// Returns the remedy for a wrong conversion of a pointer to the 32-bit shared-memory address that inline
/// assembly needs.
fn of_a_pointer(offset_bytes: i64) -> Option<&'static str> {
    /// More than the shared memory of a block, or the stack of a thread.
    const NEAR_BYTES: u32 = 1 << 20;
    if u64::try_from(offset_bytes).ok()?.wrapping_sub(SHARED_WINDOW) < NEAR_BYTES.into() {
        return Some(
            "An instruction for shared memory wants an address there, and was given a pointer, which counts from elsewhere. \
             Convert it with __cvta_generic_to_shared(pointer).",
        );
    }
    let address = u32::try_from(offset_bytes).ok()?;
    let near = |start: u64| address.wrapping_sub(start as u32) < NEAR_BYTES;
    if near(SHARED_WINDOW) {
        Some(
            "A pointer cut to 32 bits is a shared-memory address only on some GPUs. Convert it with \
             __cvta_generic_to_shared(pointer).",
        )
    } else if near(LOCAL_WINDOW.wrapping_sub(SHARED_WINDOW)) {
        Some(
            "The pointer leads to an array that is the thread's own: is __shared__ missing where it is declared?",
        )
    } else {
        None
    }
}

/// Returns the remedy where the index is read from memory instead of computed.
fn gathered(at: &Access, about: &About) -> Option<String> {
    let (Target::Buffer { name, offset_bytes, .. } | Target::Shared { name, offset_bytes, .. }) = &at.target
    else {
        return None;
    };
    let Gathered { from, unchanged } = index_from_memory(about.source, own_line(at, about)?, name)?;
    let index = offset_bytes / i64::from(at.bytes.max(1));
    if unchanged
        && (i64::from(i8::MIN)..0).contains(&index)
        && from.split_once('[').is_some_and(|(array, _)| is_array_of_char(array, about))
    {
        return Some(format!(
            "The type char is signed: values from 128 on, as in text that is not ASCII, are negative. Convert `{from}` to \
             unsigned char before it becomes an index."
        ));
    }
    if about.program {
        return Some(format!(
            "The index is computed from `{from}`. Is every value there as it should be, and is it the right element? And \
             should every thread that passes the conditions before this access reach it?"
        ));
    }
    Some(format!(
        "The index is computed from `{from}`. Is every value there as the task wants it, and is the index computed \
         from it as the task says: from the right element, with the right row length? And should every thread that \
         passes the conditions before this access reach it?"
    ))
}

/// Returns whether a pointer or an array of this name is declared with `char` as the type of its elements.
fn is_array_of_char(array: &str, about: &About) -> bool {
    let tokens = about.source.tokens();
    tokens.all(b"char").any(|at| {
        let is_signed = !matches!(tokens.before(at, 1), b"unsigned" | b"signed");
        let is_name = |at: &usize| {
            !matches!(tokens.word(*at), b"const" | b"*" | b"__restrict__" | b"__restrict" | b"__shared__")
        };
        let name = (at + 1..tokens.count()).find(is_name);
        is_signed && name.is_some_and(|name| tokens.is(name, array.as_bytes()))
    })
}

/// Returns the remedy for a shared array that is indexed with a grid-wide index: the index is the thread's index
/// in the block plus a constant number of elements per preceding block.
fn indexed_over_grid(at: &Access, about: &About) -> Option<String> {
    let Target::Shared { name, size_bytes, offset_bytes } = &at.target else { return None };
    let line = own_line(at, about)?;
    if follows_a_loop(about.source, line, subscript_on(about.source, line, name).unwrap_or_default()) {
        return None;
    }
    let bytes = u64::from(at.bytes).max(1);
    let (index, elements) = (u64::try_from(*offset_bytes).ok()? / bytes, size_bytes / bytes);
    let thread = u64::from(at.thread.x);
    // The block size, if the index is built this way: larger than this thread's index.
    let threads = for_each_block(at, index)?;
    (thread < elements && (thread + 1..=1024).contains(&threads)).then(
        || {
            format!(
                "Each block has its own `{name}`: should its index be threadIdx.x here, rather than the index over \
                 the whole grid?"
            )
        },
    )
}

/// Returns the remedy for a buffer that may have one element per block and is indexed by grid-wide thread: the
/// index is that of a block's first thread, no loop contributes to it, and the block's index would be inside the
/// buffer.
fn indexed_per_block(at: &Access, about: &About) -> Option<String> {
    let Target::Buffer { name, size_bytes, offset_bytes } = &at.target else { return None };
    let line = own_line(at, about)?;
    if follows_a_loop(about.source, line, subscript_on(about.source, line, name)?) {
        return None;
    }
    let bytes = u64::from(at.bytes).max(1);
    let (index, elements) = (u64::try_from(*offset_bytes).ok()? / bytes, size_bytes / bytes);
    let threads = for_each_block(at, index)?;
    let inside = at.thread.x == 0 && u64::from(at.block.x) < elements;
    (inside && (2..=1024).contains(&threads)).then(|| {
        format!(
            "Work out by hand which index this thread needs: does `{name}` have an element for each thread of the grid, \
             one for each block, or how many?"
        )
    })
}

/// Returns the number of elements per block that an index skips for the preceding blocks, if it is the thread's
/// index plus a constant number for each of them; `None` for the first block.
fn for_each_block(at: &Access, index: u64) -> Option<u64> {
    let in_a_row = [at.thread.y, at.thread.z, at.block.y, at.block.z] == [0; 4];
    let (before, block) = (index.checked_sub(at.thread.x.into())?, u64::from(at.block.x));
    let each = before.checked_div(block)?;
    (in_a_row && before % block == 0).then_some(each)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{access, describe, finding, remedy_for};
    use super::*;
    use judge::ExcessThreads;
    use sim::{AccessKind, Dim3, FindingKind};

    #[test]
    fn a_stray_access_is_told_by_where_it_went() {
        let tell = |offset_bytes, excess| {
            let target = Target::Buffer { name: "in".into(), size_bytes: 64, offset_bytes };
            let at = access(AccessKind::Read, 4, 1, target);
            let excess = ExcessThreads { at: excess, other: None };
            describe(&finding(FindingKind::OutOfBounds, at, None), excess, "")
        };
        for (offset, excess, has) in [
            (64, None, "Where it has no element"),
            (64, Some(true), "threads past the end must do nothing"),
            (64, Some(false), "has an element to write"),
            (-4, Some(true), "no element before the first"),
            (1 << 20, Some(true), "far from any element"),
            (i64::MIN, None, "far from any element"),
        ] {
            assert!(tell(offset, excess).contains(has), "{offset}: {}", tell(offset, excess));
        }
    }

    #[test]
    fn only_a_char_that_is_the_index_itself_may_be_negative() {
        let tell = |body: &str| {
            let source = format!("__global__ void k(const char *text, int *bins) {{\n{body}\n}}\n");
            let line = source.lines().position(|line| line.contains("bins[")).unwrap() as u32 + 1;
            let target = Target::Buffer { name: "bins".into(), size_bytes: 1024, offset_bytes: -65 * 4 };
            remedy_for(FindingKind::OutOfBounds, access(AccessKind::Atomic, 5, line, target), None, &source)
        };
        for body in ["bins[text[i]]++;", "bins[(int)text[i - 1]]++;", "char c = text[i];\nbins[c]++;"] {
            assert!(tell(body).starts_with("The type char is signed"), "{body}");
        }
        for body in [
            "bins[text[i] - 'a']++;",
            "char c = text[i];\nbins[c - 97]++;",
            "int k = text[i] - 'a';\nbins[k]++;",
        ] {
            assert!(tell(body).starts_with("The index is computed from `text[i]`"), "{body}");
        }
    }

    #[test]
    fn an_index_that_did_not_fit_is_known_by_what_it_would_be() {
        let tell = |elements: u64| {
            let (size_bytes, offset_bytes) = (elements * 4, -1_794_967_297 * 4);
            let target = Target::Buffer { name: "m".into(), size_bytes, offset_bytes };
            remedy_for(FindingKind::OutOfBounds, access(AccessKind::Write, 4, 1, target), None, "")
        };
        assert!(tell(2_500_000_000).starts_with("With 2^32 added"), "{}", tell(2_500_000_000));
        assert!(!tell(2_400_000_000).contains("2^32"));
    }

    #[test]
    fn the_launch_is_named_only_for_extern_arrays() {
        let tell = |source| {
            let target = Target::Shared { name: "s".into(), size_bytes: 64, offset_bytes: 64 };
            let at = access(AccessKind::Read, 4, 1, target);
            remedy_for(FindingKind::SharedOutOfBounds, at, None, source)
        };
        assert!(tell("extern __shared__ int s[];").contains("launch"));
        assert!(!tell("__shared__ int s[16];").contains("launch"));
    }

    #[test]
    fn addresses_made_of_pointers_in_a_wrong_way_are_told() {
        let tell = |offset_bytes| {
            let target = Target::Shared { name: "tile".into(), size_bytes: 1024, offset_bytes };
            let at = access(AccessKind::Write, 3, 1, target);
            remedy_for(FindingKind::SharedOutOfBounds, at, None, "__shared__ float tile[256];")
        };
        let cut = i64::from(SHARED_WINDOW as u32);
        assert!(tell(cut + 48).contains("__cvta_generic_to_shared"));
        let whole = i64::try_from(SHARED_WINDOW).unwrap();
        assert!(tell(whole + 48).starts_with("An instruction for shared memory"));
        let local = i64::from(LOCAL_WINDOW.wrapping_sub(SHARED_WINDOW) as u32);
        assert!(tell(local + 16).contains("__shared__ missing"));
        assert!(!tell(1024).contains("pointer"));
    }

    #[test]
    fn an_array_of_the_block_is_not_indexed_over_the_grid() {
        let tell = |block, thread, element: i64| {
            let target = Target::Shared { name: "tile".into(), size_bytes: 1024, offset_bytes: element * 4 };
            let block = Dim3::new(block, 0, 0);
            let at = Access { block, ..access(AccessKind::Write, thread, 1, target) };
            remedy_for(FindingKind::SharedOutOfBounds, at, None, "__shared__ float tile[256];")
        };
        for (block, thread, element) in [(1, 0, 256), (2, 0, 256), (1, 3, 259), (9, 255, 2559)] {
            assert!(tell(block, thread, element).contains("should its index be threadIdx.x"), "{element}");
        }
        // The first block, one past the end, and an index of another form.
        for (block, thread, element) in [(0, 256, 256), (1, 255, 256), (2, 0, 257), (1, 0, 2048)] {
            assert!(tell(block, thread, element).starts_with("Which element"), "{element}");
        }
    }
}
