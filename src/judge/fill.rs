//! Generates inputs: random, different for every seed, lesson, case and buffer, and the same on every machine.
//!
//! The generator is counter-based: element `i` of a stream is the finaliser of SplitMix64 (Steele, Lea and Flood,
//! "Fast splittable pseudorandom number generators", OOPSLA 2014) applied to `key + (i + 1) * 0x9e3779b97f4a7c15`,
//! so any element can be computed without those before it. A stream's key is the same finaliser folded over the
//! seed, the lesson's slug (FNV-1a), the case and the buffer. No function of the system's mathematics library is
//! used.

use super::value::Values;
use crate::course::{Content, ElementType, Lesson, SizedCase, SizedFill};
use anyhow::{Context, Result};
use sim::random::{STEP, finalise};
use std::num::NonZero;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

/// A stream of independent random numbers, one for each index.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    key: u64,
}

impl Stream {
    pub fn new(seed: u64, lesson: &str, case: usize, buffer: usize) -> Stream {
        let name = lesson.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let parts = [seed, name, case as u64, buffer as u64];
        let key = parts.iter().fold(0, |key, part| finalise((key ^ part).wrapping_add(STEP)));
        Stream { key }
    }

    /// Returns 64 random bits.
    pub fn bits(self, index: u64) -> u64 {
        finalise(self.key.wrapping_add(index.wrapping_add(1).wrapping_mul(STEP)))
    }

    /// Returns a uniform number in `[0, 1)`, a multiple of 2⁻⁵³.
    pub fn unit(self, index: u64) -> f64 {
        (self.bits(index) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a uniform integer in `low..=high`.
    fn integer(self, index: u64, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low) as u128 + 1;
        let offset = (u128::from(self.bits(index)) * span) >> 64;
        low.wrapping_add_unsigned(offset as u64)
    }

    /// Returns the sum of twelve uniform numbers minus six: mean 0, variance 1, never beyond ±6, and exact on every
    /// machine.
    fn normal(self, index: u64) -> f64 {
        (0..12).map(|k| self.unit(index.wrapping_mul(12).wrapping_add(k))).sum::<f64>() - 6.0
    }
}

/// Returns the initial contents of a buffer of `len` elements; `None` where it is left uninitialised.
pub fn content(content: &Content, ty: ElementType, len: usize, stream: Stream) -> Option<Values> {
    Some(match content {
        Content::Uninitialised => return None,
        Content::Zero => Values::Int(vec![0; len]).rounded(ty),
        Content::Fill(how) => fill(how, ty, len, stream),
        Content::Values(values) => values.clone(),
    })
}

/// Returns the contents of [`content`] as bytes.
pub fn content_bytes(content: &Content, ty: ElementType, len: usize, stream: Stream) -> Option<Vec<u8>> {
    Some(match content {
        Content::Uninitialised => return None,
        Content::Zero => vec![0; len * ty.bytes()],
        Content::Fill(how) => fill_bytes(how, ty, len, stream),
        Content::Values(values) => values.encode(ty),
    })
}

/// Returns `len` values that type `ty` represents exactly. Two or more values are never all the same, except
/// offsets of rows without entries.
pub fn fill(fill: &SizedFill, ty: ElementType, len: usize, stream: Stream) -> Values {
    match *fill {
        SizedFill::Sorted { low, high } => {
            let mut values = varied(low, high, len, stream);
            values.sort_unstable();
            return Values::Int(values).rounded(ty);
        }
        SizedFill::Permutation {} => {
            let mut values: Vec<i64> = (0..len as i64).collect();
            // Fisher-Yates shuffle, from the last element down.
            for i in (1..len).rev() {
                values.swap(i, stream.integer(i as u64, 0, i as i64) as usize);
            }
            return Values::Int(values).rounded(ty);
        }
        SizedFill::RowOffsets { total } => {
            let mut values: Vec<i64> = (0..len as u64).map(|i| stream.integer(i, 0, total)).collect();
            if let [first, .., last] = values.as_mut_slice() {
                (*first, *last) = (0, total);
            }
            values.sort_unstable();
            return Values::Int(values).rounded(ty);
        }
        _ => {}
    }
    let Some((low, high)) = steps(fill) else { return piece(fill, ty, 0..len as u64, stream) };
    of_steps(fill, varied(low, high, len, stream)).rounded(ty)
}

/// Returns integers that are not all the same.
fn varied(low: i64, high: i64, len: usize, stream: Stream) -> Vec<i64> {
    let mut values: Vec<i64> = (0..len as u64).map(|i| stream.integer(i, low, high)).collect();
    if let [first, rest @ .., last] = values.as_mut_slice()
        && rest.iter().chain([&*last]).all(|value| value == first)
    {
        *last = if *first == low { high } else { low };
    }
    values
}

/// For fills on a regular grid, returns the lowest and highest value in grid steps.
fn steps(fill: &SizedFill) -> Option<(i64, i64)> {
    match *fill {
        SizedFill::Integers { low, high } => Some((low, high)),
        SizedFill::Halves { low, high } => Some((low.saturating_mul(2), high.saturating_mul(2))),
        _ => None,
    }
}

/// Converts grid steps to values.
fn of_steps(fill: &SizedFill, values: Vec<i64>) -> Values {
    match fill {
        SizedFill::Halves { .. } => {
            Values::Float(values.into_iter().map(|twice| twice as f64 / 2.0).collect())
        }
        _ => Values::Int(values),
    }
}

/// Number of elements that a thread generates at a time.
const PIECE: u64 = 1 << 20;

/// Returns the bytes of what [`fill`] returns, generated by several threads for long buffers: a piece of a million
/// elements is never all the same.
fn fill_bytes(fill: &SizedFill, ty: ElementType, len: usize, stream: Stream) -> Vec<u8> {
    if len as u64 <= PIECE || fill.needs_whole_buffer() {
        return self::fill(fill, ty, len, stream).encode(ty);
    }
    let mut bytes = vec![0; len * ty.bytes()];
    let pieces = bytes.chunks_mut(PIECE as usize * ty.bytes()).zip((0..len as u64).step_by(PIECE as usize));
    let pieces = Mutex::new(pieces);
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                while let Some((bytes, from)) = next() {
                    let values = piece(fill, ty, from..(from + PIECE).min(len as u64), stream);
                    bytes.copy_from_slice(&values.encode(ty));
                }
            });
        }
    });
    bytes
}

