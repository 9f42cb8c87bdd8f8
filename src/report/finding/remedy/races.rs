//! Remedies for conflicts between threads: races, and barriers that some threads never reach.

#[cfg(test)]
mod tests;
mod warp;

use super::copies;
use super::subscript::{subscript_on, takes_turns};
use crate::about::About;
use crate::excerpt::{Excerpt, ExcerptLine, Mark};
use crate::finding::defect::naming_both_blocks;
use crate::finding::extents::{Shared, shared_array};
use crate::finding::in_function::{call_in_branch, lines_of_kernel};
use crate::finding::in_place;
use crate::finding::order::{
    barrier_between, both_write, grid_barrier, in_loop_without_barrier, in_order, ordered_by_calls,
    under_condition,
};
use crate::finding::parameter_names::is_passed_twice;
use crate::finding::place::{own_line, who};
use crate::layout::capitalised;
use cpp::{Family, Loop, Source, is_name_char, uses};
use judge::ExcessThreads;
use sim::{Access, AccessKind, Actor, Evidence, Finding, Target};

/// Returns the remedy for two threads that write one element, as where a guard lets too many threads pass.
pub fn one_element(finding: &Finding, excess: ExcessThreads, about: &About) -> Option<String> {
    if let Some(text) = remedy_for_lock(finding, about).or_else(|| updated(finding, about)) {
        return Some(text);
    }
    if !both_write(finding) {
        return None;
    }
    let about_both = naming_both_blocks(finding, about);
    let name = |access: &Access| who(access.thread, access.block, &about_both);
    let guard = match about.thread_dims.max(about.block_dims) {
        1 => "a guard must keep it out.",
        _ => "a guard on its row and on its column must keep it out.",
    };
    let too_many =
        |access: &Access| format!("{} has no element of its own: {guard}", capitalised(&name(access)));
    let other = finding.other.as_ref()?;
    Some(match (excess.at, excess.other) {
        (Some(true), _) => too_many(&finding.at),
        (_, Some(true)) => too_many(other),
        (Some(false), Some(false)) => {
            "Each of the two has an element of its own: work out by hand which index each should have here."
                .into()
        }
        _ => {
            "Should both write it? If each has an element of its own, look at the index; if one of them has none, at the \
             condition before the write. Otherwise let one of them write, add with atomicAdd(), or order the two."
                .into()
        }
    })
}

/// Returns the remedy for two threads that use different arrays, which begin at the same address.
pub fn same_memory(finding: &Finding) -> Option<String> {
    let (Target::Shared { name: here, .. }, Target::Shared { name: theirs, .. }) =
        (&finding.at.target, &finding.other.as_ref()?.target)
    else {
        return None;
    };
    (here != theirs).then(|| compiler::same_memory(theirs, here))
}

/// Returns the remedy for two blocks that conflict in a kernel that has the building blocks of locks.
fn remedy_for_lock(finding: &Finding, about: &About) -> Option<String> {
    let other = finding.other.as_ref().filter(|other| other.block != finding.at.block)?;
    let plain = other.kind != AccessKind::Atomic && finding.at.kind != AccessKind::Atomic;
    if other.kind != finding.at.kind && !plain {
        return Some(
            "One of the two is an atomic operation, the other a plain access, and they may happen at the same time. If \
             that is meant, both must be atomic (or the read volatile), with a __threadfence() where other data goes \
             with it."
                .into(),
        );
    }
    let line = |access: &Access| access.location.as_ref().map(|at| at.line);
    // Threads that execute the same statement take turns; a flag is passed from one statement to another.
    let elsewhere = line(other) != line(&finding.at);
    if plain && elsewhere && !has_words_of_locks(finding, about) && waits_for_flags(finding, about) {
        return Some(
            "If a flag should order the two: is it stored after the write, with release order or a __threadfence() before \
             it, and loaded before the read, with acquire order or a __threadfence() after it? Relaxed and volatile \
             accesses order nothing else."
                .into(),
        );
    }
    (plain && has_locks(finding, about)).then(|| {
        "If a lock should keep the two apart: does each block wait until it has the lock, however many want it at \
         once? Is there a __threadfence() after the atomic that takes the lock, and another before the one that \
         releases it, with all reads and writes between the two?"
            .into()
    })
}

/// Returns whether the kernel of a finding has the building blocks of locks, or a function that it may call.
pub fn has_locks(finding: &Finding, about: &About) -> bool {
    has_words_of_locks(finding, about) || waits_for_flags(finding, about)
}

