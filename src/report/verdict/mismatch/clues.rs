//! Clues to the cause of wrong values, from the pattern that they form.

use super::{place, slips};
use crate::about::About;
use crate::finding::place::index;
use crate::finding::remedy::values::never_stored;
use crate::layout::{grouped, listed, plural};
use cpp::{Family, names};
use judge::{BlockOrder, Element, LaterBlocks, Mismatch, Pattern, TailStart, decimal};
use sim::Dim3;
use std::ops::Range;

const FIRST_BLOCK: Dim3 = Dim3 { x: 0, y: 0, z: 0 };

const EXPONENTIALS: [&str; 7] = ["exp", "expf", "__expf", "exp2f", "exp10f", "hexp", "h2exp"];

/// Describes the pattern and where to look. Also points out an `int` that is assigned floating-point values,
/// where such values are wrong.
pub fn clues(m: &Mismatch, about: &About) -> Vec<String> {
    let int = about.source.int_of_floats().filter(|_| m.worst.is_some());
    let int = int.filter(|_| !matches!(m.pattern, Some(Pattern::NotANumber | Pattern::Infinite)));
    let of_integers = int.map(|(name, line, of)| {
        format!(
            "In line {line}, `{name}`, an int, is assigned values of `{of}`, which are floats: the fraction \
             is lost there. Is that meant?"
        )
    });
    let order = m.any_order.then(|| {
        "Any order is allowed: the value wanted in place of a wrong one is one of those that are missing."
            .to_owned()
    });
    order.into_iter().chain(of_the_pattern(m, about)).chain(of_integers).collect()
}

fn of_the_pattern(m: &Mismatch, about: &About) -> Vec<String> {
    if let Some(order) = m.case.order() {
        return of_order(order).into();
    }
    if let Some(name) = never_stored(about) {
        return clue(
            format!("`{name}` is read, and no line stores anything to it."),
            "Which thread should give it its values, and where?",
        )
        .into();
    }
    let Some(pattern) = &m.pattern else { return never_written(m) };
    let clue = not_written(pattern, m, about)
        .or_else(|| moved(pattern, m, about))
        .or_else(|| of_values(pattern, m, about))
        .or_else(|| from_a_place(pattern, m, about));
    clue.into_iter().flatten().collect()
}

/// What the pattern is, and what to look at.
type Clue = [String; 2];

fn clue(pattern: impl Into<String>, question: impl Into<String>) -> Clue {
    [pattern.into(), question.into()]
}

/// Elements that were never written, or hold what they held before.
fn not_written(pattern: &Pattern, m: &Mismatch, about: &About) -> Option<Clue> {
    let buffer = &m.buffer;
    let slip = |all| slips::question(about.source, buffer, all).filter(|_| !about.program);
    Some(match pattern {
        Pattern::Untouched if never_copied_back(about) => clue(
            format!("Nothing was ever written to `{buffer}`, which is host memory."),
            format!(
                "What kernels write is in the GPU's memory, and has to be copied: cudaMemcpy({buffer}, …, \
                 cudaMemcpyDeviceToHost)."
            ),
        ),
        Pattern::Untouched => clue(
            format!("Nothing was ever written to `{buffer}`."),
            match about.program {
                true => {
                    "Is the copy or the kernel that should write it reached? How many bytes does each copy move, and how \
                     many threads does each launch have?"
                        .into()
                }
                false => slip(true).unwrap_or_else(|| {
                    "Does any thread reach the line that writes? Is a condition always false? Or is what it writes \
                     computed from a variable that never got a value? The compiler may then remove the line."
                        .into()
                }),
            },
        ),
        Pattern::PartlyWritten { written, gap } => {
            let what = match named_run(m, gap.as_ref()) {
                Some((run, many)) => format!("{run} {} never written.", if many { "were" } else { "was" }),
                None => format!(
                    "Only {} of {} elements {} ever written.",
                    grouped(*written as u64),
                    grouped(m.total as u64),
                    if *written == 1 { "was" } else { "were" }
                ),
            };
            clue(what, slip(false).unwrap_or_else(|| who_writes(about).into()))
        }
        Pattern::Unchanged => clue(
            format!("`{buffer}` still holds its old values: nothing was written there, or nothing new."),
            slip(true).unwrap_or_else(|| {
                "Does any thread reach the line that writes? Is a condition always false?".into()
            }),
        ),
        Pattern::PartlyUnchanged { unchanged, gap } => {
            let what = match named_run(m, gap.as_ref()) {
                Some((run, true)) => format!("{run} are"),
                Some((run, false)) => format!("{run} is"),
                None => format!("The {} wrong elements are", grouped(*unchanged as u64)),
            };
            clue(
                format!("{what} unchanged, as if nothing had been written there."),
                slip(false).unwrap_or_else(|| who_writes(about).into()),
            )
        }
        _ => return None,
    })
}