/// Returns the elements with the given indices.
fn piece(fill: &SizedFill, ty: ElementType, indices: Range<u64>, stream: Stream) -> Values {
    match *fill {
        SizedFill::Integers { .. } | SizedFill::Halves { .. } => {
            let (low, high) = steps(fill).unwrap_or_default();
            of_steps(fill, indices.map(|i| stream.integer(i, low, high)).collect()).rounded(ty)
        }
        SizedFill::Uniform { low, high } => {
            let values = indices.map(|i| low + (high - low) * stream.unit(i));
            let values = Values::Float(values.collect()).rounded(ty);
            // Rounding to a narrow type may reach the excluded upper end.
            Values::Float(values.iter().map(|v| if v.to_f64() < high { v.to_f64() } else { low }).collect())
                .rounded(ty)
        }
        SizedFill::Normal {} => Values::Float(indices.map(|i| stream.normal(i)).collect()).rounded(ty),
        SizedFill::Iota {}
        | SizedFill::Sorted { .. }
        | SizedFill::Permutation {}
        | SizedFill::RowOffsets { .. } => Values::Int(indices.map(|i| i as i64).collect()).rounded(ty),
    }
}

/// Returns the values of every buffer that is filled, drawn from the seed for this case.
pub fn inputs(lesson: &Lesson, sized: &SizedCase, case: usize, seed: u64) -> Vec<Option<Values>> {
    let buffers = lesson.spec.buffers.iter().zip(&sized.shapes).enumerate();
    buffers
        .map(|(index, (buffer, shape))| {
            let stream = Stream::new(seed, &lesson.slug, case, index);
            content(&sized.contents[index], buffer.ty, shape.iter().product(), stream)
        })
        .collect()
}

