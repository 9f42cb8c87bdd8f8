//! What to try against a finding: one sentence, in words that fit where it happened.

use super::defect::{same_file, told_apart, who};
use super::extents::{Shared, shared_array};
use super::gather::index_from_memory;
use super::race::{barrier, both_write};
use super::view::{About, FindingView};
use super::{guard, inside};
use crate::cpp::{is_name_char, names};
use crate::judge::Spare;
use crate::sim::{Access, AccessKind, Actor, Code, Finding, Target};

/// An index this many times the size of its buffer is no slip at the edge.
const FAR: i64 = 4;

/// `view` is the finding as it is shown.
pub(super) fn advice(finding: &Finding, view: &FindingView, spare: Spare, about: &About) -> String {
    let operation = |access: &Access, what: &str| match &access.actor {
        Actor::Operation(words) => words.contains(what),
        _ => false,
    };
    let told = |what: &str| finding.notes.iter().any(|note| note.contains(what));
    let special = match finding.code {
        Code::OutOfBounds if operation(&finding.at, "") => Some(BY_A_LIBRARY.into()),
        Code::Misaligned if finding.at.bytes > 1 => Some(format!(
            "An access of {0} bytes needs an address that is a multiple of {0}: check the cast or the offset.",
            finding.at.bytes
        )),
        Code::Undefined => unfilled(&finding.at, about),
        Code::Uninitialised if operation(&finding.at, "") && !about.source.code().contains("<<<") => {
            Some(NOT_LAUNCHED.into())
        }
        Code::Uninitialised if operation(&finding.at, "") => Some(NOT_WRITTEN.into()),
        Code::CopyDirection if operation(&finding.at, "no memory at all") => Some(NO_MEMORY.into()),
        Code::CopyPastEnd if told("leave out the &") => Some(NO_AMPERSAND.into()),
        Code::WarpMask if of_matrices(&finding.at, about) => Some(WHOLE_WARP.into()),
        Code::InvalidLaunch if told(" 0 blocks") => Some(NO_BLOCKS.into()),
        Code::InvalidLaunch if told(" threads; the limit") => Some(MANY_THREADS.into()),
        Code::StreamRace if operation(&finding.at, "in a graph") => Some(IN_A_GRAPH.into()),
        Code::FreedInUse if operation(&finding.at, "cudaFreeHost") => Some(FREED_BY_THE_HOST.into()),
        Code::OutOfBounds => gathered(&finding.at, about).or_else(|| stray(&finding.at, spare.at, about)),
        Code::SharedOutOfBounds => {
            gathered(&finding.at, about).or_else(|| stray_in_shared(&finding.at, about))
        }
        Code::GlobalRace => one_element(finding, spare, about),
        Code::Uninitialised => unset(&finding.at, about),
        Code::DivergentBarrier => left(finding, about),
        Code::SharedRace => barrier(finding, &view.excerpt, about),
        _ => None,
    };
    special.unwrap_or_else(|| finding.code.help().into())
}

const BY_A_LIBRARY: &str = "Look at the counts, strides and leading dimensions: all that the call reads and writes must lie within \
                            its buffers.";
const NO_BLOCKS: &str =
    "Round the number of blocks up, as in (n + 255) / 256, and launch nothing where n is 0.";
const MANY_THREADS: &str = "Take more blocks of fewer threads, such as 256: a block has at most 1024, those of x, y and z multiplied.";
const IN_A_GRAPH: &str = "Let the second node depend on the first: name it among its dependencies, or, where the graph is captured, \
                          let an event order the two streams.";
const FREED_BY_THE_HOST: &str =
    "Wait for the work first, as by cudaStreamSynchronize(), and then call cudaFreeHost().";
const NOT_LAUNCHED: &str = "Launch the kernel before its result is copied: kernel<<<blocks, threads>>>(…).";
const NOT_WRITTEN: &str =
    "Is the kernel that should write it launched before this line, and given this pointer?";
const NO_MEMORY: &str = "A pointer leads nowhere until it is given memory: cudaMalloc(&pointer, bytes), before it is used for the first time.";
const NO_AMPERSAND: &str =
    "Pass the pointer itself: & makes the address of the pointer, which is a local variable.";
const WHOLE_WARP: &str = "All 32 lanes of the warp must come to it: take out the return above, or the branch around it, and let whole warps \
     pass or none of their lanes.";
const BELOW_ZERO: &str = "No element lies before the first. Which threads have nothing on that side? Check for it before the access.";

