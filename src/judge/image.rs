//! Renders the result of a lesson's kernels as an image.

use super::backend::Program;
use super::case_run::{Output, run_case};
use super::fill::inputs;
use super::kernel::{MIN_WORK_BUDGET, PreparedKernel};
use super::options::{Options, simulation};
use super::signature::symbols;
use super::value::Scalar;
use crate::course::{AuthorError, Buffer, ElementType, Pixels, Scale};
use anyhow::Result;

/// An output of the first case as an image, whether it is right or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Name of the output buffer.
    pub buffer: String,
    /// Height in pixels.
    pub rows: usize,
    /// Width in pixels.
    pub cols: usize,
    /// Brightness of each pixel, row by row: 0 for the smallest value and 255 for the largest.
    pub levels: Vec<u8>,
    /// Number of pixels without a value: never written, or not a number. Their level is 0.
    pub unset: usize,
    /// How many times the kernels ran, each time on the previous result.
    pub rounds: u32,
}

impl PreparedKernel<'_> {
    /// Runs the first case for the lesson's `[image]`. Returns `None` if the lesson has none, if the kernels come
    /// to no end that leaves a result, or if nothing was written. The kernels always run on the simulator: the
    /// values from a GPU have already been compared, and the picture decides nothing.
    ///
    /// # Errors
    ///
    /// Fails if the lesson is at fault.
    pub fn image(&self, options: &Options) -> Result<Option<Image>> {
        let (lesson, spec) = (self.lesson, &self.lesson.spec);
        let Some(image) = &spec.image else { return Ok(None) };
        let Ok(program) = self.simulated(simulation(lesson, options)) else { return Ok(None) };
        let program = program.with_budget(MIN_WORK_BUDGET);
        let Ok(symbols) = symbols(spec, program.signatures()) else { return Ok(None) };
        let lacks = |key| AuthorError::of_key(lesson, key, format!("{key}: there is none"));
        let sized = lesson.sized(spec.cases.first().ok_or_else(|| lacks("cases"))?)?;
        let shown = spec.buffer_index(&image.buffer).ok_or_else(|| lacks("image.buffer"))?;
        let next = image.next.as_deref().and_then(|name| spec.buffer_index(name));
        let rounds = next.and(image.rounds).unwrap_or(1);
        let mut initial = inputs(lesson, &sized, 0, options.seed);
        let mut ran = 0;
        loop {
            let Ok(case_run) = run_case(&program, spec, &sized, &symbols, &initial) else { return Ok(None) };
            let output = case_run.outputs.into_iter().find(|output| output.buffer == shown);
            let Some(output) = output.filter(|_| !case_run.stopped) else { return Ok(None) };
            ran += 1;
            match next {
                // Elements that were not written cannot be an input.
                Some(next) if ran < rounds && output.written.iter().all(|written| *written) => {
                    initial[next] = Some(output.got);
                }
                _ => return Ok(made(&spec.buffers[shown], &sized.shapes[shown], output, ran, image)),
            }
        }
    }
}

/// Returns the pixels of an output; `None` if nothing was written.
fn made(
    buffer: &Buffer,
    shape: &[usize],
    output: Output,
    rounds: u32,
    image: &crate::course::ImageSpec,
) -> Option<Image> {
    let &[rows, cols] = shape else { return None };
    if !output.written.contains(&true) {
        return None;
    }
    let pixels = image.pixels.of_element(buffer);
    let (levels, unset) = match image.pixels {
        Pixels::Values => scaled(&numbers(buffer.ty, &output), image.scale),
        Pixels::Bits => {
            let words = output.got.to_ints();
            let bit = |word: &i64, k: usize| if word >> k & 1 != 0 { u8::MAX } else { 0 };
            let of_word = |(word, written): (&i64, &bool)| {
                let (word, written) = (*word, *written);
                (0..pixels).map(move |k| if written { bit(&word, k) } else { 0 }).collect::<Vec<_>>()
            };
            let unset = output.written.iter().filter(|written| !**written).count() * pixels;
            (words.iter().zip(&output.written).flat_map(of_word).collect(), unset)
        }
    };
    Some(Image { buffer: buffer.name.clone(), rows, cols: cols * pixels, levels, unset, rounds })
}