/// The right values in other places, or values that were read from other places.
fn moved(pattern: &Pattern, m: &Mismatch, about: &About) -> Option<Clue> {
    Some(match pattern {
        Pattern::CopyOfInput { buffer: input } => clue(
            format!("`{}` is `{input}`, unchanged.", m.buffer),
            match about.program {
                true => {
                    "What should have changed the values, a kernel or a library call? Did it run, with the right \
                     arguments, and is the memory that it writes the memory that is copied back?"
                }
                false => "Which line should change the values, or put them in other places?",
            },
        ),
        Pattern::Shifted { by } => clue(
            format!(
                "The values are right, but {} too {}.",
                plural(by.unsigned_abs(), "place", "places"),
                if *by > 0 { "early" } else { "late" }
            ),
            "Look at the index: where does it gain or lose that offset?",
        ),
        Pattern::Transposed => clue(
            "The values are right, but rows and columns are exchanged.",
            match about.program && !about.source.names("threadIdx") {
                true => {
                    "Which argument of the library's call says how a matrix is laid out in memory: a transposition such \
                     as CUBLAS_OP_T, a leading dimension, the order of the two factors?"
                }
                false => {
                    "Which index is the row, and which the column? Look at each place where they are multiplied, or \
                     passed on."
                }
            },
        ),
        Pattern::ExchangedIndex { read, written } => clue(
            "These are the values that come out with row and column exchanged.",
            format!(
                "Are they exchanged in the index of {}, in another index on the way, or in what is computed from the \
                 two? A row-major element is at row * columns + column.",
                exchanged(read, written.then_some(&*m.buffer), about)
            ),
        ),
        Pattern::ExchangedThreads => clue(
            "The elements written are those that threads have with their x and y exchanged.",
            "x goes along a row: is the column taken from x, and the row from y?",
        ),
        Pattern::Reversed => clue(
            "The values are right, but in reverse order.",
            "Look at the index on each side of the assignment.",
        ),
        _ => return None,
    })
}

/// Names the buffers in whose indices row and column may be exchanged: inputs, and the output if it is `written` so.
fn exchanged(read: &[String], written: Option<&str>, about: &About) -> String {
    let names = read.iter().map(String::as_str).chain(written).map(|name| format!("`{name}`"));
    let names = listed(&names.collect::<Vec<_>>());
    // Rows and columns may also be exchanged in a tile of the buffer, or by a fragment's layout.
    match read {
        [_] if about.source.names(["col_major", "mem_col_major"]) => {
            format!("{names}, or of a fragment that is col_major and should not be")
        }
        [one] if written.is_none() => copied_into(one, about).map_or(names.clone(), |tile| {
            format!("{names}, or of `{tile}`, into which its elements are copied")
        }),
        _ => names,
    }
}

/// Values that are all of a kind: zero, equal, infinite, without fractions.
fn of_values(pattern: &Pattern, m: &Mismatch, about: &About) -> Option<Clue> {
    let buffer = &m.buffer;
    let code = about.source;
    Some(match pattern {
        Pattern::AllZero => clue(
            match m.total {
                1 => "The result is zero.".into(),
                _ => format!("Every element of `{buffer}` is zero."),
            },
            "Is the result computed from the inputs, or from a variable that nothing was added to at this size?",
        ),
        Pattern::Constant => clue(
            format!("Every element of `{buffer}` has the same value."),
            match (about.program, code.names(Family::Shuffle)) {
                (true, _) => {
                    "What should each be computed from: other elements, or what another launch or copy brought? Does \
                     each get that?"
                }
                (false, true) => {
                    "Does each shuffle stay within the lanes whose values belong together? And does what is stored \
                     depend on the thread's own index?"
                }
                (false, false) => {
                    "Does what is stored depend on the thread's own index? Is there a loop that is never entered, or a \
                     condition that is the same for all?"
                }
            },
        ),
        Pattern::NotANumber => clue(
            "There are NaNs: the result of 0 / 0, inf - inf, 0 * inf, inf / inf or the root or logarithm of a negative \
             number, a value read where nothing was written, or bits of another type read as a float.",
            match code.names("CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA") {
                true => "Does the tensor map fill what is outside with NaN?",
                false => {
                    "Look for a division, a root or a logarithm, for values so large that they become infinite, for a \
                     sum that starts from an unset variable, and for data read as another type than it was written."
                }
            },
        ),
        Pattern::Infinite => clue(
            format!(
                "There are infinities where numbers are wanted: a {}, and what is larger becomes infinite.",
                match about.element_bytes.get(buffer) {
                    Some(2) => "__half ends at 65504, a float at 3.4e38",
                    Some(8) => "double ends at 1.8e308, a float at 3.4e38",
                    _ => "float ends at 3.4e38",
                }
            ),
            match code.names(EXPONENTIALS) {
                true => {
                    "Which value grows so large, is divided by zero, or is the logarithm of zero? exp() of more than 88 \
                     grows so large: then first subtract the largest value from all."
                }
                false => "Which value grows so large, is divided by zero, or is the logarithm of zero?",
            },
        ),
        Pattern::Offset { by } => clue(
            format!(
                "{} too {} by {}.",
                if m.total == 1 { "The result is" } else { "Every value is" },
                if *by > 0.0 { "large" } else { "small" },
                decimal(by.abs(), 6)
            ),
            "What is added once too often, or not at all? Where there is a sum: which value does it begin at?",
        ),
        Pattern::Whole { cut } => clue(
            match cut {
                true => "The wrong values are the right ones without their fractions.",
                false => "All values are whole numbers, but the right ones are not.",
            },
            fractions_lost(about),
        ),
        Pattern::NearlyRight { relative } => clue(
            format!("The values are close: the relative error is at most {relative:.1e}."),
            "Is it rounding, from the type you add in or the order of the additions, or is a small part of each value \
             wrong or missing?",
        ),
        _ => return None,
    })
}