/// Returns whether that code exchanges values, as taking a lock does.
fn has_words_of_locks(finding: &Finding, about: &About) -> bool {
    const TAKES: [&str; 6] = [
        "atomicCAS",
        "atomicExch",
        "exchange",
        "compare_exchange_strong",
        "compare_exchange_weak",
        "test_and_set",
    ];
    lines_of_kernel(finding, about).into_iter().flatten().any(|line| about.source.names_on(line, TAKES))
}

/// Returns whether that code waits in a loop for a value that an atomic operation reads.
fn waits_for_flags(finding: &Finding, about: &About) -> bool {
    lines_of_kernel(finding, about).into_iter().any(|lines| about.source.waits_by_atomics(lines))
}

/// Returns the remedy for threads that read an element and write it back, as with `+=`.
fn updated(finding: &Finding, about: &About) -> Option<String> {
    let other = finding.other.as_ref()?;
    let (here, theirs) = (own_line(&finding.at, about)?, own_line(other, about)?);
    // Inside a lock's critical section, something else is missing.
    if !matches!(finding.at.target, Target::Buffer { .. }) || has_locks(finding, about) {
        return None;
    }
    let operator = in_place::operator_in(about.source, here, &finding.at).filter(|_| here == theirs);
    let adds = operator.is_some_and(|operator| ["++", "--", "+=", "-="].contains(&operator));
    // A thread that only reads has another statement in mind, or the same array under another name.
    let mixed = other.kind != finding.at.kind;
    let written_back = mixed && finding.evidence.contains(&Evidence::WrittenBack);
    if written_back && !adds && !in_place::has_several_names(about.source, &finding.at) {
        let lines = if finding.at.kind == AccessKind::Read { (here, theirs) } else { (theirs, here) };
        return read_then_written(lines, about);
    }
    (adds && (!mixed || written_back)).then(|| match about.atomics_barred {
        true => "Give each thread its own element in shared memory, and let the threads of the block add those up \
                 after all have reached a barrier."
            .into(),
        false => "Use atomicAdd(), which reads, adds and writes in one step, or give each thread its own element."
            .into(),
    })
}

/// Returns the remedy for threads that each read an element in one line and write it in another, or in the same.
fn read_then_written((read, write): (u32, u32), about: &About) -> Option<String> {
    if about.atomics_barred || barrier_between(about.source, read, write).is_some() {
        return None;
    }
    let (place, barrier) = match read == write {
        true => (format!("reads this element in line {read} and writes it back"), "in between"),
        false => (
            format!("reads this element in line {read} and writes it in line {write}"),
            "between the two lines",
        ),
    };
    Some(format!(
        "Each of the two threads {place}. Should both? If not, look at the index and at the condition. If so, use an \
         operation that reads, changes and writes in one step, such as atomicAdd(), or give each thread its own element: \
         with a barrier {barrier}, both would still start from the same old value."
    ))
}

const REACHED: &str = "where every thread of the block reaches it.";

/// Returns the line between an asynchronous copy and an access that waits for copies.
fn wait_for_copies(code: &Source, first: u32, then: u32) -> Option<u32> {
    (first.min(then)..first.max(then)).find(|line| code.names_on(*line, Family::WaitForCopies))
}

const UPDATED: &str =
    "Several threads update this element: give each its own, or use an atomic operation such as atomicAdd().";

const ONE_LINE: &str = "Several statements are on this line: which of them stores, and which reads? If both should access this \
                        element, a __syncthreads() belongs between the two, and where a loop repeats them, another \
                        after the last; if each thread should have its own element, look at the index.";

/// For blocks of one cluster.
const BY_THE_CLUSTER: &str = "If threads of both blocks should access this element: synchronise the whole cluster between the two, with \
                              cluster.sync(), where every thread of every block reaches it. __syncthreads() waits \
                              only for its own block.";

/// Returns where the barrier belongs between plain accesses to global memory by threads of one block, unless one of them
/// may be waiting for the other.
pub fn within_a_block(finding: &Finding, excerpt: &Excerpt, about: &About) -> Option<String> {
    let sides = [finding.other.as_ref()?, &finding.at];
    let is_plain = |side: &&Access| {
        let waits = about.source.names_on(own_line(side, about).unwrap_or(0), "while");
        matches!(side.actor, Actor::Thread | Actor::SomeThread) && side.kind != AccessKind::Atomic && !waits
    };
    let apart = sides[0].block != sides[1].block || !sides.iter().all(is_plain);
    if apart || has_locks(finding, about) {
        return None;
    }
    let reads = sides.iter().any(|side| side.kind == AccessKind::Read);
    if reads && is_passed_twice(finding) {
        return Some(PASSED_TWICE.into());
    }
    if let Some(text) = by_the_grid(finding, about) {
        return Some(text);
    }
    Some(match ordered(finding, excerpt, about)? {
        RaceRemedy::Barrier(text) if reads && about.source.names("blockIdx") => text + OTHER_BLOCKS,
        remedy => remedy.text(),
    })
}

