//! The wording of advice, from what was observed.

use crate::about::About;
use crate::layout::{grouped, plural};
use sim::{Advice, Computed, FindingKind, FloatOp, IndexOp, Limit, NanCause, Observation, Split, Target};

/// Maximum number of lanes of one bank that are listed.
const NAMED_LANES: usize = 4;

/// A piece of advice in words.
pub struct Words {
    /// What happens at the place, in a few words.
    pub label: String,
    /// What it costs, in sentences.
    pub notes: Vec<String>,
    /// Operands and result.
    pub values: Vec<String>,
    /// What to try.
    pub help: String,
}

pub fn words(advice: &Advice, about: &About) -> Words {
    let (label, note) = label_and_note(advice);
    let values = match &advice.observation {
        Observation::Value(computed) => operands(computed),
        _ => Vec::new(),
    };
    Words {
        label,
        notes: note.into_iter().chain(notes_of_value(advice)).collect(),
        values,
        help: help(advice, about),
    }
}

/// Returns what happens, in a few words, and what it costs.
fn label_and_note(advice: &Advice) -> (String, Option<String>) {
    if let Observation::Value(computed) = &advice.observation {
        return (equation(computed), None);
    }
    let (label, note) = of_memory(advice).or_else(|| of_warps(advice)).unwrap_or_default();
    (label, Some(note))
}

/// What the accesses of warps to memory cost.
fn of_memory(advice: &Advice) -> Option<(String, String)> {
    let (units, would_do) = advice.cost.map_or((0, 0), |cost| (cost.yours, cost.least));
    let (units, would_do, requests) = (grouped(units), grouped(would_do), grouped(advice.hits));
    Some(match &advice.observation {
        Observation::Sectors { lanes, sectors, least, stride, has_gaps, loads, stores } => {
            let how = match stride {
                _ if *has_gaps => {
                    "Neighbouring threads access neighbouring elements, but at this moment not all \
                                   threads of the warp do"
                        .into()
                }
                Some(stride) => {
                    let apart = plural(stride.unsigned_abs(), "byte", "bytes");
                    format!("Neighbouring threads are {apart} apart")
                }
                None => "The threads' addresses are scattered".into(),
            };
            let accesses = match (loads, stores) {
                (_, 0) => format!("{} loads", grouped(*loads)),
                (0, _) => format!("{} stores", grouped(*stores)),
                _ => format!("{} loads and {} stores", grouped(*loads), grouped(*stores)),
            };
            let part = if *has_gaps { "threads of " } else { "" };
            (
                format!("{lanes} threads, {sectors} sectors; {least} would do"),
                format!(
                    "{how}: {accesses}, each by {part}a warp of 32 threads, move {units} sectors of 32 bytes, where \
                     {would_do} would do."
                ),
            )
        }
        Observation::Banks { bank, lanes } => {
            let named: Vec<String> = lanes.iter().take(NAMED_LANES).map(usize::to_string).collect();
            let more = if lanes.len() > named.len() { " …" } else { "" };
            (
                format!("{} lanes access different words of bank {bank}", lanes.len()),
                format!(
                    "Lanes {}{more} access bank {bank}, each a different word, so they are served one after \
                     the other: {requests} requests take {units} passes instead of {would_do}.",
                    named.join(", ")
                ),
            )
        }
        Observation::Atomics { lanes } => (
            format!("{lanes} threads of a warp update one address, one after the other"),
            format!(
                "{requests} requests, each by a warp of 32 threads, take {units} turns: threads with the same \
                 address go one after the other."
            ),
        ),
        Observation::LocalArray { requests, sectors } => (
            "the thread's own array is read from memory here".into(),
            format!(
                "Its index is not known when the kernel is compiled, and registers can't be indexed: {} loads \
                 and stores by warps move {} sectors.",
                grouped(*requests),
                grouped(*sectors)
            ),
        ),
        _ => return None,
    })
}