/// Values that are wrong from a place on: after the first block, or in a tail.
fn from_a_place(pattern: &Pattern, m: &Mismatch, about: &About) -> Option<Clue> {
    let (from, starts) = match pattern {
        Pattern::FirstBlockOnly { right, others } => {
            return Some(first_block_only(m, *right, *others, about));
        }
        Pattern::TailWrong { from, starts } => (from, starts),
        _ => return None,
    };
    Some(clue(
        format!("Right up to {}, wrong from there to the end.", place_of(m, from.saturating_sub(1))),
        match starts {
            TailStart::InLastBlock => {
                "Look at the last, partly filled block: how do its threads know where the data ends?".into()
            }
            // No block comes before block 0.
            TailStart::WithBlock(block) if *block != FIRST_BLOCK => format!(
                "That is where block {} begins: what does it need that the blocks before it do not?",
                index(*block, about.block_dims)
            ),
            TailStart::WithBlock(_) | TailStart::Elsewhere => {
                "What is different for the elements from there on?".into()
            }
        },
    ))
}

/// Describes a result that is right when blocks run one after the other, and wrong in another order.
fn of_order(order: BlockOrder) -> Clue {
    match order {
        BlockOrder::Other => clue(
            "It is right when blocks, and the warps of a block, run one after the other, in the order of their \
             numbers. On a GPU they run in any order.",
            "What depends on which comes first: what a block expects of those with lower numbers, or what an atomic \
             operation returns to a thread?",
        ),
        BlockOrder::Turns => clue(
            "It is right when each block runs to its end before the next begins. Here they take turns, a few \
             instructions each: on a GPU many run at once.",
            "What is different for a block while others are not done? What it reads from them may not be there yet, or \
             may change meanwhile, and it may take paths that it never takes otherwise.",
        ),
    }
}

/// Returns a name for a run of elements (`Row 2`, `Rows 1 to 3`, `out[4] to out[7]`) and whether it is plural;
/// `None` where the run has no short name.
fn named_run(m: &Mismatch, gap: Option<&Range<usize>>) -> Option<(String, bool)> {
    // Whole rows of a matrix are named as rows, which says more than the indices of their ends.
    let row = m.shape.last().copied().filter(|row| m.shape.len() == 2 && *row > 0).unwrap_or(usize::MAX);
    let gap = gap.filter(|gap| !gap.is_empty())?;
    let (first, last) = (gap.start / row, (gap.end - 1) / row);
    Some(match gap.len() {
        _ if gap.start % row == 0 && gap.end % row == 0 => match first == last {
            true => (format!("Row {first}"), false),
            false => (format!("Rows {first} to {last}"), true),
        },
        1 => (place_of(m, gap.start), false),
        _ if first != last => return None,
        n => {
            let to = if n == 2 { "and" } else { "to" };
            (format!("{} {to} {}", place_of(m, gap.start), place_of(m, gap.end - 1)), true)
        }
    })
}