/// Returns where a barrier of the grid belongs in a kernel that has one, if the block of one of the threads is not known,
/// or there is such a barrier between the two lines.
fn by_the_grid(finding: &Finding, about: &About) -> Option<String> {
    let code = about.source;
    let [(_, first), (_, then)] = in_order(finding, about)?;
    let (upper, lower) = (first.min(then), first.max(then));
    if upper == 0 {
        return None;
    }
    let is_unknown = finding.sides().any(|side| side.actor == Actor::SomeThread);
    let Some(line) = grid_barrier(code, upper..lower) else {
        grid_barrier(code, code.kernel_lines(upper)?).filter(|_| is_unknown)?;
        return Some(
            "If both should access this element: let the whole grid wait between the two, where every thread of every \
             block reaches it. __syncthreads() orders no threads of other blocks."
                .into(),
        );
    };
    let is_passed = code.branch_apart(line, upper).is_none();
    Some(match code.loop_around_both(upper, lower).filter(|_| is_passed) {
        Some(_) => format!(
            "The barrier of the grid in line {line} orders the two within a pass of the loop. May line {upper} of the next \
             pass come before line {lower} of this one? Then another is needed on that way, such as at the end of the \
             loop's body, where every thread of every block reaches it."
        ),
        None => format!(
            "The barrier of the grid in line {line} is between the two: does every thread of every block reach it? And is \
             line {upper} reached again after line {lower}?"
        ),
    })
}

/// Returns the remedy for an atomic operation and a plain access by threads of one block.
pub fn mixed(finding: &Finding) -> Option<String> {
    let other = finding.other.as_ref().filter(|other| other.block == finding.at.block)?;
    let atomics = [other, &finding.at].map(|side| side.kind == AccessKind::Atomic);
    (atomics[0] != atomics[1]).then(|| {
        "One of the two is an atomic operation, the other a plain access, and they may happen at the same time. Must one \
         come first? Then a barrier belongs between them. If either may, both must be atomic (or the read volatile), with \
         a __threadfence() where other data goes with it."
            .into()
    })
}

const PASSED_TWICE: &str = "The launch passes the same memory twice, and threads read there what others write: let the kernel write \
                            to another buffer than it reads.";

const OTHER_BLOCKS: &str = " __syncthreads() orders no threads of other blocks: where those access the element too, let one \
                            thread do both, or let the kernel write to another buffer than it reads.";

/// Returns where the barrier belongs.
pub fn barrier(finding: &Finding, excerpt: &Excerpt, about: &About) -> Option<String> {
    ordered(finding, excerpt, about).map(RaceRemedy::text)
}

fn ordered(finding: &Finding, excerpt: &Excerpt, about: &About) -> Option<RaceRemedy> {
    use RaceRemedy::{Barrier, IfBoth, Otherwise};
    let [(one, first), (other, then)] = in_order(finding, about)?;
    if first == 0 || then == 0 {
        return None;
    }
    if let Some(line) = about.source.uncalled_barrier(first.min(then)..first.max(then) + 1) {
        return Some(Barrier(format!(
            "Line {line} names __syncthreads and does not call it: write __syncthreads();"
        )));
    }
    if let Some(line) = behind_a_return([one, other], about) {
        return Some(Otherwise(format!(
            "The __syncthreads() of line {line} is behind a `return`, so no thread reaches it: it belongs before that. What \
             the `return` reads from the array, if anything, goes into a variable first."
        )));
    }
    let update = about.source.in_one_statement(first, then) && same_expression(excerpt);
    if let Some(remedy) =
        warp::remedy(finding, [first, then], about).filter(|_| !update || both_write(finding))
    {
        return Some(remedy);
    }
    if one.block != other.block {
        return Some(Otherwise(if update { UPDATED } else { BY_THE_CLUSTER }.into()));
    }
    if let Some(text) = copies::or_barrier_objects(finding, [(one, first), (other, then)], about) {
        return Some(Barrier(text));
    }
    if let Some((call, line)) = group_wait_in_a_branch(about.source, first, then) {
        return Some(Otherwise(format!(
            "The {call} of line {line} is between the two, under a condition: does every thread that it waits for \
             reach it?"
        )));
    }
    Some(match by_a_barrier([(one, first), (other, then)], excerpt, about) {
        IfBoth(what) => Barrier(match buffer_of_several(finding, about) {
            Some(question) => format!("{question} If both should use it: {what}"),
            None => format!("If both should access this element: {what}"),
        }),
        remedy => remedy,
    })
}