/// Whether the operation of a place is one on matrices, which takes no mask.
fn of_matrices(at: &Access, about: &About) -> bool {
    let line = at.location.as_ref().map_or(0, |at| at.line);
    let text = about.source.code_line(line);
    ["mma_sync", "load_matrix_sync", "store_matrix_sync"].iter().any(|call| text.contains(call))
}

fn stray(at: &Access, spare: Option<bool>, about: &About) -> Option<String> {
    let (offset, size) = match &at.target {
        Target::Buffer { offset_bytes, size_bytes, .. }
        | Target::Constant { offset_bytes, size_bytes, .. } => {
            (*offset_bytes, i64::try_from(*size_bytes).ok()?)
        }
        Target::Nowhere { .. } => {
            return Some(match about.program {
                true => {
                    "Look at the pointer: was it given memory, as by cudaMalloc(), and what is added to it?"
                        .into()
                }
                false => "Look at the pointer: where does it come from, and what is added to it?".into(),
            });
        }
        _ => return None,
    };
    if offset >= 0
        && let Some(text) = guard::told(at, about)
    {
        return Some(text);
    }
    let edge = size.saturating_mul(FAR).saturating_add(1 << 12);
    Some(match offset {
        _ if offset >= edge || offset <= -edge => {
            "This is far from any element: work out the index by hand for this thread.".into()
        }
        ..0 => BELOW_ZERO.into(),
        // The usual sentence is for threads past the end.
        _ if spare != Some(false) => return None,
        _ => "This thread has an element to write. Work out by hand which index it needs here, and \
              whether that index can pass the end."
            .into(),
    })
}

/// An index that is not worked out but read.
fn gathered(at: &Access, about: &About) -> Option<String> {
    let (Target::Buffer { name, .. } | Target::Shared { name, .. }) = &at.target else { return None };
    let location = at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    let from = index_from_memory(about.source, location.line, name)?;
    Some(format!(
        "The index is read from `{from}`, and a guard on the thread says nothing of that: is every value there \
         an element of `{name}`?"
    ))
}

/// Two threads that write one element, as a guard that lets too many through has them do.
fn one_element(finding: &Finding, spare: Spare, about: &About) -> Option<String> {
    if let Some(text) = updated(finding, about) {
        return Some(text);
    }
    if !both_write(finding) {
        return None;
    }
    let told = told_apart(finding, about);
    let name = |access: &Access| who(access.thread, access.block, &told);
    let guard = match about.thread_dims.max(about.block_dims) {
        1 => "a guard must keep it out.",
        _ => "a guard on its row and on its column must keep it out.",
    };
    let too_many = |access: &Access| {
        let text = format!("{} has no element of its own: {guard}", name(access));
        let first = text.chars().next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        first + text.get(1..).unwrap_or_default()
    };
    let other = finding.other.as_ref()?;
    Some(match (spare.at, spare.other) {
        (Some(true), _) => too_many(&finding.at),
        (_, Some(true)) => too_many(other),
        (Some(false), Some(false)) => {
            "Each of the two has an element of its own: work out by hand which index each should have here."
                .into()
        }
        _ => return None,
    })
}

/// One statement that reads an element and writes it back, as `+=` does.
fn updated(finding: &Finding, about: &About) -> Option<String> {
    let line = |access: &Access| {
        let at = access.location.as_ref().filter(|at| same_file(&at.file, about.file));
        at.map(|at| at.line)
    };
    let theirs = line(finding.other.as_ref()?);
    let here = line(&finding.at).filter(|here| theirs == Some(*here))?;
    let text = about.source.code_line(here);
    // Behind a lock something else is missing.
    let locked = ["atomicCAS", "atomicExch"].iter().any(|call| about.source.code().contains(call));
    let operator = ["++", "--", "+=", "-="].iter().find(|operator| text.contains(**operator))?;
    let behind = text.split(operator).nth(1)?;
    let Target::Buffer { name, .. } = &finding.at.target else { return None };
    // What is read on the right is another element.
    let elsewhere = names(behind).any(|word| word == &**name);
    (!locked && !elsewhere && text.matches(operator).count() == 1).then(|| match about.atomics_barred {
        true => "Give each thread a place of its own, in shared memory, and let the threads of the block add those up \
                 when all have come to a barrier."
            .into(),
        false => "Use atomicAdd(), which reads, adds and writes in one step, or give each thread a place of its own."
            .into(),
    })
}