/// Returns the value of every element, `None` where it was not written or is not a number.
fn numbers(ty: ElementType, output: &Output) -> Vec<Option<f64>> {
    let number = |value: Scalar| match value {
        // Values are stored as i64, so large u64 values appear negative.
        Scalar::Int(value) if ty == ElementType::U64 => value as u64 as f64,
        value => value.to_f64(),
    };
    let values = output.got.iter().zip(&output.written);
    values.map(|(value, written)| Some(number(value)).filter(|it| *written && !it.is_nan())).collect()
}

/// Returns a level for each number, and how many elements have no number.
fn scaled(numbers: &[Option<f64>], scale: Scale) -> (Vec<u8>, usize) {
    let finite = || numbers.iter().flatten().copied().filter(|number| number.is_finite());
    let (least, greatest) =
        (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    // Computed from halves, so that the difference cannot overflow.
    let above = |number: f64| number / 2.0 - least / 2.0;
    let height = |number: f64| match scale {
        Scale::Linear => above(number),
        Scale::Logarithmic => (2.0 * above(number)).min(f64::MAX).ln_1p(),
    };
    let level = |number: f64| match number {
        f64::INFINITY => u8::MAX,
        _ if number <= least => 0,
        // Above the least number there is a different greatest one, so the quotient is between 0 and 1.
        _ => (255.0 * (height(number) / height(greatest))).round() as u8,
    };
    let levels = numbers.iter().map(|number| number.map_or(0, level)).collect();
    (levels, numbers.iter().filter(|number| number.is_none()).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Values;

    fn levels(numbers: &[f64], scale: Scale) -> Vec<u8> {
        let numbers: Vec<_> = numbers.iter().map(|n| Some(*n).filter(|n| !n.is_nan())).collect();
        scaled(&numbers, scale).0
    }

    #[test]
    fn levels_go_from_the_least_to_the_greatest() {
        assert_eq!(levels(&[-2.0, 0.0, 2.0], Scale::Linear), [0, 128, 255]);
        assert_eq!(levels(&[1.0, 2.0, 8.0], Scale::Logarithmic), [0, 85, 255]);
    }

    #[test]
    fn equal_values_are_level_0() {
        assert_eq!(levels(&[7.0; 3], Scale::Linear), [0; 3]);
        assert_eq!(levels(&[7.0; 3], Scale::Logarithmic), [0; 3]);
    }

    #[test]
    fn what_is_no_finite_number_does_not_set_the_scale() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        assert_eq!(levels(&[inf, 0.0, 1.0, -inf, nan], Scale::Linear), [255, 0, 255, 0, 0]);
        assert_eq!(levels(&[inf, -inf, nan], Scale::Linear), [255, 0, 0]);
        assert_eq!(levels(&[nan], Scale::Logarithmic), [0]);
        assert_eq!(levels(&[-f64::MAX, 0.0, f64::MAX], Scale::Linear), [0, 128, 255]);
        assert_eq!(levels(&[-f64::MAX, f64::MAX], Scale::Logarithmic), [0, 255]);
        assert_eq!(scaled(&[None, Some(1.0)], Scale::Linear).1, 1);
    }

    #[test]
    fn large_unsigned_numbers_are_no_negative_ones() {
        let got = Values::Int(vec![-1, 0, 5]);
        let output = Output { buffer: 0, got, written: vec![true, true, false] };
        assert_eq!(numbers(ElementType::U64, &output), [Some(u64::MAX as f64), Some(0.0), None]);
        assert_eq!(numbers(ElementType::I64, &output), [Some(-1.0), Some(0.0), None]);
    }
}