/// Returns the line of a barrier that no thread reaches, if it would be the first one after one of the accesses.
fn behind_a_return(sides: [&Access; 2], about: &About) -> Option<u32> {
    let code = about.source;
    let (own, barriers) = (sides.map(|side| own_line(side, about)), code.barriers());
    code.unreached_barriers().find(|line| {
        let is_next = |own: u32| own < *line && !barriers.iter().any(|its| (own..*line).contains(its));
        own.into_iter().flatten().any(|own| code.in_one_function(own, *line) && is_next(own))
    })
}

/// Returns the `group.sync()` between two lines that is in a branch, and its line.
fn group_wait_in_a_branch(code: &Source, first: u32, then: u32) -> Option<(String, u32)> {
    let in_branch = |line: &u32| [first, then].iter().all(|other| code.branch_apart(*line, *other).is_some());
    (first + 1..then).filter(in_branch).find_map(|line| {
        let (before, _) = uses(code.code_line(line), "sync").find(|(_, behind)| behind.starts_with("()"))?;
        let group = before.strip_suffix('.')?;
        let group = &group[group.trim_end_matches(is_name_char).len()..];
        (!group.is_empty()).then(|| (format!("{group}.sync()"), line))
    })
}

/// For an array that holds a few buffers used in turn: asks whether both sides should be using this one.
fn buffer_of_several(finding: &Finding, about: &About) -> Option<String> {
    /// Stages of a pipeline.
    const MOST: u64 = 4;
    let Target::Shared { name, size_bytes, offset_bytes } = &finding.at.target else { return None };
    let Some(Shared::Extents(extents)) = shared_array(about.source, name, *size_bytes) else { return None };
    let [buffers @ 2..=MOST, _, ..] = extents[..] else { return None };
    let buffer = u64::try_from(*offset_bytes).ok()? / (size_bytes / buffers).max(1);
    let turns = |access: &Access| {
        let line = own_line(access, about)?;
        Some(takes_turns(about.source, line, subscript_on(about.source, line, name)?))
    };
    finding.sides().any(|side| turns(side) == Some(true)).then(|| {
        format!("Should both use `{name}[{buffer}]` at this time, or should one of them use another of the {buffers}?")
    })
}

/// What to do about a race.
pub enum RaceRemedy {
    /// Applies if both sides should access the element: what to do then, as the end of a sentence.
    IfBoth(String),
    /// Sentences on a barrier of the block.
    Barrier(String),
    /// Sentences on something else.
    Otherwise(String),
}

impl RaceRemedy {
    fn text(self) -> String {
        let (RaceRemedy::IfBoth(text) | RaceRemedy::Barrier(text) | RaceRemedy::Otherwise(text)) = self;
        text
    }
}

