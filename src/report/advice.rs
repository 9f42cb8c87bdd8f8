//! What to try against a finding: one sentence, in words that fit where it happened.

use super::defect::{same_file, told_apart, who};
use super::excerpt::Excerpt;
use super::extents::{Shared, shared_array};
use super::gather::index_from_memory;
use super::view::{About, FindingView};
use crate::cpp::{Source, names};
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
        Code::SharedRace => race(finding, &view.excerpt, about),
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
const BELOW_ZERO: &str = "No element lies before the first. Which threads have nothing on that side? Check for it before the access.";

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
    (!locked && !elsewhere && text.matches(operator).count() == 1).then(|| {
        "Use atomicAdd(), which reads, adds and writes in one step, or give each thread a place of its own."
            .into()
    })
}

/// Whether both sides of a finding store a value.
pub(super) fn both_write(finding: &Finding) -> bool {
    let other = finding.other.as_ref().map(|other| other.kind);
    other == Some(AccessKind::Write) && finding.at.kind == AccessKind::Write
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

/// For a sum of matrices that nothing filled.
fn unfilled(at: &Access, about: &About) -> Option<String> {
    let location = at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    let line = about.source.line(location.line)?;
    ["mma_sync(", "store_matrix_sync("].iter().any(|call| line.contains(call)).then(|| {
        "Fill the fragment before the first mma_sync(), on every way that leads here, as in \
         wmma::fill_fragment(sum, 0.0f)."
            .into()
    })
}

/// For a barrier that the others can't reach any more, since they returned.
fn left(finding: &Finding, about: &About) -> Option<String> {
    let location = finding.at.location.as_ref().filter(|at| same_file(&at.file, about.file))?;
    let first = about.source.kernel_lines(location.line)?.start;
    let mut above = (first..location.line).map(|line| about.source.code_line(line));
    let returns = above.any(|line| names(line).any(|word| word == "return"));
    (returns && finding.notes.iter().any(|note| note.contains("have ended") || note.contains("has ended")))
        .then(|| {
            "Guard the work rather than leave: all threads of the block must stay until the last barrier."
                .into()
        })
}

/// The two sides of a race in the order in which the source has them, unless a loop brings the
/// later line first; their lines, 0 where not known. Where a barrier stands between the lines, the
/// way from the one down to the other is in order: then it was a way back that was not.
pub(super) fn in_order<'a>(finding: &'a Finding, about: &About) -> Option<[(&'a Access, u32); 2]> {
    let line = |access: &Access| {
        let at = access.location.as_ref().filter(|at| same_file(&at.file, about.file));
        at.map_or(0, |at| at.line)
    };
    let sides = [finding.other.as_ref()?, &finding.at].map(|access| (access, line(access)));
    let [(_, first), (_, then)] = sides;
    let code = about.source;
    // Lines of different functions say nothing of what comes first.
    if !code.in_one_function(first, then) || code.in_one_statement(first, then) {
        return Some(sides);
    }
    let next_round = || {
        let in_one_loop = code.loop_around(then).is_some_and(|l| first <= l.end);
        in_one_loop || code.barriers().iter().any(|line| (then..first).contains(line))
    };
    // Where every round passes a barrier between the two lines, it was the next round that came too soon.
    let copied = || code.line(first).is_some_and(|line| line.contains("async"));
    let shared = finding.code == Code::SharedRace || finding.at.block == sides[0].0.block;
    if first < then && shared && parted(code, first, then).is_some_and(|(_, in_loop)| in_loop) && !copied() {
        return Some([sides[1], sides[0]]);
    }
    // A warp may run ahead of another: its accesses come first, though their lines come later.
    Some(if first > then && !next_round() { [sides[1], sides[0]] } else { sides })
}

/// Whether a `__syncthreads()` stands between the lines of the two sides.
fn parted_in_order(finding: &Finding, about: &About) -> bool {
    let line = |access: &Access| access.location.as_ref().map_or(0, |at| at.line);
    let Some(other) = &finding.other else { return false };
    let lines = [line(other), line(&finding.at)];
    lines[0] > 0 && parted(about.source, lines[0], lines[1]).is_some()
}

/// A `__syncthreads()` between two lines, and whether the innermost loop around it has both.
fn parted(code: &Source, first: u32, then: u32) -> Option<(u32, bool)> {
    let line = code.barriers().into_iter().find(|line| (first + 1..then).contains(line))?;
    let around = code.loop_around(line);
    Some((line, around.is_some_and(|around| around.head <= first && then <= around.end)))
}

/// Where the barrier belongs.
fn race(finding: &Finding, excerpt: &Excerpt, about: &About) -> Option<String> {
    const REACHED: &str = "where every thread of the block reaches it.";
    let [(one, first), (other, then)] = in_order(finding, about)?;
    if first == 0 || then == 0 {
        return None;
    }
    let code = about.source;
    if !code.in_one_function(first, then) {
        return Some(format!("Put __syncthreads() between the two, {REACHED}"));
    }
    let around = code.loop_around(then);
    let one_statement = code.in_one_statement(first, then);
    let write = |access: &Access| access.kind != AccessKind::Read;
    Some(match around {
        _ if one_statement && write(one) && write(other) => {
            "Several threads write this element: give each its own, or let one thread write.".into()
        }
        _ if one_statement && same_expression(excerpt) => {
            "Several threads update this element: give each its own, or use atomicAdd().".into()
        }
        Some(l) if !one_statement && first > then || one_statement && !l.waits => {
            format!("Put __syncthreads() at the end of the loop's body, {REACHED}")
        }
        None if !one_statement && first > then => format!(
            "Line {then} comes round again after line {first}: put __syncthreads() after the one and before the \
             other, {REACHED}"
        ),
        _ if one_statement => "Read into a variable, then __syncthreads(), then write: so none overwrites \
                               what another has still to read."
            .into(),
        Some(l) if l.head > first => {
            format!("Put __syncthreads() between line {first} and the loop, {REACHED}")
        }
        _ => match parted(code, first, then) {
            Some(_) if code.line(first).is_some_and(|line| line.contains("async")) => {
                "The barrier orders the threads, not the copy: wait for the copy first \
                 (__pipeline_wait_prior()), then __syncthreads()."
                    .into()
            }
            Some((barrier, _)) => format!(
                "The __syncthreads() of line {barrier} does not order the two. Does every thread pass it? And where line \
                 {first} is reached again, another is needed before."
            ),
            None => format!("Put __syncthreads() between lines {first} and {then}, {REACHED}"),
        },
    })
}

/// Both sides are one expression, such as `s[0]` in `s[0] += x`.
fn same_expression(excerpt: &Excerpt) -> bool {
    excerpt.lines.iter().any(|line| match line.marks.as_slice() {
        [a, b] => (a.start, a.length) == (b.start, b.length),
        _ => false,
    })
}

/// Why two accesses that nothing orders are a mistake although the values may be right today.
/// `element` is what both touch, `name` how a reader knows a thread.
pub(super) fn unordered(
    finding: &Finding,
    element: &str,
    name: &dyn Fn(&Access) -> String,
    about: &About,
) -> Option<String> {
    if finding.code == Code::CopyInFlight && !finding.notes.iter().any(|note| note.starts_with("The copy")) {
        let does = match finding.at.kind {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
            AccessKind::Atomic => "updates",
        };
        let who = name(&finding.at);
        return Some(format!(
            "The copy goes on behind the line that asks for it, and nothing makes sure that it is done when {who} \
             {does} {element}."
        ));
    }
    if !matches!(finding.code, Code::SharedRace | Code::GlobalRace) {
        return None;
    }
    let [(one, _), (other, _)] = in_order(finding, about)?;
    let verb = |kind: AccessKind| match kind {
        AccessKind::Read => ("read", "read"),
        AccessKind::Write => ("write", "written"),
        AccessKind::Atomic => ("update", "updated"),
    };
    let ((_, done), (may, _)) = (verb(one.kind), verb(other.kind));
    let (first, then) = (name(one), name(other));
    let outcome = match (one.kind, other.kind) {
        (AccessKind::Read, AccessKind::Read) => return None,
        (AccessKind::Read, _) => format!("{then} may {may} {element} before {first} has read it"),
        (_, AccessKind::Read) => format!("{then} may read {element} before it is {done}"),
        _ => format!("the value of {first} may be the one that stays"),
    };
    if finding.code == Code::GlobalRace && both_write(finding) {
        return Some(format!("Nothing says which comes last: on another GPU, or another day, {outcome}."));
    }
    let noted = finding.notes.iter().any(|note| note.starts_with("A barrier stands between"));
    let turned = std::ptr::eq(one, &finding.at) && parted_in_order(finding, about);
    let why = match one.block == other.block {
        true if turned => ": no barrier lies between one round of the loop and the next",
        // The note tells of it.
        true if noted => "",
        true => ": no barrier lies between them",
        false => ": no barrier reaches from block to block",
    };
    Some(format!("Nothing orders the two{why}, so on another GPU, or another day, {outcome}."))
}

#[cfg(test)]
mod tests {
    use super::*;
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