fn stray_in_shared(at: &Access, about: &About) -> Option<String> {
    let Target::Shared { name, size_bytes, offset_bytes } = &at.target else { return None };
    if *offset_bytes < 0 {
        return Some(BELOW_ZERO.into());
    }
    if let Some(text) = of_the_grid(at) {
        return Some(text);
    }
    (shared_array(about.source, name, *size_bytes) == Some(Shared::Extern)).then(|| {
        "Compare the index with the size of the array: an extern array has the bytes that the launch gives it."
            .into()
    })
}

/// An array of the block that is indexed as if it were the grid's: the index is the thread's number in
/// the block behind as many elements for each block before.
fn of_the_grid(at: &Access) -> Option<String> {
    let Target::Shared { name, size_bytes, offset_bytes } = &at.target else { return None };
    let bytes = u64::from(at.bytes).max(1);
    let (index, elements) = (u64::try_from(*offset_bytes).ok()? / bytes, size_bytes / bytes);
    let (thread, block) = (u64::from(at.thread.x), u64::from(at.block.x));
    let in_a_row = [at.thread.y, at.thread.z, at.block.y, at.block.z] == [0; 4];
    let before = index.checked_sub(thread)?;
    // As many as a block has threads, if it is that: more than this thread's number.
    let of_a_block = before.checked_div(block)?;
    (in_a_row && thread < elements && before % block == 0 && (thread + 1..=1024).contains(&of_a_block)).then(
        || {
            format!(
                "Each block has a `{name}` of its own: index it with threadIdx.x, not with the index over the whole \
                 grid."
            )
        },
    )
}

fn unset(at: &Access, about: &About) -> Option<String> {
    if let (Target::Shared { name, .. }, AccessKind::Atomic) = (&at.target, at.kind) {
        return Some(format!(
            "Shared memory does not begin as zeros: let the threads set `{name}` first, and then __syncthreads()."
        ));
    }
    if let Target::Shared { name, .. } = &at.target
        && !is_stored(about, name)
    {
        return Some(format!(
            "Nothing in the file stores to `{name}`: fill it first, and then __syncthreads()."
        ));
    }
    let Target::Buffer { name, .. } = &at.target else { return None };
    let location = at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    let line = about.source.line(location.line)?;
    Some(match line.contains(&format!("{name}[")) && line.contains("+=") {
        true => format!(
            "`{name}` holds nothing before the first launch: store a value (=) before anything is added to it (+=)."
        ),
        false if about.program => format!(
            "Nothing has stored this element of `{name}`, and cudaMalloc() does not clear memory: store it first, by \
             a kernel, a copy or cudaMemset()."
        ),
        false => format!(
            "Nothing has stored this element of `{name}`: which thread should have, and in which launch?"
        ),
    })
}

/// Whether some statement of the file may store to a shared array.
fn is_stored(about: &About, name: &str) -> bool {
    let code = about.source.code();
    let mut places = code.match_indices(name).map(|(at, _)| (&code[..at], &code[at + name.len()..]));
    places.any(|(before, behind)| {
        let whole = !before.ends_with(is_name_char) && !behind.starts_with(is_name_char);
        let declared = before.rsplit([';', '{', '}']).next().is_some_and(|head| head.contains("__shared__"));
        // As an argument it may be stored to elsewhere.
        let rest = behind.trim_start();
        let element = rest.starts_with('[') && !stores(rest);
        whole && !declared && !element
    })
}

/// Whether what stands behind an array's name are brackets and then an assignment.
fn stores(rest: &str) -> bool {
    let mut depth = 0usize;
    let end = rest.char_indices().find(|(at, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *c == ']' && !rest[at + 1..].trim_start().starts_with('[')
    });
    let behind = end.map_or("", |(at, _)| rest[at + 1..].trim_start());
    let assigned = behind.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
    assigned.starts_with('=') && !assigned.starts_with("==")
        || behind.starts_with("++")
        || behind.starts_with("--")
}

/// For a sum of matrices that nothing filled.
fn unfilled(at: &Access, about: &About) -> Option<String> {
    let location = at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    let line = about.source.line(location.line)?;
    let filled = about.source.code().contains("fill_fragment");
    ["mma_sync(", "store_matrix_sync("].iter().any(|call| line.contains(call)).then(|| match filled {
        true => "One of its fragments has no value here: load a tile before it is multiplied, leave the product out \
                 where there is no tile, and fill the sum on every way that leads here."
            .into(),
        false => "Fill the fragment before the first mma_sync(), on every way that leads here, as in \
         wmma::fill_fragment(sum, 0.0f)."
            .into(),
    })
}