/// Returns where a `__syncthreads()` belongs between two sides of a race, given with their lines.
fn by_a_barrier(
    [(one, first), (other, then)]: [(&Access, u32); 2],
    excerpt: &Excerpt,
    about: &About,
) -> RaceRemedy {
    let code = about.source;
    if !code.in_one_function(first, then) {
        return RaceRemedy::IfBoth(format!("put __syncthreads() between the two, {REACHED}"));
    }
    if let Some(wait) = wait_for_copies(code, first, then) {
        return RaceRemedy::IfBoth(format!(
            "put __syncthreads() after the wait for the copy in line {wait}, {REACHED}"
        ));
    }
    let around = code.loop_around(then);
    let one_statement = code.in_one_statement(first, then);
    let write = |access: &Access| access.kind != AccessKind::Read;
    RaceRemedy::Barrier(match around {
        _ if one_statement && write(one) && write(other) => {
            return RaceRemedy::Otherwise(
                "Several threads write this element: give each its own, or let one thread write.".into(),
            );
        }
        _ if one_statement && code.statements_on(first) > 1 => ONE_LINE.into(),
        _ if one_statement && same_expression(excerpt) => return RaceRemedy::Otherwise(UPDATED.into()),
        Some(l) if !one_statement && first > then || one_statement && !waits_for_block(code, &l) => {
            let mut barriers = code.barriers().into_iter();
            match barriers.find(|line| !one_statement && (first + 1..=l.end).contains(line)) {
                Some(barrier) => does_not_order(barrier, first),
                None if code.line_depends_on_thread(l.head) => return unequal_passes(&l, about),
                None if !one_statement
                    && in_loop_without_barrier(code, first, then)
                    && ordered_by_calls([(one, first), (other, then)], about).is_none() =>
                {
                    return RaceRemedy::IfBoth(match code.is_condition_of(then, first) {
                        true => format!(
                            "put __syncthreads() at the end of the loop's body, {REACHED} If one pass does both, read what \
                             the `if` of line {then} compares into variables before it, with another between the two."
                        ),
                        false => format!(
                            "put __syncthreads() between lines {then} and {first}, {REACHED} Before the loop's next \
                             pass, another may be needed at the end of the loop's body."
                        ),
                    });
                }
                None => {
                    return RaceRemedy::IfBoth(format!(
                        "put __syncthreads() at the end of the loop's body, {REACHED}"
                    ));
                }
            }
        }
        None if !one_statement && first > then => format!(
            "Line {then} is reached again after line {first}: put __syncthreads() after the one and before the \
             other, {REACHED}"
        ),
        Some(l) if one_statement && under_condition(code, first, &l).is_some() => format!(
            "The __syncthreads() of line {} is under a condition: does every thread reach it in every pass of \
             the loop? If so, should both threads reach line {first} in one pass?",
            under_condition(code, first, &l).unwrap_or_default()
        ),
        _ if !one_statement && write(one) && write(other) => format!(
            "Should both threads write this element? If not, look at the index and at the conditions. If so, put \
             __syncthreads() between the two, {REACHED}"
        ),
        None if one_statement => "Should both threads access this element? If not, look at the index and at the \
                                  condition. If so, read into a variable, call __syncthreads(), and write: that way none \
                                  overwrites what another has yet to read."
            .into(),
        _ if one_statement => "Should both threads reach this line in this pass? Then read into a variable, call \
                               __syncthreads(), and write: that way none overwrites what another has yet to read. \
                               If not, look at the condition."
            .into(),
        Some(l)
            if l.head > first
                && code.branch_apart(first, then).is_none()
                && barrier_between(code, first, then).is_none() =>
        {
            // Not the loop that the first line is in.
            let which = code.loop_around(first).map(|_| format!(" of line {}", l.head)).unwrap_or_default();
            return RaceRemedy::IfBoth(format!(
                "put __syncthreads() between line {first} and the loop{which}, {REACHED}"
            ));
        }
        _ => match barrier_between(code, first, then) {
            Some(_) if code.names_in_ptx(first, Family::AsyncCopy) => {
                "The barrier orders the threads, not the copy: wait for the copy first \
                 (__pipeline_wait_prior()), then __syncthreads()."
                    .into()
            }
            Some((barrier, _)) => does_not_order(barrier, first),
            None => return between(code, first, then),
        },
    })
}

/// Returns the remedy for a race in a loop that not all threads go through equally often.
fn unequal_passes(around: &Loop, about: &About) -> RaceRemedy {
    let by_atomics = match about.atomics_barred {
        true => "",
        false => {
            " Where each looks and then changes what it saw, let one atomic operation do both, such as atomicCAS()."
        }
    };
    RaceRemedy::Otherwise(format!(
        "Should both threads access this element? The passes of the loop of line {} depend on the thread, so a \
         __syncthreads() in it may not be reached by all threads. Let one thread do both, or end the loop between the \
         two.{by_atomics}",
        around.head
    ))
}

/// Returns whether a loop waits for more threads than those of a warp.
fn waits_for_block(code: &Source, around: &Loop) -> bool {
    around.waits && (around.head..=around.end).any(|line| code.names_on(line, Family::BlockWait))
}

/// Describes an existing barrier that does not order the two sides.
fn does_not_order(barrier: u32, first: u32) -> String {
    format!(
        "The __syncthreads() of line {barrier} does not order the two. Does every thread reach it? And if line {first} \
         is reached again, another is needed before that."
    )
}