fn who_writes(about: &About) -> &'static str {
    match about.program {
        true => {
            "Who should write there? Look at how many bytes are copied, at the index, and at conditions before the write."
        }
        false => "Who should write there? Look at the index, and at conditions before the write.",
    }
}

/// Returns the shared array that elements of `buffer` are copied into.
fn copied_into<'a>(buffer: &str, about: &'a About) -> Option<&'a str> {
    about.source.code().lines().find_map(|line| {
        let (left, right) = line.split_once('=')?;
        let array = names(left.split('[').next()?).last()?;
        let shared = left.contains('[') && !about.source.shared_arrays(array).is_empty();
        (shared && names(right).any(|word| word == buffer)).then_some(array)
    })
}

/// Returns whether a program launches kernels and copies nothing back.
fn never_copied_back(about: &About) -> bool {
    const BACK: [&str; 5] = [
        "cudaMemcpyDeviceToHost",
        "cudaMemcpyDefault",
        "cudaMallocManaged",
        "cudaMemcpyFromSymbol",
        "cudaMemcpyFromSymbolAsync",
    ];
    about.program && about.source.launches_kernels() && !about.source.names(BACK)
}

fn first_block_only(m: &Mismatch, right: usize, others: LaterBlocks, about: &About) -> Clue {
    let flat = about.block_dims < 2;
    let block = index(FIRST_BLOCK, about.block_dims);
    let first = match right {
        1 => format!("Only the first element is right: that of block {block}."),
        n if flat && m.shape.len() == 1 => {
            format!("Only the first {} elements are right: those of block {block}.", grouped(n as u64))
        }
        n => format!(
            "Only {} of {} elements are right: those of block {block}.",
            grouped(n as u64),
            grouped(m.total as u64)
        ),
    };
    let (thread, its_block) = if flat { ("threadIdx.x", "blockIdx.x") } else { ("threadIdx", "blockIdx") };
    // Do not suggest using `blockIdx` if the code uses it already.
    let has_block = about.source.names("blockIdx");
    let clue = match others {
        LaterBlocks::Unset | LaterBlocks::Repeated if has_block && about.program => {
            "Are there as many blocks as the elements need, and does every index count the blocks before its own?".into()
        }
        LaterBlocks::Unset | LaterBlocks::Repeated if has_block && !flat && m.shape.len() > 1 => {
            "x goes along a row: is the column computed from threadIdx.x and blockIdx.x, and the row from \
             threadIdx.y and blockIdx.y?"
                .into()
        }
        LaterBlocks::Unset | LaterBlocks::Repeated if has_block => {
            "Work out by hand, for the first thread of block 1, each condition before the assignment and the index on \
             both sides of it."
                .into()
        }
        LaterBlocks::Unset => {
            format!("{thread} starts again from 0 in every block: does your index use {its_block}?")
        }
        LaterBlocks::Repeated => format!(
            "The other blocks repeat its values: {thread} starts again from 0 in each. Does every index use \
             {its_block}?"
        ),
        LaterBlocks::Wrong => {
            "The other blocks wrote other values: what do they need that the first does not?".into()
        }
    };
    [first, clue]
}

/// Returns where whole numbers may come from. An 11-bit significand (f16) represents no fractions from 1024 on,
/// an 8-bit one (bf16) none from 128 on.
fn fractions_lost(about: &About) -> &'static str {
    match (about.source.names(Family::Half), about.source.names(Family::BFloat16)) {
        (false, false) => {
            "An int holds no fraction: is a variable or an array on the way an int? Or are equal values added where \
             different ones should be?"
        }
        (true, false) => {
            "An int holds no fraction, and a __half none from 1024 on: in which type are the values kept, and in which \
             are they added up?"
        }
        (_, true) => {
            "An int holds no fraction, a __half none from 1024 on and a __nv_bfloat16 none from 128 on: in which type \
             are the values kept, and in which are they added up?"
        }
    }
}

/// Names an element that was never written, if there is one, for results without a pattern.
fn never_written(m: &Mismatch) -> Vec<String> {
    let unwritten = |e: &&Element| e.got.is_none();
    let Some(first) = m.window.iter().find(unwritten) else { return Vec::new() };
    clue(
        format!("{} was never written.", place(&m.buffer, &first.index)),
        "Which thread should write it, and does that thread get there?",
    )
    .into()
}

/// Formats an element given by its linear index: `out[0, 2]`.
fn place_of(m: &Mismatch, linear: usize) -> String {
    let mut rest = linear;
    let mut index = Vec::new();
    for extent in m.shape.iter().rev().map(|extent| (*extent).max(1)) {
        index.push(rest % extent);
        rest /= extent;
    }
    index.reverse();
    place(&m.buffer, &index)
}