/// What warps that split, wait or are few cost.
fn of_warps(advice: &Advice) -> Option<(String, String)> {
    Some(match &advice.observation {
        Observation::Divergence { split, splits, times, percent, .. } => {
            let (what, why) = match split {
                Split::Ways => ("warps split here", "A warp executes its two paths one after the other."),
                Split::Turns => {
                    ("lanes leave this loop in different passes", "A warp loops until its last lane is done.")
                }
            };
            (
                format!("{what}, {} of {} times", grouped(*splits), grouped(*times)),
                format!("{why} Meanwhile lanes wait: {percent} % of all their steps in this kernel."),
            )
        }
        Observation::Barrier { times_per_block } => {
            let times =
                if *times_per_block == 1 { "once".into() } else { format!("{times_per_block} times") };
            (
                "orders nothing".into(),
                format!(
                    "Each block waits here {times}, and for the sizes that ran, no two threads access the same \
                     memory, one before and one after it."
                ),
            )
        }
        Observation::Occupancy {
            limit,
            kernel,
            threads,
            registers,
            shared_bytes,
            blocks,
            warps,
            most_warps,
        } => {
            let why = match limit {
                Limit::Shared => format!("{shared_bytes} bytes of shared memory per block"),
                Limit::Registers => format!("{registers} registers per thread"),
                Limit::Blocks => format!("{threads} threads per block and the limit on blocks at once"),
                Limit::Threads => format!("{threads} threads per block"),
            };
            let percent = 100.0 * f64::from(*warps) / f64::from((*most_warps).max(1));
            (
                format!("a multiprocessor holds {warps} of {most_warps} warps"),
                format!(
                    "{why} let a multiprocessor run {blocks} of these blocks at once, {warps} of {most_warps} warps \
                     ({percent:.0} %): few that can work while others wait for memory. The kernel is {kernel}."
                ),
            )
        }
        _ => return None,
    })
}

fn notes_of_value(advice: &Advice) -> Vec<String> {
    let Observation::Value(computed) = &advice.observation else { return Vec::new() };
    match advice.kind {
        FindingKind::NotANumber => {
            let cause = match computed {
                Computed::Float { cause, .. } => cause.map(why_nan),
                _ => None,
            };
            let first = "It is the first that this thread computes, and a NaN is stored at the end.";
            cause.into_iter().chain([first]).map(String::from).collect()
        }
        FindingKind::Infinity => {
            vec!["It is the first that this thread computes, and an infinity is stored at the end.".into()]
        }
        FindingKind::IndexOverflow => vec![
            "An int has 32 bits; what it can't hold is cut off, and in CUDA C++ the behaviour is then undefined. An \
             address is computed from it."
                .into(),
        ],
        _ => Vec::new(),
    }
}

fn why_nan(cause: NanCause) -> &'static str {
    match cause {
        NanCause::InfinityMinusInfinity => {
            "Infinity minus infinity has no value: both grew past what the type can hold before they met."
        }
        NanCause::ZeroTimesInfinity => {
            "Zero times infinity has no value: one factor grew past what the type can hold."
        }
        NanCause::ZeroByZero => {
            "Zero divided by zero has no value: can the divisor be a sum or a count of nothing?"
        }
        NanCause::InfinityByInfinity => {
            "Infinity divided by infinity has no value: both grew past what the type can hold before they met."
        }
        NanCause::RootOfNegative => {
            "A negative number has no square root; what should be 0 can come out just below it."
        }
        NanCause::LogarithmOfNegative => "A negative number has no logarithm.",
        NanCause::AngleOfInfinity => "Infinity is not an angle.",
    }
}

/// Returns what to try.
fn help(advice: &Advice, about: &About) -> String {
    match (&advice.observation, &advice.at.target) {
        (Observation::Sectors { has_gaps: true, .. }, _) => {
            "Let all threads of a warp make this access together, after the branch that splits them. If only some are to \
             make it, number the threads so that those are neighbours."
                .into()
        }
        (Observation::Sectors { stride: None, .. }, _) => {
            "Let neighbouring threads access neighbouring elements. Where the data determine the element, only \
             another order of the data helps."
                .into()
        }
        (Observation::Divergence { split: Split::Turns, .. }, _) => {
            "Give the lanes of a warp the same number of passes, or let the whole warp share the work of one \
             lane.".into()
        }
        // The usual advice, to pad rows, only suits arrays with rows.
        (Observation::Banks { .. }, Target::Shared { name, .. })
            if matches!(about.source.shared_arrays(name).as_slice(), [array] if array.extents.len() == 1) =>
        {
            "Let neighbouring lanes use neighbouring elements, as in s[t] += s[t + half] with a shrinking half; where \
             the stride must stay, leave a gap after every 32 elements: index i + i / 32."
                .into()
        }
        _ => super::help::help(advice.kind).into(),
    }
}