/// Returns the initial values of every buffer of a case, in the order of lesson.toml; `None` for a buffer that is
/// not filled.
///
/// # Errors
///
/// Fails if there is no such case, or if its sizes do not fit.
pub fn initial_values(lesson: &Lesson, case: usize, seed: u64) -> Result<Vec<Option<Values>>> {
    let sizes =
        lesson.spec.cases.get(case).with_context(|| format!("{}: there is no case {case}", lesson.slug))?;
    Ok(inputs(lesson, &lesson.spec.sized(sizes)?, case, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_those_of_the_sequence() {
        let mut sequence = sim::random::SplitMix64(7);
        let stream = Stream { key: 7 };
        (0..100).for_each(|i| assert_eq!(stream.bits(i), sequence.next()));
    }

    #[test]
    fn streams_differ_by_each_of_their_parts() {
        let streams = [
            Stream::new(1, "map", 0, 0),
            Stream::new(2, "map", 0, 0),
            Stream::new(1, "zip", 0, 0),
            Stream::new(1, "map", 1, 0),
            Stream::new(1, "map", 0, 1),
        ];
        let keys: std::collections::BTreeSet<_> = streams.iter().map(|stream| stream.key).collect();
        assert_eq!(keys.len(), streams.len());
    }

    #[test]
    fn integers_reach_both_ends_and_nothing_else() {
        let values = fill(
            &SizedFill::Integers { low: -3, high: 4 },
            ElementType::I32,
            1000,
            Stream::new(7, "map", 0, 0),
        );
        let counts = values.to_ints().iter().fold([0; 8], |mut counts, &value| {
            counts[(value + 3) as usize] += 1;
            counts
        });
        assert!(counts.iter().all(|count| (80..180).contains(count)), "{counts:?}");
        let widest = SizedFill::Integers { low: i64::MIN, high: i64::MAX };
        assert!(
            fill(&widest, ElementType::I64, 100, Stream::new(7, "map", 0, 0))
                .to_ints()
                .iter()
                .any(|v| *v < 0)
        );
    }

    #[test]
    fn halves_reach_both_ends_and_half_of_them_are_whole() {
        let stream = Stream::new(7, "map", 0, 0);
        let values =
            fill(&SizedFill::Halves { low: -3, high: 4 }, ElementType::F16, 2000, stream).to_floats();
        assert!(values.iter().all(|value| (-3.0..=4.0).contains(value) && (value * 2.0).fract() == 0.0));
        assert!(values.contains(&-3.0) && values.contains(&4.0));
        let whole = values.iter().filter(|value| value.fract() == 0.0).count();
        assert!((900..1200).contains(&whole), "{whole}");
    }

    #[test]
    fn sorted_permuted_and_offsets_are_what_they_say() {
        let stream = Stream::new(7, "map", 0, 0);
        let of = |fill: SizedFill, len: usize| fill_ints(&fill, len, stream);
        let sorted = of(SizedFill::Sorted { low: -5, high: 5 }, 200);
        assert!(sorted.is_sorted() && sorted.first() == Some(&-5) && sorted.last() == Some(&5), "{sorted:?}");
        let permuted = of(SizedFill::Permutation {}, 200);
        assert!(!permuted.is_sorted());
        let mut back = permuted.clone();
        back.sort_unstable();
        assert_eq!(back, (0..200).collect::<Vec<_>>());
        let offsets = of(SizedFill::RowOffsets { total: 90 }, 101);
        assert!(offsets.is_sorted() && offsets[0] == 0 && offsets[100] == 90, "{offsets:?}");
        assert!(offsets.windows(2).any(|pair| pair[0] == pair[1]), "some rows are empty");
        assert_eq!(of(SizedFill::RowOffsets { total: 0 }, 2), [0, 0]);
    }

    fn fill_ints(how: &SizedFill, len: usize, stream: Stream) -> Vec<i64> {
        fill(how, ElementType::I32, len, stream).to_ints()
    }

    #[test]
    fn inputs_are_never_constant() {
        for seed in 0..200 {
            for len in 2..5 {
                let stream = Stream::new(seed, "map", 0, 0);
                let values =
                    fill(&SizedFill::Integers { low: 0, high: 1 }, ElementType::U8, len, stream).to_ints();
                assert!(values.iter().any(|value| *value != values[0]), "seed {seed}: {values:?}");
            }
        }
    }

    #[test]
    fn many_are_made_in_pieces_and_are_the_same() {
        let stream = Stream::new(9, "map", 2, 1);
        let len = 2 * PIECE as usize + 5;
        let fills = [
            (SizedFill::Integers { low: -9, high: 9 }, ElementType::F32),
            (SizedFill::Integers { low: 0, high: 200 }, ElementType::U8),
            (SizedFill::Uniform { low: -1.0, high: 1.0 }, ElementType::F16),
            (SizedFill::Normal {}, ElementType::F64),
            (SizedFill::Iota {}, ElementType::I32),
            (SizedFill::Permutation {}, ElementType::I32),
        ];
        for (how, ty) in fills {
            assert!(fill_bytes(&how, ty, len, stream) == fill(&how, ty, len, stream).encode(ty), "{how:?}");
        }
    }

    #[test]
    fn uniform_and_normal_have_their_moments() {
        let stream = Stream::new(3, "map", 0, 0);
        let moments = |values: Values| {
            let values = values.to_floats();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64)
        };
        let (mean, variance) = moments(fill(&SizedFill::Normal {}, ElementType::F64, 20_000, stream));
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        let uniform = fill(&SizedFill::Uniform { low: 2.0, high: 4.0 }, ElementType::Bf16, 20_000, stream);
        assert!(uniform.to_floats().iter().all(|v| (2.0..4.0).contains(v)));
        let (mean, variance) = moments(uniform);
        assert!((mean - 3.0).abs() < 0.03 && (variance - 1.0 / 3.0).abs() < 0.03, "{mean} {variance}");
    }
}