/// For a barrier that the others can't reach any more, since they returned.
fn left(finding: &Finding, about: &About) -> Option<String> {
    let location = finding.at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    if let Some(text) = inside::call_in_branch(finding, about) {
        return Some(text);
    }
    let first = about.source.kernel_lines(location.line)?.start;
    let mut above = (first..location.line).map(|line| about.source.code_line(line));
    let returns = above.any(|line| names(line).any(|word| word == "return"));
    (returns && finding.notes.iter().any(|note| note.contains("have ended") || note.contains("has ended")))
        .then(|| {
            "Guard the work rather than leave: all threads of the block must stay until the last barrier."
                .into()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpp::Source;
    use crate::sim::{Dim3, SourceLocation};
    use std::collections::BTreeMap;

    fn about<'a>(source: &'a Source<'a>) -> About<'a> {
        About {
            file: "a.cu",
            source,
            starter: "",
            seconds: 0.0,
            backend: "sim",
            seed: 1,
            thread_dims: 1,
            program: false,
            block_dims: 1,
            every_block: false,
            atomics_barred: false,
            element_bytes: BTreeMap::new(),
        }
    }

    fn access(kind: AccessKind, thread: u32, line: u32, target: Target) -> Access {
        let location = Some(SourceLocation { file: "a.cu".into(), line, column: 1 });
        let (block, thread) = (Dim3::new(0, 0, 0), Dim3::new(thread, 0, 0));
        Access { kind, actor: Actor::Thread, block, thread, location, bytes: 4, target }
    }

    fn told(code: Code, at: Access, other: Option<Access>, spare: Option<bool>, source: &str) -> String {
        let spare = Spare { at: spare, other: None };
        let source = Source::new(source);
        let finding =
            Finding { code, at, other, hits: 1, threads: Some(1), notes: Vec::new(), follows: None };
        let about = about(&source);
        let view = super::super::defect::view(&finding, &about);
        advice(&finding, &view, spare, &about)
    }

    #[test]
    fn a_stray_access_is_told_by_where_it_went() {
        let tell = |offset_bytes, spare| {
            let target = Target::Buffer { name: "in".into(), size_bytes: 64, offset_bytes };
            told(Code::OutOfBounds, access(AccessKind::Read, 4, 1, target), None, spare, "")
        };
        for (offset, spare, has) in [
            (64, None, "threads past the end must do nothing"),
            (64, Some(true), "threads past the end must do nothing"),
            (64, Some(false), "has an element to write"),
            (-4, Some(true), "No element lies before the first"),
            (1 << 20, Some(true), "far from any element"),
            (i64::MIN, None, "far from any element"),
        ] {
            assert!(tell(offset, spare).contains(has), "{offset}: {}", tell(offset, spare));
        }
    }

    #[test]
    fn an_update_is_made_one_step() {
        let tell = |source| {
            let at = |thread, kind| {
                let target = Target::Buffer { name: "bins".into(), size_bytes: 64, offset_bytes: 0 };
                access(kind, thread, 1, target)
            };
            let other = Some(at(1, AccessKind::Read));
            told(Code::GlobalRace, at(0, AccessKind::Write), other, None, source)
        };
        for (source, atomic) in [
            ("bins[v]++;", true),
            ("bins[v] += a[i];", true),
            ("bins[v] += bins[v + 1];", false),
            ("bins[v] = bins[v] + 1;", false),
            ("bins[v]++; // then atomicExch(lock, 0);", true),
            ("bins[v]++; atomicExch(lock, 0);", false),
        ] {
            assert_eq!(tell(source).starts_with("Use atomicAdd()"), atomic, "{source}");
        }
    }

    #[test]
    fn threads_return_only_where_the_source_says_so() {
        let tell = |source: &str, line| {
            let mut finding = Finding {
                notes: vec!["8 of 32 threads wait here; the other 24 have ended and will never come".into()],
                ..divergent(line)
            };
            finding.hits = 1;
            let source = Source::new(source);
            let about = about(&source);
            let view = super::super::defect::view(&finding, &about);
            advice(&finding, &view, Spare::default(), &about)
        };
        let early = "__global__ void f() {\nif (t > 8) return;\n__syncthreads();\n}";
        assert!(tell(early, 3).starts_with("Guard the work"));
        let branch = "__global__ void f() {\nif (t < 8) {\n__syncthreads(); }\n}";
        assert!(tell(branch, 3).starts_with("Move the barrier"));
    }

    fn divergent(line: u32) -> Finding {
        let at = access(AccessKind::Read, 0, line, Target::None);
        Finding {
            follows: None,
            code: Code::DivergentBarrier,
            at,
            other: None,
            hits: 1,
            threads: Some(1),
            notes: Vec::new(),
        }
    }

    #[test]
    fn the_launch_is_named_only_for_extern_arrays() {
        let tell = |source| {
            let target = Target::Shared { name: "s".into(), size_bytes: 64, offset_bytes: 64 };
            told(Code::SharedOutOfBounds, access(AccessKind::Read, 4, 1, target), None, None, source)
        };
        assert!(tell("extern __shared__ int s[];").contains("launch"));
        assert!(!tell("__shared__ int s[16];").contains("launch"));
    }

    #[test]
    fn an_array_of_the_block_is_not_indexed_over_the_grid() {
        let tell = |block, thread, element: i64| {
            let target = Target::Shared { name: "tile".into(), size_bytes: 1024, offset_bytes: element * 4 };
            let block = Dim3::new(block, 0, 0);
            let at = Access { block, ..access(AccessKind::Write, thread, 1, target) };
            told(Code::SharedOutOfBounds, at, None, None, "__shared__ float tile[256];")
        };
        for (block, thread, element) in [(1, 0, 256), (2, 0, 256), (1, 3, 259), (9, 255, 2559)] {
            assert!(tell(block, thread, element).contains("index it with threadIdx.x"), "{element}");
        }
        // The first block, one past the end, an index that is not made so.
        for (block, thread, element) in [(0, 256, 256), (1, 255, 256), (2, 0, 257), (1, 0, 2048)] {
            assert!(tell(block, thread, element).starts_with("Compare the index"), "{element}");
        }
    }

    #[test]
    fn a_barrier_is_put_where_it_helps() {
        let source = "void f() { s[t] = in[t];
for (int h = 4; h; h /= 2) {
    if (t < h) s[t] += s[t + h];
    x = s[t];
}
for (int h = 4; h; h /= 2) {
    s[t] += s[t + h];
    __syncthreads();
}
s[0] += x;
}
void g() {
for (int k = 0; k < n; k++) {
    s[t] = in[k];
    __syncthreads();
    x += s[t + 1];
}
if (t < 64) {
    s[t] = 1;
    __syncthreads(); }
    x = s[t + 1];
    memcpy_async(&s[t], &in[t]);
    __syncthreads();
    x = s[t + 1];
}
";
        let tell = |(first, a), (then, b)| {
            let side = |thread, line, kind| {
                access(
                    kind,
                    thread,
                    line,
                    Target::Shared { name: "s".into(), size_bytes: 64, offset_bytes: 0 },
                )
            };
            told(Code::SharedRace, side(1, then, b), Some(side(0, first, a)), None, source)
        };
        use AccessKind::{Atomic, Read, Write};
        for (first, then, has) in [
            ((1, Write), (3, Read), "between line 1 and the loop"),
            ((4, Read), (3, Write), "at the end of the loop's body"),
            ((3, Write), (4, Read), "between lines 3 and 4"),
            ((3, Write), (3, Read), "at the end of the loop's body"),
            ((7, Read), (7, Write), "Read into a variable"),
            ((10, Read), (10, Write), "atomicAdd()"),
            ((1, Write), (1, Write), "let one thread write"),
            ((1, Atomic), (1, Write), "let one thread write"),
            // The other warp ran ahead.
            ((3, Read), (1, Write), "between line 1 and the loop"),
            // A barrier between the two in every round: it was the next round that came too soon.
            ((14, Write), (16, Read), "at the end of the loop's body"),
            // One that does not help.
            ((19, Write), (21, Read), "The __syncthreads() of line 20 does not order the two"),
            ((22, Write), (24, Read), "wait for the copy first"),
            // A barrier orders the way down: this was the way back.
            ((10, Read), (1, Write), "Line 1 comes round again after line 10"),
            ((0, Read), (1, Write), Code::SharedRace.help()),
        ] {
            assert!(tell(first, then).contains(has), "{first:?} {then:?}: {}", tell(first, then));
        }
    }
}