/// Formats a computation with its operands and result.
fn equation(computed: &Computed) -> String {
    let all = operands(computed);
    let of = |n: usize| all.get(n).map_or("", String::as_str);
    let result = all.last().map_or("", String::as_str);
    match computed {
        Computed::Float { op, .. } => {
            let text = match op {
                FloatOp::Add => format!("{} + {}", of(0), of(1)),
                FloatOp::Sub => format!("{} - {}", of(0), of(1)),
                FloatOp::Mul => format!("{} * {}", of(0), of(1)),
                FloatOp::Div => format!("{} / {}", of(0), of(1)),
                FloatOp::Fma => format!("{} * {} + {}", of(0), of(1), of(2)),
                FloatOp::Of("1/") => format!("1 / {}", of(0)),
                FloatOp::Of(name) => format!("{name}({})", of(0)),
            };
            format!("{text} = {result}")
        }
        Computed::Index { op, operands: [_, _, c], exact, .. } => {
            let text = match op {
                IndexOp::Add => format!("{} + {}", of(0), of(1)),
                IndexOp::Sub => format!("{} - {}", of(0), of(1)),
                IndexOp::Mul => format!("{} * {}", of(0), of(1)),
                IndexOp::Mad => format!("{} * {} + {c}", of(0), of(1)),
                IndexOp::Shl => format!("{} << {}", of(0), of(1)),
            };
            let exact = exact.map_or(String::new(), |exact| format!(", not {exact}"));
            format!("{text} = {result}{exact}")
        }
        Computed::Truncated { least, most, .. } => {
            format!("{} is not between {least} and {most}", of(0))
        }
        Computed::Narrowed { .. } => format!("{} becomes {result}", of(0)),
    }
}

fn operands(computed: &Computed) -> Vec<String> {
    match *computed {
        Computed::Float { op, bytes, operands, result, .. } => {
            let used = match op {
                FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div => 2,
                FloatOp::Fma => 3,
                FloatOp::Of(_) => 1,
            };
            operands.into_iter().take(used).chain([result]).map(|value| number(value, bytes)).collect()
        }
        Computed::Index { operands: [a, b, _], result, .. } => [a, b, result].map(|it| it.to_string()).into(),
        Computed::Truncated { bytes, value, .. } => vec![number(value, bytes)],
        Computed::Narrowed { from, to, value, result } => vec![number(value, from), number(result, to)],
    }
}

/// Formats a float of `bytes` bytes with the fewest digits that identify it.
fn number(value: f64, bytes: u8) -> String {
    let plain = value == 0.0 || (1e-4..1e7).contains(&value.abs()) || !value.is_finite();
    match (bytes, plain) {
        (8, true) => format!("{value}"),
        (8, false) => format!("{value:e}"),
        (_, true) => format!("{}", value as f32),
        (_, false) => format!("{:e}", value as f32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpp::Source;
    use sim::{Access, Actor};

    #[test]
    fn numbers_are_short() {
        let of = |value: f32| number(value.into(), 4);
        assert_eq!(
            [of(0.1), of(1e30), of(f32::NAN), of(-0.0), of(f32::INFINITY)],
            ["0.1", "1e30", "NaN", "-0", "inf"]
        );
    }

    #[test]
    fn threads_that_a_branch_parts_are_not_told_of_their_index() {
        let observation = Observation::Sectors {
            lanes: 8,
            sectors: 4,
            least: 1,
            stride: Some(4),
            has_gaps: true,
            loads: 0,
            stores: 64,
        };
        let at = Access::by(Actor::Thread, None);
        let kind = FindingKind::Uncoalesced;
        let advice = Advice { kind, observation, at, hits: 64, cost: None, run: None, picture: None };
        let source = Source::new("");
        let words = words(&advice, &About::program("a.cu", &source));
        assert!(words.notes[0].contains("64 stores, each by threads of a warp"), "{:?}", words.notes);
        assert!(words.help.contains("branch") && !words.help.contains("vary"), "{}", words.help);
    }

    #[test]
    fn an_index_that_wrapped_is_shown_with_what_it_should_be() {
        let wrapped = Computed::Index {
            op: IndexOp::Mad,
            operands: [65536, 65536, 7],
            result: 7,
            exact: Some(4_294_967_303),
        };
        assert_eq!(equation(&wrapped), "65536 * 65536 + 7 = 7, not 4294967303");
    }
}