/// Places a barrier between two lines, outside any branch, so that all threads of the block reach it.
fn between(code: &Source, first: u32, then: u32) -> RaceRemedy {
    if code.is_condition_of(first, then) {
        return RaceRemedy::IfBoth(format!(
            "read what the `if` of line {first} compares into variables before it, and put __syncthreads() between the \
             two, {REACHED}"
        ));
    }
    let (left, entered) = (code.branch_apart(first, then), code.branch_apart(then, first));
    let both = code.branch_of_threads(first).or_else(|| code.branch_begun_on(first, then));
    if let (None, None, Some(both)) = (left, entered, both)
        && both.end >= then
    {
        return RaceRemedy::Barrier(format!(
            "Not all threads enter the `if` of line {}: end it after line {first}, put __syncthreads() there, and \
             start another for line {then}.",
            both.head
        ));
    }
    let from = match left {
        Some(branch) if branch.end != branch.head => {
            BarrierPlace::Words(format!("line {}, where the `if` of line {} ends,", branch.end, branch.head))
        }
        Some(branch) => BarrierPlace::Line(branch.end),
        None => BarrierPlace::Line(first),
    };
    let to = match entered {
        Some(branch) if branch.head < then => {
            BarrierPlace::Words(format!("the `if` of line {}", branch.head))
        }
        _ => BarrierPlace::Line(then),
    };
    let places = match (from, to) {
        (BarrierPlace::Line(from), BarrierPlace::Line(to)) => format!("lines {from} and {to}"),
        (from, to) => format!("{from} and {to}"),
    };
    RaceRemedy::IfBoth(format!("put __syncthreads() between {places}, {REACHED}"))
}

/// Where a barrier goes.
enum BarrierPlace {
    Line(u32),
    Words(String),
}

impl std::fmt::Display for BarrierPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BarrierPlace::Line(line) => write!(f, "line {line}"),
            BarrierPlace::Words(words) => f.write_str(words),
        }
    }
}

/// Returns whether both sides are one expression, such as `s[0]` in `s[0] += x`, or in `s[0] = s[0] + x`.
fn same_expression(excerpt: &Excerpt) -> bool {
    let text = |line: &ExcerptLine, mark: &Mark| {
        line.text.chars().skip(mark.start as usize).take(mark.length as usize).collect::<String>()
    };
    excerpt.lines.iter().any(|line| match line.marks.as_slice() {
        [a, b] => text(line, a) == text(line, b),
        _ => false,
    })
}

/// Returns the remedy for a barrier that other threads can't reach any more, because they returned.
pub fn left(finding: &Finding, about: &About) -> Option<String> {
    let line = own_line(&finding.at, about)?;
    if let Some(text) = call_in_branch(finding, about) {
        return Some(text);
    }
    let first = about.source.kernel_lines(line)?.start;
    let returns = (first..line).any(|line| about.source.names_on(line, "return"));
    let ended = |its: &Evidence| matches!(its, Evidence::EndedBeforeBarrier { .. });
    if returns && finding.evidence.iter().any(ended) {
        return Some(
            "Guard the work instead of returning: all threads of the block must stay until the last barrier."
                .into(),
        );
    }
    let around = about.source.loop_around(line).filter(|around| around.head < line)?;
    let is_in_branch = about.source.branch_of_threads(line).is_some()
        || about.source.branch_apart(line, around.head).is_some();
    let missed = another_in_a_branch(line, &around, about).filter(|_| !is_in_branch);
    if let Some((barrier, head)) = missed {
        return Some(format!(
            "Threads that miss the barrier of line {barrier} are ahead of the others from there on: move that one out of \
             the `if` of line {head} first."
        ));
    }
    (!is_in_branch).then(|| {
        format!(
            "The barrier is in the loop of line {}: all threads of the block must go through it equally often. Let the \
             number of passes not depend on the thread, and end no thread's loop early: one without work does nothing in \
             a pass, but stays.",
            around.head
        )
    })
}

/// Returns another barrier of the kernel that only some threads reach, and the line of the branch that it is in, if all
/// threads go through a loop equally often, so that the barrier in there is not at fault.
fn another_in_a_branch(line: u32, around: &Loop, about: &About) -> Option<(u32, u32)> {
    let code = about.source;
    let may_end = |line: u32| code.names_on(line, ["break", "continue", "return", "goto"]);
    if code.line_depends_on_thread(around.head) || (around.head..=around.end).any(may_end) {
        return None;
    }
    let kernel = code.kernel_lines(line)?;
    let mut others = code.barriers().into_iter().filter(|its| kernel.contains(its) && *its != line);
    others.find_map(|its| Some((its, code.branch_of_threads(its)?.head)))
}
